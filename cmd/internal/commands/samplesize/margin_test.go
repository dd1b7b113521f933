package samplesize

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/figures"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
)

// The figure of docs/theorems/open.md is drawn from the rows of the command that stands there. A candidate that fails
// is at most 2 tau above the bar.
func TestFigureOfOpenMargins(t *testing.T) {
	const path = "../../../../docs/img/open.svg"
	panel := record.Panel{X: record.NewRuler("looks so far", false), Y: record.NewRuler("points", false)}
	panel.Y.Include(0)
	for style, passes := range []int{1, 3, 6, 12} {
		l := record.Line{Label: fmt.Sprintf("pass %d", passes), Style: style}
		line := "samplesize --open --feedback gate -n 5000 -b 0.05 -m 1:200:log40 --method open-gate --passes "
		for _, r := range commandtest.RowsOf(t, strings.Fields(fmt.Sprint(line, passes))...) {
			if r["status"] != "ok" { // more passes than looks
				continue
			}
			l.X, l.Y = append(l.X, r["queries"].(float64)), append(l.Y, 200*r["tau"].(float64))
		}
		if len(l.X) < 20 || l.X[0] < float64(passes) {
			t.Fatalf("%s has the looks %v", l.Label, l.X)
		}
		panel.X.Include(l.X...)
		panel.Y.Include(l.Y...)
		panel.Lines = append(panel.Lines, l)
	}
	var drawn bytes.Buffer
	f := record.Figure{Panels: [][]record.Panel{{panel}}, Title: []string{
		"How far above the bar a candidate that fails may be",
		"open ledger of 5,000 rows, confidence 95%; its next pass is pass 1, 3, 6 or 12",
	}}
	if err := figures.SVG.Draw(&drawn, f); err != nil {
		t.Fatal(err)
	}
	all, size := commandtest.Texts(t, drawn.Bytes())
	commandtest.CheckOverlap(t, all, size)
	if *commandtest.Update {
		if err := os.WriteFile(path, drawn.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if page, err := os.ReadFile(path); err != nil || !bytes.Equal(page, drawn.Bytes()) {
		t.Errorf("%s (%d bytes, %v) is not what is drawn (%d bytes)", path, len(page), err, drawn.Len())
	}
}
