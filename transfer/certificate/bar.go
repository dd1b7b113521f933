package certificate

import (
	"errors"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// bound is a tail of N rows of the mean P/Over. Of 0/1 values with a binomial law at least K are 1. If the bound is
// convex, it is the convex tail of a mean that reaches K/Over.
type bound struct {
	N, P, Over, K int64
	convex        bool
}

// bound returns the tail of a query.
func (p *plan) bound(n, mean, k int64) bound { return bound{n, mean, p.scale, k, !p.Query.IsZeroOne()} }

func (b bound) law() num.Binomial { return num.Binomial{N: b.N, P: float64(b.P) / float64(b.Over)} }

// reach returns n times the value of a convex tail, rounded down.
func (b bound) reach() float64 { return float64(b.N) * (float64(b.K) / float64(b.Over)) * (1 - 4e-16) }

// ln returns the logarithm, and 0 for counts below the mean.
func (b bound) ln() float64 {
	law := b.law()
	switch {
	case b.P <= 0:
		return math.Inf(-1)
	case b.convex:
		return law.LnConvex(b.reach())
	case float64(b.N)*law.P > float64(b.K):
		return 0
	}
	return law.LnAtLeast(b.K)
}

// isFar reports whether Hoeffding's theorem covers a count: from the mean and one more on.
func (b bound) isFar() bool { return b.P <= 0 || float64(b.N)*b.law().P+1 <= float64(b.K)*(1-1e-12) }

// isWithin reports whether a file proves that the tail is at most the level.
func (b bound) isWithin(level fraction) bool { return b.ln() <= level.ln() && (b.convex || b.isFar()) }

// exceeds reports whether a file proves that the tail is above the level.
func (b bound) exceeds(level fraction) bool { return b.N > 0 && b.ln() > level.ln()+1e-9 }

// hinge returns the t at which a convex tail is least. Coq needs none where the mean or the value is beyond an end.
func (b bound) hinge() int64 {
	if !b.convex || b.P <= 0 || b.K > b.Over {
		return 0
	}
	return b.law().Hinge(b.reach())
}

// errTails is about plans of so few rows that other bounds serve.
var errTails = errors.New("the plan does not rest on the tails that a file evaluates alone")

// missed returns the mean of zeros, or of what is missing from 1, that must pass.
func (p *plan) missed() int64 { return p.scale - p.bar - 2*p.tau }

// atBar finds the tails at the count or the value that passes. A threshold is rounded up, to as many digits as serve.
func (p *plan) atBar() error {
	for ; p.scale < 1e18; *p = *p.finer(10 * p.scale) {
		k, most := p.bar+p.tau, p.scale
		switch {
		case p.Query.IsZeroOne():
			k, most = p.run.PassCount, p.Samples+1
		case p.Open:
			k = int64(math.Ceil(p.run.PassAt.Value * float64(p.scale)))
		}
		pass, fail := p.bound(p.Samples, p.bar, k), p.bound(p.Samples, p.missed(), most-k)
		if pass.isWithin(p.level) && (p.OneSided || fail.isWithin(p.fail)) {
			p.values["at"], p.values["t"], p.values["missed"] = k, pass.hinge(), fail.hinge()
			p.fewerAtBar(k)
			return nil
		}
	}
	return errTails
}

// fewerAtBar writes that with one row fewer an error is too likely, if so: whatever passes, or what passes at bar + tau
// where the plan fixes this.
func (p *plan) fewerAtBar(k int64) {
	n := p.Samples - 1
	switch {
	case p.Query.IsZeroOne() && !p.OneSided:
		p.noneServes("fewer_counts", n)
	case p.Query.IsZeroOne():
	case p.Open:
		q := p.finer(1e12)
		q.noneServes("fewer_threshold", q.scale)
		p.minimum = q.minimum
	case !p.fewerHinge(p.bound(n, p.bar, k)) && !p.OneSided:
		p.fewerHinge(p.bound(n, p.missed(), p.scale-k))
	}
}

// fewerHinge writes that no t serves for a convex tail, if so.
func (p *plan) fewerHinge(b bound) (isAbove bool) {
	if b.exceeds(p.level) {
		p.minimum = p.filled("fewer_hinge", "tail", b)
	}
	return p.minimum != ""
}

// noneServes writes that no k has both errors rare enough, if so: up to some k a pass is too likely, and from there on
// a failure.
func (p *plan) noneServes(text string, most int64) {
	n, missed := p.Samples-1, p.missed()
	guess := int64(float64(most) * float64(p.bar+p.tau) / float64(p.scale))
	k := num.Ints{Hi: most, Guess: guess}.Greatest(func(k int64) bool {
		return k == 0 || p.bound(n, p.bar, k).exceeds(p.level)
	})
	if p.bar > 0 && missed > 0 && p.bound(n, missed, most-k).exceeds(p.fail) {
		p.minimum = p.filled(text, "fewer", n, "k", k, "far", missed)
	}
}
