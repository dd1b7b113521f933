package samplesize

import (
	"slices"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// fullFlag asks for a row for each method, where people see the few that they choose between and machines the plans.
const fullFlag = "full"

// briefWidth is how many columns of a terminal the few rows take.
const briefWidth = 80

// readBrief finds out whether few rows are written, to people, or plans, to machines: where no methods are named and
// not all are asked for.
func (s *request) readBrief(c *commands.Call) error {
	full := c.Is(fullFlag)
	switch {
	case full && s.best:
		return bothGiven()
	case full && s.view != tableView:
		return usage.Errorf("--%s: got %s, want a table", fullFlag, s.viewName())
	}
	if s.view == tableView {
		s.choose(full)
	}
	return nil
}

// bothGiven refuses a row of the best method beside rows of all methods.
func bothGiven() error {
	return usage.Errorf("--%s: given with --%s, want one of the two", fullFlag, bestFlag)
}

// choose chooses the rows for the format: few for people and plans for machines, unless all are asked for or methods
// are named.
func (s *request) choose(all bool) {
	chosen := all || s.asked || s.best
	people := s.target.Format.Name == printed.Table.Name
	s.brief, s.plans = people && !chosen, !people && !chosen
}

// printable returns the methods that a row may be printed of.
func (s *request) printable(methods []transfer.Method) []transfer.Method {
	if s.plans || s.best && s.target.Format.Print == nil {
		return slices.DeleteFunc(slices.Clone(methods), func(m transfer.Method) bool { return !m.Adaptive })
	}
	return methods
}

// fewRows are the rows of a goal that people choose between: the best, of an open plan the best of a fixed number, the
// best whose proof is published, and the best reference. Where nothing is best, a row that says why is the first.
func (s *request) fewRows(group []goals.Row) (few []goals.Row) {
	add := func(among func(*goals.Row) bool) {
		at := -1
		for i := range group {
			r := &group[i]
			if r.Status != transfer.OK || !among(r) {
				continue
			}
			if at < 0 || r.IsBetter(group[at].Answer, s.unknown) {
				at = i
			}
		}
		if at >= 0 && !slices.ContainsFunc(few, func(r goals.Row) bool { return r.Method == group[at].Method }) {
			few = append(few, group[at])
		}
	}
	if bestOf(group) == nil {
		few = s.unanswered(group)
	}
	add(func(r *goals.Row) bool { return r.Best })
	add(func(r *goals.Row) bool { return r.Method.Adaptive && r.Open && !r.Method.IsOpen() })
	add(func(r *goals.Row) bool { return r.Method.Adaptive && goals.ProofOf(r) == transfer.Published })
	add(func(r *goals.Row) bool { return r.Method.IsReference() })
	return few
}

// unanswered are rows that say why no adaptive method has an answer: of the method that asks for the fewest rows,
// where these are given and too few, else of the first one that applies. Where none applies, all say what they need.
func (s *request) unanswered(group []goals.Row) []goals.Row {
	adaptive := slices.DeleteFunc(slices.Clone(group), func(r goals.Row) bool { return !r.Method.Adaptive })
	applicable := slices.DeleteFunc(slices.Clone(adaptive), func(r goals.Row) bool {
		return r.Status == transfer.NotApplicable
	})
	if len(applicable) == 0 {
		return adaptive
	}
	if s.unknown == transfer.None || s.unknown == transfer.Queries {
		g := asked(group[0].Goal, s.unknown)
		if g.Samples = 0; s.unknown == transfer.Queries {
			g.Queries = 1
		}
		if rows, best, err := transfer.Solve(nil, s.methods, g); err == nil && best >= 0 {
			named := func(r goals.Row) bool { return r.Method.Name == rows[best].Method.Name }
			if i := slices.IndexFunc(applicable, named); i >= 0 {
				return applicable[i : i+1]
			}
		}
	}
	return applicable[:1]
}

// expendable are columns that a narrow table can do without, the first of them first.
var expendable = []goals.Column{goals.ColumnNoise, goals.ColumnFalseFlag, goals.ColumnNoiseSpan, goals.ColumnThreshold,
	goals.ColumnStep, goals.ColumnParts, goals.ColumnCells, goals.ColumnPassAt}

// briefColumns are the columns for people that count for few rows: the privacy that a theorem was applied
// with is none of them, and what to run is told of the best rows. They fit into the width, if something is expendable.
func (s *request) briefColumns(columns []goals.Column, few [][]goals.Row) []goals.Column {
	all := slices.Concat(few...)
	drop := func(unwanted func(goals.Column) bool) { columns = slices.DeleteFunc(columns, unwanted) }
	run := record.Names(slices.Concat(goals.ToRun, []goals.Column{goals.ColumnNoise, goals.ColumnNoiseSpan}))
	drop(func(c goals.Column) bool {
		switch {
		case c.Name == goals.ColumnEpsilon.Name, c.Name == goals.ColumnLnDelta.Name:
			return true
		case c.Name == goals.ColumnTauAchieved.Name:
			return s.unknown != transfer.None
		}
		return slices.Contains(run, c.Name) && !slices.ContainsFunc(all, func(r goals.Row) bool {
			return r.Best && c.Cell(&r).Form != record.Missing
		})
	})
	for _, e := range expendable {
		if width(columns, all) > briefWidth {
			drop(func(c goals.Column) bool {
				cut := c.Name == goals.ColumnCut.Name && e.Name == goals.ColumnNoiseSpan.Name // no scale without its cut
				return c.Name == e.Name || cut
			})
		}
	}
	return columns
}

// width is how many columns of a terminal a table takes: a cell has a blank on each side.
func width(columns []goals.Column, rows []goals.Row) (width int) {
	for i, title := range record.Titles(columns) {
		widest := 0
		for j := range rows {
			widest = max(widest, utf8.RuneCountInString(record.People(columns[i].Cell(&rows[j]))))
		}
		if widest > 0 { // people do not see empty columns
			width += max(widest, utf8.RuneCountInString(title)) + 2
		}
	}
	return width
}

// others says where the methods are that a brief table leaves out.
func (s *request) others(few [][]goals.Row) []string {
	left := slices.Clone(s.methods)
	for _, r := range slices.Concat(few...) {
		left = slices.DeleteFunc(left, func(m transfer.Method) bool { return m.Name == r.Method.Name })
	}
	if len(left) == 0 {
		return nil
	}
	return []string{"--" + fullFlag + " shows " + record.Plural(int64(len(left)), "more method")}
}
