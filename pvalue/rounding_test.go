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
		left := number(alpha.Ln()).Exp()
		if later.Slack != theory.Zero {
			b = number(later.Slack.Ln()).Exp()
			left = leftOf(alpha.Ln(), later.Slack.Ln())
		}
		below.bounds(t, what+": threshold", gamma, left.Ln().Minus(price), 1e-13)
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

// Where a slack is next to alpha the threshold is at most alpha - b for the decimals themselves, which float64 of
// their logarithms may not tell apart, and p is rejected if and only if its adjusted value is at most alpha.
func TestSlackNextToAlpha(t *testing.T) {
	r := rand.New(rand.NewPCG(107, 108))
	left := 0
	for range 400 {
		places := 1 + r.IntN(17) // of alpha
		whole := 1 + r.Int64N(int64(math.Pow(10, float64(places)))-1)
		extra := r.IntN(18 - places) // and as many more of the slack
		short := whole*int64(math.Pow(10, float64(extra))) - 1 - r.Int64N(1+r.Int64N(20))
		tiny := r.IntN(3) * r.IntN(200)
		if short <= 0 {
			continue
		}
		alphaText, slackText := fmt.Sprintf("%de-%d", whole, places+tiny), fmt.Sprintf("%de-%d", short, places+extra+tiny)
		alpha, slack := prob(t, alphaText), prob(t, slackText)
		rest := digits.Parse(alphaText).Minus(digits.Parse(slackText))
		for _, steps := range [][]maxinfo.Step{
			{maxinfo.MaxInformation{Slack: slack}},
			{maxinfo.OneOf(1), maxinfo.MaxInformation{Slack: slack, Always: true}},
			{maxinfo.MutualInformation{Nats: 0}, maxinfo.MaxInformation{Slack: slack, Always: true}},
			{maxinfo.ApproxDP{Epsilon: 1e-9, LnDelta: slack}}, // leaves less than alpha - delta
		} {
			for _, c := range usable(maxinfo.Plan{Samples: 1, Data: maxinfo.ProductData, Steps: steps}) {
				test, err := c.At(alpha)
				if err != nil {
					t.Fatal(err)
				}
				if test.Status != theory.OK {
					continue
				}
				left++
				if gamma := number(test.Threshold.Ln()).Exp(); rest.Less(gamma) {
					t.Errorf("%v at alpha %s, %s: threshold %v, alpha less the slack is %v", steps, alphaText, c.Name,
						test.Threshold, rest)
				}
				if _, err := equivalent(test); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if left < 300 {
		t.Errorf("%d thresholds", left)
	}
	alpha, slack := prob(t, "0.2"), prob(t, "0.19999999999999998")
	plan := maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MaxInformation{Slack: slack}}}
	test, err := corrected(t, plan, "max-info").At(alpha)
	if err != nil || test.Threshold > prob(t, "2e-17") {
		t.Errorf("%+v, %v", test, err)
	}
}

// An adjusted value is not below e^k p + b where p is nearly e^-k, and the last places of the two are all there is.
func TestAdjustedNextToTheTop(t *testing.T) {
	r := rand.New(rand.NewPCG(109, 110))
	for range 1000 {
		power := 1 + r.Int64N(5000)
		text := fmt.Sprintf("%de-%d", 1+r.Int64N(1e15), power+15)
		p := prob(t, text)
		nats := theory.Nats(-p.Ln() - pick(r, 1e-13, 1))
		if nats < 0 {
			continue
		}
		steps := []maxinfo.Step{maxinfo.MaxInformation{Nats: nats, Slack: theory.Zero}}
		c := corrected(t, maxinfo.Plan{Steps: steps}, "max-info")
		got := number(adjust(t, c, p).Ln())
		if want := digits.Parse(text).Ln().Plus(number(float64(nats))); got.Less(want) && got.Less(number(0)) {
			t.Errorf("p = %s, %v nats: ln adjusted %v, want %v", text, float64(nats), got, want)
		}
	}
}
