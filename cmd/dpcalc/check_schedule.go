package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// checkFlags are the flags that go with --check-schedule.
var checkFlags = []string{"check-schedule", "samples", "queries", "tau", "beta", "confidence", "query", "format", "output"}

// checkSchedule prints the sum of the eps_j of the joint bound for a noise schedule in a file.
func checkSchedule(c *Call, path string) error {
	for _, f := range c.Command.AllFlags(c.Formats) {
		_, given := c.Text(f.Name)
		if (given || f.Switch && c.Is(f.Name)) && !slices.Contains(checkFlags, f.Name) {
			return usagef("--check-schedule: given with --%s, want %s", f.Name, orList([]string{"--samples", "--queries", "--tau", "--beta", "--query"}))
		}
	}
	target, err := c.Target()
	if err != nil {
		return err
	}
	s := plan{target: target}
	if s.grid, err = readCheck(c, &s.inputs); err != nil {
		return err
	}
	goal := s.grid.goal(0)
	answer := transfer.Answer{Goal: goal}
	if err := readNoise(c, path, &answer); err != nil {
		return err
	}
	method, _ := transfer.Lookup(scheduled)
	s.methods = []transfer.Method{method}
	s.inputs = append(s.inputs, input{"check_schedule", wordsCell(path)})

	row := row{method: &method, Answer: answer}
	refuted := goal.Beta != 0 && answer.Beta > goal.Beta
	switch {
	case answer.Beta == 0:
		row.Status, row.Reason = transfer.Vacuous, "no failure probability below one is certified"
	case refuted:
		row.Status = transfer.Infeasible
		row.Reason = "the schedule is certified at beta " + people(chanceCell(answer.Beta)) + ", not at " + people(chanceCell(goal.Beta))
	default:
		row.Status, row.TauAchieved, row.best = transfer.OK, answer.Tau, true
	}
	err = emit(c, target, s.result(), [][]cell{row.cells(nil, &s.static()[0])}, func() sheet { return checkedSheet(&row, goal.Beta) })
	switch {
	case err != nil:
		return err
	case goal.Beta != 0 && row.Status != transfer.OK:
		return outcome(exitRefuted)
	case row.Status != transfer.OK:
		return outcome(exitNoAnswer)
	}
	return nil
}

// readCheck reads the goal: samples and tau are needed, queries and beta are compared.
func readCheck(c Values, inputs *[]input) (grid, error) {
	for _, flag := range []string{"samples", "tau"} {
		if _, ok := c.Text(flag); !ok {
			return grid{}, usagef("--%s: got nothing, want a value to go with --check-schedule", flag)
		}
	}
	goals, err := readGrid(c, inputs, 0)
	switch {
	case err != nil:
		return grid{}, err
	case goals.size() != 1:
		return grid{}, usagef("--check-schedule: got %d goals, want one", goals.size())
	}
	g := goals.goal(0)
	if g.Queries == 0 {
		g.Queries = 1 // stands for what the file says
	}
	if g.Beta == 0 {
		g.Beta = -1
	}
	if err := g.Validate(); err != nil {
		return grid{}, err
	}
	if g.Query != transfer.Bounded && g.Query != transfer.Binary {
		return grid{}, usagef("--query: got %s, want bounded or binary with --check-schedule", g.Query)
	}
	return goals, nil
}

// checkedSheet is the row for people.
func checkedSheet(r *row, goal theory.LogProb) sheet {
	out := sheet{
		title: []string{fmt.Sprintf("Check of a noise schedule: rows %s, queries %s, tau %s", people(countCell(r.Samples)),
			people(countCell(r.Queries)), people(numberCell(r.Tau)))},
		columns: []string{"method", "beta", "noise scale", "status"},
		rows:    [][]cell{{wordsCell(r.method.Name), chanceCell(r.Beta), noiseCell(r.Mechanism), wordsCell(string(r.Status))}},
	}
	switch {
	case r.Reason != "":
		out.notes = []string{capital(r.Reason) + "."}
	case goal != 0:
		out.notes = []string{"The schedule is certified at beta " + people(chanceCell(goal)) + "."}
	default:
		out.notes = []string{"Except with probability at most beta every answer is within tau, by the joint bound."}
	}
	return out
}

// readNoise reads a schedule as --schedule writes it, and sums its errors.
func readNoise(c *Call, path string, a *transfer.Answer) error {
	in, err := open(c.Session, path)
	if err != nil {
		return err
	}
	defer in.close()
	if err := sumErrors(c.Context, newSplitter(in.reader(), 0), a); err != nil {
		return in.blame(err)
	}
	return nil
}

// sumErrors fills in the queries, the noise and the failure probability.
func sumErrors(ctx context.Context, s *splitter, a *transfer.Answer) error {
	bound, err := transfer.NewJointBound(a.Samples)
	if err != nil {
		return err
	}
	query, scale, err := noiseColumns(s)
	if err != nil {
		return err
	}
	asked, silent := a.Queries, 0
	a.Queries, a.Mechanism.Noise = 0, "gaussian"
	for {
		cells, _, err := s.record()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		a.Queries++
		if n, ok := counts.parse(cells[query]); !ok || n != a.Queries {
			return refuse(s.line, "got query %s, want %d", shown(cells[query]), a.Queries)
		}
		text := cells[scale]
		if s.separator == ';' {
			text = strings.Replace(text, ",", ".", 1)
		}
		sd, ok := nonNegatives.parse(text)
		if silent > 0 {
			return refuse(silent, "got noise_scale 0, want 0 on the last line alone")
		}
		if ok {
			_, err = bound.Answer(transfer.NoiseBlock{Queries: 1, SD: sd}, a.Tau)
		}
		if !ok || err != nil {
			return refuse(s.line, "got noise_scale %s, want a standard deviation from 1e-100 to 1e100, or 0 on the last line",
				shown(cells[scale]))
		}
		if sd == 0 {
			silent = s.line
		}
		if a.Queries == 1 {
			a.Mechanism.ScaleFirst = sd
		}
		a.Mechanism.Scale = sd
	}
	switch {
	case a.Queries == 0:
		return usagef("got a header and nothing below it, want a line for each query")
	case asked != 0 && asked != a.Queries:
		return usagef("got %d queries, want %d as --queries says", a.Queries, asked)
	}
	a.Beta = bound.Total()
	return nil
}

// noiseColumns reads the header and finds the two columns.
func noiseColumns(s *splitter) (query, scale int, err error) {
	header, err := s.text()
	if errors.Is(err, io.EOF) {
		return 0, 0, usagef("got nothing, want the columns query and noise_scale")
	}
	if err != nil {
		return 0, 0, err
	}
	header = strings.TrimPrefix(header, "\ufeff")
	s.separator = separatorOf(header)
	if err := s.split(header); err != nil {
		return 0, 0, err
	}
	columns := slices.Clone(s.cells)
	s.width = len(columns)
	query, scale = slices.Index(columns, "query"), slices.Index(columns, "noise_scale")
	if query < 0 || scale < 0 {
		return 0, 0, refuse(s.line, "got the columns %s, want query and noise_scale, as --schedule writes them in .csv or .tsv",
			shown(strings.Join(columns, ",")))
	}
	return query, scale, nil
}
