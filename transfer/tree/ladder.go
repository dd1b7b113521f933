package tree

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
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
	Queries int64       // m >= 2
	Tau     float64     // in [LeastLadderTau, 1)
	Top     float64     // hi in (0, 1]: the known loss of a baseline, 1 if there is none
	ZeroOne bool        // whether losses are 0 and 1 and binomial tails may serve
	Sample  tail.Sample // how the rows were drawn; nil if they are independent and of equal weight
	Varies  float64     // the Most of [Skewed], of losses whose variance is known; 0 if it is not
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

// Cells returns a ladder for n rows and ln of a bound on the probability that it breaks its promise, or nil if this
// construction finds none. Each of the 2(K-1) terms of Theorem 4,
//
//	sum_(l<K-1) W_l e^(-n kl(u_(l+1)||v_l - tau)) + sum_(0<l<K) N_(l-1) e^(-n kl(u_l||v_l + tau)),
//
// is about the same e^-s. The steps are the smallest that the terms allow. K grows with s, and s is about the one with
// the least 2(K-1) e^-s.
func (d Ladder) Cells(n int64) ([]Cell, float64) { return new(LadderSearch).Cells(d, n) }

// LadderSearch builds ladders for one plan after another, in less time than [Ladder.Cells] where these have the same
// number of queries. The zero value is ready for use.
type LadderSearch struct{ builder }

// plan finds about the walk with the least bound of a plan; ln is -Inf where one cell serves, and +Inf where there is
// none.
func (s *LadderSearch) plan(d Ladder, n int64) (best walk, ln float64) {
	if d.Queries != s.Queries {
		s.entered, s.states = s.entered[:0], s.states[:0]
	}
	s.ladderPlan = d.on(n)
	if d.Tau >= LeastLadderTau && d.Top <= 2*d.Tau { // v_0 = hi - tau is within tau of every loss
		return best, math.Inf(-1)
	}
	if d.Tau >= LeastLadderTau {
		var ok bool
		if best, ok = s.best(); ok {
			return best, best.lnFailure()
		}
	}
	return best, math.Inf(1)
}

// Rough returns about ln of the bound of the ladder that [LadderSearch.Cells] would build, in a small part of the
// time, and +Inf where there is none: K and the counts of 0/1 losses are not rounded.
func (s *LadderSearch) Rough(d Ladder, n int64) float64 {
	_, ln := s.plan(d, n)
	return ln
}

func (s *LadderSearch) Cells(d Ladder, n int64) (cells []Cell, lnFailure float64) {
	best, ln := s.plan(d, n)
	if math.IsInf(ln, 1) {
		return nil, 0
	} else if math.IsInf(ln, -1) {
		return []Cell{{Boundary: d.Top, Value: d.Top - d.Tau}}, ln
	}
	lnFailure = math.Inf(1)
	take := func(built []Cell) {
		if built == nil {
			return
		}
		if ln := d.LnFailure(n, built); ln < lnFailure {
			cells, lnFailure = built, ln
		}
	}
	if best.length > manySteps {
		take(s.table(best.s, math.Inf(1)))
		return cells, lnFailure
	}
	from, to := math.Floor(best.length), math.Ceil(best.length)
	if best.length < fewSteps {
		from, to = from-1, to+1
	}
	for steps := max(from, 1); steps <= to; steps++ {
		take(s.table(s.within(best, steps), steps))
	}
	return cells, lnFailure
}

// Below fewSteps the best whole number of steps is looked for among four, above that among two. Above manySteps a part
// of one changes the bound by less than a thousandth, and any number will do.
const fewSteps, manySteps = 30, 1000

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
	b := builder{ladderPlan: d.on(n)}
	sum, high, low := math.Inf(-1), math.Inf(-1), math.Inf(-1)
	last := len(tables[0]) - 2
	for l := last; l >= 0; l-- {
		for _, cells := range tables {
			high = max(high, b.lnAbove(cells[l+1], cells[l].Value-d.Tau+rounded))
			low = max(low, b.lnBelow(cells[l+1], cells[l+1].Value+d.Tau-rounded))
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
	n        int64
	gaussian float64 // rows in Hoeffding's exponent; 0 if that says nothing beside the relative entropy
}

// on is the plan for n rows of the sample.
func (d Ladder) on(n int64) ladderPlan {
	if d.Sample == nil {
		return ladderPlan{Ladder: d, n: n}
	}
	worth := d.Sample.Worth(n)
	return ladderPlan{d, int64(worth.Entropic), worth.Gaussian}
}

// reach returns how far a mean is from its expectation with probability e^-x by Hoeffding's exponent or by a variance
// that is known, and how that changes with x.
func (d ladderPlan) reach(x float64) (s, slope float64) {
	s = math.Inf(1)
	if x <= 0 {
		return s, 0
	}
	if d.gaussian > 0 {
		s = math.Sqrt(x/2/d.gaussian) * (1 + 1e-14)
		slope = s / 2 / x
	}
	if d.Varies == 0 {
		return s, slope
	}
	// The rate of Skewed is the rate of Varies where that is below the worst of all expectations, and else says nothing.
	u := num.KLAbove(d.Varies, x/float64(d.n))
	if known := u - d.Varies; u < 1 && known < s && (num.KLShift{P: d.Varies, Shift: known}).Slope() < 0 {
		return known * (1 + 1e-14), 1 / (float64(d.n) * oddsRatio(u, d.Varies))
	}
	return s, slope
}

// builder builds ladders.
type builder struct {
	ladderPlan
	entered []float64 // ln W_l, as far as known
	states  []float64 // ln N_l
}

// counts returns ln W_l and ln N_l, rounded up. At most W_l = C(m+l-2, l) nodes in state l hold a model whose
// expectation is lower than the shown value by more than tau, and N_l = C(m+l-1, l+1) nodes are in state l; W_0 = 1
// and N_0 = m. At m = 2 N is taken for m = 3, so that it does not fall in l. W_l = W_(l-1) (m+l-2)/l and, but for
// l = 1, N_l = N_(l-1) (m+l-1)/(l+1).
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

// walk is a ladder whose terms are e^-s each, with how many steps it takes. The last one counts as the part of it that
// leads to tau.
type walk struct {
	s, length float64
	slope     float64 // of the length in s
}

// lnFailure is about ln of the bound.
func (w walk) lnFailure() float64 { return num.Log(2*w.length) - w.s }

// steepness is about linear in s, where the length grows as (c-s)^(-1/2), and 0 where the bound is least.
func (w walk) steepness() float64 { return math.Cbrt(math.Pow(w.length/w.slope, 2)) - 1 }

// walk walks down the ladder, whose counts are not rounded. It reports whether each step is one downwards. Where steps
// hardly change, a coarse walk takes an odd number of them at once, each like the one in their middle.
func (b *builder) walk(s float64, coarse bool) (w walk, ok bool) {
	v, dv := b.Top-b.Tau, 0.
	for l := 0; int64(l) < b.mostCells(); {
		step, slope, ok := b.step(l, v, dv, s)
		if !ok {
			return walk{}, false
		}
		half := 0
		if coarse {
			reach := stride * min(v, 1-v) / 2
			half = int(min(reach/step, float64(l)/16, max(0, (v-b.Tau)/step-1)))
		}
		if half > 0 {
			back := float64(half)
			if step, slope, ok = b.step(l+half, v-back*step, dv-back*slope, s); !ok {
				return walk{}, false
			}
		}
		many := float64(2*half + 1)
		if left := (v - b.Tau) / step; left <= many {
			return walk{s, float64(l) + left, (dv - left*slope) / step}, true
		}
		v, dv = v-many*step, dv-many*slope
		l += 2*half + 1
	}
	return walk{}, false
}

// stride is how far a coarse walk goes at once, as a part of the way to the nearer end. Above coarseTau the steps are
// so few that none is left out.
const stride, coarseTau = 0.05, 0.02

// step returns how far down the step from v goes, and how that changes with s where v does by dv. It reports whether
// that is downwards.
func (b *builder) step(l int, v, dv, s float64) (down, slope float64, ok bool) {
	half := 0.
	if b.ZeroOne {
		half = 0.5 / float64(b.n)
	}
	entered, states := b.counts(l)
	p := v - b.Tau
	if !(p > 0) {
		return 0, 0, false
	}
	e, de := b.entropy(entered + s)
	u := num.KLAbove(p, e) + half
	du := dv
	if off, slope := b.reach(entered + s); p+off+half < u {
		u, du = p+off+half, dv+slope
	} else if u < 1 && u-half > p {
		du = (de + (u-half-p)/(p*(1-p))*dv) / oddsRatio(u-half, p)
	}
	if u >= 1 {
		return 0, 0, false
	}
	e, de = b.entropy(states + s)
	q, dq := num.KLExpectation(u, e), du
	if off, slope := b.reach(states + s); u+off < q {
		q, dq = u+off, du+slope
	} else if q < 1 && q > u {
		dq = (de + oddsRatio(q, u)*du) * q * (1 - q) / (q - u)
	}
	if q >= 1 || !(q-b.Tau < v) {
		return 0, 0, false
	}
	return v - (q - b.Tau), dv - dq, true
}

// oddsRatio is ln of the ratio of the odds of q and of p.
func oddsRatio(q, p float64) float64 { return num.Log(q / p * ((1 - p) / (1 - q))) }

// entropy returns kl where a term is e^-x, and about its derivative in x.
func (b *builder) entropy(x float64) (e, slope float64) {
	n := float64(b.n)
	switch {
	case x <= 0:
		return 0, 0
	case !b.ZeroOne:
		return x / n, 1 / n
	case x <= math.Ln2:
		return 0, 0
	}
	z := num.UpperQuantile(-x)
	hazard := (3*z + math.Sqrt(z*z+8)) / 4 // Sampford's bound
	return z * z / 2 / n, z / hazard / n
}

// best is about the walk with the least bound. It begins about where that is 0.05.
func (b *builder) best() (best walk, ok bool) {
	var low, lower walk // the last two that should go on
	at, step, least := num.Log(60/b.Tau), 0.5, math.Inf(1)
	lo, hi := 0., math.Inf(1)
	high := math.NaN() // the steepness at hi
	for range 80 {
		w, walks := b.walk(at, b.Tau < coarseTau)
		if walks {
			if ln := w.lnFailure(); ln < least {
				best, least = w, ln
			}
		}
		steep := w.steepness()
		switch {
		case walks && math.Abs(steep) < 3e-3:
			return best, true
		case walks && steep > 0:
			lo, lower, low = at, low, w
		default:
			if hi, high = at, math.NaN(); walks {
				high = steep
			}
		}
		if math.IsInf(hi, 1) {
			at, step = lo+step, 2*step
			continue
		}
		if lo == 0 && hi > 0x1p-10 {
			at, step = max(hi-step, hi/8), 2*step
			continue
		}
		if hi-lo <= 1e-3 {
			break
		}
		at = lo + (hi-lo)/2
		next := math.NaN()
		if !math.IsNaN(high) {
			next = lo + (hi-lo)*low.steepness()/(low.steepness()-high)
		} else if lower.s > 0 {
			next = lo + (lo-lower.s)*low.steepness()/(lower.steepness()-low.steepness())
		}
		if margin := (hi - lo) / 64; next > lo+margin/8 && next < hi-margin {
			at = next
		}
	}
	return best, best.s > 0
}

// within is about the greatest s at which a ladder takes so many steps, found from a coarse walk that takes about as
// many.
func (b *builder) within(near walk, steps float64) float64 {
	lo, hi, at := 0., math.Inf(1), near.s
	for range 60 {
		w, ok := b.walk(at, false)
		off := steps - w.length
		switch {
		case ok && off >= 0:
			if lo = at; off <= 1e-9*steps {
				return lo
			}
		default:
			hi = at
		}
		next := at + (off-4e-10*steps)/w.slope // a little before it, so that it is reached
		switch {
		case ok && next > lo && next < hi:
		case math.IsInf(hi, 1):
			next = lo + 1
		default:
			next = lo + (hi-lo)/2
		}
		if at = next; hi-lo <= 1e-9 {
			return lo
		}
	}
	return lo
}

// table returns the cells where each term is about e^-s, or less where that takes more steps than it should.
func (b *builder) table(s, steps float64) (cells []Cell) {
	for lower := 1e-3; lower < 1; lower *= 2 {
		built, length := b.build(s)
		if built != nil && length <= steps {
			return built
		}
		if built != nil {
			cells = built
		}
		s -= lower
	}
	return cells
}

// build returns the cells where each term is e^-s, and how many steps they are, or nil if a step is not one downwards.
func (b *builder) build(s float64) (cells []Cell, steps float64) {
	cells = append(make([]Cell, 0, 32), Cell{Boundary: b.Top, Value: b.Top - b.Tau})
	for l := 0; int64(l) < b.mostCells(); l++ {
		last := cells[l]
		entered, states := b.counts(l)
		u, count := b.boundary(last.Value-b.Tau, entered+s)
		if !(u < last.Boundary) {
			return nil, 0
		}
		v := b.least(u, count, states+s) - b.Tau
		if !(v < last.Value) {
			return nil, 0
		}
		cells = append(cells, Cell{u, v, count})
		if v <= b.Tau {
			return cells, float64(l + 1)
		}
	}
	return nil, 0
}

// lnAbove returns ln of a bound on the probability that the cell is not reached by a loss of at most p.
func (d ladderPlan) lnAbove(cell Cell, p float64) float64 {
	p = max(p, 0)
	if d.ZeroOne {
		return d.lnAtLeast(cell.Count+1, p)
	}
	return d.lnOff(cell.Boundary, p, cell.Boundary-p)
}

// lnBelow returns ln of a bound on the probability that the cell is reached by a loss of at least p.
func (d ladderPlan) lnBelow(cell Cell, p float64) float64 {
	p = min(p, 1)
	if d.ZeroOne {
		return d.nearer(tail.LnAtMost(d.n, cell.Count, p), p-float64(cell.Count)/float64(d.n))
	}
	return d.lnOff(cell.Boundary, p, p-cell.Boundary)
}

// lnOff is a bound on the probability that a mean comes to a boundary that is s off its expectation.
func (d ladderPlan) lnOff(boundary, p, s float64) float64 {
	if s <= 0 {
		return 0
	}
	return d.nearer(tail.Exponential{Sides: 1, Rate: num.FromFloat(tail.KnownEntropy(boundary, p))}.Ln(d.n), s)
}

// nearer is a bound on the probability that a mean is s off, or Hoeffding's or the bound of a known variance where
// these are less.
func (d ladderPlan) nearer(ln, s float64) float64 {
	s = max(0, s-0x1p-52)
	if d.gaussian > 0 {
		ln = min(ln, -tail.Hoeffding(d.gaussian, s))
	}
	if d.Varies > 0 {
		ln = min(ln, tail.Skewed{Most: d.Varies}.LnSide(d.n, s))
	}
	return ln
}

// lnAtLeast is a bound on the probability of such a count, of 0/1 losses of mean p.
func (d ladderPlan) lnAtLeast(k int64, p float64) float64 {
	return d.nearer(tail.LnAtLeast(d.n, k, p), float64(k)/float64(d.n)-p)
}

// boundary returns about the least u > p at which a mean exceeds u with probability at most e^-x. Of 0/1 losses it is a
// count: the bounds of Zubkov and Serov leave two of them.
func (b *builder) boundary(p, x float64) (u float64, count int64) {
	e, _ := b.entropy(x)
	off, _ := b.reach(x)
	u = min(num.KLAbove(p, e), max(p, 0)+off)
	if !b.ZeroOne || u > 1 {
		return u, 0
	}
	n := float64(b.n)
	k := int64(math.Ceil(u*n)) - 1
	if k < 0 || b.lnAtLeast(k+1, p) > -x {
		k++
	}
	return float64(k) / n, k
}

// least returns about the least q at which a mean is u or less, a count at most k, with probability at most e^-x. It is
// at most 1. For counts it is one step of Newton's method from the q for half a count more.
func (b *builder) least(u float64, k int64, x float64) float64 {
	e, _ := b.entropy(x)
	off, _ := b.reach(x)
	if !b.ZeroOne {
		return min(num.KLExpectation(u, e), u+off)
	}
	farthest := u + off
	u += 0.5 / float64(b.n)
	if u >= 1 {
		return 1
	}
	edge := float64(k+1) / float64(b.n) * (1 + 1e-12) // below it the exact tail is none of unequal rows
	q := min(max(num.KLExpectation(u, e), edge), farthest)
	if q >= 1 || q <= u {
		return q
	}
	hazard := float64(b.n) * (q - u) / (q * (1 - q))
	short := tail.LnAtMost(b.n, k, q) + x
	return min(max(q+short/hazard, edge), 1, farthest)
}
