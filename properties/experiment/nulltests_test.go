package experiment

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

var update = flag.Bool("update", false, "rewrite the table in docs/use/evidence.md")

// documented is the study that docs/use/evidence.md shows.
var documented = NullTests{
	Samples: 1024, Tests: 100, Scales: []float64{1, 4.5, 8, 16}, Effect: 6,
	Repetitions: 50_000, Alpha: theory.LogProb(math.Log(0.05)), Seed: 2015,
}

// expected is the rates in exact arithmetic.
type expected struct{ raw, corrected, power float64 }

// law is the law of the count of a pattern that agrees with probability p.
func law(n int, p float64) []float64 {
	f := make([]float64, n+1)
	for c := range f {
		f[c] = math.Exp(num.Binomial{N: int64(n), P: p}.LnPMF(int64(c)))
	}
	return f
}

// exact computes the rates without a simulation. Counts are independent, so the largest
// has a product of distribution functions, and the exponential mechanism with weights w
// selects a certain attribute at a count >= k with probability
//
//	E[1{c >= k} w(c)/(w(c) + sum of the others)] = int_0^inf E[1{c >= k} w e^(-t w)] E[e^(-t w)]^(N-1) dt.
func (s NullTests) exact(row NullTestsRow) expected {
	n, others := s.Samples, s.Tests-1
	null := law(n, 0.5)
	effect := law(n, 0.5+s.Effect/2/math.Sqrt(float64(n)))
	p := make([]float64, n+2) // P[Bin(n,1/2) >= c]
	for c := n; c >= 0; c-- {
		p[c] = p[c+1] + null[c]
	}
	least := func(gamma theory.LogProb) (k int) { // the least count that is rejected
		for p[k] > gamma.Value() {
			k++
		}
		return k
	}
	// first returns the probability that the first attribute, with counts of law f, is
	// selected and rejected.
	first := func(f []float64, k int) (sum float64) {
		switch row.Selection.Name {
		case "fixed in advance":
			for c := k; c <= n; c++ {
				sum += f[c]
			}
		case "exponential mechanism":
			weight := row.Selection.Scale / math.Sqrt(float64(n)) / 2
			const step = 0.1
			for u := -60.0; u < 30; u += step { // t = e^u
				var selected, rest float64
				for c := range f {
					w := math.Exp(weight * (float64(c) - float64(n)/2))
					kept := math.Exp(-math.Exp(u) * w)
					rest += null[c] * kept
					if c >= k {
						selected += f[c] * w * kept
					}
				}
				sum += step * math.Exp(u) * selected * math.Pow(rest, float64(others))
			}
		default: // the smallest p; a tie goes to the first
			below := 1.0 - p[0]
			for c := range f {
				below += null[c]
				if c >= k {
					sum += f[c] * math.Pow(below, float64(others))
				}
			}
		}
		return sum
	}
	// total returns the probability of a false rejection.
	total := func(k int) float64 {
		switch row.Selection.Name {
		case "fixed in advance":
			return first(null, k)
		case "exponential mechanism":
			return float64(s.Tests) * first(null, k)
		case "memorised labels":
			sum := 0.0
			for _, f := range law(n, 1/(1+math.Exp(-row.Selection.Scale/math.Sqrt(float64(n)))))[k:] {
				sum += f
			}
			return sum
		}
		return -math.Expm1(float64(s.Tests) * math.Log1p(-p[k]))
	}
	e := expected{raw: total(least(s.Alpha)), corrected: total(least(row.Threshold))}
	if row.Selection.Finds {
		e.power = first(effect, least(row.Threshold))
	}
	return e
}

// miss is the probability that an interval misses its target. There are three for each
// of 10 rows. The other verdicts are on rates so far from alpha that all of them together
// fail with probability below 1e-11 (the closest is 0.03736, in the place of 0.05, seven
// standard deviations from where it would be too close to call). So the test raises a false
// alarm with probability at most 4e-10.
const miss = 1e-11

var documentedRows = sync.OnceValues(documented.Run)

// What the documents say of the selections: each rate is the exact one, a selection in
// view of the data fails at alpha, and none does at its threshold.
func TestNullTests(t *testing.T) {
	rows, err := documentedRows()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 10 {
		t.Fatalf("%d rows", len(rows))
	}
	alpha, lnMiss := documented.Alpha.Value(), theory.LogProb(math.Log(miss))
	for _, row := range rows {
		what := row.Selection.Name
		want := documented.exact(row)
		for name, c := range map[string]struct {
			rate  Rate
			exact float64
		}{"raw": {row.Raw, want.raw}, "corrected": {row.Corrected, want.corrected}, "power": {row.Power, want.power}} {
			lo, hi := c.rate.Interval(lnMiss)
			if !(lo <= c.exact*(1+1e-9) && c.exact <= hi*(1+1e-9)) {
				t.Errorf("%s %g, %s: %g, in [%.4f, %.4f], but exactly %.6f", what, row.Selection.Scale, name, c.rate.Value(), lo,
					hi, c.exact)
			}
		}
		if want.corrected > alpha {
			t.Errorf("%s %g: false rejections at the threshold: exactly %g", what, row.Selection.Scale, want.corrected)
		}
		looked := what != "fixed in advance"
		if looked != (want.raw > alpha) {
			t.Errorf("%s %g: false rejections at alpha: exactly %g", what, row.Selection.Scale, want.raw)
		}
		// The simulation says the same, where the margin is wide enough for it to tell: a
		// selection in view of the data, and a private one.
		if lo, _ := row.Raw.Interval(lnMiss); looked && !(lo > alpha) {
			t.Errorf("%s %g: at alpha from %.4f on", what, row.Selection.Scale, lo)
		}
		if lo, hi := row.Corrected.Interval(lnMiss); row.Selection.Scale > 0 && !(hi < alpha) || lo > alpha {
			t.Errorf("%s %g: at the threshold in [%.4f, %.4f]", what, row.Selection.Scale, lo, hi)
		}
	}
}

// A private selection is corrected by privacy, one out of few by their number.
func TestThresholds(t *testing.T) {
	rows, err := NullTests{Samples: 64, Tests: 10, Scales: []float64{1}, Repetitions: 1, Alpha: documented.Alpha}.Run()
	if err != nil {
		t.Fatal(err)
	}
	// (sqrt(ln 20) + sqrt(1/8))^2 = 4.344606
	for i, want := range []struct {
		name  string
		gamma float64
	}{{"bonferroni", 0.05}, {"bonferroni", 0.005}, {"renyi", math.Exp(-4.3446056888943993)},
		{"renyi", math.Exp(-4.3446056888943993)}} {
		if gamma := rows[i].Threshold.Value(); rows[i].Correction != want.name ||
			!(gamma <= want.gamma*(1+1e-12) && gamma >= want.gamma*(1-1e-9)) {
			t.Errorf("%s: %s %.12g, want %s %.12g", rows[i].Selection.Name, rows[i].Correction, gamma, want.name, want.gamma)
		}
	}
}

func TestInterval(t *testing.T) {
	level := theory.LogProb(math.Log(0.05))
	for _, c := range []struct {
		rate   Rate
		lo, hi float64
	}{ // closed forms, and the intervals for 5 and 8 of 10 of Clopper and Pearson's chart
		{Rate{0, 10}, 0, 1 - math.Pow(0.025, 0.1)},
		{Rate{10, 10}, math.Pow(0.025, 0.1), 1},
		{Rate{5, 10}, 0.1870860, 0.8129140},
		{Rate{8, 10}, 0.4439045, 0.9747893},
	} {
		lo, hi := c.rate.Interval(level)
		if !(lo <= c.lo+5e-8 && lo >= c.lo-5e-8 && hi >= c.hi-5e-8 && hi <= c.hi+5e-8) {
			t.Errorf("%+v: [%.8f, %.8f], want [%.7f, %.7f]", c.rate, lo, hi, c.lo, c.hi)
		}
	}
}

func TestNullTestsErrors(t *testing.T) {
	good := NullTests{Samples: 64, Tests: 1, Scales: []float64{1}, Repetitions: 1, Alpha: -3}
	for _, spoil := range []func(s *NullTests){
		func(s *NullTests) { s.Samples = 0 },
		func(s *NullTests) { s.Samples = 65 },
		func(s *NullTests) { s.Samples = 64_000_000 },
		func(s *NullTests) { s.Tests = 0 },
		func(s *NullTests) { s.Scales = []float64{math.NaN()} },
		func(s *NullTests) { s.Scales = []float64{0} },
		func(s *NullTests) { s.Effect = math.NaN() },
		func(s *NullTests) { s.Effect = 9 },
		func(s *NullTests) { s.Repetitions = 0 },
		func(s *NullTests) { s.Alpha = 0 },
	} {
		bad := good
		spoil(&bad)
		if rows, err := bad.Run(); !errors.As(err, new(*theory.DomainError)) || rows != nil {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := good.Run(); err != nil {
		t.Error(err)
	}
}

// The table of docs/use/evidence.md.
func TestDocumentedTable(t *testing.T) {
	const page, begin, end = "../../docs/use/evidence.md", "<!-- table -->\n", "<!-- end of table -->\n"
	rows, err := documentedRows()
	if err != nil {
		t.Fatal(err)
	}
	table := nullTestsTable(rows)
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("no place for the table")
	}
	text := before + begin + table + end + after
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(old) {
		t.Errorf("the table is now\n%s", table)
	}
}

// nullTestsTable is the rows as a Markdown table.
func nullTestsTable(rows []NullTestsRow) string {
	text := "| selection | epsilon sqrt(n) | correction | threshold | false at alpha | false at the threshold | power |\n"
	text += "| --- | ---: | --- | ---: | ---: | ---: | ---: |\n"
	for _, row := range rows {
		scale, power := "", ""
		if row.Selection.Scale > 0 {
			scale = fmt.Sprint(row.Selection.Scale)
		}
		if row.Selection.Finds {
			power = fmt.Sprintf("%.3f", row.Power.Value())
		}
		text += fmt.Sprintf("| %s | %s | %s | %.2g | %.4f | %.4f | %s |\n", row.Selection.Name, scale, row.Correction,
			row.Threshold.Value(), row.Raw.Value(), row.Corrected.Value(), power)
	}
	return text
}
