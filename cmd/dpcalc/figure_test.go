package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// roundNumber says whether x is 1, 2 or 5 times a power of ten.
func roundNumber(x float64) bool {
	mantissa, _, _ := strings.Cut(strconv.FormatFloat(x, 'e', 9, 64), "e")
	return slices.Contains([]string{"1.000000000", "2.000000000", "5.000000000"}, mantissa)
}

func checkTicks(t *testing.T, a ruler) {
	t.Helper()
	ticks, texts := a.ticks(), a.tickTexts()
	if len(ticks) < 4 || len(ticks) > 9 || !slices.IsSorted(ticks) {
		t.Fatalf("%+v: ticks %v", a, ticks)
	}
	below, above := ticks[0]-a.low, a.high-ticks[len(ticks)-1]
	if slack := 1e-8 * (a.high - a.low); !a.log && max(below, above) > slack || a.log && (below > 1e-8*a.low || above > 1e-8*a.high) {
		t.Fatalf("%+v: ticks %v do not cover", a, ticks)
	}
	step := ticks[1] - ticks[0]
	even, round := roundNumber(step), a.log
	for i, x := range ticks {
		if i > 0 && math.Abs(x-ticks[i-1]-step) > 1e-6*step {
			even = false
		}
		round = round && roundNumber(x)
		if r, ok := parseRat(texts[i]); !ok {
			t.Fatalf("%+v: tick text %q", a, texts[i])
		} else if y, _ := r.Float64(); y != x {
			t.Fatalf("%+v: tick %v reads %q", a, x, texts[i])
		}
	}
	if !even && !round || a.log && ticks[0] <= 0 {
		t.Fatalf("%+v: ticks %v", a, ticks)
	}
}

// Ticks are 4 to 9 round numbers that cover the range, on every axis, and their texts
// read back as they are.
func TestTicks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	power := func(from, to float64) float64 { return math.Pow(10, from+(to-from)*r.Float64()) }
	for range 5000 {
		width := power(-6, 9)
		low := (r.Float64() - 0.5) * width * power(-2, 4)
		a := newRuler("", false)
		a.include(low, low+width)
		checkTicks(t, a)
		a = newRuler("", true)
		low = power(-9, 9)
		a.include(low*power(0.001, 1), low, low*power(0.001, power(-1, 1.2)))
		checkTicks(t, a)
	}
	for _, c := range []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0, 500, false, "0 100 200 300 400 500"},
		{0.45, 0.75, false, "0.45 0.50 0.55 0.60 0.65 0.70 0.75"},
		{0.476, 0.713, false, "0.45 0.50 0.55 0.60 0.65 0.70 0.75"},
		{-3, 4, false, "-3 -2 -1 0 1 2 3 4"},
		{9000, 21_000, false, "8000 10k 12k 14k 16k 18k 20k 22k"},
		{0, 3e6, false, "0 500k 1M 1.5M 2M 2.5M 3M"},
		{10, 1e6, true, "10 100 1000 10k 100k 1M"},
		{1, 1000, true, "1 10 100 1000"},
		{3, 90, true, "2 5 10 20 50 100"},
		{0.02, 0.1, true, "0.02 0.03 0.04 0.05 0.06 0.07 0.08 0.09 0.1"},
		{1e-12, 1e12, true, "1e-15 1e-10 1e-05 1 100k 1e+10 1e+15"},
		{5, 5, false, "4.0 4.5 5.0 5.5 6.0"},
		{5, 5, true, "2 3 4 5 6 7 8 9 10"},
		{math.Inf(1), math.Inf(-1), false, "1.0 1.2 1.4 1.6 1.8 2.0"},
	} {
		a := ruler{log: c.log, low: c.low, high: c.high}
		if got := strings.Join(a.tickTexts(), " "); got != c.want {
			t.Errorf("%v to %v: ticks %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

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

// loglog is a figure as a grid of plans would draw it: one line for each of many
// methods, ends close to each other, in panels with logarithmic axes.
func loglog() figure {
	f := figure{title: []string{"Records against queries", "on logarithmic axes"}}
	x, y := newRuler("queries", true), newRuler("rows", true)
	var panels []panel
	for i := range 2 {
		p := panel{title: "Panel " + strconv.Itoa(i)}
		for style := range 7 {
			l := line{style: style, label: "method " + strconv.Itoa(style)}
			for m := 10.0; m <= 1e6; m *= 10 {
				n := 100 * math.Sqrt(m) * (1 + float64(style)/20)
				l.x, l.y = append(l.x, m), append(l.y, n)
				x.include(m)
				y.include(n)
			}
			if style == 0 {
				for _, n := range l.y {
					l.band = append(l.band, n/2)
					y.include(n/2, n*3/2)
				}
			}
			p.lines = append(p.lines, l)
		}
		p.lines = append(p.lines, line{label: "nothing"})
		panels = append(panels, p)
	}
	for i := range panels {
		panels[i].x, panels[i].y = x, y
	}
	f.panels = [][]panel{panels, panels}
	return f
}

// written is a text of an SVG figure with its box.
type written struct {
	text string
	box  vg.Rectangle
}

var fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)

// texts finds the texts of an SVG figure, but for the rotated axis labels, which have
// the left margin to themselves.
func texts(t *testing.T, svg []byte) (all []written, size vg.Point) {
	t.Helper()
	var doc struct {
		ViewBox string `xml:"viewBox,attr"`
	}
	if err := xml.Unmarshal(svg, &doc); err != nil {
		t.Fatal(err)
	}
	corner := strings.Fields(doc.ViewBox)
	number := func(s string) vg.Length {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return vg.Length(x)
	}
	size = vg.Point{X: number(corner[2]), Y: number(corner[3])}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	rotated := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all, size
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if end, isEnd := token.(xml.EndElement); isEnd && end.Name.Local == "g" && rotated > 0 {
			rotated--
		}
		if !ok {
			continue
		}
		attribute := map[string]string{}
		for _, a := range start.Attr {
			attribute[a.Name.Local] = a.Value
		}
		if start.Name.Local == "g" && (rotated > 0 || strings.Contains(attribute["transform"], "rotate")) {
			rotated++
		}
		if start.Name.Local != "text" {
			continue
		}
		var content string
		if err := decoder.DecodeElement(&content, &start); err != nil {
			t.Fatal(err)
		}
		points := fontSize.FindStringSubmatch(attribute["style"])
		if rotated > 0 {
			continue
		}
		style := lettering(number(points[1]), ink, draw.XLeft, draw.YBottom)
		at := vg.Point{X: number(attribute["x"]), Y: -number(attribute["y"])}
		all = append(all, written{content, vg.Rectangle{
			Min: vg.Point{X: at.X, Y: at.Y}, // capitals and digits stand on the line
			Max: vg.Point{X: at.X + style.Width(content), Y: at.Y + 0.72*number(points[1])},
		}})
	}
}

// checkTexts asserts that no two texts of a figure meet, that all are inside, and how
// many there are.
func checkTexts(t *testing.T, f figure, count int) {
	t.Helper()
	var b bytes.Buffer
	if err := SVG.Draw(&b, f); err != nil {
		t.Fatal(err)
	}
	all, size := texts(t, b.Bytes())
	if len(all) != count {
		t.Fatalf("%d texts, want %d", len(all), count)
	}
	checkOverlap(t, all, size)
}

func checkOverlap(t *testing.T, all []written, size vg.Point) {
	t.Helper()
	for i, a := range all {
		if a.box.Min.X < 0 || a.box.Min.Y < 0 || a.box.Max.X > size.X || a.box.Max.Y > size.Y {
			t.Errorf("%q at %v is not inside %v", a.text, a.box, size)
		}
		for _, b := range all[:i] {
			if a.box.Min.X < b.box.Max.X && b.box.Min.X < a.box.Max.X && a.box.Min.Y < b.box.Max.Y && b.box.Min.Y < a.box.Max.Y {
				t.Errorf("%q at %v and %q at %v overlap", a.text, a.box, b.text, b.box)
			}
		}
	}
}

func TestFigureTexts(t *testing.T) {
	checkTexts(t, loglog(), 2+4*(1+7+6+5)+2)
	narrow := loglog()
	narrow.title = append(narrow.title, strings.Repeat("a title that is wider than its panel ", 3))
	narrow.panels = [][]panel{narrow.panels[0][:1]}
	checkTexts(t, narrow, 3+1+7+6+5+1)
}

// The same figure has the same bytes in every format, whatever the time, and PNG is
// what it says.
func TestFigureBytes(t *testing.T) {
	for _, format := range []Format{SVG, PNG, PDF} {
		var a, b bytes.Buffer
		if err := errors.Join(format.Draw(&a, loglog()), format.Draw(&b, loglog())); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two drawings differ", format.Name)
		}
		prefix := map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF"}[format.Name]
		if !bytes.HasPrefix(a.Bytes(), []byte(prefix)) {
			t.Errorf("%s begins with %q", format.Name, a.Bytes()[:8])
		}
		for _, year := range regexp.MustCompile(`D:(\d{4})`).FindAllSubmatch(a.Bytes(), -1) {
			if string(year[1]) != "2000" {
				t.Errorf("%s tells the time: %s", format.Name, year[0])
			}
		}
		if format.Name == "png" {
			image, err := png.Decode(&a)
			if err != nil {
				t.Fatal(err)
			}
			dark, coloured := 0, 0
			for x := range image.Bounds().Dx() {
				for y := range image.Bounds().Dy() {
					r, g, b, _ := image.At(x, y).RGBA()
					if max(r, g, b) < 0x6000 {
						dark++
					}
					if max(r, g, b)-min(r, g, b) > 0x3000 {
						coloured++
					}
				}
			}
			if dark < 1000 || coloured < 1000 {
				t.Errorf("png: %d dark and %d coloured pixels", dark, coloured)
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
