package pvalue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// gamma(x)/x is nondecreasing, so that gamma(alpha)/r >= gamma(alpha/r): one correction
// of a whole family leaves no less than one of each of its tests. (The quoted form of
// Russo and Zou's rule is so up to alpha = 0.6.)
func TestThresholdIsStarShaped(t *testing.T) {
	lawtest.Check(t, 20152, 3000, func(s source, alpha theory.LogProb, share float64) (bool, error) {
		for _, c := range usable(s.plan) {
			if c.Name == "russo-zou16" && alpha.Value() > 0.6 {
				continue
			}
			less := alpha - theory.LogProb(share)
			whole, part := must(c.Threshold(alpha)), must(c.Threshold(less))
			if part == theory.Zero {
				continue
			}
			if slack(part)-less > whole-alpha+1e-12 {
				return false, fmt.Errorf("%s: gamma/alpha is e^%.17g at %v, and e^%.17g at %v", c.Name, whole-alpha, alpha,
					part-less, less)
			}
		}
		return true, nil
	}, drawn(anySource), drawn(level), drawn(func(r *rand.Rand) float64 { return pick(r, 1e-3, 30) }))
}

// The numbers of docs/theorems/pvalue.md: 20 tests at alpha = 0.05.
func TestFamilyFirstIsCheaper(t *testing.T) {
	for _, c := range []struct {
		correction  Correction
		once, twice float64
	}{
		{corrected(t, pureHundredth, "renyi"), 6.488312e-4, 3.908124e-4},
		{corrected(t, tenthOfABit, "kl"), 2.604494e-4, 8.375081e-16},
	} {
		once := must(c.correction.Threshold(prob(t, "0.05"))).Value() / 20
		twice := must(c.correction.Threshold(prob(t, "0.0025"))).Value()
		if !(once > c.once*(1-1e-6) && once < c.once*(1+1e-6) && twice > c.twice*(1-1e-6) && twice < c.twice*(1+1e-6)) {
			t.Errorf("%s: %.9g once, %.9g twice", c.correction.Name, once, twice)
		}
	}
}

var (
	pureHundredth = maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData,
		Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: 0.01}}}
	tenthOfABit = maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: theory.Nats(0.1 * math.Ln2)}}}
)

// rejections are the tests rejected at a level by the family step on the adjusted values,
// and by the same step on the raw ones with one correction.
func rejections(t *testing.T, c Correction, f Family, p []theory.LogProb, alpha theory.LogProb) (adjusted, raw []bool) {
	t.Helper()
	each := make([]theory.LogProb, len(p))
	for i := range p {
		each[i] = must(c.Adjusted(p[i]))
	}
	each = familywise(t, f, each)
	once := familywise(t, f, p)
	for i := range p {
		adjusted = append(adjusted, each[i] <= alpha)
		raw = append(raw, must(c.Adjusted(once[i])) <= alpha)
	}
	return adjusted, raw
}

// The step on raw p-values rejects whatever that on adjusted ones does, where gamma(x)/x
// does not fall up to alpha; it rejects less for Russo and Zou's rule at alpha = 0.95.
func TestRawRejectsNoLess(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	more := 0
	for range 2000 {
		s, alpha, p := anySource(r), level(r), anyFamily(r, 1+r.IntN(6))
		for _, c := range usable(s.plan) {
			if c.Name == "russo-zou16" && alpha.Value() > 0.6 {
				continue
			}
			if gamma, err := c.Threshold(alpha); err != nil || gamma == theory.Zero {
				continue
			}
			for _, f := range Families()[1:] {
				// One part in 1e9 is the room of the roundings of both.
				adjusted, _ := rejections(t, c, f, p, alpha)
				_, raw := rejections(t, c, f, p, theory.LogProb(float64(alpha)*(1-1e-9)))
				for i := range p {
					if adjusted[i] && !raw[i] {
						t.Fatalf("%s after %v at %v: %v of %v only on adjusted values", f, s.plan, alpha, p[i], p)
					}
					if raw[i] && !adjusted[i] {
						more++
					}
				}
			}
		}
	}
	if more < 200 {
		t.Errorf("raw rejects %d more", more)
	}
	plan := maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: theory.Nats(0.16 * math.Ln2)}}}
	rule, alpha := corrected(t, plan, "russo-zou16"), prob(t, "0.95")
	half := must(rule.Threshold(prob(t, "0.475"))) - 1e-6
	adjusted, raw := rejections(t, rule, Bonferroni, []theory.LogProb{half, half}, alpha)
	if !adjusted[0] || raw[0] {
		t.Errorf("russo-zou16 at 0.95, p %v: adjusted %v, raw %v", half, adjusted, raw)
	}
}
