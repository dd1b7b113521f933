package pvalues

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// unknown is what a source leaves out, to be found.
type unknown struct {
	maxinfo.Quantity
	plan   steps.TypedPlan // with something in its place
	source string
	by     commands.Convention
}

// placeholders stand for the number that is left out, until a value is tried.
var placeholders = map[string]string{"delta": "0.5", "slack": "0.5"}

// manyLooks are more than the passes, so that these stay what was typed: as many as the looks would grow with them.
const manyLooks = "9007199254740992"

// kindOf is the kind of step that a source is, if it is one.
func kindOf(source string) (k steps.Kind, ok bool) {
	return each.First(steps.Kinds(), func(k steps.Kind) bool { return k.Name == source })
}

// leftOut are the flags that a source misses. A gate whose looks are given may leave out its passes.
func leftOut(c usage.Values, source string) (flags []string) {
	given := func(flag string) bool { _, ok := c.Text(flag); return ok }
	k, ok := kindOf(source)
	for _, group := range k.Needs {
		if !slices.ContainsFunc(group, given) {
			flags = append(flags, group[0])
		}
	}
	if (!ok || k.Private) && !given("samples") {
		flags = append(flags, "samples")
	}
	if i := slices.Index(k.Optional, "passes"); i >= 0 && len(flags) == 0 && !given("passes") {
		flags = append(flags, "passes")
	}
	return flags
}

// readUnknown reads the flags of a source, of which one is left out.
func readUnknown(c usage.Values, asked string) (u unknown, err error) {
	source, err := readBy(c)
	if err != nil {
		return u, err
	}
	flags := leftOut(c, source)
	if len(flags) != 1 {
		got := "everything"
		if len(flags) > 1 {
			got = "nothing for --" + strings.Join(flags, " and --")
		}
		return u, usage.Errorf("--%s: got %s, want one of the numbers of --by %s left out, to be found", asked, got, source)
	}
	text, ok := placeholders[flags[0]]
	if !ok {
		text = "1"
	}
	if _, ok := c.Text("passes"); ok && flags[0] == "looks" {
		text = manyLooks
	}
	with := usage.Replaced(c, flags[0], text)
	k, _ := kindOf(source)
	if u.by, err = commands.ReadConvention(c); err != nil {
		return u, err
	}
	if k.Replaced == nil {
		u.by = ""
	} else { // a value that is tried is converted as if it had been typed
		with = usage.Replaced(with, commands.NeighboursKey, commands.NeighboursFlag.Words[0])
	}
	if u.plan, u.source, err = readSource(with); err != nil {
		return u, err
	}
	u.plan.Neighbours = u.by
	return u, u.find(flags[0], asked)
}

// find looks the quantity up.
func (u *unknown) find(name, asked string) error {
	quantities, err := u.plan.Quantities()
	if err != nil {
		return err
	}
	found, ok := each.First(quantities, func(q maxinfo.Quantity) bool { return q.Name == name })
	if !ok {
		return usage.Errorf("--%s: got no --%s, want it: thresholds do not rise or fall with it throughout", asked, name)
	}
	u.Quantity = found
	if u.by == commands.ByAdding {
		with := u.With
		u.With = func(x float64) maxinfo.Plan { return replaced(with(x)) }
	}
	return nil
}

// replaced converts a plan to neighbours by replacement. A step that cannot be converted reveals all there is.
func replaced(p maxinfo.Plan) maxinfo.Plan {
	p.Steps = slices.Clone(p.Steps)
	for i, s := range p.Steps {
		converted, _, err := maxinfo.Replaced(s)
		if err != nil {
			converted = maxinfo.PureDP{Epsilon: 1e300}
		}
		p.Steps[i] = converted
	}
	return p
}

// solved is a row: what a correction allows.
type solved struct {
	pvalue.Answer
	of     *unknown
	target theory.LogProb
	best   bool
}

func (r solved) verdict() commands.Verdict {
	return verdictOf(r.Test.Correction, r.Status, r.reason(), r.best, r.of.by)
}

// reason says of a value that is an end of its range that every value will do.
func (r solved) reason() string {
	if r.All {
		return "every " + r.of.Noun() + " will do"
	}
	return r.Reason
}

// ok is a cell of a row that has a value.
func (r solved) ok(cell func() record.Cell) record.Cell {
	if r.Status != theory.OK {
		return record.Cell{}
	}
	return cell()
}

// value is the value that was found.
func (r solved) value() record.Cell {
	return r.ok(func() record.Cell {
		switch {
		case r.of.Ln:
			return record.Chance(theory.LogProb(r.Value)).AtLeast()
		case r.of.Whole:
			return record.Whole(int64(r.Value))
		}
		if r.of.Raises { // the least that serves
			return record.Exactly(r.Value)
		}
		return record.Exactly(r.Value).AtLeast()
	})
}

type solvedColumn = record.Column[solved]

// solvedColumns are the columns for machines and for people, with the one of what was left out.
func solvedColumns(unknown string) (columns, shown []solvedColumn) {
	ok := func(name string, cell func(solved) record.Cell) solvedColumn {
		return solvedColumn{Name: name, Cell: func(r solved) record.Cell {
			return r.ok(func() record.Cell { return cell(r) })
		}}
	}
	columns = slices.Concat(commands.VerdictColumns(solved.verdict, "method"), []solvedColumn{
		{Name: strings.ReplaceAll(unknown, "-", "_"), Cell: solved.value},
		{Name: "target_threshold", Cell: func(r solved) record.Cell { return record.Chance(r.target) }},
		ok("threshold", func(r solved) record.Cell { return thresholdCell(&r.Test) }),
		ok("confidence", func(r solved) record.Cell { return confidenceCell(&r.Test) }),
	}, commands.VerdictColumns(solved.verdict, verdictNames...))
	shown = slices.Concat(commands.VerdictColumns(solved.verdict, "", "method"), []solvedColumn{
		{Name: unknown, Cell: solved.value},
	}, record.Named(columns, "threshold"), commands.VerdictColumns(solved.verdict, "proof", "status", "reason"))
	return columns, shown
}

// backwards is a question for what a source leaves out, so that the threshold is at least the target: how much may
// be shown, or how little has to be known.
type backwards struct {
	unknown
	alpha, target theory.LogProb
	choice
	typed usage.Values
}

func readBackwards(c usage.Values, asked string) (b backwards, err error) {
	b.typed = c
	if b.alpha, err = readAlpha(c); err != nil {
		return b, err
	}
	if b.target, _, err = numbers.One(c, asked, numbers.Probabilities); err != nil {
		return b, err
	}
	if b.choice, err = readChoice(c); err != nil {
		return b, err
	}
	b.unknown, err = readUnknown(c, asked)
	return b, err
}

// solve returns a row for each correction.
func (b backwards) solve() (rows []solved, err error) {
	goal := pvalue.Goal{Alpha: b.alpha, Threshold: b.target, Quantity: b.Quantity}
	all, _, err := goal.Solve()
	if err != nil {
		return nil, err
	}
	of := func(a pvalue.Answer) pvalue.Correction {
		c := a.Test.Correction
		c.Name = a.Name
		return c
	}
	if all, err = only(all, of, b.choice, b.by); err != nil {
		return nil, err
	}
	best := goal.Best(all)
	for i, a := range all {
		rows = append(rows, solved{Answer: a, of: &b.unknown, target: b.target, best: i == best})
	}
	return rows, nil
}

// inputs repeats what was asked.
func (b backwards) inputs() []record.Input {
	return append([]record.Input{
		{Name: "alpha", Value: record.Chance(b.alpha)}, {Name: "by", Value: record.Words(b.source)},
		{Name: "unknown", Value: record.Words(b.Name)}, {Name: "target_threshold", Value: record.Chance(b.target)},
	}, b.choice.inputs()...)
}

// leftOutBy asks for what the source leaves out, the threshold being named by this flag.
func leftOutBy(flag string) func(*commands.Call, commands.Target, grid) error {
	read := func(c usage.Values) (backwards, error) { return readBackwards(c, flag) }
	return func(c *commands.Call, t commands.Target, g grid) error {
		first, err := read(g.Point(0))
		if err != nil {
			return err
		}
		columns, shown := solvedColumns(first.Name)
		return ask(c, t, g, question[solved, backwards]{
			columns: columns, shown: shown, verdict: solved.verdict, read: read,
			refused: func(reason string) solved {
				return solved{Answer: pvalue.Answer{Name: first.source, Status: theory.NotApplicable, Reason: reason},
					of: &first.unknown, target: first.target}
			},
			inputs: g.inputs(first.source, record.Input{Name: "unknown", Value: record.Words(first.Name)}),
			title:  "The " + first.most() + first.Noun() + ": " + g.told(first.source),
			star:   first.most() + first.Noun(),
			drawn:  first.Name, height: solved.value,
		})
	}
}

// most says which end of the values is found.
func (u *unknown) most() string {
	if u.Raises {
		return "least "
	}
	return "greatest "
}

// say is what people are told of one answer.
func (b backwards) say(rows []solved) (title, notes []string) {
	most, from := b.most(), b.source
	for _, flag := range sourceFlags(b.source) {
		if text, ok := b.typed.Text(flag); ok {
			from += ", " + flag + " " + text
		}
	}
	title = []string{"The " + most + b.Noun() + " with a threshold of " + record.People(record.Chance(b.target)) +
		" at alpha " + record.People(record.Chance(b.alpha)) + ": " + from}
	r := bestOf(rows, solved.verdict)
	if r == nil {
		return title, nil
	}
	star := "* " + r.Name + ", " + most + b.Noun() + ": " + record.People(r.value())
	return title, append([]string{star}, commands.Assumed(r.Test.Correction.Assumes)...)
}
