package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// OneLook is the rule for one query, fixed before it meets the rows, at a failure probability that may be a small
// share of the goal's.
type OneLook struct {
	Both   bool // whether both sides count unless the goal asks for one
	Exact  bool // whether the tails of 0/1 queries are binomial
	Bar    bool // whether a known bar counts
	Convex bool // whether convex tails count

	Decided bool // whether rows that predictions decide count
}

// pick returns the tail that serves the goal, or the better of two where a variance is known or decided rows have a
// known bar.
func (o OneLook) pick(g goal.Goal) Rule {
	switch {
	case o.Decided && g.Decides():
		return o.decidedBy(g)
	case g.Sample != nil:
		return o.drawn(g)
	}
	return o.independent(g)
}

// drawn is the better of two tails of a sample: Hoeffding's exponent, and the exponent of independent rows at as many
// as may count in it. A gate at a known bar has no count.
func (o OneLook) drawn(g goal.Goal) Rule {
	hoeffding := o.exponential(goal.Means, func(g goal.Goal) num.DD {
		return tail.BoundedDifferences{Spread: g.Spread()}.Rate(g.Tau)
	})
	hoeffding.Worth = GaussianWorth
	o.Exact = o.Exact && !(o.Bar && g.Bar.Given)
	o.Convex = o.Convex && tail.CountsAlike(g.Sample)
	return Either{First: hoeffding, Second: mapped{o.independent(g), func(g goal.Goal) goal.Goal {
		g.Samples = int64(math.Floor(g.Sample.Worth(g.Samples).Entropic))
		return g
	}}}
}

// GaussianWorth returns how many rows count in Hoeffding's exponent.
func GaussianWorth(g goal.Goal) num.DD { return num.FromFloat(g.Sample.Worth(g.Samples).Gaussian) }

// independent is the tail of independent rows of equal weight: the best of up to three, where convex tails count and a
// variance is known.
func (o OneLook) independent(g goal.Goal) Rule {
	rule := o.usual(g)
	if o.Convex && !o.counts(g) && goal.Means.Check(g.Query) == nil {
		convex := convexLook{Domain: o.domain(goal.Means), both: o.Both && !g.OneSided, bar: o.Bar && g.Bar.Given}
		rule = Either{First: rule, Second: convex}
	}
	if goal.Linear.Check(g.Query) != nil || g.SpreadKnown() == nil {
		return rule
	}
	return Either{First: o.exponential(goal.Linear, o.rate), Second: rule}
}

func (o OneLook) counts(g goal.Goal) bool { return o.Exact && g.Query.IsZeroOne() }

// usual is the tail by a moment generating function, or the tail of counts.
func (o OneLook) usual(g goal.Goal) Rule {
	both := o.Both && !g.OneSided
	switch {
	case o.counts(g) && o.Bar && g.Bar.Given:
		return CountRule{}
	case both && goal.Linear.Check(g.Query) == nil:
		return FixedQuery{Domain: Domain{Kinds: goal.Linear}, Exact: o.Exact}
	case o.counts(g):
		return FixedQuery{Domain: Domain{Kinds: goal.ZeroOne}, Exact: true, sides: theory.OneSide}
	}
	return o.exponential(goal.AllKinds, o.rate)
}

func (o OneLook) domain(kinds goal.Kinds) Domain {
	if o.Bar {
		return Domain{Kinds: kinds, Top: barredLimit}
	}
	return Domain{Kinds: kinds}
}

// rate is E(tau) or, at a known bar, the rate of the likelier error there.
func (o OneLook) rate(g goal.Goal) num.DD {
	if at, ok := g.Values().(tail.Barred); ok && o.Bar && g.Bar.Given {
		return at.RateAt(g.BarTails())
	}
	return g.Values().Rate(g.Tau)
}

// exponential is n >= ln(1/beta)/rate, or ln(2/beta)/rate where both sides count.
func (o OneLook) exponential(kinds goal.Kinds, rate func(g goal.Goal) num.DD) Closed {
	return Closed{Domain: o.domain(kinds), Need: func(g goal.Goal) num.DD {
		sides := int64(1)
		if o.Both && !g.OneSided {
			sides = 2
		}
		return tree.Need(num.DD{}, tail.Exponential{Sides: sides, Rate: rate(g)}, g.Beta.Ln())
	}}
}

// barredLimit is where the tau of a gate ends: beyond, nothing passes at a known bar.
func barredLimit(g goal.Goal) float64 {
	if g.Bar.Given {
		return 1 - g.Bar.Value
	}
	return g.Spread()
}

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

const mostLeads = 1 << 20

// ln returns ln of what the look fails with by its wins, 0 if it counts none.
func (leads) ln(g goal.Goal) float64 {
	if g.Samples > mostLeads {
		return 0
	}
	return tail.LnLead(g.Samples, g.DecidedRows(g.Samples), g.BarTails())
}

// servesMore reports whether wins certify so many rows and all greater numbers.
func (leads) servesMore(g goal.Goal) bool {
	return tail.LeadsErrRarely(float64(g.Samples), g.Disagreement, g.BarTails(), g.Beta.Ln())
}

func (r leads) serves(g goal.Goal) bool { return r.servesMore(g) || r.ln(g) <= g.Beta.Ln() }

func (r leads) Holds(g goal.Goal) bool { return r.serves(g) || r.Rule.Holds(g) }

func (r leads) Samples(g goal.Goal, by Trail) (Reached, error) {
	least, err := r.Rule.Samples(g, by)
	if err != nil {
		return least, err
	}
	n := num.Ints{Lo: 1, Hi: least.N, Guess: least.N}.Least(func(n int64) bool {
		g.Samples = n
		return n == least.N || r.servesMore(g)
	})
	for g.Samples = n - 1; g.Samples > 0 && r.serves(g); g.Samples-- {
	}
	return Reached{N: g.Samples + 1}, nil
}

func (r leads) Queries(g goal.Goal) int64 { return MostQueries(g, 1, r.Holds) }

func (r leads) Tau(g goal.Goal) (float64, Mechanism) {
	tau, run := r.Rule.Tau(g)
	least := num.Near{From: tau, Top: tau}.Least(func(tau float64) bool {
		g.Tau = tau
		return r.serves(g)
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

func (r onDecided) decided(g goal.Goal) (goal.Goal, Rule) {
	d := g.Disagreement
	if g.Samples > 0 {
		g.Samples = g.DecidedRows(g.Samples)
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

func (r onDecided) Applies(goal.Goal) error { return nil }

func (r onDecided) Limit(g goal.Goal) float64 {
	on, rule := r.decided(g)
	return rule.Limit(on) * 2 * g.Disagreement
}

func (r onDecided) Holds(g goal.Goal) bool {
	on, rule := r.decided(g)
	return on.Samples > 0 && (on.Tau >= rule.Limit(on) || rule.Holds(on)) // no mean can be so far off, or rarely is
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
	for rows > 1 && g.DecidedRows(rows-1) >= least.N {
		rows--
	}
	return Reached{N: rows}, nil
}

func (r onDecided) Queries(g goal.Goal) int64 {
	switch on, rule := r.decided(g); {
	case on.Samples == 0:
		return 0
	case on.Tau >= rule.Limit(on):
		return goal.MaxCount
	default:
		return rule.Queries(on)
	}
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
	switch on, rule := r.decided(g); {
	case on.Samples == 0:
		return 0
	case on.Tau >= rule.Limit(on):
		return theory.Zero
	default:
		return rule.Beta(on)
	}
}

// convexLook is one query at its convex tails: on both sides, on one, or at a known bar.
type convexLook struct {
	Domain
	both, bar bool
}

// ln is ln of what one side fails with, by a known bar if one counts.
func (c convexLook) ln(g goal.Goal, side func(v tail.Convex, n int64, tau float64) float64) float64 {
	v := tail.Convex{Lowest: g.Query.Lowest()}
	if c.bar {
		return v.LnAt(g.Samples, g.BarTails())
	}
	return side(v, g.Samples, g.Tau)
}

// about is that, which cells need not have certified.
func (c convexLook) about(g goal.Goal) float64 { return c.ln(g, tail.Convex.Peak) }

// level is ln of what one side may fail with, rounded down.
func (c convexLook) level(g goal.Goal) float64 {
	if !c.both {
		return g.Beta.Ln()
	}
	return math.Nextafter(g.Beta.Ln()-math.Ln2, math.Inf(-1))
}

func (c convexLook) Holds(g goal.Goal) bool {
	if c.bar {
		return c.about(g) <= c.level(g)
	}
	return tail.Convex{Lowest: g.Query.Lowest()}.IsWithin(g.Samples, g.Tau, c.level(g))
}

func (c convexLook) Samples(g goal.Goal, _ Trail) (Reached, error) {
	level, spread := c.level(g), g.Spread()
	enough := func(n int64) bool { g.Samples = n; return c.about(g) <= level }
	if !enough(goal.MaxCount) {
		return Reached{}, theory.TooMany(math.Inf(1))
	}
	guess := min(-level*spread*spread/(2*g.Tau*g.Tau), goal.MaxCount)
	for range 4 { // ln of the tail is almost proportional to the rows
		g.Samples = max(int64(guess), 1)
		guess = min(max(guess*level/min(c.about(g), -1), 1), goal.MaxCount)
	}
	n := num.Ints{Lo: 1, Hi: goal.MaxCount, Guess: int64(guess)}.Least(enough)
	for g.Samples = n; ; g.Samples++ { // where cells are a rounding short
		if tau, _ := c.Tau(g); tau <= g.Tau { // whose cells serve the goal's tau too
			return Reached{N: g.Samples, Tau: tau}, nil
		}
		if c.Holds(g) {
			return Reached{N: g.Samples}, nil
		}
	}
}

func (c convexLook) Queries(g goal.Goal) int64 { return MostQueries(g, 1, c.Holds) }

func (c convexLook) Tau(g goal.Goal) (float64, Mechanism) {
	level, top, asked := c.level(g), c.Limit(g), g.Tau
	excess := func(tau float64) float64 { g.Tau = tau; return max(c.about(g)-level, -math.MaxFloat64) }
	last := math.Nextafter(top, 0)
	if excess(last) > 0 {
		return top, Mechanism{}
	}
	bracket := num.Interval{Hi: last}
	near := asked * (1 - 4/float64(g.Samples)) // below the root where the rows are the least ones
	if inside := near > 0 && asked < last; inside && excess(near) > 0 && excess(asked) <= 0 {
		bracket = num.Interval{Lo: near, Hi: asked}
	}
	tau := bracket.SafeRoot(1e-13, excess)
	for grow := 1e-14; tau < top; grow *= 4 {
		if g.Tau = tau; c.Holds(g) {
			return tau, Mechanism{}
		}
		tau *= 1 + grow
	}
	return top, Mechanism{}
}

func (c convexLook) Beta(g goal.Goal) theory.LogProb {
	ln := c.ln(g, tail.Convex.LnSide)
	switch {
	case math.IsInf(ln, -1):
		return theory.Zero
	case c.both:
		ln += math.Ln2
	}
	if ln += 1e-15 * (1 + math.Abs(ln)); !(ln < 0) {
		return 0
	}
	return theory.LogProb(ln)
}

// FixedQuery is a requirement on the rows that one query, fixed before it meets them, needs at level beta/m: the
// relative-entropy form or, for 0/1 queries, the binomial one.
type FixedQuery struct {
	Domain
	Exact bool         // use the binomial requirement where the query is 0/1
	sides theory.Sides // of the binomial requirement
}

func (f FixedQuery) isBinomial(g goal.Goal) bool { return f.Exact && g.Query.IsZeroOne() }

func (f FixedQuery) Holds(g goal.Goal) bool {
	if f.isBinomial(g) {
		ok, _ := theory.BinomialHolds(fixedGoal(g), f.sides, g.Samples)
		return ok
	}
	ok, _ := theory.KLHolds(fixedGoal(g), g.Samples)
	return ok
}

func fixedGoal(g goal.Goal) theory.Fixed {
	return theory.Fixed{Tau: g.Tau, Level: theory.Level{Queries: g.Queries, Beta: g.Beta}}
}

func (f FixedQuery) Samples(g goal.Goal, _ Trail) (Reached, error) {
	n, err := theory.Bound[int64]{}, error(nil)
	if f.isBinomial(g) {
		n, err = theory.BinomialSamples(fixedGoal(g), f.sides)
	} else {
		n, err = theory.KLSamples(fixedGoal(g))
	}
	return Reached{N: n.Value}, err
}

func (f FixedQuery) Queries(g goal.Goal) int64 {
	if !f.isBinomial(g) {
		return MostQueries(g, 1, f.Holds)
	}
	worst, err := theory.BinomialWorst(theory.Deviation{Samples: g.Samples, Tau: g.Tau}, f.sides)
	ok := func(m int64) bool { g.Queries = m; return f.Holds(g) }
	if err != nil || !ok(1) {
		return 0
	}
	guess := int64(min(num.Exp(min(g.Beta.Ln()-worst.Ln(), 40)), goal.MaxCount))
	return num.Ints{Lo: 1, Hi: goal.MaxCount, Guess: guess}.Greatest(ok)
}

// Tau starts where p = 1/2 is the worst case, which it is unless tau is large, and else from Hoeffding's bound.
func (f FixedQuery) Tau(g goal.Goal) (float64, Mechanism) {
	if f.isBinomial(g) {
		tau, err := theory.BinomialTau(fixedGoal(g).Level, f.sides, g.Samples)
		if err != nil {
			tau = g.Spread()
		}
		return tau, Mechanism{}
	}
	level := LnOver(2, g).Float() / float64(g.Samples)
	guess := math.Sqrt(level / 2)
	for i := 0; i < 6 && guess < 0.49; i++ { // K(tau) = kl(1/2+tau||1/2) has slope 2 atanh(2 tau)
		guess -= (num.KLShift{P: 0.5, Shift: guess}.Nats() - level) / (2 * math.Atanh(2*guess))
		guess = math.Max(guess, 1e-300)
	}
	holds := func(tau float64) bool { g.Tau = tau; return f.Holds(g) }
	return num.Floats{Hi: g.Spread(), Guess: guess}.LeastBelow(holds), Mechanism{}
}

func (f FixedQuery) Beta(g goal.Goal) theory.LogProb {
	if f.isBinomial(g) {
		worst, err := theory.BinomialWorst(theory.Deviation{Samples: g.Samples, Tau: g.Tau}, f.sides)
		if err == nil && f.sides == theory.OneSide { // of a union, which counts the queries
			return worst
		}
		beta := worst.Ln() + num.Log(float64(g.Queries))
		beta += 1e-13 + 1e-15*(math.Abs(beta)-worst.Ln()) // so that beta/m is not below worst
		if err != nil || !(beta < 0) {
			return 0
		}
		return theory.LogProb(beta)
	}
	guess := num.Log(2*float64(g.Queries)) - float64(g.Samples)*num.KLShift{P: 0.5, Shift: math.Min(g.Tau, 0.499)}.Nats()
	return leastBeta(g, math.Min(guess, -1e-300), f.Holds)
}

// CountRule is one side of one 0/1 query at a known bar, by the count that passes.
type CountRule struct{}

func (CountRule) Gate(g goal.Goal) tree.CountGate {
	return tree.CountGate{Bar: g.BarTails(), LnRisk: g.Beta.Ln()}
}

func (CountRule) Applies(g goal.Goal) error { return goal.ZeroOne.Check(g.Query) }

func (CountRule) Limit(g goal.Goal) float64 { return barredLimit(g) }

func (r CountRule) Holds(g goal.Goal) bool { return r.Gate(g).Holds(g.Samples) }

func (r CountRule) Samples(g goal.Goal, _ Trail) (Reached, error) {
	if n := r.Gate(g).Samples(goal.MaxCount); n > 0 {
		return Reached{N: n}, nil
	}
	return Reached{}, theory.TooMany(math.Inf(1))
}

func (r CountRule) Queries(g goal.Goal) int64 { return MostQueries(g, 1, r.Holds) }

func (r CountRule) Tau(g goal.Goal) (float64, Mechanism) {
	if r.Gate(g).Always() {
		return 0, Mechanism{}
	}
	top := barredLimit(g)
	tau := num.Near{From: g.Tau, Top: top}.Least(func(tau float64) bool { g.Tau = tau; return r.Holds(g) })
	return tau, Mechanism{}
}

func (r CountRule) Beta(g goal.Goal) theory.LogProb {
	if r.Gate(g).Always() {
		return theory.Zero
	}
	return mostCertain(g, r.Holds)
}
