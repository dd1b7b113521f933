package theory_test

import (
	"fmt"

	"github.com/dpcalc/dpcalc/theory"
)

// A probability is read and written as a decimal of any size, and kept as its logarithm.
func ExampleParseLogProb() {
	for _, text := range []string{"0.05", "1e-4343", "1-1e-20", "1.5"} {
		p, err := theory.ParseLogProb(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%v has the logarithm %.6g\n", p, p.Ln())
	}
	// Output:
	// 0.05 has the logarithm -2.99573
	// 1e-4343 has the logarithm -10000.1
	// 1-1e-20 has the logarithm -1e-20
	// probability: got "1.5", want a decimal number in [0, 1]
}

// Every composition method says what it makes of a hundred steps, each (0.1, 1e-9)-private.
func ExampleCompositionMethods() {
	delta, _ := theory.Prob(1e-9)
	total, _ := theory.Prob(1e-6)
	steps := theory.Steps{Each: theory.Approx{Epsilon: 0.1, LnDelta: delta}, Times: 100, Total: total}
	for _, m := range theory.CompositionMethods() {
		whole, err := m.Compose(steps)
		switch {
		case err != nil: // the steps make no sense
			fmt.Println(err)
		case whole.Status.Applies():
			fmt.Printf("%s: epsilon %.4g, delta %.4g\n", m.Name, whole.Value.Epsilon, whole.Value.LnDelta.Value())
		default:
			fmt.Printf("%s: %s, %s\n", m.Name, whole.Status, whole.Reason)
		}
	}
	// Output:
	// basic: epsilon 10, delta 1e-07
	// advanced: epsilon 5.776, delta 1e-06
	// optimal: epsilon 4.788, delta 1e-06
	// zcdp: not_applicable, needs pure privacy, delta = 0
	// gdp: not_applicable, needs the mu of each step
}

// A theorem that does not apply leaves the others their answers. Nonsense is an error for all.
func ExampleStatusOf() {
	_, err := theory.ZCDP{Rho: 0.5}.Approx(theory.Zero)
	status, reason, err := theory.StatusOf(err)
	fmt.Println(status, reason, err)

	_, err = theory.ZCDP{Rho: -1}.Approx(theory.Zero)
	status, _, err = theory.StatusOf(err)
	fmt.Printf("%q %v\n", status, err)
	// Output:
	// not_applicable needs delta > 0 <nil>
	// "" rho: got -1, want a number > 0
}
