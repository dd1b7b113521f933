package theory_test

import (
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// A probability that stands where its logarithm belongs is refused with the call that makes the logarithm.
func TestProbabilityForItsLogarithm(t *testing.T) {
	const want = "beta: got 1.0512710963760241, want a probability in (0, 1); a LogProb is a logarithm, and theory.Prob(0.05) is the one of 0.05"
	if err := (theory.Level{Queries: 1, Beta: 0.05}).Validate(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for beta, want := range map[theory.LogProb]string{ // nothing is said of other numbers
		5: "beta: got 148.4131591025766, want a probability in (0, 1)",
		0: "beta: got 1, want a probability in (0, 1)",
	} {
		if err := (theory.Level{Queries: 1, Beta: beta}).Validate(); err == nil || err.Error() != want {
			t.Errorf("%v: got %v, want %s", float64(beta), err, want)
		}
	}
}
