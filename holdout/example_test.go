package holdout_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A ledger of one look at four rows. The part of the only look is all rows, so that its answer has no noise.
func Example() {
	dir, _ := os.MkdirTemp("", "dpcalc-example-*")
	defer os.RemoveAll(dir)
	ids := []string{"1", "2", "3", "4"}
	labels, _ := holdout.NewLabels(holdout.Columns(ids, []string{"cat", "dog", "cat", "dog"}))
	beta, _ := theory.ParseLogProb("0.5")
	goal := transfer.Goal{Queries: 1, Tau: 0.5, Beta: beta, Query: transfer.Binary}
	ledger, err := holdout.Create(filepath.Join(dir, "ledger"), labels, holdout.Terms{Goal: goal, Method: "splitting"})
	if err != nil {
		fmt.Println(err)
		return
	}
	predictions := holdout.Columns(ids, []string{"cat", "dog", "dog", "dog"})
	answer, err := ledger.Score(context.Background(), holdout.Submission{Name: "first", Values: predictions})
	fmt.Println(*answer.Response, answer.Remaining.Looks, err)
	// Output: 0.75 0 <nil>
}
