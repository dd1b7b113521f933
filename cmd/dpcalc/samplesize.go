package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

const defaultMaxRows = 1_000_000

func samplesizeCommand() *Command {
	return &Command{
		Name:    "samplesize",
		Summary: "rows, queries, accuracy or failure probability of an adaptively queried sample",
		Description: "Give three of --samples, --queries, --tau and --beta: every method solves for the fourth.\n" +
			"Give all four: the plan is checked, and the exit code is 4 unless an adaptive method certifies it.\n" +
			"With probability at least 1 - beta, each of the queries is answered within tau of its population value.\n" +
			"A number is 0.05, 5%, 1/20, 1e-3, 10k or 1M; a flag takes a list of numbers and ranges:\n" +
			"10,100,1k or 0.01:0.1:0.01 (step) or 10:1M:log13 (13 points) or 1:512:x2 (doubling). A space may follow a\n" +
			"comma, and makes it certain that it separates: \"20, 500\" is two numbers of rows, and 20,500 is refused.",
		Flags: []Flag{
			{Name: "samples", Alias: "n", Usage: "`N` rows in the sample"},
			{Name: "queries", Alias: "m", Usage: "`M` adaptively chosen queries"},
			{Name: "tau", Alias: "t", Usage: "accuracy `T`: how far an answer may be from the population"},
			{Name: "beta", Alias: "b", Usage: "failure probability `B`, for all queries together; 1e-4343 is fine"},
			{Name: "confidence", Usage: "1 - beta, `C`, in place of --beta"},
			{Name: "budget", Alias: "B", Usage: "Thresholdout's budget `K`: flagged queries that are answered; needed by its rows"},
			{Name: "query", Usage: "`KIND` of query: bounded (default), binary, sensitive or minimization", Words: queryKinds},
			{Name: "sensitivity", Usage: "one row moves a sensitive query or a loss by at most `D`/n (default 1)"},
			{Name: "epsilon", Usage: "privacy `E` of the procedure, for the dp rows (default: each method's own)"},
			{Name: "method", Usage: "only these methods, `A,B,...`; see dpcalc methods", Words: methodNames()},
			{Name: "proofs", Usage: "`WHICH` methods: all (default) or published", Words: []string{"all", "published"}},
			{Name: "schedule", Usage: "write the noise of every query of gaussian-schedule to `FILE`: .csv, .tsv, .json or .jsonl"},
			{Name: "check-schedule", Usage: "print what the noise schedule in `FILE`, .csv or .tsv, certifies with --samples and --tau; with --beta, check it"},
			{Name: "zip", Switch: true, Usage: "pair the lists instead of crossing them"},
			{Name: "max-rows", Usage: "write up to `R` rows (default 1000000)"},
			{Name: "report", Switch: true, Usage: "write the best plan as a paragraph for a methods section; with -f markdown or latex in these"},
			{Name: "plot", Switch: true, Usage: "draw the grid in characters; -o with .svg, .png or .pdf draws it in a file"},
			{Name: "save-plan", Usage: "write the command as a plan file to `FILE`, a new one in .yaml, .yml or .json; see dpcalc plan"},
		},
		Output: Tables | Drawings,
		Examples: [2]string{
			"dpcalc samplesize -m 1000 -t 5% --confidence 95%",
			"dpcalc samplesize -n 20k -m 25,50,100 -b 0.05 --query binary -o plan.csv",
		},
		Run: runSamplesize,
	}
}

// queryKinds are the names of --query. The first is the default.
var queryKinds = []string{"bounded", "binary", "sensitive", "minimization"}

// plan is a samplesize command that has been read and validated.
type plan struct {
	grid    grid
	goals   int
	methods []transfer.Method
	asked   bool // for these methods, by name
	unknown transfer.Unknown
	target  Target
	view    view
	inputs  []input

	schedule Target // where the noise schedule goes, if it has a path

	scheduleAnswer transfer.Answer // whose noise that is
}

// alsoWritten says whether a path writes the file of another one, empty for none.
func alsoWritten(path string, others ...string) bool {
	return slices.ContainsFunc(others, func(other string) bool { return other != "" && sameFile(path, other) })
}

// view is the form in which people see the rows.
type view int

const (
	tableView  view = iota
	reportView      // paragraphs
	plotView        // a drawing in characters
	figureView      // a drawing in a file
)

func runSamplesize(c *Call) error {
	if path, ok := c.Text("check-schedule"); ok {
		return checkSchedule(c, path)
	}
	plan, err := readPlan(c)
	if err != nil {
		return err
	}
	if path, ok := c.Text("save-plan"); ok {
		if alsoWritten(path, plan.target.Path, plan.schedule.Path) {
			return usagef("--save-plan: got %s, which is written by another flag too, want a file of its own", shown(path))
		}
		if err := newFile(c, "--save-plan", path, savedPlan(c)); err != nil {
			return err
		}
	}
	var verdict verdict
	switch {
	case plan.target.Format.Book != nil:
		err = plan.workbook(c, &verdict)
	case plan.target.Format.Encode != nil:
		err = plan.stream(c, plan.target.Format.Encode(plan.result()), &verdict)
	default:
		err = plan.tabulate(c, &verdict)
	}
	if err == nil {
		err = plan.writeSchedule(c)
	}
	if err != nil {
		return err
	}
	switch {
	case plan.unknown == transfer.None && verdict.refuted.Load():
		return outcome(exitRefuted)
	case plan.unknown != transfer.None && !verdict.answered.Load():
		return outcome(exitNoAnswer)
	}
	return nil
}

// readPlan reads the flags. It returns an error for everything that is wrong with
// them, so that nothing is written before all is known to be well.
func readPlan(c *Call) (plan plan, err error) {
	if plan.target, err = c.Target(); err != nil {
		return plan, err
	}
	if plan.view, err = readView(c, plan.target.Format, c.offered()); err != nil {
		return plan, err
	}
	_, plan.asked = c.Text("method")
	if plan.methods, err = readMethods(c); err != nil {
		return plan, err
	}
	limit, ok, err := one(c, "max-rows", counts)
	if err != nil {
		return plan, err
	}
	if !ok {
		limit = defaultMaxRows
	}
	if err := plan.fits(leastGoals(c), limit); err != nil { // before the values are made
		return plan, err
	}
	if plan.grid, err = readGrid(c, &plan.inputs, 3); err != nil {
		return plan, err
	}
	plan.goals = plan.grid.size()
	if err := plan.fits(int64(plan.goals), limit); err != nil {
		return plan, err
	}
	for i := range plan.goals {
		goal := plan.grid.goal(i)
		if err := goal.Validate(); err != nil {
			return plan, err
		}
		plan.unknown = goal.Unknown()
	}
	if plan.view == plotView || plan.view == figureView {
		if _, _, _, err := plan.axes(); err != nil {
			return plan, err
		}
	}
	return plan, plan.readSchedule(c, limit)
}

// fits refuses more goals than the limit of rows and the format allow.
func (s *plan) fits(goals, limit int64) error {
	rows := goals * int64(len(s.methods))
	switch {
	case goals >= math.MaxInt32:
		return usagef("samplesize: got a grid of 2^31 goals or more, want fewer")
	case rows > limit:
		return usagef("--max-rows: got %d rows, want at most %d; allow more with --max-rows", rows, limit)
	case s.target.Format.Book != nil:
		return fitsSheet(rows)
	case s.target.Format.Encode == nil:
		return fitsTable(rows, int64(len(columns)))
	}
	return nil
}

// leastGoals is how many goals a command has, or slightly fewer, told before the values of
// its lists are made.
func leastGoals(c Values) int64 {
	goals := int64(1)
	for _, length := range []int64{
		leastLength(c, "samples", counts), leastLength(c, "queries", counts),
		leastLength(c, "tau", positives), leastLength(c, "beta", probabilities), leastLength(c, "confidence", confidences),
		leastLength(c, "budget", counts), leastLength(c, "sensitivity", positives), leastLength(c, "epsilon", positives),
	} {
		if c.Is("zip") {
			goals = max(goals, length)
		} else {
			goals = min(goals*length, math.MaxInt32) // both are below 2^31
		}
	}
	return goals
}

func readView(c Values, format Format, offered []Format) (view, error) {
	report, plot := c.Is("report"), c.Is("plot")
	switch {
	case report && plot:
		return 0, usagef("--plot: given with --report, want one of the two")
	case report && format.Prose == nil:
		return 0, usagef("--report: got the format %s, want %s", format.Name, orList(namesOf(offered, func(f Format) bool { return f.Prose != nil })))
	case plot && format.Name != offered[0].Name:
		return 0, usagef("--plot: got the format %s, want none; -o with .svg, .png or .pdf draws without --plot", format.Name)
	case report:
		return reportView, nil
	case plot:
		return plotView, nil
	case format.Draw != nil:
		return figureView, nil
	}
	return tableView, nil
}

func readMethods(c Values) ([]transfer.Method, error) {
	proofs, err := OneOf(c, "proofs", "all", "published")
	if err != nil {
		return nil, err
	}
	all := transfer.Methods()
	var wanted []string
	if raw, ok := c.Text("method"); ok {
		wanted = namesIn(raw)
		for _, name := range wanted {
			if _, ok := transfer.Lookup(name); !ok {
				return nil, unknownMethod("--method", name)
			}
		}
	}
	chosen := slices.DeleteFunc(all, func(m transfer.Method) bool {
		return wanted != nil && !slices.Contains(wanted, m.Name) || proofs == "published" && m.Proof != transfer.Published
	})
	if len(chosen) == 0 {
		return nil, usagef("--proofs: got published, want a published one among the methods")
	}
	return chosen, nil
}

func unknownMethod(where, name string) error {
	hint := didYouMean(name, methodNames())
	if hint == "" {
		hint = ", see dpcalc methods"
	}
	return usagef("%s: unknown method %s%s", where, shown(name), hint)
}

func methodNames() []string {
	var names []string
	for _, m := range transfer.Methods() {
		names = append(names, m.Name)
	}
	return names
}

// readGrid reads the goals. Of samples, queries, tau and beta at least as many are needed as needs says.
func readGrid(c Values, inputs *[]input, needs int) (grid, error) {
	var none grid
	var base transfer.Goal
	samples, err := list(c, "samples", counts)
	if err != nil {
		return none, err
	}
	queries, err := list(c, "queries", counts)
	if err != nil {
		return none, err
	}
	query, err := OneOf(c, "query", queryKinds...)
	if err != nil {
		return none, err
	}
	if base.Query, err = transfer.ParseQuery(query); err != nil {
		return none, err
	}
	accuracies := positives
	if base.Query == transfer.Bounded || base.Query == transfer.Binary {
		accuracies.want = "a number in (0, 1)"
	}
	tau, err := list(c, "tau", accuracies)
	if err != nil {
		return none, err
	}
	beta, err := list(c, "beta", probabilities)
	if err != nil {
		return none, err
	}
	confidence, err := list(c, "confidence", confidences)
	if err != nil {
		return none, err
	}
	if beta != nil && confidence != nil {
		return none, usagef("--confidence: given with --beta, want one of the two")
	}
	if err := errors.Join(likelyFailures("beta", beta), likelyFailures("confidence", confidence)); err != nil {
		return none, err
	}
	budget, err := list(c, "budget", counts)
	if err != nil {
		return none, err
	}
	sensitivity, err := list(c, "sensitivity", positives)
	if err != nil {
		return none, err
	}
	epsilon, err := list(c, "epsilon", positives)
	if err != nil {
		return none, err
	}
	var known []string
	for _, f := range []struct {
		flag string
		set  bool
	}{{"--samples", samples != nil}, {"--queries", queries != nil}, {"--tau", tau != nil}, {"--beta", beta != nil || confidence != nil}} {
		if f.set {
			known = append(known, f.flag)
		}
	}
	if len(known) < needs {
		got := strings.Join(known, ", ")
		if got == "" {
			got = "none"
		}
		return none, usagef("samplesize: got %s, want three of --samples, --queries, --tau, --beta to find the fourth, or all to check", got)
	}
	*inputs = []input{
		listInput(c, "samples", samples, countCell),
		listInput(c, "queries", queries, countCell),
		listInput(c, "tau", tau, numberCell),
		listInput(c, "beta", beta, chanceCell),
	}
	if confidence != nil {
		(*inputs)[3] = listInput(c, "confidence", confidence, chanceCell)
		if len(confidence) > 1 { // the text has confidences
			(*inputs)[3].name = "confidence"
		} else {
			(*inputs)[3].name = "beta"
		}
	}
	*inputs = append(*inputs,
		listInput(c, "budget", budget, countCell),
		input{"query", wordsCell(query)},
		listInput(c, "sensitivity", sensitivity, numberCell),
		listInput(c, "epsilon", epsilon, numberCell),
	)
	return newGrid(base, c.Is("zip"),
		axisOf("samples", samples, func(g *transfer.Goal, n int64) { g.Samples = n }),
		axisOf("queries", queries, func(g *transfer.Goal, m int64) { g.Queries = m }),
		axisOf("tau", tau, func(g *transfer.Goal, t float64) { g.Tau = t }),
		axisOf("beta", beta, func(g *transfer.Goal, b theory.LogProb) { g.Beta = b }),
		axisOf("confidence", confidence, func(g *transfer.Goal, b theory.LogProb) { g.Beta = b }),
		axisOf("budget", budget, func(g *transfer.Goal, k int64) { g.Budget = k }),
		axisOf("sensitivity", sensitivity, func(g *transfer.Goal, d float64) { g.Sensitivity = d }),
		axisOf("epsilon", epsilon, func(g *transfer.Goal, e float64) { g.Epsilon = e }),
	)
}

// listInput repeats a single value as a number and a list as it was typed.
func listInput[T any](c Values, flag string, values []T, toCell func(T) cell) input {
	switch raw, ok := c.Text(flag); {
	case !ok:
		return input{name: flag}
	case len(values) == 1:
		return input{flag, toCell(values[0])}
	default:
		return input{flag, wordsCell(raw)}
	}
}

// row is one method's answer to one goal.
type row struct {
	method *transfer.Method
	transfer.Answer
	best bool
}

// columns are the machine's, in the contract's order.
var columns = []string{
	"method", "samples", "queries", "tau", "tau_achieved", "beta", "ln_beta", "budget", "adaptive", "proof",
	"noise", "noise_scale", "threshold", "epsilon", "ln_delta", "best", "status", "reason", "sources", "assumes",
	"query", "sensitivity", "cells", "noise_first", "noise_last",
}

func (s *plan) result() result {
	return result{command: "samplesize", inputs: s.inputs, columns: columns}
}

// static holds the cells of a method that are the same in every row.
type static struct{ name, adaptive, proof, sources, assumes cell }

func (s *plan) static() []static {
	list := make([]static, len(s.methods))
	for i, m := range s.methods {
		list[i] = static{wordsCell(m.Name), truthCell(m.Adaptive), wordsCell(string(m.Proof)), sourcesCell(m.Sources), listCell(m.Assumes)}
	}
	return list
}

func (r *row) cells(dst []cell, fixed *static) []cell {
	beta, lnBeta := cell{}, cell{}
	if r.Beta != 0 || r.Status == transfer.Vacuous {
		beta, lnBeta = chanceCell(r.Beta), exactly(r.Beta.Ln())
	}
	scale, first, last := noiseCells(r.Mechanism)
	return append(dst,
		fixed.name, countCell(r.Samples), countCell(r.Queries), numberCell(r.Tau), numberCell(r.TauAchieved), beta, lnBeta,
		countCell(r.Budget), fixed.adaptive, fixed.proof,
		wordsCell(r.Mechanism.Noise), scale, numberCell(r.Mechanism.Threshold),
		numberCell(r.Mechanism.Epsilon), numberCell(r.Mechanism.LnDelta.Ln()),
		truthCell(r.best), wordsCell(string(r.Status)), wordsCell(r.Reason), fixed.sources, fixed.assumes,
		wordsCell(r.Query.String()), r.sensitivity(), countCell(r.Mechanism.Cells), first, last,
	)
}

// noiseCells are the one scale of a mechanism's noise or, of a schedule, the first and
// the last. The last may be zero, which is a value: the answer carries no noise.
func noiseCells(run transfer.Mechanism) (scale, first, last cell) {
	if !run.Scheduled() {
		return numberCell(run.Scale), cell{}, cell{}
	}
	return cell{}, exactly(run.ScaleFirst), exactly(run.Scale)
}

// sensitivity is D where the kind of query has one; it defaults to 1.
func (r *row) sensitivity() cell {
	switch {
	case r.Query != transfer.Sensitive && r.Query != transfer.Minimization:
		return cell{}
	case r.Sensitivity == 0:
		return exactly(1)
	}
	return exactly(r.Sensitivity)
}

// verdict is what the exit code depends on.
type verdict struct {
	answered atomic.Bool // some row is ok
	refuted  atomic.Bool // some goal has no adaptive row that is ok
}

// solve answers the i-th goal.
func (s *plan) solve(rows []row, i int, v *verdict) ([]row, error) {
	rows, best, err := s.answer(rows, s.grid.goal(i))
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(rows, func(r row) bool { return r.Status == transfer.OK }) {
		v.answered.Store(true)
	}
	if best < 0 {
		v.refuted.Store(true)
	}
	return rows, nil
}

// answer answers a goal by every method and marks the best adaptive row, whose index
// it returns, -1 if there is none.
func (s *plan) answer(rows []row, goal transfer.Goal) (_ []row, best int, err error) {
	rows, best = rows[:0], -1
	for k := range s.methods {
		m := &s.methods[k]
		answer, err := m.Solve(goal)
		if err != nil {
			return nil, best, fmt.Errorf("%s: %w", m.Name, err)
		}
		rows = append(rows, row{method: m, Answer: answer})
		if answer.Status == transfer.OK && m.Adaptive && (best < 0 || better(s.unknown, answer, rows[best].Answer)) {
			best = k
		}
	}
	if best >= 0 {
		rows[best].best = true
	}
	return rows, best, nil
}

// better says whether a is strictly better than b: for the unknown, or where it ties by
// the accuracy achieved.
func better(u transfer.Unknown, a, b transfer.Answer) bool {
	return cmp.Or(ahead(u, a, b), cmp.Compare(a.TauAchieved, b.TauAchieved)) < 0
}

// ahead compares two answers by the unknown alone: it is negative where a is the better.
func ahead(u transfer.Unknown, a, b transfer.Answer) int {
	switch u {
	case transfer.Samples:
		return cmp.Compare(a.Samples, b.Samples)
	case transfer.Queries:
		return cmp.Compare(b.Queries, a.Queries)
	case transfer.Tau:
		return cmp.Compare(a.Tau, b.Tau)
	case transfer.Beta:
		return cmp.Compare(a.Beta, b.Beta)
	}
	return 0
}

// stream writes the rows of a grid for machines in bounded memory.
func (s *plan) stream(c *Call, e encoder, v *verdict) error {
	static := s.static()
	type scratch struct {
		rows  []row
		cells []cell
		known chances
	}
	free := make(chan *scratch, 64)
	encode := func(dst []byte, lo, hi int) ([]byte, error) {
		var w *scratch
		select {
		case w = <-free:
		default:
			w = new(scratch)
		}
		defer func() {
			select {
			case free <- w:
			default:
			}
		}()
		for i := lo; i < hi; i++ {
			var err error
			if w.rows, err = s.solve(w.rows, i, v); err != nil {
				return nil, err
			}
			for k := range w.rows {
				w.cells = w.rows[k].cells(w.cells[:0], &static[k])
				dst = e.row(dst, i == 0 && k == 0, w.cells, &w.known)
			}
		}
		return dst, nil
	}
	bar := c.Progress(s.goals)
	defer bar.end()
	return c.WriteTo(s.target, func(w io.Writer) error {
		if _, err := w.Write(e.head(nil)); err != nil {
			return err
		}
		if err := stream(c.Context, w, s.goals, c.Workers, encode, bar.step); err != nil {
			return err
		}
		_, err := w.Write(e.foot(nil))
		return err
	})
}

// tabulate writes the rows for people.
func (s *plan) tabulate(c *Call, v *verdict) error {
	bar := c.Progress(s.goals)
	rows, err := s.solveAll(c, 0, s.goals, v, bar)
	bar.end()
	if err != nil {
		return err
	}
	write := func(text string) error {
		return c.WriteTo(s.target, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	switch s.view {
	case reportView:
		return write(s.report(rows, *s.target.Format.Prose))
	case plotView, figureView:
		figure, err := s.figure(c.Context, rows)
		switch {
		case errors.Is(err, errNothingToDraw):
			fmt.Fprintf(c.Stderr, "dpcalc: %v\n", err)
			return outcome(exitNoAnswer)
		case err != nil:
			return err
		case s.view == plotView:
			return write(textPlot(figure))
		}
		return c.WriteTo(s.target, func(w io.Writer) error { return s.target.Format.Draw(w, figure) })
	}
	sheet, err := s.sheet(c.Context, rows)
	if err != nil {
		return err
	}
	return c.WriteTo(s.target, func(w io.Writer) error { return s.target.Format.Print(w, sheet) })
}

// solveAll answers the goals from lo to hi on several workers.
func (s *plan) solveAll(c *Call, lo, hi int, v *verdict, bar *progress) ([][]row, error) {
	rows := make([][]row, hi-lo)
	err := stream(c.Context, io.Discard, len(rows), c.Workers, func(dst []byte, from, to int) (_ []byte, err error) {
		for i := from; i < to; i++ {
			if rows[i], err = s.solve(nil, lo+i, v); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}, func(done int) { bar.step(lo + done) })
	return rows, err
}
