package commandtest

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/figures"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
)

// loglog is a figure as a grid of plans would draw it: one line for each of many
// methods, ends close to each other, in panels with logarithmic axes.
func loglog() record.Figure {
	f := record.Figure{Title: []string{"Records against queries", "on logarithmic axes"}}
	x, y := record.NewRuler("queries", true), record.NewRuler("rows", true)
	var panels []record.Panel
	for i := range 2 {
		p := record.Panel{Title: "Panel " + strconv.Itoa(i)}
		for style := range 7 {
			l := record.Line{Style: style, Label: "method " + strconv.Itoa(style)}
			for m := 10.0; m <= 1e6; m *= 10 {
				n := 100 * math.Sqrt(m) * (1 + float64(style)/20)
				l.X, l.Y = append(l.X, m), append(l.Y, n)
				x.Include(m)
				y.Include(n)
			}
			if style == 0 {
				for _, n := range l.Y {
					l.Band = append(l.Band, n/2)
					y.Include(n/2, n*3/2)
				}
			}
			p.Lines = append(p.Lines, l)
		}
		p.Lines = append(p.Lines, record.Line{Label: "nothing"})
		panels = append(panels, p)
	}
	for i := range panels {
		panels[i].X, panels[i].Y = x, y
	}
	f.Panels = [][]record.Panel{panels, panels}
	return f
}

// checkTexts asserts that no two texts of a figure meet, that all are inside, and how
// many there are.
func checkTexts(t *testing.T, f record.Figure, count int) {
	t.Helper()
	var b bytes.Buffer
	if err := figures.SVG.Draw(&b, f); err != nil {
		t.Fatal(err)
	}
	all, size := Texts(t, b.Bytes())
	if len(all) != count {
		t.Fatalf("%d texts, want %d", len(all), count)
	}
	CheckOverlap(t, all, size)
}

func TestFigureTexts(t *testing.T) {
	checkTexts(t, loglog(), 2+4*(1+7+6+5)+2)
	narrow := loglog()
	narrow.Title = append(narrow.Title, strings.Repeat("a title that is wider than its panel ", 3))
	narrow.Panels = [][]record.Panel{narrow.Panels[0][:1]}
	checkTexts(t, narrow, 3+1+7+6+5+1)
}

// The same figure has the same bytes in every format, whatever the time, and PNG is
// what it says.
func TestFigureBytes(t *testing.T) {
	for _, format := range []record.Format{figures.SVG, figures.PNG, figures.PDF} {
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
