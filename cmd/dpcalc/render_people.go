package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// sheet is a result for people: what was asked, a table without its empty
// columns, and what to make of it.
type sheet struct {
	title   []string
	columns []string
	rows    [][]cell
	notes   []string
}

// harmless writes out what a terminal would obey in a text of the user's: control
// characters but for the end of a line, marks that turn the direction of writing, and
// bytes that are no UTF-8.
func harmless(text string) string {
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

// compact drops the columns that hold nothing.
func (s sheet) compact() sheet {
	var keep []int
	for j := range s.columns {
		for _, row := range s.rows {
			if row[j].form != missing {
				keep = append(keep, j)
				break
			}
		}
	}
	out := sheet{title: s.title, notes: s.notes}
	for _, j := range keep {
		out.columns = append(out.columns, s.columns[j])
	}
	for _, row := range s.rows {
		short := make([]cell, len(keep))
		for i, j := range keep {
			short[i] = row[j]
		}
		out.rows = append(out.rows, short)
	}
	return out
}

// numeric says whether a column is to be aligned on the right.
func (s sheet) numeric(j int) bool {
	for _, row := range s.rows {
		if !row[j].isNumeric() && row[j].form != missing {
			return false
		}
	}
	return true
}

// The formats for people.
var (
	PrintedTable    = Format{Name: "table", Help: " (default)", Print: printer(printTable), Prose: &plainProse}
	PrintedMarkdown = Format{Name: "markdown", Suffix: ".md", Print: printer(printMarkdown), Prose: &markdownProse}
	PrintedLaTeX    = Format{Name: "latex", Suffix: ".tex", Print: printer(printLaTeX), Prose: &latexProse}
)

// printer prints a sheet without its empty columns.
func printer(print func(sheet, io.Writer) error) func(io.Writer, sheet) error {
	return func(w io.Writer, s sheet) error { return print(s.compact(), w) }
}

func printTable(s sheet, w io.Writer) error {
	return framed(s, w, "", tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleASCII),
		Settings: tw.Settings{
			Separators: tw.Separators{ShowHeader: tw.On, ShowFooter: tw.Off, BetweenRows: tw.Off, BetweenColumns: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off},
		},
	})), func(text string) string { return text })
}

func printMarkdown(s sheet, w io.Writer) error {
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "\n", " ")
	return framed(s, w, "\n", tablewriter.WithRenderer(renderer.NewMarkdown()), escape.Replace)
}

// framed writes title, table and notes. gap separates the lines of text, which
// Markdown would run together.
func framed(s sheet, w io.Writer, gap string, look tablewriter.Option, escape func(string) string) error {
	var b bytes.Buffer
	paragraph := func(lines []string) {
		for i, line := range lines {
			if i > 0 {
				b.WriteString(gap)
			}
			b.WriteString(escape(harmless(line)) + "\n")
		}
	}
	paragraph(s.title)
	if len(s.title) > 0 && len(s.rows)+len(s.notes) > 0 {
		b.WriteByte('\n')
	}
	if len(s.rows) > 0 {
		if err := drawn(s, &b, look, escape); err != nil {
			return err
		}
	}
	if len(s.notes) > 0 {
		b.WriteByte('\n')
	}
	paragraph(s.notes)
	_, err := w.Write(b.Bytes())
	return err
}

func drawn(s sheet, b *bytes.Buffer, look tablewriter.Option, escape func(string) string) error {
	align := make(tw.Alignment, len(s.columns))
	head := make([]string, len(s.columns))
	for j, name := range s.columns {
		head[j] = escape(harmless(name))
		align[j] = tw.AlignLeft
		if s.numeric(j) {
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
	for _, row := range s.rows {
		line := make([]string, len(s.columns)) // the table keeps it
		for j, c := range row {
			line[j] = escape(harmless(people(c)))
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
func printLaTeX(s sheet, w io.Writer) error {
	var b bytes.Buffer
	for _, line := range s.title {
		b.WriteString("% " + harmless(line) + "\n")
	}
	if len(s.columns) > 0 {
		tabular(s, &b)
	}
	for _, line := range s.notes {
		b.WriteString("% " + harmless(line) + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// tabular writes the table itself.
func tabular(s sheet, b *bytes.Buffer) {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
		"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "\n", " ")
	b.WriteString(`\begin{tabular}{`)
	for j := range s.columns {
		if s.numeric(j) {
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
			cell := escape.Replace(harmless(text(j)))
			if j == 0 && strings.IndexAny(cell, "*[") == 0 {
				cell = "{" + cell + "}" // the \\\\ of the line before would take it as its argument
			}
			b.WriteString(cell)
		}
		b.WriteString(" \\\\\n")
	}
	line(len(s.columns), func(j int) string { return s.columns[j] })
	b.WriteString("\\midrule\n")
	for _, row := range s.rows {
		line(len(row), func(j int) string { return people(row[j]) })
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// mostCells is how many cells a table for people may have: it is laid out in memory, some
// 300 bytes a cell.
const mostCells = 3_000_000

// fitsTable refuses more rows than the memory for a table holds.
func fitsTable(rows, columns int64) error {
	if rows > mostCells/columns {
		return usagef("--format: got %d rows of %d columns, want at most %d cells in a table for people; "+
			"csv, tsv, json and jsonl take any number", rows, columns, mostCells)
	}
	return nil
}

// forPeople writes the rows as a workbook, or what of them is in the sheet.
func forPeople(r result, w io.Writer, t Target, rows [][]cell, s sheet) error {
	switch {
	case t.Format.Book != nil:
		return workbookOf(r, w, t, rows, s)
	case t.Format.Print != nil:
		return t.Format.Print(w, s)
	}
	return fmt.Errorf("the format %s writes no tables", t.Format.Name)
}

// emit writes few rows in any format. People see the columns named in shown,
// under their titles.
func emit(c *Call, t Target, r result, rows [][]cell, s func() sheet) error {
	return c.WriteTo(t, func(w io.Writer) error {
		if t.Format.Encode == nil {
			return forPeople(r, w, t, rows, s())
		}
		e := t.Format.Encode(r)
		var known chances
		b := e.head(nil)
		for i, row := range rows {
			b = e.row(b, i == 0, row, &known)
		}
		_, err := w.Write(e.foot(b))
		return err
	})
}
