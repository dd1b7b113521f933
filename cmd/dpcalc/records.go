package main

import (
	"bufio"
	"bytes"
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

	"github.com/dpcalc/dpcalc/theory"
)

// This file reads the user's tables: RFC 4180 with commas, semicolons or tabs, LF or
// CRLF, with or without a byte order mark. encoding/csv would not do: it rewrites line
// ends inside cells and skips the empty line that is a missing value. A table is read
// twice, first to check it, so that nothing is written about one that is refused.

const (
	stride    = 512     // records between two of which the place is remembered
	maxRecord = 1 << 24 // bytes
)

// splitter reads records one by one.
type splitter struct {
	in        *bufio.Reader
	separator byte
	width     int    // cells of each record; 0 before the header
	line      int    // the physical line on which the record begins, from 1
	next      int    // that of the next
	offset    int64  // of the next record
	raw       []byte // the record with its line ends
	cells     []string
}

func newSplitter(r io.Reader, separator byte) *splitter {
	return &splitter{in: bufio.NewReaderSize(r, 1<<16), separator: separator, next: 1}
}

// text returns the next record as it stands, without its line end: a record ends with
// a line before whose end all quotes are closed.
func (s *splitter) text() (string, error) {
	s.raw, s.line = s.raw[:0], s.next
	quotes := 0
	for {
		part, err := s.in.ReadSlice('\n')
		s.raw = append(s.raw, part...)
		quotes += bytes.Count(part, []byte{'"'})
		switch {
		case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
			return "", err
		case len(s.raw) > maxRecord:
			return "", refuse(s.line, "got more than %d bytes, want a row, is a quote left open?", maxRecord)
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

// record returns the cells of the next record, valid until the next call, and whether
// its line is empty. Empty lines are records of a table of one column and skipped
// elsewhere.
func (s *splitter) record() (cells []string, empty bool, err error) {
	for {
		text, err := s.text()
		if err != nil {
			return nil, false, err
		}
		if text == "" && s.width != 1 {
			continue
		}
		if err := s.split(text); err != nil {
			return nil, false, err
		}
		if s.width != 0 && len(s.cells) != s.width {
			return nil, false, refuse(s.line, "got %d cells, want %d as in the header", len(s.cells), s.width)
		}
		return s.cells, text == "", nil
	}
}

// split cuts a record into its cells.
func (s *splitter) split(text string) error {
	s.cells = s.cells[:0]
	for {
		var end int
		if strings.HasPrefix(text, `"`) {
			end = 1
			for {
				i := strings.IndexByte(text[end:], '"')
				if i < 0 {
					return refuse(s.line, "got a quote that is left open")
				}
				end += i + 1
				if !strings.HasPrefix(text[end:], `"`) {
					break
				}
				end++
			}
			if end < len(text) && text[end] != s.separator {
				return refuse(s.line, "got text after a closing quote, want %s", strconv.QuoteRune(rune(s.separator)))
			}
			s.cells = append(s.cells, strings.ReplaceAll(text[1:end-1], `""`, `"`))
		} else {
			if end = strings.IndexByte(text, s.separator); end < 0 {
				end = len(text)
			}
			if strings.IndexByte(text[:end], '"') >= 0 {
				return refuse(s.line, "got a quote inside an unquoted cell, want it doubled in a quoted one")
			}
			if strings.IndexByte(text[:end], '\r') >= 0 {
				return refuse(s.line, "got a carriage return inside an unquoted cell, want lines that end in LF or CRLF")
			}
			s.cells = append(s.cells, text[:end])
		}
		if end == len(text) {
			return nil
		}
		text = text[end+1:]
	}
}

// refusal is what is wrong with a line of a table.
type refusal struct {
	line int
	text string
}

func (r *refusal) Error() string { return fmt.Sprintf("line %d: %s", r.line, r.text) }

func refuse(line int, format string, args ...any) error {
	return &refusal{line, fmt.Sprintf(format, args...)}
}

// wideEncoding names the encoding of a text that begins so, if it is one that this program
// does not read, and whether a mark says so. Without a mark it is told by the zero bytes
// that the characters of ASCII have in it, one or three each.
func wideEncoding(start []byte) (name string, marked bool) {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	mark := func(m string) bool { return bytes.HasPrefix(start, []byte(m)) }
	switch {
	case mark("\xff\xfe\x00\x00"), mark("\x00\x00\xfe\xff"):
		return "UTF-32", true
	case mark("\xff\xfe"), mark("\xfe\xff"):
		return "UTF-16", true
	case bytes.Contains(line, []byte{0, 0, 0}):
		return "UTF-32", false
	case bytes.IndexByte(line, 0) >= 0:
		return "UTF-16", false
	}
	return "", false
}

// source is an input that can be read again.
type source struct {
	name string // as messages have it
	at   io.ReaderAt
	file *os.File    // nil for a copy, which nobody changes
	was  fs.FileInfo // when it was opened
	done []func() error
}

// open opens a file, or standard input by the name of -. What cannot be read twice is
// copied to a temporary file first.
func open(c *Session, path string) (*source, error) {
	s := &source{name: path}
	in := c.Stdin
	if path == "-" {
		s.name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, s.blame(err)
		}
		s.done = append(s.done, f.Close)
		info, err := f.Stat()
		if err != nil {
			s.close()
			return nil, s.blame(err)
		}
		if info.Mode().IsRegular() || info.IsDir() { // reading a directory fails as it should
			s.at, s.file, s.was = f, f, info
		}
		in = f
	}
	var err error
	if s.at == nil {
		err = s.spool(c.Context, in)
	}
	if err == nil {
		err = s.isNarrow()
	}
	if err != nil {
		s.close()
		return nil, s.blame(err)
	}
	return s, nil
}

// isNarrow refuses a text that is no UTF-8 from its beginning on.
func (s *source) isNarrow() error {
	start := make([]byte, 4096)
	n, err := s.at.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if name, _ := wideEncoding(start[:n]); name != "" {
		return usagef("got %s, want UTF-8", name)
	}
	return nil
}

// still reports that the file has changed since it was opened.
func (s *source) still() error {
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
func (s *source) spool(ctx context.Context, in io.Reader) error {
	temp, err := temporaries.spool()
	if err != nil {
		return err
	}
	s.at = temp
	s.done = append(s.done, temp.Close, func() error { temporaries.remove(temp.Name()); return nil })
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

// reader reads from the beginning.
func (s *source) reader() io.Reader { return io.NewSectionReader(s.at, 0, math.MaxInt64) }

// close lets go of an input that nothing more is wanted of.
func (s *source) close() {
	for _, f := range s.done {
		_ = f()
	}
}

// blame says whose fault an error is: the content's, which is a usage error, or that
// of the reading.
func (s *source) blame(err error) error {
	var bad *refusal
	var wrong *usageError
	var domain *theory.DomainError
	switch {
	case errors.As(err, &bad), errors.As(err, &wrong), errors.As(err, &domain):
		return usagef("%s: %v", s.name, err)
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%s: %w", s.name, cause(err))
}

// userTable is a table with a column of p-values, checked.
type userTable struct {
	*source
	separator byte
	columns   []string
	p         int // the column of p-values
	records   int
	missing   int  // p-values
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

// openTable checks a table and remembers where its records are. The column of
// p-values is found by its name, or without one by the usual names.
func openTable(c *Session, path, column string) (*userTable, error) {
	in, err := open(c, path)
	if err != nil {
		return nil, err
	}
	t := &userTable{source: in}
	if err := t.check(c.Context, column); err != nil {
		t.close()
		return nil, t.blame(err)
	}
	return t, nil
}

// check reads the whole table.
func (t *userTable) check(ctx context.Context, column string) error {
	s := newSplitter(t.reader(), 0)
	if start, err := s.in.Peek(3); err == nil && string(start) == "\ufeff" {
		s.offset = 3
		if _, err := s.in.Discard(3); err != nil {
			return err
		}
	}
	start := s.offset
	for len(t.columns) == 0 {
		header, err := s.text()
		switch {
		case err == io.EOF:
			return usagef("got nothing, want a header line and p-values")
		case err != nil:
			return err
		case header == "":
			continue
		}
		t.separator = separatorOf(header)
		s.separator = t.separator
		if err := s.split(header); err != nil {
			return err
		}
		t.columns = slices.Clone(s.cells)
	}
	bare, err := t.withoutHeader(column)
	if err != nil {
		return err
	}
	if bare {
		t.bare, t.columns = true, []string{"p"}
		s = newSplitter(io.NewSectionReader(t.at, start, math.MaxInt64-start), t.separator)
		s.offset = start
	}
	s.width = len(t.columns)
	if t.p, err = findColumn(t.columns, column); err != nil {
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
		cells, empty, err := s.record()
		if err == io.EOF {
			t.end = s.offset
			return t.still()
		}
		if err != nil {
			return err
		}
		text := cells[t.p]
		records++
		if absent(text) {
			missing++
		} else if _, ok := plainChance(text); !ok {
			if _, ok := t.chance(text); !ok {
				line := s.line + strings.Count(strings.Join(cells[:t.p], ""), "\n")
				return refuse(line, "%s: got %s, want a probability in [0, 1]", shown(t.columns[t.p]), shown(text))
			}
			if _, bound := upperBound(text); bound {
				t.bounds++
			}
		}
		if !empty { // empty lines at the end are none of its records
			t.records, t.missing = records, missing
		}
	}
}

// withoutHeader reports whether the first line of a table is a p-value already: of one
// column, and nobody named another. A 0 may be the name that a program has put there,
// and as a p-value it would be rejected: it has to be told which.
func (t *userTable) withoutHeader(column string) (bool, error) {
	if len(t.columns) != 1 || column != "" {
		return false, nil
	}
	first := strings.TrimSpace(t.columns[0])
	if first == "0" {
		return false, usagef("got 0 in the first line, a name or a p-value, want a header line p, " +
			"or --p-column 0 if it is the name")
	}
	_, number := t.chance(first)
	return number || absent(first), nil
}

// remarks tells how p-values were read that are not plain numbers under a header.
func (t *userTable) remarks() (lines []string) {
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
func (t *userTable) before(record int) int {
	if record == t.records {
		return record - t.missing
	}
	return record - t.places[record/stride].missing
}

// separatorOf tells by the header what separates the cells: a tab if there is one
// outside quotes, and otherwise the more frequent of comma and semicolon.
func separatorOf(header string) byte {
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
			names = append(names, shown(columns[i]))
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
		usual := []string{"p", "pval", "pvalue", "p_val", "p_value", "p.val", "p.value", "p-val", "p-value", "p val", "p value"}
		found := matching(func(c string) bool { return slices.Contains(usual, strings.ToLower(c)) })
		switch len(found) {
		case 1:
			return found[0], nil
		case 0:
			return 0, usagef("got the columns %s, want one named p, pval or p_value, or --p-column", list(all))
		}
		return 0, usagef("got the columns %s, want one of p-values, choose it by --p-column", list(found))
	}
	found := matching(func(c string) bool { return c == strings.TrimSpace(name) })
	if len(found) == 0 {
		found = matching(func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(name)) })
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, usagef("--p-column: got %s, want one of the columns %s%s", shown(name), list(all), didYouMean(name, columns))
	}
	return 0, usagef("--p-column: got %s, which %d columns are named, want one", shown(name), len(found))
}

// absent says whether a cell stands for a missing value.
func absent(cell string) bool {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "", "na", "nan", "null", ".":
		return true
	}
	return false
}

// plainChance reads an ordinary decimal in (0, 1) to the nearest float64, which takes
// a tenth of the time. It may say no to others.
func plainChance(cell string) (x float64, ok bool) {
	if len(cell) == 0 || len(cell) > 40 || strings.ContainsAny(cell, "xX_") || cell[0] != '.' && (cell[0] < '0' || cell[0] > '9') {
		return 0, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil && x > 0 && x < 1
}

// chance reads a p-value. Where semicolons separate the cells, it may have a decimal
// comma.
func (t *userTable) chance(cell string) (theory.LogProb, bool) {
	cell = strings.TrimSpace(cell)
	if t.separator == ';' {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	return parsePValue(cell)
}

// parsePValue reads a probability, or the upper bound <0.001 as 0.001: the p-value that
// it stands for is not above that, so that whatever rejects 0.001 rejects it.
func parsePValue(text string) (theory.LogProb, bool) {
	number, bound := upperBound(text)
	p, ok := parseProb(number)
	return p, ok && !(bound && p == theory.Zero)
}

// upperBound takes the sign off an upper bound such as <0.001.
func upperBound(text string) (number string, bound bool) {
	text = strings.TrimSpace(text)
	for _, sign := range []string{"<=", "≤", "<"} {
		if number, bound = strings.CutPrefix(text, sign); bound {
			return strings.TrimSpace(number), true
		}
	}
	return text, false
}

// each visits the records from lo to hi; rank counts the p-values before. It may be
// called concurrently. A rank is never one that the first reading did not find.
func (t *userTable) each(s *splitter, lo, hi int, visit func(rank int, cells []string) error) error {
	at := t.places[lo/stride]
	s.in.Reset(io.NewSectionReader(t.at, at.offset, t.end-at.offset))
	s.separator, s.width = t.separator, len(t.columns)
	rank := lo/stride*stride - at.missing
	for i := lo / stride * stride; i < hi; i++ {
		cells, _, err := s.record()
		var bad *refusal
		switch {
		case err == io.EOF || errors.As(err, &bad):
			return t.changed()
		case err != nil:
			return t.blame(err)
		}
		next := rank
		if !absent(cells[t.p]) {
			next++
		}
		end := min((i/stride+1)*stride, t.records) // of the stride
		if next > t.before(end) || i+1 == end && next < t.before(end) {
			return t.changed()
		}
		if i >= lo {
			if err := visit(rank, cells); err != nil {
				return err
			}
		}
		rank = next
	}
	if t.still() != nil {
		return t.changed()
	}
	return nil
}

// changed reports that the second reading did not find what the first had.
func (t *userTable) changed() error { return t.blame(errChanged) }
