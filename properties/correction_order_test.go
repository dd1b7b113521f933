package properties

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// A small world for corrections of several steps: n fair or biased bits, steps with few answers whose laws may
// depend on all earlier answers, and for every transcript the worst function of the sample with mean g.
type world struct {
	n     int
	prior []float64 // of the 2^n samples
	steps []maxinfo.Step
	// kernel draws the law of a step: for each sample the probabilities of its answers.
	kernels []func() [][]float64
}

// rejected is the largest P[E] over all tests that are valid at g for every fixed transcript. After the last step
// the worst test for a transcript takes the samples in order of falling likelihood (Neyman and Pearson).
func (w world) rejected(g float64) float64 {
	likelihood := make([]float64, len(w.prior))
	for s := range likelihood {
		likelihood[s] = 1
	}
	return w.after(0, likelihood, g)
}

func (w world) after(step int, likelihood []float64, g float64) (p float64) {
	if step == len(w.steps) {
		order := make([]int, len(likelihood))
		for s := range order {
			order[s] = s
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(likelihood[b], likelihood[a]) })
		for _, s := range order {
			share := min(w.prior[s], g)
			p, g = p+share*likelihood[s], g-share
		}
		return p
	}
	kernel := w.kernels[step]()
	for y := range kernel[0] {
		next := make([]float64, len(likelihood))
		for s := range next {
			next[s] = likelihood[s] * kernel[s][y]
		}
		p += w.after(step+1, next, g)
	}
	return p
}

// described is any answer out of so many, a function of the sample.
func described(r *rand.Rand, samples, answers int) [][]float64 {
	kernel := make([][]float64, samples)
	for s := range kernel {
		kernel[s] = make([]float64, answers)
		kernel[s][r.IntN(answers)] = 1
	}
	return kernel
}

// private is a random kernel that is exactly epsilon-private for a changed bit: weights e^(epsilon u), u
// 1/2-Lipschitz in each bit, so that they and their sum each move by e^(epsilon/2) at most.
func private(r *rand.Rand, n int, epsilon float64) [][]float64 {
	answers := 2 + r.IntN(3)
	kernel := make([][]float64, 1<<n)
	for s := range kernel {
		kernel[s] = make([]float64, answers)
	}
	for y := range answers {
		target, slope := r.IntN(1<<n), float64(1-2*r.IntN(2))
		if r.IntN(3) == 0 {
			slope = 0
		}
		for s := range kernel {
			agree := 0
			for i := range n {
				agree += 1 - (s^target)>>i&1
			}
			kernel[s][y] = math.Exp(epsilon / 2 * slope * float64(agree))
		}
	}
	for s := range kernel {
		sum := 0.0
		for _, x := range kernel[s] {
			sum += x
		}
		for y := range kernel[s] {
			kernel[s][y] /= sum
		}
	}
	return kernel
}

// noisyMajority is the kernel of the example in docs/theorems/pvalue.md, on two bits: of their sum, or of the sum
// of the first and the complement of the second.
func noisyMajority(epsilon float64, flipped bool) [][]float64 {
	low := math.Exp(-epsilon) / 2
	ones := []float64{low, 0.5, 1 - low}
	kernel := make([][]float64, 4)
	for s := range kernel {
		first, second := s&1, s>>1
		if flipped {
			second = 1 - second
		}
		p := ones[first+second]
		kernel[s] = []float64{1 - p, p}
	}
	return kernel
}

// bestThreshold is the largest threshold of the corrections of a plan.
func bestThreshold(t *testing.T, p maxinfo.Plan, alpha theory.LogProb) theory.LogProb {
	t.Helper()
	tests, err := pvalue.Tests(p, alpha)
	if err != nil {
		t.Fatal(err)
	}
	best := theory.Zero
	for _, test := range tests {
		best = max(best, test.Threshold)
	}
	return best
}

// No selection by a described and a private answer, in any order of two or three steps, shows a p-value below the
// composed threshold with a probability above alpha, whatever tests it selects among.
func TestCompositionOfCorrectionsByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(501, 502))
	checked, nearest := 0, map[string]float64{}
	for range 2500 {
		n, bias := 1+r.IntN(3), 0.2+0.3*float64(r.IntN(2))
		w := world{n: n}
		for s := range 1 << n {
			weight := 1.0
			for i := range n {
				weight *= math.Abs(float64(1-s>>i&1) - bias)
			}
			w.prior = append(w.prior, weight)
		}
		order := ""
		for range 2 + r.IntN(2) {
			if r.IntN(2) == 0 {
				answers := 2 + r.IntN(2)
				w.steps = append(w.steps, maxinfo.OneOfNats(theory.Nats(math.Log(float64(answers)))))
				w.kernels = append(w.kernels, func() [][]float64 { return described(r, 1<<n, answers) })
				order += "D"
				continue
			}
			epsilon := math.Exp(3*r.Float64() - 2)
			w.steps = append(w.steps, maxinfo.PureDP{Epsilon: epsilon})
			w.kernels = append(w.kernels, func() [][]float64 { return private(r, n, epsilon) })
			order += "P"
		}
		alpha := theory.LogProb(math.Log(0.02 + 0.9*r.Float64()))
		plan := maxinfo.Plan{Samples: int64(n), Data: maxinfo.ProductData, Steps: w.steps}
		gamma := bestThreshold(t, plan, alpha)
		if gamma == theory.Zero {
			continue
		}
		checked++
		p := w.rejected(gamma.Value())
		if p > alpha.Value()*(1+1e-9) {
			t.Fatalf("n = %d, %v: P = %g at threshold %g, alpha %g", n, w.steps, p, gamma.Value(), alpha.Value())
		}
		nearest[order] = max(nearest[order], p/alpha.Value())
	}
	t.Log(checked, nearest)
	for _, order := range []string{"DP", "PD", "DD", "PP", "DPD", "PDP", "DDP", "PPD"} {
		if nearest[order] < 0.35 {
			t.Errorf("%s: P is at most %g of alpha", order, nearest[order])
		}
	}
}

// After the exclusive or of two fair bits, a private majority tells both: a guess of the sample, right with
// probability 1/4 for every fixed transcript, is right more often than the bound of the private step at twice 1/4.
// So the private step's correction is to be applied to alpha/2, and not to alpha before its half is taken.
func TestOrderOfCompositionMatters(t *testing.T) {
	for _, epsilon := range []float64{0.01, 0.1, 0.3} {
		p := 0.0
		for s := range 4 {
			differ := s&1 ^ s>>1
			kernel := noisyMajority(epsilon, differ == 1)
			guess := s & 1 // the first bit; the second follows from the exclusive or
			p += kernel[s][guess] / 4
			for _, near := range []int{s ^ 1, s ^ 2} { // the step is private, whatever was told before
				for _, flipped := range []bool{false, true} {
					here, there := noisyMajority(epsilon, flipped)[s], noisyMajority(epsilon, flipped)[near]
					for y := range here {
						if here[y] > math.Exp(epsilon)*there[y]*(1+1e-12) {
							t.Fatalf("epsilon %g: %g against %g", epsilon, here[y], there[y])
						}
					}
				}
			}
		}
		rho := 2 * epsilon * epsilon / 8
		bound := func(g float64) float64 {
			return math.Exp(-math.Pow(max(0, math.Sqrt(-math.Log(g))-math.Sqrt(rho)), 2))
		}
		if math.Abs(p-(1-math.Exp(-epsilon)/2)) > 1e-12 || !(p > bound(0.5)*(1+1e-4)) || !(p <= 2*bound(0.25)) {
			t.Errorf("epsilon %g: P = %g, W(2g) = %g, 2 W(g) = %g", epsilon, p, bound(0.5), 2*bound(0.25))
		}
		// What the library says: valid as it composes, and the other order is not.
		bit, step := maxinfo.OneOfNats(math.Ln2), maxinfo.PureDP{Epsilon: epsilon}
		alpha := theory.LogProb(math.Log(p) - 1e-5)
		plan := func(steps ...maxinfo.Step) maxinfo.Plan {
			return maxinfo.Plan{Samples: 2, Data: maxinfo.ProductData, Steps: steps}
		}
		if right := bestThreshold(t, plan(bit, step), alpha); !(right.Value() < 0.25) {
			t.Errorf("epsilon %g: the threshold %g is not valid", epsilon, right.Value())
		}
		if wrong := bestThreshold(t, plan(step, bit), alpha); !(wrong.Value() > 0.25) {
			t.Errorf("epsilon %g: the other order has %g", epsilon, wrong.Value())
		}
	}
}
