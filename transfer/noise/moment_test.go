package noise

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

func lnp(p float64) theory.LogProb { return theory.LogProb(math.Log(p)) }

// design is what a plan for low variance is for.
type design struct {
	Values           Moment
	Checked          bool
	Samples, Queries int64
	OneSided         bool
}

func (d design) plan(tau float64, beta theory.LogProb) Plan {
	return Plan{LowVariance(d.Values, d.Checked, SidesOf(d.OneSided)), d.Samples, d.Queries, tau, beta}
}

// bound is that before the first query.
func (p Plan) bound() *Bound { return newBound(p.Theorem, p.Samples, p.Queries) }

// shared is the plan's runs, whose shares the certificate counts with.
func (p Plan) shared() iter.Seq[run] {
	return func(yield func(run) bool) { p.walk(p.runLengths(), 0, yield) }
}

// like is a run of so many queries at the bound.
func (b *Bound) like(queries int64, sd, share, tau float64) run {
	q := b.run(theory.NoiseBlock{Queries: queries, Scale: sd}, tau)
	q.share = share
	return q
}

// answer moves the bound past a run and returns ln of the sums of its eps_j and its eta_j. The last query of all may do
// without a share.
func (b *Bound) answer(q run, last bool) (answers, shares float64) {
	for i := range b.orders {
		if b.errors(&b.orders[i], q) < b.errors(&b.orders[b.best], q) {
			b.best = i
		}
	}
	answers, shares = b.leastErrors(q), b.shareErrors(q)
	errors := num.LogAddExp(min(answers, 700), min(shares, 700))
	if last && q.count == 1 {
		alone := q
		alone.share = b.share()
		errors = min(errors, b.leastErrors(alone))
	}
	b.pass(q, errors)
	return min(answers, 0), min(shares, 0)
}
