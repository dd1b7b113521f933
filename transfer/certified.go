package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
	"github.com/dpcalc/dpcalc/transfer/stability"
)

// What is run is certified by the inequality of its theorem, evaluated once. A search for what to run may end elsewhere
// tomorrow, and what it found today is certified nevertheless.

// Admits returns why no plan for a goal, in which nothing is missing, can rest on the method, or nil. The error is a
// DomainError, a NotApplicableError or a NoAnswerError.
func (m Method) Admits(g Goal) error {
	if err := g.Validate(); err != nil {
		return err
	}
	r := m.ruleFor(g)
	if err := m.applies(r, g); err != nil {
		return err
	}
	if trivial(r, g) {
		return &theory.NoAnswerError{Reason: noBetter}
	}
	return nil
}

// CertifyOneNoise is [Answer.CertifyNoise] for noise of one sd, whose errors are summed query by query: the joint
// bound, the bound for queries of low variance, or, for both sides, the CVaR theorem C sd + s_mu(beta) <= tau.
func (a *Answer) CertifyOneNoise(sd float64) error {
	promised, one := a.Beta, half(a.Goal)
	if err := linear.check(one.Query); err != nil {
		return err
	}
	if err := a.CertifyNoise([]theory.NoiseBlock{{Queries: a.Queries, Scale: sd}}); err != nil {
		return err
	}
	sd /= a.Unit()
	if ln := planOf(one).EvenErrors(sd); ln < a.Beta.Ln() {
		a.Beta, a.Mechanism.LowVariance = theory.LogProb(ln), false
	}
	mu := math.Sqrt(float64(a.Queries)) / (float64(a.Samples) * sd)
	tau := num.MaxNormalCVaR(a.Queries, promised.Ln())*sd + stability.GDPAt(mu, promised.Ln())
	if sd > 0 && promised < a.Beta && tau*(1+0x1p-41) <= one.Tau { // which is a thousand times what the sum is off
		a.Beta, a.Mechanism.LowVariance = promised, false
	}
	return nil
}

// CertifyOneScore fills in the failure probability at which the score of the only model is shown as it is. It is that
// of the answer, or 0, the probability one.
func (a *Answer) CertifyOneScore() {
	if a.Queries != 1 || a.Tau >= boardLimit(a.Goal) || !oneScore.holds(a.Goal) {
		a.Beta = 0
	}
}

// CertifyCount fills in the failure probability at which a gate for 0/1 values that passes at this count is certified.
func (a *Answer) CertifyCount(count int64) {
	ln := gateNodes(a.Goal) + countRule{}.gate(a.Goal).LnFailure(a.Samples, count)
	a.Beta = theory.LogProb(math.Min(ln*(1-4e-16), 0))
}

// CertifyFlags fills in the failure probability at which a validator with this threshold and these widths is certified,
// in as many parts, each for one flag, where there is more than one. It is 0, the probability one, where there is none.
func (a *Answer) CertifyFlags(threshold float64, widths []theory.FlagWidth, parts int64) {
	g := a.Goal
	a.Beta = 0
	v := feedback.Validator{Values: g.values(), Queries: g.Queries, Flags: g.Budget, Tau: g.Tau, Threshold: threshold,
		Guesses: !g.heldTo(), LnBeta: g.Beta.Ln()}
	if v.Guesses {
		v.Tolerance = g.guessError()
	}
	switch {
	case g.heldTo() && threshold != g.Hold:
	case parts <= 1:
		a.Beta = theory.LogProb(v.LnFailure(g.Samples, widths))
	case parts == g.Budget && g.heldTo():
		lnParts := num.Log(float64(parts)) * (1 + 1e-15)
		v.Flags, v.LnBeta = 1, v.LnBeta-lnParts
		if ln := v.LnFailure(g.Samples/parts, widths) + lnParts; ln < 0 {
			a.Beta = theory.LogProb(ln * (1 - 4e-16))
		}
	}
}
