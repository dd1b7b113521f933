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
	blocks  []float64 // the lengths of runs of queries
	last    int       // the order that served the last block
	orders  []order
	paths   [orderCount + 1]path
}

// path is what the answers reveal at one order: D before each block, and how much each
// answer of the block adds at most.
type path struct {
	known        bool
	sampling     float64
	before, each []float64
}

// A run is one query in evenGrain of those before it, at least one.
const evenGrain = 3

func newEvenNoise(queries int64) *evenNoise {
	e := &evenNoise{queries: queries, last: orderCount / 2, orders: slices.Clone(noAnswers)}
	for done := int64(0); done < queries; {
		count := min(max(done/evenGrain, 1), queries-done)
		e.blocks = append(e.blocks, float64(count))
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
			p.follow(o, e.blocks, n, run{tau: tau, sd: sd})
		}
		ln := p.sampling + p.before[block]/o.conj
		switch {
		case e.blocks[block] == 1:
			return ln
		case math.IsInf(p.each[block], 1):
			return math.Inf(1)
		}
		return ln + lnGeometric(p.each[block]/o.conj, e.blocks[block])
	}
	last := len(e.blocks) - 1
	best, total := e.last, math.Inf(1)
	for total = at(best, last); best > 0; best-- {
		lower := at(best-1, last)
		if lower > total || lower == total && total < math.MaxFloat64 {
			break
		}
		total = lower
	}
	left := float64(e.queries)
	for block := last; block >= 0; block-- {
		left -= e.blocks[block]
		ln := at(best, block)
		// An earlier block is served by a higher order. Where it does not count, any will do.
		for best < orderCount && (block == last || ln > total-10) {
			higher := at(best+1, block)
			if higher >= ln {
				break
			}
			best, ln = best+1, higher
		}
		if math.IsInf(ln, 1) {
			return ln
		}
		if block == last {
			e.last, total = best, ln
			continue
		}
		if ln < total-25 { // no earlier answer errs more often than those of this block
			total = num.LogAddExp(total, ln+math.Log1p(left))
			break
		}
		total = num.LogAddExp(total, ln)
	}
	return total + roundJoint*(1+math.Abs(total))
}

// follow fills in the path of one order.
func (p *path) follow(o *order, blocks []float64, n float64, q run) {
	p.known, p.before, p.each = true, p.before[:0], p.each[:0]
	p.sampling, _ = o.sampling(n, q.tau, q.sd)
	o.past, o.r = 0, 0
	for _, q.count = range blocks {
		each := o.adds(n, q)
		p.before, p.each = append(p.before, o.past), append(p.each, each)
		o.pass(n, q, each)
	}
}
