package pvalue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// steps10k is a plan on 10,000 independent records.
func steps10k(steps ...maxinfo.Step) maxinfo.Plan {
	return maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData, Steps: steps}
}

func outcomes(n float64) maxinfo.Step { return maxinfo.OneOfNats(theory.Nats(math.Log(n))) }

func tested(t testing.TB, p maxinfo.Plan, alpha string) []Test {
	t.Helper()
	tests, err := Tests(p, prob(t, alpha))
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// The thresholds of plans whose steps stand in whatever order, at alpha = 0.05 and n = 10,000: the first step's
// correction is applied to alpha first.
func TestStepsInAnyOrder(t *testing.T) {
	pure, gdp := maxinfo.PureDP{Epsilon: 0.005}, maxinfo.GDP{Mu: 0.001}
	bit := maxinfo.MutualInformation{Nats: theory.Nats(0.1 * math.Ln2)}
	approx := maxinfo.ApproxDP{Epsilon: 0.005, LnDelta: prob(t, "1e-7")}
	leaky := maxinfo.MaxInformation{Nats: math.Ln2, Slack: prob(t, "0.01")}
	for _, c := range []struct {
		steps  []maxinfo.Step
		method string
		want   float64
	}{
		{[]maxinfo.Step{outcomes(10), pure}, "renyi", 0.00214765},
		{[]maxinfo.Step{pure, outcomes(10)}, "renyi", 0.00262807},
		{[]maxinfo.Step{outcomes(10), gdp}, "approx-dp", 0.00124811},
		{[]maxinfo.Step{bit, outcomes(20)}, "kl", 2.60449e-4},
		{[]maxinfo.Step{approx, outcomes(50)}, "approx-dp", 2.47132e-4},
		{[]maxinfo.Step{leaky, outcomes(10)}, "max-info", 0.002},
		{[]maxinfo.Step{pure, maxinfo.Gaussian{Queries: 10, SD: 0.05}}, "renyi", 0.01089},
	} {
		tests := tested(t, steps10k(c.steps...), "0.05")
		best := tests[Best(tests)]
		got := best.Threshold.Value()
		if digits := fmt.Sprintf("%.4g", got); best.Correction.Name != c.method || math.Abs(got-c.want) > 5e-6*c.want &&
			digits != fmt.Sprintf("%.4g", c.want) {
			t.Errorf("%v: %s %.9g, want %s %g", c.steps, best.Correction.Name, got, c.method, c.want)
		}
	}
}

// named returns the test of a name.
func named(t testing.TB, tests []Test, name string) Test {
	t.Helper()
	for _, test := range tests {
		if test.Correction.Name == name {
			return test
		}
	}
	t.Fatalf("no test %s", name)
	return Test{}
}

// The slack of a later step that holds for every law of the data is taken once, from alpha, where that leaves
// more; the slack of a bound for this sample's law alone stands where the step does.
func TestSlackIsChargedOnce(t *testing.T) {
	for _, c := range []struct {
		always bool
		want   float64
	}{{true, (0.05 - 0.001) / 100 / 2}, {false, 0}} {
		leaky := maxinfo.MaxInformation{Nats: math.Ln2, Slack: prob(t, "0.001"), Always: c.always}
		test := tested(t, steps10k(outcomes(100), leaky), "0.05")[0]
		if got := test.Threshold.Value(); math.Abs(got-c.want) > 1e-12*c.want || (test.Status == theory.OK) != c.always {
			t.Errorf("always %v: %g, %s, want %g", c.always, got, test.Status, c.want)
		}
		if want := "step 2, max-info:bits=1,slack=0.001, leaves no threshold above zero at 0.0005, which is what the steps before it leave"; !c.always && test.Reason != want {
			t.Errorf("%q, want %q", test.Reason, want)
		}
	}
	// Where a step before keeps its slack, the sum is the same; where it stretches alpha, not taking it at once is better.
	near := tested(t, steps10k(maxinfo.GDP{Mu: 0.0001},
		maxinfo.MaxInformation{Nats: 1e-9, Slack: prob(t, "0.001"), Always: true}), "0.999")
	alone := tested(t, steps10k(maxinfo.GDP{Mu: 0.0001}), "0.999")
	for _, test := range near {
		first := named(t, alone, test.Correction.Name)
		if want := first.Threshold.Value() - 0.001; test.Status == theory.OK && test.Threshold.Value() < want*(1-1e-6) {
			t.Errorf("%s: %g, want at least %g", test.Correction.Name, test.Threshold.Value(), want)
		}
	}
}

// Neighbouring private steps leave at least what they leave as one step, and what they leave one by one.
func TestMergedOrIterated(t *testing.T) {
	alpha := prob(t, "0.05")
	gaussian := func(m int64, sd float64) maxinfo.Step { return maxinfo.Gaussian{Queries: m, SD: sd} }
	merged, iterated := 0, 0
	for _, steps := range [][]maxinfo.Step{
		{maxinfo.PureDP{Epsilon: 0.005}, gaussian(10, 0.05)},
		{maxinfo.GDP{Mu: 0.0005}, maxinfo.ApproxDP{Epsilon: 0.001, LnDelta: -30}},
		{gaussian(1, 0.01), gaussian(1000, 1)},
		{maxinfo.ZCDP{Rho: 1e-7}, maxinfo.GDP{Mu: 0.0005}},
		{maxinfo.ZCDP{Rho: 1e-7}, maxinfo.ZCDP{Rho: 3e-7}},
		{maxinfo.PureDP{Epsilon: 0.001}, maxinfo.PureDP{Epsilon: 0.002}, gaussian(5, 0.1)},
		{maxinfo.GDP{Mu: 0.0005}, maxinfo.GDP{Mu: 0.0005}, maxinfo.PureDP{Epsilon: 0.001}},
	} {
		all := tested(t, steps10k(steps...), "0.05")
		got := all[Best(all)].Threshold
		one := steps10k(steps...)
		chain, err := one.Chain()
		if err != nil {
			t.Fatal(err)
		}
		whole := math.Inf(-1)
		for _, m := range chain.Methods {
			if m.Limit != nil {
				whole = max(whole, ruleFor(m.Limit).threshold(alpha.Ln()))
			}
		}
		each := alpha
		for _, s := range steps {
			part := theory.Zero
			for _, c := range usable(steps10k(s)) {
				part = max(part, must(c.Threshold(each)))
			}
			each = part
		}
		if got.Ln() < max(whole, each.Ln())-1e-9 {
			t.Errorf("%v: ln gamma = %.12g, %.12g as one, %.12g one by one", steps, got.Ln(), whole, each.Ln())
		}
		if whole < each.Ln()-1e-6 {
			iterated++
		} else if whole > each.Ln()+1e-6 {
			merged++
		}
	}
	if merged == 0 || iterated == 0 {
		t.Errorf("%d times better as one, %d times one by one", merged, iterated)
	}
}

// Steps of one kind always count as one. That leaves no less than one by one, by each theorem but for the
// published max-info-dwork15, to which renyi is preferred, and for group, whose delta grows with the whole epsilon.
func TestOneKindCountsAsOne(t *testing.T) {
	r := rand.New(rand.NewPCG(301, 302))
	const n = 10_000
	root := math.Sqrt(n)
	for range 400 {
		x, y := pick(r, 1e-4, 3)/root, pick(r, 1e-4, 3)/root
		alpha := theory.LogProb(-pick(r, 1, 50))
		for _, pair := range [][2]maxinfo.Step{
			{maxinfo.PureDP{Epsilon: x}, maxinfo.PureDP{Epsilon: y}},
			{maxinfo.ApproxDP{Epsilon: x, LnDelta: -200}, maxinfo.ApproxDP{Epsilon: y, LnDelta: -210}},
			{maxinfo.GDP{Mu: x}, maxinfo.GDP{Mu: y}},
			{maxinfo.ZCDP{Rho: x * x}, maxinfo.ZCDP{Rho: y * y}},
		} {
			for _, c := range usable(steps10k(pair[0], pair[1])) {
				if c.Name == "max-info-dwork15" || c.Name == "group" {
					continue
				}
				each := alpha
				for _, s := range pair {
					for _, d := range usable(steps10k(s)) {
						if d.Name == c.Name && each > theory.Zero {
							each = must(d.Threshold(each))
							break
						}
					}
				}
				if len(usable(steps10k(pair[0]))) < len(usable(steps10k(pair[0], pair[1]))) && c.Name == "approx-dp" {
					continue // pure steps have it only together
				}
				if got := must(c.Threshold(alpha)); got < slack(each) {
					t.Fatalf("%v at ln alpha %g, %s: %.12g as one, %.12g one by one", pair, alpha.Ln(), c.Name, got.Ln(), each.Ln())
				}
			}
		}
	}
}

// A theorem that does not apply is refused with the step that it fails at, and so is a plan with a step that no
// theorem is left for.
func TestStepsToBlame(t *testing.T) {
	any := maxinfo.Plan{Samples: 1000, Steps: []maxinfo.Step{outcomes(2), maxinfo.PureDP{Epsilon: 0.001}}}
	for _, test := range tested(t, any, "0.05") {
		want := ""
		if test.Correction.Name != "max-info-any" {
			want = "needs independent rows (step 2, pure-dp:epsilon=0.001)"
		}
		if test.Reason != want {
			t.Errorf("%s: %q, want %q", test.Correction.Name, test.Reason, want)
		}
	}
	any.Steps = append(any.Steps, maxinfo.RDP{Points: []theory.RenyiPoint{{Order: 8, Epsilon: 0.01}}})
	for _, test := range tested(t, any, "0.05") {
		if want := "(step 3, rdp:order=8,epsilon=0.01)"; test.Status != theory.NotApplicable ||
			!strings.HasSuffix(test.Reason, want) {
			t.Errorf("%s: %s, %q", test.Correction.Name, test.Status, test.Reason)
		}
	}
	harsh := steps10k(outcomes(10), maxinfo.ApproxDP{Epsilon: 0.001, LnDelta: prob(t, "1e-6")}, outcomes(3))
	if test := named(t, tested(t, harsh, "0.05"), "approx-dp"); test.Status != theory.Vacuous ||
		!strings.HasPrefix(test.Reason, "step 2, approx-dp:") {
		t.Errorf("%s, %q", test.Status, test.Reason)
	}
}
