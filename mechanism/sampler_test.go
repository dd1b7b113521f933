package mechanism

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// falseAlarm bounds the probability that one call of fits fails although the sampler is
// right: by the union bound over its cells, each of which has an exact two-sided
// binomial test.
const falseAlarm = 1e-12

// fits tests counts against the logarithms of the probabilities of their cells.
func fits(t *testing.T, name string, counts []int64, lnP []float64) {
	t.Helper()
	draws := int64(0)
	for _, c := range counts {
		draws += c
	}
	least := math.Log(falseAlarm / 2 / float64(len(counts)))
	for i, c := range counts {
		b := num.Binomial{N: draws, P: math.Exp(lnP[i])}
		if p := math.Min(b.LnAtMost(c), b.LnAtLeast(c)); !(p >= least) {
			t.Errorf("%s: cell %d has %d of %d, expected %.1f", name, i, c, draws, float64(draws)*b.P)
		}
	}
}

// Every finite mechanism draws from its law, the composed and the interactive ones too.
func TestSamplersFitLaws(t *testing.T) {
	out := Thresholdout{Samples: 2, Budget: 2, Threshold: 0.4, Scale: 0.2, Resolution: 1}
	sparse := func(cutoff int64, redraw bool) Finite {
		m := SparseVector{Sensitivity: 1, Threshold: 1, ThresholdScale: 1, QueryScale: 2, Cutoff: cutoff, Redraw: redraw,
			Resolution: 2}
		return must(m.On(func(past []bool) (float64, bool) { return adaptiveValue(past, 0.5) }))
	}
	scores := []float64{1, 2, 2, 0}
	for _, c := range []struct {
		name string
		Finite
	}{
		{"geometric", must(Geometric{Sensitivity: 1, Scale: 2, Low: -4, High: 9}.On(1))},
		{"geometric, little noise", must(Geometric{Sensitivity: 1, Scale: 0.2, Low: -4, High: 9}.On(12))},
		{"randomized response", must(RandomizedResponse{Epsilon: 1.5, Values: 4}.On(2, 0))},
		{"randomized response, mostly lies", must(RandomizedResponse{Epsilon: 0.01, Values: 30}.On(7))},
		{"exponential", must(Exponential{Sensitivity: 1, Weight: 0.7}.On([]float64{1, 0, 3, -2}))},
		{"noisy max, Laplace", must(NoisyMax{Sensitivity: 1, Scale: 1.5, Resolution: 1}.On(scores))},
		{"noisy max, exponential", must(NoisyMax{Sensitivity: 1, Scale: 1.5, Resolution: 1, OneSided: true}.On(scores))},
		{"AboveThreshold", sparse(1, false)},
		{"sparse vector", sparse(2, false)},
		{"sparse vector, redrawn", sparse(2, true)},
		{"Thresholdout", must(out.On(thresholdoutOn(out, 3, 0b110100)))},
		{"composition", must(Adaptive(func(past []int) (Finite, bool) {
			if len(past) == 0 {
				return must(Geometric{Sensitivity: 1, Scale: 1, Low: 0, High: 2}.On(1)), true
			}
			return must(RandomizedResponse{Epsilon: 1, Values: 2 + past[0]}.On(1)), len(past) < 3
		}))},
	} {
		r := rand.New(rand.NewPCG(21, 22))
		counts, lnP := make([]int64, len(c.Law)), make([]float64, len(c.Law))
		for range 300_000 {
			counts[c.Draw(r)]++
		}
		for i, p := range c.Law {
			lnP[i] = p.Ln()
		}
		fits(t, c.name, counts, lnP)
	}
}

// Noise that is cut, in cells of a tenth of its standard deviation, by the normal law given that it is within the
// cut. No answer is further off, and a value that is answered again draws the same number of times whatever it is.
func TestCutNoise(t *testing.T) {
	const draws, width = 200_000, 0.1
	for _, cut := range []float64{1, 1.8, 3} {
		noise := must(Gaussian{Sensitivity: 0.01, SD: 0.5, Cut: cut}.Noise())
		cells := int(math.Round(2 * cut / width))
		phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		lnP := make([]float64, cells)
		for i := range lnP {
			a := -cut + width*float64(i)
			lnP[i] = math.Log((phi(a+width) - phi(a)) / (phi(cut) - phi(-cut)))
		}
		counts, out := make([]int64, cells), make([]float64, draws)
		noise.Fill(rand.New(rand.NewPCG(5, 6)), 0.25, out)
		for _, x := range out {
			z := (x - 0.25) / 0.5
			if math.Abs(z) > cut+noise.Step() {
				t.Fatalf("cut %v: noise of %v standard deviations", cut, z)
			}
			counts[max(0, min(int((z+cut)/width), cells-1))]++
		}
		fits(t, "cut noise", counts, lnP)
		again := make([]float64, draws)
		noise.Fill(rand.New(rand.NewPCG(5, 6)), 0.75, again)
		for i := range out {
			if math.Abs(again[i]-out[i]-0.5) > 2*noise.Step() {
				t.Fatal("the noise depends on the value")
			}
		}
	}
	if _, err := (Gaussian{Sensitivity: 1, SD: 1, Cut: 2}).GDP(); err == nil {
		t.Error("noise that is cut has a mu")
	}
	noise := []theory.NoiseBlock{{Queries: 1, Scale: 1, Cut: 2}}
	if _, err := (GaussianAnswers{Samples: 9, Noise: noise}).GDP(); err == nil {
		t.Error("answers with noise that is cut have a mu")
	}
	for _, cut := range []float64{-1, 0.5, 31, math.NaN()} {
		if err := (Gaussian{Sensitivity: 1, SD: 1, Cut: cut}).Validate(); err == nil {
			t.Errorf("no error for the cut %v", cut)
		}
	}
}

// The scalar noises, on coarse and on the finest lattice, against their distribution
// functions: 1 - e^(-h(k+1))/(1+e^-h) at a lattice point, and the normal one. Cells are
// half a scale wide; the low bits are cells of their own, and so are the pairs of
// neighbours in the slice, which are independent.
func TestNoiseFitsDistribution(t *testing.T) {
	for _, resolution := range []int64{0, 1, 16} {
		const scale, value = 0.7, 12.25
		laplace := must(Laplace{Sensitivity: 0.25, Scale: scale, Resolution: resolution}.Noise())
		gaussian := must(Gaussian{Sensitivity: 0.25, SD: scale, Resolution: resolution}.Noise())
		if laplace.kind != theory.LaplaceNoise || gaussian.kind != theory.GaussianNoise || (Noise{}).kind != "" {
			t.Errorf("kinds %q, %q and %q", laplace.kind, gaussian.kind, Noise{}.kind)
		}
		h := laplace.Step() / scale
		for _, c := range []struct {
			name  string
			noise Noise
			above func(k float64) float64 // P[noise > k steps]
		}{
			{"Laplace", laplace, func(k float64) float64 {
				if k < 0 {
					return 1 - math.Exp(h*k)/(1+math.Exp(-h))
				}
				return math.Exp(-h*(k+1)) / (1 + math.Exp(-h))
			}},
			{"Gaussian", gaussian, func(k float64) float64 { return math.Erfc((k+0.5)*h/math.Sqrt2) / 2 }},
		} {
			r := rand.New(rand.NewPCG(23, 24))
			out := make([]float64, 400_001)
			c.noise.Fill(r, value, out)
			out[0] = c.noise.Answer(r, value)
			group := func(cell int) int { return min(max(cell-6, 0)/2, 5) }
			edge := func(cell int) float64 { return math.Floor(float64(cell-10) / 2 / h) } // cell-1 < noise <= cell
			counts, odd, pairs, last := make([]int64, 22), make([]int64, 2), make([]int64, 36), 0
			for i, x := range out {
				k := (x - value) / c.noise.Step()
				if k != math.Floor(k) {
					t.Fatalf("%s: %v is not on the lattice", c.name, x)
				}
				cell := 0
				for cell < 21 && k > edge(cell) {
					cell++
				}
				counts[cell]++
				odd[int64(k)&1]++
				if i%2 == 1 {
					pairs[6*last+group(cell)]++
				}
				last = group(cell)
			}
			lnP, grouped, lnPairs := make([]float64, 22), make([]float64, 6), make([]float64, 36)
			for cell := range lnP {
				p := 1.
				if cell > 0 {
					p = c.above(edge(cell - 1))
				}
				if cell < 21 {
					p -= c.above(edge(cell))
				}
				lnP[cell] = math.Log(p)
				grouped[group(cell)] += p
			}
			for i := range lnPairs {
				lnPairs[i] = math.Log(grouped[i/6] * grouped[i%6])
			}
			fits(t, c.name+", pairs", pairs, lnPairs)
			fits(t, c.name, counts, lnP)
			if resolution == 0 {
				fits(t, c.name+", low bit", odd, []float64{-math.Ln2, -math.Ln2})
			}
		}
	}
}

// words is a random source that gives what it is told.
type words []uint64

func (w *words) Uint64() uint64 {
	next := (*w)[0]
	*w = (*w)[1:]
	return next
}

// The tail has no holes: 30 scales out, where the first word has twenty bits left, the second
// one reaches every point of the finest lattice.
func TestTailReachesEveryPoint(t *testing.T) {
	z := must(Laplace{Sensitivity: 1, Scale: 1}.Noise()) // 2^30 steps to a scale
	last, reached := int64(0), 0
	for i := uint64(0); i < 1<<12; i++ {
		source := words{1 << 20, i << 52}
		k := laplace(rand.New(&source), z.scale)
		switch {
		case i > 0 && last-k > 1:
			t.Fatalf("from %d to %d", last, k)
		case i > 0 && last-k == 1:
			reached++
		}
		last = k
	}
	if x := float64(last) * z.Step(); !(x > 29 && x < 31) || reached < 1000 {
		t.Errorf("%d points near %v", reached, x)
	}
	for _, w := range []words{{0, 0}, {1<<64 - 2}} {
		if x := z.Answer(rand.New(&w), 0.5); !(math.Abs(x) < 1e8) {
			t.Errorf("the extreme words give %v", x)
		}
	}
}

// Where the step is a power of two, outputs do not depend on what is below half a step; and
// values that differ by at most the sensitivity are at most that apart on the lattice,
// ties included.
func TestLattice(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for range 1000 {
		exponent := r.IntN(20) - 10
		m := Laplace{Sensitivity: math.Ldexp(1, exponent),
			Scale: math.Ldexp(1+r.Float64()*float64(r.IntN(2)), exponent+r.IntN(8)), Resolution: []int64{0, 1, 4}[r.IntN(3)]}
		z := must(m.Noise())
		if m.Resolution == 0 &&
			!(z.Step() <= m.Sensitivity &&
				(z.Step() <= 0x1p-30*m.Scale && (z.Step() > 0x1p-31*m.Scale || z.Step() == m.Sensitivity))) {
			t.Fatalf("%+v has the step %v", m, z.Step())
		}
		seed := r.Uint64()
		value := math.Round(100*r.NormFloat64()) * m.Sensitivity
		a := z.Answer(rand.New(rand.NewPCG(seed, 0)), value)
		for _, low := range []float64{-0.499, -1e-3, 1e-3, 0.499} {
			if b := z.Answer(rand.New(rand.NewPCG(seed, 0)), value+low*z.Step()); b != a {
				t.Fatalf("%+v: the low bits of %v show: %v and %v", m, value, a, b)
			}
		}
		if k := a / z.Step(); k != math.Floor(k) {
			t.Fatalf("%+v: %v is not on the lattice", m, a)
		}
		most := m.Sensitivity / z.Step()
		tie := value + 0.5*z.Step()
		for _, x := range []float64{tie, -tie, math.Nextafter(tie, -1e9), value} {
			for _, y := range []float64{x + m.Sensitivity, x - m.Sensitivity} {
				if d := z.lattice.nearest(x) - z.lattice.nearest(y); math.Abs(x-y) <= m.Sensitivity && math.Abs(d) > most {
					t.Fatalf("%+v: %v and %v are %v steps apart, more than %v", m, x, y, d, most)
				}
			}
		}
	}
}

// The means c/n lie on the lattice of Thresholdout, whose step is not a power of two.
func TestMeansOnLattice(t *testing.T) {
	for _, n := range []int64{3, 10, 999, 123_457} {
		_, z, err := Thresholdout{Samples: n, Budget: 1, Scale: 0.01}.parts()
		if err != nil {
			t.Fatal(err)
		}
		resolution := z.lattice.index(1) / n
		for c := int64(0); c <= n; c += 1 + n/1000 {
			if k := z.lattice.index(float64(c) / float64(n)); k != c*resolution {
				t.Errorf("%d/%d is point %d, want %d", c, n, k, c*resolution)
			}
		}
	}
}
