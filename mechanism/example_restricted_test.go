package mechanism_test

import (
	"errors"
	"fmt"

	"github.com/dpcalc/dpcalc/mechanism"
)

// A gate says which of the proposed models are better than 0.7. What passes has scored 0.7 and the margin. The second
// pass is its last.
func ExampleGateRun_Test() {
	gate, err := mechanism.Gate{Queries: 100, Passes: 2, Margin: 0.05}.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, score := range []float64{0.72, 0.76, 0.74, 0.81, 0.9} {
		pass, err := gate.Test(score, 0.7)
		fmt.Println(pass, err)
	}
	// Output:
	// false <nil>
	// true <nil>
	// false <nil>
	// true <nil>
	// false the plan is used up: nothing more may be shown
}

// Two finalists were chosen on other rows. Their scores on the sealed rows are shown together, and no other score is.
func ExampleSealed_Open() {
	rows := mechanism.Sealed{Finalists: 2}
	fmt.Println(rows.Open([]float64{0.81, 0.79}))
	_, err := rows.Open([]float64{0.85})
	fmt.Println(errors.Is(err, mechanism.ErrSpent))
	// Output:
	// [0.81 0.79] <nil>
	// true
}
