package transfer

import (
	"iter"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

// inUnits is an answer about shares as one to the goal.
func inUnits(g goal.Goal, a Answer) Answer {
	width, solved := g.Range.Width(), a.Goal
	if g.Tau == 0 && solved.Tau > 0 { // as a share it is no less than what was solved
		for g.Tau = solved.Tau * width; g.Tau/width < solved.Tau; {
			g.Tau = math.Nextafter(g.Tau, math.Inf(1))
		}
	}
	g.Samples, g.Queries, g.Beta = solved.Samples, solved.Queries, solved.Beta
	g.Budget, g.Passes = solved.Budget, solved.Passes
	a.Goal = g
	a.TauAchieved *= width
	run := &a.Mechanism
	run.Scale, run.ScaleFirst = run.Scale*width, run.ScaleFirst*width
	run.Threshold, run.Step = run.Threshold*width, run.Step*width
	if run.Schedule != nil {
		run.Schedule = widened{run.Schedule, width}
	}
	if run.PassAt.Given {
		run.PassAt.Value = g.Score(run.PassAt.Value)
	}
	run.QueryWidths, run.FlagWidths = slices.Clone(run.QueryWidths), slices.Clone(run.FlagWidths)
	run.Board = slices.Clone(run.Board)
	for i := range run.QueryWidths {
		run.QueryWidths[i].Width *= width
	}
	for i := range run.FlagWidths {
		run.FlagWidths[i].Width *= width
	}
	for i := range run.Board {
		step := &run.Board[i]
		step.Boundary, step.Value = g.Score(step.Boundary), g.Score(step.Value)
	}
	return a
}

// widened is a schedule in the units of a range.
type widened struct {
	Schedule
	width float64
}

func (w widened) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		for block := range w.Schedule.Blocks() {
			block.Scale, block.Tau = w.width*block.Scale, w.width*block.Tau
			if !yield(block) {
				return
			}
		}
	}
}
