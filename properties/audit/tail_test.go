package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// tailOf audits 16 samples, two blocks of 8 with so many hits each.
func tailOf(t *testing.T, bound, lnAlpha float64, hits [2]int) TailResult {
	t.Helper()
	ledger := value[*Ledger](t)(NewLedger(theory.LogProb(lnAlpha)))
	alarm := value[*Alarm](t)(ledger.Draw("one", theory.LogProb(lnAlpha)))
	drawn := 0
	tail := Tail{Plan: Plan{Samples: 16, Workers: 1}, Bound: theory.LogProb(math.Log(bound)), Hit: func(*rand.Rand) bool {
		drawn++
		return (drawn-1)%8 < hits[(drawn-1)/8]
	}}
	return value[TailResult](t)(tail.Audit(alarm))
}

// secondBlock is the wealth of 16 samples against P[E] <= v: nothing is known before the
// first block, and the stake for the second follows from the frequency in the first.
func secondBlock(v float64, hits [2]int) float64 {
	p := (float64(hits[0]) + 0.5) / 9
	caution := 1 - p*(1-p)/(8*(p-v)*(p-v))
	if !(p > v && caution > 0) {
		return 1
	}
	s := caution * (p - v) / (v * (1 - v))
	return math.Pow(1+s*(1-v), float64(hits[1])) * math.Pow(1-s*v, float64(8-hits[1]))
}

// A tail is refuted when the wealth has reached 1/alpha and no sooner, and the lower
// bound goes up to the greatest value that is refuted so. By Ville's inequality the false
// alarm is then at most alpha; it is computed from all outcomes.
func TestTailIsRefutedAtItsThreshold(t *testing.T) {
	choose := [9]float64{1, 8, 28, 56, 70, 56, 28, 8, 1}
	for _, v := range []float64{0.02, 0.1, 0.3, 0.6} {
		refuted, mean := 0, 0.0
		alarms := map[float64]float64{0.5: 0, 0.2: 0, 0.05: 0, 1e-3: 0}
		for outcome := range 81 {
			hits := [2]int{outcome / 9, outcome % 9}
			wealth := secondBlock(v, hits)
			total := float64(hits[0] + hits[1])
			chance := choose[hits[0]] * choose[hits[1]] * math.Pow(v, total) * math.Pow(1-v, 16-total)
			mean += chance * wealth
			for alpha := range alarms {
				if tailOf(t, v, math.Log(alpha), hits).Verdict == Violated {
					alarms[alpha] += chance
				}
			}
			if !(wealth > 1.001) {
				if r := tailOf(t, v, -1e-3, hits); r.Verdict == Violated || r.LnWealth > 1e-12 {
					t.Errorf("%v against %g, without wealth: %+v", hits, v, r)
				}
				continue
			}
			refuted++
			for _, c := range []struct {
				shift float64 // of ln(1/alpha)
				want  bool
			}{{-0.5, true}, {-1e-4, true}, {-2e-5, true}, {0, false}, {1e-4, false}, {0.5, false}} {
				lnAlpha := min(-1e-9, -math.Log(wealth)-c.shift)
				r := tailOf(t, v, lnAlpha, hits)
				if (r.Verdict == Violated) != c.want || math.Abs(r.LnWealth-math.Log(wealth)) > 1e-12*(1+r.LnWealth) {
					t.Errorf("%v against %g at ln alpha = %g: %+v, ln wealth is %g", hits, v, lnAlpha, r, math.Log(wealth))
				}
				lower := 0.0
				for _, u := range ladder(v, v) {
					if !(u < 1 && math.Log(secondBlock(u, hits)) >= rounding-lnAlpha) {
						break
					}
					lower = u
				}
				if math.Abs(r.Lower.Value()-lower) > 1e-12 {
					t.Errorf("%v against %g at ln alpha = %g: lower bound %g, want %g", hits, v, lnAlpha, r.Lower.Value(), lower)
				}
			}
		}
		if math.Abs(mean-1) > 1e-12 || refuted < 5 {
			t.Errorf("v = %g: mean wealth %.15g, %d outcomes with more than one", v, mean, refuted)
		}
		for alpha, chance := range alarms {
			if chance > alpha {
				t.Errorf("v = %g: false alarm %g, want at most %g", v, chance, alpha)
			}
		}
		if alarms[0.5] == 0 {
			t.Errorf("v = %g: nothing is refuted at 0.5", v)
		}
	}
}

// Detectable is the least P[E] that half of the samples refute with probability 0.99 at
// the best stake for it, here by the sum of the binomial law.
func TestTailDetectable(t *testing.T) {
	const n = 500
	for _, v := range []float64{0.001, 0.05, 0.4} {
		for _, lnAlpha := range []float64{-1, -5, -25} {
			never := func(*rand.Rand) bool { return false }
			hit := Tail{Plan: Plan{Samples: 2 * n, Workers: 1}, Bound: theory.LogProb(math.Log(v)), Hit: never}
			ledger := value[*Ledger](t)(NewLedger(theory.LogProb(lnAlpha)))
			r := value[TailResult](t)(hit.Audit(value[*Alarm](t)(ledger.Draw("one", theory.LogProb(lnAlpha)))))
			refutes := func(p float64) float64 {
				s := (p - v) / (v * (1 - v))
				sum := 0.0
				for k := range n + 1 {
					h, m := float64(k), float64(n-k)
					if h*math.Log1p(s*(1-v))+m*math.Log1p(-s*v) < rounding-lnAlpha {
						continue
					}
					all, _ := math.Lgamma(n + 1)
					some, _ := math.Lgamma(h + 1)
					rest, _ := math.Lgamma(m + 1)
					sum += math.Exp(all - some - rest + h*math.Log(p) + m*math.Log1p(-p))
				}
				return sum
			}
			d := r.Detectable.Value()
			if at, before := refutes(d*(1+1e-12)), refutes(d*(1-1e-9)); !(at >= 0.99-1e-9 && before < 0.99) {
				t.Errorf("v = %g, ln alpha = %g: %g is refuted with probability %g, and less with %g", v, lnAlpha, d, at, before)
			}
		}
	}
}
