package crossing_test

import (
	"context"
	"fmt"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/crossing"
)

// From how many queries on is something better than a fresh part of the holdout for each?
func ExampleFind() {
	beta, _ := theory.ParseLogProb("0.05")
	methods := []transfer.Method{}
	for _, name := range []string{"splitting", "gaussian-cvar"} {
		m, _ := transfer.Lookup(name)
		methods = append(methods, m)
	}
	c, ok, err := crossing.Find(context.Background(), methods, transfer.Goal{Tau: 0.1, Beta: beta})
	if err != nil || !ok {
		fmt.Println("nothing beats splitting", err)
		return
	}
	fmt.Println(c.Method.Name, c.Queries, c.Onward)
	// Output:
	// gaussian-cvar 8 true
}
