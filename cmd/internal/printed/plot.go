package printed

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
)

// The plot of a terminal has a letter for each line, and a list of them below.
const (
	plotWidth  = 62
	plotHeight = 22
)

// plotPanel draws a panel with characters.
func plotPanel(p record.Panel, b *strings.Builder) {
	if p.Title != "" {
		fmt.Fprintf(b, "%s\n", p.Title)
	}
	x, y := p.X.Scale(0, plotWidth-1), p.Y.Scale(0, plotHeight-1)
	var screen [plotHeight][plotWidth]byte
	for i := range screen {
		for j := range screen[i] {
			screen[i][j] = ' '
		}
	}
	for _, m := range p.Marks {
		for i := range screen {
			screen[i][int(math.Round(x(m)))] = ':'
		}
	}
	for k, l := range p.Lines {
		for i := range l.X {
			from := i
			if i > 0 {
				from = i - 1
			}
			x0, y0, x1, y1 := x(l.X[from]), y(l.Y[from]), x(l.X[i]), y(l.Y[i])
			for column := int(math.Ceil(x0 - 0.5)); column <= int(math.Floor(x1+0.5)); column++ {
				share := 1.0
				if x1 > x0 {
					share = min(1, max(0, (float64(column)-x0)/(x1-x0)))
				}
				spot := &screen[plotHeight-1-int(math.Round(y0+share*(y1-y0)))][column]
				if *spot == ' ' || *spot == ':' {
					*spot = letterOf(k)
				}
			}
		}
	}
	labels := make(map[int]string)
	width := 0
	texts := p.Y.TickTexts()
	for i, t := range p.Y.Ticks() {
		text := texts[i]
		labels[plotHeight-1-int(math.Round(y(t)))] = text
		width = max(width, len(text))
	}
	fmt.Fprintf(b, "%*s\n", width, p.Y.Label)
	for i := range screen {
		edge := "|"
		if labels[i] != "" {
			edge = "+"
		}
		fmt.Fprintf(b, "%s\n", strings.TrimRight(fmt.Sprintf("%*s %s%s", width, labels[i], edge, screen[i][:]), " "))
	}
	ruler, names := []byte(strings.Repeat("-", plotWidth)), []byte(strings.Repeat(" ", plotWidth+8))
	end := -1
	texts = p.X.TickTexts()
	for i, t := range p.X.Ticks() {
		at := int(math.Round(x(t)))
		ruler[at] = '+'
		text := texts[i]
		if start := max(0, at-len(text)/2); start > end {
			copy(names[start:], text)
			end = start + len(text)
		}
	}
	fmt.Fprintf(b, "%*s +%s\n", width, "", ruler)
	fmt.Fprintf(b, "%*s  %s  %s\n", width, "", strings.TrimRight(string(names), " "), p.X.Label)
	for k, l := range p.Lines {
		label := l.Label
		if l.Note != "" {
			label += ", " + l.Note
		}
		fmt.Fprintf(b, "%*s  %c %s\n", width, "", letterOf(k), label)
	}
}

func letterOf(k int) byte { return "abcdefghijklmnopqrstuvwxyz"[k%26] }

// Plot draws every panel below the one before.
func Plot(f record.Figure) string {
	var b strings.Builder
	for _, line := range f.Title {
		fmt.Fprintf(&b, "%s\n", line)
	}
	for _, row := range f.Panels {
		for _, p := range row {
			b.WriteByte('\n')
			plotPanel(p, &b)
		}
	}
	return b.String()
}
