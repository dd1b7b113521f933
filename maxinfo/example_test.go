package maxinfo_test

import (
	"errors"
	"fmt"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// An analyst gets a private answer computed from 1000 independent rows, then one out of 100
// possible answers. How much more likely can an event have become?
func ExamplePlan() {
	plan := maxinfo.Plan{Samples: 1000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{
		maxinfo.PureDP{Epsilon: 0.01},
		maxinfo.OneOf(100),
	}}
	slack, _ := theory.Prob(0.01)
	answers, best, err := plan.Answers(slack)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, a := range answers {
		mark := "-"
		if i == best {
			mark = "*"
		}
		if a.Status == theory.OK {
			fmt.Printf("%s %s: %.3f bits\n", mark, a.Name, a.Bound.Bits())
		} else {
			fmt.Printf("%s %s: %s, %s\n", mark, a.Name, a.Status, a.Reason)
		}
	}
	// Output:
	// - max-info-any: 27.715 bits
	// - max-info-dwork15: 14.360 bits
	// * renyi: 13.998 bits
	// - kl: 16.356 bits
}

// A step whose bound needs independent rows may stand first only.
func ExamplePlan_Validate() {
	plan := maxinfo.Plan{Samples: 1000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{
		maxinfo.OneOf(100),
		maxinfo.GDP{Mu: 0.01},
	}}
	var order *maxinfo.OrderError
	if errors.As(plan.Validate(), &order) {
		fmt.Println("step", order.Step, "has to stand first:", order.Valid)
	}
	// Output:
	// step 2 has to stand first: [gdp:mu=0.01 description:outcomes=100]
}

// The kinds of steps, in printing order.
func ExampleKinds() {
	for _, k := range maxinfo.Kinds() {
		fmt.Printf("%s: %s\n", k.Name, k.Summary)
	}
	// Output:
	// pure-dp: an answer of pure differential privacy
	// approx-dp: an answer of (epsilon, delta)-differential privacy
	// gdp: an answer of Gaussian differential privacy
	// zcdp: an answer of zero-concentrated differential privacy
	// rdp: an answer of Renyi differential privacy
	// gaussian: linear queries, answered with Gaussian noise
	// description: one answer out of a number of possible ones
	// gates: the verdicts of tests behind a gate
	// mutual-info: an answer of known mutual information with the sample
	// max-info: an answer of known max-information
}

// The methods for a first step, and the values of a table.
func ExampleArticles() {
	methods, err := maxinfo.Articles()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range append(methods, maxinfo.JointArticles()...) {
		fmt.Printf("%s: %s\n", a.Name, a.Summary)
	}
	// Output:
	// max-info-any: pure differential privacy, any law of the rows
	// max-info-dwork15: pure differential privacy, independent rows: the published bound
	// renyi: pure differential privacy or Gaussian noise, independent rows: the sharp bound
	// kl: mutual information between sample and answers: the exact bound
	// approx-dp: (epsilon, delta)-differential privacy, GDP, zCDP or RDP, independent rows
	// group: (epsilon, delta)-differential privacy, GDP or zCDP, any law of the rows
	// description: one answer out of N possible ones, any law of the rows
	// gates: tests behind a gate that shows a verdict only, any law of the rows
	// rogers16: mutual information: the published bound through max-information
	// max-info: max-information of k bits with slack b, known from elsewhere
	// approx-max-info: the max-information of a table with slack, exactly
	// mutual-info: the mutual information of a table, exactly
}
