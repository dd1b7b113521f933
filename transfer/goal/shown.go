package goal

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Feedback is what the analyst is shown.
type Feedback int

// The kinds. Whatever is computed from answers within tau keeps what is promised of it, so that a method for Answers
// serves every kind but Final.
const (
	Answers Feedback = iota // every query's value
	Gate                    // one bit a test: it passes or fails a bar
	Best                    // the best score so far
	Flags                   // a correction where a guess was wrong
	Final                   // the scores of the finalists, once and together
)

// feedbackNames are the names that the command line uses.
var feedbackNames = [...]string{"answers", "gate", "best", "flags", "final"}

const anyFeedback = "answers, gate, best, flags or final"

// String returns the name that the command line uses, or "unknown".
func (f Feedback) String() string {
	if f < 0 || int(f) >= len(feedbackNames) {
		return "unknown"
	}
	return feedbackNames[f]
}

// ParseFeedback reads the name of a kind.
func ParseFeedback(name string) (Feedback, error) {
	if i := slices.Index(feedbackNames[:], name); i >= 0 {
		return Feedback(i), nil
	}
	return 0, &theory.DomainError{Param: "feedback", Value: name, Want: anyFeedback}
}

// Less lists the kinds of feedback that show less than f, a gate first: it can be asked most often.
func (f Feedback) Less() []Feedback {
	switch f {
	case Answers:
		return []Feedback{Gate, Best, Flags, Final}
	case Best, Flags:
		return []Feedback{Gate, Final}
	case Gate:
		return []Feedback{Final}
	}
	return nil
}

// Showing returns the goal under another kind of feedback, with its limit: the passes of a gate, the corrections
// of flags, the queries that are finalists. Other kinds of feedback have no limit.
func (g Goal) Showing(f Feedback, limit int64) Goal {
	g.Feedback, g.Passes, g.Budget = f, 0, 0
	switch f {
	case Gate:
		g.Passes = limit
	case Flags:
		g.Budget = limit
	case Final:
		g.Queries, g.Open = limit, false
	}
	return g
}

// Option is a number that may be missing although zero is a value. The zero Option is missing.
type Option struct {
	Value float64
	Given bool
}

// Some returns a number that is given.
func Some(x float64) Option { return Option{x, true} }

// Or returns the number, or another where it is missing.
func (o Option) Or(other float64) float64 {
	if o.Given {
		return o.Value
	}
	return other
}

// Shown says what the analyst is shown. A field that belongs to one kind of feedback is zero for the others.
type Shown struct {
	Feedback Feedback
	OneSided bool // nothing shown exceeds the truth by more than tau; short of it, it may be anything
	Open     bool // no number of queries is fixed: the plan is about the one with the number Queries; not for Final

	// Gate: the gate is retired at this pass, from 1 to MaxCount; 0 stands for the number of queries. Open: which pass,
	// raise or correction the query is, if it is one; 0 stands for 1, or for the budget of Flags.
	Passes int64
	Bar    Option // Gate: the bar, if it is known and the same for all tests, in [0,1-tau), [-1,1-tau) for Difference

	Floor float64 // Best: the population score of a known baseline, in [0,1)

	Hold       float64 // Flags: a guess within Hold of the holdout's value is not flagged, in (0,tau); 0 if not asked for
	GuessError Option  // Flags: no guess within GuessError of the truth is flagged, in [0,tau); tau/2 without Hold

	Transcripts   float64 // Answers: how many queries could be asked in all, at least 1; 0 if not given
	LnTranscripts float64 // Answers: its logarithm, above 0, in place of it; 0 if not given
	PastLooks     int64   // Answers: looks already taken at full precision, to MaxCount
}

// validShown returns a DomainError for the first field of Shown outside its domain, or that belongs to
// another kind of feedback or query.
func (g Goal) validShown() error {
	if g.Feedback < Answers || g.Feedback > Final {
		return theory.Domain(false, "feedback", int(g.Feedback), anyFeedback)
	}
	if err := theory.Domain(!g.Open || g.Feedback != Final, "open", g.Open, "false, or another feedback than final"); err != nil {
		return err
	}
	if !g.hasPlainFeedback() {
		if err := g.validFields(); err != nil {
			return err
		}
	}
	budgeted := g.Feedback == Answers || g.Feedback == Flags
	return theory.Domain(g.Budget == 0 || budgeted, "budget", g.Budget, "none, or the feedback flags")
}

// hasPlainFeedback reports whether no field of one kind of feedback is given.
func (g Goal) hasPlainFeedback() bool {
	return g.Shown == Shown{Feedback: g.Feedback, OneSided: g.OneSided, Open: g.Open}
}

// validFields is validShown for the fields that belong to one kind of feedback.
func (g Goal) validFields() error {
	tau := g.Tau
	if tau == 0 {
		tau = g.Spread()
	}
	count := "a whole number from 1 to 9007199254740992"
	least, means := g.Query.Lowest(), g.Query.IsMean()
	bar, hold, guess := g.Bar.Value, g.Hold, g.GuessError.Value
	ln := g.LnTranscripts
	passing := Gate
	if g.Open && g.Feedback != Answers {
		passing = g.Feedback
	}
	for _, c := range [...]struct {
		name  string
		value any
		given bool
		kind  Feedback // the kind the field belongs to
		ok    bool     // whether it is in its domain
		want  string
	}{
		{"passes", g.Passes, g.Passes != 0, passing, g.Passes >= 1 && g.Passes <= MaxCount, count},
		{"threshold", bar, g.Bar.Given, Gate, means && bar >= least && bar < 1-g.Tau,
			"a number in [" + FormatFloat(least) + ", " + FormatFloat(1-g.Tau) + "), and a query that is a mean"},
		{"floor", g.Floor, g.Floor != 0, Best, g.Floor >= 0 && g.Floor < 1, "a number in [0, 1)"},
		{"hold", hold, hold != 0, Flags, hold > 0 && hold < tau, "a number in (0, " + FormatFloat(tau) + ")"},
		{"guess-error", guess, g.GuessError.Given, Flags, guess >= 0 && guess < tau,
			"a number in [0, " + FormatFloat(tau) + ")"},
		{"transcripts", g.Transcripts, g.Transcripts != 0, Answers,
			g.Transcripts >= 1 && g.Transcripts <= math.MaxFloat64, "a number of at least 1"},
		{"ln-transcripts", ln, ln != 0, Answers, ln > 0 && ln <= math.MaxFloat64, "a positive number"},
		{"past-looks", g.PastLooks, g.PastLooks != 0, Answers, g.PastLooks >= 1 && g.PastLooks <= MaxCount, count},
	} {
		switch {
		case !c.given:
		case c.kind != g.Feedback:
			return theory.Domain(false, c.name, c.value, "none, or the feedback "+c.kind.String())
		case !c.ok:
			return theory.Domain(false, c.name, c.value, c.want)
		}
	}
	if err := theory.Domain(hold == 0 || !g.GuessError.Given, "guess-error", guess, "none beside a hold"); err != nil {
		return err
	}
	if g.Feedback == Flags && g.Passes != 0 {
		if err := theory.Domain(g.Budget == 0, "passes", g.Passes, "none beside a budget"); err != nil {
			return err
		}
	}
	return theory.Domain(ln == 0 || g.Transcripts == 0, "ln-transcripts", ln, "none beside transcripts")
}

// Overspent returns a DomainError if more passes or more flags are given than there are queries. [Method.Solve]
// answers such a goal with a status, as it may be one of many.
func (g Goal) Overspent() error {
	most := "at most the number of queries"
	if err := theory.Domain(g.Queries == 0 || g.Passes <= g.Queries, "passes", g.Passes, most); err != nil {
		return err
	}
	return theory.Domain(g.Queries == 0 || g.Feedback != Flags || g.Budget <= g.Queries, "budget", g.Budget, most)
}

// Values returns the kind of the goal's query for the tails of package feedback, of independent rows.
func (g Goal) Values() tail.Values {
	known := g.SpreadKnown()
	switch {
	case g.Query.IsZeroOne():
		return sharper(tail.ZeroOne{}, known)
	case g.Query.IsSigned():
		return sharper(tail.Difference{Disagreement: g.MayDiffer()}, known)
	case !g.Query.IsMean():
		return tail.BoundedDifferences{Spread: g.Spread()}
	case known != nil:
		return known
	}
	return tail.Interval{}
}

// sharper is the values of which more may be known.
func sharper(values, known tail.Values) tail.Values {
	if known == nil {
		return values
	}
	return tail.Sharper{First: values, Second: known}
}

// Baseline returns what the best score of a board is known to be at least.
func (g Goal) Baseline() float64 {
	if g.Checked {
		return g.Floor
	}
	return max(g.Floor, g.AtLeast)
}

// AllPasses returns B of a gate.
func (g Goal) AllPasses() int64 {
	switch {
	case g.Open:
		return g.Rare()
	case g.Passes == 0:
		return g.Queries
	}
	return g.Passes
}

// GuessWithin returns tau_0 of a validator that is not asked to hold.
func (g Goal) GuessWithin() float64 { return g.GuessError.Or(g.Tau / 2) }

// WithGuessWithin returns the goal with the guess error that its tau gives it, which then stays where tau is searched.
func (g Goal) WithGuessWithin() Goal {
	if g.Feedback == Flags && g.Hold == 0 {
		g.GuessError = Some(g.GuessWithin())
	}
	return g
}

// KeepsThreshold reports whether a validator keeps to a threshold instead of a guess error.
func (g Goal) KeepsThreshold() bool { return g.Hold > 0 }
