package rule

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// HasColumns reports whether looks of a plan may be at columns. A plan of an earlier version may have declared none.
func (p *Plan) HasColumns() bool {
	return p.Metrics == nil || slices.ContainsFunc(p.Metrics, data.IsColumn)
}

// KeepsColumn reports whether the ledger keeps the values of an incumbent's column. A file that somebody named could be
// compared with it.
func (p *Plan) KeepsColumn() bool {
	return p.Schema == form.ColumnSchema && p.Compares() && data.IsColumn(p.Metric)
}

// Plan is the plan of a ledger: what plan.json has, and the goal that it stands for.
type Plan struct {
	form.Plan

	Goal   transfer.Goal
	Rule   Rule
	Remark string // what the certificate of a new plan says beside its numbers
	Sealed []byte // plan.json
}

// Low returns what a candidate's record without a value counts as, nil if it is refused.
func (p *Plan) Low() *float64 {
	if p.Missing != form.MissingLow {
		return nil
	}
	lowest, _ := p.Units.Interval()
	return &lowest
}

// Certified checks that the plan keeps its promise.
func (p *Plan) Certified() error { return p.Rule.Certified(p) }

// Asks returns the parameters that looks of the plan take.
func (p *Plan) Asks() []ask.Param { return p.Rule.Params(p) }

// Design returns how the rows were drawn.
func (p *Plan) Design() design.Design { return design.Of(&p.Plan) }

// Independence says, in a sentence, how the rows have to be drawn, which no program can check.
func (p *Plan) Independence() string { return p.Design().Describe() }

// Fixes reports whether tails make use of what predictions fix of the rows of an open ledger.
func (p *Plan) Fixes() bool { return p.Open.HasSharpTails() && p.Design().IsIndependent() }

// Binned reports whether a look by a metric stores bins: where the label has one of two losses, which predictions fix.
func (p *Plan) Binned(name string) bool {
	kind, _ := metric.Of(name)
	alone := p.Positive != "" && !p.Compares()
	return p.Fixes() && kind.Loss != nil && alone
}

// Conditioned reports whether looks of a fixed plan may have several conditions.
func (p *Plan) Conditioned() bool {
	return !p.IsOpen() && p.Method == "gate" && p.FeaturesFile() != nil
}

// RefusedAbove returns the mean square that a look's differences may have on the sample, of values in [0,1]; 0 where
// there is no check.
func (p *Plan) RefusedAbove(show string) float64 {
	switch {
	case p.IsOpen() && show != ask.Reject:
		return p.Open.SecondMoment / math.Pow(p.Units.Width(), 2)
	case !p.IsOpen() && p.Goal.Checked && p.Goal.SecondMoment > 0:
		if method, _ := transfer.Lookup(p.Method); method.Keeps(p.Goal) {
			return p.Goal.SecondMoment
		}
	}
	return 0
}

// Served returns the metrics that a ledger computes itself from predictions: a column would be a submitter's word.
func (p *Plan) Served() (names []string) {
	if p.Metrics == nil {
		return []string{metric.Accuracy}
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

// ValueOr returns a number that may be missing.
func ValueOr(x *float64, otherwise float64) float64 {
	if x == nil {
		return otherwise
	}
	return *x
}

// Ends returns the ends of the means of all metrics of an open ledger.
func (p *Plan) Ends() ask.Ends {
	all := p.Scale(p.Metric).Ends()
	for _, m := range p.Metrics {
		in := p.Scale(m).Ends()
		all = ask.Ends{Lowest: min(all.Lowest, in.Lowest), Highest: max(all.Highest, in.Highest)}
	}
	return all
}
