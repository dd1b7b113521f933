package pvalues

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// lines reads rows of JSON lines.
func lines(t *testing.T, stdout string) (rows []map[string]any) {
	t.Helper()
	for line := range strings.Lines(stdout) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// A list has the rows that its values have one by one, in their order, and the values in columns of their own.
func TestListsAreOneByOne(t *testing.T) {
	for _, c := range []struct {
		flags string
		lists []string // FLAG VALUE VALUE..., as the texts stand for; the last varies fastest
	}{
		{"--by pure-dp --alpha 0.05 --p 0.003", []string{"samples=10k,1k", "epsilon=0.01:0.03:0.01"}},
		{"--by approx-dp -n 10k --epsilon 0.001", []string{"delta=1e-9,1e-400", "alpha=5%,0.01"}},
		{"--by gdp -n 10k --alpha 0.05", []string{"mu=0.0001:0.01:x10"}},
		{"--by zcdp -n 10k --alpha 0.05", []string{"rho=1e-8:1e-6:log3"}},
		{"--by gaussian --alpha 0.05 -n 10k", []string{"queries=1,10", "noise-sd=0.05,0.1"}},
		{"--by description --alpha 0.05", []string{"outcomes=2^80,10,1:512:x8", "p=<0.001,0,1,0.001:0.003:0.001"}},
		{"--by gates --alpha 0.05", []string{"looks=20,32,100", "passes=1,3,20"}},
		{"--by gates --alpha 0.05 --losses 0", []string{"looks=2,20", "passes=3,1,20"}},
		{"--by gates", []string{"looks=2,20", "passes=3,1", "level=0.9,0.99"}},
		{"--by gates --alpha 0.05 --looks 20 --wins 12", []string{"losses=0:5:1"}},
		{"--by gates --alpha 0.05 --looks 20", []string{"losses=0:5:1"}},
		{"--by mutual-info --alpha 0.05", []string{"bits=0,0.1,1"}},
		{"--by mutual-info --alpha 0.05 --method kl", []string{"nats=0,0.1"}},
		{"--by max-info --alpha 0.05 --bits 1", []string{"slack=0,0.01,0.06"}},
		{"--by steps --step description:outcomes=10 --step pure-dp:epsilon=0.005", []string{"samples=1k,10k",
			"alpha=0.01,0.05"}},
		{"--by description --alpha 0.05", []string{"target-threshold=0.01,0.001"}},
		{"--by pure-dp -n 10k --neighbours add-remove", []string{"alpha=0.05,0.1", "survives=0.04,1e-9"}},
		{"--by gates --alpha 0.05 --target-threshold 1e-4", []string{"looks=1,20,40"}},
		{"--by description", []string{"outcomes=2,20", "level=0.95:0.99:0.02,1-1e-20"}},
	} {
		args := append([]string{"pvalue-correct", "-f", "jsonl"}, strings.Fields(c.flags)...)
		var names []string
		var values [][]string
		all := args
		for _, l := range c.lists {
			name, list, _ := strings.Cut(l, "=")
			all = append(all[:len(all):len(all)], "--"+name, list)
			names, values = append(names, name), append(values, expanded(t, list))
		}
		code, stdout, stderr := commandtest.Dpcalc(all...)
		if code != usage.ExitOK && code != usage.ExitNoAnswer || strings.Contains(stderr, "dpcalc:") {
			t.Fatalf("%v: exit %d, %s", all, code, stderr)
		}
		got := lines(t, stdout)
		total := 1
		for _, v := range values {
			total *= len(v)
		}
		for i := range total {
			one, rest := args, i
			for k := len(values) - 1; k >= 0; k-- {
				one = append(one[:len(one):len(one)], "--"+names[k], values[k][rest%len(values[k])])
				rest /= len(values[k])
			}
			code, stdout, stderr := commandtest.Dpcalc(one...)
			if code == usage.ExitUsage { // more passes than looks: a row of a list, nonsense alone
				if !strings.Contains(stderr, "--passes: got") || got[0]["status"] != "not_applicable" ||
					!strings.Contains(got[0]["reason"].(string), "passes: got") {
					t.Errorf("%v: %s, but %v", one, stderr, got[0])
				}
				got = got[1:]
				continue
			}
			for _, want := range lines(t, stdout) {
				if len(got) == 0 {
					t.Fatalf("%v: too few rows", all)
				}
				for name, value := range want {
					if a, b := fmt.Sprint(got[0][name]), fmt.Sprint(value); a != b && !nearly(got[0][name], value) {
						t.Errorf("%v: %s is %v, alone %v", one, name, a, b)
					}
				}
				for _, name := range names {
					column := map[string]string{"survives": "target_threshold", "level": "confidence"}[name]
					if column == "" {
						column = strings.ReplaceAll(name, "-", "_")
					}
					if _, ok := got[0][column]; !ok {
						t.Errorf("%v: no column %s", all, column)
					}
				}
				got = got[1:]
			}
		}
		if len(got) > 0 {
			t.Errorf("%v: %d rows too many", all, len(got))
		}
	}
}

// nearly compares numbers that a range has to 12 digits.
func nearly(a, b any) bool {
	x, isX := a.(float64)
	y, isY := b.(float64)
	return isX && isY && math.Abs(x-y) <= 1e-11*math.Abs(y) || reflect.DeepEqual(a, b)
}

// expanded are the values that a list stands for, written out by hand.
func expanded(t *testing.T, list string) (values []string) {
	t.Helper()
	known := map[string]string{
		"0.01:0.03:0.01": "0.01,0.02,0.03", "0.0001:0.01:x10": "0.0001,0.001,0.01", "1e-8:1e-6:log3": "1e-8,1e-7,1e-6",
		"1:512:x8": "1,8,64,512", "0.001:0.003:0.001": "0.001,0.002,0.003", "0:5:1": "0,1,2,3,4,5",
		"0.95:0.99:0.02": "0.95,0.97,0.99",
	}
	for item := range strings.SplitSeq(list, ",") {
		if strings.Contains(item, ":") {
			if known[item] == "" {
				t.Fatal("no values of ", item)
			}
			item = known[item]
		}
		values = append(values, strings.Split(item, ",")...)
	}
	return values
}

// One list is drawn with a curve for each method, two with a curve for each value of the shorter one.
func TestListFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	const pure = "pvalue-correct --alpha 0.05 --by pure-dp -n 10k --epsilon 0.001:0.1:log5"
	for _, c := range []struct {
		flags string
		wants []string
	}{
		{pure, []string{"threshold", "a max-info-any, published\n", "b max-info-dwork15, published\n", "c renyi, coq\n",
			"d kl, derived\n", "  epsilon\n"}},
		{pure + " --method renyi --alpha 0.05,0.01",
			[]string{"a alpha 0.05, coq\n", "b alpha 0.01, coq\n", "by the best method"}},
		{"pvalue-correct --alpha 0.05 --by gates --looks 20:100:20 --passes 1,3 --losses 0",
			[]string{"wins needed", "a passes 1, coq\n", "b passes 3, coq\n", "  looks\n"}},
		{"pvalue-correct --alpha 0.05 --by description --outcomes 10 --p 1e-6:0.1:x10", []string{"p adjusted", "  p\n"}},
		{"pvalue-correct --alpha 0.01:0.1:0.01 --by description --survives 0.001", []string{"outcomes\n", "  alpha\n"}},
		{"pvalue-correct --level 0.9:0.99:0.01 --by description --outcomes 2", []string{"alpha\n", "  level\n"}},
		{"pvalue-correct --alpha 0.05 --by max-info --bits 1 --slack 0,0.01,0.02", []string{"  slack\n"}},
	} {
		code, out, stderr := commandtest.Dpcalc(append(withoutRepeats(c.flags), "--plot")...)
		if code != usage.ExitOK || stderr != "" {
			t.Fatalf("%s: exit %d, %s", c.flags, code, stderr)
		}
		for _, want := range c.wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", c.flags, want, out)
			}
		}
		for _, name := range []string{"x.svg", "x.png", "x.pdf"} {
			if code, out, stderr := commandtest.Dpcalc(append(withoutRepeats(c.flags), "-o", name)...); code != usage.ExitOK ||
				out+stderr != "" {
				t.Errorf("%s: exit %d, %s%s", name, code, out, stderr)
			}
		}
		svg, err := os.ReadFile("x.svg")
		if err != nil {
			t.Fatal(err)
		}
		shown := ""
		texts, _ := commandtest.Texts(t, svg)
		for _, text := range texts {
			shown += text.Text + "\n"
		}
		for _, want := range c.wants {
			curve, ok := strings.CutPrefix(strings.TrimSpace(want), "a ")
			curve, _, _ = strings.Cut(curve, ", ")
			if ok && !strings.Contains(shown, curve) {
				t.Errorf("%s: no curve %s in %s", c.flags, curve, shown)
			}
		}
	}
}

// A figure says which proofs are published, and how many points it leaves out.
func TestListFiguresDoNotMislead(t *testing.T) {
	t.Chdir(t.TempDir())
	const both = "filled markers: derived in dpcalc or checked by Coq; hollow markers: published"
	const base = "pvalue-correct --alpha 0.05 --by pure-dp --samples 10k --epsilon "
	for command, want := range map[string]string{
		base + "0.001:0.1:log20":                      "not drawn, outside 1e-300 to 1e300: 2 points of max-info-any",
		base + "0.001,0.01":                           both,
		base + "0.001,0.01 --method renyi":            "checked by Coq",
		base + "0.001,0.01 --method max-info-dwork15": "published; hollow markers",
		base + "0.001,0.01,0.02 --alpha 0.05,0.01":    "checked by Coq",
	} {
		code, _, stderr := commandtest.Dpcalc(append(withoutRepeats(command), "-o", "x.svg")...)
		svg, err := os.ReadFile("x.svg")
		if code != usage.ExitOK || stderr != "" || err != nil {
			t.Fatalf("%s: exit %d, %s, %v", command, code, stderr, err)
		}
		texts, _ := commandtest.Texts(t, svg)
		found := false
		for _, text := range texts {
			found = found || text.Text == want
		}
		if !found {
			t.Errorf("%s: no %q in %v", command, want, texts)
		}
	}
	_, out, _ := commandtest.Dpcalc(strings.Fields(base + "0.001:0.1:log20 --plot")...)
	if want := "\nnot drawn, outside 1e-300 to 1e300: 2 points of max-info-any\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}

// withoutRepeats are the words of a command whose last flag of a name counts.
func withoutRepeats(command string) (args []string) {
	words := strings.Fields(command)
	for i := 0; i < len(words); i++ {
		if strings.HasPrefix(words[i], "--") && strings.Contains(strings.Join(words[i+1:], " ")+" ", words[i]+" ") {
			i++ // given again
			continue
		}
		args = append(args, words[i])
	}
	return args
}

// Lists and drawings that make no sense are one line and exit 2, and leave no file; a list without an answer is exit 3.
func TestSenselessLists(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("p.csv", []byte("p\n0.01\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const by = "pvalue-correct --by description "
	for command, says := range map[string]string{
		by + "--alpha 0.05 --outcomes 2,3 p.csv":                                     "--outcomes: got a list with p.csv, want one value",
		by + "--alpha 0.05,0.1 --outcomes 2 p.csv":                                   "--alpha: got a list with p.csv, want one value",
		by + "--alpha 0.05 --outcomes 2,x":                                           "--outcomes: got x, want a whole number from 1 to",
		by + "--alpha 0.05 --outcomes 9:2:1":                                         "--outcomes: got 9:2:1, want a range that ascends",
		by + "--alpha 0.05,1 --outcomes 2":                                           "--alpha: got 1, want a probability in (0, 1)",
		by + "--alpha 0,05 --outcomes 2":                                             "--alpha: got 0,05, want",
		by + "--level 0.9,1 --outcomes 2":                                            "--level: got 1, want a number in (0, 1)",
		by + "--level 0.9:0.95:log3 --outcomes 2":                                    "--level: got 0.9:0.95:log3, want a list or LOW:HIGH:STEP",
		by + "--alpha 0.05 --outcomes 2 --p 0.1,2":                                   "--p: got 2, want a probability in [0, 1]",
		by + "--alpha 0.05 --outcomes 2,4 --survives 0.1":                            "--survives: got everything, want one of",
		by + "--alpha 0.05 --survives 0.1,1.1":                                       "--survives: got 1.1, want a probability",
		by + "--alpha 0.05 --outcomes 2,4 --family holm":                             "--outcomes: got a list with --family, want one value",
		by + "--alpha 0.05 --outcomes 2,4 --method no":                               "--method: got no, want bonferroni for this source",
		by + "--alpha 0.05 --outcomes 2 --wins 0,1 --losses 0,1":                     "--wins: got 0 with --losses 0, want a pair that does not agree",
		by + "--alpha 0.05 --outcomes 2 --losses 0:2:1 --p 0.1":                      "--losses: given with --p, want one of the two",
		by + "--alpha 0.05 --outcomes 1:2000000:1":                                   "--max-rows: got 2000000 combinations, want at most 1000000",
		by + "--alpha 0.05 --outcomes 1,2,3 --max-rows 2":                            "--max-rows: got 3 combinations, want at most 2",
		by + "--alpha 0.05 --outcomes 2 --max-rows 2":                                "--max-rows: given without a list",
		by + "--alpha 0.05 --outcomes 2 --plot":                                      "plot: got no list, want a list or range",
		by + "--alpha 0.05 --outcomes 2 -o x.svg":                                    "plot: got no list, want a list or range",
		by + "--alpha 0.05 --outcomes 2 p.csv -o x.png":                              "plot: got p.csv, want a list or range",
		by + "--alpha 0.05 --outcomes 2 p.csv --plot":                                "plot: got p.csv, want a list or range",
		by + "--alpha 0.05 --outcomes 2,3 --plot -f csv":                             "--plot: got the format csv, want none",
		by + "--alpha 0.05,0.1 --outcomes 2,3 --p 0.1,0.2 --plot":                    "plot: got 3 lists, want one or two",
		by + "--alpha 0.01:0.2:0.01 --outcomes 1:20:1 --plot":                        "plot: got 20 curves, want at most 12",
		by + "--alpha 1e-400,0.1 --outcomes 2 --plot":                                "plot: got --alpha 1e-400, want a value that an axis can show",
		by + "--alpha 0.05 --outcomes 2^2000,3 --plot":                               "plot: got --outcomes 2^2000, want a value that an axis can show",
		"pvalue-correct --by pure-dp --alpha 0.05 --epsilon 0,1 -n 9":                "--epsilon: got 0, want a positive number",
		"pvalue-correct --by gaussian --alpha 0.05 -m 2 -n 9 --noise-sd 1,1e-200":    "--noise-sd: got 1e-200, want a number in [1e-150, 1e150]",
		"pvalue-correct --by pure-dp --alpha 0.05 --epsilon 1 -n 20,500":             `--samples: got 20,500, want 20500, or "20, 500"`,
		"pvalue-correct --by steps --alpha 0.05,0.1 --step description:outcomes=2,3": "--step description: got 3, want key=value",
	} {
		for _, way := range [][]string{nil, {"-o", "x.json"}, {"-o", "x.xlsx"}} {
			if strings.Contains(command, "plot") || strings.Contains(command, "-o") {
				way = nil
			}
			code, out, stderr := commandtest.Dpcalc(append(strings.Fields(command), way...)...)
			if !commandtest.Refused(code, out, stderr, says) {
				t.Errorf("%s %v: exit %d, %s%s", command, way, code, out, stderr)
			}
			if left := commandtest.Files(t, dir); len(left) != 1 {
				t.Errorf("%s: files %v", command, left)
			}
		}
	}
	for _, way := range []string{"-f json", "-f csv", "--plot", "-o x.svg", "-o x.xlsx"} {
		command := "pvalue-correct --by max-info --alpha 0.05,0.01 --bits 1 --slack 0.1 " + way
		if code, _, stderr := commandtest.Dpcalc(strings.Fields(command)...); code != usage.ExitNoAnswer {
			t.Errorf("%s: exit %d, %s", command, code, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x.svg")); err == nil {
		t.Error("a figure of nothing")
	}
}

// The least wins against no loss that pass a gate at alpha = 0.05, and against some: the binomial tail that they reach
// is at most the threshold, and with one win less the tail is above it.
func TestCleanWins(t *testing.T) {
	for _, c := range []struct{ looks, passes, wins int }{
		{20, 1, 9}, {20, 3, 15}, {20, 20, 24}, {32, 1, 10}, {32, 5, 22}, {100, 1, 11}, {100, 5, 31}, {100, 10, 49},
		{1000, 1, 15}, {1000, 10, 83},
	} {
		row := commandtest.RowsOf(t, strings.Fields(fmt.Sprintf(
			"pvalue-correct --by gates --alpha 0.05 --looks %d --passes %d --losses 0", c.looks, c.passes))...)[0]
		if row["wins_needed"] != float64(c.wins) || row["losses"] != 0.0 {
			t.Errorf("%d looks, %d passes: %v wins, want %d", c.looks, c.passes, row["wins_needed"], c.wins)
		}
	}
	for _, row := range commandtest.RowsOf(t,
		strings.Fields("pvalue-correct --by gates --alpha 0.05 --looks 20 --passes 3 --losses 0:40:4")...) {
		w, l := row["wins_needed"].(float64), row["losses"].(float64)
		for less := range 2 {
			ask := fmt.Sprintf("pvalue-correct --by gates --alpha 0.05 --looks 20 --passes 3 --wins %v --losses %v",
				w-float64(less), l)
			if got := commandtest.RowsOf(t, strings.Fields(ask)...)[0]; got["reject"] != (less == 0) {
				t.Errorf("%s: reject %v", ask, got["reject"])
			}
		}
	}
	code, out, _ := commandtest.Dpcalc(strings.Fields(
		"pvalue-correct --by max-info --alpha 0.05 --bits 1 --slack 0.1 --losses 3 -f jsonl")...)
	if row := lines(t, out)[0]; code != usage.ExitNoAnswer || row["wins_needed"] != nil {
		t.Errorf("exit %d, %v without a threshold", code, row)
	}
}

// A row says coq where Coq checks p-values: not for intervals behind a gate, nor after privacy is converted. What is
// published stays among the published methods.
func TestRowsInCoq(t *testing.T) {
	const pure = "pvalue-correct --by pure-dp --epsilon 0.01 -n 1000 "
	for command, want := range map[string]string{
		"pvalue-correct --by description --outcomes 20 --alpha 0.05":                    "bonferroni,coq",
		"pvalue-correct --by description --outcomes 20 --alpha 0.05 --proofs published": "bonferroni,coq",
		"pvalue-correct --by description --outcomes 20 --level 0.99":                    "bonferroni,coq",
		"pvalue-correct --by description --survives 0.001 --alpha 0.05":                 "bonferroni,coq",
		"pvalue-correct --by gates --looks 20 --alpha 0.05":                             "gates,coq",
		"pvalue-correct --by gates --looks 20 --level 0.999999":                         "gates,derived",
		pure + "--alpha 0.05 --method renyi":                                            "renyi,coq",
		pure + "--alpha 0.05 --proofs published,coq":                                    "max-info-any,published max-info-dwork15,published renyi,coq",
		pure + "--alpha 0.05 --method renyi --neighbours add-remove":                    "renyi,derived",
		pure + "--alpha 0.05 --proofs published,coq --neighbours add-remove":            "max-info-any,published max-info-dwork15,published",
		"pvalue-correct --by zcdp --rho 1e-6 -n 1000 --alpha 0.05 --method group":       "group,published",
	} {
		code, out, stderr := commandtest.Dpcalc(append(strings.Fields(command), "-f", "csv")...)
		if code != usage.ExitOK && code != usage.ExitNoAnswer {
			t.Fatalf("%s: exit %d, %s", command, code, stderr)
		}
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		method, proof := slices.Index(rows[0], "method"), slices.Index(rows[0], "proof")
		var got []string
		for _, r := range rows[1:] {
			got = append(got, r[method]+","+r[proof])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", command, got, want)
		}
	}
}
