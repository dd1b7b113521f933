package main

import "io"

// Format is a way of writing what a command found. One of its writers is set.
type Format struct {
	Name   string // of -f
	Suffix string // of the names of files that imply it; "" for none
	Help   string // what the help says after the name

	Encode func(result) encoder                               // rows for machines, one by one
	Print  func(io.Writer, sheet) error                       // a table for people
	Book   func(title string, sheets ...string) (Book, error) // a workbook
	Draw   func(io.Writer, figure) error                      // a figure

	Prose   *prose // how paragraphs are set, by a format for people
	Nested  bool   // cells may be lists, and rows have more than a table shows
	Dialect string // of a format that has several
}

// The formats for machines. [ExcelEU] is csv in a dialect, under the same name.
var (
	CSV       = Format{Name: "csv", Suffix: ".csv", Encode: func(r result) encoder { return delimited{separator: ',', columns: r.columns} }}
	ExcelEU   = Format{Name: "csv", Dialect: "excel-eu", Suffix: ".csv", Encode: func(r result) encoder { return delimited{separator: ';', comma: true, columns: r.columns} }}
	TSV       = Format{Name: "tsv", Suffix: ".tsv", Encode: func(r result) encoder { return delimited{separator: '\t', columns: r.columns} }}
	JSON      = Format{Name: "json", Suffix: ".json", Encode: func(r result) encoder { return newJSON(r) }, Nested: true}
	JSONLines = Format{Name: "jsonl", Suffix: ".jsonl", Encode: func(r result) encoder { return newJSONLines(r) }, Nested: true}
)

// Book is a workbook in the making.
type Book interface {
	Stream(t table, fill func(add func(row []cell, l look) error) error) error // a sheet for filtering
	Live(l live) error                                                         // a sheet that recalculates
	About(command string, remarks []remark) error                              // a sheet that says where the numbers come from
	Write(w io.Writer) error
	Close()
}

// namesOf lists the formats of a kind.
func namesOf(formats []Format, is func(Format) bool) (names []string) {
	for _, f := range formats {
		if is(f) {
			names = append(names, f.Name)
		}
	}
	return names
}
