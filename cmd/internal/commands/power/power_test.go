package power

import (
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

func init() { commandtest.Offer(Command()) }

// There is a row for each gate, of tests one for each theorem.
func TestRows(t *testing.T) {
	const plan = "-n 500 -m 50 --disagreement 0.15 "
	for line, want := range map[string][]string{
		plan + "--effect 0.05 --test sign":                                     {"gates,exact test,", "gates,e-value,"},
		plan + "--effect 0.05 --test mcnemar --open":                           {"gates,exact test,", "gates,e-value,", "open-gate,exact test,", "open-gate,e-value,"},
		plan + "--effect 0.05 --query difference":                              {"gate,,"},
		"-n 500 -m 5 --confidence 95% --bar 0.8 --power 0.8 --query binary":    {"gate,,"},
		"-m 5 -b 5% --threshold 0.8 --power 0.8 --effect 0.05 --open":          {"gate,,", "open-gate,,"},
		"--rows 500:900:400 --looks 5 -b 5% --threshold 0.8 --effect 0.05":     {"gate,,", "gate,,"},
		"-n 500:900:400 -m 5,9 -b 5% --threshold 0.8 --effect 0.05 --zip":      {"gate,,500", "gate,,900"},
		"-n 5 -m 5 -b 5% --threshold 0.9 --effect 0.05 --query binary":         {"gate,,5,,5,1,0.05,0.9,,,,,0.05,,,infeasible,no score can pass"},
		"-n 500 -m 5 -b 5% --threshold 0.8 --effect 0.05 --one-sided":          {"gate,,"},
		"-m 1 --threshold 0.6 --query binary --effect 0.2,0.3 --power 0.8,0.9": {"gate,,39", "gate,,51", "gate,,17", "gate,,21"},
	} {
		code, out, said := commandtest.Dpcalc(append([]string{"power", "-f", "csv"}, strings.Fields(line)...)...)
		rows := strings.Split(strings.TrimSpace(out), "\n")[1:]
		if len(rows) != len(want) {
			t.Errorf("%s: exit %d, got %v%s", line, code, rows, said)
			continue
		}
		for i, row := range rows {
			if !strings.HasPrefix(row, want[i]) {
				t.Errorf("%s: got %s, want %s", line, row, want[i])
			}
		}
	}
}

// What makes no sense is refused in one line.
func TestRefusals(t *testing.T) {
	const gate = "-n 50 -m 5 --threshold .5 "
	for line, want := range map[string]string{
		"--effect .02":                                                     "power: got one or none of --samples, --effect and --power",
		gate + "--effect .1 --power .5":                                    "power: got --samples, --effect and --power",
		"-n 50 --effect .1 -m 5":                                           "--threshold: got nothing, want the bar",
		"-n 50 --effect .1 --threshold .5":                                 "--queries: got nothing, want a number of looks",
		"-n 50 --effect .1 -m 5 --test sign":                               "--disagreement: got nothing",
		"-n 50 --effect .1 -m 5 --test sign --disagreement .05":            "--effect: got 0.1, want a number in (0, 0.05]",
		"-m 5 --test sign --disagreement .2 --clusters 9x5 --effect .1":    "--clusters: got a test",
		"-m 5 --threshold .5 --query binary --clusters 9x5 --effect .1":    "--query: got binary with --clusters",
		"-m 5 --threshold .5 --effect .1 --power .4":                       "--power: got 0.4, want a probability in [0.5, 1)",
		gate + "--effect .1 --tau .1":                                      "power: unknown flag --tau",
		gate + "--effect .1 --feedback best":                               "power: unknown flag --feedback",
		gate + "--effect .1 --test none":                                   "--test: got none",
		gate + "--power 1":                                                 "--power: got 1, want a probability",
		gate + "--effect .1 --passes 9":                                    "--passes: got 9, want at most",
		gate + "--effect .1 -b 5% --confidence 95%":                        "--confidence: given with --beta",
		gate + "--effect .1 -o x.svg":                                      "--output: got no list",
		gate + "--effect .1 --positives 10%":                               "--positives: got it without a ratio",
		gate + "--effect .1 --query f1":                                    "--positives: got nothing, want the share of the rows",
		gate + "--effect .1 --query jaccard --positives 1":                 "--positives: got 1, want a share of the rows in (0, 1)",
		gate + "--effect .1,.2 --power .5,.6 -o x.svg":                     "power: got --samples, --effect and --power",
		"-n 50,60 --effect .1,.2 -m 5 --threshold .5 -o x.svg":             "--output: got lists of --samples and --effect",
		"-n 50 --effect .1 -m 5 -b .05,.1 --threshold .5 -o x.svg":         "--output: got lists of --beta, want",
		"-n 1:100:1 --effect .1:.2:.001 -m 5 --threshold .5 --max-rows 99": "--max-rows: got",
	} {
		code, out, said := commandtest.Dpcalc(append([]string{"power"}, strings.Fields(line)...)...)
		if code != usage.ExitUsage || out != "" || !strings.Contains(said, want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: exit %d, got %s%s, want %s", line, code, out, said, want)
		}
	}
}

// The title and the inputs say what was taken for what was not given, and the notes what is exact and what is taken for
// granted.
func TestSaid(t *testing.T) {
	for line, want := range map[string][]string{
		"-n 500 -m 50 --test sign --effect 0.05 --disagreement 0.15,0.2":       {"beta 0.05 (the default), 1 pass (the default)", "on the share disagreement of them"},
		"-n 2000 -m 50 --effect 0.1 --threshold 0.8 --query f1 --positives .1": {"f1, beta 0.05 (the default)", "rows that are predicted positive are alike"},
		"-n 500 -m 50 -b 1% --passes 3 --effect 0.05 --threshold 0.7":          {"How probably a better model passes, approximately method", "values vary as 0 and 1 do"},
		"-m 50 --effect 0.05 --power .9 --threshold 0.7 --query binary":        {"The rows from which on, for every greater number too, a better model passes with probability 0.9 beta", "exact if rows are alike."},
		"-n 50 -m 5 --power .8,.9 --threshold 0.7":                             {"The least lead with which a model passes with the probability in the column power,"},
		"-m 5 --effect .1 --threshold 0.7 --clusters 90x4":                     {"a cluster varies as much as one row", "Each row is a cluster."},
		"-m 5 --effect .1 --threshold 0.7 --clusters 90x4 --icc 0.2":           {"a cluster varies 0.4 times as much as one row"},
		"-m 5 --effect .1 --threshold 0.7 --query auc --class-counts 90,300":   {"approximately", "Hanley and McNeil 1982"},
	} {
		code, out, said := commandtest.Dpcalc(append([]string{"power"}, strings.Fields(line)...)...)
		words := strings.Join(strings.Fields(out), " ")
		for _, want := range want {
			if code != usage.ExitOK || !strings.Contains(words, want) {
				t.Errorf("%s: exit %d, got %s%s, want %s", line, code, out, said, want)
			}
		}
	}
	_, out, _ := commandtest.Dpcalc(strings.Fields("power -n 500 -m 50 --test sign --effect 0.05 --disagreement 0.15 -f json")...)
	for _, want := range []string{`"query":"difference"`, `"beta":0.05`, `"passes":1,`, `"test":"sign"`} {
		if inputs, _, _ := strings.Cut(out, `"rows":`); !strings.Contains(inputs, want) || strings.Contains(inputs, "feedback") {
			t.Errorf("the inputs are %s, want %s", inputs, want)
		}
	}
}

// Clusters and classes are the rows, or say in what shares rows are looked for.
func TestClustersAndClasses(t *testing.T) {
	const gate = "power -m 5 --threshold 0.7 --effect .1 "
	for _, sample := range []string{"--clusters 60x10,30x4 --icc 0.1", "--query auc --class-counts 300,700"} {
		given := commandtest.RowsOf(t, strings.Fields(gate+sample)...)[0]
		enough := commandtest.RowsOf(t, strings.Fields(gate+sample+" --power 0.99")...)[0]
		if given["exact"] != false || !(given["power"].(float64) < 0.99) || !(enough["samples"].(float64) > given["samples"].(float64)) ||
			!(enough["power_reached"].(float64) >= 0.99) {
			t.Errorf("%s: got %v, and for more rows %v", sample, given, enough)
		}
	}
	rows := commandtest.RowsOf(t, strings.Fields("power -m 5 --threshold 0.7 --effect .1 -n 90")...)[0]
	alike := commandtest.RowsOf(t, strings.Fields(gate+"--clusters 60x10,30x4")...)[0]
	if rows["power"] != alike["power"] {
		t.Errorf("90 clusters whose rows are all alike have the power %v, 90 rows %v", alike["power"], rows["power"])
	}
}

// The numbers of rows beside pwr's are the command's.
func TestRowsOfThePages(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/use/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	for queries, number := range map[string]string{"1": "654", "150": "1,827"} {
		_, out, stderr := commandtest.Dpcalc("power", "-m", queries, "--bar", "0.5", "--query", "accuracy",
			"--effect", "0.05", "--power", "80%", "-f", "csv")
		if !strings.Contains(string(page), " | "+number+" |\n") || !strings.Contains(out, strings.ReplaceAll(number, ",", "")+",") {
			t.Errorf("%s looks: %s is not in the page or in %s%s", queries, number, out, stderr)
		}
	}
}
