package transfer

import "testing"

// A search that begins on a plateau leaves it by halves, not step by step.
func TestFallingLeavesAPlateau(t *testing.T) {
	calls := 0
	x := falling(search{from: 200, step: 0.005, tolerance: 1e-7}, func(x float64) float64 {
		if calls++; calls > 300 {
			t.Fatalf("still at %g", x)
		}
		return max(1-x, -0.5)
	})
	if !(x >= 1 && x < 1+1e-6) {
		t.Errorf("got %g, want 1", x)
	}
	goal := Goal{Samples: 213, Queries: 1460, Beta: lp("0.9644")} // the least tau is just below one
	method, _ := Lookup("gaussian")
	if a, err := method.Solve(goal); err != nil || a.Status != OK || !(a.Tau > 0.6) {
		t.Errorf("%+v: %+v, %v", goal, a, err)
	}
}
