package mechanism

import (
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// SparseVector tells which queries exceed a threshold, up to the Cutoff-th that does.
// Each query gets fresh Lap(QueryScale) and is compared with the threshold plus
// Lap(ThresholdScale). That noise is drawn once, or with Redraw anew after each "above".
// With Cutoff 1 it is AboveThreshold.
type SparseVector struct {
	Sensitivity    float64 // the most that one record moves a query
	Threshold      float64 // at most 2^59 steps in size
	ThresholdScale float64
	QueryScale     float64
	Cutoff         int64 // c >= 1 answers "above"
	Redraw         bool
	Resolution     int64 // lattice steps in a sensitivity; 0 for the finest
}

// Validate reports a DomainError for the first field outside its domain; for the scales
// see [Laplace.Validate].
func (m SparseVector) Validate() error {
	_, _, err := m.comparison()
	return err
}

func (m SparseVector) comparison() (comparison, lattice, error) {
	l, err := spacing{m.Sensitivity, m.Resolution}.lattice(m.ThresholdScale, m.QueryScale)
	if err == nil {
		err = l.admits(m.Threshold)
	}
	if err == nil {
		err = theory.Domain(m.Cutoff >= 1, "cutoff", m.Cutoff, "an integer >= 1")
	}
	if err != nil {
		return comparison{}, 0, err
	}
	return comparison{l.index(m.Threshold), l.steps(m.ThresholdScale), l.steps(m.QueryScale), m.Redraw}, l, nil
}

// Pure returns, whatever the number of "below",
//
//	epsilon = sensitivity/ThresholdScale + 2c sensitivity/QueryScale,
//
// and with Redraw c (sensitivity/ThresholdScale + 2 sensitivity/QueryScale), which is the
// composition of c times AboveThreshold.
//
// Raising the threshold by the sensitivity makes every "below" at least as likely on
// neighbouring data, and costs the first term once for a threshold. For an "above" the
// query's noise then has to make up for two sensitivities, which costs the second.
// Both are attained in the limit of long streaks of "below".
func (m SparseVector) Pure() (theory.Bound[theory.Pure], error) {
	if err := m.Validate(); err != nil {
		return theory.Bound[theory.Pure]{}, err
	}
	once := theory.SparseVector{Sensitivity: m.Sensitivity, ThresholdScale: m.ThresholdScale, QueryScale: m.QueryScale}
	if !m.Redraw {
		if m.Cutoff > 1 { // each "above" pays for its query
			once.QueryScale = math.Nextafter(m.QueryScale/float64(m.Cutoff), 0)
		}
		return once.Pure()
	}
	epoch, err := once.Pure()
	if err != nil {
		return theory.Bound[theory.Pure]{}, err
	}
	return repeated(epoch, m.Cutoff)
}

// repeated is basic composition.
func repeated(one theory.Bound[theory.Pure], times int64) (theory.Bound[theory.Pure], error) {
	all, err := theory.Composition{Each: one.Value.Approx(), Times: times}.Basic()
	return theory.Bound[theory.Pure]{Value: theory.Pure{Epsilon: all.Value.Epsilon},
		Sources: each.Union(one.Sources, all.Sources...)}, err
}

// Start begins a run, whose answers are true for "above". It reports the error of
// [SparseVector.Validate].
func (m SparseVector) Start(r *rand.Rand) (*Run[float64, bool], error) {
	c, l, err := m.comparison()
	if err != nil {
		return nil, err
	}
	isAbove := c.run(r)
	return &Run[float64, bool]{left: m.Cutoff, answer: func(query float64) (bool, int64) {
		if isAbove(l.index(query)) {
			return true, 1
		}
		return false, 0
	}}, nil
}

// On returns the mechanism on the queries, evaluated on the data, that next chooses in
// view of the answers before; it must not keep past. The outcomes are the transcripts in
// lexicographic order, "below" first. It reports a DomainError if there is no query,
// and NoAnswer where there are too many transcripts or steps of the lattice.
func (m SparseVector) On(next func(past []bool) (query float64, ok bool)) (Finite, error) {
	pure, err := m.Pure()
	if err != nil {
		return Finite{}, err
	}
	c, l, _ := m.comparison()
	return interaction[float64, bool]{
		comparison: c,
		budget:     m.Cutoff,
		start:      m.Start,
		next:       next,
		query:      l.index,
		answers:    func(float64) []bool { return []bool{false, true} },
		number: func(above bool) int {
			if above {
				return 1
			}
			return 0
		},
		above: func(float64) []theory.LogProb { return []theory.LogProb{0} },
	}.finite(pure)
}
