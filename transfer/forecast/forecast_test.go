package forecast

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// better is a forecast about a gate of 20 looks that is retired at its first pass, at beta 5%.
func better(query goal.Query, samples int64, effect, power float64) Gate {
	g := goal.Goal{Samples: samples, Queries: 20, Beta: theory.LogProb(math.Log(0.05)), Query: query}
	g.Feedback, g.Passes = goal.Gate, 1
	if query == goal.Difference {
		g.Disagreement = 0.4
	} else {
		g.Bar = goal.Some(0.6)
	}
	return Gate{Goal: g, Effect: effect, Power: power}
}

// How often 40 rows pass the sign test at the level 0.05/20 by a sum over all wins and losses, of logarithms of
// factorials.
func TestForecastOfATestByASum(t *testing.T) {
	const n, win, loss, level = 40, 0.35, 0.05, 0.05 / 20
	want := 0.
	for w := range int64(n + 1) {
		for l := range n + 1 - w {
			tail := 0.
			for k := w; k <= w+l; k++ {
				tail += math.Exp(factorial(w+l) - factorial(k) - factorial(w+l-k) - float64(w+l)*math.Ln2)
			}
			if tail > level {
				continue
			}
			ln := factorial(n) - factorial(w) - factorial(l) - factorial(n-w-l)
			want += math.Exp(ln + float64(w)*math.Log(win) + float64(l)*math.Log(loss) + float64(n-w-l)*math.Log(1-win-loss))
		}
	}
	f := better(goal.Difference, n, win-loss, 0)
	f.Tested, f.Duel = true, true
	got, err := f.Solve()
	if err != nil || math.Abs(got.Power-want) > 1e-9 {
		t.Errorf("got %v, want %v (%v)", got.Power, want, err)
	}
}

// Rows, effect and power invert each other for every gate, and more looks make a model pass less probably.
func TestForecastsAgree(t *testing.T) {
	for _, tested := range []bool{false, true} {
		for _, open := range []bool{false, true} {
			for _, query := range []goal.Query{goal.Binary, goal.Bounded, goal.Difference} {
				if tested && query != goal.Difference {
					continue
				}
				f := better(query, 0, 0.1, 0.8)
				f.Tested, f.Open = tested, open
				rows, err := f.Solve()
				if err != nil {
					t.Fatal(err)
				}
				f.Samples, f.Power = rows.Samples, 0
				power, err := f.Solve()
				if err != nil || power.Power < 0.8 || power.Power > 0.83 {
					t.Errorf("%s of %d rows: %v (%v)", f.Method(), rows.Samples, power.Power, err)
				}
				f.Effect, f.Power = 0, 0.8
				effect, err := f.Solve()
				if err != nil || effect.Effect > 0.1 || effect.Effect < 0.095 {
					t.Errorf("%s of %d rows: the effect %v (%v)", f.Method(), rows.Samples, effect.Effect, err)
				}
				f.Effect, f.Power, f.Queries = 0.1, 0, 2000
				if later, err := f.Solve(); err != nil || later.Power >= power.Power {
					t.Errorf("%s after 2000 looks: %v (%v)", f.Method(), later.Power, err)
				}
			}
		}
	}
}

func TestForecastsThatAreNone(t *testing.T) {
	for want, change := range map[string]func(*Gate){
		"feedback":     func(f *Gate) { f.Feedback, f.Passes, f.Bar = goal.Answers, 0, goal.Option{} },
		"query":        func(f *Gate) { f.Query, f.Bar = goal.Sensitive, goal.Option{} },
		"tau":          func(f *Gate) { f.Tau = 0.1 },
		"queries":      func(f *Gate) { f.Queries, f.Passes = 0, 0 },
		"beta":         func(f *Gate) { f.Beta = 0 },
		"threshold":    func(f *Gate) { f.Bar = goal.Option{} },
		"disagreement": func(f *Gate) { f.Query, f.Bar = goal.Difference, goal.Option{} },
		"rows":         func(f *Gate) { f.Sample = tail.Subset{Items: 1000} },
		"power":        func(f *Gate) { f.Power = 1 },
		"effect":       func(f *Gate) { f.Effect = 0.41 },
		"forecast":     func(f *Gate) { f.Power = 0.5 },
		"passes":       func(f *Gate) { f.Passes = 21 },
	} {
		f := better(goal.Binary, 100, 0.1, 0)
		change(&f)
		domain := (*theory.DomainError)(nil)
		if _, err := f.Solve(); !errors.As(err, &domain) || domain.Param != want {
			t.Errorf("%s: got %v", want, err)
		}
	}
	// Their truth is the greatest there is.
	for _, f := range []Gate{better(goal.Binary, 100, 0.2, 0), better(goal.Difference, 100, 0.2, 0)} {
		if f.Bar = goal.Some(0.8); f.Query == goal.Difference {
			f.Bar, f.Disagreement = goal.Some(0.1), 0.3
		}
		if a, err := f.Solve(); err != nil || !(a.Power > 0 && a.Power <= 1) {
			t.Errorf("%v above the bar %v: %v, %v", f.Effect, f.Bar.Value, a.Power, err)
		}
	}
	for want, f := range map[string]Gate{
		"no score can pass":  better(goal.Binary, 5, 0.1, 0),
		"more than 2^40":     better(goal.Binary, 0, 1e-8, 0.5),
		"no model passes so": better(goal.Binary, 40, 0, 0.9999999999999999),
	} {
		if want == "no model passes so" {
			f.Bar, f.Query, f.Disagreement = goal.Option{}, goal.Difference, 0.3
		}
		if _, err := f.Solve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// factorial is the logarithm of one.
func factorial(m int64) float64 { ln, _ := math.Lgamma(float64(m) + 1); return ln }

// exactPower sums the power of the exact binomial test of p0 at a level, where the truth is p1, from n successes down.
func exactPower(n int64, p0, p1, level float64) (power float64) {
	all, sum := factorial(n), 0.
	for k := n; k >= 0; k-- {
		ways, rest := all-factorial(k)-factorial(n-k), float64(n-k)
		if sum += math.Exp(ways + float64(k)*math.Log(p0) + rest*math.Log1p(-p0)); sum > level {
			break
		}
		power += math.Exp(ways + float64(k)*math.Log(p1) + rest*math.Log1p(-p1))
	}
	return power
}

// oneLookAt is a gate that one look is taken at, with a bar for counts.
func oneLookAt(bar, level float64) Gate {
	f := better(goal.Binary, 0, 0, 0)
	f.Queries, f.Bar, f.Beta = 1, goal.Some(bar), theory.LogProb(math.Log(level))
	return f
}

// One look at a bar is the exact binomial test, whose power is a sawtooth: at the bar 0.6 and the level 5%, 36 rows
// have the power 0.832 where the truth is 0.8, and 38 have 0.784. The rows that are found are the least from which on
// all have it, by sums up to 1,500 rows, at several levels, bars, truths and powers.
func TestRowsOfOneLookBySums(t *testing.T) {
	for n, want := range map[int64]float64{36: 0.8324, 38: 0.7845} {
		if got := exactPower(n, 0.6, 0.8, 0.05); math.Abs(got-want) > 1e-4 {
			t.Errorf("%d rows have the power %v", n, got)
		}
	}
	const most = 1500
	for _, c := range []struct{ bar, level, effect, power float64 }{
		{0.6, 0.05, 0.2, 0.8}, {0.5, 0.01, 0.1, 0.9}, {0.9, 0.05, 0.06, 0.8}, {0.02, 0.2, 0.05, 0.5}, {0.5, 0.05, 0.4, 0.99},
		{0.6, 0.05, 0.4, 0.9}, {0, 0.05, 0.01, 0.95}, {0.3, 0.4, 0.1, 0.7},
	} {
		f := oneLookAt(c.bar, c.level)
		f.Effect, f.Power = c.effect, c.power
		got, err := f.Solve()
		if err != nil {
			t.Fatal(c, err)
		}
		want := int64(most)
		for want > 1 && exactPower(want-1, max(c.bar, 1e-300), min(c.bar+c.effect, 1-1e-15), c.level) >= c.power {
			want--
		}
		if got.Samples != want || !(got.Reached >= c.power) {
			t.Errorf("%+v: got %d rows, want %d", c, got.Samples, want)
		}
	}
}

// The rows of every kind of gate are the least from which on the power is as great: of twice as many rows, and 60 more,
// each has it, and one row less has not.
func TestRowsHoldForMore(t *testing.T) {
	const power = 0.75
	var list []Gate
	for _, open := range []bool{false, true} {
		for _, bar := range []float64{-0.05, 0, 0.1} { // of differences, and 0.6 more of a score
			f := better(goal.Difference, 0, 0.2, power)
			f.Open, f.Bar = open, goal.Some(bar)
			list = append(list, f)
			for _, query := range []goal.Query{goal.Binary, goal.Bounded} {
				f := better(query, 0, 0.2, power)
				f.Open, f.Bar = open, goal.Some(0.6+bar)
				list = append(list, f)
			}
		}
		for _, duel := range []bool{false, true} {
			f := better(goal.Difference, 0, 0.2, power)
			f.Open, f.Tested, f.Duel = open, true, duel
			list = append(list, f)
		}
	}
	for _, f := range list {
		found, err := f.Solve()
		if err != nil {
			t.Fatal(err)
		}
		f.Power = 0
		for f.Samples = found.Samples - 1; f.Samples < 2*found.Samples+60; f.Samples++ {
			a, err := f.Solve()
			if enough := err == nil && a.Power >= power; enough != (f.Samples >= found.Samples) {
				t.Errorf("%+v: %d rows are found, %d have the power %v (%v)", f, found.Samples, f.Samples, a.Power, err)
			}
		}
	}
}

// The numbers of other programs for one look.
func TestForecastsOfOtherPrograms(t *testing.T) {
	// G*Power 3.1 manual, chapter 4, "Proportion - difference from constant": p0 = 0.65, g = 0.15, N = 20, alpha = 0.05,
	// one tail: critical N 17, power 0.411449.
	f := oneLookAt(0.65, 0.05)
	f.Samples, f.Effect = 20, 0.15
	if a, err := f.Solve(); err != nil || math.Abs(a.Power-0.411449) > 5e-7 || a.PassAt.Value != 17./20 {
		t.Errorf("the binomial test of the manual: got %v at %v (%v)", a.Power, a.PassAt.Value, err)
	}
	// SAS/STAT, The POWER Procedure, "Exact conditional McNemar test": the mean, over the number of discordant pairs, of
	// the power of the exact binomial test at 1/2. Of 50 pairs a share of 0.4 is discordant, and of these four in five are
	// won. G*Power 3.1 has 0.839343 for this case, one unit less in the fifth digit.
	f = better(goal.Difference, 50, 0.24, 0)
	f.Queries, f.Tested, f.Duel, f.Disagreement = 1, true, true, 0.4
	want := 0.
	for pairs := int64(0); pairs <= 50; pairs++ {
		ways := factorial(50) - factorial(pairs) - factorial(50-pairs)
		seen := math.Exp(ways + float64(pairs)*math.Log(0.4) + float64(50-pairs)*math.Log(0.6))
		want += seen * exactPower(pairs, 0.5, 0.8, 0.05)
	}
	if a, err := f.Solve(); err != nil || math.Abs(a.Power-want) > 1e-9 {
		t.Errorf("the McNemar test: got %v, want %v (%v)", a.Power, want, err)
	}
	// The vignette of the R package pwr: pwr.p.test(h = ES.h(p1 = 0.75, p2 = 0.50), sig.level = 0.05, power = 0.80,
	// alternative = "greater") finds n = 22.55126, and with sig.level = 0.01, n = 40 the power 0.8377325. They are of the
	// normal law after an arcsine, (z_a + z_b)^2/h^2, where a count is at its level only by chance.
	h := 2*math.Asin(math.Sqrt(0.75)) - 2*math.Asin(math.Sqrt(0.5))
	if n := math.Pow((1.6448536270+0.8416212336)/h, 2); math.Abs(n-22.55126) > 1e-5 {
		t.Errorf("pwr's formula gives %v rows", n)
	}
	f = oneLookAt(0.5, 0.05)
	f.Effect, f.Power = 0.25, 0.8
	if a, err := f.Solve(); err != nil || a.Samples < 23 || a.Samples > 30 {
		t.Errorf("pwr's 23 rows: got %d (%v)", a.Samples, err)
	}
	f = oneLookAt(0.5, 0.01)
	f.Samples, f.Effect = 40, 0.25
	if a, err := f.Solve(); err != nil || math.Abs(a.Power-0.8377) > 0.03 {
		t.Errorf("pwr's power 0.8377: got %v (%v)", a.Power, err)
	}
	// Hanley and McNeil 1982, page 31: the area 0.893 of 51 abnormal and 58 normal images has the standard error 0.032.
	f = Gate{Goal: goal.Goal{Samples: 109, Sample: tail.Classes{Positives: 51, Negatives: 58}}}
	if se := math.Sqrt(f.variance(0.893)); math.Abs(se-0.0325) > 5e-4 {
		t.Errorf("the standard error of an area: got %v", se)
	}
}

// Clusters and classes follow the normal law: clusters that are all alike inside vary as rows do, others less, the rows
// that are found are enough and one less is not, and classes keep their ratio.
func TestForecastsOfClustersAndClasses(t *testing.T) {
	f := better(goal.Bounded, 0, 0.1, 0.8)
	rows, err := f.Solve()
	if err != nil || rows.IsExact() {
		t.Fatal(err)
	}
	last := rows.Samples + 1
	for _, spread := range []float64{1, 0.5, 0.1} {
		f.Spread = spread
		a, err := f.Solve()
		if err != nil || a.Samples >= last || spread == 1 && a.Samples != rows.Samples {
			t.Errorf("clusters with the spread %v: got %d after %d (%v)", spread, a.Samples, last, err)
		}
		last = a.Samples
	}
	f.Spread, f.Sample = 0, tail.Classes{Positives: 100, Negatives: 900}
	a, err := f.Solve()
	if err != nil {
		t.Fatal(err)
	}
	if c := a.Sample.(tail.Classes); c.Positives+c.Negatives != a.Samples || c.Positives != a.Samples/10 {
		t.Errorf("got %+v of %d rows", c, a.Samples)
	}
	for n := a.Samples - 1; n <= a.Samples; n++ {
		g := f
		g.Samples, g.Sample, g.Power = n, inRatio(tail.Classes{Positives: 100, Negatives: 900}, n), 0
		if b, err := g.Solve(); err != nil || (b.Power >= 0.8) != (n == a.Samples) {
			t.Errorf("%d rows of %d: %v (%v)", n, a.Samples, b.Power, err)
		}
	}
	f.Spread, f.Sample = 0.5, nil
	f.Query, f.Disagreement, f.Bar, f.Tested = goal.Difference, 0.4, goal.Option{}, true
	if _, err := f.Solve(); err == nil || !strings.Contains(err.Error(), "clusters") {
		t.Errorf("a test of clusters: got %v", err)
	}
}
