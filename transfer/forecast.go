package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// Forecast says how probably a model that is truly better passes a gate, if a guess about it is right. It is no
// promise: the promise is that of the gate, and holds whatever the guess.
type Forecast struct {
	Goal           // of a gate: without a tau, whose bar is known and 0 for differences, and whose Disagreement is guessed
	Tested bool    // the gate tests wins and losses: at the level of a fixed plan, or of the look Queries of an open one
	Duel   bool    // tested: two classes are declared, so that the test is exact
	Open   bool    // the gate is an open one
	Effect float64 // how far the truth is above the bar, in (0,1]; 0 if it is looked for
	Power  float64 // how probably such a model passes, in (0,1); 0 if it is looked for
}

// Forecasted is what a forecast found, and what passes the gate.
type Forecasted struct {
	Forecast
	TauAchieved float64        // of a gate with a bar
	PassAt      Option         // the least score that passes
	Level       theory.LogProb // of a test
}

// Method is the method whose gate it is.
func (f Forecast) Method() string {
	switch {
	case f.Open:
		return openGate.Name
	case f.Tested:
		return "gates"
	}
	return gate.Name
}

// mostForecast is the greatest number of rows that is looked for.
const mostForecast = 1 << 40

// most is the greatest effect that there can be.
func (f Forecast) most() float64 { return f.top() - f.Bar.Value }

// top is the greatest truth of a model.
func (f Forecast) top() float64 {
	if f.Query == Difference {
		return f.Disagreement
	}
	return 1
}

// Validate returns a DomainError for a forecast that makes no sense, or of which not one of rows, effect and power is
// missing.
func (f Forecast) Validate() error {
	g := f.Goal
	compared := f.Query == Difference
	for _, c := range []struct {
		ok   bool
		name string
		got  any
		want string
	}{
		{f.Feedback == Gate, "feedback", f.Feedback, "gate with a forecast"},
		{f.Query == Bounded || f.Query == Binary || compared, "query", f.Query, "bounded, binary or difference"},
		{compared || !f.Tested, "query", f.Query, "difference with a test"},
		{f.Tau == 0, "tau", f.Tau, "none: the tau of the gate follows from its rows"},
		{f.Queries > 0, "queries", "nothing", "a number of looks"},
		{f.Beta != 0, "beta", "nothing", "a probability in (0, 1)"},
		{f.Bar.Given || compared, "threshold", "nothing", "the bar: how probably a model passes depends on where it is"},
		{!f.Tested || !f.Bar.Given, "threshold", f.Bar.Value, "none with a test"},
		{f.Disagreement > 0 || !compared, "disagreement", "nothing", "the share of rows on which the two models are thought to differ"},
		{f.Arrival == nil && f.Sample == nil && f.Range == (Range{}), "rows", "others", "independent rows of equal weight, and values in [0, 1]"},
		{f.Power >= 0 && f.Power < 1, "power", f.Power, "a probability in (0, 1)"},
	} {
		if err := theory.Domain(c.ok, c.name, c.got, c.want); err != nil {
			return err
		}
	}
	if g.Samples == 0 {
		g.Samples = 1
	}
	if err := g.Validate(); err != nil {
		return err
	}
	if err := f.Overspent(); err != nil {
		return err
	}
	most := f.most() // decimals that add up to it may round above it
	if err := theory.Domain(f.Effect >= 0 && f.Effect <= most+1e-12, "effect", f.Effect,
		"a number in (0, "+formatFloat(math.Round(most*1e9)/1e9)+"], how far the truth is above the bar"); err != nil {
		return err
	}
	missing := 0
	for _, given := range []bool{f.Samples != 0, f.Effect != 0, f.Power != 0} {
		if !given {
			missing++
		}
	}
	return theory.Domain(missing == 1, "forecast", missing, "two of samples, effect and power, to find the third")
}

// Solve finds the rows, the effect or the power that is missing. The rows are about the least, as the power does not
// rise with each of them. The error is a DomainError, or a NoAnswerError.
func (f Forecast) Solve() (a Forecasted, err error) {
	if err := f.Validate(); err != nil {
		return a, err
	}
	if f.Query == Difference && !f.Tested {
		f.Bar = Some(f.Bar.Value)
	}
	switch {
	case f.Samples == 0:
		return f.fewest()
	case f.Effect == 0:
		a, err = f.gated()
		if err != nil {
			return a, err
		}
		low, high := 0., f.most()
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
	default:
		if a, err = f.gated(); err != nil {
			return a, err
		}
		a.Power = a.chance(f.Effect)
	}
	return a, nil
}

// fewest finds about the fewest rows.
func (f Forecast) fewest() (a Forecasted, err error) {
	enough := func(n int64) bool {
		f.Samples = n
		b, err := f.gated()
		if err != nil || b.chance(f.Effect) < f.Power {
			return false
		}
		a = b
		return true
	}
	low, high := int64(0), int64(16)
	for !enough(high) {
		if low, high = high, 2*high; high > mostForecast {
			return Forecasted{Forecast: f}, &theory.NoAnswerError{Reason: "more than 2^40 rows"}
		}
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return a, nil
}

// gated finds what passes the gate of so many rows. The error is a NoAnswerError where nothing does.
func (f Forecast) gated() (a Forecasted, err error) {
	a = Forecasted{Forecast: f}
	g := f.Goal
	g.Open = f.Open
	if f.Tested {
		a.Level = g.TestLevel()
		if f.Open {
			plan := open.Plan{LnBeta: g.Beta.Ln(), Bet: open.Usual(), Looks: g.Queries, Rare: g.Rare()}
			a.Level = theory.LogProb(plan.Level())
		}
		if !(float64(a.Level) < -math.Ln2) {
			return a, &theory.NoAnswerError{Reason: "the level of a look is not below one half"}
		}
		return a, nil
	}
	method := gate
	if f.Open {
		method = openGate
	}
	solved, err := method.Solve(g)
	if err != nil {
		return a, err
	}
	if a.TauAchieved, a.PassAt = solved.TauAchieved, solved.Mechanism.PassAt; solved.Status != OK || !a.PassAt.Given {
		return a, &theory.NoAnswerError{Reason: "no score can pass"}
	}
	return a, nil
}

// chance is how probably a model passes whose truth is so far above the bar.
func (a Forecasted) chance(effect float64) float64 {
	truth := min(a.Bar.Value+effect, a.top())
	if a.Query != Difference {
		return open.Trial{Rows: a.Samples, Truth: truth}.Reaches(a.PassAt.Value)
	}
	c := open.Contest{Rows: a.Samples, Differ: a.Disagreement, Truth: truth}
	if a.Tested {
		return c.Rejects(-float64(a.Level), a.Duel)
	}
	return c.Reaches(a.PassAt.Value)
}
