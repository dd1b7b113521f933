package transfer

import (
	"slices"
	"strings"
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

// said lists what the goal says beyond its four quantities, in the order of the flags. Every answer
// speaks of the kind of query, its sensitivity and the sides itself, and a check says how another of them is known:
// these four are not listed.
func (g Goal) said() (names []string) {
	if g.Budget == 0 && g.Epsilon == 0 && g.Shown == (Shown{Feedback: g.Feedback, OneSided: g.OneSided, Open: g.Open}) {
		return nil
	}
	for _, s := range [...]struct {
		name  string
		given bool
	}{
		{budgetFlag, g.Budget != 0}, {epsilonFlag, g.Epsilon != 0}, {disagreementFlag, g.Disagreement != 0},
		{atLeastFlag, g.AtLeast != 0}, {varianceFlag, g.Variance != 0},
		{secondMomentFlag, g.SecondMoment != 0},
		{passesFlag, g.Passes != 0}, {barFlag, g.Bar.Given}, {floorFlag, g.Floor != 0},
		{guessErrorFlag, g.GuessError.Given}, {holdFlag, g.Hold != 0}, {transcriptsFlag, g.Transcripts != 0},
		{lnFlag, g.LnTranscripts != 0}, {pastLooksFlag, g.PastLooks != 0},
	} {
		if s.given {
			names = append(names, s.name)
		}
	}
	return names
}

// Unused names what the goal of an answer says and the method makes no use of, as flags are called: the goal
// without it has the same answer.
func (m Method) Unused(a Answer) []string {
	return slices.DeleteFunc(a.said(), func(name string) bool {
		switch name {
		case atLeastFlag, varianceFlag, secondMomentFlag:
			return a.Mechanism.LowVariance || m.knows(a.Goal)
		case disagreementFlag: // which a check keeps on the sample alone
			return a.Mechanism.LowVariance || !a.Checked && slices.Contains(m.Uses, name)
		case budgetFlag:
			return m.Budgeted
		case epsilonFlag:
			return m.Procedure
		case transcriptsFlag, lnFlag:
			return m.Counted
		case pastLooksFlag:
			return m.Adaptive
		}
		return slices.Contains(m.Uses, name)
	})
}

// withUnused adds to the reason what the answer makes no use of.
func (m Method) withUnused(a Answer) Answer {
	names := m.Unused(a)
	if len(names) == 0 || a.Status != OK {
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
