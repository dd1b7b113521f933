package tree

import (
	"math"
	"sort"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Validator corrects guesses. A query f_j: X -> [0,1] comes with a guess g_j; h = f_j(S), and i counts the flags
// so far.
//
//	|h - g| <= T:        the answer is g
//	otherwise i < B-1:   the answer is g + sign(h-g) 2w_i ceil((|h-g|-T)/(2w_i)), and a flag
//	otherwise:           the answer is g + sign(h-g) (|h-g|-T), a flag, and the end
//
// with public cells of 2w_i = 2 tau/(c_i+1), c_i >= 1 whole and not falling. With probability at least 1 - beta every
// answer is within tau of the population and, if Guesses is set, no guess within Tolerance of it is flagged.
type Validator struct {
	Values    tail.Values
	Queries   int64   // m >= 1
	Flags     int64   // B, from 1 to m
	Tau       float64 // > 0
	Threshold float64 // T in (0, tau)
	Guesses   bool    // whether a right guess must not be flagged
	Tolerance float64 // tau_0 in [0, T): what a right guess is
	LnBeta    float64 // below 0
}

// mostCellsPerFlag is where the search for c_i ends.
const mostCellsPerFlag = 1 << 40

// Bound returns ln of the bound of Theorem 1 on the probability of a failure for n rows, rounded up,
//
//	W A(tau-T) + sum_(i<B) N_i r_i,   r_i = 2A(s_i) or, with Guesses, max{2A(s_i), A(T-tau_0) + A(T)},
//	s_i = tau + T - 2tau/(c_i+1),     s_(B-1) = tau + T,
//	N_i = sum_(z<=i) C(m,z+1) c_(i-1)...c_(i-z),   W = sum_(z<B) C(m,z) c_(B-2)...c_(B-1-z),
//
// and the widths. Each c_i is the least, from c_(i-1) on, with ln N_i + ln 2A(s_i) <= ln(beta/10) -
// (B-1-i) ln 2. Any c_i are valid.
func (v Validator) Bound(n int64) (lnFailure float64, widths []theory.FlagWidth) {
	t := newFlagTree(v, n)
	for t.level < v.Flags-1 {
		c := t.cells(num.Log(0.1) + v.LnBeta - float64(v.Flags-1-t.level)*math.Ln2)
		if width := cellWidth(v.Tau, float64(c+1)); len(widths) == 0 || widths[len(widths)-1].Width != width {
			widths = append(widths, theory.FlagWidth{Flags: t.level, Width: width})
		}
		t.descend(c)
	}
	widths = append(widths, theory.FlagWidth{Flags: v.Flags - 1, Width: 0})
	return t.end(), widths
}

// WithBestThreshold returns the validator with about the threshold at which its bound is least for n rows, between
// Tolerance and Tau, and that bound.
func (v Validator) WithBestThreshold(n int64) (best Validator, lnFailure float64) {
	room := v.Tau - v.Tolerance
	share, lnFailure := num.Interval{Lo: 0.02, Hi: 0.98}.MinimizeScanned(9, 1e-3, func(share float64) float64 {
		v.Threshold = v.Tolerance + share*room
		ln, _ := v.Bound(n)
		return ln
	})
	v.Threshold = v.Tolerance + share*room
	return v, lnFailure
}

// LnFailure returns ln of the bound of Theorem 1 for these widths, rounded up, and 0 where they are none of it. The
// promise is the one at Tau, or at a lesser accuracy whose whole parts the widths are.
func (v Validator) LnFailure(n int64, widths []theory.FlagWidth) float64 {
	cells, ok := v.expand(widths)
	if !ok {
		return 0
	}
	least := v.lnFailure(n, cells)
	if v.Flags == 1 {
		return least
	}
	wide := cells[0]
	most := math.Floor(2 * v.Tau / wide)
	for i := range mostParts {
		parts := most - float64(i)
		if parts < 2 || least <= v.LnBeta {
			break
		}
		v.Tau = parts * wide / 2 * (1 - 0x1p-50)
		least = math.Min(least, v.lnFailure(n, cells))
	}
	return least
}

// mostParts is how many accuracies are tried for which widths may have been made.
const mostParts = 1000

// expand returns the width of each flag but the last, and whether they are widths of the theorem.
func (v Validator) expand(widths []theory.FlagWidth) (all []float64, ok bool) {
	for i, w := range widths {
		last := i == len(widths)-1
		from := int64(len(all))
		if i > 0 && w.Width >= widths[i-1].Width || w.Flags != from {
			return nil, false
		}
		if last != (w.Width == 0) || last != (from == v.Flags-1) {
			return nil, false
		}
		if last {
			return all, true
		}
		for to := min(widths[i+1].Flags, v.Flags-1); int64(len(all)) < to; {
			all = append(all, w.Width)
		}
	}
	return nil, false
}

// lnFailure returns the logarithm of the bound at Tau for the width of each flag but the last. Cells of a width that is
// no whole part of 2 Tau are as many as touch an open interval of that length.
func (v Validator) lnFailure(n int64, cells []float64) float64 {
	if !(v.Threshold < v.Tau) || v.Guesses && !(v.Tolerance < v.Threshold) {
		return 0
	}
	t := newFlagTree(v, n)
	for _, width := range cells {
		c := math.Ceil(2*v.Tau/width) - 1
		if math.FMA(width, c+1, -2*v.Tau) < 0 { // by the rounding of the quotient
			c++
		}
		if !(c >= 1 && c <= mostCellsPerFlag) {
			return 0
		}
		t.lnLast = v.Values.LnSide(n, (v.Tau+v.Threshold)*(1-0x1p-52)-width)
		t.descend(int64(c))
	}
	return math.Min(t.end(), 0)
}

// end returns ln of the bound of a tree that has come to its last level.
func (t *flagTree) end() float64 {
	t.charge(t.Values.LnSide(t.n, t.Tau+t.Threshold))
	wrong := t.lnSum(1) + t.Values.LnSide(t.n, t.Tau-t.Threshold)
	return num.LogAddExp(t.total, wrong) + (1e-13+2e-16*float64(t.Flags))*(1+t.most)
}

// LnFalseFlag returns ln of a bound on the probability that a guess that is exactly right is flagged on n rows.
func (v Validator) LnFalseFlag(n int64) float64 {
	return math.Min(0, math.Ln2+v.Values.LnSide(n, v.Threshold))
}

// flagTree is the tree of a validator on n rows, level by level.
type flagTree struct {
	Validator
	n       int64
	level   int64     // i
	choices []float64 // c_0 to c_(i-1)
	lnCells []float64 // the sums of their logarithms, of none to all
	lnNodes float64   // ln N_i
	lnGuess float64   // ln of A(T-tau_0) + A(T), or -Inf
	last    int64     // c_(i-1), 1 before
	lnLast  float64   // ln of A at it
	total   float64   // ln of sum N_i r_i so far
	most    float64   // the greatest N_i or W so far, by its logarithm
}

func newFlagTree(v Validator, n int64) *flagTree {
	t := &flagTree{Validator: v, n: n, last: 1, lnCells: []float64{0}, lnGuess: math.Inf(-1), total: math.Inf(-1)}
	if v.Guesses {
		t.lnGuess = num.LogAddExp(v.Values.LnSide(n, v.Threshold-v.Tolerance), v.Values.LnSide(n, v.Threshold))
	}
	t.lnLast, t.lnNodes = t.lnSide(1), t.lnSum(0)
	return t
}

// lnSide returns ln A(s_i) for c_i = c.
func (t *flagTree) lnSide(c int64) float64 {
	// The width is rounded up, so that s is too small rather than too large.
	return t.Values.LnSide(t.n, t.Tau+t.Threshold-2*t.Tau/float64(c+1)*(1+0x1p-50))
}

// lnSum returns ln N_i, or with less = 1 ln W at the last level, i = B-1: the terms have C(m,z) for C(m,z+1). From z
// = i down a term is that above times a factor that falls, so the sum is taken from its greatest term to both sides.
func (t *flagTree) lnSum(less int64) float64 {
	below := func(z int64) float64 { // the term of z-1 over the term of z
		return float64(z+1-less) / (float64(t.Queries-z+less) * t.choices[t.level-z])
	}
	greatest := t.level - int64(sort.Search(int(t.level), func(i int) bool { return below(t.level-int64(i)) <= 1 }))
	sum, term := 1.0, 1.0
	for z := greatest; z > 0 && term > sum*1e-18; z-- {
		term *= below(z)
		sum += term
	}
	term = 1
	for z := greatest; z < t.level && term > sum*1e-18; z++ {
		term /= below(z + 1)
		sum += term
	}
	ln := tail.LnChoose(t.Queries, greatest+1-less).Hi + t.lnCells[t.level] - t.lnCells[t.level-greatest]
	ln += num.Log(sum * (1 + 1e-14))
	t.most = max(t.most, ln)
	return ln
}

// cells returns c_i for a target of ln N_i + ln 2A(s_i).
func (t *flagTree) cells(target float64) int64 {
	target -= t.lnNodes + math.Ln2
	enough := func(c int64) bool { return t.lnSide(c) <= target }
	if t.lnLast > target {
		t.last = num.Ints{Lo: t.last + 1, Hi: mostCellsPerFlag, Guess: t.last + 1}.Least(enough)
		t.lnLast = t.lnSide(t.last)
	}
	return t.last
}

// charge adds N_i r_i for A(s_i).
func (t *flagTree) charge(lnSide float64) {
	t.total = num.LogAddExp(t.total, t.lnNodes+math.Max(math.Ln2+lnSide, t.lnGuess))
}

// descend charges a level with c cells and goes to the next.
func (t *flagTree) descend(c int64) {
	t.charge(t.lnLast)
	t.choices = append(t.choices, float64(c))
	t.lnCells = append(t.lnCells, t.lnCells[t.level]+num.Log(float64(c)))
	t.level++
	t.lnNodes = t.lnSum(0)
}
