package pvalue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// The oracle writes each rule once more, from its statement, in decimal arithmetic.
type dec = decimals.Number

var (
	digits = decimals.Digits(50)
	number = digits.Float
)

// ln1p returns ln(1+a), with 30 digits where 1+a would lose more.
func ln1p(a dec) dec {
	if f, _ := a.Float64(); math.Abs(f) < 1e-15 {
		square := a.Squared()
		return a.Minus(square.Over(number(2))).Plus(square.Times(a).Over(number(3)))
	}
	return number(1).Plus(a).Ln()
}

// pick returns an end of [lo, hi], one next to it, or a number whose logarithm is uniform.
func pick(r *rand.Rand, lo, hi float64) float64 {
	return lawtest.Between(r, lo, hi)
}

// level returns a probability between 1e-4343 and 1-1e-10.
func level(r *rand.Rand) theory.LogProb {
	if r.IntN(2) == 0 {
		return theory.LogProb(-pick(r, 0.1, 30))
	}
	return theory.LogProb(-pick(r, 1e-10, 1e4))
}

// bounds fails unless got is on the safe side of want, and within tolerance (1+|want|).
// The oracle has 60 digits.
func (side side) bounds(t *testing.T, what string, got float64, want dec, tolerance float64) {
	t.Helper()
	slack := want.Minus(number(got)).Times(number(float64(side))).Float()
	if !(slack >= 0 && slack <= tolerance*(1+math.Abs(want.Float()))) {
		t.Errorf("%s: %.17g, want %.20g (%.3g to the safe side)", what, got, want, slack)
	}
}

type side float64

const (
	below side = 1
	above side = -1
)

// both returns ln Threshold(alpha) and ln Adjusted(p).
func both(t *testing.T, c Correction, alpha, p theory.LogProb) (gamma, adjusted float64) {
	t.Helper()
	return threshold(t, c, alpha).Ln(), adjust(t, c, p).Ln()
}

func threshold(t *testing.T, c Correction, alpha theory.LogProb) theory.LogProb {
	t.Helper()
	gamma, err := c.Threshold(alpha)
	if err != nil {
		t.Fatal(err)
	}
	return gamma
}

func adjust(t *testing.T, c Correction, p theory.LogProb) theory.LogProb {
	t.Helper()
	alpha, err := c.Adjusted(p)
	if err != nil {
		t.Fatal(err)
	}
	return alpha
}

// ln gamma = -(sqrt(ln(1/(alpha-d))) + sqrt(rho))^2 and its inverse, for pure privacy
// with rho = n epsilon^2/8, and for (epsilon, delta) with rho = n epsilon
// tanh(epsilon/2), d = n delta (1+e^-epsilon).
func TestRenyiAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	sqr := func(x dec) dec { return x.Times(x) }
	for trial := range 250 {
		n := int64(pick(r, 1, 1e15))
		epsilon := pick(r, 1e-6, 1e3) / math.Sqrt(float64(n))
		alpha, p := level(r), level(r)
		rho := number(float64(n)).Times(sqr(number(epsilon))).Over(number(8))
		d := number(0)
		step, name := maxinfo.Step(maxinfo.PureDP{Epsilon: epsilon}), "renyi"
		if trial%2 == 0 {
			lnDelta := alpha.Ln() - math.Log(float64(n)) - pick(r, 1e-3, 100)
			step, name = maxinfo.ApproxDP{Epsilon: epsilon, LnDelta: theory.LogProb(lnDelta)}, "approx-dp"
			e := number(epsilon).Exp()
			tanh := e.Minus(number(1)).Over(e.Plus(number(1)))
			rho = number(float64(n)).Times(number(epsilon)).Times(tanh)
			d = number(float64(n)).Times(number(lnDelta).Exp()).Times(number(1).Plus(number(1).Over(e)))
		}
		c := corrected(t, maxinfo.Plan{Samples: n, Data: maxinfo.ProductData, Steps: []maxinfo.Step{step}}, name)
		gamma, adjusted := both(t, c, alpha, p)
		what := fmt.Sprintf("%v, n = %d, ln alpha = %g, ln p = %g", step, n, alpha.Ln(), p.Ln())
		if rest := number(alpha.Ln()).Exp().Minus(d); rest.Sign() > 0 {
			want := sqr(number(0).Minus(rest.Ln()).Root().Plus(rho.Root()))
			// The difference alpha-d may have lost digits to the rounding of the two.
			lost := number(alpha.Ln()).Exp().Over(rest).Float()
			below.bounds(t, what+": threshold", gamma, number(0).Minus(want), 1e-12*math.Max(1, lost))
		} else if gamma != math.Inf(-1) {
			t.Errorf("%s: ln gamma = %g with the defect above alpha", what, gamma)
		}
		rest := number(-p.Ln()).Root().Minus(rho.Root())
		want := number(1)
		if rest.Sign() > 0 {
			want = number(0).Minus(sqr(rest)).Exp()
		}
		if want = want.Plus(d); want.Less(number(1)) {
			// In rest^2 the relative error of the roots counts by their size.
			size := math.Sqrt(-p.Ln()) / math.Max(rest.Float(), 1e-300)
			above.bounds(t, what+": adjusted", adjusted, want.Ln(), 1e-12*math.Min(math.Max(1, size), 1+math.Sqrt(-p.Ln())))
		} else if adjusted != 0 {
			t.Errorf("%s: ln adjusted = %g, want 0", what, adjusted)
		}
	}
}

// divergence returns kl(alpha||gamma)/alpha.
func divergence(lnAlpha, lnGamma dec) dec {
	a, g := lnAlpha.Exp(), lnGamma.Exp()
	one := number(1)
	shift := a.Minus(g).Over(one.Minus(g))
	return lnAlpha.Minus(lnGamma).Plus(one.Minus(a).Over(a).Times(ln1p(number(0).Minus(shift))))
}

// kl(alpha||gamma) = I: at the threshold the divergence is I or a little more, and so
// it is at the adjusted value.
func TestMutualInformationAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	for trial := range 320 {
		info := pick(r, 1e-300, 1e6)
		alpha, p := level(r), level(r)
		switch trial % 4 {
		case 0:
			info = alpha.Value() * pick(r, 1e-8, 1e2)
		case 1:
			info = -p.Ln() * r.Float64()
		case 2:
			info = math.Exp(p.Ln()) * pick(r, 1e-8, 1e2)
		}
		c := corrected(t, maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: theory.Nats(info)}}}, "kl")
		gamma, adjusted := both(t, c, alpha, p)
		enough := func(lnAlpha, lnGamma dec) bool { // kl(alpha||gamma) >= I
			return !divergence(lnAlpha, lnGamma).Times(lnAlpha.Exp()).Less(number(info))
		}
		what := fmt.Sprintf("I = %g, ln alpha = %.17g, ln p = %.17g: ln gamma = %.17g, ln adjusted = %.17g", info,
			alpha.Ln(), p.Ln(), gamma, adjusted)
		if math.IsInf(gamma, -1) {
			if info/alpha.Value() < 1e299 {
				t.Errorf("%s: no threshold", what)
			}
		} else {
			if !enough(number(alpha.Ln()), number(gamma)) {
				t.Errorf("%s: the threshold is too high", what)
			}
			if more := number(gamma + 1e-12*(1-gamma)); more.Less(number(alpha.Ln())) && enough(number(alpha.Ln()), more) {
				t.Errorf("%s: the threshold is too low", what)
			}
		}
		if adjusted < 0 && !enough(number(adjusted), number(p.Ln())) {
			t.Errorf("%s: the adjusted value is too low", what)
		}
		if fewer := number(adjusted - 1e-12*(1-adjusted)); number(p.Ln()).Less(fewer) && enough(fewer, number(p.Ln())) {
			t.Errorf("%s: the adjusted value is too high", what)
		}
	}
}

// gamma = (alpha/2) e^(-(2/alpha)(I + 0.54 ln 2)), min{ e^(-bits/alpha^2)/2, alpha/2 }
// (a little below where the latter fails), and (alpha - b) e^-k.
func TestClosedFormsAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 56))
	two, ln2 := number(2), number(2).Ln()
	for range 200 {
		info := pick(r, 1e-12, 1e6)
		alpha, p := level(r), level(r)
		plan := maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{Nats: theory.Nats(info)}}}
		lnAlpha := number(alpha.Ln())
		published := map[string]func(lnAlpha dec) dec{
			"rogers16": func(lnAlpha dec) dec {
				rate := number(info).Plus(number(0.54).Times(ln2)).Times(two)
				return lnAlpha.Minus(ln2).Minus(rate.Over(lnAlpha.Exp()))
			},
			"russo-zou16": func(lnAlpha dec) dec {
				least := number(0).Minus(number(info).Over(ln2).Over(lnAlpha.Exp()).Over(lnAlpha.Exp()))
				if lnAlpha.Less(least) {
					least = lnAlpha
				}
				return least.Minus(ln2)
			},
		}
		for name, want := range published {
			gamma, adjusted := both(t, corrected(t, plan, name), alpha, p)
			what := fmt.Sprintf("%s, I = %g, ln alpha = %g, ln p = %g", name, info, alpha.Ln(), p.Ln())
			exact := want(lnAlpha)
			if exact.Less(number(-1e300)) {
				if gamma > -1e299 {
					t.Errorf("%s: ln gamma = %g", what, gamma)
				}
			} else if name == "rogers16" || !(alpha.Value() > 0.19 && alpha.Value() < 0.38) {
				below.bounds(t, what+": threshold", gamma, exact, 1e-12)
			}
			// The adjusted value is the least alpha with gamma(alpha) >= p, up to 1e-12.
			if adjusted < 0 && want(number(adjusted)).Less(number(p.Ln())) {
				t.Errorf("%s: ln adjusted = %.17g is too low", what, adjusted)
			}
			if fewer := adjusted - 1e-12*(1-adjusted); !(adjusted > math.Log(0.19) && adjusted < math.Log(0.38) &&
				name == "russo-zou16") &&
				!want(number(fewer)).Less(number(p.Ln())) {
				t.Errorf("%s: ln adjusted = %.17g is too high", what, adjusted)
			}
		}

		k, slack := pick(r, 1e-3, 1e4), alpha-theory.LogProb(pick(r, 1e-6, 100))
		c := corrected(t, maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MaxInformation{Nats: theory.Nats(k), Slack: slack}}},
			"max-info")
		gamma, adjusted := both(t, c, alpha, p)
		what := fmt.Sprintf("k = %g, ln b = %g, ln alpha = %g, ln p = %g", k, slack.Ln(), alpha.Ln(), p.Ln())
		below.bounds(t, what, gamma, leftOf(alpha.Ln(), slack.Ln()).Ln().Minus(number(k)), 1e-12)
		if want := number(slack.Ln()).Exp().Plus(greatest(p.Ln()).Plus(number(k)).Exp()); want.Less(number(1)) {
			above.bounds(t, what, adjusted, want.Ln(), 1e-12)
		} else if adjusted != 0 {
			t.Errorf("%s: ln adjusted = %g, want 0", what, adjusted)
		}
	}
}

// leftOf is the least alpha - b of any two decimals within three units in the last place of the two logarithms.
func leftOf(lnAlpha, lnSlack float64) dec {
	units := number(3 * 0x1p-52)
	alpha := number(lnAlpha).Times(number(1).Plus(units)).Exp()
	return alpha.Minus(number(lnSlack).Times(number(1).Minus(units)).Exp())
}

// greatest is ln of the greatest decimal within three units in the last place of a logarithm: a price that is nearly
// -ln p leaves no more than these of it.
func greatest(ln float64) dec { return number(ln).Times(number(1).Minus(number(3 * 0x1p-52))) }

// Steps that take a factor, and a slack that is taken once, leave (alpha-b) e^(-k)/N, in any order.
func TestLaterStepsAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(57, 58))
	for trial := range 120 {
		n, epsilon, k, outcomes := int64(pick(r, 1, 1e6)), pick(r, 1e-4, 1), pick(r, 1e-3, 100), pick(r, 1, 1e6)
		alpha, p := level(r), level(r)
		slack := alpha - theory.LogProb(pick(r, 1e-6, 100))
		steps := []maxinfo.Step{
			maxinfo.MutualInformation{Nats: 0},
			maxinfo.OneOfNats(theory.Nats(math.Log(outcomes))),
			maxinfo.MaxInformation{Nats: theory.Nats(k), Slack: slack, Always: true},
			maxinfo.PureDP{Epsilon: epsilon},
		}
		if trial%2 == 0 {
			steps[0] = maxinfo.OneOf(1)
		}
		r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		c := corrected(t, maxinfo.Plan{Samples: n, Steps: steps}, "max-info-any")
		if c.Proof != theory.Derived {
			t.Errorf("a chain is %s", c.Proof)
		}
		gamma, adjusted := both(t, c, alpha, p)
		what := fmt.Sprintf("%v, n = %d, ln alpha = %g, ln p = %g", steps, n, alpha.Ln(), p.Ln())
		price := number(k).Plus(number(math.Log(outcomes))).Plus(number(float64(n)).Times(number(epsilon)))
		b := number(slack.Ln()).Exp()
		below.bounds(t, what, gamma, leftOf(alpha.Ln(), slack.Ln()).Ln().Minus(price), 1e-12)
		if want := b.Plus(greatest(p.Ln()).Plus(price).Exp()); want.Less(number(1)) {
			above.bounds(t, what, adjusted, want.Ln(), 1e-12)
		} else if adjusted != 0 {
			t.Errorf("%s: ln adjusted = %g, want 0", what, adjusted)
		}
	}
}
