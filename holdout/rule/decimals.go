package rule

import (
	"math/big"
	"strconv"
)

// Reaches reports whether sum/n >= bar + tau, of the decimals that bar and tau were typed as: 850 of 1,000 reach
// 0.8 + 0.05, which is above 0.85 in float64.
func Reaches(sum float64, n int64, bar, tau float64) bool {
	got := new(big.Rat).SetFloat64(sum)
	return got != nil && AtLeast(got.Quo(got, new(big.Rat).SetInt64(n)), bar, tau)
}

// AtLeast reports whether a mean is at least bar + tau, of these decimals.
func AtLeast(mean *big.Rat, bar, tau float64) bool {
	return mean.Cmp(new(big.Rat).Add(typed(bar), typed(tau))) >= 0
}

// typed is the shortest decimal that is read as x.
func typed(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		panic("holdout: a bar that is no number")
	}
	return r
}
