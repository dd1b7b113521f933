package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

func pvalueCorrectCommand() *Command {
	return &Command{
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
		Flags: []Flag{
			{Name: "alpha", Alias: "a", Usage: "`A`, the probability of a false rejection"},
			{Name: "by", Usage: "`SOURCE` of the selection: " + orList(sourceNames()), Words: sourceNames()},
			{Name: "p", Usage: "`P`, a p-value, in place of a FILE"},
			{Name: "samples", Alias: "n", Usage: "`N` rows"},
			dataFlag,
			neighboursFlag,
			{Name: "epsilon", Usage: "`E`, the privacy of all that was seen"},
			{Name: "delta", Usage: "`D`, its delta"},
			{Name: "mu", Usage: "`M`, its Gaussian differential privacy"},
			{Name: "queries", Alias: "m", Usage: "`M` linear queries with values in [0,1], answered with Gaussian noise"},
			{Name: "noise-sd", Usage: "`S`, the standard deviation of the noise"},
			{Name: "outcomes", Usage: "`N` possible answers, or tests among which one was selected"},
			{Name: "bits", Usage: "`B` bits of description, of mutual information or of max-information"},
			{Name: "nats", Usage: "`I` nats of mutual information or of max-information, in place of bits"},
			{Name: "slack", Usage: "`B`, the slack of the max-information (default 0)"},
			stepFlag,
			{Name: "method", Usage: "only this `METHOD`"},
			{Name: "family", Usage: "correct all p-values of the FILE by `STEP`: " + orList(familyNames()) + " (default none)", Words: familyNames()},
			{Name: "family-on", Usage: "take the STEP on `WHICH` p-values: " + orList(familyBases) + " (default adjusted)", Words: familyBases},
			{Name: "p-column", Usage: "`NAME` of the column of p-values (default p, pval, p_value or the like)"},
			{Name: "raw", Switch: true, Usage: "leave cells of the FILE that a spreadsheet would run as formulas as they are"},
		},
		Output: Tables,
		Examples: [2]string{
			"dpcalc pvalue-correct --p 0.003 --alpha 0.05 --by pure-dp --epsilon 0.01 --samples 10k",
			"dpcalc pvalue-correct pvalues.csv --alpha 0.05 --by description --outcomes 40 --family holm",
		},
		Run: runPvalueCorrect,
	}
}

// bySteps is the source that is a chain of --step.
const bySteps = "steps"

func sourceNames() []string { return append(kindNames(stepKinds()), bySteps) }

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
	for _, k := range stepKinds() {
		if k.name != source {
			continue
		}
		flags := k.keys()
		if k.private {
			flags = append(flags, sampleFlags...)
		}
		if k.replaced != nil {
			flags = append(flags, neighboursKey)
		}
		return flags
	}
	return append([]string{"step", neighboursKey}, sampleFlags...)
}

// sourceGrammar is the sources with their flags, a line each.
func sourceGrammar() string {
	var lines []string
	for _, k := range stepKinds() {
		var parts []string
		for _, group := range k.needs {
			parts = append(parts, "--"+strings.Join(group, "|--"))
		}
		if k.private {
			parts = append(parts, "--samples", "[--data]")
		}
		if k.replaced != nil {
			parts = append(parts, "[--"+neighboursKey+"]")
		}
		for _, key := range k.optional {
			parts = append(parts, "[--"+key+"]")
		}
		lines = append(lines, fmt.Sprintf("  %-12s %s", k.name, strings.Join(parts, " ")))
	}
	return strings.Join(append(lines, fmt.Sprintf("  %-12s --step ... as in maxinfo", bySteps)), "\n")
}

// readSource reads --by and the flags of that source.
func readSource(c Values) (plan learned, source string, err error) {
	if _, ok := c.Text("by"); !ok {
		return plan, "", usagef("--by: got nothing, want %s", orList(sourceNames()))
	}
	if source, err = OneOf(c, "by", sourceNames()...); err != nil {
		return plan, source, err
	}
	mine := sourceFlags(source)
	d := &details{where: "--", dash: "--", said: make(map[string]string)}
	for _, other := range sourceNames() {
		for _, flag := range sourceFlags(other) {
			raw, ok := c.Text(flag)
			if ok && !slices.Contains(mine, flag) {
				return plan, source, usagef("--%s: given with --by %s, which takes --%s; it belongs to %s",
					flag, source, strings.Join(mine, ", --"), orList(ownersOf(flag)))
			}
			if ok {
				d.said[flag] = raw
			}
		}
	}
	kinds := stepKinds()
	i := slices.IndexFunc(kinds, func(k stepKind) bool { return k.name == source })
	if i < 0 {
		plan, err = readLearned(c)
		return plan, source, err
	}
	step, err := kinds[i].step(d)
	if err != nil {
		return plan, source, err
	}
	by, err := readConvention(c)
	if err != nil {
		return plan, source, err
	}
	var typed []string
	for _, key := range kinds[i].keys() {
		if d.has(key) {
			typed = append(typed, key+"="+d.said[key])
		}
	}
	if err := plan.add(kinds[i], step, source+":"+strings.Join(typed, ","), by); err != nil {
		return plan, source, err
	}
	if !kinds[i].private {
		return plan, source, nil
	}
	return plan, source, readSample(c, &plan.Plan, source)
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
	status, reason, err := rowStatus(wrongOrder(err))
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
		if c.status, c.reason, err = rowStatus(err); err != nil {
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
		return nil, best, usagef("--method: got %s, want %s for this source%s", shown(method), orList(names), didYouMean(method, names))
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
func (c *corrector) adjustedCell(a theory.LogProb) cell {
	x := a.Value()
	if x < 1e-300 || math.Abs(a.Ln()-c.alpha.Ln()) < 1e-9 {
		return chanceCell(a)
	}
	return exactly(min(x*(1+0x1p-50), 1))
}

// legible cuts a threshold to six digits, so that people read none above it but for
// the rounding of float64, as [human] does.
func legible(threshold theory.LogProb) cell {
	mantissa, exponent, tiny := strings.Cut(threshold.String(), "e")
	if x := threshold.Value(); x > 1e-300 {
		_, digits, e := sixDigits(x, false)
		mantissa, exponent = digits[:1]+"."+digits[1:], strconv.Itoa(e)
	} else if tiny {
		mantissa = mantissa[:min(len("d.ddddd"), len(mantissa))]
	}
	cut, ok := parseProb(mantissa + "e" + exponent)
	if !ok { // zero
		return chanceCell(threshold)
	}
	return chanceCell(cut)
}

func runPvalueCorrect(c *Call) error {
	path := ""
	switch files := c.Texts(Arguments); {
	case len(files) > 1:
		return usagef("pvalue-correct: unexpected argument %s", shown(files[1]))
	case len(files) == 1:
		path = files[0]
	}
	_, hasFormat := c.Text("format")
	to, hasOutput := c.Text("output")
	own := path != "" && !hasFormat && (!hasOutput || to == "-") // the FILE's kind decides the format
	if own {
		c = &Call{Session: c.Session, Values: Replaced(c.Values, "format", CSV.Name), Command: c.Command, Formats: c.Formats}
	}
	target, err := c.Target()
	if err != nil {
		return err
	}
	alpha, ok, err := one(c, "alpha", probabilities)
	if err != nil {
		return err
	}
	if !ok {
		return usagef("--alpha: got nothing, want a value")
	}
	plan, source, err := readSource(c)
	if err != nil {
		return err
	}
	single, hasP, err := one(c, "p", chancesOfAll)
	if err != nil {
		return err
	}
	family, err := OneOf(c, "family", familyNames()...)
	if err != nil {
		return err
	}
	_, hasBasis := c.Text("family-on")
	basis, err := OneOf(c, "family-on", familyBases...)
	if err != nil {
		return err
	}
	method, _ := c.Text("method")
	column, hasColumn := c.Text("p-column")
	switch {
	case len(c.Texts(Arguments)) > 0 && path == "":
		return usagef("pvalue-correct: got %s, want a FILE", shown(path))
	case hasP && path != "":
		return usagef("--p: given with %s, want one of the two", shown(path))
	case hasColumn && path == "":
		return usagef("--p-column: got %s without a FILE", shown(column))
	case hasColumn && column == "":
		return invalid("p-column", column, "the name of a column")
	case c.Is("raw") && path == "":
		return usagef("--raw: given without a FILE")
	case family != string(pvalue.NoFamily) && path == "" && !hasP:
		return usagef("--family: got %s without a FILE of p-values", family)
	case family == string(pvalue.NoFamily) && hasBasis:
		return usagef("--family-on: got %s without a --family", basis)
	case family == string(pvalue.NoFamily):
		basis = ""
	}
	all, best, err := correctors(plan.Plan, alpha, method)
	if err != nil {
		return err
	}
	r := result{command: "pvalue-correct", inputs: slices.Concat([]input{
		{"alpha", chanceCell(alpha)}, {"by", wordsCell(source)}}, plan.inputs(),
		[]input{{"method", wordsCell(method)}, {"family", wordsCell(family)}, {"family_on", wordsCell(basis)}})}
	follow := selection{plan: plan, source: source, method: method, alpha: alpha}
	if path != "" {
		by := all[chosen(all, best)]
		if r.live, err = follow.live([]corrector{by}, nil); err != nil {
			return err
		}
		t := correction{result: r, target: target, by: by, after: plan.String(), family: pvalue.Family(family), rawFamily: basis == "raw", raw: c.Is("raw")}
		err = correctFile(c, &t, path, column, own)
	} else {
		if r.live, err = follow.live(all, &typedP{single, hasP}); err != nil {
			return err
		}
		err = correctOne(c, r, target, all, best, single, hasP, plan)
		if raw, _ := c.Text("p"); err == nil {
			if number, bound := upperBound(raw); bound {
				fmt.Fprintf(c.Stderr, "p %s is read as %s\n", shown(raw), number)
			}
		}
	}
	if err == nil && best < 0 {
		return outcome(exitNoAnswer)
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

// chancesOfAll is p-values: zero and one are among them.
var chancesOfAll = kind[theory.LogProb]{want: "a probability in [0, 1]", parse: parsePValue}

// correctOne writes a row for each correction, with what it makes of p.
func correctOne(c *Call, r result, t Target, all []corrector, best int, single theory.LogProb, hasP bool, after learned) error {
	by := after.neighbours
	r.columns = []string{"method", "alpha", "ln_alpha", "threshold", "ln_threshold", "best", "proof", "status", "reason", "sources", "assumes", neighboursKey}
	if hasP {
		r.inputs = append(r.inputs, input{"p", chanceCell(single)})
		r.columns = append(r.columns, "p", "ln_p", "p_adjusted", "ln_p_adjusted", "reject")
	}
	var rows, short [][]cell
	var leftOut reasons
	for i := range all {
		c := &all[i]
		var threshold, lnThreshold, read, adjusted, lnAdjusted, reject cell
		if c.applies() {
			threshold, lnThreshold, read = chanceCell(c.threshold), exactly(c.threshold.Ln()), legible(c.threshold)
			if hasP {
				a, err := c.adjusted(single)
				if err != nil {
					return err
				}
				adjusted, lnAdjusted, reject = c.adjustedCell(a), exactly(a.Ln()), truthCell(a <= c.alpha)
			}
		}
		row := []cell{
			wordsCell(c.Name), chanceCell(c.alpha), exactly(c.alpha.Ln()), threshold, lnThreshold, truthCell(i == best), wordsCell(string(c.Proof)),
			wordsCell(string(c.status)), wordsCell(c.reason), sourcesCell(by.sources(c.Sources)), listCell(c.Assumes), wordsCell(string(by)),
		}
		if hasP {
			row = append(row, chanceCell(single), exactly(single.Ln()), adjusted, lnAdjusted, reject)
		}
		rows = append(rows, row)
		if leftOut.leavesOut(c.Name, c.status, c.reason) {
			continue
		}
		short = append(short, []cell{
			mark(i == best), wordsCell(c.Name), read, adjusted, reject, wordsCell(string(c.Proof)), wordsCell(string(c.status)), wordsCell(c.reason),
		})
	}
	return emit(c, t, r, rows, func() sheet {
		title := "Threshold for the p-value of one selected test at alpha " + people(chanceCell(all[0].alpha))
		if hasP {
			title += ", p " + people(chanceCell(single))
		}
		s := sheet{
			title:   []string{title + ": " + after.String()},
			columns: []string{"", "method", "threshold", "p adjusted", "reject", "proof", "status", "reason"},
			rows:    short,
		}
		if best >= 0 {
			s.notes = append([]string{"* " + all[best].Name + ", greatest threshold: reject if p <= " + people(legible(all[best].threshold))}, assumed(all[best].Assumes)...)
		}
		s.notes = append(s.notes, leftOut.lines()...)
		return s
	})
}

// correction is a table of p-values with what to make of it.
type correction struct {
	result
	target    Target
	by        corrector
	after     string // what was learned before
	family    pvalue.Family
	rawFamily bool // the family step comes first
	raw       bool

	table     *userTable
	threshold cell
	adjusted  []theory.LogProb // of all p-values, if they are needed before the first row
}

// appended are the columns after those of the table; the logarithms stand in JSON
// alone.
var appended = []string{"p_adjusted", "threshold", "reject", "status", "ln_p_adjusted", "ln_threshold"}

// correctFile writes a table with the corrected p-values. With own it is written with
// the separator that it has.
func correctFile(c *Call, t *correction, path, column string, own bool) (err error) {
	if t.table, err = openTable(c.Session, path, column); err != nil {
		return err
	}
	defer t.table.close()
	if own && t.target.Format.Dialect == "" && t.table.separator == '\t' {
		t.target.Format = TSV
	}
	if err := t.head(); err != nil {
		return err
	}
	if t.threshold = chanceCell(t.by.threshold); t.target.Format.Print != nil {
		t.threshold = legible(t.by.threshold)
	}
	passes := 0 // before the rows are written
	if t.by.applies() && (t.family != pvalue.NoFamily || t.xlsx()) {
		if passes = 1; t.rawFamily {
			passes = 2
		}
	}
	bar := c.Progress((passes + 1) * t.table.records).of("rows")
	defer bar.end()
	if passes > 0 {
		if err := t.adjustAll(c, bar); err != nil {
			return err
		}
	}
	before := passes * t.table.records
	switch {
	case t.target.Format.Encode != nil:
		err = t.stream(c, t.target.Format.Encode(t.result), bar, before)
	case t.xlsx():
		err = t.workbook(c, bar, before)
	default:
		err = t.tabulate(c)
	}
	bar.end()
	if err == nil {
		for _, line := range t.table.remarks() {
			fmt.Fprintln(c.Stderr, line)
		}
		t.tellMissing(c.Stderr)
	}
	return err
}

// tellMissing counts the missing p-values, and warns of a family step that does not count
// them: some programs write NA for a test that was made and failed.
func (t *correction) tellMissing(w io.Writer) {
	switch n := t.table.missing; {
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
func (t *correction) tests() int { return t.table.records - t.table.missing }

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
	for _, name := range t.table.columns {
		switch {
		case slices.Contains(mine, name):
			return usagef("%s: got a column %s, want that name free for the result", t.table.name, name)
		case t.json() && seen[name]:
			return usagef("%s: got two columns %s, want one to write JSON", t.table.name, shown(name))
		}
		seen[name] = true
		if delimited := t.target.Format.Encode != nil && !t.json(); delimited && !t.raw {
			name = inert(name)
		}
		t.columns = append(t.columns, name)
	}
	t.columns = append(t.columns, mine...)
	t.inputs = append(t.inputs, input{"file", wordsCell(t.table.name)}, input{"p_column", wordsCell(t.table.columns[t.table.p])}, input{"corrected_by", wordsCell(t.by.Name)})
	if t.family != pvalue.NoFamily {
		t.inputs = append(t.inputs, input{"family_size", countCell(int64(t.tests()))})
	}
	switch {
	case t.family != pvalue.NoFamily && t.tests() > mostAdjusted:
		return usagef("--family: got %d p-values, want at most %d, which the step holds in memory", t.tests(), mostAdjusted)
	case t.xlsx():
		return t.fits()
	case t.target.Format.Encode == nil:
		return fitsTable(int64(t.table.records), int64(len(t.columns)))
	}
	return nil
}

// mostAdjusted is how many p-values a family step takes: some 24 bytes each.
const mostAdjusted = 100_000_000

// adjustAll fills in the adjusted p-values with the family step: taken on the p-values
// as they are corrected, or as they stand, to be corrected then.
func (t *correction) adjustAll(c *Call, bar *progress) error {
	t.adjusted = make([]theory.LogProb, t.tests())
	value := t.one
	if t.rawFamily {
		value = t.read
	}
	free := splitters()
	err := stream(c.Context, io.Discard, t.table.records, c.Workers, func(dst []byte, lo, hi int) ([]byte, error) {
		s := free.Get().(*splitter)
		defer free.Put(s)
		return dst, t.table.each(s, lo, hi, func(rank int, cells []string) (err error) {
			if text := cells[t.table.p]; !absent(text) {
				t.adjusted[rank], err = value(text)
			}
			return err
		})
	}, bar.step)
	if err == nil {
		err = t.family.Adjust(t.adjusted)
	}
	if err != nil || !t.rawFamily {
		return err
	}
	return stream(c.Context, io.Discard, len(t.adjusted), c.Workers, func(dst []byte, lo, hi int) (_ []byte, err error) {
		for i := lo; i < hi && err == nil; i++ {
			t.adjusted[i], err = t.by.adjusted(t.adjusted[i])
		}
		return dst, err
	}, func(done int) { bar.step(t.table.records + done) })
}

func splitters() *sync.Pool {
	return &sync.Pool{New: func() any { return newSplitter(nil, 0) }}
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
	if x, ok := plainChance(text); ok && x > 1e-300 {
		if p, err := theory.Prob(math.Nextafter(x, 1)); err == nil && math.Abs(p.Ln()-t.by.threshold.Ln()) > 1e-9 {
			return p, nil
		}
	}
	p, ok := t.table.chance(text)
	if !ok {
		return 0, t.table.changed()
	}
	return p, nil
}

// row makes the cells of a record.
func (t *correction) row(row []cell, rank int, cells []string) ([]cell, error) {
	for _, text := range cells {
		c := foreignCell(text)
		if t.raw || text == "" {
			c = wordsCell(text)
		}
		row = append(row, c)
	}
	text := cells[t.table.p]
	var adjusted, threshold, reject, lnAdjusted, lnThreshold cell
	status := wordsCell(string(t.by.status))
	switch {
	case absent(text):
		status = wordsCell("missing")
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
		adjusted, threshold, reject = t.by.adjustedCell(a), t.threshold, truthCell(a <= t.by.alpha)
		lnAdjusted, lnThreshold = exactly(a.Ln()), exactly(t.by.threshold.Ln())
	}
	row = append(row, adjusted, threshold, reject, status)
	if t.json() {
		row = append(row, lnAdjusted, lnThreshold)
	}
	return row, nil
}

// stream writes the rows for machines in bounded memory.
func (t *correction) stream(c *Call, e encoder, bar *progress, before int) error {
	type scratch struct {
		*splitter
		row   []cell
		known chances
	}
	free := sync.Pool{New: func() any { return &scratch{splitter: newSplitter(nil, 0)} }}
	encode := func(dst []byte, lo, hi int) ([]byte, error) {
		w := free.Get().(*scratch)
		defer free.Put(w)
		first := lo == 0
		err := t.table.each(w.splitter, lo, hi, func(rank int, cells []string) (err error) {
			if w.row, err = t.row(w.row[:0], rank, cells); err != nil {
				return err
			}
			dst = e.row(dst, first, w.row, &w.known)
			first = false
			return nil
		})
		return dst, err
	}
	return c.WriteTo(t.target, func(w io.Writer) error {
		if _, err := w.Write(e.head(nil)); err != nil {
			return err
		}
		if err := stream(c.Context, w, t.table.records, c.Workers, encode, func(done int) { bar.step(before + done) }); err != nil {
			return err
		}
		_, err := w.Write(e.foot(nil))
		return err
	})
}

// tabulate writes the rows for people.
func (t *correction) tabulate(c *Call) error {
	rows := make([][]cell, 0, t.table.records)
	if t.table.records > 0 {
		err := t.table.each(newSplitter(nil, 0), 0, t.table.records, func(rank int, cells []string) error {
			row, err := t.row(nil, rank, cells)
			rows = append(rows, row)
			return errors.Join(err, c.Context.Err())
		})
		if err != nil {
			return err
		}
	}
	return emit(c, t.target, t.result, rows, func() sheet {
		s := t.summary()
		s.columns, s.rows = t.columns, rows
		return s
	})
}

// summary says in words what was done.
func (t *correction) summary() sheet {
	step := string(t.family)
	if t.family != pvalue.NoFamily {
		step += " of " + strconv.Itoa(t.tests())
	}
	if t.rawFamily {
		step += " on raw p-values"
	}
	s := sheet{title: []string{"P-values corrected by " + t.by.Name + " at alpha " + people(chanceCell(t.by.alpha)) + ", family " + step + ": " + t.after}}
	if t.by.applies() {
		s.notes = append([]string{"One selected test rejects if p <= " + people(legible(t.by.threshold))}, assumed(t.by.Assumes)...)
	}
	return s
}
