// Package csvfile reads the tables of users as they are: RFC 4180 with commas, semicolons or tabs,
// LF or CRLF, with or without a byte order mark.
package csvfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// A table is read twice, first to check it, so that nothing is written about one that is refused.

// stride is the number of records between two of which the place is remembered.
const stride = 512

// Source is an input that can be read again.
type Source struct {
	Name string // as messages have it
	At   io.ReaderAt
	done []func() error
}

// Open opens a text, a file or by the name of - standard input. What cannot be read twice is copied to a temporary
// file first.
func Open(c *outfile.Session, path string) (*Source, error) {
	s, err := OpenAny(c, path)
	if err != nil {
		return nil, err
	}
	if err := s.isNarrow(); err != nil {
		s.Close()
		return nil, s.Blame(err)
	}
	return s, nil
}

// OpenAny is [Open] for a file that may be no text.
func OpenAny(c *outfile.Session, path string) (*Source, error) {
	s := &Source{Name: path}
	in := c.Stdin
	switch {
	case path == "-":
		s.Name = "standard input"
	case c.Keep != nil: // an agent, or a page
		return nil, usage.Errorf("%s: got a file, want none: there are no files here", usage.Shown(path))
	default:
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
			s.At = f
		}
		if info.Size() > megabyte {
			s.At = &watched{File: f, session: c, size: info.Size()}
		}
		in = f
	}
	if s.At == nil {
		if err := s.spool(c.Context, in); err != nil {
			s.Close()
			return nil, s.Blame(err)
		}
	}
	return s, nil
}

const megabyte = 1_000_000

// watched is a file that shows how far it was read, to its end.
type watched struct {
	*os.File
	session *outfile.Session
	size    int64
	bar     *outfile.Progress
}

func (w *watched) ReadAt(p []byte, offset int64) (int, error) {
	n, err := w.File.ReadAt(p, offset)
	if w.bar == nil {
		w.bar = w.session.Progress(int(w.size / megabyte)).Of("MB of " + usage.Shown(filepath.Base(w.Name())))
	}
	end := offset + int64(n)
	if w.bar.Step(int(end / megabyte)); end >= w.size || err != nil {
		w.bar.End()
		w.bar = nil
	}
	return n, err
}

// isNarrow refuses a text that is no UTF-8 from its beginning on.
func (s *Source) isNarrow() error {
	start := make([]byte, 4096)
	n, err := s.At.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if name, _ := delimited.WideEncoding(start[:n]); name != "" {
		return usage.Errorf("got %s, want UTF-8", name)
	}
	return nil
}

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

// Size returns the number of bytes.
func (s *Source) Size() (int64, error) {
	file, ok := s.At.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return 0, errors.ErrUnsupported
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Close lets go of an input that nothing more is wanted of.
func (s *Source) Close() {
	for _, f := range s.done {
		_ = f()
	}
}

// Blame says whose fault an error is: the content's, which is a usage error, or the reading's.
func (s *Source) Blame(err error) error {
	var bad *delimited.Error
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
	Comma     bool // between semicolons no p-value has a decimal point
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
	if w, ok := t.At.(*watched); ok {
		t.At = w.File // several workers read it, who have a count of their own
	}
	return t, nil
}

// check reads the whole table.
func (t *Table) check(ctx context.Context, column Column) error {
	t.column = column
	s := delimited.NewSplitter(t.Reader(), 0)
	var err error
	if t.Columns, err = s.Header(); err == io.EOF {
		return usage.Errorf("got nothing, want a header line and p-values")
	} else if err != nil {
		return err
	}
	t.Separator, t.Comma = s.Separator, s.Separator == ';'
	if t.bare, err = t.withoutHeader(column.Name); err != nil {
		return err
	}
	if t.bare {
		t.Columns, s = []string{"p"}, s.Again(t.At)
	}
	if t.P, err = findColumn(t.Columns, column.Name); err != nil {
		return err
	}
	records, missing := 0, 0
	for {
		if records%stride == 0 {
			t.places = append(t.places, place{s.Offset, missing})
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		cells, empty, err := s.Record()
		if err == io.EOF {
			t.end = s.Offset
			return nil
		}
		if err != nil {
			return err
		}
		text := cells[t.P]
		t.Comma = t.Comma && !strings.Contains(text, ".")
		records++
		if IsAbsent(text) {
			missing++
		} else if _, ok := t.Plain(text); !ok {
			if _, ok := t.Chance(text); !ok {
				line := s.Line + strings.Count(strings.Join(cells[:t.P], ""), "\n")
				want := cmp.Or(column.Want, "a probability in [0, 1]")
				if !strings.ContainsAny(text, "0123456789") {
					want += ", or NA for a test that was not made"
				}
				return delimited.Errorf(line, "%s: got %s, want %s", usage.Shown(t.Columns[t.P]), usage.Shown(text), want)
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
	return number || IsAbsent(first), nil
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

// mostNamed is how many columns an error names.
const mostNamed = 20

// findColumn returns the column of p-values: the one of that name, or if none was
// given the one with a usual name.
func findColumn(columns []string, name string) (int, error) {
	list := func(indexes []int) string {
		names := each.Of(indexes[:min(len(indexes), mostNamed)], func(i int) string { return usage.Shown(columns[i]) })
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

// IsAbsent says whether a cell stands for a missing value.
func IsAbsent(cell string) bool {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "", "na", "nan", "null", ".":
		return true
	}
	return false
}

// Plain reads a p-value that is an ordinary decimal in (0, 1) to the nearest float64, which takes
// a tenth of the time. It may say no to others.
func (t *Table) Plain(cell string) (x float64, ok bool) {
	if odd := len(cell) == 0 || len(cell) > 40 || strings.ContainsAny(cell, "xX_"); odd || t.column.Read != nil {
		return 0, false
	}
	if cell[0] != '.' && (cell[0] < '0' || cell[0] > '9') {
		return 0, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil && x > 0 && x < 1
}

// Chance reads a p-value. Where semicolons separate the cells, it may have a decimal
// comma.
func (t *Table) Chance(cell string) (theory.LogProb, bool) {
	cell = delimited.Point(strings.TrimSpace(cell), t.Separator)
	if t.column.Read != nil {
		return t.column.Read(cell)
	}
	return numbers.ParsePValue(cell)
}

// Each visits the records from lo to hi; rank counts the p-values before. It may be called concurrently. A file that
// changed since it was checked is an error where its size shows it, a record cannot be read, or a rank would be one
// that the first reading did not find.
func (t *Table) Each(lo, hi int, visit func(rank int, cells []string) error) error {
	at := t.places[lo/stride]
	s := delimited.NewSplitter(io.NewSectionReader(t.At, at.offset, t.end-at.offset), t.Separator)
	s.Width = len(t.Columns)
	rank := lo/stride*stride - at.missing
	for i := lo / stride * stride; i < hi; i++ {
		cells, _, err := s.Record()
		var bad *delimited.Error
		switch {
		case err == io.EOF || errors.As(err, &bad):
			return t.Changed()
		case err != nil:
			return t.Blame(err)
		}
		present := !IsAbsent(cells[t.P])
		if present && rank == t.Records-t.Missing {
			return t.Changed()
		}
		if i >= lo {
			if err := visit(rank, cells); err != nil {
				return err
			}
		}
		if present {
			rank++
		}
	}
	if size, err := t.Size(); err == nil && size != t.end {
		return t.Changed()
	}
	return nil
}

// Changed reports that the second reading did not find what the first had.
func (t *Table) Changed() error { return fmt.Errorf("%s: changed while it was read", t.Name) }
