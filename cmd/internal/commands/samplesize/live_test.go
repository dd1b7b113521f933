package samplesize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/live"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/xuri/excelize/v2"
)

// Whatever a row of the sheet Live says of a goal is a formula, which gives way once an input has changed, and the
// rows of private procedures are a block below the others.
func TestLiveHasNothingStale(t *testing.T) {
	for _, command := range []string{
		"samplesize -m 20 -t 0.2 -b 0.05 -B 5",
		"samplesize -n 3000 -m 20 -b 0.05 --feedback gate --passes 3 --one-sided",
	} {
		f := commandtest.OpenBook(t, strings.Fields(command)...)
		_, rows := commandtest.LiveTable(t, f)
		sheet := commandtest.Contents(t, f, "Live")
		head := slices.IndexFunc(sheet, func(row []string) bool { return len(row) > 0 && row[0] == "method" })
		names := sheet[head]
		lastOther, firstProcedure := 0, len(sheet)
		for name, k := range rows {
			for j, text := range sheet[k-1] {
				formula, err := f.GetCellFormula("Live", commandtest.CellAt(j+1, k))
				constant := slices.Contains([]string{"method", "use", "proof"}, names[j])
				if err != nil || text != "" && !constant && formula == "" {
					t.Errorf("%s: %s of %s is the constant %q (%v)", command, names[j], name, text, err)
				}
			}
			if m, _ := transfer.Lookup(name); m.Procedure {
				firstProcedure = min(firstProcedure, k)
			} else {
				lastOther = max(lastOther, k)
			}
		}
		if firstProcedure < len(sheet) && (firstProcedure != lastOther+3 || len(sheet[firstProcedure-2]) == 0) {
			t.Errorf("%s: procedures from row %d, the others to row %d", command, firstProcedure, lastOther)
		}
		if visible, err := f.GetSheetVisible("Grid"); err != nil || visible && slices.Contains(f.GetSheetList(), "Grid") {
			t.Errorf("%s: the sheet Grid is visible (%v)", command, err)
		}
	}
}

// With rows as an input the sheet has the tau of every method, as dpcalc solves for it.
func TestLiveTau(t *testing.T) {
	f := commandtest.OpenBook(t, strings.Fields("samplesize -n 4000 -m 20 -b 0.05 -B 6")...)
	inputs, rows := commandtest.LiveTable(t, f)
	if got, _ := f.GetCellValue("Live", inputs["samples"], excelize.Options{RawCellValue: true}); got != "4000" {
		t.Errorf("samples %q", got)
	}
	for _, row := range commandtest.RowsOf(t, strings.Fields("samplesize -n 4000 -m 20 -b 0.05 -B 6")...) {
		at := fmt.Sprint("D", rows[row["method"].(string)])
		text, err := f.GetCellValue("Live", at, excelize.Options{RawCellValue: true})
		want := ""
		if row["status"] == "ok" {
			want = fmt.Sprint(row["tau"])
		}
		if err != nil || text != want {
			t.Errorf("%s: tau %q, want %q (%v)", row["method"], text, want, err)
		}
	}
}

// solvedAround interpolates the methods around a goal.
func solvedAround(t *testing.T, g transfer.Goal, methods []transfer.Method) (live.Box, []*live.Polynomial) {
	t.Helper()
	s := request{methods: methods}
	rows, _, err := transfer.Solve(nil, methods, g)
	if err != nil {
		t.Fatal(err)
	}
	open := make([]bool, len(rows))
	for k := range rows {
		open[k] = rows[k].Status == transfer.OK
	}
	call := &commands.Call{Session: &outfile.Session{Context: t.Context()}}
	list, err := s.interpolate(call, g, rows, open)
	if err != nil {
		t.Fatal(err)
	}
	return live.BoxAround(g), list
}

// At random places of the box an interpolated number of rows is not below that of the method, and at most three parts
// in a hundred and a row above it. A method whose polynomial does not serve has none.
func TestInterpolated(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	compared := 0
	for _, g := range []transfer.Goal{
		{Queries: 200, Tau: 0.1}, {Queries: 1, Tau: 0.05}, {Queries: 30, Tau: 0.6},
		{Queries: 50, Tau: 0.1, Shown: transfer.Shown{Feedback: transfer.Best}},
		{Queries: 20, Tau: 0.2, Budget: 5, Shown: transfer.Shown{Feedback: transfer.Flags}},
	} {
		g.Beta = theory.LogProb(math.Log(0.05))
		methods := slices.DeleteFunc(transfer.Methods(), func(m transfer.Method) bool {
			_, explicit := live.ClosedForms(g)[m.Name]
			served := g.Feedback == transfer.Answers || slices.Contains(m.Feedbacks, g.Feedback)
			return m.Counted || explicit || !served || slices.Contains(live.Unsmooth, m.Name) ||
				m.Name == "rounding-widths" && g.Queries > 100
		})
		b, list := solvedAround(t, g, methods)
		for k, p := range list {
			if p == nil {
				continue
			}
			for range 3 {
				at := g
				var x [3]float64
				for i, axis := range b.Axes {
					if !axis.Fixed() {
						x[i] = axis.Low + (axis.High-axis.Low)*r.Float64()
					}
				}
				at.Queries = int64(math.Round(float64(g.Queries) * math.Exp(x[0])))
				x[0] = math.Log(float64(at.Queries) / float64(g.Queries))
				at.Tau, at.Beta = g.Tau*math.Exp(x[1]), theory.LogProb(g.Beta.Ln()*math.Exp(x[2]))
				answer, err := methods[k].Solve(at)
				if err != nil || answer.Status != transfer.OK {
					t.Errorf("%s, %+v: %v, %+v", methods[k].Name, at, err, answer)
					continue
				}
				compared++
				n, least := math.Floor(math.Exp(p.At(x)))+1, float64(answer.Samples)
				if n < least || n > 1.03*least+1 {
					t.Errorf("%s, %+v: %v rows, dpcalc says %v", methods[k].Name, at, n, least)
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("%d numbers compared", compared)
	}
}

// What explains the sheet Live goes across the table and breaks its lines there.
func TestLiveIntroIsMerged(t *testing.T) {
	f := commandtest.OpenBook(t, strings.Fields("samplesize -m 20 -t 0.2 -b 0.05")...)
	sheet := commandtest.Contents(t, f, "Live")
	merged, err := f.GetMergeCells("Live")
	if err != nil {
		t.Fatal(err)
	}
	intro := slices.IndexFunc(sheet, func(row []string) bool { return len(row) == 0 || row[0] == "" })
	if intro < 2 || len(merged) != intro {
		t.Errorf("%d merged cells for %d lines", len(merged), intro)
	}
	for i, cell := range merged {
		if row := i + 1; cell.GetStartAxis() != commandtest.CellAt(1, row) || cell.GetCellValue() != sheet[i][0] {
			t.Errorf("line %d is in %s: %q", row, cell.GetStartAxis(), cell.GetCellValue())
		}
	}
	height, err := f.GetRowHeight("Live", 2)
	if err != nil || height < 15 {
		t.Errorf("a line of the height %v, %v", height, err)
	}
}
