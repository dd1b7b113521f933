package num

import (
	"math"
	"math/big"
)

// Below returns the greatest float64 that is not above a fraction, whose size a float64 can have. A float64 is at most
// the fraction if and only if it is at most that.
func Below(x *big.Rat) float64 {
	f, exact := x.Float64()
	if !exact && new(big.Rat).SetFloat64(f).Cmp(x) > 0 {
		return math.Nextafter(f, math.Inf(-1))
	}
	return f
}
