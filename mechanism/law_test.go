package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// The oracle of the laws: probabilities on the plain scale, from the definitions of the
// mechanisms, with tables that are summed and not evaluated.

// table is a law on the integers from -half to half; beyond there is less than e^-60.
type table struct {
	half int64
	mass []float64
}

// geometricTable is normalised by its sum. All sums go from small to large.
func geometricTable(scale float64, oneSided bool) table {
	half := int64(60*scale) + 60
	t := table{half, make([]float64, 2*half+1)}
	for k := -half; k <= half; k++ {
		if k >= 0 || !oneSided {
			t.mass[k+half] = math.Exp(-math.Abs(float64(k)) / scale)
		}
	}
	sum := t.between(-half, half)
	for i := range t.mass {
		t.mass[i] /= sum
	}
	return t
}

func (t table) at(k int64) float64 {
	if k < -t.half || k > t.half {
		return 0
	}
	return t.mass[k+t.half]
}

func (t table) between(from, to int64) float64 {
	sum := 0.
	for k := min(to, t.half); k >= max(from, 1); k-- {
		sum += t.at(k)
	}
	rest := 0.
	for k := max(from, -t.half); k <= min(to, 0); k++ {
		rest += t.at(k)
	}
	return sum + rest
}

// tails is a table of the sums up to each integer, and from it on.
type tails struct {
	table
	upTo, from []float64
}

func (t table) tails() tails {
	s := tails{t, make([]float64, len(t.mass)), make([]float64, len(t.mass))}
	sum := 0.
	for i, p := range t.mass {
		sum += p
		s.upTo[i] = sum
	}
	sum = 0
	for i := len(t.mass) - 1; i >= 0; i-- {
		sum += t.mass[i]
		s.from[i] = sum
	}
	return s
}

func (t tails) atMost(k int64) float64 {
	if k < -t.half {
		return 0
	}
	return t.upTo[min(k, t.half)+t.half]
}

func (t tails) atLeast(k int64) float64 {
	if k > t.half {
		return 0
	}
	return t.from[max(k, -t.half)+t.half]
}

// sameLaw compares an exact law with the oracle, to 1e-12 relative.
func sameLaw(t *testing.T, name string, law []theory.LogProb, want []float64) {
	t.Helper()
	if len(law) != len(want) {
		t.Fatalf("%s: %d outcomes, want %d", name, len(law), len(want))
	}
	for i, p := range law {
		if !(math.Abs(p.Value()-want[i]) <= 1e-12*want[i]) || !p.IsValid() {
			t.Errorf("%s: outcome %d has probability %.17g, want %.17g", name, i, p.Value(), want[i])
		}
	}
}

// loss returns the largest logarithm of a likelihood ratio, in either direction.
func loss(a, b []theory.LogProb) float64 {
	most := 0.
	for i := range a {
		if a[i] != b[i] {
			most = math.Max(most, math.Abs(a[i].Ln()-b[i].Ln()))
		}
	}
	return most
}

// must returns what a mechanism with valid parameters returns.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func epsilon(f Finite) float64 { return f.Pure.Value.Epsilon }

// attains checks that two neighbours have the loss epsilon, neither more nor less.
func attains(t *testing.T, name string, a, b Finite) {
	t.Helper()
	if got, want := loss(a.Law, b.Law), epsilon(a); !(math.Abs(got/want-1) <= 1e-12) {
		t.Errorf("%s: loss %.17g, want epsilon = %.17g", name, got, want)
	}
}

// within checks that the loss of two neighbours is at most epsilon, and returns their
// ratio.
func within(t *testing.T, name string, a, b Finite) float64 {
	t.Helper()
	got, want := loss(a.Law, b.Law), epsilon(a)
	if !(got <= want*(1+1e-12)) {
		t.Errorf("%s: loss %.17g, more than epsilon = %.17g", name, got, want)
	}
	return got / want
}

func TestGeometricLaw(t *testing.T) {
	for _, scale := range []float64{0.05, 0.3, 1, 2.5, 40} {
		for _, sensitivity := range []int64{1, 3} {
			m := Geometric{Sensitivity: sensitivity, Scale: scale, Low: -2, High: 9}
			noise := geometricTable(scale, false)
			for _, value := range []int64{-7, -2, 0, 5, 9, 10} {
				want := make([]float64, 12)
				for k := range int64(12) {
					want[k] = noise.at(k - 2 - value)
				}
				want[0], want[11] = noise.between(-1<<40, -2-value), noise.between(9-value, 1<<40)
				f := must(m.On(value))
				sameLaw(t, "geometric", f.Law, want)
				attains(t, "geometric", f, must(m.On(value+sensitivity)))
				within(t, "geometric", f, must(m.On(value+1)))
			}
		}
	}
}

func TestRandomizedResponseLaw(t *testing.T) {
	for _, eps := range []float64{1e-3, 1, 30} {
		for _, k := range []int{2, 5} {
			m := RandomizedResponse{Epsilon: eps, Values: k}
			want := make([]float64, k*k)
			for y := range want {
				lies := 2.
				if y/k == 1 {
					lies--
				}
				if y%k == 0 {
					lies--
				}
				p := 1 / (1 + float64(k-1)*math.Exp(-eps))
				want[y] = p * p * math.Exp(-eps*lies)
			}
			f := must(m.On(1, 0))
			sameLaw(t, "randomized response", f.Law, want)
			attains(t, "randomized response", f, must(m.On(1, 1)))
		}
	}
}

func TestExponentialLaw(t *testing.T) {
	f := must(Exponential{Sensitivity: 1, Weight: math.Ln2}.On([]float64{0, 1, 3, -1, 3, -100}))
	sum := 0x1p-100 + 0.5 + 1 + 2 + 8 + 8
	sameLaw(t, "exponential", f.Law, []float64{1 / sum, 2 / sum, 8 / sum, 0.5 / sum, 8 / sum, 0x1p-100 / sum})
	if f := must(Exponential{Sensitivity: 1, Weight: 1e300}.On([]float64{-1e300, 1e300})); f.Law[0] != -math.MaxFloat64 ||
		f.Law[1] != 0 {
		t.Errorf("law %v at utilities -1e300 and 1e300", f.Law)
	}
}

// The weight epsilon/sensitivity, in print for epsilon, is worth 2 epsilon: with the
// utility of one candidate going down and the others' going up by the sensitivity, the
// log-likelihood ratios fill a range of exactly that length, and the largest comes as
// close to it as the candidate is rare.
func TestExponentialPrintedWeight(t *testing.T) {
	const eps, sensitivity = 0.8, 3.0
	m := Exponential{Sensitivity: sensitivity, Weight: eps / sensitivity}
	if got := must(m.BoundedRange()).Value.Epsilon; math.Abs(got-2*eps) > 1e-15 {
		t.Errorf("the claim is %v, want 2 epsilon = %v", got, 2*eps)
	}
	for _, rare := range []float64{0, 10, 120} {
		a, b := must(m.On([]float64{sensitivity, rare})), must(m.On([]float64{0, rare + sensitivity}))
		most, least := a.Law[0].Ln()-b.Law[0].Ln(), a.Law[1].Ln()-b.Law[1].Ln()
		if math.Abs(most-least-2*eps) > 1e-12 {
			t.Errorf("the range is %v, want 2 epsilon", most-least)
		}
		if ratio := within(t, "printed weight", a, b); !(ratio > 0.5) || rare == 120 && !(ratio > 1-1e-12) {
			t.Errorf("at a lead of %v the loss is %v of 2 epsilon", rare, ratio)
		}
	}
}

func TestNoisyMaxLaw(t *testing.T) {
	for _, oneSided := range []bool{false, true} {
		const scale = 0.9 // 1.8 steps
		noise := geometricTable(2*scale, oneSided).tails()
		m := NoisyMax{Sensitivity: 1, Scale: scale, OneSided: oneSided, Resolution: 2}
		scores := []int64{1, 3, 1, 0}
		want := make([]float64, len(scores))
		const most = 80
		for a := int64(-most); a <= most; a++ {
			for b := int64(-most); b <= most; b++ {
				part := make([]float64, len(want)) // sums of millions of terms lose digits
				for c := int64(-most); c <= most; c++ {
					// The last candidate is above all others, or the first of the largest wins.
					noisy := []int64{scores[0] + a, scores[1] + b, scores[2] + c}
					top, p := slices.Max(noisy), noise.at(a)*noise.at(b)*noise.at(c)
					part[3] += p * noise.atLeast(top+1-scores[3])
					part[slices.Index(noisy, top)] += p * noise.atMost(top-scores[3])
				}
				for i, p := range part {
					want[i] += p
				}
			}
		}
		f := must(m.On([]float64{0.5, 1.5, 0.5, 0}))
		sameLaw(t, "noisy max", f.Law, want)
	}
}

// Claims hold for all neighbours, and are attained by exponential noise.
func TestNoisyMaxClaim(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m := NoisyMax{Sensitivity: 1, Scale: math.Exp(r.NormFloat64()), OneSided: r.IntN(2) == 0, Resolution: 1 + r.Int64N(3)}
		a, b := make([]float64, 2+r.IntN(4)), []float64(nil)
		for i := range a {
			a[i] = 4 * r.Float64()
			b = append(b, a[i]+2*r.Float64()-1)
		}
		within(t, "noisy max", must(m.On(a)), must(m.On(b)))
	}
	m := NoisyMax{Sensitivity: 1, Scale: 3, OneSided: true, Resolution: 1}
	attains(t, "exponential noise", must(m.On([]float64{0, 2})), must(m.On([]float64{1, 1})))
	m.OneSided = false
	if ratio := within(t, "Laplace noise", must(m.On([]float64{0, 3000})),
		must(m.On([]float64{1, 2999}))); !(ratio > 0.998) {
		t.Errorf("Laplace noise has %v of the claim", ratio)
	}
}
