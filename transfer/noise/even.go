package noise

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// EvenErrors returns ln of the sum of the errors of the plan's queries with noise of one sd for all, rounded up; it may
// be above 0, and is +Inf where the theorem does not hold.
func (p Plan) EvenErrors(sd, cut float64) float64 {
	return p.lnErrors(fineCells, evenGrain, theory.NoiseBlock{Queries: p.Queries, Scale: sd, Cut: cut})
}

// aboutErrors is about EvenErrors, and hardly ever less, sooner; with coarse runs it is more.
func (p Plan) aboutErrors(g runLengths, sd, cut float64) float64 {
	return p.lnErrors(cells, g, theory.NoiseBlock{Queries: p.Queries, Scale: sd, Cut: cut})
}

// lnErrors is ln of the sum of the errors with any noise for all queries of the plan, by so many cells and with the
// shares chosen for beta.
func (p Plan) lnErrors(count int, g runLengths, noise ...theory.NoiseBlock) float64 {
	_, varies := p.moment()
	if !varies {
		p.Beta = -1 // which the sum does not depend on
	}
	if !p.isValid() {
		return math.Inf(1)
	}
	b, spent, done := newBound(p.Theorem, p.Samples, p.Queries), p.spending(), int64(0)
	b.chords.cell = make([]chord, count)
	for block := range p.runs(g, noise) {
		q := b.run(block, p.Tau)
		if !q.isUseful() || varies && block.Cut != 0 { // or without a theorem
			return math.Inf(1)
		}
		if len(noise) > 1 { // it is certified once, and one noise is searched for
			b.around(q, 1)
		} else {
			b.orient(q, p.Tau/q.sd)
		}
		done += block.Queries
		last := done == p.Queries && block.Queries == 1
		errors := math.Inf(1)
		if last {
			errors = b.leastErrors(q)
			b.spend(&q, spent.last(p.sides))
		} else {
			b.spend(&q, spent)
		}
		errors = min(errors, num.LogAddExp(b.leastErrors(q), b.shareErrors(q)))
		if !(errors < math.MaxFloat64) {
			return math.Inf(1)
		}
		b.pass(q, errors)
	}
	return b.total + float64(len(b.answered))*(1+math.Abs(b.total))*0x1p-48
}

// runs are the blocks in runs for which the theorem may take every query for the last. For one noise the first answers
// hardly count. Its runs end where the runs of more queries do, so that the sum grows with the number of queries.
func (p Plan) runs(g runLengths, noise []theory.NoiseBlock) iter.Seq[theory.NoiseBlock] {
	first := int64(1)
	if _, varies := p.moment(); varies {
		g = runLengths{6, 6}
	} else if len(noise) == 1 {
		for next := first; next <= p.Queries/(2*g.begin); next += g.queries(next, next) {
			first = next
		}
	}
	return func(yield func(theory.NoiseBlock) bool) {
		done := int64(0)
		for _, block := range noise {
			for left := block.Queries; left > 0; left -= block.Queries {
				block.Queries = min(left, max(g.queries(done, p.Queries-1-done), first-done))
				if done += block.Queries; !yield(block) {
					return
				}
			}
		}
	}
}

// The runs of one noise: of the answers before, one in so many.
var evenGrain, roughGrain = runLengths{5, 1}, runLengths{2, 1}

// hasValley reports whether one noise has its minima close together, so that the noise of a plan is good for plans near
// it. For few queries, and for low variance, they may be far apart.
func (p Plan) hasValley() bool {
	_, varies := p.moment()
	return !varies && p.Queries > few
}

// even returns about the best noise for all answers, and ln of the sum of its errors over beta.
func (p Plan) even() (sd, excess float64) {
	sd = p.best()
	excess = p.aboutErrors(evenGrain, sd, p.EvenCut()) - p.Beta.Ln()
	if p.hasValley() && excess > 0 && excess < 0.05*(1-p.Beta.Ln()) { // another of several minima may certify the plan
		v := num.Log(sd)
		v, ln := num.Interval{Lo: v - 0.06, Hi: v + 0.06}.MinimizeScanned(13, 1e-4, func(v float64) float64 {
			return p.aboutErrors(evenGrain, num.Exp(v), p.EvenCut())
		})
		if ln -= p.Beta.Ln(); ln < excess {
			sd, excess = num.Exp(v), ln
		}
	}
	return sd, excess
}

// best returns about the best noise for all answers, and NaN where there is none.
func (p Plan) best() (sd float64) {
	if !p.isValid() {
		return math.NaN()
	}
	at := func(v float64) float64 {
		ln := p.aboutErrors(evenGrain, p.Tau/num.Exp(v), p.EvenCut())
		if !(ln < math.MaxFloat64) { // where the theorem does not hold, the way back is down
			return 1e9 * (1 + num.Exp(v))
		}
		return ln
	}
	const near, tolerance = 0.12, 1e-3
	start := num.Log(p.evenStart())
	var v float64
	var ok bool
	if !p.hasValley() {
		v, _ = num.Interval{Lo: start - near, Hi: start + near}.Minimize(tolerance, at)
		ok = math.Abs(v-start) <= 0.9*near
	} else {
		v, ok = num.Valley(start, near/2, at)
	}
	if !ok {
		low, high := num.Log(p.quantile()), max(start+1, num.Log(p.touches()))
		v, _ = num.Interval{Lo: low, Hi: max(low+1, high)}.MinimizeScanned(16, tolerance, at)
	}
	if p.Queries == 1 && at(start) < at(v) { // often it is there
		v = start
	}
	return p.Tau / num.Exp(v)
}

// evenStart is about the best tau/sd for the least n: a fit, and no more than where the first query's tangent touches
// at 0. A search that began far beyond would find no errors that add up to less than one.
func (p Plan) evenStart() float64 {
	if p.Queries == 1 {
		return p.touches()
	}
	x, rarity := num.Log(float64(p.Queries)/10), -p.Beta.Ln()
	ln := min(0.34+0.037*x, 0.65) + 0.41*num.Exp(-0.27*x)*math.Sqrt(rarity)/(1+0.004*rarity)
	if p.EvenCut() == 0 {
		ln = 0.67 + 0.115*num.Exp(-0.48*x)*math.Sqrt(rarity)
	}
	if m, ok := p.moment(); ok {
		ln -= 0.5 * min(p.Tau/m.moment(m.Share()), 1)
	}
	return min(p.quantile()*num.Exp(ln), p.touches())
}

// touches is the tau/sd at which the first query's tangent touches at 0.
func (p Plan) touches() float64 {
	b := newBound(p.Theorem, p.Samples, p.Queries)
	return b.touches(b.run(theory.NoiseBlock{Cut: p.EvenCut()}, p.Tau))
}

// quantile is what tau/sd would be if the noise made all the errors.
func (p Plan) quantile() float64 {
	return lawOf(p.EvenCut()).quantile(p.Beta.Ln() - num.Log(float64(p.Queries)) - p.sides.lnCount())
}

// EvenCut returns where one noise for all answers of the plan is cut, by another fit.
func (p Plan) EvenCut() float64 { return 1.1 * p.Cut() }

// Certified returns an upper bound of the probability that any answer of a plan for low variance is off by more than
// tau, if the answers carry that noise, which is for all its queries. The shares are chosen for the plan's beta, or
// about the best one if that is 0. The error is a DomainError, or a NotApplicableError where noise is cut.
func (p Plan) Certified(noise []theory.NoiseBlock) (theory.LogProb, error) {
	for _, block := range noise {
		if err := theory.Domain(block.Queries >= 1, "queries", block.Queries, "a positive number"); err != nil {
			return 0, err
		}
		if block.Cut != 0 {
			return 0, &theory.NotApplicableError{Source: theory.Source{Key: "dpcalc", Where: "docs/theorems/variance.md"},
				Needs: "noise that is not cut"}
		}
	}
	least, wanted := 0.0, p.Beta
	if p.Beta == 0 { // the shares suit a beta of e^(-e^v)
		v, _ := num.Interval{Lo: 0, Hi: 9.3}.MinimizeScanned(24, 3e-3, func(v float64) float64 {
			p.Beta = theory.LogProb(-num.Exp(v))
			return min(p.lnErrors(fineCells, evenGrain, noise...), 0)
		})
		p.Beta = theory.LogProb(-num.Exp(v))
	}
	for i := range 40 {
		q := p
		if i == 0 {
			q.Beta = p.withoutLast()
		}
		ln := q.lnErrors(fineCells, evenGrain, noise...)
		gain := least - ln
		if least = min(least, ln); wanted != 0 && least <= wanted.Ln() {
			break
		}
		if i > 0 && !(gain > 1e-2) {
			break
		}
		if i > 0 {
			p.Beta = theory.LogProb(least)
		}
	}
	if wanted != 0 && least > wanted.Ln() { // the shares of a rarer failure leave fewer of the other errors
		p.Beta = wanted - 1
		least = min(least, p.lnErrors(fineCells, evenGrain, noise...))
	}
	return theory.LogProb(least), nil
}

// withoutLast is the beta at which all queries but the last get the shares of a plan for this one whose last query has
// none, as plans were made at first.
func (p Plan) withoutLast() theory.LogProb {
	if p.Queries == 1 {
		return p.Beta
	}
	more := p.Beta + theory.LogProb(math.Log1p(lastShare/float64(p.Queries-1)))
	if !more.IsInterior() {
		return p.Beta
	}
	return more
}
