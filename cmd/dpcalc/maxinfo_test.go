package main

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

func lnProb(t *testing.T, text string) theory.LogProb {
	t.Helper()
	p, ok := parseProb(text)
	if !ok {
		t.Fatal(text)
	}
	return p
}

// A step reads as what it prints.
func TestStepsRoundTrip(t *testing.T) {
	for _, text := range []string{
		"pure-dp:epsilon=0.01", "approx-dp:epsilon=0,delta=1e-4343", "gdp:mu=0.001", "gaussian:queries=100,noise-sd=1e-150",
		"description:outcomes=100", "description:outcomes=1", "description:bits=1000", "mutual-info:bits=0.1", "mutual-info:bits=0",
		"max-info:bits=10", "max-info:bits=10,slack=1e-9", "max-info:bits=10,slack=0.5,data=any", "max-info:bits=10,data=any",
	} {
		step, _, err := parseStep(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := step.String(); got != text {
			t.Errorf("%s prints as %s", text, got)
		}
	}
	for other, same := range map[string]string{
		"description:outcomes=1k": "description:outcomes=1000", "mutual-info:nats=0": "mutual-info:bits=0", "gdp:mu=1/1000": "gdp:mu=0.001",
		"approx-dp:delta=1%,epsilon=1": "approx-dp:epsilon=1,delta=0.01", "max-info:bits=10,data=product": "max-info:bits=10",
	} {
		a, _, err := parseStep(other)
		b, _, err2 := parseStep(same)
		if err != nil || err2 != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s is %v, %s is %v: %v, %v", other, a, same, b, err, err2)
		}
	}
}

// Bits are never read as fewer nats.
func TestBitsInNats(t *testing.T) {
	ln2, _ := new(big.Float).SetPrec(200).SetString("0.693147180559945309417232121458176568075500134360255254120680009")
	short := 0
	for _, bits := range []float64{0.1, 1, 2, 3, 7, 10, 12.5, 100, 1e-9, 1e9, 0.3, 1e-300, 1e300} {
		d := &details{said: map[string]string{"bits": fmt.Sprint(bits)}}
		got := float64(d.information())
		exact := new(big.Float).SetPrec(200).Mul(big.NewFloat(bits), ln2)
		if gap, _ := new(big.Float).Sub(big.NewFloat(got), exact).Float64(); gap < -1.5e-16*got || gap > 4e-16*got {
			t.Errorf("%g bits are %.17g nats, off by %g", bits, got, gap/got)
		} else if gap < 0 {
			short++
		}
		if again := d.information().Bits(); again < bits {
			t.Errorf("%g bits print as %.17g", bits, again)
		}
	}
	if short > 6 {
		t.Errorf("%d of 13 are below, by rounding", short)
	}
}

// The command prints what the library computes, and marks the least.
func TestMaxinfoRows(t *testing.T) {
	for _, plan := range exemplars() {
		code, stdout, stderr := dpcalc("maxinfo", "--samples", "1000", "--slack", "0.01", "--step", plan.Steps[0].String(), "-f", "csv")
		if code != exitOK {
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
			if k, err := chain.MaxInformation(m, lnProb(t, "0.01")); err == nil {
				least = min(least, k.Bits())
			}
		}
		marked := 0
		for i, m := range chain.Methods {
			want := m.Name + ",,0.01,"
			if k, err := chain.MaxInformation(m, lnProb(t, "0.01")); err == nil {
				want = m.Name + "," + string(appendNumber(nil, k.Bits())) + ",0.01,"
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
	for _, plan := range exemplars() {
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
	for _, plan := range exemplars() {
		kind, _, _ := strings.Cut(plan.Steps[0].String(), ":")
		kinds[kind] = true
	}
	for _, k := range stepKinds() {
		if !kinds[k.name] {
			t.Errorf("no exemplar of %s", k.name)
		}
	}
	_, list, _ := dpcalc("methods", "-f", "csv")
	for _, a := range corrections {
		if !known[a.name] {
			t.Errorf("%s is no method", a.name)
		}
		delete(known, a.name)
		code, page, stderr := dpcalc("explain", a.name)
		if code != exitOK || !strings.Contains(page, "Formula\n  ") || !strings.Contains(page, "Hypotheses\n  ") || !strings.Contains(page, "In practice\n  ") {
			t.Errorf("explain %s: exit %d, %s%s", a.name, code, page, stderr)
		}
		for line := range strings.Lines(page) {
			if len([]rune(line)) > 120 {
				t.Errorf("explain %s: long line %q", a.name, line)
			}
		}
		if code, entries, stderr := dpcalc("cite", a.name); code != exitOK || strings.Count(entries, "@") < 1 {
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

// The chain of the command is the library's: the second of two steps that each hold
// for every law adds its bits.
func TestStepsAdd(t *testing.T) {
	bits := func(steps ...string) float64 {
		plan := learned{}
		for _, text := range steps {
			step, _, err := parseStep(text)
			if err != nil {
				t.Fatal(err)
			}
			plan.Steps = append(plan.Steps, step)
		}
		plan.Samples, plan.Data = 100, maxinfo.AnyData
		chain, err := plan.Chain()
		if err != nil {
			t.Fatal(err)
		}
		k, err := chain.MaxInformation(chain.Methods[0], lnProb(t, "0"))
		if err != nil {
			t.Fatal(err)
		}
		return k.Bits()
	}
	a, b := bits("max-info:bits=3,data=any"), bits("pure-dp:epsilon=0.01")
	if sum := bits("max-info:bits=3,data=any", "pure-dp:epsilon=0.01"); math.Abs(sum-a-b) > 1e-12 || math.Abs(a-3) > 1e-12 || math.Abs(b-math.Log2E) > 1e-12 {
		t.Errorf("%g and %g are %g", a, b, sum)
	}
}
