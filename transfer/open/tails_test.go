package open

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Ends are numbers on their sides of x, within the range, for every x and every level.
func TestEndsAreOnTheirSides(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 42))
	for range 4000 {
		n := int64(math.Pow(10, r.Float64()*[]float64{1, 3, 15}[r.IntN(3)]))
		x := []float64{0, 1, r.Float64(), math.Pow(10, -300*r.Float64()), 1 - math.Pow(10, -16*r.Float64()), 5e-324}[r.IntN(6)]
		level := -math.Pow(10, 5-20*r.Float64())
		if r.IntN(2) == 0 {
			level = -8 * r.Float64()
		}
		for _, tails := range []Tails{
			Unit{float64(n)}, ZeroOne{n}, Differences{float64(n), r.Float64()}, KnownVariance{float64(n), r.Float64() / 4, 0},
			Rounded{Unit{float64(n)}, 1e-12},
		} {
			lowest, highest := tails.Range()
			if _, ok := tails.(Differences); ok && r.IntN(2) == 0 {
				x = -x
			}
			edge := tails.Edge(x)
			lower, upper := tails.Lower(edge, level), tails.Upper(edge, level)
			if !(lower >= lowest && lower <= max(edge, lowest)) {
				t.Fatalf("%#v at %v, level e^%v: lower end %v", tails, edge, level, lower)
			}
			before := edge
			if v, ok := tails.(ZeroOne); ok {
				before = v.mean(v.count(edge) - 1)
			}
			if !(upper <= highest && upper >= before) {
				t.Fatalf("%#v at %v, level e^%v: upper end %v", tails, edge, level, upper)
			}
			if bar := r.Float64(); true {
				cut, ok := tails.Pass(bar, level)
				if ok && !(tails.Lower(cut, level) >= bar && cut <= highest) {
					t.Fatalf("%#v at the bar %v, level e^%v: passes at %v, which says %v", tails, bar, level, cut, tails.Lower(cut, level))
				}
			}
		}
	}
}
