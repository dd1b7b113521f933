package samplesize

import (
	"slices"
	"sort"

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
	return s.noAnswer(group[0].Goal)
}

// noAnswer is the row of a goal that no adaptive method answers.
func (s *request) noAnswer(g transfer.Goal) goals.Row {
	r := goals.Row{Method: &unstarred, Answer: transfer.Answer{Goal: asked(g, s.unknown)}}
	r.Status, r.Reason = transfer.Infeasible, "no method for adaptively chosen queries has an answer"
	return r
}

// planRows returns the rows of a goal that are plans: the starred one, and the other answers of adaptive methods, the
// best first. A check has the other adaptive rows that apply below these. Where there is none, one row says so.
func (s *request) planRows(group []goals.Row) []goals.Row {
	plans := slices.DeleteFunc(slices.Clone(group), func(r goals.Row) bool {
		failed := s.unknown == transfer.None && r.Status != transfer.NotApplicable
		return r.Status != transfer.OK && !failed
	})
	if len(plans) == 0 {
		return []goals.Row{s.starred(group)}
	}
	before := func(a, b goals.Row) bool {
		switch {
		case a.Best || b.Best:
			return a.Best
		case a.Status == transfer.OK && b.Status == transfer.OK:
			return a.IsBetter(b.Answer, s.unknown)
		}
		return a.Status == transfer.OK
	}
	sort.SliceStable(plans, func(i, j int) bool { return before(plans[i], plans[j]) })
	return plans
}

// shownRows are the rows of a goal that are written: all, or with --best the starred one, or few, or the plans.
func (s *request) shownRows(group []goals.Row) []goals.Row {
	switch {
	case s.best:
		return []goals.Row{s.starred(group)}
	case s.brief:
		return s.fewRows(group)
	case s.plans:
		return s.planRows(group)
	}
	return group
}

// written are the rows that are written of all.
func (s *request) written(rows [][]goals.Row) [][]goals.Row { return each.Of(rows, s.shownRows) }

// perGoal is how many rows a goal has, or has at most where its plans are written.
func (s *request) perGoal() int64 {
	if s.best {
		return 1
	}
	return int64(max(len(s.printable(s.methods)), 1))
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
