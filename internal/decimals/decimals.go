// Package decimals is arithmetic for the oracles of tests: a formula is written once more, from
// its statement, with more digits than its code has, by cockroachdb/apd. What cannot be
// computed panics.
package decimals

import (
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// Arithmetic makes numbers of so many digits.
type Arithmetic struct{ digits, more *apd.Context }

// Digits returns the arithmetic of n digits.
func Digits(n uint32) Arithmetic {
	return Arithmetic{apd.BaseContext.WithPrecision(n), apd.BaseContext.WithPrecision(n + 14)}
}

// Number is a decimal, and what computes with it.
type Number struct {
	*apd.Decimal
	in Arithmetic
}

// Float returns x with all its digits.
func (in Arithmetic) Float(x float64) Number {
	// No float64 has more than 767 digits; zeros at the end would only cost time.
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 770, 64), "e")
	return in.Parse(strings.TrimRight(strings.TrimRight(mantissa, "0"), ".") + "e" + exponent)
}

// Int returns n.
func (in Arithmetic) Int(n int64) Number { return Number{apd.New(n, 0), in} }

// Parse returns the number that is written there, with all its digits.
func (in Arithmetic) Parse(text string) Number {
	d, _, err := apd.NewFromString(text)
	must(err)
	return Number{d, in}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (a Number) with(f func(d, x, y *apd.Decimal) (apd.Condition, error), b Number) Number {
	d := new(apd.Decimal)
	_, err := f(d, a.Decimal, b.Decimal)
	must(err)
	return Number{d, a.in}
}

func (a Number) of(f func(d, x *apd.Decimal) (apd.Condition, error)) Number {
	return a.with(func(d, x, _ *apd.Decimal) (apd.Condition, error) { return f(d, x) }, a)
}

// Plus returns a + b.
func (a Number) Plus(b Number) Number { return a.with(a.in.digits.Add, b) }

// Minus returns a - b.
func (a Number) Minus(b Number) Number { return a.with(a.in.digits.Sub, b) }

// Times returns a b.
func (a Number) Times(b Number) Number { return a.with(a.in.digits.Mul, b) }

// Over returns a / b.
func (a Number) Over(b Number) Number { return a.with(a.in.digits.Quo, b) }

// Squared returns a^2.
func (a Number) Squared() Number { return a.Times(a) }

// Root returns the square root of a.
func (a Number) Root() Number { return a.of(a.in.digits.Sqrt) }

// Ln returns the natural logarithm of a.
func (a Number) Ln() Number { return a.of(a.in.digits.Ln) }

// Exp returns e^a for |a| <= 2e5, 0 below and e^200000 above, where apd's exponents end.
func (a Number) Exp() Number {
	end := a.in.Int(200_000)
	switch {
	case a.Plus(end).Sign() < 0:
		return a.in.Int(0)
	case end.Less(a):
		a = end
	}
	// apd is slow for a large exponent. A squaring doubles the error: 28 of them cost nine
	// digits.
	halvings := 0
	if x := a.Float(); math.Abs(x) > 0x1p-10 {
		halvings = math.Ilogb(x) + 11
	}
	more := Number{a.Decimal, Arithmetic{a.in.more, a.in.more}}
	y := more.Over(more.in.Int(1 << halvings)).of(a.in.more.Exp)
	for range halvings {
		y = y.Squared()
	}
	return Number{y.Decimal, a.in}.of(a.in.digits.Round)
}

// Less reports whether a < b.
func (a Number) Less(b Number) bool { return a.Cmp(b.Decimal) < 0 }

// AtLeast reports whether a >= b.
func (a Number) AtLeast(b Number) bool { return a.Cmp(b.Decimal) >= 0 }

// Float returns the float64 nearest to a.
func (a Number) Float() float64 {
	f, err := strconv.ParseFloat(a.Text('e'), 64)
	must(err)
	return f
}
