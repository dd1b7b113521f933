package certificate

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// hinge returns the t at which the convex tail of n rows of mean p, at the value x, is least, and ln of it. Mean and
// value are over one scale.
func hinge(n, p, x, scale int64) (t int64, ln float64) {
	b := num.Binomial{N: n, P: float64(p) / float64(scale)}
	y := reach(n, x, scale)
	t = b.Hinge(y)
	return t, b.LnHinge(t, y)
}

// reach returns n x, rounded down.
func reach(n, x, scale int64) float64 {
	return float64(n) * (float64(x) / float64(scale)) * (1 - 4e-16)
}

// low returns the t by which a mean of at most p reaches x with probability at most e^level. Coq needs none where the
// mean or the value is beyond an end.
func low(n, p, x, scale int64, level float64) (t int64, ok bool) {
	if p <= 0 || x > scale {
		return 0, true
	}
	t, ln := hinge(n, p, x, scale)
	return t, ln <= level
}

// cell is a t that serves the means up to an end.
type cell struct{ end, t int64 }

// cells covers the means from 0 to 1 - s, over a scale: at none of them the mean of n rows is s above it with a
// probability above e^level. The t of a cell is the greatest that serves its first mean, and goes furthest.
func cells(n, s, scale int64, level float64) ([]cell, error) {
	var all []cell
	for p, last := int64(0), scale-s; p < last; p = all[len(all)-1].end {
		serves := func(t, mean int64) bool {
			above := float64(t+2) > (float64(n)+1)*(float64(mean)/float64(scale))
			b := num.Binomial{N: n, P: float64(mean) / float64(scale)}
			return above && b.LnHinge(t, reach(n, mean+s, scale)) <= level
		}
		best, _ := hinge(n, p, p+s, scale)
		t := num.Ints{Lo: best, Hi: int64(math.Ceil(reach(n, p+s, scale))) - 1, Guess: best}.Greatest(func(t int64) bool {
			return t == best || serves(t, p)
		})
		width := num.Ints{Lo: 0, Hi: last - p, Guess: (last - p) / 8}.Greatest(func(width int64) bool {
			return width == 0 || serves(t, p+width)
		})
		if width == 0 || len(all) > mostCells {
			return nil, errNarrow
		}
		all = append(all, cell{p + width, t})
	}
	return all, nil
}

var errNarrow = errors.New("the plan has so little to spare that no short file proves it: take one row more")

// mostCells keeps Coq's time within minutes.
const mostCells = 5000

// anyMean writes the cells of a plan, over its scale times the factor that it returns.
func (p *plan) anyMean() (factor int64, err error) {
	var found []cell
	for factor, err = 1, errNarrow; err != nil && p.scale*factor < 1e12; {
		for factor *= 10; p.scale*factor < 1e5; {
			factor *= 10
		}
		found, err = cells(p.Samples, p.tau*factor, p.scale*factor, p.level.ln())
	}
	if err != nil {
		return 0, err
	}
	entries := make([]string, len(found))
	for i, c := range found {
		entries[i] = fmt.Sprintf("(%d, %d)", c.end, c.t)
	}
	p.fill("cells", "over", p.scale*factor, "list", lines(entries))
	return factor, nil
}

// writesFewer writes that with one row fewer no t serves where the mean p is to reach x, if so.
func (p *plan) writesFewer(mean, x, scale int64) bool {
	n := p.Samples - 1
	if n < 1 || mean <= 0 || x > scale {
		return false
	}
	if _, ln := hinge(n, mean, x, scale); ln <= p.level.ln()+1e-9 {
		return false
	}
	p.fill("fewer_hinge", "n", n, "x", x, "d", scale, "p", mean)
	return true
}

// fewerOfAny is writesFewer at the worst mean.
func (p *plan) fewerOfAny() {
	worst, factor := tail.Convex{}.Worst(p.Samples-1, float64(p.tau)/float64(p.scale)), int64(1)
	for p.scale*factor < 1e12 {
		factor *= 10
	}
	mean := int64(math.Round(worst * float64(p.scale*factor)))
	p.writesFewer(mean, mean+p.tau*factor, p.scale*factor)
}
