package transfer

import (
	"errors"
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/open"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// gateOf is a gate of a ratio for 20 looks at the bar 0.6, which is retired at its first pass.
func gateOf(both, share float64) Goal {
	g := Goal{Queries: 20, Tau: 0.1, Beta: theory.LogProb(math.Log(0.2))}
	g.Ratio = Ratio{Both: both, FalsePositive: 1, FalseNegative: 1, Share: share}
	g.Feedback, g.Passes, g.Bar = Gate, 1, Some(0.6)
	return g
}

// coins are the probabilities of the counts of n rows with one probability.
func coins(n int64, p float64) (list []float64) {
	for k := range n + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		list = append(list, math.Exp(a-b-c+float64(k)*math.Log(p)+float64(n-k)*math.Log1p(-p)))
	}
	return list
}

// What a plan for a gate of a ratio promises, of models whose rows are alike in each of two kinds, by sums over all
// counts: at the bar such a model passes with no more than a twentieth of beta, and where its ratio is 2 tau above the
// bar it fails with no more. Neither is much less for all of them.
func TestPlansOfRatiosBySums(t *testing.T) {
	for _, both := range []float64{1, 2} {
		for _, share := range []float64{0.2, 0.5} {
			a, err := gate.Solve(gateOf(both, share))
			if err != nil || a.Status != OK {
				t.Fatal(a.Status, a.Reason, err)
			}
			level, n := math.Exp(a.Beta.Ln())/20, float64(a.Samples)
			m := int64(share * n * (1 + 1e-12))
			cut, ok := solver.RatioGate(a.Ratio, a.Samples, 0.6).Pass(0.6, math.Log(level)*(1+1e-14))
			if !ok || a.TauAchieved > a.Tau || a.TauAchieved < 0.98*a.Tau {
				t.Errorf("%v on %v: %+v", both, share, a)
			}
			most := map[bool]float64{}
			for i := range 60 {
				for pass, truth := range map[bool]float64{true: 0.6, false: 0.6 + 2*a.TauAchieved} {
					right := float64(i+1) / 61 // of the rows predicted positive
					// both right = truth (both right + 1 - right + missed), missed rows for each predicted positive
					missed := both*right/truth - both*right - (1 - right)
					other := missed * float64(m) / (n - float64(m)) // of the rows predicted negative
					if !(other >= 0 && other <= 1) {
						continue
					}
					wrong := 0.
					misses := coins(a.Samples-m, other)
					for tp, p := range coins(m, right) {
						for fn, q := range misses {
							sum := both*float64(tp)*0.4 - 0.6*(float64(m)-float64(tp)+float64(fn))
							if p*q > 0 && (sum >= n*cut) == pass {
								wrong += p * q
							}
						}
					}
					if most[pass] = max(most[pass], wrong); !(wrong <= level) {
						t.Errorf("%v on %v: a model of %v that is right on %v is wrong with probability %v, want %v", both, share, truth, right, wrong, level)
					}
				}
			}
			if !(most[true] > level/20 && most[false] > level/20) {
				t.Errorf("%v on %v: wrong with probability %v at most, allowed is %v", both, share, most, level)
			}
		}
	}
}

// Fewer rows that are predicted positive, more looks, a lesser tau and a lesser beta take more rows, and the four
// unknowns agree. An open plan for one look is the look that a ledger takes.
func TestPlansOfRatiosAgree(t *testing.T) {
	for _, m := range []Method{gate, openGate} {
		g := gateOf(2, 0.3)
		g.Open = m.IsOpen()
		a, err := m.Solve(g)
		if err != nil || a.Status != OK {
			t.Fatal(a.Status, err)
		}
		for name, change := range map[string]func(g *Goal){
			"positives": func(g *Goal) { g.Ratio.Share = 0.1 }, "queries": func(g *Goal) { g.Queries = 200 },
			"passes": func(g *Goal) { g.Passes = 3 }, "tau": func(g *Goal) { g.Tau = 0.05 }, "beta": func(g *Goal) { g.Beta -= 2 },
		} {
			more := g
			change(&more)
			if b, err := m.Solve(more); err != nil || b.Samples <= a.Samples {
				t.Errorf("%s, %s: got %d rows after %d (%v)", m.Name, name, b.Samples, a.Samples, err)
			}
		}
		for u, forget := range map[Unknown]func(g *Goal){
			Tau: func(g *Goal) { g.Tau = 0 }, Beta: func(g *Goal) { g.Beta = 0 }, Queries: func(g *Goal) { g.Queries = 0 },
		} {
			asked := a.Goal
			forget(&asked)
			b, err := m.Solve(asked)
			if ok, _ := m.Certifies(b.Goal); err != nil || !ok || b.Tau > a.Tau || b.Beta > a.Beta || b.Queries < a.Queries {
				t.Errorf("%s, %v: got %+v (%v)", m.Name, u, b, err)
			}
		}
	}
	g := gateOf(2, 0.3)
	g.Queries, g.Open = 1, true
	a, err := openGate.Solve(g)
	ratio := open.Ratio{Rows: a.Samples, Positive: int64(0.3*float64(a.Samples) + 1e-9)}
	ratio.Adds = open.Adds{Both: 2, FalsePositive: 1, FalseNegative: 1}
	tails := open.RatioGate{Ratio: ratio, Bar: 0.6}
	root := open.Node{LnBeta: g.Beta.Ln()}
	look, none := open.Gate(root, tails, 0.6, open.Usual().Share(0, 0, math.Inf(1)))
	if err != nil || none != nil {
		t.Fatal(err, none)
	}
	if _, upper := look.Interval(root, tails, 0); math.Abs(upper-0.6-2*a.TauAchieved) > 1e-11 {
		t.Errorf("a failure says at most %v, the plan %v", upper, 0.6+2*a.TauAchieved)
	}
}

// No plan speaks of a ratio that is not taught to, and what makes no sense with one is refused.
func TestRatiosThatHaveNoPlan(t *testing.T) {
	taught := map[string]bool{"gate": true, "open-gate": true}
	for _, m := range Methods() {
		g := gateOf(2, 0.3)
		g.Open = m.IsOpen()
		want := NotApplicable
		if taught[m.Name] {
			want = OK
		}
		if a, err := m.Solve(g); err != nil || a.Status != want {
			t.Errorf("%s: got %v, %s (%v)", m.Name, a.Status, a.Reason, err)
		}
		if proof, _ := m.Proven(Answer{Goal: g}); taught[m.Name] && proof != Derived {
			t.Errorf("%s: the proof is %s", m.Name, proof)
		}
	}
	for want, change := range map[string]func(g *Goal){
		"positives":  func(g *Goal) { g.Ratio.Share = 1 },
		"query":      func(g *Goal) { g.Query = Binary },
		"feedback":   func(g *Goal) { g.Feedback = Best },
		"one-sided":  func(g *Goal) { g.OneSided = true },
		"range":      func(g *Goal) { g.Range = Range{From: 0, To: 2} },
		"rows":       func(g *Goal) { g.Sample = Subset{Items: 1000} },
		"variance":   func(g *Goal) { g.Variance = 0.1 },
		"threshold":  func(g *Goal) { g.Bar = Option{} },
		"threshold ": func(g *Goal) { g.Bar = Some(0) },
	} {
		g := gateOf(2, 0.3)
		change(&g)
		domain := (*theory.DomainError)(nil)
		if _, err := gate.Solve(g); !errors.As(err, &domain) || domain.Param != want[:len(domain.Param)] {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
