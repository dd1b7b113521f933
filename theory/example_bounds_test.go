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

// A counting query finds 1,001 rows, and 1,000 if one row is dropped. One row moves the count by 1, so Laplace noise of
// scale 1/epsilon makes the answer epsilon-private. No answer is more than e^epsilon times likelier for one count than
// for the other.
func ExampleLaplace() {
	const epsilon = 0.1
	noise := theory.Laplace{Sensitivity: 1, Scale: 1 / epsilon}
	pure, err := noise.Pure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("scale %g, standard deviation %.3f, epsilon %.3g\n", noise.Scale, noise.Scale*math.Sqrt2, pure.Value.Epsilon)
	density := func(answer, count float64) float64 {
		return math.Exp(-math.Abs(answer-count)/noise.Scale) / (2 * noise.Scale)
	}
	for _, answer := range []float64{990, 1000.5, 1010} {
		with, without := density(answer, 1001), density(answer, 1000)
		fmt.Printf("answer %g: density %.5f with the row, %.5f without it, ratio %.4f\n", answer, with, without, with/without)
	}
	// Output:
	// scale 10, standard deviation 14.142, epsilon 0.1
	// answer 990: density 0.01664 with the row, 0.01839 without it, ratio 0.9048
	// answer 1000.5: density 0.04756 with the row, 0.04756 without it, ratio 1.0000
	// answer 1010: density 0.02033 with the row, 0.01839 without it, ratio 1.1052
}
