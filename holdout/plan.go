package holdout

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// Plan is the plan of a ledger: what plan.json has, and the goal that it stands for.
type Plan struct {
	form.Plan

	goal   transfer.Goal
	Rule   Rule
	Remark string // what the certificate of a new plan says beside its numbers, such as what of the goal the method makes no use of
	sealed []byte // plan.json
}

// Low returns what a candidate's record without a value counts as, nil if it is refused.
func (p *Plan) Low() *float64 {
	if p.Missing != MissingLow {
		return nil
	}
	lowest, _ := p.Units.Interval()
	return &lowest
}

// Certified checks that the plan keeps its promise.
func (p *Plan) Certified() error { return p.Rule.Certified(p) }

// Asks returns the parameters that looks of the plan take.
func (p *Plan) Asks() []ask.Param { return p.Rule.Params(p) }

// design is how the rows were drawn.
func (p *Plan) design() design.Design { return design.Of(&p.Plan) }

// Independence says, in a sentence, how the rows have to be drawn, which no program can check.
func (p *Plan) Independence() string { return p.design().Describe() }

// fixes reports whether tails make use of what predictions fix of the rows of an open ledger.
func (p *Plan) fixes() bool { return p.Open.Sharp() && p.design().Independent() }

// binned reports whether a look by a metric stores bins: where the label has one of two losses, which predictions fix.
func (p *Plan) binned(name string) bool {
	kind, _ := metric.Of(name)
	alone := p.Positive != "" && !p.Compares()
	return p.fixes() && kind.Loss != nil && alone
}

// conditioned reports whether looks of a fixed plan may have several conditions.
func (p *Plan) conditioned() bool {
	return !p.IsOpen() && p.Method == "gate" && p.FeaturesFile() != nil
}

// kept is the mean square that a look's differences may have on the sample, of values in [0,1]; 0 where there is no
// check.
func (p *Plan) kept(show string) float64 {
	switch {
	case p.IsOpen() && show != ShowReject:
		return p.Open.SecondMoment / math.Pow(p.Units.Width(), 2)
	case !p.IsOpen() && p.goal.Checked && p.goal.SecondMoment > 0:
		if method, _ := transfer.Lookup(p.Method); method.Keeps(p.goal) {
			return p.goal.SecondMoment
		}
	}
	return 0
}

// Served are the metrics that a ledger computes itself from predictions: a column would be a submitter's word.
func (p *Plan) Served() (names []string) {
	if p.Metrics == nil {
		return []string{Accuracy}
	}
	for _, name := range p.Metrics {
		if m, _ := metric.Of(name); m.Reads != metric.Number {
			names = append(names, name)
		}
	}
	return names
}

// LabelsAreNumbers reports whether the labels of the plan are read as numbers, and as a text by none of its metrics.
func (p *Plan) LabelsAreNumbers() bool { return p.Match.LabelsAreNumbers(p.Metrics, p.Units.Positive) }
