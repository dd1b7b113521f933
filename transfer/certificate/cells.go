package certificate

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

var errNarrow = errors.New("the plan has so little to spare that no short file proves it: take one row more")

// mostCells keeps Coq's time within minutes.
const mostCells = 5000

// cells writes the cells of a plan at the first scale that is fine enough.
func (p *plan) cells() error {
	for q := p.finer(max(1e5, 10*p.scale)); q.scale < 1e13; q = q.finer(10 * q.scale) {
		list, ok := q.cover()
		if !ok {
			continue
		}
		p.fill("cells", "over", q.scale, "factor", q.scale/p.scale, "list", lines(list))
		n, q := p.Samples-1, p.finer(1e12)
		worst := tail.Convex{}.Worst(n, float64(p.tau)/float64(p.scale))
		mean := int64(math.Round(worst * float64(q.scale)))
		p.fewerHinge(q.bound(n, mean, mean+q.tau))
		return nil
	}
	return errNarrow
}

// cover covers the means from 0 to 1 - tau by cells up to an end: at none of them the mean of the rows is tau above it
// with a probability above the level. The t of a cell is the greatest that serves its first mean, and goes furthest.
func (p *plan) cover() (cells []string, ok bool) {
	at := func(mean int64) bound { return p.bound(p.Samples, mean, mean+p.tau) }
	serves := func(t, mean int64) bool {
		b := at(mean)
		law := b.law()
		return float64(t+2) > float64(b.N+1)*law.P && law.LnHinge(t, b.reach()) <= p.level.ln()
	}
	for from, last := int64(0), p.scale-p.tau; from < last; {
		y := at(from).reach()
		best := at(from).law().Hinge(y)
		t := num.Ints{Lo: best, Hi: int64(math.Ceil(y)) - 1, Guess: best}.Greatest(func(t int64) bool {
			return t == best || serves(t, from)
		})
		end := num.Ints{Lo: from, Hi: last, Guess: from + (last-from)/8}.Greatest(func(end int64) bool {
			return end == from || serves(t, end)
		})
		if end == from || len(cells) > mostCells {
			return nil, false
		}
		cells = append(cells, fmt.Sprintf("(%d, %d)", end, t))
		from = end
	}
	return cells, true
}

// lines puts the entries of a list on a line each.
func lines(list []string) string { return strings.Join(list, ";\n  ") }
