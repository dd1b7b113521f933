package transfer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// With rows to spare, tau_achieved is what the printed mechanism reaches, by the
// theorem as it is stated.
func TestAchievedByWhatIsPrinted(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*want }
	for range 300 {
		g := Goal{
			Queries: 2 + r.Int64N(1000), Tau: 0.05 + r.Float64()/3,
			Beta: lp("0.05"), Budget: 1, Epsilon: 0,
		}
		m, n, level := float64(g.Queries), 0.0,
			func(c float64) float64 { return math.Log(c*float64(g.Queries)) - g.Beta.Ln() }
		solved := func(name string) Answer {
			method, _ := Lookup(name)
			plan, err := method.Solve(g)
			if err != nil || plan.Status != OK {
				t.Fatalf("%s %+v: %+v, %v", name, g, plan, err)
			}
			plan.Goal.Samples = int64(float64(plan.Samples) * (1 + 9*r.Float64()))
			a, err := method.Solve(plan.Goal)
			if err != nil || a.Status != OK || a.TauAchieved > g.Tau {
				t.Fatalf("%s %+v: %+v, %v", name, plan.Goal, a, err)
			}
			n = float64(a.Samples)
			return a
		}
		a := solved("rounding")
		l := float64(a.Mechanism.Cells)
		if want := 1/(2*l) + math.Sqrt((level(2)+(m-1)*math.Log(l))/(2*n)); !near(a.TauAchieved, want) {
			t.Errorf("rounding %+v: tau %v, %v cells reach %v", a.Goal, a.TauAchieved, l, want)
		}
		a = solved("thresholdout-dwork15")
		if !near(a.Mechanism.Threshold, 0.75*a.TauAchieved) || !near(a.Mechanism.Scale, a.TauAchieved/(96*level(4))) {
			t.Errorf("thresholdout-dwork15 %+v: tau %v with %+v", a.Goal, a.TauAchieved, a.Mechanism)
		}
		a = solved("dp")
		if want := math.Tanh(a.Mechanism.Epsilon/4) + math.Sqrt(level(2)/(2*n)); !near(a.TauAchieved, want) ||
			a.Mechanism.Epsilon != g.Tau {
			t.Errorf("dp %+v: tau %v, epsilon %v reaches %v", a.Goal, a.TauAchieved, a.Mechanism.Epsilon, want)
		}
		a = solved("dp-maxinfo")
		if !(a.Mechanism.Epsilon <= a.TauAchieved*a.TauAchieved) {
			t.Errorf("dp-maxinfo %+v: epsilon %v at tau %v", a.Goal, a.Mechanism.Epsilon, a.TauAchieved)
		}
		a = solved("dp-approx-dwork15")
		if !(a.Mechanism.Epsilon <= a.TauAchieved/4 && a.Mechanism.LnDelta.Ln() <= 4/a.TauAchieved*-level(8)*(1-1e-12)) {
			t.Errorf("dp-approx-dwork15 %+v: %+v at tau %v", a.Goal, a.Mechanism, a.TauAchieved)
		}
	}
}

// Where beta is solved for, what is printed reaches the tau that was asked for.
func TestAchievedAtTheLeastBeta(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	goals := []Goal{{Samples: 1000, Queries: 10, Tau: 0.2}}
	for range lawtest.Draws(t, 60) {
		goals = append(goals, Goal{
			Samples: 200 + r.Int64N(20000), Queries: 1 + r.Int64N(300), Tau: 0.05 + r.Float64()/4, Budget: 1,
			Shown: Shown{OneSided: r.IntN(4) == 0},
		})
	}
	for _, g := range goals {
		for _, m := range Methods() {
			a, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status == OK && !(a.TauAchieved <= g.Tau) {
				t.Errorf("%s %+v: beta %v, tau %v", m.Name, g, a.Beta, a.TauAchieved)
			}
		}
	}
}

// What is achieved is never more than what was asked for, and where nothing can go wrong the row says so.
func TestAchievedIsWithinTheGoal(t *testing.T) {
	one := Shown{OneSided: true}
	for _, g := range []Goal{
		{Queries: 5, Tau: 8.918723372577733e-06, Beta: theory.LogProb(math.Log(0.00655)), Query: Binary, Shown: one},
		{Queries: 7, Tau: 1.2345e-06, Beta: theory.LogProb(math.Log(0.01)), Query: Binary},
		{Queries: 1.8e14, Tau: 0.9, Beta: theory.LogProb(math.Log(0.05)), Shown: Shown{Feedback: Gate}},
	} {
		for _, m := range Methods() {
			a, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status == OK && a.TauAchieved > a.Tau {
				t.Errorf("%s %+v: tau achieved %v", m.Name, g, a.TauAchieved)
			}
		}
	}
	g := Goal{Queries: 1, Samples: 1, Tau: 0.01, Beta: -70, Query: Difference,
		Shown: Shown{Feedback: Gate, OneSided: true, Bar: Some(-0.9)}, Known: Known{Disagreement: 0.001}}
	m, _ := Lookup("gate")
	if a, err := m.Solve(g); err != nil || a.Status != OK || a.Reason != noneCanPass {
		t.Errorf("%+v, %v", a, err)
	}
	g = Goal{Queries: 8, Samples: 100, Tau: 0.01, Beta: -5, Query: Binary,
		Shown: Shown{Feedback: Gate, OneSided: true, Bar: Some(0)}}
	if a, err := m.Solve(g); err != nil || a.Status != OK || a.Reason != noneCanPass {
		t.Errorf("%+v, %v", a, err)
	}
	g.Tau = 0
	if a, err := m.Solve(g); err != nil || a.Status != Vacuous || a.Reason != noneCanPass {
		t.Errorf("%+v, %v", a, err)
	}
}

// One side of what a private procedure puts out needs half the failures: 300 rows by max-information for one function
// at tau .1 and beta .05, and 369 for both sides. By enumeration of the counts of n records, a private choice between a
// value and its complement exceeds its truth by more than tau no oftener than the one-sided inequality allows.
func TestOneSideOfPrivateOutput(t *testing.T) {
	for name, want := range map[string][2]int64{"dp-maxinfo": {369, 300}, "dp-dwork15": {479, 410}, "dp": {328, 267}} {
		m, _ := Lookup(name)
		for i, rows := range want {
			g := Goal{Queries: 1, Tau: 0.1, Beta: lp("0.05"), Shown: Shown{OneSided: i == 1}}
			if a, err := m.Solve(g); err != nil || a.Samples != rows || m.Used(a).OneSided != g.OneSided {
				t.Errorf("%s, one-sided %v: %d rows, %v, want %d", name, g.OneSided, a.Samples, err, rows)
			}
		}
	}
	for _, n := range []int64{10, 40, 160} {
		for _, tau := range []float64{0.1, 0.2, 0.4} {
			for _, c := range []struct{ name, epsilon string }{{"dp-maxinfo", "tau^2"}, {"dp", "tau"}, {"dp-dwork15", "tau"}} {
				m, _ := Lookup(c.name)
				a, err := m.Solve(Goal{Samples: n, Queries: 1, Tau: tau, Shown: Shown{OneSided: true}})
				if err != nil || a.Status == NotApplicable {
					t.Fatal(err)
				}
				allowed := 1.0
				if a.Status == OK {
					allowed = a.Beta.Value()
				}
				for _, p := range []float64{0.5, 0.3, 0.1} {
					exceeds := 0.0
					for k := int64(0); k <= n; k++ {
						mean := float64(k) / float64(n)
						chosen := 1 / (1 + math.Exp(a.Mechanism.Epsilon*float64(n)*(1-2*mean)/2)) // of the value
						law := math.Exp(num.Binomial{N: n, P: p}.LnPMF(k))
						if mean-p > tau {
							exceeds += law * chosen
						}
						if p-mean > tau {
							exceeds += law * (1 - chosen)
						}
					}
					if exceeds > allowed {
						t.Errorf("%s, %d records of mean %v, tau %v: it exceeds with probability %v, %v is allowed", c.name, n, p, tau, exceeds, allowed)
					}
				}
			}
		}
	}
}
