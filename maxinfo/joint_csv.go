package maxinfo

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
)

// ReadJoint reads the cells of a joint table, one a line, from CSV with the columns x,
// y and p, or from the same with tabs for commas. The header names the columns, in any
// order and in capitals or not; others are ignored. The values of x and y are text: 1
// and 1.0 are different. An error of [NewJoint], or a DomainError for text that is no such table, comes with the number
// of the line. An error of the reader is returned as it is.
func ReadJoint(r io.Reader) (*Joint, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	lines := csv.NewReader(in)
	lines.ReuseRecord = true
	start, err := in.Peek(4096)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.HasPrefix(start, []byte("\ufeff")) { // a byte order mark
		in.Discard(3)
	}
	if header, _, _ := bytes.Cut(start, []byte("\n")); bytes.ContainsRune(header, '\t') &&
		!bytes.ContainsRune(header, ',') {
		lines.Comma = '\t'
	}
	header, err := lines.Read()
	if err == io.EOF {
		return nil, theory.Domain(false, "joint table", "nothing", "a header with the columns x, y and p")
	}
	if err != nil {
		return nil, malformed(err)
	}
	x, y, p, err := columns(header)
	if err != nil {
		return nil, err
	}
	var at []int32 // the line of each cell
	t := newTable(0, func(i int) string { return fmt.Sprintf("line %d", at[i]) })
	for {
		fields, err := lines.Read()
		if err == io.EOF {
			return t.joint()
		}
		if err != nil {
			return nil, malformed(err)
		}
		line, _ := lines.FieldPos(0)
		at = append(at, int32(line))
		text := strings.ToLower(strings.TrimSpace(fields[p]))
		probability, err := strconv.ParseFloat(text, 64)
		mantissa, _, _ := strings.Cut(text, "e")
		underflows := probability == 0 && strings.ContainsAny(mantissa, "123456789")
		if err != nil || underflows || strings.ContainsAny(text, "_x") { // no hexadecimal
			return nil, theory.Domain(false, fmt.Sprintf("line %d, p", line), strconv.Quote(fields[p]), pDomain)
		}
		if err := t.add(Cell{fields[x], fields[y], probability}); err != nil {
			return nil, err
		}
	}
}

// columns returns the positions of x, y and p in a header.
func columns(header []string) (x, y, p int, err error) {
	at := map[string][]int{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		at[name] = append(at[name], i)
	}
	if len(at["x"]) != 1 || len(at["y"]) != 1 || len(at["p"]) != 1 {
		return 0, 0, 0, theory.Domain(false, "header", strconv.Quote(strings.Join(header, ",")),
			"the columns x, y and p, each once")
	}
	return at["x"][0], at["y"][0], at["p"][0], nil
}

// malformed names the line of text that is no CSV.
func malformed(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return err
	}
	return theory.Domain(false, fmt.Sprintf("line %d", bad.Line), bad.Err.Error(),
		"fields as in the header, with quotes around those that contain a quote or a line break")
}
