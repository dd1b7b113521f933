package tree

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// GateRenggli19 is the gate of ease.ml/ci: N = m up to the first pass and 2^m beyond, with Hoeffding's inequality. A
// difference is two estimates with tau/2 and beta/2 each, or where the disagreement d is known one with Bennett's
// inequality. Source: Renggli et al. 2019, Sections 3 and 4.
type GateRenggli19 struct {
	Queries, Passes int64
	Tau             float64 // > 0
	LnBeta          float64 // below 0
	Difference      bool
	Disagreement    float64 // d in (0,1], or 0 if it is not known
}

// Need returns the rows that it needs,
//
//	n = (ln N + ln 1/beta)/(2 tau^2), for differences 2(ln N + ln 2/beta)/tau^2, or where d is known
//	n = (ln N + ln 4/beta)/(d h(tau/d)),   h(u) = (1+u) ln(1+u) - u.
func (g GateRenggli19) Need() num.DD {
	level := num.FromFloat(-g.LnBeta)
	if g.Passes == 1 {
		level = level.Add(num.FromInt(g.Queries).Ln())
	} else {
		level = level.Add(num.Ln2.Mul(num.FromInt(g.Queries)))
	}
	tau := num.FromFloat(g.Tau)
	switch {
	case !g.Difference:
		return level.Div(tau.Mul(tau).MulFloat(2))
	case g.Disagreement == 0:
		return level.Add(num.Ln2).Div(tau.Mul(tau).MulFloat(0.5))
	}
	d := num.FromFloat(g.Disagreement)
	more := tau.Div(d).AddFloat(1)
	rate := d.Mul(more.Mul(more.Ln()).Sub(tau.Div(d)))
	return level.Add(num.Ln2.MulFloat(2)).Div(rate)
}

// LadderBlum15 is the published analysis of the Ladder with one step: for every step eta < tau,
//
//	exp(-2 (tau-eta)^2 n + (1/eta + 2) ln(4m/eta) + 1) <= beta.
//
// Source: Blum and Hardt 2015, Theorem 3.1.
type LadderBlum15 struct {
	Queries int64
	Tau     float64 // > 0
	LnBeta  float64 // below 0
}

// Need returns the rows that it needs at about the best step, and that step.
func (l LadderBlum15) Need() (need num.DD, step float64) {
	at := func(eta float64) num.DD {
		gap := num.FromFloat(l.Tau).AddFloat(-eta)
		count := num.FromFloat(1).Div(num.FromFloat(eta)).AddFloat(2)
		ln := num.FromInt(l.Queries).MulFloat(4).Div(num.FromFloat(eta)).Ln()
		return count.Mul(ln).AddFloat(1).AddFloat(-l.LnBeta).Div(gap.Mul(gap).MulFloat(2))
	}
	if l.Tau < 1e-100 { // no number of rows is enough, and 1/eta overflows
		return num.FromFloat(math.Inf(1)), 0
	}
	// The need is least where (tau-eta) L'(eta) + 2 L(eta) = 0, L = (1/eta + 2) ln(4m/eta) + 1 + ln 1/beta.
	rest := 1 - l.LnBeta
	step = num.Interval{Lo: l.Tau / 100, Hi: l.Tau * (1 - 1e-9)}.SafeRoot(1e-15, func(eta float64) float64 {
		count, ln := 1/eta+2, num.Log(4*float64(l.Queries)/eta)
		return (l.Tau-eta)*(ln/eta+count)/eta - 2*(count*ln+rest)
	})
	return at(step), step
}
