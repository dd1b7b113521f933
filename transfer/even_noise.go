package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// evenNoise sums the eps_j of the [JointBound] over m queries with one noise for all, in
// time and memory that grow as the logarithm of m.
type evenNoise struct {
	queries int64
	blocks  []float64 // the lengths of runs of queries
	last    int       // the order that served the last block
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
const evenGrain = 4

func newEvenNoise(queries int64) *evenNoise {
	e := &evenNoise{queries: queries, last: orderCount / 2}
	for done := int64(0); done < queries; {
		count := min(max(done/evenGrain, 1), queries-done)
		e.blocks = append(e.blocks, float64(count))
		done += count
	}
	return e
}

// lnErrors returns ln of the sum of eps_j with the noise sd on n records, rounded up.
func (e *evenNoise) lnErrors(samples int64, tau, sd float64) float64 {
	bound := newJointBound(samples)
	for i := range e.paths {
		e.paths[i].known = false
	}
	at := func(i, block int) float64 {
		p, o := &e.paths[i], &bound.orders[i]
		if !p.known {
			p.follow(bound, i, e.blocks, tau, sd)
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
	total := math.Inf(-1)
	best := e.last
	for block := len(e.blocks) - 1; block >= 0; block-- {
		ln := at(best, block)
		// An earlier block is served by a higher order. Where it does not count, any
		// order will do.
		for ln > total-10 && best < orderCount {
			other := at(best+1, block)
			if other >= ln {
				break
			}
			best, ln = best+1, other
		}
		for total == math.Inf(-1) && best > 0 {
			other := at(best-1, block)
			if other > ln || other == ln && ln < math.MaxFloat64 {
				break
			}
			best, ln = best-1, other
		}
		if math.IsInf(ln, 1) {
			return ln
		}
		if block == len(e.blocks)-1 {
			e.last = best
		}
		total = num.LogAddExp(total, ln)
	}
	return total + roundJoint*(1+math.Abs(total))
}

// follow fills in the path of one order.
func (p *path) follow(bound *JointBound, i int, blocks []float64, tau, sd float64) {
	o := &bound.orders[i]
	p.known, p.before, p.each = true, p.before[:0], p.each[:0]
	p.sampling, _ = o.sampling(bound.n, tau, sd)
	for _, count := range blocks {
		q := run{sd: sd, count: count}
		each := o.adds(bound.n, q)
		p.before, p.each = append(p.before, o.past), append(p.each, each)
		o.pass(bound.n, q, each)
	}
}
