package fixed

import (
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// validator shows the guess that comes with a look, moved where it is wrong. Where the plan has parts, each serves one
// flag, and the next part answers after it.
type validator struct{}

func (validator) run(a transfer.Answer) (m theory.Run, err error) {
	if a.Mechanism.Chunks > 1 {
		if m, err = cut(a.Mechanism.Chunks); err != nil {
			return m, err
		}
	}
	m.Threshold, m.Widths = a.Mechanism.Threshold, a.Mechanism.FlagWidths
	return m, nil
}

func (validator) failure(p *rule.Plan) (theory.LogProb, error) {
	m := p.Mechanism
	own := theory.Run{Threshold: m.Threshold, Widths: m.Widths, Parts: m.Parts, Permutation: m.Permutation}
	if err := rejectForeignFields(p, own); err != nil {
		return 0, err
	}
	if m.Parts > 0 {
		if _, err := Part(p, m.Parts-1); err != nil {
			return 0, err
		}
	}
	a := transfer.Answer{Goal: p.Goal}
	a.CertifyFlags(m.Threshold, m.Widths, m.Parts)
	return a.Beta, nil
}

func (validator) response(h rule.Past, a *rule.Asked) (rule.Reply, error) {
	m := h.Plan.Mechanism
	plan := mechanism.SparseValidate{Queries: h.Plan.Goal.Queries, Flags: h.Plan.Goal.Budget, Threshold: m.Threshold,
		Widths: m.Widths}
	score, err := mean(h.Plan, a.Scores, h.Flags)
	if err != nil {
		return rule.Reply{}, err
	}
	past := h.Lines
	if m.Parts > 0 {
		plan.Flags, past = 1, nil
	}
	run, err := plan.Start()
	if err != nil {
		return rule.Reply{}, err
	}
	for _, line := range past {
		if _, _, err := run.Ask(2*(m.Threshold+1)*float64(rule.BoolToInt(line.Counts(form.Moved))), 0); err != nil {
			return rule.Reply{}, err
		}
	}
	answer, flagged, err := run.Ask(score, *a.Guess)
	if err != nil {
		return rule.Reply{}, err
	}
	return rule.Number(answer, rule.Verdict(flagged, form.Moved, form.Holds)), nil
}
