package page

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
)

func init() { commandtest.Offer(append(answering(), Link())...) }

// The page gives the bytes that a command line gives.
func TestRun(t *testing.T) {
	for _, line := range []string{
		"samplesize -m 1000 -t 0.1 -b 0.05 -f json", "samplesize -m 1000 -t 0.1 -b 0.05",
		"samplesize -m 10,20 -t 5% -b 0.05 -f csv", "samplesize -n 100 -m 10 -t 0.1 -b 0.05 -f tsv",
		"samplesize -n 1 -m 10 -b 0.05 -f jsonl", "samplesize -m 10 -t 0.1 -b 0.05 --report",
		"transfer --alpha 0.01 --beta 0 --epsilon 0.05 --target-beta 0.05 -f markdown",
		"compose --mu 0.1 --times 10 --target-delta 1e-6 -f latex",
		"maxinfo --step pure-dp:epsilon=0.01 --samples 100 -f csv",
		"pvalue-correct -p 0.01 -a 0.05 --by description --outcomes 3", "advise --goal p-value --selection menu",
		"advise", "explain tau", "cite gaussian", "methods -f csv", "link explain tau",
		"samplesize -m oops -t 0.1 -b 0.05", "samplesize --tua 0.1", "nonsense", "pvalue-correct --alpha 2",
	} {
		args := strings.Fields(line)
		code, stdout, stderr := commandtest.Dpcalc(args...)
		if got := Run(args); got != (Result{code, stdout, stderr}) {
			t.Errorf("%s: got %+v, want %d, %q, %q", line, got, code, stdout, stderr)
		}
	}
}

// Nothing is read from or written to a file, whichever flag or argument names it.
func TestFilesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	refused := 0
	check := func(args ...string) {
		refused++
		if r := Run(args); !commandtest.Refused(r.Code, r.Stdout, r.Stderr, "") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	plan := []string{"samplesize", "-m", "10", "-t", "0.1", "-b", "0.05"}
	for _, c := range answering() {
		for _, flag := range c.AllFlags(formats) {
			if flag.Placeholder() == fileWord {
				check(c.Name, "--"+flag.Name, "plan.csv")
				check(c.Name, "--"+flag.Name, "-")
			}
		}
	}
	if refused < 20 { // 9 commands write, samplesize and maxinfo have files of their own
		t.Errorf("%d flags are files", refused/2)
	}
	check(append(plan, "--schedule", "noise.csv")...)
	check("maxinfo", "--joint", "joint.csv")
	check("pvalue-correct", "p.csv", "--alpha", "0.05", "--by", "description", "--bits", "3")
	check("pvalue-correct", "-", "--alpha", "0.05", "--by", "description", "--bits", "3")
	check(append(plan, "-f", "xlsx")...)
	check(append(plan, "-f", "svg")...)
	check()
	if left := commandtest.Files(t, "."); len(left) > 0 {
		t.Errorf("files were written: %v", left)
	}
}

// Schedule has the bytes of the file.
func TestSchedule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "noise.csv")
	args := []string{"samplesize", "-m", "50", "-t", "0.1", "-b", "0.05"}
	code, _, stderr := commandtest.Dpcalc(append(slices.Clone(args), "--schedule", file)...)
	want, err := os.ReadFile(file)
	if code != usage.ExitOK || err != nil {
		t.Fatal(code, stderr, err)
	}
	if got := Schedule(args); got.Code != usage.ExitOK || got.Stdout != string(want) {
		t.Errorf("got %d, %q, want %q", got.Code, got.Stdout, want)
	}
	if got := Schedule([]string{"samplesize", "-m", "x"}); got.Code != usage.ExitUsage || got.Stdout != "" {
		t.Errorf("nonsense: %+v", got)
	}
	if got := Schedule(append(args, "-o", "plan.csv")); got.Code != usage.ExitUsage {
		t.Errorf("another file: %+v", got)
	}
}

func TestLink(t *testing.T) {
	for line, want := range map[string]string{
		"samplesize -m 1000 -t 0.1 -b 0.05":                          "#samplesize?queries=1000&tau=0.1&beta=0.05",
		"samplesize --beta=5% --zip -f csv -o plan.csv -m 1,2 -n 1k": "#samplesize?samples=1k&queries=1%2C2&beta=5%25&zip",
		"maxinfo --step pure-dp:epsilon=1 --step gdp:mu=2":           "#maxinfo?step=pure-dp%3Aepsilon%3D1&step=gdp%3Amu%3D2",
		"explain tau beta": "#explain?=tau&=beta",
		"methods":          "#methods",
		"cite -- a+b~!é":   "#cite?=a%2Bb~%21%C3%A9",
	} {
		if r := Run(append([]string{"link"}, strings.Fields(line)...)); r != (Result{0, want + "\n", ""}) {
			t.Errorf("%s: %+v, want %s", line, r, want)
		}
	}
	if r := Run([]string{"link", "explain", "two words"}); r.Stdout != "#explain?=two%20words\n" {
		t.Errorf("a space: %+v", r)
	}
	for line, says := range map[string]string{
		"": "got nothing", "samplesise": "did you mean samplesize", "audit": "want a command of the page",
		"samplesize --tua 1": "did you mean --tau", "samplesize -m 1 --schedule noise.csv": "the page has no files",
		"pvalue-correct p.csv": "the page has no files", "samplesize --help": "got --help",
	} {
		r := Run(append([]string{"link"}, strings.Fields(line)...))
		if !commandtest.Refused(r.Code, r.Stdout, r.Stderr, says) {
			t.Errorf("%s: %+v, want %s", line, r, says)
		}
	}
	if r := Run([]string{"link", "--help"}); r.Code != 0 || !strings.Contains(r.Stdout, "dpcalc link") {
		t.Errorf("help: %+v", r)
	}
}

// The page knows every flag of every command, and which of them are files.
func TestDescription(t *testing.T) {
	var d description
	if err := json.Unmarshal([]byte(Description()), &d); err != nil {
		t.Fatal(err)
	}
	for _, c := range answering() {
		if len(d.Commands[c.Name].Flags) != len(c.Flags) {
			t.Errorf("%s: %d flags, want %d", c.Name, len(d.Commands[c.Name].Flags), len(c.Flags))
		}
	}
	files := 0
	for _, f := range d.Commands["samplesize"].Flags {
		if f.File {
			files++
		}
	}
	if files != 3 || len(d.Kinds) < 7 { // the output, a schedule and a certificate
		t.Errorf("%d files, %d kinds", files, len(d.Kinds))
	}
}

// The page has words for each kind of proof, the words of reports, and none of its own.
func TestWordsOfProofs(t *testing.T) {
	var d description
	if err := json.Unmarshal([]byte(Description()), &d); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"--feedback gate --method gate", "--method laplace", "--method rounding"} {
		words := strings.Fields("samplesize -m 10 -t 0.1 -b 0.05 " + args)
		row := commandtest.RowsOf(t, words...)[0]
		says := d.Proofs[theory.Proof(row["proof"].(string))]
		_, report, _ := commandtest.Dpcalc(append(words, "--report")...)
		report = strings.Join(strings.Fields(report), " ")
		if says == "" || row["proof"] != "published" && !strings.Contains(report, "The proof of that method is "+says) {
			t.Errorf("%s: the page says %q of %s, the report %s", args, says, row["proof"], report)
		}
	}
	for _, file := range []string{"samplesize.js", "pvalue.js", "parts.js"} {
		code, err := os.ReadFile("../../../../page/" + file)
		if err != nil || strings.Contains(string(code), "refereed") || strings.Contains(string(code), "Derived in") {
			t.Errorf("%s has words of its own for a proof, %v", file, err)
		}
	}
}

// Help names the commands of the page.
func TestHelp(t *testing.T) {
	r := Run([]string{"help"})
	for _, name := range (&commands.Front{Commands: answering()}).Names() {
		if !strings.Contains(r.Stdout, "   "+name+" ") {
			t.Errorf("help has no %s", name)
		}
		if on := Run([]string{"help", name}); on.Code != 0 || !strings.Contains(on.Stdout, "dpcalc "+name+": ") {
			t.Errorf("help %s: %+v", name, on)
		}
	}
}

// The page does not link what it has no use for.
func TestDependencies(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "../../../dpcalc-page")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/dpcalc/dpcalc/transfer") {
		t.Fatalf("no dependencies: %v", deps)
	}
	for _, dep := range deps {
		own := strings.TrimPrefix(dep, "github.com/dpcalc/dpcalc/")
		for _, unwanted := range []string{"net/http", "github.com/xuri/", "gonum.org/", "github.com/urfave/",
			"properties", "holdout", "cmd/internal/workbook", "cmd/internal/figures", "cmd/internal/commands/mechanisms"} {
			if strings.HasPrefix(own, unwanted) {
				t.Errorf("the page links %s", dep)
			}
		}
	}
}
