package thirdparty

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/differential-privacy/go/v3/noise"

	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/theory"
)

// adding samples the noise added to a value. The library takes its randomness from
// elsewhere.
func adding(t *testing.T, n noise.Noise, value, epsilon, delta float64) audit.Sampler {
	t.Helper()
	if _, err := n.AddNoiseFloat64(value, 1, 1, epsilon, delta); err != nil {
		t.Fatal(err)
	}
	return func(_ *rand.Rand, out []float64) {
		out[0], _ = n.AddNoiseFloat64(value, 1, 1, epsilon, delta)
	}
}

func addingInt(n noise.Noise, value int64, epsilon, delta float64) audit.Sampler {
	return func(_ *rand.Rand, out []float64) {
		x, _ := n.AddNoiseInt64(value, 1, 1, epsilon, delta)
		out[0] = float64(x)
	}
}

func lnProb(t *testing.T, p float64) theory.LogProb {
	t.Helper()
	ln, err := theory.Prob(p)
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// Laplace noise and the Gaussian noise of integers keep their claims, as far as samples tell:
// privacy in both orders, on values that differ by the sensitivity, with the events of the
// lattice of floating-point numbers among those looked at; and so do the confidence intervals.
// The Gaussian noise of float64 does not: see TestGaussianLeaksInItsLowBits. The false alarm
// is 1e-9 for all of them.
func TestNoiseAgainstItsClaims(t *testing.T) {
	ledger, err := audit.NewLedger(lnProb(t, 1e-9))
	if err != nil {
		t.Fatal(err)
	}
	draw := func(name string) *audit.Alarm {
		alarm, err := ledger.Draw(name, lnProb(t, 5e-11))
		if err != nil {
			t.Fatal(err)
		}
		return alarm
	}
	const epsilon, delta, samples = 1.0, 1e-5, 1 << 17
	plan := audit.Plan{Samples: samples}
	for _, c := range []struct {
		name          string
		claim         theory.Approx
		first, second audit.Sampler
		want          audit.Verdict
	}{
		{"Laplace, 0 and 1", theory.Approx{Epsilon: epsilon, LnDelta: theory.Zero},
			adding(t, noise.Laplace(), 0, epsilon, 0), adding(t, noise.Laplace(), 1, epsilon, 0), audit.Holds},
		{"Laplace, 1/3 and 4/3", theory.Approx{Epsilon: epsilon, LnDelta: theory.Zero},
			adding(t, noise.Laplace(), 1.0/3, epsilon, 0), adding(t, noise.Laplace(), 4.0/3, epsilon, 0), audit.Holds},
		{"Laplace of an integer, 0 and 1", theory.Approx{Epsilon: epsilon, LnDelta: theory.Zero},
			addingInt(noise.Laplace(), 0, epsilon, 0), addingInt(noise.Laplace(), 1, epsilon, 0), audit.Holds},
		{"Gaussian, 0 and 1", theory.Approx{Epsilon: epsilon, LnDelta: lnProb(t, delta)},
			adding(t, noise.Gaussian(), 0, epsilon, delta), adding(t, noise.Gaussian(), 1, epsilon, delta), audit.Violated},
		{"Gaussian, 1/3 and 4/3", theory.Approx{Epsilon: epsilon, LnDelta: lnProb(t, delta)},
			adding(t, noise.Gaussian(), 1.0/3, epsilon, delta), adding(t, noise.Gaussian(), 4.0/3, epsilon, delta),
			audit.Violated},
		{"Gaussian of an integer, 0 and 1", theory.Approx{Epsilon: epsilon, LnDelta: lnProb(t, delta)},
			addingInt(noise.Gaussian(), 0, epsilon, delta), addingInt(noise.Gaussian(), 1, epsilon, delta), audit.Holds},
	} {
		r, err := audit.Privacy{Plan: plan, Claim: c.claim, First: c.first, Second: c.second, Width: 1}.Audit(draw(c.name))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s, epsilon is at least %.3f, detectable %.3f, %+v", c.name, r.Verdict, r.Epsilon, r.Detectable, r.Event)
		if r.Verdict != c.want || c.want == audit.Violated && r.Event.View != "lattice" {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	// And the library's own confidence intervals have the level that it says.
	for _, c := range []struct {
		name  string
		noise noise.Noise
		delta float64
	}{{"Laplace interval", noise.Laplace(), 0}, {"Gaussian interval", noise.Gaussian(), delta}} {
		interval, err := c.noise.ComputeConfidenceIntervalFloat64(0, 1, 1, epsilon, c.delta, 0.01)
		if err != nil {
			t.Fatal(err)
		}
		add := adding(t, c.noise, 0, epsilon, c.delta)
		r, err := audit.Tail{Plan: plan, Bound: lnProb(t, 0.01), Hit: func(r *rand.Rand) bool {
			var x [1]float64
			add(r, x[:])
			return x[0] < interval.LowerBound || x[0] > interval.UpperBound
		}}.Audit(draw(c.name))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s, %d of %d outside, detectable %.4f", c.name, r.Verdict, r.Hits, r.Samples, r.Detectable.Value())
		if r.Verdict != audit.Holds {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	t.Logf("the ledger:\n%v", ledger)
}

// The Gaussian noise of float64 at v3.0.0 leaks in its low bits. At epsilon = 1 and delta = 1e-5
// its lattice has the step 2^-54, and the noise is a number of steps of up to 58 bits or so,
// which becomes a float64 of 53 before it is multiplied by the step and added. So 0 plus noise
// is an odd multiple of 2^-54 where the number is odd and below 2^53: with probability
// P[|noise| < 1/2]/2 = 0.053. And 1 plus noise never is: the noise of such a result is
// a number of steps above 2^53, hence even, or the result is above 1/2 and has no such bit.
// No delta below 0.053 holds for values that differ by the sensitivity.
func TestGaussianLeaksInItsLowBits(t *testing.T) {
	const samples, step = 20_000, 0x1p-54
	odd := func(value float64) (n int) {
		add := adding(t, noise.Gaussian(), value, 1, 1e-5)
		for range samples {
			var x [1]float64
			add(nil, x[:])
			if steps := x[0] / step; math.Abs(steps) < 1<<53 && math.Mod(steps, 2) != 0 {
				n++
			}
		}
		return n
	}
	sigma := noise.SigmaForGaussian(1, 1, 1, 1e-5)
	expected := samples * math.Erf(0.5/(sigma*math.Sqrt2)) / 2
	zero, one := odd(0), odd(1)
	t.Logf("odd multiples of 2^-54: %d of %d from 0, expected %.0f, and %d from 1", zero, samples, expected, one)
	// Chernoff's bound for half the expectation: e^(-expected/8), below 1e-50.
	if float64(zero) < expected/2 || one != 0 {
		t.Errorf("odd multiples of 2^-54: %d from 0, expected %.0f, and %d from 1", zero, expected, one)
	}
}

// The audits would find a fault: noise for a larger epsilon does not pass for 1.
func TestAuditFindsTooLittleNoise(t *testing.T) {
	ledger, err := audit.NewLedger(lnProb(t, 1e-9))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name          string
		first, second audit.Sampler
		claimed       theory.LogProb
	}{
		{"Laplace for 1.2", adding(t, noise.Laplace(), 0, 1.2, 0), adding(t, noise.Laplace(), 1, 1.2, 0), theory.Zero},
		{"Gaussian of an integer for 5", addingInt(noise.Gaussian(), 0, 5, 1e-5), addingInt(noise.Gaussian(), 1, 5, 1e-5),
			lnProb(t, 1e-5)},
	} {
		alarm, err := ledger.Draw(c.name, lnProb(t, 1e-10))
		if err != nil {
			t.Fatal(err)
		}
		r, err := audit.Privacy{
			Plan: audit.Plan{Samples: 1 << 17}, Claim: theory.Approx{Epsilon: 1, LnDelta: c.claimed},
			First: c.first, Second: c.second, Width: 1,
		}.Audit(alarm)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s after %d samples", c.name, r.Verdict, r.Samples)
		if r.Verdict != audit.Violated {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// gaussianDelta is delta(sigma) = Phi(a) - e^epsilon Phi(-b), a = 1/(2 sigma) - epsilon sigma and
// b = 1/(2 sigma) + epsilon sigma, in which e^epsilon phi(b) = phi(a): so the second term is
// phi(a) times Mills' ratio at b, a continued fraction.
func gaussianDelta(epsilon, sigma float64) float64 {
	a, b := 1/(2*sigma)-epsilon*sigma, 1/(2*sigma)+epsilon*sigma
	mills := b
	for k := 300.0; k >= 1; k-- {
		mills = b + k/mills
	}
	return math.Erfc(-a/math.Sqrt2)/2 - math.Exp(-a*a/2)/(math.Sqrt(2*math.Pi)*mills)
}

// SigmaForGaussian(1, 1, 710, 1e-5) is 0 at v3.0.0: e^710 overflows in its delta(sigma), no
// comparison of a NaN with delta holds, and the bisection ends at 0. The calibration here
// works on the logarithmic scale and answers.
func TestCalibrationAtLargeEpsilon(t *testing.T) {
	const delta = 1e-5
	for _, epsilon := range []float64{1, 10, 100, 700, 709, 710, 750, 1000, 10_000} {
		b, err := theory.GaussianFor(theory.Approx{Epsilon: epsilon, LnDelta: lnProb(t, delta)})
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := 1/b.Value.Mu, noise.SigmaForGaussian(1, 1, epsilon, delta)
		t.Logf("epsilon %g: a standard deviation of %.6g here, and %.6g there", epsilon, ours, theirs)
		if enough, less := gaussianDelta(epsilon, ours),
			gaussianDelta(epsilon, ours*(1-1e-6)); !(enough <= delta*(1+1e-8) && less > delta) {
			t.Errorf("epsilon %g: delta is %g at %g and %g a little below", epsilon, enough, ours, less)
		}
		if failed := theirs == 0; failed != (epsilon >= 710) {
			t.Errorf("epsilon %g: the library's standard deviation is %g", epsilon, theirs)
		}
		// Its bisection stops within 1e-3, on the safe side.
		if theirs > 0 && !(theirs >= ours && theirs <= ours*(1+2e-3)) {
			t.Errorf("epsilon %g: %g there and %g here", epsilon, theirs, ours)
		}
	}
	// There a Gaussian answer does not come back: its rejection sampler accepts nothing.
	answered := make(chan float64)
	go func() {
		x, _ := noise.Gaussian().AddNoiseFloat64(0.25, 1, 1, 710, delta)
		answered <- x
	}()
	select {
	case x := <-answered:
		t.Errorf("epsilon 710: the library answers %v", x)
	case <-time.After(2 * time.Second):
	}
}
