package feedback

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Ladder shows the best score so far in steps that are wide at the start. Here a model has a loss in [0,1], whose
// mean over the rows is h; a score is 1 - h. Boundaries hi = u_0 > u_1 > ... > u_K = 0 and values v_0 > ... >
// v_(K-1) are fixed in advance. The state l starts at 0. On a submission: while l < K-1 and h <= u_(l+1), l grows
// by one; v_l is shown. If l grew, the model is the incumbent. With b_t the least of hi and the population losses
// of the first t models, |shown - b_t| <= tau at all times, and the shown value is within tau of each new
// incumbent's own loss.
//
// The rows are independent; for 0/1 losses with [Ladder.ZeroOne] they are also identically distributed.
type Ladder struct {
	Queries int64   // m >= 2
	Tau     float64 // in [LeastLadderTau, 1)
	Top     float64 // hi in (0, 1]: the known loss of a baseline, 1 if there is none
	LnBeta  float64 // below 0
	ZeroOne bool    // whether losses are 0 and 1 and binomial tails may serve
}

// LeastLadderTau is the least tau for which a ladder is built: its number of cells grows as 1/tau.
const LeastLadderTau = 3e-4

// Cell is a state of a [Ladder]: at a mean loss of at most Boundary, Value is shown.
type Cell struct{ Boundary, Value float64 }

// lnEntered returns ln W_l, W_0 = 1, W_l = C(m+l-2, l): at most so many nodes in state l hold a model whose
// expectation is lower than the shown value by more than tau.
func (d Ladder) lnEntered(l int64) float64 {
	if l == 0 {
		return 0
	}
	return LnChoose(d.Queries+l-2, l).Hi * (1 + 4e-16)
}

// lnStates returns ln N_l, N_0 = m, N_l = C(m+l-1, l+1): so many nodes are in state l. At m = 2 it is that of
// m = 3, so that it does not fall in l.
func (d Ladder) lnStates(l int64) float64 {
	m := max(d.Queries, 3)
	if l == 0 {
		return LnChoose(m, 1).Hi * (1 + 4e-16)
	}
	return LnChoose(m+l-1, l+1).Hi * (1 + 4e-16)
}

// mostCells is the greatest K that is tried.
func (d Ladder) mostCells() int64 { return int64(6/d.Tau) + 5 }

// Cells returns a ladder for n rows that keeps its promise with probability at least 1-beta, or nil if this
// construction finds none. Each of the 2(K-1) terms of Theorem 4,
//
//	sum_(l<K-1) W_l e^(-n kl(u_(l+1)||v_l - tau)) + sum_(0<l<K) N_(l-1) e^(-n kl(u_l||v_l + tau)),
//
// has the same share of beta. The steps are the smallest that the terms allow; fewer are enough for
// more rows, a greater tau or beta, and fewer queries.
func (d Ladder) Cells(n int64) []Cell { return new(LadderSearch).Cells(d, n) }

// LadderSearch builds ladders for one plan after another. It is faster than [Ladder.Cells] where each plan that has a
// ladder is harder than the one before, as in a search. The zero value is ready for use.
type LadderSearch struct {
	builder
	found ladderPlan // the last plan that had a ladder
	cells int64      // and for how many cells its shares are, 0 before
}

// Cells is [Ladder.Cells]. Shares for so many cells make a ladder of as many or more until they are enough. That takes
// the fewest that are enough, wherever it starts below them, and an easier plan's were enough for that plan.
func (s *LadderSearch) Cells(d Ladder, n int64) []Cell {
	if d.Tau < LeastLadderTau {
		return nil
	}
	if d.Top <= 2*d.Tau { // v_0 = hi - tau is within tau of every loss
		return []Cell{{d.Top, d.Top - d.Tau}}
	}
	if d.Queries != s.Queries {
		s.entered, s.states = s.entered[:0], s.states[:0]
	}
	s.ladderPlan = ladderPlan{d, n}
	cells := int64(2)
	if s.cells > 0 && s.found.easier(s.ladderPlan) {
		cells = s.cells
	}
	for cells <= d.mostCells() {
		built := s.build(cells)
		if built == nil {
			return nil
		}
		if int64(len(built)) <= cells {
			s.found, s.cells = s.ladderPlan, cells
			return built
		}
		cells = int64(len(built))
	}
	return nil
}

// Tree is the tree of a ladder with these cells, for n rows.
func (d Ladder) Tree(cells []Cell) Tree {
	var tree Tree
	for l := range len(cells) - 1 {
		value, next := cells[l].Value, cells[l+1]
		tree = append(tree,
			Nodes{num.FromFloat(d.lnEntered(int64(l))), d.above(next.Boundary, value-d.Tau)},
			Nodes{num.FromFloat(d.lnStates(int64(l))), d.below(next.Boundary, next.Value+d.Tau)})
	}
	return tree
}

// ladderPlan is a ladder for n rows.
type ladderPlan struct {
	Ladder
	n int64
}

// builder builds ladders.
type builder struct {
	ladderPlan
	entered []float64 // ln W_l, as far as known
	states  []float64 // ln N_l
}

// easier reports whether a plan certainly needs no more cells than another one. Counts of 0/1 losses do not say so.
func (p ladderPlan) easier(than ladderPlan) bool {
	alike := p.Top == than.Top && !p.ZeroOne && !than.ZeroOne
	less := p.Queries <= than.Queries && p.Tau >= than.Tau && p.LnBeta >= than.LnBeta
	return alike && less && p.n >= than.n
}

// counts returns ln W_l and ln N_l, rounded up: W_l = W_(l-1) (m+l-2)/l and, but for l = 1, N_l =
// N_(l-1) (m+l-1)/(l+1).
func (b *builder) counts(l int) (entered, states float64) {
	m := float64(max(b.Queries, 3))
	for i := len(b.entered); i <= l; i++ {
		if i == 0 {
			b.entered, b.states = append(b.entered, 0), append(b.states, num.Log(m))
			continue
		}
		k := float64(i)
		w := b.entered[i-1] + num.Log((float64(b.Queries)+k-2)/k)
		n := b.states[i-1] + num.Log((m+k-1)/(k+1))
		if i == 1 {
			n = num.Log(m) + num.Log((m-1)/2)
		}
		b.entered, b.states = append(b.entered, w+1e-15*(1+w)), append(b.states, n+1e-15*(1+n))
	}
	return b.entered[l], b.states[l]
}

// build returns the cells at a share of beta/(2(most-1)) for each term, as many as it takes, or nil if
// a step is not one downwards.
func (b *builder) build(most int64) []Cell {
	lnTerms := num.Log(2*float64(most-1)) - b.LnBeta + 1e-10 // for what the roots below are off
	cells := append(make([]Cell, 0, 32), Cell{b.Top, b.Top - b.Tau})
	for l := 0; ; l++ {
		last := cells[l]
		if last.Value <= b.Tau || int64(l) >= b.mostCells() {
			return cells
		}
		entered, states := b.counts(l)
		u := b.boundary(last.Value-b.Tau, entered+lnTerms)
		if !(u < last.Boundary) {
			return nil
		}
		v := b.least(u, states+lnTerms) - b.Tau
		if !(v < last.Value) {
			return nil
		}
		cells = append(cells, Cell{u, v})
	}
}

// above is the event that a mean exceeds the level although its expectation is below p.
func (d Ladder) above(level, p float64) Tail {
	if d.ZeroOne {
		return count{level: level, p: max(p, 0), above: true}
	}
	return Exponential{1, num.FromFloat(knownEntropy(level, max(p, 0)))}
}

// below is the event that a mean is at most the level although its expectation is above p.
func (d Ladder) below(level, p float64) Tail {
	if d.ZeroOne {
		return count{level: level, p: min(p, 1)}
	}
	if p >= 1 {
		return Exponential{1, impossible}
	}
	return Exponential{1, num.FromFloat(knownEntropy(level, p))}
}

// boundary returns about the least u > p at which a mean exceeds u with probability at most e^-x.
func (b *builder) boundary(p, x float64) float64 {
	if b.ZeroOne {
		at := num.Binomial{N: b.n, P: p}
		guess := int64(float64(b.n) * min(klAbove(p, b.normalEntropy(x)), 1))
		k := num.Ints{Lo: 0, Hi: b.n, Guess: guess}.Least(func(k int64) bool { return at.LnAtLeast(k+1) <= -x })
		return float64(k) / float64(b.n)
	}
	return klAbove(p, x/float64(b.n))
}

// least returns about the least q at which a mean is u or less with probability at most e^-x, at most 1.
func (b *builder) least(u, x float64) float64 {
	q := klExpectation(u, x/float64(b.n))
	if !b.ZeroOne || q >= 1 {
		return q
	}
	n, k := float64(b.n), whole(u, b.n)
	tail := func(q float64) float64 { return num.Binomial{N: b.n, P: q}.LnAtMost(k) + x }
	lo, hi := klExpectation(float64(k)/n, b.normalEntropy(x)), q
	if k+1 < b.n {
		hi = min(klExpectation(float64(k+1)/n, b.normalEntropy(x)), q)
	}
	if !(lo < hi) || tail(lo) <= 0 || tail(hi) > 0 { // by roundings, or at the ends
		lo, hi = u, q
	}
	return num.Interval{Lo: lo, Hi: hi}.SafeRoot(1e-12, tail)
}

// normalEntropy returns kl(k/n || p) where Q(sqrt(2n kl)), of a normal variable, is e^-x. A binomial tail at k is
// between that and that of k+1 (Zubkov and Serov).
func (b *builder) normalEntropy(x float64) float64 {
	z := num.UpperQuantile(-x)
	return z * z / 2 / float64(b.n)
}

// count is the tail of a count of ones among n, whose expectation is n p.
type count struct {
	level, p float64
	above    bool
}

func (c count) Ln(n int64) float64 {
	k, at := whole(c.level, n), num.Binomial{N: n, P: c.p}
	if c.above {
		return at.LnAtLeast(k + 1)
	}
	return at.LnAtMost(k)
}

// whole returns the greatest count of n that is at most the level, which may be a rounded k/n.
func whole(level float64, n int64) int64 {
	return int64(math.Floor(level * float64(n) * (1 + 0x1p-50)))
}

// klAbove returns about the least u >= p with kl(u||p) >= e, for p < 1; it is 2 if there is none.
func klAbove(p, e float64) float64 {
	if p <= 0 || e <= 0 {
		return max(p, 0)
	}
	if !(e < -num.Log(p)) {
		return 2
	}
	// The first terms of the root as a series in x, and Halley's method from there.
	x := math.Sqrt(2 * e)
	u := p + x*math.Sqrt(p*(1-p)) + (1-2*p)*x*x/6
	u = min(max(u, p+1e-3*(1-p)*min(e, 1)), p+(1-p)*(1-1e-9))
	for i := 0; i < 60 && u < 1; i++ {
		kl, slope := entropyAndSlope(u, p)
		step := halley(kl-e, slope, 1/(u*(1-u)))
		u = min(max(u-step, p+(u-p)/16), (u+1)/2)
		if math.Abs(step) <= 1e-5*min(u-p, 1-u) {
			break
		}
	}
	return u * (1 + 1e-14)
}

// klExpectation returns about the least q > u with kl(u||q) >= e, at most 1.
func klExpectation(u, e float64) float64 {
	if u <= 0 {
		return -math.Expm1(-e) * (1 + 1e-15)
	}
	// As for klAbove.
	x := math.Sqrt(2 * e)
	q := u + x*math.Sqrt(u*(1-u)) + (1-2*u)*x*x/3
	q = min(max(q, u+1e-3*(1-u)*min(e, 1)), u+(1-u)*(1-1e-9))
	for i := 0; i < 60 && q < 1; i++ {
		kl, _ := entropyAndSlope(u, q)
		step := halley(kl-e, (q-u)/(q*(1-q)), u/(q*q)+(1-u)/((1-q)*(1-q)))
		q = min(max(q-step, u+(q-u)/16), (q+1)/2)
		if math.Abs(step) <= 1e-5*min(q-u, 1-q) {
			break
		}
	}
	return min(q*(1+1e-14), 1)
}

// halley returns the step of Halley's method for a value y and two derivatives, after which the error is about the cube
// of what it was, and Newton's where that is a step backwards.
func halley(y, slope, bend float64) float64 {
	if room := 1 - y*bend/(2*slope*slope); room > 0.5 {
		return y / slope / room
	}
	return y / slope
}

// entropyAndSlope returns kl(u||p) and its derivative in u, for u and p in (0,1).
func entropyAndSlope(u, p float64) (kl, slope float64) {
	ones, zeros := num.Log(u/p), num.Log((1-u)/(1-p))
	if kl = u*ones + (1-u)*zeros; kl < 2e-3 { // where that would lose digits
		kl = num.KLShift{P: p, Shift: u - p}.Nats()
	}
	return kl, ones - zeros
}
