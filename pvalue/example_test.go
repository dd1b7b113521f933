package pvalue_test

import (
	"fmt"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// A test was chosen after private answers on 1000 independent rows. Which p-values may reject at
// 0.05?
func ExampleCorrections() {
	plan := maxinfo.Plan{Samples: 1000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: 0.01}}}
	corrections, err := pvalue.Corrections(plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	alpha, _ := theory.ParseLogProb("0.05")
	for _, c := range corrections {
		gamma, err := c.Threshold(alpha)
		if err != nil {
			fmt.Println(c.Name, err)
			continue
		}
		fmt.Printf("%s: p <= %.3g\n", c.Name, gamma.Value())
	}
	// Output:
	// max-info-any: p <= 2.27e-06
	// max-info-dwork15: p <= 0.0254
	// renyi: p <= 0.0335
	// kl: p <= 0.0228
}

// The best correction for one of 20 tests that were written down before, and what it makes of
// p = 0.001.
func ExampleTests() {
	alpha, _ := theory.ParseLogProb("0.05")
	p, _ := theory.ParseLogProb("0.001")
	menu := maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.OneOf(20)}}
	tests, err := pvalue.Tests(menu, alpha)
	if err != nil {
		fmt.Println(err)
		return
	}
	best := pvalue.Best(tests)
	if best < 0 {
		fmt.Println("no correction leaves a threshold")
		return
	}
	test := tests[best]
	adjusted, err := test.Adjusted(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: threshold %.4g, adjusted %.4g, reject %v\n",
		test.Correction.Name, test.ThresholdFloat(), test.AdjustedFloat(adjusted), adjusted <= test.Alpha)
	// Output:
	// bonferroni: threshold 0.0025, adjusted 0.02, reject true
}

// The corrections, in printing order.
func ExampleArticles() {
	corrections, err := pvalue.Articles()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range corrections {
		fmt.Printf("%s: %s\n", a.Name, a.Summary)
	}
	// Output:
	// max-info-any: pure differential privacy, any law of the rows
	// max-info-dwork15: pure differential privacy, independent rows: the published bound
	// renyi: pure differential privacy or Gaussian noise, independent rows: the sharp bound
	// kl: mutual information between sample and answers: the exact bound
	// approx-dp: (epsilon, delta)-differential privacy, GDP, zCDP or RDP, independent rows
	// group: (epsilon, delta)-differential privacy, GDP or zCDP, any law of the rows
	// bonferroni: one test selected among N possible ones, any law of the rows
	// gates: tests behind a gate that shows a verdict only, any law of the rows
	// rogers16: mutual information: the published bound through max-information
	// russo-zou16: mutual information: the published rule of Russo and Zou
	// max-info: max-information of k bits with slack b, known from elsewhere
	// composed: several steps, each by the theorem that leaves most
}

// Four tests are reported together: Holm's step makes their p-values valid for all of them.
func ExampleFamily_Adjust() {
	p := make([]theory.LogProb, 4)
	for i, x := range []float64{0.01, 0.04, 0.03, 0.005} {
		p[i], _ = theory.Prob(x)
	}
	if err := pvalue.Holm.Adjust(p); err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range p {
		fmt.Printf("%.3f ", x.Value())
	}
	fmt.Println()
	// Output:
	// 0.030 0.060 0.060 0.020
}

// The family steps beside Bonferroni's.
func ExampleFamilyArticles() {
	for _, a := range pvalue.FamilyArticles() {
		fmt.Printf("%s: %s\n", a.Name, a.Formula)
	}
	// Output:
	// holm: max over j <= i of (m-j+1) p_(j), for p_(1) <= ... <= p_(m), at most 1
	// bh: min over j >= i of (m/j) p_(j), for p_(1) <= ... <= p_(m), at most 1
	// by: min over j >= i of H_m (m/j) p_(j), H_m = 1 + 1/2 + ... + 1/m, at most 1
}
