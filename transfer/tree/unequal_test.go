package tree

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/transfer/tail"
)

// A gate keeps its risk on rows that are not alike, and a sealed row too.
func TestGateOfUnequalRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3905, 2))
	looked := 0
	for range 4000 {
		n := 2 + r.Int64N(11)
		bar := tail.Bar{Height: r.Float64(), Margin: 0.3 * r.Float64(), OneSided: true}
		c := CountGate{bar, math.Log(0.02 + 0.9*r.Float64())}
		k, _ := c.Count(n, 0)
		if k > n {
			continue
		}
		looked++
		// The worst rows: some surely ones, the others alike.
		for ones := int64(0); float64(ones) < float64(n)*c.Height; ones++ {
			for zeros := int64(0); zeros < n-ones; zeros++ {
				rest := (float64(n)*c.Height - float64(ones)) / float64(n-ones-zeros)
				if rest > 1 {
					break
				}
				p := make([]float64, n)
				for i := range p {
					switch {
					case int64(i) < ones:
						p[i] = 1
					case int64(i) < n-zeros:
						p[i] = rest
					}
				}
				if tail := unequalTail(p, k); tail > math.Exp(c.LnRisk)*(1+1e-9) {
					t.Fatalf("%+v, n = %d: rows %v at the bar pass with %d ones with probability %v", c, n, p, k, tail)
				}
			}
		}
	}
	if looked < 2000 {
		t.Errorf("%d gates", looked)
	}
}
