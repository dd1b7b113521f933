package lowvariance

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// EvenBlocks returns the shares that the certificate counts with if every answer has the noise sd.
func (p Plan) EvenBlocks(sd float64) iter.Seq[Block] {
	return func(yield func(Block) bool) { p.errors(p.runs(sd), yield) }
}

// EvenErrors returns ln of the sum of the errors if every answer has the noise sd, rounded up; it may be above 0,
// and is +Inf where the theorem does not hold.
func (p Plan) EvenErrors(sd float64) float64 {
	if p.validate() != nil || !(sd > 0) {
		return math.Inf(1)
	}
	return p.errors(p.runs(sd), func(Block) bool { return true })
}

// runs are the runs in which the errors of one noise for all are summed.
func (p Plan) runs(sd float64) iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		for done := int64(0); done < p.Queries; {
			count := max(min(done/evenGrain.begin, (p.Queries-1-done)/evenGrain.end), 1)
			if done += count; !yield(theory.NoiseBlock{Queries: count, Scale: sd}) {
				return
			}
		}
	}
}

// errors returns ln of the sum of the errors with the noise of the runs, the shares chosen for beta.
func (p Plan) errors(runs iter.Seq[theory.NoiseBlock], yield func(Block) bool) float64 {
	w, total, done := p.walk(), math.Inf(-1), int64(0)
	for run := range runs {
		q := w.run(p.Tau, run)
		done += run.Queries
		last := done == p.Queries && run.Queries == 1
		if q.share = p.Values.Share(); !last {
			q.share = w.shareFor(q)
		}
		if !yield(Block{run.Queries, run.Scale, q.share}) {
			return total
		}
		w.z = p.Tau / q.sd
		w.orient(q, done-run.Queries)
		answers, shares := w.leastErrors(q), math.Inf(-1)
		if !last {
			shares = w.leastShares(q)
		}
		if math.IsInf(answers, 1) || math.IsInf(shares, 1) {
			return math.Inf(1)
		}
		total = num.LogAddExp(total, num.LogAddExp(answers, shares))
		w.pass(q)
	}
	return total + roundUp*float64(len(w.orders))*(1+math.Abs(total))
}

// run is a run of queries with noise, whose share is still to be chosen.
func (w walk) run(tau float64, b theory.NoiseBlock) run {
	q := run{query: w.query(tau), count: float64(b.Queries)}
	q.sd = b.Scale
	return q
}

var evenGrain = grain{6, 6}

// nearby is how far in ln sd from a guess the best noise is looked for first.
const nearby = 0.05

// EvenNoise returns about the noise at which EvenErrors is least, and the errors there. Where a guess is given, it
// is looked for nearby.
func (p Plan) EvenNoise(guess float64) (sd, ln float64) {
	if p.validate() != nil {
		return 0, math.Inf(1)
	}
	const beyond = 1e4
	at := func(v float64) float64 { // the theorem ends where there is too little noise
		if ln := p.EvenErrors(p.Tau / num.Exp(v)); !math.IsInf(ln, 1) {
			return ln
		}
		return beyond * (1 + math.Abs(v))
	}
	low := num.Log(p.quantile())
	if guess > 0 {
		near := num.Log(p.Tau / guess)
		v, ln := num.Interval{Lo: near - nearby, Hi: near + nearby}.Minimize(2e-3, at)
		if math.Abs(v-near) < 0.8*nearby && ln < beyond {
			return p.Tau / num.Exp(v), ln
		}
	}
	v, ln := num.Interval{Lo: low + 0.1, Hi: low + 1.8}.Minimize(2e-3, at)
	if ln >= beyond {
		ln = math.Inf(1)
	}
	return p.Tau / num.Exp(v), ln
}

// quantile is what tau over the noise would be if the noise made all the errors.
func (p Plan) quantile() float64 {
	return num.UpperQuantile(min(p.Beta.Ln()-num.Log(float64(p.Queries)), -1) - p.lnSides())
}
