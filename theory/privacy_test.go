package theory

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/internal/vectors"
)

func float(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

// over returns got - want, the difference taken exactly.
func over(got float64, want *big.Float) float64 {
	return float(new(big.Float).SetPrec(400).Sub(new(big.Float).SetFloat64(got), want))
}

// must returns the value of a bound that has at least one source.
func must[T any](t *testing.T) func(Bound[T], error) T {
	t.Helper()
	return func(b Bound[T], err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Sources) == 0 || b.Sources[0].Key == "" {
			t.Fatalf("%+v has no source", b)
		}
		return b.Value
	}
}

// gaussian-profile.csv was computed with at least 120 digits from erfc and
// Laplace's continued fraction, as Q(a) - e^epsilon Q(b).
func TestGaussianProfile(t *testing.T) {
	worst := 0.0
	for _, row := range vectors.Exact(t, "gaussian-profile.csv") {
		mu, epsilon, want := float(row[0]), float(row[1]), float(row[2])
		got := GDP{mu}.LnDelta(epsilon)
		slack := over(got.Ln(), row[2]) / (3e-13 + 0x1p-51*math.Abs(want))
		worst = max(worst, slack)
		if !(slack >= 0 && slack <= 1) {
			t.Errorf("mu = %v, epsilon = %v: ln delta = %.17g, want %.20g (%.3g of the slack)", mu, epsilon, got.Ln(), row[2],
				slack)
		}
		if !got.IsInterior() {
			continue
		}
		// Inverses, at the exact ln delta rounded to float64: the answer is on the safe
		// side of the epsilon or mu that it came from, but for that rounding.
		lnDelta := LogProb(want)
		_, spread := GDP{mu}.profile(epsilon)
		blur := math.Abs(want)*0x1p-50 + 1e-12 // in ln delta
		least := must[Approx](t)(GDP{mu}.Approx(lnDelta)).Epsilon
		if (GDP{mu}).LnDelta(least) > lnDelta {
			t.Errorf("mu = %v, ln delta = %v: delta at epsilon = %v is larger", mu, want, least)
		}
		drop := (GDP{mu}.LnDelta(epsilon) - GDP{mu}.LnDelta(epsilon*(1+1e-6)+mu*1e-6)).Ln() // at least, per step
		if step := epsilon*1e-6 + mu*1e-6; least < epsilon-step*blur/drop || least > epsilon+step*blur/drop+1e-9*epsilon {
			t.Errorf("mu = %v, ln delta = %v: least epsilon = %v, want %v", mu, want, least, epsilon)
		}
		greatest := GaussianMu(epsilon, lnDelta)
		if (GDP{greatest}).LnDelta(epsilon) > lnDelta {
			t.Errorf("epsilon = %v, ln delta = %v: delta at mu = %v is larger", epsilon, want, greatest)
		}
		if tolerance := blur*spread + 1e-10*mu; want > -1e-300 || math.Abs(greatest-mu) > tolerance {
			if want < -1e-300 {
				t.Errorf("epsilon = %v, ln delta = %v: greatest mu = %v, want %v", epsilon, want, greatest, mu)
			}
		}
	}
	t.Logf("largest slack %.3g of the tolerance", worst)
}

// delta falls with epsilon and rises with mu, and the inverses undo it, for any
// argument that a float64 can hold.
func TestGaussianProfileLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 20000 {
		mu := math.Pow(10, -8+11*r.Float64())
		epsilon := mu*mu/2 + mu*math.Pow(10, -2+5*r.Float64())
		if r.IntN(4) == 0 {
			epsilon = math.Pow(10, -12+16*r.Float64())
		}
		delta := GDP{mu}.LnDelta(epsilon)
		if !delta.IsValid() {
			t.Fatalf("mu = %v, epsilon = %v: ln delta = %v", mu, epsilon, delta.Ln())
		}
		noise := LogProb(3e-13 + 0x1p-50*math.Abs(delta.Ln()))
		if more := (GDP{mu}).LnDelta(epsilon * 1.01); more > delta+noise {
			t.Fatalf("mu = %v: delta rises between epsilon = %v and 1%% more: %v, %v", mu, epsilon, delta.Ln(), more.Ln())
		}
		if more := (GDP{mu * 1.01}).LnDelta(epsilon); more < delta-noise {
			t.Fatalf("epsilon = %v: delta falls between mu = %v and 1%% more: %v, %v", epsilon, mu, delta.Ln(), more.Ln())
		}
		goal := LogProb(-math.Pow(10, -9+15*r.Float64()))
		if e := (GDP{mu}).leastEpsilon(goal); (GDP{mu}).LnDelta(e) > goal {
			t.Fatalf("mu = %v, ln delta = %v: epsilon = %v has more", mu, goal.Ln(), e)
		} else if e > 1e-6*mu && (GDP{mu}).LnDelta(e*(1-1e-9)-1e-9*mu) <= goal {
			t.Fatalf("mu = %v, ln delta = %v: epsilon = %v is not the least", mu, goal.Ln(), e)
		}
		if m := GaussianMu(epsilon, goal); !(m > 0) || (GDP{m}).LnDelta(epsilon) > goal {
			t.Fatalf("epsilon = %v, ln delta = %v: mu = %v has more", epsilon, goal.Ln(), m)
		} else if (GDP{m * (1 + 1e-9)}).LnDelta(epsilon) <= goal {
			t.Fatalf("epsilon = %v, ln delta = %v: mu = %v is not the greatest", epsilon, goal.Ln(), m)
		}
	}
}

var oddFloats = []float64{
	0, math.Copysign(0, -1), 5e-324, 1e-310, 1e-200, 1e-8, 1, 40, 1e8, 1e150, 1e154, 1e160, 1e300, math.MaxFloat64,
	-5e-324, -1, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
}

// No argument whatever makes a NaN, an infinity or a hang.
func TestGaussianProfileAnyFloat(t *testing.T) {
	for _, mu := range oddFloats {
		for _, x := range oddFloats {
			d := GDP{mu}.LnDelta(x)
			if !d.IsValid() || d == Zero {
				t.Errorf("mu = %v, epsilon = %v: ln delta = %v", mu, x, d.Ln())
			}
			if invalid := !(mu > 0 && mu < math.Inf(1) && x >= 0 && x < math.Inf(1)); invalid && d != 0 {
				t.Errorf("mu = %v, epsilon = %v: delta = %v outside the domain, want 1", mu, x, d)
			}
			for _, y := range []float64{-math.MaxFloat64, -1e300, -1e6, -1, -1e-9, -1e-300, -5e-324} {
				if m := GaussianMu(x, LogProb(y)); !(m >= 0 && m <= math.MaxFloat64) || m > 0 && (GDP{m}).LnDelta(x) > LogProb(y) {
					t.Errorf("GaussianMu(%v, %v) = %v", x, y, m)
				}
				a, err := GDP{mu}.Approx(LogProb(y))
				if err == nil && !(a.Value.Epsilon >= 0 && a.Value.Epsilon <= math.MaxFloat64 &&
					(GDP{mu}).LnDelta(a.Value.Epsilon) <= LogProb(y)) {
					t.Errorf("mu = %v, ln delta = %v: %+v", mu, y, a.Value)
				}
			}
		}
		if m := GaussianMu(1, LogProb(math.Abs(mu))); mu != 0 && m != 0 {
			t.Errorf("GaussianMu(1, %v) = %v, want 0", math.Abs(mu), m)
		}
	}
}

// At tiny mu delta is mu phi(0) times what the third derivative takes; below the
// smallest normal number too.
func TestGaussianProfileTinyMu(t *testing.T) {
	for _, mu := range []float64{1e-8, 1e-100, 1e-200, 1e-300, 5e-324} {
		fraction, exponent := math.Frexp(mu)
		lnMu := math.Log(fraction) + float64(exponent)*math.Ln2
		want := lnMu - lnSqrt2Pi
		if got := (GDP{mu}).LnDelta(0).Ln(); got < want-1e-13 || got > want+1e-9+mu {
			t.Errorf("mu = %v: ln delta(0) = %v, want %v", mu, got, want)
		}
		// epsilon = 2 mu: phi(2) - 2 Q(2) = 0.0084907...
		if mu > 1e-300 {
			want := lnMu + math.Log(0.0084907026168296375)
			if got := (GDP{mu}).LnDelta(2 * mu).Ln(); math.Abs(got-want) > 1e-7 {
				t.Errorf("mu = %v: ln delta(2 mu) = %v, want %v", mu, got, want)
			}
		}
	}
}

func TestConversions(t *testing.T) {
	up := func(name string, got, want, slack float64) {
		t.Helper()
		if !(got >= want && got <= want*(1+slack)) {
			t.Errorf("%s = %.17g, want %.17g", name, got, want)
		}
	}
	// Values of epsilon tanh(epsilon/2) to 17 digits, rounded down.
	up("rho(1)", must[ZCDP](t)(Pure{1}.ZCDP()).Rho, 0.46211715726000975, 1e-14)
	up("rho(0.125)", must[ZCDP](t)(Pure{0.125}.ZCDP()).Rho, 0.0078023433434390643, 1e-14)
	up("rho(40)", must[ZCDP](t)(Pure{40}.ZCDP()).Rho, 40, 1e-14)
	up("bounded range rho", must[ZCDP](t)(BoundedRange{2}.ZCDP()).Rho, 0.5, 1e-14)
	up("bounded range epsilon", must[Pure](t)(BoundedRange{2}.Pure()).Epsilon, 2, 0)
	up("GDP rho", must[ZCDP](t)(GDP{3}.ZCDP()).Rho, 4.5, 0)
	// 0.5 + 2 sqrt(0.5 10^6)
	up("zCDP epsilon", must[Approx](t)(ZCDP{0.5}.Approx(-1e6)).Epsilon, 1414.7135623730950488, 1e-14)
	up("zCDP epsilon at delta = 1", must[Approx](t)(ZCDP{0.5}.Approx(0)).Epsilon, 0.5, 1e-14)
	if a := (Pure{0.3}).Approx(); a != (Approx{0.3, Zero}) || a.Validate() != nil {
		t.Errorf("Pure{0.3}.Approx() = %v", a)
	}

	up("group pure", must[Pure](t)(Pure{0.5}.Group(6)).Epsilon, 3, 0)
	up("group zCDP", must[ZCDP](t)(ZCDP{0.5}.Group(6)).Rho, 18, 0)
	up("group GDP", must[GDP](t)(GDP{0.5}.Group(6)).Mu, 3, 0)
	// delta (e^1.5-1)/(e^0.5-1) = delta (1 + e^0.5 + e^1)
	a := must[Approx](t)(Approx{0.5, -1e6}.Group(3))
	if want := -1e6 + math.Log(1+math.Exp(0.5)+math.E); a.Epsilon != 1.5 || a.LnDelta.Ln() < want ||
		a.LnDelta.Ln() > want+1e-9 {
		t.Errorf("group approx = %v, want (1.5, %v)", a, want)
	}
	for _, c := range []struct {
		in   Approx
		g    int64
		want Approx
	}{
		{Approx{0, -2}, 1, Approx{0, -2}},
		{Approx{0, -2}, 1000, Approx{0, 0}}, // delta reaches one
		{Approx{0.5, Zero}, 4, Approx{2, Zero}},
		{Approx{700, -10}, 2, Approx{1400, 0}},
		{Approx{0.5, -3}, 1, Approx{0.5, -3}},
	} {
		if got := must[Approx](t)(c.in.Group(c.g)); got != c.want {
			t.Errorf("%v.Group(%d) = %v, want %v", c.in, c.g, got, c.want)
		}
	}
}

// Every order of the Renyi divergence of randomized response lies below a rho, and
// rho is the limit at a = 1: the conversion is the best one.
func TestPureToZCDPIsTight(t *testing.T) {
	lnCosh := func(x float64) float64 { return x + math.Log1p(math.Exp(-2*x)) - math.Ln2 }
	for _, epsilon := range []float64{0.01, 0.1, 0.5, 1, 2, 5, 20} {
		rho := must[ZCDP](t)(Pure{epsilon}.ZCDP()).Rho
		most := 0.0
		for j := -30; j <= 60; j++ {
			a := 1 + math.Pow(2, float64(j)/3)
			d := (lnCosh((a-0.5)*epsilon) - lnCosh(epsilon/2)) / (a - 1)
			most = math.Max(most, d/a)
		}
		if most > rho*(1+1e-9) || most < rho*(1-2e-3) {
			t.Errorf("epsilon = %v: sup D_a/a = %v, rho = %v", epsilon, most, rho)
		}
	}
}

// A GDP mechanism's curve and the one that its zCDP gives: the detour is never
// below.
func TestDetourThroughZCDP(t *testing.T) {
	for _, mu := range []float64{0.01, 0.3, 1, 5} {
		for _, delta := range []LogProb{-1, -10, -100, -1e6} {
			direct := must[Approx](t)(GDP{mu}.Approx(delta))
			detour := must[Approx](t)(must[ZCDP](t)(GDP{mu}.ZCDP()).Approx(delta))
			if direct.Epsilon > detour.Epsilon {
				t.Errorf("mu = %v, delta = %v: %v above %v", mu, delta, direct.Epsilon, detour.Epsilon)
			}
		}
	}
}

// checkDomain fails unless call refuses each bad value with a DomainError.
func checkDomain(t *testing.T, name string, bad []float64, call func(float64) error) {
	t.Helper()
	for _, x := range bad {
		if e := new(DomainError); !errors.As(call(x), &e) {
			t.Errorf("%s at %v: error %v, want a DomainError", name, x, call(x))
		}
	}
}

var (
	notPositive    = []float64{0, math.Copysign(0, -1), -1, -5e-324, math.Inf(1), math.Inf(-1), math.NaN()}
	negative       = []float64{-1, -5e-324, math.Inf(1), math.Inf(-1), math.NaN()}
	notProbability = []float64{1e-300, 1, math.Inf(1), math.NaN()} // as logarithms
	notCount       = []float64{0, -1, math.MinInt64}
)

func errorOf[T any](_ Bound[T], err error) error { return err }

func TestPrivacyDomains(t *testing.T) {
	type named struct {
		name string
		bad  []float64
		call func(float64) error
	}
	for _, c := range []named{
		{"Pure.ZCDP", notPositive, func(x float64) error { return errorOf(Pure{x}.ZCDP()) }},
		{"Pure.Group", notPositive, func(x float64) error { return errorOf(Pure{x}.Group(2)) }},
		{"Pure.Group size", notCount, func(x float64) error { return errorOf(Pure{1}.Group(int64(x))) }},
		{"BoundedRange.Pure", notPositive, func(x float64) error { return errorOf(BoundedRange{x}.Pure()) }},
		{"BoundedRange.ZCDP", notPositive, func(x float64) error { return errorOf(BoundedRange{x}.ZCDP()) }},
		{"Approx.Validate", negative, func(x float64) error { return Approx{x, -1}.Validate() }},
		{"Approx.Validate delta", notProbability, func(x float64) error { return Approx{1, LogProb(x)}.Validate() }},
		{"Approx.Group", negative, func(x float64) error { return errorOf(Approx{x, -1}.Group(2)) }},
		{"Approx.Group size", notCount, func(x float64) error { return errorOf(Approx{1, -1}.Group(int64(x))) }},
		{"ZCDP.Approx", notPositive, func(x float64) error { return errorOf(ZCDP{x}.Approx(-1)) }},
		{"ZCDP.Approx delta", notProbability, func(x float64) error { return errorOf(ZCDP{1}.Approx(LogProb(x))) }},
		{"ZCDP.Group", notPositive, func(x float64) error { return errorOf(ZCDP{x}.Group(2)) }},
		{"ZCDP.Group size", notCount, func(x float64) error { return errorOf(ZCDP{1}.Group(int64(x))) }},
		{"GDP.ZCDP", notPositive, func(x float64) error { return errorOf(GDP{x}.ZCDP()) }},
		{"GDP.Group", notPositive, func(x float64) error { return errorOf(GDP{x}.Group(2)) }},
		{"GDP.Group size", notCount, func(x float64) error { return errorOf(GDP{1}.Group(int64(x))) }},
		{"GDP.Approx", notPositive, func(x float64) error { return errorOf(GDP{x}.Approx(-1)) }},
		{"GDP.Approx delta", notProbability, func(x float64) error { return errorOf(GDP{1}.Approx(LogProb(x))) }},
		{"GaussianFor", negative, func(x float64) error { return errorOf(GaussianFor(Approx{x, -1})) }},
		{"GaussianFor delta", append([]float64{0, math.Inf(-1)}, notProbability...),
			func(x float64) error { return errorOf(GaussianFor(Approx{1, LogProb(x)})) }},
	} {
		checkDomain(t, c.name, c.bad, c.call)
	}
	for name, err := range map[string]error{
		"GDP.Approx":  errorOf(GDP{1}.Approx(Zero)),
		"ZCDP.Approx": errorOf(ZCDP{1}.Approx(Zero)),
	} {
		if e := new(NotApplicableError); !errors.As(err, &e) {
			t.Errorf("%s at delta = 0: error %v, want NotApplicable", name, err)
		}
	}
	const huge = math.MaxFloat64
	for name, err := range map[string]error{
		"Pure.Group":        errorOf(Pure{huge}.Group(2)),
		"BoundedRange.ZCDP": errorOf(BoundedRange{huge}.ZCDP()),
		"Approx.Group":      errorOf(Approx{huge, -1}.Group(2)),
		"ZCDP.Group":        errorOf(ZCDP{huge}.Group(2)),
		"GDP.Group":         errorOf(GDP{huge}.Group(2)),
		"GDP.ZCDP":          errorOf(GDP{huge}.ZCDP()),
		"GDP.Approx":        errorOf(GDP{huge}.Approx(-1)),
		"GaussianFor":       errorOf(GaussianFor(Approx{0, -1e6})),
	} {
		if e := new(NoAnswerError); !errors.As(err, &e) {
			t.Errorf("%s beyond float64: error %v, want NoAnswer", name, err)
		}
	}
}

// The rounded operations against exact arithmetic: never below, and within one unit
// in the last place.
func TestRoundedOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(x) }
	check := func(name string, got float64, cmp func(float64) int) {
		t.Helper()
		if cmp(got) < 0 || got > 1e-280 && cmp(math.Nextafter(got, 0)) >= 0 {
			t.Fatalf("%s = %v is not the least float64 above", name, got)
		}
	}
	for range 5000 {
		a, b := math.Pow(10, 120*r.NormFloat64()/2), math.Pow(10, 120*r.NormFloat64()/2)
		if p := a * b; p > 1e-320 && p < 1e300 {
			want := new(big.Float).SetPrec(4000).Mul(exact(a), exact(b))
			check("mulUp", mulUp(a, b), func(x float64) int { return exact(x).Cmp(want) })
		}
		if q := a / b; q > 1e-320 && q < 1e300 {
			check("divUp", divUp(a, b),
				func(x float64) int { return new(big.Float).SetPrec(4000).Mul(exact(x), exact(b)).Cmp(exact(a)) })
		}
		if a < 1e300 && b < 1e300 {
			want := new(big.Float).SetPrec(4000).Add(exact(a), exact(b))
			check("addUp", addUp(a, b), func(x float64) int { return exact(x).Cmp(want) })
		}
		if a > 1e-250 {
			check("sqrtUp", sqrtUp(a),
				func(x float64) int { return new(big.Float).SetPrec(4000).Mul(exact(x), exact(x)).Cmp(exact(a)) })
		}
	}
	for _, n := range []int64{1, 1 << 53, 1<<53 + 1, 1<<62 - 1, math.MaxInt64 - 1, math.MaxInt64} {
		check("floatUp", floatUp(n), func(x float64) int { return exact(x).Cmp(new(big.Float).SetPrec(64).SetInt64(n)) })
	}
}

func BenchmarkLnDelta(b *testing.B) {
	for _, c := range []struct {
		name        string
		mu, epsilon float64
	}{{"difference", 1, 2}, {"integral", 0.05, 0.1}, {"complement", 20, 1}} {
		b.Run(c.name, func(b *testing.B) {
			g := GDP{c.mu}
			for b.Loop() {
				g.LnDelta(c.epsilon)
			}
		})
	}
}

func BenchmarkGDPApprox(b *testing.B) {
	g := GDP{0.1}
	for b.Loop() {
		g.Approx(-20)
	}
}

func BenchmarkGaussianMu(b *testing.B) {
	for b.Loop() {
		GaussianMu(0.1, -20)
	}
}

// The mu of epsilon-privacy puts the vertex of its trade-off curve on the curve of mu-GDP: ln P[N > mu/2] =
// -ln(1+e^epsilon), from above and within 1e-9. The last value is mpmath's: 2*sqrt(2)*erfinv(2/(1+exp(-mpf(e)))-1) at
// 30 digits.
func TestPureIsGDP(t *testing.T) {
	for epsilon := 1e-12; epsilon < 1e5; epsilon *= 1.7 {
		b, err := Pure{Epsilon: epsilon}.GDP()
		if err != nil {
			t.Fatal(err)
		}
		mu := b.Value.Mu
		if epsilon < 1e-4 { // sqrt(pi/2) epsilon (1 - (1/12 - pi/48) epsilon^2 ...)
			want := math.Sqrt(math.Pi/2) * epsilon
			if mu < want*(1-epsilon*epsilon) || mu > want*(1+1e-9) {
				t.Errorf("epsilon %g: mu = %.17g, want %.17g", epsilon, mu, want)
			}
			continue
		}
		vertex := -epsilon - math.Log1p(math.Exp(-epsilon))
		slope := 1 + mu/2 // of ln P[N > x], at most x + 1 in size
		if gap := vertex - num.LogSurvival(mu/2); gap < -2e-13 || gap > slope*(1e-9*mu)+2e-13*slope {
			t.Errorf("epsilon %g: mu = %.17g is off by %g in the logarithm", epsilon, mu, gap)
		}
	}
	b, err := Pure{Epsilon: 1}.GDP()
	if want := 1.23203538534490097; err != nil || math.Abs(b.Value.Mu-want) > 1e-9 {
		t.Errorf("epsilon 1: %.12g, %v, want %.12g", b.Value.Mu, err, want)
	}
	if _, err := (Pure{}).GDP(); err == nil {
		t.Error("epsilon 0 passes")
	}
}
