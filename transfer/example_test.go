package transfer_test

import (
	"fmt"
	"math"
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
		if m.IsReference() || m.Splits {
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

// A learner that is epsilon-private, epsilon = tau = 0.05, puts out one function, whose mean on 10,000 rows is compared
// with its population value. For a function that was fixed in advance, the mean is tau too high with probability at
// most beta = e^(-2 tau^2 n). For the learned function the probability is at most 3 sqrt(beta), and for a mean that is
// tau too high or too low at most twice that. The method dp-dwork15 prints the same.
func ExampleMethod_Solve_privateOutput() {
	const tau, n = 0.05, 10_000
	beta := theory.LogProb(-2 * tau * tau * n)
	method, _ := transfer.Lookup("dp-dwork15")
	answer, err := method.Solve(transfer.Goal{Samples: n, Queries: 1, Tau: tau}) // Beta is left out
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("fixed function: beta = %.3g\n", beta.Value())
	fmt.Printf("learned function: 3 sqrt(beta) = %.3g, and on either side %.3g\n",
		3*math.Sqrt(beta.Value()), 6*math.Sqrt(beta.Value()))
	fmt.Printf("dp-dwork15: beta = %.3g at epsilon = %g\n", answer.Beta.Value(), answer.Mechanism.Epsilon)
	fmt.Printf("largest epsilon of the theorem: %.3g\n", math.Sqrt(-beta.Ln()/(2*n)))
	// Output:
	// fixed function: beta = 1.93e-22
	// learned function: 3 sqrt(beta) = 4.17e-11, and on either side 8.33e-11
	// dp-dwork15: beta = 8.33e-11 at epsilon = 0.05
	// largest epsilon of the theorem: 0.05
}
