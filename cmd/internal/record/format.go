package record

import (
	"io"

	"github.com/dpcalc/dpcalc/theory"
)

// Format is a way of writing what a command found. One of its writers is set.
type Format struct {
	Name   string // of -f
	Suffix string // of the names of files that imply it; "" for none
	Help   string // what the help says after the name

	Encode func(Result) Encoder                               // rows for machines, one by one
	Print  func(io.Writer, Sheet) error                       // a table for people
	Book   func(title string, sheets ...string) (Book, error) // a workbook
	Draw   func(io.Writer, Figure) error                      // a figure

	Prose   *Prose // how paragraphs are set, by a format for people
	Nested  bool   // cells may be lists, and rows have more than a table shows
	Dialect string // of a format that has several
}

// The formats for machines. [ExcelEU] is csv in a dialect, under the same name.
var (
	CSV = Format{Name: "csv", Suffix: ".csv",
		Encode: func(r Result) Encoder { return delimited{separator: ',', columns: r.Columns} }}
	ExcelEU = Format{Name: "csv", Dialect: "excel-eu", Suffix: ".csv",
		Encode: func(r Result) Encoder { return delimited{separator: ';', comma: true, excel: true, columns: r.Columns} }}
	TSV = Format{Name: "tsv", Suffix: ".tsv",
		Encode: func(r Result) Encoder { return delimited{separator: '\t', columns: r.Columns} }}
	JSON      = Format{Name: "json", Suffix: ".json", Encode: func(r Result) Encoder { return newJSON(r) }, Nested: true}
	JSONLines = Format{Name: "jsonl", Suffix: ".jsonl", Encode: func(r Result) Encoder { return newJSONLines(r) },
		Nested: true}
)

// AsRead is csv with the separator and the decimal sign of a user's table, whose cells stay as they are.
func AsRead(separator byte, comma bool) Format {
	f := CSV
	f.Encode = func(r Result) Encoder { return delimited{separator: separator, comma: comma, columns: r.Columns} }
	return f
}

// NamesOf lists the formats of a kind.
func NamesOf(formats []Format, is func(Format) bool) (names []string) {
	for _, f := range formats {
		if is(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Prose is how a paragraph is typeset.
type Prose struct {
	Number func(string) string          // a number
	Power  func(string) string          // e to that power
	Symbol func(string) string          // a quantity's letter or name
	Code   func(string) string          // a name of the program
	Cite   func([]theory.Source) string // references, with the theorem in each
	Link   func(string) string          // a public address
	Escape func(string) string          // any other text
}
