package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// A flag's other name, or a value's other word, prints what the first one prints.
func TestOtherNamesOfFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	holdoutFiles(t)
	for name, text := range map[string]string{"p.csv": "p\n0.001\n", "s.csv": "query,noise_scale\n1,0.01\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for other, first := range map[string]string{
		"samplesize --rows 9000 --looks 100 -b 0.05 --json":                    "samplesize -n 9000 -m 100 -b 0.05 -f json",
		"samplesize -m 9 -t 0.1 -b 0.05 --feedback gate --one-sided --bar 0.8": "samplesize -m 9 -t 0.1 -b 0.05 --feedback gate --one-sided --threshold 0.8",
		"samplesize -m 9 -t 0.1 -b 0.05 --proofs published,checked --json":     "samplesize -m 9 -t 0.1 -b 0.05 --proofs published,coq --json",
		"pvalue-correct --by menu --outcomes 9 -a 0.05 --proofs published,checked --json": "pvalue-correct --by description --outcomes 9 -a 0.05 " +
			"--proofs published,coq --json",
		"pvalue-correct --by menu --outcomes 9 --alpha 0.05":                "pvalue-correct --by description --outcomes 9 --alpha 0.05",
		"pvalue-correct --by=menu --outcomes 9 --alpha 0.05 --json":         "pvalue-correct --by description --outcomes 9 --alpha 0.05 -f json",
		"pvalue-correct --by pure-dp --epsilon 0.01 --rows 1k --alpha 0.05": "pvalue-correct --by pure-dp --epsilon 0.01 -n 1k --alpha 0.05",
		"pvalue-correct p.csv --by menu --outcomes 9 --alpha 0.05 --json":   "pvalue-correct p.csv --by description --outcomes 9 --alpha 0.05 -f json",
		"samplesize --check-schedule s.csv -n 10k -t 0.1 --json":            "samplesize --check-schedule s.csv -n 10k -t 0.1 -f json",
		"advise --rows 5000 --queries 150":                                  "advise --samples 5000 --queries 150",
		"maxinfo --rows 1k --step pure-dp:epsilon=0.01":                     "maxinfo -n 1k --step pure-dp:epsilon=0.01",
		"transfer --alpha 0.1 --beta 0 --epsilon 0.1 --delta 0 --target-beta 0.05 --rows 1k": "transfer --alpha 0.1 --beta 0 --epsilon 0.1 " +
			"--delta 0 --target-beta 0.05 -n 1k",
		"experiment --rows 100 --attributes 50 --seed 1": "experiment -n 100 --attributes 50 --seed 1",
		"samplesize -m 9 -t 0.1 -b 0.05 --query difference --disagreement 0.1 --checked --json": "samplesize -m 9 -t 0.1 -b 0.05 --query difference " +
			"--disagreement 0.1 --enforce --json",
		"holdout init --checked c --labels labels.csv -n 400 -m 9 -b 0.05 --query difference --disagreement 0.3 --incumbent predictions.csv --dry-run --json": "holdout " +
			"init c --labels labels.csv -n 400 -m 9 -b 0.05 --query difference --disagreement 0.3 --incumbent predictions.csv --enforce --dry-run --json",
		"holdout init --bar 0.8 a --labels labels.csv --rows 400 --looks 9 -b 0.05 --feedback gate --dry-run --json": "holdout init a --labels labels.csv -n 400 " +
			"-m 9 -b 0.05 --feedback gate --threshold 0.8 --dry-run -f json",
	} {
		code, want, stderr := commandtest.Dpcalc(strings.Fields(first)...)
		if code != usage.ExitOK {
			t.Fatalf("%s: exit %d, %s", first, code, stderr)
		}
		if code, out, stderr := commandtest.Dpcalc(strings.Fields(other)...); code != usage.ExitOK || out != want {
			t.Errorf("%s: exit %d, %s%s, want %s", other, code, out, stderr, want)
		}
	}
	for line, want := range map[string]string{
		"samplesize -m 100 -t 0.1 -b 0.05 --json -f csv":   "--json: given with --format csv, want one of the two",
		"samplesize -m 100 -t 0.1 -b 0.05 --json=yes":      "--json: got yes, want no value",
		"samplesize -f table -m 100 -t 0.1 -b 0.05 --json": "--json: given with --format table, want one of the two",
		"samplesize -m 100 -t 0.1 -b 0.05 --json -o a.csv": "--format: got json for a.csv, want csv or a name in .json",
		"samplesize -m 100 -t 0.1 -b 0.05 --json --json":   "--json: given twice",
		"samplesize -m 100 --looks 100 -t 0.1 -b 0.05":     "--queries: given twice",
		"audit --rows 9": "audit: unknown flag --rows, which belongs to ",
		"pvalue-correct --by gaussian --looks 9 --noise-sd 1 -n 100 -a 0.05": "--looks: given with --by gaussian, which takes ",
	} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields(line)...)
		if code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: "+want) {
			t.Errorf("%s: exit %d, %s%s, want %s", line, code, out, stderr, want)
		}
	}
}

// Before the action a flag means what it means to that action: the bar of a plan to init, and of a look to score.
func TestBarOfALedger(t *testing.T) {
	t.Chdir(t.TempDir())
	holdoutFiles(t)
	for _, line := range []string{
		"holdout --bar 0.8 init a --labels labels.csv -m 9 -b 0.05 --feedback gate",
		"holdout init b --labels labels.csv -m 9 -b 0.05 --feedback gate",
		"holdout init c --labels labels.csv -b 0.05 --open",
		"holdout --bar 0.8 score b predictions.csv",
		"holdout --bar 0.8 score c predictions.csv --show pass",
		"holdout score c predictions.csv --show pass --bar 0.7",
	} {
		if code, _, stderr := commandtest.Dpcalc(strings.Fields(line)...); code != usage.ExitOK {
			t.Errorf("%s: exit %d, %s", line, code, stderr)
		}
	}
	plan, err := os.ReadFile("a/plan.json")
	if err != nil || !strings.Contains(string(plan), `"bar":0.8`) && !strings.Contains(string(plan), `"bar": 0.8`) {
		t.Errorf("%v: the plan has no bar: %s", err, plan)
	}
	for line, want := range map[string]string{
		"holdout --threshold 0.8 score b predictions.csv": "holdout score: --threshold belongs to holdout init",
		"holdout score a predictions.csv --bar 0.7":       "--bar: ",
	} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields(line)...)
		if code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: "+want) {
			t.Errorf("%s: exit %d, %s%s, want %s", line, code, out, stderr, want)
		}
	}
}

// Plan files have the other names as keys. Two names of one key are one too many.
func TestOtherNamesInPlanFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(scenario string) (int, string, string) {
		if err := os.WriteFile("a.yaml", []byte("scenarios:\n  - {name: a, tau: 0.1, beta: 0.05, "+scenario+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return commandtest.Dpcalc("plan", "run", "a.yaml", "--json")
	}
	for other, first := range map[string]string{
		"looks: 9, feedback: gate, one-sided: true, bar: 0.8, proofs: 'published,checked'": "queries: 9, feedback: gate, one-sided: true, threshold: 0.8, " +
			"proofs: 'published,coq'",
		"looks: 9, query: difference, disagreement: 0.1, checked: true": "queries: 9, query: difference, disagreement: 0.1, enforce: true",
	} {
		code, want, stderr := run(first)
		if code != usage.ExitOK {
			t.Fatal(stderr)
		}
		if code, out, stderr := run(other); code != usage.ExitOK || out != want {
			t.Errorf("%s: exit %d, %s%s, want %s", other, code, out, stderr, want)
		}
	}
	for scenario, want := range map[string]string{
		"queries: 9, looks: 9":     "a.yaml: line 2: queries: given twice",
		"looks: 9, rows: none":     "a.yaml: line 2: scenario a: samples: got none",
		"looks: 9, rows: -1":       "a.yaml: line 2: scenario a: samples: got -1",
		"looks: 9, tau: 1, bar: x": "a.yaml: line 2: tau: given twice",
	} {
		if code, out, stderr := run(scenario); code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: "+want) {
			t.Errorf("%s: exit %d, %s%s, want %s", scenario, code, out, stderr, want)
		}
	}
}

// No other name is the name of another flag of the same command.
func TestOtherNamesAreFree(t *testing.T) {
	p := newProgram(&outfile.Session{})
	for _, c := range p.Commands {
		for _, leaf := range append(c.Actions, c) {
			seen := make(map[string]bool)
			for _, f := range leaf.AllFlags(formats) {
				for _, name := range append([]string{f.Name, f.Alias}, f.Also...) {
					if seen[name] && name != "" {
						t.Errorf("%s has two flags --%s", leaf.Path(), name)
					}
					seen[name] = true
				}
			}
		}
	}
}
