package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
)

// mostCounted is how many rows of 0/1 values Coq counts at all break points within minutes.
const mostCounted = 10_000

// group is the break points j/n + tau up to a last j. Of the level the share/shares is for few ones.
type group struct{ last, share int64 }

const shares = 1_000_000

// spare is what Coq's roundings may add to a tail, as a share of the level.
const spare = 1e-12

// group covers the break points from one on to as far as its two tails stay within the level, both counted if both are
// meant. The first break point has the greatest expectation of zeros, and the last of ones.
func (p *plan) group(first int64, both bool) (g group, ok bool) {
	n, s, d, level := p.Samples, p.tau, p.scale, p.level.ln()
	law := func(ones int64) num.Binomial { return num.Binomial{N: n, P: float64(ones) / (float64(n) * float64(d))} }
	zeros := n*(d-s) - first*d
	within := func(last int64) (group, bool) {
		few := math.Inf(-1)
		if zeros > 0 {
			few = law(zeros).LnAtLeast(n - last)
		}
		if few > level || zeros/d > n-last {
			return group{}, false
		}
		if !both {
			return group{last: last}, true
		}
		unit := float64(p.beta.num.Int64()) * shares
		share := int64(math.Ceil((num.Exp(few-level)*(1+spare) + spare) * unit))
		ones, k := last*d+n*s, (first*d+2*n*s+d-1)/d
		if k > n {
			return group{last, share}, float64(share) <= unit
		}
		left := level + num.Log(1-float64(share)/unit-spare)
		return group{last, share}, ones < n*d && ones/d <= k && law(ones).LnAtLeast(k) <= left
	}
	last := num.Ints{Lo: first - 1, Hi: n * (d - s) / d, Guess: first}.Greatest(func(i int64) bool {
		_, ok := within(i)
		return i < first || ok
	})
	if last < first {
		return group{}, false
	}
	return within(last)
}

// groups writes the groups of all break points.
func (p *plan) groups(both bool) error {
	n, d := p.Samples, p.scale
	switch {
	case n > mostCounted:
		return fmt.Errorf("a file proves plans for 0/1 queries at any mean of at most %d rows", mostCounted)
	case float64(n)*float64(d)*2 > 1<<62:
		return errors.New("a file proves plans for 0/1 queries of a tau with fewer decimals")
	case n*p.tau < d:
		return errors.New("the plan has so few rows that it does not rest on binomial tails alone")
	}
	var list []string
	kind, share := "Z", ""
	if both {
		kind, share = "(Z * Z)", fmt.Sprintf(", and the share for few ones, of %v", new(big.Int).Mul(p.beta.num, big.NewInt(shares)))
	}
	for j := int64(0); j*d <= n*(d-p.tau); {
		g, ok := p.group(j, both)
		if !ok {
			return errors.New("the plan has so little to spare that no short file proves it: take more rows")
		}
		if both {
			list = append(list, fmt.Sprintf("(%d, %d)", g.last, g.share))
		} else {
			list = append(list, fmt.Sprint(g.last))
		}
		j = g.last + 1
	}
	p.fill("groups", "kind", kind, "share", share, "list", lines(list))
	return nil
}

// lines puts the entries of a list on lines of some.
func lines(list []string) string {
	var b strings.Builder
	for i, entry := range list {
		switch {
		case i > 0 && i%6 == 0:
			b.WriteString(";\n  ")
		case i > 0:
			b.WriteString("; ")
		}
		b.WriteString(entry)
	}
	return b.String()
}

// fewerPoints writes that with one row fewer the tails at some break point are too great, one or both, if so.
func (p *plan) fewerPoints(both bool) {
	n, s, d := p.Samples-1, p.tau, p.scale
	ln := func(mean, k int64) float64 {
		return num.Binomial{N: n, P: float64(mean) / (float64(n) * float64(d))}.LnAtLeast(k)
	}
	few := func(j int64) (zeros, k int64) { return n*(d-s) - j*d, n - j }
	many := func(j int64) (ones, k int64) { return j*d + n*s, (j*d + 2*n*s + d - 1) / d }
	worst, most := int64(0), math.Inf(-1)
	for j := int64(0); n*(d-s) > j*d; j++ {
		sum := ln(few(j))
		if both {
			sum = num.LogAddExp(sum, ln(many(j)))
		}
		if sum > most {
			worst, most = j, sum
		}
	}
	zeros, k := few(worst)
	ones, j := many(worst)
	level, share := p.level.ln(), num.Exp(ln(zeros, k)-most)
	switch {
	case both && share < 1 && most > level+1e-5:
		p.fill("fewer_both", "n", n, "d", n*d, "p", zeros, "k", k, "q", ones, "j", j, "shares", shares,
			"share", new(big.Int).Mul(p.level.num, big.NewInt(int64(share*shares))))
	case ln(zeros, k) > level+1e-9:
		p.fill("fewer_zeros", "n", n, "d", n*d, "p", zeros, "k", k)
	}
}

// fewerCounts writes that with one row fewer no count passes, if so: at a count of k ones a pass is too likely, and at
// one more a failure.
func (p *plan) fewerCounts(theorem, fail string) {
	c, s, d, n := p.bar, p.tau, p.scale, p.Samples-1
	missed := d - c - 2*s
	if n < 1 || c <= 0 || missed <= 0 {
		return
	}
	above := func(level fraction, mean, k int64) bool {
		return num.Binomial{N: n, P: float64(mean) / float64(d)}.LnAtLeast(k) > level.ln()+1e-9
	}
	k := num.Ints{Lo: 0, Hi: n, Guess: int64(float64(n) * float64(c+s) / float64(d))}.Greatest(func(k int64) bool {
		return k == 0 || above(p.level, c, k)
	})
	if !above(p.fail, missed, n-k) {
		return
	}
	p.fill("fewer_counts", "theorem", theorem, "n", n, "c", c, "missed", missed, "fail", p.fail, "rare", fail, "k", k)
}
