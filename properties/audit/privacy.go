package audit

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Sampler draws one outcome of a mechanism on a fixed input into out, by r alone. It is
// called from several goroutines at a time.
type Sampler func(r *rand.Rand, out []float64)

// Privacy is the audit of an (epsilon, delta) claim for one pair of neighbouring inputs,
// in both orders.
type Privacy struct {
	Plan
	Claim    theory.Approx                 // with epsilon <= 100 and 0 <= delta < 1
	First    Sampler                       // the mechanism on one input
	Second   Sampler                       // and on its neighbour
	Width    int                           // numbers in an outcome, at least 1
	Features []func(out []float64) float64 // what to look at; each of the numbers if empty
}

// Validate reports a DomainError for the first field outside its domain.
func (a Privacy) Validate() error {
	return cmp.Or(
		a.Plan.Validate(), a.Claim.Validate(),
		theory.Domain(a.Claim.Epsilon <= maxEpsilon, "epsilon", a.Claim.Epsilon, "a number in [0, 100]"),
		theory.Domain(a.Claim.LnDelta < 0, "delta", a.Claim.LnDelta, "a number in [0, 1)"),
		theory.Domain(a.First != nil && a.Second != nil, "samplers", "nil", "one for each input"),
		theory.Domain(a.Width >= 1 && a.Width <= 1<<20, "width", a.Width, "a whole number from 1 to 1048576"),
	)
}

// maxEpsilon is the largest epsilon that is audited: no number of samples tells a larger
// one from an absence of privacy.
const maxEpsilon = 100

// Result is what the audit of a privacy claim found.
type Result struct {
	Verdict  Verdict
	Samples  int64   // outcomes drawn; the audit stops when it has refuted the claim
	LnWealth float64 // the largest it was, against the claim

	// Epsilon is a lower confidence bound on the epsilon that goes with the claim's delta:
	// above the truth with probability at most alpha, whenever the audit stops. It is 0
	// if there is no evidence, and at most 32 times the epsilon claimed, or 2 if that is
	// more. The claim is violated where this is above it.
	Epsilon float64

	// Detectable is the least epsilon' such that randomized response that is
	// epsilon'-private, P[E] = e^epsilon'/(1+e^epsilon') and Q[E] = 1/(1+e^epsilon'), is
	// refuted with probability at least 0.99 within half of the rounds that the plan has, by
	// the purse that bets on E at the best stake for this epsilon' (the other half is for
	// learning E and the stake). Proved by Chernoff's bound on the wealth. An event that is
	// rarer than the event of randomized response needs a larger violation. Detectable is 0 if there
	// is no such epsilon' up to 36, and then a claim that was not refuted is Undecided.
	Detectable float64

	Event Event
}

// Event is the event that has won most against the claim, and its counts since it was
// last learned.
type Event struct {
	View     string // the partition it is made of: "magnitude", "atom" or "lattice"
	Feature  int    // of which feature
	Reversed bool   // whether it is likelier under the second input
	Cells    int    // how many cells of the partition it has
	First    int64  // hits under the first input
	Second   int64  // hits under the second
	Rounds   int64  // draws under each
}

// Audit draws pairs of outcomes and bets on events against the claim, in both orders of
// the inputs. See [Result].
//
// A feature is looked at in three ways, each a fixed partition of the float64s into at
// most 4096 cells: magnitude, 32 cells for each octave of the distance from the median
// of some pilot samples; atom, a hash of the number's bits, which finds any value of
// its own probability; and lattice, the exponent of its lowest set bit, which gives
// away noise that was computed in floating point [mironov12]. An event is a union
// of cells of one partition, chosen by earlier samples. Each partition and order has
// an equal share of the wealth.
func (a Privacy) Audit(alarm *Alarm) (Result, error) {
	if err := a.Validate(); err != nil {
		return Result{}, err
	}
	alpha, err := alarm.spend()
	if err != nil {
		return Result{}, err
	}
	features := max(len(a.Features), 1)
	if len(a.Features) == 0 {
		features = a.Width
	}
	pilot := min(a.Samples/4, 1<<9)
	lenses := a.focus(int(max(1, pilot)), features)
	rounds := a.Samples/2 - max(1, pilot)

	ends := make([]int, 0, 3*features)
	for i := range features {
		for _, end := range viewEnds {
			ends = append(ends, i*featureCells+end)
		}
	}
	claims := []claim{newClaim(a.Claim.Epsilon, a.Claim.LnDelta)}
	for _, epsilon := range ladder(a.Claim.Epsilon, max(a.Claim.Epsilon, 1.0/16)) {
		claims = append(claims, newClaim(epsilon, a.Claim.LnDelta))
	}
	g := newGambler(claims, alpha, ends)
	result := Result{Verdict: Holds, Samples: 2 * max(1, pilot)}
	draw := func(r *rand.Rand, size int) drawn {
		return drawn{a.tally(r, size, lenses), int64(size)}
	}
	inOrder(a.Plan, rounds, draw, func(d drawn) bool {
		g.observe(d.counts, d.rounds)
		result.Samples += 2 * d.rounds
		return !g.violated()
	})
	result.LnWealth, result.Epsilon, result.Event = g.peak, g.lower(), g.best()
	result.Detectable = detectable(a.Claim, rounds/2, len(g.purses), alpha)
	switch {
	case g.violated():
		result.Verdict = Violated
	case result.Detectable == 0:
		result.Verdict = Undecided
	}
	alarm.record(result.Samples, result.Verdict, result.Detectable)
	return result, nil
}

// drawn is a block of rounds.
type drawn struct {
	counts counts
	rounds int64
}

// ladder is the grid of the confidence bounds: from x/8 to 32x by steps of 2 per cent, and closer above the claim, so
// that a claim that is just refuted leaves a bound above it.
func ladder(claimed, x float64) []float64 {
	steps := make([]float64, 0, 262)
	for j := -96; j <= 160; j++ {
		steps = append(steps, x*math.Exp2(float64(j)/32))
	}
	for _, fine := range []float64{0x1p-36, 0x1p-20, 0x1p-12, 0x1p-9, 0x1p-7} {
		steps = append(steps, claimed+fine*x)
	}
	slices.Sort(steps)
	return steps
}

// lower returns the largest epsilon of the ladder such that it and all below have been
// refuted. If this is at least the true one, then so is the least step of the ladder
// that is: a true claim, refuted with probability at most alpha.
func (g *gambler) lower() float64 {
	epsilon := 0.0
	for k, c := range g.claims[1:] {
		if !g.refuted[k+1] {
			break
		}
		epsilon = c.epsilon
	}
	return epsilon
}

func (g *gambler) best() Event {
	best := 0
	for i := range g.purses {
		if g.purses[i].lnWealth[0] > g.purses[best].lnWealth[0] {
			best = i
		}
	}
	p := g.purses[best]
	if p.reversed {
		p.hits[0], p.hits[1] = p.hits[1], p.hits[0]
	}
	return Event{viewNames[best/2%3], best / 6, p.reversed, len(p.event), p.hits[0], p.hits[1], p.rounds}
}

// mostResponse is the largest epsilon at which the truth is not certain in float64; the
// samples of no plan tell larger ones apart.
const mostResponse = 36

// detectable returns Result.Detectable, or 0 if there is none.
func detectable(approx theory.Approx, rounds int64, purses int, alpha theory.LogProb) float64 {
	c, target := newClaim(approx.Epsilon, approx.LnDelta), rounding-alpha.Ln()+math.Log(float64(purses))
	n := float64(rounds)
	found := func(epsilon float64) bool {
		p := [2]float64{1 / (1 + math.Exp(-epsilon)), 1 / (1 + math.Exp(epsilon))}
		s := c.bet(p, 1)
		if s == (stake{}) {
			return false
		}
		// P[ln wealth < target] <= e^(t target) E[wealth^-t].
		_, ln := num.Interval{Lo: 0, Hi: 4}.Minimize(1e-6, func(t float64) float64 {
			sum := t * target
			for i, p := range p {
				sum += n * math.Log(p*math.Exp(-t*s.hit[i])+(1-p)*math.Exp(-t*s.miss[i]))
			}
			return sum
		})
		return ln <= math.Log(0.01)
	}
	if approx.Epsilon >= mostResponse || !found(mostResponse) {
		return 0
	}
	return num.Floats{Lo: approx.Epsilon, Hi: mostResponse, Guess: approx.Epsilon * (1 + 1e-3)}.Least(found)
}

// The cells of a feature: the cells of the three views, one view after the other.
const (
	magnitudeCells = 1 << 11
	atomCells      = 1 << 12
	latticeCells   = 1 << 11
	featureCells   = magnitudeCells + atomCells + latticeCells
)

var (
	viewNames = [3]string{"magnitude", "atom", "lattice"}
	viewEnds  = [3]int{magnitudeCells, magnitudeCells + atomCells, featureCells}
)

// lens is the place of the magnitude cells of a feature.
type lens struct {
	centre float64
	lowest int // the least exponent with five bits of mantissa that has a cell of its own
}

// octave is the number of magnitude cells for each power of two.
const octave = 32

// cells returns the cell of x in each view.
func (l lens) cells(x float64) (magnitude, atom, lattice int) {
	word := math.Float64bits(x)

	distance := math.Float64bits(x - l.centre)
	scale := min(max(int(distance<<1>>48)-l.lowest, 0), magnitudeCells/2-1)
	magnitude = int(distance>>63)*(magnitudeCells/2) + scale

	atom = magnitudeCells + int(word*0x9e3779b97f4a7c15>>52)

	exponent, mantissa := int(word>>52&0x7ff), word&(1<<52-1)
	low := 0 // 1 + the exponent of the lowest bit, counted from the exponent of the least float64
	switch {
	case exponent == 0x7ff:
		low = latticeCells - 1
	case exponent > 0:
		low = exponent + bits.TrailingZeros64(mantissa|1<<52)
	case mantissa > 0:
		low = 1 + bits.TrailingZeros64(mantissa)
	}
	return magnitude, atom, magnitudeCells + atomCells + min(low, latticeCells-1)
}

// look fills seen with the features of an outcome.
func (a *Privacy) look(out, seen []float64) {
	if len(a.Features) == 0 {
		copy(seen, out)
	}
	for i, feature := range a.Features {
		seen[i] = feature(out)
	}
}

// focus chooses the lenses by pilot samples of each input: the median, and cells from
// 2^-16 to 2^16 times the distance between the quartiles.
func (a *Privacy) focus(pilot, features int) []lens {
	values := make([][]float64, features)
	out, seen := make([]float64, a.Width), make([]float64, features)
	r := generator(a.Seed, math.MaxUint64)
	for _, sampler := range []Sampler{a.First, a.Second} {
		for range pilot {
			sampler(r, out)
			a.look(out, seen)
			for i, x := range seen {
				if math.Abs(x) <= math.MaxFloat64 {
					values[i] = append(values[i], x)
				}
			}
		}
	}
	lenses := make([]lens, features)
	for i, v := range values {
		scale := 1.0
		if n := len(v); n > 0 {
			slices.Sort(v)
			lenses[i].centre = v[n/2]
			if between := v[n-1-n/4] - v[n/4]; between > 0 && between <= math.MaxFloat64 {
				scale = between
			}
		}
		lenses[i].lowest = int(math.Float64bits(scale)>>47) - 16*octave
	}
	return lenses
}

// tally draws a block and counts the cells of all features.
func (a *Privacy) tally(r *rand.Rand, size int, lenses []lens) counts {
	out, seen := make([]float64, a.Width), make([]float64, len(lenses))
	c := newCounts(len(lenses) * featureCells)
	for input, sampler := range []Sampler{a.First, a.Second} {
		for range size {
			sampler(r, out)
			a.look(out, seen)
			cells := c[input]
			for i, x := range seen {
				magnitude, atom, lattice := lenses[i].cells(x)
				feature := cells[i*featureCells:][:featureCells]
				feature[magnitude]++
				feature[atom]++
				feature[lattice]++
			}
		}
	}
	return c
}
