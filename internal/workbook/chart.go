package workbook

import (
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/xuri/excelize/v2"
)

// chart puts a table's chart right of its rows. Its curves refer to the cells, so that it follows them.
func (b *book) chart(t record.Table) error {
	c := t.Chart
	if c == nil || t.Rows == 0 {
		return nil
	}
	place, err := excelize.CoordinatesToCellName(len(t.Columns)+2, 2)
	if err != nil {
		return err
	}
	var series []excelize.ChartSeries
	for _, j := range c.Y {
		name, e1 := excelize.CoordinatesToCellName(j+1, 1, true)
		x, e2 := columnRange(c.X, t.Rows)
		y, e3 := columnRange(j, t.Rows)
		for _, err := range []error{e1, e2, e3} {
			if err != nil {
				return err
			}
		}
		series = append(series, excelize.ChartSeries{
			Name: t.Name + "!" + name, Categories: t.Name + "!" + x, Values: t.Name + "!" + y,
			Line: excelize.LineOptions{Width: 1.5}, Marker: excelize.ChartMarker{Symbol: "circle", Size: 4},
		})
	}
	return b.file.AddChart(t.Name, place, &excelize.Chart{
		Type: excelize.Scatter, Series: series, ShowBlanksAs: "gap",
		Title:     chartTitle(c.Title),
		Legend:    excelize.ChartLegend{Position: "right"},
		Dimension: excelize.ChartDimension{Width: 640, Height: 400},
		XAxis:     chartAxis(c.XTitle, c.LogX),
		YAxis:     chartAxis(c.YTitle, c.LogY),
	})
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
	axis := excelize.ChartAxis{Title: chartTitle(title), MajorGridLines: true}
	if log {
		axis.LogBase = 10
	}
	return axis
}

func chartTitle(text string) excelize.ChartTitle {
	return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: text}}}
}
