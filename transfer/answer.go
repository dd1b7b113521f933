package transfer

import (
	"iter"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
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

	PassAt      Option                // gate: the least score on the holdout that passes, if the bar is known
	PassCount   int64                 // gate: and the least count, for 0/1 queries at a known bar
	LnNodes     Option                // gate, sealed, transcripts: ln of how many queries could be asked
	QueryWidths []feedback.QueryWidth // roundingRows-widths: how wide the cells of the queries are
	FlagWidths  []theory.FlagWidth    // sparse-validate: how wide the cells are after so many flags
	Chunks      int64                 // sparse-validate: the parts of the holdout, each for one flag; 0 stands for 1
	FalseFlag   theory.LogProb        // sparse-validate: the chance that a right guess is flagged, of a query
	Step        float64               // ladder-blum15: the step of the board
	Board       []theory.Step         // ladder: from which score on which value is shown
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

// Answer is one row: the goal with its unknown filled in, and what to run.
type Answer struct {
	Goal                  // the goal, with the solved value in place of the unknown
	TauAchieved float64   // the accuracy certified for Samples, Queries and Beta
	Mechanism   Mechanism // what to run
	Status      Status
	Reason      string // why the status is not OK, or what limits an OK value
	ByLargest   bool   // noise that was given is certified by the CVaR theorem, which is about the largest noise
}

// Noise yields the standard deviation or scale of each answer's noise, in runs of
// equal ones, in the order of the queries. It yields nothing if there is no noise.
func (a Answer) Noise() iter.Seq[theory.NoiseBlock] {
	switch run := a.Mechanism; {
	case run.Schedule != nil:
		return run.Schedule.Blocks()
	case run.Noise == "":
		return func(func(theory.NoiseBlock) bool) {}
	case a.Arrival != nil:
		return func(yield func(theory.NoiseBlock) bool) {
			for want := range arrivalOf(a.Goal, false).Wants().All {
				if !yield(theory.NoiseBlock{Queries: want.Queries, Scale: run.Scale, Cut: run.Cut, Rows: want.Samples}) {
					return
				}
			}
		}
	default:
		return func(yield func(theory.NoiseBlock) bool) {
			yield(theory.NoiseBlock{Queries: a.Queries, Scale: run.Scale, Cut: run.Cut})
		}
	}
}

func (a Answer) without(s Status, reason string) Answer {
	a.Status, a.Reason = s, reason
	return a
}

// refused is the answer of a theorem that returned err. An err that is no status stays one.
func (a Answer) refused(err error) (Answer, error) {
	status, reason, err := theory.StatusOf(err)
	if err != nil {
		return Answer{}, err
	}
	return a.without(status, reason), nil
}

// likelyHigh reports whether the population values are known to be at least something.
func (g Goal) likelyHigh() bool { return g.AtLeast > 0 && !g.Checked }

// guessed says what does as well as the answers without any data, or that there is nothing to guard against.
func (a Answer) guessed() string {
	answers := a.Feedback == Answers || a.Feedback == Final
	switch {
	case a.Bar.Given && a.TauAchieved == 0:
		return noneCanPass
	case !a.Checked && a.Query == Difference && a.TauAchieved >= a.disagreement():
		return a.noDifference()
	case answers && a.likelyHigh() && a.TauAchieved >= (1-a.AtLeast)/2:
		return "answering " + formatFloat((1+a.AtLeast)/2) + " without any data does as well"
	case answers && linear.check(a.Query) == nil && a.TauAchieved >= 0.5:
		return "answering 1/2 without any data does as well"
	}
	return ""
}
