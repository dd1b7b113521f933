package joint

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// A plan that is given up for constant noise at once is one that a search for the noise does not certify, and all plans
// with far too few records are given up at once.
func TestFarFromEven(t *testing.T) {
	r := rand.New(rand.NewPCG(171, 1))
	for range 60 {
		p := Plan{
			Queries: 1 + int64(math.Exp(r.Float64()*math.Log(3000))), Tau: math.Pow(10, -0.3-2*r.Float64()),
			Beta: theory.LogProb(-math.Pow(10, -1+2.3*r.Float64())), Sides: Sides(r.IntN(2)),
		}
		least, ok := Even.Samples(p)
		if !ok {
			t.Fatalf("%+v: no answer", p)
		}
		p.Samples = least.Samples
		if p.farFromEven() {
			t.Errorf("%+v is certified, and was given up", p)
		}
		if p.Samples /= 4; p.Queries > 1 && p.Samples > 0 && p.Beta < -1 && !p.farFromEven() {
			t.Errorf("%+v takes a search", p)
		}
	}
}
