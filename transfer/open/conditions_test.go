package open

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Five conditions on rows of their own, by sums over all counts. A failure at the level .04 that spoke of each
// condition at the full level would be wrong with probability .185 where all truths are just above their upper ends;
// each at a fifth of it, it is wrong with at most .04. A pass at the level .01 is wrong with at most .01, whichever
// condition is not met.
func TestVerdictOnFiveConditions(t *testing.T) {
	const several, rows = 5, 100000
	at, share, bar := Node{LnBeta: math.Log(.05)}, .2, .5
	gate, err := Gate(at, ZeroOne{rows}, bar, share)
	if err != nil {
		t.Fatal(err)
	}
	cut := int64(math.Round(gate.Cuts[0].At * rows))
	fails := func(truth float64) float64 { // some of five gates does
		one := num.Exp(num.Binomial{N: rows, P: truth}.LnAtMost(cut - 1))
		return -math.Expm1(several * math.Log1p(-one))
	}
	_, alone := gate.Interval(at, ZeroOne{rows}, 0)
	if got := fails(alone); math.Abs(got-(1-math.Pow(.96, 5))) > 1e-4 || math.Abs(got-.185) > 5e-4 {
		t.Errorf("at the full level a failure is wrong with probability %v, want .185", got)
	}
	shared := AnyUpper(at, ZeroOne{rows}, gate, several)
	if got := fails(shared); got > .04 || got < .039 {
		t.Errorf("at a fifth of it a failure is wrong with probability %v, want at most .04", got)
	}
	if shared <= alone {
		t.Errorf("got the upper end %v, want more than %v", shared, alone)
	}
	passes := num.Exp(num.Binomial{N: rows, P: bar}.LnAtLeast(cut))
	if passes > .01 || passes < .0097 {
		t.Errorf("one condition at its bar and the others sure pass with probability %v, want at most .01", passes)
	}
}
