package holdout

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/csvfile"
	"github.com/dpcalc/dpcalc/internal/usage"
)

// file is a table of ids and values: csv, tsv or JSON lines.
type file struct {
	*csvfile.Source
	call   *commands.Call
	column string // of the values
	total  int64  // of the rows that are expected, for people who wait; 0 if nobody knows
}

// openFile opens a table.
func openFile(c *commands.Call, path, column string, total int64) (*file, error) {
	in, err := csvfile.Open(c.Session, path)
	if err != nil {
		return nil, err
	}
	return &file{Source: in, call: c, column: column, total: total}, nil
}

// blame names the file in what is wrong with it.
func (f *file) blame(err error) error {
	if wrong := (*holdout.InputError)(nil); errors.As(err, &wrong) {
		return usage.Errorf("%s: %v", f.Name, err)
	}
	return f.Blame(err)
}

// table visits the rows, and names the file in what is wrong with its form. What is wrong with ids and values is told
// by the ledger, some of it after the last row.
func (f *file) table(visit func(id, value string) error) error {
	err := f.rows(visit)
	if wrong := (*holdout.InputError)(nil); err == nil || errors.As(err, &wrong) {
		return err
	}
	return f.Blame(err)
}

// rows visits the rows.
func (f *file) rows(visit func(id, value string) error) error {
	bar := f.call.Progress(int(f.total)).Of("rows")
	defer bar.End()
	done := 0
	counted := func(id, value string) error {
		if done++; done%4096 == 0 {
			if f.total > 0 {
				bar.Step(done)
			}
			if err := f.call.Context.Err(); err != nil {
				return err
			}
		}
		return visit(id, value)
	}
	in := bufio.NewReaderSize(f.Reader(), 1<<16)
	if start, err := in.Peek(3); err == nil && string(start) == "\ufeff" {
		if _, err := in.Discard(3); err != nil {
			return err
		}
	}
	start, err := in.Peek(1)
	if lines := filepath.Ext(f.Name); err == nil && (start[0] == '{' || lines == ".jsonl") {
		return f.objects(in, counted)
	}
	return f.cells(in, counted)
}

// cells reads a table with a header.
func (f *file) cells(in io.Reader, visit func(id, value string) error) error {
	s := csvfile.NewSplitter(in, 0)
	header := ""
	for header == "" {
		var err error
		if header, err = s.Text(); err == io.EOF {
			return usage.Errorf("got nothing, want a header line with id and %s", f.column)
		} else if err != nil {
			return err
		}
	}
	s.Separator = csvfile.SeparatorOf(header)
	if err := s.Split(header); err != nil {
		return err
	}
	s.Width = len(s.Cells)
	columns := slices.Clone(s.Cells)
	var at [2]int
	for i, name := range []string{"id", f.column} {
		if at[i] = slices.Index(columns, name); at[i] < 0 {
			return usage.Errorf("got the columns %s, want id and %s", strings.Join(shownNames(columns), ", "),
				usage.Shown(f.column))
		}
		if again := slices.Index(columns[at[i]+1:], name); again >= 0 {
			return usage.Errorf("got two columns %s, want one", usage.Shown(name))
		}
	}
	for {
		cells, empty, err := s.Record()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case empty:
			continue
		}
		if err := visit(cells[at[0]], cells[at[1]]); err != nil {
			return err
		}
	}
}

// mostShown is how many columns an error names.
const mostShown = 20

func shownNames(columns []string) (names []string) {
	for _, c := range columns[:min(len(columns), mostShown)] {
		names = append(names, usage.Shown(c))
	}
	return names
}

// longestLine is the most bytes of an object.
const longestLine = 1 << 24

// objects reads JSON lines, each an object with the two keys.
func (f *file) objects(in io.Reader, visit func(id, value string) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	number := 0
	for lines.Scan() {
		number++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		id, value, plain := f.plain(text)
		if plain {
			if err := visit(id, value); err != nil {
				return err
			}
			continue
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(text, &object); err != nil {
			return csvfile.Refuse(number, "got no JSON object, want one with id and %s", f.column)
		}
		id, okID := scalar(object["id"])
		value, okValue := scalar(object[f.column])
		if !okID || !okValue {
			return csvfile.Refuse(number, "got an object without a text or a number as id or %s, want both", f.column)
		}
		if err := visit(id, value); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return csvfile.Refuse(number+1, "got more than %d bytes, want a shorter line", longestLine)
	}
	return lines.Err()
}

// plain reads an object of nothing but plain texts, the id and the value among them, in a tenth of the time that the
// library takes. It says no to all others.
func (f *file) plain(text []byte) (id, value string, ok bool) {
	rest, ok := bytes.CutPrefix(text, []byte("{"))
	seen := 0
	for ok {
		var key, cell []byte
		if key, rest, ok = plainText(rest); !ok {
			break
		}
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(":")); !ok {
			break
		}
		if cell, rest, ok = plainText(rest); !ok {
			break
		}
		switch string(key) {
		case "id":
			id, seen = string(cell), seen|1
		case f.column:
			value, seen = string(cell), seen|2
		}
		rest = bytes.TrimLeft(rest, " \t")
		if string(rest) == "}" {
			return id, value, seen == 3
		}
		rest, ok = bytes.CutPrefix(rest, []byte(","))
	}
	return "", "", false
}

// plainText reads a text in quotes of printable ASCII without escapes.
func plainText(in []byte) (text, rest []byte, ok bool) {
	in, ok = bytes.CutPrefix(bytes.TrimLeft(in, " \t"), []byte{'"'})
	for i, c := range in {
		switch {
		case c == '"':
			return in[:i], in[i+1:], ok
		case c < ' ' || c >= 0x7f || c == '\\':
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// scalar is a text, a number as it stands, or true or false.
func scalar(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || bytes.ContainsRune([]byte("{[n"), rune(raw[0])) {
		return "", false
	}
	if raw[0] != '"' {
		return string(raw), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}
