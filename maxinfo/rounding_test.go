package maxinfo

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// The sum of two probabilities is never below that in decimals, at most 1e-14 above, and
// at most one.
func TestSumUpAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(111, 112))
	for trial := range 300 {
		a := -math.Exp(14*r.Float64() - 5)
		b := a - math.Exp(10*r.Float64()-7)
		if trial%2 == 0 { // a sum just below one
			a = -math.Exp(-9 * r.Float64())
			b = math.Log(-math.Expm1(a)) - math.Exp(-20*r.Float64())
		}
		got := sumUp(theory.LogProb(a), theory.LogProb(b)).Ln()
		if other := sumUp(theory.LogProb(b), theory.LogProb(a)).Ln(); other != got {
			t.Errorf("%g and %g: %.17g, and in the other order %.17g", a, b, got, other)
		}
		ln := exactly(a).Exp().Plus(exactly(b).Exp()).Ln()
		excess, want := exactly(got).Minus(ln).Float(), ln.Float()
		if want >= 0 && got == 0 {
			continue
		}
		if !(excess >= 0 && excess <= 1e-14*(1-want)) || got > 0 {
			t.Errorf("ln(e^%.17g + e^%.17g) = %.17g, %g above the sum", a, b, got, excess)
		}
	}
	if sumUp(theory.Zero, -3) != -3 || sumUp(theory.Zero, theory.Zero) != theory.Zero || sumUp(-0.1, -0.1) != 0 {
		t.Error("zero and one are not exact")
	}
	if lnUp(math.Inf(-1)) != theory.Zero {
		t.Error("zero is moved")
	}
}

// What later steps add up to is never below the sum in 200 bits, and at most 1e-13 above.
func TestLaterRoundsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(113, 114))
	draw := func() float64 { return math.Exp(20*r.Float64() - 10) }
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	for range 500 {
		p := Plan{Samples: 1 + r.Int64N(1e12), Steps: []Step{Description{1}}}
		nats, outcomes := exact(0), exact(0)
		for range 1 + r.IntN(6) {
			x := draw()
			switch r.IntN(3) {
			case 0:
				p.Steps = append(p.Steps, PureDP{Epsilon: x})
				one := exact(x).Mul(exact(x), exact(float64(p.Samples)))
				nats.Add(nats, one)
				if exact(float64(pureAny(p.Samples, x))).Cmp(one) < 0 {
					t.Errorf("%d times %.17g is rounded down", p.Samples, x)
				}
			case 1:
				p.Steps = append(p.Steps, Description{theory.Nats(x)})
				outcomes.Add(outcomes, exact(x))
			case 2:
				p.Steps = append(p.Steps, MaxInformation{Nats: theory.Nats(x), Slack: theory.Zero, Always: true})
				nats.Add(nats, exact(x))
			}
		}
		later := p.later(p.Steps[1:])
		for name, c := range map[string]struct {
			got  theory.Nats
			want *big.Float
		}{"nats": {later.Nats, nats}, "outcomes": {later.Outcomes, outcomes}} {
			over, _ := new(big.Float).Sub(exact(float64(c.got)), c.want).Float64()
			if !(over >= 0 && over <= 1e-13*float64(c.got)) {
				t.Errorf("n = %d, %v: %s %.17g, %g above the sum", p.Samples, p.Steps, name, c.got, over)
			}
		}
	}
}
