package joint

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
)

// evenNoise sums the eps_j of the [Bound] over m queries with one noise for all, in
// time and memory that grow as the logarithm of m.
type evenNoise struct {
	queries int64
	sides   Sides
	starts  []float64 // the answers before each run of queries
	blocks  []float64 // and the lengths of the runs
	served  []int     // the order that serves each run
	first   int       // the answers before this run err so seldom that it stands for them
	orders  []order
	tail    tangent // at the last tau/sd
	paths   [orderCount + 1]path
}

// path is what the answers reveal at one order. What an answer adds to D is a convex function f of
// the number of answers before it, and so below its chords between a few points.
type path struct {
	known    bool
	sampling float64
	spacing  float64
	step     float64             // of r, from one point to the next
	points   int                 // how many are filled in
	adds     [pathPoints]float64 // f at equally spaced points
	integral [pathPoints]float64 // of the chords, up to there
}

const pathPoints = 10

// before returns an upper bound of D after j answers, f(0) + ... + f(j-1), which is convex in j: the sum
// itself where the points are the answers, and else each term is at most the mean of the
// chords from half a step below to half a step above.
func (p *path) before(j float64) float64 {
	switch {
	case j == 0:
		return 0
	case p.spacing == 1:
		sum := 0.0
		for _, adds := range p.adds[:int(j)] {
			sum += adds
		}
		return sum * (1 + roundJoint)
	}
	return (p.upTo(j-0.5) - p.upTo(-0.5)) * (1 + roundJoint)
}

// upTo integrates the chords from 0 to x.
func (p *path) upTo(x float64) float64 {
	i := min(int(max(x, 0)/p.spacing), pathPoints-2)
	k := x - float64(i)*p.spacing
	return p.integral[i] + k*(p.adds[i]+(p.adds[i+1]-p.adds[i])*k/p.spacing/2)
}

// A run is one query in evenGrain of those before it, at least one.
const evenGrain = 3

func newEvenNoise(queries int64, sides Sides) *evenNoise {
	e := &evenNoise{queries: queries, sides: sides, orders: slices.Clone(noAnswers)}
	for done := int64(0); done < queries; {
		count := min(max(done/evenGrain, 1), queries-done)
		e.starts, e.blocks = append(e.starts, float64(done)), append(e.blocks, float64(count))
		done += count
	}
	e.served = make([]int, len(e.blocks))
	e.served[len(e.blocks)-1] = -1
	return e
}

// oneNoise is the sum for one noise, one accuracy and one number of records.
type oneNoise struct {
	*evenNoise
	n float64
	q run // one query
}

func (e *evenNoise) with(n, tau, sd float64) oneNoise {
	for i := range e.paths {
		e.paths[i].known = false
	}
	return oneNoise{e, n, run{tau: tau, sd: sd, count: 1, sides: e.sides}}
}

// lnErrors returns ln of the sum of eps_j with the noise sd on n records, rounded up. The last run is served by the
// best order, going from the one that served it last.
func (e *evenNoise) lnErrors(n, tau, sd float64) float64 {
	p := e.with(n, tau, sd)
	return p.serve(p.best())
}

// EvenErrors returns ln of the sum of eps_j of the plan's queries with noise of one sd for all, rounded up; it may be
// above 0, and is +Inf where the theorem does not hold. It is below the sum of one [Bound.Answer] for all of them,
// which takes each for the last.
func (s Plan) EvenErrors(sd float64) float64 {
	if !s.valid() || !(sd >= 1e-100 && sd <= 1e100) {
		return math.Inf(1)
	}
	return newEvenNoise(s.Queries, s.Sides).lnErrors(float64(s.Samples), s.Tau, sd)
}

// lnErrorsAsServed is lnErrors with the orders that served last. It is a smooth function.
func (e *evenNoise) lnErrorsAsServed(n, tau, sd float64) float64 { return e.with(n, tau, sd).total() }

// serve finds the orders of the earlier runs, given the order of the last.
func (p oneNoise) serve(last int) (lnErrors float64) {
	p.first = len(p.blocks) - 1
	p.served[p.first] = last
	unit, w := p.run(last, p.first)
	best, total := last, 0.0
	for p.first > 0 && w > total*0x1p-36 && unit < math.MaxFloat64 {
		total += w
		if p.first--; p.first == 0 {
			best = orderCount // the limit, which is best where nothing is revealed
		}
		w = p.weight(best, p.first, unit)
		// An earlier run is served by a higher order. Where it hardly counts, any will do.
		for best < orderCount && w > total*0x1p-29 {
			higher := p.weight(best+1, p.first, unit)
			if !(higher < w) {
				break
			}
			best, w = best+1, higher
		}
		p.served[p.first] = best
	}
	return p.up(unit, w, total)
}

// total is serve with the orders that served last.
func (p oneNoise) total() float64 {
	block := len(p.blocks) - 1
	unit, w := p.run(p.served[block], block)
	total := 0.0
	for ; block > p.first && unit < math.MaxFloat64; block-- {
		total += w
		w = p.weight(p.served[block-1], block-1, unit)
	}
	return p.up(unit, w, total)
}

// up adds the first run and all answers before, none of which errs more often, takes the logarithm and rounds up.
func (p oneNoise) up(unit, first, total float64) float64 {
	total = unit + num.Log(total+first*(1+p.starts[p.first]))
	if !(total < math.MaxFloat64) {
		return math.Inf(1)
	}
	return total + roundJoint*(1+math.Abs(unit)+math.Abs(total))
}

// best returns the order at which the bound of the last run is least: going from the order that served last, at first
// over all of them.
func (p oneNoise) best() int {
	block := len(p.blocks) - 1
	best := p.served[block]
	if best < 0 {
		ln := math.Inf(1)
		for i := range p.orders {
			if other := p.lnRun(i, block); other < ln || best < 0 {
				best, ln = i, other
			}
		}
		return best
	}
	ln := p.lnRun(best, block)
	for _, step := range [2]int{-1, 1} {
		for i := best + step; i >= 0 && i <= orderCount; i += step {
			other := p.lnRun(i, block)
			if !(other < ln || step < 0 && math.IsInf(ln, 1)) {
				break
			}
			best, ln = i, other
		}
	}
	return best
}

// weight returns the sum of a run's errors at one order times e^-unit.
func (p oneNoise) weight(i, block int, unit float64) float64 {
	ln, times := p.run(i, block)
	return times * num.Exp(ln-unit)
}

// lnRun returns ln of the sum of a run's errors at one order.
func (p oneNoise) lnRun(i, block int) float64 {
	ln, times := p.run(i, block)
	return ln + num.Log(times)
}

// run returns about ln of a run's sum of errors at one order, +Inf where the variance lemma has come to its end or no
// longer helps, and how many times that is the sum.
func (p oneNoise) run(i, block int) (ln, times float64) {
	path, o := &p.paths[i], &p.orders[i]
	if !path.known {
		path.start(o, p.n, float64(p.queries), p.q)
		path.sampling, _ = o.sampling(p.n, p.q, &p.tail)
	}
	if block == 0 { // one query, before which nothing is revealed
		return path.sampling, 1
	}
	start, count := p.starts[block], p.blocks[block]
	path.follow(o, p.n, start+count-1, p.q)
	before := path.before(start)
	if count == 1 && before < math.MaxFloat64 {
		return path.sampling + before/o.conj, 1
	}
	end := path.before(start + count - 1)
	if !(end < math.MaxFloat64) {
		return math.Inf(1), 1
	}
	ln, times = num.Geometric((end-before)/(count-1)/o.conj, count)
	return path.sampling + before/o.conj + ln, times
}

// start begins the path of one order.
func (p *path) start(o *order, n, queries float64, q run) {
	p.known, p.points, p.spacing = true, 0, max((queries-1)/(pathPoints-1), 1)
	p.step = p.spacing * o.a / (4 * n * n * q.sd * q.sd) * (1 + roundJoint)
}

// follow fills in what the bound after j answers needs of the path.
func (p *path) follow(o *order, n, j float64, q run) {
	for last := int((j-0.5)/p.spacing) + 1; p.points <= min(last, pathPoints-1); p.points++ {
		i := p.points
		o.r = float64(i) * p.step
		p.adds[i] = o.adds(n, q)
		if i > 0 {
			p.integral[i] = p.integral[i-1] + p.spacing*(p.adds[i-1]+p.adds[i])/2
		}
	}
}

// even chooses one noise for all answers.
type even struct {
	sum   *evenNoise
	best  float64 // ln of tau/sd of the last choice
	tuned Plan    // what that and the orders of the sum are best for
	rough bool    // whether only one order of the last run was tried
	close bool    // whether the variance lemma ends nearby
	last  Plan    // what the choice was tried for last
	z     float64 // tau/sd then
	over  float64 // the excess then
}

func (c *even) sumOver(p Plan) *evenNoise {
	if c.sum == nil || c.sum.queries != p.Queries || c.sum.sides != p.Sides {
		c.sum = newEvenNoise(p.Queries, p.Sides)
	}
	return c.sum
}

// excess is the excess of a plan at its best noise.
func (c *even) excess(p Plan) float64 {
	if p == c.tuned && p == c.last && !c.rough {
		return c.over
	}
	return c.tune(p, nearby/10, false)
}

// kept is the excess at the last choice.
func (c *even) kept(p Plan) float64 {
	sum, n := c.sumOver(p), float64(p.Samples)
	switch {
	case p.beyondHope():
		return math.Inf(1)
	case p == c.last:
		return c.over
	case c.tuned.Samples == 0:
		c.z = num.Exp(min(likelyNoise(p), lemmaEnd(p)-0.1))
		c.over = sum.lnErrors(n, p.Tau, p.Tau/c.z)
	case c.close:
		c.z = num.Exp(c.best + lemmaEnd(p) - lemmaEnd(c.tuned))
		c.over = sum.lnErrorsAsServed(n, p.Tau, p.Tau/c.z)
	default:
		c.z = num.Exp(c.best)
		c.over = sum.lnErrorsAsServed(n, p.Tau, p.Tau/c.z)
	}
	c.last, c.over = p, c.over-p.Beta.Ln()
	return c.over
}

// lemmaEnd is ln of tau/sd where the variance lemma ends at a = 1, +Inf for up to two queries: the sum looks at
// r_(m-1), and between points at r_m.
func lemmaEnd(p Plan) float64 {
	n, answers := float64(p.Samples), float64(p.Queries)-1
	if p.Queries <= pathPoints {
		answers = max(answers-1, 0)
	}
	return num.Log(4*mostShift(n)/answers)/2 + num.Log(n*p.Tau)
}

// holds leaves a margin, as another search may choose the noise a little worse. The last choice stays where it
// serves, and where it fails by more than a better one could mend.
func (c *even) holds(p Plan) bool {
	margin := 1e-5 / float64(p.Samples)
	if p.Queries == 1 { // the choice is exact
		margin = 0
	}
	over, away := c.kept(p), c.away(p)
	hopeless := over > margin+away+100*away*away && over < math.MaxFloat64
	if over > -margin && !hopeless {
		over = c.excess(p)
	}
	return over <= -margin
}

// hopeless reports whether a few values tell that the least excess is far above 0. Away from the end of the variance
// lemma the least of them is not half as far above that.
func (c *even) hopeless(p Plan) bool {
	if p.beyondHope() || p.Queries == 1 {
		return p.beyondHope()
	}
	f := c.valley(p)
	v, ln := f.Minimize(4*nearby, f.free)
	return ln-p.Beta.Ln() > 1-p.Beta.Ln()/30 && !f.closeToEnd(f.order(), v)
}

func (c *even) likely(p Plan) bool { return c.holds(p) }

// away returns how far a goal is from what the last choice is best for.
func (c *even) away(p Plan) float64 {
	if c.tuned.Samples == 0 {
		return math.Inf(1)
	}
	n, tau := float64(p.Samples)/float64(c.tuned.Samples), p.Tau/c.tuned.Tau
	return math.Abs(num.Log(n*tau*tau)) + math.Abs(num.Log(p.Beta.Ln()/c.tuned.Beta.Ln()))
}

// near keeps the first noise.
func (c *even) near(l line, d num.Descent) (num.Landing, bool) { return crossing(d, l.of(c.kept)) }

// root alternates between the noise and the goal. What a noise that is best for one goal misses at another is of
// second order in their distance.
func (c *even) root(l line, d num.Descent) (num.Landing, bool) {
	for range 5 {
		if from := l.nearest(d.From); c.rough || !(c.away(from) <= math.Sqrt(d.Tolerance)) {
			c.tune(from, min(max(d.Step, nearby/40), nearby), c.tuned.Samples == 0)
		}
		at, ok := crossing(d, l.of(c.kept))
		if !ok {
			break
		}
		d.From, d.Slope = at.Zero, at.Slope
		to := l.nearest(d.From)
		if !(math.Abs(c.kept(to)) <= 0.01) { // the noise does not serve where the excess is about 0
			break
		}
		if d.Step = c.away(to); !c.rough && d.Step*d.Step <= d.Tolerance {
			at.X = at.Zero + d.Tolerance/8 // for the margin
			return at, true
		}
	}
	return d.Least(l.of(c.excess))
}

// least goes up by the excess from where the margin of holds is not kept.
func (c *even) least(l line, d num.Descent) (float64, bool) {
	found, ok := c.root(l, d)
	if !ok || c.holds(l.nearest(found.X)) {
		return found.X, ok
	}
	d = num.Descent{From: found.X, Step: d.Tolerance, Most: d.Most, Tolerance: d.Tolerance, Early: d.Early}
	found, ok = d.Least(l.of(c.excess))
	return found.X, ok
}

// run is called for what holds.
func (c *even) run(p Plan) Run {
	if p != c.last {
		c.excess(p)
	}
	sd := p.Tau / c.z
	return Run{First: sd, Last: sd}
}

// tune chooses the best noise, which is likely to be within some steps of the last, and returns the excess.
func (c *even) tune(p Plan, step float64, rough bool) float64 {
	if p.beyondHope() {
		return math.Inf(1)
	}
	f := c.valley(p)
	f.rough = rough
	v, ln := c.choose(f, step)
	c.best, c.tuned, c.rough, c.close = v, p, rough, f.closeToEnd(f.order(), v)
	c.last, c.z, c.over = p, num.Exp(v), ln-p.Beta.Ln()
	return c.over
}

// choose returns ln of tau/sd and of the least sum.
func (c *even) choose(f valley, step float64) (v, ln float64) {
	if f.sum.queries == 1 { // where the tangent of T_1 touches at u = 0
		v = num.Log(4 * f.n * f.tau * f.tau / hazardAtZero)
		return v, f.with(v).serve(orderCount)
	}
	last, far := num.Log(c.z), !(c.rough && c.close)
	if c.tuned.Samples == 0 { // it is a guess, if anything
		far = fitted(f.sum.queries) && last > f.Lo && !f.closeToEnd(f.order(), last+0.1)
	}
	if far && last > f.Lo && last <= f.Hi {
		if v, ln, ok := f.lowest(last, step); ok {
			return v, ln
		}
	}
	v, ln, _ = f.lowest(f.bottom(), nearby)
	return v, ln
}

// valley is ln of the sum of errors as a function of ln of tau/sd, and where its least value is looked for.
type valley struct {
	num.Interval
	sum    *evenNoise
	n, tau float64
	top    float64 // where the variance lemma ends at a = 1
	rough  bool    // whether only one order of the last run is tried
}

func (c *even) valley(p Plan) valley {
	f := valley{sum: c.sumOver(p), n: float64(p.Samples), tau: p.Tau, top: lemmaEnd(p)}
	low := num.Log(noiseQuantile(p))
	f.Hi = min(low+1.8, f.end(0))
	f.Lo = min(low+0.2, f.Hi-0.5)
	return f
}

func (f valley) with(v float64) oneNoise { return f.sum.with(f.n, f.tau, f.tau/num.Exp(v)) }

// free is the sum where the orders are chosen, asServed where they stay.
func (f valley) free(v float64) float64     { p := f.with(v); return p.serve(p.best()) }
func (f valley) asServed(v float64) float64 { return f.with(v).total() }

// order returns the order of the last run.
func (f valley) order() int { return f.sum.served[len(f.sum.served)-1] }

// end is where the variance lemma ends at an order.
func (f valley) end(order int) float64 { return f.top - num.Log(f.sum.orders[order].a)/2 }

// closeToEnd reports whether it ends so soon above v that the least values at two orders may be far from each other.
func (f valley) closeToEnd(order int, v float64) bool { return f.end(order) < v+0.3 }

// bottom returns about where the least value is, and leaves the orders that serve there.
func (f valley) bottom() float64 {
	v, ln := f.Minimize(2*nearby, f.free)
	if f.free(v); f.closeToEnd(f.order(), v) { // each order may have a minimum
		from := v
		for i := -6.0; i <= 6; i++ {
			if other := f.free(from + i*nearby/2); other < ln {
				v, ln = from+i*nearby/2, other
			}
		}
		f.free(v)
	}
	return v
}

// worth is less than a row is.
func (f valley) worth() float64 { return max(1e-7/f.n, 1e-13) }

// lowest looks for the least value over all orders of the last run, going from the one that served last: at one
// order the sum has one minimum, and over the orders these have one.
func (f valley) lowest(v, step float64) (at, ln float64, ok bool) {
	last := len(f.sum.blocks) - 1
	best := f.order()
	if at, ln, ok = f.lowestAt(best, v, step); !ok || f.rough {
		return at, ln, ok
	}
	served, first := slices.Clone(f.sum.served), f.sum.first
	for _, way := range [2]int{-1, 1} {
		for i := best + way; i >= 0 && i <= orderCount; i += way {
			x, p := at, f.with(at)
			// Far from the end of the lemma, the minima of two orders are near each other.
			if f.closeToEnd(i, at) {
				x = min(x, f.end(i)-2*nearby)
			} else if p.lnRun(i, last) > p.lnRun(best, last)+0.02 {
				break
			}
			x, y, ok := f.lowestAt(i, x, nearby/4)
			if !ok || !(y < ln) {
				break
			}
			best, at, ln = i, x, y
			served, first = slices.Clone(f.sum.served), f.sum.first
		}
	}
	f.sum.served, f.sum.first = served, first
	return at, ln, true
}

// lowestAt returns the least value at one order of the last run. The orders of the other runs are chosen anew
// as long as that helps.
func (f valley) lowestAt(order int, v, step float64) (at, ln float64, ok bool) {
	if f.order() != order {
		f.with(v).serve(order)
	}
	for range 5 {
		if at, ln, ok = f.lowestAsServed(v, step); !ok {
			return at, ln, false
		}
		before := ln
		if ln = f.with(at).serve(order); ln > before-f.worth() {
			break
		}
		v, step = at, step/4
	}
	return at, ln, true
}

func (f valley) lowestAsServed(v, step float64) (at, ln float64, ok bool) {
	if v+4*step < f.Hi {
		if at, ln, ok = lowest(v, step, f.worth(), f.asServed); ok {
			return at, ln, true
		}
	}
	for range 8 {
		near := num.Interval{Lo: v - 2*nearby, Hi: min(v+2*nearby, f.Hi)}
		at, ln = near.Minimize(math.Sqrt(f.worth()/4), f.asServed)
		if near.Hi == f.Hi && at > f.Hi-nearby {
			if end := f.asServed(f.Hi); end <= ln {
				at, ln = f.Hi, end
			}
			break
		}
		if at > near.Lo+nearby/4 && at < near.Hi-nearby/4 {
			break
		}
		v = at
	}
	return at, ln, ln < math.MaxFloat64
}

// nearby is how far from the last choice the best one is looked for first.
const nearby = 0.02

// noiseQuantile is what tau/sd would be if the noise made all the errors.
func noiseQuantile(p Plan) float64 {
	return num.UpperQuantile(min(p.Beta.Ln()-num.Log(float64(p.Queries)), -1) - p.Sides.lnCount())
}

// likelyNoise is about ln of the best tau/sd for the least n. Where it is fitted it is seldom off by more than 0.05,
// but near the end of the variance lemma.
func likelyNoise(p Plan) float64 {
	low := num.Log(noiseQuantile(p))
	if !fitted(p.Queries) {
		return low + math.Ln2
	}
	return low + 0.55 + 0.45*math.Sqrt(-p.Beta.Ln())*num.Exp(-0.38*num.Log(float64(p.Queries)))
}

// fitted leaves out where two orders far from each other may have the least value.
func fitted(queries int64) bool { return queries >= 30 && queries <= 10_000_000 }
