package pvalues

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/commands/steps"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
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

// axis is a list that was typed.
type axis struct {
	listable
	values []string
	cells  []record.Cell
}

// grid is all combinations of the values of lists.
type grid struct {
	base usage.Values
	axes []axis
}

const defaultMaxRows = 1_000_000

// readGrid reads the lists. A flag with one value is none.
func readGrid(c usage.Values) (g grid, err error) {
	g.base = c
	limit, limited, err := numbers.One(c, "max-rows", numbers.Counts)
	switch {
	case err != nil:
		return g, err
	case !limited:
		limit = defaultMaxRows
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
		a := axis{listable: l}
		if a.values, err = l.texts(c); err != nil {
			return g, err
		}
		for _, text := range a.values {
			a.cells = append(a.cells, l.cell(text))
		}
		g.axes = append(g.axes, a)
	}
	if n := int64(g.size()); n > limit {
		return g, tooMany(n, limit)
	}
	if limited && len(g.axes) == 0 {
		return g, usage.Errorf("--max-rows: given without a list")
	}
	return g, nil
}

func tooMany(points, limit int64) error {
	return usage.Errorf("--max-rows: got %d combinations, want at most %d; allow more with --max-rows", points, limit)
}

func (g grid) size() int {
	n := 1
	for _, a := range g.axes {
		if n > math.MaxInt32/len(a.values) {
			return math.MaxInt32
		}
		n *= len(a.values)
	}
	return n
}

// point is one combination of values.
type point struct {
	usage.Values
	texts map[string]string
	at    []int // the index in each list
}

// Text returns the value of a flag at the point.
func (p point) Text(flag string) (string, bool) {
	if text, ok := p.texts[flag]; ok {
		return text, true
	}
	return p.Values.Text(flag)
}

func (g grid) point(i int) point {
	p := point{g.base, make(map[string]string, len(g.axes)), make([]int, len(g.axes))}
	for k := len(g.axes) - 1; k >= 0; k-- {
		n := len(g.axes[k].values)
		p.at[k] = i % n
		p.texts[g.axes[k].flag] = g.axes[k].values[p.at[k]]
		i /= n
	}
	return p
}

// has reports whether one of these flags has a list.
func (g grid) has(flags ...string) bool {
	return slices.ContainsFunc(g.axes, func(a axis) bool { return slices.Contains(flags, a.flag) })
}

// told is what people are told of the question: the flags as they were typed.
func (g grid) told(source string) string {
	text := source
	for _, flag := range append(sourceFlags(source), askedFlags...) {
		if typed, ok := g.base.Text(flag); ok && flag != "step" {
			text += ", " + flag + " " + typed
		}
	}
	for _, step := range g.base.Texts("step") {
		text += ", " + step
	}
	return text
}

// askedFlags are the numbers of a question beside those of its source.
var askedFlags = []string{"alpha", "level", "target-threshold", "survives", "p", "wins", "losses"}

// inputs repeats the question in the envelope of JSON: lists as they were typed.
func (g grid) inputs(source string, more ...record.Input) []record.Input {
	all := []record.Input{{Name: "by", Value: record.Words(source)}}
	for _, flag := range slices.Concat(askedFlags, sourceFlags(source)) {
		text, ok := g.base.Text(flag)
		if flag == "step" || !ok {
			continue
		}
		all = append(all, record.Input{Name: strings.ReplaceAll(flag, "-", "_"), Value: record.Words(text)})
	}
	if typed := g.base.Texts("step"); len(typed) > 0 {
		all = append(all, record.Input{Name: "steps", Value: record.List(typed)})
	}
	return append(all, more...)
}

// question is what is asked at each point, with rows R.
type question[R any] struct {
	columns, shown []record.Column[R] // without those of the lists
	verdict        func(R) commands.Verdict
	// read reads a point and says all that is wrong with it. solve answers it.
	read func(v usage.Values) (solve func() ([]R, error), err error)
	// refused is the row of a point that is none for this reason.
	refused func(reason string) R
	inputs  []record.Input
	title   string
	star    string              // what the star marks
	drawn   string              // what a figure shows
	height  func(R) record.Cell // of a row
}

// placed is a row at a point.
type placed[R any] struct {
	row R
	at  []int
}

// lifted are the columns of rows that have a place.
func lifted[R any](columns []record.Column[R]) []record.Column[placed[R]] {
	all := make([]record.Column[placed[R]], len(columns))
	for i, c := range columns {
		all[i] = record.Column[placed[R]]{Name: c.Name, Title: c.Title, Says: c.Says,
			Cell: func(r placed[R]) record.Cell { return c.Cell(r.row) }}
	}
	return all
}

// columnsOf are the values of the lists, those that other columns have left out.
func columnsOf[R any](g grid, others []record.Column[R]) (all []record.Column[placed[R]]) {
	taken := record.Names(others)
	for k, a := range g.axes {
		if slices.Contains(taken, a.column) {
			continue
		}
		all = append(all, record.Column[placed[R]]{Name: a.column, Title: strings.ReplaceAll(a.flag, "-", " "),
			Cell: func(r placed[R]) record.Cell { return a.cells[r.at[k]] }})
	}
	return all
}

// at reads a point. What its numbers refuse each other is a reason, as combinations of lists may be: the other
// points stand.
func (q question[R]) at(g grid, i int) (solve func() ([]R, error), err error) {
	if solve, err = q.read(g.point(i)); refusal(err) {
		row := q.refused(err.Error())
		return func() ([]R, error) { return []R{row}, nil }, nil
	}
	return solve, err
}

// refusal reports whether one number refuses another: passes that are more than the looks.
func refusal(err error) bool {
	var domain *theory.DomainError
	return errors.As(err, &domain) && domain.Param == "passes"
}

// walk is a way through the points of a grid.
type walk struct {
	step     func(done int)
	answered bool  // some row is ok
	failed   error // why it ended early
}

// rows answers the points one by one. What is wrong with a point is known before the first.
func (q question[R]) rows(g grid, w *walk) iter.Seq[placed[R]] {
	return func(yield func(placed[R]) bool) {
		for i := range g.size() {
			solve, err := q.at(g, i)
			var rows []R
			if err == nil {
				rows, err = solve()
			}
			if err != nil {
				w.failed = err
				return
			}
			place := g.point(i).at
			for _, r := range rows {
				w.answered = w.answered || q.verdict(r).Status == theory.OK
				if !yield(placed[R]{r, place}) {
					return
				}
			}
			w.step(i + 1)
		}
	}
}

// overLists asks a question for every combination and writes a row for each of its methods, or draws them.
func overLists[R any](c *commands.Call, t commands.Target, g grid, q question[R]) error {
	for i := range g.size() {
		if _, err := q.at(g, i); err != nil {
			return err
		}
	}
	bar := c.Progress(g.size())
	defer bar.End()
	w := walk{step: bar.Step}
	rows := q.rows(g, &w)
	if t.Format.Encode == nil { // these are looked at more than once
		if err := commands.FitsTable(int64(g.size()), int64(len(q.shown))); err != nil {
			return err
		}
		rows = slices.Values(slices.Collect(rows))
		if bar.End(); w.failed != nil {
			return w.failed
		}
	}
	if drawn(c, t) {
		return drawLists(c, t, g, q, rows)
	}
	err := commands.Emit(c, t, commands.Answer[placed[R]]{
		Command: command, Inputs: q.inputs, Rows: rows,
		Columns: slices.Concat(columnsOf(g, q.columns), lifted(q.columns)),
		Shown:   slices.Concat(lifted(q.shown[:1]), columnsOf(g, q.shown), lifted(q.shown[1:])),
		Verdict: func(r placed[R]) commands.Verdict { return q.verdict(r.row) },
		Say: func() (title, notes []string) {
			return []string{q.title}, []string{"* " + q.star + " of each combination"}
		},
	})
	if err = errors.Join(w.failed, err); err == nil && !w.answered {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return err
}
