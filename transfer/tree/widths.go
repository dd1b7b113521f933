package tree

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Widths shows every answer in cells whose width is chosen for each query: query j < m is answered by the nearest
// multiple of 2w_j = 2 tau/c_j, c_j >= 2 whole and public, and the last query by its value on the rows. Answers
// are clipped to [0,1] afterwards. All are within tau of the population but with probability at most V_1, where
//
//	V_m = 2A(tau),   V_j = max{c_j V_(j+1) + A(tau-w_j) + A(tau), (c_j-1) V_(j+1) + 2A(tau-w_j)}.
type Widths struct {
	Values  tail.Values
	Queries int64   // m >= 1
	Tau     float64 // in (0,1)
}

// QueryWidth says that the next Queries queries have cells that are Width wide; 0 stands for no rounding.
type QueryWidth struct {
	Queries int64
	Width   float64
}

// Bound returns about the least ln V_1 over all c_j for n rows, rounded up, and the widths in the order of the
// queries. V_j grows with V_(j+1), so the best c_j is found from the last query back. The greater V_(j+1) is, the
// less the best c_j. Up to 128 every c is tried, beyond that one in each 6 per cent.
func (w Widths) Bound(n int64) (lnFailure float64, widths []QueryWidth) {
	v := widthWalk{Widths: w, n: n, lnWhole: w.Values.LnSide(n, w.Tau)}
	v.ln = math.Ln2 + v.lnWhole
	widths = append(widths, QueryWidth{Queries: 1})
	at := int64(manyCells)
	for left := w.Queries - 1; left > 0; {
		at = num.Ints{Lo: 2, Hi: at, Guess: at}.Least(func(i int64) bool { return v.after(i) <= v.after(i+1) })
		steps, width := v.stay(at, left), cellWidth(w.Tau, candidate(at))
		if last := &widths[len(widths)-1]; last.Width == width { // by rounding it stayed the best once more
			last.Queries += steps
		} else {
			widths = append(widths, QueryWidth{steps, width})
		}
		left -= steps
	}
	slices.Reverse(widths)
	return v.ln + 1e-13*(1+math.Abs(v.ln)), widths
}

const (
	everyCell = 128
	manyCells = 512
)

// cellWidth returns 2 tau/c, rounded up: where a width is a hair too narrow, an open interval of 2 tau holds a multiple
// more.
func cellWidth(tau, c float64) float64 {
	width := 2 * tau / c
	if math.FMA(width, c, -2*tau) < 0 {
		return math.Nextafter(width, math.Inf(1))
	}
	return width
}

// candidate returns a c: from 2 on every whole number up to 128, and then in steps that grow.
func candidate(i int64) float64 {
	if i <= everyCell {
		return float64(i)
	}
	return math.Floor(everyCell * num.Exp(float64(i-everyCell)*num.Log(1+1./16)))
}

// widthWalk goes from the last query back.
type widthWalk struct {
	Widths
	n       int64
	ln      float64 // ln V_(j+1)
	lnWhole float64 // ln A(tau)
	sides   [manyCells + 2]side
}

// side is a candidate c, ln A(tau - w) for its w, ln of that and A(tau) together, and ln V_j where ln V_(j+1) was next.
type side struct{ c, lnC, ln, lnBoth, next, after float64 }

// side returns the facts about a candidate.
func (v *widthWalk) side(i int64) *side {
	e := &v.sides[i]
	if e.c == 0 {
		e.c = candidate(i)
		e.lnC = num.Log(e.c)
		e.ln = v.Values.LnSide(v.n, v.Tau-v.Tau/e.c*(1+0x1p-50))
		e.lnBoth = num.LogAddExp(e.ln, v.lnWhole)
		e.next = math.NaN()
	}
	return e
}

// after returns ln V_j for a candidate. Its second form is the greater where A(tau-w) > V_(j+1) + A(tau).
func (v *widthWalk) after(i int64) float64 {
	e := v.side(i)
	if e.next == v.ln {
		return e.after
	}
	ln := num.LogAddExp(e.lnC+v.ln, e.lnBoth)
	if e.ln > v.ln {
		ln = math.Max(ln, num.LogAddExp(num.Log(e.c-1)+v.ln, math.Ln2+e.ln))
	}
	e.next, e.after = v.ln, ln+4e-16*math.Abs(ln)
	return e.after
}

// stay moves back by as many queries, at most left, as the candidate stays the best for, and returns their number.
func (v *widthWalk) stay(i, left int64) int64 {
	before := v.ln
	v.ln = v.after(i)
	if left == 1 || before < v.side(i).ln {
		return 1
	}
	// With V_(j+1) >= A(tau-w) from here on, V_j + a/(c-1) grows by the factor c, a = A(tau-w) + A(tau). The next
	// candidate b < c is better from (c-b) V = A(tau-w_b) - A(tau-w_c) on.
	c, steps := candidate(i), left
	lnShift := v.side(i).lnBoth - num.Log(c-1)
	from := num.LogAddExp(before, lnShift)
	if i > 2 {
		turn := num.LogSubExp(v.side(i-1).ln, v.side(i).ln) - num.Log(c-candidate(i-1))
		more := (num.LogAddExp(turn, lnShift) - from) / num.Log(c)
		steps = min(left, int64(math.Min(math.Max(more, 0), 0x1p60))+1)
	}
	grown := from + float64(steps)*num.Log(c)*(1+4e-16)
	v.ln = math.Max(v.ln, num.LogSubExp(grown, lnShift)+4e-16*math.Abs(grown))
	return steps
}
