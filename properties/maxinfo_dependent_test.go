package properties

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// The theorems for independent records fail for others. These tests show by how much,
// and so why for max-information a step that needs independent records may stand first only.

// majority answers whether more than n/2 records are 1, with a probability of "yes"
// that moves as fast in their number as epsilon-differential privacy lets it.
func majority(n int, eps float64) func(ones int) float64 {
	return func(ones int) float64 {
		far := math.Abs(float64(ones) - float64(n)/2)
		wrong := math.Exp(-eps*far) / 2
		if 2*ones > n {
			return 1 - wrong
		}
		return wrong
	}
}

// isPrivate checks that an answer of yes or no is private in the number of ones.
func isPrivate(t *testing.T, n int, eps float64, yes func(ones int) float64) {
	t.Helper()
	for ones := range n {
		p, q := yes(ones), yes(ones+1)
		for _, ratio := range []float64{q / p, p / q, (1 - p) / (1 - q), (1 - q) / (1 - p)} {
			if !(ratio <= math.Exp(eps)*(1+1e-9)) {
				t.Fatalf("between %d and %d ones of %d the ratio is %v, above e^%v", ones, ones+1, n, ratio, eps)
			}
		}
	}
}

// n copies of one fair bit: the private majority tells it, whatever n is.
func TestProductBoundsFailForCopies(t *testing.T) {
	for _, c := range []struct {
		n    int
		fail []string
	}{{30, []string{"kl"}}, {1_000, []string{"renyi", "kl", "max-info-dwork15"}},
		{30_000, []string{"renyi", "kl", "max-info-dwork15", "approx-dp"}}} {
		eps := 7 / float64(c.n)
		yes := majority(c.n, eps)
		isPrivate(t, c.n, eps, yes)
		no, sure := yes(0), yes(c.n)
		j := jointTable(t, func(int) float64 { return 0.5 }, [][]float64{{1 - no, no}, {1 - sure, sure}})
		slack := theory.LogProb(math.Log(0.01))
		exact, err := j.MaxInformation(slack)
		if err != nil {
			t.Fatal(err)
		}
		var failed []string
		// Privacy at delta = 0 is privacy at any delta.
		for _, step := range []maxinfo.Step{maxinfo.PureDP{Epsilon: eps}, maxinfo.ApproxDP{Epsilon: eps, LnDelta: -100}} {
			for _, data := range []maxinfo.Data{maxinfo.ProductData, maxinfo.AnyData} {
				chain, err := maxinfo.Plan{Samples: int64(c.n), Data: data, Steps: []maxinfo.Step{step}}.Chain()
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range chain.Methods {
					if m.Limit == nil {
						continue
					}
					bound, err := chain.MaxInformation(m, slack)
					if err != nil {
						t.Fatal(err)
					}
					violated := exact > bound
					if info, ok := m.Limit.(maxinfo.Mutual); ok { // by the information it assumes
						violated = j.MutualInformation() > info.Nats
					}
					switch {
					case violated && data == maxinfo.AnyData:
						t.Errorf("n = %d: %s is %v for any data, but the max-information is %v", c.n, m.Name, bound, exact)
					case violated && !slices.Contains(failed, m.Name):
						failed = append(failed, m.Name)
						t.Logf("n = %d copies: I_inf^0.01 = %.4f, I = %.4f nats; %s for independent records: %.4f", c.n, exact,
							j.MutualInformation(), m.Name, bound)
					}
				}
			}
		}
		for _, name := range c.fail {
			if !slices.Contains(failed, name) {
				t.Errorf("n = %d: %s holds for copies too: the counter-example has no power", c.n, name)
			}
		}
	}
}

// secondAnswer is the law of (first, second) on n fair bits: the first answer depends
// on the data alone, and for each of its values the second is yes with a probability
// that depends on the number of ones, counted after some records were flipped.
func secondAnswer(n, outcomes int, first func(d int) int, flip func(first int) int,
	yes func(ones int) float64) analysis {
	priors := make([][]float64, n)
	for i := range priors {
		priors[i] = []float64{0.5, 0.5}
	}
	return tabulate(priors, func(d int, _ []int) []float64 {
		y := first(d)
		p := yes(bits.OnesCount(uint(d ^ flip(y))))
		law := make([]float64, 2*outcomes)
		law[2*y], law[2*y+1] = 1-p, p
		return law
	})
}

// refused checks that a plan is refused as an order, and that the valid order given
// for it is accepted.
func refused(t *testing.T, n int, steps ...maxinfo.Step) {
	t.Helper()
	p := maxinfo.Plan{Samples: int64(n), Data: maxinfo.ProductData, Steps: steps}
	_, err := p.Chain()
	bad := new(maxinfo.OrderError)
	if !errors.As(err, &bad) {
		t.Fatalf("%v: %v, want an OrderError", steps, err)
	}
	p.Steps = bad.Valid
	if _, err := p.Chain(); err != nil {
		t.Errorf("%v: %v", bad.Valid, err)
	}
}

// One bit about six fair bits, whether they are among the 32 data sets with the most
// unequal counts, and then an eps-private answer chosen by it. The information is ln 2
// in the first, and in the second more than the n eps^2/8 of independent records. What
// is accepted for this order, n eps, is not exceeded.
func TestOneBitThenPrivate(t *testing.T) {
	const n, eps = 6, 0.05
	order := make([]int, 1<<n)
	unequal := func(d int) int { c := 2*bits.OnesCount(uint(d)) - n; return c * c }
	for d := range order {
		order[d] = d
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(unequal(b), unequal(a)) })
	extreme := make([]bool, len(order))
	for _, d := range order[:len(order)/2] {
		extreme[d] = true
	}
	first := func(d int) int {
		if extreme[d] {
			return 1
		}
		return 0
	}
	yes := majority(n, eps)
	isPrivate(t, n, eps, yes)
	// Among the others the halves are compared: three records are flipped.
	a := secondAnswer(n, 2, first, func(y int) int { return []int{0b000111, 0}[y] }, yes)
	j := jointTable(t, a.prior, a.law)
	own, sum := float64(j.MutualInformation())-math.Ln2, n*eps*eps/8
	t.Logf("after the bit the answer tells %.3f of n eps^2/8", own/sum)
	if !(own > 1.2*sum) {
		t.Errorf("the answer tells %v nats, n eps^2/8 is %v: the example has no power", own, sum)
	}
	plan := maxinfo.Plan{Samples: n, Data: maxinfo.ProductData,
		Steps: []maxinfo.Step{maxinfo.OneOfNats(math.Ln2), maxinfo.PureDP{Epsilon: eps}}}
	if chain, err := plan.Chain(); err != nil || float64(chain.Later.Nats) < n*eps {
		t.Errorf("%v, %v: want n eps for the private answer", chain, err)
	}
	boundsFound{}.checkChain(t, "one bit, then private", plan, j)
}

// Which of the 32 pairs {s, complement of s} the data are in, and then how many agree
// with s: given the pair, the records are copies of one fair bit. The information
// exceeds the sum of the range's and of what independent records would allow, for an
// approximately private answer and for Gaussian noise. Both are refused.
func TestPairThenPrivate(t *testing.T) {
	const n = 6
	const pairs = 1 << (n - 1)
	bitsOfPair := maxinfo.OneOfNats((n - 1) * math.Ln2)
	first := func(d int) int { return min(d, d^(1<<n-1)) }
	flip := func(y int) int { return y }

	const eps = 0.01
	yes := majority(n, eps)
	isPrivate(t, n, eps, yes)
	a := secondAnswer(n, pairs, first, flip, yes)
	j := jointTable(t, a.prior, a.law)
	own, rho := float64(j.MutualInformation())-(n-1)*math.Ln2, n*eps*math.Tanh(eps/2)
	t.Logf("after the pair a private answer tells %.3f of n eps tanh(eps/2)", own/rho)
	if !(own > 1.3*rho) {
		t.Errorf("the answer tells %v nats, n eps tanh(eps/2) is %v: the example has no power", own, rho)
	}
	refused(t, n, bitsOfPair, maxinfo.ApproxDP{Epsilon: eps, LnDelta: -200})
	boundsFound{}.checkChain(t, "pair, then private",
		maxinfo.Plan{Samples: n, Steps: []maxinfo.Step{bitsOfPair, maxinfo.PureDP{Epsilon: eps}}}, j)

	const sd, cells = 1.0, 40
	noisy := tabulate(a.priors, func(d int, _ []int) []float64 {
		law := make([]float64, pairs*cells)
		mean := float64(bits.OnesCount(uint(d^first(d)))) / n
		copy(law[first(d)*cells:], gaussianBins(mean, sd, -4, 5, cells))
		return law
	})
	j = jointTable(t, noisy.prior, noisy.law)
	info, err := maxinfo.GaussianTranscript{Samples: n, Queries: 1, SD: sd}.MutualInformation()
	if err != nil {
		t.Fatal(err)
	}
	own = float64(j.MutualInformation()) - (n-1)*math.Ln2
	t.Logf("after the pair a noisy mean tells %.3f of what it may for independent records", own/float64(info))
	if !(own > 4*float64(info)) {
		t.Errorf("the mean tells %v nats, the bound for independent records is %v: the example has no power", own, info)
	}
	refused(t, n, bitsOfPair, maxinfo.Gaussian{Queries: 1, SD: sd})
	refused(t, n, bitsOfPair, maxinfo.GDP{Mu: 1 / (n * sd)})
}
