package noise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// The side of an error that is less likely has a bound of its own only where the variance lemma holds at order one for
// the answers so far, the last of them included. Where it does not, an answer errs at most twice as often as on the
// likelier side, and no less is certified.
func TestTwoSidesWhereTheLemmaFails(t *testing.T) {
	tried := 0
	for _, cut := range []float64{0, 2.5} {
		for _, first := range []float64{0.0004, 0.01, 0.05} { // of the first answer's noise; the lemma fails at one
			var total [2]float64
			var lemma bool
			for i, sides := range []Sides{Both, Above} {
				b, _ := New(1000, sides)
				b.Answer(theory.NoiseBlock{Queries: 1, Scale: first, Cut: cut}, 0.2)
				second := theory.NoiseBlock{Queries: 1, Scale: 0.02, Cut: cut}
				q := b.run(second, 0.2)
				lemma = b.kappa(1, q) > 0
				if ln := b.rarer(q); !lemma && !math.IsInf(ln, 1) {
					t.Errorf("cut %g, first sd %g: the less likely side errs with ln %g, and the lemma does not hold", cut, first, ln)
				}
				p, err := b.Answer(second, 0.2)
				if err != nil {
					t.Fatal(err)
				}
				total[i] = p.Ln()
				if third := b.run(second, 0.2); cut > 0 && !lemma && !math.IsInf(b.rarer(third), 1) {
					t.Errorf("first sd %g: a factor of F without the lemma", first)
				}
			}
			if twice := total[1] + math.Ln2; !lemma {
				tried++
				if !(total[1] < -1) || !(total[0] >= twice-1e-12 && total[0] <= twice+1e-9) {
					t.Errorf("cut %g, first sd %g: ln of the error %v, twice one side %v", cut, first, total[0], twice)
				}
			} else if cut == 0 && !(total[0] < twice-0.1) {
				t.Errorf("cut %g, first sd %g: the second side costs as much as the first", cut, first)
			}
		}
	}
	if tried != 2 {
		t.Errorf("the lemma fails in %d cases", tried)
	}
}

// Near the cut the probability above w is the probability of a short interval: the difference of two tails would lose
// its digits. From the cut on it is 0, and the hazard is no number to go on with.
func TestProbabilityNearTheCut(t *testing.T) {
	for _, cut := range []float64{1, 1.7, 2.5, 4, 8} {
		k := lawOf(cut)
		for _, short := range []float64{1e-13, 1e-9, 1e-5, 1e-3} {
			w := cut - short
			short = cut - w // as it is
			// phi at the middle times the length, and h^2 (m^2-1)/6 for half the length h.
			middle, h := w+short/2, short/2
			want := -middle*middle/2 - math.Log(2*math.Pi)/2 + math.Log(short) + math.Log1p(h*h*(middle*middle-1)/6)
			want -= math.Log(math.Erf(cut / math.Sqrt2))
			ln, hazard := k.upper(w)
			if math.Abs(ln-want) > 1e-12*(1+math.Abs(want)) || math.Abs(hazard*short-1) > 2*cut*short+1e-12 {
				t.Errorf("cut %g, %g below: ln %v, want %v; hazard %v", cut, short, ln, want, hazard)
			}
		}
	}
}

// Where tau is beyond the cut noise alone never errs, and the sample does: a tangent at tau itself would say that no
// answer errs. The exact expectation for binomial rows is never above the bound, at every power, and the bound is a
// number.
func TestTangentsBeyondTheCut(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 1))
	closest := math.Inf(-1)
	for range 400 {
		n, cut := 5+r.IntN(60), 1+2*r.Float64()
		tau := 0.05 + 0.4*r.Float64()
		q := query{n: float64(n), tau: tau, sd: tau / (cut * (0.9 + 4*r.Float64())), law: lawOf(cut)}
		power := math.Exp(5 * r.Float64())
		g := given{q.n, tau, q.sd, cut}
		exact, ln := 0.0, -q.n*math.Ln2
		for k := range n + 1 {
			x := float64(k)/q.n - 0.5
			if up := lnUpper((tau-x)/g.sd, cut); !math.IsInf(up, -1) {
				exact += math.Exp(ln + power*up)
			}
			ln += math.Log(float64(n-k)) - math.Log(float64(k+1))
		}
		touch := 0.5
		for range 3 { // the search begins where the last one ended
			bound := q.chernoff(power, Joint(Both).side(false), &touch)
			if !(bound <= 0 && bound >= -math.MaxFloat64) || !(math.Log(exact) <= bound) {
				t.Fatalf("n %d, tau/sd %g, cut %g, power %g: ln %v, exact %v", n, tau/q.sd, cut, power, bound, math.Log(exact))
			}
			closest = max(closest, math.Log(exact)-bound)
			touch = r.Float64()
		}
	}
	if t.Logf("closest in ln: %.3f", closest); !(closest > -3) {
		t.Error("the bound is far off")
	}
}

// Noise is certified as it is printed: neither less of it nor more is safe, beyond what the tangents of a search lose.
// Less of it reveals more, more of it errs more often by itself.
func TestRoundedNoiseIsAnotherPlan(t *testing.T) {
	p := Plan{Theorem: Joint(Both), Queries: 10, Tau: 0.1, Beta: lnp(0.05)}
	found, _ := Falling.Samples(p)
	p.Samples = found.Samples
	p.Tau, _ = Falling.LeastTau(p)
	total := func(change func(i int64, sd float64) float64) theory.LogProb {
		b, _ := New(p.Samples, Both)
		i := int64(0)
		for block := range p.Blocks() {
			block.Scale = change(i, block.Scale)
			if _, err := b.Answer(block, p.Tau); err != nil {
				t.Fatal(err)
			}
			i += block.Queries
		}
		return b.Total()
	}
	if beta := total(func(_ int64, sd float64) float64 { return sd }); !(beta <= p.Beta) {
		t.Errorf("the plan is certified at beta %v", beta)
	}
	for name, by := range map[string]float64{"less": 0.88, "more": 1.05} {
		wrong := 0
		for j := range p.Queries {
			if total(func(i int64, sd float64) float64 {
				if i == j {
					return sd * by
				}
				return sd
			}) > p.Beta {
				wrong++
			}
		}
		if wrong == 0 {
			t.Errorf("%s noise of any one answer is certified too", name)
		}
	}
}
