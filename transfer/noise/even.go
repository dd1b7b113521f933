package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// constant is one noise for all queries of a plan. The sum of its errors takes time that grows as the logarithm of m.
type constant struct {
	state
	run                        // of one query
	sides   Sides              // the answers that fail
	queries float64            // m
	fresh   [orderCount]*fresh // by groups of orders
	levels  []float64          // from 0 to m-1: what the answers reveal is counted as for the last before the next level
	paths   [orderCount]path
}

// path is what the answers reveal at one order.
type path struct {
	known  bool
	moment float64
	each   []float64 // what each answer of a level adds to D
}

// EvenErrors returns ln of the sum of eps_j of the plan's queries with noise of one sd for all, rounded up; it may be
// above 0, and is +Inf where the theorem does not hold. It is below the sum of one [Bound.Answer] for all of them,
// which takes each for the last.
func (p Plan) EvenErrors(sd, cut float64) float64 {
	p.Beta = -1 // which the sum does not depend on
	if z := p.Tau / sd; !p.valid() || !(z > leastZ && z < mostZ) {
		return math.Inf(1)
	}
	c := constant{
		state: state{n: float64(p.Samples)}, run: run{tau: p.Tau, sd: sd, count: 1, law: lawOf(cut)}, sides: p.Sides,
		queries: float64(p.Queries),
	}
	return c.errors()
}

// at is the state before an answer.
func (c *constant) at(answer float64) state {
	s := c.state
	s.shift = answer * s.step(c.run) * (1 + roundUp)
	if answer > 0 {
		s.seen = s.n
	}
	return s
}

// errors returns ln of the sum of the errors, from the last run to one before which they hardly count.
func (c *constant) errors() float64 {
	variance := c.at(c.queries-1).variance(1, c.run)
	if math.IsInf(variance, 1) {
		return variance
	}
	if c.levels = []float64{0}; c.queries > 1 {
		// How often the inflation is counted too high falls as the number of levels.
		count := min(1+math.Floor(150*(4*c.n*variance-1)), 24, c.queries-1)
		for i := 1.0; i <= count; i++ {
			c.levels = append(c.levels, math.Ceil(i/count*(c.queries-1)))
		}
	}
	best := c.likelyOrder()
	total := math.Inf(-1)
	for end := c.queries; end > 0; {
		count := max(math.Floor(end/evenGrain), 1)
		start := end - count
		var first, sum float64
		best, first, sum = c.block(best, start, count)
		if total = num.LogAddExp(total, sum); math.IsInf(total, 1) || math.IsNaN(total) {
			return math.Inf(1)
		}
		if rest := first + num.Log(start); rest < total-25 { // none of the answers before errs more often
			total = num.LogAddExp(total, rest)
			break
		}
		end = start
	}
	return total + roundUp*(1+math.Abs(total))
}

// A run is one query in evenGrain of those up to its end, at least one.
const evenGrain = 5

// likelyOrder is about the order that serves the last run.
func (c *constant) likelyOrder() int {
	if c.queries == 1 {
		return orderCount - 1
	}
	excess := min(1.2*num.Exp(-0.6*num.Log(c.queries))*5, 30)
	ratio := num.Log(mostExcess/leastExcess) / (orderCount - 2)
	return min(max(int(num.Log(excess/leastExcess)/ratio), 0), orderCount-2)
}

// block returns the order that serves a run, ln of the errors of its first answer, and ln of their sum.
func (c *constant) block(from int, start, count float64) (best int, first, sum float64) {
	if best = from; start == 0 {
		best = orderCount - 1
	}
	first, sum = c.likelier(best, start, count)
	for _, step := range [2]int{1, -1} {
		for i := best + step; i >= 0 && i < orderCount-1 && start > 0; i += step {
			one, all := c.likelier(i, start, count)
			if !(all < sum || step < 0 && math.IsInf(sum, 1)) {
				break
			}
			best, first, sum = i, one, all
		}
	}
	if c.sides == Above {
		return best, first, sum
	}
	last := c.at(start + count - 1)
	variance := last.variance(1, c.run)
	rarer := math.Inf(1)
	if !math.IsInf(variance, 1) {
		weight := c.run.weight(variance)
		rarer = start*weight*(1+roundUp) + c.run.tangent(variance, 1)
		rarer += num.LnGeometric(weight, count)
	}
	return best, first + math.Ln2, num.LogAddExp(sum, min(sum, rarer)) + roundUp
}

// moment is that of fresh records at an order. Orders next to each other share the cells.
func (c *constant) moment(i int) float64 {
	const group = 3
	f := &c.fresh[i/group]
	if *f == nil {
		*f = c.run.of(c.n, orders[min(i/group*group+group/2, orderCount-1)].conj)
	}
	return (*f).moment(orders[i].conj)
}

// likelier bounds ln of the error of an answer on its likelier side, and of their sum over a run.
func (c *constant) likelier(i int, start, count float64) (first, sum float64) {
	p, o := &c.paths[i], orders[i]
	if !p.known {
		p.known, p.moment = true, c.moment(i)
		for _, end := range c.levels[1:] {
			p.each = append(p.each, c.at(end-1).reveals(o.a, c.run))
		}
	}
	if start == 0 && count == 1 {
		return p.moment / o.conj, p.moment / o.conj
	}
	past, each := 0.0, 0.0
	for k, end := range c.levels[1:] {
		each = p.each[k]
		if start <= end {
			past += (start - c.levels[k]) * each
			break
		}
		past += (end - c.levels[k]) * each
	}
	if !(past < math.MaxFloat64) {
		return math.Inf(1), math.Inf(1)
	}
	first = (past*(1+roundUp) + p.moment) / o.conj
	if count == 1 {
		return first, first
	}
	// The last of a run may be in a later level.
	k := 1
	for k < len(c.levels)-1 && c.levels[k] < start+count-1 {
		k++
	}
	if each = p.each[k-1]; math.IsInf(each, 1) {
		return each, each
	}
	return first, first + num.LnGeometric(each/o.conj, count)
}

// even returns about the best noise for all answers, and ln of the sum of its errors over beta.
func (p Plan) even() (sd, excess float64) {
	if !p.valid() {
		return 0, math.Inf(1)
	}
	v := num.Log(p.evenStart())
	at := func(v float64) float64 { return p.EvenErrors(p.Tau/num.Exp(v), p.EvenCut()) }
	best, ln, ok := lowest(v, 0.04, 1e-9, at)
	if !ok {
		low := num.Log(p.evenQuantile())
		high := max(low+1, v+1, num.Log(4*float64(p.Samples)*p.Tau*p.Tau))
		best, _ = num.Interval{Lo: low, Hi: high}.MinimizeScanned(16, 1e-5, func(v float64) float64 {
			return min(at(v), 1e9*(1+v-low)) // where the theorem does not hold, the way back is up
		})
		ln = at(best)
	}
	return p.Tau / num.Exp(best), ln - p.Beta.Ln()
}

// evenStart is about the best tau/sd for the least n, a fit.
func (p Plan) evenStart() float64 {
	if p.Queries == 1 {
		return 4 * float64(p.Samples) * p.Tau * p.Tau / lawOf(p.EvenCut()).atTopRate
	}
	return p.evenQuantile() * num.Exp(0.55+0.45*math.Sqrt(-p.Beta.Ln())*num.Exp(-0.38*num.Log(float64(p.Queries))))
}

// evenQuantile is what tau/sd would be if the noise made all the errors.
func (p Plan) evenQuantile() float64 {
	return lawOf(p.EvenCut()).quantile(p.Beta.Ln() - num.Log(float64(p.Queries)) - p.Sides.lnCount())
}

// EvenCut returns where one noise for all answers of the plan is cut, by another fit.
func (p Plan) EvenCut() float64 { return 1.1 * p.Cut() }
