package holdout

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"reflect"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// cutShort reports whether a crash can have left a text of the next line. Lines are appended by one write, of
// which a crash can leave the beginning, and after it bytes of zero where the file system had made the file longer
// first. Nothing follows such a text but the end of line with which the next write begins. That write may be cut short
// too, after the end of line or later. So a text that was cut short may be anywhere in the file, but always in the
// place of a line, and it is never empty. Zeros that may have taken the place of two writes are no crash: the first of
// these was on the disk before the second began.
func (h *history) cutShort(text []byte) bool {
	start := bytes.TrimRight(text, "\x00")
	if len(text) == 0 || len(start) < len(text) && len(text) >= h.twoWrites() {
		return false
	}
	heads := []string{
		fmt.Sprintf(`{"event":"%s","look":%d`, Looked, h.looks+1),
		fmt.Sprintf(`{"event":"%s"`, Retired),
	}
	if h.plan.Open != nil {
		heads = append(heads, changedHead)
	}
	for _, head := range heads {
		rest, ok := bytes.CutPrefix(start, []byte(head))
		if strings.HasPrefix(head, string(start)) || ok && h.begins(start, rest) {
			return true
		}
	}
	return false
}

// changedHead begins the line of a change of the rows. A line that was cut short after it shows no response.
const changedHead = `{"event":"` + Changed + `"`

// twoWrites is the least length of the next write and one after it, which may retire the ledger. All finalists are one
// write, which names of files make longer, and which only the end of the ledger can follow.
func (h *history) twoWrites() int {
	zero, fingerprint := 0., strings.Repeat("0", 2*sha256.Size)
	const when = "2006-01-02T15:04:05Z"
	look := Line{Event: Looked, Look: h.looks + 1, Time: when, Metric: Accuracy, Fingerprint: fingerprint}
	if h.plan.Incumbent != nil {
		look.Incumbent, look.Predictions = fingerprint, fingerprint
	}
	switch feedback := h.plan.goal.Feedback; {
	case h.plan.Open != nil: // the shortest line: a score in the lowest cell, at no price
		look.Show, look.Response, look.Predictions = ShowScore, &zero, fingerprint
		look.Shown = Shown{Rows: 1, Below: &zero, Price: &zero, Lower: &zero, Upper: &zero}
		for _, m := range h.plan.Metrics {
			if len(m) < len(look.Metric) {
				look.Metric = m
			}
		}
	case feedback == transfer.Gate:
		look.Verdict, look.Bar = Pass, &zero
	case feedback == transfer.Flags:
		look.Response, look.Verdict, look.Guess = &zero, Moved, &zero
	default:
		look.Response = &zero
	}
	one, err := h.append([]Line{look})
	both, again := h.append([]Line{look, {Event: Retired, Time: when}})
	switch {
	case err != nil || again != nil:
		return 0
	case h.plan.goal.Feedback == transfer.Final:
		return 2 * (len(both) + int(h.plan.goal.Queries-1)*len(one))
	}
	return len(both)
}

// member is a member of a [Line].
type member struct {
	name string
	form form
}

// form is the form of a member's value.
type form int

const (
	numbers form = iota
	texts
	nested // an object, a list, true
)

// members are all members of a line after its event and look, in their order.
var members = membersOf(reflect.TypeFor[Line]())[2:]

// membersOf lists the members of a struct and of those that it embeds.
func membersOf(t reflect.Type) (list []member) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous {
			list = append(list, membersOf(field.Type)...)
			continue
		}
		if name == "-" {
			continue
		}
		kind := field.Type.Kind()
		if kind == reflect.Pointer {
			kind = field.Type.Elem().Kind()
		}
		m := member{name, nested}
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

// begins reports whether a text is the beginning of a line, if its rest follows the event and the look.
func (h *history) begins(text, rest []byte) bool {
	for _, m := range members {
		key := fmt.Sprintf(`,"%s":`, m.name)
		if strings.HasPrefix(key, string(rest)) {
			return true
		}
		value, ok := bytes.CutPrefix(rest, []byte(key))
		if !ok {
			continue
		}
		n := m.length(value)
		if n < 0 || n == len(value) {
			return n >= 0
		}
		rest = value[n:]
	}
	return bytes.HasPrefix(lineEnds.seal(fork(h.past), text[:len(text)-len(rest)]), text)
}

// length is how long the value is with which a text begins, or the whole text if the value goes on. It is negative
// if no value begins so.
func (m member) length(text []byte) int {
	switch m.form {
	case nested:
		return nestedLength(text)
	case numbers:
		n := len(text) - len(bytes.TrimLeft(text, "0123456789+-.eE"))
		if n == 0 && len(text) > 0 {
			return -1
		}
		return n
	}
	return textLength(text)
}

func textLength(text []byte) int {
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
func nestedLength(text []byte) int {
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
