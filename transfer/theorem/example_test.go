package theorem_test

import (
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/theorem"
)

// Every transfer theorem concludes from accuracy on the sample and privacy.
func ExampleAll() {
	beta, _ := theory.Prob(0.001)
	target, _ := theory.Prob(0.05)
	shown := theorem.Sampled{Alpha: 0.02, Beta: beta, Epsilon: 0.05, LnDelta: theory.Zero}
	for _, t := range theorem.All() {
		out, err := t.Conclude(shown, theorem.Class{}, target)
		if err != nil {
			fmt.Println(err)
			return
		}
		if out.Status.Applies() {
			fmt.Printf("%s: alpha' = %.4f\n", t.Name, out.Value.Alpha)
		} else {
			fmt.Printf("%s: %s, %s\n", t.Name, out.Status, out.Reason)
		}
	}
	// Output:
	// jung20: alpha' = 0.0913
	// jung20-pure: not_applicable, needs the number of rows
	// bassily16: not_applicable, needs the number of rows
	// cvar: alpha' = 0.0525
	// cvar-pure: alpha' = 0.0525
}

// An interaction with epsilon = 0.02 and delta = 1e-9 has sample accuracy alpha = 0.05 except with probability beta =
// 1e-6. For every c and d the theorem of Jung et al. gives alpha' = alpha + (e^epsilon - 1) + c + 2d on the population,
// except with probability beta' = beta/c + delta/d. The function Jung20 finds the
// best c and d for a given beta', and the best alpha' is in brackets.
func ExampleJung20() {
	beta, _ := theory.Prob(1e-6)
	delta, _ := theory.Prob(1e-9)
	shown := theorem.Sampled{Alpha: 0.05, Beta: beta, Epsilon: 0.02, LnDelta: delta}
	for _, split := range []struct{ c, d float64 }{{0.001, 0.0001}, {0.001, 0.00002}, {0.002, 0.001}} {
		alpha := shown.Alpha + math.Expm1(shown.Epsilon) + split.c + 2*split.d
		target, _ := theory.Prob(beta.Value()/split.c + delta.Value()/split.d)
		best, err := theorem.Jung20.Apply(shown, theorem.Class{}, target)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("c = %g, d = %g: alpha' = %.6f, beta' = %.6f (best alpha' %.6f)\n",
			split.c, split.d, alpha, target.Value(), best.Value.Alpha)
	}
	// Output:
	// c = 0.001, d = 0.0001: alpha' = 0.071401, beta' = 0.001010 (best alpha' 0.071282)
	// c = 0.001, d = 2e-05: alpha' = 0.071241, beta' = 0.001050 (best alpha' 0.071241)
	// c = 0.002, d = 0.001: alpha' = 0.074201, beta' = 0.000501 (best alpha' 0.072380)
}
