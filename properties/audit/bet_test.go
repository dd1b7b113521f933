package audit

import (
	"math"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// Validity by enumeration: every sequence of blocks, with its probability.

// game is a claim, two laws and blocks of rounds on them.
type game struct {
	epsilon, delta float64
	p, q           []float64
	blocks, rounds int
}

// block is the counts of a block and their probability.
type block struct {
	counts counts
	prob   float64
}

// possible returns the counts of so many draws from a law.
func possible(law []float64, draws int) (all [][]int64, probs []float64) {
	var place func(c []int64, left int, prob float64)
	place = func(c []int64, left int, prob float64) {
		i := len(c)
		if i == len(law)-1 {
			all, probs = append(all, append(slices.Clone(c), int64(left))), append(probs, prob*math.Pow(law[i], float64(left)))
			return
		}
		choose := 1.0
		for k := 0; k <= left; k++ {
			place(append(slices.Clone(c), int64(k)), left-k, prob*choose*math.Pow(law[i], float64(k)))
			choose *= float64(left-k) / float64(k+1)
		}
	}
	place(nil, draws, 1)
	return all, probs
}

func (g game) outcomes() []block {
	var all []block
	as, ps := possible(g.p, g.rounds)
	bs, qs := possible(g.q, g.rounds)
	for i, a := range as {
		for j, b := range bs {
			if prob := ps[i] * qs[j]; prob > 0 {
				all = append(all, block{counts{a, b}, prob})
			}
		}
	}
	return all
}

// clone returns a gambler that may go another way.
func (g *gambler) clone() *gambler {
	c := *g
	c.refuted, c.purses = slices.Clone(g.refuted), slices.Clone(g.purses)
	for i := range c.purses {
		p := &c.purses[i]
		p.event, p.stakes, p.lnWealth = slices.Clone(p.event), slices.Clone(p.stakes), slices.Clone(p.lnWealth)
	}
	for half := range c.past {
		for input := range c.past[half] {
			c.past[half][input] = slices.Clone(g.past[half][input])
		}
	}
	return &c
}

// expectation returns the expected wealth after the last block, and the probability
// that it is not one, if observe takes the place of [gambler.observe].
func (g game) expectation(claimed claim, observe func(*gambler, counts, int64)) (mean, moved float64) {
	all := g.outcomes()
	var walk func(at *gambler, left int, prob float64)
	walk = func(at *gambler, left int, prob float64) {
		if left == 0 {
			w := at.lnWealth(0)
			mean += prob * math.Exp(w)
			if w != 0 {
				moved += prob
			}
			return
		}
		for _, b := range all {
			next := at.clone()
			observe(next, b.counts, int64(g.rounds))
			walk(next, left-1, prob*b.prob)
		}
	}
	walk(newGambler([]claim{claimed}, -1e300, []int{len(g.p)}), g.blocks, 1)
	return mean, moved
}

func (g game) claim() claim { return claim{g.epsilon, math.Exp(g.epsilon), g.delta} }

// The claims are true with equality for some event, in both orders or in one.
func games() []game {
	rr := func(epsilon float64) []float64 {
		return []float64{1 / (1 + math.Exp(-epsilon)), 1 / (1 + math.Exp(epsilon))}
	}
	swap := func(p []float64) []float64 { return []float64{p[1], p[0]} }
	e := math.Exp(0.3)
	return []game{
		{0.3, 0, rr(0.3), swap(rr(0.3)), 5, 2},
		{0, 0, []float64{0.5, 0.5}, []float64{0.5, 0.5}, 5, 2},
		{1.2, 0, rr(1.2), swap(rr(1.2)), 3, 4},
		{0.3, 0, []float64{0.2 * e, 1 - 0.2*e}, []float64{0.2, 0.8}, 5, 2},
		{0.3, 0, []float64{0.1 * e, 0.5, 0.5 - 0.1*e}, []float64{0.1, 0.6, 0.3}, 3, 2},
		{0.2, 0.2, []float64{0.3*math.Exp(0.2) + 0.2, 0.8 - 0.3*math.Exp(0.2)}, []float64{0.3, 0.7}, 5, 2},
		{0.4, 0.15, []float64{0.85 * rr(0.4)[0], 0.85 * rr(0.4)[1], 0.15}, append(swap(rr(0.4)), 0), 3, 3},
	}
}

func TestWealthIsASupermartingale(t *testing.T) {
	for i, g := range games() {
		mean, moved := g.expectation(g.claim(), (*gambler).observe)
		if !(mean <= 1+1e-12 && mean > 0.9) {
			t.Errorf("game %d: expected wealth %.15f", i, mean)
		}
		if !(moved > 0.02) {
			t.Errorf("game %d: the wealth moves with probability %g", i, moved)
		}
	}
}

// What would be wrong, each with an expected wealth above one in some game.
func TestWrongBetsWin(t *testing.T) {
	mutants := map[string]func(game) (claim, func(*gambler, counts, int64)){
		"learning from the block that is bet on": func(g game) (claim, func(*gambler, counts, int64)) {
			return g.claim(), func(at *gambler, c counts, n int64) { at.remember(c, n); at.settle(c, n) }
		},
		"no delta": func(g game) (claim, func(*gambler, counts, int64)) {
			c := g.claim()
			c.delta = 0
			return c, (*gambler).observe
		},
		"epsilon forgotten": func(g game) (claim, func(*gambler, counts, int64)) {
			c := g.claim()
			c.odds = 1
			return c, (*gambler).observe
		},
		"no loss by the second input": func(g game) (claim, func(*gambler, counts, int64)) {
			return g.claim(), func(at *gambler, c counts, n int64) {
				at.observe(c, n)
				for i := range at.purses {
					for k := range at.purses[i].stakes {
						at.purses[i].stakes[k].hit[1] = 0
					}
				}
			}
		},
	}
	for name, mutant := range mutants {
		most := 0.0
		for _, g := range games() {
			claimed, observe := mutant(g)
			mean, _ := g.expectation(claimed, observe)
			most = max(most, mean)
		}
		if !(most > 1.001) {
			t.Errorf("%s: expected wealth at most %.6f", name, most)
		}
	}
}

// A factor is never negative, its expectation at most one wherever the claim is true and
// exactly one on a line of it; and the growth at the true probabilities is the sum of
// the relative entropies to the nearest claim, which a dense search cannot beat.
func TestBet(t *testing.T) {
	for _, c := range []claim{newClaim(0, theory.Zero), newClaim(1, theory.Zero), newClaim(0.5, -3), newClaim(6, -20),
		newClaim(90, theory.Zero)} {
		for _, p := range [][2]float64{{0.5, 0.1}, {0.9, 0.001}, {0.999, 1e-9}, {1e-6, 1e-12}, {0.3, 1e-60}} {
			if !(p[0] > c.odds*p[1]+c.delta) {
				if c.bet(p, 1) != (stake{}) {
					t.Errorf("%+v: a bet at %v, which the claim allows", c, p)
				}
				continue
			}
			s := c.bet(p, 1)
			growth := 0.0
			for i, x := range p {
				growth += x*s.hit[i] + (1-x)*s.miss[i]
				for _, f := range []float64{s.hit[i], s.miss[i]} {
					if math.IsNaN(f) || math.IsInf(f, 0) {
						t.Fatalf("%+v at %v: stake %+v", c, p, s)
					}
				}
			}
			factor := func(p, q float64) float64 {
				return (p*math.Exp(s.hit[0]) + (1-p)*math.Exp(s.miss[0])) * (q*math.Exp(s.hit[1]) + (1-q)*math.Exp(s.miss[1]))
			}
			most := 0.0
			for q := 1e-14; q <= 1; q *= 1.01 {
				if at := min(1, c.odds*q+c.delta); at > 0 {
					most = max(most, factor(at, q), factor(at/2, q))
				}
			}
			if most > 1+1e-9 || most < 0.9999 {
				t.Errorf("%+v at %v: the expectation reaches %.12f under the claim", c, p, most)
			}
			if c.epsilon > 10 { // the grid below is too coarse
				continue
			}
			kl := func(p, v float64) float64 { return p*math.Log(p/v) + (1-p)*math.Log((1-p)/(1-v)) }
			nearest := math.Inf(1)
			low, high := math.Log(p[1]), math.Log((p[0]-c.delta)/c.odds)
			// A grid in ln u that is fine at both ends.
			for i := 1; i < 40000; i++ {
				x := 0.5 - math.Cos(math.Pi*float64(i)/40000)/2
				u := math.Exp(low + (high-low)*x)
				nearest = min(nearest, kl(p[0], c.odds*u+c.delta)+kl(p[1], u))
			}
			if !(growth <= nearest && growth > nearest*(1-1e-3)) {
				t.Errorf("%+v at %v: growth %g, nearest claim %g", c, p, growth, nearest)
			}
		}
	}
}

// The confidence bound stops at the first step that has not been refuted.
func TestLowerStopsAtTheFirstGap(t *testing.T) {
	claims := []claim{newClaim(1, theory.Zero)}
	for _, epsilon := range []float64{0.25, 0.5, 1, 2} {
		claims = append(claims, newClaim(epsilon, theory.Zero))
	}
	g := newGambler(claims, -20, []int{2})
	if g.lower() != 0 {
		t.Errorf("bound %g from nothing", g.lower())
	}
	g.refuted = []bool{true, true, true, false, true}
	if g.lower() != 0.5 {
		t.Errorf("bound %g, want 0.5", g.lower())
	}
}
