package samplesize

import (
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/planfile"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// parameter is a number of a goal: the flag that lists its values, how they are read, and its column.
type parameter struct {
	flag   usage.Flag
	column column                      // Missing where the goal does not give it
	axis   func(transfer.Goal) float64 // its value on a drawing

	unknown transfer.Unknown // what it is as an unknown; None if it is never solved for

	least func(c usage.Values) int64
	read  func(c usage.Values, base transfer.Goal) (axis, record.Input, error)
}

// listed is a parameter of one type of values.
type listed[T any] struct {
	parameter
	kind  numbers.Kind[T]
	want  func(transfer.Goal) string // what a value is, where that depends on the kind of query
	cell  func(T) record.Cell
	set   func(*transfer.Goal, T)
	check func(values []T) error
}

func (l listed[T]) made() parameter {
	p, flag := l.parameter, l.flag.Name
	p.least = func(c usage.Values) int64 { return numbers.LeastLength(c, flag, l.kind) }
	p.read = func(c usage.Values, base transfer.Goal) (axis, record.Input, error) {
		kind := l.kind
		if l.want != nil {
			kind.Want = l.want(base)
		}
		values, err := numbers.List(c, flag, kind)
		if err == nil && l.check != nil {
			err = l.check(values)
		}
		in := commands.ListInput(c, flag, values, l.cell)
		in.Name = strings.ReplaceAll(flag, "-", "_")
		return axisOf(flag, values, l.set), in, err
	}
	return p
}

// given is a cell of a number that the goal may leave out.
func given(column column, is func(transfer.Goal) bool) column {
	cell := column.Cell
	column.Cell = func(r *row) record.Cell {
		if !is(r.Goal) {
			return record.Cell{}
		}
		return cell(r)
	}
	return column
}

// betaFlag and confidenceFlag are two names of one quantity.
const (
	betaFlag       = "beta"
	confidenceFlag = "confidence"
)

// parameters are the numbers of a goal, in the order of the flags. A new one is an entry here, and a field of the row
// where it has one.
var parameters = []parameter{
	listed[int64]{
		parameter: parameter{flag: usage.Flag{Name: "samples", Alias: "n", Usage: "`N` rows in the sample"},
			column: columnSamples.Titled("rows"), unknown: transfer.Samples,
			axis: func(g transfer.Goal) float64 { return float64(g.Samples) }},
		kind: numbers.Counts, cell: record.Count, set: func(g *transfer.Goal, n int64) { g.Samples = n },
	}.made(),
	listed[int64]{
		parameter: parameter{flag: usage.Flag{Name: "queries", Alias: "m", Usage: "`M` adaptively chosen queries"},
			column: columnQueries, unknown: transfer.Queries,
			axis: func(g transfer.Goal) float64 { return float64(g.Queries) }},
		kind: numbers.Counts, cell: record.Count, set: func(g *transfer.Goal, m int64) { g.Queries = m },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "tau", Alias: "t",
			Usage: "accuracy `T`: how far an answer may be from the population"},
			column: columnTau, unknown: transfer.Tau, axis: func(g transfer.Goal) float64 { return g.Tau }},
		kind: numbers.Positives, cell: record.Number, set: func(g *transfer.Goal, t float64) { g.Tau = t },
		want: func(g transfer.Goal) string {
			switch g.Query {
			case transfer.Bounded, transfer.Binary:
				return "a number in (0, 1)"
			case transfer.Difference:
				return "a number in (0, 2)"
			}
			return numbers.Positives.Want
		},
	}.made(),
	listed[theory.LogProb]{
		parameter: parameter{flag: usage.Flag{Name: betaFlag, Alias: "b",
			Usage: "failure probability `B`, for all queries together; 1e-4343 is fine"},
			column: columnBeta, unknown: transfer.Beta, axis: func(g transfer.Goal) float64 {
				if g.Beta == 0 {
					return 0
				}
				return g.Beta.Value()
			}},
		kind: numbers.Probabilities, cell: record.Chance, set: func(g *transfer.Goal, b theory.LogProb) { g.Beta = b },
		check: func(values []theory.LogProb) error { return numbers.LikelyFailures(betaFlag, values) },
	}.made(),
	listed[theory.LogProb]{
		parameter: parameter{flag: usage.Flag{Name: confidenceFlag, Usage: "1 - beta, `C`, in place of --beta"}},
		kind:      numbers.Confidences, cell: record.Chance, set: func(g *transfer.Goal, b theory.LogProb) { g.Beta = b },
		check: func(values []theory.LogProb) error { return numbers.LikelyFailures(confidenceFlag, values) },
	}.made(),
	listed[int64]{
		parameter: parameter{flag: usage.Flag{Name: "budget", Alias: "B",
			Usage: "flagged queries `K` that are answered: of Thresholdout, and with --feedback flags"},
			column: columnBudget, axis: func(g transfer.Goal) float64 { return float64(g.Budget) }},
		kind: numbers.Counts, cell: record.Count, set: func(g *transfer.Goal, k int64) { g.Budget = k },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "sensitivity",
			Usage: "one row moves a sensitive query or a loss by at most `D`/n (default 1)"},
			column: columnSensitivity, axis: func(g transfer.Goal) float64 { return g.Sensitivity }},
		kind: numbers.Positives, cell: record.Number, set: func(g *transfer.Goal, d float64) { g.Sensitivity = d },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "epsilon",
			Usage: "privacy `E` of the procedure, for the dp rows (default: each method's own)"},
			axis: func(g transfer.Goal) float64 { return g.Epsilon }},
		kind: numbers.Positives, cell: record.Number, set: func(g *transfer.Goal, e float64) { g.Epsilon = e },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "disagreement",
			Usage: "two models differ on at most `D` of the population, with --query difference (default 1)"},
			column: given(columnDisagreement, func(g transfer.Goal) bool { return g.Disagreement != 0 }),
			axis:   func(g transfer.Goal) float64 { return g.Disagreement }},
		kind: numbers.Positives, want: func(transfer.Goal) string { return "a number in (0, 1]" }, cell: record.Number,
		set: func(g *transfer.Goal, d float64) { g.Disagreement = d },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "at-least",
			Usage: "every population value is known to be at least `R`, with --query binary"},
			column: given(columnAtLeast, func(g transfer.Goal) bool { return g.AtLeast != 0 }),
			axis:   func(g transfer.Goal) float64 { return g.AtLeast }},
		kind: numbers.Positives, want: func(transfer.Goal) string { return "a number in (0.5, 1)" }, cell: record.Number,
		set: func(g *transfer.Goal, r float64) { g.AtLeast = r },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "variance",
			Usage: "the values of every query vary from row to row with variance at most `V`"},
			column: given(columnVariance, func(g transfer.Goal) bool { return g.Variance != 0 }),
			axis:   func(g transfer.Goal) float64 { return g.Variance }},
		kind: numbers.Positives, want: func(transfer.Goal) string { return "a number in (0, 0.25]" }, cell: record.Number,
		set: func(g *transfer.Goal, v float64) { g.Variance = v },
	}.made(),
	listed[int64]{
		parameter: parameter{flag: usage.Flag{Name: "passes",
			Usage: "the gate is retired at pass `K` (default: the number of queries)"},
			column: given(columnPasses, func(g transfer.Goal) bool { return g.Passes != 0 }),
			axis:   func(g transfer.Goal) float64 { return float64(g.Passes) }},
		kind: numbers.Counts, cell: record.Count, set: func(g *transfer.Goal, k int64) { g.Passes = k },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "threshold",
			Usage: "the gate's bar `C`, if it is known and the same for all tests"},
			column: columnBar, axis: func(g transfer.Goal) float64 { return g.Bar.Value }},
		kind: numbers.Reals, cell: record.Exactly, set: func(g *transfer.Goal, c float64) { g.Bar = transfer.Some(c) },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "floor",
			Usage: "the board's known baseline has the score `F` on the population (default 0)"},
			column: given(columnFloor, func(g transfer.Goal) bool { return g.Floor != 0 }),
			axis:   func(g transfer.Goal) float64 { return g.Floor }},
		kind: numbers.NonNegatives, want: func(transfer.Goal) string { return "a number in [0, 1)" }, cell: record.Exactly,
		set: func(g *transfer.Goal, f float64) { g.Floor = f },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "guess-error",
			Usage: "no guess within `G` of the truth is flagged (default half of tau)"},
			column: given(columnGuessError, func(g transfer.Goal) bool { return g.GuessError.Given }),
			axis:   func(g transfer.Goal) float64 { return g.GuessError.Value }},
		kind: numbers.NonNegatives, cell: record.Exactly,
		set: func(g *transfer.Goal, e float64) { g.GuessError = transfer.Some(e) },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "hold",
			Usage: "no guess within `T` of the value on the sample is flagged, in place of --guess-error"},
			column: columnHold, axis: func(g transfer.Goal) float64 { return g.Hold }},
		kind: numbers.Positives, cell: record.Number, set: func(g *transfer.Goal, t float64) { g.Hold = t },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "transcripts",
			Usage: "queries `N` that could be asked in all, for the method transcripts; 2^80 is fine"},
			column: columnTranscripts, axis: func(g transfer.Goal) float64 { return g.Transcripts }},
		kind: totals(), cell: totalCell, set: func(g *transfer.Goal, n float64) { g.Transcripts = n },
	}.made(),
	listed[float64]{
		parameter: parameter{flag: usage.Flag{Name: "ln-transcripts", Usage: "the natural logarithm `X` of that number"},
			column: columnLnGiven, axis: func(g transfer.Goal) float64 { return g.LnTranscripts }},
		kind: numbers.Positives, cell: record.Number, set: func(g *transfer.Goal, x float64) { g.LnTranscripts = x },
	}.made(),
	listed[int64]{
		parameter: parameter{flag: usage.Flag{Name: "past-looks",
			Usage: "looks `K` at the same rows that have been taken at full precision"},
			column: columnPastLooks, axis: func(g transfer.Goal) float64 { return float64(g.PastLooks) }},
		kind: numbers.Counts, cell: record.Count, set: func(g *transfer.Goal, k int64) { g.PastLooks = k },
	}.made(),
}

// totals are numbers of at least one of which powers are fine.
func totals() numbers.Kind[float64] {
	k := numbers.Positives
	number := k.Parse
	k.Want = "a number of at least 1, or a power such as 2^80"
	k.Parse = func(s string) (float64, bool) {
		base, exponent, power := strings.Cut(s, "^")
		x, ok := number(base)
		if power && ok {
			var e float64
			if e, ok = number(exponent); ok {
				if x = math.Pow(x, e); x > transfer.MaxCount {
					x = math.Nextafter(x, math.Inf(1))
				}
			}
		}
		return x, ok && x >= 1 && x <= math.MaxFloat64
	}
	return k
}

// totalCell is a whole number as such, as far as there are all of them.
func totalCell(x float64) record.Cell {
	if x == math.Trunc(x) && x <= transfer.MaxCount {
		return record.Count(int64(x))
	}
	return record.Number(x)
}

// The flags of a goal that are words.
var (
	queryFlag = usage.Flag{Name: "query", Usage: "`KIND` of query: " + kinds[0] + " (default), " +
		usage.OrList(kinds[1:]), Words: kinds}
	feedbackFlag = usage.Flag{Name: "feedback", Usage: "what is `SHOWN`: answers (default), gate (pass or fail), best (the best " +
		"score), flags (corrections of guesses) or final (scores of finalists, once)", Words: shownNames()}
	oneSidedFlag = usage.Flag{Name: "one-sided", Switch: true,
		Usage: "nothing shown exceeds the truth by more than tau; short of it, it may be anything"}
	checkedFlag = usage.Flag{Name: "checked", Switch: true,
		Usage: "the mechanism keeps --disagreement or --at-least on the sample, and nothing is assumed of the population"}
)

// kinds are the names of --query. The first is the default.
var kinds = append(slices.Clone(commands.QueryKinds), transfer.Difference.String())

// shownNames are the names of --feedback. The first is the default.
func shownNames() (names []string) {
	for f := transfer.Answers; f <= transfer.Final; f++ {
		names = append(names, f.String())
	}
	return names
}

// goalFlags are the flags that say what a goal is.
func goalFlags() (flags []usage.Flag) {
	for _, p := range parameters {
		switch p.flag.Name {
		case "sensitivity":
			flags = append(flags, queryFlag)
		case "passes":
			flags = append(flags, checkedFlag, feedbackFlag, oneSidedFlag)
		}
		flags = append(flags, p.flag)
	}
	return flags
}

// leastGoals is how many goals a command has, or slightly fewer, told before the values of
// its lists are made.
func leastGoals(c usage.Values) int64 {
	goals := int64(1)
	for _, p := range parameters {
		if length := p.least(c); c.Is("zip") {
			goals = max(goals, length)
		} else {
			goals = min(goals*length, math.MaxInt32) // both are below 2^31
		}
	}
	return goals
}

// readKind reads what the queries are and what is shown of them.
func readKind(c usage.Values) (base transfer.Goal, err error) {
	query, err := usage.OneOf(c, queryFlag.Name, queryFlag.Words...)
	if err != nil {
		return base, err
	}
	shown, err := usage.OneOf(c, feedbackFlag.Name, feedbackFlag.Words...)
	if err != nil {
		return base, err
	}
	if base.Query, err = transfer.ParseQuery(query); err != nil {
		return base, err
	}
	base.OneSided, base.Checked = c.Is(oneSidedFlag.Name), c.Is(checkedFlag.Name)
	base.Feedback, err = transfer.ParseFeedback(shown)
	return base, err
}

// readGrid reads the goals. Of samples, queries, tau and beta at least as many are needed as needs says.
func readGrid(c usage.Values, inputs *[]record.Input, needs int) (none grid, err error) {
	base, err := readKind(c)
	if err != nil {
		return none, err
	}
	typed := func(flag string) bool { _, ok := c.Text(flag); return ok }
	if typed(betaFlag) && typed(confidenceFlag) {
		return none, usage.Errorf("--confidence: given with --beta, want one of the two")
	}
	var axes []axis
	var known []string
	for _, p := range parameters {
		axis, in, err := p.read(c, base)
		if err != nil {
			return none, err
		}
		axes = append(axes, axis)
		switch name := p.flag.Name; {
		case name == betaFlag && typed(confidenceFlag), name == confidenceFlag && !typed(name):
			continue
		case name == confidenceFlag && axis.length == 1: // a list is repeated as it was typed
			in.Name = betaFlag
		case name == "sensitivity":
			*inputs = append(*inputs, record.Input{Name: queryFlag.Name, Value: record.Words(base.Query.String())})
		case name == "passes":
			*inputs = append(*inputs, record.Input{Name: feedbackFlag.Name, Value: record.Words(base.Feedback.String())},
				record.Input{Name: "one_sided", Value: record.Truth(base.OneSided)})
			if base.Checked {
				*inputs = append(*inputs, record.Input{Name: "checked", Value: record.Truth(true)})
			}
		}
		*inputs = append(*inputs, in)
	}
	for _, u := range []transfer.Unknown{transfer.Samples, transfer.Queries, transfer.Tau, transfer.Beta} {
		if typed(u.String()) || u == transfer.Beta && typed(confidenceFlag) {
			known = append(known, "--"+u.String())
		}
	}
	if len(known) < needs {
		got := strings.Join(known, ", ")
		if got == "" {
			got = "none"
		}
		return none, usage.Errorf("samplesize: got %s, want three of --samples, --queries, --tau, --beta to find the "+
			"fourth, or all to check", got)
	}
	if base.Feedback == transfer.Flags && !typed("budget") {
		return none, usage.Errorf("--budget: got nothing, want how many flags --feedback flags may raise")
	}
	return newGrid(base, c.Is("zip"), axes...)
}

// valid refuses what is wrong with a goal. A single goal is refused as well for what of many is a row's status.
func (g grid) valid(goals int) (unknown transfer.Unknown, err error) {
	for i := range goals {
		goal := g.goal(i)
		if err := goal.Validate(); err != nil {
			return unknown, err
		}
		unknown = goal.Unknown()
	}
	if goals == 1 {
		err = g.goal(0).Overspent()
	}
	return unknown, err
}

// planKeys are the flags of samplesize that a plan file may set.
func planKeys() planfile.Keys {
	k := planfile.Keys{Switches: []string{"zip", oneSidedFlag.Name, checkedFlag.Name}, Rivals: map[string]string{
		betaFlag: confidenceFlag, confidenceFlag: betaFlag, "hold": "guess-error", "guess-error": "hold",
		"transcripts": "ln-transcripts", "ln-transcripts": "transcripts", "at-least": "variance", "variance": "at-least",
	}}
	for _, f := range goalFlags() {
		k.All = append(k.All, f.Name)
	}
	k.All = append(k.All, "method", "proofs", "zip", "max-rows")
	return k
}

// drawn are the parameters that a drawing has an axis for, the first of equals first.
func drawn() []parameter {
	order := []string{"queries", "tau", "beta", "samples"}
	list := slices.DeleteFunc(slices.Clone(parameters), func(p parameter) bool { return p.axis == nil })
	slices.SortStableFunc(list, func(a, b parameter) int {
		return rank(order, a.flag.Name) - rank(order, b.flag.Name)
	})
	return list
}

// rank is the place of a name, or after all.
func rank(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}
