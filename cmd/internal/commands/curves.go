package commands

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// proofOrder are the notes of curves, from the least that a proof leaves to doubt.
var proofOrder = []string{"", string(theory.Published), string(theory.Coq), string(theory.Derived)}

// Prove marks the curve of a point by its proof, or by the proof of an earlier point that leaves more to doubt: by
// hollow markers if it is published.
func Prove(l *record.Line, by theory.Proof) {
	if slices.Index(proofOrder, string(by)) > slices.Index(proofOrder, l.Note) {
		l.Note, l.Hollow = string(by), by == theory.Published
	}
}

// TellProofs says how the curves of published methods and of others differ. Where there are curves of
// one kind alone, it says which.
func TellProofs(panels [][]record.Panel) string {
	notes := make(map[string]bool)
	for _, row := range panels {
		for _, l := range row[0].Lines {
			notes[l.Note] = true
		}
	}
	var filled []string
	for _, of := range [][2]string{{string(theory.Derived), "derived in dpcalc"}, {string(theory.Coq), "checked by Coq"}} {
		if notes[of[0]] {
			filled = append(filled, of[1])
		}
	}
	text := strings.Join(filled, " or ")
	switch published := notes[string(theory.Published)]; {
	case published && text == "":
		return "published; hollow markers"
	case published:
		return "filled markers: " + text + "; hollow markers: published"
	}
	return text
}

// LeastDrawn is the least number on an axis, and its inverse the greatest. Beyond, float64 begins to lose digits.
const LeastDrawn = 1e-300

// Undrawn counts the points of curves that no axis has.
type Undrawn struct {
	curves []string
	points map[string]int64
}

// Add counts a point of a curve.
func (u *Undrawn) Add(curve string) {
	if u.points == nil {
		u.points = make(map[string]int64)
	}
	if !slices.Contains(u.curves, curve) {
		u.curves = append(u.curves, curve)
	}
	u.points[curve]++
}

// Tell counts the points that are not drawn in a line of a title, or says nothing.
func (u *Undrawn) Tell() []string {
	if u.curves == nil {
		return nil
	}
	parts := each.Of(u.curves, func(curve string) string { return record.Plural(u.points[curve], "point") + " of " + curve })
	return []string{"not drawn, outside 1e-300 to 1e300: " + strings.Join(parts, ", ")}
}

// SortLine puts the points of a line in the order of the axis.
func SortLine(l *record.Line) {
	order := make([]int, len(l.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.X[a], l.X[b]) })
	x, y := make([]float64, len(order)), make([]float64, len(order))
	for i, k := range order {
		x[i], y[i] = l.X[k], l.Y[k]
	}
	l.X, l.Y = x, y
}
