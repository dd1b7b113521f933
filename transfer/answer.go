package transfer

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

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
			for want := range solver.ArrivalOf(a.Goal, false).Targets().All {
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

// guessed says what does as well as the answers without any data, or that there is nothing to guard against.
func (a Answer) guessed() string {
	answers := a.Feedback == Answers || a.Feedback == Final
	switch {
	case a.Bar.Given && a.TauAchieved == 0:
		return noneCanPass
	case !a.Checked && a.Query.IsSigned() && a.TauAchieved >= a.MayDiffer():
		return a.NoDifference()
	case answers && a.IsLikelyHigh() && a.TauAchieved >= (1-a.AtLeast)/2:
		return "answering " + goal.FormatFloat((1+a.AtLeast)/2) + " without any data does as well"
	case answers && goal.Linear.Check(a.Query) == nil && a.TauAchieved >= 0.5:
		return "answering 1/2 without any data does as well"
	}
	return ""
}

// inUnits is an answer about shares as one to the goal.
func inUnits(g goal.Goal, a Answer) Answer {
	width, solved := g.Range.Width(), a.Goal
	if g.Tau == 0 && solved.Tau > 0 { // as a share it is no less than what was solved
		for g.Tau = solved.Tau * width; g.Tau/width < solved.Tau; {
			g.Tau = math.Nextafter(g.Tau, math.Inf(1))
		}
	}
	g.Samples, g.Queries, g.Beta = solved.Samples, solved.Queries, solved.Beta
	g.Budget, g.Passes = solved.Budget, solved.Passes
	a.Goal = g
	a.TauAchieved *= width
	a.Mechanism = a.Mechanism.InUnits(g)
	return a
}
