package theory

import (
	"errors"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/vectors"
)

// bigExp returns e^x with 120 digits.
func bigExp(x *big.Float) *big.Float { return bigBy(decimals.Number.Exp, x) }

// bigLn returns ln x with 120 digits.
func bigLn(x *big.Float) *big.Float { return bigBy(decimals.Number.Ln, x) }

func bigBy(f func(decimals.Number) decimals.Number, x *big.Float) *big.Float {
	y, _, err := big.ParseFloat(f(decimals.Digits(120).Parse(x.Text('e', 110))).Text('e'), 10, 400, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return y
}

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

func bigOp(op func(z, x, y *big.Float) *big.Float, x, y *big.Float) *big.Float {
	return op(new(big.Float).SetPrec(400), x, y)
}

// bruteForceDelta enumerates all outputs of c.Times leaky randomized responses: each
// step tells the truth outright with probability delta, and else answers with
// randomized response. It returns delta(epsilon) = sum over outputs of
// (P0 - e^epsilon P1)^+.
func bruteForceDelta(c Composition, epsilon float64) *big.Float {
	add, sub, mul, quo := (*big.Float).Add, (*big.Float).Sub, (*big.Float).Mul, (*big.Float).Quo
	zero, one := bigOf(0), bigOf(1)
	delta := zero
	if c.Each.LnDelta != Zero {
		delta = bigExp(bigOf(c.Each.LnDelta.Ln()))
	}
	e := bigExp(bigOf(c.Each.Epsilon))
	lie := bigOp(quo, bigOp(sub, one, delta), bigOp(add, one, e))
	truth := bigOp(mul, lie, e)
	// Outputs 0 and 1 are answers, 2 and 3 the leaked bit.
	laws := [2][4]*big.Float{{truth, lie, delta, zero}, {lie, truth, zero, delta}}
	total, factor := zero, bigExp(bigOf(epsilon))
	var walk func(step int64, p0, p1 *big.Float)
	walk = func(step int64, p0, p1 *big.Float) {
		if step == c.Times {
			if d := bigOp(sub, p0, bigOp(mul, factor, p1)); d.Sign() > 0 {
				total = bigOp(add, total, d)
			}
			return
		}
		for out := range 4 {
			if laws[0][out].Sign() > 0 { // an output with P0 = 0 adds nothing
				walk(step+1, bigOp(mul, p0, laws[0][out]), bigOp(mul, p1, laws[1][out]))
			}
		}
	}
	walk(0, one, one)
	return total
}

// oneSided fails unless ln want <= got <= ln want + 1e-14 + 2^-49 |ln want|.
func oneSided(t *testing.T, got LogProb, lnWant *big.Float) {
	t.Helper()
	d := over(got.Ln(), lnWant)
	if !(d >= -1e-100 && d <= 1e-14+0x1p-49*math.Abs(float(lnWant))) { // the oracle has 110 digits
		t.Errorf("ln delta = %.17g, want %.20g (%.3g above)", got.Ln(), lnWant, d)
	}
}

// isLeast fails unless every epsilon that is smaller by a billionth has a delta that
// is larger, or equal up to rounding: the curve has flat pieces.
func isLeast(t *testing.T, c Composition, epsilon float64, total LogProb) {
	t.Helper()
	smaller := must[LogProb](t)(c.OptimalDelta(math.Max(0, epsilon*(1-1e-9))))
	if noise := 1e-13 + 0x1p-48*math.Abs(total.Ln()); epsilon > 0 && smaller.Ln() < total.Ln()-noise {
		t.Fatalf("%+v: epsilon = %v at %v is not the least: a smaller one has %v", c, epsilon, total, smaller)
	}
}

func TestOptimalAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for trial := range 120 {
		c := Composition{Each: Approx{math.Pow(10, -3+4*r.Float64()), LogProb(-math.Pow(10, -1+3*r.Float64()))},
			Times: 1 + r.Int64N(6)}
		if trial%3 == 0 {
			c.Each.LnDelta = Zero
		}
		epsilon := r.Float64() * c.Each.Epsilon * float64(c.Times) * 1.05
		if trial%10 == 0 {
			epsilon = 0
		}
		want := bruteForceDelta(c, epsilon)
		got := must[LogProb](t)(c.OptimalDelta(epsilon))
		if want.Sign() == 0 {
			if got != Zero {
				t.Errorf("%+v at %v: delta = %v, want 0", c, epsilon, got)
			}
			continue
		}
		lnWant := bigLn(want)
		oneSided(t, got, lnWant)
		if t.Failed() {
			t.Fatalf("%+v at epsilon = %v", c, epsilon)
		}
		// The way back: at delta(epsilon), rounded up, no more than epsilon.
		back := must[Approx](t)(c.Optimal(got))
		if got == 0 {
			continue
		}
		isLeast(t, c, back.Epsilon, got)
		if back.LnDelta != got {
			t.Fatalf("%+v: asked for %v, got %v", c, got, back)
		}
		if exact := bruteForceDelta(c, back.Epsilon); float(bigLn(exact)) > got.Ln() {
			t.Fatalf("%+v: delta at %v is %v, above %v", c, back.Epsilon, exact, got)
		}
	}
}

// A few units in the last place around a vertex decide between two segments; either
// way the answer is valid.
func TestOptimalAroundVertices(t *testing.T) {
	for _, c := range []Composition{
		{Approx{100, Zero}, 3}, {Approx{100, Zero}, 4}, {Approx{30, -1e-3}, 4}, {Approx{1, Zero}, 5}, {Approx{1, -7}, 4},
		{Approx{1e-3, Zero}, 4}, {Approx{20, -40}, 1},
	} {
		for v := range must[iter.Seq[Approx]](t)(c.OptimalCurve()) {
			if v.LnDelta == Zero {
				continue
			}
			for ulps := -12; ulps <= 12; ulps++ {
				total := v.LnDelta * LogProb(1+float64(ulps)*0x1p-52)
				a, err := c.Optimal(total)
				if errors.As(err, new(*NoAnswerError)) && ulps > 0 || total == 0 {
					continue // below 1 - (1-delta)^k, or delta = 1
				}
				epsilon := must[Approx](t)(a, err).Epsilon
				if exact := bruteForceDelta(c, epsilon); exact.Sign() > 0 && over(total.Ln(), bigLn(exact)) < -1e-100 {
					t.Errorf("%+v at %d ulps from the vertex %v: epsilon = %v has more", c, ulps, v, epsilon)
				}
			}
		}
	}
}

func TestOptimalCurveAgainstEnumeration(t *testing.T) {
	for _, c := range []Composition{
		{Approx{0.3, Zero}, 1}, {Approx{0.3, Zero}, 6}, {Approx{0.3, -5}, 5}, {Approx{1e-4, -30}, 6}, {Approx{5, -0.1}, 4},
		{Approx{100, -200}, 3},
	} {
		i := int64(0)
		for v := range must[iter.Seq[Approx]](t)(c.OptimalCurve()) {
			n := float64(c.Times - 2*i)
			if exact := bigOp((*big.Float).Mul, bigOf(n), bigOf(c.Each.Epsilon)); over(v.Epsilon, exact) < 0 ||
				v.Epsilon > n*c.Each.Epsilon*(1+1e-15) {
				t.Errorf("%+v: vertex %d at %v", c, i, v.Epsilon)
			}
			// The exact vertex; (k-2i) epsilon is not always a float64.
			if v.Epsilon == n*c.Each.Epsilon && math.FMA(n, c.Each.Epsilon, -v.Epsilon) == 0 {
				if want := bruteForceDelta(c, v.Epsilon); want.Sign() == 0 {
					if v.LnDelta != Zero {
						t.Errorf("%+v: delta_%d = %v, want 0", c, i, v.LnDelta)
					}
				} else {
					oneSided(t, v.LnDelta, bigLn(want))
				}
			}
			i++
		}
		if i != c.Times/2+1 {
			t.Errorf("%+v: %d vertices, want %d", c, i, c.Times/2+1)
		}
	}
}

// composition-optimal.csv is an independent computation with 40 digits, of the
// decimal epsilon and delta, which are not quite the float64 ones.
func TestOptimalVectors(t *testing.T) {
	for _, row := range vectors.Exact(t, "composition-optimal.csv") {
		delta := Zero
		if row[1].Sign() > 0 {
			delta = LogProb(float(bigLn(row[1])))
		}
		c := Composition{Each: Approx{float(row[0]), delta}, Times: int64(float(row[2]))}
		found := false
		for v := range must[iter.Seq[Approx]](t)(c.OptimalCurve()) {
			if math.Abs(v.Epsilon-float(row[3])) > 1e-12 {
				continue
			}
			found = true
			if want := float(row[4]); want == 0 && v.LnDelta != Zero || want > 0 && math.Abs(v.LnDelta.Value()/want-1) > 1e-13 {
				t.Errorf("%+v: delta at %v is %v, want %v", c, row[3], v.LnDelta, row[4])
			}
		}
		if !found {
			t.Errorf("%+v: no vertex at %v", c, row[3])
		}
	}
}

// composition-large.csv is the sum over lies itself, with 60 digits.
func TestOptimalLarge(t *testing.T) {
	for _, row := range vectors.Exact(t, "composition-large.csv") {
		c := Composition{Each: Approx{float(row[0]), Zero}, Times: int64(float(row[2]))}
		if row[1] != nil {
			c.Each.LnDelta = LogProb(float(row[1]))
		}
		epsilon := float(row[3])
		got := must[LogProb](t)(c.OptimalDelta(epsilon))
		want := float(row[4])
		if d := over(got.Ln(), row[4]); !(d >= 0 && d <= 1e-14+0x1p-50*math.Abs(want)) {
			t.Errorf("%+v at %v: ln delta = %.17g, want %.20g (%.3g)", c, epsilon, got.Ln(), row[4], d)
		}
		if got == 0 {
			continue
		}
		back := must[Approx](t)(c.Optimal(got)).Epsilon
		isLeast(t, c, back, got)
		if again := must[LogProb](t)(c.OptimalDelta(back)); again > got+LogProb(1e-13+0x1p-49*math.Abs(want)) {
			t.Errorf("%+v: delta at %v is %v, above %v", c, back, again.Ln(), got.Ln())
		}
	}
}

func TestCompositionLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 300 {
		c := Composition{
			Each:  Approx{math.Pow(10, -4+4.5*r.Float64()), LogProb(-math.Pow(10, 1+5*r.Float64()))},
			Times: int64(math.Pow(10, 3*r.Float64())),
		}
		if r.IntN(3) == 0 {
			c.Each.LnDelta = Zero
		}
		total := LogProb(-math.Pow(10, -2+4*r.Float64()))
		basic := must[Approx](t)(c.Basic())
		if one := c.Each.LnDelta; basic.LnDelta < one || basic.Epsilon < c.Each.Epsilon {
			t.Fatalf("%+v: basic composition %v costs less than a part", c, basic)
		}
		if basic.LnDelta < 0 { // k epsilon at k delta is on or above the exact curve
			if o := must[Approx](t)(c.Optimal(basic.LnDelta)); o.Epsilon > basic.Epsilon {
				t.Fatalf("%+v: optimal %v above basic %v", c, o, basic)
			}
		}
		advanced, err := c.Advanced(total)
		if err != nil {
			if basic.LnDelta < total {
				t.Fatalf("%+v at %v: %v", c, total, err)
			}
			continue
		}
		optimal := must[Approx](t)(c.Optimal(total))
		if optimal.Epsilon > advanced.Value.Epsilon || optimal.Epsilon > basic.Epsilon {
			t.Fatalf("%+v at %v: optimal %v above advanced %v or basic %v", c, total, optimal, advanced.Value, basic)
		}
		if c.Each.LnDelta == Zero { // zCDP is another valid way
			z := must[ZCDP](t)(must[ZCDP](t)(Pure{c.Each.Epsilon}.ZCDP()).Repeat(c.Times))
			if a := must[Approx](t)(z.Approx(total)); optimal.Epsilon > a.Epsilon {
				t.Fatalf("%+v at %v: optimal %v above zCDP %v", c, total, optimal, a)
			}
		}
		more := Composition{Each: c.Each, Times: c.Times + 1}
		if total >= more.ownDelta() {
			if o := must[Approx](t)(more.Optimal(total)); o.Epsilon < optimal.Epsilon*(1-1e-9)-1e-12 {
				t.Fatalf("%+v at %v: one more step needs %v, less than %v", c, total, o.Epsilon, optimal.Epsilon)
			}
		}
		last := Approx{math.Inf(1), Zero}
		for v := range must[iter.Seq[Approx]](t)(c.OptimalCurve()) {
			if v.Epsilon >= last.Epsilon || v.LnDelta < last.LnDelta {
				t.Fatalf("%+v: the curve turns at %v after %v", c, v, last)
			}
			last = v
		}
	}
}

func TestAdvanced(t *testing.T) {
	delta := LogProb(math.Log(1e-6))
	// k = 100, epsilon = 0.1, d' = e^-20: 0.1 sqrt(4000) + 10 tanh(0.05).
	got := must[Approx](t)(Composition{Approx{0.1, Zero}, 100}.Advanced(-20))
	if want := 6.8241390699155583; got.Epsilon < want || got.Epsilon > want*(1+1e-9) || got.LnDelta != -20 {
		t.Errorf("advanced = %v, want (%v, e^-20)", got, want)
	}
	// With delta = 1e-6 a total of 3e-4 leaves d' = 2e-4.
	got = must[Approx](t)(Composition{Approx{0.1, delta}, 100}.Advanced(LogProb(math.Log(3e-4))))
	if want := 0.1*math.Sqrt(200*math.Log(5e3)) + 10*math.Tanh(0.05); got.Epsilon < want*(1-1e-14) ||
		got.Epsilon > want*(1+1e-9) {
		t.Errorf("advanced = %v, want %v", got, want)
	}
	for _, total := range []LogProb{Zero, delta, LogProb(math.Log(1e-4))} {
		_, err := Composition{Approx{0.1, delta}, 100}.Advanced(total)
		if e := new(NotApplicableError); !errors.As(err, &e) || e.Source.Key != "dwork10boosting" {
			t.Errorf("total = %v: error %v, want NotApplicable", total, err)
		}
	}
}

func TestOptimalEnds(t *testing.T) {
	pure := Composition{Approx{0.25, Zero}, 8}
	if got := must[Approx](t)(pure.Optimal(Zero)); got != (Approx{2, Zero}) {
		t.Errorf("at delta = 0: %v, want (2, 0)", got)
	}
	if got := must[Approx](t)(pure.Optimal(0)); got != (Approx{0, 0}) {
		t.Errorf("at delta = 1: %v, want (0, 1)", got)
	}
	if got := must[Approx](t)(pure.Optimal(-0.1)); got.Epsilon != 0 {
		t.Errorf("at a delta above the total variation: %v, want epsilon 0", got)
	}
	leaky := Composition{Approx{0.25, -50}, 8}
	top := must[LogProb](t)(leaky.OptimalDelta(2))
	if got := must[Approx](t)(leaky.Optimal(top)); got.Epsilon < 2-1e-9 || got.Epsilon > 2 {
		t.Errorf("at 1 - (1-delta)^k: %v, want epsilon 2", got)
	}
	for _, total := range []LogProb{Zero, -50, top - 1e-9} {
		if _, err := leaky.Optimal(total); !errors.As(err, new(*NoAnswerError)) {
			t.Errorf("at total = %v: error %v, want NoAnswer", total, err)
		}
	}
	// 1 - (1-delta)^k does not cancel at any size: k delta - k(k-1) delta^2/2 + ...
	if got := must[LogProb](t)(Composition{Approx{1, -1e6},
		100000}.OptimalDelta(1e5)); math.Abs(got.Ln()-(-1e6+math.Log(1e5))) > 1e-9 {
		t.Errorf("ln(1-(1-delta)^k) = %v", got.Ln())
	}
	if got := must[LogProb](t)(Composition{Approx{1, 0}, 10}.OptimalDelta(10)); got != 0 {
		t.Errorf("delta = 1 composes to %v", got)
	}
	// A mechanism that only leaks.
	still := Composition{Approx{0, -3}, 5}
	own := math.Log(-math.Expm1(5 * math.Log1p(-math.Exp(-3))))
	if got := must[Approx](t)(still.Optimal(-0.5)); got.Epsilon != 0 {
		t.Errorf("epsilon = 0 composes to %v", got)
	}
	if got := must[LogProb](t)(still.OptimalDelta(0)); got.Ln() < own-1e-15 || got.Ln() > own+1e-13 {
		t.Errorf("epsilon = 0 composes to ln delta = %v, want %v", got.Ln(), own)
	}
}

func TestComposeLists(t *testing.T) {
	if got := must[ZCDP](t)(ZCDP{0.5}.Repeat(7)); got.Rho != 3.5 {
		t.Errorf("rho = %v, want 3.5", got)
	}
	if got := must[GDP](t)(ComposeGDP(GDP{3}, GDP{4})); got.Mu < 5 || got.Mu > 5*(1+1e-14) {
		t.Errorf("mu = %v, want 5", got)
	}
	if got := must[GDP](t)(ComposeGDP(GDP{3e200}, GDP{4e200}, GDP{1e-200})); got.Mu < 5e200 || got.Mu > 5e200*(1+1e-14) {
		t.Errorf("mu = %v, want 5e200", got)
	}
	if got := must[GDP](t)(ComposeGDP(GDP{0.1})); got.Mu != 0.1 {
		t.Errorf("mu = %v, want 0.1", got)
	}
	if got := must[GDP](t)(GDP{0.5}.Repeat(16)); got.Mu != 2 {
		t.Errorf("mu = %v, want 2", got)
	}
	r := rand.New(rand.NewPCG(35, 36))
	for range 500 {
		mu2 := bigOf(0)
		var gs []GDP
		for range 1 + r.IntN(20) {
			x := math.Pow(10, -3+4*r.Float64())
			gs = append(gs, GDP{x})
			mu2 = bigOp((*big.Float).Add, mu2, bigOp((*big.Float).Mul, bigOf(x), bigOf(x)))
		}
		mu := new(big.Float).SetPrec(400).Sqrt(mu2)
		if d := over(must[GDP](t)(ComposeGDP(gs...)).Mu, mu) / float(mu); !(d >= 0 && d < 1e-13) {
			t.Fatalf("%v: root of squares off by %g", gs, d)
		}
	}
}

func TestComposeDomains(t *testing.T) {
	ways := map[string]func(Composition) error{
		"Basic":        func(c Composition) error { return errorOf(c.Basic()) },
		"Advanced":     func(c Composition) error { return errorOf(c.Advanced(-1)) },
		"Optimal":      func(c Composition) error { return errorOf(c.Optimal(-1)) },
		"OptimalDelta": func(c Composition) error { return errorOf(c.OptimalDelta(1)) },
		"OptimalCurve": func(c Composition) error { return errorOf(c.OptimalCurve()) },
	}
	good := Approx{0.1, -30}
	for name, way := range ways {
		if err := way(Composition{good, 3}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if way(Composition{}) == nil {
			t.Errorf("%s accepts the zero value", name)
		}
		checkDomain(t, name+" epsilon", negative, func(x float64) error { return way(Composition{Approx{x, -30}, 3}) })
		checkDomain(t, name+" delta", notProbability,
			func(x float64) error { return way(Composition{Approx{0.1, LogProb(x)}, 3}) })
		checkDomain(t, name+" times", notCount, func(x float64) error { return way(Composition{good, int64(x)}) })
	}
	c := Composition{good, 3}
	checkDomain(t, "Optimal total", notProbability, func(x float64) error { return errorOf(c.Optimal(LogProb(x))) })
	checkDomain(t, "Advanced total", notProbability, func(x float64) error { return errorOf(c.Advanced(LogProb(x))) })
	checkDomain(t, "OptimalDelta", negative, func(x float64) error { return errorOf(c.OptimalDelta(x)) })
	checkDomain(t, "ZCDP.Repeat", notPositive, func(x float64) error { return errorOf(ZCDP{x}.Repeat(2)) })
	checkDomain(t, "ZCDP.Repeat times", notCount, func(x float64) error { return errorOf(ZCDP{1}.Repeat(int64(x))) })
	checkDomain(t, "GDP.Repeat", notPositive, func(x float64) error { return errorOf(GDP{x}.Repeat(2)) })
	checkDomain(t, "GDP.Repeat times", notCount, func(x float64) error { return errorOf(GDP{1}.Repeat(int64(x))) })
	checkDomain(t, "ComposeGDP", notPositive, func(x float64) error { return errorOf(ComposeGDP(GDP{1}, GDP{x})) })
	checkDomain(t, "empty list", []float64{0}, func(float64) error { return errorOf(ComposeGDP()) })
	const huge = math.MaxFloat64
	for name, err := range map[string]error{
		"Basic":         errorOf(Composition{Approx{huge, -1}, 2}.Basic()),
		"Advanced":      errorOf(Composition{Approx{huge, Zero}, 2}.Advanced(-1)),
		"Optimal":       errorOf(Composition{Approx{huge, Zero}, 2}.Optimal(Zero)),
		"OptimalCurve":  errorOf(Composition{Approx{huge, Zero}, 2}.OptimalCurve()),
		"Optimal, k":    errorOf(Composition{good, maxOptimal + 1}.Optimal(-1)),
		"the curve, k":  errorOf(Composition{good, math.MaxInt64}.OptimalCurve()),
		"one delta, k":  errorOf(Composition{good, math.MaxInt64}.OptimalDelta(1)),
		"ZCDP.Repeat":   errorOf(ZCDP{huge}.Repeat(2)),
		"GDP.Repeat":    errorOf(GDP{huge}.Repeat(2)),
		"ComposeGDP":    errorOf(ComposeGDP(GDP{huge}, GDP{huge})),
		"below own":     errorOf(Composition{good, 3}.Optimal(-30)),
		"delta of zero": errorOf(Composition{good, 3}.Optimal(Zero)),
	} {
		if !errors.As(err, new(*NoAnswerError)) {
			t.Errorf("%s: error %v, want NoAnswer", name, err)
		}
	}
}

// No argument whatever makes a NaN or an infinity.
func TestComposeAnyFloat(t *testing.T) {
	check := func(what string, x float64) {
		t.Helper()
		if !(x >= 0 && x <= math.MaxFloat64) {
			t.Errorf("%s: %v", what, x)
		}
	}
	for _, epsilon := range oddFloats {
		for _, lnDelta := range append(oddFloats, -1e-300, -1e-10, -40, -1e6) {
			for _, k := range []int64{1, 2, 3, 1000} {
				c := Composition{Approx{epsilon, LogProb(lnDelta)}, k}
				if curve, err := c.OptimalCurve(); err == nil {
					for v := range curve.Value {
						check("curve", v.Epsilon)
						if !v.LnDelta.IsValid() {
							t.Errorf("%+v: %v", c, v)
						}
					}
				}
				for _, x := range append(oddFloats, -1e-300, -1e-10, -40, -1e6) {
					if a, err := c.Optimal(LogProb(x)); err == nil {
						check("optimal", a.Value.Epsilon)
					}
					if a, err := c.Advanced(LogProb(x)); err == nil {
						check("advanced", a.Value.Epsilon)
					}
					if d, err := c.OptimalDelta(x); err == nil && !d.Value.IsValid() {
						t.Errorf("%+v at %v: %v", c, x, d)
					}
				}
			}
		}
	}
}

func BenchmarkOptimalCurve100000(b *testing.B) {
	c := Composition{Approx{0.01, -40}, 100000}
	for b.Loop() {
		curve, _ := c.OptimalCurve()
		for range curve.Value {
		}
	}
}

func BenchmarkOptimal100000(b *testing.B) {
	c := Composition{Approx{0.01, -40}, 100000}
	for b.Loop() {
		c.Optimal(-20)
	}
}

func BenchmarkOptimal100(b *testing.B) {
	c := Composition{Approx{0.1, -40}, 100}
	for b.Loop() {
		c.Optimal(-20)
	}
}
