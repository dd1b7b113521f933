package data

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/internal/delimited"
)

// FormError is an error in the form of a table.
type FormError = delimited.Error

// Form is the form of a table.
type Form int

// The forms of a table. A table of any form is told by its beginning: JSON lines begin with a brace, and the header
// shows the separator of the cells.
const (
	AnyForm Form = iota
	Tabs
	JSONLines
)

// longest is the most bytes of a row where a [File] has no limit of its own.
const longest = 1 << 24

// File is a table with the column id and another one, in csv, tsv or JSON lines, with or without a byte order mark.
type File struct {
	In      io.Reader
	Form    Form
	Column  string // of the values
	Longest int    // bytes of a row; 0 for 16 MiB
	Numbers bool   // whether the values are numbers, which have decimal commas between semicolons
}

// Rows calls visit for every row, and stops at visit's error, which it returns. An error of the form is a [FormError].
// The method is a [Table].
func (f File) Rows(visit func(id, value string) error) error {
	f.Longest = cmp.Or(f.Longest, longest)
	r := bufio.NewReaderSize(f.In, 1<<16)
	start, err := r.Peek(4096)
	if err != nil && err != io.EOF {
		return err
	}
	if name, _ := delimited.WideEncoding(start); name != "" {
		return delimited.Errorf(0, "got %s, want UTF-8", name)
	}
	if marked := bytes.HasPrefix(start, []byte("\ufeff")); marked {
		start = start[3:]
		if _, err := r.Discard(3); err != nil {
			return err
		}
	}
	if f.Form == JSONLines || bytes.HasPrefix(start, []byte("{")) {
		return f.objects(r, visit)
	}
	return f.cells(r, visit)
}

// cells reads a table with a header.
func (f File) cells(in io.Reader, visit func(id, value string) error) error {
	s := delimited.NewSplitter(in, 0)
	if s.Longest = f.Longest; f.Form == Tabs {
		s.Separator = '\t'
	}
	columns, err := s.Header()
	if err == io.EOF {
		return delimited.Errorf(0, "got nothing, want a header line with id and %s", f.Column)
	} else if err != nil {
		return err
	}
	var at [2]int
	for i, name := range []string{"id", f.Column} {
		if at[i] = slices.Index(columns, name); at[i] < 0 {
			return delimited.Errorf(0, "got the columns %s, want id and %s", strings.Join(shownNames(columns), ", "),
				shown(f.Column))
		}
		if again := slices.Index(columns[at[i]+1:], name); again >= 0 {
			return delimited.Errorf(0, "got two columns %s, want one", shown(name))
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
		value := cells[at[1]]
		if f.Numbers {
			value = delimited.Point(value, s.Separator)
		}
		if err := visit(cells[at[0]], value); err != nil {
			return err
		}
	}
}

// mostShown is how many columns an error names.
const mostShown = 20

func shownNames(columns []string) (names []string) {
	for _, c := range columns[:min(len(columns), mostShown)] {
		names = append(names, shown(c))
	}
	return names
}

// objects reads JSON lines, each an object with the two keys.
func (f File) objects(in io.Reader, visit func(id, value string) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, f.Longest)
	number := 0
	for lines.Scan() {
		number++
		text := bytes.Trim(lines.Bytes(), " \t\r")
		if len(text) == 0 {
			continue
		}
		var err error
		id, value, plain := f.plain(text)
		if plain {
			if err := visit(id, value); err != nil {
				return err
			}
			continue
		}
		if id, value, err = f.object(text); err != nil {
			return delimited.Errorf(number, "%v", err)
		}
		if err := visit(id, value); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return delimited.Errorf(number+1, "got more than %d bytes, want a shorter line", f.Longest)
	}
	return lines.Err()
}

// object reads an object with the two keys, each once.
func (f File) object(text []byte) (id, value string, err error) {
	switch {
	case !utf8.Valid(text):
		return "", "", fmt.Errorf("got bytes that are no UTF-8, want a text in UTF-8")
	case !json.Valid(text) || text[0] != '{':
		return "", "", fmt.Errorf("got no JSON object, want one with id and %s", f.Column)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return "", "", err
	}
	cells := make(map[string]json.RawMessage)
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", "", err
		}
		name, _ := key.(string)
		var cell json.RawMessage
		if err := d.Decode(&cell); err != nil {
			return "", "", err
		}
		if name != "id" && name != f.Column {
			continue
		}
		if cells[name] != nil {
			return "", "", fmt.Errorf("got two values of %s, want one", shown(name))
		}
		cells[name] = cell
	}
	id, okID := scalar(cells["id"])
	value, okValue := scalar(cells[f.Column])
	if !okID || !okValue {
		return "", "", fmt.Errorf("got an object without a text or a number as id or %s, want both", f.Column)
	}
	return id, value, nil
}

// plain reads an object of nothing but plain texts, the id and the value among them, in a tenth of the time that the
// library takes. It says no to all others.
func (f File) plain(text []byte) (id, value string, ok bool) {
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
		switch {
		case string(key) == "id" && seen&1 == 0:
			id, seen = string(cell), seen|1
		case string(key) == f.Column && seen&2 == 0:
			value, seen = string(cell), seen|2
		case string(key) == "id" || string(key) == f.Column:
			return "", "", false
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

// scalar is a text, a number as it stands, or true or false. A text with half of a pair of surrogates is none: all of
// them are read as the same character.
func scalar(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || bytes.ContainsRune([]byte("{[n"), rune(raw[0])) {
		return "", false
	}
	if raw[0] != '"' {
		return string(raw), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil && !hasLoneSurrogate(raw)
}

// hasLoneSurrogate reports whether a text in JSON has an escape of half of a pair of surrogates.
func hasLoneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if i++; raw[i] != 'u' {
			continue
		}
		i += 4
		if c := escaped(raw[i-5:]); utf16.IsSurrogate(c) {
			if utf16.DecodeRune(c, escaped(raw[i+1:])) == utf8.RuneError {
				return true
			}
			i += 6
		}
	}
	return false
}

// escaped is the character of an escape \uXXXX with which a text begins, 0 if it does not.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	c, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(c)
}
