package holdout

import (
	"math"
	"math/rand/v2"
)

// mechanism answers queries from their values on the training set and the holdout.
type mechanism interface {
	// ask returns the answer, and false if the mechanism has stopped answering.
	ask(train, holdout float64) (float64, bool)
	// spent returns the budget that the answers have cost.
	spent() int
}

// newMechanism returns the arm's mechanism for sets whose means have standard
// deviation unit.
func newMechanism(arm Arm, unit float64, budget int64, random *rand.Rand) mechanism {
	switch arm {
	case Standard:
		return plain{}
	case Paper:
		return gaussian{unit, random}
	}
	t := &thresholdout{threshold: 4 * unit, sigma: unit, budget: budget, left: budget, random: random}
	t.renew()
	return t
}

type plain struct{}

func (plain) ask(_, holdout float64) (float64, bool) { return holdout, true }

func (plain) spent() int { return 0 }

type gaussian struct {
	unit   float64
	random *rand.Rand
}

func (g gaussian) ask(train, holdout float64) (float64, bool) {
	if math.Abs(train-holdout) > 4*g.unit+g.unit*g.random.NormFloat64() {
		return holdout + g.unit*g.random.NormFloat64(), true
	}
	return train, true
}

func (gaussian) spent() int { return 0 }

type thresholdout struct {
	threshold, sigma float64
	noisy            float64 // the threshold with its noise
	budget, left     int64
	random           *rand.Rand
}

func (t *thresholdout) renew() { t.noisy = t.threshold + laplace(t.random, 2*t.sigma) }

func (t *thresholdout) ask(train, holdout float64) (float64, bool) {
	switch {
	case t.left == 0:
		return 0, false
	case math.Abs(holdout-train) > t.noisy+laplace(t.random, 4*t.sigma):
		t.left--
		t.renew()
		return holdout + laplace(t.random, t.sigma), true
	}
	return train, true
}

func (t *thresholdout) spent() int { return int(t.budget - t.left) }

// laplace draws from Lap(scale) by inversion of its distribution function.
func laplace(random *rand.Rand, scale float64) float64 {
	size := -scale * math.Log(1-random.Float64()) // of a number in (0, 1]
	if random.Uint64()&1 == 0 {
		return -size
	}
	return size
}
