package transfer

import (
	"math"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/theorem"
)

// samplesize.csv holds independent 40-digit values: a column per method with its n,
// NAME.ln_delta and NAME.noise_scale with what to run, and NAME.upper with an n that
// the optimum must not exceed.
func TestSampleSizeVectors(t *testing.T) {
	checked := map[string]int{}
	for _, row := range vectors.Rows(t, "samplesize.csv") {
		g := Goal{
			Queries: int64(row.Float(t, "queries")), Tau: row.Float(t, "tau"),
			Beta: lp(row["beta"]), Budget: int64(row.Float(t, "budget")),
		}
		for column := range row {
			name, part, _ := strings.Cut(column, ".")
			m, ok := Lookup(name)
			if !ok {
				continue
			}
			a, err := m.Solve(g)
			if part == "" || part == "upper" {
				checked[name]++
			}
			if m.NeedsBudget() && g.Budget > g.Queries {
				if err != nil || a.Status != NotApplicable {
					t.Errorf("%s %+v: %+v, %v; want not applicable", name, g, a, err)
				}
				continue
			}
			if err != nil || a.Status != OK {
				t.Errorf("%s %+v: %+v, %v", name, g, a, err)
				continue
			}
			want := row.Float(t, column)
			switch part {
			case "":
				slack := int64(0)
				if _, free := m.rule.(solver.Optimised); free {
					slack = 1
				}
				if n := a.Samples - int64(want); n < 0 || n > slack {
					t.Errorf("%s %+v: n = %d, want %.0f", name, g, a.Samples, want)
				}
			case "upper":
				// The reference for gaussian is an older theorem, which the joint bound sharpens;
				// TestScheduleNeeds has the numbers of the new one.
				least := 0.98
				if name == "gaussian" {
					least = 0
				}
				if float64(a.Samples) > want || float64(a.Samples) < least*want {
					t.Errorf("%s %+v: n = %d, want at most %.0f and no less than %v of it", name, g, a.Samples, want, least)
				}
			case "ln_delta":
				if got := a.Mechanism.LnDelta.Ln(); !(got <= want && got >= want*(1+1e-12)) {
					t.Errorf("%s %+v: ln delta = %.17g, want %.17g or just below", name, g, got, want)
				}
			case "noise_scale":
				if got := a.Mechanism.Scale; math.Abs(got-want) > 1e-3*want {
					t.Errorf("%s %+v: noise %v, want %v", name, g, got, want)
				}
			default:
				t.Errorf("column %s is not understood", column)
			}
		}
	}
	if len(checked) < 9 {
		t.Errorf("only %d methods have vectors: %v", len(checked), checked)
	}
}

// noise-published.csv holds the least tau of the noise methods, found by another
// optimiser at 40 digits. A search may only miss the optimum upwards.
func TestPublishedNoiseVectors(t *testing.T) {
	for _, row := range vectors.Rows(t, "noise-published.csv") {
		g := Goal{Samples: int64(row.Float(t, "samples")), Queries: int64(row.Float(t, "queries")),
			Beta: lp(row["beta"])}
		for _, name := range []string{"gaussian-jung20", "gaussian-rogers20", "gaussian-bassily16", "laplace-jung20"} {
			m, _ := Lookup(name)
			a, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if row[name] == "" {
				if a.Status != Vacuous {
					t.Errorf("%s %+v: tau = %v (%s), want none below one", name, g, a.Tau, a.Status)
				}
				continue
			}
			if want := row.Float(t, name); a.Status != OK || !(a.Tau >= want*(1-1e-14) && a.Tau <= want*(1+1e-8)) {
				t.Errorf("%s %+v: tau = %.17g (%s), want %.17g", name, g, a.Tau, a.Status, want)
			}
		}
	}
}

// What a noise method prints is enough to check it: with the printed scale,
// epsilon and delta the theorem gives no more than the printed tau.
func TestPrintedMechanismCertifies(t *testing.T) {
	for _, row := range vectors.Rows(t, "noise-published.csv") {
		g := Goal{Samples: int64(row.Float(t, "samples")), Queries: int64(row.Float(t, "queries")),
			Beta: lp(row["beta"])}
		m, _ := Lookup("gaussian-jung20")
		a, err := m.Solve(g)
		if err != nil || a.Status != OK {
			continue
		}
		// The printed delta is the exact profile of m answers with the printed noise.
		mu := math.Sqrt(float64(g.Queries)) / (float64(g.Samples) * a.Mechanism.Scale)
		printed := a.Mechanism.LnDelta.Ln()
		if got := (theory.GDP{Mu: mu}).LnDelta(a.Mechanism.Epsilon).Ln(); math.Abs(got-printed) > 1e-9*math.Abs(got) {
			t.Errorf("%+v: ln delta = %v, the profile has %v", g, printed, got)
		}
		best := math.Inf(1)
		for lnB := g.Beta.Ln() - 60; lnB < g.Beta.Ln(); lnB += 0.01 {
			alpha := a.Mechanism.Scale * quantileOfMax(g.Queries, lnB)
			b, err := theorem.Jung20.Apply(theorem.Sampled{Alpha: alpha, Beta: theory.LogProb(lnB), Epsilon: a.Mechanism.Epsilon,
				LnDelta: a.Mechanism.LnDelta}, theorem.Class{}, g.Beta)
			if err != nil {
				t.Fatal(err)
			}
			best = math.Min(best, b.Value.Alpha)
		}
		if !(math.Abs(a.Tau-best) < 1e-5*best && a.Tau < best*(1+1e-9)) {
			t.Errorf("%+v: tau = %v, the transfer theorem with the printed mechanism gives %v", g, a.Tau, best)
		}
	}
}

func quantileOfMax(m int64, lnB float64) float64 {
	lo, hi := 0., 60.
	for range 100 {
		x := (lo + hi) / 2
		each := math.Erfc(x / math.Sqrt2) // P[|N| > x]
		if math.Log(-math.Expm1(float64(m)*math.Log1p(-each))) > lnB {
			lo = x
		} else {
			hi = x
		}
	}
	return hi
}
