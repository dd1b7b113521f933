package transfer

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/transfer/solver"
)

// The names of what a goal may say beyond its four quantities, as flags are called.
const (
	budgetFlag       = "budget"
	epsilonFlag      = "epsilon"
	disagreementFlag = "disagreement"
	atLeastFlag      = "at-least"
	varianceFlag     = "variance"
	secondMomentFlag = "second-moment"
	passesFlag       = "passes"
	barFlag          = "threshold"
	floorFlag        = "floor"
	guessErrorFlag   = "guess-error"
	holdFlag         = "hold"
	transcriptsFlag  = "transcripts"
	lnFlag           = "ln-transcripts"
	pastLooksFlag    = "past-looks"
)

// parameters are what a goal may say beyond its four quantities, its kind of query, its feedback and how its rows were
// drawn. Its sensitivity, its sides and that it is open have no name here, as every answer speaks of them, and a check
// says how another of them is known.
var parameters = [...]struct {
	name  string
	field field
}{
	{budgetFlag, withBudget}, {epsilonFlag, withEpsilon}, {disagreementFlag, withDisagreement}, {atLeastFlag, withAtLeast},
	{varianceFlag, withVariance}, {secondMomentFlag, withSecondMoment}, {passesFlag, withPasses}, {barFlag, withBar},
	{floorFlag, withFloor}, {guessErrorFlag, withGuess}, {holdFlag, withHold}, {transcriptsFlag, withTranscripts},
	{lnFlag, withLn}, {pastLooksFlag, withPastLooks},
}

var known = []string{disagreementFlag, atLeastFlag, varianceFlag, secondMomentFlag}

// Used returns the goal of an answer with only the fields that the method uses. The number, its proof and what is said
// to be unused follow from these fields alone, so that no method uses a field that is not copied here.
func (m Method) Used(a Answer) Goal { return m.used(a.Goal, a.Mechanism.LowVariance) }

// used is [Method.Used] of an answer that does, or does not, rest on the low-variance bound.
func (m Method) used(g Goal, low bool) Goal {
	g = g.WithFlags()
	used := Goal{Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Query: g.Query,
		Range: g.Range, Arrival: g.Arrival, Sample: g.Sample, Ratio: g.Ratio}
	used.Feedback, used.OneSided = g.Feedback, g.OneSided && m.OneSided
	if !g.Query.IsMean() {
		used.Sensitivity = g.Sensitivity
	}
	if used.Open = g.Open && m.IsOpen(); g.Open && !m.IsOpen() && g.Feedback == Gate {
		g.Passes = g.Rare()
	}
	if g.IsPlain() {
		return used
	}
	return m.withParameters(g, used, low)
}

// withParameters adds to what is used those parameters that the method uses. It is apart from [Method.used] because a
// goal whose fields are set by functions costs an allocation.
func (m Method) withParameters(g, used Goal, low bool) Goal {
	for _, p := range parameters {
		if m.takes(p.name) && !slices.Contains(known, p.name) {
			p.field(g, &used)
		}
	}
	all := used
	all.Disagreement, all.AtLeast, all.Variance = g.Disagreement, g.AtLeast, g.Variance
	all.SecondMoment, all.Checked = g.SecondMoment, g.Checked
	low = low && m.low != nil && moment(all) != nil
	decides := m.decides(g)
	if decides {
		used.Decided = g.Decided
	}
	bounds := !g.Checked && m.takes(disagreementFlag) // a check keeps it on the sample alone
	if low || decides || bounds {
		withDisagreement(g, &used)
	}
	if low && !(all.Disagreement > 0) || m.usesKnownVariance(all) {
		used.AtLeast, used.Variance, used.SecondMoment = all.AtLeast, all.Variance, all.SecondMoment
	}
	bounded := used.Disagreement > 0 || used.AtLeast > 0 || used.SecondMoment > 0
	used.Checked = g.Checked && bounded
	return used
}

// takes reports whether the method uses a parameter wherever it is given.
func (m Method) takes(name string) bool {
	switch name {
	case budgetFlag:
		return m.NeedsBudget() || slices.Contains(m.Uses, name)
	case epsilonFlag:
		return m.Procedure || slices.Contains(m.Uses, name)
	case transcriptsFlag, lnFlag:
		return m.NeedsTranscripts() || slices.Contains(m.Uses, name)
	case pastLooksFlag:
		return m.Adaptive || slices.Contains(m.Uses, name)
	}
	return slices.Contains(m.Uses, name)
}

// Plain returns the method without the theorems that use how much queries vary.
func (m Method) Plain() Method {
	m.low = nil
	m.Uses = slices.DeleteFunc(slices.Clone(m.Uses), func(name string) bool { return slices.Contains(known, name) })
	return m
}

// Unused names what the goal of an answer says and the method makes no use of, as flags are called: the goal
// without it has the same answer and the same proof.
func (m Method) Unused(a Answer) (names []string) {
	g := a.Goal.WithFlags()
	if g.IsPlain() {
		return nil
	}
	used := m.Used(a)
	for _, p := range parameters {
		var said, counted Goal
		p.field(g, &said)
		p.field(used, &counted)
		if said != (Goal{}) && counted == (Goal{}) {
			names = append(names, p.name)
		}
	}
	return names
}

// withUnused adds to the reason what the answer makes no use of, and that it counts rows.
func (m Method) withUnused(a Answer) Answer {
	names := m.Unused(a)
	if a.Status != OK {
		return a
	}
	if m.decides(a.Goal) && a.Reason == "" {
		a.Reason = "rows on which predictions differ are counted, and the true value is over fresh labels of these rows"
	}
	if len(names) == 0 {
		return a
	}
	last := names[len(names)-1]
	text, verb := last, " is not used"
	if len(names) > 1 {
		text = strings.Join(names[:len(names)-1], ", ") + " and " + last
	}
	if len(names) > 1 || strings.HasSuffix(last, "s") {
		verb = " are not used"
	}
	if a.Reason != "" {
		a.Reason += "; "
	}
	a.Reason += text + verb
	return a
}

func (m Method) decides(g Goal) bool {
	u, ok := m.rule.(solver.Union)
	return ok && u.Look.Decided && g.Decides()
}

var decidedRowsProof = proved("open.md#decided-rows")
