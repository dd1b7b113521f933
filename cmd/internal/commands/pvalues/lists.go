package pvalues

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// Lists: a question is asked for every combination of their values, each as if it had been typed alone.

// listable is a flag that takes a list.
type listable struct {
	flag   string
	column string // of its values in another table, "" for one of its own name
	texts  func(c usage.Values) ([]string, error)
	least  func(c usage.Values) int64
	cell   func(text string) record.Cell
}

func listOf[T any](flag string, k numbers.Kind[T], write func(T) string, cell func(T) record.Cell) listable {
	return listable{
		flag: flag, column: strings.ReplaceAll(flag, "-", "_"),
		texts: func(c usage.Values) ([]string, error) { return numbers.Texts(c, flag, k, write) },
		least: func(c usage.Values) int64 { return numbers.LeastLength(c, flag, k) },
		cell: func(text string) record.Cell {
			x, _ := k.Parse(text)
			return cell(x)
		},
	}
}

// under is the list with its values in a column of another name.
func (l listable) under(column string) listable {
	l.column = column
	return l
}

// parsing is a kind with its ranges and other texts for single values.
func parsing[T any](k numbers.Kind[T], want string, parse func(string) (T, bool)) numbers.Kind[T] {
	k.Want, k.Parse = want, parse
	return k
}

// listables are the flags that take lists, in the order in which they vary, the last one fastest.
func listables() []listable {
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	decimal := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	count := func(flag string, k numbers.Kind[int64]) listable { return listOf(flag, k, whole, record.Whole) }
	amount := func(flag string, k numbers.Kind[float64]) listable { return listOf(flag, k, decimal, record.Exactly) }
	chance := func(flag string, k numbers.Kind[theory.LogProb]) listable {
		return listOf(flag, k, theory.LogProb.String, record.Chance)
	}
	some := numbers.Probabilities
	answers := count("outcomes", parsing(numbers.Counts, steps.Outcomes.Want, func(s string) (int64, bool) {
		ln, ok := steps.Outcomes.Parse(s)
		return int64(min(math.Round(num.Exp(float64(ln))), 1<<53)), ok
	}))
	answers.cell = outcomesCell
	return []listable{
		count("samples", numbers.Counts), amount("epsilon", numbers.NonNegatives), chance("delta", some),
		amount("mu", numbers.Positives), amount("rho", numbers.Positives), count("queries", numbers.Counts),
		amount("noise-sd", numbers.Positives), answers, count("looks", numbers.Counts), count("passes", numbers.Counts),
		amount("bits", numbers.NonNegatives), amount("nats", numbers.NonNegatives),
		chance("slack", parsing(some, numbers.BelowOne.Want, numbers.BelowOne.Parse)), chance("alpha", some),
		listOf("level", levels, func(miss theory.LogProb) string { return "1-" + miss.String() },
			func(miss theory.LogProb) record.Cell { return levelCell(pvalue.Confidence{Miss: miss}) }).under("confidence"),
		chance("target-threshold", some), chance("survives", some).under("target_threshold"),
		chance("p", parsing(some, numbers.ChancesOfAll.Want, numbers.ParsePValue)),
		count("wins", numbers.Wholes), count("losses", numbers.Wholes),
	}
}

// outcomesCell is a number of outcomes, which may be a power.
func outcomesCell(text string) record.Cell {
	if n, ok := numbers.Counts.Parse(text); ok {
		return record.Whole(n)
	}
	ln, _ := steps.Outcomes.Parse(text)
	if x := num.Exp(float64(ln)); x <= math.MaxFloat64 {
		return record.Exactly(x)
	}
	return record.Words(text)
}

// typedList is a list that was typed.
type typedList struct {
	listable
	values []string
	cells  []record.Cell
}

// point is one combination of values: the flags with one of them each, and its place in each list.
type point struct {
	usage.Values
	at []int
}

// grid is all combinations of the values of lists, one point if there is no list.
type grid struct {
	commands.Grid[point]
	lists []typedList
}

const defaultMaxRows = 1_000_000

// readGrid reads the lists. A flag with one value is none.
func readGrid(c usage.Values) (g grid, err error) {
	g.Base.Values = c
	limit := int64(defaultMaxRows)
	limited := numbers.Read(c, &err, "max-rows", numbers.Counts, &limit)
	if err != nil {
		return g, err
	}
	var typed []listable
	points := int64(1)
	for _, l := range listables() {
		if text, ok := c.Text(l.flag); !ok || !strings.ContainsAny(text, ",:") {
			continue
		}
		typed = append(typed, l)
		points = min(points*l.least(c), math.MaxInt32) // both are below 2^31
	}
	if points > limit { // before the values are made
		return g, tooMany(points, limit)
	}
	for _, l := range typed {
		list := typedList{listable: l}
		if list.values, err = l.texts(c); err != nil {
			return g, err
		}
		for _, text := range list.values {
			list.cells = append(list.cells, l.cell(text))
		}
		g.lists = append(g.lists, list)
		g.Axes = append(g.Axes, commands.Axis[point]{Flag: l.flag, Length: len(list.values), Set: func(p *point, i int) {
			p.Values, p.at = usage.Replaced(p.Values, l.flag, list.values[i]), slices.Concat([]int{i}, p.at)
		}})
	}
	if n := int64(g.Size()); n > limit {
		return g, tooMany(n, limit)
	}
	if limited && len(g.lists) == 0 {
		return g, usage.Errorf("--max-rows: given without a list")
	}
	return g, nil
}

func tooMany(points, limit int64) error {
	return usage.Errorf("--max-rows: got %d combinations, want at most %d; allow more with --max-rows", points, limit)
}

// texts are the values of a flag as they were typed.
func (g grid) texts(flag string) []string {
	for _, l := range g.lists {
		if l.flag == flag {
			return l.values
		}
	}
	text, _ := g.Base.Text(flag)
	return []string{text}
}

// has reports whether one of these flags has a list.
func (g grid) has(flags ...string) bool {
	return slices.ContainsFunc(flags, func(flag string) bool { return g.Length(flag) > 0 })
}

// told is what people are told of the question: the flags as they were typed.
func (g grid) told(source string) string {
	text := source
	for _, flag := range append(sourceFlags(source), askedFlags...) {
		if typed, ok := g.Base.Text(flag); ok && flag != "step" {
			text += ", " + flag + " " + typed
		}
	}
	for _, step := range g.Base.Texts("step") {
		text += ", " + step
	}
	return text
}

// askedFlags are the flags of a question for the numbers that its source does not take.
var askedFlags = []string{"alpha", "level", "target-threshold", "survives", "p", "wins", "losses"}

// inputs repeats the question in the envelope of JSON: lists as they were typed.
func (g grid) inputs(source string, more ...record.Input) []record.Input {
	all := []record.Input{{Name: "by", Value: record.Words(source)}}
	for _, flag := range slices.Concat(askedFlags, sourceFlags(source)) {
		text, ok := g.Base.Text(flag)
		if flag == "step" || !ok {
			continue
		}
		all = append(all, record.Input{Name: strings.ReplaceAll(flag, "-", "_"), Value: record.Words(text)})
	}
	if typed := g.Base.Texts("step"); len(typed) > 0 {
		all = append(all, record.Input{Name: "steps", Value: record.List(typed)})
	}
	return append(all, more...)
}

// question is asked at each point. It is read as a Q, and answered by rows R.
type question[R any, Q asked[R]] struct {
	columns, shown []record.Column[R] // without the columns of the lists
	verdict        func(R) commands.Verdict
	read           func(v usage.Values) (Q, error)   // reads a point and says all that is wrong with it
	refused        func(reason string) R             // the row of a point that is none for this reason
	report         func(Q, []R, record.Prose) string // what a paragraph tells of one point; nil for nothing
	then           func() error                      // what follows the rows; nil for nothing

	// of all points
	inputs []record.Input
	title  string
	star   string              // what the star marks
	drawn  string              // what a figure shows
	height func(R) record.Cell // of a row
}

// asked is a question at one point.
type asked[R any] interface {
	solve() ([]R, error)
	inputs() []record.Input
	say(rows []R) (title, notes []string)
}

// pointRow is a row with the place of its point.
type pointRow[R any] struct {
	row R
	at  []int
}

func (p pointRow[R]) answer() R { return p.row }

// columnsOf are the values of the lists, those that other columns have left out.
func columnsOf[R any](g grid, others []record.Column[R]) (all []record.Column[pointRow[R]]) {
	taken := record.Names(others)
	for k, l := range g.lists {
		if slices.Contains(taken, l.column) {
			continue
		}
		all = append(all, record.Column[pointRow[R]]{Name: l.column, Title: strings.ReplaceAll(l.flag, "-", " "),
			Cell: func(r pointRow[R]) record.Cell { return l.cells[r.at[k]] }})
	}
	return all
}

// isRefusal reports whether one number refuses another: passes that are more than the looks.
func isRefusal(err error) bool {
	var domain *theory.DomainError
	return errors.As(err, &domain) && domain.Param == "passes"
}

// points are the rows of all points.
type points[R any, Q asked[R]] struct {
	grid
	question[R, Q]
}

func (p points[R, Q]) Units() int { return p.Size() }
func (p points[R, Q]) Len() int   { return commands.Unknown }

// Each answers the points. What their numbers refuse each other is a reason, as combinations of lists may be: the
// other points stand.
func (p points[R, Q]) Each(lo, hi int, visit func(pointRow[R]) error) error {
	for i := lo; i < hi; i++ {
		at := p.Point(i)
		q, err := p.read(at)
		var rows []R
		switch {
		case isRefusal(err):
			rows, err = []R{p.refused(err.Error())}, nil
		case err == nil:
			rows, err = q.solve()
		}
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := visit(pointRow[R]{r, at.at}); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask asks a question at every point and writes a row for each of its methods, or draws them.
func ask[R any, Q asked[R]](c *commands.Call, t commands.Target, g grid, q question[R, Q]) error {
	a := commands.Answer[pointRow[R]]{
		Command: command, Inputs: q.inputs, Then: q.then,
		Columns: slices.Concat(columnsOf(g, q.columns), record.Lift(q.columns, pointRow[R].answer)),
		Shown: slices.Concat(record.Lift(q.shown[:1], pointRow[R].answer), columnsOf(g, q.shown),
			record.Lift(q.shown[1:], pointRow[R].answer)),
		Verdict: func(r pointRow[R]) commands.Verdict { return q.verdict(r.row) },
	}
	if len(g.lists) == 0 {
		return askOnce(c, t, g, q, a)
	}
	for i := range g.Size() {
		if _, err := q.read(g.Point(i)); err != nil && !isRefusal(err) {
			return err
		}
	}
	if t.Format.Encode == nil {
		if err := commands.FitsTable(int64(g.Size()), int64(len(q.shown))); err != nil {
			return err
		}
	}
	a.Bar = c.Progress(g.Size())
	defer a.Bar.End()
	a.Rows = points[R, Q]{g, q}
	a.Say = func() (title, notes []string) {
		return []string{q.title}, []string{"* " + q.star + " of each combination"}
	}
	a.Figure = func() (record.Figure, error) { return drawLists(g, q) }
	return commands.Emit(c, t, a)
}

// askOnce asks at the one point that there is without a list.
func askOnce[R any, Q asked[R]](c *commands.Call, t commands.Target, g grid, q question[R, Q],
	a commands.Answer[pointRow[R]]) error {
	one, err := q.read(g.Point(0))
	if err != nil {
		return err
	}
	rows, err := one.solve()
	if err != nil {
		return err
	}
	all := make([]pointRow[R], len(rows))
	for i, r := range rows {
		all[i].row = r
	}
	a.Inputs, a.Rows = one.inputs(), commands.List(all)
	a.Say = func() (title, notes []string) { return one.say(rows) }
	if c.Is("report") {
		a.Text, a.Tally = func() string { return q.report(one, rows, *t.Format.Prose) }, new(commands.Tally)
		if bestOf(rows, q.verdict) != nil {
			a.Tally.Answered()
		}
	}
	return commands.Emit(c, t, a)
}
