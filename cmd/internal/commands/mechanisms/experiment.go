package mechanisms

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/properties/experiment"
)

// The defaults are the paper's experiment. The budget is as much as the algorithm with
// a budget needs for it; the seed is the year of the paper.
const (
	usualSamples    = 10_000
	usualAttributes = 10_000
	usualReps       = 100
	usualBudget     = 2500
	usualSeed       = 2015
)

var usualSignal = []int64{0, 20}

// mostSettings keeps the figure and the rows in memory.
const mostSettings = 100

// Experiment is the command experiment.
func Experiment() *commands.Command {
	return &commands.Command{
		Name:        "experiment",
		Summary:     "the reusable-holdout experiment",
		Description: commands.Described("experiment"),
		Flags: []usage.Flag{
			{Name: "samples", Alias: "n", Also: []string{"rows"}, Usage: "the training, holdout and fresh sets have `N` rows each (default 10000)"},
			{Name: "attributes", Usage: "a row has `D` attributes (default 10000)"},
			{Name: "signal", Usage: "`S` of the attributes are informative; a list gives several settings (default 0,20)"},
			{Name: "reps", Usage: "repeat each setting `R` times (default 100)"},
			{Name: "arms", Usage: "run only the arms `A,B,...`: " + strings.Join(armNames(), ", "), Words: armNames(),
				List: true},
			{Name: "budget", Alias: "B", Usage: "the arm thresholdout has `K` flagged answers (default 2500, which 10000 attributes do not use up)"},
			{Name: "seed", Usage: "seed `S` of the random numbers (default 2015); the same seed gives the same bytes"},
			{Name: "direct", Switch: true, Usage: "draw all the data instead of what the classifiers look at"},
		},
		Output: commands.Tables | commands.Drawings,
		Examples: []string{
			"dpcalc experiment --samples 1000 --attributes 1000 --reps 10",
			"dpcalc experiment --samples 1000 --attributes 1000 --reps 10 -o curves.svg",
		},
		Run: runExperiment,
	}
}

type curveColumn = record.Column[experiment.HoldoutRow]

// accuracy is one of the accuracies that a row has the moments of.
type accuracy struct {
	name string
	of   func(experiment.HoldoutRow) experiment.Moments
}

var (
	train   = accuracy{"train", func(r experiment.HoldoutRow) experiment.Moments { return r.Train }}
	shown   = accuracy{"shown", func(r experiment.HoldoutRow) experiment.Moments { return r.Shown }}
	heldOut = accuracy{"holdout", func(r experiment.HoldoutRow) experiment.Moments { return r.Holdout }}
	fresh   = accuracy{"fresh", func(r experiment.HoldoutRow) experiment.Moments { return r.Fresh }}
)

// momentColumns have this cell of each accuracy.
func momentColumns(prefix string, cell func(experiment.Moments) record.Cell, of ...accuracy) (columns []curveColumn) {
	for _, a := range of {
		columns = append(columns, curveColumn{Name: prefix + a.name,
			Cell: func(r experiment.HoldoutRow) record.Cell { return cell(a.of(r)) }})
	}
	return columns
}

var (
	curveSignal = curveColumn{Name: "signal",
		Cell: func(r experiment.HoldoutRow) record.Cell { return record.Whole(r.Signal) }}
	curveArm = curveColumn{Name: "arm",
		Cell: func(r experiment.HoldoutRow) record.Cell { return record.Words(string(r.Arm)) }}
	curveK     = curveColumn{Name: "k", Cell: func(r experiment.HoldoutRow) record.Cell { return record.Whole(int64(r.K)) }}
	accuracies = append(momentColumns("", meanCell, train, shown, heldOut, fresh),
		momentColumns("sd_", sdCell, train, shown, heldOut, fresh)...)
	curveSelected = curveColumn{Name: "selected",
		Cell: func(r experiment.HoldoutRow) record.Cell { return meanCell(r.Selected) }}
	curveSpent = curveColumn{Name: "budget_used", Cell: func(r experiment.HoldoutRow) record.Cell {
		if r.Arm != experiment.Thresholdout { // an arm without a budget
			return record.Cell{}
		}
		return meanCell(r.Spent)
	}}
	curveAnswered = curveColumn{Name: "answered",
		Cell: func(r experiment.HoldoutRow) record.Cell { return record.Whole(r.Shown.Count) }}

	curveColumns = slices.Concat([]curveColumn{curveSignal, curveArm, curveK}, accuracies,
		[]curveColumn{curveSelected, curveSpent, curveAnswered})
)

// rounded is a column to what the repetitions can tell: to one digit in a unit.
func rounded(c curveColumn, unit float64) curveColumn {
	exact := c.Cell
	c.Cell = func(r experiment.HoldoutRow) record.Cell {
		cell := exact(r)
		if cell.Form == record.NumberForm {
			cell.F = math.Round(cell.F*unit) / unit
		}
		return cell
	}
	return c
}

func armNames() []string {
	return each.Of(experiment.Arms(), func(arm experiment.Arm) string { return string(arm) })
}

func runExperiment(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	e, err := readExperiment(c)
	if err != nil {
		return err
	}
	bar := c.Progress(len(e.Signal) * int(e.Repetitions)).Of("repetitions")
	rows, err := e.Run(c.Context, c.Workers, bar.Step)
	bar.End()
	if err != nil {
		return err
	}
	seen := []curveColumn{curveSignal, curveArm, curveK}
	for _, column := range accuracies {
		seen = append(seen, rounded(column, 1e4))
	}
	seen = append(seen, rounded(curveSelected, 10), rounded(curveSpent, 10))
	if isSilent(e, rows) {
		seen = append(seen, curveAnswered)
	}
	return commands.Emit(c, target, commands.Answer[experiment.HoldoutRow]{
		Command: "experiment", Inputs: experimentInputs(c, e), Columns: curveColumns, Shown: seen, Rows: commands.List(rows),
		Say:    func() (title, notes []string) { return sayExperiment(e, rows) },
		Figure: func() (record.Figure, error) { return experimentFigure(e, rows), nil },
	})
}

func readExperiment(c usage.Values) (e experiment.Holdout, err error) {
	seed := int64(usualSeed)
	e.Samples, e.Attributes, e.Repetitions, e.Budget = usualSamples, usualAttributes, usualReps, usualBudget
	numbers.Read(c, &err, "samples", numbers.Counts, &e.Samples)
	numbers.Read(c, &err, "attributes", numbers.Counts, &e.Attributes)
	numbers.Read(c, &err, "reps", numbers.Counts, &e.Repetitions)
	numbers.Read(c, &err, "budget", numbers.Counts, &e.Budget)
	numbers.Read(c, &err, "seed", numbers.Wholes, &seed)
	if e.Seed, e.Direct = uint64(seed), c.Is("direct"); err != nil {
		return e, err
	}
	if n := numbers.LeastLength(c, "signal", numbers.Wholes); n > mostSettings {
		return e, usage.Errorf("--signal: got %d settings, want at most %d", n, mostSettings)
	}
	if e.Signal, err = numbers.List(c, "signal", numbers.Wholes); err != nil {
		return e, err
	}
	if e.Signal == nil {
		e.Signal = usualSignal
	}
	names, err := usage.SomeOf(c, "arms", armNames())
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return e, usage.Errorf("--arms: got %s twice, want it once", name)
		}
		e.Arms = append(e.Arms, experiment.Arm(name))
	}
	return e, err
}

func experimentInputs(c usage.Values, e experiment.Holdout) []record.Input {
	arms := each.Of(e.Arms, func(arm experiment.Arm) string { return string(arm) })
	signal := commands.ListInput(c, "signal", e.Signal, record.Whole)
	if signal.Value.Form == record.Missing {
		signal.Value = record.Words("0,20")
	}
	return []record.Input{
		{Name: "samples", Value: record.Count(e.Samples)}, {Name: "attributes", Value: record.Count(e.Attributes)}, signal,
		{Name: "reps", Value: record.Count(e.Repetitions)},
		{Name: "arms", Value: record.Words(strings.Join(arms, ","))}, {Name: "budget", Value: record.Count(e.Budget)},
		{Name: "seed", Value: record.Whole(int64(e.Seed))},
		{Name: "direct", Value: record.Truth(e.Direct)},
	}
}

// meanCell and sdCell are empty where there is nothing to average.
func meanCell(m experiment.Moments) record.Cell { return record.Exactly(m.Mean).If(m.Count != 0) }

func sdCell(m experiment.Moments) record.Cell { return record.Exactly(m.SD).If(m.Count >= 2) }

func sayExperiment(e experiment.Holdout, rows []experiment.HoldoutRow) (title, notes []string) {
	if isSilent(e, rows) {
		notes = []string{"answered: the repetitions in which budget " + record.People(record.Count(e.Budget)) +
			" was not yet spent; shown is their mean"}
	}
	return []string{"Accuracy of a classifier of k attributes, over " + record.Plural(e.Repetitions, "repetition") + ": " +
		record.Plural(e.Samples, "row") + ", " + record.Plural(e.Attributes, "attribute") + ", seed " +
		strconv.FormatUint(e.Seed, 10)}, notes
}

// isSilent says whether some budget was spent before the last question.
func isSilent(e experiment.Holdout, rows []experiment.HoldoutRow) bool {
	return slices.ContainsFunc(rows, func(r experiment.HoldoutRow) bool { return r.Shown.Count < e.Repetitions })
}

// experimentFigure has a row of panels for each setting and a column for each arm.
func experimentFigure(e experiment.Holdout, rows []experiment.HoldoutRow) record.Figure {
	about := record.Plural(e.Samples, "row") + ", " + record.Plural(e.Attributes, "attribute") + "; " +
		record.Plural(e.Repetitions, "repetition")
	if e.Repetitions > 1 {
		about += ": mean and a band of one standard deviation"
	}
	if isSilent(e, rows) {
		about += "; shown: while budget is left"
	}
	f := record.Figure{Title: []string{"Accuracy of the classifier: on the training set, on the holdout as shown, on fresh data", about}}
	x, y := record.NewRuler("k, attributes in the classifier", false), record.NewRuler("accuracy", false)
	ways := []accuracy{{"training", train.of}, shown, fresh}
	share := len(rows) / len(e.Signal) / len(e.Arms) // rows of a panel
	for i, signal := range e.Signal {
		var panels []record.Panel
		for k := range e.Arms {
			part := rows[(i*len(e.Arms)+k)*share:][:share]
			p := record.Panel{Title: settingTitle(signal) + ": " + armTitle(e.Arms[k], e.Budget)}
			for style, way := range ways {
				l := record.Line{Style: style}
				for _, r := range part {
					m := way.of(r)
					if m.Count == 0 {
						continue
					}
					l.X, l.Y, l.Band = append(l.X, float64(r.K)), append(l.Y, m.Mean), append(l.Band, m.SD)
					x.Include(float64(r.K))
					y.Include(m.Mean-m.SD, m.Mean+m.SD)
					l.Label = way.name + " " + strconv.FormatFloat(m.Mean, 'f', 3, 64)
				}
				if len(l.X) > 1 { // an arm that answered nothing has no curve
					p.Lines = append(p.Lines, l)
				}
			}
			panels = append(panels, p)
		}
		f.Panels = append(f.Panels, panels)
	}
	for _, row := range f.Panels { // one scale for all
		for i := range row {
			row[i].X, row[i].Y = x, y
		}
	}
	return f
}

func settingTitle(signal int64) string {
	if signal == 0 {
		return "No signal"
	}
	return record.People(record.Count(signal)) + " informative"
}

func armTitle(arm experiment.Arm, budget int64) string {
	switch arm {
	case experiment.Standard:
		return "standard holdout"
	case experiment.Paper:
		return "Thresholdout of the paper"
	}
	return "Thresholdout, budget " + record.People(record.Count(budget))
}
