package samplesize

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/transfer"
)

// columns are the machine's, in the contract's order.
func (s *request) columns() []goals.Column {
	columns := s.withRows([]goals.Column{
		goals.ColumnMethod, goals.ColumnSamples, goals.ColumnQueries, goals.ColumnTau, goals.ColumnTauAchieved,
		goals.ColumnBetaReached, goals.ColumnLnBetaReached,
		goals.ColumnBudget,
		goals.ColumnAdaptive, goals.ColumnProof, goals.ColumnNoise, goals.ColumnNoiseScale, goals.ColumnThreshold,
		goals.ColumnEpsilon, goals.ColumnLnDelta, goals.ColumnBest,
		goals.ColumnStatus, goals.ColumnReason,
		goals.ColumnSources, goals.ColumnAssumes,
		goals.ColumnQuery, goals.ColumnSensitivity, goals.ColumnCells, goals.ColumnNoiseFirst, goals.ColumnNoiseLast,
		goals.ColumnFeedback, goals.ColumnPasses, goals.ColumnBar, goals.ColumnFloor, goals.ColumnHold,
		goals.ColumnGuessError, goals.ColumnDisagreement,
		goals.ColumnOneSided, goals.ColumnPassAt, goals.ColumnLnTranscripts, goals.ColumnFalseFlag, goals.ColumnParts,
		goals.ColumnStep, goals.ColumnPastLooks,
		goals.ColumnAtLeast, goals.ColumnVariance, goals.ColumnEnforced, goals.ColumnSecondMoment,
		goals.ColumnCut,
	})
	if s.promise != "" {
		promise := record.Words(s.promise)
		columns = append(columns, goals.Column{Name: "promise", Cell: func(*goals.Row) record.Cell { return promise }})
	}
	return columns
}

// withRows adds the share predicted positive of a ratio, the rows at the last query where rows arrive, or what clusters
// are worth.
func (s *request) withRows(columns []goals.Column) []goals.Column {
	if s.grid.Base.Ratio.IsGiven() {
		columns = append(columns, goals.ColumnPositives)
	}
	if s.grid.Clusters != nil {
		return append(columns, s.grid.Clusters.Columns()...)
	}
	if s.grid.Base.Arrival == nil {
		return columns
	}
	return append(columns, goals.ColumnLastSamples)
}

// solvedOnly hides the unknown in a row without an answer.
func (s *request) solvedOnly(u transfer.Unknown, c goals.Column) goals.Column {
	if s.unknown != u || u == transfer.None {
		return c
	}
	cell := c.Cell
	c.Cell = func(r *goals.Row) record.Cell { return cell(r).If(r.Status == transfer.OK) }
	return c
}

// planColumns are the columns of the sheet Plan.
func (s *request) planColumns() []goals.Column {
	return s.withRows(slices.Concat([]goals.Column{
		goals.ColumnMethod, goals.ColumnName, s.solvedOnly(transfer.Samples, goals.ColumnSamples),
		s.solvedOnly(transfer.Queries, goals.ColumnQueries),
		s.solvedOnly(transfer.Tau, goals.ColumnTau), goals.ColumnTauAchieved, s.solvedOnly(transfer.Beta, goals.ColumnBeta),
		goals.ColumnLnBeta,
		goals.ColumnBudget,
		goals.ColumnNoise,
	}, goals.ToRun, []goals.Column{goals.ColumnUse, goals.ColumnProof, goals.ColumnStatusText, goals.ColumnQuery,
		goals.ColumnSensitivity, goals.ColumnDisagreement,
		goals.ColumnAtLeast, goals.ColumnVariance, goals.ColumnSecondMoment,
		goals.Given(goals.ColumnFeedback, func(g transfer.Goal) bool { return g.Feedback != transfer.Answers }),
		goals.ColumnPasses, goals.ColumnBar, goals.ColumnFloor, goals.ColumnHold, goals.ColumnGuessError,
		goals.ColumnPastLooks,
		goals.ColumnReason}))
}

// shown are the columns for people: what varies, what was asked for and what to run. The
// constants that count for the rows are told in words.
func (s *request) shown(rows [][]goals.Row) (columns []goals.Column, constants []string) {
	columns = []goals.Column{goals.ColumnStar, goals.ColumnMethod}
	asked := []goals.Column{}
	first := s.grid.Goal(0)
	for _, q := range goals.Parameters {
		if q.Column.Cell == nil {
			continue
		}
		at := goals.Row{Answer: transfer.Answer{Goal: first}}
		one := q.Column.Cell(&at)
		varies := false
		for i := 0; i < s.goals && !varies; i++ {
			at.Goal = s.grid.Goal(i)
			c := q.Column.Cell(&at)
			varies = c.Form != one.Form || c.N != one.N || c.F != one.F
		}
		switch {
		case q.Unknown == s.unknown && q.Unknown != transfer.None:
			asked = append(asked, s.solvedOnly(q.Unknown, q.Column))
		case varies:
			columns = append(columns, q.Column)
		case one.Form != record.Missing && counts(q.Flag.Name, rows):
			constants = append(constants, record.Titles([]goals.Column{q.Column})[0]+" "+record.People(one))
		}
	}
	columns = append(columns, asked...)
	if s.grid.Base.Arrival != nil {
		columns = s.withRows(columns)
	}
	if s.unknown != transfer.Tau {
		columns = append(columns, goals.ColumnTauAchieved)
	}
	return append(columns, goals.ColumnNoise, goals.ColumnNoiseSpan, goals.ColumnCut, goals.ColumnThreshold,
			goals.ColumnCells, goals.ColumnPassAt, goals.ColumnFalseFlag,
			goals.ColumnParts, goals.ColumnStep, goals.ColumnEpsilon, goals.ColumnLnDelta, goals.ColumnProof, goals.ColumnNote),
		constants
}

// counts reports whether the best rows, or all that have an answer where none is best, make use of a flag.
func counts(flag string, rows [][]goals.Row) bool {
	uses := func(r goals.Row) bool { return !slices.Contains(r.Method.Unused(r.Answer), flag) }
	all := slices.Concat(rows...)
	for _, counted := range []func(goals.Row) bool{
		func(r goals.Row) bool { return r.Best },
		func(r goals.Row) bool { return r.Status == transfer.OK },
	} {
		if some := slices.DeleteFunc(slices.Clone(all), func(r goals.Row) bool { return !counted(r) }); len(some) > 0 {
			return slices.ContainsFunc(some, uses)
		}
	}
	return true
}
