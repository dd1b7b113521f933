package privacy

import (
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func Compose() *commands.Command {
	return &commands.Command{
		Name:    "compose",
		Summary: "the privacy of many private steps on the same data",
		Description: "Give --epsilon and --delta of each step, or --mu of each Gaussian step, and their number.\n" +
			"Each step may be chosen in view of the answers before it. The answer is for neighbours by replacing a\n" +
			"row: what is given for adding or removing one is converted step by step, before it is composed.",
		Flags: []usage.Flag{
			{Name: "epsilon", Usage: "`E` of each step"},
			{Name: "delta", Usage: "`D` of each step; 0 is allowed and the default"},
			{Name: "mu", Usage: "`M` of each step, in place of epsilon and delta: Gaussian differential privacy"},
			commands.NeighboursFlag,
			{Name: "times", Alias: "k", Usage: "`K` steps"},
			{Name: "target-delta", Usage: "`D2`, the delta of the whole, for every method but basic"},
			{Name: "method", Usage: "only these methods, `A,B,...`: " + strings.Join(composeNames, ", "), Words: composeNames},
			{Name: "all", Switch: true, Usage: "every vertex of the optimal privacy curve"},
		},
		Output: commands.Tables,
		Examples: [2]string{
			"dpcalc compose --epsilon 0.1 --times 100 --target-delta 1e-6",
			"dpcalc compose --mu 0.1 --times 100 --target-delta 1e-6",
		},
		Run: runCompose,
	}
}

var (
	composeNames   = []string{"basic", "advanced", "optimal", "zcdp", "gdp"}
	composeColumns = []string{"method", "epsilon", "delta", "ln_delta", "status", "reason", "sources", commands.NeighboursKey}
)

// steps is what the compose command was asked.
type steps struct {
	each   theory.Approx
	mu     float64 // 0 unless the steps are Gaussian
	times  int64
	total  theory.LogProb
	target bool // whether total was given

	by commands.Convention // of what was given; each and mu are by replacement
}

func runCompose(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	s, err := readSteps(c)
	if err != nil {
		return err
	}
	names := composeNames
	if raw, ok := c.Text("method"); ok {
		wanted := numbers.NamesIn(raw)
		for _, name := range wanted {
			if !slices.Contains(composeNames, name) {
				return usage.Errorf("--method: got %s, want some of %s%s", usage.Shown(name), strings.Join(composeNames, ", "), usage.DidYouMean(name, composeNames))
			}
		}
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(wanted, n) })
	}
	r := record.Result{
		Command: "compose",
		Inputs: []record.Input{
			{Name: "epsilon", Value: record.Number(s.each.Epsilon)}, {Name: "delta", Value: record.Chance(s.each.LnDelta)}, {Name: "mu", Value: record.Number(s.mu)}, {Name: "times", Value: record.Count(s.times)},
			{Name: "target_delta", Value: record.Cell{}}, {Name: commands.NeighboursKey, Value: record.Words(string(s.by))},
		},
		Columns: composeColumns,
	}
	if s.target {
		r.Inputs[4].Value = record.Chance(s.total)
	}
	if s.mu != 0 {
		r.Inputs[1].Value = record.Cell{}
	}
	if err := s.replace(); err != nil {
		return err
	}
	if c.Is("all") {
		return composeCurve(c, target, r, s)
	}
	var rows [][]record.Cell
	answered := false
	for _, name := range names {
		bound, err := s.compose(name)
		status, reason, err := commands.RowStatus(err)
		if err != nil {
			return err
		}
		if status == transfer.OK && bound.Value.LnDelta == 0 {
			status, reason = transfer.Vacuous, "delta is 1"
		}
		answered = answered || status == transfer.OK
		rows = append(rows, s.row(name, bound, status, reason))
	}
	err = commands.Emit(c, target, r, rows, func() record.Sheet { return s.sheet(r, rows) })
	if err == nil && !answered {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return err
}

func readSteps(c usage.Values) (s steps, err error) {
	var okEpsilon, okDelta, okMu, okTimes bool
	if s.each.Epsilon, okEpsilon, err = numbers.One(c, "epsilon", numbers.Positives); err != nil {
		return s, err
	}
	if s.each.LnDelta, okDelta, err = numbers.One(c, "delta", numbers.BelowOne); err != nil {
		return s, err
	}
	if s.mu, okMu, err = numbers.One(c, "mu", numbers.Positives); err != nil {
		return s, err
	}
	if s.times, okTimes, err = numbers.One(c, "times", numbers.Counts); err != nil {
		return s, err
	}
	if s.total, s.target, err = numbers.One(c, "target-delta", numbers.Probabilities); err != nil {
		return s, err
	}
	if !okDelta {
		s.each.LnDelta = theory.Zero
	}
	if s.by, err = commands.ReadConvention(c); err != nil {
		return s, err
	}
	all := c.Is("all")
	switch {
	case okEpsilon && okMu:
		return s, usage.Errorf("--mu: given with --epsilon, want one of the two")
	case okDelta && okMu:
		return s, usage.Errorf("--mu: given with --delta, want one of the two")
	case !okEpsilon && !okMu:
		return s, usage.Errorf("--epsilon: got nothing, want a value, or --mu")
	case !okTimes:
		return s, usage.Errorf("--times: got nothing, want a value")
	case okMu && !s.target:
		return s, usage.Errorf("--target-delta: got nothing, want a value with --mu")
	case all && (okMu || s.target):
		return s, usage.Errorf("--all: given with --mu or --target-delta, want --epsilon, --delta and --times only")
	}
	if _, ok := c.Text("method"); ok && all {
		return s, usage.Errorf("--all: given with --method, want one of the two")
	}
	return s, nil
}

// replace converts each step, not the result: every theorem of composition then applies
// as it stands, and the target delta is that of the answer. Converted afterwards, the
// delta of the whole would be multiplied by 1 + e^epsilon, epsilon that of the whole.
func (s *steps) replace() (err error) {
	if s.mu != 0 {
		s.mu, err = s.by.Mu(s.mu)
		return err
	}
	s.each, err = s.by.Approx(s.each)
	return err
}

// compose applies one method.
func (s *steps) compose(method string) (theory.Bound[theory.Approx], error) {
	var none theory.Bound[theory.Approx]
	needs := func(text string) (theory.Bound[theory.Approx], error) {
		return none, &theory.NotApplicableError{Needs: text}
	}
	gaussian := method == "zcdp" || method == "gdp"
	switch {
	case s.mu != 0 && !gaussian:
		return needs("--epsilon of each step")
	case s.mu == 0 && method == "gdp":
		return needs("--mu of each step")
	case method != "basic" && !s.target:
		return needs("--target-delta")
	}
	each := theory.Composition{Each: s.each, Times: s.times}
	switch method {
	case "basic":
		return each.Basic()
	case "advanced":
		return each.Advanced(s.total)
	case "optimal":
		return each.Optimal(s.total)
	case "gdp":
		whole, err := theory.GDP{Mu: s.mu}.Repeat(s.times)
		if err != nil {
			return none, err
		}
		bound, err := whole.Value.Approx(s.total)
		bound.Sources = slices.Concat(whole.Sources, bound.Sources)
		return bound, err
	}
	var step theory.Bound[theory.ZCDP]
	var err error
	switch {
	case s.mu != 0:
		step, err = theory.GDP{Mu: s.mu}.ZCDP()
	case s.each.LnDelta != theory.Zero:
		return needs("pure privacy, delta = 0")
	default:
		step, err = theory.Pure{Epsilon: s.each.Epsilon}.ZCDP()
	}
	if err != nil {
		return none, err
	}
	whole, err := step.Value.Repeat(s.times)
	if err != nil {
		return none, err
	}
	bound, err := whole.Value.Approx(s.total)
	bound.Sources = slices.Concat(step.Sources, whole.Sources, bound.Sources)
	return bound, err
}

func (s *steps) row(method string, bound theory.Bound[theory.Approx], status transfer.Status, reason string) []record.Cell {
	row := []record.Cell{
		record.Words(method), {}, {}, {}, record.Words(string(status)), record.Words(reason), record.Sources(s.by.Sources(bound.Sources)), record.Words(string(s.by)),
	}
	if status == transfer.OK || status == transfer.Vacuous {
		row[1], row[2], row[3] = record.Exactly(bound.Value.Epsilon), record.Chance(bound.Value.LnDelta), record.Exactly(bound.Value.LnDelta.Ln())
	}
	return row
}

func (s *steps) sheet(r record.Result, rows [][]record.Cell) record.Sheet {
	var asked []string
	for _, in := range r.Inputs {
		if in.Value.Form != record.Missing {
			asked = append(asked, strings.ReplaceAll(in.Name, "_", " ")+" "+record.People(in.Value))
		}
	}
	out := record.Sheet{Title: []string{"Privacy of the whole: " + strings.Join(asked, ", ")}, Columns: []string{"method", "epsilon", "delta", "status", "reason"}}
	var leftOut commands.Reasons
	for _, row := range rows {
		if !leftOut.LeavesOut(row[0].S, transfer.Status(row[4].S), row[5].S) {
			out.Rows = append(out.Rows, slices.Concat(row[:3], row[4:6]))
		}
	}
	if s.by == commands.ByAdding {
		each := "epsilon " + record.People(record.Exactly(s.each.Epsilon)) + ", delta " + record.People(record.Chance(s.each.LnDelta))
		if s.mu != 0 {
			each = "mu " + record.People(record.Exactly(s.mu))
		}
		out.Notes = []string{"The rows are for neighbours by replacing a row. Each step was converted first: " + each + "."}
	}
	out.Notes = append(out.Notes, leftOut.Lines()...)
	return out
}

// composeCurve writes the vertices of the optimal curve as they come.
func composeCurve(c *commands.Call, t commands.Target, r record.Result, s steps) error {
	curve, err := theory.Composition{Each: s.each, Times: s.times}.OptimalCurve()
	status, reason, err := commands.RowStatus(err)
	if err != nil {
		return err
	}
	rows := func(yield func([]record.Cell) bool) {
		if status != transfer.OK {
			yield(s.row("optimal", theory.Bound[theory.Approx]{}, status, reason))
			return
		}
		for vertex := range curve.Value {
			if !yield(s.row("optimal", theory.Bound[theory.Approx]{Value: vertex, Sources: curve.Sources}, status, "")) {
				return
			}
		}
	}
	err = c.WriteTo(t, func(w io.Writer) error {
		if t.Format.Encode == nil {
			var all [][]record.Cell
			for row := range rows {
				all = append(all, row)
				if err := commands.FitsTable(int64(len(all)), int64(len(row))); err != nil {
					return err
				}
			}
			return commands.ForPeople(r, w, t, all, s.sheet(r, all))
		}
		e := t.Format.Encode(r)
		b := e.Head(nil)
		first := true
		for row := range rows {
			b = e.Row(b, first, row, new(record.Chances))
			if _, err := w.Write(b); err != nil {
				return err
			}
			if err := c.Context.Err(); err != nil {
				return err
			}
			b, first = b[:0], false
		}
		_, err := w.Write(e.Foot(b))
		return err
	})
	if err == nil && status != transfer.OK {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return err
}
