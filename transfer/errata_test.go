package transfer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/theorem"
)

// Notes, eq. (6) lost "> tau/2", so that Z_i counts every query and the guarantee
// ends with query B-1. With the condition it counts the queries on which the
// training set overfits. Here it overfits on none: a thousand answers are
// accurate, the printed counter passes B at the fifth and the real one stays 0.
func TestErratumCounter(t *testing.T) {
	method, _ := Lookup("thresholdout-dwork15")
	goal := Goal{Queries: 1000, Tau: 0.1, Beta: lp("0.05"), Budget: 5}
	answer, err := method.Solve(goal)
	if err != nil || answer.Status != OK {
		t.Fatalf("%+v, %v", answer, err)
	}
	r := rand.New(rand.NewPCG(9, 2))
	laplace := func(scale float64) float64 {
		x := scale * r.ExpFloat64()
		if r.Uint64()&1 == 0 {
			return -x
		}
		return x
	}
	// The means of n fair bits, up to a normal approximation: the parameters leave no
	// doubt about the comparison.
	mean := func() float64 { return 0.5 + r.NormFloat64()/(2*math.Sqrt(float64(answer.Samples))) }
	sigma, budget := answer.Mechanism.Scale, goal.Budget
	threshold := answer.Mechanism.Threshold + laplace(2*sigma)
	printed, counted, wrong := int64(0), int64(0), 0
	for range goal.Queries {
		train, holdout := mean(), mean()
		printed++
		if math.Abs(0.5-train) > goal.Tau/2 {
			counted++
		}
		reply := train
		if math.Abs(holdout-train) > threshold+laplace(4*sigma) {
			reply = holdout + laplace(sigma)
			threshold = answer.Mechanism.Threshold + laplace(2*sigma)
			budget--
		}
		if math.Abs(reply-0.5) >= goal.Tau {
			wrong++
		}
	}
	if printed < goal.Budget || counted != 0 || wrong != 0 || budget != goal.Budget {
		t.Errorf("printed Z = %d, Z = %d, %d wrong answers, budget left %d; want 1000, 0, 0, 5", printed, counted, wrong,
			budget)
	}
}

// Lecture: C_eta = sqrt(2 ln(eta)/n) is the root of a negative number for every
// eta < 1. The theorem on the same page has ln(1/eta).
func TestErratumLectureLogarithm(t *testing.T) {
	for _, text := range []string{"0.5", "0.05", "1e-300"} {
		eta, n := lp(text), int64(10000)
		if literal := math.Sqrt(2 * eta.Ln() / float64(n)); !math.IsNaN(literal) {
			t.Errorf("eta = %s: the literal formula gives %g", text, literal)
		}
		bound, err := theorem.Jung20Pure.Apply(
			theorem.Sampled{Beta: theory.Zero, LnDelta: theory.Zero}, theorem.Class{Samples: n}, eta)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Sqrt(-2 * eta.Ln() / float64(n))
		if got := bound.Value.Alpha; got < want*(1-1e-15) || got > want*(1+1e-9) {
			t.Errorf("eta = %s: alpha' = %g, want %g", text, got, want)
		}
	}
}

// Lecture: splitting reaches max_j |a_j - q_j(P)| <= sqrt(k/n). It lacks a log k:
// with k = 1000 parts of 100 fair bits, some part is off by more than sqrt(k/n) =
// 0.1 with probability above 1 - 1e-14, while the accuracy that the registry
// certifies fails with probability below beta.
func TestErratumSplittingLogarithm(t *testing.T) {
	const k, rows, beta = 1000, 100, 0.05
	method, _ := Lookup("splitting")
	answer, err := method.Solve(Goal{Queries: k, Samples: k * rows, Beta: lp("0.05")})
	if err != nil || answer.Status != OK {
		t.Fatalf("%+v, %v", answer, err)
	}
	// P[|X/rows - 1/2| > a] for X of Bin(rows, 1/2)
	off := func(a float64) float64 {
		sum, term := 0.0, math.Exp2(-rows)
		for x := 0; x <= rows; x++ {
			if math.Abs(float64(x)/rows-0.5) > a+1e-12 {
				sum += term
			}
			term *= float64(rows-x) / float64(x+1)
		}
		return sum
	}
	if kept := k * math.Log1p(-off(math.Sqrt(k/float64(k*rows)))); kept > math.Log(1e-14) {
		t.Errorf("all %d parts are within sqrt(k/n) with probability e^%.1f", k, kept)
	}
	if failed := -math.Expm1(k * math.Log1p(-off(answer.Tau))); failed > beta {
		t.Errorf("a part is off by more than the certified %.4f with probability %.4f", answer.Tau, failed)
	}
}
