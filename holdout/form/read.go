package holdout

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// member is a member of a [Line].
type member struct {
	key   string // its name as a line has it
	form  form
	field []int // of a Line
}

// form is the form of a member's value.
type form int

const (
	numbers form = iota
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
		if name == "-" {
			continue
		}
		kind := field.Type.Kind()
		if kind == reflect.Pointer {
			kind = field.Type.Elem().Kind()
		}
		m := member{key: fmt.Sprintf("%q:", name), form: nested, field: at}
		switch kind {
		case reflect.String:
			m.form = texts
		case reflect.Int64, reflect.Float64:
			m.form = numbers
		}
		list = append(list, m)
	}
	return list
}

// lineReader reads lines into one of its own, whose fields it knows.
type lineReader struct {
	line   Line
	fields []any // pointers to those of the members
}

func newLineReader() *lineReader {
	r := &lineReader{}
	of := reflect.ValueOf(&r.line).Elem()
	for _, m := range members {
		r.fields = append(r.fields, of.FieldByIndex(m.field).Addr().Interface())
	}
	return r
}

// read reads a line up to its chain, if it is as this program writes lines: with its members in their order. It takes a
// twentieth of the time of package json, which reads every other line.
func (r *lineReader) read(text string) bool {
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
		return known([]byte(value), field) == nil
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
	return digit(whole) && digit(rest) == pointed
}

func digit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

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
	switch m.form {
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
