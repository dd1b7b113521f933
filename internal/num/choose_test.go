package num

import (
	"math"
	"math/big"
	"testing"
)

// lnInteger returns the logarithm of an integer in 106 bits.
func lnInteger(x *big.Int) DD {
	f := new(big.Float).SetPrec(300).SetInt(x)
	mantissa := new(big.Float)
	exponent := f.MantExp(mantissa)
	return FromBig(mantissa).Ln().Add(FromInt(2).Ln().Mul(FromInt(int64(exponent))))
}

// The sum of binomial coefficients against whole numbers: never below, and as near as is said.
func TestLnChooseUpToAgainstIntegers(t *testing.T) {
	check := func(m, k int64, sum *big.Int) {
		t.Helper()
		want := lnInteger(sum)
		gap := LnChooseUpTo(m, k).Sub(want).Float()
		room := 1e-13
		if k <= 64 || k >= m {
			room = 0x1p-90
		}
		if !(gap >= 0 && gap <= room*math.Max(want.Float(), 1)) {
			t.Errorf("m = %d, k = %d: %g above %g", m, k, gap, want.Float())
		}
	}
	for _, m := range []int64{0, 1, 2, 3, 5, 8, 31, 32, 63, 64, 65, 66, 100, 129, 511, 513, 640, 1000, 3000} {
		sum := new(big.Int)
		for k := range m + 2 {
			sum.Add(sum, new(big.Int).Binomial(m, k))
			check(m, k, sum)
		}
	}
	for _, m := range []int64{1e5, 1e9, 1 << 53} { // the last sums in terms from the top, which is where they are
		for _, k := range []int64{1, 2, 64, 65, 100, 1000} {
			sum, term := big.NewInt(1), big.NewInt(1)
			for i := range k {
				term.Mul(term, big.NewInt(m-i)).Quo(term, big.NewInt(i+1))
				sum.Add(sum, term)
			}
			check(m, k, sum)
		}
	}
}

// Beyond whole numbers: Pascal's rule S(m+1,k) = 2 S(m,k) - C(m,k), and half of all subsets.
func TestLnChooseUpToIsPascals(t *testing.T) {
	for _, m := range []int64{1_000_001, 1<<53 - 1} { // odd: half of the subsets are the smaller ones
		half := LnChooseUpTo(m, m/2).Sub(FromInt(2).Ln().Mul(FromInt(m - 1))).Float()
		if !(half >= 0 && half <= 1e-13*float64(m)) {
			t.Errorf("m = %d: half of the subsets are off by %g", m, half)
		}
	}
	last := math.Inf(-1)
	for _, k := range []int64{0, 1, 63, 64, 65, 66, 1000, 124_998, 124_999, 125_000, 125_001, 125_002, 499_999, 500_000,
		999_999, 1_000_000, 2_000_000} {
		x := LnChooseUpTo(1_000_000, k).Float()
		if x < last*(1-1e-13) {
			t.Errorf("k = %d: %g after %g", k, x, last)
		}
		last = x
	}
}
