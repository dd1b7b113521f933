package samplesize

import (
	"errors"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// powerFlags ask for a forecast.
var powerFlags = []usage.Flag{
	{Name: "effect", Usage: "gate: how probably a model passes whose truth is `E` above the bar, or the incumbent: a forecast and no promise"},
	{Name: "power", Usage: "gate: the rows, or the effect, with which such a model passes with probability `P`"},
	{Name: "test", Usage: "gate: the one-sided `TEST` of wins and losses in place of a bar, with --effect or --power: sign or mcnemar",
		Words: []string{"sign", "mcnemar"}},
}

// powerMode is what --effect and --power ask for.
var powerMode = commands.Mode{Name: "power", Flags: []string{"effect", "power", "test", "samples", "queries", "beta", "confidence", "passes",
	"threshold", "disagreement", "query", "feedback", "one-sided", "open", "zip", "max-rows", "format", "output"}}

// forecast is a row: a gate, and how probably a better model passes it.
type forecast struct {
	transfer.Forecasted
	none error // why there is no answer
}

func (f forecast) verdict() commands.Verdict {
	v := commands.Verdict{Method: f.Method(), Status: theory.OK}
	if f.none != nil {
		v.Status, v.Reason = theory.Infeasible, f.none.Error()
	}
	return v
}

// restsOn says which test it is.
func (f forecast) restsOn() string {
	switch {
	case !f.Tested:
		return ""
	case f.Duel:
		return "exact test"
	}
	return "e-value"
}

// forecastColumns are the columns of the rows.
func forecastColumns() []record.Column[forecast] {
	of := func(c goals.Column) record.Column[forecast] {
		return record.Column[forecast]{Name: c.Name, Title: c.Title, Cell: func(f forecast) record.Cell {
			method, _ := transfer.Lookup(f.Method()) // none for tests
			return c.Cell(&goals.Row{Method: &method, Answer: transfer.Answer{Goal: f.Goal}})
		}}
	}
	return slices.Concat(commands.VerdictColumns(forecast.verdict, "method"), []record.Column[forecast]{
		{Name: "rests_on", Cell: func(f forecast) record.Cell { return record.Words(f.restsOn()) }},
		{Name: "samples", Title: "rows", Cell: func(f forecast) record.Cell { return record.Count(f.Samples) }},
		of(goals.ColumnQueries), of(goals.ColumnPasses), of(goals.ColumnBeta), of(goals.ColumnBar),
		of(goals.ColumnDisagreement),
		{Name: "tau_achieved", Cell: func(f forecast) record.Cell { return record.Number(f.TauAchieved) }},
		{Name: "pass_at", Cell: func(f forecast) record.Cell {
			return record.Exactly(f.PassAt.Value).If(f.PassAt.Given && f.none == nil)
		}},
		{Name: "level", Cell: func(f forecast) record.Cell { return record.Beta(f.Level).If(f.Tested) }},
		{Name: "effect", Cell: func(f forecast) record.Cell { return record.Number(f.Effect) }},
		{Name: "power", Cell: func(f forecast) record.Cell {
			if f.none != nil {
				return record.Number(f.Power)
			}
			return record.Exactly(f.Power)
		}},
	}, commands.VerdictColumns(forecast.verdict, "status", "reason"), []record.Column[forecast]{
		of(goals.ColumnQuery), of(goals.ColumnFeedback), of(goals.ColumnOneSided),
		{Name: "assumes", Cell: func(f forecast) record.Cell { return record.List([]string{f.guess()}) }},
	})
}

// guess is what a forecast takes for granted.
func (f forecast) guess() string {
	if f.Query == transfer.Difference {
		return "a forecast and no promise: rows alike, on the share " + record.People(record.Exactly(f.Disagreement)) + " of which exactly one of the two models is right"
	}
	return "a forecast and no promise: rows alike, with the values 0 and 1"
}

// forecasts are the forecasts of a command line.
func forecasts(c *commands.Call, inputs *[]record.Input) (commands.Grid[transfer.Forecast], error) {
	none := commands.Grid[transfer.Forecast]{}
	test, err := usage.OneOf(c, "test", append([]string{""}, powerFlags[2].Words...)...)
	if err != nil {
		return none, err
	}
	values := c.Values
	if _, typed := c.Text(goals.QueryFlag.Name); test != "" && !typed {
		values = usage.Replaced(values, goals.QueryFlag.Name, transfer.Difference.String())
	}
	if _, typed := c.Text(goals.FeedbackFlag.Name); !typed {
		values = usage.Replaced(values, goals.FeedbackFlag.Name, transfer.Gate.String())
	}
	grid, err := goals.ReadGrid(values, inputs, 0)
	if err != nil {
		return none, err
	}
	base := transfer.Forecast{Goal: grid.Base, Tested: test != ""}
	base.Goal.Open = false
	var axes []commands.Axis[transfer.Forecast]
	for _, a := range grid.Axes {
		axes = append(axes, commands.Axis[transfer.Forecast]{Flag: a.Flag, Length: a.Length,
			Set: func(f *transfer.Forecast, i int) { a.Set(&f.Goal, i) }})
	}
	share := numbers.Positives
	share.Want = "a number in (0, 1]"
	for _, p := range []struct {
		flag string
		set  func(*transfer.Forecast, float64)
	}{
		{"effect", func(f *transfer.Forecast, x float64) { f.Effect = x }},
		{"power", func(f *transfer.Forecast, x float64) { f.Power = x }},
	} {
		values, err := numbers.List(c, p.flag, share)
		if err != nil {
			return none, err
		}
		*inputs = append(*inputs, commands.ListInput(c, p.flag, values, record.Number))
		axes = append(axes, commands.AxisOf(p.flag, values, p.set))
	}
	if test != "" {
		*inputs = append(*inputs, record.Input{Name: "test", Value: record.Words(test)})
	}
	given := 0
	for _, flag := range []string{"samples", "effect", "power"} {
		if _, ok := c.Text(flag); ok {
			given++
		}
	}
	if given != 2 {
		return none, usage.Errorf("--effect: got %d of --samples, --effect and --power, want two, to find the third", given)
	}
	return commands.NewGrid(base, c.Is("zip"), axes...)
}

// gates are the gates of a forecast that are compared: a fixed plan's and, if it is asked for, an open one's; of a test
// the exact one, for two classes, and the e-value.
func gates(f transfer.Forecast, open bool) (list []transfer.Forecast) {
	for _, opened := range []bool{false, true} {
		if opened && !open {
			continue
		}
		f.Open = opened
		for _, exact := range []bool{true, false} {
			if f.Duel = exact && f.Tested; f.Tested || exact {
				list = append(list, f)
			}
		}
	}
	return list
}

// runPower answers --effect and --power.
func runPower(c *commands.Call) error {
	var plan commands.Mode // what else the command does
	for _, f := range c.Command.AllFlags(c.Formats) {
		plan.Flags = append(plan.Flags, f.Name)
	}
	if flag, _ := c.Stray(powerMode, []commands.Mode{plan}); flag != "" {
		return usage.Errorf("--%s: given with --effect or --power, want %s", flag, usage.OrList([]string{"--samples", "--queries", "--beta",
			"--passes", "--threshold", "--disagreement", "--query", "--open", "--one-sided", "--test"}))
	}
	target, err := c.Target()
	if err != nil {
		return err
	}
	var inputs []record.Input
	grid, err := forecasts(c, &inputs)
	if err != nil {
		return err
	}
	limit := int64(defaultMaxRows)
	if numbers.Read(c, &err, "max-rows", numbers.Counts, &limit); err != nil {
		return err
	}
	size := grid.Size()
	if int64(size) > limit {
		return usage.Errorf("--max-rows: got %d rows, want at most %d; allow more with --max-rows", size, limit)
	}
	for i := range size { // before any is answered
		for _, f := range gates(grid.Point(i), c.Is("open")) {
			if err := f.Validate(); err != nil {
				return err
			}
		}
	}
	var rows []forecast
	for i := range size {
		for _, f := range gates(grid.Point(i), c.Is("open")) {
			row := forecast{Forecasted: transfer.Forecasted{Forecast: f}}
			solved, err := f.Solve()
			if none := (*theory.NoAnswerError)(nil); errors.As(err, &none) {
				row.none = none
			} else if err != nil {
				return err
			} else {
				row.Forecasted = solved
			}
			rows = append(rows, row)
		}
	}
	columns := forecastColumns()
	return commands.Emit(c, target, commands.Answer[forecast]{
		Command: "samplesize-power", Inputs: inputs, Rows: commands.List(rows), Columns: columns,
		Shown: slices.DeleteFunc(slices.Clone(columns), func(col record.Column[forecast]) bool {
			return slices.Contains([]string{"query", "feedback", "one_sided", "assumes"}, col.Name)
		}),
		Verdict: forecast.verdict,
		Say: func() (title, notes []string) {
			guess := rows[0].guess()
			if slices.ContainsFunc(rows, func(f forecast) bool { return f.guess() != guess }) {
				guess = "a forecast and no promise: rows alike, on the share disagreement of which exactly one of the two models is right"
			}
			return []string{"How probably a model that is truly better passes a gate"}, []string{guess +
				"; the gate keeps its promise whatever the model is"}
		},
		Figure: func() (record.Figure, error) { return drawPower(grid, rows) },
	})
}

// drawPower draws what was looked for along the one list that there is.
func drawPower(grid commands.Grid[transfer.Forecast], rows []forecast) (none record.Figure, err error) {
	values := map[string]func(forecast) float64{
		"samples": func(f forecast) float64 { return float64(f.Samples) }, "effect": func(f forecast) float64 { return f.Effect },
		"power": func(f forecast) float64 { return f.Power }, "queries": func(f forecast) float64 { return float64(f.Queries) },
		"passes": func(f forecast) float64 { return float64(f.Passes) }, "threshold": func(f forecast) float64 { return f.Bar.Value },
		"disagreement": func(f forecast) float64 { return f.Disagreement },
	}
	along := ""
	for _, a := range grid.Axes {
		if a.Length > 1 {
			if along != "" || values[a.Flag] == nil {
				return none, usage.Errorf("--output: got lists of --%s, want one list for a curve, of samples, effect, power, queries, passes, threshold or disagreement", strings.TrimPrefix(along+" and --"+a.Flag, " and --"))
			}
			along = a.Flag
		}
	}
	looked := "power"
	switch base := grid.Point(0); {
	case along == "":
		return none, usage.Errorf("--output: got no list, want one for a curve, such as --effect 0.01:0.1:0.01")
	case base.Samples == 0:
		looked = "samples"
	case base.Effect == 0:
		looked = "effect"
	}
	x, y := record.NewRuler(strings.ReplaceAll(along, "samples", "rows"), false), record.NewRuler(strings.ReplaceAll(looked, "samples", "rows"), false)
	if y.Include(0); looked == "power" {
		y.Include(1)
	}
	panel := record.Panel{}
	for i := range rows {
		r := rows[i]
		label := strings.TrimSpace(r.Method() + " " + r.restsOn())
		k := slices.IndexFunc(panel.Lines, func(l record.Line) bool { return l.Label == label })
		if k < 0 {
			k = len(panel.Lines)
			panel.Lines = append(panel.Lines, record.Line{Label: label, Style: k})
		}
		if r.none == nil {
			at, value := values[along](r), values[looked](r)
			x.Include(at)
			y.Include(value)
			panel.Lines[k].X, panel.Lines[k].Y = append(panel.Lines[k].X, at), append(panel.Lines[k].Y, value)
		}
	}
	panel.Lines = slices.DeleteFunc(panel.Lines, func(l record.Line) bool { return l.X == nil })
	panel.X, panel.Y = x, y
	return record.Figure{Title: []string{"How probably a better model passes a gate: a forecast"}, Panels: [][]record.Panel{{panel}}}, nil
}
