package properties

import (
	"math"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
)

// Two private steps on independent bits, the second chosen by the answer of the first:
// randomized response with epsilon_1, then, by the parity of what it told, randomized
// response or a noisy count with epsilon_2. The exact information is at most the sum
// n (epsilon_1^2 + epsilon_2^2)/8, not the larger n (epsilon_1 + epsilon_2)^2/8, and for
// small epsilon it is most of the sum: a ninth in place of an eighth fails.
func TestInformationOfPrivateSteps(t *testing.T) {
	refuted := false
	tightest := 0.0
	for _, n := range []int{1, 2, 3} {
		for _, bias := range []float64{0.5, 0.3} {
			for _, eps := range [][2]float64{{0.02, 0.03}, {0.3, 0.2}, {1, 2}, {3, 0.5}} {
				var cells []maxinfo.Cell
				for s := range 1 << n {
					records, ones, weight := make([]int, n), 0, 1.0
					for i := range records {
						records[i] = s >> i & 1
						ones += records[i]
						weight *= math.Abs(float64(1-records[i]) - bias)
					}
					whole := twoSteps(t, eps, records, ones)
					for y, p := range whole.Law {
						cells = append(cells, maxinfo.Cell{X: strconv.Itoa(s), Y: strconv.Itoa(y), P: weight * p.Value()})
					}
				}
				joint, err := maxinfo.NewJoint(cells)
				if err != nil {
					t.Fatal(err)
				}
				info := float64(joint.MutualInformation())
				chain, err := maxinfo.Plan{Samples: int64(n), Data: maxinfo.ProductData, Steps: []maxinfo.Step{
					maxinfo.PureDP{Epsilon: eps[0]}, maxinfo.PureDP{Epsilon: eps[1]},
				}}.Chain()
				if err != nil {
					t.Fatal(err)
				}
				bound := informationOf(t, chain)
				if want := float64(n) * (eps[0]*eps[0] + eps[1]*eps[1]) / 8; bound < want || bound > want*(1+1e-9) {
					t.Errorf("n=%d, epsilon %v: the bound is %g, want %g", n, eps, bound, want)
				}
				if info > bound*(1+1e-9) {
					t.Errorf("n=%d, bias %g, epsilon %v: information %g above %g", n, bias, eps, info, bound)
				}
				tightest = max(tightest, info/bound)
				refuted = refuted || info > bound*8/9
			}
		}
	}
	t.Logf("largest information/bound: %.4f", tightest)
	if !refuted {
		t.Error("a ninth in place of an eighth passes")
	}
}

// twoSteps is the law of the transcript of both steps.
func twoSteps(t *testing.T, eps [2]float64, records []int, ones int) mechanism.Finite {
	t.Helper()
	whole, err := mechanism.Adaptive(func(past []int) (mechanism.Finite, bool) {
		var f mechanism.Finite
		var err error
		switch {
		case len(past) == 0:
			f, err = mechanism.RandomizedResponse{Epsilon: eps[0], Values: 2}.On(records...)
		case len(past) > 1:
			return f, false
		case past[0]&1 == past[0]>>1&1:
			f, err = mechanism.RandomizedResponse{Epsilon: eps[1], Values: 2}.On(records...)
		default:
			f, err = mechanism.Geometric{Sensitivity: 1, Scale: 1 / eps[1], Low: -3,
				High: int64(len(records)) + 3}.On(int64(ones))
		}
		if err != nil {
			t.Fatal(err)
		}
		return f, true
	})
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// informationOf returns the mutual information that the chain's rule kl uses.
func informationOf(t *testing.T, c maxinfo.Chain) float64 {
	t.Helper()
	for _, m := range c.Methods {
		if m.Name == "kl" {
			return float64(m.Limit.(maxinfo.Mutual).Nats)
		}
	}
	t.Fatal("no method kl")
	return 0
}

// Steps of several kinds have the sum of their own bounds; a step with delta > 0 has
// none, and then there is no such row.
func TestInformationOfMixedSteps(t *testing.T) {
	const n = 1000
	gaussian := n * 7.0 / 2 * math.Log1p(1/(4.0*n*n*0.05*0.05))
	plan := maxinfo.Plan{Samples: n, Data: maxinfo.ProductData, Steps: []maxinfo.Step{
		maxinfo.PureDP{Epsilon: 0.01}, maxinfo.GDP{Mu: 0.02}, maxinfo.Gaussian{Queries: 7, SD: 0.05},
	}}
	chain, err := plan.Chain()
	if err != nil {
		t.Fatal(err)
	}
	want := n*(0.01*0.01/8+0.02*0.02/2) + gaussian
	if got := informationOf(t, chain); got < want || got > want*(1+1e-9) {
		t.Errorf("information %g, want %g", got, want)
	}
	plan.Steps = append(plan.Steps, maxinfo.ApproxDP{Epsilon: 0.01, LnDelta: theory.LogProb(-30)})
	if chain, err = plan.Chain(); err != nil {
		t.Fatal(err)
	}
	for _, m := range chain.Methods {
		if m.Name == "kl" {
			t.Error("information of a step with delta > 0")
		}
	}
}
