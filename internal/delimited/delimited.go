// Package delimited reads the records of RFC 4180 with commas, semicolons or tabs, and LF or CRLF. encoding/csv would
// not do: it rewrites line ends inside cells and skips the empty line that is a missing value.
package delimited

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	MostBytes = 1 << 24 // of a record, where a [Splitter] has no limit of its own
	mostCells = 200_000 // of a record: each takes many times the byte of its separator
	mark      = "\ufeff"
)

// Splitter reads records one by one.
type Splitter struct {
	in        *bufio.Reader
	Separator byte
	Width     int    // cells of each record; 0 before the header
	Longest   int    // bytes of a record; 0 for 16 MiB
	Line      int    // the physical line on which the record begins, from 1
	next      int    // the number of the next
	Offset    int64  // bytes before the next record
	head      place  // where the header is, or an empty line above it
	raw       []byte // the record with its line ends
	Cells     []string
}

// place is a place in a table.
type place struct {
	offset int64
	line   int
}

// NewSplitter reads records from r. Without a separator the header shows which one it is.
func NewSplitter(r io.Reader, separator byte) *Splitter {
	return &Splitter{in: bufio.NewReaderSize(r, 1<<16), Separator: separator, next: 1}
}

// Header reads the names of the columns and finds the separator, below a byte order mark, empty lines, and a line such
// as sep=; by which spreadsheets name it. The error is io.EOF if the table has no header.
func (s *Splitter) Header() ([]string, error) {
	if start, err := s.in.Peek(len(mark)); err != nil && err != io.EOF {
		return nil, err
	} else if string(start) == mark {
		n, _ := s.in.Discard(len(mark))
		s.Offset = int64(n)
	}
	s.head = place{s.Offset, s.next}
	for {
		header, err := s.Text()
		if err != nil {
			return nil, err
		}
		named, ok := strings.CutPrefix(strings.ToLower(strings.Trim(header, `"`)), "sep=")
		switch {
		case header == "":
			continue
		case ok && len(named) == 1 && s.Separator == 0:
			if strings.Trim(named, ",;\t") != "" {
				return nil, Errorf(s.Line, "got the separator %s, want a comma, a semicolon or a tab", strconv.Quote(named))
			}
			s.Separator, s.head = named[0], place{s.Offset, s.next}
			continue
		case s.Separator == 0:
			s.Separator = separatorOf(header)
		}
		if err := s.Split(header); err != nil {
			return nil, err
		}
		s.Width = len(s.Cells)
		return slices.Clone(s.Cells), nil
	}
}

// Again reads the table once more from r, with its first line as a record: there is no header.
func (s *Splitter) Again(r io.ReaderAt) *Splitter {
	again := NewSplitter(io.NewSectionReader(r, s.head.offset, math.MaxInt64-s.head.offset), s.Separator)
	again.Offset, again.next, again.Width = s.head.offset, s.head.line, s.Width
	return again
}

// Point replaces the decimal comma of a cell by a point. Only cells between semicolons have one.
func Point(cell string, separator byte) string {
	if separator != ';' || strings.Count(cell, ",") != 1 || strings.Contains(cell, ".") {
		return cell
	}
	return strings.Replace(cell, ",", ".", 1)
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
		case len(s.raw) > cmp.Or(s.Longest, MostBytes):
			return "", Errorf(s.Line, "got more than %d bytes, want a row, is a quote left open?",
				cmp.Or(s.Longest, MostBytes))
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
		s.Offset += int64(len(s.raw))
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
			return nil, false, Errorf(s.Line, "got %d cells, want %d as in the header", len(s.Cells), s.Width)
		}
		return s.Cells, text == "", nil
	}
}

// Split cuts a record into its cells.
func (s *Splitter) Split(text string) error {
	s.Cells = s.Cells[:0]
	for {
		if len(s.Cells) == mostCells {
			return Errorf(s.Line, "got more than %d cells, want fewer", mostCells)
		}
		var end int
		if strings.HasPrefix(text, `"`) {
			end = 1
			for {
				i := strings.IndexByte(text[end:], '"')
				if i < 0 {
					return Errorf(s.Line, "got a quote that is left open")
				}
				end += i + 1
				if !strings.HasPrefix(text[end:], `"`) {
					break
				}
				end++
			}
			if end < len(text) && text[end] != s.Separator {
				return Errorf(s.Line, "got text after a closing quote, want %s", strconv.QuoteRune(rune(s.Separator)))
			}
			s.Cells = append(s.Cells, strings.ReplaceAll(text[1:end-1], `""`, `"`))
		} else {
			if end = strings.IndexByte(text, s.Separator); end < 0 {
				end = len(text)
			}
			if strings.IndexByte(text[:end], '"') >= 0 {
				return Errorf(s.Line, "got a quote inside an unquoted cell, want it doubled in a quoted one")
			}
			if strings.IndexByte(text[:end], '\r') >= 0 {
				return Errorf(s.Line, "got a carriage return inside an unquoted cell, want lines that end in LF or CRLF")
			}
			s.Cells = append(s.Cells, text[:end])
		}
		if end == len(text) {
			return nil
		}
		text = text[end+1:]
	}
}

// Error is an error in the form of a table.
type Error struct {
	Line int // from 1; 0 for the table as a whole
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

// Errorf is an [Error] with a text of this form.
func Errorf(line int, format string, args ...any) error {
	return &Error{line, fmt.Sprintf(format, args...)}
}

// WideEncoding names the encoding of a text that begins so, if it is one that this program
// does not read, and whether a mark says so. Without a mark it is told by the zero bytes
// that the characters of ASCII have in it, one or three each. Other zeros are in no text.
func WideEncoding(start []byte) (name string, marked bool) {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	begins := func(m string) bool { return bytes.HasPrefix(start, []byte(m)) }
	var zeros [4]int // by their place
	for i, c := range line {
		if c == 0 {
			zeros[i%4]++
		}
	}
	even, odd := zeros[0]+zeros[2], zeros[1]+zeros[3]
	slices.Sort(zeros[:])
	switch {
	case begins("\xff\xfe\x00\x00"), begins("\x00\x00\xfe\xff"):
		return "UTF-32", true
	case begins("\xff\xfe"), begins("\xfe\xff"):
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
