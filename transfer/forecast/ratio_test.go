package forecast

import (
	"errors"
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// f1 is the ratio F1 of a share of rows predicted positive.
func f1(share float64) goal.Ratio {
	return goal.Ratio{Both: 2, FalsePositive: 1, FalseNegative: 1, Share: share}
}

// binomialMasses are the probabilities of the counts of n rows with one probability.
func binomialMasses(n int, p float64) (list []float64) {
	for k := range n + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		list = append(list, math.Exp(a-b-c+float64(k)*math.Log(p)+float64(n-k)*math.Log1p(-p)))
	}
	return list
}

// A gate of F1 > .8 on 1,000 rows of which 10% are predicted positive, at the level .01: a model of F1 .9 passes with
// probability .76 by the exact law of its counts, and one of .95 nearly always. The normal law is within .02 of both.
func TestForecastOfAGateOfF1(t *testing.T) {
	const n, positive, bar = 1000, 100, 0.8
	ratio := predicted{f1(0.1)}
	at, ok := solver.RatioGate(ratio.Ratio, n, bar).Pass(bar, math.Log(0.01))
	if !ok {
		t.Fatal("nothing passes")
	}
	for truth, want := range map[float64]float64{0.9: 0.76, 0.95: 0.9998} {
		right, missed := binomialMasses(positive, truth), binomialMasses(n-positive, positive*(1-truth)/(n-positive))
		exact := 0.
		for tp, p := range right {
			for fn, q := range missed {
				if d := 2*float64(tp) + float64(positive-tp) + float64(fn); 2*float64(tp)-bar*d >= n*at {
					exact += p * q
				}
			}
		}
		got := ratio.chance(n, at, truth, bar)
		if math.Abs(exact-want) > 0.006 || math.Abs(got-exact) > 0.02 {
			t.Errorf("F1 %v: got %v, and %v by sums, want about %v", truth, got, exact, want)
		}
	}
}

// A model of a ratio has it: E N/E D by its shares of right, wrong and missed rows, whatever share is predicted
// positive. Its mean of N - bar D is (ratio - bar) E D.
func TestModelsOfARatio(t *testing.T) {
	for name, adds := range map[string]goal.Ratio{"f1": {Both: 2, FalsePositive: 1, FalseNegative: 1},
		"recall": {Both: 1, FalseNegative: 1}, "jaccard": {Both: 1, FalsePositive: 1, FalseNegative: 1}} {
		for _, share := range []float64{0.01, 0.1, 0.4, 0.6, 0.95} {
			for _, truth := range []float64{0.3, 0.8, 0.99} {
				p := predicted{adds}
				p.Share = share
				zero, _ := p.row(truth, truth)
				if d0, _ := p.row(truth, 0); math.Abs(zero) > 1e-12*d0 {
					t.Errorf("%s of %v at %v: the mean of N - %v D is %v", name, truth, share, truth, zero)
				}
			}
		}
	}
}

// The rows that are found reach the power, and those that are a hundredth fewer do not, nor does a lead that is so much
// less. The smaller the share that is predicted positive, the more rows a lead of five points takes.
func TestRowsOfARatio(t *testing.T) {
	before := int64(0)
	for _, share := range []float64{0.05, 0.2, 0.5} {
		f := better(goal.Bounded, 0, 0.05, 0.8)
		f.Bar, f.Ratio = goal.Some(0.8), f1(share)
		for _, f.Open = range []bool{false, true} {
			a, err := f.Solve()
			if err != nil {
				t.Fatal(err)
			}
			few := f
			few.Samples, few.Power = a.Samples*99/100, 0
			less, err := few.Solve()
			if err != nil || less.Power >= 0.8 || a.Reached < 0.8 || a.Reached > 0.81 {
				t.Errorf("%v, open %v: %d rows have power %v, and %d rows %v (%v)", share, f.Open, a.Samples, a.Reached, few.Samples, less.Power, err)
			}
			lead := few
			lead.Samples, lead.Power, lead.Effect = a.Samples, 0.8, 0
			if found, err := lead.Solve(); err != nil || math.Abs(found.Effect-0.05) > 1e-4 {
				t.Errorf("%v, open %v: the lead is %v (%v)", share, f.Open, found.Effect, err)
			}
			if !f.Open {
				if before > 0 && a.Samples >= before {
					t.Errorf("%v predicted positive take %d rows, fewer take %d", share, a.Samples, before)
				}
				before = a.Samples
			}
		}
	}
	domain := (*theory.DomainError)(nil)
	for want, change := range map[string]func(*Gate){
		"positives": func(f *Gate) { f.Ratio.Share = 1 },
		"threshold": func(f *Gate) { f.Bar = goal.Some(0) },
		"rows":      func(f *Gate) { f.Spread = 1 },
	} {
		f := better(goal.Bounded, 100, 0.05, 0)
		f.Bar, f.Ratio = goal.Some(0.8), f1(0.1)
		if change(&f); want == "rows" {
			f.Query = goal.Bounded
		}
		if _, err := f.Solve(); !errors.As(err, &domain) || domain.Param != want {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
