package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// decidedBy is the tail of a look at rows that predictions decide: at a known bar the better of two, or of three.
func (o OneLook) decidedBy(g goal.Goal) Rule {
	whatever := onDecided{look: o, query: goal.Bounded}
	if g.Decided == goal.TwoClasses {
		whatever.query = goal.Binary
	}
	if inside := math.Abs(g.Bar.Value) < g.Disagreement; !g.Bar.Given || !inside { // no truth is beyond the disagreement
		return whatever
	}
	better := Either{First: onDecided{look: o, query: goal.Bounded, bar: true}, Second: whatever}
	if g.Decided == goal.TwoClasses {
		return leads{better}
	}
	return better
}

// leads is the rule of one difference of two classes at a known bar, by the wins among the decided rows, beside another
// rule. The rows that it finds and every greater number serve.
type leads struct{ Rule }

// mostLeads is the greatest number of rows whose wins are counted.
const mostLeads = 1 << 20

// ln returns ln of what the look fails with by its wins, 0 if it counts none.
func (leads) ln(g goal.Goal) float64 {
	if g.Samples > mostLeads {
		return 0
	}
	return tail.LnLead(g.Samples, decidedRows(g.Disagreement, g.Samples), g.BarTails())
}

// serves reports whether wins certify so many rows, and whether they certify all greater numbers too.
func (r leads) serves(g goal.Goal) (one, all bool) {
	all = tail.LeadsErrRarely(float64(g.Samples), g.Disagreement, g.BarTails(), g.Beta.Ln())
	return all || r.ln(g) <= g.Beta.Ln(), all
}

func (r leads) Holds(g goal.Goal) bool {
	one, _ := r.serves(g)
	return one || r.Rule.Holds(g)
}

func (r leads) Samples(g goal.Goal, by Trail) (Reached, error) {
	least, err := r.Rule.Samples(g, by)
	if err != nil {
		return least, err
	}
	n := num.Ints{Lo: 1, Hi: least.N, Guess: least.N}.Least(func(n int64) bool {
		g.Samples = n
		_, all := r.serves(g)
		return all || n == least.N
	})
	for g.Samples = n - 1; g.Samples > 0; g.Samples-- {
		if one, _ := r.serves(g); !one {
			break
		}
	}
	return Reached{N: g.Samples + 1}, nil
}

func (r leads) Queries(g goal.Goal) int64 { return MostQueries(g, 1, r.Holds) }

func (r leads) Tau(g goal.Goal) (float64, Mechanism) {
	tau, run := r.Rule.Tau(g)
	least := num.Near{From: tau, Top: tau}.Least(func(tau float64) bool {
		g.Tau = tau
		one, _ := r.serves(g)
		return one
	})
	if least < tau {
		return least, Mechanism{}
	}
	return tau, run
}

func (r leads) Beta(g goal.Goal) theory.LogProb {
	ln, least := r.ln(g), r.Rule.Beta(g)
	switch {
	case math.IsInf(ln, -1), least == theory.Zero:
		return theory.Zero
	case !(ln < 0), least != 0 && least.Ln() <= ln:
		return least
	}
	return theory.LogProb(ln)
}

// onDecided is the rule of one difference phi that is 0 on all rows but a counted share d. It bounds (1+phi)/2 on
// floor(dn) rows, at tau/2d. A row that is not decided may be among these: it has the value 1/2 or, where all values
// are 0 and 1, counts as a sure win, which moves the mean and the truth alike. At a known bar c it is the
// relative entropy at the bar (1+c/d)/2, which bounds dn rows, whole or not.
type onDecided struct {
	look  OneLook
	query goal.Query // of (1+phi)/2
	bar   bool       // whether a known bar counts
}

// decided is the goal on the decided rows, and its rule.
func (r onDecided) decided(g goal.Goal) (goal.Goal, Rule) {
	d := g.Disagreement
	if g.Samples > 0 {
		g.Samples = decidedRows(d, g.Samples)
	}
	if g.Tau > 0 {
		g.Tau = g.Tau / (2 * d) * (1 - 2e-15)
	}
	g.Query, g.Disagreement, g.Checked, g.Decided = r.query, 0, false, goal.Undecided
	if r.bar {
		g.Bar.Value = (1 + g.Bar.Value/d) / 2
		at := OneLook{Bar: true}
		return g, at.exponential(goal.Linear, at.rate)
	}
	return g, OneLook{Exact: r.look.Exact, Convex: r.look.Convex}.independent(g)
}

// decidedRows is the greatest number of n rows that is at most the share d, or one more by rounding.
func decidedRows(d float64, n int64) int64 { return int64(math.Floor(d * float64(n) * (1 + 1e-15))) }

func (r onDecided) Applies(goal.Goal) error { return nil }

func (r onDecided) Limit(g goal.Goal) float64 {
	on, rule := r.decided(g)
	return rule.Limit(on) * 2 * g.Disagreement
}

// trivial reports whether no row is decided, and never whether no mean can be so far off.
func (r onDecided) trivial(g goal.Goal) (none, never bool) {
	on, rule := r.decided(g)
	return on.Samples == 0, on.Tau >= rule.Limit(on)
}

func (r onDecided) Holds(g goal.Goal) bool {
	if none, never := r.trivial(g); none || never {
		return never && !none
	}
	on, rule := r.decided(g)
	return rule.Holds(on)
}

func (r onDecided) Samples(g goal.Goal, _ Trail) (Reached, error) {
	on, rule := r.decided(g)
	least := Reached{N: 1}
	if on.Tau < rule.Limit(on) {
		var err error
		if least, err = rule.Samples(on, nil); err != nil {
			return Reached{}, err
		}
	}
	n := math.Ceil(float64(least.N) / g.Disagreement)
	if !(n <= goal.MaxCount) {
		return Reached{}, theory.TooMany(n)
	}
	rows := int64(n)
	for rows > 1 && decidedRows(g.Disagreement, rows-1) >= least.N {
		rows--
	}
	return Reached{N: rows}, nil
}

func (r onDecided) Queries(g goal.Goal) int64 {
	switch none, never := r.trivial(g); {
	case none:
		return 0
	case never:
		return goal.MaxCount
	}
	on, rule := r.decided(g)
	return rule.Queries(on)
}

func (r onDecided) Tau(g goal.Goal) (float64, Mechanism) {
	on, rule := r.decided(g)
	if on.Samples == 0 {
		return g.Spread(), Mechanism{}
	}
	least, _ := rule.Tau(on)
	for g.Tau = least * 2 * g.Disagreement; ; g.Tau = math.Nextafter(g.Tau, 3) {
		if on, _ := r.decided(g); on.Tau >= least {
			return min(g.Tau, r.Limit(g)), Mechanism{}
		}
	}
}

func (r onDecided) Beta(g goal.Goal) theory.LogProb {
	switch none, never := r.trivial(g); {
	case none:
		return 0
	case never:
		return theory.Zero
	}
	on, rule := r.decided(g)
	return rule.Beta(on)
}
