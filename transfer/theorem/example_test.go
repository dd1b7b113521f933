package theorem_test

import (
	"fmt"

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
