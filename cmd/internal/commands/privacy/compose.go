// Package privacy has the commands about the privacy of a whole transcript: what many steps
// add up to, and what privacy and accuracy on the sample say of the population.
package privacy

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// Compose is the command compose.
func Compose() *commands.Command {
	names := compositionNames()
	return &commands.Command{
		Name:        "compose",
		Summary:     "the privacy of many private steps on the same data",
		Description: commands.Described("compose"),
		Flags: []usage.Flag{
			{Name: "epsilon", Usage: "each step has epsilon `E`"},
			{Name: "delta", Usage: "each step has delta `D` (default 0)"},
			{Name: "mu", Usage: "each step is Gaussian with `M`, in place of epsilon and delta"},
			commands.NeighboursFlag,
			{Name: "times", Alias: "k", Usage: "there are `K` steps"},
			{Name: "target-delta", Usage: "all steps together have delta `D2`, for every method but basic"},
			{Name: "method", Usage: "use only the methods `A,B,...`: " + strings.Join(names, ", "), Words: names, List: true},
			{Name: "all", Switch: true, Usage: "every vertex of the optimal privacy curve"},
		},
		Output: commands.Tables,
		Examples: []string{
			"dpcalc compose --epsilon 0.1 --times 100 --target-delta 1e-6",
			"dpcalc compose --mu 0.1 --times 100 --target-delta 1e-6",
		},
		Run: runCompose,
	}
}

func compositionNames() []string {
	return each.Of(theory.CompositionMethods(), func(m theory.CompositionMethod) string { return m.Name })
}

// steps is what the command was asked.
type steps struct {
	theory.Steps                     // by replacement
	by           commands.Convention // of what was given
	inputs       []record.Input
}

// composed is a row: what a method makes of the steps.
type composed struct {
	method string
	by     commands.Convention
	theory.Outcome[theory.Approx]
}

func (r composed) verdict() commands.Verdict {
	return commands.Verdict{Method: r.method, Status: r.Status, Reason: r.Reason,
		Sources: r.by.Sources(r.Sources), Neighbours: r.by}
}

// value is a cell of a row that has a value.
func (r composed) value(c record.Cell) record.Cell { return c.If(r.Status.Applies()) }

type composedColumn = record.Column[composed]

var composedColumns = slices.Concat(commands.VerdictColumns(composed.verdict, "method"), []composedColumn{
	{Name: "epsilon", Cell: func(r composed) record.Cell { return r.value(record.Exactly(r.Value.Epsilon)) }},
	{Name: "delta", Cell: func(r composed) record.Cell { return r.value(record.Chance(r.Value.LnDelta)) }},
	{Name: "ln_delta", Cell: func(r composed) record.Cell { return r.value(record.Exactly(r.Value.LnDelta.Ln())) }},
}, commands.VerdictColumns(composed.verdict, "status", "reason", "sources", commands.NeighboursKey))

// composeModes are the optimal curve, and what each method makes of the steps.
var composeModes = []commands.Mode{{Name: "all", Flags: []string{"all"}}, {Flags: []string{"mu", "target-delta", "method"}}}

func runCompose(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	mode, err := c.AskedMode(composeModes)
	if err != nil {
		return err
	}
	s, err := readSteps(c)
	if err != nil {
		return err
	}
	names, err := usage.SomeOf(c, "method", compositionNames())
	if err != nil {
		return err
	}
	if err := s.replace(); err != nil {
		return err
	}
	if mode.Name == "all" {
		return s.curve(c, target)
	}
	var rows []composed
	for _, m := range theory.CompositionMethods() {
		if !slices.Contains(names, m.Name) {
			continue
		}
		outcome, err := m.Compose(s.Steps)
		if err != nil {
			return err
		}
		rows = append(rows, composed{method: m.Name, by: s.by, Outcome: outcome})
	}
	return commands.Emit(c, target, s.answer(commands.List(rows)))
}

func readSteps(c *commands.Call) (s steps, err error) {
	s.Each.LnDelta = theory.Zero
	okEpsilon := numbers.Read(c, &err, "epsilon", numbers.Positives, &s.Each.Epsilon)
	okDelta := numbers.Read(c, &err, "delta", numbers.BelowOne, &s.Each.LnDelta)
	okMu := numbers.Read(c, &err, "mu", numbers.Positives, &s.Mu)
	okTimes := numbers.Read(c, &err, "times", numbers.Counts, &s.Times)
	okTotal := numbers.Read(c, &err, "target-delta", numbers.Probabilities, &s.Total)
	if err != nil {
		return s, err
	}
	if s.by, err = commands.ReadConvention(c); err != nil {
		return s, err
	}
	switch {
	case okEpsilon && okMu:
		return s, usage.Errorf("--mu: given with --epsilon, want one of the two")
	case okDelta && okMu:
		return s, usage.Errorf("--mu: given with --delta, want one of the two")
	case !okEpsilon && !okMu:
		return s, usage.Errorf("--epsilon: got nothing, want a value, or --mu")
	case !okTimes:
		return s, usage.Errorf("--times: got nothing, want a value")
	case okMu && !okTotal:
		return s, usage.Errorf("--target-delta: got nothing, want a value with --mu")
	}
	delta, total := record.Chance(s.Each.LnDelta), record.Cell{}
	if okMu {
		delta = record.Cell{}
	}
	if okTotal {
		total = record.Chance(s.Total)
	}
	s.inputs = []record.Input{
		{Name: "epsilon", Value: record.Number(s.Each.Epsilon)}, {Name: "delta", Value: delta},
		{Name: "mu", Value: record.Number(s.Mu)},
		{Name: "times", Value: record.Count(s.Times)}, {Name: "target_delta", Value: total},
		{Name: commands.NeighboursKey, Value: record.Words(string(s.by))},
	}
	return s, nil
}

// replace converts each step, not the result: every theorem of composition then applies
// as it stands, and the target delta belongs to the answer. Converted afterwards, the
// delta of the whole would be multiplied by 1 + e^epsilon, with the epsilon of the whole.
func (s *steps) replace() (err error) {
	if s.Mu != 0 {
		s.Mu, err = s.by.Mu(s.Mu)
		return err
	}
	s.Each, err = s.by.Approx(s.Each)
	return err
}

func (s *steps) answer(rows commands.Rows[composed]) commands.Answer[composed] {
	return commands.Answer[composed]{
		Command: "compose", Inputs: s.inputs, Rows: rows, Verdict: composed.verdict, Say: s.say,
		Columns: composedColumns,
		Shown:   record.Named(composedColumns, "method", "epsilon", "delta", "status", "reason"),
	}
}

func (s *steps) say() (title, notes []string) {
	var asked []string
	for _, in := range s.inputs {
		if in.Value.Form != record.Missing {
			asked = append(asked, strings.ReplaceAll(in.Name, "_", " ")+" "+record.People(in.Value))
		}
	}
	if s.by == commands.ByAdding {
		each := "epsilon " + record.People(record.Exactly(s.Each.Epsilon)) + ", delta " +
			record.People(record.Chance(s.Each.LnDelta))
		if s.Mu != 0 {
			each = "mu " + record.People(record.Exactly(s.Mu))
		}
		notes = []string{"The rows are for neighbours by replacing a row. Each step was converted first: " + each + "."}
	}
	return []string{"Privacy of the whole: " + strings.Join(asked, ", ")}, notes
}

// curve writes the vertices of the optimal curve as they come.
func (s *steps) curve(c *commands.Call, t commands.Target) error {
	curve, err := theory.Composition{Each: s.Each, Times: s.Times}.OptimalCurve()
	status, reason, err := theory.StatusOf(err)
	if err != nil {
		return err
	}
	row := composed{method: "optimal", by: s.by}
	row.Sources, row.Status, row.Reason = curve.Sources, status, reason
	rows := func(yield func(composed) bool) {
		if status != theory.OK {
			yield(row)
			return
		}
		for row.Value = range curve.Value {
			if !yield(row) {
				return
			}
		}
	}
	return commands.Emit(c, t, s.answer(commands.Sequence(rows)))
}
