package pvalues

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// correction is a table of p-values with what to make of it.
type correction struct {
	asked    request
	appended []record.Column[judged] // the columns after the table's own
	target   commands.Target
	by       pvalue.Test
	family   pvalue.Family
	raw      bool // cells stay as they are
	own      bool // the table is written back as it was read, with numbers for people

	table     *csvfile.Table
	threshold record.Cell
	adjusted  []theory.LogProb // of all p-values, if they are needed before the first row
}

// judged is a record of a table, with what became of its p-value.
type judged struct {
	*correction
	cells    []string
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

// appended are the columns after the table's own.
var appended = []record.Column[judged]{
	{Name: "p_adjusted", Says: "the least alpha at which the test is rejected, with the family step",
		Cell: func(j judged) record.Cell {
			return j.value(func() record.Cell {
				if j.own {
					return adjustedCell(&j.by, j.adjusted).Rounded()
				}
				return adjustedCell(&j.by, j.adjusted)
			})
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

// correctFile writes a table with the corrected p-values.
func correctFile(c *commands.Call, target commands.Target, path string) error {
	r, err := readRequest(c)
	if err != nil {
		return err
	}
	column, flag, err := readColumn(c)
	switch {
	case err != nil:
		return err
	case r.p.given:
		return usage.Errorf("--p: given with %s, want one of the two", usage.Shown(path))
	case r.against.given:
		return usage.Errorf("--losses: given with %s, want one of the two", usage.Shown(path))
	case flag != "" && column.Name == "":
		return usage.Invalid(flag, column.Name, "the name of a column")
	}
	all, best, err := r.tests()
	if err != nil {
		return err
	}
	t := &correction{asked: r, target: target, by: all[chosen(all, best)], family: pvalue.Family(r.family), raw: c.Is("raw")}
	out := target.Path
	if files := path != "-" && out != "-"; files && out != "" && outfile.IsSameFile(path, out) {
		return usage.Errorf("--output: got %s, which is read, want another file", usage.Shown(out))
	}
	if t.table, err = csvfile.OpenTable(c.Session, path, column); err != nil {
		return err
	}
	defer t.table.Close()
	t.writtenBack(c)
	a, err := t.answer()
	if err != nil {
		return err
	}
	if best >= 0 {
		a.Tally.Answered()
	}
	passes := 0 // before the rows are written
	if t.by.Status.Applies() && (t.family != pvalue.NoFamily || t.isBook()) {
		if passes = 1; t.isRawFirst() {
			passes = 2
		}
	}
	a.Bar, a.Before = c.Progress((passes+1)*t.table.Records).Of("rows"), passes*t.table.Records
	defer a.Bar.End()
	if passes > 0 {
		if err := t.adjustAll(c, a.Bar); err != nil {
			return err
		}
	}
	a.Then = func() error {
		for _, line := range t.table.Remarks() {
			fmt.Fprintln(c.Stderr, line)
		}
		t.tellMissing(c.Stderr)
		t.tellFamily(c)
		if r.source == byFree {
			fmt.Fprintln(c.Stderr, freeLook)
		}
		return nil
	}
	return commands.Emit(c, t.target, a)
}

// writtenBack takes the separator and the decimal sign of the table for the output, unless a flag asks for a format
// or a dialect. The suffix of a file's name beats the separator.
func (t *correction) writtenBack(c usage.Values) {
	_, format := c.Text("format")
	_, dialect := c.Text("csv-dialect")
	separator, name := t.table.Separator, t.target.Format.Name
	if format || dialect || !slices.Contains([]string{record.CSV.Name, record.TSV.Name}, name) {
		return
	}
	if t.target.Path != "" && name == record.TSV.Name {
		separator = '\t'
	} else if t.target.Path != "" && separator == '\t' {
		separator = ','
	}
	t.own, t.target.Format = true, record.AsRead(separator, t.table.Comma && separator != ',')
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

// tellFamily says what the step of a family rests on where no table has a title that does, and warns of a list that is
// corrected twice: as the menu that its one test was chosen from, and as a family.
func (t *correction) tellFamily(c *commands.Call) {
	outcomes, _ := c.Text("outcomes")
	menu, _ := numbers.Counts.Parse(outcomes)
	switch {
	case t.family == pvalue.NoFamily:
	case t.asked.fixed && t.target.Format.Print == nil:
		fmt.Fprintln(c.Stderr, t.title())
	case menu == int64(t.tests()):
		fmt.Fprintf(c.Stderr, "warning: the list is corrected twice: --outcomes %s is for one test that was selected among all, --family %s for all tests of the list; leave out --by if all were fixed before the data were seen\n", outcomes, t.family)
	}
}

// tests is the number of p-values that a family step counts.
func (t *correction) tests() int { return t.table.Records - t.table.Missing }

func (t *correction) isNested() bool { return t.target.Format.Nested }

func (t *correction) isBook() bool { return t.target.Format.Book != nil }

// isRawFirst reports whether the family step comes before the correction.
func (t *correction) isRawFirst() bool { return t.asked.basis == "raw" }

// answer is the table with its columns, and refuses what the format cannot hold.
func (t *correction) answer() (a commands.Answer[judged], err error) {
	if t.threshold = thresholdCell(&t.by); t.asked.fixed {
		t.threshold = record.Chance(t.by.Alpha).AtLeast()
	}
	if t.own || t.target.Format.Print != nil {
		t.threshold = t.threshold.Rounded()
	}
	t.appended = appended
	if t.isNested() {
		t.appended = slices.Concat(appended, inLogarithms)
	}
	columns, err := t.columns()
	if err != nil {
		return a, err
	}
	a = commands.Answer[judged]{
		Command: command, Rows: t, Columns: columns, Shown: titled(columns), Say: t.say, Tally: new(commands.Tally),
		Look: judged.look, About: t.about,
	}
	a.Inputs = append(t.asked.inputs(), record.Input{Name: "file", Value: record.Words(t.table.Name)},
		record.Input{Name: "p_column", Value: record.Words(t.table.Columns[t.table.P])},
		record.Input{Name: "corrected_by", Value: record.Words(t.by.Correction.Name)})
	if t.family != pvalue.NoFamily {
		a.Inputs = append(a.Inputs, record.Input{Name: "family_size", Value: record.Count(int64(t.tests()))})
	}
	rows, width := int64(t.table.Records), int64(len(columns))
	switch {
	case t.family != pvalue.NoFamily && t.tests() > mostAdjusted:
		return a, usage.Errorf("--family: got %d p-values, want at most %d, which the step holds in memory", t.tests(),
			mostAdjusted)
	case t.isBook():
		return a, commands.FitsSheet(rows, width)
	case t.target.Format.Encode == nil:
		return a, commands.FitsTable(rows, width)
	}
	return a, nil
}

// columns are the table's own, and the appended ones.
func (t *correction) columns() (all []record.Column[judged], err error) {
	mine, seen := record.Names(t.appended), make(map[string]bool)
	for i, name := range t.table.Columns {
		switch {
		case slices.Contains(mine, name):
			return nil, usage.Errorf("%s: got a column %s, want that name free for the result", t.table.Name, name)
		case t.isNested() && seen[name]:
			return nil, usage.Errorf("%s: got two columns %s, want one to write JSON", t.table.Name, usage.Shown(name))
		}
		seen[name] = true
		if delimited := t.target.Format.Encode != nil && !t.isNested(); delimited && !t.raw {
			name = record.Inert(name)
		}
		cell := func(j judged) record.Cell { return j.typed(i) }
		if t.isBook() && i == t.table.P {
			cell = judged.number
		}
		all = append(all, record.Column[judged]{Name: name, Cell: cell})
	}
	return append(all, t.appended...), nil
}

// titled shows people the names of the columns as they are.
func titled(columns []record.Column[judged]) []record.Column[judged] {
	return each.Of(columns, func(c record.Column[judged]) record.Column[judged] { return c.Titled(c.Name) })
}

// mostAdjusted is how many p-values a family step takes: some 24 bytes each.
const mostAdjusted = 100_000_000

// adjustAll fills in the adjusted p-values with the family step: taken on the p-values
// as they are corrected, or as they stand, to be corrected then.
func (t *correction) adjustAll(c *commands.Call, bar *outfile.Progress) error {
	t.adjusted = make([]theory.LogProb, t.tests())
	value := t.one
	if t.isRawFirst() {
		value = t.read
	}
	err := parallel.For(c.Context, t.table.Records, 1, c.Workers, func(lo, hi int) error {
		return t.table.Each(lo, hi, func(rank int, cells []string) (err error) {
			if text := cells[t.table.P]; !csvfile.IsAbsent(text) {
				t.adjusted[rank], err = value(text)
			}
			return err
		})
	}, bar.Step)
	if err == nil {
		err = t.family.Adjust(t.adjusted)
	}
	if err != nil || !t.isRawFirst() {
		return err
	}
	return parallel.For(c.Context, len(t.adjusted), 1, c.Workers, func(lo, hi int) (err error) {
		for i := lo; i < hi && err == nil; i++ {
			t.adjusted[i], err = t.by.Adjusted(t.adjusted[i])
		}
		return err
	}, func(done int) { bar.Step(t.table.Records + done) })
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

// Units and Len are the records of the table.
func (t *correction) Units() int { return t.table.Records }
func (t *correction) Len() int   { return t.table.Records }

// Each says what becomes of records.
func (t *correction) Each(lo, hi int, visit func(judged) error) error {
	return t.table.Each(lo, hi, func(rank int, cells []string) (err error) {
		j := judged{correction: t, cells: cells, p: !csvfile.IsAbsent(cells[t.table.P])}
		switch {
		case !j.p || !t.by.Status.Applies():
		case t.adjusted != nil:
			j.adjusted = t.adjusted[rank]
		default:
			j.adjusted, err = t.one(cells[t.table.P])
		}
		if err != nil {
			return err
		}
		return visit(j)
	})
}

// typed is a cell of the user's table.
func (j judged) typed(column int) record.Cell {
	if text := j.cells[column]; !j.raw && text != "" {
		return record.Foreign(text)
	}
	return record.Words(j.cells[column])
}

// title says in words what was done.
func (t *correction) title() string {
	alpha := record.People(record.Chance(t.by.Alpha))
	if t.asked.fixed {
		return fmt.Sprintf("P-values adjusted by the step %s of %d at alpha %s, for tests that were all fixed before the data were seen",
			t.family, t.tests(), alpha)
	}
	step := string(t.family)
	if t.family != pvalue.NoFamily {
		step += " of " + strconv.Itoa(t.tests())
	}
	if t.isRawFirst() {
		step += " on raw p-values"
	}
	return "P-values corrected by " + t.by.Correction.Name + " at alpha " + alpha + ", family " + step + ": " + t.asked.plan.String()
}

// say is what people are told.
func (t *correction) say() (title, notes []string) {
	title = []string{t.title()}
	if t.asked.fixed {
		return title, nil
	}
	if t.by.Status.Applies() {
		notes = append([]string{"One selected test rejects if p <= " + record.People(thresholdCell(&t.by))},
			commands.Assumed(t.by.Correction.Assumes)...)
	}
	return title, notes
}
