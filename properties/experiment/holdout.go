package experiment

import (
	"cmp"
	"context"
	"math"

	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/dpcalc/dpcalc/theory"
)

// Arm is a way to report what the holdout says.
type Arm string

const (
	// Standard reports the value on the holdout.
	Standard Arm = "standard"

	// Paper is Thresholdout as the paper ran it: with fresh g1, g2 ~ N(0, 1/n) for
	// each query it reports the value on the holdout plus g2 if that and the value
	// on the training set differ by more than 4/sqrt(n) + g1, and the value on the
	// training set otherwise. It has no budget, and no privacy.
	Paper Arm = "paper"

	// Thresholdout has Laplace noise, T = 4/sqrt(n), sigma = 1/sqrt(n) and a budget:
	// the value on the holdout plus Lap(sigma) if the two differ by more than T^ +
	// Lap(4 sigma), where T^ = T + Lap(2 sigma) is drawn anew each time; that costs
	// one of the budget. Once the budget is spent it answers nothing. Attributes are
	// asked in random order.
	Thresholdout Arm = "thresholdout"
)

// Arms returns all arms.
func Arms() []Arm { return []Arm{Standard, Paper, Thresholdout} }

// sizes are the numbers of attributes in the classifiers.
var sizes = [...]int{0, 10, 20, 30, 45, 70, 100, 150, 200, 250, 300, 400, 500}

// Holdout is the reusable-holdout experiment of Dwork, Feldman, Hardt,
// Pitassi, Reingold and Roth (Science, 2015): a linear classifier is chosen with the
// help of a holdout set, and its accuracy there is compared with that on fresh data.
//
// A training, a holdout and a fresh set have n rows each. A row has a label y,
// uniform on -1 and 1, and d attributes x_j ~ N(0,1), to the first of which, the
// informative ones, y 6/sqrt(n) is added. With c_j the mean of x_j y, attribute j is
// selected if its c_j on the training set and the answer for its c_j on the
// holdout have the same sign and both exceed 1/sqrt(n) in absolute value. Selected
// attributes are ranked by |c_j| on the training set; the classifier of size k is the
// sign of the sum of sign(c_j) x_j over the first k of them. A size of 0, or a
// selection that is empty, guesses: its accuracy is 1/2 everywhere.
//
// Two ways to run it have the same law, exactly. The direct one draws the rows, a
// column at a time. The default one draws the c_j and, from the rows, only the sums
// that the classifiers look at. The proof:
//
//  1. The labels cancel. The experiment looks at nothing but z_ij = x_ij y_i. Given
//     the labels, these are independent and N(b_j, 1), with b_j = 6/sqrt(n) for the
//     informative attributes and 0 for the others. The c_j are the means of the
//     columns z_j, and row i is classified correctly if the sum of s_j z_ij over the
//     classifier's attributes is positive, s_j the signs.
//  2. The correlations come first. On each set c_j ~ N(b_j, 1/n), independent. The
//     rest of a column, z_j - c_j 1 = P g_j with P the projection orthogonal to the
//     vector 1 and g_j ~ N(0, I), is independent of c_j and of all other columns.
//  3. The choice looks at nothing else than the c_j of the training and holdout set
//     and the mechanism's noise. With j_1, j_2, ... the attributes by rank, the rows'
//     sums over the first k are (s_1 c_{j_1} + ... + s_k c_{j_k}) 1 + P W_k with
//     W_k = s_1 g_{j_1} + ... + s_k g_{j_k}, and W is, row by row, an independent
//     random walk with N(0,1) steps: as many normal numbers for each row and set as
//     there are sizes, whatever the number of attributes.
//  4. Fresh data have seen no choice: the sums are (s_1 b_{j_1} + ... + s_k b_{j_k}) 1
//     + W_k.
type Holdout struct {
	Samples     int64   // n, rows in each of the three sets, from 1 to 10^7
	Attributes  int64   // d, from 1 to 10^7
	Signal      []int64 // the settings: the number of informative attributes, from 0 to d
	Arms        []Arm
	Repetitions int64 // of each setting, from 1 to 10^6
	Budget      int64 // of Thresholdout, from 1 to 2^53
	Seed        uint64
	Direct      bool // draw the rows
}

// Validate reports a DomainError for the first field outside its domain.
func (e Holdout) Validate() error {
	err := cmp.Or(
		theory.Domain(e.Samples >= 1 && e.Samples <= 1e7, "samples", e.Samples, "an integer from 1 to 10000000"),
		theory.Domain(e.Attributes >= 1 && e.Attributes <= 1e7, "attributes", e.Attributes, "an integer from 1 to 10000000"),
		theory.Domain(len(e.Signal) >= 1, "signal", "nothing", "at least one number"),
		theory.Domain(len(e.Arms) >= 1, "arms", "nothing", "at least one arm"),
		theory.Domain(e.Repetitions >= 1 && e.Repetitions <= 1e6, "reps", e.Repetitions, "an integer from 1 to 1000000"),
		theory.Domain(e.Budget >= 1 && e.Budget <= 1<<53, "budget", e.Budget, "an integer from 1 to 2^53"),
	)
	for _, signal := range e.Signal {
		err = cmp.Or(err, theory.Domain(signal >= 0 && signal <= e.Attributes, "signal", signal,
			"an integer from 0 to the number of attributes"))
	}
	for _, arm := range e.Arms {
		err = cmp.Or(err, theory.Domain(arm == Standard || arm == Paper || arm == Thresholdout, "arms", string(arm),
			"standard, paper or thresholdout"))
	}
	return err
}

// Moments summarises a quantity over the repetitions that have it.
type Moments struct {
	Count int64   // repetitions that have it
	Mean  float64 // 0 if Count is 0
	SD    float64 // with Count-1 in the denominator; 0 if Count is below 2

	squares float64 // sum of squared deviations from the mean
}

func (m *Moments) add(x float64) {
	m.Count++
	off := x - m.Mean
	m.Mean += off / float64(m.Count)
	m.squares += float64(off * (x - m.Mean))
	if m.Count > 1 {
		m.SD = math.Sqrt(m.squares / float64(m.Count-1))
	}
}

// HoldoutRow is what came of the classifiers of one size under one arm.
type HoldoutRow struct {
	Signal int64 // informative attributes
	Arm    Arm
	K      int // size of the classifier, or all selected attributes if there are fewer

	// Accuracies of the classifier: on the training set, as the arm reports it, on
	// the holdout, on fresh data. Shown counts only the repetitions in which the arm
	// still answered.
	Train, Shown, Holdout, Fresh Moments

	Selected Moments // attributes selected

	// Spent is the budget spent when this row's accuracy has been asked for; k = 0
	// stands for the correlations alone. Arms without a budget spend none.
	Spent Moments
}

// point is one repetition's share of a row.
type point struct {
	correct         [3]float64 // accuracy on each set
	shown           float64
	answered        bool
	selected, spent int
}

func (r *HoldoutRow) add(p point) {
	r.Train.add(p.correct[train])
	r.Holdout.add(p.correct[holdout])
	r.Fresh.add(p.correct[fresh])
	if p.answered {
		r.Shown.add(p.shown)
	}
	r.Selected.add(float64(p.selected))
	r.Spent.add(float64(p.spent))
}

// Run repeats every setting and returns its rows by setting, arm and size. They
// depend on the experiment alone: a repetition draws from streams of its own, and
// repetitions are summarised in order, whatever the number of workers (0 for one per
// processor). A row is the same whichever other settings and arms are asked for. done,
// if not nil, is told how many repetitions of all settings have ended. It reports a
// DomainError if Validate does, and the context's error if that ends first.
func (e Holdout) Run(ctx context.Context, workers int, done func(repetitions int)) ([]HoldoutRow, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	rows := e.rows()
	share, repetitions := len(rows)/len(e.Signal), int(e.Repetitions)
	err := parallel.Ordered(ctx, len(e.Signal)*repetitions, 1, workers, func(lo, hi int) (found [][]point, err error) {
		t := newTrial(ctx, e)
		for job := lo; job < hi && ctx.Err() == nil; job++ {
			found = append(found, t.run(e.Signal[job/repetitions], job%repetitions))
		}
		return found, ctx.Err()
	}, func(found [][]point, ended int) error {
		for k, points := range found {
			first := (ended - len(found) + k) / repetitions * share
			for i, p := range points {
				rows[first+i].add(p)
			}
		}
		if done != nil {
			done(ended)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// rows returns empty rows in printing order.
func (e Holdout) rows() (rows []HoldoutRow) {
	for _, signal := range e.Signal {
		for _, arm := range e.Arms {
			for _, k := range sizes {
				rows = append(rows, HoldoutRow{Signal: signal, Arm: arm, K: k})
			}
		}
	}
	return rows
}
