package transfer

import (
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

func source(key, where string) theory.Source { return theory.Source{Key: key, Where: where} }

func proved(places ...string) []theory.Source {
	return each.Of(places, func(place string) theory.Source { return source("dpcalc", "docs/theorems/"+place) })
}

const (
	independent     = "rows independent from one population"
	identical       = "rows independent and identically distributed"
	independentOnly = "rows independent"
	fixed           = "queries fixed before the data are seen"
	wholeInput      = "epsilon is the privacy of the whole interaction that produces each function, where one row is replaced"
	inInterval      = "answers are clipped to the interval that holds the query's values"
	training        = "training set independent of the holdout"
)

// What kinds of queries theorems are about that have no further hypotheses.
var (
	linear   = solver.Domain{Kinds: goal.Linear}
	means    = solver.Domain{Kinds: goal.Means}
	anyQuery = solver.Domain{Kinds: goal.AnyQuery}
)

// registry lists the methods in printing order.
var registry = []Method{
	hoeffding,
	hoeffdingKL,
	binomial,
	splitting,
	splittingExact,
	rounding,
	roundingWidths,
	gaussianSchedule,
	gaussian,
	gaussianCVaR,
	gaussianJung20,
	gaussianMarchant25,
	gaussianRogers20,
	gaussianBassily16,
	laplace,
	laplaceJung20,
	gate,
	gateRenggli19,
	sparseValidate,
	ladder,
	ladderBlum15,
	sealed,
	transcripts,
	subset,
	openGate,
	openBoard,
	openGuess,
	gaussianOpen,
	thresholdoutSharp,
	thresholdoutDwork15,
	thresholdoutDwork15N0,
	thresholdoutDwork15N1,
	dp,
	dpMaxInfo,
	dpDwork15,
	dpApproxDwork15,
}
