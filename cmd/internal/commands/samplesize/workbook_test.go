package samplesize

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/xuri/excelize/v2"
)

// The sheet Plan has the rows of the other formats, as numbers with every digit, a
// header that stays, filters and widths; columns without a value are left out.
func TestPlanSheet(t *testing.T) {
	args := strings.Fields("samplesize --full -m 1000,20 -t 0.1 -b 0.05 -B 20")
	f := commandtest.OpenBook(t, args...)
	if got := f.GetSheetList(); !slices.Equal(got, []string{"Plan", "About"}) {
		t.Errorf("sheets %v", got)
	}
	got, want := commandtest.Contents(t, f, "Plan"), commandtest.RowsOf(t, args...)
	if len(got) != 1+len(want) {
		t.Fatalf("%d rows, want a header and %d", len(got), len(want))
	}
	numbers := 0
	for i, row := range want {
		for _, column := range []string{
			"method", "samples", "queries", "tau", "tau_achieved", "beta", "budget", "noise", "noise_scale", "noise_first",
			"noise_last",
			"threshold", "cells", "epsilon", "ln_delta", "proof", "status", "reason", "query",
		} {
			name := strings.ReplaceAll(column, "_", " ")
			if end, ok := strings.CutPrefix(column, "noise_"); ok && end != "scale" {
				name = end + " noise scale"
			}
			text := commandtest.At(t, got, i+1, name)
			switch value := row[column].(type) {
			case nil:
				if text != "" {
					t.Errorf("%s of %v: %q, want nothing", name, row["method"], text)
				}
			case float64:
				numbers++
				x, err := strconv.ParseFloat(text, 64)
				j := slices.Index(got[0], name)
				kind, e := f.GetCellType("Plan", commandtest.CellAt(j+1, i+2))
				if err != nil || e != nil || x != value || kind != excelize.CellTypeUnset {
					t.Errorf("%s of %v: %q of type %v, want the number %v (%v, %v)", name, row["method"], text, kind, value, err, e)
				}
			case string:
				if want := strings.ReplaceAll(value, "not_applicable", "not applicable"); text != want {
					t.Errorf("%s of %v: %q, want %q", name, row["method"], text, want)
				}
			}
		}
		if best := commandtest.At(t, got, i+1, "best") == "best"; best != row["best"] {
			t.Errorf("best of %v: %v", row["method"], best)
		}
	}
	if numbers < 200 {
		t.Errorf("%d numbers compared", numbers)
	}
	for _, name := range []string{"sensitivity", "ln beta"} {
		if slices.Contains(got[0], name) {
			t.Errorf("an empty column %s", name)
		}
	}
	panes, err := f.GetPanes("Plan")
	if err != nil || !panes.Freeze || panes.YSplit != 1 || panes.XSplit != 1 {
		t.Errorf("panes %+v, %v", panes, err)
	}
	last := commandtest.CellAt(len(got[0]), len(got))
	filters := slices.ContainsFunc(f.GetDefinedName(), func(n excelize.DefinedName) bool {
		return n.Name == "_xlnm._FilterDatabase" && strings.HasSuffix(strings.ReplaceAll(n.RefersTo, "$", ""), "A1:"+last)
	})
	if dimension, err := f.GetSheetDimension("Plan"); !filters || err != nil || dimension != "A1:"+last {
		t.Errorf("filters %v over A1:%s, dimension %s (%v)", f.GetDefinedName(), last, dimension, err)
	}
	for j, name := range got[0] {
		column, _ := excelize.ColumnNumberToName(j + 1)
		width, err := f.GetColWidth("Plan", column)
		longest := 0
		for i := range got {
			if value, _ := f.GetCellValue("Plan", commandtest.CellAt(j+1, i+1)); i > 0 && len(value) > longest {
				longest = len(value)
			}
		}
		if err != nil || width < float64(min(longest, 40))+1 || width > 60 {
			t.Errorf("column %s of width %v shows %d characters (%v)", name, width, longest, err)
		}
	}
	if shown, _ := f.GetCellValue("Plan", commandtest.CellAt(slices.Index(got[0], "samples")+1, 5)); shown != "530,000" {
		t.Errorf("splitting shows %q", shown)
	}
}

// A solved quantity is not shown where it is no answer; a probability that float64
// cannot hold is text with its logarithm beside it.
func TestPlanSheetEdges(t *testing.T) {
	f := commandtest.OpenBook(t, strings.Fields("samplesize -n 100 -m 1000 -b 0.05 --method splitting,hoeffding")...)
	rows := commandtest.Contents(t, f, "Plan")
	if tau, status := commandtest.At(t, rows, 2, "tau"), commandtest.At(t, rows, 2, "status"); tau != "" ||
		status != "vacuous" {
		t.Errorf("tau %q, %s", tau, status)
	}
	f = commandtest.OpenBook(t, strings.Fields("samplesize -m 10 -t 0.1 -b 1e-4343 --method splitting")...)
	rows = commandtest.Contents(t, f, "Plan")
	if commandtest.At(t, rows, 1, "beta") != "1e-4343" ||
		!strings.HasPrefix(commandtest.At(t, rows, 1, "ln beta"), "-10000.1") {
		t.Errorf("%v", rows)
	}
}

// About says which version wrote the file by which command, what was found, and
// what the methods rest on.
func TestAboutSheet(t *testing.T) {
	f := commandtest.OpenBook(t, "samplesize", "-m", "1000", "-t", "0.1", "-b", "5%", "--method",
		"gaussian-schedule")
	for _, row := range commandtest.Contents(t, f, "About") {
		if text := strings.Join(row, "|"); strings.Contains(text, "a > b") {
			t.Errorf("About explains a cell that is in no sheet: %s", text)
		}
	}
	f = commandtest.OpenBook(t, "samplesize", "-m", "1000", "-t", "0.1", "-b", "5%", "--method",
		"splitting,gaussian-jung20")
	var page strings.Builder
	for _, row := range commandtest.Contents(t, f, "About") {
		page.WriteString(strings.Join(row, "|") + "\n")
	}
	for _, want := range []string{
		"dpcalc|version " + usage.Version() + "\n",
		"command|dpcalc samplesize --queries 1000 --tau 0.1 --beta 5% --method splitting,gaussian-jung20 --output book.xlsx\n",
		"result|Rows needed: queries 1000, tau 0.1, beta 0.05, bounded queries\n|gaussian-jung20, fewest rows: ",
		"tau achieved|the accuracy certified",
		"splitting|a fresh part of the holdout for every query\nn = m ceil(ln(2m/beta)/(2 tau^2))\nassumes rows independent and identically distributed\nsource: hoeffding63 Theorem 2",
		"hoeffding63|Wassily Hoeffding. Probability inequalities for sums of bounded random variables. Journal of the American Statistical Association 58(301), 13–30. 1963. doi:10.1080/01621459.1963.10500830.\n",
		"jung20|Christopher Jung, Katrina Ligett, ",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("About lacks %q:\n%s", want, page.String())
		}
	}
}
