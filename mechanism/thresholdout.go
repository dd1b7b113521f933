package mechanism

import (
	"cmp"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/theory"
)

// Thresholdout answers statistical queries, means of functions into [0,1], from a
// training set until it differs too much from a holdout:
//
//	T^ = T + Lap(2 scale)
//	for each query, while B > 0:
//	    if |holdout - training| > T^ + Lap(4 scale):
//	        answer holdout + Lap(scale);  B = B - 1;  T^ = T + Lap(2 scale)
//	    else:
//	        answer training
//
// The lattice suits the means on the holdout, whose sensitivity is 1/n.
type Thresholdout struct {
	Samples    int64   // n >= 1 records in the holdout
	Budget     int64   // B >= 1 answers from the holdout
	Threshold  float64 // T
	Scale      float64 // in units of the answer
	Resolution int64   // lattice steps in 1/n; 0 for the finest
}

// Means are the two sides of a query.
type Means struct{ Training, Holdout float64 }

// Answer is an answer of Thresholdout. A flagged answer comes from the holdout
// and has cost one of the budget; the others are the training mean as it was given.
type Answer struct {
	Value   float64
	Flagged bool
}

// Validate reports a DomainError for the first field outside its domain; for the scale
// see [Laplace.Validate].
func (m Thresholdout) Validate() error {
	_, _, err := m.parts()
	return err
}

// parts returns the comparisons, and the noise of an answer.
func (m Thresholdout) parts() (comparison, Noise, error) {
	err := cmp.Or(rows(m.Samples), theory.Domain(m.Budget >= 1, "budget", m.Budget, "an integer >= 1"))
	if err != nil {
		return comparison{}, Noise{}, err
	}
	l, err := spacing{1 / float64(m.Samples), m.Resolution}.lattice(m.Scale, 2*m.Scale, 4*m.Scale)
	if err == nil {
		err = l.admits(m.Threshold)
	}
	if err == nil {
		err = theory.Domain(l.steps(1) <= limit/2, "resolution", m.Resolution, "a lattice of at most 2^59 steps from 0 to 1")
	}
	if err != nil {
		return comparison{}, Noise{}, err
	}
	s := l.steps(m.Scale)
	return comparison{l.index(m.Threshold), 2 * s, 4 * s, true}, Noise{kind: theory.LaplaceNoise, lattice: l, scale: s},
		nil
}

// Pure returns epsilon = 2B/(scale n), for the holdout. See [theory.Thresholdout] for
// delta > 0.
func (m Thresholdout) Pure() (theory.Bound[theory.Pure], error) {
	if err := m.Validate(); err != nil {
		return theory.Bound[theory.Pure]{}, err
	}
	return theory.Thresholdout{Budget: m.Budget, Scale: m.Scale, Samples: m.Samples}.Pure()
}

// Start begins a run. It reports the error of [Thresholdout.Validate].
func (m Thresholdout) Start(r *rand.Rand) (*Run[Means, Answer], error) {
	c, release, err := m.parts()
	if err != nil {
		return nil, err
	}
	isAbove := c.run(r)
	return &Run[Means, Answer]{left: m.Budget, answer: func(q Means) (Answer, int64) {
		if isAbove(gap(release.lattice, q)) {
			return Answer{release.Answer(r, q.Holdout), true}, 1
		}
		return Answer{q.Training, false}, 0
	}}, nil
}

// gap returns |holdout - training| in steps.
func gap(l lattice, q Means) int64 {
	d := l.index(q.Holdout) - l.index(q.Training)
	return max(d, -d)
}

// On returns the mechanism with its flagged answers clamped to [0,1], on the queries that
// next chooses in view of the answers before; it must not keep past. The training mean
// of a query must not depend on the holdout. The outcomes are the transcripts in
// lexicographic order: first not flagged, then the flagged answers from 0 to 1. It
// reports a DomainError if there is no query, and NoAnswer where there are too many
// transcripts or steps of the lattice.
func (m Thresholdout) On(next func(past []Answer) (query Means, ok bool)) (Finite, error) {
	pure, err := m.Pure()
	if err != nil {
		return Finite{}, err
	}
	c, release, _ := m.parts()
	l := release.lattice
	ones := l.index(1)
	if ones > maxSteps {
		return Finite{}, &theory.NoAnswerError{Reason: "more than 2^20 answers between 0 and 1: choose a coarser lattice"}
	}
	return interaction[Means, Answer]{
		comparison: c,
		budget:     m.Budget,
		start:      m.Start,
		next:       next,
		query:      func(q Means) int64 { return gap(l, q) },
		answers: func(q Means) []Answer {
			all := []Answer{{q.Training, false}}
			for k := range ones + 1 {
				all = append(all, Answer{l.value(k), true})
			}
			return all
		},
		number: func(a Answer) int {
			if !a.Flagged {
				return 0
			}
			return 1 + int(min(max(l.index(a.Value), 0), ones))
		},
		above: func(q Means) []theory.LogProb { return noise(release.scale).clamped(l.index(q.Holdout), 0, ones) },
	}.finite(pure)
}
