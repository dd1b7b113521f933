package samplesize

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// bind makes a workbook of an answer: the plan, and where it comes from.
func (s *request) bind(a *commands.Answer[*goals.Row]) {
	a.Sheets = []commands.Sheet[*goals.Row]{{Name: "Plan", Columns: s.planColumns(), Titled: true, Compact: true,
		Chart: s.bestChart}}
	a.Look, a.About = look, s.about
	told := a.Say
	a.Say = func() (title, notes []string) {
		if title, notes = told(); s.goals > record.Block {
			return title, nil
		}
		spans := []string{spanNotes[false], spanNotes[true]}
		return title, slices.DeleteFunc(notes, func(note string) bool { return slices.Contains(spans, note) })
	}
}

// bestChart draws the solved column over the one that varies, nil where there are several rows for a goal or not one
// list.
func (s *request) bestChart(columns []goals.Column) *record.Chart {
	if !s.best || s.unknown == transfer.None {
		return nil
	}
	varying := s.varying()
	if len(varying) != 1 {
		return nil
	}
	at := func(name string) int {
		return slices.IndexFunc(columns, func(c goals.Column) bool { return c.Name == name })
	}
	solved, _ := each.First(goals.Parameters, func(p goals.Parameter) bool { return p.Unknown == s.unknown })
	x, y := at(varying[0].Column.Name), at(solved.Column.Name)
	if x < 0 || y < 0 {
		return nil
	}
	positive := true
	for i := range s.goals {
		positive = positive && varying[0].Axis(s.grid.Goal(i)) > 0
	}
	return &record.Chart{Title: subjects[s.unknown] + " by the best method", XTitle: columns[x].Name,
		YTitle: columns[y].Name, X: x, Y: y, LogX: positive, LogY: true}
}

func look(r *goals.Row) record.Look {
	switch {
	case r.Best:
		return record.BestLook
	case r.Status != transfer.OK:
		return record.DimLook
	}
	return record.PlainLook
}

// about tells what the methods rest on.
func (s *request) about() (remarks []record.Remark, sources []theory.Source) {
	remarks = []record.Remark{{}, {Label: "Methods"}}
	for _, m := range s.methods {
		sources = append(sources, m.Sources...)
		remarks = append(remarks, record.Remark{Label: m.Name, Text: strings.Join([]string{m.Summary, m.Formula,
			"assumes " + strings.Join(m.Assumes, "; "), "source: " + strings.Join(record.Sources(m.Sources).List, "; ")}, "\n")})
	}
	return remarks, sources
}
