package pvalue

import (
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Correction is one theorem's correction for the selection that a plan describes. For several steps it is
// named by a theorem that serves every step it speaks about; each of the others is served by the best one that
// applies to it.
type Correction struct {
	Name    string
	Proof   theory.Proof // where people find it
	InCoq   bool         // Coq checks it, for p-values
	Sources []theory.Source
	Assumes []string
	Needs   *theory.NotApplicableError // why the theorem does not apply, nil if it does

	rule rule
	wide rule       // the same for an interval, which may miss where a test cannot err
	ways []charging // of the rule; the first has every slack where it stands
	plan maxinfo.Plan
}

// A rule is a bound on selection. Both functions are the same curve, read from its two sides.
type rule struct {
	// threshold returns ln gamma, a lower bound of the largest gamma with P[p_T <= gamma]
	// <= e^lnAlpha, for lowest <= lnAlpha < 0; -Inf where there is none.
	threshold func(lnAlpha float64) float64
	// worst returns an upper bound of ln P[p_T <= gamma] for -Inf and lowest <= lnGamma
	// < 0.
	worst func(lnGamma float64) float64
}

// composed is the name of the correction that serves each step by the best theorem.
const composed = "composed"

// Corrections returns every correction for the selection that a plan describes, in printing order. Its steps
// may stand in any order, and those that need independent records at any place. It reports a DomainError, and
// a NoAnswerError where no theorem has a number for the whole.
func Corrections(p maxinfo.Plan) ([]Correction, error) {
	links, err := linksOf(p)
	if err != nil {
		return nil, err
	}
	names := rowNames(links)
	all := each.Of(names, func(name string) Correction { return correctionOf(p, links, name) })
	return all, nil
}

// ruleFor returns the rule for a bound on the first step.
func ruleFor(l maxinfo.Limit) rule {
	switch l := l.(type) {
	case maxinfo.Ratio:
		return ratio(l)
	case maxinfo.Range:
		return ratio(maxinfo.Ratio{Nats: l.Outcomes, Slack: theory.Zero})
	case maxinfo.Gate:
		return counted(l.Outcomes)
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
func (c Correction) Threshold(alpha theory.LogProb) (theory.LogProb, error) {
	return c.left(c.rule, alpha)
}

// left is Threshold by one of the rules.
func (c Correction) left(r rule, alpha theory.LogProb) (theory.LogProb, error) {
	if err := interior(alpha); err != nil {
		return 0, err
	}
	if c.Needs != nil {
		return 0, c.Needs
	}
	if alpha < lowest {
		return theory.Zero, nil
	}
	gamma := r.threshold(alpha.Ln())
	if !(gamma >= -math.MaxFloat64) {
		return theory.Zero, nil
	}
	return theory.LogProb(min(gamma, alpha.Ln())), nil
}

// Adjusted returns the adjusted p-value, the least alpha at which p is rejected,
// rounded up and at most 1; p = 0 gives the least alpha of all. It reports a
// DomainError unless 0 <= p <= 1, and the NotApplicableError of a correction that
// does not apply.
func (c Correction) Adjusted(p theory.LogProb) (theory.LogProb, error) { return c.spent(c.rule, p) }

// spent is Adjusted by one of the rules.
func (c Correction) spent(r rule, p theory.LogProb) (theory.LogProb, error) {
	if err := theory.Domain(p.IsValid(), "p", p, "a probability in [0, 1]"); err != nil {
		return 0, err
	}
	if c.Needs != nil {
		return 0, c.Needs
	}
	lnAlpha := 0.0
	switch {
	case p == theory.Zero:
		lnAlpha = r.worst(p.Ln())
	case p < 0:
		lnAlpha = r.worst(max(p.Ln(), lowest))
	}
	return theory.LogProb(min(0, max(lnAlpha, p.Ln()))), nil
}

// blame says which step leaves no threshold above zero at alpha.
func (c Correction) blame(alpha theory.LogProb) string {
	const reason = "no threshold above zero at this alpha"
	if len(c.plan.Steps) < 2 || alpha < lowest {
		return reason
	}
	levels := c.ways[0].levels(alpha.Ln())
	for i := len(levels) - 2; i >= 0; i-- {
		left := max(levels[i][0], levels[i][1])
		if left < lowest {
			continue
		}
		text := fmt.Sprintf("step %d, %s, leaves no threshold above zero at %.6g", i+1, c.plan.Steps[i], num.Exp(left))
		if i > 0 {
			text += ", which is what the steps before it leave"
		}
		return text
	}
	return reason
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
