// Package forecast computes the power of gates: how probably a better model passes, or how many rows or which effect
// a wanted power takes. A forecast rests on a guess about the model; the guarantee of the gate does not.
package forecast

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/open"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Gate says how probably a model that is truly better passes a gate, if a guess about it is right. It is no
// promise: the promise is the gate's, and holds whatever the guess.
type Gate struct {
	goal.Goal         // without a tau; its bar is known, and 0 for differences; its Disagreement is a guess
	Tested    bool    // it tests wins and losses at the level of a fixed plan, or of look Queries of an open one
	Duel      bool    // tested: two classes are declared, so that the test is exact
	Open      bool    // the gate is an open one
	Effect    float64 // how far the truth is above the bar, in (0,1]; 0 if it is looked for
	Power     float64 // how probably such a model passes, in (0,1), or [1/2,1) for rows; 0 if it is looked for

	// Spread is of clusters, each of which is a row: how much its mean varies, as a share of what one row does. It is 1
	// for clusters whose rows are all alike, and 0 where the rows are no clusters.
	Spread float64
}

// Answer is what a forecast found, and what passes the gate.
type Answer struct {
	Gate
	TauAchieved float64        // of a gate with a bar
	PassAt      goal.Option    // the least score that passes
	Level       theory.LogProb // of a test
	Reached     float64        // the power of these rows and this effect
}

var fixedGate, _ = transfer.Lookup("gate")

// Method returns the method whose gate it is.
func (f Gate) Method() string {
	switch {
	case f.Open:
		return "open-gate"
	case f.Tested:
		return "gates"
	}
	return "gate"
}

// IsExact reports whether the power is computed from counts: for rows with the values 0 and 1, and for two models that
// are compared on them. Elsewhere a mean follows the normal law, approximately.
func (f Gate) IsExact() bool { return (f.Query.IsZeroOne() || f.Query.IsSigned()) && f.Spread == 0 }

func (f Gate) top() float64 {
	if f.Query.IsSigned() {
		return f.Disagreement
	}
	return 1
}

// Validate returns a DomainError for a forecast that makes no sense, or of which not one of rows, effect and power is
// missing.
func (f Gate) Validate() error {
	g := f.Goal
	compared, means := f.Query.IsSigned(), !f.Tested && !f.Query.IsZeroOne()
	classes, auc := f.Sample.(tail.Classes)
	least := 0.
	if f.Samples == 0 {
		least = 0.5
	}
	for _, c := range []struct {
		ok   bool
		name string
		got  any
		want string
	}{
		{f.Feedback == goal.Gate, "feedback", f.Feedback, "gate with a forecast"},
		{f.Query.IsMean(), "query", f.Query, "bounded, binary or difference"},
		{compared || !f.Tested, "query", f.Query, "difference with a test"},
		{f.Tau == 0, "tau", f.Tau, "none: the tau of the gate follows from its rows"},
		{f.Queries > 0, "queries", "nothing", "a number of looks"},
		{f.Beta != 0, "beta", "nothing", "a probability in (0, 1)"},
		{f.Bar.Given || compared, "threshold", "nothing", "the bar, such as 0.8: how probably a model passes depends on it"},
		{!f.Tested || !f.Bar.Given, "threshold", f.Bar.Value, "none with a test"},
		{f.Disagreement > 0 || !compared, "disagreement", "nothing", "the share of rows on which the two models are thought to differ"},
		{f.Arrival == nil && f.Range == (goal.Range{}), "rows", "others", "rows that are all there, and values in [0, 1]"},
		{f.Sample == nil || auc, "rows", "others", "rows or clusters of equal weight, or two classes"},
		{f.Spread >= 0 && f.Spread <= 1, "spread", f.Spread, "a number in [0, 1]"},
		{f.Spread == 0 || means, "clusters", "a test or counts", "a gate at a bar: the mean over a cluster is no count"},
		{!f.Ratio.IsGiven() || f.Spread == 0, "rows", "others", "independent rows with a ratio"},
		{f.Power >= 0 && f.Power < 1, "power", f.Power, "a probability in (0, 1)"},
		{f.Power >= least || f.Power == 0, "power", f.Power, "a probability in [0.5, 1), to find rows from which on it holds"},
	} {
		if err := theory.Domain(c.ok, c.name, c.got, c.want); err != nil {
			return err
		}
	}
	if g.Samples == 0 {
		g.Samples = max(1, classes.Positives+classes.Negatives)
	}
	if err := g.Validate(); err != nil {
		return err
	}
	if err := f.Overspent(); err != nil {
		return err
	}
	most := f.top() - f.Bar.Value // decimals that add up to it may round above it
	if err := theory.Domain(f.Effect >= 0 && f.Effect <= most+1e-12, "effect", f.Effect,
		"a number in (0, "+goal.FormatFloat(math.Round(most*1e9)/1e9)+"], how far the truth is above the bar"); err != nil {
		return err
	}
	missing := 0
	for _, unknown := range []bool{f.Samples == 0, f.Effect == 0, f.Power == 0} {
		if unknown {
			missing++
		}
	}
	return theory.Domain(missing == 1, "forecast", missing, "two of samples, effect and power, to find the third")
}

// Solve finds the rows, the effect or the power that is missing. The rows are the least from which on the power is as
// great for every greater number; classes keep their ratio. The error is a DomainError, or a NoAnswerError.
func (f Gate) Solve() (a Answer, err error) {
	if err := f.Validate(); err != nil {
		return a, err
	}
	if f.Query.IsSigned() && !f.Tested {
		f.Bar = goal.Some(f.Bar.Value)
	}
	n := f.Samples
	if n == 0 {
		if n, err = f.fewest(); err != nil {
			return Answer{Gate: f}, err
		}
	}
	if a, err = f.gated(n); err != nil {
		return a, err
	}
	switch {
	case f.Effect == 0:
		low, high := 0., f.top()-f.Bar.Value
		if a.chance(high) < f.Power {
			return a, &theory.NoAnswerError{Reason: "no model passes so probably"}
		}
		for high-low > 1e-6*high {
			if mid := low + (high-low)/2; a.chance(mid) >= f.Power {
				high = mid
			} else {
				low = mid
			}
		}
		a.Effect = high
	case f.Power == 0:
		a.Power = a.chance(f.Effect)
	}
	a.Reached = a.chance(a.Effect)
	if !f.Tested && !f.Open && !f.Ratio.IsGiven() {
		if solved, err := fixedGate.Solve(a.Goal); err == nil && solved.Status == theory.OK {
			a.TauAchieved = solved.TauAchieved
		}
	}
	return a, nil
}

// fewest finds the least number of rows from which on the power holds. By the normal law it grows with the rows where
// it is 1/2 or more, as a mean varies less, and as what passes does not rise.
func (f Gate) fewest() (int64, error) {
	n := int64(0)
	law := open.Contest{Differ: f.Disagreement, Truth: f.truth(f.Effect)}
	passes := func(n int64) (float64, bool) {
		a, err := f.gated(n)
		return a.PassAt.Value, err == nil
	}
	switch {
	case f.Tested:
		a, err := f.gated(1)
		if err != nil {
			return 0, err
		}
		n = law.RowsRejecting(f.Power, -float64(a.Level), f.Duel)
	case !f.IsExact():
		enough := func(n int64) bool {
			a, err := f.gated(n)
			return err == nil && a.chance(f.Effect) >= f.Power
		}
		numbers := num.Ints{Lo: 1, Hi: mostForecast, Guess: 1000}
		if n = numbers.Least(func(n int64) bool { return n == mostForecast || enough(n) }); n == mostForecast {
			n = 0
		}
	case f.Query.IsZeroOne():
		law.Differ = law.Truth
		level, exact := f.level(), !f.Open || open.HasExactLevel(f.level())
		n = law.RowsReaching(f.Power, passes, func(n int64) float64 {
			return open.HighestCount(n, f.Bar.Value, level, exact)
		}, true)
	default:
		n = law.RowsReaching(f.Power, passes, func(n int64) float64 {
			if mean, ok := passes(n); ok {
				return mean
			}
			return 1
		}, f.Bar.Value >= 0)
	}
	if n == 0 {
		return 0, &theory.NoAnswerError{Reason: "more than 2^40 rows"}
	}
	return n, nil
}

const mostForecast = 1<<40 + 1

func (f Gate) plan() open.Plan {
	return open.Plan{LnBeta: f.Beta.Ln(), Bet: open.Usual(), Looks: f.Queries, Rare: f.Rare()}
}

func (f Gate) level() float64 {
	if f.Open {
		pass, _ := f.plan().Levels()
		return pass
	}
	return float64(transfer.TestLevel(f.Goal))
}

// gated finds what passes the gate of so many rows. The error is a NoAnswerError where nothing does.
func (f Gate) gated(n int64) (a Answer, err error) {
	f.Samples = n
	if classes, ok := f.Sample.(tail.Classes); ok {
		f.Sample = inRatio(classes, n)
	}
	a = Answer{Gate: f}
	none := &theory.NoAnswerError{Reason: "no score can pass"}
	switch g := f.Goal; {
	case f.Tested:
		a.Level = transfer.TestLevel(g)
		if f.Open {
			a.Level = theory.LogProb(f.level())
		}
		if !(float64(a.Level) < -math.Ln2) {
			return a, &theory.NoAnswerError{Reason: "the level of a look is not below one half"}
		}
	case f.Sample != nil && f.Sample.Worth(n).Entropic < 1:
		return a, none
	case f.Ratio.IsGiven():
		gate := solver.RatioGate(f.Ratio, n, g.Bar.Value)
		at, ok := gate.Pass(g.Bar.Value, f.level())
		if a.PassAt = goal.Some(at); !ok || gate.Positive < 1 {
			return a, none
		}
	case f.Open:
		plan := f.plan()
		plan.Tails = solver.OpenTails(g, n)[0]
		look, tau, err := plan.GateAt(g.Bar.Value)
		if err != nil {
			return a, none
		}
		a.TauAchieved, a.PassAt = tau, goal.Some(look.Cuts[0].At)
	case f.Query.IsZeroOne():
		g.Beta = theory.LogProb(f.level())
		count, _ := solver.CountRule{}.Gate(g).Count(n, int64(float64(n)*g.Bar.Value))
		if count > n {
			return a, none
		}
		a.PassAt = goal.Some(float64(count) / float64(n))
	default:
		solved, err := fixedGate.Solve(g)
		if err != nil {
			return a, err
		}
		if a.PassAt = solved.Mechanism.PassAt; solved.Status != theory.OK || !a.PassAt.Given {
			return a, none
		}
	}
	return a, nil
}

// inRatio is so many rows of two classes in the ratio that theirs have, the positive ones rounded down.
func inRatio(c tail.Classes, n int64) tail.Classes {
	c.Positives = int64(float64(c.Positives) / float64(c.Positives+c.Negatives) * float64(n) * (1 + 1e-12))
	c.Negatives = n - c.Positives
	return c
}

func (f Gate) truth(effect float64) float64 { return min(f.Bar.Value+effect, f.top()) }

func (a Answer) chance(effect float64) float64 {
	truth := a.truth(effect)
	c := open.Contest{Rows: a.Samples, Differ: a.Disagreement, Truth: truth}
	switch {
	case a.Tested:
		return c.Rejects(-float64(a.Level), a.Duel)
	case a.Ratio.IsGiven():
		return predicted{a.Ratio}.chance(a.Samples, a.PassAt.Value, truth, a.Bar.Value)
	case !a.IsExact():
		return beyond(a.PassAt.Value-truth, math.Sqrt(a.variance(truth)))
	case a.Query.IsZeroOne():
		c.Differ = truth
	}
	return c.Reaches(a.PassAt.Value)
}

// beyond is how probably a mean is so far above its expectation, by the normal law.
func beyond(short, sd float64) float64 {
	if sd > 0 {
		return num.Exp(num.LogSurvival(short / sd))
	} else if short > 0 {
		return 0
	}
	return 1
}

// variance is how much a mean varies that follows the normal law: as the mean of values 0 and 1, which vary most, or of
// wins and losses, times the spread of clusters; or an AUC by Hanley and McNeil 1982, equation 2, with their Q1 and Q2
// of exponential scores. It falls in the rows: of an AUC A in the rows of either class, as A(1-A) is greater than
// Q1 - A^2 and Q2 - A^2.
func (f Gate) variance(truth float64) float64 {
	n, square := float64(f.Samples), truth*truth
	if c, ok := f.Sample.(tail.Classes); ok {
		positives, negatives := float64(c.Positives), float64(c.Negatives)
		q1, q2 := truth/(2-truth), 2*square/(1+truth)
		return (truth*(1-truth) + (positives-1)*(q1-square) + (negatives-1)*(q2-square)) / (positives * negatives)
	}
	one := truth
	if f.Query.IsSigned() {
		one = f.Disagreement
	}
	if f.Spread > 0 {
		n /= f.Spread
	}
	return max(0, one-square) / n
}

// predicted is a ratio of which a gate at a bar passes where the mean of N - bar D is large enough for the number of
// rows predicted positive: docs/theorems/open.md, own intervals.
type predicted struct{ goal.Ratio }

// row returns the mean and the variance that a row adds to N - bar D, for a model with this ratio: it misses as many
// positive rows as it wrongly predicts positive, or all rows that it predicts negative if these are fewer. Rows are
// alike in each of the two kinds.
func (p predicted) row(truth, bar float64) (mean, variance float64) {
	both, wrong, missed := p.Both, p.FalsePositive, p.FalseNegative
	right := truth * (wrong + missed) * p.Share / (both*(1-truth) + truth*(wrong+missed))
	misses := p.Share - right
	if rest := 1 - p.Share; misses > rest {
		misses = rest
		right = min(truth*(wrong*p.Share+missed*rest)/(both*(1-truth)+truth*wrong), p.Share)
	}
	kind := func(share, count, step float64) float64 { // of rows each of which adds a step with the same probability
		return step * step * count * (share - count) / share
	}
	mean = both*(1-bar)*right - bar*(wrong*(p.Share-right)+missed*misses)
	return mean, kind(p.Share, right, both*(1-bar)+bar*wrong) + kind(1-p.Share, misses, bar*missed)
}

// chance is how probably a gate of n rows passes at a mean, by the normal law.
func (p predicted) chance(n int64, at, truth, bar float64) float64 {
	mean, variance := p.row(truth, bar)
	return beyond(at-mean, math.Sqrt(variance/float64(n)))
}
