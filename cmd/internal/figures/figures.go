// Package figures draws curves as SVG, PNG and PDF.
package figures

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/internal/each"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The formats of figures.
var (
	SVG = record.Format{Name: "svg", Suffix: ".svg", Draw: drawing(svg)}
	PNG = record.Format{Name: "png", Suffix: ".png", Draw: drawing(png)}
	PDF = record.Format{Name: "pdf", Suffix: ".pdf", Draw: drawing(pdf)}
)

// spread moves numbers as little as possible, in the sum of squares, so that they are
// in [low, high] and at least gap apart; their order stays. There must be room for them.
func spread(wanted []float64, gap, low, high float64) []float64 {
	order := make([]int, len(wanted))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(wanted[i], wanted[j]) })
	// With i gap taken off, they only have to ascend: pool neighbours that do not.
	type pool struct{ sum, size float64 }
	var pools []pool
	for rank, i := range order {
		pools = append(pools, pool{wanted[i] - float64(rank)*gap, 1})
		for n := len(pools); n > 1 && pools[n-2].sum*pools[n-1].size >= pools[n-1].sum*pools[n-2].size; n-- {
			pools[n-2].sum += pools[n-1].sum
			pools[n-2].size += pools[n-1].size
			pools = pools[:n-1]
		}
	}
	moved := make([]float64, len(wanted))
	rank := 0
	for _, p := range pools {
		at := max(low, min(p.sum/p.size, high-float64(len(wanted)-1)*gap))
		for range int(p.size) {
			moved[order[rank]] = at + float64(rank)*gap
			rank++
		}
	}
	return moved
}

// stroke is how a line is drawn.
type stroke struct {
	color  color.RGBA
	dashes []vg.Length
	marker []vg.Point // corners, on the unit circle; nil for none
	width  vg.Length
}

// strokes are dark enough to be read as text on white.
var strokes = []stroke{
	{color: color.RGBA{0x22, 0x22, 0x22, 0xff}, dashes: nil, marker: polygon(16, 0)},
	{color: color.RGBA{0xb8, 0x3a, 0x0a, 0xff}, dashes: []vg.Length{6, 2.5}, marker: polygon(4, math.Pi/4)},
	{color: color.RGBA{0x1f, 0x5f, 0xa8, 0xff}, dashes: []vg.Length{1.5, 2}, marker: polygon(3, math.Pi/2)},
	{color: color.RGBA{0x1b, 0x7a, 0x4b, 0xff}, dashes: []vg.Length{8, 2, 1.5, 2}, marker: polygon(4, 0)},
	{color: color.RGBA{0x8a, 0x2f, 0x8f, 0xff}, dashes: []vg.Length{3, 3}, marker: polygon(3, -math.Pi/2)},
	{color: color.RGBA{0x7a, 0x5c, 0x00, 0xff}, dashes: []vg.Length{10, 3}, marker: polygon(5, math.Pi/2)},
}

func polygon(corners int, turn float64) []vg.Point {
	points := make([]vg.Point, corners)
	for i := range points {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(corners))
		points[i] = vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}
	}
	return points
}

// pale is the colour of the band.
func (l stroke) pale() color.RGBA {
	tint := func(c uint8) uint8 { return 0xff - uint8((0xff-int(c))*22/100) }
	return color.RGBA{tint(l.color.R), tint(l.color.G), tint(l.color.B), 0xff}
}

var (
	Ink  = color.RGBA{0x22, 0x22, 0x22, 0xff}
	grey = color.RGBA{0x66, 0x66, 0x66, 0xff}
	rule = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// Lengths in points.
const (
	margin      vg.Length = 8
	panelWidth  vg.Length = 190 // from the first to the last tick, at least
	panelHeight vg.Length = 132
	tallHeight  vg.Length = 270
	headline    vg.Length = 16 // of a panel, with its title
	foot        vg.Length = 16 // of a panel, with its tick labels
	betweenRows vg.Length = 14
	betweenCols vg.Length = 14
	caption     vg.Length = 14 // an axis label, or a line of the title
	leader      vg.Length = 12 // from the end of a line to its name
	labelGap    vg.Length = 10.5
	raise       vg.Length = 0.8 // from the middle of a line of text to the middle of its capitals
	markerSize  vg.Length = 2.1
	markerGap   vg.Length = 16 // the least distance of two markers on a line
	tickGap     vg.Length = 4  // the least distance of two labels below the axis
)

// sans is set in Liberation Sans, which has the measures of Arial. The font is read when a
// figure is drawn and not before. It is the only face that figures use: the collection of
// gonum would link eleven others.
var sans = sync.OnceValue(func() plottext.Handler {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // the font is part of the program
	}
	return plottext.Plain{Fonts: font.NewCache(font.Collection{{Font: typeface, Face: face}})}
})

// typeface is the name of the face, without a size.
var typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}

// Lettering is the style of a text.
func Lettering(size vg.Length, c color.Color, x draw.XAlignment, y draw.YAlignment) plottext.Style {
	return plottext.Style{Color: c, Font: font.From(typeface, size), XAlign: x, YAlign: y, Handler: sans()}
}

// medium is a page of a format, and what remains to be done to its bytes.
type medium struct {
	room   float64 // for texts, in their widths: a reader may lack the font
	canvas func(at layout) vg.CanvasWriterTo
	finish func([]byte) []byte
}

// The reader's program sets the texts of SVG, by its own fonts. DejaVu Sans is up to a fifth wider than ours.
var svg = medium{
	room:   1.2,
	canvas: func(at layout) vg.CanvasWriterTo { return vgsvg.New(at.width, at.height) },
	finish: func(page []byte) []byte {
		page = bytes.ReplaceAll(page, []byte("font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal"),
			[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
		return svgText().ReplaceAllFunc(page, fitted)
	},
}

var svgText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<text ([^>]*font-size:([0-9.]+)px[^>]*)>([^<]*)</text>`)
})

// fitted gives a text of SVG the width that it was measured to have, whatever the font.
func fitted(text []byte) []byte {
	part := svgText().FindSubmatch(text)
	size, err := strconv.ParseFloat(string(part[2]), 64)
	if err != nil {
		return text
	}
	width := Lettering(vg.Length(size), Ink, draw.XLeft, draw.YBottom).Width(html.UnescapeString(string(part[3])))
	return fmt.Appendf(nil, `<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" %s>%s</text>`, float64(width),
		part[1], part[3])
}

var png = medium{
	room: 1,
	canvas: func(at layout) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(at.width, at.height), vgimg.UseDPI(144))}
	},
	finish: func(page []byte) []byte { return page },
}

// The library of PDF writes the time of drawing; the length must stay.
var pdf = medium{
	room:   1,
	canvas: func(at layout) vg.CanvasWriterTo { return vgpdf.New(at.width, at.height) },
	finish: func(page []byte) []byte { return pdfTime.ReplaceAll(page, []byte("(D:20000101000000)")) },
}

// drawing draws a figure on a medium.
func drawing(on medium) func(io.Writer, record.Figure) error {
	return func(w io.Writer, f record.Figure) error {
		var page []byte
		err := outfile.Temporaries.Within(func() (err error) { // the library of PDF makes files for the font
			page, err = pageOf(f, on)
			return err
		})
		if err != nil {
			return err
		}
		_, err = w.Write(page)
		return err
	}
}

func pageOf(f record.Figure, on medium) ([]byte, error) {
	if f.Key != "" {
		f.Title = append(slices.Clone(f.Title), f.Key)
	}
	at := layoutOf(f, on.room)
	canvas := on.canvas(at)
	drawFigure(f, draw.NewCanvas(canvas, at.width, at.height), at)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	return on.finish(b.Bytes()), nil
}

var pdfTime = regexp.MustCompile(`\(D:\d{14}\)`)

// layout is the size of a figure and where its columns of panels lie.
type layout struct {
	width, height vg.Length
	columns       []vg.Length // the left end of each panel's data
	panel         vg.Length   // the width of the data
}

// layoutOf measures the texts, leaves them room, and widens the panels to the title's width.
func layoutOf(f record.Figure, room float64) layout {
	width := func(s plottext.Style, text string) vg.Length { return s.Width(text) * vg.Length(room) }
	ticks, names := Lettering(8, grey, draw.XRight, draw.YCenter), Lettering(8.5, Ink, draw.XLeft, draw.YCenter)
	before, after := make([]vg.Length, len(f.Panels[0])), make([]vg.Length, len(f.Panels[0]))
	beside := vg.Length(len(before)-1) * betweenCols // of all data but the space left of the first
	for col := range before {
		for _, row := range f.Panels {
			for _, t := range row[col].Y.TickTexts() {
				before[col] = max(before[col], width(ticks, t)+4)
			}
			for _, l := range row[col].Lines {
				after[col] = max(after[col], leader+width(names, l.Label))
			}
		}
		beside += before[col] + after[col]
	}
	beside -= before[0]
	at := layout{width: margin + caption, panel: panelWidth}
	for col := range before {
		for _, row := range f.Panels {
			at.panel = max(at.panel, width(Lettering(9, Ink, draw.XLeft, draw.YBottom), row[col].Title)-after[col])
		}
	}
	for i, t := range f.Title {
		at.panel = max(at.panel, (width(titleStyle(i), t)-beside)/vg.Length(len(before)))
	}
	for col := range before {
		if col > 0 {
			at.width += betweenCols
		}
		at.columns = append(at.columns, at.width+before[col])
		at.width = at.columns[col] + at.panel + after[col]
	}
	at.width += margin
	rows := vg.Length(len(f.Panels))
	at.height = 2*margin + vg.Length(len(f.Title))*caption + rows*(headline+heightOf(f)+foot) + (rows-0.5)*betweenRows +
		caption
	return at
}

func heightOf(f record.Figure) vg.Length {
	if f.Tall {
		return tallHeight
	}
	return panelHeight
}

// titleStyle is the style of a line of the title.
func titleStyle(line int) plottext.Style {
	if line == 0 {
		return Lettering(11, Ink, draw.XLeft, draw.YTop)
	}
	return Lettering(9, grey, draw.XLeft, draw.YTop)
}

func drawFigure(f record.Figure, c draw.Canvas, at layout) {
	top := at.height
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top -= margin
	for i, t := range f.Title {
		c.FillText(titleStyle(i), vg.Point{X: at.columns[0], Y: top}, t)
		top -= caption
	}
	top -= betweenRows / 2
	for i, row := range f.Panels {
		top -= headline
		data := vg.Rectangle{Min: vg.Point{Y: top - heightOf(f)}, Max: vg.Point{Y: top}}
		for col, p := range row {
			data.Min.X, data.Max.X = at.columns[col], at.columns[col]+at.panel
			drawPanel(p, c, data)
			if i == len(f.Panels)-1 {
				style := Lettering(8.5, Ink, draw.XCenter, draw.YTop)
				c.FillText(style, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: data.Min.Y - foot}, p.X.Label)
			}
		}
		style := Lettering(8.5, Ink, draw.XCenter, draw.YTop)
		style.Rotation = math.Pi / 2
		c.FillText(style, vg.Point{X: margin, Y: top - heightOf(f)/2}, row[0].Y.Label)
		top -= heightOf(f) + foot + betweenRows
	}
}

// drawPanel draws a panel around its data.
func drawPanel(p record.Panel, c draw.Canvas, data vg.Rectangle) {
	c.FillText(Lettering(9, Ink, draw.XLeft, draw.YBottom), vg.Point{X: data.Min.X, Y: data.Max.Y + 5}, p.Title)
	x, y := places(p.X, data.Min.X, data.Max.X), places(p.Y, data.Min.Y, data.Max.Y)
	thin := draw.LineStyle{Color: rule, Width: 0.5}
	for _, t := range p.Y.Ticks() {
		c.StrokeLine2(thin, data.Min.X, y(t), data.Max.X, y(t))
	}
	left := Lettering(8, grey, draw.XRight, draw.YCenter)
	for _, t := range tickLabels(p.Y, y, func(string) vg.Length { return left.Font.Size }) {
		c.FillText(left, vg.Point{X: data.Min.X - 4, Y: t.at + raise}, t.text)
	}
	for _, t := range p.X.Ticks() {
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.5}, x(t), data.Min.Y, x(t), data.Min.Y-3)
	}
	below := Lettering(8, grey, draw.XCenter, draw.YTop)
	for _, t := range tickLabels(p.X, x, func(text string) vg.Length { return below.Width(text) + tickGap }) {
		c.FillText(below, vg.Point{X: t.at, Y: data.Min.Y - 4}, t.text)
	}
	for _, m := range p.Marks {
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.5, Dashes: []vg.Length{2, 2}}, x(m), data.Min.Y, x(m), data.Max.Y)
	}
	lines := slices.DeleteFunc(slices.Clone(p.Lines), func(l record.Line) bool { return len(l.X) == 0 })
	wide := slices.Clone(lines)
	slices.SortStableFunc(wide, func(a, b record.Line) int { return cmp.Compare(breadth(b), breadth(a)) })
	for _, l := range wide { // the narrower over the wider
		drawBand(l, c, x, y)
	}
	for _, l := range lines {
		drawLine(l, c, x, y)
	}
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.5}, data.Min.X, data.Min.Y, data.Max.X, data.Min.Y)
	nameLines(c, lines, data, x, y)
}

// tickLabel is a label in its place.
type tickLabel struct {
	text string
	at   vg.Length
}

// tickLabels leaves out the labels that would meet. The first and the last stay.
func tickLabels(a record.Ruler, place func(float64) vg.Length, size func(string) vg.Length) (labels []tickLabel) {
	ticks, texts := a.Ticks(), a.TickTexts()
	end := len(ticks) - 1
	last := tickLabel{texts[end], place(ticks[end])}
	meet := func(a, b tickLabel) bool { return b.at-a.at < (size(a.text)+size(b.text))/2 }
	for i, t := range ticks[:end] {
		label := tickLabel{texts[i], place(t)}
		if i > 0 && (meet(labels[len(labels)-1], label) || meet(label, last)) {
			continue
		}
		labels = append(labels, label)
	}
	return append(labels, last)
}

// breadth is the area of a band.
func breadth(l record.Line) (sum float64) {
	for _, half := range l.Band {
		sum += half
	}
	return sum
}

// places is the scale of an axis in lengths.
func places(a record.Ruler, from, to vg.Length) func(float64) vg.Length {
	scale := a.Scale(float64(from), float64(to))
	return func(x float64) vg.Length { return vg.Length(scale(x)) }
}

// strokeOf returns the stroke of a line's style. Beyond the last style, dashes and markers meet other colours.
func strokeOf(l record.Line) stroke {
	i, turn := l.Style, l.Style/len(strokes)
	s := strokes[i%len(strokes)]
	s.dashes = strokes[(i+turn)%len(strokes)].dashes
	s.marker = strokes[(i+2*turn)%len(strokes)].marker
	s.width = 1.1
	if l.Faint {
		s.color, s.marker, s.width = grey, nil, 0.6
	}
	return s
}

func drawBand(l record.Line, c draw.Canvas, x, y func(float64) vg.Length) {
	if len(l.Band) == 0 {
		return
	}
	var around []vg.Point
	for i, half := range l.Band {
		around = append(around, vg.Point{X: x(l.X[i]), Y: y(l.Y[i] + half)})
	}
	for i, half := range slices.Backward(l.Band) {
		around = append(around, vg.Point{X: x(l.X[i]), Y: y(l.Y[i] - half)})
	}
	c.FillPolygon(strokeOf(l).pale(), around)
}

func drawLine(l record.Line, c draw.Canvas, x, y func(float64) vg.Length) {
	stroke := strokeOf(l)
	points := make([]vg.Point, len(l.X))
	for i := range l.X {
		points[i] = vg.Point{X: x(l.X[i]), Y: y(l.Y[i])}
	}
	c.StrokeLines(draw.LineStyle{Color: stroke.color, Width: stroke.width, Dashes: stroke.dashes}, points)
	if stroke.marker == nil {
		return
	}
	last := points[len(points)-1]
	previous := vg.Point{X: -markerGap, Y: -markerGap}
	for i, at := range points {
		apart := math.Hypot(float64(at.X-previous.X), float64(at.Y-previous.Y)) >= float64(markerGap)
		beforeLast := math.Hypot(float64(at.X-last.X), float64(at.Y-last.Y)) >= float64(markerGap)
		if i < len(points)-1 && !(apart && beforeLast) {
			continue
		}
		previous = at
		corners := each.Of(stroke.marker, func(corner vg.Point) vg.Point { return at.Add(corner.Scale(markerSize)) })
		if l.Hollow {
			c.FillPolygon(color.White, corners)
			c.StrokeLines(draw.LineStyle{Color: stroke.color, Width: 0.9}, append(corners, corners[0]))
		} else {
			c.FillPolygon(stroke.color, corners)
		}
	}
}

// nameLines writes the lines' names beside their ends, apart from each other, with a leader
// to those that had to move.
func nameLines(c draw.Canvas, lines []record.Line, data vg.Rectangle, x, y func(float64) vg.Length) {
	wanted := each.Of(lines, func(l record.Line) float64 { return float64(y(l.Y[len(l.Y)-1])) })
	heights := spread(wanted, float64(labelGap), float64(data.Min.Y), float64(data.Max.Y))
	for i, l := range lines {
		end := vg.Point{X: x(l.X[len(l.X)-1]) + 3.5, Y: vg.Length(wanted[i])}
		at := vg.Point{X: data.Max.X + leader, Y: vg.Length(heights[i])}
		if math.Abs(heights[i]-wanted[i]) > 0.5 {
			c.StrokeLine2(draw.LineStyle{Color: strokeOf(l).color, Width: 0.4}, end.X, end.Y, at.X-1.5, at.Y)
		}
		at.Y += raise
		c.FillText(Lettering(8.5, strokeOf(l).color, draw.XLeft, draw.YCenter), at, l.Label)
	}
}
