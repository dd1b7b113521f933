package mechanism_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
)

// Three bidders offer 1, 1 and 3 for copies of an item. A price sells one to everybody who
// offers as much; the utility of a price is its revenue. One bid, whatever it is
// replaced by, moves the revenue at a price by the price at most: by 3 among the prices
// 0.8, 0.9, ..., 3. The weight epsilon/(2 sensitivity) gives epsilon = 2.
func ExampleExponential() {
	bids := []int{10, 10, 30} // in tenths
	var revenues []float64
	for price := 8; price <= 30; price++ {
		sold := 0
		for _, bid := range bids {
			if bid >= price {
				sold++
			}
		}
		revenues = append(revenues, float64(sold*price)/10)
	}
	const epsilon, sensitivity = 2, 3
	m := mechanism.Exponential{Sensitivity: sensitivity, Weight: epsilon / (2. * sensitivity)}
	f, err := m.On(revenues)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("epsilon %.3g\n", f.Pure.Value.Epsilon)
	for _, i := range []int{2, 3, 22} { // at 1.1 two bidders are lost
		fmt.Printf("price %.1f: revenue %.1f, probability %.4f\n", float64(i+8)/10, revenues[i], f.Law[i].Value())
	}
	r := rand.New(rand.NewPCG(1, 2))
	fmt.Printf("drawn: %.1f\n", float64(f.Draw(r)+8)/10)
	// Output:
	// epsilon 2
	// price 1.0: revenue 3.0, probability 0.0569
	// price 1.1: revenue 1.1, probability 0.0302
	// price 3.0: revenue 3.0, probability 0.0569
	// drawn: 2.0
}

// A data scientist has the share of correct predictions of two models on the training
// data and on 20,000 records held out.
func ExampleThresholdout() {
	m := mechanism.Thresholdout{Samples: 20_000, Budget: 1, Threshold: 0.04, Scale: 0.002}
	run, err := m.Start(rand.New(rand.NewPCG(3, 4)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, accuracy := range []mechanism.Means{
		{Training: 0.815, Holdout: 0.809},
		{Training: 0.972, Holdout: 0.811}, // overfits
		{Training: 0.830, Holdout: 0.825},
	} {
		answer, ok := run.Ask(accuracy)
		if !ok {
			fmt.Println("the budget is spent")
			break
		}
		fmt.Printf("%.3f, from the holdout: %v\n", answer.Value, answer.Flagged)
	}
	pure, _ := m.Pure()
	fmt.Printf("the holdout has epsilon %.3g\n", pure.Value.Epsilon)
	// Output:
	// 0.815, from the holdout: false
	// 0.811, from the holdout: true
	// the budget is spent
	// the holdout has epsilon 0.05
}

// Three adaptive queries with the same Gaussian noise.
func ExampleGaussianAnswers() {
	m := mechanism.GaussianAnswers{Samples: 10_000, Noise: []theory.NoiseBlock{{Queries: 3, Scale: 0.01}}}
	run, err := m.Start(rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for answer, ok := run.Ask(0.5); ok; answer, ok = run.Ask(0.5) {
		fmt.Printf("%.4f\n", answer)
	}
	gdp, _ := m.GDP()
	fmt.Printf("mu %.5f\n", gdp.Value.Mu)
	// Output:
	// 0.5049
	// 0.5125
	// 0.4987
	// mu 0.01732
}

// The privacy loss of an interaction, exactly: AboveThreshold on two neighbouring data sets
// whose counts differ by one.
func ExampleSparseVector_On() {
	m := mechanism.SparseVector{Sensitivity: 1, Threshold: 2, ThresholdScale: 2, QueryScale: 4, Cutoff: 1, Resolution: 1}
	a, err := m.On(mechanism.Fixed[bool](1., 1, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := m.On(mechanism.Fixed[bool](2., 2, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, name := range []string{"below, below, below", "below, below, above", "below, above", "above"} {
		fmt.Printf("%-20s %.4f %.4f\n", name, a.Law[i].Value(), b.Law[i].Value())
	}
	fmt.Printf("at most e^%v apart\n", a.Pure.Value.Epsilon)
	// Output:
	// below, below, below  0.2385 0.2242
	// below, below, above  0.1867 0.1111
	// below, above         0.1972 0.2072
	// above                0.3775 0.4575
	// at most e^1 apart
}

// What answers with noise say of the privacy of the rows. Noise that is cut has no mu.
func ExampleGaussianAnswers_GDP() {
	noise := []theory.NoiseBlock{{Queries: 2, Scale: 0.02}, {Queries: 1, Scale: 0.01}}
	noisy := mechanism.GaussianAnswers{Samples: 1000, Noise: noise}
	whole, err := noisy.GDP()
	fmt.Printf("mu %.4g, %v\n", whole.Value.Mu, err)
	noise[1].Cut = 3
	_, err = noisy.GDP()
	fmt.Println(err)
	laplace, err := mechanism.LaplaceAnswers{Samples: 1000, Scale: []float64{0.02, 0.02}}.Pure()
	fmt.Printf("epsilon %.4g, %v\n", laplace.Value.Epsilon, err)
	one, err := mechanism.Gaussian{Sensitivity: 1, SD: 5}.GDP()
	fmt.Printf("mu %.4g, %v\n", one.Value.Mu, err)
	// Output:
	// mu 0.1225, <nil>
	// cut: got 3, want 0: noise that is cut is not mu-GDP
	// epsilon 0.1, <nil>
	// mu 0.2, <nil>
}

// A board and a validator say how much of their plans is left.
func ExampleLadderRun_Left() {
	board, err := mechanism.Ladder{Queries: 3, Board: []theory.Step{{Value: 0.5}, {Boundary: 0.7, Value: 0.7}}}.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	shown, improved, err := board.Submit(0.72)
	fmt.Println(shown, improved, err, board.Left())
	check, err := mechanism.SparseValidate{Queries: 5, Flags: 2, Threshold: 0.05,
		Widths: []theory.FlagWidth{{Width: 0.01}, {Flags: 1}}}.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, flagged, err := check.Ask(0.72, 0.6)
	fmt.Printf("%.2f %v %v\n", answer, flagged, err)
	fmt.Println(check.Left())
	// Output:
	// 0.7 true <nil> 2
	// 0.67 true <nil>
	// 4 1
}
