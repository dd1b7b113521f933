package workbook

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest/awkward"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
)

// A user's number is a number if a sheet shows it as it was written; all else is
// text, never a formula.
func TestForeignCells(t *testing.T) {
	for text, number := range map[string]bool{
		"0.05": true, "-1.5": true, "12": true, "0": true, "-0.5": true, "1.50": true,
		"007": false, "1e5": false, "+2": false, "": false, ".5": false, "5.": false, "NaN": false, "Inf": false,
		"1,5":    false,
		"0x1p-3": false, "1_000": false, "12345678901234567": false, "-": false, "=1+1": false, "1.2.3": false,
	} {
		if _, got := record.PlainNumber(text); got != number {
			t.Errorf("%q is a number: %v", text, got)
		}
	}
	b, err := newBook("test", "Test")
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	for _, text := range awkward.Texts {
		c, err := b.cell(record.Cell{Form: record.ForeignForm, S: text}, record.PlainLook)
		if err != nil || c.Formula != "" || text != "-1.5" && c.Value != text || text == "-1.5" && c.Value != -1.5 {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
	if _, err := b.cell(record.Cell{Form: record.ForeignForm, S: strings.Repeat("x", maxCellText+1)},
		record.PlainLook); err == nil {
		t.Error("a text that does not fit")
	}
	if c, err := b.cell(record.Cell{Form: record.ForeignForm, S: strings.Repeat("é", maxCellText)},
		record.PlainLook); err != nil || c.Value == nil {
		t.Errorf("a text that fits: %v", err)
	}
}
