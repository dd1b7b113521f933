package theory_test

import (
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/theory"
)

// How likely is a mean of 1,000 values in [0,1] to be off by 0.05? Two bounds that hold for every mean.
func ExampleKLTail() {
	d := theory.Deviation{Samples: 1000, Tau: 0.05}
	hoeffding, err := theory.KLTail(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	coins, err := theory.ZubkovSerovTail(d) // of values that are 0 or 1
	fmt.Printf("%.3g %.3g %v\n", hoeffding.Value.Value(), coins.Value.Value(), err)
	// Output: 0.0134 0.00193 <nil>
}

// Thresholdout with a budget of 10 on 10,000 rows is 20 private steps. Their composition says more than the published
// sum.
func ExampleThresholdout_Composition() {
	m := theory.Thresholdout{Samples: 10_000, Budget: 10, Scale: 0.01}
	delta := theory.LogProb(math.Log(1e-6))
	steps, err := m.Composition()
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := steps.Value.Optimal(delta)
	if err != nil {
		fmt.Println(err)
		return
	}
	published, err := m.Approx(delta)
	fmt.Printf("%.4g %.4g %v\n", best.Value.Epsilon, published.Value.Epsilon, err)
	// Output: 0.1575 0.6814 <nil>
}

// A curve of Renyi divergences is turned into (epsilon, delta) at one epsilon.
func ExampleRDP_LnDelta() {
	curve := theory.RDP{Points: []theory.RenyiPoint{{Order: 2, Epsilon: 0.02}, {Order: 32, Epsilon: 0.4}}}
	fmt.Printf("%.3g\n", curve.LnDelta(1).Value())
	// Output: 9.76e-11
}
