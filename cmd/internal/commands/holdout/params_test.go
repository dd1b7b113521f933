package holdout

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/holdout/ask"
)

// asking is a way to ask for a look: it reports whether the look was answered.
type asking func(t *testing.T, ledger string, flags map[string]string) (answered bool, said string)

// byCommand asks on the command line.
func byCommand(_ *testing.T, ledger string, flags map[string]string) (bool, string) {
	args := []string{"holdout", "score", ledger, "candidate.csv"}
	for name, value := range flags {
		args = append(args, "--"+name, value)
	}
	code, stdout, stderr := commandtest.Dpcalc(args...)
	return code == 0 || code == 4, stdout + stderr
}

// overAddress asks a server.
func overAddress(address string) asking {
	return func(t *testing.T, _ string, flags map[string]string) (bool, string) {
		query := make(url.Values)
		for name, value := range flags {
			query.Set(name, value)
		}
		code, body := post(t, address+"/looks?"+query.Encode(), "", "candidate.tsv")
		return code == 200, body
	}
}

// onPipe asks as an agent.
func onPipe(a *agent) asking {
	return func(_ *testing.T, _ string, flags map[string]string) (bool, string) {
		arguments := given{"file": "candidate.csv"}
		for name, value := range flags {
			arguments[name] = value
		}
		text, failed := a.calls("look", arguments)
		return !failed, text
	}
}

// Every parameter that there is goes to every plan, on the command line, over HTTP and from an agent. What the plan's
// rule takes is answered; everything else is refused before a look is spent.
func TestParametersAreAnsweredOrRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("mine", 0o700); err != nil {
		t.Fatal(err)
	}
	for file, names := range map[string][]string{"labels.csv": {"label", "cat"}, "incumbent.csv": {"prediction", "cat"},
		"features.csv": {"part", "a", "b"}, "candidate.csv": {"prediction", "cat", "dog", "cow"}} {
		table := "id," + names[0] + "\n"
		for row := range 4500 {
			table += fmt.Sprintf("r%d,%s\n", row, names[1+row%(len(names)-1)])
		}
		write(t, file, table)
		if file == "candidate.csv" {
			write(t, "mine/candidate.csv", table)
			write(t, "candidate.tsv", strings.ReplaceAll(table, ",", "\t"))
		}
	}
	values := map[string]string{"bar": "0.5", "guess": "0.5", "show": "pass", "test": "sign", "where": "part=a", "near": "0.5",
		"within": "0.01", "step": "0.02", "expect": "0.2", "all": "bar=0.4"}
	open := map[string]string{"pass": "bar where expect all", "best": "where step expect", "score": "where near step",
		"guess": "guess where within step expect", "reject": "test where expect"}
	offers := " --ask pass:bar=0.5,where=part=a,expect=0.2 --ask best:step=0.02,where=part=a,expect=0.2 --ask score:step=0.02,where=part=a" +
		" --ask guess:within=0.01,step=0.02,where=part=a,expect=0.2"
	for name, plan := range map[string]struct {
		init, serve string
		takes       map[string]string // by what is shown, "" for a fixed plan
		needs       map[string]string // of these, what a look must have
	}{
		"open": {"-b 0.5 --open --features features.csv" + offers, "", map[string]string{"pass": open["pass"], "best": open["best"],
			"score": open["score"], "guess": open["guess"]}, map[string]string{"pass": "bar", "guess": "guess"}},
		"differences": {"-b 0.5 --open --features features.csv --incumbent incumbent.csv --ask pass:bar=0.5,where=part=a,expect=0.2" +
			" --ask score:step=0.02,where=part=a --ask reject:test=sign,where=part=a,expect=0.2", "", map[string]string{"pass": open["pass"],
			"score": open["score"], "reject": open["reject"]}, map[string]string{"pass": "bar", "reject": "test"}},
		"gate":    {"-m 90 -t 0.3 --feedback gate --passes 1 -b .05", "--bars 0.5", map[string]string{"": "bar"}, map[string]string{"": "bar"}},
		"barred":  {"-m 90 -t 0.3 --feedback gate --passes 1 --threshold 0.5 -b .05", "", map[string]string{"": "bar"}, nil},
		"gates":   {"-m 90 -t 0.3 --feedback gate --passes 1 --bars 0.5,0.6 -b .05", "", map[string]string{"": "bar"}, map[string]string{"": "bar"}},
		"joint":   {"-m 90 -t 0.3 --feedback gate --passes 1 --features features.csv --method gate -b .05", "--bars 0.5", map[string]string{"": "bar all"}, map[string]string{"": "bar"}},
		"test":    {"-m 90 --test sign --feedback gate --passes 1 --incumbent incumbent.csv -b .05", "", map[string]string{"": ""}, nil},
		"answers": {"-m 20 -t 0.3 --method gaussian -b .05", "", map[string]string{"": ""}, nil},
		"endless": {"--method gaussian-open -b .05", "", map[string]string{"": ""}, nil},
		"best":    {"-m 90 -t 0.3 --feedback best -b .05", "", map[string]string{"": ""}, nil},
		"flags":   {"-m 90 -t 0.3 --feedback flags -B 20 -b .05", "", map[string]string{"": "guess"}, map[string]string{"": "guess"}},
		"final":   {"-m 90 -t 0.3 --feedback final -b .05", "", map[string]string{"": ""}, nil},
		"parts":   {"-m 3 -t 0.3 --method splitting -b .05", "", map[string]string{"": ""}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := func(way string) string {
				dir := filepath.Join(name + "-" + way)
				runs(t, 0, "holdout init "+dir+" --labels labels.csv "+plan.init)
				return dir
			}
			walk := func(way string, owner bool, asks asking) {
				dir := name + "-" + way
				t.Run(way, func(t *testing.T) { walked(t, dir, owner, asks, plan.takes, plan.needs, values) })
			}
			ledger("command")
			walk("command", true, byCommand)
			if name == "final" { // no finalist is taken alone by a server
				return
			}
			address, stop := serving(t, strings.TrimSpace("holdout serve "+ledger("http")+" --addr 127.0.0.1:0 --rate 100000 "+plan.serve))
			walk("http", false, overAddress(address))
			if code, _, said := stop(); code != 0 {
				t.Errorf("exit %d: %s", code, said)
			}
			walk("agent", false, onPipe(piped(t, strings.TrimSpace("mcp "+ledger("agent")+" --folder mine "+plan.serve))))
		})
	}
}

// walked asks a ledger for a look with each parameter that there is, those first that it is to refuse. A look without
// what it needs is refused, too.
func walked(t *testing.T, dir string, owner bool, asks asking, takes, needs, values map[string]string) {
	spent := func() string {
		lines, err := os.ReadFile(filepath.Join(dir, "looks.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(lines)
	}
	for _, wanted := range []bool{false, true} {
		for _, show := range slices.Sorted(maps.Keys(takes)) {
			base := make(map[string]string)
			if show != "" {
				base["show"] = show
			}
			for _, needed := range strings.Fields(needs[show]) {
				base[needed] = values[needed]
			}
			for _, p := range ask.Params() {
				flags, before := maps.Clone(base), spent()
				if _, ok := flags[p.Name]; !ok {
					flags[p.Name] = values[p.Name]
				}
				_, based := base[p.Name]
				taken := based || slices.Contains(strings.Fields(takes[show]), p.Name)
				if taken = taken && (owner || !p.Owner); taken != wanted {
					continue
				}
				answered, said := asks(t, dir, flags)
				if answered != taken {
					t.Errorf("%v: answered is %v, want %v: %s", flags, answered, taken, said)
				}
				if !answered && spent() != before {
					t.Errorf("%v: refused, and a look is spent: %s", flags, said)
				}
			}
			flags, before := map[string]string{"show": show}, spent()
			if show == "" {
				flags = nil
			}
			if answered, said := asks(t, dir, flags); owner && needs[show] != "" && (answered || spent() != before) {
				t.Errorf("%v without %s: answered is %v: %s", flags, needs[show], answered, said)
			}
		}
	}
}
