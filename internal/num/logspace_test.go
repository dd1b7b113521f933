package num

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/dpcalc/dpcalc/internal/decimals"
)

// lnOf returns the logarithm of a decimal, from apd at 60 digits.
func lnOf(t *testing.T, x *apd.Decimal) float64 {
	t.Helper()
	ln := new(apd.Decimal)
	if _, err := oracle.Ln(ln, x); err != nil {
		t.Fatal(err)
	}
	f, err := ln.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func expOf(t *testing.T, x float64) *apd.Decimal {
	t.Helper()
	e := decimal(t, FromFloat(x))
	if _, err := oracle.Exp(e, e); err != nil {
		t.Fatal(err)
	}
	return e
}

func close64(got, want float64) bool {
	return math.Abs(got-want) <= 0x1p-51*(math.Abs(want)+0x1p-300) || got == want
}

func TestLogSpaceAgainstDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	one := apd.New(1, 0)
	for range 500 {
		x, y := -math.Pow(10, -15+17*r.Float64()), -math.Pow(10, -15+17*r.Float64())
		want := new(apd.Decimal)
		oracle.Sub(want, one, expOf(t, x))
		if got := Log1mExp(x); !close64(got, lnOf(t, want)) {
			t.Errorf("Log1mExp(%v) = %v, want %v", x, got, lnOf(t, want))
		}
		hi, lo := max(x, y), min(x, y)
		oracle.Add(want, expOf(t, x), expOf(t, y))
		if got, want := LogAddExp(x, y), lnOf(t, want); math.Abs(got-want) > 0x1p-51*(1+math.Abs(hi)) {
			t.Errorf("LogAddExp(%v, %v) = %v, want %v", x, y, got, want)
		}
		oracle.Sub(want, expOf(t, hi), expOf(t, lo))
		if got, want := LogSubExp(hi, lo), lnOf(t, want); math.Abs(got-want) > 0x1p-50*(1+math.Abs(want)) {
			t.Errorf("LogSubExp(%v, %v) = %v, want %v", hi, lo, got, want)
		}
	}
	inf := math.Inf(-1)
	for _, c := range []struct{ got, want float64 }{
		{Log1mExp(0), inf}, {Log1mExp(inf), 0},
		{LogAddExp(-3, inf), -3}, {LogAddExp(inf, -3), -3}, {LogAddExp(inf, inf), inf},
		{LogSubExp(-3, inf), -3}, {LogSubExp(-3, -3), inf}, {LogSubExp(inf, inf), inf},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// Subnormal numbers have the logarithm that their exponent and fraction give.
func TestLogOfSubnormals(t *testing.T) {
	for _, x := range []float64{5e-324, 3.3e-309, 1e-310, 0x1p-1022, 2.3e-308, 1, 1e300} {
		fraction, exponent := math.Frexp(x)
		want := math.Log(fraction) + float64(exponent)*math.Ln2
		if got := Log(x); math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
		if x < 1e-300 {
			if got := Log1mExp(-x); math.Abs(got-want) > 1e-15*math.Abs(want) {
				t.Errorf("Log1mExp(%v) = %v, want %v", -x, got, want)
			}
		}
	}
	if got := Log(0); !math.IsInf(got, -1) {
		t.Errorf("Log(0) = %v", got)
	}
}

// LogAny against (1-p)^k by repeated squaring in decimal, and LogEach as its
// inverse.
func TestLogAny(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	context := oracle.WithPrecision(400)
	for range 200 {
		lnp := -math.Pow(10, -2+4.9*r.Float64()) // down to -794
		k := int64(math.Pow(2, 20*r.Float64()))
		p := new(apd.Decimal)
		context.Exp(p, decimal(t, FromFloat(lnp)))
		base, power := new(apd.Decimal), apd.New(1, 0)
		context.Sub(base, apd.New(1, 0), p)
		for e := k; e > 0; e >>= 1 {
			if e&1 == 1 {
				context.Mul(power, power, base)
			}
			context.Mul(base, base, base)
		}
		context.Sub(power, apd.New(1, 0), power)
		want, got := lnOf(t, power), LogAny(lnp, k)
		// Near one the complement e^v carries the relative error of v = k ln(1-p).
		if v := float64(k) * Log1mExp(lnp); math.Abs(got-want) > 1e-15*(1-v)*math.Abs(want) {
			t.Errorf("LogAny(%v, %d) = %.17g, want %.17g", lnp, k, got, want)
		}
	}
	for range 2000 {
		lnp := -math.Pow(10, -1+7*r.Float64())
		m := int64(math.Pow(10, 16*r.Float64()))
		lnb := LogAny(lnp, m)
		if lnb > -1e-6 {
			continue // the way back is ill-conditioned
		}
		if got := LogEach(lnb, m); math.Abs(got-lnp) > 1e-9*min(1, math.Abs(lnp)) {
			t.Errorf("LogEach(LogAny(%v, %d)) = %v", lnp, m, got)
		}
	}
	inf := math.Inf(-1)
	for _, k := range []int64{1, 7, 1 << 53, math.MaxInt64} {
		for _, c := range []struct{ got, want float64 }{{LogAny(inf, k), inf}, {LogEach(inf, k), inf}, {LogAny(0, k), 0},
			{LogEach(0, k), 0}} {
			if c.got != c.want {
				t.Errorf("k = %d: got %v, want %v", k, c.got, c.want)
			}
		}
	}
}

func BenchmarkLogAny(b *testing.B) {
	x := -30.
	for b.Loop() {
		sink = LogAny(x, 1000)
	}
}

func TestLogLessAndExpLess(t *testing.T) {
	in := decimals.Digits(60)
	r := rand.New(rand.NewPCG(11, 12))
	for range 800 {
		x := math.Exp(-30*r.Float64() + 1)
		for _, x := range []float64{x, -x} {
			number := in.Float(x)
			want := number.Exp().Minus(in.Int(1)).Minus(number).Float()
			if got := ExpLess(x); !(math.Abs(got-want) <= 1e-14*want) {
				t.Errorf("ExpLess(%v) = %v, want %v", x, got, want)
			}
			if x <= -0.999 {
				continue
			}
			want = number.Minus(number.Plus(in.Int(1)).Ln()).Float()
			if got := LogLess(x); !(math.Abs(got-want) <= 1e-15*want) {
				t.Errorf("LogLess(%v) = %v, want %v", x, got, want)
			}
		}
	}
}

// The sums of geometric series are the sums of their terms, from where all are alike to where the last is nearly the
// sum.
func TestGeometric(t *testing.T) {
	for _, count := range []float64{1, 2, 3, 17, 1000} {
		for _, top := range []float64{0, 1e-20, 1e-9, 0.01, 0.0599, 0.0601, 0.9, 1.9999, 2.0001, 30, 900} {
			sum, x := 0.0, top/count
			for i := count - 1; i >= 0; i-- { // in units of the last
				sum += math.Exp((i - count + 1) * x)
			}
			want := (count-1)*x + math.Log(sum)
			got := LnGeometric(x, count)
			if !(got >= want-1e-14*(1+want) && got <= want+1e-13*(1+want)) {
				t.Errorf("ln of the sum of %v terms %v apart is %v, want %v", count, x, got, want)
			}
		}
	}
}
