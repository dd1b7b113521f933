package theorem

import (
	"math"
	"testing"
)

// What publishes its only record, a fair bit, with probability delta and nothing
// otherwise is (0, delta)-private, and its posterior mean leaves the printed interval.
func TestErratumLecturePosterior(t *testing.T) {
	const delta, fair = 1e-3, 0.5
	law := [2][3]float64{{delta, 0, 1 - delta}, {0, delta, 1 - delta}} // of the outputs 0, 1 and nothing, by the record
	var excess float64
	for y := range law[0] {
		excess += max(0, law[1][y]-law[0][y])
	}
	if excess != delta {
		t.Errorf("(0, %g)-private", excess)
	}
	mean := func(y int) float64 { return fair * law[1][y] / (fair*law[0][y] + fair*law[1][y]) } // E[x | y]
	if printed := math.Exp(0) * fair; !(mean(1) == 1 && mean(1) > printed && mean(2) == printed) {
		t.Errorf("posterior means %g and %g", mean(1), mean(2))
	}
}
