package pvalues

import (
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/theory"
)

// number is the p-value as a number of a sheet, if it is one there.
func (j judged) number() record.Cell {
	if x, ok := j.table.Plain(j.cells[j.table.P]); ok && x > 1e-307 {
		return record.Exactly(x)
	}
	return j.typed(j.table.P)
}

// look is how a row stands out.
func (j judged) look() record.Look {
	switch {
	case !j.p:
		return record.DimLook
	case rejected.Cell(j).N != 0:
		return record.BestLook
	}
	return record.PlainLook
}

// about tells what the correction rests on.
func (t *correction) about() (remarks []record.Remark, sources []theory.Source) {
	by := t.by.Correction
	if by.Name == "" {
		return []record.Remark{{}, {Label: "Method"}, {Label: string(t.family), Text: t.title()}}, nil
	}
	return []record.Remark{{}, {Label: "Method"}, {Label: by.Name, Text: strings.Join([]string{
		"assumes " + strings.Join(by.Assumes, "; "), "proof: " + string(proofOf(by, t.asked.plan.Neighbours)),
		"source: " + strings.Join(record.Sources(by.Sources).List, "; "),
	}, "\n")}}, by.Sources
}
