package transfer

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
)

// evenNoise sums the eps_j of the [JointBound] over m queries with one noise for all, in
// time and memory that grow as the logarithm of m.
type evenNoise struct {
	queries int64
	starts  []float64 // the answers before each run of queries
	blocks  []float64 // and the lengths of the runs
	last    int       // the order that served the last run, negative before the first time
	orders  []order
	paths   [orderCount + 1]path
}

// path is what the answers reveal at one order. What an answer adds to D is a convex function f of
// the number of answers before it, and so below its chords between a few points.
type path struct {
	known    bool
	sampling float64
	spacing  float64
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

func newEvenNoise(queries int64) *evenNoise {
	e := &evenNoise{queries: queries, last: -1, orders: slices.Clone(noAnswers)}
	for done := int64(0); done < queries; {
		count := min(max(done/evenGrain, 1), queries-done)
		e.starts, e.blocks = append(e.starts, float64(done)), append(e.blocks, float64(count))
		done += count
	}
	return e
}

// lnErrors returns ln of the sum of eps_j with the noise sd on n records, rounded up.
func (e *evenNoise) lnErrors(n, tau, sd float64) float64 {
	for i := range e.paths {
		e.paths[i].known = false
	}
	at := func(i, block int) float64 {
		p, o := &e.paths[i], &e.orders[i]
		if !p.known {
			p.follow(o, n, float64(e.queries), run{tau: tau, sd: sd, count: 1})
		}
		before, count := p.before(e.starts[block]), e.blocks[block]
		end := before
		if count > 1 {
			end = p.before(e.starts[block] + count - 1)
		}
		if !(end < math.MaxFloat64) { // the variance lemma has come to its end, or no longer helps
			return math.Inf(1)
		}
		if count == 1 {
			return p.sampling + before/o.conj
		}
		return p.sampling + before/o.conj + lnGeometric((end-before)/(count-1)/o.conj*(1+roundJoint), count)
	}
	block := len(e.blocks) - 1
	best, total := e.least(func(i int) float64 { return at(i, block) })
	e.last = best
	for left := e.starts[block]; block > 0 && !math.IsInf(total, 1); {
		block--
		left -= e.blocks[block]
		ln := at(best, block)
		// An earlier run is served by a higher order. Where it hardly counts, any will do.
		for best < orderCount && ln > total-10 {
			higher := at(best+1, block)
			if higher >= ln {
				break
			}
			best, ln = best+1, higher
		}
		if ln < total-25 { // no earlier answer errs more often than those of this run
			total = num.LogAddExp(total, ln+math.Log1p(left))
			break
		}
		total = num.LogAddExp(total, ln)
	}
	return total + roundJoint*(1+math.Abs(total))
}

// least returns the order at which the bound of the last run is least, and the bound: going from
// the order that served last, at first over all of them.
func (e *evenNoise) least(bound func(i int) float64) (best int, ln float64) {
	if e.last < 0 {
		ln = math.Inf(1)
		for i := range e.orders {
			if other := bound(i); other < ln {
				best, ln = i, other
			}
		}
		return best, ln
	}
	best, ln = e.last, bound(e.last)
	for _, step := range [2]int{-1, 1} {
		for i := best + step; i >= 0 && i <= orderCount; i += step {
			other := bound(i)
			if !(other < ln || step < 0 && math.IsInf(ln, 1)) {
				break
			}
			best, ln = i, other
		}
	}
	return best, ln
}

// follow fills in the path of one order.
func (p *path) follow(o *order, n, queries float64, q run) {
	p.known, p.spacing = true, max((queries-1)/(pathPoints-1), 1)
	p.sampling, _ = o.sampling(n, q.tau, q.sd)
	step := p.spacing * o.a / (4 * n * n * q.sd * q.sd) * (1 + roundJoint) // of r
	for i := range p.adds {
		o.r = float64(i) * step
		p.adds[i] = o.adds(n, q)
		if i > 0 {
			p.integral[i] = p.integral[i-1] + p.spacing*(p.adds[i-1]+p.adds[i])/2
		}
	}
}
