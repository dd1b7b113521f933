package theory

import (
	"errors"
	"math"
	"testing"
)

// These tests show the misprints that docs/check/errata.md lists: the literal formula
// fails where the code holds.

// Slides: I^b = O(n epsilon^2 + n sqrt(epsilon delta)) for b = O(n sqrt(delta/
// epsilon)). The published b has exp(-epsilon^2 n) too. Randomized response on n
// fair bits is (epsilon, delta)-private for every delta; the event that all bits
// are kept shows that its I^b is near n epsilon/2 as b falls.
func TestErratumSlidesApproximatePrivacy(t *testing.T) {
	const n, epsilon, delta = 100, 1e-4, 1e-80
	b := n * math.Sqrt(delta/epsilon)
	joint := math.Exp(n * (epsilon - math.Log1p(math.Exp(epsilon)))) // all bits kept
	product := math.Exp2(-n)
	information := math.Log((joint - b) / product)
	literal := n*epsilon*epsilon + n*math.Sqrt(epsilon*delta)
	if information < 0.00499 || information < 1000*literal {
		t.Errorf("I^b >= %g nats, the printed terms sum to %g; want more than a thousand times", information, literal)
	}
	if published := math.Exp(-epsilon * epsilon * n); published < joint {
		t.Errorf("at the published b >= %g the event of probability %g is not covered", published, joint)
	}
}

// Slides: mutual information m gives I^b(k) <= k with b(k) = (m+0.54)/k, not with
// (1/2) log(1/k). Y = S uniform on 2^20 values: the best event is {Y = S}.
func TestErratumSlidesMutualInformation(t *testing.T) {
	const m, k = 20, 0.5
	slack := math.Log2(1/k) / 2
	information := math.Log2((1 - slack) / math.Exp2(-m))
	if information != 19 || information <= k {
		t.Errorf("I^b = %g bits at the printed b = %g, want 19", information, slack)
	}
	for _, k := range []float64{21, 25, 100} { // b(k) < 1
		slack := (m + 0.54) / k
		if information := math.Log2((1 - slack) / math.Exp2(-m)); information > k {
			t.Errorf("k = %g: I^b = %g bits", k, information)
		}
	}
}

// Notes, the step before eq. (4): "for every S' some y has P[Y=y|S=S'] <=
// P[S=S']". A mechanism that always says the same refutes it. What the proof needs
// is that every y has an S' with P[Y=y|S=S'] <= P[Y=y], and the conclusion, a ratio
// of at most e^(epsilon n), holds: randomized response on n fair bits.
func TestErratumMaxInformationProof(t *testing.T) {
	const n, epsilon = 4, 0.7
	keep := 1 / (1 + math.Exp(-epsilon))
	response := func(y, s int) float64 { // P[Y=y|S=s]
		p := 1.0
		for i := range n {
			if (y^s)>>i&1 == 0 {
				p *= keep
			} else {
				p *= 1 - keep
			}
		}
		return p
	}
	constant := func(y, s int) float64 { return 1 }
	limit, err := Pure{Epsilon: epsilon}.Group(n)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		law     func(y, s int) float64
		outputs int
		literal bool // whether the printed claim happens to hold
	}{"constant": {constant, 1, false}, "randomized response": {response, 1 << n, true}} {
		total := func(y int) (sum float64) {
			for s := range 1 << n {
				sum += c.law(y, s) / (1 << n)
			}
			return sum
		}
		literal := true
		for s := range 1 << n {
			found := false
			for y := range c.outputs {
				found = found || c.law(y, s) <= 1./(1<<n)
			}
			literal = literal && found
		}
		if literal != c.literal {
			t.Errorf("%s: the printed claim holds: %v, want %v", name, literal, c.literal)
		}
		for y := range c.outputs {
			below := false
			for s := range 1 << n {
				below = below || c.law(y, s) <= total(y)*(1+1e-12)
				if ratio := math.Log(c.law(y, s) / total(y)); ratio > limit.Value.Epsilon {
					t.Errorf("%s: ln P[y|s]/P[y] = %g exceeds n epsilon = %g", name, ratio, limit.Value.Epsilon)
				}
			}
			if !below {
				t.Errorf("%s: no s has P[%d|s] <= P[%d]", name, y, y)
			}
		}
	}
}

// Notes, Lemma 3.2 (2): (sqrt(32 B ln(2/delta))/(sigma n), delta)-privacy "for any
// delta". At 1/(sigma n) = 0.02, B = 1e6 and delta = 0.5 it claims epsilon = 133.2. A
// neighbour on which each noisy answer is shifted by 1/n has a privacy loss of mean
// B(e-1+exp(-e)) = 198.7, e = 0.02, and variance below B e^2 = 400. By Chebyshev the
// loss exceeds epsilon + 10 with probability p >= 1 - 400/(198.7-143.2)^2, so that
// delta(epsilon) >= p (1 - exp(-10)) > 0.8.
func TestErratumThresholdoutLemma(t *testing.T) {
	const budget, step = 1_000_000, 0.02
	delta, err := Prob(0.5)
	if err != nil {
		t.Fatal(err)
	}
	literal := step * math.Sqrt(32*budget*math.Log(4))
	gap := budget*(step-1+math.Exp(-step)) - literal - 10
	if least := (1 - budget*step*step/(gap*gap)) * -math.Expm1(-10); gap <= 0 || least < 0.8 ||
		math.Abs(literal-133.2) > 0.01 {
		t.Errorf("delta(%.1f) >= %.2f, want at least 0.8 at 133.2", literal, least)
	}
	holdout := Thresholdout{Budget: budget, Scale: 1, Samples: 50}
	if got, err := holdout.Approx(delta); err == nil {
		t.Errorf("Approx returns %+v where the lemma is false", got.Value)
	} else if e := new(NotApplicableError); !errors.As(err, &e) {
		t.Error(err)
	}
	composed, err := holdout.Composition()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := composed.Value.Optimal(delta); err != nil || got.Value.Epsilon < 2*literal {
		t.Errorf("the composition at delta = 0.5 has epsilon = %g, %v; want about 399", got.Value.Epsilon, err)
	}
	// Where Theorem 3.3 uses it, it holds and is what the notes say.
	small := Thresholdout{Budget: 10, Scale: 0.001, Samples: 1_000_000}
	want := math.Sqrt(320*math.Log(4)) / 1000
	if got, err := small.Approx(delta); err != nil || got.Value.Epsilon < want || got.Value.Epsilon > want*(1+1e-9) {
		t.Errorf("Approx = %+v, %v; want epsilon = %g", got.Value, err, want)
	}
}

// Tutorial: weights exp(epsilon u/Delta_u) "give epsilon-privacy". With 100 outcomes
// and utilities (1, 0, ..., 0) against (0, 1, ..., 1) the first outcome's
// probability changes by 7.22 at epsilon = 1. It is 2 epsilon in general.
func TestErratumExponentialMechanism(t *testing.T) {
	const epsilon, outcomes = 1, 100
	first := math.Exp(epsilon) / (math.Exp(epsilon) + outcomes - 1)
	second := 1 / (1 + (outcomes-1)*math.Exp(epsilon))
	ratio := math.Log(first / second)
	got, err := Exponential{Sensitivity: 1, Weight: epsilon}.BoundedRange()
	if err != nil {
		t.Fatal(err)
	}
	if ratio <= epsilon || ratio > got.Value.Epsilon || got.Value.Epsilon != 2*epsilon {
		t.Errorf("the loss is %g and the bound %g; want more than 1 and 2", ratio, got.Value.Epsilon)
	}
}

// Tutorial: "b is the standard deviation or scale". Noise of standard deviation
// Delta/epsilon has the scale Delta/(epsilon sqrt 2).
func TestErratumLaplaceScale(t *testing.T) {
	const epsilon = 0.5
	got, err := Laplace{Sensitivity: 1, Scale: 1 / epsilon / math.Sqrt2}.Pure()
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Sqrt2 * epsilon; got.Value.Epsilon < want*(1-1e-15) || got.Value.Epsilon > want*(1+1e-9) {
		t.Errorf("epsilon = %g at standard deviation 1/epsilon, want %g", got.Value.Epsilon, want)
	}
	// The density e^(-|x|/b)/(2b) has variance int_0^inf x^2 e^(-x/b)/b dx = 2 b^2.
	variance, h := 0.0, 1e-3
	for x := h / 2; x < 60; x += h {
		variance += h * x * x * math.Exp(-x)
	}
	if math.Abs(variance-2) > 1e-6 {
		t.Errorf("Lap(1) has variance %g", variance)
	}
}

// Tutorial: "basic composition gives DP(k, k)".
func TestErratumBasicComposition(t *testing.T) {
	delta, err := ParseLogProb("1e-6")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Composition{Each: Approx{Epsilon: 0.1, LnDelta: delta}, Times: 10}.Basic()
	if err != nil {
		t.Fatal(err)
	}
	total := got.Value.LnDelta.Value()
	if e := got.Value.Epsilon; e < 1 || e > 1+1e-9 || total < 1e-5*(1-1e-12) || total > 1e-5*(1+1e-9) {
		t.Errorf("ten (0.1, 1e-6)-private steps are (%g, %g)-private, want (1, 1e-5)", e, total)
	}
	if (Approx{Epsilon: 10, LnDelta: LogProb(math.Log(10))}).Validate() == nil {
		t.Error("the printed (10, 10) is accepted: delta is above one")
	}
}
