// Package printed has the formats for people: tables, Markdown and LaTeX, and plots of characters.
package printed

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Harmless writes out what a terminal would obey in a text of the user's: control
// characters but for the end of a line, marks that turn the direction of writing, and
// bytes that are no UTF-8.
func Harmless(text string) string {
	obeyed := func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	}
	if utf8.ValidString(text) && !strings.ContainsFunc(text, obeyed) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case obeyed(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// The formats for people.
var (
	Table    = record.Format{Name: "table", Help: " (default)", Print: printer(printTable), Prose: &plainProse}
	Markdown = record.Format{Name: "markdown", Suffix: ".md", Print: printer(printMarkdown), Prose: &markdownProse}
	LaTeX    = record.Format{Name: "latex", Suffix: ".tex", Print: printer(printLaTeX), Prose: &latexProse}
)

// printer prints a sheet without its empty columns.
func printer(print func(record.Sheet, io.Writer) error) func(io.Writer, record.Sheet) error {
	return func(w io.Writer, s record.Sheet) error { return print(s.Compact(), w) }
}

func printTable(s record.Sheet, w io.Writer) error {
	return framed(s, w, "", tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleASCII),
		Settings: tw.Settings{
			Separators: tw.Separators{ShowHeader: tw.On, ShowFooter: tw.Off, BetweenRows: tw.Off, BetweenColumns: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off},
		},
	})), func(text string) string { return text })
}

func printMarkdown(s record.Sheet, w io.Writer) error {
	s.Colours = false
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "\n", " ")
	return framed(s, w, "\n", tablewriter.WithRenderer(renderer.NewMarkdown()), escape.Replace)
}

// framed writes title, table and notes. gap separates the lines of text, which
// Markdown would run together.
func framed(s record.Sheet, w io.Writer, gap string, look tablewriter.Option, escape func(string) string) error {
	var b bytes.Buffer
	paragraph := func(lines []string) {
		for i, line := range lines {
			if i > 0 {
				b.WriteString(gap)
			}
			b.WriteString(escape(Harmless(line)) + "\n")
		}
	}
	paragraph(s.Title)
	if len(s.Title) > 0 && len(s.Rows)+len(s.Notes) > 0 {
		b.WriteByte('\n')
	}
	if len(s.Rows) > 0 {
		if err := drawn(s, &b, look, escape); err != nil {
			return err
		}
	}
	if len(s.Rows) > 0 && len(s.Notes) > 0 {
		b.WriteByte('\n')
	}
	paragraph(s.Notes)
	_, err := w.Write(b.Bytes())
	return err
}

const green, red, plain = "\x1b[32m", "\x1b[31m", "\x1b[0m"

// colours are the colours of the star and of verdicts.
var colours = map[string]string{
	"*": green, "pass": green, "holds": green, "improved": green, "raise": green, "rejected": green, "verified": green,
	"fail": red, "moved": red, "violated": red,
}

func drawn(s record.Sheet, b *bytes.Buffer, look tablewriter.Option, escape func(string) string) error {
	align := make(tw.Alignment, len(s.Columns))
	head := make([]string, len(s.Columns))
	for j, name := range s.Columns {
		head[j] = escape(Harmless(name))
		align[j] = tw.AlignLeft
		if s.IsNumeric(j) {
			align[j] = tw.AlignRight
		}
	}
	var text bytes.Buffer
	t := tablewriter.NewTable(&text, look,
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	t.Header(head)
	for _, row := range s.Rows {
		line := make([]string, len(s.Columns)) // the table keeps it
		for j, c := range row {
			line[j] = escape(Harmless(record.People(c)))
			if colour := colours[line[j]]; s.Colours && colour != "" {
				line[j] = colour + line[j] + plain
			}
		}
		if err := t.Append(line); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return nil
}

// printLaTeX writes a booktabs tabular; title and notes become comments.
func printLaTeX(s record.Sheet, w io.Writer) error {
	var b bytes.Buffer
	for _, line := range s.Title {
		b.WriteString("% " + Harmless(line) + "\n")
	}
	if len(s.Columns) > 0 {
		tabular(s, &b)
	}
	for _, line := range s.Notes {
		b.WriteString("% " + Harmless(line) + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// tabular writes the table itself.
func tabular(s record.Sheet, b *bytes.Buffer) {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
		"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "\n", " ")
	b.WriteString(`\begin{tabular}{`)
	for j := range s.Columns {
		if s.IsNumeric(j) {
			b.WriteByte('r')
		} else {
			b.WriteByte('l')
		}
	}
	b.WriteString("}\n\\toprule\n")
	line := func(length int, text func(int) string) {
		for j := range length {
			if j > 0 {
				b.WriteString(" & ")
			}
			cell := escape.Replace(Harmless(text(j)))
			if j == 0 && strings.IndexAny(cell, "*[") == 0 {
				cell = "{" + cell + "}" // the \\\\ of the line before would take it as its argument
			}
			b.WriteString(cell)
		}
		b.WriteString(" \\\\\n")
	}
	line(len(s.Columns), func(j int) string { return s.Columns[j] })
	b.WriteString("\\midrule\n")
	for _, row := range s.Rows {
		line(len(row), func(j int) string { return record.People(row[j]) })
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}
