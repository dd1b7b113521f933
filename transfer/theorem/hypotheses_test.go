package theorem

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

func applicable(err error) bool { return !errors.As(err, new(*theory.NotApplicableError)) }

// Bassily et al. ask for delta below epsilon/4, also where the target leaves more, and
// for the n that goes with it.
func TestBassily16AtItsHypotheses(t *testing.T) {
	for _, c := range []struct {
		delta   float64 // over epsilon
		target  string
		samples int64
		holds   bool
	}{
		// ln(4 epsilon/delta)/epsilon^2 = 2.7730 10^4 at delta = 0.2499 epsilon, 2.7726 10^4 in the limit.
		{0.2, "0.9", 27_731, true},
		{0.2498, "0.9", 27_731, true},
		{0.25, "0.9", 1 << 40, false},
		{0.3, "0.9", 1 << 40, false},
		{0, "0.9", 27_725, false}, // at delta = 0.9 epsilon it would do
		{0, "0.9", 27_731, true},
		// Below one quarter it is the target that binds: ln(40)/epsilon^2 = 3.6889 10^4.
		{0.0999, "0.1", 36_889, true},
		{0.0999, "0.1", 36_888, false},
		{0.1001, "0.1", 1 << 40, false},
	} {
		const epsilon = 0.01
		s := Sampled{Alpha: 0.05, Beta: theory.Zero, Epsilon: epsilon, LnDelta: theory.LogProb(math.Log(c.delta * epsilon))}
		b, err := Bassily16.Apply(s, Class{Samples: c.samples}, lp(c.target))
		if (err == nil) != c.holds || applicable(err) != c.holds {
			t.Errorf("%+v: %v, %v", c, b.Value, err)
		}
		if err == nil {
			oneSided(t, "alpha'", b.Value.Alpha, 0.05+18*epsilon)
		}
	}
	// Nothing is left of the target for delta.
	spent := Sampled{Alpha: 0.05, Beta: lp("0.1"), Epsilon: 0.01, LnDelta: theory.Zero}
	_, err := Bassily16.Apply(spent, Class{Samples: 1 << 40}, lp("0.1"))
	if err == nil || !strings.Contains(err.Error(), "above the sample's beta") {
		t.Errorf("the target is the sample's beta: %v", err)
	}
	// Epsilon is below 1/3.
	for epsilon, holds := range map[float64]bool{0.3333: true, 1. / 3: false, 0.3334: false} {
		s := Sampled{Alpha: 0.05, Beta: theory.Zero, Epsilon: epsilon, LnDelta: theory.Zero}
		if _, err := Bassily16.Apply(s, Class{Samples: 1 << 40}, lp("0.1")); (err == nil) != holds {
			t.Errorf("epsilon %v: %v", epsilon, err)
		}
	}
}

// What was shown on the sample may be exact and without noise, and has no other limits than
// its numbers.
func TestSampledAtTheEndsOfItsDomain(t *testing.T) {
	least, most := math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, c := range []struct {
		Sampled
		ok bool
	}{
		{Sampled{0, theory.Zero, 0, theory.Zero}, true},
		{Sampled{most, theory.LogProb(-least), most, theory.LogProb(-least)}, true},
		{Sampled{-least, -1, 0, -1}, false}, {Sampled{math.Inf(1), -1, 0, -1}, false},
		{Sampled{0, 0, 0, -1}, false}, {Sampled{0, -1, 0, 0}, false},
		{Sampled{0, -1, -least, -1}, false}, {Sampled{0, -1, math.Inf(1), -1}, false},
	} {
		if err := c.Validate(); (err == nil) != c.ok || err != nil && !isDomain(err) {
			t.Errorf("%+v: %v", c.Sampled, err)
		}
	}
}

// Notes, Theorem 2.3 prints 3/sqrt(beta), which exceeds one whatever beta is. The theorem has 3 sqrt(beta), which is
// not below beta, the probability of the bad data for an output that is fixed in advance.
func TestErratumSquareRootOfBeta(t *testing.T) {
	for _, text := range []string{"0.1", "1e-6", "1e-300", "1e-4343"} {
		beta := lp(text)
		printed, right := math.Log(3)-beta.Ln()/2, math.Log(3)+beta.Ln()/2
		if !(printed > 0 && right < 0 && right >= beta.Ln()) {
			t.Errorf("beta = %s: the printed bound is e^%g and the right one e^%g; want one above 1 and one below, not below beta",
				text, printed, right)
		}
	}
}
