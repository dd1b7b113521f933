package holdout

import (
	"math"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/transfer"
)

// validator shows the guess that comes with a look, moved where it is wrong. Where the plan has parts, each serves one
// flag, and the next part answers after it.
type validator struct{}

func (validator) prepare(a transfer.Answer) (m Mechanism, err error) {
	if a.Mechanism.Chunks > 1 {
		if m, err = cut(a.Mechanism.Chunks); err != nil {
			return m, err
		}
	}
	m.Threshold = a.Mechanism.Threshold
	for _, w := range a.Mechanism.FlagWidths {
		m.Widths = append(m.Widths, Width(w))
	}
	return m, nil
}

func (validator) certified(p *Plan, a transfer.Answer) error {
	today, err := validator{}.prepare(a)
	if err != nil {
		return err
	}
	today.Permutation = p.Mechanism.Permutation // any order will do
	for i, w := range p.Mechanism.Widths {      // earlier plans may have the number below, which was not rounded up
		if i < len(today.Widths) && math.Nextafter(w.Width, 1) == today.Widths[i].Width {
			today.Widths[i].Width = w.Width
		}
	}
	if today.Parts > 0 {
		if _, err := p.part(0); err != nil {
			return err
		}
	}
	return same(p, today)
}

func (validator) respond(h *history, l look) (response, error) {
	m := h.plan.Mechanism
	plan := mechanism.SparseValidate{Queries: h.plan.goal.Queries, Flags: h.plan.goal.Budget, Threshold: m.Threshold}
	for _, w := range m.Widths {
		plan.Widths = append(plan.Widths, mechanism.FlagWidth(w))
	}
	past := h.lines
	mean := l.sum() / float64(h.plan.goal.Samples)
	if m.Parts > 0 {
		rows, err := h.plan.part(h.flags)
		if err != nil {
			return response{}, err
		}
		mean = l.sumOf(rows) / float64(len(rows))
		plan.Flags, past = 1, nil
	}
	run, err := plan.Start()
	if err != nil {
		return response{}, err
	}
	for _, line := range past {
		if _, _, err := run.Ask(2*(m.Threshold+1)*float64(one(line.counts(Moved))), 0); err != nil {
			return response{}, err
		}
	}
	answer, flagged, err := run.Ask(mean, *l.guess)
	if err != nil {
		return response{}, err
	}
	return number(answer, moved(flagged)), nil
}
