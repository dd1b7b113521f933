package transfer

import (
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// Solve fills in the unknown of g, or checks g if nothing is missing. The error
// is a DomainError; everything else that can go wrong is the answer's status.
func (m Method) Solve(g Goal) (Answer, error) {
	return m.solveNear(g, nil)
}

func (m Method) solveNear(g Goal, by solver.Trail) (Answer, error) {
	a, err := m.solve(g, by)
	if err != nil {
		return Answer{}, err
	}
	return m.withUnused(a), nil
}

func (m Method) solve(g Goal, by solver.Trail) (Answer, error) {
	if err := g.Validate(); err != nil {
		return Answer{}, err
	}
	if g.Range.IsGiven() {
		a, err := m.solve(g.Share(), by)
		if strings.HasPrefix(a.Reason, "answering ") {
			a.Reason = "an answer without any data does as well"
		}
		return inUnits(g, a), err
	}
	asked := g.WithFlags()
	a := Answer{Goal: asked, Status: OK}
	r, g, err := m.posed(g)
	if err != nil {
		return a.refused(err)
	}
	if isTrivial(r, g) {
		a.TauAchieved = g.Tau
		return a.without(Vacuous, noBetter), nil
	}
	switch g.Unknown() {
	case Samples:
		least, err := r.Samples(g, by)
		if err != nil {
			return a.refused(err)
		}
		a.Samples, a.TauAchieved, a.Mechanism = least.N, least.Tau, least.Run
		if least.Tau > 0 {
			return m.complete(a), nil
		}
	case Queries:
		if a.Queries = r.Queries(g); a.Queries == 0 {
			return a.without(Infeasible, m.shortage(r, g)), nil
		}
		if a.Queries == MaxCount {
			a.Reason = "certified for 2^53 queries, the most that dpcalc counts"
		}
	case Tau:
		a.Tau, a.Mechanism = r.Tau(g)
		a.TauAchieved = a.Tau
		if why := a.useless(r, g); why != "" {
			a.Mechanism = Mechanism{}
			return a.without(Vacuous, why), nil
		}
		if a.Tau == 0 {
			return a.without(Vacuous, noneCanPass), nil
		}
		return m.complete(a), nil
	case Beta:
		if a.Beta = r.Beta(g); a.Beta == 0 {
			return a.without(Vacuous, "no failure probability below one is certified"), nil
		}
	case None:
		if !r.Holds(g) {
			return a.without(Infeasible, missing("needs", r, g)), nil
		}
	}
	// The solved unknown may be what a hypothesis speaks of.
	g = m.used(a.Goal, true)
	if err := r.Applies(g); err != nil {
		return Answer{Goal: asked}.refused(err)
	}
	a.TauAchieved, a.Mechanism = r.Tau(g.WithGuessWithin())
	if silent := a.Mechanism.Noise == ""; silent && a.TauAchieved > a.Tau && r.Holds(g) { // it is searched for
		a.TauAchieved = a.Tau
	}
	return m.complete(a), nil
}

// complete adds what limits an answer that is otherwise well, and the first scale of a schedule.
func (m Method) complete(a Answer) Answer {
	if m.Scheduled && a.Mechanism.Schedule == nil {
		a.Mechanism.ScaleFirst = a.Mechanism.Scale // of a single noise
	}
	if a.Reason == "" {
		a.Reason = a.guessed()
	}
	if m.IsOpen() && m.Scheduled {
		a.Reason = strings.TrimPrefix(a.Reason+"; "+a.computed(), "; ")
	}
	return a
}

// Certifies reports whether the theorem certifies g, in which nothing may be
// missing. It says less than [Method.Solve] and sooner. The error is a DomainError.
func (m Method) Certifies(g Goal) (bool, error) {
	if err := validPlan(g); err != nil {
		return false, err
	}
	r, g, err := m.posed(g.Share())
	return err == nil && !isTrivial(r, g) && r.Holds(g), nil
}

// validPlan returns a DomainError for a goal that is invalid, or in which something is missing.
func validPlan(g Goal) error {
	if err := g.Validate(); err != nil {
		return err
	}
	u := g.Unknown()
	return theory.Domain(u == None, u.String(), "nothing", "a value")
}

// Admits returns why no plan for a goal, in which nothing is missing, can rest on the method, or nil. The error is a
// DomainError, a NotApplicableError or a NoAnswerError.
func (m Method) Admits(g Goal) error {
	if err := g.Validate(); err != nil {
		return err
	}
	r, g, err := m.posed(g.Share())
	if err == nil && isTrivial(r, g) {
		err = &theory.NoAnswerError{Reason: noBetter}
	}
	return err
}

func (m Method) shortage(r solver.Rule, g Goal) string {
	g.Queries = solver.Fewest(g)
	return missing(goal.Plural(g.Queries, "query needs", "queries need"), r, g)
}

const (
	noBetter    = "no accuracy better than the trivial one is certified"
	noneCanPass = "nothing at the bar or below it can pass, whatever tau is"
)

func isTrivial(r solver.Rule, g Goal) bool { return g.Tau > 0 && g.Tau >= r.Limit(g) }

// useless says why a tau that was solved for promises nothing, "" if it promises something: it is at the limit of the
// rule, or two differences are never so far apart. A bar that the method uses may be beyond all differences.
func (a Answer) useless(r solver.Rule, used Goal) string {
	switch {
	case a.Query.IsSigned() && !used.Bar.Given && a.Tau >= 2*a.MayDiffer():
		return a.NoDifference()
	case a.Tau >= r.Limit(used):
		return noBetter
	}
	return ""
}

// posed returns the rule for a goal, and the goal with only the fields that the method uses. The error is a hypothesis
// that fails, or a kind of feedback that the method does not serve.
func (m Method) posed(g Goal) (solver.Rule, Goal, error) {
	g = m.used(g, true)
	r := m.ruleFor(g)
	return r, g, m.applies(r, g)
}

func (m Method) applies(r solver.Rule, g Goal) error {
	switch {
	case m.IsOpen() && !g.Open:
		return goal.Needs("an open plan")
	case g.Arrival != nil && m.arriving == nil:
		return goal.Needs("all rows at hand from the first query on")
	case m.IsRedrawn() && !goal.IsSubset(g.Sample):
		return goal.Needs("a benchmark of so many items")
	case g.Sample != nil && m.drawn == nil:
		return goal.Needs("independent rows of equal weight")
	case g.Ratio.IsGiven() && m.ratio == nil:
		return goal.Needs("a mean over the rows, which a ratio is not")
	case !m.Serves(g.Feedback):
		return goal.Needs("the feedback " + m.shownBy())
	}
	return r.Applies(g)
}

// missing says what a plan that fails needs. A sample may have its number of rows.
func missing(needs string, r solver.Rule, g Goal) string {
	if g.Sized() {
		return needs + " a sample that is worth more than " + g.WorthWords()
	}
	least, err := r.Samples(g, nil)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %d rows, and there are %d", needs, least.N, g.Samples)
}
