package transfer

import "testing"

// A function that is flat below zero costs bisections, not steps of the tolerance.
func TestFallingCrossesAFlat(t *testing.T) {
	for _, from := range []float64{-1, 1} {
		calls := 0
		x := falling(search{from: from, step: 0.005, tolerance: 1e-7}, func(x float64) float64 {
			if calls++; calls > 200 {
				t.Fatalf("from %g: more than 200 calls", from)
			}
			if x < 0.1 {
				return 1
			}
			return -1
		})
		if !(x >= 0.1 && x <= 0.1+1e-7) {
			t.Errorf("from %g: %v", from, x)
		}
	}
}
