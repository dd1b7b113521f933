package tree

import (
	"math"
	"math/big"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/num"
)

var exact = decimals.Digits(45)

// wide is a decimal in binary, with more digits than it has.
func wide(t *testing.T, x decimals.Number) *big.Float {
	t.Helper()
	f, _, err := big.ParseFloat(x.String(), 10, 150, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// above reports by how much got exceeds the truth, relative to it or to 1e-30.
func above(got num.DD, truth *big.Float) float64 {
	gap := new(big.Float).Sub(got.Big(), truth)
	x, _ := gap.Float64()
	size, _ := truth.Float64()
	return x / math.Max(math.Abs(size), 1e-30)
}

// unequalTail is P[sum >= k] of independent 0/1 values with these probabilities of a one, by adding them one by one.
func unequalTail(p []float64, k int64) float64 {
	law := []float64{1}
	for _, x := range p {
		next := make([]float64, len(law)+1)
		for i, y := range law {
			next[i] += y * (1 - x)
			next[i+1] += y * x
		}
		law = next
	}
	sum := 0.0
	for i := k; i < int64(len(law)); i++ {
		sum += law[max(i, 0)]
	}
	return sum
}
