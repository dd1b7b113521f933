package samplesize

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/transfer"
)

// bestFlag asks for the starred row of each goal alone.
const bestFlag = "best"

// unstarred stands for the method of a goal that no adaptive method answers.
var unstarred = transfer.Method{Adaptive: true}

// starred is the row of a goal that is marked as best. Where there is none, the row says so.
func (s *request) starred(group []goals.Row) goals.Row {
	if best := bestOf(group); best != nil {
		return *best
	}
	r := goals.Row{Method: &unstarred}
	if len(group) > 0 {
		r.Goal = asked(group[0].Goal, s.unknown)
	}
	r.Status, r.Reason = transfer.Infeasible, "no method for adaptively chosen queries has an answer"
	return r
}

// shownRows are the rows of a goal that are written: all, or with --best the starred one, or few.
func (s *request) shownRows(group []goals.Row) []goals.Row {
	switch {
	case s.best:
		return []goals.Row{s.starred(group)}
	case s.brief:
		return s.fewRows(group)
	}
	return group
}

// written are the rows that are written of all.
func (s *request) written(rows [][]goals.Row) [][]goals.Row {
	if !s.best && !s.brief {
		return rows
	}
	return each.Of(rows, s.shownRows)
}

// perGoal is how many rows a goal has.
func (s *request) perGoal() int64 {
	if s.best {
		return 1
	}
	return int64(len(s.methods))
}

// readBest reads --best, whose row stands in a table.
func (s *request) readBest(c *commands.Call) error {
	if s.best = c.Is(bestFlag); s.best && s.view != tableView {
		return usage.Errorf("--%s: got %s, want a table", bestFlag, s.viewName())
	}
	return nil
}

// viewName is the flag that asks for another form than a table.
func (s *request) viewName() string {
	switch s.view {
	case reportView:
		return "--report"
	case plotView:
		return "--plot"
	}
	return "the format " + s.target.Format.Name
}
