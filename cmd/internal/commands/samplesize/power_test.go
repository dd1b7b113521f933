package samplesize

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// A forecast has a row for each gate, of tests one for each theorem, and refuses what it makes no use of in one line.
func TestForecasts(t *testing.T) {
	const plan = "-n 500 -m 50 --passes 1 -b 5% --disagreement 0.15 "
	for line, want := range map[string][]string{
		plan + "--effect 0.05 --test sign":                                {"gates,exact test,", "gates,e-value,"},
		plan + "--effect 0.05 --test mcnemar --open":                      {"gates,exact test,", "gates,e-value,", "open-gate,exact test,", "open-gate,e-value,"},
		plan + "--effect 0.05 --query difference":                         {"gate,,"},
		"-n 500 -m 5 -b 5% --threshold 0.8 --power 0.8 --query binary":    {"gate,,"},
		"-m 5 -b 5% --threshold 0.8 --power 0.8 --effect 0.05 --open":     {"gate,,", "open-gate,,"},
		"-n 500:900:400 -m 5 -b 5% --threshold 0.8 --effect 0.05":         {"gate,,", "gate,,"},
		"-n 500:900:400 -m 5,9 -b 5% --threshold 0.8 --effect 0.05 --zip": {"gate,,500", "gate,,900"},
		"-n 5 -m 5 -b 5% --threshold 0.9 --effect 0.05 --query binary":    {"gate,,5,5,5,0.05,0.9,,,,,0.05,,infeasible,no score can pass"},
		"-n 500 -m 5 -b 5% --threshold 0.8 --effect 0.05 --one-sided":     {"gate,,"},
	} {
		code, out, _ := commandtest.Dpcalc(append([]string{"samplesize", "-f", "csv"}, strings.Fields(line)...)...)
		rows := strings.Split(strings.TrimSpace(out), "\n")[1:]
		if len(rows) != len(want) {
			t.Errorf("%s: exit %d, got %v", line, code, rows)
			continue
		}
		for i, row := range rows {
			if !strings.HasPrefix(row, want[i]) {
				t.Errorf("%s: got %s, want %s", line, row, want[i])
			}
		}
	}
	for line, want := range map[string]string{
		"--effect .02": "--effect: got 1 of --samples, --effect and --power",
		"-n 50 --effect .1 --power .5 -m 5 -b .05 --threshold .5":                 "--effect: got 3 of --samples",
		"-n 50 --effect .1 -m 5 -b .05":                                           "--threshold: got nothing, want the bar",
		"-n 50 --effect .1 -m 5 -b .05 --test sign":                               "--disagreement: got nothing",
		"-n 50 --effect .1 -m 5 -b .05 --test sign --disagreement .05":            "--effect: got 0.1, want a number in (0, 0.05]",
		"-n 50 --effect .1 -m 5 -b .05 --threshold .5 --tau .1":                   "--tau: given with --effect or --power",
		"-n 50 --effect .1 -m 5 -b .05 --threshold .5 --feedback best":            "--feedback: got best, want gate",
		"-n 50 --effect .1 -m 5 -b .05 --threshold .5 --test none":                "--test: got none",
		"-n 50 --test sign -m 3 -b .05":                                           "--test: got it without --effect or --power",
		"-n 50 --power 1 -m 5 -b .05 --threshold .5":                              "--power: got 1, want a probability",
		"-n 50 --effect .1 -m 5 -b .05 --threshold .5 --passes 9":                 "--passes: got 9, want at most",
		"-n 50 --effect .1 -m 5 -b .05 --threshold .5 -o x.svg":                   "--output: got no list",
		"-n 50,60 --effect .1,.2 -m 5 -b .05 --threshold .5 -o x.svg":             "--output: got lists of --samples and --effect",
		"-n 50 --effect .1 -m 5 -b .05,.1 --threshold .5 -o x.svg":                "--output: got lists of --beta, want",
		"-n 1:100:1 --effect .1:.2:.001 -m 5 -b .05 --threshold .5 --max-rows 99": "--max-rows: got",
	} {
		code, out, said := commandtest.Dpcalc(append([]string{"samplesize"}, strings.Fields(line)...)...)
		if code != usage.ExitUsage || out != "" || !strings.Contains(said, want) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: exit %d, got %s, want %s", line, code, said, want)
		}
	}
}

// The inputs of a forecast are those of the gate that it is about, and its note speaks of all rows.
func TestForecastsSayWhatTheyAreOf(t *testing.T) {
	line := strings.Fields("samplesize -n 500 -m 50 -b 5% --test sign --effect 0.05 --disagreement 0.15,0.2")
	_, out, _ := commandtest.Dpcalc(append(line, "-f", "json")...)
	for _, want := range []string{`"query":"difference"`, `"feedback":"gate"`} {
		if inputs, _, _ := strings.Cut(out, `"rows":`); !strings.Contains(inputs, want) {
			t.Errorf("the inputs are %s, want %s", inputs, want)
		}
	}
	_, out, _ = commandtest.Dpcalc(line...)
	if said := strings.Join(strings.Fields(out), " "); strings.Contains(said, "share 0.15") || !strings.Contains(said, "on the share disagreement of which") {
		t.Errorf("got %s", out)
	}
}
