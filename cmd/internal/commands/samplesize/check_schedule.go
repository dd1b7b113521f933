package samplesize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// checkMode is what --check-schedule asks for.
var checkMode = commands.Mode{Name: "check-schedule", Flags: []string{"check-schedule", "samples", "queries", "tau", "beta",
	"confidence", "query", "one-sided", "disagreement", "at-least", "variance", goals.EnforceFlag.Name, "format", "output"}}

// certifier is the method whose theorem certifies noise: gaussian-cvar, or that whose noise changes by query.
func certifier(a transfer.Answer) transfer.Method {
	if m, ok := transfer.Lookup("gaussian-cvar"); ok && a.ByLargest {
		return m
	}
	methods := transfer.Methods()
	return methods[slices.IndexFunc(methods, func(m transfer.Method) bool { return m.Scheduled })]
}

// checkSchedule prints the sum of the eps_j of the joint bound for a noise schedule in a file.
func checkSchedule(c *commands.Call, path string) error {
	var plan commands.Mode // what else the command does
	for _, f := range c.Command.AllFlags(c.Formats) {
		plan.Flags = append(plan.Flags, f.Name)
	}
	if flag, _ := c.Stray(checkMode, []commands.Mode{plan}); flag != "" {
		return usage.Errorf("--check-schedule: given with --%s, want %s", flag,
			usage.OrList([]string{"--samples", "--queries", "--tau", "--beta", "--query", "--one-sided",
				"--disagreement", "--at-least", "--variance", "--enforce"}))
	}
	target, err := c.Target()
	if err != nil {
		return err
	}
	s := request{target: target}
	if s.grid, err = readCheck(c, &s.inputs); err != nil {
		return err
	}
	goal := s.grid.Goal(0)
	answer := transfer.Answer{Goal: goal}
	cuts, err := readNoise(c, path, &answer)
	if err != nil {
		return err
	}
	s.methods = []transfer.Method{certifier(answer)}
	s.inputs = append(s.inputs, record.Input{Name: "check_schedule", Value: record.Words(path)})

	row := goals.Row{Method: &s.methods[0], Answer: answer}
	refuted := goal.Beta != 0 && answer.Beta > goal.Beta
	switch {
	case answer.Beta == 0:
		row.Status, row.Reason = transfer.Vacuous, "no failure probability below one is certified"
	case refuted:
		row.Status = transfer.Infeasible
		row.Reason = "the schedule is certified at beta " + record.People(record.Chance(answer.Beta)) + ", not at " +
			record.People(record.Chance(goal.Beta))
	default:
		row.Status, row.TauAchieved, row.Best = transfer.OK, answer.Tau, true
	}
	shown := []goals.Column{goals.ColumnMethod, goals.ColumnBetaReached, goals.ColumnNoiseSpan}
	if answer.Mechanism.Cut > 0 {
		shown = append(shown, goals.ColumnCut)
	}
	return commands.Emit(c, target, commands.Answer[*goals.Row]{
		Command: "samplesize", Schema: schema, Inputs: s.inputs, Columns: s.columns(), Rows: commands.List([]*goals.Row{&row}),
		Shown: append(shown, goals.ColumnStatus),
		Verdict: func(r *goals.Row) commands.Verdict {
			return commands.Verdict{Sources: r.Method.Sources, Best: r.Best, Status: r.Status,
				Refuted: goal.Beta != 0 && r.Status != transfer.OK}
		},
		Say: func() (title, notes []string) {
			title, notes = sayChecked(&row, goal.Beta)
			return title, append(notes, cuts.say()...)
		},
	})
}

// readCheck reads the goal: samples and tau are needed, queries and beta are compared.
func readCheck(c usage.Values, inputs *[]record.Input) (goals.Grid, error) {
	for _, flag := range []string{"samples", "tau"} {
		if _, ok := c.Text(flag); !ok {
			return goals.Grid{}, usage.Errorf("--%s: got nothing, want a value to go with --check-schedule", flag)
		}
	}
	asked, err := goals.ReadGrid(c, inputs, 0)
	switch {
	case err != nil:
		return goals.Grid{}, err
	case asked.Size() != 1:
		return goals.Grid{}, usage.Errorf("--check-schedule: got %d goals, want one", asked.Size())
	}
	g := asked.Goal(0)
	if g.Queries == 0 {
		g.Queries = 1 // stands for what the file says
	}
	if g.Beta == 0 {
		g.Beta = -1
	}
	if err := g.Validate(); err != nil {
		return goals.Grid{}, err
	}
	if !g.Query.IsMean() {
		return goals.Grid{},
			usage.Errorf("--query: got %s, want bounded, binary or difference with --check-schedule", g.Query)
	}
	return asked, nil
}

func sayChecked(r *goals.Row, goal theory.LogProb) (title, notes []string) {
	title = []string{fmt.Sprintf("Check of a noise schedule: rows %s, queries %s, tau %s",
		record.People(record.Count(r.Samples)),
		record.People(record.Count(r.Queries)), record.People(record.Number(r.Tau)))}
	switch {
	case r.Reason != "":
		return title, []string{printed.Capital(r.Reason) + "."}
	case goal != 0:
		return title, []string{"The schedule is certified at beta " + record.People(record.Chance(goal)) + "."}
	}
	promise, by := "every answer is within tau", "the joint bound"
	if r.OneSided {
		promise = "no answer is above the truth by more than tau"
	}
	if r.Mechanism.LowVariance {
		by = "the low-variance bound"
	}
	return title, []string{"Except with probability at most beta " + promise + ", by " + by + "."}
}

// readNoise reads a schedule as --schedule writes it, and sums its errors.
func readNoise(c *commands.Call, path string, a *transfer.Answer) (cuts, error) {
	in, err := csvfile.Open(c.Session, path)
	if err != nil {
		return cuts{}, err
	}
	defer in.Close()
	noise, err := sumErrors(c.Context, delimited.NewSplitter(in.Reader(), 0), a)
	if err != nil {
		return cuts{}, in.Blame(err)
	}
	all := cutsOf(noise)
	if all.least == all.most {
		a.Mechanism.Cut = all.most
	}
	return all, nil
}

// cuts is the least and the greatest place where the noise of a schedule is cut, 0 standing for nowhere.
type cuts struct{ least, most float64 }

func cutsOf(noise []theory.NoiseBlock) (all cuts) {
	for i, block := range noise {
		switch {
		case block.Scale == 0: // there is nothing to cut
		case i == 0:
			all = cuts{block.Cut, block.Cut}
		default:
			all = cuts{min(all.least, block.Cut), max(all.most, block.Cut)}
		}
	}
	return all
}

// say is about cuts that differ: a column has those that are alike.
func (c cuts) say() []string {
	switch {
	case c.least == c.most:
		return nil
	case c.least == 0:
		return []string{"The noise of some answers is cut, at up to " + record.People(record.Number(c.most)) + " standard deviations, and that of others is not."}
	}
	return []string{"The noise is cut at " + record.People(record.Number(c.least)) + " to " + record.People(record.Number(c.most)) + " standard deviations."}
}

// sumErrors fills in the queries, the noise and the failure probability.
func sumErrors(ctx context.Context, s *delimited.Splitter, a *transfer.Answer) ([]theory.NoiseBlock, error) {
	bound, err := noise.New(a.Samples, noise.SidesOf(a.OneSided))
	if err != nil {
		return nil, err
	}
	query, scale, cutoff, err := noiseColumns(s)
	if err != nil {
		return nil, err
	}
	asked, silent, unit := a.Queries, 0, a.Unit()
	var noise []theory.NoiseBlock
	a.Queries, a.Mechanism.Noise = 0, "gaussian"
	for {
		cells, _, err := s.Record()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		a.Queries++
		if n, ok := numbers.Counts.Parse(cells[query]); !ok || n != a.Queries {
			return nil, delimited.Errorf(s.Line, "got query %s, want %d", usage.Shown(cells[query]), a.Queries)
		}
		sd, ok := numbers.NonNegatives.Parse(delimited.Point(cells[scale], s.Separator))
		cut := 0.
		if cutoff >= 0 && cells[cutoff] != "" {
			if cut, err = cutOf(delimited.Point(cells[cutoff], s.Separator)); err != nil {
				return nil, delimited.Errorf(s.Line, "%v", err)
			}
		}
		if silent > 0 {
			return nil, delimited.Errorf(silent, "got noise_scale 0, want 0 on the last line alone")
		}
		if ok {
			_, err = bound.Answer(theory.NoiseBlock{Queries: 1, Scale: sd / unit, Cut: cut}, a.Tau/unit)
		}
		if !ok || err != nil {
			return nil, delimited.Errorf(s.Line, "got noise_scale %s, want a standard deviation from 1e-100 to 1e100, or 0 on the last line",
				usage.Shown(cells[scale]))
		}
		if sd == 0 {
			silent = s.Line
		}
		if a.Queries == 1 {
			a.Mechanism.ScaleFirst = sd
		}
		a.Mechanism.Scale = sd
		if last := len(noise) - 1; last >= 0 && noise[last].Scale == sd && noise[last].Cut == cut {
			noise[last].Queries++
		} else {
			noise = append(noise, theory.NoiseBlock{Queries: 1, Scale: sd, Cut: cut})
		}
	}
	switch {
	case a.Queries == 0:
		return nil, usage.Errorf("got a header and nothing below it, want a line for each query")
	case asked != 0 && asked != a.Queries:
		return nil, usage.Errorf("got %d queries, want %d as --queries says", a.Queries, asked)
	}
	joint := bound.Total()
	if err := a.CertifyNoise(noise); err != nil {
		return nil, err
	}
	a.Beta = min(a.Beta, joint)
	return noise, nil
}

// cutOf reads where noise is cut, in standard deviations.
func cutOf(text string) (float64, error) {
	cut, ok := numbers.NonNegatives.Parse(text)
	if within := cut == 0 || cut >= 1 && cut <= 30; !ok || !within {
		return 0, usage.Errorf("got cut %s, want standard deviations from 1 to 30, or nothing for noise that is not cut",
			usage.Shown(text))
	}
	return cut, nil
}

// noiseColumns reads the header and finds the columns, of which the last, cut, may be missing.
func noiseColumns(s *delimited.Splitter) (query, scale, cut int, err error) {
	columns, err := s.Header()
	if errors.Is(err, io.EOF) {
		return 0, 0, 0, usage.Errorf("got nothing, want the columns query and noise_scale")
	}
	if err != nil {
		return 0, 0, 0, err
	}
	query, scale = slices.Index(columns, "query"), slices.Index(columns, "noise_scale")
	if query < 0 || scale < 0 {
		return 0, 0, 0, delimited.Errorf(s.Line, "got the columns %s, want query and noise_scale, as --schedule writes them in .csv or .tsv",
			usage.Shown(strings.Join(columns, ",")))
	}
	return query, scale, slices.Index(columns, "cut"), nil
}
