package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// spending is how beta is spent: ln of what all answers may err, and, where the second moment is known of the
// population alone, ln of what each share may, which is 0 elsewhere.
type spending struct{ answers, shares float64 }

// shareOfShares is the part of beta that is spent on the shares, and lastShare what of the others' eta_j the last query
// has: its share is of use against the less likely side alone, which errs much more rarely by then.
const shareOfShares, lastShare = 0.1, 0.1

// spare is what a plan leaves of ln beta, so that another search for the same tangents certifies it too.
const spare = 1e-6

func (p Plan) spending() spending {
	m := float64(p.Queries)
	if _, ok := p.moment(); !ok {
		return spending{answers: p.Beta.Ln()*(1+1e-15) - roundUp}
	}
	if p.checked || p.Queries == 1 {
		return spending{answers: p.Beta.Ln() - spare}
	}
	return spending{
		answers: p.Beta.Ln() + math.Log1p(-shareOfShares) - spare,
		shares:  p.Beta.Ln() + num.Log(shareOfShares) - num.Log(m-1+lastShare) - spare,
	}
}

// last is the spending for the last query. Of one side alone its share is of no use.
func (s spending) last(sides Sides) spending {
	if sides == Above {
		return spending{answers: s.answers}
	}
	if s.shares != 0 {
		s.shares += num.Log(lastShare)
	}
	return s
}

// spend sets a share of a run at which its eta_j are about what they may be. What the run's answers reveal is guessed
// from the last ones.
func (b *Bound) spend(q *run, s spending) {
	q.share = b.share()
	if s.shares == 0 { // no share may be missed
		return
	}
	for range 8 {
		b.kept = b.best // the best is close to the one for shares
		need := b.downhill(&b.kept, func(o *order) float64 {
			b.follow(o)
			past := o.past
			if q.count > 1 {
				past += q.count * o.each.each * 1.1
			}
			return past - o.conj*s.shares
		})
		q.share = max(q.share, shareAt(b.share(), need/b.n))
		if q.sd == 0 || b.affords(*q, s) {
			return
		}
	}
}

// affords reports whether the eta_j of a run are what they may be.
func (b *Bound) affords(q run, s spending) bool {
	return s.shares == 0 || b.shareErrors(q) <= s.shares+num.Log(q.count)+spare/2
}

// shareAt returns an s with kl(s||p) >= y, close to the least; 1 if there is none. Newton's steps descend to it.
func shareAt(p, y float64) float64 {
	if !(y < -num.Log(p)) {
		return 1
	}
	s := min(p*(1+entropyRoot(y/p)), 1-1e-12)
	for range 30 {
		gap := num.KLShift{P: p, Shift: s - p}.Nats() - y
		step := gap / (num.Log(s/p) + num.Log((1-p)/(1-s)))
		if s -= step; step < 1e-9*s {
			break
		}
	}
	return min(s*(1+1e-12), 1)
}
