package pvalues

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// bySeries is the source of tests that are chosen one after the other, in view of the verdicts before.
const bySeries = "series"

var seriesFlags = []string{"tests", "spending", "rejected", "passes"}

func spendingNames() []string {
	return each.Of(pvalue.Spendings(), func(s pvalue.Spending) string { return string(s) })
}

// seriesTest is a row: a test of a series that was reached.
type seriesTest struct {
	test       int64
	rejected   bool
	level      theory.LogProb
	next       theory.LogProb // the level of the test after it, if this one is rejected
	goesOn     bool           // there is one
	fixed      theory.LogProb
	bonferroni theory.LogProb
}

type seriesColumn = record.Column[seriesTest]

// chanceColumns are a probability, of which people read no more than there is, and its logarithm.
func chanceColumns(name, title string, of func(seriesTest) (theory.LogProb, bool)) (chance, ln seriesColumn) {
	cell := func(form func(theory.LogProb) record.Cell) func(seriesTest) record.Cell {
		return func(r seriesTest) record.Cell {
			p, ok := of(r)
			return form(p).If(ok)
		}
	}
	chance = seriesColumn{Name: name, Title: title,
		Cell: cell(func(p theory.LogProb) record.Cell { return record.Chance(p).AtLeast() })}
	ln = seriesColumn{Name: "ln_" + name, Cell: cell(func(p theory.LogProb) record.Cell { return record.Exactly(p.Ln()) })}
	return chance, ln
}

var seriesSource = theory.Source{Key: "dpcalc", Where: "docs/theorems/pvalue.md#tests-behind-a-gate"}

// seriesColumns are the columns for machines and for people.
func seriesColumns() (columns, shown []seriesColumn) {
	test := seriesColumn{Name: "test", Cell: func(r seriesTest) record.Cell { return record.Whole(r.test) }}
	rejected := seriesColumn{Name: "rejected", Cell: func(r seriesTest) record.Cell { return record.Truth(r.rejected) }}
	level, lnLevel := chanceColumns("level", "", func(r seriesTest) (theory.LogProb, bool) { return r.level, true })
	next, lnNext := chanceColumns("next_if_rejected", "", func(r seriesTest) (theory.LogProb, bool) { return r.next, r.goesOn })
	fixed, lnFixed := chanceColumns("fixed", "written in advance",
		func(r seriesTest) (theory.LogProb, bool) { return r.fixed, true })
	planned, lnPlanned := chanceColumns("bonferroni", "",
		func(r seriesTest) (theory.LogProb, bool) { return r.bonferroni, true })
	sources := seriesColumn{Name: "sources",
		Cell: func(seriesTest) record.Cell { return record.Sources([]theory.Source{seriesSource}) }}
	return []seriesColumn{test, rejected, level, lnLevel, next, lnNext, fixed, lnFixed, planned, lnPlanned, sources},
		[]seriesColumn{test, rejected, level, next, fixed, planned}
}

// readSeries reads the series, the tests that were rejected so far, and how many of its tests are reached.
func readSeries(c usage.Values) (s pvalue.Series, rejected []int64, reached int64, err error) {
	if _, _, err := readSource(c); err != nil {
		return s, nil, 0, err
	}
	numbers.Read(c, &err, "alpha", numbers.Probabilities, &s.Alpha)
	hasTests := numbers.Read(c, &err, "tests", numbers.Counts, &s.Tests)
	s.Passes = s.Tests
	numbers.Read(c, &err, "passes", numbers.Counts, &s.Passes)
	switch {
	case err != nil:
		return s, nil, 0, err
	case !hasTests:
		return s, nil, 0, usage.Errorf("--tests: got nothing, want a value")
	}
	spending, err := usage.OneOf(c, "spending", spendingNames()...)
	if err != nil {
		return s, nil, 0, err
	}
	s.Spending = pvalue.Spending(spending)
	if err := s.Validate(); err != nil {
		return s, nil, 0, err
	}
	rejected, err = numbers.List(c, "rejected", numbers.Counts)
	if err != nil {
		return s, nil, 0, err
	}
	reached, err = reaching(c, s, rejected)
	return s, rejected, reached, err
}

// reaching checks the numbers of the rejected tests, and returns how many tests are reached.
func reaching(c usage.Values, s pvalue.Series, rejected []int64) (int64, error) {
	reached := s.Tests
	text, _ := c.Text("rejected")
	for i, j := range rejected {
		switch {
		case i > 0 && j <= rejected[i-1]:
			return 0, usage.Invalid("rejected", text, "numbers of tests that ascend")
		case j > s.Tests:
			return 0, usage.Errorf("--rejected: got test %d, want at most the number of tests, %d", j, s.Tests)
		case int64(i) >= s.Passes:
			return 0, usage.Errorf("--rejected: got test %d, want none after test %d, which ends the series", j,
				rejected[i-1])
		case int64(i) == s.Passes-1:
			reached = j
		}
	}
	limit, err := int64(defaultMaxRows), error(nil)
	if numbers.Read(c, &err, "max-rows", numbers.Counts, &limit); err != nil {
		return 0, err
	}
	if reached > limit {
		return 0, usage.Errorf("--max-rows: got %d tests, want at most %d; allow more with --max-rows", reached, limit)
	}
	return reached, nil
}

// seriesRows are the tests of a series that are reached, after the verdicts that are known.
type seriesRows struct {
	pvalue.Series
	rejected   []int64
	after      []pvalue.Run // the series before its first test and after each rejection
	reached    int64
	bonferroni theory.LogProb
}

func newSeriesRows(s pvalue.Series, rejected []int64, reached int64) (rows seriesRows, err error) {
	run, err := s.Start()
	if err != nil {
		return rows, err
	}
	after, before := []pvalue.Run{run}, int64(0)
	for _, j := range rejected {
		run = run.Unrejected(j - before - 1).After(true)
		after, before = append(after, run), j
	}
	bonferroni, err := s.Bonferroni()
	return seriesRows{s, rejected, after, reached, bonferroni}, err
}

func (s seriesRows) Units() int { return int(s.reached) }
func (s seriesRows) Len() int   { return int(s.reached) }

// Each visits the tests after the first lo up to number hi.
func (s seriesRows) Each(lo, hi int, visit func(seriesTest) error) (err error) {
	before, found := slices.BinarySearch(s.rejected, int64(lo))
	if found {
		before++
	}
	since := int64(lo)
	if before > 0 {
		since -= s.rejected[before-1]
	}
	run, left := s.after[before].Unrejected(since), s.rejected[before:]
	for j := int64(lo) + 1; j <= int64(hi) && err == nil; j++ {
		r := seriesTest{test: j, bonferroni: s.bonferroni}
		r.level, _ = run.Level()
		r.next, r.goesOn = run.After(true).Level()
		r.fixed, _ = s.Fixed(j)
		if r.rejected = len(left) > 0 && left[0] == j; r.rejected {
			left = left[1:]
		}
		run = run.After(r.rejected)
		err = visit(r)
	}
	return err
}

// series writes the levels of tests that are chosen one after the other.
func series(c *commands.Call, t commands.Target) error {
	for _, flag := range slices.Concat(askedFlags[1:], []string{"method", "proofs", "report", "family", "family-on", "p-column", "e-column"}) {
		if c.IsGiven(flag) {
			return usage.Errorf("--%s: given with --by %s, which takes --alpha, --tests, --spending, --rejected and --passes",
				flag, bySeries)
		}
	}
	if commands.IsDrawn(c, t) {
		return usage.Errorf("plot: got --by %s, want another source", bySeries)
	}
	if files := c.Texts(usage.Arguments); len(files) > 0 {
		return usage.Errorf("--by: got %s with %s, want one of the two", bySeries, usage.Shown(files[0]))
	}
	s, rejected, reached, err := readSeries(c)
	if err != nil {
		return err
	}
	rows, err := newSeriesRows(s, rejected, reached)
	if err != nil {
		return err
	}
	columns, shown := seriesColumns()
	text, _ := c.Text("rejected")
	return commands.Emit(c, t, commands.Answer[seriesTest]{
		Command: command, Rows: rows, Columns: columns, Shown: shown,
		Inputs: []record.Input{
			{Name: "alpha", Value: record.Chance(s.Alpha)}, {Name: "by", Value: record.Words(bySeries)},
			{Name: "tests", Value: record.Count(s.Tests)}, {Name: "passes", Value: record.Count(s.Passes)},
			{Name: "spending", Value: record.Words(string(s.Spending))}, {Name: "rejected", Value: record.Words(text)},
		},
		Say: func() (title, notes []string) { return saySeries(s, text, reached) },
	})
}

func saySeries(s pvalue.Series, rejected string, reached int64) (title, notes []string) {
	text := "Levels of " + record.Plural(s.Tests, "test") + ", each chosen in view of the verdicts before, at alpha " +
		record.People(record.Chance(s.Alpha)) + ", spending " + string(s.Spending)
	if s.Passes < s.Tests {
		text += ", up to " + record.Plural(s.Passes, "rejection")
	}
	if rejected == "" {
		text += "; nothing is rejected"
	} else {
		text += "; rejected: " + rejected
	}
	if reached < s.Tests {
		text += ", which ends the series"
	}
	notes = []string{"Any false rejection at all has a probability of at most alpha, for any law of the rows."}
	if s.Passes > 1 {
		notes = append(notes, "next if rejected: the level of the next test if this one is rejected too")
	}
	return []string{text}, append(notes, "written in advance: a level that holds whatever the verdicts",
		"bonferroni: the level of each, were all fixed before the data were seen")
}
