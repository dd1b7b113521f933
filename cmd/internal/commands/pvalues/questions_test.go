package pvalues

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// starred is the row of the best method.
func starred(t *testing.T, command string) map[string]any {
	t.Helper()
	rows := commandtest.RowsOf(t, append([]string{"pvalue-correct"}, strings.Fields(command)...)...)
	i := slices.IndexFunc(rows, func(row map[string]any) bool { return row["best"] == true })
	if i < 0 {
		t.Fatalf("%s: no best of %v", command, rows)
	}
	return rows[i]
}

// The thresholds of plans in every order, at alpha = 0.05 and 10,000 rows.
func TestOrdersOnTheCommandLine(t *testing.T) {
	for _, c := range []struct {
		steps string
		want  float64
	}{
		{"description:outcomes=10 pure-dp:epsilon=0.005", 0.00214765},
		{"pure-dp:epsilon=0.005 description:outcomes=10", 0.00262807},
		{"description:outcomes=10 gdp:mu=0.001", 0.00124811},
		{"mutual-info:bits=0.1 description:outcomes=20", 2.60449e-4},
		{"approx-dp:epsilon=0.005,delta=1e-7 description:outcomes=50", 2.47132e-4},
		{"max-info:bits=1,slack=0.01 description:outcomes=10", 0.002},
		{"pure-dp:epsilon=0.005 gaussian:queries=10,noise-sd=0.05", 0.01089},
	} {
		command := "--alpha 0.05 --by steps -n 10k --step " + strings.ReplaceAll(c.steps, " ", " --step ")
		row := starred(t, command)
		got := row["threshold"].(float64)
		if math.Abs(got-c.want) > 1e-4*c.want {
			t.Errorf("%s: %v, want %v", c.steps, got, c.want)
		}
		if level := row["confidence"].(float64); level < 1-got || level > 1-got+1e-12 {
			t.Errorf("%s: confidence %v of the threshold %v", c.steps, level, got)
		}
	}
}

// What is found backwards leaves the threshold that was asked for, and a little more of it does not.
func TestBackwards(t *testing.T) {
	for _, c := range []struct {
		source, unknown string
		harder          float64 // a factor
	}{
		{"--by pure-dp -n 10k", "epsilon", 1.001}, {"--by pure-dp --epsilon 0.01", "samples", 1.01},
		{"--by approx-dp -n 10k --epsilon 0.001", "delta", 1.01}, {"--by approx-dp -n 10k --delta 1e-9", "epsilon", 1.001},
		{"--by gdp -n 10k", "mu", 1.001}, {"--by zcdp -n 10k", "rho", 1.001},
		{"--by gaussian -n 10k --noise-sd 0.05", "queries", 1.2}, {"--by gaussian -n 10k -m 10", "noise-sd", 0.999},
		{"--by description", "outcomes", 1.3}, {"--by gates --passes 2", "looks", 1.4}, {"--by gates --looks 4", "passes", 2},
		{"--by gates --passes 1", "looks", 1.3}, {"--by gates --passes 3", "looks", 1.3},
		{"--by mutual-info", "bits", 1.001}, {"--by max-info", "bits", 1.001},
		{"--by steps --step pure-dp:epsilon=0.01", "samples", 1.01},
		{"--by pure-dp -n 10k --neighbours add-remove", "epsilon", 1.001},
	} {
		for _, ask := range []string{"--target-threshold", "--survives"} {
			found := starred(t, "--alpha 0.05 "+c.source+" "+ask+" 0.01")
			column := strings.ReplaceAll(c.unknown, "-", "_")
			x, ok := found[column].(float64)
			if !ok || found["target_threshold"] != 0.01 {
				t.Errorf("%s: %v", c.source, found)
				continue
			}
			for factor := range 2 {
				value := x
				if factor == 1 {
					if value *= c.harder; slices.Contains([]string{"queries", "outcomes", "looks", "samples", "passes"}, c.unknown) {
						value = math.Ceil(value)
					}
				}
				text := strconv.FormatFloat(value, 'g', -1, 64)
				got := starred(t, "--alpha 0.05 "+c.source+" --"+c.unknown+" "+text)["threshold"].(float64)
				if (got >= 0.01*(1-1e-9)) != (factor == 0) {
					t.Errorf("%s --%s %s: threshold %v", c.source, c.unknown, text, got)
				}
			}
		}
	}
}

// A number that was left out is found with everything else as it was typed, for every source and each of its flags:
// typed back it leaves the threshold, and the next one does not.
func TestEveryFlagOfASourceIsKept(t *testing.T) {
	r := rand.New(rand.NewPCG(301, 302))
	amount := func(lo, hi float64) string {
		return strconv.FormatFloat(lo*math.Pow(hi/lo, r.Float64()), 'g', 3, 64)
	}
	count := func(hi float64) string { return strconv.Itoa(int(math.Pow(hi, r.Float64()))) }
	type flag struct {
		name   string
		value  string
		whole  bool
		raises bool
	}
	sources := map[string]func() []flag{
		"pure-dp": func() []flag {
			return []flag{{"epsilon", amount(1e-4, 0.1), false, false}, {"samples", count(1e5), true, false}}
		},
		"approx-dp": func() []flag {
			return []flag{{"epsilon", amount(1e-4, 0.01), false, false}, {"delta", amount(1e-15, 1e-9), false, false}}
		},
		"gdp": func() []flag {
			return []flag{{"mu", amount(1e-4, 0.1), false, false}, {"samples", count(1e5), true, false}}
		},
		"zcdp": func() []flag {
			return []flag{{"rho", amount(1e-8, 1e-3), false, false}, {"samples", count(1e5), true, false}}
		},
		"gaussian": func() []flag {
			return []flag{{"queries", count(100), true, false}, {"noise-sd", amount(0.01, 1), false, true}}
		},
		"description": func() []flag { return []flag{{"outcomes", count(1000), true, false}} },
		"gates": func() []flag {
			passes := 1 + r.IntN(12)
			looks := passes + r.IntN(30)
			return []flag{{"looks", strconv.Itoa(looks), true, false}, {"passes", strconv.Itoa(passes), true, false}}
		},
		"mutual-info": func() []flag { return []flag{{"bits", amount(1e-4, 1), false, false}} },
		"max-info": func() []flag {
			return []flag{{"bits", amount(1e-2, 10), false, false}, {"slack", amount(1e-9, 1e-3), false, false}}
		},
	}
	fixed := map[string]string{"approx-dp": " -n 10000", "gaussian": " -n 10000"}
	found := 0
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		for range 8 {
			flags := sources[source]()
			for i, left := range flags {
				if left.name == "slack" { // has a default
					continue
				}
				base := "--alpha 0.05 --by " + source + fixed[source]
				for j, other := range flags {
					if j != i {
						base += " --" + other.name + " " + other.value
					}
				}
				target := amount(1e-6, 0.04)
				rows := commandtest.RowsOf(t, strings.Fields("pvalue-correct "+base+" --survives "+target)...)
				wanted, _ := strconv.ParseFloat(target, 64)
				for _, row := range rows {
					value, ok := row[strings.ReplaceAll(left.name, "-", "_")].(float64)
					if !ok || row["reason"] != nil { // every number will do
						continue
					}
					found++
					beyond := value * (1 + 1e-5)
					switch {
					case left.whole:
						beyond = value + 1
					case left.raises:
						beyond = value * (1 - 1e-5)
					}
					for k, x := range []float64{value, beyond} {
						text := strconv.FormatFloat(x, 'f', -1, 64)
						again := fmt.Sprintf("%s --%s %s --method %s", base, left.name, text, row["method"])
						code, out, stderr := commandtest.Dpcalc(strings.Fields("pvalue-correct -f jsonl " + again)...)
						var threshold float64
						if code == 0 {
							threshold, _ = lines(t, out)[0]["threshold"].(float64)
						}
						if (threshold >= wanted*(1-1e-12)) != (k == 0) {
							t.Errorf("%s: threshold %v, exit %d %s, want %s to survive up to %v", again, threshold, code, stderr, target,
								value)
						}
					}
				}
			}
		}
	}
	if found < 150 {
		t.Errorf("%d were found", found)
	}
}

// What people read serves too: typed back it leaves the threshold.
func TestBackwardsLegible(t *testing.T) {
	for source, unknown := range map[string]string{
		"--by pure-dp -n 10k": "epsilon", "--by gaussian -n 10k -m 10": "noise-sd", "--by max-info": "bits",
		"--by approx-dp -n 10k --epsilon 0.001": "delta",
	} {
		for _, target := range []string{"0.01", "0.013", "0.007", "0.02"} {
			_, out, _ := commandtest.Dpcalc(strings.Fields("pvalue-correct --alpha 0.05 " + source + " --survives " + target)...)
			for line := range strings.Lines(out) {
				cells := strings.Fields(line)
				if len(cells) < 5 || cells[0] != "*" || strings.HasSuffix(cells[1], ",") {
					continue
				}
				wanted, _ := strconv.ParseFloat(target, 64)
				again := "--alpha 0.05 " + source + " --" + unknown + " " + cells[2] + " --method " + cells[1]
				if got := starred(t, again)["threshold"].(float64); got < wanted*(1-1e-12) {
					t.Errorf("%s: %v, below %s", again, got, target)
				}
			}
		}
	}
}

// A row without a value has no other number either.
func TestBackwardsWithoutAnAnswer(t *testing.T) {
	code, out, _ := commandtest.Dpcalc(strings.Fields(
		"pvalue-correct --alpha 0.05 --by gates --looks 50 --target-threshold 0.04 -f jsonl")...)
	many, _, _ := commandtest.Dpcalc(strings.Fields(
		"pvalue-correct --alpha 0.05 --by gates --passes 9007199254740992 --survives 0.001")...)
	if many != usage.ExitNoAnswer {
		t.Errorf("more passes than 6 looks: exit %d", many)
	}
	row := lines(t, out)[0]
	if code != usage.ExitNoAnswer || row["status"] != "infeasible" ||
		row["threshold"] != nil || row["confidence"] != nil || row["passes"] != nil {
		t.Errorf("exit %d, %v", code, row)
	}
}

// A level that no float64 tells from one is a decimal for machines, with all its digits, and one minus a decimal
// for people.
func TestLevelNextToOne(t *testing.T) {
	base := "pvalue-correct --alpha 0.05 --by pure-dp --epsilon 0.01 --samples 10k --method max-info-any"
	_, text, _ := commandtest.Dpcalc(strings.Fields(base)...)
	if want := "confidence 1-1.86e-45\n"; !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
	level := "0." + strings.Repeat("9", 44) + "8139962011997683"
	for _, format := range []string{"json", "jsonl", "csv", "tsv"} {
		_, text, _ := commandtest.Dpcalc(strings.Fields(base + " -f " + format)...)
		if !strings.Contains(text, level) || strings.Contains(text, `"`+level) {
			t.Errorf("%s: %s is no number in\n%s", format, level, text)
		}
	}
	for _, steps := range []string{base, "pvalue-correct --alpha 0.05 --by mutual-info --bits 4000",
		"pvalue-correct --alpha 1e-4343 --by description --outcomes 3",
		"pvalue-correct --by description --outcomes 3 --level 0.9,1-1e-20"} {
		for _, row := range commandtest.RowsOf(t, strings.Fields(steps)...) {
			if level, ok := row["confidence"].(float64); !ok || level < 0.9 || level > 1 {
				t.Errorf("%s, %v: confidence %v", steps, row["method"], row["confidence"])
			}
		}
	}
}

// The alpha of a level is the one whose intervals have that level.
func TestLevels(t *testing.T) {
	for _, source := range []string{"--by pure-dp -n 10k --epsilon 0.01", "--by description --outcomes 20",
		"--by gates --looks 6 --passes 2", "--by steps -n 10k --step description:outcomes=2 --step gates:looks=3"} {
		for _, level := range []string{"0.999", "99.5%", "1-1e-20"} {
			row := starred(t, source+" --level "+level)
			alpha := strconv.FormatFloat(row["alpha"].(float64)*(1+1e-9), 'g', -1, 64)
			back := commandtest.RowsOf(t, strings.Fields("pvalue-correct "+source+" --alpha "+alpha+" --method "+
				row["method"].(string))...)[0]
			at, _ := row["confidence"].(float64)
			got, _ := back["confidence"].(float64)
			if got > at || got < at-1e-6 {
				t.Errorf("%s: level %s at alpha %s, whose level is %v", source, level, alpha, back["confidence"])
			}
		}
	}
	rows := commandtest.RowsOf(t, strings.Fields("pvalue-correct --by pure-dp -n 10k --epsilon 0.01 --level 0.99 --method kl")...)
	if len(rows) != 1 || rows[0]["method"] != "kl" || rows[0]["best"] != true {
		t.Errorf("%v", rows)
	}
}

// Questions that make no sense are one line and exit 2, whether they are asked for one point or for a list.
func TestSenselessQuestions(t *testing.T) {
	for command, says := range map[string]string{
		"--by rdp": "--by: got rdp, want pure-dp",
		"--by steps -n 9 --step rdp:order=1,epsilon=1":               "--step rdp: order: got 1, want a number above 1",
		"--by steps -n 9 --step rdp:order=0.5,epsilon=1":             "--step rdp: order: got 0.5, want a number above 1",
		"--by steps -n 9 --step rdp:order=NaN,epsilon=1":             "--step rdp: order: got NaN, want a number above 1",
		"--by steps -n 9 --step rdp:order=2,epsilon=-1":              "--step rdp: epsilon: got -1, want a number of at least 0",
		"--by steps -n 9 --step rdp:order=2,epsilon=1;order=3":       "--step rdp: got 2 orders and 1 epsilons",
		"--by steps --step gates:looks=3,passes=0":                   "passes: got 0, want a whole number from 1",
		"--by steps -n 9 --step zcdp:rho=0":                          "--step zcdp: rho: got 0, want a positive number",
		"--by zcdp --rho -1 -n 9":                                    "--rho: got -1, want a positive number",
		"--by zcdp --rho 1":                                          "--samples: got nothing, want a value",
		"--by gates --looks 0":                                       "--looks: got 0, want a whole number from 1",
		"--by gates --looks 3 --passes 4":                            "--passes: got 4, want a whole number from 1 to the number",
		"--by gates --passes 4":                                      "--looks: got nothing, want a value",
		"--by description --outcomes 2 --wins 0 --losses 0":          "--wins: got 0 with --losses 0, want a pair that does",
		"--by description --outcomes 2 --wins 3":                     "--losses: got nothing, want a value to go with --wins",
		"--by description --outcomes 2 --wins -3 --losses 1":         "--wins: got -3, want a whole number from 0",
		"--by description --outcomes 2 --wins 1 --losses 1.5":        "--losses: got 1.5, want a whole number from 0",
		"--by description --outcomes 2 --wins 1 --losses 2 --p 0.1":  "--wins: given with --p, want one of the two",
		"--by description --outcomes 2 --losses 2 --p 0.1":           "--losses: given with --p, want one of the two",
		"--by pure-dp --survives 0.01":                               "--survives: got nothing for --epsilon and --samples",
		"--by approx-dp -n 9 --target-threshold 0.01":                "got nothing for --epsilon and --delta, want one of",
		"--by pure-dp -n 9 --epsilon 1 --survives 0.01":              "--survives: got everything, want one of the numbers",
		"--by steps -n 9 --step pure-dp:epsilon=1 --survives 0.01":   "--survives: got everything, want one of the numbers",
		"--by pure-dp -n 9 --target-threshold 0":                     "--target-threshold: got 0, want a probability in (0, 1)",
		"--by pure-dp -n 9 --survives 1":                             "--survives: got 1, want a probability in (0, 1)",
		"--by pure-dp -n 9 --target-threshold 0.1 --survives 0.2":    "--target-threshold: given with --survives, want one",
		"--by pure-dp -n 9 --target-threshold 0.1 --p 0.2":           "--target-threshold: given with --p, want one of the two",
		"--by pure-dp -n 9 --survives 0.1 --losses 2":                "--survives: given with --losses, want one of the two",
		"--by pure-dp -n 9 --epsilon 1 --level 0.9":                  "--level: given with --alpha, want one of the two",
		"--by gaussian --noise-sd 1 -m 2 --survives 0.1 --epsilon 1": "--epsilon: given with --by gaussian",
	} {
		code, out, stderr := commandtest.Dpcalc(append([]string{"pvalue-correct", "--alpha", "0.05"},
			strings.Fields(command)...)...)
		if !commandtest.Refused(code, out, stderr, says) {
			t.Errorf("%s: exit %d, %s%s", command, code, out, stderr)
		}
	}
	const by = "pvalue-correct --by description --outcomes 2 "
	for command, says := range map[string]string{
		by + "--level 0":                                    "--level: got 0, want a number in (0, 1)",
		by + "--level 100%":                                 "--level: got 100%, want a number in (0, 1)",
		by + "--level 1.5":                                  "--level: got 1.5, want a number in (0, 1)",
		by + "--level NaN":                                  "--level: got NaN, want a number in (0, 1)",
		by + "--level -0.5":                                 "--level: got -0.5, want a number in (0, 1)",
		by + "--level 0.9 --p 0.1":                          "--level: given with --p, want one of the two",
		by + "--level 0.9 --survives 0.1":                   "--level: given with --survives, want one of the two",
		by + "--level 0.9 --method no":                      "--method: got no, want bonferroni for this source",
		by + "--level 0.9 p.csv":                            "--level: given with p.csv, want one of the two",
		by + "--alpha 0.1 --e-column e":                     "--e-column: got e without a FILE",
		by + "--alpha 0.1 --losses 2 -":                     "--losses: given with -, want one of the two",
		by + "--alpha 0.1 --wins 1 --losses 2 -":            "--p: given with -, want one of the two",
		by + "--alpha 0.1 --e-column e --p-column e -":      "--e-column: given with --p-column, want one of the two",
		by + "--alpha 0.1 --wins 10000000000000 --losses 3": "wins: got 10000000000000, want a whole number from 0 to",
		by + "--alpha 0.1 --outcomes 3":                     "--outcomes: given twice",
		"pvalue-correct --by steps --alpha 0.1 --step gates:looks=2,passes=3": "passes: got 3, want a whole number from 1",
	} {
		code, out, stderr := commandtest.DpcalcReading("e\n1\n", strings.Fields(command)...)
		if !commandtest.Refused(code, out, stderr, says) {
			t.Errorf("%s: exit %d, %s%s", command, code, out, stderr)
		}
	}
	for _, e := range []string{"-1", "-1e-400", "1/2", "x", "0x10", "1_0", "-inf"} {
		code, out, stderr := commandtest.DpcalcReading("e\n5\n"+e+"\n",
			strings.Fields("pvalue-correct - --alpha 0.05 --by description --outcomes 2 --e-column e")...)
		if !commandtest.Refused(code, out, stderr, "line 3: e: got "+e+", want an e-value, a number of at least 0") {
			t.Errorf("e-value %s: exit %d, %s%s", e, code, out, stderr)
		}
	}
}

// Where nothing is left the row says at which step, and the exit code is 3.
func TestStepToBlame(t *testing.T) {
	for steps, says := range map[string]string{
		"pure-dp:epsilon=0.001 max-info:bits=1,slack=0.3":                       "step 2, max-info:bits=1,slack=0.3, leaves no threshold",
		"max-info:bits=1,slack=0.3 pure-dp:epsilon=0.001":                       "step 1, max-info:bits=1,slack=0.3, leaves no threshold",
		"description:outcomes=9 approx-dp:epsilon=0.1,delta=0.01 gates:looks=3": "step 2, approx-dp:epsilon=0.1,delta=0.01",
	} {
		command := "pvalue-correct --alpha 0.05 --by steps -n 1000 -f jsonl --step " +
			strings.ReplaceAll(steps, " ", " --step ")
		code, out, stderr := commandtest.Dpcalc(strings.Fields(command)...)
		if code != usage.ExitNoAnswer || stderr != "" {
			t.Errorf("%s: exit %d, %s", steps, code, stderr)
		}
		for _, row := range lines(t, out) {
			if reason := fmt.Sprint(row["reason"]); row["status"] == "ok" || !strings.Contains(reason, says) {
				t.Errorf("%s: %s is %v: %s", steps, row["method"], row["status"], reason)
			}
		}
	}
}

// A table has every source of a single p-value, e-values among them: its rows are the rows of the values one by one.
func TestTableOfEverySource(t *testing.T) {
	ps := []string{"1e-7", "0.0001", "0.003", "1e-400", "0", "1"}
	for _, source := range []string{
		"--by gates --looks 20 --passes 3", "--by gates --looks 20", "--by zcdp -n 10k --rho 1e-7",
		"--by steps -n 10k --step description:outcomes=10 --step pure-dp:epsilon=0.005",
		"--by steps -n 10k --step gates:looks=3 --step rdp:order=8,epsilon=1e-6;order=32,epsilon=4e-6",
		"--by steps -n 10k --step mutual-info:bits=0.001 --step zcdp:rho=1e-8 --neighbours add-remove",
	} {
		out, _ := corrected(t, 2, "p\n"+strings.Join(ps, "\n")+"\n",
			append(strings.Fields(source), "-f", "jsonl")...)
		got := lines(t, out)
		for i, p := range ps {
			want := starred(t, "--alpha 0.05 "+source+" --p "+p)
			for _, column := range []string{"p_adjusted", "threshold", "reject", "status"} {
				if fmt.Sprint(got[i][column]) != fmt.Sprint(want[column]) && !nearly(got[i][column], want[column]) {
					t.Errorf("%s, p %s: %s is %v in a table, %v alone", source, p, column, got[i][column], want[column])
				}
			}
		}
	}
	// Of e = 2^k the p-value is 2^-k.
	es, same := "e\n", "p\n"
	for k := range 40 {
		es += fmt.Sprintf("%d\n", 1<<k)
		same += strconv.FormatFloat(math.Ldexp(1, -k), 'g', -1, 64) + "\n"
	}
	for _, family := range []string{"none", "holm", "by"} {
		args := []string{"--by", "gates", "--looks", "20", "--passes", "2", "--family", family, "-f", "jsonl"}
		out, _ := corrected(t, 2, es, append(args, "--e-column", "e")...)
		got := lines(t, out)
		out, _ = corrected(t, 2, same, args...)
		for k, want := range lines(t, out) {
			if got[k]["reject"] != want["reject"] || !nearly(got[k]["p_adjusted"], want["p_adjusted"]) {
				t.Errorf("%s, e 2^%d: %v, want %v", family, k, got[k], want)
			}
		}
		if got[39]["reject"] != true || got[0]["reject"] != false {
			t.Errorf("%s: %v", family, got)
		}
	}
}
