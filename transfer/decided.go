package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
)

// Decided says whether predictions tell on which rows a difference can be other than 0, so that a check of their share
// leaves none but these to chance. The truth of a query is then its expectation over fresh labels of the same rows.
type Decided int

// The kinds. A check is a number of rows that are counted.
const (
	Undecided  Decided = iota // they do not: rows are random
	AnyClasses                // both of two models may be wrong
	TwoClasses                // two declared classes: where two models differ, exactly one is right
)

// decidedNames are the names in a plan.
var decidedNames = [...]string{"", "any", "two"}

// String returns the name in a plan, "" for none.
func (d Decided) String() string {
	if d < 0 || int(d) >= len(decidedNames) {
		return "unknown"
	}
	return decidedNames[d]
}

// ParseDecided reads the name in a plan.
func ParseDecided(name string) (Decided, error) {
	for i, n := range decidedNames {
		if n == name {
			return Decided(i), nil
		}
	}
	return 0, &theory.DomainError{Param: "decided", Value: name, Want: "any, two or nothing"}
}

// decides reports whether the rows on which queries can be other than 0 are counted.
func (g Goal) decides() bool {
	counted := g.Decided != Undecided && g.Checked && g.Disagreement > 0
	gates := g.Query == Difference && g.Feedback == Gate && !g.Open
	plain := g.SecondMoment == 0 && g.Sample == nil && g.Arrival == nil
	return counted && gates && plain
}

// decides reports whether the method makes use of it.
func (m Method) decides(g Goal) bool {
	u, ok := m.rule.(union)
	return ok && u.look.decided && g.decides()
}

// decidedRowsProof is where the tails are proved.
var decidedRowsProof = proved("open.md#decided-rows")

// counted says what a plan for decided rows takes for granted.
func (a Answer) counted() string {
	classes := ""
	if a.Decided == TwoClasses {
		classes = ", all predictions are of two declared classes"
	}
	return "labels are independent given the features" + classes + ", and a candidate that differs from the incumbent on more than the share " +
		formatFloat(a.Disagreement) + " of the rows is refused: the true value is the mean over fresh labels of these rows"
}

// decidedBy is the tail of a look at rows that predictions decide: at a known bar the better of two.
func (o oneLook) decidedBy(g Goal) rule {
	whatever := onDecided{look: o, query: Bounded}
	if g.Decided == TwoClasses {
		whatever.query = Binary
	}
	if inside := math.Abs(g.Bar.Value) < g.Disagreement; !g.Bar.Given || !inside { // no truth is beyond the disagreement
		return whatever
	}
	return either{first: onDecided{look: o, query: Bounded, bar: true}, second: whatever}
}

// onDecided is the rule of one difference phi that is 0 on all rows but a counted share d. It bounds (1+phi)/2 on
// floor(dn) rows, at tau/2d. A row that is not decided may be among these: it has the value 1/2 or, where all values
// are 0 and 1, counts as a sure win, which moves the mean and the truth alike. At a known bar c it is the
// relative entropy at the bar (1+c/d)/2, which bounds dn rows, whole or not.
type onDecided struct {
	look  oneLook
	query Query // of (1+phi)/2
	bar   bool  // whether a known bar counts
}

// decided is the goal on the decided rows, and its rule.
func (r onDecided) decided(g Goal) (Goal, rule) {
	d := g.Disagreement
	if g.Samples > 0 {
		g.Samples = decidedRows(d, g.Samples)
	}
	if g.Tau > 0 {
		g.Tau = g.Tau / (2 * d) * (1 - 2e-15)
	}
	g.Query, g.Disagreement, g.Checked, g.Decided = r.query, 0, false, Undecided
	if r.bar {
		g.Bar.Value = (1 + g.Bar.Value/d) / 2
		return g, closed{domain: domain{kinds: linear, top: barredLimit}, need: func(g Goal) num.DD {
			return oneSide(g, feedback.Interval{}.RateAt(g.bar()))
		}}
	}
	return g, oneLook{exact: r.look.exact, convex: r.look.convex}.independent(g)
}

// decidedRows is the greatest number of n rows that is at most the share d, or one more by rounding.
func decidedRows(d float64, n int64) int64 { return int64(math.Floor(d * float64(n) * (1 + 1e-15))) }

func (r onDecided) applies(Goal) error { return nil }

func (r onDecided) limit(g Goal) float64 {
	on, rule := r.decided(g)
	return rule.limit(on) * 2 * g.Disagreement
}

func (r onDecided) tight() bool { return true }

// trivial reports whether no row is decided, and never whether no mean can be so far off.
func (r onDecided) trivial(g Goal) (none, never bool) {
	on, rule := r.decided(g)
	return on.Samples == 0, on.Tau >= rule.limit(on)
}

func (r onDecided) holds(g Goal) bool {
	if none, never := r.trivial(g); none || never {
		return never && !none
	}
	on, rule := r.decided(g)
	return rule.holds(on)
}

func (r onDecided) samples(g Goal, _ trail) (reached, error) {
	on, rule := r.decided(g)
	least := reached{n: 1}
	if on.Tau < rule.limit(on) {
		var err error
		if least, err = rule.samples(on, nil); err != nil {
			return reached{}, err
		}
	}
	n := math.Ceil(float64(least.n) / g.Disagreement)
	if !(n <= MaxCount) {
		return reached{}, theory.TooMany(n)
	}
	rows := int64(n)
	for rows > 1 && decidedRows(g.Disagreement, rows-1) >= least.n {
		rows--
	}
	return reached{n: rows}, nil
}

func (r onDecided) queries(g Goal) int64 {
	switch none, never := r.trivial(g); {
	case none:
		return 0
	case never:
		return MaxCount
	}
	on, rule := r.decided(g)
	return rule.queries(on)
}

func (r onDecided) tau(g Goal) (float64, Mechanism) {
	on, rule := r.decided(g)
	if on.Samples == 0 {
		return g.spread(), Mechanism{}
	}
	least, _ := rule.tau(on)
	for g.Tau = least * 2 * g.Disagreement; ; g.Tau = math.Nextafter(g.Tau, 3) {
		if on, _ := r.decided(g); on.Tau >= least {
			return min(g.Tau, r.limit(g)), Mechanism{}
		}
	}
}

func (r onDecided) beta(g Goal) theory.LogProb {
	switch none, never := r.trivial(g); {
	case none:
		return 0
	case never:
		return theory.Zero
	}
	on, rule := r.decided(g)
	return rule.beta(on)
}
