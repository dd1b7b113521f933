package maxinfo

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/theory"
)

// ReadJoint reads the cells of a joint table, one a line, from a table with the columns x,
// y and p, with commas, semicolons or tabs. The header names the columns, in any
// order and in capitals or not; others are ignored. The values of x and y are text: 1
// and 1.0 are different. An error of [NewJoint], or a DomainError for text that is no such table, comes with the number
// of the line. An error of the reader is returned as it is.
func ReadJoint(r io.Reader) (*Joint, error) {
	s := delimited.NewSplitter(r, 0)
	header, err := s.Header()
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
		fields, _, err := s.Record()
		if err == io.EOF {
			return t.joint()
		}
		if err != nil {
			return nil, malformed(err)
		}
		at = append(at, int32(s.Line))
		text := delimited.Point(strings.ToLower(strings.TrimSpace(fields[p])), s.Separator)
		probability, err := strconv.ParseFloat(text, 64)
		mantissa, _, _ := strings.Cut(text, "e")
		underflows := probability == 0 && strings.ContainsAny(mantissa, "123456789")
		if err != nil || underflows || strings.ContainsAny(text, "_x") { // no hexadecimal
			return nil, theory.Domain(false, fmt.Sprintf("line %d, p", s.Line), strconv.Quote(fields[p]), pDomain)
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

// malformed names the line of text that is no table.
func malformed(err error) error {
	var bad *delimited.Error
	if !errors.As(err, &bad) {
		return err
	}
	got, want, _ := strings.Cut(strings.TrimPrefix(bad.Text, "got "), ", want ")
	return theory.Domain(false, fmt.Sprintf("line %d", bad.Line), got, cmp.Or(want, "quotes around a cell, and closed ones"))
}
