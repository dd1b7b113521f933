package mechanism

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// Exponential draws a candidate with probability proportional to e^(weight u), where
// one record moves the utility u of each candidate by at most Sensitivity.
type Exponential struct {
	Sensitivity float64 // of the utility
	Weight      float64 // per unit of utility
}

// BoundedRange returns the range 2 weight sensitivity, which is also the epsilon of the
// mechanism: epsilon for the weight epsilon/(2 sensitivity), and 2 epsilon for the weight
// epsilon/sensitivity. It reports a DomainError unless both fields are > 0.
func (m Exponential) BoundedRange() (theory.Bound[theory.BoundedRange], error) {
	return theory.Exponential(m).BoundedRange()
}

// On returns the mechanism on the candidates' utilities; the outcome is the number of a
// candidate. It reports a DomainError unless there is one and all are finite.
//
// It is drawn as the candidate whose weighted utility plus a Gumbel variable, minus the
// logarithm of an exponential one, is largest.
func (m Exponential) On(utilities []float64) (Finite, error) {
	bounded, err := m.BoundedRange()
	if err != nil {
		return Finite{}, err
	}
	pure, err := bounded.Value.Pure()
	if err != nil {
		return Finite{}, err
	}
	pure.Sources = each.Union(bounded.Sources, pure.Sources...)
	if err := validScores("utility", utilities); err != nil {
		return Finite{}, err
	}
	top := slices.Max(utilities)
	rare := func(u float64) float64 { return math.Max(-math.MaxFloat64, m.Weight*(u-top)) } // and not impossible
	logits := each.Of(utilities, rare)
	law, total := make([]theory.LogProb, len(logits)), lnSum(logits)
	for i, l := range logits {
		law[i] = theory.LogProb(l - total)
	}
	draw := func(r *rand.Rand) int {
		return argmax(len(logits), func(i int) float64 { return logits[i] - math.Log(exponential(r, r.Uint64()>>1)) })
	}
	return Finite{law, draw, pure}, nil
}

// validScores bounds the scores so that no difference overflows.
func validScores(name string, scores []float64) error {
	for _, u := range scores {
		if err := theory.Domain(math.Abs(u) <= 1e300, name, u, "a number from -1e300 to 1e300"); err != nil {
			return err
		}
	}
	return theory.Domain(len(scores) > 0, "candidates", len(scores), "at least one")
}

// argmax returns the first i < n at which f, called once for each, is largest.
func argmax[T int64 | float64](n int, f func(i int) T) int {
	best, most := 0, f(0)
	for i := 1; i < n; i++ {
		if x := f(i); x > most {
			best, most = i, x
		}
	}
	return best
}

// RandomizedResponse reports one of Values values. The true value is e^epsilon times as probable as each other value.
type RandomizedResponse struct {
	Epsilon float64 // > 0, at most 2^20
	Values  int     // k >= 2
}

// Validate reports a DomainError for the first field outside its domain.
func (m RandomizedResponse) Validate() error {
	return cmp.Or(
		theory.Domain(m.Epsilon > 0 && m.Epsilon <= 1<<20, "epsilon", m.Epsilon, "a number in (0, 2^20]"),
		theory.Domain(m.Values >= 2 && m.Values <= maxSteps, "values", m.Values, "an integer from 2 to 2^20"))
}

// Pure returns epsilon, which is attained.
func (m RandomizedResponse) Pure() (theory.Bound[theory.Pure], error) {
	if err := m.Validate(); err != nil {
		return theory.Bound[theory.Pure]{}, err
	}
	return theory.Bound[theory.Pure]{
		Value:   theory.Pure{Epsilon: m.Epsilon},
		Sources: []theory.Source{{Key: "dwork14book", Where: "Section 3.2"}},
	}, nil
}

// On returns the mechanism on independent records, each from 0 to k-1 and reported for
// itself; the outcome has the reports as its digits to the base k, the last record's last.
// One record changes one digit, so that the mechanism is as private as one report. The error is a NoAnswerError for
// more than 2^20 outcomes.
func (m RandomizedResponse) On(records ...int) (Finite, error) {
	pure, err := m.Pure()
	if err != nil {
		return Finite{}, err
	}
	for _, x := range records {
		if err := theory.Domain(x >= 0 && x < m.Values, "record", x, "an integer from 0 to values-1"); err != nil {
			return Finite{}, err
		}
	}
	others := float64(m.Values - 1)
	lnTrue := -math.Log1p(others * math.Exp(-m.Epsilon))
	law := []theory.LogProb{0}
	for _, x := range records {
		if len(law)*m.Values > maxSteps {
			return Finite{}, &theory.NoAnswerError{Reason: "more than 2^20 outcomes"}
		}
		longer := make([]theory.LogProb, 0, len(law)*m.Values)
		for _, lnP := range law {
			for y := range m.Values {
				if y == x {
					longer = append(longer, lnP+theory.LogProb(lnTrue))
				} else {
					longer = append(longer, lnP+theory.LogProb(lnTrue-m.Epsilon))
				}
			}
		}
		law = longer
	}
	// An exponential variable exceeds -ln P[lie] as often as there is a lie.
	lie := m.Epsilon - math.Log(others) + math.Log1p(others*math.Exp(-m.Epsilon))
	draw := func(r *rand.Rand) int {
		outcome := 0
		for _, x := range records {
			if exponential(r, r.Uint64()>>1) > lie {
				x = (x + 1 + r.IntN(m.Values-1)) % m.Values
			}
			outcome = outcome*m.Values + x
		}
		return outcome
	}
	return Finite{law, draw, pure}, nil
}

// NoisyMax reports which candidate has the largest score after noise, and not the score.
// The noise is Laplace, or exponential if OneSided; ties go to the first candidate.
type NoisyMax struct {
	Sensitivity float64 // the most that one record moves each score
	Scale       float64 // of the noise
	OneSided    bool
	Resolution  int64 // lattice steps in a sensitivity; 0 for the finest
}

// Validate reports a DomainError for the first field outside its domain; see
// [Laplace.Validate].
func (m NoisyMax) Validate() error {
	_, err := m.lattice()
	return err
}

func (m NoisyMax) lattice() (lattice, error) {
	return spacing{m.Sensitivity, m.Resolution}.lattice(m.Scale)
}

// Pure returns epsilon = 2 sensitivity/scale for either noise.
//
// Fix the noise of the others: a candidate is reported if its own noise reaches a bar,
// which a record moves by at most two sensitivities, one for the score and one for the
// best of the others. For both laws P[noise >= k+1] >= e^(-1/scale) P[noise >= k]. With
// exponential noise it is attained by two candidates whose scores are further apart;
// with Laplace noise in the limit of distant scores.
func (m NoisyMax) Pure() (theory.Bound[theory.Pure], error) {
	if err := m.Validate(); err != nil {
		return theory.Bound[theory.Pure]{}, err
	}
	pure, err := theory.Laplace{Sensitivity: 2 * m.Sensitivity, Scale: m.Scale}.Pure()
	pure.Sources = []theory.Source{{Key: "dwork14book", Where: "Claim 3.9"}}
	return pure, err
}

// Pick runs the mechanism at any resolution and returns the number of a candidate. It
// reports a DomainError unless there is one and all scores are finite.
func (m NoisyMax) Pick(r *rand.Rand, scores []float64) (int, error) {
	points, scale, err := m.points(scores)
	if err != nil {
		return 0, err
	}
	return m.pick(r, points, scale), nil
}

// points returns the scores and the scale of the noise in steps.
func (m NoisyMax) points(scores []float64) ([]int64, float64, error) {
	l, err := m.lattice()
	if err != nil {
		return nil, 0, err
	}
	points := each.Of(scores, l.index)
	return points, l.steps(m.Scale), validScores("score", scores)
}

func (m NoisyMax) pick(r *rand.Rand, points []int64, scale float64) int {
	return argmax(len(points), func(i int) int64 {
		if m.OneSided {
			return points[i] + geometric(r, r.Uint64()>>1, scale)
		}
		return points[i] + laplace(r, scale)
	})
}

// On returns the mechanism on the candidates' scores; the outcome is the number of a
// candidate. It reports the errors of [NoisyMax.Pick], and NoAnswer where there are too
// many steps of the lattice.
//
// The law sums over the noisy score t of the winner: P[its noise] times P[noise < bar]
// of those before it and P[noise <= bar] of those after it.
func (m NoisyMax) On(scores []float64) (Finite, error) {
	points, scale, err := m.points(scores)
	if err != nil {
		return Finite{}, err
	}
	pure, err := m.Pure()
	if err != nil {
		return Finite{}, err
	}
	// Cut as in [interaction.window]. Exponential noise is never below the best score.
	n, k := noise(scale), len(points)
	ln, lnAtMost, low := n.ln, n.lnAtMost, slices.Min(points)-int64(n.reach())-2
	if m.OneSided {
		ln, lnAtMost, low = n.lnOneSided, n.lnOneSidedAtMost, slices.Max(points)
	}
	high := slices.Max(points) + int64(scale*math.Log(2*float64(k))+n.reach()) + 3
	width := float64(high) - float64(low)
	if width*float64(k)*float64(k) > maxWork {
		return Finite{}, errWork
	}
	law, terms := make([]theory.LogProb, k), make([]float64, high-low+1)
	for i, own := range points {
		for t := range terms {
			bar := low + int64(t)
			terms[t] = ln(bar - own)
			for j, other := range points {
				switch {
				case j < i:
					terms[t] += lnAtMost(bar - other - 1)
				case j > i:
					terms[t] += lnAtMost(bar - other)
				}
			}
		}
		law[i] = theory.LogProb(math.Min(0, lnSum(terms)))
	}
	return Finite{law, func(r *rand.Rand) int { return m.pick(r, points, scale) }, pure}, nil
}
