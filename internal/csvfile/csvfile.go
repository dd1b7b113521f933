// Package csvfile reads the tables of users as they are: RFC 4180 with commas, semicolons or tabs,
// LF or CRLF, with or without a byte order mark.
package csvfile

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/outfile"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
)

// This file reads the user's tables: RFC 4180 with commas, semicolons or tabs, LF or
// CRLF, with or without a byte order mark. encoding/csv would not do: it rewrites line
// ends inside cells and skips the empty line that is a missing value. A table is read
// twice, first to check it, so that nothing is written about one that is refused.

const (
	stride    = 512     // records between two of which the place is remembered
	maxRecord = 1 << 24 // bytes
	maxCells  = 200_000 // of a record: each takes many times the byte of its separator
)

// Splitter reads records one by one.
type Splitter struct {
	in        *bufio.Reader
	Separator byte
	Width     int    // cells of each record; 0 before the header
	Longest   int    // bytes of a record; 0 for 16 MiB
	Line      int    // the physical line on which the record begins, from 1
	next      int    // that of the next
	offset    int64  // of the next record
	raw       []byte // the record with its line ends
	Cells     []string
}

// NewSplitter reads records from r.
func NewSplitter(r io.Reader, separator byte) *Splitter {
	return &Splitter{in: bufio.NewReaderSize(r, 1<<16), Separator: separator, next: 1}
}

// Text returns the next record as it stands, without its line end: a record ends with
// a line before whose end all quotes are closed.
func (s *Splitter) Text() (string, error) {
	s.raw, s.Line = s.raw[:0], s.next
	quotes := 0
	for {
		part, err := s.in.ReadSlice('\n')
		s.raw = append(s.raw, part...)
		quotes += bytes.Count(part, []byte{'"'})
		switch {
		case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
			return "", err
		case len(s.raw) > cmp.Or(s.Longest, maxRecord):
			return "", Refuse(s.Line, "got more than %d bytes, want a row, is a quote left open?",
				cmp.Or(s.Longest, maxRecord))
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(s.raw) == 0:
			return "", io.EOF
		case err == nil:
			s.next++
			if quotes%2 == 1 {
				continue
			}
		}
		s.offset += int64(len(s.raw))
		return string(bytes.TrimSuffix(bytes.TrimSuffix(s.raw, []byte("\n")), []byte("\r"))), nil
	}
}

// Record returns the cells of the next record, valid until the next call, and whether
// its line is empty. Empty lines are records of a table of one column and skipped
// elsewhere.
func (s *Splitter) Record() (cells []string, empty bool, err error) {
	for {
		text, err := s.Text()
		if err != nil {
			return nil, false, err
		}
		if text == "" && s.Width != 1 {
			continue
		}
		if err := s.Split(text); err != nil {
			return nil, false, err
		}
		if s.Width != 0 && len(s.Cells) != s.Width {
			return nil, false, Refuse(s.Line, "got %d cells, want %d as in the header", len(s.Cells), s.Width)
		}
		return s.Cells, text == "", nil
	}
}

// Split cuts a record into its cells.
func (s *Splitter) Split(text string) error {
	s.Cells = s.Cells[:0]
	for {
		if len(s.Cells) == maxCells {
			return Refuse(s.Line, "got more than %d cells, want fewer", maxCells)
		}
		var end int
		if strings.HasPrefix(text, `"`) {
			end = 1
			for {
				i := strings.IndexByte(text[end:], '"')
				if i < 0 {
					return Refuse(s.Line, "got a quote that is left open")
				}
				end += i + 1
				if !strings.HasPrefix(text[end:], `"`) {
					break
				}
				end++
			}
			if end < len(text) && text[end] != s.Separator {
				return Refuse(s.Line, "got text after a closing quote, want %s", strconv.QuoteRune(rune(s.Separator)))
			}
			s.Cells = append(s.Cells, strings.ReplaceAll(text[1:end-1], `""`, `"`))
		} else {
			if end = strings.IndexByte(text, s.Separator); end < 0 {
				end = len(text)
			}
			if strings.IndexByte(text[:end], '"') >= 0 {
				return Refuse(s.Line, "got a quote inside an unquoted cell, want it doubled in a quoted one")
			}
			if strings.IndexByte(text[:end], '\r') >= 0 {
				return Refuse(s.Line, "got a carriage return inside an unquoted cell, want lines that end in LF or CRLF")
			}
			s.Cells = append(s.Cells, text[:end])
		}
		if end == len(text) {
			return nil
		}
		text = text[end+1:]
	}
}

// refusal is an error in a line of a table.
type refusal struct {
	line int
	text string
}

func (r *refusal) Error() string { return fmt.Sprintf("line %d: %s", r.line, r.text) }

// Refuse is the error of a line.
func Refuse(line int, format string, args ...any) error {
	return &refusal{line, fmt.Sprintf(format, args...)}
}

// WideEncoding names the encoding of a text that begins so, if it is one that this program
// does not read, and whether a mark says so. Without a mark it is told by the zero bytes
// that the characters of ASCII have in it, one or three each. Other zeros are in no text.
func WideEncoding(start []byte) (name string, marked bool) {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	mark := func(m string) bool { return bytes.HasPrefix(start, []byte(m)) }
	var zeros [4]int // by their place
	for i, c := range line {
		if c == 0 {
			zeros[i%4]++
		}
	}
	even, odd := zeros[0]+zeros[2], zeros[1]+zeros[3]
	slices.Sort(zeros[:])
	switch {
	case mark("\xff\xfe\x00\x00"), mark("\x00\x00\xfe\xff"):
		return "UTF-32", true
	case mark("\xff\xfe"), mark("\xfe\xff"):
		return "UTF-16", true
	case even+odd == 0:
		return "", false
	case zeros[0] == 0 && zeros[1] > 0 && 2*(even+odd) >= len(line):
		return "UTF-32", false
	case min(even, odd) == 0 && 4*max(even, odd) >= len(line):
		return "UTF-16", false
	}
	return "a file that is no text", false
}

// Source is an input that can be read again.
type Source struct {
	Name string // as messages have it
	At   io.ReaderAt
	file *os.File    // nil for a copy, which nobody changes
	was  fs.FileInfo // when it was opened
	done []func() error
}

// Open opens a file, or standard input by the name of -. What cannot be read twice is
// copied to a temporary file first.
func Open(c *outfile.Session, path string) (*Source, error) {
	s := &Source{Name: path}
	in := c.Stdin
	if path == "-" {
		s.Name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, s.Blame(err)
		}
		s.done = append(s.done, f.Close)
		info, err := f.Stat()
		if err != nil {
			s.Close()
			return nil, s.Blame(err)
		}
		if info.Mode().IsRegular() || info.IsDir() { // reading a directory fails as it should
			s.At, s.file, s.was = f, f, info
		}
		in = f
	}
	var err error
	if s.At == nil {
		err = s.spool(c.Context, in)
	}
	if err == nil {
		err = s.isNarrow()
	}
	if err != nil {
		s.Close()
		return nil, s.Blame(err)
	}
	return s, nil
}

// isNarrow refuses a text that is no UTF-8 from its beginning on.
func (s *Source) isNarrow() error {
	start := make([]byte, 4096)
	n, err := s.At.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if name, _ := WideEncoding(start[:n]); name != "" {
		return usage.Errorf("got %s, want UTF-8", name)
	}
	return nil
}

// still reports that the file has changed since it was opened.
func (s *Source) still() error {
	if s.file == nil {
		return nil
	}
	now, err := s.file.Stat()
	if err == nil && (now.Size() != s.was.Size() || !now.ModTime().Equal(s.was.ModTime())) {
		err = errChanged
	}
	return err
}

var errChanged = errors.New("changed while it was read")

// spool copies a stream to a temporary file. The end of the context does not wait for input.
func (s *Source) spool(ctx context.Context, in io.Reader) error {
	temp, err := outfile.Temporaries.Spool()
	if err != nil {
		return err
	}
	s.At = temp
	s.done = append(s.done, temp.Close, func() error { outfile.Temporaries.Remove(temp.Name()); return nil })
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(temp, in)
		copied <- err
	}()
	select {
	case err = <-copied:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reader reads from the beginning.
func (s *Source) Reader() io.Reader { return io.NewSectionReader(s.At, 0, math.MaxInt64) }

// Close lets go of an input that nothing more is wanted of.
func (s *Source) Close() {
	for _, f := range s.done {
		_ = f()
	}
}

// Blame says whose fault an error is: the content's, which is a usage error, or that
// of the reading.
func (s *Source) Blame(err error) error {
	var bad *refusal
	var wrong *usage.Error
	var domain *theory.DomainError
	switch {
	case errors.As(err, &bad), errors.As(err, &wrong), errors.As(err, &domain):
		return usage.Errorf("%s: %v", s.Name, err)
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%s: %w", s.Name, outfile.Cause(err))
}

// Table is a table with a column of p-values, checked.
type Table struct {
	*Source
	column    Column
	Separator byte
	Columns   []string
	P         int // the column of p-values
	Records   int
	Missing   int  // p-values
	bounds    int  // p-values given as upper bounds, <0.001
	bare      bool // there is no header
	places    []place
	end       int64
}

// place is where every stride-th record begins.
type place struct {
	offset  int64
	missing int // p-values before
}

// Column is the column of a table with p-values, or with values that are read as p-values. A column without a name is
// found by the usual names of p-values.
type Column struct {
	Name string
	Read func(text string) (theory.LogProb, bool) // nil for p-values
	Want string                                   // what Read takes, for messages
}

// OpenTable checks a table and remembers where its records are. The column of
// p-values is found by its name, or without one by the usual names.
func OpenTable(c *outfile.Session, path string, column Column) (*Table, error) {
	in, err := Open(c, path)
	if err != nil {
		return nil, err
	}
	t := &Table{Source: in}
	if err := t.check(c.Context, column); err != nil {
		t.Close()
		return nil, t.Blame(err)
	}
	return t, nil
}

// check reads the whole table.
func (t *Table) check(ctx context.Context, column Column) error {
	t.column = column
	s := NewSplitter(t.Reader(), 0)
	if start, err := s.in.Peek(3); err == nil && string(start) == "\ufeff" {
		s.offset = 3
		if _, err := s.in.Discard(3); err != nil {
			return err
		}
	}
	start := s.offset
	for len(t.Columns) == 0 {
		header, err := s.Text()
		switch {
		case err == io.EOF:
			return usage.Errorf("got nothing, want a header line and p-values")
		case err != nil:
			return err
		case header == "":
			continue
		}
		t.Separator = SeparatorOf(header)
		s.Separator = t.Separator
		if err := s.Split(header); err != nil {
			return err
		}
		t.Columns = slices.Clone(s.Cells)
	}
	bare, err := t.withoutHeader(column.Name)
	if err != nil {
		return err
	}
	if bare {
		t.bare, t.Columns = true, []string{"p"}
		s = NewSplitter(io.NewSectionReader(t.At, start, math.MaxInt64-start), t.Separator)
		s.offset = start
	}
	s.Width = len(t.Columns)
	if t.P, err = findColumn(t.Columns, column.Name); err != nil {
		return err
	}
	records, missing := 0, 0
	for {
		if records%stride == 0 {
			t.places = append(t.places, place{s.offset, missing})
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		cells, empty, err := s.Record()
		if err == io.EOF {
			t.end = s.offset
			return t.still()
		}
		if err != nil {
			return err
		}
		text := cells[t.P]
		records++
		if Absent(text) {
			missing++
		} else if _, ok := t.Plain(text); !ok {
			if _, ok := t.Chance(text); !ok {
				line := s.Line + strings.Count(strings.Join(cells[:t.P], ""), "\n")
				return Refuse(line, "%s: got %s, want %s", usage.Shown(t.Columns[t.P]), usage.Shown(text),
					cmp.Or(column.Want, "a probability in [0, 1]"))
			}
			if _, bound := numbers.UpperBound(text); bound && column.Read == nil {
				t.bounds++
			}
		}
		if !empty { // empty lines at the end are none of its records
			t.Records, t.Missing = records, missing
		}
	}
}

// withoutHeader reports whether the first line of a table is a p-value already: of one
// column, and nobody named another. A 0 may be the name that a program has put there,
// and as a p-value it would be rejected: it has to be told which.
func (t *Table) withoutHeader(column string) (bool, error) {
	if len(t.Columns) != 1 || column != "" {
		return false, nil
	}
	first := strings.TrimSpace(t.Columns[0])
	if first == "0" {
		return false, usage.Errorf("got 0 in the first line, a name or a p-value, want a header line p, or --p-column 0 if it is the name")
	}
	_, number := t.Chance(first)
	return number || Absent(first), nil
}

// Remarks tells how p-values were read that are not plain numbers under a header.
func (t *Table) Remarks() (lines []string) {
	if t.bare {
		lines = append(lines, "no header line, the column is named p")
	}
	switch {
	case t.bounds == 1:
		lines = append(lines, "1 p-value with < is read as that upper bound")
	case t.bounds > 1:
		lines = append(lines, fmt.Sprintf("%d p-values with < are read as these upper bounds", t.bounds))
	}
	return lines
}

// before returns how many p-values precede a record with which a stride begins, or the end.
func (t *Table) before(record int) int {
	if record == t.Records {
		return record - t.Missing
	}
	return record - t.places[record/stride].missing
}

// SeparatorOf tells by the header what separates the cells: a tab if there is one
// outside quotes, and otherwise the more frequent of comma and semicolon.
func SeparatorOf(header string) byte {
	count := make(map[byte]int)
	quoted := false
	for i := range len(header) {
		if header[i] == '"' {
			quoted = !quoted
		}
		if !quoted {
			count[header[i]]++
		}
	}
	switch {
	case count['\t'] > 0:
		return '\t'
	case count[';'] > count[',']:
		return ';'
	}
	return ','
}

// mostNamed is how many columns an error names.
const mostNamed = 20

// findColumn returns the column of p-values: the one of that name, or if none was
// given the one with a usual name.
func findColumn(columns []string, name string) (int, error) {
	list := func(indexes []int) string {
		var names []string
		for _, i := range indexes[:min(len(indexes), mostNamed)] {
			names = append(names, usage.Shown(columns[i]))
		}
		if more := len(indexes) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("... (%d more)", more))
		}
		return strings.Join(names, ", ")
	}
	matching := func(same func(string) bool) (found []int) {
		for i, c := range columns {
			if same(strings.TrimSpace(c)) {
				found = append(found, i)
			}
		}
		return found
	}
	all := matching(func(string) bool { return true })
	if name == "" {
		usual := []string{"p", "pval", "pvalue", "p_val", "p_value", "p.val", "p.value", "p-val", "p-value", "p val",
			"p value"}
		found := matching(func(c string) bool { return slices.Contains(usual, strings.ToLower(c)) })
		switch len(found) {
		case 1:
			return found[0], nil
		case 0:
			return 0, usage.Errorf("got the columns %s, want one named p, pval or p_value, or --p-column", list(all))
		}
		return 0, usage.Errorf("got the columns %s, want one of p-values, choose it by --p-column", list(found))
	}
	found := matching(func(c string) bool { return c == strings.TrimSpace(name) })
	if len(found) == 0 {
		found = matching(func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(name)) })
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, usage.Errorf("--p-column: got %s, want one of the columns %s%s", usage.Shown(name), list(all),
			usage.DidYouMean(name, columns))
	}
	return 0, usage.Errorf("--p-column: got %s, which %d columns are named, want one", usage.Shown(name), len(found))
}

// Absent says whether a cell stands for a missing value.
func Absent(cell string) bool {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "", "na", "nan", "null", ".":
		return true
	}
	return false
}

// PlainChance reads an ordinary decimal in (0, 1) to the nearest float64, which takes
// a tenth of the time. It may say no to others.
func PlainChance(cell string) (x float64, ok bool) {
	if len(cell) == 0 || len(cell) > 40 || strings.ContainsAny(cell, "xX_") {
		return 0, false
	}
	if cell[0] != '.' && (cell[0] < '0' || cell[0] > '9') {
		return 0, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil && x > 0 && x < 1
}

// Plain is [PlainChance] for the column of the table. It may say no to others.
func (t *Table) Plain(cell string) (x float64, ok bool) {
	if t.column.Read != nil {
		return 0, false
	}
	return PlainChance(cell)
}

// Chance reads a p-value. Where semicolons separate the cells, it may have a decimal
// comma.
func (t *Table) Chance(cell string) (theory.LogProb, bool) {
	cell = strings.TrimSpace(cell)
	if t.Separator == ';' {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	if t.column.Read != nil {
		return t.column.Read(cell)
	}
	return numbers.ParsePValue(cell)
}

// Each visits the records from lo to hi; rank counts the p-values before. It may be
// called concurrently. A rank is never one that the first reading did not find.
func (t *Table) Each(s *Splitter, lo, hi int, visit func(rank int, cells []string) error) error {
	at := t.places[lo/stride]
	s.in.Reset(io.NewSectionReader(t.At, at.offset, t.end-at.offset))
	s.Separator, s.Width = t.Separator, len(t.Columns)
	rank := lo/stride*stride - at.missing
	for i := lo / stride * stride; i < hi; i++ {
		cells, _, err := s.Record()
		var bad *refusal
		switch {
		case err == io.EOF || errors.As(err, &bad):
			return t.Changed()
		case err != nil:
			return t.Blame(err)
		}
		next := rank
		if !Absent(cells[t.P]) {
			next++
		}
		end := min((i/stride+1)*stride, t.Records) // of the stride
		if next > t.before(end) || i+1 == end && next < t.before(end) {
			return t.Changed()
		}
		if i >= lo {
			if err := visit(rank, cells); err != nil {
				return err
			}
		}
		rank = next
	}
	if t.still() != nil {
		return t.Changed()
	}
	return nil
}

// Changed reports that the second reading did not find what the first had.
func (t *Table) Changed() error { return t.Blame(errChanged) }
