package commands

import "testing"

// A grid crosses its axes with the last one fastest, or pairs them.
func TestGrid(t *testing.T) {
	type point struct {
		base, samples, queries, budget int
	}
	axes := []Axis[point]{
		AxisOf("samples", []int{1, 2}, func(p *point, n int) { p.samples = n }),
		AxisOf("queries", []int(nil), func(p *point, n int) { p.queries = n }),
		AxisOf("budget", []int{5, 6, 7}, func(p *point, n int) { p.budget = n }),
	}
	g, err := NewGrid(point{base: 8}, false, axes...)
	if err != nil || g.Size() != 6 {
		t.Fatalf("size %d, %v", g.Size(), err)
	}
	for i := range 6 {
		if got := g.Point(i); got != (point{base: 8, samples: 1 + i/3, budget: 5 + i%3}) {
			t.Errorf("point %d: %+v", i, got)
		}
	}
	if _, err := NewGrid(point{}, true, axes...); err == nil {
		t.Error("2 values pair with 3")
	}
	axes[0].Length = 1
	g, err = NewGrid(point{}, true, axes...)
	if err != nil || g.Size() != 3 || g.Point(2) != (point{samples: 1, budget: 7}) {
		t.Errorf("zip: size %d, %+v, %v", g.Size(), g.Point(2), err)
	}
}
