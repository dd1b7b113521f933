package transfer

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// Proof says where the proof of a method's theorem is.
type Proof = theory.Proof

// The kinds of proof.
const (
	Published = theory.Published
	Derived   = theory.Derived
	Coq       = theory.Coq
)

// Status says what kind of answer a row is.
type Status = theory.Status

// The kinds of answers.
const (
	OK            = theory.OK            // the value is certified
	Vacuous       = theory.Vacuous       // the theorem holds and says nothing: tau or beta is trivial
	Infeasible    = theory.Infeasible    // no value within range satisfies the theorem
	NotApplicable = theory.NotApplicable // a hypothesis of the theorem fails
)

// Method is one theorem as a planning rule. Methods are values: a new one is a
// new entry of the registry.
type Method struct {
	Name      string          // as on the command line
	Summary   string          // one line
	Formula   string          // the inequality, in plain text
	Practice  string          // what to do, and what the theorem does not promise
	Proof     Proof           // published or derived
	Adaptive  bool            // whether it answers adaptively chosen queries; reference rows and DP procedures do not
	Procedure bool            // whether the guarantee is for the output of a DP procedure
	Setting   Setting         // where it says something of its own
	Needs     string          // the flag without which it has no answer, "" if there is none
	Splits    bool            // whether every query has a part of the holdout of its own
	Scheduled bool            // whether the noise may change from query to query
	OneSided  bool            // whether it has a form of its own for Goal.OneSided; others keep both sides
	Uses      []string        // of the flags of one kind of feedback or query, those that its inequality makes use of
	Feedbacks []Feedback      // what its promise is about; nil stands for the answers and for whatever is shown less
	Sources   []theory.Source // where the theorem is proved
	Tails     []theory.Source // the derived lemma that an answer about a [Difference] rests on as well, if any
	Assumes   []string        // hypotheses that code cannot check
	theorems                  // by what is asked
}

// Setting says where a method says something of its own.
type Setting int

// The settings.
const (
	Anywhere     Setting = iota
	OpenPlans            // only where the goal is [Shown.Open]
	ArrivingRows         // only where rows arrive between the queries
	Benchmarks           // only where each query draws a subset of a benchmark anew
)

// IsOpen reports whether the method is for open plans.
func (m Method) IsOpen() bool { return m.Setting == OpenPlans }

// IsRedrawn reports whether each query draws a subset of a benchmark anew.
func (m Method) IsRedrawn() bool { return m.Setting == Benchmarks }

// NeedsBudget reports whether the method needs Goal.Budget.
func (m Method) NeedsBudget() bool { return m.Needs == budgetFlag }

// NeedsTranscripts reports whether the method needs Goal.Transcripts or its logarithm.
func (m Method) NeedsTranscripts() bool { return m.Needs == transcriptsFlag }

// theorems are the inequalities of a method, by what is asked.
type theorems struct {
	rule     solver.Rule // for both sides of values in [0,1], and for whatever has no rule of its own below
	other    solver.Rule // for one side, and for differences; nil if rule serves them
	low      solver.Rule // where the second moment is known to be small, and it asks for less; nil if nothing is gained
	arriving solver.Rule // where rows arrive between the queries; nil if the theorem needs all of them at the first
	halves   bool        // whether differences are decided by half of them
	drawn    solver.Rule // where the goal has a [Sample]; nil if the theorem needs independent rows of equal weight
	ratio    solver.Rule // where queries are a [Ratio]; nil if the theorem needs means over the rows
}

// ruleFor is the method's theorem for a goal with only the fields that the method uses.
func (m Method) ruleFor(g Goal) solver.Rule {
	r := m.rule
	switch {
	case g.Sample != nil && m.drawn != nil:
		return m.drawn
	case g.Ratio.IsGiven() && m.ratio != nil:
		return m.ratio
	}
	if g.Arrival != nil && m.arriving != nil {
		r = m.arriving
		if m.halves && g.Query.IsSigned() {
			r = solver.Halved(r)
		}
		return r
	}
	if special := g.OneSided || g.Query.IsSigned() || m.usesKnownVariance(g); special && m.other != nil {
		r = m.other
	}
	if m.Splits {
		r = solver.Split(r)
	}
	if m.halves && g.Query.IsSigned() {
		r = solver.Halved(r)
	}
	if m.low != nil && moment(g) != nil {
		low := m.low
		if g.IsHalved() {
			low = solver.Halved(low)
		}
		r = solver.Either{First: low, Second: r}
	}
	if g.PastLooks > 0 {
		r = solver.AfterLooks(r)
	}
	return r
}

// IsReference reports whether the method is for queries that were fixed before the data were
// seen. The price of adaptivity is reckoned from it.
func (m Method) IsReference() bool { return !m.Adaptive && !m.Procedure }

// Serves reports whether the method's promise is one for an analyst who is shown that. Reference rows are for
// queries fixed in advance, whatever is shown; a procedure's output is no answer to a gate or a board.
func (m Method) Serves(f Feedback) bool {
	switch {
	case m.IsReference():
		return true
	case m.Procedure:
		return f == Answers
	case m.Feedbacks != nil:
		return slices.Contains(m.Feedbacks, f)
	}
	return f != Final
}

// shownBy names the kinds of feedback that the method serves.
func (m Method) shownBy() string {
	var names []string
	for f := Answers; f <= Final; f++ {
		if m.Serves(f) {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, " or ")
}

// MethodsFor returns the methods that serve a kind of feedback for a number of queries, in printing order.
func MethodsFor(f Feedback) []Method {
	return slices.DeleteFunc(Methods(), func(m Method) bool {
		return m.Setting != Anywhere || !m.Serves(f)
	})
}

// Article describes the method.
func (m Method) Article() theory.Article {
	return theory.Article{
		Checked: each.Of(checkedRows[m.Name], checked.rows),
		Name:    m.Name, Summary: m.Summary, Formula: m.Formula, Practice: m.Practice,
		Proof: m.Proof, Sources: m.Sources, Assumes: m.Assumes,
	}
}

// Proven says where the proof of an answer is, and what it rests on.
func (m Method) Proven(a Answer) (Proof, []theory.Source) {
	g := m.Used(a)
	proof, sources := m.proven(g)
	if c, ok := m.checkedFor(g); ok {
		return Coq, each.Union(sources, c.given...)
	}
	return proof, sources
}

// Given returns the published theorems that an answer's theorems in Coq have as a hypothesis, none for an answer that
// Coq does not check.
func (m Method) Given(a Answer) []theory.Source {
	c, _ := m.checkedFor(m.Used(a))
	return c.given
}

// proven is Proven without what Coq checks.
func (m Method) proven(g Goal) (Proof, []theory.Source) {
	if g.Sample != nil {
		known := []theory.Source(nil)
		if m.spreads(g) {
			known = knownVariance
		}
		return Derived, slices.Concat(m.Sources, m.Tails, known, drawnSources(g))
	}
	sources := m.Sources
	if m.spreads(g) {
		sources = slices.Concat(sources, knownVariance)
	}
	switch {
	case g.Decided != Undecided:
		return Derived, slices.Concat(sources, decidedRowsProof)
	case g.Ratio.IsGiven():
		return Derived, slices.Concat(sources, proved("open.md#own-intervals"))
	}
	switch {
	case g.Query.IsSigned() && m.Tails != nil:
		return Derived, slices.Concat(sources, m.Tails)
	case m.usesKnownVariance(g):
		return Derived, sources
	}
	return m.Proof, sources
}

// usesKnownVariance reports whether the tails of the method's answers rest on a known variance or second moment, or its
// board begins at what every score is known to be at least.
func (m Method) usesKnownVariance(g Goal) bool {
	if g.SecondMoment > 0 && g.Checked {
		return m.Keeps(g)
	}
	if !slices.Contains(m.Uses, varianceFlag) {
		return false
	}
	if slices.Contains(m.Uses, floorFlag) { // a board begins at what every score is at least
		return g.Baseline() > g.Floor || g.Variance > 0
	}
	return g.SpreadKnown() != nil
}

// spreads reports whether these tails rest on a known variance or second moment.
func (m Method) spreads(g Goal) bool {
	floored := slices.Contains(m.Uses, floorFlag) && g.Variance == 0
	return m.usesKnownVariance(g) && slices.Contains(m.Uses, varianceFlag) && !floored
}

// Keeps reports whether the promise of the method needs that nothing is shown of a query whose mean square on the
// sample is above the goal's, and nothing any more after one.
func (m Method) Keeps(g Goal) bool {
	return g.Checked && g.SecondMoment > 0 && slices.Contains(m.Uses, secondMomentFlag)
}

// knownVariance is where these tails are proved.
var knownVariance = proved("feedback.md#known-variance")

// lowVariance is where the bound is proved.
var lowVariance = proved("variance.md#low-variance-bound")

// Rests says what an answer of the method rests on: its sources, and the hypotheses that code cannot check. They
// include the bound on the second moment of the queries where the answer makes use of it.
func (m Method) Rests(a Answer) (sources []theory.Source, assumes []string) {
	_, sources = m.Proven(a)
	a.Goal = m.Used(a)
	hypotheses := m.Assumes
	if m.usesKnownVariance(a.Goal) || a.Decided != Undecided || a.Ratio.IsGiven() {
		hypotheses = slices.Concat(hypotheses, []string{a.Goal.Hypothesis(a.Mechanism.LowVariance)})
	}
	if a.Sample != nil {
		return sources, drawnAssumes(a.Goal, hypotheses)
	}
	if a.Arrival != nil {
		if m.Proof == Derived {
			sources = slices.Concat(sources, arrivalProof)
		}
		assumes = slices.Concat(hypotheses, arrivalAssumes)
		if m.IsOpen() && a.Feedback == Best {
			assumes = append(assumes, "the board starts anew when rows come, and something has raised it since")
		}
		return sources, assumes
	}
	if m.usesKnownVariance(a.Goal) || !a.Mechanism.LowVariance {
		return sources, hypotheses
	}
	assumes = slices.Concat(m.Assumes, []string{a.Goal.Hypothesis(a.Mechanism.LowVariance)})
	return slices.Concat(sources, lowVariance), assumes
}

// IsExact reports whether the samples of an answer are the least number for which the
// method's inequality holds: with one fewer it fails. A method with free parameters
// searches for them, and what it finds may be above that.
func (m Method) IsExact() bool {
	switch m.rule.(type) {
	case solver.Closed, solver.FixedQuery, solver.Union:
		return true
	}
	return false
}

// Methods returns the registry in printing order.
func Methods() []Method { return slices.Clone(registry) }

// Lookup returns the method of that name.
func Lookup(name string) (Method, bool) {
	return each.First(registry, func(m Method) bool { return m.Name == name })
}
