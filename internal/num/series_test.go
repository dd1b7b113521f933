package num

import (
	"math"
	"math/big"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// The harmonic numbers, from sums of 200 bits on both sides of the seam.
func TestHarmonic(t *testing.T) {
	sum := new(big.Float).SetPrec(200)
	for k := int64(1); k <= 100_000; k++ {
		term := new(big.Float).SetPrec(200).Quo(big.NewFloat(1).SetPrec(200), new(big.Float).SetInt64(k))
		sum.Add(sum, term)
		if k < 200 || k%9973 == 0 {
			if want, _ := sum.Float64(); math.Abs(harmonic(k)/want-1) > 1e-15 {
				t.Errorf("k = %d: %.17g, want %.17g", k, harmonic(k), want)
			}
		}
	}
}

// ln n! - (n+1/2) ln n + n - ln(2 pi)/2 in 50 digits, across the end of the table:
// the first term that the series leaves out is 1.09e-16 at n = 16.
func TestStirlingError(t *testing.T) {
	c := apd.BaseContext.WithPrecision(50)
	twoPi, _, err := apd.NewFromString("6.2831853071795864769252867665590057683943387987502116419498891846")
	if err != nil {
		t.Fatal(err)
	}
	factorial := apd.New(1, 0)
	for n := int64(1); n <= 100; n++ {
		conditions := []error{}
		do := func(_ apd.Condition, err error) { conditions = append(conditions, err) }
		do(c.Mul(factorial, factorial, apd.New(n, 0)))
		if n > 40 && n%10 != 0 {
			continue
		}
		want, ln, root := new(apd.Decimal), new(apd.Decimal), new(apd.Decimal)
		do(c.Ln(want, factorial))
		do(c.Ln(ln, apd.New(n, 0)))
		do(c.Mul(ln, ln, apd.New(10*n+5, -1)))
		do(c.Sub(want, want, ln))
		do(c.Add(want, want, apd.New(n, 0)))
		do(c.Ln(root, twoPi))
		do(c.Mul(root, root, apd.New(5, -1)))
		do(c.Sub(want, want, root))
		for _, err := range conditions {
			if err != nil {
				t.Fatal(err)
			}
		}
		exact, err := want.Float64()
		if err != nil || math.Abs(stirlingError(float64(n))-exact) > 1.1e-16 {
			t.Errorf("n = %d: %.17g, want %.17g (%v)", n, stirlingError(float64(n)), exact, err)
		}
	}
}
