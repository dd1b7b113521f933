package lowvariance

import (
	"iter"
	"math"
	"slices"

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
	return p.cut(slices.Values([]theory.NoiseBlock{{Queries: p.Queries, Scale: sd}}))
}

// cut are the blocks in runs that are short at both ends: the theorem takes all queries of a run for its last one.
func (d Design) cut(noise iter.Seq[theory.NoiseBlock]) iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		done := int64(0)
		for block := range noise {
			for left := block.Queries; left > 0; left -= block.Queries {
				block.Queries = max(min(left, done/evenGrain.begin, (d.Queries-1-done)/evenGrain.end), 1)
				if done += block.Queries; !yield(block) {
					return
				}
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
		q.share = w.shareFor(q)
		w.z = p.Tau / q.sd
		w.orient(q, done-run.Queries)
		errors := num.LogAddExp(w.leastErrors(q), w.leastShares(q))
		if last {
			if alone := w.leastErrors(q.alone()); alone <= errors {
				q, errors = q.alone(), alone
			}
		}
		if !yield(Block{run.Queries, run.Scale, q.share}) {
			return total
		}
		if math.IsInf(errors, 1) {
			return errors
		}
		total = num.LogAddExp(total, errors)
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
	at, low := p.evenAt(), num.Log(p.quantile())
	if guess > 0 {
		near := num.Log(p.Tau / guess)
		v, ln := num.Interval{Lo: near - nearby, Hi: near + nearby}.Minimize(2e-3, at)
		if math.Abs(v-near) < 0.8*nearby && ln < noTheorem/2 {
			return p.Tau / num.Exp(v), ln
		}
	}
	v, ln := num.Interval{Lo: low + 0.1, Hi: low + 1.8}.Minimize(2e-3, at)
	if ln >= noTheorem/2 {
		ln = math.Inf(1)
	}
	return p.Tau / num.Exp(v), ln
}

// noTheorem stands for ln of the errors where the noise is too small for the theorem.
const noTheorem = 1e200

// evenAt returns EvenErrors as a function of ln tau/sd.
func (p Plan) evenAt() func(v float64) float64 {
	low := num.Log(p.quantile())
	return func(v float64) float64 {
		ln := p.EvenErrors(p.Tau / num.Exp(v))
		if math.IsInf(ln, 1) { // the way back is up
			return noTheorem * (1 + v - low)
		}
		return ln
	}
}

// hopeless reports whether it is soon clear that no noise certifies the plan: ln of the errors is nearly convex in ln
// tau/sd.
func (p Plan) hopeless() bool {
	const margin, step, tries = 0.02, 0.15, 12
	excess := func(x float64) float64 { return p.EvenErrors(p.Tau/num.Exp(x)) - p.Beta.Ln() - margin }
	var seen num.Chords
	start := p.startEven()
	for _, x := range [3]float64{start - step, start, start + step} {
		seen = seen.With(x, excess(x))
	}
	for range tries {
		x, least := seen.Lowest(step)
		if least > 0 {
			return true
		}
		y := excess(x)
		if y <= 0 {
			return false
		}
		seen = seen.With(x, y)
	}
	return false
}

// startEven is about ln of the best tau over the noise for a plan that noise that falls just certifies.
func (p Plan) startEven() float64 {
	m, steep := float64(p.Queries), p.Tau/p.Values.moment(p.Values.Share())
	start := num.Log((1.7 + 0.7/math.Sqrt(math.Sqrt(m))) * p.quantile())
	return start - 0.27*max(1-math.Sqrt(10/m), 0) - 0.3*min(steep, 1)
}

// quantile is what tau over the noise would be if the noise made all the errors.
func (p Plan) quantile() float64 {
	return num.UpperQuantile(min(p.Beta.Ln()-num.Log(float64(p.Queries)), -1) - p.lnSides())
}
