package articles

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/commands/steps"
	"github.com/dpcalc/dpcalc/internal/commandtest"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/transfer"
)

// The command prints what the library computes, and marks the least.
func TestMaxinfoRows(t *testing.T) {
	for _, plan := range steps.Exemplars() {
		code, stdout, stderr := commandtest.Dpcalc("maxinfo", "--samples", "1000", "--slack", "0.01", "--step", plan.Steps[0].String(), "-f", "csv")
		if code != usage.ExitOK {
			t.Fatalf("%v: exit %d, %s", plan.Steps, code, stderr)
		}
		chain, err := plan.Chain()
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(strings.TrimSpace(stdout), "\n")[1:]
		if len(rows) != len(chain.Methods) {
			t.Fatalf("%d rows for %d methods", len(rows), len(chain.Methods))
		}
		least := math.Inf(1)
		for _, m := range chain.Methods {
			if k, err := chain.MaxInformation(m, commandtest.LnProb(t, "0.01")); err == nil {
				least = min(least, k.Bits())
			}
		}
		marked := 0
		for i, m := range chain.Methods {
			want := m.Name + ",,0.01,"
			if k, err := chain.MaxInformation(m, commandtest.LnProb(t, "0.01")); err == nil {
				want = m.Name + "," + string(record.AppendNumber(nil, k.Bits())) + ",0.01,"
				if strings.Contains(rows[i], ",true,") {
					marked++
					if k.Bits() != least {
						t.Errorf("%s is not the least, %g", rows[i], least)
					}
				}
			}
			if !strings.HasPrefix(rows[i], want) {
				t.Errorf("%s, want %s", rows[i], want)
			}
		}
		if marked != 1 {
			t.Errorf("%v: %d rows are best", plan.Steps, marked)
		}
	}
}

// Every method that the libraries know explains itself and is in the list, and the
// list has no others.
func TestEveryCorrectionIsExplained(t *testing.T) {
	known := map[string]bool{}
	for _, plan := range steps.Exemplars() {
		chain, err := plan.Chain()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range chain.Methods {
			known[m.Name] = true
		}
		all, err := pvalue.Corrections(plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			known[c.Name] = true
		}
	}
	kinds := map[string]bool{}
	for _, plan := range steps.Exemplars() {
		kind, _, _ := strings.Cut(plan.Steps[0].String(), ":")
		kinds[kind] = true
	}
	for _, k := range steps.Kinds() {
		if !kinds[k.Name] {
			t.Errorf("no exemplar of %s", k.Name)
		}
	}
	_, list, _ := commandtest.Dpcalc("methods", "-f", "csv")
	for _, a := range corrections {
		if !known[a.name] {
			t.Errorf("%s is no method", a.name)
		}
		delete(known, a.name)
		code, page, stderr := commandtest.Dpcalc("explain", a.name)
		if code != usage.ExitOK || !strings.Contains(page, "Formula\n  ") || !strings.Contains(page, "Hypotheses\n  ") || !strings.Contains(page, "In practice\n  ") {
			t.Errorf("explain %s: exit %d, %s%s", a.name, code, page, stderr)
		}
		for line := range strings.Lines(page) {
			if len([]rune(line)) > 120 {
				t.Errorf("explain %s: long line %q", a.name, line)
			}
		}
		if code, entries, stderr := commandtest.Dpcalc("cite", a.name); code != usage.ExitOK || strings.Count(entries, "@") < 1 {
			t.Errorf("cite %s: exit %d, %s", a.name, code, stderr)
		}
		if !strings.Contains(list, "\n"+a.name+",") {
			t.Errorf("methods does not list %s", a.name)
		}
	}
	for name := range known {
		t.Errorf("%s explains nothing", name)
	}
	if names := articleNames(); len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("a name has two meanings: %v", names)
	}
}

// Every method explains itself, and every source is in the bibliography.
func TestEveryMethodIsExplainedAndCited(t *testing.T) {
	for _, m := range transfer.Methods() {
		code, page, stderr := commandtest.Dpcalc("explain", m.Name)
		if code != usage.ExitOK || !strings.Contains(page, "Formula\n  ") || !strings.Contains(page, "Proof: "+string(m.Proof)) {
			t.Errorf("explain %s: exit %d, %s%s", m.Name, code, page, stderr)
		}
		for line := range strings.Lines(page) {
			if len([]rune(line)) > 120 {
				t.Errorf("explain %s: long line %q", m.Name, line)
			}
		}
		code, entries, stderr := commandtest.Dpcalc("cite", m.Name)
		if code != usage.ExitOK || strings.Count(entries, "@") < 1 {
			t.Errorf("cite %s: exit %d, %s", m.Name, code, stderr)
		}
	}
}

// explain has every symbol that a command speaks of, by one meaning each.
func TestGlossary(t *testing.T) {
	for _, name := range []string{
		"tau", "beta", "epsilon", "delta", "alpha", "mu", "rho", "n", "m", "B", "D", "T", "slack", "max-information",
		"mutual-information", "budget", "samples", "rows", "queries", "confidence", "sensitivity", "TAU", "gamma",
		"noise_scale", "cells", "bits", "nats", "threshold",
	} {
		code, out, stderr := commandtest.Dpcalc("explain", name)
		if code != usage.ExitOK || stderr != "" || !strings.Contains(out, "\nWhere\n") {
			t.Errorf("%s: exit %d, %s%s", name, code, out, stderr)
		}
	}
	seen := map[string]string{}
	for _, s := range glossary {
		for _, name := range append([]string{s.name}, s.aliases...) {
			if other, ok := seen[name]; ok || slices.Contains(articleNames(), name) {
				t.Errorf("%s stands for %s, and for %q or a method", name, s.name, other)
			}
			seen[name] = s.name
		}
		if s.summary == "" || s.text == "" || s.where == "" {
			t.Errorf("%s: something is not said", s.name)
		}
	}
}
