package samplesize

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/transfer"
)

// row is one method's answer to one goal.
type row = transfer.Row

type column = record.Column[*row]

// The columns of a goal.
var (
	columnSamples = column{Name: "samples", Says: "rows in the holdout",
		Cell: func(r *row) record.Cell { return record.Count(r.Samples) }}
	columnQueries = column{
		Name: "queries", Says: "queries answered from it, each chosen in view of the answers before",
		Cell: func(r *row) record.Cell { return record.Count(r.Queries) },
	}
	columnTau = column{
		Name: "tau", Says: "how far an answer may be from its population value",
		Cell: func(r *row) record.Cell { return record.Number(r.Tau) },
	}
	columnBeta = column{
		Name: "beta", Says: "the probability that some answer is farther off",
		Cell: func(r *row) record.Cell { return record.Beta(r.Beta) },
	}
	columnBudget = column{
		Name: "budget", Says: "Thresholdout's flagged queries that are answered",
		Cell: func(r *row) record.Cell { return record.Count(r.Budget) },
	}
	columnQuery = column{Name: "query", Says: "the kind of query",
		Cell: func(r *row) record.Cell { return record.Words(r.Query.String()) }}
	columnSensitivity = column{Name: "sensitivity", Says: "n times what one row can move a query by", Cell: sensitivityOf}
)

// The columns of what the analyst is shown.
var (
	columnFeedback = column{Name: "feedback", Says: "what the analyst is shown",
		Cell: func(r *row) record.Cell { return record.Words(r.Feedback.String()) }}
	columnOneSided = column{Name: "one_sided", Says: "whether only what exceeds the truth counts as an error",
		Cell: func(r *row) record.Cell { return record.Truth(r.OneSided && r.Method.OneSided) }}
	columnPasses = column{Name: "passes", Says: "the pass at which the gate is retired", Cell: func(r *row) record.Cell {
		if r.Feedback == transfer.Gate && r.Passes == 0 {
			return record.Count(r.Queries)
		}
		return record.Count(r.Passes)
	}}
	columnBar = column{Name: "bar", Says: "the gate's known bar", Cell: func(r *row) record.Cell {
		return optional(r.Bar)
	}}
	columnFloor = column{Name: "floor", Says: "the population score of the board's known baseline",
		Cell: func(r *row) record.Cell {
			if r.Feedback != transfer.Best {
				return record.Cell{}
			}
			return record.Exactly(r.Floor)
		}}
	columnHold = column{Name: "hold", Says: "no guess within it of the value on the sample is flagged",
		Cell: func(r *row) record.Cell { return record.Number(r.Hold) }}
	columnGuessError = column{Name: "guess_error", Says: "no guess within it of the truth is flagged",
		Cell: func(r *row) record.Cell {
			if r.Feedback != transfer.Flags || r.Hold != 0 || r.Tau == 0 {
				return record.Cell{}
			}
			return record.Exactly(r.GuessError.Or(r.Tau / 2))
		}}
	columnDisagreement = column{Name: "disagreement", Says: "the share of the population on which two models may differ",
		Cell: func(r *row) record.Cell {
			switch {
			case r.Query != transfer.Difference:
				return record.Cell{}
			case r.Disagreement == 0:
				return record.Exactly(1)
			}
			return record.Exactly(r.Disagreement)
		}}
	columnAtLeast = column{Name: "at_least", Says: "every population value is known to be at least this",
		Cell: func(r *row) record.Cell { return record.Number(r.AtLeast) }}
	columnVariance = column{Name: "variance", Says: "the variance of a query from row to row is known to be at most this",
		Cell: func(r *row) record.Cell { return record.Number(r.Variance) }}
	columnChecked = column{Name: "checked", Says: "the mechanism keeps the bound on the sample",
		Cell: func(r *row) record.Cell {
			if !r.Checked {
				return record.Cell{}
			}
			return record.Truth(true)
		}}
	columnTranscripts = column{Name: "transcripts", Says: "queries that could be asked in all",
		Cell: func(r *row) record.Cell { return totalCell(r.Transcripts) }}
	columnLnGiven = column{Name: "ln_transcripts", Says: "the logarithm of the queries that could be asked in all",
		Cell: func(r *row) record.Cell { return record.Number(r.LnTranscripts) }}
	columnPastLooks = column{Name: "past_looks", Says: "looks at these rows that were taken before",
		Cell: func(r *row) record.Cell { return record.Count(r.PastLooks) }}
)

// optional is a cell of a number that may be missing although zero is one.
func optional(o transfer.Option) record.Cell {
	if !o.Given {
		return record.Cell{}
	}
	return record.Exactly(o.Value)
}

// The columns of an answer.
var (
	columnMethod = column{
		Name: "method", Says: "dpcalc explain METHOD has its theorem and what to do",
		Cell: func(r *row) record.Cell { return record.Words(r.Method.Name) },
	}
	columnBest = column{Name: "best", Cell: func(r *row) record.Cell { return record.Truth(r.Best) }}
	columnStar = column{Cell: func(r *row) record.Cell { return record.Mark(r.Best) }}
	columnName = column{Name: "best", Says: "the adaptive method that does best for the goal",
		Cell: func(r *row) record.Cell {
			if r.Best {
				return record.Words("best")
			}
			return record.Cell{}
		}}
	columnTauAchieved = column{
		Name: "tau_achieved", Says: "the accuracy certified for the whole numbers in the row",
		Cell: func(r *row) record.Cell { return record.Number(r.TauAchieved) },
	}
	columnBetaReached   = column{Name: "beta", Cell: reached(func(r *row) record.Cell { return record.Chance(r.Beta) })}
	columnLnBetaReached = column{Name: "ln_beta",
		Cell: reached(func(r *row) record.Cell { return record.Exactly(r.Beta.Ln()) })}
	columnLnBeta = column{
		Name: "ln_beta", Says: "its natural logarithm, where a sheet cannot hold beta as a number",
		Cell: func(r *row) record.Cell {
			if record.Representable(r.Beta) {
				return record.Cell{}
			}
			return record.Exactly(r.Beta.Ln())
		},
	}
	columnAdaptive = column{Name: "adaptive", Cell: func(r *row) record.Cell { return record.Truth(r.Method.Adaptive) }}
	columnUse      = column{
		Name: "use", Says: "adaptive: for queries chosen in view of answers; reference: only for queries fixed beforehand; " +
			"dp procedure: for what a private procedure puts out",
		Cell: func(r *row) record.Cell { return record.Words(use(r)) },
	}
	columnProof = column{
		Name: "proof", Says: "published in the literature, or derived in dpcalc's docs/theorems",
		Cell: func(r *row) record.Cell { return record.Words(string(proofOf(r))) },
	}
	columnStatus     = column{Name: "status", Cell: func(r *row) record.Cell { return record.Words(string(r.Status)) }}
	columnStatusText = column{Name: "status", Says: "ok: certified; other rows have no answer",
		Cell: func(r *row) record.Cell {
			return record.Words(strings.ReplaceAll(string(r.Status), "_", " "))
		}}
	columnReason = column{
		Name: "reason", Says: "why there is none, or what limits one",
		Cell: func(r *row) record.Cell { return record.Words(commands.Flagged(r.Reason)) },
	}
	columnNote = column{Name: "note", Cell: func(r *row) record.Cell { return record.Words(note(r)) }}
)

// The columns of what to run.
var (
	columnNoise = column{
		Name: "noise", Says: "the distribution of the noise to add to every answer",
		Cell: func(r *row) record.Cell { return record.Words(string(r.Mechanism.Noise)) },
	}
	columnNoiseScale = column{
		Name: "noise_scale", Says: "its standard deviation (Gaussian) or scale (Laplace), if all answers have the same",
		Cell: func(r *row) record.Cell {
			if r.Mechanism.Scheduled() {
				return record.Cell{}
			}
			return record.Number(r.Mechanism.Scale)
		},
	}
	columnNoiseSpan  = column{Name: "noise_scale", Cell: func(r *row) record.Cell { return noiseCell(r.Mechanism) }}
	columnNoiseFirst = column{
		Name: "noise_first", Title: "first noise scale", Says: "of a schedule that of the first answer; --schedule FILE " +
			"writes all",
		Cell: ofSchedule(func(run transfer.Mechanism) float64 { return run.ScaleFirst }),
	}
	columnNoiseLast = column{
		Name: "noise_last", Title: "last noise scale", Says: "of a schedule that of the last answer; 0 is no noise",
		Cell: ofSchedule(func(run transfer.Mechanism) float64 { return run.Scale }),
	}
	columnThreshold = column{
		Name: "threshold", Says: "Thresholdout's threshold",
		Cell: func(r *row) record.Cell { return record.Number(r.Mechanism.Threshold) },
	}
	columnCells = column{
		Name: "cells", Says: "how many cells [0,1] is divided into for rounded answers",
		Cell: func(r *row) record.Cell { return record.Count(r.Mechanism.Cells) },
	}
	columnPassAt = column{
		Name: "pass_at", Says: "the score on the sample at which a test passes the gate",
		Cell: func(r *row) record.Cell { return optional(r.Mechanism.PassAt) },
	}
	columnLnTranscripts = column{
		Name: "ln_transcripts", Says: "the logarithm of how many queries could be asked",
		Cell: func(r *row) record.Cell { return optional(r.Mechanism.LnNodes) },
	}
	columnFalseFlag = column{
		Name: "false_flag", Says: "the chance that a guess that is right is flagged, of each query",
		Cell: func(r *row) record.Cell {
			if r.Mechanism.FlagWidths == nil {
				return record.Cell{}
			}
			return record.Chance(r.Mechanism.FalseFlag)
		},
	}
	columnParts = column{
		Name: "parts", Says: "equal parts of the rows, each of which serves one flag",
		Cell: func(r *row) record.Cell { return record.Count(r.Mechanism.Chunks) },
	}
	columnStep = column{
		Name: "step", Says: "the step of the board",
		Cell: func(r *row) record.Cell { return record.Number(r.Mechanism.Step) },
	}
	columnEpsilon = column{
		Name: "epsilon", Says: "the privacy that the theorem was applied with",
		Cell: func(r *row) record.Cell { return record.Number(r.Mechanism.Epsilon) },
	}
	columnLnDelta = column{
		Name: "ln_delta", Says: "the logarithm of the delta that goes with it",
		Cell: func(r *row) record.Cell { return record.Number(r.Mechanism.LnDelta.Ln()) },
	}

	// toRun are the columns of a sheet that say what to run.
	toRun = []column{columnNoiseScale, columnNoiseFirst, columnNoiseLast, columnThreshold, columnCells, columnPassAt,
		columnFalseFlag, columnParts, columnStep, columnEpsilon, columnLnDelta}
)

// proofOf says where the proof of a row is.
func proofOf(r *row) transfer.Proof {
	proof, _ := r.Method.Proven(r.Goal)
	return proof
}

// reached is a cell of the failure probability, which may be one where a theorem says nothing.
func reached(cell func(*row) record.Cell) func(*row) record.Cell {
	return func(r *row) record.Cell {
		if r.Beta == 0 && r.Status != transfer.Vacuous {
			return record.Cell{}
		}
		return cell(r)
	}
}

// ofSchedule is a cell of a noise schedule. Its last scale may be zero, which is a value: the
// answer carries no noise.
func ofSchedule(scale func(transfer.Mechanism) float64) func(*row) record.Cell {
	return func(r *row) record.Cell {
		if !r.Mechanism.Scheduled() {
			return record.Cell{}
		}
		return record.Exactly(scale(r.Mechanism))
	}
}

// sensitivityOf is D where the kind of query has one; it defaults to 1.
func sensitivityOf(r *row) record.Cell {
	switch {
	case r.Query != transfer.Sensitive && r.Query != transfer.Minimization:
		return record.Cell{}
	case r.Sensitivity == 0:
		return record.Exactly(1)
	}
	return record.Exactly(r.Sensitivity)
}

// noiseCell is the scale of the noise for people: of a schedule the first and the last,
// to three digits.
func noiseCell(run transfer.Mechanism) record.Cell {
	switch {
	case !run.Scheduled():
		return record.Number(run.Scale)
	case run.Scale == run.ScaleFirst:
		return record.Exactly(run.Scale)
	}
	return record.Cell{Form: record.SpanForm, S: record.Rough(run.ScaleFirst) + " > " + record.Rough(run.Scale)}
}

// columns are the machine's, in the contract's order. What is the same in every row of a method
// is made once.
func (s *request) columns() []column {
	sources, assumes := make(map[*transfer.Method]record.Cell), make(map[*transfer.Method]record.Cell)
	for i := range s.methods {
		m := &s.methods[i]
		proven, hypotheses := m.Rests(transfer.Answer{Goal: s.grid.base})
		sources[m], assumes[m] = record.Sources(proven), record.List(hypotheses)
	}
	sourcesOf := func(r *row) record.Cell {
		if !r.Mechanism.LowVariance {
			return sources[r.Method]
		}
		proven, _ := r.Method.Rests(r.Answer)
		return record.Sources(proven)
	}
	assumesOf := func(r *row) record.Cell {
		if !r.Mechanism.LowVariance {
			return assumes[r.Method]
		}
		_, hypotheses := r.Method.Rests(r.Answer)
		return record.List(hypotheses)
	}
	return []column{
		columnMethod, columnSamples, columnQueries, columnTau, columnTauAchieved, columnBetaReached, columnLnBetaReached,
		columnBudget,
		columnAdaptive, columnProof, columnNoise, columnNoiseScale, columnThreshold, columnEpsilon, columnLnDelta, columnBest,
		columnStatus, columnReason,
		{Name: "sources", Cell: sourcesOf},
		{Name: "assumes", Cell: assumesOf},
		columnQuery, columnSensitivity, columnCells, columnNoiseFirst, columnNoiseLast,
		columnFeedback, columnPasses, columnBar, columnFloor, columnHold, columnGuessError, columnDisagreement,
		columnOneSided, columnPassAt, columnLnTranscripts, columnFalseFlag, columnParts, columnStep, columnPastLooks,
		columnAtLeast, columnVariance, columnChecked,
	}
}

// solvedOnly hides the unknown in a row without an answer.
func (s *request) solvedOnly(u transfer.Unknown, c column) column {
	if s.unknown != u || u == transfer.None {
		return c
	}
	cell := c.Cell
	c.Cell = func(r *row) record.Cell {
		if r.Status != transfer.OK {
			return record.Cell{}
		}
		return cell(r)
	}
	return c
}

// planColumns are those of the sheet Plan.
func (s *request) planColumns() []column {
	return slices.Concat([]column{
		columnMethod, columnName, s.solvedOnly(transfer.Samples, columnSamples),
		s.solvedOnly(transfer.Queries, columnQueries),
		s.solvedOnly(transfer.Tau, columnTau), columnTauAchieved, s.solvedOnly(transfer.Beta, columnBeta), columnLnBeta,
		columnBudget,
		columnNoise,
	}, toRun, []column{columnUse, columnProof, columnStatusText, columnQuery, columnSensitivity, columnDisagreement,
		columnAtLeast, columnVariance, given(columnFeedback, func(g transfer.Goal) bool { return g.Feedback != transfer.Answers }), columnPasses, columnBar, columnFloor, columnHold, columnGuessError, columnPastLooks,
		columnReason})
}

// shown are the columns for people: what varies, what was asked for and what to run. The
// constants are told in words.
func (s *request) shown() (columns []column, constants []string) {
	columns = []column{columnStar, columnMethod}
	asked := []column{}
	first := s.grid.goal(0)
	for _, q := range parameters {
		if q.column.Cell == nil {
			continue
		}
		at := row{Answer: transfer.Answer{Goal: first}}
		one := q.column.Cell(&at)
		varies := false
		for i := 0; i < s.goals && !varies; i++ {
			at.Goal = s.grid.goal(i)
			c := q.column.Cell(&at)
			varies = c.Form != one.Form || c.N != one.N || c.F != one.F
		}
		switch {
		case q.unknown == s.unknown && q.unknown != transfer.None:
			asked = append(asked, s.solvedOnly(q.unknown, q.column))
		case varies:
			columns = append(columns, q.column)
		case one.Form != record.Missing:
			constants = append(constants, record.Titles([]column{q.column})[0]+" "+record.People(one))
		}
	}
	columns = append(columns, asked...)
	if s.unknown != transfer.Tau {
		columns = append(columns, columnTauAchieved)
	}
	return append(columns, columnNoise, columnNoiseSpan, columnThreshold, columnCells, columnPassAt, columnFalseFlag,
		columnParts, columnStep, columnEpsilon, columnLnDelta, columnProof, columnNote), constants
}
