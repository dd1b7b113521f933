package solver

import (
	"iter"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// Mechanism is what to run. A field that does not belong to the method is zero.
type Mechanism struct {
	Noise      theory.NoiseKind // "" if the answers carry none
	Scale      float64          // see theory.NoiseKind; Thresholdout's sigma; of a schedule the last and least
	ScaleFirst float64          // the first and greatest of a schedule's scales
	Cut        float64          // Gaussian noise is drawn again until it is within so many Scales; 0 for not
	Schedule   Schedule         // the noise of each query, if it falls from one to the next
	Threshold  float64          // Thresholdout's T
	Cells      int64            // rounding: the number L of cells that [0,1] is divided into
	Epsilon    float64          // the privacy that the theorem was applied with
	LnDelta    theory.LogProb   // ln delta that goes with Epsilon; 0 if the theorem has none

	LowVariance bool // the certificate rests on Goal.Disagreement, AtLeast or Variance

	PassAt      goal.Option        // gate: the least score on the holdout that passes, if the bar is known
	PassCount   int64              // gate: and the least count, for 0/1 queries at a known bar
	LnNodes     goal.Option        // gate, sealed, transcripts: ln of how many queries could be asked
	QueryWidths []tree.QueryWidth  // rounding-widths: how wide the cells of the queries are
	FlagWidths  []theory.FlagWidth // sparse-validate: how wide the cells are after so many flags
	Chunks      int64              // sparse-validate: the parts of the holdout, each for one flag; 0 stands for 1
	FalseFlag   theory.LogProb     // sparse-validate: the chance that a right guess is flagged, of a query
	Step        float64            // ladder-blum15: the step of the board
	Board       []theory.Step      // ladder: from which score on which value is shown
}

// Schedule is noise that falls from one query to the next, in the order of the queries.
type Schedule interface {
	Blocks() iter.Seq[theory.NoiseBlock]
}

// Scheduled reports whether the noise belongs to a schedule, which has a first and a last
// scale. They are equal where one noise for all answers certifies more than noise that falls.
func (m Mechanism) Scheduled() bool { return m.Schedule != nil || m.ScaleFirst > 0 }

// Rises reports whether the last noise of a schedule is greater than the first.
func (m Mechanism) Rises() bool { return m.Scale > m.ScaleFirst }

// InUnits returns what is run for answers about shares as what is run for answers in the units of the goal's range.
func (m Mechanism) InUnits(g goal.Goal) Mechanism {
	width := g.Range.Width()
	m = m.times(width)
	if m.PassAt.Given {
		m.PassAt.Value = g.Score(m.PassAt.Value)
	}
	m.QueryWidths, m.FlagWidths = slices.Clone(m.QueryWidths), slices.Clone(m.FlagWidths)
	m.Board = slices.Clone(m.Board)
	for i := range m.QueryWidths {
		m.QueryWidths[i].Width *= width
	}
	for i := range m.FlagWidths {
		m.FlagWidths[i].Width *= width
	}
	for i := range m.Board {
		step := &m.Board[i]
		step.Boundary, step.Value = g.Score(step.Boundary), g.Score(step.Value)
	}
	return m
}

func (m Mechanism) times(width float64) Mechanism {
	m.Scale, m.ScaleFirst = m.Scale*width, m.ScaleFirst*width
	m.Threshold, m.Step = m.Threshold*width, m.Step*width
	if m.Schedule != nil {
		m.Schedule = widened{m.Schedule, width}
	}
	return m
}

// widened is a schedule in other units.
type widened struct {
	Schedule
	width float64
}

func (w widened) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		for block := range w.Schedule.Blocks() {
			block.Scale, block.Tau = w.width*block.Scale, w.width*block.Tau
			if !yield(block) {
				return
			}
		}
	}
}
