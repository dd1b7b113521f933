package open

import (
	"math"
	"testing"
)

// A row of open-gate: tau for n rows.
func BenchmarkRow(b *testing.B) {
	n := 100.
	for b.Loop() {
		if n *= 1.01; n > 1e8 {
			n = 100
		}
		Plan{Unit{Rows: n}, math.Log(0.05), Usual(), 151, 6}.Gate()
	}
}

// A verdict of an open gate with both of its intervals, after 10,000 looks.
func BenchmarkVerdict(b *testing.B) {
	for name, tails := range map[string]Tails{
		"zero-one": ZeroOne{5000}, "unit": Unit{Rows: 5000}, "convex": Convex{Rows: 5000},
		"difference": Around{Differences{5000, 0.1}}, "variance": Around{KnownVariance{5000, 0.1, 0}},
	} {
		b.Run(name, func(b *testing.B) {
			at := Node{math.Log(0.05), Usual().Left(10_000, 20)}
			for b.Loop() {
				gate, err := Gate(at, tails, 0.1, Usual().Share(10_000, 20, 8))
				if err != nil {
					b.Fatal(err)
				}
				gate.Interval(at, tails, 0)
				gate.Interval(at, tails, 1)
				at.After(gate.LnShare(0))
			}
		})
	}
}
