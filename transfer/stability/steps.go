package stability

import (
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Steps describes k adaptive steps of eps-privacy, eps free, and where the optima of eps^2 are expected under the
// pure and under the composed stability.
type Steps struct {
	Count          int64 // k >= 1
	LnBeta         float64
	Pure, Composed float64
}

// Best minimises cost(eps, s(beta)) over eps, s the lesser of the stability of (k eps)-privacy and of the k-fold
// composition. It returns ln eps and a cost that is taken there.
func (k Steps) Best(cost func(eps, shift float64) float64) (lnEps, least float64) {
	pure := func(lnEps float64) float64 {
		eps := num.Exp(lnEps)
		return cost(eps, Pure(float64(k.Count)*eps))
	}
	composed := func(lnEps float64) float64 {
		eps := num.Exp(lnEps)
		return cost(eps, Composed(k.Count, eps, theory.LogProb(k.LnBeta)))
	}
	center := num.Log(k.Pure) / 2
	lnEps, least = num.Interval{Lo: center - 2, Hi: center + 4}.Minimize(3e-5, pure)
	center = num.Log(k.Composed)/2 - 1
	if at, other := (num.Interval{Lo: center - 4, Hi: center + 4}).MinimizeScanned(11, 3e-5, composed); other < least {
		return at, other
	}
	return lnEps, least
}
