package experiment

import (
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/mechanism"
)

// answerer answers queries from their values on the training set and the holdout.
type answerer interface {
	// ask returns the answer, and false if the mechanism has stopped answering.
	ask(train, holdout float64) (float64, bool)
	// spent returns the budget that the answers have cost.
	spent() int
}

// newAnswerer returns the arm's mechanism for sets of this many samples, whose means have
// standard deviation unit.
func newAnswerer(arm Arm, samples int64, unit float64, budget int64, random *rand.Rand) answerer {
	switch arm {
	case Standard:
		return plain{}
	case Paper:
		return gaussian{unit, random}
	}
	run, err := mechanism.Thresholdout{Samples: samples, Budget: budget, Threshold: 4 * unit, Scale: unit}.Start(random)
	if err != nil {
		panic(err) // the experiment is valid
	}
	return thresholdout{run, budget}
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

// thresholdout is the algorithm with a budget, as package mechanism runs it.
type thresholdout struct {
	run    *mechanism.Run[mechanism.Means, mechanism.Answer]
	budget int64
}

func (t thresholdout) ask(train, holdout float64) (float64, bool) {
	a, ok := t.run.Ask(mechanism.Means{Training: train, Holdout: holdout})
	return a.Value, ok
}

func (t thresholdout) spent() int { return int(t.budget - t.run.Left()) }
