package figures

import (
	"bytes"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Labels keep their distance, their order and the range, move only if they must, and no
// other placement moves them less.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 5000 {
		const gap, low, high = 10.0, -20.0, 110.0
		wanted := make([]float64, 1+r.IntN(12))
		for i := range wanted {
			wanted[i] = 90 * r.Float64()
			if r.IntN(3) == 0 {
				wanted[i] = math.Round(wanted[i] / 30 * 30)
			}
		}
		cost := func(at []float64) (sum float64) {
			for i := range at {
				sum += (at[i] - wanted[i]) * (at[i] - wanted[i])
			}
			return sum
		}
		feasible := func(at []float64) bool {
			for i, x := range at {
				for j, y := range at {
					if i != j && (math.Abs(x-y) < gap-1e-9 || wanted[i] < wanted[j] && x > y) {
						return false
					}
				}
				if x < low-1e-9 || x > high+1e-9 {
					return false
				}
			}
			return true
		}
		placed := spread(wanted, gap, low, high)
		if !feasible(placed) {
			t.Fatalf("%v placed at %v", wanted, placed)
		}
		if feasible(wanted) && cost(placed) > 1e-18 {
			t.Fatalf("%v moved to %v", wanted, placed)
		}
		for range 50 {
			other := slices.Clone(placed)
			first, by := r.IntN(len(other)), r.NormFloat64()
			for i := range other { // a run of neighbours
				if math.Abs(other[i]-other[first]) < gap*float64(r.IntN(4))+1e-9 {
					other[i] += by
				}
			}
			if feasible(other) && cost(other) < cost(placed)-1e-9 {
				t.Fatalf("%v placed at %v, and %v is nearer", wanted, placed, other)
			}
		}
	}
}

// Lines differ in dash or marker and not by colour alone, and every colour can be
// read as text: its contrast with white is at least 4.5 to 1.
func TestStrokes(t *testing.T) {
	luminance := func(c color.RGBA) float64 {
		linear := func(v uint8) float64 {
			s := float64(v) / 255
			if s <= 0.04045 {
				return s / 12.92
			}
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	for i, a := range strokes {
		if contrast := 1.05 / (luminance(a.color) + 0.05); contrast < 4.5 {
			t.Errorf("stroke %d: contrast %.2f", i, contrast)
		}
		if luminance(a.pale()) < 0.6 {
			t.Errorf("stroke %d: its band is dark", i)
		}
		for j, b := range strokes[:i] {
			if slices.Equal(a.dashes, b.dashes) || slices.Equal(a.marker, b.marker) {
				t.Errorf("strokes %d and %d: dashes %v, %v", j, i, b.dashes, a.dashes)
			}
		}
	}
}

// A faint line is thin, grey and without markers; hollow markers are white inside.
func TestFaintAndHollow(t *testing.T) {
	drawn := func(l record.Line) string {
		l.Label, l.X, l.Y = "line", []float64{1, 2}, []float64{1, 2}
		x, y := record.NewRuler("x", false), record.NewRuler("y", false)
		x.Include(l.X...)
		y.Include(l.Y...)
		var page bytes.Buffer
		f := record.Figure{Panels: [][]record.Panel{{{X: x, Y: y, Lines: []record.Line{l}}}}}
		if err := SVG.Draw(&page, f); err != nil {
			t.Fatal(err)
		}
		return page.String()
	}
	for name, c := range map[string]struct {
		line                     record.Line
		markers, holes, ink, dim int
	}{
		"plain":  {record.Line{}, 2, 0, 1, 0},
		"faint":  {record.Line{Faint: true}, 0, 0, 0, 1},
		"hollow": {record.Line{Hollow: true}, 0, 2, 1, 0},
	} {
		page := drawn(c.line)
		for part, want := range map[string]int{
			`style="fill:#222222" />`: c.markers, `style="fill:#FFFFFF" />`: 1 + c.holes, // with the page
			"stroke:#222222;stroke-width:0.9": c.holes, "stroke:#222222;stroke-width:1.1": c.ink,
			"stroke:#666666;stroke-width:0.6": c.dim,
		} {
			if got := strings.Count(page, part); got != want {
				t.Errorf("%s: %d times %q, want %d\n%s", name, got, part, want, page)
			}
		}
	}
}

// Labels of an axis do not meet, and the first and the last stay.
func TestTickLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	style := Lettering(8, grey, draw.XCenter, draw.YTop)
	size := func(text string) vg.Length { return style.Width(text) + tickGap }
	thinned := false
	for range 2000 {
		axis := record.NewRuler("x", r.IntN(2) == 0)
		low := math.Exp(20*r.Float64() - 10)
		axis.Include(low, low*(1+math.Exp(6*r.Float64()-3)))
		ticks, texts := axis.Ticks(), axis.TickTexts()
		labels := tickLabels(axis, places(axis, 10, 10+panelWidth), size)
		for i := 1; i < len(labels); i++ {
			if a, b := labels[i-1], labels[i]; a.at+size(a.text)/2 > b.at-size(b.text)/2+1e-9 {
				t.Errorf("%v: %v and %v meet", ticks, a, b)
			}
		}
		thinned = thinned || len(labels) < len(ticks)
		if first, last := labels[0], labels[len(labels)-1]; first.text != texts[0] || last.text != texts[len(texts)-1] {
			t.Errorf("%v: from %v to %v", ticks, first, last)
		}
	}
	if !thinned {
		t.Error("no label was left out")
	}
}
