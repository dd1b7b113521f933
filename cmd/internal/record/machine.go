package record

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// delimited writes RFC 4180 with LF: one header, plain numbers, lists joined by
// "; ", missing cells empty. For Excel it begins with the byte order mark, without
// which Excel does not take a file for UTF-8.
type delimited struct {
	separator byte
	comma     bool // in numbers
	excel     bool // and in numbers of the user
	columns   []string
}

func (d delimited) Head(dst []byte) []byte {
	if d.excel {
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

func (d delimited) Row(dst []byte, _ bool, cells []Cell) []byte {
	for i := range cells {
		if i > 0 {
			dst = append(dst, d.separator)
		}
		start := len(dst)
		switch c := &cells[i]; c.Form {
		case CountForm:
			dst = strconv.AppendInt(dst, c.N, 10)
		case NumberForm:
			dst = d.number(AppendNumber(dst, c.F), start)
		case ChanceForm:
			dst = d.number(append(dst, Decimal(theory.LogProb(c.F))...), start)
		case ComplementForm:
			dst = d.number(append(dst, decimalOfComplement(c.S)...), start)
		case TruthForm:
			dst = strconv.AppendBool(dst, c.N != 0)
		case WordsForm:
			dst = d.text(dst, c.S)
		case ForeignForm:
			dst = d.text(dst, Inert(c.S))
			if d.excel && IsNumeral(c.S) {
				dst = d.number(dst, start)
			}
		case ListForm:
			if len(c.List) == 1 {
				dst = d.text(dst, c.List[0])
			} else {
				dst = d.text(dst, strings.Join(c.List, "; "))
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

func (d delimited) Foot(dst []byte) []byte { return dst }

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

// PlainText is a cell as it stands in a command line.
func PlainText(c Cell) string {
	return strings.TrimSpace(string(delimited{}.Row(nil, true, []Cell{c})))
}

// Inert keeps a spreadsheet from running a user's text as a formula. Numbers stay.
func Inert(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r\n", rune(s[0])) || IsNumeral(s) {
		return s
	}
	return "'" + s
}

// IsNumeral reports whether a text is a plain decimal number, as spreadsheets of any language write it: with a
// decimal point or comma, with or without an exponent. Nothing else is taken for a number.
func IsNumeral(s string) bool {
	mantissa, exponent, scientific := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, scientific = s[:i], unsigned(s[i+1:]), true
	}
	mantissa = unsigned(mantissa)
	whole, fraction := mantissa, ""
	if i := strings.IndexAny(mantissa, ".,"); i >= 0 {
		whole, fraction = mantissa[:i], mantissa[i+1:]
	}
	if scientific && (exponent == "" || !isDigits(exponent)) {
		return false
	}
	return whole+fraction != "" && isDigits(whole+fraction)
}

// unsigned takes one sign off.
func unsigned(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// jsonRows writes rows as objects: one to a line, or inside the envelope.
type jsonRows struct {
	keys     [][]byte // `"name":`
	envelope []byte   // empty for JSON lines
}

func newJSONLines(r Result) jsonRows {
	keys := each.Of(r.Columns, func(name string) []byte { return append(appendJSONString(nil, name), ':') })
	return jsonRows{keys: keys}
}

func newJSON(r Result) jsonRows {
	e := newJSONLines(r)
	b := append([]byte(nil), `{"schema":`...)
	b = appendJSONString(b, "dpcalc/"+r.Schema)
	b = append(b, `,"version":`...)
	b = appendJSONString(b, usage.Version())
	b = append(b, `,"inputs":{`...)
	for i, in := range r.Inputs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONString(b, in.Name), ':')
		b = AppendJSON(b, &in.Value)
	}
	e.envelope = append(b, `},"rows":[`...)
	return e
}

func (e jsonRows) Head(dst []byte) []byte { return append(dst, e.envelope...) }

func (e jsonRows) Row(dst []byte, first bool, cells []Cell) []byte {
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
		dst = AppendJSON(dst, &cells[i])
	}
	dst = append(dst, '}')
	if len(e.envelope) == 0 {
		dst = append(dst, '\n')
	}
	return dst
}

func (e jsonRows) Foot(dst []byte) []byte {
	if len(e.envelope) == 0 {
		return dst
	}
	return append(dst, "\n]}\n"...)
}

// AppendJSON writes a cell as a JSON value.
func AppendJSON(dst []byte, c *Cell) []byte {
	switch c.Form {
	case CountForm:
		return strconv.AppendInt(dst, c.N, 10)
	case NumberForm:
		return AppendNumber(dst, c.F)
	case ChanceForm:
		return append(dst, Decimal(theory.LogProb(c.F))...)
	case ComplementForm:
		return append(dst, decimalOfComplement(c.S)...)
	case TruthForm:
		return strconv.AppendBool(dst, c.N != 0)
	case WordsForm, ForeignForm:
		return appendJSONString(dst, c.S)
	case ListForm:
		dst = append(dst, '[')
		for i, s := range c.List {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONString(dst, s)
		}
		return append(dst, ']')
	}
	return append(dst, "null"...)
}

// appendJSONString writes a text as a JSON string.
func appendJSONString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || strings.IndexByte(`"\`, c) >= 0 {
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
