package samplesize

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/planfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/transfer"
)

// PlanFile is the command plan.
func PlanFile() *commands.Command {
	return &commands.Command{
		Name:        "plan",
		Summary:     "keep scenarios in a file, solve them again, compare two files",
		Arguments:   "init FILE | run FILE | diff OLD NEW",
		Description: commands.Described("plan"),
		Flags:       []usage.Flag{{Name: "best", Switch: true, Usage: "run: only the best row of each scenario"}},
		Words:       func() []string { return []string{"init", "run", "diff"} },
		Output:      commands.Tables,
		Examples: [2]string{
			"dpcalc plan init plan.yaml",
			"dpcalc plan run plan.yaml",
		},
		Run: func(c *commands.Call) error { return c.RunMode(planModes(c.Formats)) },
	}
}

// planModes are what the command does, by its first argument.
func planModes(formats []record.Format) []commands.Mode {
	output := each.Of(commands.OutputFlags(formats), func(f usage.Flag) string { return f.Name })
	return []commands.Mode{
		{Name: "init", Takes: "FILE", Least: 1, Most: 1, Run: planInit},
		{Name: "run", Takes: "FILE", Least: 1, Most: 1, Run: planRun, Flags: append(output, "best")},
		{Name: "diff", Takes: "OLD NEW", Least: 2, Most: 2, Run: planDiff, Flags: output},
	}
}

func planInit(c *commands.Call, files []string) error {
	return newFile(c, "plan init", files[0], func(inJSON bool) string {
		if inJSON {
			return planfile.TemplateJSON
		}
		return planfile.Template
	})
}

// newFile writes a plan file whose name is free.
func newFile(c *commands.Call, where, path string, textOf func(inJSON bool) string) error {
	switch suffix := strings.ToLower(filepath.Ext(path)); suffix {
	case ".yaml", ".yml", ".json":
	default:
		return usage.Errorf("%s: got %s, want a name in .yaml, .yml or .json", where, usage.Shown(path))
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf("%s: got %s, which exists, want a new file", where, usage.Shown(path))
	}
	return c.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, textOf(strings.EqualFold(filepath.Ext(path), ".json")))
		return err
	})
}

// scenario is a named goal or grid of goals of a plan file.
type scenario struct {
	name    string
	request request
	rows    [][]goals.Row
}

// readPlanFile reads and validates a plan file.
func readPlanFile(c *commands.Call, path string) (scenarios []scenario, err error) {
	return readScenarios(c, path, func(v usage.Values) usage.Values { return v })
}

// readScenarios reads a plan file, of whose scenarios it takes other values.
func readScenarios(c *commands.Call, path string, taken func(usage.Values) usage.Values) (scenarios []scenario,
	err error) {
	total := 0
	err = planfile.Read(path, planKeys(), func(read planfile.Scenario) (err error) {
		tooMany := func() error {
			return read.Refuse("scenario %s: got more than %d goals in the file, want fewer; samplesize writes larger grids",
				usage.Shown(read.Name), mostPlanGoals)
		}
		if int64(total)+goals.LeastGoals(read.Values) > mostPlanGoals {
			return tooMany()
		}
		s := scenario{name: read.Name}
		s.request, err = readRequest(&commands.Call{Session: c.Session, Values: taken(read.Values), Command: Command(),
			Formats: c.Formats})
		if err != nil {
			return read.Wrong(err)
		}
		if total += s.request.goals; total > mostPlanGoals {
			return tooMany()
		}
		scenarios = append(scenarios, s)
		return nil
	})
	return scenarios, err
}

// mostPlanGoals is how many goals all scenarios of a file may have: the rows of all are
// held in memory.
const mostPlanGoals = 20_000

// solveScenarios answers all goals of all scenarios.
func solveScenarios(c *commands.Call, scenarios []scenario) (err error) {
	total := 0
	for _, s := range scenarios {
		total += s.request.goals
	}
	bar := c.Progress(total)
	defer bar.End()
	before := 0
	for k := range scenarios {
		s := &scenarios[k]
		s.rows, err = s.request.solveAll(c, 0, s.request.goals, func(done int) { bar.Step(before + done) })
		if err != nil {
			return err
		}
		before += s.request.goals
	}
	return nil
}

// planned is a row of a scenario. For people it is the best of a goal, or none.
type planned struct {
	scenario *scenario
	row      *goals.Row // nil if there is none
	none     string     // what there is instead
	asked    goals.Row  // the goal as it was put
}

func (p planned) verdict() commands.Verdict {
	if p.row == nil {
		return commands.Verdict{}
	}
	sources, _ := p.row.Method.Rests(p.row.Answer)
	return commands.Verdict{Sources: sources, Best: p.row.Best}
}

var scenarioName = record.Column[planned]{Name: "scenario",
	Cell: func(p planned) record.Cell { return record.Foreign(p.scenario.name) }}

// scenarioColumns are the columns for machines: the scenario, and the columns of samplesize.
func scenarioColumns(columns []goals.Column) []record.Column[planned] {
	ofRow := func(p planned) *goals.Row { return p.row }
	return append([]record.Column[planned]{scenarioName}, record.Lift(columns, ofRow)...)
}

// ofGoal is a column of the best row or, where there is none, of the goal as it was put.
func ofGoal(c goals.Column) record.Column[planned] {
	return record.Column[planned]{Name: c.Name, Title: c.Title, Cell: func(p planned) record.Cell {
		if p.row == nil {
			return c.Cell(&p.asked)
		}
		return c.Cell(p.row)
	}}
}

// ofBest is a column of the best row.
func ofBest(c goals.Column) record.Column[planned] {
	return record.Column[planned]{Name: c.Name, Cell: func(p planned) record.Cell {
		if p.row == nil {
			return record.Cell{}
		}
		return c.Cell(p.row)
	}}
}

var shortColumns = []record.Column[planned]{
	scenarioName, ofBest(goals.ColumnMethod),
	{Name: "solved for", Cell: func(p planned) record.Cell {
		return record.Words(map[transfer.Unknown]string{
			transfer.Samples: "rows", transfer.Queries: "queries", transfer.Tau: "tau", transfer.Beta: "beta",
			transfer.None: "check",
		}[p.scenario.request.unknown])
	}},
	ofGoal(goals.ColumnSamples.Titled("rows")), ofGoal(goals.ColumnQueries), ofGoal(goals.ColumnTau),
	ofGoal(goals.ColumnBeta),
	ofGoal(goals.ColumnBudget),
	ofBest(goals.ColumnNoise), ofBest(goals.ColumnNoiseSpan), ofBest(goals.ColumnCut),
	{Name: "note", Cell: func(p planned) record.Cell {
		if p.row == nil {
			return record.Words(p.none)
		}
		return record.Words(goals.Note(p.row))
	}},
}

func planRun(c *commands.Call, files []string) error {
	t, err := c.Target()
	if err != nil {
		return err
	}
	path, bestOnly := files[0], c.Is("best")
	scenarios, err := readPlanFile(c, path)
	if err != nil {
		return err
	}
	tally := new(commands.Tally)
	for k := range scenarios {
		scenarios[k].request.tally = tally
	}
	if err := solveScenarios(c, scenarios); err != nil {
		return err
	}
	short, err := bestRows(c, scenarios)
	if err != nil {
		return err
	}
	rows := short
	if t.Format.Print == nil {
		rows = allRows(scenarios, bestOnly)
	}
	return commands.Emit(c, t, commands.Answer[planned]{
		Command: "plan", Inputs: []record.Input{{Name: "file", Value: record.Words(path)}}, Rows: commands.List(rows),
		Tally:   tally,
		Columns: scenarioColumns(scenarios[0].request.columns()), Shown: shortColumns, Verdict: planned.verdict,
		Say: func() (title, notes []string) {
			var best [][]goals.Row
			for _, p := range short {
				if p.row != nil {
					best = append(best, []goals.Row{*p.row})
				}
			}
			return []string{"The best method for each scenario of " + path}, tableNote(best, true)
		},
	})
}

// bestRows are what people see: of every goal the best row, or that there is none.
func bestRows(c *commands.Call, scenarios []scenario) (rows []planned, err error) {
	for k := range scenarios {
		s := &scenarios[k]
		for _, group := range s.rows {
			p := planned{scenario: s, row: bestOf(group)}
			if p.row == nil {
				p.asked.Goal = asked(group[0].Goal, s.request.unknown)
				p.none, err = s.request.noBest(group)
			}
			if err = errors.Join(err, c.Context.Err()); err != nil {
				return nil, err
			}
			rows = append(rows, p)
		}
	}
	return rows, nil
}

// allRows are what machines see.
func allRows(scenarios []scenario, bestOnly bool) (rows []planned) {
	for k := range scenarios {
		s := &scenarios[k]
		for _, group := range s.rows {
			for i := range group {
				if group[i].Best || !bestOnly {
					rows = append(rows, planned{scenario: s, row: &group[i]})
				}
			}
		}
	}
	return rows
}

// bestOf is the starred row of a goal, nil if there is none.
func bestOf(group []goals.Row) *goals.Row {
	for i := range group {
		if group[i].Best {
			return &group[i]
		}
	}
	return nil
}

func planDiff(c *commands.Call, files []string) error {
	t, err := c.Target()
	if err != nil {
		return err
	}
	oldPath, newPath := files[0], files[1]
	var sides [2][]scenario
	for i, path := range []string{oldPath, newPath} {
		scenarios, err := readPlanFile(c, path)
		if err != nil {
			return err
		}
		sides[i] = scenarios
	}
	for i := range sides {
		if err := solveScenarios(c, sides[i]); err != nil {
			return err
		}
	}
	var pairs []pair
	for side := range sides {
		for k := range sides[side] {
			s := &sides[side][k]
			for i, group := range s.rows {
				key := pairKey{scenario: s.name}
				if len(s.rows) > 1 {
					key.goal = s.request.goalText(s.request.grid.Goal(i))
				}
				at := slices.IndexFunc(pairs, func(q pair) bool { return q.key == key })
				if at < 0 {
					at = len(pairs)
					pairs = append(pairs, pair{key: key})
				}
				best := bestOf(group)
				if best == nil {
					best = &goals.Row{Answer: transfer.Answer{Goal: s.request.grid.Goal(i), Status: transfer.Infeasible}}
				}
				pairs[at].sides[side] = best
			}
		}
	}
	shown := slices.Concat(pairColumns, bothSides(comparedColumns[0]), bothSides(comparedColumns[1]),
		[]record.Column[pair]{ratioColumn})
	for _, compared := range comparedColumns[2:] {
		shown = append(shown, bothSides(compared)...)
	}
	return commands.Emit(c, t, commands.Answer[pair]{
		Command: "plan-diff",
		Inputs:  []record.Input{{Name: "old", Value: record.Words(oldPath)}, {Name: "new", Value: record.Words(newPath)}},
		Columns: slices.Concat(shown, bothSides(lnBetaColumn)), Shown: shown, Rows: commands.List(pairs),
		Say: func() (title, notes []string) { return []string{"From " + oldPath + " to " + newPath}, nil },
	})
}

// pairKey is a goal that two plan files have in common: a scenario with one goal by its
// name, one of a grid by its values too.
type pairKey struct{ scenario, goal string }

// pair is the best rows of a goal in the old and in the new file, nil where it is not in
// the file.
type pair struct {
	key   pairKey
	sides [2]*goals.Row
}

// comparedColumns are those in which two files may differ.
var comparedColumns = []goals.Column{
	{Name: "method", Cell: func(r *goals.Row) record.Cell {
		if r.Method == nil {
			return record.Cell{}
		}
		return record.Words(r.Method.Name)
	}},
	goals.ColumnSamples.Titled("rows"), goals.ColumnQueries, goals.ColumnTau, goals.ColumnBeta, goals.ColumnBudget,
	goals.ColumnQuery, goals.ColumnSensitivity,
	goals.Given(goals.ColumnFeedback, func(g transfer.Goal) bool { return g.Feedback != transfer.Answers }),
	goals.Given(goals.ColumnOneSided, func(g transfer.Goal) bool { return g.OneSided }), goals.ColumnPasses,
	goals.ColumnBar, goals.ColumnFloor, goals.ColumnHold, goals.ColumnGuessError, goals.ColumnDisagreement,
	goals.ColumnAtLeast, goals.ColumnVariance, goals.ColumnChecked, goals.ColumnSecondMoment,
}

var lnBetaColumn = goals.Column{Name: "ln_beta", Cell: func(r *goals.Row) record.Cell {
	return record.Exactly(r.Beta.Ln()).If(r.Beta != 0)
}}

// bothSides are a column of the old file and one of the new.
func bothSides(c goals.Column) (both []record.Column[pair]) {
	title := record.Titles([]goals.Column{c})[0]
	for side, name := range []string{"old", "new"} {
		both = append(both,
			record.Column[pair]{Name: c.Name + "_" + name, Title: title + " " + name, Cell: func(q pair) record.Cell {
				if q.sides[side] == nil {
					return record.Cell{}
				}
				return c.Cell(q.sides[side])
			}})
	}
	return both
}

var pairColumns = []record.Column[pair]{
	{Name: "scenario", Cell: func(q pair) record.Cell { return record.Foreign(q.key.scenario) }},
	{Name: "goal", Cell: func(q pair) record.Cell { return record.Words(q.key.goal) }},
	{Name: "change", Cell: func(q pair) record.Cell { return record.Words(q.change()) }},
}

var ratioColumn = record.Column[pair]{Name: "samples_ratio", Title: "rows ratio", Cell: func(q pair) record.Cell {
	a, b := q.sides[0], q.sides[1]
	if a == nil || b == nil {
		return record.Cell{}
	}
	both := a.Samples != 0 && b.Samples != 0
	return record.Exactly(float64(b.Samples) / float64(a.Samples)).If(both && a.Samples != b.Samples)
}}

func (q pair) change() string {
	switch {
	case q.sides[0] == nil:
		return "added"
	case q.sides[1] == nil:
		return "removed"
	}
	for _, c := range append(slices.Clone(comparedColumns), lnBetaColumn) {
		if a, b := c.Cell(q.sides[0]), c.Cell(q.sides[1]); !a.Same(b) {
			return "changed"
		}
	}
	return "same"
}

// savedPlan is the plan file of one command line.
func savedPlan(c usage.Values, inJSON bool) string {
	var pairs []planfile.Pair
	for _, key := range planKeys().All {
		value, ok := c.Text(key)
		if slices.Contains(planKeys().Switches, key) {
			value, ok = "true", c.Is(key)
		}
		if ok {
			pairs = append(pairs, planfile.Pair{Key: key, Value: value})
		}
	}
	if inJSON {
		return planfile.TextJSON("plan", pairs)
	}
	return planfile.Text("plan", pairs)
}

// planKeys are the flags of samplesize that a plan file may set.
func planKeys() planfile.Keys {
	k := planfile.Keys{Switches: []string{"zip", goals.OneSidedFlag.Name, goals.CheckedFlag.Name, goals.OpenFlag.Name},
		Rivals: map[string]string{
			goals.BetaFlag: goals.ConfidenceFlag, goals.ConfidenceFlag: goals.BetaFlag, "hold": "guess-error",
			"guess-error": "hold",
			"transcripts": "ln-transcripts", "ln-transcripts": "transcripts", "at-least": "variance", "variance": "at-least",
		}}
	for _, f := range goals.GoalFlags() {
		k.All = append(k.All, f.Name)
	}
	k.All = append(k.All, "method", "proofs", "zip", "max-rows")
	return k
}
