package form

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/internal/text"
)

// sealedPlan is a plan with its chain.
type sealedPlan struct {
	*Plan
	Chain string `json:"chain"`
}

// Seal returns the plan as plan.json has it, with its chain.
func (p *Plan) Seal() ([]byte, error) {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, err
	}
	return journal.PlanEnds.Seal(sha256.New(), text[:len(text)-len("\n}")]), nil
}

// ReadPlan reads plan.json, and checks its seal. A schema or a member that this version does not know is an error:
// nobody could keep what it promises.
func ReadPlan(sealed []byte) (*Plan, error) {
	if !journal.PlanEnds.OpensAfter(sha256.New(), sealed) {
		return nil, journal.Corrupt("plan.json is not as it was written")
	}
	var named struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(sealed, &named); err != nil {
		return nil, journal.Corrupt("plan.json: %v", err)
	}
	if schemas := []string{FirstSchema, FixedSchema, OpenSchema, ColumnSchema}; !slices.Contains(schemas, named.Schema) {
		return nil, fmt.Errorf("plan.json: got the schema %s, want %s, which this version knows", text.Shown(named.Schema),
			strings.Join(schemas, ", "))
	}
	p := new(Plan)
	if err := decode(sealed, &sealedPlan{Plan: p}); err != nil {
		return nil, fmt.Errorf("plan.json: this version cannot keep all that is promised there: %w", err)
	}
	return p, nil
}

// decode reads one value, and refuses members that this version does not know and whatever follows the value.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = errors.New("got more than one value")
		}
	}
	return err
}

// member is a member of a [Line].
type member struct {
	key   string // its name as a line has it
	kind  kind
	field []int // of a Line
}

// kind is what the value of a member is.
type kind int

const (
	numbers kind = iota
	texts
	nested // an object, a list, true
)

// members are all members of a line, in their order.
var members = membersOf(reflect.TypeFor[Line](), nil)

// membersOf lists the members of a struct, which is a field of a line, and of those that it embeds.
func membersOf(t reflect.Type, of []int) (list []member) {
	for i := range t.NumField() {
		field := t.Field(i)
		at := append(slices.Clone(of), i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous {
			list = append(list, membersOf(field.Type, at)...)
			continue
		}
		value := field.Type
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		m := member{key: fmt.Sprintf("%q:", name), kind: nested, field: at}
		switch value.Kind() {
		case reflect.String:
			m.kind = texts
		case reflect.Int64, reflect.Float64:
			m.kind = numbers
		}
		list = append(list, m)
	}
	return list
}

// LineReader reads lines of looks.jsonl, each into one of its own, whose fields it knows.
type LineReader struct {
	line   Line
	fields []any // pointers to the fields of the members
}

// NewLineReader returns a LineReader whose fields are found by reflection once.
func NewLineReader() *LineReader {
	r := &LineReader{}
	line := reflect.ValueOf(&r.line).Elem()
	for _, m := range members {
		r.fields = append(r.fields, line.FieldByIndex(m.field).Addr().Interface())
	}
	return r
}

// Read reads a whole line with its chain. A member that this version does not know is an error. The next call writes
// over the line.
func (r *LineReader) Read(sealed string) (*Line, error) {
	if r.quick(sealed[:len(sealed)+1-journal.LineEnds.Length()]) {
		return &r.line, nil
	}
	r.line = Line{}
	var chained = struct {
		*Line
		Chain string `json:"chain"`
	}{Line: &r.line}
	return &r.line, decode([]byte(sealed), &chained)
}

// quick reads a line up to its chain, if it is as this program writes lines: with its members in their order. It takes
// a twentieth of the time of package json, which reads every other line.
func (r *LineReader) quick(text string) (ok bool) {
	r.line = Line{}
	before := byte('{')
	for i, m := range members {
		if len(text) == 0 || text[0] != before || !strings.HasPrefix(text[1:], m.key) {
			continue
		}
		value := text[1+len(m.key):]
		n := m.length(value)
		if n <= 0 || !set(r.fields[i], value[:n]) {
			return false
		}
		text, before = value[n:], ','
	}
	return len(text) == 0
}

// Begins reports whether a text is the beginning of a line, if its rest follows the event and the look.
func Begins(text, rest string, c *journal.Chain) bool {
	for _, m := range members[2:] { // after the event and the look
		key := "," + m.key
		if strings.HasPrefix(key, rest) {
			return true
		}
		value, ok := strings.CutPrefix(rest, key)
		if !ok {
			continue
		}
		n := m.length(value)
		if n < 0 || n == len(value) {
			return n >= 0
		}
		rest = value[n:]
	}
	return strings.HasPrefix(string(c.Sealed([]byte(text[:len(text)-len(rest)]))), text)
}

// set reads a value into a field, as package json does.
func set(field any, value string) (ok bool) {
	switch field := field.(type) {
	case *string:
		inside, ok := strings.CutSuffix(value[1:], `"`)
		if !ok || strings.IndexByte(inside, '\\') >= 0 || !utf8.ValidString(inside) {
			return json.Unmarshal([]byte(value), field) == nil
		}
		*field = inside
	case *int64:
		x, err := strconv.ParseInt(value, 10, 64)
		*field = x
		return err == nil && isNumber(value)
	case *float64:
		*field, ok = number64(value)
		return ok
	case **float64:
		x, ok := number64(value)
		*field = &x
		return ok
	default:
		return decode([]byte(value), field) == nil
	}
	return true
}

func number64(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && isNumber(text)
}

// isNumber reports whether JSON has a number that package strconv can read: it has one digit or no 0 before the point,
// and digits on both sides of a point.
func isNumber(text string) bool {
	whole, rest, pointed := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if !pointed {
		whole, _, _ = strings.Cut(whole, "e")
	}
	if len(whole) > 1 && whole[0] == '0' {
		return false
	}
	return startsWithDigit(whole) && startsWithDigit(rest) == pointed
}

func startsWithDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// ofNumber has the bytes of a number.
var ofNumber = func() (all [256]bool) {
	for _, c := range []byte("0123456789+-.eE") {
		all[c] = true
	}
	return all
}()

// length is how long the value is with which a text begins, or the whole text if the value goes on. It is negative
// if no value begins so.
func (m member) length(text string) int {
	switch m.kind {
	case nested:
		return nestedLength(text)
	case numbers:
		n := 0
		for n < len(text) && ofNumber[text[n]] {
			n++
		}
		if n == 0 && len(text) > 0 {
			return -1
		}
		return n
	}
	return textLength(text)
}

func textLength(text string) int {
	if len(text) > 0 && text[0] != '"' {
		return -1
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ':
			return -1
		case c == '\\':
			i++
		case c == '"':
			return i + 1
		}
	}
	return len(text)
}

// nestedLength is the length of an object, a list or a truth.
func nestedLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			n := textLength(text[i:])
			if n < 0 {
				return -1
			}
			i += n - 1
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case depth == 0 && !('a' <= c && c <= 'z'):
			return cmp.Or(i, -1)
		case c < ' ':
			return -1
		}
	}
	return len(text)
}
