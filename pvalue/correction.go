package pvalue

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Correction is one theorem's correction for the selection that a plan describes.
type Correction struct {
	Name    string
	Proof   theory.Proof
	Sources []theory.Source
	Assumes []string
	Needs   *theory.NotApplicableError // why the theorem does not apply, nil if it does

	rule  rule
	later maxinfo.Later
}

// A rule is a bound on selection by the first step of a plan. Both functions are the
// same curve, read from its two sides.
type rule struct {
	// threshold returns ln gamma, a lower bound of the largest gamma with P[p_T <= gamma]
	// <= e^lnAlpha, for lowest <= lnAlpha < 0; -Inf where there is none.
	threshold func(lnAlpha float64) float64
	// worst returns an upper bound of ln P[p_T <= gamma] for -Inf and lowest <= lnGamma
	// < 0.
	worst func(lnGamma float64) float64
}

// Corrections returns every correction for the selection that a valid plan
// describes, in printing order.
func Corrections(p maxinfo.Plan) ([]Correction, error) {
	chain, err := p.Chain()
	if err != nil {
		return nil, err
	}
	var all []Correction
	for _, m := range chain.Methods {
		c := Correction{
			Name: m.Name, Proof: m.Proof, Sources: m.Sources, Assumes: m.Assumes, Needs: m.Needs,
			later: chain.Later,
		}
		if m.Limit != nil {
			c.rule = ruleFor(m.Limit)
		}
		switch limit := m.Limit.(type) {
		case maxinfo.Range:
			c.Name = string(Bonferroni)
		case maxinfo.Rogers16:
			all = append(all, c)
			c.Name, c.rule = quotedRussoZou16, russoZou16(float64(limit.Nats)).absolute()
			c.Sources = russoZou16Sources
		}
		all = append(all, c)
	}
	if chain.Later != none {
		for i := range all {
			all[i].Sources = append(all[i].Sources, theory.Source{Key: "dpcalc", Where: "docs/theorems/pvalue.md#later-steps"})
			all[i].Proof = theory.Derived
		}
	}
	return all, nil
}

// none is what no later step adds.
var none = maxinfo.Later{Slack: theory.Zero}

// followed reports whether steps follow the first.
func (c Correction) followed() bool { return c.later != none }

// ruleFor returns the rule for what is known about the first step.
func ruleFor(l maxinfo.Limit) rule {
	switch l := l.(type) {
	case maxinfo.Ratio:
		return ratio(l)
	case maxinfo.Range:
		return ratio(maxinfo.Ratio{Nats: l.Outcomes, Slack: theory.Zero})
	case maxinfo.Renyi:
		return renyi(l)
	case maxinfo.Profiles:
		return profiles(l)
	case maxinfo.Dwork15:
		return dwork15(l).absolute()
	case maxinfo.GaussianTranscript:
		return gaussian(l).absolute()
	case maxinfo.Mutual:
		return kl(float64(l.Nats)).absolute()
	case maxinfo.Rogers16:
		return rogers16(float64(l.Nats)).absolute()
	case maxinfo.Group:
		return group(l.Mu).absolute()
	}
	panic("pvalue: a limit without a rule")
}

// absolute is the same rule where an event of probability zero stays one.
func (r rule) absolute() rule {
	worst := r.worst
	r.worst = func(lnGamma float64) float64 {
		if math.IsInf(lnGamma, -1) {
			return lnGamma
		}
		return worst(lnGamma)
	}
	return r
}

// Threshold returns gamma(alpha), rounded down: if the selected null hypothesis is
// true, P[p <= gamma] <= alpha. It is theory.Zero where the theorem leaves nothing.
// It reports a DomainError unless 0 < alpha < 1, and the NotApplicableError of a
// correction that does not apply.
//
// Later steps take their part of alpha first: with P[E] <= N e^k P'[E] + b for all of
// them, the first step's rule is taken at (alpha-b) e^(-k)/N.
func (c Correction) Threshold(alpha theory.LogProb) (theory.LogProb, error) {
	if err := theory.Domain(alpha.Interior(), "alpha", alpha, "a probability in (0, 1)"); err != nil {
		return 0, err
	}
	if c.Needs != nil {
		return 0, c.Needs
	}
	lnAlpha := alpha.Ln()
	if c.followed() {
		if !(alpha > c.later.Slack) {
			return theory.Zero, nil
		}
		lnAlpha = down(num.LogSubExp(lnAlpha, c.later.Slack.Ln()) - float64(c.later.Nats+c.later.Outcomes))
	}
	if lnAlpha < lowest {
		return theory.Zero, nil
	}
	gamma := c.rule.threshold(lnAlpha)
	if !(gamma >= -math.MaxFloat64) {
		return theory.Zero, nil
	}
	return theory.LogProb(min(gamma, alpha.Ln())), nil
}

// Adjusted returns the adjusted p-value, the least alpha at which p is rejected,
// rounded up and at most 1; p = 0 gives the least alpha of all. It reports a
// DomainError unless 0 <= p <= 1, and the NotApplicableError of a correction that
// does not apply.
func (c Correction) Adjusted(p theory.LogProb) (theory.LogProb, error) {
	if err := theory.Domain(p.Valid(), "p", p, "a probability in [0, 1]"); err != nil {
		return 0, err
	}
	if c.Needs != nil {
		return 0, c.Needs
	}
	lnAlpha := 0.0
	switch {
	case p == theory.Zero:
		lnAlpha = c.rule.worst(p.Ln())
	case p < 0:
		lnAlpha = c.rule.worst(max(p.Ln(), lowest))
	}
	if c.followed() {
		lnAlpha = upwards(num.LogAddExp(lnAlpha+float64(c.later.Nats+c.later.Outcomes), c.later.Slack.Ln()))
	}
	return theory.LogProb(min(0, max(lnAlpha, p.Ln()))), nil
}

// lowest keeps the squares and sums of a rule within range. Smaller probabilities count
// as zero where that is a lower bound, as e^lowest where it must be an upper one.
const lowest = -1e300

// down and upwards move a logarithm by more than a few operations may have cost it.
func down(x float64) float64 { return x - (math.Abs(x)+1)*0x1p-46 }

func upwards(x float64) float64 {
	if math.IsInf(x, -1) {
		return x // the probability zero is exact
	}
	return x + (math.Abs(x)+1)*0x1p-46
}
