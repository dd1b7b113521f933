package commandtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/figures"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// written is a text of an SVG figure with its box.
type written struct {
	Text string
	box  vg.Rectangle
}

var fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)

// Texts finds the texts of an SVG figure, but for the rotated axis labels, which have
// the left margin to themselves.
func Texts(t *testing.T, svg []byte) (all []written, size vg.Point) {
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
		if attribute["textLength"] == "" {
			t.Errorf("the width of a text is left to the reader's font: %v", attribute)
		}
		var content string
		if err := decoder.DecodeElement(&content, &start); err != nil {
			t.Fatal(err)
		}
		points := fontSize.FindStringSubmatch(attribute["style"])
		if rotated > 0 {
			continue
		}
		style := figures.Lettering(number(points[1]), figures.Ink, draw.XLeft, draw.YBottom)
		at := vg.Point{X: number(attribute["x"]), Y: -number(attribute["y"])}
		all = append(all, written{content, vg.Rectangle{
			Min: vg.Point{X: at.X, Y: at.Y}, // capitals and digits stand on the line
			Max: vg.Point{X: at.X + style.Width(content), Y: at.Y + 0.72*number(points[1])},
		}})
	}
}

// CheckOverlap asserts that no two texts meet and that all are inside, also where a reader's font is a fifth wider.
func CheckOverlap(t *testing.T, all []written, size vg.Point) {
	t.Helper()
	for i, a := range all {
		right := a.box.Min.X + 1.2*(a.box.Max.X-a.box.Min.X)
		if min(a.box.Min.X, a.box.Min.Y) < 0 || right > size.X || a.box.Max.Y > size.Y {
			t.Errorf("%q at %v is not inside %v", a.Text, a.box, size)
		}
		for _, b := range all[:i] {
			across := a.box.Min.X < b.box.Max.X && b.box.Min.X < a.box.Max.X
			if across && a.box.Min.Y < b.box.Max.Y && b.box.Min.Y < a.box.Max.Y {
				t.Errorf("%q at %v and %q at %v overlap", a.Text, a.box, b.Text, b.box)
			}
		}
	}
}
