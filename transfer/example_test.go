package transfer_test

import (
	"fmt"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// How many rows does a holdout need for 1000 adaptively chosen queries, all answered within 0.1
// except with probability 0.05, and what noise goes on the answers?
func ExampleMethod_Solve() {
	beta, _ := theory.ParseLogProb("0.05")
	gaussian, _ := transfer.Lookup("gaussian-cvar")
	answer, err := gaussian.Solve(transfer.Goal{Queries: 1000, Tau: 0.1, Beta: beta}) // Samples is left out
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Status, answer.Samples)
	fmt.Printf("%s noise of scale %.4f\n", answer.Mechanism.Noise, answer.Mechanism.Scale)
	// Output:
	// ok 36408
	// gaussian noise of scale 0.0119
}

// A goal with all four quantities is checked.
func ExampleGoal() {
	beta, _ := theory.ParseLogProb("0.05")
	goal := transfer.Goal{Samples: 6000, Queries: 20, Tau: 0.1, Beta: beta}
	for _, name := range []string{"splitting", "rounding"} {
		method, _ := transfer.Lookup(name)
		answer, err := method.Solve(goal)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s, tau achieved %.4f, %q\n", name, answer.Status, answer.TauAchieved, answer.Reason)
	}
	// Output:
	// splitting: infeasible, tau achieved 0.0000, "needs 6700 rows, and there are 6000"
	// rounding: ok, tau achieved 0.0922, ""
}

// All published methods answer a goal, and the one with the fewest rows is marked.
func ExampleSolve() {
	beta, _ := theory.ParseLogProb("0.05")
	derived := func(m transfer.Method) bool { return m.Proof == transfer.Derived }
	published := slices.DeleteFunc(transfer.Methods(), derived)
	rows, best, err := transfer.Solve(nil, published, transfer.Goal{Queries: 3, Tau: 0.1, Beta: beta})
	if err != nil || best < 0 {
		fmt.Println("no method for adaptively chosen queries has an answer", err)
		return
	}
	fmt.Println(rows[best].Method.Name, rows[best].Samples)
	// Output:
	// splitting-exact 714
}

// The registry of sample-size methods, in printing order.
func ExampleMethods() {
	for _, m := range transfer.Methods() {
		if m.Reference() || m.Splits {
			fmt.Printf("%s: %s\n", m.Name, m.Summary)
		}
	}
	// Output:
	// hoeffding: queries fixed in advance, exact answers: Hoeffding with a union bound
	// hoeffding-kl: queries fixed in advance: Hoeffding's relative-entropy form
	// binomial: 0/1 queries fixed in advance: exact binomial tails, or a bound on them
	// splitting: a fresh part of the holdout for every query
	// splitting-exact: as splitting, each part sized by the exact or relative-entropy requirement
}
