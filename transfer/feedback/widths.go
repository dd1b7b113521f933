package feedback

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Widths shows every answer in cells whose width is chosen for each query: query j < m is answered by the nearest
// multiple of 2w_j = 2 tau/c_j, c_j >= 2 whole and public, and the last query by its value on the rows. Answers
// are clipped to [0,1] afterwards. All are within tau of the population but with probability at most V_1, where
//
//	V_m = 2A(tau),   V_j = max{c_j V_(j+1) + A(tau-w_j) + A(tau), (c_j-1) V_(j+1) + 2A(tau-w_j)}.
type Widths struct {
	Values  Values
	Queries int64   // m >= 1
	Tau     float64 // in (0,1)
}

// QueryWidth says that the next Queries queries have cells that are Width wide; 0 stands for no rounding.
type QueryWidth struct {
	Queries int64
	Width   float64
}

// Bound returns about the least ln V_1 over all c_j for n rows, rounded up, and the widths in the order of the queries.
// V_j grows with V_(j+1), so the best c_j is found from the last query back. The greater V_(j+1) is, the
// less the best c_j. Up to 512 every c is tried, beyond that one in each 1.6 per cent.
func (w Widths) Bound(n int64) (lnFailure float64, widths []QueryWidth) {
	v := widthWalk{Widths: w, n: n, lnWhole: w.Values.LnSide(n, w.Tau)}
	v.ln = math.Ln2 + v.lnWhole
	widths = append(widths, QueryWidth{Queries: 1})
	at := int64(manyCells)
	for left := w.Queries - 1; left > 0; {
		at = num.Ints{Lo: 2, Hi: at, Guess: at}.Least(func(i int64) bool { return v.after(i) <= v.after(i+1) })
		steps := v.stay(at, left)
		widths = append(widths, QueryWidth{steps, 2 * w.Tau / candidate(at)})
		left -= steps
	}
	slices.Reverse(widths)
	return v.ln + 1e-13*(1+math.Abs(v.ln)), widths
}

const (
	everyCell = 512
	manyCells = 2048
)

// candidate returns a c: from 2 on every whole number up to 512, and then in steps that grow.
func candidate(i int64) float64 {
	if i <= everyCell {
		return float64(i)
	}
	return math.Floor(everyCell * math.Pow(1+1./64, float64(i-everyCell)))
}

// widthWalk goes from the last query back.
type widthWalk struct {
	Widths
	n       int64
	ln      float64 // ln V_(j+1)
	lnWhole float64 // ln A(tau)
	sides   [manyCells + 2]float64
}

// side returns ln A(tau - w) for a candidate.
func (v *widthWalk) side(i int64) float64 {
	if v.sides[i] == 0 {
		v.sides[i] = v.Values.LnSide(v.n, v.Tau-v.Tau/candidate(i)*(1+0x1p-50))
	}
	return v.sides[i]
}

// after returns ln V_j for a candidate.
func (v *widthWalk) after(i int64) float64 {
	c, side := candidate(i), v.side(i)
	full := num.LogAddExp(math.Log(c)+v.ln, num.LogAddExp(side, v.lnWhole))
	ln := math.Max(full, num.LogAddExp(math.Log(c-1)+v.ln, math.Ln2+side))
	return ln + 4e-16*math.Abs(ln)
}

// stay moves back by as many queries, at most left, as the candidate stays the best for, and returns their number.
func (v *widthWalk) stay(i, left int64) int64 {
	best := func() bool { return i == 2 || v.after(i) < v.after(i-1) }
	v.ln = v.after(i)
	if left == 1 || !best() || v.ln < v.side(i) {
		return 1
	}
	// With V_j >= A(tau-w) from here on, V_j + a/(c-1) grows by the factor c, a = A(tau-w) + A(tau).
	c, base := candidate(i), v.ln
	lnShift := num.LogAddExp(v.side(i), v.lnWhole) - math.Log(c-1)
	to := func(steps int64) {
		grown := num.LogAddExp(base, lnShift) + float64(steps)*math.Log(c)*(1+4e-16)
		v.ln = num.LogSubExp(grown, lnShift) + 4e-16*math.Abs(grown)
	}
	more := num.Ints{Lo: 0, Hi: left - 1, Guess: 0}.Greatest(func(steps int64) bool {
		to(max(steps-1, 0))
		return steps == 0 || best()
	})
	if v.ln = base; more > 0 {
		to(more)
	}
	return 1 + more
}
