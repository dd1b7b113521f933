package serve

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
)

// encoding writes rows in a form for machines, as the command does.
type encoding func(version string, names []string, rows [][]cell) []byte

// cell is a value of a row, nil for nothing, and whether somebody typed it.
type cell struct {
	value any
	typed bool
}

// rows writes rows of some fields.
func rows[R any](version string, write encoding, fields []column.Field[R], list ...R) []byte {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	all := make([][]cell, len(list))
	for i, r := range list {
		for _, f := range fields {
			all[i] = append(all[i], cellOf(f, r))
		}
	}
	return write(version, names, all)
}

func cellOf[R any](f column.Field[R], row R) cell {
	v := f.Value(row)
	if p, ok := v.(theory.LogProb); v == "" || ok && p == 0 {
		v = nil
	}
	return cell{v, f.Typed}
}

// text is a value as it stands in a table.
func (c cell) text() string {
	switch v := c.value.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return number(v)
	case theory.LogProb:
		if text := v.String(); !strings.HasPrefix(text, "1-") { // the complement, next to one
			return text
		}
		return number(v.Value())
	}
	return ""
}

// people is a value as people read it, a number to six digits.
func (c cell) people() string {
	if x, ok := c.value.(float64); ok {
		return text.Up(x)
	}
	return c.text()
}

// number is the shortest decimal that is read as x, as JSON has it.
func number(x float64) string {
	text, err := json.Marshal(x)
	if err != nil {
		return ""
	}
	return string(text)
}

// inJSON writes the rows in the envelope of the schema dpcalc/holdout/1.
func inJSON(version string, names []string, rows [][]cell) []byte {
	return inJSONOf("holdout")(version, names, rows)
}

// inJSONOf writes the rows in the envelope of a schema.
func inJSONOf(schema string) encoding {
	return func(version string, names []string, rows [][]cell) []byte {
		return enveloped(schema, version, names, rows)
	}
}

func enveloped(schema, version string, names []string, rows [][]cell) []byte {
	var b bytes.Buffer
	b.WriteString(`{"schema":"dpcalc/` + schema + `/1","version":` + quoted(version) + `,"inputs":{},"rows":[`)
	for i, row := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n{")
		for k, c := range row {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(names[k]) + ":")
			switch text, isText := c.value.(string); {
			case isText:
				b.WriteString(quoted(text))
			case c.value == nil:
				b.WriteString("null")
			default:
				b.WriteString(c.text())
			}
		}
		b.WriteByte('}')
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}

// quoted is a text in JSON.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a text always encodes
	}
	return strings.TrimSpace(b.String())
}

// inCSV writes the rows with a header. A text that somebody typed and a spreadsheet would run as a formula gets an
// apostrophe.
func inCSV(_ string, names []string, rows [][]cell) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	line := slices.Clone(names)
	_ = w.Write(line) // a buffer takes everything
	for _, row := range rows {
		for k, c := range row {
			if line[k] = c.text(); c.typed {
				line[k] = inert(line[k])
			}
		}
		_ = w.Write(line)
	}
	w.Flush()
	return b.Bytes()
}

// inert keeps a spreadsheet from running a text as a formula. Numbers stay.
func inert(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return s
	}
	if _, ok := decimal(s); ok && strings.Trim(s, "0123456789+-.eE") == "" {
		return s
	}
	return "'" + s
}
