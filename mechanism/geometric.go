package mechanism

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Geometric is the truncated geometric mechanism: an integer plus two-sided geometric
// noise, clamped to a range, so that its end points carry the tails. The outcome i is
// Low + i.
type Geometric struct {
	Sensitivity int64   // the most that one record moves the integer, >= 1
	Scale       float64 // of the noise: neighbouring integers have the ratio e^(1/scale)
	Low, High   int64   // Low < High, from -2^53 to 2^53 and at most 2^20 apart
}

// Validate reports a DomainError for the first field outside its domain.
func (m Geometric) Validate() error {
	return cmp.Or(
		m.noise().Validate(),
		theory.Domain(m.Low >= -1<<53 && m.Low < 1<<53, "low", m.Low, "an integer from -2^53 to 2^53"),
		theory.Domain(m.Low < m.High && m.High <= 1<<53 && m.High-m.Low <= maxSteps, "high", m.High,
			"an integer above low, by at most 2^20, and at most 2^53"))
}

func (m Geometric) noise() Laplace {
	return Laplace{Sensitivity: float64(m.Sensitivity), Scale: m.Scale, Resolution: m.Sensitivity}
}

// Pure returns epsilon = sensitivity/scale. It is attained.
func (m Geometric) Pure() (theory.Bound[theory.Pure], error) {
	if err := m.Validate(); err != nil {
		return theory.Bound[theory.Pure]{}, err
	}
	return m.noise().Pure()
}

// On returns the mechanism on a value, which is limited to 2^60 in size.
func (m Geometric) On(value int64) (Finite, error) {
	pure, err := m.Pure()
	if err != nil {
		return Finite{}, err
	}
	value = min(max(value, -limit), limit)
	return Finite{
		Law:  noise(m.Scale).clamped(value, m.Low, m.High),
		Draw: func(r *rand.Rand) int { return int(min(max(value+laplace(r, m.Scale), m.Low), m.High) - m.Low) },
		Pure: pure,
	}, nil
}

// noise is the two-sided geometric law P[k] = tanh(h/2) e^(-h|k|), h the inverse of
// its scale.
type noise float64

func (n noise) ln(k int64) float64 {
	h := 1 / float64(n)
	return math.Log(math.Tanh(h/2)) - h*math.Abs(float64(k))
}

// lnAtLeast returns the logarithm of the tail e^(-hk)/(1+e^-h), k >= 1, or of the
// complement of one.
func (n noise) lnAtLeast(k int64) float64 {
	tail := func(k int64) float64 {
		h := 1 / float64(n)
		return -h*float64(k) - math.Log1p(math.Exp(-h))
	}
	if k >= 1 {
		return tail(k)
	}
	return num.Log1mExp(tail(1 - k))
}

func (n noise) lnAtMost(k int64) float64 { return n.lnAtLeast(-k) }

// reach returns d with a^d/(1-a) = e^-42/2, a = e^-h: where the other factors of a sum fall
// too, all terms more than d steps beyond a point are below e^-42 of twice the term there.
func (n noise) reach() float64 {
	return float64(n) * (42 + math.Ln2 - num.Log1mExp(-1/float64(n)))
}

// lnOneSided returns, for k >= 0, the logarithm of the geometric law (1-e^-h) e^(-hk).
func (n noise) lnOneSided(k int64) float64 {
	h := 1 / float64(n)
	return num.Log1mExp(-h) - h*float64(k)
}

func (n noise) lnOneSidedAtMost(k int64) float64 {
	if k < 0 {
		return math.Inf(-1)
	}
	return num.Log1mExp(-float64(k+1) / float64(n))
}

// clamped returns the law of a value plus noise, clamped to [low, high].
func (n noise) clamped(value, low, high int64) []theory.LogProb {
	law := make([]theory.LogProb, high-low+1)
	for i := range law {
		law[i] = theory.LogProb(n.ln(low + int64(i) - value))
	}
	law[0] = theory.LogProb(n.lnAtMost(low - value))
	law[len(law)-1] = theory.LogProb(n.lnAtLeast(high - value))
	return law
}

// lnSum returns the logarithm of a sum of exponentials.
func lnSum(x []float64) float64 {
	top, sum := slices.Max(x), 0.
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}
