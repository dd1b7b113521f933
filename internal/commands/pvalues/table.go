package pvalues

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/csvfile"
	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/internal/outfile"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// correction is a table of p-values with what to make of it.
type correction struct {
	inputs    []record.Input
	live      *record.Live
	columns   []string // those of the table, and those that are appended
	appended  []record.Column[judged]
	target    commands.Target
	by        pvalue.Test
	after     string // what was learned before
	family    pvalue.Family
	rawFamily bool // the family step comes first
	raw       bool

	table     *csvfile.Table
	threshold record.Cell
	adjusted  []theory.LogProb // of all p-values, if they are needed before the first row
}

// judged is what became of a p-value of a table.
type judged struct {
	*correction
	p        bool // whether there is one
	adjusted theory.LogProb
}

// value is a cell of a p-value that the test says something about.
func (j judged) value(c func() record.Cell) record.Cell {
	if !j.p || !j.by.Status.Applies() {
		return record.Cell{}
	}
	return c()
}

// rejected says whether a p-value is rejected.
var rejected = record.Column[judged]{Name: "reject", Says: "whether p_adjusted is at most alpha",
	Cell: func(j judged) record.Cell {
		return j.value(func() record.Cell { return record.Truth(j.adjusted <= j.by.Alpha) })
	}}

// appended are the columns after those of the table.
var appended = []record.Column[judged]{
	{Name: "p_adjusted", Says: "the least alpha at which the test is rejected, with the family step",
		Cell: func(j judged) record.Cell {
			return j.value(func() record.Cell { return adjustedCell(&j.by, j.adjusted) })
		}},
	{Name: "threshold", Says: "that of a single selected test", Cell: func(j judged) record.Cell {
		return j.value(func() record.Cell { return j.threshold })
	}},
	rejected,
	{Name: "status", Says: "ok: certified; missing: no p-value; vacuous: the theorem leaves no threshold",
		Cell: func(j judged) record.Cell {
			if !j.p {
				return record.Words(string(theory.Missing))
			}
			return record.Words(string(j.by.Status))
		}},
}

// inLogarithms are the columns after those, in formats that nest.
var inLogarithms = []record.Column[judged]{
	{Name: "ln_p_adjusted", Cell: func(j judged) record.Cell {
		return j.value(func() record.Cell { return record.Exactly(j.adjusted.Ln()) })
	}},
	{Name: "ln_threshold", Cell: func(j judged) record.Cell {
		return j.value(func() record.Cell { return record.Exactly(j.by.Threshold.Ln()) })
	}},
}

// correctFile writes a table with the corrected p-values. With own it is written with
// the separator that it has.
func correctFile(c *commands.Call, t *correction, path string, column csvfile.Column, own bool) (err error) {
	out := t.target.Path
	if files := path != "-" && out != "-"; files && out != "" && outfile.SameFile(path, out) {
		return usage.Errorf("--output: got %s, which is read, want another file", usage.Shown(out))
	}
	if t.table, err = csvfile.OpenTable(c.Session, path, column); err != nil {
		return err
	}
	defer t.table.Close()
	if own && t.target.Format.Dialect == "" && t.table.Separator == '\t' {
		t.target.Format = record.TSV
	}
	if err := t.head(); err != nil {
		return err
	}
	if t.threshold = thresholdCell(&t.by); t.target.Format.Print != nil {
		t.threshold = Legible(t.by.Threshold)
	}
	passes := 0 // before the rows are written
	if t.by.Status.Applies() && (t.family != pvalue.NoFamily || t.xlsx()) {
		if passes = 1; t.rawFamily {
			passes = 2
		}
	}
	bar := c.Progress((passes + 1) * t.table.Records).Of("rows")
	defer bar.End()
	if passes > 0 {
		if err := t.adjustAll(c, bar); err != nil {
			return err
		}
	}
	before := passes * t.table.Records
	switch {
	case t.target.Format.Encode != nil:
		err = t.writeRows(c, t.target.Format.Encode(record.Result{Command: command, Inputs: t.inputs, Columns: t.columns}),
			bar,
			before)
	case t.xlsx():
		err = t.workbook(c, bar, before)
	default:
		err = t.tabulate(c)
	}
	bar.End()
	if err == nil {
		for _, line := range t.table.Remarks() {
			fmt.Fprintln(c.Stderr, line)
		}
		t.tellMissing(c.Stderr)
	}
	return err
}

// tellMissing counts the missing p-values, and warns of a family step that does not count
// them: some programs write NA for a test that was made and failed.
func (t *correction) tellMissing(w io.Writer) {
	switch n := t.table.Missing; {
	case n == 0:
		return
	case n == 1:
		fmt.Fprintln(w, "1 missing p-value")
	default:
		fmt.Fprintf(w, "%d missing p-values\n", n)
	}
	if t.family != pvalue.NoFamily && t.adjusted != nil {
		fmt.Fprintf(w, "warning: --family %s counted m = %d p-values and none of the missing ones; NA may stand for \"not significant\", as DESeq2's padj does for genes that it filters out: a test that was made counts, give it p = 1\n", t.family,
			t.tests())
	}
}

// tests is the number of p-values that a family step counts.
func (t *correction) tests() int { return t.table.Records - t.table.Missing }

func (t *correction) json() bool { return t.target.Format.Nested }

func (t *correction) xlsx() bool { return t.target.Format.Book != nil }

// head makes the columns and the envelope.
func (t *correction) head() error {
	t.appended = appended
	if t.json() {
		t.appended = slices.Concat(appended, inLogarithms)
	}
	mine := record.Names(t.appended)
	if t.follows() {
		mine = append(mine, rejectLive)
	}
	seen := make(map[string]bool)
	for _, name := range t.table.Columns {
		switch {
		case slices.Contains(mine, name):
			return usage.Errorf("%s: got a column %s, want that name free for the result", t.table.Name, name)
		case t.json() && seen[name]:
			return usage.Errorf("%s: got two columns %s, want one to write JSON", t.table.Name, usage.Shown(name))
		}
		seen[name] = true
		if delimited := t.target.Format.Encode != nil && !t.json(); delimited && !t.raw {
			name = record.Inert(name)
		}
		t.columns = append(t.columns, name)
	}
	t.columns = append(t.columns, mine...)
	t.inputs = append(t.inputs, record.Input{Name: "file", Value: record.Words(t.table.Name)},
		record.Input{Name: "p_column", Value: record.Words(t.table.Columns[t.table.P])},
		record.Input{Name: "corrected_by", Value: record.Words(t.by.Correction.Name)})
	if t.family != pvalue.NoFamily {
		t.inputs = append(t.inputs, record.Input{Name: "family_size", Value: record.Count(int64(t.tests()))})
	}
	switch {
	case t.family != pvalue.NoFamily && t.tests() > mostAdjusted:
		return usage.Errorf("--family: got %d p-values, want at most %d, which the step holds in memory", t.tests(),
			mostAdjusted)
	case t.xlsx():
		return t.fits()
	case t.target.Format.Encode == nil:
		return commands.FitsTable(int64(t.table.Records), int64(len(t.columns)))
	}
	return nil
}

// mostAdjusted is how many p-values a family step takes: some 24 bytes each.
const mostAdjusted = 100_000_000

// adjustAll fills in the adjusted p-values with the family step: taken on the p-values
// as they are corrected, or as they stand, to be corrected then.
func (t *correction) adjustAll(c *commands.Call, bar *outfile.Progress) error {
	t.adjusted = make([]theory.LogProb, t.tests())
	value := t.one
	if t.rawFamily {
		value = t.read
	}
	free := splitters()
	err := outfile.Stream(c.Context, io.Discard, t.table.Records, c.Workers, func(dst []byte, lo, hi int) ([]byte, error) {
		s := free.Get().(*delimited.Splitter)
		defer free.Put(s)
		return dst, t.table.Each(s, lo, hi, func(rank int, cells []string) (err error) {
			if text := cells[t.table.P]; !csvfile.Absent(text) {
				t.adjusted[rank], err = value(text)
			}
			return err
		})
	}, bar.Step)
	if err == nil {
		err = t.family.Adjust(t.adjusted)
	}
	if err != nil || !t.rawFamily {
		return err
	}
	return outfile.Stream(c.Context, io.Discard, len(t.adjusted), c.Workers,
		func(dst []byte, lo, hi int) (_ []byte, err error) {
			for i := lo; i < hi && err == nil; i++ {
				t.adjusted[i], err = t.by.Adjusted(t.adjusted[i])
			}
			return dst, err
		}, func(done int) { bar.Step(t.table.Records + done) })
}

func splitters() *sync.Pool {
	return &sync.Pool{New: func() any { return delimited.NewSplitter(nil, 0) }}
}

// one adjusts a single p-value.
func (t *correction) one(text string) (theory.LogProb, error) {
	p, err := t.read(text)
	if err != nil {
		return 0, err
	}
	return t.by.Adjusted(p)
}

// read reads a p-value. The float64 above an ordinary decimal will do, except where a
// rounding decides.
func (t *correction) read(text string) (theory.LogProb, error) {
	if x, ok := t.table.Plain(text); ok && x > 1e-300 {
		if p, err := theory.Prob(math.Nextafter(x, 1)); err == nil && math.Abs(p.Ln()-t.by.Threshold.Ln()) > 1e-9 {
			return p, nil
		}
	}
	p, ok := t.table.Chance(text)
	if !ok {
		return 0, t.table.Changed()
	}
	return p, nil
}

// judge says what becomes of a record.
func (t *correction) judge(rank int, cells []string) (j judged, err error) {
	j = judged{correction: t, p: !csvfile.Absent(cells[t.table.P])}
	switch {
	case !j.p || !t.by.Status.Applies():
	case t.adjusted != nil:
		j.adjusted = t.adjusted[rank]
	default:
		j.adjusted, err = t.one(cells[t.table.P])
	}
	return j, err
}

// row makes the cells of a record.
func (t *correction) row(row []record.Cell, rank int, cells []string) ([]record.Cell, error) {
	j, err := t.judge(rank, cells)
	return record.Row(t.asItWas(row, cells), t.appended, j), err
}

// asItWas appends the cells of the user's table.
func (t *correction) asItWas(row []record.Cell, cells []string) []record.Cell {
	for _, text := range cells {
		c := record.Foreign(text)
		if t.raw || text == "" {
			c = record.Words(text)
		}
		row = append(row, c)
	}
	return row
}

// writeRows writes the rows for machines in bounded memory.
func (t *correction) writeRows(c *commands.Call, e record.Encoder, bar *outfile.Progress, before int) error {
	type scratch struct {
		*delimited.Splitter
		row   []record.Cell
		known record.Chances
	}
	free := sync.Pool{New: func() any { return &scratch{Splitter: delimited.NewSplitter(nil, 0)} }}
	encode := func(dst []byte, lo, hi int) ([]byte, error) {
		w := free.Get().(*scratch)
		defer free.Put(w)
		first := lo == 0
		err := t.table.Each(w.Splitter, lo, hi, func(rank int, cells []string) (err error) {
			if w.row, err = t.row(w.row[:0], rank, cells); err != nil {
				return err
			}
			dst = e.Row(dst, first, w.row, &w.known)
			first = false
			return nil
		})
		return dst, err
	}
	return c.WriteTo(t.target, func(w io.Writer) error {
		if _, err := w.Write(e.Head(nil)); err != nil {
			return err
		}
		if err := outfile.Stream(c.Context, w, t.table.Records, c.Workers, encode,
			func(done int) { bar.Step(before + done) }); err != nil {
			return err
		}
		_, err := w.Write(e.Foot(nil))
		return err
	})
}

// tabulate writes the rows for people.
func (t *correction) tabulate(c *commands.Call) error {
	rows := make([][]record.Cell, 0, t.table.Records)
	if t.table.Records > 0 {
		err := t.table.Each(delimited.NewSplitter(nil, 0), 0, t.table.Records, func(rank int, cells []string) error {
			row, err := t.row(nil, rank, cells)
			rows = append(rows, row)
			return errors.Join(err, c.Context.Err())
		})
		if err != nil {
			return err
		}
	}
	s := t.summary()
	s.Columns, s.Rows = t.columns, rows
	return c.WriteTo(t.target, func(w io.Writer) error { return t.target.Format.Print(w, s) })
}

// summary says in words what was done.
func (t *correction) summary() record.Sheet {
	step := string(t.family)
	if t.family != pvalue.NoFamily {
		step += " of " + strconv.Itoa(t.tests())
	}
	if t.rawFamily {
		step += " on raw p-values"
	}
	s := record.Sheet{Title: []string{"P-values corrected by " + t.by.Correction.Name + " at alpha " +
		record.People(record.Chance(t.by.Alpha)) + ", family " + step + ": " + t.after}}
	if t.by.Status.Applies() {
		s.Notes = append([]string{"One selected test rejects if p <= " + record.People(Legible(t.by.Threshold))},
			commands.Assumed(t.by.Correction.Assumes)...)
	}
	return s
}
