package samplesize

import (
	"context"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/transfer"
)

// sheet lays the rows out for people: the goal's constants in the title, what
// varies and what was solved in columns, and what to make of it below.
func (s *plan) sheet(ctx context.Context, rows [][]row) (record.Sheet, error) {
	quantities := []struct {
		name    string
		unknown transfer.Unknown
		cell    func(*row) record.Cell
	}{
		{"rows", transfer.Samples, func(r *row) record.Cell { return record.Count(r.Samples) }},
		{"queries", transfer.Queries, func(r *row) record.Cell { return record.Count(r.Queries) }},
		{"tau", transfer.Tau, func(r *row) record.Cell { return record.Number(r.Tau) }},
		{"beta", transfer.Beta, func(r *row) record.Cell {
			if r.Beta == 0 {
				return record.Cell{}
			}
			return record.Chance(r.Beta)
		}},
		{"budget", transfer.None, func(r *row) record.Cell { return record.Count(r.Budget) }},
		{"sensitivity", transfer.None, (*row).sensitivity},
	}
	type column struct {
		name string
		cell func(*row) record.Cell
	}
	var shown []column
	var constants []string
	first := s.grid.goal(0)
	for _, q := range quantities {
		at := row{Answer: transfer.Answer{Goal: first}}
		one := q.cell(&at)
		varies := false
		for i := range s.goals {
			at.Goal = s.grid.goal(i)
			if c := q.cell(&at); c.Form != one.Form || c.N != one.N || c.F != one.F {
				varies = true
				break
			}
		}
		switch {
		case q.unknown == s.unknown && q.unknown != transfer.None:
		case varies:
			shown = append(shown, column{q.name, q.cell})
		case one.Form != record.Missing:
			constants = append(constants, q.name+" "+record.People(one))
		}
	}
	mark := column{"", func(r *row) record.Cell {
		if r.best {
			return record.Words("*")
		}
		return record.Cell{}
	}}
	shown = slices.Insert(shown, 0, mark, column{"method", func(r *row) record.Cell { return record.Words(r.method.Name) }})
	for _, q := range quantities {
		if q.unknown == s.unknown && q.unknown != transfer.None {
			shown = append(shown, column{q.name, func(r *row) record.Cell {
				if r.Status == transfer.OK {
					return q.cell(r)
				}
				return record.Cell{}
			}})
		}
	}
	if s.unknown != transfer.Tau {
		shown = append(shown, column{"tau achieved", func(r *row) record.Cell { return record.Number(r.TauAchieved) }})
	}
	shown = append(shown,
		column{"noise", func(r *row) record.Cell { return record.Words(r.Mechanism.Noise) }},
		column{"noise scale", func(r *row) record.Cell { return noiseCell(r.Mechanism) }},
		column{"threshold", func(r *row) record.Cell { return record.Number(r.Mechanism.Threshold) }},
		column{"cells", func(r *row) record.Cell { return record.Count(r.Mechanism.Cells) }},
		column{"epsilon", func(r *row) record.Cell { return record.Number(r.Mechanism.Epsilon) }},
		column{"ln delta", func(r *row) record.Cell { return record.Number(r.Mechanism.LnDelta.Ln()) }},
		column{"proof", func(r *row) record.Cell { return record.Words(string(r.method.Proof)) }},
		column{"note", func(r *row) record.Cell { return record.Words(r.note()) }},
	)

	var out record.Sheet
	subject := map[transfer.Unknown]string{
		transfer.Samples: "Rows needed",
		transfer.Queries: "Queries that can be answered",
		transfer.Tau:     "Accuracy tau reached",
		transfer.Beta:    "Failure probability beta reached",
		transfer.None:    "Check of the plan",
	}[s.unknown]
	out.Title = append(out.Title, subject+": "+strings.Join(append(constants, first.Query.String()+" queries"), ", "))
	for _, c := range shown {
		out.Columns = append(out.Columns, c.name)
	}
	var leftOut, unanswered commands.Reasons
	for _, group := range rows {
		for k := range group {
			if r := &group[k]; leftOut.LeavesOut(r.method.Name, r.Status, r.Reason) {
				continue
			}
			unanswered.Add(group[k].method.Name, group[k].Reason)
			cells := make([]record.Cell, len(shown))
			for j, c := range shown {
				cells[j] = c.cell(&group[k])
			}
			out.Rows = append(out.Rows, cells)
		}
	}
	found, err := s.findings(ctx, rows)
	if err != nil {
		return record.Sheet{}, err
	}
	out.Notes = slices.Concat(found, s.legend(rows), scheduleNote(out.Rows), leftOut.Lines(), unanswered.Lines())
	return out, nil
}

func (r *row) note() string {
	switch {
	case r.Status != transfer.OK:
		return strings.ReplaceAll(string(r.Status), "_", " ")
	case r.method.Procedure:
		return "dp procedure"
	case !r.method.Adaptive:
		return "reference"
	}
	return ""
}

// legend explains the labels that occur.
func (s *plan) legend(rows [][]row) (lines []string) {
	has := func(label string) bool {
		return slices.ContainsFunc(rows, func(group []row) bool {
			return slices.ContainsFunc(group, func(r row) bool { return r.note() == label })
		})
	}
	if has("reference") {
		lines = append(lines, "reference: only for queries fixed before the data are seen")
	}
	if has("dp procedure") {
		lines = append(lines, "dp procedure: for what a private procedure puts out, not for answers to queries")
	}
	if slices.ContainsFunc(rows, func(group []row) bool {
		return slices.ContainsFunc(group, func(r row) bool { return r.method.Budgeted && r.Status == transfer.OK })
	}) {
		tau := "tau achieved"
		if s.unknown == transfer.Tau {
			tau = "tau"
		}
		lines = append(lines, "thresholdout rows: answers are within "+tau+" while fewer than budget queries had a value on the training set "+
			"that is off by more than half of it; the threshold is three quarters of it")
	}
	return lines
}

// scheduleNote explains a noise scale that is the first and the last of a schedule.
func scheduleNote(rows [][]record.Cell) []string {
	falls := func(row []record.Cell) bool {
		return slices.ContainsFunc(row, func(c record.Cell) bool { return c.Form == record.SpanForm })
	}
	if !slices.ContainsFunc(rows, falls) {
		return nil
	}
	return []string{"noise scale a > b: it falls from a for the first answer to b for the last; --schedule FILE writes that of every answer"}
}

// noiseCell is the scale of the noise for people: of a schedule the first and the last,
// to three digits.
func noiseCell(run transfer.Mechanism) record.Cell {
	switch {
	case !run.Scheduled():
		return record.Number(run.Scale)
	case run.Scale == run.ScaleFirst:
		return record.Exactly(run.Scale)
	}
	return record.Cell{Form: record.SpanForm, S: record.Rough(run.ScaleFirst) + " > " + record.Rough(run.Scale)}
}
