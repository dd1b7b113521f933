package goals

import (
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Row is one method's answer to one goal.
type Row = transfer.Row

type Column = record.Column[*Row]

// The columns of a goal.
var (
	ColumnSamples     = Column{Name: "samples", Says: "rows in the holdout", Cell: func(r *Row) record.Cell { return record.Count(r.Samples) }}
	ColumnQueries     = Column{Name: "queries", Says: "queries answered from it, each chosen in view of the answers before", Cell: func(r *Row) record.Cell { return record.Count(r.Queries) }}
	ColumnTau         = Column{Name: "tau", Says: "how far an answer may be from its population value", Cell: func(r *Row) record.Cell { return record.Number(r.Tau) }}
	ColumnBeta        = Column{Name: "beta", Says: "the probability that some answer is farther off", Cell: func(r *Row) record.Cell { return record.Beta(r.Beta) }}
	ColumnBudget      = Column{Name: "budget", Says: "Thresholdout's flagged queries that are answered", Cell: func(r *Row) record.Cell { return record.Count(r.Budget) }}
	ColumnQuery       = Column{Name: "query", Says: "the kind of query", Cell: func(r *Row) record.Cell { return record.Words(QueryName(r.Goal)) }}
	ColumnSensitivity = Column{Name: "sensitivity", Says: "n times what one row can move a query by", Cell: SensitivityOf}
)

// The columns of what the analyst is shown.
var (
	ColumnFeedback = Column{Name: "feedback", Says: "what the analyst is shown",
		Cell: func(r *Row) record.Cell { return record.Words(r.Feedback.String()) }}
	ColumnOneSided = Column{Name: "one_sided", Says: "whether only what exceeds the truth counts as an error",
		Cell: func(r *Row) record.Cell { return record.Truth(r.Method.Used(r.Answer).OneSided) }}
	ColumnPasses = Column{Name: "passes", Says: "the pass at which the gate is retired, or that an open query is", Cell: func(r *Row) record.Cell {
		switch {
		case r.Open && r.Feedback != transfer.Answers:
			return record.Count(r.Rare())
		case r.Feedback == transfer.Gate && r.Passes == 0:
			return record.Count(r.Queries)
		}
		return record.Count(r.Passes)
	}}
	ColumnBar = Column{Name: "bar", Says: "the gate's known bar", Cell: func(r *Row) record.Cell {
		return optional(r.Bar)
	}}
	ColumnFloor = Column{Name: "floor", Says: "the population score of the board's known baseline",
		Cell: func(r *Row) record.Cell { return record.Exactly(r.Floor).If(r.Feedback == transfer.Best) }}
	ColumnHold       = Column{Name: "hold", Says: "no guess within it of the value on the sample is flagged", Cell: func(r *Row) record.Cell { return record.Number(r.Hold) }}
	ColumnGuessError = Column{Name: "guess_error", Says: "no guess within it of the truth is flagged",
		Cell: func(r *Row) record.Cell {
			return record.Exactly(r.GuessError.Or(r.Tau / 2)).If(r.Feedback == transfer.Flags && r.Hold == 0 && r.Tau != 0)
		}}
	ColumnDisagreement = Column{Name: "disagreement", Says: "the share of the population on which two models may differ",
		Cell: func(r *Row) record.Cell {
			switch {
			case !r.Query.IsSigned():
				return record.Cell{}
			case r.Disagreement == 0:
				return record.Exactly(1)
			}
			return record.Exactly(r.Disagreement)
		}}
	ColumnPositives = Column{Name: PositivesFlag, Says: "a model predicts the positive class on this share of the rows",
		Cell: func(r *Row) record.Cell { return record.Number(r.Ratio.Share) }}
	ColumnAtLeast      = Column{Name: "at_least", Says: "every population value is known to be at least this", Cell: func(r *Row) record.Cell { return record.Number(r.AtLeast) }}
	ColumnVariance     = Column{Name: "variance", Says: "the variance of a query from row to row is known to be at most this", Cell: func(r *Row) record.Cell { return record.Number(r.Variance) }}
	ColumnSecondMoment = Column{Name: "second_moment", Says: "the mean square of a difference is known to be at most this", Cell: func(r *Row) record.Cell { return record.Number(r.SecondMoment) }}
	ColumnEnforced     = Column{Name: "enforced", Says: "the mechanism enforces the bound on the sample",
		Cell: func(r *Row) record.Cell { return record.Truth(true).If(r.Method.Used(r.Answer).Checked) }}
	columnTranscripts = Column{Name: "transcripts", Says: "queries that could be asked in all", Cell: func(r *Row) record.Cell { return totalCell(r.Transcripts) }}
	columnLnGiven     = Column{Name: "ln_transcripts", Says: "the logarithm of the queries that could be asked in all", Cell: func(r *Row) record.Cell { return record.Number(r.LnTranscripts) }}
	ColumnPastLooks   = Column{Name: "past_looks", Says: "looks at these rows that were taken before", Cell: func(r *Row) record.Cell { return record.Count(r.PastLooks) }}
)

// optional is a cell of a number that may be missing although zero is one.
func optional(o transfer.Option) record.Cell { return record.Exactly(o.Value).If(o.Given) }

// Verdict is what became of the method of a row.
func Verdict(r *Row) commands.Verdict {
	return commands.Verdict{Method: r.Method.Name, Best: r.Best, Proof: ProofOf(r), Status: r.Status, Reason: r.Reason}
}

// verdictColumn returns the field of a Verdict with this name as a column.
func verdictColumn(name, says string) Column {
	c := commands.VerdictColumns(Verdict, name)[0]
	c.Says = says
	return c
}

// The columns of an answer.
var (
	ColumnMethod = verdictColumn("method", "dpcalc explain METHOD has its theorem and what to do")
	ColumnBest   = verdictColumn("best", "")
	ColumnStar   = verdictColumn("", "")
	ColumnName   = Column{Name: "best", Says: "the adaptive method that does best for the goal",
		Cell: func(r *Row) record.Cell {
			if r.Best {
				return record.Words("best")
			}
			return record.Cell{}
		}}
	ColumnTauAchieved   = Column{Name: "tau_achieved", Says: "the accuracy certified for the whole numbers in the row", Cell: func(r *Row) record.Cell { return record.Number(r.TauAchieved) }}
	ColumnBetaReached   = Column{Name: "beta", Cell: reached(func(r *Row) record.Cell { return record.Chance(r.Beta) })}
	ColumnLnBetaReached = Column{Name: "ln_beta",
		Cell: reached(func(r *Row) record.Cell { return record.Exactly(r.Beta.Ln()) })}
	ColumnLnBeta = Column{
		Name: "ln_beta", Says: "its natural logarithm, where a sheet cannot hold beta as a number",
		Cell: func(r *Row) record.Cell { return record.Exactly(r.Beta.Ln()).If(!record.IsRepresentable(r.Beta)) },
	}
	ColumnAdaptive   = Column{Name: "adaptive", Cell: func(r *Row) record.Cell { return record.Truth(r.Method.Adaptive) }}
	ColumnUse        = Column{Name: "use", Says: "adaptive: for queries chosen in view of answers; reference: only for queries fixed beforehand; fixed number: adaptive, and answering stops after so many; dp procedure: for what a private procedure puts out", Cell: func(r *Row) record.Cell { return record.Words(use(r)) }}
	ColumnProof      = verdictColumn("proof", "published: in the literature; derived: in dpcalc's docs/theorems; coq: Coq has checked every theorem from the hypotheses to the inequality, given the sources, and the numbers are evaluated in floating point")
	ColumnStatus     = verdictColumn("status", "")
	ColumnStatusText = Column{Name: "status", Says: "ok: certified; other rows have no answer",
		Cell: func(r *Row) record.Cell {
			return record.Words(strings.ReplaceAll(string(r.Status), "_", " "))
		}}
	ColumnReason = verdictColumn("reason", "why there is none, or what limits one")
	// The sources and the hypotheses of no method, where none is the best, are none.
	ColumnSources = Column{Name: "sources", Cell: rests(func(sources []theory.Source, _ []string) record.Cell {
		return record.Sources(sources)
	})}
	ColumnAssumes = Column{Name: "assumes", Cell: rests(func(_ []theory.Source, assumes []string) record.Cell {
		return record.List(assumes)
	})}
	ColumnNote = Column{Name: "note", Cell: func(r *Row) record.Cell { return record.Words(Note(r)) }}
)

// The columns of what to run.
var (
	ColumnNoise = Column{
		Name: "noise", Says: "the distribution of the noise to add to every answer",
		Cell: func(r *Row) record.Cell { return record.Words(string(r.Mechanism.Noise)) },
	}
	ColumnNoiseScale = Column{
		Name: "noise_scale", Says: "its standard deviation (Gaussian) or scale (Laplace), if all answers have the same",
		Cell: func(r *Row) record.Cell { return record.Number(r.Mechanism.Scale).If(!r.Mechanism.Scheduled()) },
	}
	ColumnNoiseSpan  = Column{Name: "noise_scale", Cell: func(r *Row) record.Cell { return NoiseCell(r.Mechanism) }}
	ColumnNoiseFirst = Column{
		Name: "noise_first", Title: "first noise scale", Says: "of a schedule that of the first answer; --schedule FILE writes all",
		Cell: ofSchedule(func(run transfer.Mechanism) float64 { return run.ScaleFirst }),
	}
	ColumnNoiseLast = Column{
		Name: "noise_last", Title: "last noise scale", Says: "of a schedule that of the last answer; 0 is no noise",
		Cell: ofSchedule(func(run transfer.Mechanism) float64 { return run.Scale }),
	}
	ColumnCut = Column{
		Name: "cut", Says: "Gaussian noise is drawn again until it is within so many standard deviations; to clip it is not the same",
		Cell: func(r *Row) record.Cell { return record.Number(r.Mechanism.Cut) },
	}
	ColumnThreshold = Column{
		Name: "threshold", Says: "Thresholdout's threshold",
		Cell: func(r *Row) record.Cell { return record.Number(r.Mechanism.Threshold) },
	}
	ColumnCells         = Column{Name: "cells", Says: "how many cells [0,1] is divided into for rounded answers", Cell: func(r *Row) record.Cell { return record.Count(r.Mechanism.Cells) }}
	ColumnPassAt        = Column{Name: "pass_at", Says: "the score on the sample at which a test passes the gate", Cell: func(r *Row) record.Cell { return optional(r.Mechanism.PassAt) }}
	ColumnLnTranscripts = Column{
		Name: "ln_transcripts", Says: "the logarithm of how many queries could be asked",
		Cell: func(r *Row) record.Cell { return optional(r.Mechanism.LnNodes) },
	}
	ColumnFalseFlag = Column{
		Name: "false_flag", Says: "the chance that a guess that is right is flagged, of each query",
		Cell: func(r *Row) record.Cell {
			return record.Chance(r.Mechanism.FalseFlag).If(r.Mechanism.FlagWidths != nil)
		},
	}
	ColumnParts   = Column{Name: "parts", Says: "equal parts of the rows, each of which serves one flag", Cell: func(r *Row) record.Cell { return record.Count(r.Mechanism.Chunks) }}
	ColumnStep    = Column{Name: "step", Says: "the step of the board", Cell: func(r *Row) record.Cell { return record.Number(r.Mechanism.Step) }}
	ColumnEpsilon = Column{
		Name: "epsilon", Says: "the privacy that the theorem was applied with",
		Cell: func(r *Row) record.Cell { return record.Number(r.Mechanism.Epsilon) },
	}
	ColumnLnDelta = Column{
		Name: "ln_delta", Says: "the logarithm of the delta that goes with it",
		Cell: func(r *Row) record.Cell { return record.Number(r.Mechanism.LnDelta.Ln()) },
	}

	// ToRun are the columns of a sheet that say what to run.
	ToRun = []Column{ColumnNoiseScale, ColumnNoiseFirst, ColumnNoiseLast, ColumnCut, ColumnThreshold, ColumnCells,
		ColumnPassAt, ColumnFalseFlag, ColumnParts, ColumnStep, ColumnEpsilon, ColumnLnDelta}
)

// rests is a cell of what the answer of a method rests on.
func rests(cell func(sources []theory.Source, assumes []string) record.Cell) func(*Row) record.Cell {
	return func(r *Row) record.Cell {
		if r.Method.Name == "" {
			return record.Cell{}
		}
		return cell(r.Method.Rests(r.Answer))
	}
}

// ProofOf says where the proof of a row is.
func ProofOf(r *Row) transfer.Proof {
	proof, _ := r.Method.Proven(r.Answer)
	return proof
}

// reached is a cell of the failure probability, which may be one where a theorem says nothing.
func reached(cell func(*Row) record.Cell) func(*Row) record.Cell {
	return func(r *Row) record.Cell { return cell(r).If(r.Beta != 0 || r.Status == transfer.Vacuous) }
}

// ofSchedule is a cell of a noise schedule. Its last scale may be zero, which is a value: the
// answer carries no noise.
func ofSchedule(scale func(transfer.Mechanism) float64) func(*Row) record.Cell {
	return func(r *Row) record.Cell { return record.Exactly(scale(r.Mechanism)).If(r.Mechanism.Scheduled()) }
}

// SensitivityOf is D where the kind of query has one; it defaults to 1.
func SensitivityOf(r *Row) record.Cell {
	switch {
	case r.Query.IsMean():
		return record.Cell{}
	case r.Sensitivity == 0:
		return record.Exactly(1)
	}
	return record.Exactly(r.Sensitivity)
}

// NoiseCell is the scale of the noise for people: of a schedule the first and the last,
// to three digits.
func NoiseCell(run transfer.Mechanism) record.Cell {
	switch {
	case !run.Scheduled():
		return record.Number(run.Scale)
	case run.Scale == run.ScaleFirst:
		return record.Exactly(run.Scale)
	}
	sign := " > "
	if run.Rises() {
		sign = " < "
	}
	return record.Cell{Form: record.SpanForm, S: record.Rough(run.ScaleFirst) + sign + record.Rough(run.Scale)}
}

func Note(r *Row) string {
	switch {
	case r.Status != transfer.OK:
		return strings.ReplaceAll(string(r.Status), "_", " ")
	case r.Method.Procedure:
		return "dp procedure"
	case !r.Method.Adaptive:
		return "reference"
	case r.Open && !r.Method.IsOpen():
		return "fixed number"
	}
	return ""
}

func use(r *Row) string {
	switch {
	case r.Method.Procedure:
		return "dp procedure"
	case !r.Method.Adaptive:
		return "reference"
	case r.Open && !r.Method.IsOpen():
		return "fixed number"
	}
	return "adaptive"
}
