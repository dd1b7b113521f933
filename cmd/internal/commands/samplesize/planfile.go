package samplesize

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/planfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// PlanFile is the command plan.
func PlanFile() *commands.Command {
	return commands.Group(commands.Command{
		Name: "plan", Summary: "keep scenarios in a file and solve them again", Description: commands.Described("plan"),
		Gone:     map[string]string{"diff": "dpcalc plan run FILE -f csv for both files and compare"},
		Examples: []string{"dpcalc plan init plan.yaml", "dpcalc plan run plan.yaml", "dpcalc plan run plan.yaml -o plan.csv"},
	}, &commands.Command{
		Name: "init", Arguments: "FILE", Summary: "write a plan file to start from",
		Examples: []string{"dpcalc plan init plan.yaml"}, Run: planInit,
	}, &commands.Command{
		Name: "run", Arguments: "FILE", Summary: "solve all scenarios of a plan file", Output: commands.Tables,
		Flags: []usage.Flag{
			{Name: bestFlag, Switch: true, Usage: "only the best row of each scenario"},
			{Name: fullFlag, Switch: true, Usage: "rows of all methods, in formats for programs"},
		},
		Examples: []string{"dpcalc plan run plan.yaml", "dpcalc plan run plan.yaml --best -o plan.csv"},
		Run:      planRun,
	})
}

// planInit writes the template, whose name must be free.
func planInit(c *commands.Call) error {
	files, err := c.Operands(1, 1)
	if err != nil {
		return err
	}
	path := files[0]
	if suffix := strings.ToLower(filepath.Ext(path)); suffix != ".yaml" && suffix != ".yml" {
		return usage.Errorf("plan init: got %s, want a name in .yaml or .yml", usage.Shown(path))
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf("plan init: got %s, which exists, want a new file", usage.Shown(path))
	}
	return c.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, planfile.Template)
		return err
	})
}

// scenario is a named goal or grid of goals of a plan file.
type scenario struct {
	name    string
	values  sampled
	request request
	rows    [][]goals.Row
}

// readPlanFile reads and validates a plan file. A scenario that does not say how many samples there are has so many, 0
// for none.
func readPlanFile(c *commands.Call, path string, samples int64) (scenarios []scenario, err error) {
	total := 0
	err = planfile.Read(path, planKeys(), func(read planfile.Scenario) (err error) {
		tooMany := func() error {
			return read.Refuse("scenario %s: got more than %d goals in the file, want fewer; samplesize writes larger grids",
				usage.Shown(read.Name), mostPlanGoals)
		}
		if int64(total)+goals.LeastGoals(read.Values) > mostPlanGoals {
			return tooMany()
		}
		s := scenario{name: read.Name, values: sampled{read.Values, samples}}
		s.request, err = readRequest(&commands.Call{Session: c.Session, Values: s.values, Command: Command(),
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
func solveScenarios(c *commands.Call, scenarios []scenario, tally *commands.Tally) (err error) {
	total := 0
	for _, s := range scenarios {
		total += s.request.goals
	}
	bar := c.Progress(total)
	defer bar.End()
	before := 0
	for k := range scenarios {
		s := &scenarios[k]
		s.request.tally = tally
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

func planRun(c *commands.Call) error {
	files, err := c.Operands(1, 1)
	if err != nil {
		return err
	}
	t, err := c.Target()
	if err != nil {
		return err
	}
	path, people := files[0], t.Format.Print != nil
	switch full := c.Is(fullFlag); {
	case full && c.Is(bestFlag):
		return bothGiven()
	case full && people:
		return usage.Errorf("--%s: got the format %s, want csv, tsv, json, jsonl or xlsx", fullFlag, t.Format.Name)
	}
	scenarios, err := readPlanFile(c, path, 0)
	if err != nil {
		return err
	}
	for k := range scenarios {
		if s := &scenarios[k].request; !people {
			s.target, s.best = t, c.Is(bestFlag)
			s.choose(c.Is(fullFlag))
			s.methods = s.printable(s.methods)
		}
	}
	tally := new(commands.Tally)
	if err := solveScenarios(c, scenarios, tally); err != nil {
		return err
	}
	var rows []planned
	if people {
		rows, err = bestRows(c, scenarios)
	} else {
		rows = shownOf(scenarios)
	}
	if err != nil {
		return err
	}
	return commands.Emit(c, t, commands.Answer[planned]{
		Command: "plan", Schema: "plan/2", Inputs: []record.Input{{Name: "file", Value: record.Words(path)}}, Rows: commands.List(rows),
		Tally:   tally,
		Columns: scenarioColumns(scenarios[0].request.columns()), Shown: shortColumns, Verdict: planned.verdict,
		Say: func() (title, notes []string) {
			var best [][]goals.Row
			for _, s := range scenarios {
				for _, group := range s.rows {
					if r := bestOf(group); r != nil {
						best = append(best, []goals.Row{*r})
					}
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

// shownOf are what machines see.
func shownOf(scenarios []scenario) (rows []planned) {
	for k := range scenarios {
		s := &scenarios[k]
		for _, group := range s.request.written(s.rows) {
			for i := range group {
				rows = append(rows, planned{scenario: s, row: &group[i]})
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

// planKeys are the flags of samplesize that a plan file may set.
func planKeys() planfile.Keys {
	k := planfile.Keys{
		Also:     make(map[string]string),
		Switches: []string{"zip", goals.OneSidedFlag.Name, goals.EnforceFlag.Name, goals.TwoClassesFlag.Name, goals.OpenFlag.Name},
		Rivals: map[string]string{
			goals.BetaFlag: goals.ConfidenceFlag, goals.ConfidenceFlag: goals.BetaFlag, "hold": "guess-error",
			"guess-error": "hold",
			"transcripts": "ln-transcripts", "ln-transcripts": "transcripts", "at-least": "variance", "variance": "at-least",
		}}
	for _, f := range goals.GoalFlags() {
		k.All = append(k.All, f.Name)
		for _, name := range f.Also {
			k.Also[name] = f.Name
		}
	}
	k.All = append(k.All, "method", "proofs", "zip", "max-rows")
	return k
}
