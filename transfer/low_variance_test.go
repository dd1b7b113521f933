package transfer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/theory"
)

// moments are goals whose queries have a small second moment, and what their rows are said to assume.
var moments = []struct {
	goal    Goal
	assumes string
}{
	{Goal{Query: Difference, Known: Known{Disagreement: 0.1}}, "0 on all but the share 0.1 of the population"},
	{Goal{Query: Difference, Known: Known{Disagreement: 0.1, Checked: true}}, "share 0.1 of the sample's rows differ"},
	{Goal{Query: Binary, Known: Known{AtLeast: 0.9}}, "population value of at least 0.9"},
	{Goal{Query: Binary, Known: Known{AtLeast: 0.9, Checked: true}}, "accuracy on the sample is below 0.9"},
	{Goal{Known: Known{Variance: 0.05}}, "variance of at most 0.05"},
}

// Every unknown is solved for by the bound, the row says so, and its noise is certified query by query.
func TestLowVarianceAnswersEveryUnknown(t *testing.T) {
	for _, name := range []string{"gaussian-schedule", "gaussian"} {
		m, _ := Lookup(name)
		for _, c := range moments {
			full := c.goal
			full.Queries, full.Tau, full.Beta = 12, 0.03, lp("0.05")
			plain := full
			plain.Known = Known{}
			wide, err := m.Solve(plain)
			if err != nil {
				t.Fatal(err)
			}
			least, err := m.Solve(full)
			if err != nil || least.Status != OK || !(float64(least.Samples) < 0.7*float64(wide.Samples)) {
				t.Fatalf("%s %+v: %+v, %v; without the bound %d", name, full, least, err, wide.Samples)
			}
			full.Samples = least.Samples
			for _, forget := range []func(*Goal){
				func(*Goal) {}, func(g *Goal) { g.Queries = 0 }, func(g *Goal) { g.Tau = 0 }, func(g *Goal) { g.Beta = 0 },
			} {
				g := full
				forget(&g)
				a, err := m.Solve(g)
				if err != nil || a.Status != OK || !(a.TauAchieved <= full.Tau) || a.Queries < 12 || a.Beta.Ln() > full.Beta.Ln() {
					t.Errorf("%s %+v: %+v, %v", name, g, a, err)
					continue
				}
				_, assumes := m.Rests(a)
				if !a.Mechanism.LowVariance || !strings.Contains(strings.Join(assumes, "; "), c.assumes) {
					t.Errorf("%s %+v assumes %q", name, g, assumes)
				}
				if total := certifiedBy(t, a); total > a.Beta.Ln()*(1-1e-6) {
					t.Errorf("%s %+v: the noise is certified at %g, not %g", name, g, math.Exp(total), a.Beta.Value())
				}
			}
		}
	}
}

// certifiedBy is ln of the least beta at which the noise of an answer is certified, the shares chosen anew.
func certifiedBy(t *testing.T, a Answer) float64 {
	t.Helper()
	plan := momentPlan(a.Goal)
	plan.Tau = a.TauAchieved
	if a.Mechanism.Schedule == nil {
		return plan.EvenErrors(a.Mechanism.Scale, 0)
	}
	beta, err := plan.Certified(slices.Collect(plan.Blocks()))
	if err != nil {
		t.Fatal(err)
	}
	return beta.Ln()
}

// Where the second moment is no help the joint bound answers, and the row does not say that it was of use.
func TestWithoutABoundTheJointBoundAnswers(t *testing.T) {
	m, _ := Lookup("gaussian-schedule")
	g := Goal{Queries: 10, Tau: 0.1, Beta: -3, Query: Difference}
	a, err := m.Solve(g)
	if _, assumes := m.Rests(a); err != nil || a.Mechanism.LowVariance || len(assumes) != len(m.Assumes) {
		t.Errorf("%+v, %v: assumes %q", a, err, assumes)
	}
	for _, name := range []string{"rounding", "hoeffding", "gaussian-cvar"} { // which keep their row
		other, _ := Lookup(name)
		with := Goal{Queries: 10, Tau: 0.1, Beta: -3, Query: Binary, Known: Known{AtLeast: 0.9}}
		without := with
		without.AtLeast = 0
		a, err := other.Solve(with)
		b, err2 := other.Solve(without)
		if err != nil || err2 != nil || a.Samples != b.Samples || a.Mechanism.LowVariance {
			t.Errorf("%s: %d with a bound, %d without", name, a.Samples, b.Samples)
		}
	}
}

// The blocks of an answer are the noise of its plan.
func TestLowVarianceNoise(t *testing.T) {
	m, _ := Lookup("gaussian-schedule")
	a, err := m.Solve(Goal{Queries: 40, Tau: 0.03, Beta: -3, Query: Difference, Known: Known{Disagreement: 0.05}})
	if err != nil {
		t.Fatal(err)
	}
	var first, last float64
	queries := int64(0)
	for block := range a.Noise() {
		if queries == 0 {
			first = block.Scale
		}
		queries, last = queries+block.Queries, block.Scale
	}
	if queries != 40 || first != a.Mechanism.ScaleFirst || last != a.Mechanism.Scale ||
		a.Mechanism.Noise != theory.GaussianNoise {
		t.Errorf("%+v: %d queries, from %g to %g", a.Mechanism, queries, first, last)
	}
}

// Noise of one's own is certified by the bound that says more, and the noise of a plan at the plan's beta, however its
// equal answers are put together.
func TestCertifyNoise(t *testing.T) {
	for _, name := range []string{"gaussian-schedule", "gaussian"} {
		m, _ := Lookup(name)
		for _, c := range moments {
			for _, queries := range []int64{1, 2, 20, 400} {
				g := c.goal
				g.Queries, g.Tau, g.Beta = queries, 0.03, lp("0.05")
				a, err := m.Solve(g)
				if err != nil {
					t.Fatal(err)
				}
				var noise []theory.NoiseBlock
				for block := range a.Noise() {
					if end := len(noise) - 1; end >= 0 && noise[end].Scale == block.Scale {
						noise[end].Queries += block.Queries
					} else {
						noise = append(noise, block)
					}
				}
				own := Answer{Goal: a.Goal}
				if err := own.CertifyNoise(noise); err != nil || own.Beta > g.Beta || queries > 1 && !own.Mechanism.LowVariance {
					t.Errorf("%s %+v: %v, %v", name, g, own.Beta, err)
				}
				own.Known = Known{}
				if err := own.CertifyNoise(noise); err != nil || own.Mechanism.LowVariance {
					t.Errorf("%s %+v without the bound: %v, %v", name, g, own.Beta, err)
				}
				noise[0].Scale = -1
				if err := own.CertifyNoise(noise); err == nil {
					t.Error("negative noise is certified")
				}
			}
		}
	}
}

// Nothing at the ends of the domains breaks the solvers.
func TestLowVarianceAtTheEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(141, 1))
	for range 20 {
		g := Goal{
			Samples: int64(math.Exp(r.Float64() * math.Log(MaxCount))),
			Queries: int64(math.Exp(r.Float64() * math.Log(MaxCount))),
			Tau:     0.99 * math.Pow(10, -300*math.Pow(r.Float64(), 6)), Beta: theory.LogProb(-math.Pow(10, -5+10*r.Float64())),
		}
		switch share := math.Pow(10, -300*math.Pow(r.Float64(), 6)); r.IntN(3) {
		case 0:
			g.Query, g.Disagreement, g.Checked = Difference, share, r.IntN(2) == 0
		case 1:
			g.Query, g.AtLeast = Binary, math.Nextafter(1-share*0.49, 0.6)
		default:
			g.Variance = share / 4
		}
		[]func(){
			func() { g.Samples = 0 }, func() { g.Queries = 0 }, func() { g.Tau = 0 }, func() { g.Beta = 0 }, func() {},
		}[r.IntN(5)]()
		for _, name := range []string{"gaussian-schedule", "gaussian"} {
			m, _ := Lookup(name)
			a, err := m.Solve(g)
			if sum := a.Tau + a.TauAchieved + a.Mechanism.Scale + a.Beta.Ln(); err != nil || math.IsNaN(sum) {
				t.Errorf("%s %+v: %+v, %v", name, g, a, err)
			}
		}
	}
}

// Noise that may fall never asks for more than even noise does.
func TestScheduleIsNeverWorseThanEvenNoise(t *testing.T) {
	falling, _ := Lookup("gaussian-schedule")
	even, _ := Lookup("gaussian")
	solved := func(m Method, g Goal) Answer {
		a, err := m.Solve(g)
		if err != nil || a.Status != OK {
			t.Fatalf("%s %+v: %+v, %v", m.Name, g, a, err)
		}
		return a
	}
	for _, c := range moments {
		for queries := range int64(3) {
			for _, beta := range []string{"0.001", "0.05", "0.3"} {
				g := c.goal
				g.Queries, g.Tau, g.Beta = queries+1, 0.05, lp(beta)
				f, e := solved(falling, g), solved(even, g)
				if f.Samples > e.Samples || f.TauAchieved > g.Tau {
					t.Errorf("%+v: %d rows and tau %v, with even noise %d", g, f.Samples, f.TauAchieved, e.Samples)
				}
				g.Samples, g.Tau = e.Samples, 0
				if f, e := solved(falling, g), solved(even, g); f.TauAchieved > e.TauAchieved {
					t.Errorf("%+v: tau %v, with even noise %v", g, f.TauAchieved, e.TauAchieved)
				}
				g.Tau, g.Beta = 0.05, 0
				if f, e := solved(falling, g), solved(even, g); f.Beta > e.Beta {
					t.Errorf("%+v: beta %v, with even noise %v", g, f.Beta, e.Beta)
				}
			}
		}
	}
}

// A promise about one side asks for fewer rows, and its noise is certified for that side alone.
func TestLowVarianceOneSided(t *testing.T) {
	for _, name := range []string{"gaussian-schedule", "gaussian"} {
		m, _ := Lookup(name)
		for _, c := range moments {
			g := c.goal
			g.Queries, g.Tau, g.Beta = 10, 0.03, lp("0.05")
			both, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			g.OneSided = true
			above, err := m.Solve(g)
			if err != nil || !above.Mechanism.LowVariance || !(above.Samples < both.Samples) {
				t.Errorf("%s %+v: %d rows, %d for both sides, %v", name, g, above.Samples, both.Samples, err)
			}
			var noise []theory.NoiseBlock
			for block := range above.Noise() {
				for range block.Queries {
					noise = append(noise, theory.NoiseBlock{Queries: 1, Scale: block.Scale})
				}
			}
			one, two := Answer{Goal: above.Goal}, Answer{Goal: above.Goal}
			one.Beta, two.Beta, two.OneSided = 0, 0, false // no certificate ends at what was promised
			if one.CertifyNoise(noise) != nil || two.CertifyNoise(noise) != nil || one.Beta > lp("0.0505") || !(two.Beta > one.Beta) {
				t.Errorf("%s %+v: its noise is certified at %v, and at %v for both sides", name, g, one.Beta, two.Beta)
			}
		}
	}
}

// Half of a difference with a known mean square is a query of known variance: its noise is certified as that is, and it
// takes fewer rows than without.
func TestSecondMomentOfNoisyAnswers(t *testing.T) {
	for _, m := range []Method{gaussianSchedule, gaussian} {
		g := Goal{Query: Difference, Queries: 8, Tau: 0.1, Beta: lp("0.05"), Known: Known{SecondMoment: 0.05}}
		a, err := m.Solve(g)
		if err != nil || a.Status != OK || !a.Mechanism.LowVariance {
			t.Fatalf("%s: %+v, %v", m.Name, a, err)
		}
		plain := Goal{Queries: 8, Tau: 0.05, Beta: lp("0.05"), Known: Known{Variance: 0.0125}}
		if b, err := m.Solve(plain); err != nil || b.Samples != a.Samples {
			t.Errorf("%s: %d rows, for half of it %d, %v", m.Name, a.Samples, b.Samples, err)
		}
		if total := certifiedBy(t, a); total > a.Beta.Ln()*(1-1e-6) {
			t.Errorf("%s: the noise is certified at e^%g", m.Name, total)
		}
	}
}

// What is known of a variance is used by gates, finalists, flags and boards, at the numbers that were reckoned for it.
func TestKnownMomentsOfLooksWithoutNoise(t *testing.T) {
	looks := Goal{Samples: 400, Queries: 20, Beta: lp("0.05"), Shown: Shown{Feedback: Gate, Passes: 1}}
	for _, c := range []struct {
		m     Method
		set   func(*Goal)
		below float64 // tau
		plain float64 // tau without it, about
	}{
		{gate, func(g *Goal) { g.Variance = 0.01 }, 0.0218, 0.0865},
		{gate, func(g *Goal) { g.Query, g.SecondMoment = Difference, 0.13 }, 0.0673, 0.173},
		{gate, func(g *Goal) { g.Query, g.AtLeast = Binary, 0.99 }, 0.0218, 0.0848},
		{sealed, func(g *Goal) { g.Feedback, g.Passes, g.Variance = Final, 0, 0.01 }, 0.0232, 0.0913},
		{sparseValidate, func(g *Goal) { g.Feedback, g.Passes, g.Budget, g.Variance = Flags, 0, 2, 0.01 }, 0.13, 0.397},
		{ladder, func(g *Goal) { g.Query, g.Feedback, g.Passes, g.AtLeast = Binary, Best, 0, 0.8 }, 0.09, 0.14},
		{openGate, func(g *Goal) { g.Open, g.Variance = true, 0.01 }, 0.03, 0.08},
	} {
		g := looks
		c.set(&g)
		a, err := c.m.Solve(g)
		if err != nil || a.Status != OK || !(a.Tau <= c.below) {
			t.Errorf("%s %+v: tau %v %s, %v, want at most %v", c.m.Name, g.Shown, a.Tau, a.Reason, err, c.below)
		}
		if _, assumes := c.m.Rests(a); len(assumes) <= len(c.m.Assumes) {
			t.Errorf("%s %+v: does not say what is known", c.m.Name, g.Shown)
		}
		g.Variance, g.SecondMoment, g.AtLeast = 0, 0, 0
		if a, err = c.m.Solve(g); err != nil || math.Abs(a.Tau/c.plain-1) > 0.3 {
			t.Errorf("%s %+v: tau %v %s, %v, want about %v", c.m.Name, g.Shown, a.Tau, a.Reason, err, c.plain)
		}
	}
}

// A schedule is certified at its own beta, or below, whether the beta is told or not, and the inequality of the page
// holds at what is certified without it.
func TestASchedulesBetaIsFound(t *testing.T) {
	picker := lawtest.Pick(t)
	for _, g := range []Goal{
		{Queries: 20, Tau: 0.05, Beta: lp("1e-10"), Known: Known{Variance: 0.01}},
		{Queries: 100, Tau: 0.05, Beta: lp("1e-60"), Known: Known{Variance: 0.01}},
		{Queries: 100, Tau: 0.05, Beta: lp("1e-200"), Known: Known{Variance: 0.01}},
		{Queries: 100, Tau: 0.05, Beta: lp("0.05"), Known: Known{Variance: 0.01}},
		{Queries: 20, Tau: 0.05, Beta: lp("1e-10"), Query: Difference, Known: Known{Disagreement: 0.05}},
		{Queries: 20, Tau: 0.05, Beta: lp("1e-8"), Query: Difference, Shown: Shown{OneSided: true},
			Known: Known{Disagreement: 0.05}},
		{Queries: 20, Tau: 0.05, Beta: lp("1e-10"), Query: Binary, Known: Known{AtLeast: 0.95}},
		{Queries: 3, Tau: 0.05, Beta: lp("1e-10"), Query: Binary, Known: Known{AtLeast: 0.95}},
		{Queries: 3, Tau: 0.05, Beta: lp("0.3"), Known: Known{Variance: 0.02}},
	} {
		for _, m := range []Method{gaussianSchedule, gaussian} {
			name := fmt.Sprintf("%s, %v, %d queries, beta %v", m.Name, g.Query, g.Queries, g.Beta)
			if !picker.Takes(name, m.Name, g.Query.String(), fmt.Sprint(g.OneSided)) {
				continue
			}
			a, err := m.Solve(g)
			if err != nil || !a.Mechanism.LowVariance {
				t.Fatalf("%s: %v", told(a), err)
			}
			told := a
			told.Beta = 0
			err = told.CertifyNoise(slices.Collect(a.Noise()))
			if err != nil || !told.Mechanism.LowVariance || told.Beta > g.Beta {
				t.Errorf("%s, %+v: certified at %v, %v", m.Name, g, told.Beta, err)
			}
			if g.Queries <= 3 && !lowVarianceHolds(told) {
				t.Errorf("%s, %+v: the page's inequality does not hold at %v", m.Name, g, told.Beta)
			}
		}
	}
}
