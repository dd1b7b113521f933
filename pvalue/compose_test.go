package pvalue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// steps10k is a plan on 10,000 independent records.
func steps10k(steps ...maxinfo.Step) maxinfo.Plan {
	return maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData, Steps: steps}
}

func outcomes(n float64) maxinfo.Step { return maxinfo.Description{Outcomes: theory.Nats(math.Log(n))} }

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
		if digits := fmt.Sprintf("%.4g", got); best.Correction.Name != c.method || math.Abs(got-c.want) > 5e-6*c.want && digits != fmt.Sprintf("%.4g", c.want) {
			t.Errorf("%v: %s %.9g, want %s %g", c.steps, best.Correction.Name, got, c.method, c.want)
		}
	}
}

var _ = rand.New
