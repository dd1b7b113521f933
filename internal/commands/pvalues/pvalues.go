package pvalues

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/commands/steps"
	"github.com/dpcalc/dpcalc/internal/csvfile"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/outfile"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func Command() *commands.Command {
	return &commands.Command{
		Name:      "pvalue-correct",
		Summary:   "p-values of tests that were chosen after the data had been seen",
		Arguments: "[FILE|-]",
		Description: "The threshold gamma at which the selected test may reject at level alpha, by every theorem that\n" +
			"speaks about what the selection was based on, and with --p the adjusted p-value. --by names that SOURCE,\n" +
			"which takes its own flags:\n\n" + sourceGrammar() + "\n\n" +
			"A FILE of comma, semicolon or tab separated values (- for standard input) is written back as csv, or tsv if\n" +
			"it is, with the columns p_adjusted, threshold, reject and status appended, by the method with the greatest\n" +
			"threshold or --method. Empty cells, NA, NaN, null and . are missing values, <0.001 is read as 0.001, and a\n" +
			"single column of p-values needs no header line. A correction protects the one\n" +
			"selected test. If several are reported, --family makes p_adjusted and reject valid for all of them; threshold\n" +
			"stays that of a single test. --family-on adjusted (default) takes the step on the adjusted p-values; raw takes\n" +
			"it on the p-values of the FILE and corrects the result once, which is valid too and rejects no less (by\n" +
			"russo-zou16, at alpha up to 0.6).\n" +
			"A workbook (-o FILE.xlsx) has a sheet whose thresholds follow its inputs.",
		Flags: []usage.Flag{
			{Name: "alpha", Alias: "a", Usage: "`A`, the probability of a false rejection"},
			{Name: "by", Usage: "`SOURCE` of the selection: " + usage.OrList(sourceNames()), Words: sourceNames()},
			{Name: "p", Usage: "`P`, a p-value, in place of a FILE"},
			{Name: "samples", Alias: "n", Usage: "`N` rows"},
			steps.DataFlag,
			commands.NeighboursFlag,
			{Name: "epsilon", Usage: "`E`, the privacy of all that was seen"},
			{Name: "delta", Usage: "`D`, its delta"},
			{Name: "mu", Usage: "`M`, its Gaussian differential privacy"},
			{Name: "queries", Alias: "m", Usage: "`M` linear queries with values in [0,1], answered with Gaussian noise"},
			{Name: "noise-sd", Usage: "`S`, the standard deviation of the noise"},
			{Name: "outcomes", Usage: "`N` possible answers, or tests among which one was selected"},
			{Name: "bits", Usage: "`B` bits of description, of mutual information or of max-information"},
			{Name: "nats", Usage: "`I` nats of mutual information or of max-information, in place of bits"},
			{Name: "slack", Usage: "`B`, the slack of the max-information (default 0)"},
			steps.StepFlag,
			{Name: "method", Usage: "only this `METHOD`"},
			{Name: "family", Usage: "correct all p-values of the FILE by `STEP`: " + usage.OrList(familyNames()) + " (default none)", Words: familyNames()},
			{Name: "family-on", Usage: "take the STEP on `WHICH` p-values: " + usage.OrList(familyBases) + " (default adjusted)", Words: familyBases},
			{Name: "p-column", Usage: "`NAME` of the column of p-values (default p, pval, p_value or the like)"},
			{Name: "raw", Switch: true, Usage: "leave cells of the FILE that a spreadsheet would run as formulas as they are"},
		},
		Output: commands.Tables,
		Examples: [2]string{
			"dpcalc pvalue-correct --p 0.003 --alpha 0.05 --by pure-dp --epsilon 0.01 --samples 10k",
			"dpcalc pvalue-correct pvalues.csv --alpha 0.05 --by description --outcomes 40 --family holm",
		},
		Run: runPvalueCorrect,
	}
}

// bySteps is the source that is a chain of --step.
const bySteps = "steps"

func sourceNames() []string { return append(steps.KindNames(steps.Kinds()), bySteps) }

// familyBases are the p-values that a family step is taken on. The first is the
// default.
var familyBases = []string{"adjusted", "raw"}

func familyNames() []string {
	var names []string
	for _, f := range pvalue.Families() {
		names = append(names, string(f))
	}
	return names
}

// sampleFlags go with every source that depends on the number of records.
var sampleFlags = []string{"samples", "data"}

// sourceFlags returns the flags that belong to a source.
func sourceFlags(source string) []string {
	for _, k := range steps.Kinds() {
		if k.Name != source {
			continue
		}
		flags := k.Keys()
		if k.Private {
			flags = append(flags, sampleFlags...)
		}
		if k.Replaced != nil {
			flags = append(flags, commands.NeighboursKey)
		}
		return flags
	}
	return append([]string{"step", commands.NeighboursKey}, sampleFlags...)
}

// sourceGrammar is the sources with their flags, a line each.
func sourceGrammar() string {
	var lines []string
	for _, k := range steps.Kinds() {
		var parts []string
		for _, group := range k.Needs {
			parts = append(parts, "--"+strings.Join(group, "|--"))
		}
		if k.Private {
			parts = append(parts, "--samples", "[--data]")
		}
		if k.Replaced != nil {
			parts = append(parts, "[--"+commands.NeighboursKey+"]")
		}
		for _, key := range k.Optional {
			parts = append(parts, "[--"+key+"]")
		}
		lines = append(lines, fmt.Sprintf("  %-12s %s", k.Name, strings.Join(parts, " ")))
	}
	return strings.Join(append(lines, fmt.Sprintf("  %-12s --step ... as in maxinfo", bySteps)), "\n")
}

// readSource reads --by and the flags of that source.
func readSource(c usage.Values) (plan steps.Learned, source string, err error) {
	if _, ok := c.Text("by"); !ok {
		return plan, "", usage.Errorf("--by: got nothing, want %s", usage.OrList(sourceNames()))
	}
	if source, err = usage.OneOf(c, "by", sourceNames()...); err != nil {
		return plan, source, err
	}
	mine := sourceFlags(source)
	d := &steps.Details{Where: "--", Dash: "--", Said: make(map[string]string)}
	for _, other := range sourceNames() {
		for _, flag := range sourceFlags(other) {
			raw, ok := c.Text(flag)
			if ok && !slices.Contains(mine, flag) {
				return plan, source, usage.Errorf("--%s: given with --by %s, which takes --%s; it belongs to %s",
					flag, source, strings.Join(mine, ", --"), usage.OrList(ownersOf(flag)))
			}
			if ok {
				d.Said[flag] = raw
			}
		}
	}
	kinds := steps.Kinds()
	i := slices.IndexFunc(kinds, func(k steps.Kind) bool { return k.Name == source })
	if i < 0 {
		plan, err = steps.Read(c)
		return plan, source, err
	}
	step, err := kinds[i].Step(d)
	if err != nil {
		return plan, source, err
	}
	by, err := commands.ReadConvention(c)
	if err != nil {
		return plan, source, err
	}
	var typed []string
	for _, key := range kinds[i].Keys() {
		if d.Has(key) {
			typed = append(typed, key+"="+d.Said[key])
		}
	}
	if err := plan.Add(kinds[i], step, source+":"+strings.Join(typed, ","), by); err != nil {
		return plan, source, err
	}
	if !kinds[i].Private {
		return plan, source, nil
	}
	return plan, source, steps.ReadSample(c, &plan.Plan, source)
}

// ownersOf returns the sources that a flag belongs to.
func ownersOf(flag string) []string {
	return slices.DeleteFunc(sourceNames(), func(s string) bool { return !slices.Contains(sourceFlags(s), flag) })
}

// corrector is a correction at one level.
type corrector struct {
	pvalue.Correction
	alpha, threshold theory.LogProb
	status           transfer.Status
	reason           string
}

// correctors returns the corrections of a plan, only that of the method if one is
// named, and the one with the greatest threshold, -1 if none leaves any.
func correctors(plan maxinfo.Plan, alpha theory.LogProb, method string) (all []corrector, best int, err error) {
	best = -1
	corrections, err := pvalue.Corrections(plan)
	status, reason, err := commands.RowStatus(steps.WrongOrder(err))
	if err != nil {
		return nil, best, err
	}
	if status != transfer.OK { // no theorem has a number for the whole
		return []corrector{{alpha: alpha, threshold: theory.Zero, status: status, reason: reason}}, best, nil
	}
	var names []string
	for _, correction := range corrections {
		c := corrector{Correction: correction, alpha: alpha}
		c.threshold, err = correction.Threshold(alpha)
		if c.status, c.reason, err = commands.RowStatus(err); err != nil {
			return nil, best, fmt.Errorf("%s: %w", c.Name, err)
		}
		if c.status == transfer.OK && c.threshold == theory.Zero {
			c.status, c.reason = transfer.Vacuous, "no threshold above zero at this alpha"
		}
		if names = append(names, c.Name); method != "" && method != c.Name {
			continue
		}
		if all = append(all, c); c.status == transfer.OK && (best < 0 || c.threshold > all[best].threshold) {
			best = len(all) - 1
		}
	}
	if len(all) == 0 {
		return nil, best, usage.Errorf("--method: got %s, want %s for this source%s", usage.Shown(method), usage.OrList(names), usage.DidYouMean(method, names))
	}
	return all, best, nil
}

// applies says whether the theorem says something about every p-value.
func (c *corrector) applies() bool { return c.status == transfer.OK || c.status == transfer.Vacuous }

// adjusted returns the adjusted p-value. Both curves of a correction are rounded to
// the safe side, so either of them may decide at alpha: the threshold does, and p is
// rejected if and only if its adjusted value is at most alpha.
func (c *corrector) adjusted(p theory.LogProb) (theory.LogProb, error) {
	a, err := c.Adjusted(p)
	switch {
	case err != nil || c.status == transfer.Vacuous:
		return a, err
	case p <= c.threshold:
		return min(a, c.alpha), nil
	}
	return max(a, theory.LogProb(math.Nextafter(c.alpha.Ln(), 0))), nil
}

// adjustedCell writes an adjusted p-value as a float64, rounded up, which is done in
// no time. The shortest decimal of its logarithm serves where a float64 underflows
// and where only that tells it from alpha.
func (c *corrector) adjustedCell(a theory.LogProb) record.Cell {
	x := a.Value()
	if x < 1e-300 || math.Abs(a.Ln()-c.alpha.Ln()) < 1e-9 {
		return record.Chance(a)
	}
	return record.Exactly(min(x*(1+0x1p-50), 1))
}

// legible cuts a threshold to six digits, so that people read none above it but for
// the rounding of float64, as people read numbers.
func legible(threshold theory.LogProb) record.Cell {
	mantissa, exponent, tiny := strings.Cut(threshold.String(), "e")
	if x := threshold.Value(); x > 1e-300 {
		_, digits, e := record.SixDigits(x, false)
		mantissa, exponent = digits[:1]+"."+digits[1:], strconv.Itoa(e)
	} else if tiny {
		mantissa = mantissa[:min(len("d.ddddd"), len(mantissa))]
	}
	cut, ok := numbers.ParseProb(mantissa + "e" + exponent)
	if !ok { // zero
		return record.Chance(threshold)
	}
	return record.Chance(cut)
}

func runPvalueCorrect(c *commands.Call) error {
	path := ""
	switch files := c.Texts(usage.Arguments); {
	case len(files) > 1:
		return usage.Errorf("pvalue-correct: unexpected argument %s", usage.Shown(files[1]))
	case len(files) == 1:
		path = files[0]
	}
	_, hasFormat := c.Text("format")
	to, hasOutput := c.Text("output")
	own := path != "" && !hasFormat && (!hasOutput || to == "-") // the FILE's kind decides the format
	if own {
		c = &commands.Call{Session: c.Session, Values: usage.Replaced(c.Values, "format", record.CSV.Name), Command: c.Command, Formats: c.Formats}
	}
	target, err := c.Target()
	if err != nil {
		return err
	}
	alpha, ok, err := numbers.One(c, "alpha", numbers.Probabilities)
	if err != nil {
		return err
	}
	if !ok {
		return usage.Errorf("--alpha: got nothing, want a value")
	}
	plan, source, err := readSource(c)
	if err != nil {
		return err
	}
	single, hasP, err := numbers.One(c, "p", numbers.ChancesOfAll)
	if err != nil {
		return err
	}
	family, err := usage.OneOf(c, "family", familyNames()...)
	if err != nil {
		return err
	}
	_, hasBasis := c.Text("family-on")
	basis, err := usage.OneOf(c, "family-on", familyBases...)
	if err != nil {
		return err
	}
	method, _ := c.Text("method")
	column, hasColumn := c.Text("p-column")
	switch {
	case len(c.Texts(usage.Arguments)) > 0 && path == "":
		return usage.Errorf("pvalue-correct: got %s, want a FILE", usage.Shown(path))
	case hasP && path != "":
		return usage.Errorf("--p: given with %s, want one of the two", usage.Shown(path))
	case hasColumn && path == "":
		return usage.Errorf("--p-column: got %s without a FILE", usage.Shown(column))
	case hasColumn && column == "":
		return usage.Invalid("p-column", column, "the name of a column")
	case c.Is("raw") && path == "":
		return usage.Errorf("--raw: given without a FILE")
	case family != string(pvalue.NoFamily) && path == "" && !hasP:
		return usage.Errorf("--family: got %s without a FILE of p-values", family)
	case family == string(pvalue.NoFamily) && hasBasis:
		return usage.Errorf("--family-on: got %s without a --family", basis)
	case family == string(pvalue.NoFamily):
		basis = ""
	}
	all, best, err := correctors(plan.Plan, alpha, method)
	if err != nil {
		return err
	}
	r := record.Result{Command: "pvalue-correct", Inputs: slices.Concat([]record.Input{
		{Name: "alpha", Value: record.Chance(alpha)}, {Name: "by", Value: record.Words(source)}}, plan.Inputs(),
		[]record.Input{{Name: "method", Value: record.Words(method)}, {Name: "family", Value: record.Words(family)}, {Name: "family_on", Value: record.Words(basis)}})}
	follow := selection{plan: plan, source: source, method: method, alpha: alpha}
	if path != "" {
		by := all[chosen(all, best)]
		if r.Live, err = follow.live([]corrector{by}, nil); err != nil {
			return err
		}
		t := correction{Result: r, target: target, by: by, after: plan.String(), family: pvalue.Family(family), rawFamily: basis == "raw", raw: c.Is("raw")}
		err = correctFile(c, &t, path, column, own)
	} else {
		if r.Live, err = follow.live(all, &typedP{single, hasP}); err != nil {
			return err
		}
		err = correctOne(c, r, target, all, best, single, hasP, plan)
		if raw, _ := c.Text("p"); err == nil {
			if number, bound := numbers.UpperBound(raw); bound {
				fmt.Fprintf(c.Stderr, "p %s is read as %s\n", usage.Shown(raw), number)
			}
		}
	}
	if err == nil && best < 0 {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return err
}

// chosen is the best row, or else the first that says something, or the first.
func chosen(all []corrector, best int) int {
	if best >= 0 {
		return best
	}
	return max(0, slices.IndexFunc(all, func(c corrector) bool { return c.applies() }))
}

// correctOne writes a row for each correction, with what it makes of p.
func correctOne(c *commands.Call, r record.Result, t commands.Target, all []corrector, best int, single theory.LogProb, hasP bool, after steps.Learned) error {
	by := after.Neighbours
	r.Columns = []string{"method", "alpha", "ln_alpha", "threshold", "ln_threshold", "best", "proof", "status", "reason", "sources", "assumes", commands.NeighboursKey}
	if hasP {
		r.Inputs = append(r.Inputs, record.Input{Name: "p", Value: record.Chance(single)})
		r.Columns = append(r.Columns, "p", "ln_p", "p_adjusted", "ln_p_adjusted", "reject")
	}
	var rows, short [][]record.Cell
	var leftOut commands.Reasons
	for i := range all {
		c := &all[i]
		var threshold, lnThreshold, read, adjusted, lnAdjusted, reject record.Cell
		if c.applies() {
			threshold, lnThreshold, read = record.Chance(c.threshold), record.Exactly(c.threshold.Ln()), legible(c.threshold)
			if hasP {
				a, err := c.adjusted(single)
				if err != nil {
					return err
				}
				adjusted, lnAdjusted, reject = c.adjustedCell(a), record.Exactly(a.Ln()), record.Truth(a <= c.alpha)
			}
		}
		row := []record.Cell{
			record.Words(c.Name), record.Chance(c.alpha), record.Exactly(c.alpha.Ln()), threshold, lnThreshold, record.Truth(i == best), record.Words(string(c.Proof)),
			record.Words(string(c.status)), record.Words(c.reason), record.Sources(by.Sources(c.Sources)), record.List(c.Assumes), record.Words(string(by)),
		}
		if hasP {
			row = append(row, record.Chance(single), record.Exactly(single.Ln()), adjusted, lnAdjusted, reject)
		}
		rows = append(rows, row)
		if leftOut.LeavesOut(c.Name, c.status, c.reason) {
			continue
		}
		short = append(short, []record.Cell{
			record.Mark(i == best), record.Words(c.Name), read, adjusted, reject, record.Words(string(c.Proof)), record.Words(string(c.status)), record.Words(c.reason),
		})
	}
	return commands.Emit(c, t, r, rows, func() record.Sheet {
		title := "Threshold for the p-value of one selected test at alpha " + record.People(record.Chance(all[0].alpha))
		if hasP {
			title += ", p " + record.People(record.Chance(single))
		}
		s := record.Sheet{
			Title:   []string{title + ": " + after.String()},
			Columns: []string{"", "method", "threshold", "p adjusted", "reject", "proof", "status", "reason"},
			Rows:    short,
		}
		if best >= 0 {
			s.Notes = append([]string{"* " + all[best].Name + ", greatest threshold: reject if p <= " + record.People(legible(all[best].threshold))}, commands.Assumed(all[best].Assumes)...)
		}
		s.Notes = append(s.Notes, leftOut.Lines()...)
		return s
	})
}

// correction is a table of p-values with what to make of it.
type correction struct {
	record.Result
	target    commands.Target
	by        corrector
	after     string // what was learned before
	family    pvalue.Family
	rawFamily bool // the family step comes first
	raw       bool

	table     *csvfile.Table
	threshold record.Cell
	adjusted  []theory.LogProb // of all p-values, if they are needed before the first row
}

// appended are the columns after those of the table; the logarithms stand in JSON
// alone.
var appended = []string{"p_adjusted", "threshold", "reject", "status", "ln_p_adjusted", "ln_threshold"}

// correctFile writes a table with the corrected p-values. With own it is written with
// the separator that it has.
func correctFile(c *commands.Call, t *correction, path, column string, own bool) (err error) {
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
	if t.threshold = record.Chance(t.by.threshold); t.target.Format.Print != nil {
		t.threshold = legible(t.by.threshold)
	}
	passes := 0 // before the rows are written
	if t.by.applies() && (t.family != pvalue.NoFamily || t.xlsx()) {
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
		err = t.stream(c, t.target.Format.Encode(t.Result), bar, before)
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
		fmt.Fprintf(w, "warning: --family %s counted m = %d p-values and none of the missing ones; NA may stand for \"not significant\", "+
			"as DESeq2's padj does for genes that it filters out: a test that was made counts, give it p = 1\n", t.family, t.tests())
	}
}

// tests is the number of p-values that a family step counts.
func (t *correction) tests() int { return t.table.Records - t.table.Missing }

func (t *correction) json() bool { return t.target.Format.Nested }

func (t *correction) xlsx() bool { return t.target.Format.Book != nil }

// head makes the columns and the envelope.
func (t *correction) head() error {
	mine := appended
	if !t.json() {
		mine = mine[:4]
	}
	if t.follows() {
		mine = append(slices.Clone(mine), rejectLive)
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
		t.Columns = append(t.Columns, name)
	}
	t.Columns = append(t.Columns, mine...)
	t.Inputs = append(t.Inputs, record.Input{Name: "file", Value: record.Words(t.table.Name)}, record.Input{Name: "p_column", Value: record.Words(t.table.Columns[t.table.P])}, record.Input{Name: "corrected_by", Value: record.Words(t.by.Name)})
	if t.family != pvalue.NoFamily {
		t.Inputs = append(t.Inputs, record.Input{Name: "family_size", Value: record.Count(int64(t.tests()))})
	}
	switch {
	case t.family != pvalue.NoFamily && t.tests() > mostAdjusted:
		return usage.Errorf("--family: got %d p-values, want at most %d, which the step holds in memory", t.tests(), mostAdjusted)
	case t.xlsx():
		return t.fits()
	case t.target.Format.Encode == nil:
		return commands.FitsTable(int64(t.table.Records), int64(len(t.Columns)))
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
		s := free.Get().(*csvfile.Splitter)
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
	return outfile.Stream(c.Context, io.Discard, len(t.adjusted), c.Workers, func(dst []byte, lo, hi int) (_ []byte, err error) {
		for i := lo; i < hi && err == nil; i++ {
			t.adjusted[i], err = t.by.adjusted(t.adjusted[i])
		}
		return dst, err
	}, func(done int) { bar.Step(t.table.Records + done) })
}

func splitters() *sync.Pool {
	return &sync.Pool{New: func() any { return csvfile.NewSplitter(nil, 0) }}
}

// one adjusts a single p-value.
func (t *correction) one(text string) (theory.LogProb, error) {
	p, err := t.read(text)
	if err != nil {
		return 0, err
	}
	return t.by.adjusted(p)
}

// read reads a p-value. The float64 above an ordinary decimal will do, except where a
// rounding decides.
func (t *correction) read(text string) (theory.LogProb, error) {
	if x, ok := csvfile.PlainChance(text); ok && x > 1e-300 {
		if p, err := theory.Prob(math.Nextafter(x, 1)); err == nil && math.Abs(p.Ln()-t.by.threshold.Ln()) > 1e-9 {
			return p, nil
		}
	}
	p, ok := t.table.Chance(text)
	if !ok {
		return 0, t.table.Changed()
	}
	return p, nil
}

// row makes the cells of a record.
func (t *correction) row(row []record.Cell, rank int, cells []string) ([]record.Cell, error) {
	for _, text := range cells {
		c := record.Foreign(text)
		if t.raw || text == "" {
			c = record.Words(text)
		}
		row = append(row, c)
	}
	text := cells[t.table.P]
	var adjusted, threshold, reject, lnAdjusted, lnThreshold record.Cell
	status := record.Words(string(t.by.status))
	switch {
	case csvfile.Absent(text):
		status = record.Words("missing")
	case t.by.applies():
		var a theory.LogProb
		if t.adjusted != nil {
			a = t.adjusted[rank]
		} else {
			var err error
			if a, err = t.one(text); err != nil {
				return nil, err
			}
		}
		adjusted, threshold, reject = t.by.adjustedCell(a), t.threshold, record.Truth(a <= t.by.alpha)
		lnAdjusted, lnThreshold = record.Exactly(a.Ln()), record.Exactly(t.by.threshold.Ln())
	}
	row = append(row, adjusted, threshold, reject, status)
	if t.json() {
		row = append(row, lnAdjusted, lnThreshold)
	}
	return row, nil
}

// stream writes the rows for machines in bounded memory.
func (t *correction) stream(c *commands.Call, e record.Encoder, bar *outfile.Progress, before int) error {
	type scratch struct {
		*csvfile.Splitter
		row   []record.Cell
		known record.Chances
	}
	free := sync.Pool{New: func() any { return &scratch{Splitter: csvfile.NewSplitter(nil, 0)} }}
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
		if err := outfile.Stream(c.Context, w, t.table.Records, c.Workers, encode, func(done int) { bar.Step(before + done) }); err != nil {
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
		err := t.table.Each(csvfile.NewSplitter(nil, 0), 0, t.table.Records, func(rank int, cells []string) error {
			row, err := t.row(nil, rank, cells)
			rows = append(rows, row)
			return errors.Join(err, c.Context.Err())
		})
		if err != nil {
			return err
		}
	}
	return commands.Emit(c, t.target, t.Result, rows, func() record.Sheet {
		s := t.summary()
		s.Columns, s.Rows = t.Columns, rows
		return s
	})
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
	s := record.Sheet{Title: []string{"P-values corrected by " + t.by.Name + " at alpha " + record.People(record.Chance(t.by.alpha)) + ", family " + step + ": " + t.after}}
	if t.by.applies() {
		s.Notes = append([]string{"One selected test rejects if p <= " + record.People(legible(t.by.threshold))}, commands.Assumed(t.by.Assumes)...)
	}
	return s
}
