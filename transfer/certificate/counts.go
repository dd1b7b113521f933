package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer"
)

// mostCounted is how many rows of 0/1 values Coq counts at all break points within minutes.
const mostCounted = 10_000

// Of a level the share/shares is for few ones, and spare is what Coq's roundings may add to a tail, as a share.
const (
	shares = 1_000_000
	spare  = 1e-12
)

// isTooFine reports whether counts of rows over the scale would be beyond 64 bits.
func (p *plan) isTooFine() bool { return float64(p.Samples)*float64(p.scale)*2 > 1<<62 }

var errDecimals = errors.New("a file proves plans for 0/1 queries and two classes of a tau and a threshold with fewer decimals")

// isTwoSided reports whether the same looks err on either side, so that both tails count.
func (p *plan) isTwoSided() bool { return p.Feedback != transfer.Gate && !p.OneSided }

// few is the tail of the zeros of n rows at the break point j/n + tau.
func (p *plan) few(n, j int64) bound {
	return bound{N: n, P: n*(p.scale-p.tau) - j*p.scale, Over: n * p.scale, K: n - j}
}

// many is the tail of ones.
func (p *plan) many(n, j int64) bound {
	return bound{N: n, P: j*p.scale + n*p.tau, Over: n * p.scale, K: (j*p.scale + 2*n*p.tau + p.scale - 1) / p.scale}
}

// group covers the break points from one on to as far as their tails stay within the level. The first has the greatest
// expectation of zeros, and the last of ones.
func (p *plan) group(first int64) (last int64, share float64) {
	n, level, unit := p.Samples, p.level.ln(), float64(p.beta.num.Int64())*shares
	within := func(last int64) bool {
		few, many := p.few(n, first), p.many(n, last)
		few.K, many.K = n-last, p.many(n, first).K
		part := num.Exp(few.ln()-level)*(1+spare) + spare
		share = math.Ceil(part * unit)
		if !p.isTwoSided() || part > 1 {
			return part <= 1
		}
		return share < unit && many.ln() <= level+num.Log(1-share/unit-spare)
	}
	last = num.Ints{Lo: first - 1, Hi: n * (p.scale - p.tau) / p.scale, Guess: first}.Greatest(func(i int64) bool {
		return i < first || within(i)
	})
	within(last)
	return last, share
}

// groups writes the groups of all break points.
func (p *plan) groups() error {
	n, d := p.Samples, p.scale
	switch {
	case n > mostCounted:
		return fmt.Errorf("a file proves plans for 0/1 queries at any mean of at most %d rows", mostCounted)
	case p.isTooFine():
		return errDecimals
	case n*p.tau < d:
		return errTails
	}
	var list []string
	for first := int64(0); first*d <= n*(d-p.tau); {
		last, share := p.group(first)
		if last < first {
			return errNarrow
		}
		entry := fmt.Sprint(last)
		if p.isTwoSided() {
			entry = fmt.Sprintf("(%d, %.0f)", last, share)
		}
		list = append(list, entry)
		first = last + 1
	}
	p.fill("groups", "unit", new(big.Int).Mul(p.beta.num, big.NewInt(shares)), "shares", shares, "list", lines(list))
	p.fewerPoints()
	return nil
}

// fewerPoints writes that with one row fewer the tails at some break point are too great, one or both, if so.
func (p *plan) fewerPoints() {
	n := p.Samples - 1
	var zeros, ones bound
	most := math.Inf(-1)
	for j := int64(0); n*(p.scale-p.tau) > j*p.scale; j++ {
		few, many := p.few(n, j), p.many(n, j)
		sum := few.ln()
		if p.isTwoSided() {
			sum = num.LogAddExp(sum, many.ln())
		}
		if sum > most {
			zeros, ones, most = few, many, sum
		}
	}
	share := num.Exp(zeros.ln() - most)
	switch {
	case p.isTwoSided() && share < 1 && most > p.level.ln()+1e-5:
		p.minimum = p.filled("fewer_both", "tail", zeros, "ones", ones,
			"share", new(big.Int).Mul(p.level.num, big.NewInt(int64(share*shares))))
	case zeros.exceeds(p.level):
		p.minimum = p.filled("fewer_count", "tail", zeros, "what", "zeros")
	}
}
