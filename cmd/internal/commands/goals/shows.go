package goals

import (
	"fmt"

	"github.com/dpcalc/dpcalc/transfer"
)

// Shows returns what a plan for a goal shows, in words.
func Shows(g transfer.Goal) string {
	switch {
	case g.Feedback == transfer.Best:
		return "the best score so far"
	case g.Feedback == transfer.Gate && (g.Open || g.Passes == 0):
		return "pass or fail"
	case g.Feedback == transfer.Gate && g.Passes == 1:
		return "pass or fail, to the first pass"
	case g.Feedback == transfer.Gate:
		return fmt.Sprintf("pass or fail, to pass %d", g.Passes)
	case g.Feedback == transfer.Flags && g.Open:
		return "where a guess is wrong"
	case g.Feedback == transfer.Flags && g.Budget == 1:
		return "the first wrong guess"
	case g.Feedback == transfer.Flags:
		return fmt.Sprintf("wrong guesses, to correction %d", g.Budget)
	case g.Feedback == transfer.Final && g.Queries == 0:
		return "the final choice among so many"
	case g.Feedback == transfer.Final && g.Queries == 1:
		return "the final choice, one finalist"
	case g.Feedback == transfer.Final:
		return fmt.Sprintf("the final choice among %d", g.Queries)
	}
	return "every score"
}
