// Package open answers looks of an open ledger by the codes of docs/theorems/feedback.md: each response at its price,
// out of a budget that no number of looks exceeds.
package open

import (
	"cmp"
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/terms"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// Rule answers looks by the codes, each at its price.
type Rule struct{}

// Certified checks the law, which needs no certificate.
func (Rule) Certified(p *rule.Plan) error { return CheckLaw(p.Open, p.Promise.Beta) }

// Params returns what looks of all kinds take.
func (Rule) Params(*rule.Plan) []ask.Param {
	all := ask.Rule{}
	for _, r := range openRules {
		all.Takes = append(append(all.Takes, r.Needs...), r.Takes...)
	}
	return all.Params()
}

// Remaining has no last look.
func (Rule) Remaining(h rule.Past) rule.Remaining {
	return rule.Remaining{Looks: rule.BoolToInt(!h.Retired) * math.MaxInt64}
}

// Fields returns the columns of the question, the interval and the price.
func (Rule) Fields(*rule.Plan) []string {
	return []string{"show", "where", "lower", "upper", "cell_from", "cell_below", "price", "rows", "conditions", "spent",
		"rests_on", "best_lower", "best_upper"}
}

// NewPlan returns the plan of an open ledger for so many rows.
func NewPlan(t terms.Terms, samples int64) (*rule.Plan, error) {
	goal, others := t.Goal, t.Goal
	others.Beta, others.SecondMoment = 0, 0
	switch {
	case others != (transfer.Goal{}):
		return nil, form.Inputf("open: got other terms than beta, want beta alone: an open ledger has no m, tau or feedback")
	case t.Method != "" || t.Bars != nil:
		return nil, form.Inputf("open: got a method or bars, want neither: each look says what it shows")
	case goal.Beta == 0:
		return nil, form.Inputf("beta: got nothing, want a probability in (0, 1), such as 0.05")
	}
	law := &form.Law{Code: form.Code, Most: cmp.Or(t.Most, UsualMost), Ask: t.Ask, MostPerTeam: t.MostPerTeam,
		SecondMoment: goal.SecondMoment}
	p := &rule.Plan{Plan: form.Plan{
		Schema:  form.OpenSchema,
		Method:  "open",
		Open:    law,
		Promise: form.Promise{Samples: samples, Beta: goal.Beta},
		Asks:    form.Asks{Metric: t.Metrics[0], Metrics: t.Metrics, Match: t.Match, Classes: t.Classes, Units: t.Units},
		Drawn:   form.Drawn{Group: t.Clusters(), Population: t.Benchmark(), Pairs: t.Pairs()},
	}, Goal: transfer.Goal{Samples: samples, Beta: goal.Beta}, Rule: Rule{}}
	if t.Incumbent.Values != nil { // whose fingerprint is found with the rows
		p.Incumbent = &form.LabelsFile{}
	}
	for _, text := range t.Ask {
		if _, err := parseOffer(text, p.Ends()); err != nil {
			return nil, err
		}
	}
	return p, CheckLaw(law, goal.Beta)
}

// measured is what the cells of a look part: the mean value of the records, or the evidence of a test.
func measured(p *rule.Plan, l design.Scores, line rule.Line) float64 {
	if line.Show == ask.Reject {
		return rule.Evidence(p, l, line.Metric)
	}
	if ratio := l.Values.Kind.Ratio; ratio != nil && (line.Show != ask.Pass || p.Open.HasSharpTails()) {
		n, d := l.Sums(l.Records.Rows)
		if line.Show == ask.Pass {
			return (n - *line.Bar*d) / float64(l.Count())
		}
		return n / d
	}
	if l.Values.Kind.Pairs {
		return l.AreaBelow()
	}
	mean := l.Sum() / float64(l.Count())
	if scale := p.Scale(line.Metric); !scale.IsPlain() && l.Values.Kind.Ratio == nil {
		return scale.Coordinate(mean)
	}
	return mean
}

// Answer answers an open look by a line.
func (Rule) Answer(h rule.Past, a *rule.Asked) (rule.Line, error) {
	c, err := CellsOf(h.Account, h.Plan, a.Line, a.Query.Tails)
	if err != nil {
		return rule.Line{}, err
	}
	mean := 0.
	if c.Joint != nil {
		mean = c.met(h.Plan, a.Query.Joint)
	} else {
		mean = measured(h.Plan, a.Scores, a.Line)
	}
	cell := c.Response(mean)
	if c.Line.RefusedAbove > 0 && a.Scores.Square() > c.Line.RefusedAbove {
		cell = refusal
	}
	return c.Write(cell), nil
}

// Admit checks the question of a look.
func (Rule) Admit(p *rule.Plan, q *ask.Question, name string) error {
	if err := cmp.Or(checkOpen(*q, p.Scale(name).Ends()), Joins(p, *q, name)); err != nil {
		return err
	}
	kind, _ := metric.Of(name)
	switch compared := p.Compares(); {
	case kind.Ratio != nil && !kind.Ratio.Bounded() && q.Show != ask.Pass:
		return form.Inputf("show: got %s, want pass with %s: only a gate can be asked of it", q.Show, name)
	case name == metric.Precision && q.Show == ask.Best:
		return form.Inputf("show: got best, want pass, score or guess with precision: each submission has rows of its own")
	case q.Show == ask.Reject && !compared:
		return form.Inputf("test: got %s, want a ledger made with --incumbent", q.Test)
	case q.Show == ask.Best && compared:
		return form.Inputf("show: got best with an incumbent, want pass at the bar 0, as by --show pass --bar 0: what passes becomes the incumbent")
	}
	return nil
}
