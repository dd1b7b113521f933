package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Below is the fraction itself where a float64 has it, and else the nearest one on the lower side.
func TestBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		x := big.NewRat(r.Int64N(1<<60)-1<<59, 1+r.Int64N(1<<60))
		f := Below(x)
		lower, next := new(big.Rat).SetFloat64(f), new(big.Rat).SetFloat64(math.Nextafter(f, math.Inf(1)))
		if lower.Cmp(x) > 0 || next.Cmp(x) <= 0 {
			t.Fatalf("%v: got %v", x, f)
		}
	}
	if got := Below(big.NewRat(-3, 4)); got != -0.75 {
		t.Errorf("-3/4: got %v", got)
	}
}
