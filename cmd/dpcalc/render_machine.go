package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// delimited writes RFC 4180 with LF: one header, plain numbers, lists joined by
// "; ", missing cells empty. With a decimal comma it begins with the byte order
// mark, without which Excel does not take a file for UTF-8.
type delimited struct {
	separator byte
	comma     bool // in numbers
	columns   []string
}

func (d delimited) head(dst []byte) []byte {
	if d.comma {
		dst = append(dst, "\ufeff"...)
	}
	for i, name := range d.columns {
		if i > 0 {
			dst = append(dst, d.separator)
		}
		dst = d.text(dst, name)
	}
	return append(dst, '\n')
}

func (d delimited) row(dst []byte, _ bool, cells []cell, known *chances) []byte {
	for i := range cells {
		if i > 0 {
			dst = append(dst, d.separator)
		}
		start := len(dst)
		switch c := &cells[i]; c.form {
		case count:
			dst = strconv.AppendInt(dst, c.n, 10)
		case number:
			dst = d.number(appendNumber(dst, c.f), start)
		case chance:
			dst = d.number(append(dst, known.of(c.f)...), start)
		case truth:
			dst = strconv.AppendBool(dst, c.n != 0)
		case words:
			dst = d.text(dst, c.s)
		case foreign:
			dst = d.text(dst, inert(c.s))
			if d.comma && isNumeral(c.s) {
				dst = d.number(dst, start)
			}
		case items:
			if len(c.list) == 1 {
				dst = d.text(dst, c.list[0])
			} else {
				dst = d.text(dst, strings.Join(c.list, "; "))
			}
		}
	}
	return append(dst, '\n')
}

// number replaces the decimal point of the number that begins at start.
func (d delimited) number(dst []byte, start int) []byte {
	if i := bytes.IndexByte(dst[start:], '.'); d.comma && i >= 0 {
		dst[start+i] = ','
	}
	return dst
}

func (d delimited) foot(dst []byte) []byte { return dst }

// text quotes a cell that needs it.
func (d delimited) text(dst []byte, s string) []byte {
	if strings.IndexByte(s, d.separator) < 0 && !strings.ContainsAny(s, "\"\r\n") {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// plainText is a cell as it stands in a command line.
func plainText(c cell) string {
	return strings.TrimSpace(string(delimited{}.row(nil, true, []cell{c}, new(chances))))
}

// inert keeps a spreadsheet from running a user's text as a formula. Numbers stay.
func inert(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r\n", rune(s[0])) || isNumeral(s) {
		return s
	}
	return "'" + s
}

// numeral is a plain decimal number, as spreadsheets of any language write it: with a
// decimal point or comma, with or without an exponent. Nothing else is taken for a number.
var numeral = regexp.MustCompile(`^[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?$`)

func isNumeral(s string) bool { return numeral.MatchString(s) }

// jsonRows writes rows as objects: one to a line, or inside the envelope.
type jsonRows struct {
	keys     [][]byte // `"name":`
	envelope []byte   // empty for JSON lines
}

func newJSONLines(r result) jsonRows {
	keys := make([][]byte, len(r.columns))
	for i, name := range r.columns {
		keys[i] = append(appendJSONString(nil, name), ':')
	}
	return jsonRows{keys: keys}
}

func newJSON(r result) jsonRows {
	e := newJSONLines(r)
	b := append([]byte(nil), `{"schema":`...)
	b = appendJSONString(b, "dpcalc/"+r.command+"/1")
	b = append(b, `,"version":`...)
	b = appendJSONString(b, version())
	b = append(b, `,"inputs":{`...)
	var known chances
	for i, in := range r.inputs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONString(b, in.name), ':')
		b = appendJSON(b, &in.value, &known)
	}
	e.envelope = append(b, `},"rows":[`...)
	return e
}

func (e jsonRows) head(dst []byte) []byte { return append(dst, e.envelope...) }

func (e jsonRows) row(dst []byte, first bool, cells []cell, known *chances) []byte {
	if len(e.envelope) > 0 {
		if !first {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
	}
	for i := range cells {
		if i == 0 {
			dst = append(dst, '{')
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, e.keys[i]...)
		dst = appendJSON(dst, &cells[i], known)
	}
	dst = append(dst, '}')
	if len(e.envelope) == 0 {
		dst = append(dst, '\n')
	}
	return dst
}

func (e jsonRows) foot(dst []byte) []byte {
	if len(e.envelope) == 0 {
		return dst
	}
	return append(dst, "\n]}\n"...)
}

func appendJSON(dst []byte, c *cell, known *chances) []byte {
	switch c.form {
	case count:
		return strconv.AppendInt(dst, c.n, 10)
	case number:
		return appendNumber(dst, c.f)
	case chance:
		return append(dst, known.of(c.f)...)
	case truth:
		return strconv.AppendBool(dst, c.n != 0)
	case words, foreign:
		return appendJSONString(dst, c.s)
	case items:
		dst = append(dst, '[')
		for i, s := range c.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONString(dst, s)
		}
		return append(dst, ']')
	}
	return append(dst, "null"...)
}

func appendJSONString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf || c == 0x7f {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			if err := e.Encode(s); err != nil {
				panic(err) // a string always encodes
			}
			return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
