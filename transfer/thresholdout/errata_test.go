package thresholdout

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/theorem"
)

func lp(text string) theory.LogProb {
	p, err := theory.ParseLogProb(text)
	if err != nil {
		panic(err)
	}
	return p
}

// literalN1 is the second requirement as the notes print it, under the name n0.
func literalN1(h Goal) float64 {
	b, l := float64(h.Budget), math.Log(8)-h.Beta.Ln()
	return 32*math.Sqrt(2*b*l)/(math.Pow(h.Tau, 1.5)*h.Sigma) + 16*math.Sqrt(math.Ln2*b)/(h.Tau*h.Sigma)
}

// The printed n1 lacks a factor sqrt 2 in its second term, so it is below the sum
// it was derived as, and it lacks the condition n >= 48 ln(8/beta)/tau^2, without
// which Theorem 2.4 says nothing. The missing factor alone never takes it below
// the exact requirement; the missing condition does.
func TestErratumSecondRequirement(t *testing.T) {
	h := Goal{Budget: 1, Sigma: 0.5, Tau: 0.1, Beta: lp("0.05")}
	literal := literalN1(h)
	exact, err := N1(h, N1Exact)
	if err != nil {
		t.Fatal(err)
	}
	displayed, err := N1(h, N1Displayed)
	if err != nil {
		t.Fatal(err)
	}
	if math.Ceil(literal) != 6715 || exact != 24361 || displayed != 24361 {
		t.Errorf("literal, exact, displayed = %.1f, %d, %d; want 6714.1, 24361, 24361", literal, exact, displayed)
	}
	// The requirement whose name it bears is another: max{2B/(sigma tau), ln(6/beta)/tau^2}.
	if first, err := N0(h); err != nil || first != 479 {
		t.Errorf("N0 = %d, %v; want ceil(ln(120)/0.01) = 479", first, err)
	}
	delta := theory.LogProb(4 / h.Tau * (h.Beta.Ln() - math.Log(8)))
	at := theorem.Output{Samples: int64(math.Ceil(literal)), Tau: h.Tau, Epsilon: h.Tau / 4, LnDelta: delta}
	if beta, err := theorem.TailApproxDwork15(at); err != nil || beta.Value() < 0.5 {
		t.Errorf("Theorem 2.4 at the literal n gives beta = %v, %v; want a bound of no use", beta, err)
	}
	at.Samples = exact
	if beta, err := theorem.TailApproxDwork15(at); err != nil || beta.Ln() > h.Beta.Ln()+1e-9 {
		t.Errorf("Theorem 2.4 at the exact n gives beta = %v, %v; want 0.05", beta, err)
	}

	// With a small sigma the condition is idle and the misprint of the factor shows.
	r := rand.New(rand.NewPCG(9, 1))
	for range 1000 {
		h := Goal{
			Budget: 1 + r.Int64N(1000),
			Tau:    math.Pow(10, -3*r.Float64()-0.01),
			Beta:   theory.LogProb(-math.Pow(10, 3*r.Float64())),
		}
		h.Sigma = h.Tau * math.Pow(10, -2-r.Float64())
		literal := literalN1(h)
		displayed, err := N1(h, N1Displayed)
		if err != nil {
			t.Fatal(err)
		}
		missing := 16 * (math.Sqrt2 - 1) * math.Sqrt(math.Ln2*float64(h.Budget)) / (h.Tau * h.Sigma)
		if d := float64(displayed) - literal; math.Abs(d-missing) > 1+1e-9*literal {
			t.Fatalf("%+v: the corrected display exceeds the literal one by %g, want %g", h, d, missing)
		}
		if exact, err := N1(h, N1Exact); err != nil || float64(exact) > math.Ceil(literal*(1+1e-12)) {
			t.Fatalf("%+v: exact %d, literal %g, %v", h, exact, literal, err)
		}
	}
}

// The second version of the paper has n1 = 80 sqrt(B ln(1/(tau beta)))/(tau
// sigma). It rests on epsilon = tau/13, delta = beta tau/(26 ln(26/tau)), whose
// requirement max{13 sqrt(32 B ln(2/delta))/(tau sigma), 338 ln(8/delta)/tau^2} is
// met only where tau beta is below about 4e-14.
func TestErratumArxivRequirement(t *testing.T) {
	requirements := func(h Goal) (printed, safe float64) {
		lnTau, b := math.Log(h.Tau), float64(h.Budget)
		lnDelta := h.Beta.Ln() + lnTau - math.Log(26*math.Log(26/h.Tau))
		printed = 80 * math.Sqrt(b*(-lnTau-h.Beta.Ln())) / (h.Tau * h.Sigma)
		private := 13 * math.Sqrt(32*b*(math.Ln2-lnDelta)) / (h.Tau * h.Sigma)
		return printed, math.Max(private, 338*(math.Log(8)-lnDelta)/(h.Tau*h.Tau))
	}
	ordinary := Goal{Budget: 10, Sigma: 0.001, Tau: 0.1, Beta: lp("0.05")}
	if printed, safe := requirements(ordinary); math.Round(printed) != 5823163 || math.Round(safe) != 7700665 {
		t.Errorf("tau beta = 5e-3: printed %.0f, safe %.0f; want 5823163, 7700665", printed, safe)
	}
	extreme := ordinary
	extreme.Beta = lp("1e-14")
	if printed, safe := requirements(extreme); printed < safe {
		t.Errorf("tau beta = 1e-15: printed %.0f is below %.0f", printed, safe)
	}
}
