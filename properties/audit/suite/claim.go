package suite

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// claim is what a mechanism claims, in every notion of privacy that follows from it. What
// it does not claim is zero.
type claim struct {
	text    string
	epsilon float64                              // pure privacy
	mu      float64                              // Gaussian privacy
	rho     float64                              // zCDP
	delta   func(epsilon float64) theory.LogProb // the curve of (epsilon, delta)
	until   float64                              // where the curve is looked at
	most    func(second float64) (first float64) // the trade-off curve: the largest P[E] that goes with Q[E]
	step    maxinfo.Step                         // what a transcript reveals
	approx  theory.Approx                        // what a statistical audit refutes
}

// must is a value that cannot fail, as the settings and the shapes are within their domains.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// composed is the claim of k steps, each epsilon-private.
func composed(each theory.Pure, times int64) claim {
	steps := theory.Composition{Each: each.Approx(), Times: times}
	whole, curve := must(steps.Basic()), must(steps.OptimalCurve())
	rho := must(must(each.ZCDP()).Value.Repeat(times))
	vertices := slices.Collect(curve.Value)
	c := claim{
		text:    fmt.Sprintf("%.4g-DP", whole.Value.Epsilon),
		epsilon: whole.Value.Epsilon,
		rho:     rho.Value.Rho,
		until:   whole.Value.Epsilon,
		step:    maxinfo.PureDP{Epsilon: whole.Value.Epsilon},
		approx:  whole.Value,
		delta:   func(epsilon float64) theory.LogProb { return must(steps.OptimalDelta(epsilon)).Value },
		// P[E] <= e^epsilon Q[E] + delta, for E and for its complement.
		most: func(q float64) float64 {
			least := 1.0
			for _, v := range vertices {
				delta := v.LnDelta.Value()
				least = min(least, math.Exp(v.Epsilon)*q+delta, 1-math.Exp(-v.Epsilon)*(1-delta-q))
			}
			return least
		},
	}
	if times > 1 {
		c.text = fmt.Sprintf("%d steps of %.4g-DP", times, each.Epsilon)
	}
	return c
}

// pure is the claim of epsilon-privacy.
func pure(epsilon float64) claim { return composed(theory.Pure{Epsilon: epsilon}, 1) }

// inRange is the claim of epsilon-bounded range.
func inRange(epsilon float64) claim {
	c := pure(epsilon)
	c.text, c.rho = fmt.Sprintf("%.4g-bounded range", epsilon), must(theory.BoundedRange{Epsilon: epsilon}.ZCDP()).Value.Rho
	return c
}

// lnSmall is the delta that goes with epsilon in the claims of Gaussian mechanisms.
var lnSmall = theory.LogProb(math.Log(1e-5))

// gaussian is the claim of mu-GDP for the mu that meets (epsilon, 1e-5).
func gaussian(epsilon float64) claim {
	goal := theory.Approx{Epsilon: epsilon, LnDelta: lnSmall}
	g := must(theory.GaussianFor(goal)).Value
	return claim{
		text:   fmt.Sprintf("%.4g-GDP", g.Mu),
		mu:     g.Mu,
		rho:    must(g.ZCDP()).Value.Rho,
		until:  2 * goal.Epsilon,
		step:   maxinfo.GDP{Mu: g.Mu},
		approx: goal,
		delta:  g.LnDelta,
		most: func(q float64) float64 {
			if !(q > 0 && q < 1) {
				return q
			}
			return math.Exp(num.LogSurvival(num.UpperQuantile(math.Log(q)) - g.Mu))
		},
	}
}
