package pvalue

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// quantityOf returns a quantity of a plan by its name.
func quantityOf(t testing.TB, p maxinfo.Plan, name string) maxinfo.Quantity {
	t.Helper()
	all, err := p.Quantities()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(q maxinfo.Quantity) bool { return q.Name == name })
	if i < 0 {
		t.Fatalf("%v has no %s", p.Steps, name)
	}
	return all[i]
}

// Every quantity of every kind of step: at the value found the threshold is enough, a little further it is not,
// and the test that comes with it says so.
func TestEveryQuantityIsFound(t *testing.T) {
	for _, target := range []string{"0.01", "1e-9"} {
		for _, k := range maxinfo.Kinds() {
			plan := steps10k(k.Example)
			all, err := plan.Quantities()
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range all {
				goal := Goal{prob(t, "0.05"), prob(t, target), q}
				answers, best, err := goal.Solve()
				if err != nil {
					t.Fatalf("%s, %s: %v", k.Name, q.Name, err)
				}
				if best < 0 {
					// The other parameters of the example leave nothing: delta, the noise, or no quantity at all.
					if !slices.Contains([]string{"delta", "queries", "samples", "passes"}, q.Name) {
						t.Errorf("%s, %s for %s: no answer", k.Name, q.Name, target)
					}
					continue
				}
				for _, a := range answers {
					if a.Status != theory.OK {
						continue
					}
					again, ok := goal.at(a.Name, a.Value)
					if !ok || a.Test.Threshold < goal.Threshold || again.Threshold != a.Test.Threshold {
						t.Errorf("%s, %s = %g by %s: threshold %v, want %v", k.Name, q.Name, a.Value, a.Name, a.Test.Threshold,
							goal.Threshold)
					}
					if a.All {
						continue
					}
					beyond := a.Value * (1 + 1e-5)
					switch {
					case q.Whole && q.Raises:
						beyond = a.Value - 1
					case q.Whole:
						beyond = a.Value + 1
					case q.Raises != q.Ln:
						beyond = a.Value * (1 - 1e-5)
					}
					if beyond > q.Most || beyond < q.Least {
						continue
					}
					if _, ok := goal.at(a.Name, beyond); ok {
						t.Errorf("%s, %s = %g by %s: %g does too", k.Name, q.Name, a.Value, a.Name, beyond)
					}
				}
			}
		}
	}
}

// Closed forms: renyi backwards, alpha over outcomes, and the looks of a gate with one pass.
func TestUnknownsInClosedForm(t *testing.T) {
	alpha, target := prob(t, "0.05"), prob(t, "0.01")
	root := math.Sqrt(-target.Ln()) - math.Sqrt(-alpha.Ln())
	for _, c := range []struct {
		plan     maxinfo.Plan
		quantity string
		want     float64
	}{
		{steps10k(maxinfo.PureDP{Epsilon: 1}), "epsilon", math.Sqrt(8./10_000) * root},
		{steps10k(maxinfo.PureDP{Epsilon: 0.005}), "samples", math.Floor(8 * root * root / 0.005 / 0.005)},
		{maxinfo.Plan{Steps: []maxinfo.Step{outcomes(1)}}, "outcomes", 4}, // 5 would leave 0.05/5, rounded down
		{maxinfo.Plan{Steps: []maxinfo.Step{outcomes(1)}}, "bits", math.Log2(5)},
		{maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.Gates{Looks: 9, Passes: 1}}}, "looks", 4},
		{maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.Gates{Looks: 1, Passes: 1}}}, "looks", 3}, // as many passes: 2^(m-1) <= 5
	} {
		answers, best, err := Goal{alpha, target, quantityOf(t, c.plan, c.quantity)}.Solve()
		if err != nil || best < 0 {
			t.Fatal(err, answers)
		}
		if got := answers[best].Value; !(math.Abs(got-c.want) <= 1e-9*c.want) {
			t.Errorf("%v, %s: %.12g, want %.12g", c.plan.Steps, c.quantity, got, c.want)
		}
	}
}

// What has no answer says so, each in its own way.
func TestGoalsWithoutAnAnswer(t *testing.T) {
	plan := steps10k(maxinfo.PureDP{Epsilon: 1})
	epsilon := quantityOf(t, plan, "epsilon")
	answers, best, err := Goal{prob(t, "0.01"), prob(t, "0.05"), epsilon}.Solve()
	if err != nil || best >= 0 || answers[0].Status != theory.Infeasible ||
		answers[0].Reason != "no epsilon leaves a threshold of 0.05 at alpha 0.01" {
		t.Errorf("a threshold above alpha: %+v, %d, %v", answers, best, err)
	}
	plan.Data = maxinfo.AnyData
	answers, best, err = Goal{prob(t, "0.05"), prob(t, "0.01"), quantityOf(t, plan, "epsilon")}.Solve()
	if err != nil || best != 0 || answers[2].Status != theory.NotApplicable {
		t.Errorf("any data: %+v, %d, %v", answers, best, err)
	}
	for _, g := range []Goal{
		{Alpha: 0, Threshold: -3, Quantity: epsilon}, {Alpha: -3, Threshold: theory.Zero, Quantity: epsilon},
		{Alpha: -3, Threshold: -4},
	} {
		if _, _, err := g.Solve(); !errors.As(err, new(*theory.DomainError)) {
			t.Errorf("%+v: %v", g, err)
		}
	}
	mixed := steps10k(maxinfo.PureDP{Epsilon: 0.01}, maxinfo.Gaussian{Queries: 10, SD: 0.1})
	all, err := mixed.Quantities()
	if err != nil || slices.ContainsFunc(all, func(q maxinfo.Quantity) bool { return q.Name == "samples" }) {
		t.Errorf("the threshold rises and falls with the number of rows: %v, %v", all, err)
	}
}
