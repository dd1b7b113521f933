package maxinfo

import "math"

// Inflation returns an upper bound of 1/kappa of the variance lemma, and whether the
// lemma applies. Given Gaussian answers to linear queries that add up to r, the
// variance of the mean of n independent records' values in [0,1] is at most
// 1/(4 n kappa): with w = 2r,
//
//	kappa = 1 - w - (n-4) w^3/12 - 2 (n+1) w^5/15,
//
// where 4 stands for an n of 2 or 3, and kappa = 1 for n = 1. The value is at least
// 1/kappa and increases with r; it is within 1e-13/kappa of it, relatively. The lemma
// applies while kappa > 0, for n from 1 to 2^53 and r >= 0; ok is false elsewhere, and
// where rounding could hide that kappa is zero. Source: docs/theorems/maxinfo.md#variance-lemma.
func Inflation(samples int64, r float64) (inflation float64, ok bool) {
	if !(samples >= 1 && samples <= 1<<53 && r >= 0) {
		return 0, false
	}
	kappa := newGap(samples).kappa(2 * r)
	if !(kappa > 0) {
		return 0, false
	}
	return up / kappa, true
}

// gap has the coefficients of p(w) = 1 - kappa. None is negative, and so kappa falls,
// and 1/kappa is a power series in w without negative coefficients.
type gap struct{ linear, cubic, quintic float64 }

func newGap(samples int64) gap {
	if samples == 1 {
		return gap{}
	}
	n := max(float64(samples), 4)
	return gap{linear: 1, cubic: (n - 4) / 12, quintic: 2 * (n + 1) / 15}
}

// kappa returns a lower bound of 1 - p(w).
func (g gap) kappa(w float64) float64 {
	return 1 - w*(g.linear+w*w*(g.cubic+w*w*g.quintic))*(1+0x1p-49)
}

// slope returns p'(w).
func (g gap) slope(w float64) float64 {
	return g.linear + w*w*(3*g.cubic+5*w*w*g.quintic)
}

// edge returns about the w at which kappa is zero, +Inf for one record.
func (g gap) edge() float64 {
	if g.linear == 0 {
		return math.Inf(1)
	}
	w := min(1, 1/math.Cbrt(g.cubic)) // above the root, from where Newton's steps descend
	for range 8 {
		w += g.kappa(w) / g.slope(w)
	}
	return w
}
