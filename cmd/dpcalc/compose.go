package main

import (
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func composeCommand() *Command {
	return &Command{
		Name:    "compose",
		Summary: "the privacy of many private steps on the same data",
		Description: "Give --epsilon and --delta of each step, or --mu of each Gaussian step, and their number.\n" +
			"Each step may be chosen in view of the answers before it. The answer is for neighbours by replacing a\n" +
			"row: what is given for adding or removing one is converted step by step, before it is composed.",
		Flags: []Flag{
			{Name: "epsilon", Usage: "`E` of each step"},
			{Name: "delta", Usage: "`D` of each step; 0 is allowed and the default"},
			{Name: "mu", Usage: "`M` of each step, in place of epsilon and delta: Gaussian differential privacy"},
			neighboursFlag,
			{Name: "times", Alias: "k", Usage: "`K` steps"},
			{Name: "target-delta", Usage: "`D2`, the delta of the whole, for every method but basic"},
			{Name: "method", Usage: "only these methods, `A,B,...`: " + strings.Join(composeNames, ", "), Words: composeNames},
			{Name: "all", Switch: true, Usage: "every vertex of the optimal privacy curve"},
		},
		Output: Tables,
		Examples: [2]string{
			"dpcalc compose --epsilon 0.1 --times 100 --target-delta 1e-6",
			"dpcalc compose --mu 0.1 --times 100 --target-delta 1e-6",
		},
		Run: runCompose,
	}
}

var (
	composeNames   = []string{"basic", "advanced", "optimal", "zcdp", "gdp"}
	composeColumns = []string{"method", "epsilon", "delta", "ln_delta", "status", "reason", "sources", neighboursKey}
)

// steps is what the compose command was asked.
type steps struct {
	each   theory.Approx
	mu     float64 // 0 unless the steps are Gaussian
	times  int64
	total  theory.LogProb
	target bool // whether total was given

	by convention // of what was given; each and mu are by replacement
}

func runCompose(c *Call) error {
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
		wanted := namesIn(raw)
		for _, name := range wanted {
			if !slices.Contains(composeNames, name) {
				return usagef("--method: got %s, want some of %s%s", shown(name), strings.Join(composeNames, ", "), didYouMean(name, composeNames))
			}
		}
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(wanted, n) })
	}
	r := result{
		command: "compose",
		inputs: []input{
			{"epsilon", numberCell(s.each.Epsilon)}, {"delta", chanceCell(s.each.LnDelta)}, {"mu", numberCell(s.mu)}, {"times", countCell(s.times)},
			{"target_delta", cell{}}, {neighboursKey, wordsCell(string(s.by))},
		},
		columns: composeColumns,
	}
	if s.target {
		r.inputs[4].value = chanceCell(s.total)
	}
	if s.mu != 0 {
		r.inputs[1].value = cell{}
	}
	if err := s.replace(); err != nil {
		return err
	}
	if c.Is("all") {
		return composeCurve(c, target, r, s)
	}
	var rows [][]cell
	answered := false
	for _, name := range names {
		bound, err := s.compose(name)
		status, reason, err := rowStatus(err)
		if err != nil {
			return err
		}
		if status == transfer.OK && bound.Value.LnDelta == 0 {
			status, reason = transfer.Vacuous, "delta is 1"
		}
		answered = answered || status == transfer.OK
		rows = append(rows, s.row(name, bound, status, reason))
	}
	err = emit(c, target, r, rows, func() sheet { return s.sheet(r, rows) })
	if err == nil && !answered {
		return outcome(exitNoAnswer)
	}
	return err
}

func readSteps(c Values) (s steps, err error) {
	var okEpsilon, okDelta, okMu, okTimes bool
	if s.each.Epsilon, okEpsilon, err = one(c, "epsilon", positives); err != nil {
		return s, err
	}
	if s.each.LnDelta, okDelta, err = one(c, "delta", belowOne); err != nil {
		return s, err
	}
	if s.mu, okMu, err = one(c, "mu", positives); err != nil {
		return s, err
	}
	if s.times, okTimes, err = one(c, "times", counts); err != nil {
		return s, err
	}
	if s.total, s.target, err = one(c, "target-delta", probabilities); err != nil {
		return s, err
	}
	if !okDelta {
		s.each.LnDelta = theory.Zero
	}
	if s.by, err = readConvention(c); err != nil {
		return s, err
	}
	all := c.Is("all")
	switch {
	case okEpsilon && okMu:
		return s, usagef("--mu: given with --epsilon, want one of the two")
	case okDelta && okMu:
		return s, usagef("--mu: given with --delta, want one of the two")
	case !okEpsilon && !okMu:
		return s, usagef("--epsilon: got nothing, want a value, or --mu")
	case !okTimes:
		return s, usagef("--times: got nothing, want a value")
	case okMu && !s.target:
		return s, usagef("--target-delta: got nothing, want a value with --mu")
	case all && (okMu || s.target):
		return s, usagef("--all: given with --mu or --target-delta, want --epsilon, --delta and --times only")
	}
	if _, ok := c.Text("method"); ok && all {
		return s, usagef("--all: given with --method, want one of the two")
	}
	return s, nil
}

// replace converts each step, not the result: every theorem of composition then applies
// as it stands, and the target delta is that of the answer. Converted afterwards, the
// delta of the whole would be multiplied by 1 + e^epsilon, epsilon that of the whole.
func (s *steps) replace() (err error) {
	if s.mu != 0 {
		s.mu, err = s.by.mu(s.mu)
		return err
	}
	s.each, err = s.by.approx(s.each)
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

func (s *steps) row(method string, bound theory.Bound[theory.Approx], status transfer.Status, reason string) []cell {
	row := []cell{
		wordsCell(method), {}, {}, {}, wordsCell(string(status)), wordsCell(reason), sourcesCell(s.by.sources(bound.Sources)), wordsCell(string(s.by)),
	}
	if status == transfer.OK || status == transfer.Vacuous {
		row[1], row[2], row[3] = exactly(bound.Value.Epsilon), chanceCell(bound.Value.LnDelta), exactly(bound.Value.LnDelta.Ln())
	}
	return row
}

func (s *steps) sheet(r result, rows [][]cell) sheet {
	var asked []string
	for _, in := range r.inputs {
		if in.value.form != missing {
			asked = append(asked, strings.ReplaceAll(in.name, "_", " ")+" "+people(in.value))
		}
	}
	out := sheet{title: []string{"Privacy of the whole: " + strings.Join(asked, ", ")}, columns: []string{"method", "epsilon", "delta", "status", "reason"}}
	var leftOut reasons
	for _, row := range rows {
		if !leftOut.leavesOut(row[0].s, transfer.Status(row[4].s), row[5].s) {
			out.rows = append(out.rows, slices.Concat(row[:3], row[4:6]))
		}
	}
	if s.by == byAdding {
		each := "epsilon " + people(exactly(s.each.Epsilon)) + ", delta " + people(chanceCell(s.each.LnDelta))
		if s.mu != 0 {
			each = "mu " + people(exactly(s.mu))
		}
		out.notes = []string{"The rows are for neighbours by replacing a row. Each step was converted first: " + each + "."}
	}
	out.notes = append(out.notes, leftOut.lines()...)
	return out
}

// composeCurve writes the vertices of the optimal curve as they come.
func composeCurve(c *Call, t Target, r result, s steps) error {
	curve, err := theory.Composition{Each: s.each, Times: s.times}.OptimalCurve()
	status, reason, err := rowStatus(err)
	if err != nil {
		return err
	}
	rows := func(yield func([]cell) bool) {
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
			var all [][]cell
			for row := range rows {
				all = append(all, row)
				if err := fitsTable(int64(len(all)), int64(len(row))); err != nil {
					return err
				}
			}
			return forPeople(r, w, t, all, s.sheet(r, all))
		}
		e := t.Format.Encode(r)
		b := e.head(nil)
		first := true
		for row := range rows {
			b = e.row(b, first, row, new(chances))
			if _, err := w.Write(b); err != nil {
				return err
			}
			if err := c.Context.Err(); err != nil {
				return err
			}
			b, first = b[:0], false
		}
		_, err := w.Write(e.foot(b))
		return err
	})
	if err == nil && status != transfer.OK {
		return outcome(exitNoAnswer)
	}
	return err
}
