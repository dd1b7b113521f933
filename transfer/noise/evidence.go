package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
)

// Evidence lists what certifies one answer: an order, and where tangents touch, in standard deviations of the noise.
type Evidence struct {
	Order   float64 // a, +Inf for the first answer
	Tangent float64 // where the tangent of T touches
	Start   float64 // where the cells of N begin
	Edge    float64 // (tau - 1/n)/sd, at most the cut
	Cells   []Cell  // none where T is less than N
	Other   float64 // where the tangent for the less likely side touches, 0 where both sides count alike
}

// Cell is where a tangent of N's integrand touches, what the noise has to exceed there, and where the cell ends.
type Cell struct{ Touch, Excess, End float64 }

// Evidence returns what certifies the next answer, with the noise of the block. From then on the bound has the fewer
// cells of a search.
func (b *Bound) Evidence(block theory.NoiseBlock, tau float64) Evidence {
	b.chords.cell = b.chords.cell[:cells]
	q := b.run(block, tau)
	b.leastErrors(q)
	o := &b.orders[b.best]
	e := Evidence{Order: o.a}
	tangent := q.chernoff(o.conj, b.side(false), &o.near[0])
	e.Tangent = o.near[0]
	if b.sides == Both && b.rarer(q) < b.fresh(o, q.query).above/o.conj+b.revealed(o, q) {
		e.Other = b.rare.touch
	}
	if q.sd == 0 || b.convex(o, q.query) >= tangent {
		return e
	}
	b.chords.cover(q.query, o.conj, o.near[0])
	u := ramp{first: (q.tau - 1/q.n) / q.sd, fall: 1 / (2 * math.Sqrt(q.n) * q.sd)}
	e.Start, e.Edge = b.chords.start, min(u.first, q.law.cut)
	for _, c := range b.chords.cell {
		e.Cells = append(e.Cells, Cell{c.middle, u.first - u.fall*c.middle, c.middle + c.half})
	}
	return e
}
