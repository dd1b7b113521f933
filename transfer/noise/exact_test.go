package noise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// law3 is a law of few values.
type law3 []struct{ x, p float64 }

func someLaw(r *rand.Rand) (l law3, span float64) {
	l = make(law3, 2+r.IntN(2))
	sum, low, high := 0., 1., 0.
	for i := range l {
		l[i].x, l[i].p = r.Float64(), 0.02+r.ExpFloat64()
		sum += l[i].p
		low, high = min(low, l[i].x), max(high, l[i].x)
	}
	for i := range l {
		l[i].p /= sum
	}
	return l, high - low
}

// One answer with noise that is cut: the Renyi divergence at the best law R of the answer is a' ln of the integral of
// (E p^a)^(1/a). What the bound counts is never below, and the same where the value on the sample is known.
func TestCutAnswerRevealsWhatIsCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	worst, without := math.Inf(-1), 0
	for i := range 400 {
		values, span := someLaw(r)
		a, cut := 1.05+4*r.Float64(), 1+2.5*r.Float64()
		sd := span * (0.05 + 3*r.Float64())
		variance := span * span / 4 // of Hoeffding's lemma
		if i%8 == 0 {
			for k := range values {
				values[k].x = 0.5
			}
			variance = 0
		}
		const steps = 4000
		lo, hi := -cut*sd, 1+cut*sd
		sum, plain := 0., 0. // without a cut
		for k := range steps {
			y := lo + (float64(k)+0.5)*(hi-lo)/steps
			mean := 0.
			for _, v := range values {
				if z := (y - v.x) / sd; math.Abs(z) <= cut {
					mean += v.p * math.Pow(density(z, cut)/sd, a)
				}
			}
			sum += math.Pow(mean, 1/a) * (hi - lo) / steps
		}
		conj, x := a/(a-1), variance/(sd*sd)
		exact, counted := conj*math.Log(sum), lawOf(cut).reveals(a, x)
		if plain = lnUp(a*x) / 2; exact > plain+1e-3 {
			without++
		}
		worst = max(worst, exact-counted)
		if exact > counted+4e-3*conj { // the steps at jumps of the density
			t.Errorf("a %v, cut %v, sd %v, %v: reveals %v, counted %v", a, cut, sd, values, exact, counted)
		}
		if i%8 == 0 && !(math.Abs(counted) < 1e-9 && math.Abs(exact) < 4e-3*conj) {
			t.Errorf("a %v, cut %v: a known value reveals %v, counted %v", a, cut, exact, counted)
		}
	}
	t.Logf("at most %v above what is counted; the price of noise that is not cut is too low in %d cases", worst, without)
	if without == 0 {
		t.Error("a cut costs nothing")
	}
}

// The less likely side of an error of the second answer, by sums over all samples: the first answer is cut, and the
// second query is the worst after each value of it. The bound is never below.
func TestLessLikelySideOfCutAnswers(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	highest := 0.
	for range 150 {
		n := 2 + r.IntN(3)
		weights := make([]float64, n) // of the bits, each record's own
		for i := range weights {
			weights[i] = []float64{0.5, 0.1 + 0.8*r.Float64()}[r.IntN(2)]
		}
		g := given{n: float64(n), tau: 0.1 + 0.5*r.Float64(), cut: 1 + 2*r.Float64()}
		first, second := g, g
		first.sd, second.sd = g.tau*(0.3+3*r.Float64()), g.tau*(0.3+3*r.Float64())
		b, _ := New(int64(n), Both)
		b.Answer(theory.NoiseBlock{Queries: 1, Scale: first.sd, Cut: first.cut}, first.tau)
		claimed := math.Exp(b.rarer(b.run(theory.NoiseBlock{Queries: 1, Scale: second.sd, Cut: second.cut}, second.tau)))
		if !(claimed < 1) {
			continue
		}
		const steps = 600
		lo, hi, total := -first.cut*first.sd, 1+first.cut*first.sd, 0.
		for k := range steps {
			y, most := lo+(float64(k)+0.5)*(hi-lo)/steps, 0.
			for mask := range 1 << n { // of the records, f = x or 1-x
				above, below := 0., 0.
				for s := range 1 << n {
					p, f1, f2, mean := 1., 0., 0., 0.
					for i, w := range weights {
						bit, flip := float64(s>>i&1), float64(mask>>i&1)
						p *= w*bit + (1-w)*(1-bit)
						f1 += bit / g.n
						f2 += math.Abs(bit-flip) / g.n
						mean += math.Abs(w-flip) / g.n
					}
					if z := (y - f1) / first.sd; math.Abs(z) <= first.cut {
						p *= density(z, first.cut) / first.sd
						above += p * math.Exp(lnUpper((g.tau-f2+mean)/second.sd, g.cut))
						below += p * math.Exp(lnUpper((g.tau+f2-mean)/second.sd, g.cut))
					}
				}
				most = max(most, min(above, below))
			}
			total += most * (hi - lo) / steps
		}
		highest = max(highest, total/claimed)
		if total > claimed*1.003 {
			t.Errorf("%+v, %+v, %v: %v, claimed %v", first, second, weights, total, claimed)
		}
	}
	if t.Logf("at most %v of what is claimed", highest); !(highest > 0.9) {
		t.Errorf("at most %v of what is claimed: the cases are too easy", highest)
	}
}
