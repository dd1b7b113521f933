package pvalues

import (
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// follows says whether each row decides by the threshold of the sheet Live, which is for a single test and no family.
func (t *correction) follows() bool {
	return t.xlsx() && t.live != nil && t.family == pvalue.NoFamily
}

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

// rejectLive decides by the threshold of the sheet Live.
var rejectLive = record.Column[judged]{Name: "reject_live", Cell: judged.decision,
	Says: "whether p is at most the threshold of the sheet Live, whose inputs may be changed"}

// decision is the formula of a row: p is at most the threshold of the sheet Live, or what that says instead.
func (j judged) decision() record.Cell {
	if !j.p {
		return record.Cell{}
	}
	text := j.cells[j.table.P]
	p := expr.Cell(record.ColumnName(j.table.P+1) + strconv.Itoa(j.at+2))
	if _, ok := record.PlainNumber(text); j.number().Form != record.NumberForm && (!ok || j.raw) { // the cell is a text
		chance, _ := j.table.Chance(text)
		p = expr.N(chance.Value())
	}
	reject, threshold := rejected.Cell(j), expr.Cell(thresholdName)
	reject.S = expr.If(expr.IsNumber(threshold), p.AtMost(threshold), threshold).String()
	return reject
}

// about tells what the correction rests on.
func (t *correction) about() (remarks []record.Remark, sources []theory.Source) {
	by := t.by.Correction
	return []record.Remark{{}, {Label: "Method"}, {Label: by.Name, Text: strings.Join([]string{
		"assumes " + strings.Join(by.Assumes, "; "), "proof: " + string(by.Proof),
		"source: " + strings.Join(record.Sources(by.Sources).List, "; "),
	}, "\n")}}, by.Sources
}
