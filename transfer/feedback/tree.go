package feedback

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Exponential is the tail Sides e^(-n Rate), for a Rate >= 0 that is rounded down. An event that cannot
// happen has the rate +Inf.
type Exponential struct {
	Sides int64 // 1 or 2
	Rate  num.DD
}

// Ln returns ln of the tail.
func (e Exponential) Ln(n int64) float64 {
	if math.IsInf(e.Rate.Hi, 1) {
		return math.Inf(-1)
	}
	ln := num.Log(float64(e.Sides)) - e.Rate.Hi*float64(n)
	return math.Min(0, ln+4e-16*(1+math.Abs(ln)))
}

// Need returns the least real n with sum <= beta in the tree lemma, for nodes that all have the same tail:
//
//	n = (ln count + ln sides + ln 1/beta)/rate,
//
// within 2^-95 of its size as far as count and rate are. It is 0 where nothing can go wrong.
func Need(lnCount num.DD, risk Exponential, lnBeta float64) num.DD {
	if math.IsInf(risk.Rate.Hi, 1) {
		return num.DD{}
	}
	level := lnCount.AddFloat(-lnBeta)
	if risk.Sides > 1 {
		level = level.Add(num.FromInt(risk.Sides).Ln())
	}
	return level.Div(risk.Rate)
}
