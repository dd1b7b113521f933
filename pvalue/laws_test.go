package pvalue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/leanovate/gopter"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// drawn turns a sampler into a generator. Nothing shrinks: a step that is printed is as
// simple as another.
func drawn[T any](draw func(r *rand.Rand) T) gopter.Gen {
	return lawtest.Gen(func(p *gopter.GenParameters) T { return draw(rand.New(rand.NewPCG(p.Rng.Uint64(), 1))) })
}

// A source is a first step as a function of how much it tells, and the size of the
// sample.
type source struct {
	plan  maxinfo.Plan
	worse maxinfo.Plan // tells more
}

func (s source) String() string {
	return fmt.Sprintf("n = %d: %v; worse: n = %d: %v", s.plan.Samples, s.plan.Steps, s.worse.Samples, s.worse.Steps)
}

// anySource draws a step of every kind, followed by others in one of three plans, and
// the same with a larger parameter (a smaller one for noise).
func anySource(r *rand.Rand) source {
	n := int64(pick(r, 1, 1e12))
	root, factor := math.Sqrt(float64(n)), pick(r, 1.0001, 30)
	worseN := n
	epsilon, mu := pick(r, 1e-4, 1e3)/root, pick(r, 1e-4, 30)/root
	var step, worse maxinfo.Step
	switch r.IntN(10) {
	case 7:
		step, worse = maxinfo.ZCDP{Rho: mu * mu / 2}, maxinfo.ZCDP{Rho: mu * mu / 2 * factor}
	case 8:
		a := 1 + pick(r, 0.1, 1e4)
		points := func(by float64) maxinfo.Step {
			return maxinfo.RDP{Points: []theory.RenyiPoint{{Order: a, Epsilon: a * mu * mu * by},
				{Order: 1.5 * a, Epsilon: 2 * a * mu * mu * by}}}
		}
		step, worse = points(1), points(factor)
	case 9:
		looks := 1 + int64(pick(r, 1, 1e6))
		passes := 1 + r.Int64N(min(looks, 50))
		step, worse = maxinfo.Gates{Looks: looks, Passes: passes}, maxinfo.Gates{Looks: looks * 2, Passes: passes + 1}
	case 0:
		step, worse = maxinfo.PureDP{Epsilon: epsilon}, maxinfo.PureDP{Epsilon: epsilon * factor}
	case 1:
		step, worseN = maxinfo.PureDP{Epsilon: epsilon}, int64(float64(n)*factor)
		worse = step
	case 2:
		delta := theory.LogProb(-math.Log(float64(n)) - pick(r, 0.1, 1e3))
		// The defect n delta (1+e^-epsilon) falls with epsilon, so a larger epsilon may
		// do better where the defect is nearly alpha.
		step, worse = maxinfo.ApproxDP{Epsilon: epsilon, LnDelta: delta},
			maxinfo.ApproxDP{Epsilon: epsilon, LnDelta: delta / theory.LogProb(factor)}
		worseN = int64(float64(n) * pick(r, 1, factor))
	case 3:
		step, worse = maxinfo.GDP{Mu: mu}, maxinfo.GDP{Mu: mu * factor}
	case 4:
		queries := int64(pick(r, 1, 1e6))
		sd := math.Sqrt(float64(queries)/float64(n)) / pick(r, 1e-3, 1e2)
		step, worse = maxinfo.Gaussian{Queries: queries, SD: sd},
			maxinfo.Gaussian{Queries: int64(float64(queries) * factor), SD: sd / factor}
	case 5:
		info := theory.Nats(pick(r, 1e-12, 1e4))
		step, worse = maxinfo.MutualInformation{Nats: info}, maxinfo.MutualInformation{Nats: info * theory.Nats(factor)}
	case 6:
		size := theory.Nats(pick(r, 1e-3, 1e3))
		step, worse = maxinfo.OneOfNats(size), maxinfo.OneOfNats(size*theory.Nats(factor))
		if r.IntN(2) == 0 {
			step = maxinfo.MaxInformation{Nats: size, Slack: -20}
			worse = maxinfo.MaxInformation{Nats: size * theory.Nats(factor), Slack: -19}
		}
	}
	var later []maxinfo.Step
	if r.IntN(3) == 0 {
		later = append(later, maxinfo.OneOfNats(theory.Nats(pick(r, 1e-2, 10))))
	}
	if r.IntN(3) == 0 {
		later = append(later,
			maxinfo.MaxInformation{Nats: theory.Nats(pick(r, 1e-2, 10)), Slack: theory.LogProb(-pick(r, 1, 1e3)), Always: true})
	}
	return source{
		plan:  maxinfo.Plan{Samples: n, Data: maxinfo.ProductData, Steps: append([]maxinfo.Step{step}, later...)},
		worse: maxinfo.Plan{Samples: worseN, Data: maxinfo.ProductData, Steps: append([]maxinfo.Step{worse}, later...)},
	}
}

// usable returns the corrections of a plan that apply.
func usable(p maxinfo.Plan) []Correction {
	all, err := Corrections(p)
	if err != nil {
		panic(err)
	}
	return slices.DeleteFunc(all, func(c Correction) bool { return c.Needs != nil })
}

func must(p theory.LogProb, err error) theory.LogProb {
	if err != nil {
		panic(err)
	}
	return p
}

// slack is what a search over a free parameter and rounding may cost: 1e-7 of the
// logarithm, and 1e-12 where that is small. Rules without a search are exact to 1e-12.
func slack(p theory.LogProb) theory.LogProb { return p - 1e-7*theory.LogProb(math.Abs(p.Ln())) - 1e-12 }

// A correction never raises a p-value's threshold: gamma <= alpha, p <= adjusted.
func TestCorrectionsOnlyCorrect(t *testing.T) {
	lawtest.Check(t, 20152, 1000, func(s source, alpha theory.LogProb) (bool, error) {
		for _, c := range usable(s.plan) {
			gamma, adjusted := must(c.Threshold(alpha)), must(c.Adjusted(alpha))
			if !(gamma <= alpha && adjusted >= alpha && adjusted <= 0) {
				return false, fmt.Errorf("%s: gamma(%g) = %g, adjusted %g", c.Name, alpha.Ln(), gamma.Ln(), adjusted.Ln())
			}
		}
		return true, nil
	}, drawn(anySource), drawn(level))
}

// A higher alpha has a higher threshold, a higher p a higher adjusted value.
func TestCorrectionsAreMonotone(t *testing.T) {
	lawtest.Check(t, 20152, 1000, func(s source, low theory.LogProb, factor float64) (bool, error) {
		high := low / theory.LogProb(factor)
		for _, c := range usable(s.plan) {
			if a, b := must(c.Threshold(low)), must(c.Threshold(high)); b < slack(a) {
				return false, fmt.Errorf("%s: gamma(%g) = %.17g, gamma(%g) = %.17g", c.Name, low.Ln(), a.Ln(), high.Ln(), b.Ln())
			}
			if a, b := must(c.Adjusted(low)), must(c.Adjusted(high)); b < slack(a) {
				return false, fmt.Errorf("%s: adjusted(%g) = %.17g, adjusted(%g) = %.17g", c.Name, low.Ln(), a.Ln(), high.Ln(),
					b.Ln())
			}
		}
		return true, nil
	}, drawn(anySource), drawn(level), drawn(func(r *rand.Rand) float64 { return 1 + pick(r, 1e-9, 100) }))
}

// p <= Threshold(alpha) if and only if Adjusted(p) <= alpha, up to slack.
func TestThresholdAndAdjustedAgree(t *testing.T) {
	lawtest.Check(t, 20152, 1500, func(s source, x theory.LogProb) (bool, error) {
		for _, c := range usable(s.plan) {
			if gamma := must(c.Threshold(x)); gamma > theory.Zero {
				if back := must(c.Adjusted(slack(gamma))); slack(back) > x {
					return false, fmt.Errorf("%s: gamma(%.17g) = %.17g, and back %.17g", c.Name, x.Ln(), gamma.Ln(), back.Ln())
				}
			}
			if adjusted := must(c.Adjusted(x)); adjusted < 0 {
				if back := must(c.Threshold(adjusted)); back < slack(x) {
					return false, fmt.Errorf("%s: adjusted(%.17g) = %.17g, too low: its threshold is %.17g", c.Name, x.Ln(),
						adjusted.Ln(), back.Ln())
				}
				if back := must(c.Threshold(slack(adjusted))); back > x {
					return false, fmt.Errorf("%s: adjusted(%.17g) = %.17g, too high: below it the threshold is %.17g", c.Name, x.Ln(),
						adjusted.Ln(), back.Ln())
				}
			}
		}
		return true, nil
	}, drawn(anySource), drawn(level))
}

// What is sharper never gives a lower threshold than what it sharpens.
func TestSharperNeverLowers(t *testing.T) {
	sharper := map[string]string{"max-info-dwork15": "renyi", "rogers16": "kl", "russo-zou16": "kl"}
	lawtest.Check(t, 20152, 1500, func(s source, alpha theory.LogProb) (bool, error) {
		all := usable(s.plan)
		for _, published := range all {
			for _, c := range all {
				if c.Name != sharper[published.Name] {
					continue
				}
				if a, b := must(published.Threshold(alpha)), must(c.Threshold(alpha)); b < a {
					return false, fmt.Errorf("%s: gamma(%g) = %.17g, %s: %.17g", published.Name, alpha.Ln(), a.Ln(), c.Name, b.Ln())
				}
				if a, b := must(published.Adjusted(alpha)), must(c.Adjusted(alpha)); slack(b) > a {
					return false, fmt.Errorf("%s: adjusted(%g) = %.17g, %s: %.17g", published.Name, alpha.Ln(), a.Ln(), c.Name, b.Ln())
				}
			}
		}
		return true, nil
	}, drawn(anySource), drawn(level))
}

// Whatever tells more about the sample never has a higher threshold.
func TestWeakerSourceNeverRaises(t *testing.T) {
	lawtest.Check(t, 20152, 1500, func(s source, alpha theory.LogProb) (bool, error) {
		worse := usable(s.worse)
		for _, c := range usable(s.plan) {
			i := slices.IndexFunc(worse, func(w Correction) bool { return w.Name == c.Name })
			if i < 0 { // too little noise for the theorem
				continue
			}
			if a, b := must(c.Threshold(alpha)), must(worse[i].Threshold(alpha)); a < slack(b) {
				return false, fmt.Errorf("%s: gamma(%g) = %.17g, worse %.17g", c.Name, alpha.Ln(), a.Ln(), b.Ln())
			}
			if a, b := must(c.Adjusted(alpha)), must(worse[i].Adjusted(alpha)); slack(a) > b {
				return false, fmt.Errorf("%s: adjusted(%g) = %.17g, worse %.17g", c.Name, alpha.Ln(), a.Ln(), b.Ln())
			}
		}
		return true, nil
	}, drawn(anySource), drawn(level))
}

// No float64 makes a correction panic or put out anything but a probability or an
// error.
func TestNoInputBreaksACorrection(t *testing.T) {
	float := func(r *rand.Rand) float64 {
		switch r.IntN(5) {
		case 0:
			return math.Float64frombits(r.Uint64())
		case 1:
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, 5e-324, math.MaxFloat64, -5e-324,
				-math.MaxFloat64}[r.IntN(9)]
		}
		return pick(r, 1e-20, 1e20)
	}
	minus := func(r *rand.Rand) float64 { return -math.Abs(float(r)) }
	step := func(r *rand.Rand) maxinfo.Step {
		return []maxinfo.Step{
			maxinfo.PureDP{Epsilon: float(r)},
			maxinfo.ApproxDP{Epsilon: float(r), LnDelta: theory.LogProb(minus(r))},
			maxinfo.GDP{Mu: float(r)},
			maxinfo.Gaussian{Queries: int64(float(r)), SD: float(r)},
			maxinfo.OneOfNats(theory.Nats(float(r))),
			maxinfo.MutualInformation{Nats: theory.Nats(float(r))},
			maxinfo.MaxInformation{Nats: theory.Nats(float(r)), Slack: theory.LogProb(minus(r)), Always: r.IntN(2) == 0},
			maxinfo.ZCDP{Rho: float(r)},
			maxinfo.RDP{Points: []theory.RenyiPoint{{Order: float(r), Epsilon: float(r)}, {Order: 8, Epsilon: 0.1}}},
			maxinfo.Gates{Looks: int64(float(r)), Passes: int64(1 + 3*r.Float64())},
		}[r.IntN(10)]
	}
	r := rand.New(rand.NewPCG(71, 72))
	ran := map[string]int{}
	for range 20_000 {
		p := maxinfo.Plan{Samples: int64(pick(r, 1, 1<<53)), Data: maxinfo.Data(r.IntN(2)), Steps: []maxinfo.Step{step(r)}}
		if r.IntN(4) == 0 {
			p.Steps = append(p.Steps, step(r))
		}
		all, err := Corrections(p)
		if err != nil {
			continue
		}
		for _, c := range all {
			x := theory.LogProb(minus(r))
			if r.IntN(20) == 0 {
				x = theory.LogProb(float(r))
			}
			gamma, noThreshold := c.Threshold(x)
			adjusted, noAdjusted := c.Adjusted(x)
			if c.Needs != nil && (noThreshold == nil || noAdjusted == nil) {
				t.Fatalf("%+v: %s does not apply and answers %v, %v", p, c.Name, gamma, adjusted)
			}
			if noThreshold == nil && !(x.IsInterior() && gamma <= x) {
				t.Fatalf("%+v: %s: gamma(%g) = %g", p, c.Name, x.Ln(), gamma.Ln())
			}
			if noAdjusted == nil && !(x.IsValid() && adjusted >= x && adjusted <= 0) {
				t.Fatalf("%+v: %s: adjusted(%g) = %g", p, c.Name, x.Ln(), adjusted.Ln())
			}
			if c.Needs == nil && ((noThreshold != nil) == x.IsInterior() || (noAdjusted != nil) == x.IsValid()) {
				t.Fatalf("%+v: %s at %g: %v, %v", p, c.Name, x.Ln(), noThreshold, noAdjusted)
			}
			ran[c.Name]++
		}
	}
	for _, name := range []string{"max-info-any", "max-info-dwork15", "renyi", "kl", "rogers16", "russo-zou16",
		"max-info", "bonferroni", "group", "approx-dp", "gates", composed} {
		if ran[name] < 50 {
			t.Errorf("%s ran %d times", name, ran[name])
		}
	}
}

// steps draws one to four private steps of any kind and maybe others, with parameters so different
// that one of them may outweigh the rest.
func steps(r *rand.Rand) maxinfo.Plan {
	n := int64(pick(r, 1, 1e9))
	root := math.Sqrt(float64(n))
	p := maxinfo.Plan{Samples: n, Data: maxinfo.Data(min(r.IntN(4), 1))}
	for range 2 + r.IntN(3) {
		kinds := 4
		if r.IntN(3) == 0 { // looks with Gaussian noise alone
			kinds = 1
		}
		var s maxinfo.Step
		switch r.IntN(kinds) {
		case 0:
			queries := int64(pick(r, 1, 1e4))
			s = maxinfo.Gaussian{Queries: queries, SD: math.Sqrt(float64(queries)) / root / pick(r, 1e-3, 30)}
		case 1:
			s = maxinfo.PureDP{Epsilon: pick(r, 1e-4, 10) / root}
		case 2:
			s = maxinfo.GDP{Mu: pick(r, 1e-4, 10) / root}
		case 3:
			// The defect n delta (1+e^-epsilon) falls with epsilon, so a larger epsilon may do
			// better where the defect is nearly alpha: here it is not.
			s = maxinfo.ApproxDP{Epsilon: pick(r, 1e-4, 10) / root, LnDelta: theory.LogProb(-pick(r, 2e4, 1e5))}
		}
		p.Steps = append(p.Steps, s)
	}
	if r.IntN(2) == 0 {
		p.Steps = append(p.Steps, maxinfo.OneOfNats(theory.Nats(pick(r, 1e-3, 10))))
	}
	if r.IntN(2) == 0 {
		p.Steps = append(p.Steps, maxinfo.MaxInformation{Nats: theory.Nats(pick(r, 1e-3, 10)), Slack: -50, Always: true})
	}
	return p
}

// One more step, wherever it stands, does not raise the best threshold. (A single row may rise: it is named by a
// theorem, and the step may be one that lets another serve the rest.)
func TestAnotherStepNeverHelps(t *testing.T) {
	lawtest.Check(t, 20152, 2000, func(p maxinfo.Plan, alpha theory.LogProb, seed uint64) (bool, error) {
		r := rand.New(rand.NewPCG(seed, 2))
		r.Shuffle(len(p.Steps), func(i, j int) { p.Steps[i], p.Steps[j] = p.Steps[j], p.Steps[i] })
		most := theory.Zero
		for _, c := range usable(p) {
			most = max(most, must(c.Threshold(alpha)))
		}
		for i := range p.Steps {
			if i > 0 && i+1 < len(p.Steps) && reflect.TypeOf(p.Steps[i-1]) == reflect.TypeOf(p.Steps[i+1]) {
				continue // these would count as one, and two theorems could no longer serve them
			}
			fewer := p
			fewer.Steps = slices.Delete(slices.Clone(p.Steps), i, i+1)
			best := theory.Zero
			for _, c := range usable(fewer) {
				best = max(best, must(c.Threshold(alpha)))
			}
			if slack(most) > best {
				return false, fmt.Errorf("%v: the best ln gamma(%g) is %g, and %g without step %d",
					p, alpha.Ln(), most.Ln(), best.Ln(), i+1)
			}
		}
		return true, nil
	}, drawn(steps), drawn(level), drawn(func(r *rand.Rand) uint64 { return r.Uint64() }))
}
