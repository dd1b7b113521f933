package holdout

import (
	"bytes"
	"fmt"
	"hash"
	"strings"
)

// cutShort reports whether a text is what a crash can leave of the next line. Lines are appended by one write, of
// which a crash can leave the beginning, and after it bytes of zero where the file system had made the file longer
// first. Nothing follows such a text but the end of line with which the next write begins. That write may be cut short
// too, after the end of line or later. So a text that was cut short may be anywhere in the file, but always in the
// place of a line, and it is never empty.
func (h *history) cutShort(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	start := bytes.TrimRight(text, "\x00")
	heads := []string{
		fmt.Sprintf(`{"event":"%s","look":%d`, Looked, h.looks+1),
		fmt.Sprintf(`{"event":"%s"`, Retired),
	}
	for _, head := range heads {
		rest, ok := bytes.CutPrefix(start, []byte(head))
		if strings.HasPrefix(head, string(start)) || ok && h.begins(start, rest) {
			return true
		}
	}
	return false
}

// member is a member of a [Line].
type member struct {
	name string
	text bool // and not a number
}

// members are those of a line that follow its event and look, in their order.
var members = []member{
	{"time", true}, {"name", true}, {"team", true}, {"metric", true}, {"fingerprint", true}, {"response", false},
	{"verdict", true}, {"bar", false}, {"guess", false}, {"incumbent", true}, {"predictions", true}, {"path", true},
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
	past, err := h.past.(hash.Cloner).Clone()
	if err != nil {
		return false
	}
	return bytes.HasPrefix(lineEnds.seal(past, text[:len(text)-len(rest)]), text)
}

// length is that of the value with which a text begins, or of all of the text if the value goes on. It is negative
// if no value begins so.
func (m member) length(text []byte) int {
	if !m.text {
		n := len(text) - len(bytes.TrimLeft(text, "0123456789+-.eE"))
		if n == 0 && len(text) > 0 {
			return -1
		}
		return n
	}
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
