package holdout

import (
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/transfer"
)

// ladder shows the value of the highest boundary that any mean over all rows has reached. Without a table the plan is
// for one look, which shows the mean itself.
type ladder struct{}

func (ladder) prepare(a transfer.Answer) (m Mechanism, err error) {
	for _, step := range a.Mechanism.Board {
		m.Board = append(m.Board, Step(step))
	}
	return m, nil
}

func (ladder) certified(p *Plan, a transfer.Answer) error {
	today, err := ladder{}.prepare(a)
	if err != nil {
		return err
	}
	return same(p, today)
}

func (ladder) respond(h *history, l look) (response, error) {
	goal := h.plan.goal
	mean := l.sum() / float64(goal.Samples)
	if h.plan.Mechanism.Board == nil {
		return h.show(mean, l)
	}
	plan := mechanism.Ladder{Queries: goal.Queries}
	for _, step := range h.plan.Mechanism.Board {
		plan.Board = append(plan.Board, mechanism.Step(step))
	}
	run, err := plan.Start()
	if err != nil {
		return response{}, err
	}
	for _, line := range h.lines {
		if _, _, err := run.Submit(boundary(plan.Board, line.Response)); err != nil {
			return response{}, err
		}
	}
	value, improved, err := run.Submit(mean)
	if err != nil {
		return response{}, err
	}
	return number(value, risen(improved)), nil
}

// boundary is a score with which the board shows a value, or one that moves nothing if nothing was shown.
func boundary(board []mechanism.Step, value *float64) float64 {
	for _, step := range board[1:] {
		if value != nil && step.Value == *value {
			return step.Boundary
		}
	}
	return -2
}
