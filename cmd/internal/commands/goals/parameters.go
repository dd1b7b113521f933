package goals

import (
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Parameter is a number of a goal: the flag that lists its values, how they are read, and its column.
type Parameter struct {
	Flag   usage.Flag
	Column Column                      // Missing where the goal does not give it
	Axis   func(transfer.Goal) float64 // its value on a drawing

	Unknown transfer.Unknown // what it is as an unknown; None if it is never solved for

	least func(c usage.Values) int64
	read  func(c usage.Values, base transfer.Goal) (Axis, record.Input, error)
}

// listed is a parameter of one type of values.
type listed[T any] struct {
	Parameter
	kind  numbers.Kind[T]
	want  func(transfer.Goal) string // what a value is, where that depends on the kind of query
	cell  func(T) record.Cell
	set   func(*transfer.Goal, T)
	check func(values []T) error
}

func (l listed[T]) made() Parameter {
	p, flag := l.Parameter, l.Flag.Name
	p.least = func(c usage.Values) int64 { return numbers.LeastLength(c, flag, l.kind) }
	p.read = func(c usage.Values, base transfer.Goal) (Axis, record.Input, error) {
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
		return commands.AxisOf(flag, values, l.set), in, err
	}
	return p
}

// Given is a cell of a number that the goal may leave out.
func Given(column Column, is func(transfer.Goal) bool) Column {
	cell := column.Cell
	column.Cell = func(r *Row) record.Cell { return cell(r).If(is(r.Goal)) }
	return column
}

// PositivesFlag is the share of the rows that a model predicts positive.
const PositivesFlag = "positives"

// betaFlag and confidenceFlag are two names of one quantity.
const (
	BetaFlag       = "beta"
	ConfidenceFlag = "confidence"
)

// wanting is a kind that says otherwise what it wants.
func wanting(want string, k numbers.Kind[float64]) numbers.Kind[float64] {
	k.Want = want
	return k
}

// count is a parameter of whole numbers, in a field of the goal.
func count(name, alias, help string, column Column, field func(*transfer.Goal) *int64) Parameter {
	return listed[int64]{
		Parameter: Parameter{Flag: usage.Flag{Name: name, Alias: alias, Usage: help}, Column: column,
			Axis: func(g transfer.Goal) float64 { return float64(*field(&g)) }},
		kind: numbers.Counts, cell: record.Count, set: func(g *transfer.Goal, n int64) { *field(g) = n },
	}.made()
}

// amount is a parameter of real numbers, in a field of the goal.
func amount(name, help string, kind numbers.Kind[float64], cell func(float64) record.Cell, column Column,
	field func(*transfer.Goal) *float64) Parameter {
	return listed[float64]{
		Parameter: Parameter{Flag: usage.Flag{Name: name, Usage: help}, Column: column,
			Axis: func(g transfer.Goal) float64 { return *field(&g) }},
		kind: kind, cell: cell, set: func(g *transfer.Goal, x float64) { *field(g) = x },
	}.made()
}

// option is a parameter of real numbers that zero is one of.
func option(name, help string, kind numbers.Kind[float64], column Column,
	field func(*transfer.Goal) *transfer.Option) Parameter {
	return listed[float64]{
		Parameter: Parameter{Flag: usage.Flag{Name: name, Usage: help}, Column: column,
			Axis: func(g transfer.Goal) float64 { return field(&g).Value }},
		kind: kind, cell: record.Exactly, set: func(g *transfer.Goal, x float64) { *field(g) = transfer.Some(x) },
	}.made()
}

// solvable is a parameter that may be the unknown.
func (p Parameter) solvable(u transfer.Unknown) Parameter {
	p.Unknown = u
	return p
}

// also is a parameter whose flag has other names too.
func (p Parameter) also(names ...string) Parameter {
	p.Flag.Also = names
	return p
}

// Parameters are the numbers of a goal, in the order of the flags. A new one is an entry here, and a field of the row
// where it has one.
var Parameters = []Parameter{
	count("samples", "n", "the test set has `N` rows", ColumnSamples.Titled("rows"),
		func(g *transfer.Goal) *int64 { return &g.Samples }).solvable(transfer.Samples).also("rows"),
	count("queries", "m", "you will ask `M` adaptively chosen queries", ColumnQueries,
		func(g *transfer.Goal) *int64 { return &g.Queries }).solvable(transfer.Queries).also("looks"),
	listed[float64]{
		Parameter: Parameter{Flag: usage.Flag{Name: "tau", Alias: "t",
			Usage: "margin `T`: how far an answer may be from its true value"},
			Column: ColumnTau, Unknown: transfer.Tau, Axis: func(g transfer.Goal) float64 { return g.Tau }},
		kind: numbers.Positives, cell: record.Number, set: func(g *transfer.Goal, t float64) { g.Tau = t },
		want: func(g transfer.Goal) string {
			if !g.Query.IsMean() {
				return numbers.Positives.Want
			}
			return "a number in (0, " + record.People(record.Exactly(g.Query.Span()*g.Range.Width())) + ")"
		},
	}.made(),
	listed[theory.LogProb]{
		Parameter: Parameter{Flag: usage.Flag{Name: BetaFlag, Alias: "b",
			Usage: "failure probability `B`, for all queries together (default 0.05 where one of the other three is left out)"},
			Column: ColumnBeta, Unknown: transfer.Beta, Axis: func(g transfer.Goal) float64 {
				if g.Beta == 0 {
					return 0
				}
				return g.Beta.Value()
			}},
		kind: numbers.Probabilities, cell: record.Chance, set: func(g *transfer.Goal, b theory.LogProb) { g.Beta = b },
		check: func(values []theory.LogProb) error { return numbers.LikelyFailures(BetaFlag, values) },
	}.made(),
	listed[theory.LogProb]{
		Parameter: Parameter{Flag: usage.Flag{Name: ConfidenceFlag, Usage: "confidence `C`, which is 1 - beta, in place of --beta"}},
		kind:      numbers.Confidences, cell: record.Chance, set: func(g *transfer.Goal, b theory.LogProb) { g.Beta = b },
		check: func(values []theory.LogProb) error { return numbers.LikelyFailures(ConfidenceFlag, values) },
	}.made(),
	count("budget", "B", "flags, and Thresholdout: `K` flagged queries are answered", ColumnBudget,
		func(g *transfer.Goal) *int64 { return &g.Budget }),
	amount("sensitivity", "sensitive, minimization: one row moves a query or a loss by at most `D`/n (default 1)", numbers.Positives,
		record.Number, ColumnSensitivity, func(g *transfer.Goal) *float64 { return &g.Sensitivity }),
	amount("epsilon", "dp methods: the privacy `E` of the procedure (default: each method's own)", numbers.Positives,
		record.Number, Column{}, func(g *transfer.Goal) *float64 { return &g.Epsilon }),
	amount("disagreement", "difference: two models differ on a share of at most `D` of the population (default 1)",
		wanting("a number in (0, 1]", numbers.Positives), record.Number,
		Given(ColumnDisagreement, func(g transfer.Goal) bool { return g.Disagreement != 0 }),
		func(g *transfer.Goal) *float64 { return &g.Disagreement }),
	amount(PositivesFlag, "f1, recall, jaccard: a model predicts the positive class on the share `P` of the rows",
		wanting("a number in (0, 1)", numbers.Positives), record.Number, ColumnPositives,
		func(g *transfer.Goal) *float64 { return &g.Ratio.Share }),
	amount("at-least", "binary: every true value is known to be at least `R`",
		wanting("a number in (0.5, 1)", numbers.Positives), record.Number, ColumnAtLeast,
		func(g *transfer.Goal) *float64 { return &g.AtLeast }),
	amount("variance", "the values of every query vary from row to row with variance at most `V`",
		wanting("a number in (0, 0.25]", numbers.Positives), record.Number, ColumnVariance,
		func(g *transfer.Goal) *float64 { return &g.Variance }),
	amount("second-moment", "difference: the square of every difference has a mean of at most `V`",
		wanting("a number in (0, 1]", numbers.Positives), record.Number, ColumnSecondMoment,
		func(g *transfer.Goal) *float64 { return &g.SecondMoment }),
	count("passes", "", "gate: retired at pass `K` (default: never); with --open, query M is pass, raise or correction K (default 1)",
		Given(ColumnPasses, func(g transfer.Goal) bool { return g.Passes != 0 }),
		func(g *transfer.Goal) *int64 { return &g.Passes }),
	option("threshold", "gate: the bar `C`, if it is known and the same for all looks", numbers.Reals, ColumnBar,
		func(g *transfer.Goal) *transfer.Option { return &g.Bar }).also("bar"),
	amount("floor", "best: the known score `F` of a baseline (default 0)",
		wanting("a number in [0, 1)", numbers.NonNegatives), record.Exactly,
		Given(ColumnFloor, func(g transfer.Goal) bool { return g.Floor != 0 }),
		func(g *transfer.Goal) *float64 { return &g.Floor }),
	option("guess-error", "flags: no guess within `G` of the true value is flagged (default tau/2)", numbers.NonNegatives,
		Given(ColumnGuessError, func(g transfer.Goal) bool { return g.GuessError.Given }),
		func(g *transfer.Goal) *transfer.Option { return &g.GuessError }),
	amount("hold", "flags: no guess within `T` of the test set's value is flagged, in place of --guess-error",
		numbers.Positives, record.Number, ColumnHold, func(g *transfer.Goal) *float64 { return &g.Hold }),
	amount("transcripts", "method transcripts: `N` queries could be asked in all; 2^80 is fine", totals(),
		totalCell, columnTranscripts, func(g *transfer.Goal) *float64 { return &g.Transcripts }),
	amount("ln-transcripts", "method transcripts: the natural logarithm `X` of how many queries could be asked in all", numbers.Positives, record.Number, columnLnGiven,
		func(g *transfer.Goal) *float64 { return &g.LnTranscripts }),
	count("past-looks", "", "`K` looks at these rows have been taken at full precision", ColumnPastLooks,
		func(g *transfer.Goal) *int64 { return &g.PastLooks }),
	listed[int64]{
		Parameter: Parameter{Flag: usage.Flag{Name: PopulationFlag,
			Usage: "the rows are drawn from a benchmark of `N` items without replacement, and its mean is the true value"},
			Column: columnPopulation, Axis: func(g transfer.Goal) float64 {
				s, _ := g.Sample.(transfer.Subset)
				return float64(s.Items)
			}},
		kind: numbers.Counts, cell: record.Count,
		set: func(g *transfer.Goal, n int64) { g.Sample = transfer.Subset{Items: n} },
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
	QueryFlag = usage.Flag{Name: "query", Usage: "a query is of this `KIND`: " + kinds[0] + " (default), " +
		usage.OrList(kinds[1:]) + "; or a metric: " + strings.Join(metrics(), ", ") + " (ratios as gates, " + metric.AUC + " with --class-counts)",
		Words: slices.Concat(kinds, metrics())}
	RangeFlag    = usage.Flag{Name: "range", Usage: "the values of a query are in `A,B` (default 0,1), which are the units of tau and bars"}
	FeedbackFlag = usage.Flag{Name: "feedback", Usage: "each look shows `WHAT`: answers (default), gate (pass or fail), best (the best score), flags (corrections of guesses) or final (scores of finalists, once); a figure has a line for each of several", Words: shownNames()}
	OneSidedFlag = usage.Flag{Name: "one-sided", Switch: true,
		Usage: "no answer exceeds its true value by more than tau; an answer may fall short of it"}
	OpenFlag = usage.Flag{Name: "open", Switch: true,
		Usage: "no number of queries is fixed: the plan is about query M, whatever comes after it"}
	EnforceFlag = usage.Flag{Name: "enforce", Also: []string{"checked"}, Switch: true,
		Usage: "the mechanism enforces --disagreement, --at-least or --second-moment on the sample, and assumes none of the population"}
	TwoClassesFlag = usage.Flag{Name: "two-classes", Switch: true,
		Usage: "gate: two classes are declared, so that one of two models is right wherever they differ; with --enforce and --disagreement"}
)

// kinds are the names of --query. The first is the default.
var kinds = commands.QueryNames(func(transfer.Query) bool { return true })

// metrics are the metrics that have a plan, if only as gates.
func metrics() (names []string) {
	for _, m := range metric.All() {
		if m.Planned() || m.Ratio != nil || m.Pairs {
			names = append(names, m.Name)
		}
	}
	return names
}

// unplanned refuses a metric that has a plan as another query: a loss, whose greatest value only a range says, and a
// column.
func unplanned(c usage.Values) error {
	name, _ := c.Text(QueryFlag.Name)
	m, ok := metric.Of(name)
	planned := m.Planned() || m.Pairs || m.Ratio != nil
	switch {
	case !ok || planned:
		return nil
	case m.Reads == metric.Number:
		return usage.Errorf("--query: got %s, want bounded, with --range A,B for values outside of [0, 1]: tau is in their units", name)
	case m.Root:
		return usage.Errorf("--query: got %s, want bounded with --range 0,L, L the greatest square of a row: tau is that of the mean square", name)
	}
	return usage.Errorf("--query: got %s, want bounded with --range 0,L, L the greatest loss of a row: tau is in these units", name)
}

// readRatio reads of which ratio a gate is, if of any: F1, recall and Jaccard.
func readRatio(c usage.Values, g *transfer.Goal) error {
	name, _ := c.Text(QueryFlag.Name)
	m, _ := metric.Of(name)
	_, given := c.Text(PositivesFlag)
	if m.Ratio == nil {
		if given {
			return usage.Errorf("--%s: got it without a ratio, want --query f1, recall or jaccard too", PositivesFlag)
		}
		return nil
	}
	for _, flag := range []string{RangeFlag.Name, ClustersFlag.Name, PopulationFlag, ClassesFlag.Name, ArriveFlag.Name} {
		if _, typed := c.Text(flag); typed {
			return usage.Errorf("--%s: given with --query %s, want independent rows, all at the first look", flag, name)
		}
	}
	switch {
	case g.Feedback != transfer.Gate:
		return usage.Errorf("--query %s needs --feedback gate: a plan is for passing a bar, and not for scores", name)
	case !given:
		return usage.Errorf("--%s: got nothing, want the share of the rows that a model predicts positive, with --query %s: the smaller it is, the more rows it takes", PositivesFlag, name)
	}
	r := m.Ratio
	g.Ratio = transfer.Ratio{Both: r.Both, FalsePositive: r.FalsePositive, FalseNegative: r.FalseNegative}
	return nil
}

// QueryName returns the kind of the goal's queries, or the name of the ratio that they are.
func QueryName(g transfer.Goal) string {
	adds := metric.Ratio{Both: g.Ratio.Both, FalsePositive: g.Ratio.FalsePositive, FalseNegative: g.Ratio.FalseNegative}
	for _, m := range metric.All() {
		if m.Ratio != nil && *m.Ratio == adds {
			return m.Name
		}
	}
	return g.Query.String()
}

// Planned says in words what a plan for the metric that was named promises, "" where a kind of query was. Nothing
// bounds from above the recall of what fails: it is refused, with the command that forecasts its gates.
func Planned(c usage.Values) (promise string, err error) {
	name, _ := c.Text(QueryFlag.Name)
	m, ok := metric.Of(name)
	switch {
	case !ok:
		return "", nil
	case m.Ratio == nil:
		return name + ": what is promised is about " + m.Promise, nil
	case !m.Ratio.Bounded():
		return "", usage.Errorf("--query: got %s, want f1 or jaccard: a gate of %s bounds what passes and not what fails, so that a plan has no tau; type %s",
			name, name, forecast(c))
	}
	return name + ": what is promised is about " + m.Promise +
		"; a model that passes is above the bar, and one that fails is at most 2 tau above the bar if it predicts the positive class on the share --positives of the rows; run it by holdout init --open, which prints an upper end for each fail", nil
}

// forecast returns the command line of power for a gate of a ratio that was typed for samplesize.
func forecast(c usage.Values) string {
	line := "dpcalc power"
	for _, flag := range []string{QueryFlag.Name, PositivesFlag, "threshold", "samples", "queries", BetaFlag, ConfidenceFlag, "passes"} {
		if text, ok := c.Text(flag); ok {
			line += " --" + flag + " " + usage.Shown(text)
		}
	}
	if c.Is(OpenFlag.Name) {
		line += " --" + OpenFlag.Name
	}
	tau, _, err := numbers.One(c, "tau", numbers.Positives)
	if tau > 0 && err == nil {
		line += " --effect " + record.PlainText(record.Exactly(2*tau))
	}
	if _, rows := c.Text("samples"); !rows || !(tau > 0) {
		line += " --power 80%"
	}
	return line
}

// shownNames are the names of --feedback. The first is the default.
func shownNames() (names []string) {
	for f := transfer.Answers; f <= transfer.Final; f++ {
		names = append(names, f.String())
	}
	return names
}

// AboutMethods is the heading of the flags on methods.
const AboutMethods = "methods"

// sections are the headings of the flags of a goal.
var sections = []usage.Section{
	{Heading: "give three of four", Names: []string{"samples", "queries", "tau", BetaFlag, ConfidenceFlag}},
	{Heading: "what is shown", Names: []string{FeedbackFlag.Name, "passes", "threshold", "floor", "budget", "guess-error", "hold",
		OneSidedFlag.Name, OpenFlag.Name}},
	{Heading: "what is measured", Names: []string{QueryFlag.Name, PositivesFlag, RangeFlag.Name, "sensitivity", "disagreement", "at-least", "variance",
		"second-moment", EnforceFlag.Name, TwoClassesFlag.Name}},
	{Heading: "how rows were drawn", Names: []string{ClustersFlag.Name, WeightsFlag.Name, IccFlag.Name, ClassesFlag.Name, PopulationFlag,
		ArriveFlag.Name, arriveRowsFlag.Name, arriveLooksFlag.Name}},
	{Heading: "looks already taken", Names: []string{"past-looks"}},
	{Heading: AboutMethods, Names: []string{"epsilon", "transcripts", "ln-transcripts"}},
}

// GoalFlags are the flags that say what a goal is, under the headings of the long help.
func GoalFlags() []usage.Flag {
	flags := []usage.Flag{QueryFlag, RangeFlag, EnforceFlag, TwoClassesFlag, FeedbackFlag, OneSidedFlag, OpenFlag}
	for _, p := range Parameters {
		flags = append(flags, p.Flag)
	}
	return usage.Arranged(slices.Concat(flags, arrivalFlags, sampleFlags), sections...)
}

// LeastGoals is how many goals a command has, or slightly fewer, told before the values of
// its lists are made.
func LeastGoals(c usage.Values) int64 {
	goals := int64(1)
	for _, p := range Parameters {
		if length := p.least(c); c.Is("zip") {
			goals = max(goals, length)
		} else {
			goals = min(goals*length, math.MaxInt32) // both are below 2^31
		}
	}
	return goals
}

// ReadKind reads the kind of query and the feedback.
func ReadKind(c usage.Values) (base transfer.Goal, err error) {
	if err := unplanned(c); err != nil {
		return base, err
	}
	query, err := usage.OneOf(c, QueryFlag.Name, QueryFlag.Words...)
	if err != nil {
		return base, err
	}
	shown, err := usage.OneOf(c, FeedbackFlag.Name, FeedbackFlag.Words...)
	if err != nil {
		return base, err
	}
	word := query
	if m, ok := metric.Of(query); ok {
		query = m.Query
	}
	if base.Query, err = transfer.ParseQuery(query); err != nil {
		return base, err
	}
	if base.Feedback, err = transfer.ParseFeedback(shown); err != nil {
		return base, err
	}
	if err := readRatio(c, &base); err != nil {
		return base, err
	}
	if base.Range, err = readRange(c); err != nil {
		return base, err
	}
	if err := readClasses(c, word, &base); err != nil {
		return base, err
	}
	base.OneSided, base.Checked, base.Open = c.Is(OneSidedFlag.Name), c.Is(EnforceFlag.Name), c.Is(OpenFlag.Name)
	if err := readArrival(c, &base); err != nil {
		return base, err
	}
	clusters, err := ReadClusters(c)
	if err == nil && clusters != nil {
		err = clusters.on(&base)
	}
	if err == nil {
		err = readDecided(c, clusters != nil, &base)
	}
	return base, err
}

// readDecided reads whether rows on which models differ are counted: a check of the disagreement counts them, and two
// classes that are declared decide each.
func readDecided(c usage.Values, clustered bool, g *transfer.Goal) error {
	_, known := c.Text("disagreement")
	gates := g.Query.IsSigned() && g.Feedback == transfer.Gate
	counted := g.Checked && known && !clustered
	counted = counted && gates
	two := c.Is(TwoClassesFlag.Name)
	switch {
	case two && !counted:
		return usage.Errorf("--%s: got it, want --query difference, --disagreement, --enforce and --feedback gate too, and no clusters: rows on which predictions differ are counted",
			TwoClassesFlag.Name)
	case two:
		g.Decided = transfer.TwoClasses
	case counted:
		g.Decided = transfer.AnyClasses
	}
	return nil
}

// readRange reads the range of the values.
func readRange(c usage.Values) (r transfer.Range, err error) {
	ends, err := numbers.List(c, RangeFlag.Name, numbers.Reals)
	if text, ok := c.Text(RangeFlag.Name); err == nil && ok {
		if len(ends) == 2 {
			r = transfer.Range{From: ends[0], To: ends[1]}
		}
		if !r.IsValid() {
			return r, usage.Invalid(RangeFlag.Name, text, transfer.WantRange)
		}
	}
	if r == (transfer.Range{From: 0, To: 1}) {
		r = transfer.Range{}
	}
	return r, err
}

// DefaultBeta is the failure probability of a plan that names none.
const DefaultBeta = "0.05"

// WithBeta returns the values with the default beta where two of samples, queries and tau are given and no
// failure probability, and reports whether it did. Given all three, beta is what is solved for.
func WithBeta(c usage.Values) (usage.Values, bool) {
	given := 0
	for _, flags := range [][]string{{"samples", ClustersFlag.Name, ClassesFlag.Name, ArriveFlag.Name}, {"queries", ArriveFlag.Name}, {"tau"}} {
		if slices.ContainsFunc(flags, func(flag string) bool { _, ok := c.Text(flag); return ok }) {
			given++
		}
	}
	_, beta := c.Text(BetaFlag)
	_, confidence := c.Text(ConfidenceFlag)
	if beta || confidence || given != 2 {
		return c, false
	}
	return usage.Replaced(c, BetaFlag, DefaultBeta), true
}

// ReadGrid reads the goals. Of samples, queries, tau and beta at least as many are needed as needs says.
func ReadGrid(c usage.Values, inputs *[]record.Input, needs int) (none Grid, err error) {
	base, err := ReadKind(c)
	if err != nil {
		return none, err
	}
	typed := func(flag string) bool { _, ok := c.Text(flag); return ok }
	clusters, err := ReadClusters(c)
	if err != nil {
		return none, err
	}
	if grouped := clusters != nil || base.Sample != nil; grouped && (typed(PopulationFlag) || base.Arrival != nil) {
		return none, usage.Errorf("--population: given with --clusters, --class-counts or rows that arrive, want one of them")
	}
	if typed(BetaFlag) && typed(ConfidenceFlag) {
		return none, usage.Errorf("--confidence: given with --beta, want one of the two")
	}
	if typed("samples") && base.Samples != 0 {
		return none, usage.Errorf("--samples: given with --arrive, want none: it says what the rows are")
	}
	var axes []Axis
	var known []string
	for _, p := range Parameters {
		axis, in, err := p.read(c, base)
		if err != nil {
			return none, err
		}
		axes = append(axes, axis)
		switch name := p.Flag.Name; {
		case name == BetaFlag && typed(ConfidenceFlag), name == ConfidenceFlag && !typed(name):
			continue
		case name == ConfidenceFlag && axis.Length == 1: // a list is repeated as it was typed
			in.Name = BetaFlag
		case name == "sensitivity":
			*inputs = append(*inputs, record.Input{Name: QueryFlag.Name, Value: record.Words(QueryName(base))})
			if text, ok := c.Text(RangeFlag.Name); ok {
				*inputs = append(*inputs, record.Input{Name: RangeFlag.Name, Value: record.Words(text)})
			}
		case name == "passes":
			*inputs = append(*inputs, record.Input{Name: FeedbackFlag.Name, Value: record.Words(base.Feedback.String())},
				record.Input{Name: "one_sided", Value: record.Truth(base.OneSided)})
			if base.Open {
				*inputs = append(*inputs, record.Input{Name: "open", Value: record.Truth(true)})
			}
			if base.Checked {
				*inputs = append(*inputs, record.Input{Name: "enforced", Value: record.Truth(true)})
			}
			if base.Decided == transfer.TwoClasses {
				*inputs = append(*inputs, record.Input{Name: "two_classes", Value: record.Truth(true)})
			}
		}
		*inputs = append(*inputs, in)
	}
	for _, u := range []transfer.Unknown{transfer.Samples, transfer.Queries, transfer.Tau, transfer.Beta} {
		given := typed(u.String())
		switch u {
		case transfer.Samples, transfer.Queries:
			given = given || base.Queries != 0 // by the stages
			given = given || u == transfer.Samples && base.Samples != 0
		case transfer.Beta:
			given = given || typed(ConfidenceFlag)
		}
		if given {
			known = append(known, "--"+u.String())
		}
	}
	for _, flag := range arrivalValues(base) {
		in := record.Input{Name: strings.ReplaceAll(flag[0], "-", "_"), Value: record.Words(flag[1])}
		*inputs = append(*inputs, in)
	}
	if clusters != nil {
		for _, flag := range clusters.flags() {
			*inputs = append(*inputs, record.Input{Name: flag[0], Value: record.Words(flag[1])})
		}
	}
	if len(known) < needs {
		return none, TooFew("samplesize", known)
	}
	if base.Feedback == transfer.Flags && !base.Open && !typed("budget") {
		return none, usage.Errorf("--budget: got nothing, want how many flags --feedback flags may raise")
	}
	made, err := commands.NewGrid(base, c.Is("zip"), axes...)
	return Grid{made, clusters}, err
}

// TooFew is the error of a command that got these flags of samples, queries, tau and beta, too few for a goal.
func TooFew(command string, known []string) error {
	var missing, found []string
	for _, u := range []transfer.Unknown{transfer.Queries, transfer.Tau, transfer.Samples} {
		if flag := "--" + u.String(); !slices.Contains(known, flag) {
			missing, found = append(missing, flag), append(found, quantities[u])
		}
	}
	given := []string{"none", "one", "two"}[len(known)]
	if len(missing) > 2 {
		return usage.Errorf("%s: %s of four given: add two of %s to get the third", command, given, usage.AndList(missing))
	}
	return usage.Errorf("%s: %s of four given: add %s to get %s, or %s to get %s", command, given, missing[0], found[1], missing[1], found[0])
}

// quantities are what is found, in words.
var quantities = map[transfer.Unknown]string{transfer.Samples: "the number of rows", transfer.Queries: "the number of queries", transfer.Tau: "tau"}

// Drawn are the parameters that a drawing has an axis for, the first of equals first.
func Drawn() []Parameter {
	order := []string{"queries", "tau", "beta", "samples"}
	list := slices.DeleteFunc(slices.Clone(Parameters), func(p Parameter) bool { return p.Axis == nil })
	slices.SortStableFunc(list, func(a, b Parameter) int {
		return rank(order, a.Flag.Name) - rank(order, b.Flag.Name)
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

// CellOf is the value of a parameter of a goal.
func (p Parameter) CellOf(g transfer.Goal) record.Cell {
	at := Row{Answer: transfer.Answer{Goal: g}}
	switch {
	case p.Flag.Name == ConfidenceFlag:
		return ColumnBeta.Cell(&at)
	case p.Column.Cell == nil:
		return record.Number(p.Axis(g))
	}
	return p.Column.Cell(&at)
}

// Name is what an axis is called.
func (p Parameter) Name() string {
	if p.Unknown == transfer.Samples {
		return "rows"
	}
	return strings.ReplaceAll(p.Flag.Name, "-", " ")
}
