package pvalue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// inOrder is the rule of links that follow each other.
func inOrder(rules ...rule) rule {
	g := graph{steps: len(rules)}
	for i, r := range rules {
		g.edges = append(g.edges, edge{from: i, to: i + 1, rule: r})
	}
	return g.rule()
}

// What is charged beside a rule is rounded by itself, whatever the margin of that rule: here it takes nothing
// and has none.
func TestChargesRoundByThemselves(t *testing.T) {
	exact := rule{
		threshold: func(lnAlpha float64) float64 { return lnAlpha },
		worst:     func(lnGamma float64) float64 { return lnGamma },
	}
	r := rand.New(rand.NewPCG(103, 104))
	for range 100 {
		alpha, p := level(r), level(r)
		later := maxinfo.Later{Outcomes: theory.Nats(pick(r, 1e-9, 30)), Slack: theory.Zero}
		if r.IntN(3) > 0 {
			later.Slack = alpha - theory.LogProb(pick(r, 1e-9, 100))
		}
		if r.IntN(3) > 0 {
			later.Nats = theory.Nats(pick(r, 1e-9, 1e4))
		}
		c := Correction{rule: charged(charging{slack: later.Slack.Ln()},
			inOrder(counted(later.Outcomes), exact, counted(later.Nats)))}
		gamma, adjusted := both(t, c, alpha, p)
		what := fmt.Sprintf("%+v, ln alpha = %.17g, ln p = %.17g", later, alpha.Ln(), p.Ln())
		price, b := number(float64(later.Nats)).Plus(number(float64(later.Outcomes))), number(0)
		if later.Slack != theory.Zero {
			b = number(later.Slack.Ln()).Exp()
		}
		below.bounds(t, what+": threshold", gamma, number(alpha.Ln()).Exp().Minus(b).Ln().Minus(price), 1e-13)
		if want := b.Plus(number(p.Ln()).Plus(price).Exp()); want.Less(number(1)) {
			above.bounds(t, what+": adjusted", adjusted, want.Ln(), 1e-13)
		} else if adjusted != 0 {
			t.Errorf("%s: ln adjusted = %g, want 0", what, adjusted)
		}
	}
}

// down and upwards move a logarithm by 2^-46 of its size and 2^-46, as far as float64
// can tell.
func TestMarginOfRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(105, 106))
	for range 1000 {
		x := -pick(r, 1e-30, 1e30)
		if r.IntN(10) == 0 {
			x = 0
		}
		margin := 0x1p-46 * (1 + math.Abs(x))
		for _, moved := range []float64{x - down(x), upwards(x) - x} {
			if !(moved >= 0.98*margin && moved <= 1.02*margin) {
				t.Errorf("%g is moved by %g, want %g", x, moved, margin)
			}
		}
	}
	if !math.IsInf(down(math.Inf(-1)), -1) || !math.IsInf(upwards(math.Inf(-1)), -1) {
		t.Error("zero is moved")
	}
}
