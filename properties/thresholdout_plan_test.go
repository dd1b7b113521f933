package properties

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// thresholdoutLoss is the right side of the sharp Thresholdout inequality, kappa
// left out, by brute force: the CVaR of N1 from its convolution on a grid, and the
// stability of 2B steps from the definition of F and its fixed point.
func thresholdoutLoss(a transfer.Answer) float64 {
	beta, sigma := a.Beta.Value(), a.Mechanism.Scale
	k, eps := int(2*a.Budget), 1/(sigma*float64(a.Samples))
	shift := math.Min(math.Tanh(float64(k)*eps/4), bruteShift(k, eps, beta))
	return sigma*bruteCVaR(float64(a.Queries), float64(a.Budget), beta) + shift
}

// bruteCVaR is CVaR_b of 4 max of m |Lap(1)| + 2 max of B |Lap(1)|.
func bruteCVaR(m, budget, b float64) float64 {
	const points, top = 3000, 300.0
	step := top / points
	within := func(k, scale, x float64) float64 { // P[scale max of k <= x]
		if x <= 0 {
			return 0
		}
		return math.Exp(k * math.Log1p(-math.Exp(-x/scale)))
	}
	mass := make([]float64, points) // of the budget's part, cell by cell
	for i := range mass {
		mass[i] = within(budget, 2, float64(i+1)*step) - within(budget, 2, float64(i)*step)
	}
	others, tail := make([]float64, points), make([]float64, points)
	for i := range others { // half a cell below i: the budget's part is in the middle of its cell
		others[i] = within(m, 4, (float64(i)-0.5)*step)
	}
	for i := range tail {
		tail[i] = 1
		for j := 0; j <= i; j++ {
			tail[i] -= mass[j] * others[i-j]
		}
	}
	quantile := 0
	for tail[quantile] > b {
		quantile++
	}
	sum := 0.0
	for i := quantile; i+1 < points; i++ {
		sum += (tail[i] + tail[i+1]) / 2 * step
	}
	return float64(quantile)*step + sum/b
}

// bruteShift is the largest s with s <= F(b(1+s)/2)/b for k-fold randomized response:
// F(y) takes the outcomes in the order of |P0-P1|/(P0+P1) until half their mass is y.
func bruteShift(k int, eps, b float64) float64 {
	f := func(y float64) float64 {
		total := 0.0
		for wrong := 0; wrong <= k && y > 0; wrong++ {
			lgK, _ := math.Lgamma(float64(k + 1))
			lgW, _ := math.Lgamma(float64(wrong + 1))
			lgR, _ := math.Lgamma(float64(k - wrong + 1))
			lnChoose := lgK - lgW - lgR - float64(k)*math.Log1p(math.Exp(-eps))
			p0 := math.Exp(lnChoose - float64(wrong)*eps)
			p1 := math.Exp(lnChoose - float64(k-wrong)*eps)
			if p1 >= p0 {
				break
			}
			// The outcome and its mirror image together have P0+P1 each, with opposite T.
			part := math.Min(1, y/(p0+p1))
			total += part * (p0 - p1)
			y -= part * (p0 + p1)
		}
		return total
	}
	s := 0.0
	for range 2000 {
		s = math.Min(1, f(b*(1+s)/2)/b)
	}
	return s
}

// What the row for Thresholdout prints satisfies its theorem, and with a hundredth
// less it would not: noise, stability and their optimum agree with brute force.
func TestThresholdoutPlanAgainstBruteForce(t *testing.T) {
	method, _ := transfer.Lookup("thresholdout")
	for _, g := range []transfer.Goal{
		{Queries: 1, Budget: 1, Tau: 0.1},
		{Queries: 10, Budget: 5, Tau: 0.05},
		{Queries: 1000, Budget: 10, Tau: 0.1},
		{Queries: 1000, Budget: 100, Tau: 0.3},
		{Queries: 50, Budget: 20, Tau: 0.5},
	} {
		for _, beta := range []float64{0.2, 0.05, 1e-4} {
			g.Beta = theory.LogProb(math.Log(beta))
			a := solve(method, g)
			loss := thresholdoutLoss(a)
			if a.Status != transfer.OK || !(loss <= a.TauAchieved/4*(1+3e-4)) || !(loss >= a.TauAchieved/4*0.99) {
				t.Errorf("%+v: %s, the loss is %v, tau/4 is %v", g, a.Status, loss, a.TauAchieved/4)
			}
		}
	}
}
