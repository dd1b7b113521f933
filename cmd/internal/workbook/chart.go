package workbook

import (
	"bytes"
	"errors"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/xuri/excelize/v2"
)

// chart puts a table's chart right of its rows. Its curve refers to the cells, so that it follows them.
func (b *book) chart(t record.Table) error {
	c := t.Chart
	if c == nil || t.Rows == 0 {
		return nil
	}
	place, err := excelize.CoordinatesToCellName(len(t.Columns)+2, 2)
	if err != nil {
		return err
	}
	name, e1 := excelize.CoordinatesToCellName(c.Y+1, 1, true)
	x, e2 := columnRange(c.X, t.Rows)
	y, e3 := columnRange(c.Y, t.Rows)
	if err := errors.Join(e1, e2, e3); err != nil {
		return err
	}
	color := excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"222222"}}
	series := excelize.ChartSeries{
		Name: t.Name + "!" + name, Categories: t.Name + "!" + x, Values: t.Name + "!" + y,
		Fill: color, Line: excelize.LineOptions{Type: excelize.LineSolid, Width: 1.5},
		Marker: excelize.ChartMarker{Symbol: "circle", Size: 5, Fill: color},
	}
	err = b.file.AddChart(t.Name, place, &excelize.Chart{
		Type: excelize.Scatter, Series: []excelize.ChartSeries{series}, ShowBlanksAs: "gap",
		Title:     chartTitle(c.Title),
		Legend:    excelize.ChartLegend{Position: "none"},
		Dimension: excelize.ChartDimension{Width: 640, Height: 400},
		XAxis:     chartAxis(c.XTitle, c.LogX),
		YAxis:     chartAxis(c.YTitle, c.LogY),
	})
	if err != nil || !c.LogX {
		return err
	}
	return b.logAcross()
}

// logAcross makes the horizontal axis of the book's chart logarithmic. The library does so for the vertical one alone.
// The horizontal axis is the first of the two.
func (b *book) logAcross() error {
	const part, scale, log = "xl/charts/chart1.xml", "<scaling>", `<scaling><logBase val="10"></logBase>`
	drawn, _ := b.file.Pkg.Load(part)
	text, _ := drawn.([]byte)
	if !bytes.Contains(text, []byte(scale)) {
		return errors.New("a chart without a scale")
	}
	b.file.Pkg.Store(part, bytes.Replace(text, []byte(scale), []byte(log), 1))
	return nil
}

// columnRange is the cells of a column below its header.
func columnRange(column, rows int) (string, error) {
	from, err := excelize.CoordinatesToCellName(column+1, 2, true)
	if err != nil {
		return "", err
	}
	to, err := excelize.CoordinatesToCellName(column+1, rows+1, true)
	return from + ":" + to, err
}

func chartAxis(title string, log bool) excelize.ChartAxis {
	axis := excelize.ChartAxis{Title: chartTitle(title), MajorGridLines: true,
		Font: excelize.Font{Color: "404040"}}
	if log {
		axis.LogBase = 10
	}
	return axis
}

func chartTitle(text string) excelize.ChartTitle {
	return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: text}}}
}
