package suite

import (
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
)

// comparator is sparse vector and Thresholdout, made in another way than in package
// mechanism, with parts that can be broken one at a time. All numbers are in steps of
// the lattice.
type comparator struct {
	threshold                  int64
	thresholdScale, queryScale float64 // no noise at 0
	redraw                     redraw  // of the threshold's noise
	cutoff                     int     // answers "above" after which it stops
	queries                    int     // after which the analyst stops
	tells                      *tells  // what an "above" comes with; nil for nothing

	// ask is the analyst, who may look at the number of answers and of those "above".
	ask func(answers, aboves int) question

	// What finite prepares: the noise, and how many transcripts go on from a number of answers
	// and of those "above".
	thresholdNoise, queryNoise mechanism.Noise
	leaves                     [][]int
}

// question is the number that is compared, and the one that is released.
type question struct{ compared, released int64 }

type redraw int

const (
	afterAbove redraw = iota
	never
	always
)

// tells is the number that an "above" comes with, clamped to a range.
type tells struct {
	low, high int64
	scale     func(released int64) float64 // of fresh noise on the released number
	same      bool                         // it is the number compared, with its noise
}

// twoSided is the two-sided geometric law P[k] = tanh(1/(2 scale)) e^(-|k|/scale); no noise
// at 0.
type twoSided float64

func (n twoSided) at(k int64) float64 {
	if n == 0 {
		return float64(1 - min(1, max(k, -k)))
	}
	return math.Tanh(0.5/float64(n)) * math.Exp(-math.Abs(float64(k))/float64(n))
}

// atMost is P[noise <= k]; it keeps its relative accuracy in the lower tail.
func (n twoSided) atMost(k int64) float64 {
	switch {
	case n == 0 && k < 0:
		return 0
	case n == 0:
		return 1
	case k < 0:
		return math.Exp(float64(k)/float64(n)) / (1 + math.Exp(-1/float64(n)))
	}
	return 1 - n.atLeast(k+1)
}

func (n twoSided) atLeast(k int64) float64 { return n.atMost(-k) }

// noise draws from the law, in whole numbers.
func (n twoSided) noise() mechanism.Noise {
	if n == 0 {
		return mechanism.Noise{} // which is 0
	}
	z, err := mechanism.Laplace{Sensitivity: 1, Scale: float64(n), Resolution: 1}.Noise()
	if err != nil {
		panic(err) // scales are within its domain
	}
	return z
}

// answers is how many answers an "above" stands for.
func (c *comparator) answers() int {
	if c.tells == nil {
		return 1
	}
	return int(c.tells.high - c.tells.low + 1)
}

// above is the probability of each of them, and of being above, at a noisy threshold z.
func (c *comparator) above(q question, z int64) []float64 {
	own := twoSided(c.queryScale)
	all := own.atLeast(z + 1 - q.compared)
	if c.tells == nil {
		return []float64{all}
	}
	p := make([]float64, c.answers())
	for i := range p {
		v := c.tells.low + int64(i)
		if !c.tells.same {
			fresh := twoSided(c.tells.scale(q.released))
			p[i] = all * clamped(fresh, v-q.released, v == c.tells.low, v == c.tells.high)
		} else if v > z || v == c.tells.high {
			p[i] = own.at(v - q.compared)
			if v == c.tells.high {
				p[i] = own.atLeast(max(v, z+1) - q.compared)
			}
			if v == c.tells.low {
				p[i] = own.atMost(v-q.compared) - own.atMost(z-q.compared)
			}
		}
	}
	return p
}

// clamped is the law of noise that is cut off at the ends, which carry the tails.
func clamped(n twoSided, k int64, lowest, highest bool) float64 {
	switch {
	case lowest:
		return n.atMost(k)
	case highest:
		return n.atLeast(k)
	}
	return n.at(k)
}

// hasEnded says whether the interaction ends there.
func (c *comparator) hasEnded(answers, aboves int) bool {
	return answers == c.queries || aboves == c.cutoff
}

// count fills in leaves.
func (c *comparator) count() {
	c.leaves = make([][]int, c.queries+1)
	for answers := c.queries; answers >= 0; answers-- {
		c.leaves[answers] = make([]int, c.queries+2)
		for aboves := range c.leaves[answers] {
			if c.hasEnded(answers, aboves) || aboves > answers {
				c.leaves[answers][aboves] = 1
			} else {
				c.leaves[answers][aboves] = c.leaves[answers+1][aboves] + c.answers()*c.leaves[answers+1][aboves+1]
			}
		}
	}
}

// finite returns the law of the transcripts, in the order that package mechanism has, and the sampler.
func (c *comparator) finite() mechanism.Finite {
	c.count()
	c.thresholdNoise, c.queryNoise = twoSided(c.thresholdScale).noise(), twoSided(c.queryScale).noise()
	reach := int64(60*c.thresholdScale) + 2
	fresh := make([]float64, 2*reach+1)
	for i := range fresh {
		fresh[i] = twoSided(c.thresholdScale).at(int64(i) - reach)
	}
	f := mechanism.Finite{Law: make([]theory.LogProb, 0, c.leaves[0][0]), Draw: c.draw}
	var walk func(answers, aboves int, p []float64)
	walk = func(answers, aboves int, p []float64) {
		if c.hasEnded(answers, aboves) {
			f.Law = append(f.Law, theory.LogProb(math.Min(0, math.Log(sum(p)))))
			return
		}
		q := c.ask(answers, aboves)
		below, above := make([]float64, len(p)), make([][]float64, c.answers())
		for j := range above {
			above[j] = make([]float64, len(p))
		}
		for i, w := range p {
			z := c.threshold - reach + int64(i)
			below[i] = w * twoSided(c.queryScale).atMost(z-q.compared)
			for j, answer := range c.above(q, z) {
				above[j][i] = w * answer
			}
		}
		walk(answers+1, aboves, c.next(fresh, below, c.redraw == always))
		for _, w := range above {
			walk(answers+1, aboves+1, c.next(fresh, w, c.redraw != never))
		}
	}
	walk(0, 0, fresh)
	return f
}

// next is the joint law of transcript and threshold after an answer.
func (c *comparator) next(fresh, p []float64, redraw bool) []float64 {
	if redraw {
		total := sum(p)
		for i := range p {
			p[i] = total * fresh[i]
		}
	}
	return p
}

func sum(p []float64) float64 {
	total := 0.0
	for _, x := range p {
		total += x
	}
	return total
}

// draw runs the mechanism and returns the number of the transcript.
func (c *comparator) draw(r *rand.Rand) int {
	z := c.threshold + int64(c.thresholdNoise.Answer(r, 0))
	leaf, aboves := 0, 0
	for answers := 0; !c.hasEnded(answers, aboves); answers++ {
		q := c.ask(answers, aboves)
		compared := q.compared + int64(c.queryNoise.Answer(r, 0))
		above := compared > z
		if above {
			leaf += c.leaves[answers+1][aboves]
			aboves++
			if t := c.tells; t != nil {
				if !t.same {
					compared = q.released + int64(twoSided(t.scale(q.released)).noise().Answer(r, 0))
				}
				leaf += int(min(max(compared, t.low), t.high)-t.low) * c.leaves[answers+1][aboves]
			}
		}
		if c.redraw == always || above && c.redraw == afterAbove {
			z = c.threshold + int64(c.thresholdNoise.Answer(r, 0))
		}
	}
	return leaf
}
