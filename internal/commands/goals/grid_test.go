package goals

import (
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// A grid crosses its axes with the last one fastest, or pairs them.
func TestGrid(t *testing.T) {
	axes := []Axis{
		AxisOf("samples", []int64{1, 2}, func(g *transfer.Goal, n int64) { g.Samples = n }),
		AxisOf("queries", []int64(nil), func(g *transfer.Goal, n int64) { g.Queries = n }),
		AxisOf("budget", []int64{5, 6, 7}, func(g *transfer.Goal, n int64) { g.Budget = n }),
	}
	g, err := NewGrid(transfer.Goal{Tau: 0.5}, false, axes...)
	if err != nil || g.Size() != 6 {
		t.Fatalf("size %d, %v", g.Size(), err)
	}
	for i := range 6 {
		if got := g.Goal(i); got != (transfer.Goal{Tau: 0.5, Samples: int64(1 + i/3), Budget: int64(5 + i%3)}) {
			t.Errorf("goal %d: %+v", i, got)
		}
	}
	if _, err := NewGrid(transfer.Goal{}, true, axes...); err == nil {
		t.Error("2 values pair with 3")
	}
	axes[0].Length = 1
	g, err = NewGrid(transfer.Goal{}, true, axes...)
	if err != nil || g.Size() != 3 || g.Goal(2) != (transfer.Goal{Samples: 1, Budget: 7}) {
		t.Errorf("zip: size %d, %+v, %v", g.Size(), g.Goal(2), err)
	}
}
