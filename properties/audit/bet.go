package audit

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
)

// The bet against a claim. A round draws one outcome a for the first input and one
// outcome b for the second. For an event E and numbers u in (0,1) and s >= 0, fixed before
// the round, with v = e^epsilon u + delta, s v <= 1 and s e^epsilon (1-u) <= 1, the round
// multiplies the wealth by
//
//	(1 + s (1_E(a) - v)) (1 - s e^epsilon (1_E(b) - u)),
//
// which is never negative. If P[E] <= e^epsilon Q[E] + delta its expectation is at most
// one: a and b are independent, so with w = s e^epsilon (Q[E] - u) it is
// (1 + s (P[E] - v)) (1 - w), where s (P[E] - v) <= w and 1-w >= 0, hence at most
// (1+w)(1-w) <= 1. So the wealth is a supermartingale, and the mean of several wealths is
// one. In a block of rounds with one bet it depends on the two counts of E alone.
//
// For given P[E] and Q[E] the wealth grows fastest, at the rate kl(P[E]||v) + kl(Q[E]||u),
// for the u that minimises this rate and s = (P[E]-v)/(v(1-v)): the factors are then
// likelihood ratios of coins. Tests of this form come from [waudbysmith24].

// stake is a bet: the logarithms of the factors for an outcome in the event and outside
// it, under the first input and the second.
type stake struct{ hit, miss [2]float64 }

// claim is an (epsilon, delta) claim with what the bets against it need.
type claim struct{ epsilon, odds, delta float64 }

func newClaim(epsilon float64, delta theory.LogProb) claim {
	return claim{epsilon, math.Exp(epsilon), delta.Value()}
}

// excess returns how far P[E] - e^epsilon Q[E] - delta lies above zero for frequencies of
// E in n rounds, in standard deviations.
func (c claim) excess(p [2]float64, n float64) float64 {
	gap := p[0] - c.odds*p[1] - c.delta
	return gap * math.Sqrt(n/(p[0]*(1-p[0])+c.odds*c.odds*p[1]*(1-p[1])))
}

// proven returns the epsilon that frequencies p of an event in n rounds suggest at the
// claim's delta, less three standard deviations, or 0.
func (c claim) proven(p [2]float64, n float64) float64 {
	own := p[0] - c.delta
	if own <= 0 {
		return 0
	}
	return max(0, math.Log(own/p[1])-3*math.Sqrt((p[0]*(1-p[0])/(own*own)+(1-p[1])/p[1])/n))
}

// bet returns the stake for P[E], Q[E] = p inside (0,1), its s reduced by the factor
// caution <= 1. It is the zero stake where the claim allows p.
func (c claim) bet(p [2]float64, caution float64) stake {
	if !(p[0]-c.odds*p[1]-c.delta > 0 && caution > 0) {
		return stake{}
	}
	lean := func(p, v float64) float64 { return (p - v) / (v * (1 - v)) }
	low, high := p[1], (p[0]-c.delta)/c.odds
	for range 30 { // the rate is convex in u; any u is valid
		u := math.Sqrt(low) * math.Sqrt(high)
		if c.odds*lean(p[0], c.odds*u+c.delta) > -lean(p[1], u) {
			low = u
		} else {
			high = u
		}
	}
	u := math.Sqrt(low) * math.Sqrt(high)
	v := c.odds*u + c.delta
	// At the exact u the second bound is far; s v <= 1 in any case.
	s := min(caution*lean(p[0], v), (1-0x1p-40)/(c.odds*(1-u)))
	return stake{
		hit:  [2]float64{math.Log1p(s * (1 - v)), math.Log1p(-s * c.odds * (1 - u))},
		miss: [2]float64{math.Log1p(-s * v), math.Log1p(s * c.odds * u)},
	}
}

// counts is how often each cell of a partition was hit under each input.
type counts [2][]int64

func newCounts(cells int) counts { return counts{make([]int64, cells), make([]int64, cells)} }

// gambler bets on unions of cells. Cells are numbered through all partitions. For each
// partition and each order of the inputs it has a purse of equal share, with an event
// learned from earlier blocks.
type gambler struct {
	claims    []claim // the one under audit, then those for the confidence bound, rising
	purses    []purse
	lnAlpha   float64
	peak      float64 // the largest logarithm of the wealth against the first claim
	refuted   []bool  // claims against which the wealth has reached 1/alpha
	past      [2]counts
	pairs     [2]int64 // rounds in each half of the past
	parity    int
	nextPairs int64
}

// purse is the wealth of one partition and order, against each claim.
type purse struct {
	from, to int // the cells of the partition
	reversed bool
	event    []int
	stakes   []stake
	lnWealth []float64
	hits     [2]int64 // while this event was in force
	rounds   int64
}

// newGambler divides the wealth among the partitions [ends[i-1], ends[i]).
func newGambler(claims []claim, alpha theory.LogProb, ends []int) *gambler {
	g := &gambler{claims: claims, lnAlpha: alpha.Ln(), refuted: make([]bool, len(claims))}
	from := 0
	for _, to := range ends {
		for _, reversed := range []bool{false, true} {
			g.purses = append(g.purses, purse{
				from: from, to: to, reversed: reversed,
				stakes: make([]stake, len(claims)), lnWealth: make([]float64, len(claims)),
			})
		}
		from = to
	}
	g.past = [2]counts{newCounts(from), newCounts(from)}
	return g
}

// observe takes a block of rounds. The bets on it are settled before it is learned from.
// A claim that is refuted needs no more learning.
func (g *gambler) observe(block counts, rounds int64) {
	g.settle(block, rounds)
	if !g.violated() {
		g.remember(block, rounds)
	}
}

// violated reports whether the confidence bound is above the claim.
func (g *gambler) violated() bool { return g.lower() > g.claims[0].epsilon }

// rounding covers what float64 does to a logarithm of the wealth: with s v <= 1 and
// s e^epsilon <= 2 a round costs a few 2^-53, and there are at most 2^31.
const rounding = 1e-5

func (g *gambler) settle(block counts, rounds int64) {
	for i := range g.purses {
		p := &g.purses[i]
		if p.event == nil {
			continue
		}
		a, b := p.inputs(block)
		var hits [2]int64
		for _, cell := range p.event {
			hits[0] += a[cell]
			hits[1] += b[cell]
		}
		for k, s := range p.stakes {
			for input, hit := range hits {
				p.lnWealth[k] += float64(hit)*s.hit[input] + float64(rounds-hit)*s.miss[input]
			}
		}
		p.hits[0], p.hits[1], p.rounds = p.hits[0]+hits[0], p.hits[1]+hits[1], p.rounds+rounds
	}
	for k := range g.claims {
		wealth := g.lnWealth(k)
		if k == 0 {
			g.peak = max(g.peak, wealth)
		}
		g.refuted[k] = g.refuted[k] || wealth >= rounding-g.lnAlpha
	}
}

// inputs returns the counts in the order of the purse.
func (p *purse) inputs(c counts) (first, second []int64) {
	if p.reversed {
		return c[1], c[0]
	}
	return c[0], c[1]
}

// lnWealth returns the logarithm of the mean wealth of the purses against claim k.
func (g *gambler) lnWealth(k int) float64 {
	top := math.Inf(-1)
	for i := range g.purses {
		top = max(top, g.purses[i].lnWealth[k])
	}
	sum := 0.0
	for i := range g.purses {
		sum += math.Exp(g.purses[i].lnWealth[k] - top)
	}
	return top + math.Log(sum/float64(len(g.purses)))
}

// remember adds a block to the halves of the past, in turn. Each time the past has
// doubled the events are learned again.
func (g *gambler) remember(block counts, rounds int64) {
	for input, cells := range block {
		for i, n := range cells {
			g.past[g.parity][input][i] += n
		}
	}
	g.pairs[g.parity] += rounds
	g.parity = 1 - g.parity
	if total := g.pairs[0] + g.pairs[1]; g.pairs[1] > 0 && total >= g.nextPairs {
		g.nextPairs = 2 * total
		for i := range g.purses {
			g.learn(&g.purses[i])
		}
	}
}

// learn chooses the event of a purse: the cells in the order of their likelihood ratio
// in one half of the past, as many of them as exceed the claim most in the other half;
// or, where none do, as many as prove the largest epsilon, for the sake of the confidence
// bound. The other half also sets the stake, so that the choice of the order does not
// flatter it. Where the excess z is mere noise a full stake loses, so it is reduced by
// 1 - 1/z^2.
func (g *gambler) learn(p *purse) {
	a, b := p.inputs(g.past[0])
	order := make([]int, 0, p.to-p.from)
	for cell := p.from; cell < p.to; cell++ {
		if a[cell]+b[cell] > 0 {
			order = append(order, cell)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := float64(a[i]+1)/float64(b[i]+1), float64(a[j]+1)/float64(b[j]+1)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	a, b = p.inputs(g.past[1])
	n := float64(g.pairs[1])
	var sum [2]int64
	var best [2]float64
	size, most, proven := 0, 0.0, 0.0
	for i, cell := range order {
		sum[0], sum[1] = sum[0]+a[cell], sum[1]+b[cell]
		frequency := [2]float64{(float64(sum[0]) + 0.5) / (n + 1), (float64(sum[1]) + 0.5) / (n + 1)}
		if z := g.claims[0].excess(frequency, n); z > most {
			size, most, best = i+1, z, frequency
		} else if epsilon := g.claims[0].proven(frequency, n); most == 0 && epsilon > proven {
			size, proven, best = i+1, epsilon, frequency
		}
	}
	p.event, p.hits, p.rounds = order[:size], [2]int64{}, 0
	for k, c := range g.claims {
		p.stakes[k] = stake{}
		if z := c.excess(best, n); size > 0 && z > 1 && !g.refuted[k] {
			p.stakes[k] = c.bet(best, 1-1/(z*z))
		}
	}
}
