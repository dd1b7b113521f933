// Package power has the command power: how probably a model that is truly better passes a gate.
package power

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/forecast"
)

const defaultMaxRows = 1_000_000

// flags lists the flags of power, by the names under which goals reads them.
var flags = slices.Concat(usage.Under("give two of three",
	usage.Flag{Name: "samples", Alias: "n", Also: []string{"rows"}, Usage: "the test set has `N` rows"},
	usage.Flag{Name: "effect", Usage: "the model's true value is `E` above the bar, or above the incumbent's"},
	usage.Flag{Name: "power", Usage: "the model passes with probability `P`"},
), usage.Under("the gate",
	usage.Flag{Name: "queries", Alias: "m", Also: []string{"looks"}, Usage: "the gate takes `M` looks"},
	usage.Flag{Name: "beta", Alias: "b", Usage: "failure probability `B` of the gate, for all looks together (default 0.05)"},
	usage.Flag{Name: "confidence", Usage: "confidence `C`, which is 1 - beta, in place of --beta"},
	usage.Flag{Name: "passes", Usage: "the gate is retired at pass `K` (default 1); with --open, look M is pass K if it passes"},
	usage.Flag{Name: "threshold", Also: []string{"bar"}, Usage: "the bar `C`, which a model passes if it is truly above it"},
	usage.Flag{Name: "test", Usage: "a one-sided `TEST` of wins and losses against an incumbent in place of a bar: sign or mcnemar", Words: tests},
	usage.Flag{Name: "open", Switch: true, Usage: "add the gate of an open ledger, at its look M"},
	usage.Flag{Name: "one-sided", Switch: true, Usage: "the gate guarantees only that a model that passes is above the bar"},
), usage.Under("what a look measures",
	goals.QueryFlag,
	usage.Flag{Name: goals.PositivesFlag, Usage: "f1, recall, jaccard: a model predicts the positive class on the share `P` of the rows"},
	usage.Flag{Name: "disagreement", Usage: "exactly one of the two models is right on the share `D` of the rows, with --test or --query difference"},
), usage.Under("how the rows were drawn",
	usage.Flag{Name: goals.ClustersFlag.Name, Usage: "independent clusters in place of --samples, each of which counts as one row: `K1xS1,K2xS2,...` is K1 clusters of S1 rows and K2 of S2; or a file with a column rows (a cluster's) or cluster (a row's)"},
	usage.Flag{Name: goals.IccFlag.Name, Usage: "clusters: two rows of a cluster are correlated by `R` (default 1: a cluster varies as one row)"},
	goals.ClassesFlag,
), usage.Under(commands.AboutOutput,
	usage.Flag{Name: "zip", Switch: true, Usage: "pair the lists instead of crossing them"},
	usage.Flag{Name: "max-rows", Usage: "write up to `R` rows (default 1000000)"},
))

// tests are the tests of wins and losses. Both are the same.
var tests = []string{"sign", "mcnemar"}

// Command is the command power.
func Command() *commands.Command {
	return &commands.Command{
		Name:        "power",
		Summary:     "how probably a better model passes a gate: rows, lead or probability",
		Description: commands.Described("power"),
		Flags:       flags,
		Common:      []string{"samples", "effect", "power", "queries", "beta", "passes", "threshold", "test", "query", "disagreement", "format", "output"},
		Output:      commands.Tables | commands.Drawings,
		Examples: []string{
			"dpcalc power -m 50 --threshold 0.8 --query accuracy --effect 0.03,0.05,0.1 --power 80%",
			"dpcalc power -n 2000 -m 50 --threshold 0.8 --query f1 --positives 10% --effect 0.1 --open",
			"dpcalc power -n 500 -m 50 --test sign --disagreement 0.15 --effect 0.02:0.1:0.01 -o power.svg",
		},
		Run: run,
	}
}

// options are what was typed.
type options struct {
	grid     commands.Grid[forecast.Gate]
	open     bool
	clusters *goals.Clusters // nil for rows
	looked   string          // the flag that is looked for: samples, effect or power
	defaults []string        // what is said of the flags that were not given
	inputs   []record.Input
}

// run answers the command.
func run(c *commands.Call) error {
	c, err := goals.WithClusters(c)
	if err != nil {
		return err
	}
	target, err := c.Target()
	if err != nil {
		return err
	}
	o, err := read(c)
	if err != nil {
		return err
	}
	bar := c.Progress(o.grid.Size())
	rows, err := o.rows(bar.Step)
	bar.End()
	if err != nil {
		return err
	}
	columns := columns()
	hidden := []string{"query", "one_sided", "exact", "assumes"}
	if o.looked != "samples" {
		hidden = append(hidden, "power_reached")
	}
	return commands.Emit(c, target, commands.Answer[row]{
		Command: "power", Inputs: o.inputs, Rows: commands.List(rows), Columns: columns, Verdict: row.verdict,
		Shown: slices.DeleteFunc(slices.Clone(columns), func(col record.Column[row]) bool {
			return slices.Contains(hidden, col.Name)
		}),
		Say:    func() (title, notes []string) { return o.say(rows) },
		Figure: func() (record.Figure, error) { return o.draw(rows) },
	})
}

// read reads the flags, and refuses what makes no sense before any row is answered.
func read(c *commands.Call) (o options, err error) {
	if o.looked, err = lookedFor(c); err != nil {
		return o, err
	}
	values, test, err := o.withDefaults(c)
	if err != nil {
		return o, err
	}
	grid, err := goals.ReadGrid(values, &o.inputs, 0)
	if err != nil {
		return o, err
	}
	o.clusters, o.open = grid.Clusters, grid.Base.Open
	base := forecast.Gate{Goal: grid.Base, Tested: test != ""}
	if name := goals.QueryName(base.Goal); base.Ratio.IsGiven() {
		o.defaults = append([]string{name}, o.defaults...)
	}
	base.Goal.Open = false
	if o.clusters != nil {
		base.Spread = 1
		if rows, ok := o.clusters.Assumed(); ok {
			base.Spread = min(o.clusters.Effective()/rows, 1)
		}
	}
	if o.looked == "samples" { // clusters and classes say in what shares
		base.Samples = 0
	}
	var axes []commands.Axis[forecast.Gate]
	for _, a := range grid.Axes {
		axes = append(axes, commands.Axis[forecast.Gate]{Flag: a.Flag, Length: a.Length,
			Set: func(f *forecast.Gate, i int) { a.Set(&f.Goal, i) }})
	}
	o.inputs = slices.DeleteFunc(o.inputs, func(in record.Input) bool {
		return !slices.ContainsFunc(flags, func(f usage.Flag) bool { return strings.ReplaceAll(f.Name, "-", "_") == in.Name })
	})
	share := numbers.Positives
	share.Want = "a number in (0, 1]"
	for _, p := range []struct {
		flag string
		set  func(*forecast.Gate, float64)
	}{
		{"effect", func(f *forecast.Gate, x float64) { f.Effect = x }},
		{"power", func(f *forecast.Gate, x float64) { f.Power = x }},
	} {
		list, err := numbers.List(c, p.flag, share)
		if err != nil {
			return o, err
		}
		o.inputs = append(o.inputs, commands.ListInput(c, p.flag, list, record.Number))
		axes = append(axes, commands.AxisOf(p.flag, list, p.set))
	}
	if test != "" {
		o.inputs = append(o.inputs, record.Input{Name: "test", Value: record.Words(test)})
	}
	if o.grid, err = commands.NewGrid(base, c.Is("zip"), axes...); err != nil {
		return o, err
	}
	limit := int64(defaultMaxRows)
	if numbers.Read(c, &err, "max-rows", numbers.Counts, &limit); err != nil {
		return o, err
	}
	if size := int64(o.grid.Size()); size > limit || size == math.MaxInt32 {
		return o, usage.Errorf("--max-rows: got %d rows, want at most %d; allow more with --max-rows", size, limit)
	}
	for i := range o.grid.Size() {
		for _, f := range o.gates(i) {
			if err := f.Validate(); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// lookedFor is the one of rows, effect and power that is not given. Clusters and classes are rows, or say in what
// shares rows are looked for.
func lookedFor(c *commands.Call) (flag string, err error) {
	shared := c.IsGiven(goals.ClustersFlag.Name) || c.IsGiven(goals.ClassesFlag.Name)
	both := c.IsGiven("effect") && c.IsGiven("power")
	for name, given := range map[string]bool{
		"samples": c.IsGiven("samples") || shared && !both, "effect": c.IsGiven("effect"), "power": c.IsGiven("power"),
	} {
		if !given && flag != "" {
			return "", usage.Errorf("power: got one or none of --samples, --effect and --power, want two, to find the third")
		}
		if !given {
			flag = name
		}
	}
	if flag == "" {
		return "", usage.Errorf("power: got --samples, --effect and --power, want two of them, to find the third")
	}
	return flag, nil
}

// withDefaults are the values with those that are taken for flags that were not given, and the test.
func (o *options) withDefaults(c *commands.Call) (values usage.Values, test string, err error) {
	if test, err = usage.OneOf(c, "test", append([]string{""}, tests...)...); err != nil {
		return nil, "", err
	}
	values = usage.Replaced(c.Values, goals.FeedbackFlag.Name, transfer.Gate.String())
	if !c.IsGiven(goals.QueryFlag.Name) && test != "" {
		values = usage.Replaced(values, goals.QueryFlag.Name, transfer.Difference.String())
	}
	if !c.IsGiven(goals.BetaFlag) && !c.IsGiven(goals.ConfidenceFlag) {
		values = usage.Replaced(values, goals.BetaFlag, goals.DefaultBeta)
		o.defaults = append(o.defaults, "beta "+goals.DefaultBeta+" (the default)")
	}
	if !c.IsGiven("passes") {
		values = usage.Replaced(values, "passes", "1")
		o.defaults = append(o.defaults, "1 pass (the default)")
	}
	return values, test, nil
}

// gates are the gates of a point that are compared: a fixed plan's and, if it is asked for, an open one's; of a test
// the exact one, for two classes, and the e-value.
func (o options) gates(i int) (list []forecast.Gate) {
	f := o.grid.Point(i)
	opened := []bool{false}
	if o.open {
		opened = append(opened, true)
	}
	for _, f.Open = range opened {
		if f.Duel = f.Tested; f.Duel {
			list = append(list, f)
			f.Duel = false
		}
		list = append(list, f)
	}
	return list
}

// rows answers the points.
func (o options) rows(step func(done int)) (rows []row, err error) {
	for i := range o.grid.Size() {
		step(i)
		for _, f := range o.gates(i) {
			r := row{}
			r.Answer, err = f.Solve()
			if none := (*theory.NoAnswerError)(nil); errors.As(err, &none) {
				r.Answer, r.none = forecast.Answer{Gate: f}, none
			} else if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}
