package num

import (
	"math"
	"math/big"
	"sync"
)

// DD is an unevaluated sum Hi + Lo with |Lo| <= ulp(Hi)/2: about 106 bits. The
// closed-form sample sizes are ceilings of numbers up to 2^53, and a float64
// cannot tell on which side of an integer such a number lies; a DD can.
// Relative errors: at most 2^-100 for the four operations and Sqrt, 2^-97 for Ln and 2^-90 for Exp; next to 1 the error
// of Ln is 2^-100, absolutely.
type DD struct{ Hi, Lo float64 }

// Natural logarithms of 2 and of 10.
var (
	Ln2  = DD{0.6931471805599453, 2.3190468138462996e-17}
	Ln10 = DD{2.302585092994046, -2.1707562233822494e-16}
)

// FromFloat returns x exactly.
func FromFloat(x float64) DD { return DD{Hi: x} }

// FromInt returns n exactly.
func FromInt(n int64) DD {
	hi := float64(n)
	return DD{hi, float64(n - int64(hi))} // hi = 2^63 cannot occur below 2^63-512
}

// FromBig returns the DD nearest to x, up to 2^-105 relative.
func FromBig(x *big.Float) DD {
	hi, _ := x.Float64()
	lo, _ := new(big.Float).SetPrec(x.Prec()+64).Sub(x, big.NewFloat(hi)).Float64()
	return DD{hi, lo}
}

// Big returns a exactly.
func (a DD) Big() *big.Float {
	return new(big.Float).SetPrec(2200).Add(new(big.Float).SetPrec(2200).SetFloat64(a.Hi), big.NewFloat(a.Lo))
}

// Float returns the float64 nearest to a.
func (a DD) Float() float64 { return a.Hi }

// Neg returns -a.
func (a DD) Neg() DD { return DD{-a.Hi, -a.Lo} }

// Add returns a + b.
func (a DD) Add(b DD) DD {
	s, e := twoSum(a.Hi, b.Hi)
	t, f := twoSum(a.Lo, b.Lo)
	s, e = quickSum(s, e+t)
	return pair(s, e+f)
}

// AddFloat returns a + x.
func (a DD) AddFloat(x float64) DD { return a.Add(FromFloat(x)) }

// Sub returns a - b.
func (a DD) Sub(b DD) DD { return a.Add(b.Neg()) }

// Mul returns a b.
func (a DD) Mul(b DD) DD {
	p := a.Hi * b.Hi
	e := math.FMA(a.Hi, b.Hi, -p)
	return pair(p, e+(float64(a.Hi*b.Lo)+float64(a.Lo*b.Hi)))
}

// MulFloat returns a x.
func (a DD) MulFloat(x float64) DD { return a.Mul(FromFloat(x)) }

// Div returns a / b for b != 0.
func (a DD) Div(b DD) DD {
	q1 := a.Hi / b.Hi
	r := a.Sub(b.MulFloat(q1))
	q2 := r.Hi / b.Hi
	r = r.Sub(b.MulFloat(q2))
	return pair(q1, q2).AddFloat(r.Hi / b.Hi)
}

// Sqrt returns the square root of a >= 0.
func (a DD) Sqrt() DD {
	if a.Hi <= 0 {
		return DD{}
	}
	x := math.Sqrt(a.Hi)
	r := a.Sub(FromFloat(x).MulFloat(x))
	return pair(x, r.Hi/(2*x))
}

// Ln returns the natural logarithm of a > 0, a normal number.
func (a DD) Ln() DD {
	// a = 2^k m c^-1 with c from a table of 128 reciprocals, so that m is within
	// 2^-7 of one and a short series of atanh serves.
	frac, k := math.Frexp(a.Hi) // in [1/2, 1)
	m := DD{frac, math.Ldexp(a.Lo, -k)}
	i := int(math.Floor((frac - 0.5) * 256))
	entry := lnTable()[i]
	m = m.MulFloat(entry.c)
	t := m.AddFloat(-1).Div(m.AddFloat(1))
	t2 := t.Mul(t)
	x := t2.Hi // at most 2^-15, so that float64 is enough from its third power on
	tail := x * (1./7 + x*(1./9+x*(1./11+x*(1./13+x*(1./15)))))
	sum := oneOver[5].AddFloat(tail)
	for n := 3; n >= 1; n -= 2 {
		sum = sum.Mul(t2).Add(oneOver[n])
	}
	return Ln2.MulFloat(float64(k)).Sub(entry.ln).Add(sum.Mul(t).MulFloat(2))
}

// Exp returns e^a for |a| <= 700.
func (a DD) Exp() DD {
	const halvings = 8
	k := math.Round(a.Hi / math.Ln2)
	r := a.Sub(Ln2.MulFloat(k))
	r = DD{math.Ldexp(r.Hi, -halvings), math.Ldexp(r.Lo, -halvings)}
	sum := DD{} // e^r - 1 by Horner: r(1 + r/2(1 + r/3(...)))
	for n := 10; n >= 1; n-- {
		sum = sum.AddFloat(1).Mul(r).Mul(oneOver[n])
	}
	for range halvings { // e^2r - 1 = s(2 + s)
		sum = sum.Mul(sum.AddFloat(2))
	}
	sum = sum.AddFloat(1)
	return DD{math.Ldexp(sum.Hi, int(k)), math.Ldexp(sum.Lo, int(k))}
}

// Cmp returns the sign of a - b. Either may be infinite, and two infinities of one sign are equal.
func (a DD) Cmp(b DD) int {
	d := a.Sub(b)
	if math.IsInf(a.Hi, 0) || math.IsInf(b.Hi, 0) { // whose difference has no second part
		d.Hi = a.Hi - b.Hi
	}
	switch {
	case d.Hi > 0:
		return 1
	case d.Hi < 0:
		return -1
	}
	return 0
}

// Ceil returns the least integer >= a, for 0 <= a < 2^62. Of a result of a few operations near 2^53 it errs only if the
// exact value is within 2^-44 of an integer.
func (a DD) Ceil() int64 {
	n := int64(math.Ceil(a.Hi))
	for FromInt(n-1).Cmp(a) >= 0 {
		n--
	}
	for FromInt(n).Cmp(a) < 0 {
		n++
	}
	return n
}

func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}

func quickSum(a, b float64) (sum, err float64) {
	sum = a + b
	return sum, b - (sum - a)
}

func pair(a, b float64) DD {
	s, e := quickSum(a, b)
	return DD{s, e}
}

// oneOver[n] is 1/n.
var oneOver = func() (t [70]DD) {
	for n := 1; n < len(t); n++ {
		t[n] = FromFloat(1).Div(FromFloat(float64(n)))
	}
	return t
}()

type lnEntry struct {
	c  float64 // near 1/x at the middle of the cell, so that x c is near one
	ln DD      // ln c
}

var lnTable = sync.OnceValue(func() *[128]lnEntry {
	var table [128]lnEntry
	for i := range table {
		c := 1 / (0.5 + (float64(i)+0.5)/256) // in (1, 2)
		// ln c = 2 atanh((c-1)/(c+1)), the argument below 1/3: 34 odd terms reach 2^-107.
		t := FromFloat(c).AddFloat(-1).Div(FromFloat(c).AddFloat(1))
		t2 := t.Mul(t)
		sum := DD{}
		for n := 69; n >= 1; n -= 2 {
			sum = sum.Mul(t2).Add(oneOver[n])
		}
		table[i] = lnEntry{c, sum.Mul(t).MulFloat(2)}
	}
	return &table
})
