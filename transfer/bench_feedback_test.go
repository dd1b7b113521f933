package transfer

import (
	"testing"
)

// One solve for n, tau_achieved and the mechanism included: gates and sealed rows below 20 microseconds, with 0/1
// queries below 2 ms, with differences below 200 microseconds; a ladder below 20 ms.
func BenchmarkFeedback(b *testing.B) {
	for _, c := range []struct {
		name, method string
		goal         Goal
	}{
		{"gate", "gate", Goal{Shown: Shown{Feedback: Gate, Passes: 5}}},
		{"gate/bar", "gate", Goal{Shown: Shown{Feedback: Gate, Bar: Some(0.8)}}},
		{"gate/binary", "gate", Goal{Query: Binary, Shown: Shown{Feedback: Gate, Passes: 5}}},
		{"gate/binary-bar", "gate", Goal{Query: Binary, Shown: Shown{Feedback: Gate, Bar: Some(0.8)}}},
		{"gate/difference", "gate", Goal{Query: Difference, Shown: Shown{Feedback: Gate}, Known: Known{Disagreement: 0.2}}},
		{"sealed", "sealed", Goal{Shown: Shown{Feedback: Final}}},
		{"sealed/binary", "sealed", Goal{Query: Binary, Shown: Shown{Feedback: Final}}},
		{"sealed/difference", "sealed", Goal{Query: Difference, Shown: Shown{Feedback: Final}, Known: Known{Disagreement: 0.2}}},
		{"ladder", "ladder", Goal{Shown: Shown{Feedback: Best}}},
		{"sparse-validate", "sparse-validate", Goal{Budget: 3, Shown: Shown{Feedback: Flags}}},
		{"rounding-widths", "rounding-widths", Goal{}},
	} {
		m, _ := Lookup(c.method)
		c.goal.Queries, c.goal.Tau, c.goal.Beta = 32, 0.1, lp("0.05")
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if a, err := m.Solve(c.goal); err != nil || a.Status != OK {
					b.Fatalf("%+v, %v", a, err)
				}
			}
		})
	}
}
