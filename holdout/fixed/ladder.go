package fixed

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// ladder shows the value of the highest boundary that any mean over all rows has reached. Of 0/1 scores it compares
// counts. Without a table the plan is for one look, which shows the mean itself.
type ladder struct{}

func (ladder) run(a transfer.Answer) (theory.Run, error) {
	return theory.Run{Board: a.Mechanism.Board}, nil
}

func (ladder) failure(p *rule.Plan) (theory.LogProb, error) {
	if err := rejectForeignFields(p, theory.Run{Board: p.Mechanism.Board}); err != nil {
		return 0, err
	}
	if p.Mechanism.Board != nil {
		return transfer.BoardFailure(p.Goal, board(p))
	}
	a := transfer.Answer{Goal: p.Goal}
	a.CertifyOneScore()
	return a.Beta, nil
}

// uncounted reports whether the plan has boundaries where it runs on counts, as ledgers of the first form do.
func uncounted(p *rule.Plan) bool {
	steps := p.Mechanism.Board
	return p.Goal.Query.IsZeroOne() && len(steps) > 1 && steps[1].Count == 0
}

// board is the plan's table. A boundary b without a count is the count round(n b).
func board(p *rule.Plan) []theory.Step {
	return boardOf(p, func(b, n float64) float64 { return math.Round(n * b) })
}

func boardOf(p *rule.Plan, count func(b, n float64) float64) (steps []theory.Step) {
	rounded := uncounted(p)
	for i, step := range p.Mechanism.Board {
		if rounded && i > 0 {
			step.Count = int64(count(step.Boundary, float64(p.Goal.Samples)))
		}
		steps = append(steps, step)
	}
	return steps
}

// AsRun returns a bound on the probability that the looks of a ledger of the first form break the promise: those that
// an earlier version took, which compared c/n with a rounded boundary, and those to come. Other ledgers have none.
func AsRun(p *rule.Plan) (*theory.LogProb, error) {
	if !uncounted(p) {
		return nil, nil
	}
	first := boardOf(p, func(b, n float64) float64 {
		count := math.Round(n * b)
		if count/n < b {
			count++
		}
		return count
	})
	failure, err := transfer.BoardFailure(p.Goal, first, board(p))
	return &failure, err
}

func (ladder) response(h rule.Past, a *rule.Asked) (rule.Reply, error) {
	goal := h.Plan.Goal
	score := a.Scores.Sum()
	if h.Plan.Mechanism.Board == nil {
		return show(h, a, score/float64(goal.Samples))
	}
	plan := mechanism.Ladder{Queries: goal.Queries}
	for i, step := range board(h.Plan) {
		if goal.Query.IsZeroOne() && i > 0 {
			step.Boundary = float64(step.Count)
		}
		plan.Board = append(plan.Board, step)
	}
	if !goal.Query.IsZeroOne() {
		score /= float64(goal.Samples)
	}
	run, err := plan.Start()
	if err != nil {
		return rule.Reply{}, err
	}
	for _, line := range h.Lines {
		if _, _, err := run.Submit(boundary(plan.Board, line.Response)); err != nil {
			return rule.Reply{}, err
		}
	}
	value, improved, err := run.Submit(score)
	if err != nil {
		return rule.Reply{}, err
	}
	return rule.Number(value, rule.Verdict(improved, form.Improved, form.Kept)), nil
}

// boundary is a score with which the board shows a value, or one that moves nothing if nothing was shown.
func boundary(board []theory.Step, value *float64) float64 {
	for _, step := range board[1:] {
		if value != nil && step.Value == *value {
			return step.Boundary
		}
	}
	return -2
}
