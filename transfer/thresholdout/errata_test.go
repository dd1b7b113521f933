package thresholdout

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// goal is a requirement in plain numbers.
type goal struct {
	Budget     int64
	Sigma, Tau float64
	Beta       theory.LogProb
}

func (g goal) requirement() Requirement {
	return Requirement{
		Budget: num.FromInt(g.Budget), Sigma: num.FromFloat(g.Sigma), Tau: num.FromFloat(g.Tau),
		Level: func(c float64) num.DD { return num.FromFloat(c).Ln().AddFloat(-g.Beta.Ln()) },
	}
}

// n0 and n1 are the requirements as whole numbers.
func (g goal) n0() int64 { return g.requirement().N0().Ceil() }
func (g goal) n1() int64 { return g.requirement().N1().Ceil() }

// displayed is n1 as the sources print it, its first term split by sqrt(x+y) <= sqrt x + sqrt y, with the factor and
// the condition that they lack.
func (g goal) displayed() int64 {
	b, l := float64(g.Budget), math.Log(8)-g.Beta.Ln()
	private := 32*math.Sqrt(2*b*l)/(math.Pow(g.Tau, 1.5)*g.Sigma) + 16*math.Sqrt(2*math.Ln2*b)/(g.Tau*g.Sigma)
	return int64(math.Ceil(max(private, 48*l/(g.Tau*g.Tau))))
}

// lnFailure is ln of the beta that Theorem 2.4 gives n rows, at epsilon = tau/4 and a delta.
func (g goal) lnFailure(n int64, lnDelta float64) float64 {
	return math.Log(8) + max(-g.Tau*g.Tau*float64(n)/48, lnDelta*g.Tau/4)
}

func lp(text string) theory.LogProb {
	p, err := theory.ParseLogProb(text)
	if err != nil {
		panic(err)
	}
	return p
}

// literalN1 is the second requirement as the notes print it, under the name n0.
func literalN1(h goal) float64 {
	b, l := float64(h.Budget), math.Log(8)-h.Beta.Ln()
	return 32*math.Sqrt(2*b*l)/(math.Pow(h.Tau, 1.5)*h.Sigma) + 16*math.Sqrt(math.Ln2*b)/(h.Tau*h.Sigma)
}

// The printed n1 lacks a factor sqrt 2 in its second term, so it is below the sum
// it was derived as, and it lacks the condition n >= 48 ln(8/beta)/tau^2, without
// which Theorem 2.4 says nothing. The missing factor alone never takes it below
// the exact requirement; the missing condition does.
func TestErratumSecondRequirement(t *testing.T) {
	h := goal{Budget: 1, Sigma: 0.5, Tau: 0.1, Beta: lp("0.05")}
	literal := literalN1(h)
	if math.Ceil(literal) != 6715 || h.n1() != 24361 || h.displayed() != 24361 {
		t.Errorf("literal, exact, displayed = %.1f, %d, %d; want 6714.1, 24361, 24361", literal, h.n1(), h.displayed())
	}
	// The requirement whose name it bears is another: max{2B/(sigma tau), ln(6/beta)/tau^2}.
	if first := h.n0(); first != 479 {
		t.Errorf("n0 = %d; want ceil(ln(120)/0.01) = 479", first)
	}
	lnDelta := 4 / h.Tau * (h.Beta.Ln() - math.Log(8))
	if ln := h.lnFailure(int64(math.Ceil(literal)), lnDelta); ln < math.Log(0.5) {
		t.Errorf("Theorem 2.4 at the literal n gives ln beta = %g; want a bound of no use", ln)
	}
	if ln := h.lnFailure(h.n1(), lnDelta); ln > h.Beta.Ln()+1e-9 {
		t.Errorf("Theorem 2.4 at the exact n gives ln beta = %g; want that of 0.05", ln)
	}

	// With a small sigma the condition is idle and the misprint of the factor shows.
	r := rand.New(rand.NewPCG(9, 1))
	for range 1000 {
		h := goal{
			Budget: 1 + r.Int64N(1000),
			Tau:    math.Pow(10, -3*r.Float64()-0.01),
			Beta:   theory.LogProb(-math.Pow(10, 3*r.Float64())),
		}
		h.Sigma = h.Tau * math.Pow(10, -2-r.Float64())
		literal := literalN1(h)
		displayed := h.displayed()
		missing := 16 * (math.Sqrt2 - 1) * math.Sqrt(math.Ln2*float64(h.Budget)) / (h.Tau * h.Sigma)
		if d := float64(displayed) - literal; math.Abs(d-missing) > 1+1e-9*literal {
			t.Fatalf("%+v: the corrected display exceeds the literal one by %g, want %g", h, d, missing)
		}
		if exact := h.n1(); float64(exact) > math.Ceil(literal*(1+1e-12)) {
			t.Fatalf("%+v: exact %d, literal %g", h, exact, literal)
		}
	}
}

// The second version of the paper has n1 = 80 sqrt(B ln(1/(tau beta)))/(tau
// sigma). It rests on epsilon = tau/13, delta = beta tau/(26 ln(26/tau)), whose
// requirement max{13 sqrt(32 B ln(2/delta))/(tau sigma), 338 ln(8/delta)/tau^2} is
// met only where tau beta is below about 4e-14.
func TestErratumArxivRequirement(t *testing.T) {
	requirements := func(h goal) (printed, safe float64) {
		lnTau, b := math.Log(h.Tau), float64(h.Budget)
		lnDelta := h.Beta.Ln() + lnTau - math.Log(26*math.Log(26/h.Tau))
		printed = 80 * math.Sqrt(b*(-lnTau-h.Beta.Ln())) / (h.Tau * h.Sigma)
		private := 13 * math.Sqrt(32*b*(math.Ln2-lnDelta)) / (h.Tau * h.Sigma)
		return printed, math.Max(private, 338*(math.Log(8)-lnDelta)/(h.Tau*h.Tau))
	}
	ordinary := goal{Budget: 10, Sigma: 0.001, Tau: 0.1, Beta: lp("0.05")}
	if printed, safe := requirements(ordinary); math.Ceil(printed) != 5823164 || math.Ceil(safe) != 7700666 {
		t.Errorf("tau beta = 5e-3: printed %.1f, safe %.1f; want 5823164, 7700666", printed, safe)
	}
	extreme := ordinary
	extreme.Beta = lp("1e-14")
	if printed, safe := requirements(extreme); printed < safe {
		t.Errorf("tau beta = 1e-15: printed %.0f is below %.0f", printed, safe)
	}
}
