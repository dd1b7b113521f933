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
// The rows are independent, and need not be alike.
type Ladder struct {
	Queries int64   // m >= 2
	Tau     float64 // in [LeastLadderTau, 1)
	Top     float64 // hi in (0, 1]: the known loss of a baseline, 1 if there is none
	LnBeta  float64 // below 0
	ZeroOne bool    // whether losses are 0 and 1 and binomial tails may serve
}

// LeastLadderTau is the least tau for which a ladder is built: its number of cells grows as 1/tau.
const LeastLadderTau = 3e-4

// Cell is a state of a [Ladder]: at a mean loss of at most Boundary, Value is shown. Of 0/1 losses at most Count among
// the rows reach it, and Boundary is their share. The first cell is the start and has no count.
type Cell struct {
	Boundary, Value float64
	Count           int64
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
		return []Cell{{Boundary: d.Top, Value: d.Top - d.Tau}}
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

// LnFailure returns ln of an upper bound on the probability that the cells break the promise on n rows. It is Theorem 4
// with the risks that these cells have:
//
//	sum_(l<K-1) W_l a_l + sum_(l<K-1) N_l b_l,
//
// where a_l is the greatest P[h > u_(i+1)] at the loss v_i - tau, and b_l the greatest P[h <= u_(i+1)] at the loss
// v_(i+1) + tau, among the i from l to K-2. Tables with the same values and other boundaries may serve in turns, a
// look by one of them: the greatest risks among all are taken then.
func (d Ladder) LnFailure(n int64, tables ...[]Cell) float64 {
	const rounded = 0x1p-53 // what 1 - a shown value less tau may be off by
	b := builder{ladderPlan: ladderPlan{Ladder: d, n: n}}
	sum, high, low := math.Inf(-1), math.Inf(-1), math.Inf(-1)
	last := len(tables[0]) - 2
	for l := last; l >= 0; l-- {
		for _, cells := range tables {
			high = max(high, d.lnAbove(n, cells[l+1], cells[l].Value-d.Tau+rounded))
			low = max(low, d.lnBelow(n, cells[l+1], cells[l+1].Value+d.Tau-rounded))
		}
		entered, states := b.counts(l)
		sum = num.LogAddExp(sum, num.LogAddExp(entered+high, states+low))
	}
	terms := float64(last + 2)
	return sum + terms*4e-16*(1+math.Abs(sum))
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

// counts returns ln W_l and ln N_l, rounded up. At most W_l = C(m+l-2, l) nodes in state l hold a model whose
// expectation is lower than the shown value by more than tau, and N_l = C(m+l-1, l+1) nodes are in state l; W_0 = 1
// and N_0 = m. At m = 2 N is that of m = 3, so that it does not fall in l. W_l = W_(l-1) (m+l-2)/l and, but for l = 1,
// N_l = N_(l-1) (m+l-1)/(l+1).
func (b *builder) counts(l int) (entered, states float64) {
	m := float64(max(b.Queries, 3))
	for i := len(b.entered); i <= l; i++ {
		if i == 0 {
			b.entered, b.states = append(b.entered, 0), append(b.states, num.Log(m)*(1+4e-16))
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
	cells := append(make([]Cell, 0, 32), Cell{Boundary: b.Top, Value: b.Top - b.Tau})
	for l := 0; ; l++ {
		last := cells[l]
		if last.Value <= b.Tau || int64(l) >= b.mostCells() {
			return cells
		}
		entered, states := b.counts(l)
		u, count := b.boundary(last.Value-b.Tau, entered+lnTerms)
		if !(u < last.Boundary) {
			return nil
		}
		v := b.least(u, count, states+lnTerms) - b.Tau
		if !(v < last.Value) {
			return nil
		}
		cells = append(cells, Cell{u, v, count})
	}
}

// lnAbove returns ln of a bound on the probability that the cell is not reached by a loss of at most p.
func (d Ladder) lnAbove(n int64, cell Cell, p float64) float64 {
	p = max(p, 0)
	switch {
	case d.ZeroOne:
		return lnAtLeast(n, cell.Count+1, p)
	case p >= cell.Boundary:
		return 0
	}
	return Exponential{1, num.FromFloat(knownEntropy(cell.Boundary, p))}.Ln(n)
}

// lnBelow returns ln of a bound on the probability that the cell is reached by a loss of at least p.
func (d Ladder) lnBelow(n int64, cell Cell, p float64) float64 {
	p = min(p, 1)
	switch {
	case d.ZeroOne:
		return lnAtMost(n, cell.Count, p)
	case p <= cell.Boundary:
		return 0
	}
	return Exponential{1, num.FromFloat(knownEntropy(cell.Boundary, p))}.Ln(n)
}

// boundary returns about the least u > p at which a mean exceeds u with probability at most e^-x.
func (b *builder) boundary(p, x float64) (u float64, count int64) {
	if b.ZeroOne {
		guess := int64(float64(b.n) * min(klAbove(p, b.normalEntropy(x)), 1))
		k := num.Ints{Lo: 0, Hi: b.n, Guess: guess}.Least(func(k int64) bool { return lnAtLeast(b.n, k+1, p) <= -x })
		return float64(k) / float64(b.n), k
	}
	return klAbove(p, x/float64(b.n)), 0
}

// least returns about the least q at which a mean is u or less, a count at most k, with probability at most e^-x. It is
// at most 1.
func (b *builder) least(u float64, k int64, x float64) float64 {
	q := klExpectation(u, x/float64(b.n))
	edge := float64(k+1) / float64(b.n) * (1 + 1e-12) // below it the exact tail is none of unequal rows
	if !b.ZeroOne || q >= 1 || q <= edge {
		return q
	}
	tail := func(q float64) float64 { return num.Binomial{N: b.n, P: q}.LnAtMost(k) + x }
	lo, hi := klExpectation(u, b.normalEntropy(x)), q
	if k+1 < b.n {
		hi = min(klExpectation(float64(k+1)/float64(b.n), b.normalEntropy(x)), q)
	}
	if !(lo < hi) || tail(lo) <= 0 || tail(hi) > 0 { // by roundings, or at the ends
		lo, hi = u, q
	}
	return max(num.Interval{Lo: lo, Hi: hi}.SafeRoot(1e-12, tail), edge)
}

// normalEntropy returns kl(k/n || p) where Q(sqrt(2n kl)), of a normal variable, is e^-x. A binomial tail at k is
// between that and that of k+1 (Zubkov and Serov).
func (b *builder) normalEntropy(x float64) float64 {
	z := num.UpperQuantile(-x)
	return z * z / 2 / float64(b.n)
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
