package pvalue_test

import (
	"fmt"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// A private look after an answer out of ten, on independent rows.
func ExampleTest_Confidence() {
	alpha, _ := theory.Prob(0.05)
	plan := maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{
		maxinfo.OneOf(10), maxinfo.PureDP{Epsilon: 0.005},
	}}
	tests, err := pvalue.Tests(plan, alpha)
	if err != nil {
		fmt.Println(err)
		return
	}
	best := tests[pvalue.Best(tests)]
	level, err := best.Confidence()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: reject if p <= %.6f; use intervals of level %s\n", best.Correction.Name, best.ThresholdFloat(),
		level.Text(4))
	// Output:
	// renyi: reject if p <= 0.002148; use intervals of level 0.997853
}

// How private must the selection be for a threshold of 0.01?
func ExampleGoal() {
	alpha, _ := theory.Prob(0.05)
	target, _ := theory.Prob(0.01)
	plan := maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: 1}}}
	unknowns, err := plan.Quantities()
	if err != nil {
		fmt.Println(err)
		return
	}
	answers, best, err := pvalue.Goal{Alpha: alpha, Threshold: target, Quantity: unknowns[0]}.Solve()
	if err != nil || best < 0 {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s up to %.6f\n", answers[best].Name, unknowns[0].Name, answers[best].Value)
	// Output:
	// renyi: epsilon up to 0.011742
}

// Three tests, each chosen after the verdicts before.
func ExampleSeries() {
	alpha, _ := theory.Prob(0.05)
	run, err := pvalue.Series{Alpha: alpha, Tests: 3, Passes: 3, Spending: pvalue.EqualShares}.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, rejected := range []bool{false, true, false} {
		level, _ := run.Level()
		fmt.Printf("level %.5f, rejected: %v\n", level.Value(), rejected)
		run = run.After(rejected)
	}
	// Output:
	// level 0.01667, rejected: false
	// level 0.01667, rejected: true
	// level 0.01667, rejected: false
}
