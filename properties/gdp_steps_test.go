package properties

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/theory"
)

// Pure steps count as Gaussian privacy: the whole transcript of k steps, here randomized
// response, which attains epsilon, is sqrt(k) mu-GDP with mu = 2 Phi^-1(1/(1+e^-epsilon)).
// One step attains it, and with a hundredth less the claim fails.
func TestPureStepsCountAsGDP(t *testing.T) {
	for _, epsilon := range []float64{0.01, 0.3, 1, 4} {
		for k := 1; k <= 6; k++ {
			law := func(record int) []theory.LogProb {
				f, err := mechanism.Adaptive(func(past []int) (mechanism.Finite, bool) {
					step, err := mechanism.RandomizedResponse{Epsilon: epsilon, Values: 2}.On(record)
					if err != nil {
						t.Fatal(err)
					}
					return step, len(past) < k
				})
				if err != nil {
					t.Fatal(err)
				}
				return f.Law
			}
			pair, err := audit.NewPair(law(0), law(1))
			if err != nil {
				t.Fatal(err)
			}
			exact, err := pair.Mu()
			if err != nil {
				t.Fatal(err)
			}
			one, err := theory.Pure{Epsilon: epsilon}.GDP()
			if err != nil {
				t.Fatal(err)
			}
			bound := math.Sqrt(float64(k)) * one.Value.Mu
			if exact > bound*(1+1e-9) {
				t.Errorf("epsilon %g, %d steps: mu = %g above %g", epsilon, k, exact, bound)
			}
			if k == 1 && exact < 0.999*bound {
				t.Errorf("epsilon %g: mu = %g, the bound %g is not attained", epsilon, exact, bound)
			}
		}
	}
}
