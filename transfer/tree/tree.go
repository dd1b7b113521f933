package tree

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Need returns the least real n with sum <= beta in the tree lemma, for nodes that all have the same tail:
//
//	n = (ln count + ln sides + ln 1/beta)/rate,
//
// within 2^-95 of its size as far as count and rate are. It is 0 where nothing can go wrong.
func Need(lnCount num.DD, risk tail.Exponential, lnBeta float64) num.DD {
	if math.IsInf(risk.Rate.Hi, 1) {
		return num.DD{}
	}
	level := lnCount.AddFloat(-lnBeta)
	if risk.Sides > 1 {
		level = level.Add(num.FromInt(risk.Sides).Ln())
	}
	return level.Div(risk.Rate)
}
