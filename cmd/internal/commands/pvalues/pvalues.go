// Package pvalues has the command pvalue-correct: thresholds and adjusted p-values of tests that
// were chosen after the data had been seen, one by one or for a table of them.
package pvalues

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// command is the name of the command.
const command = "pvalue-correct"

// Command is the command pvalue-correct.
func Command() *commands.Command {
	return &commands.Command{
		Name:        command,
		Summary:     "correct p-values of tests that the data chose",
		Arguments:   "[FILE|-]",
		Description: commands.Described("pvalue-correct", "{sources}", sourceGrammar()),
		Flags:       flags(),
		Topic:       sourceHelp,
		Common:      []string{"p", "alpha", "by", "outcomes", "family", "p-column", "method", "format", "output"},
		Output:      commands.Tables | commands.Drawings,
		Examples: []string{
			"dpcalc pvalue-correct --p 0.003 --alpha 0.05 --by pure-dp --epsilon 0.01 --samples 10k",
			"dpcalc pvalue-correct pvalues.csv --family holm",
		},
		Run: runPvalueCorrect,
	}
}

// flags lists the flags of pvalue-correct, under common headings and one for each source.
func flags() []usage.Flag {
	all := slices.Concat([]usage.Flag{
		{Name: "p", Usage: "the p-value `P`, in place of a FILE"},
		{Name: "alpha", Alias: "a", Usage: "the probability `A` of a false rejection (default 0.05)"},
		{Name: "by", Usage: "the tests were selected by `SOURCE`: " + usage.OrList(sourceNames()), Words: sourceNames(),
			AlsoWords: map[string]string{"menu": "description"}},
		{Name: "wins", Usage: "the new one is better in `W` pairs; with --losses, the p-value comes from the exact sign test"},
		{Name: "losses", Usage: "the new one is worse in `L` pairs; without --wins, how many wins it takes"},
		{Name: "family", Usage: "correct all p-values of the FILE by `STEP`: " + usage.OrList(familyNames()) + " (default none)",
			Words: familyNames()},
		{Name: "family-on", Usage: "take the STEP on `WHICH` p-values: " + usage.OrList(familyBases) + " (default adjusted)",
			Words: familyBases},
		{Name: "p-column", Usage: "the column of p-values has this `NAME` (default p, pval, p_value or the like)"},
		{Name: "e-column", Usage: "the column of e-values, of which 1/e is a p-value, has this `NAME`"},
		{Name: "level", Usage: "find the alpha at which intervals of confidence `L` hold, in place of --alpha"},
		{Name: "target-threshold", Usage: "find the number of the SOURCE that is left out, for a threshold of `G`"},
		{Name: "survives", Usage: "find how much selection a p-value `P` survives: the number of the SOURCE that is left out"},
		{Name: "samples", Alias: "n", Also: []string{"rows"}, Usage: "the data have `N` rows"},
		steps.DataFlag, commands.NeighboursFlag, steps.StepFlag,
		{Name: "tests", Usage: "there are `J` tests one after the other, each chosen in view of the verdicts before"},
		{Name: "spending", Usage: "`HOW` they share alpha: " + usage.OrList(spendingNames()) + " (default equal)",
			Words: spendingNames()},
		{Name: "rejected", Usage: "the tests with the numbers `I,J,...` are rejected so far"},
		{Name: "method", Usage: "use only this `METHOD`"},
		commands.ProofsFlag,
		{Name: "certificate", Usage: "write a proof of the threshold to `FILE`.v, which Coq checks with the folder proofs; after --by description and gates"},
		{Name: "report", Switch: true, Usage: "write the correction as a paragraph for a methods section, with -f markdown or latex in these"},
		{Name: "max-rows", Usage: "answer up to `R` combinations of lists (default 1000000)"},
		{Name: "plot", Switch: true, Usage: "draw a list in characters; -o with .svg, .png or .pdf draws it in a file"},
		{Name: "raw", Switch: true, Usage: "leave cells of the FILE that a spreadsheet would run as formulas as they are"},
	}, steps.NumberFlags())
	sections := []usage.Section{
		{Heading: "common", Names: []string{"p", "alpha", "by", "wins", "losses"}},
		{Heading: "a FILE of p-values", Names: []string{"family", "family-on", "p-column", "e-column", "raw"}},
		{Heading: "other questions", Names: []string{"level", "target-threshold", "survives"}},
		{Heading: "several sources", Names: append(slices.Clone(sampleFlags), commands.NeighboursKey)},
	}
	placed := slices.Concat(each.Of(sections, func(s usage.Section) []string { return s.Names })...)
	isPlaced := func(flag string) bool { return slices.Contains(placed, flag) }
	for _, source := range sourceNames() {
		own := slices.DeleteFunc(slices.Clone(sourceFlags(source)), isPlaced)
		sections = append(sections, usage.Section{Heading: "--by " + source, Names: own})
		placed = append(placed, own...)
	}
	return usage.Arranged(all, append(sections,
		usage.Section{Heading: "methods", Names: []string{"method", "proofs"}},
		usage.Section{Heading: commands.AboutOutput, Names: []string{"certificate", "report", "max-rows", "plot"}})...)
}

// bySteps is the source that is a chain of --step.
const bySteps = "steps"

func sourceNames() []string {
	var names []string
	for _, k := range steps.Kinds() {
		if !k.HasSeveral() {
			names = append(names, k.Name)
		}
	}
	return append(names, bySteps, bySeries, byFree)
}

// familyBases are the p-values that a family step is taken on. The first is the
// default.
var familyBases = []string{"adjusted", "raw"}

func familyNames() []string {
	return each.Of(pvalue.Families(), func(f pvalue.Family) string { return string(f) })
}

// sampleFlags go with every source that depends on the number of records.
var sampleFlags = []string{"samples", "data"}

// sourceFlags returns the flags that belong to a source.
func sourceFlags(source string) []string {
	switch source {
	case bySeries:
		return seriesFlags
	case byFree:
		return nil
	}
	k, ok := kindOf(source)
	if !ok {
		return append([]string{"step", commands.NeighboursKey}, sampleFlags...)
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

// sourceGrammar is the sources with their flags, a line each.
func sourceGrammar() string {
	var lines []string
	for _, k := range steps.Kinds() {
		if k.HasSeveral() {
			continue
		}
		parts := each.Of(k.Needs, func(group []string) string { return "--" + strings.Join(group, "|--") })
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
	lines = append(lines, fmt.Sprintf("  %-12s --step ... as in maxinfo, in any order", bySteps),
		fmt.Sprintf("  %-12s --tests [--spending] [--rejected] [--passes], for levels of tests one after the other",
			bySeries), fmt.Sprintf("  %-12s a look at the rows themselves, plots among them: no number makes it good", byFree))
	return strings.Join(lines, "\n")
}

// readSource reads --by and the flags of that source.
func readSource(c usage.Values) (plan steps.TypedPlan, source string, err error) {
	if isPlain(c) {
		return plan, "", withoutSource(c)
	}
	if source, err = readBy(c); err != nil {
		return plan, source, err
	}
	mine := sourceFlags(source)
	d := &steps.Details{Where: "--", Dash: "--", Said: make(map[string]string)}
	for _, other := range sourceNames() {
		for _, flag := range sourceFlags(other) {
			raw, ok := c.Text(flag)
			if ok && !slices.Contains(mine, flag) {
				takes := "no number"
				if len(mine) > 0 {
					takes = "--" + strings.Join(mine, ", --")
				}
				return plan, source, usage.Errorf("--%s: given with --by %s, which takes %s; it belongs to %s",
					flag, source, takes, usage.OrList(ownersOf(flag)))
			}
			if ok {
				d.Said[flag] = raw
			}
		}
	}
	if source == bySeries || source == byFree { // its own flags are read by itself, or there are none
		return plan, source, nil
	}
	kind, ok := kindOf(source)
	if !ok {
		plan, err = steps.Read(c)
		return plan, source, err
	}
	step, err := kind.Step(d)
	if err != nil {
		return plan, source, err
	}
	by, err := commands.ReadConvention(c)
	if err != nil {
		return plan, source, err
	}
	var typed []string
	for _, key := range kind.Keys() {
		if d.Has(key) {
			typed = append(typed, key+"="+d.Said[key])
		}
	}
	if err := plan.Add(kind, step, source+":"+strings.Join(typed, ","), by); err != nil {
		return plan, source, err
	}
	if !kind.Private {
		return plan, source, nil
	}
	return plan, source, steps.ReadSample(c, &plan.Plan, source)
}

// isPlain reports whether only the step of a family is asked for: the tests of a FILE were all fixed before the data
// were seen.
func isPlain(c usage.Values) bool {
	_, by := c.Text("by")
	family, given := c.Text("family")
	stepped := given && family != string(pvalue.NoFamily)
	return stepped && !by && len(c.Texts(usage.Arguments)) > 0
}

// withoutSource refuses what only a source gives a meaning.
func withoutSource(c usage.Values) error {
	for _, source := range sourceNames() {
		for _, flag := range sourceFlags(source) {
			if _, ok := c.Text(flag); ok || len(c.Texts(flag)) > 0 {
				return usage.Errorf("--%s: got it without --by, want --by %s", flag, usage.OrList(ownersOf(flag)))
			}
		}
	}
	for _, flag := range []string{"method", "proofs", "family-on"} {
		if _, ok := c.Text(flag); ok {
			return usage.Errorf("--%s: got it without --by, want both", flag)
		}
	}
	return nil
}

// readBy reads how the test was selected.
func readBy(c usage.Values) (string, error) {
	by, ok := c.Text("by")
	switch {
	case !ok:
		return "", withoutBy(c)
	case slices.Contains(familyNames(), by):
		return "", usage.Errorf("--by: got %s, want --family %s: --by is how the tests were selected", by, by)
	}
	return usage.OneOf(c, "by", sourceNames()...)
}

// withoutBy is the error of a command that does not say how the test was selected.
func withoutBy(c usage.Values) error {
	fixed := ""
	if len(c.Texts(usage.Arguments)) > 0 {
		fixed = "; or --family holm alone if all tests were fixed before you saw the data"
	}
	return usage.Errorf("--by: got nothing, want how the tests were selected, such as --by description --outcomes 40 for one of 40 "+
		"tests%s; dpcalc advise asks", fixed)
}

// ownersOf returns the sources that a flag belongs to.
func ownersOf(flag string) []string {
	return slices.DeleteFunc(sourceNames(), func(s string) bool { return !slices.Contains(sourceFlags(s), flag) })
}

// readColumn reads which column of the FILE is meant, and the flag that says so, "" for none.
func readColumn(c usage.Values) (column csvfile.Column, flag string, err error) {
	p, hasP := c.Text("p-column")
	e, hasE := c.Text("e-column")
	switch {
	case hasP && hasE:
		return column, "", usage.Errorf("--e-column: given with --p-column, want one of the two")
	case hasP:
		return csvfile.Column{Name: p}, "p-column", nil
	case !hasE:
		return column, "", nil
	}
	read := func(text string) (theory.LogProb, bool) {
		p, err := pvalue.ParseEValue(text)
		return p, err == nil
	}
	return csvfile.Column{Name: e, Read: read, Want: "an e-value, a number of at least 0"}, "e-column", nil
}

// modes are the questions that the command answers, the last one where no flag asks another.
var modes = []commands.Mode{
	{Name: "level", Flags: []string{"level"}},
	{Name: "target-threshold", Flags: []string{"target-threshold"}},
	{Name: "survives", Flags: []string{"survives"}},
	{Flags: []string{"p", "wins", "losses", "family", "family-on", "p-column", "e-column", "certificate"}},
}

// questions answer the modes by their names.
var questions = map[string]func(*commands.Call, commands.Target, grid) error{
	"level": alphas, "target-threshold": leftOutBy("target-threshold"), "survives": leftOutBy("survives"), "": thresholds,
}

// fileFlags belong to a FILE.
var fileFlags = []string{"family", "family-on", "p-column", "e-column"}

// readMode reads which question is asked.
func readMode(c *commands.Call, path string) (name string, err error) {
	switch {
	case c.IsGiven("alpha") && c.IsGiven("level"):
		return "", usage.Errorf("--level: given with --alpha, want one of the two")
	}
	m, err := c.AskedMode(modes)
	if by, _ := c.Text("by"); err == nil && by == byFree && m.Name != "" {
		return "", usage.Errorf("--%s: given with --by %s, after which no number is valid", m.Name, byFree)
	}
	if err == nil && m.Name != "" && len(c.Texts(usage.Arguments)) > 0 {
		err = usage.Errorf("--%s: given with %s, want one of the two", m.Name, usage.Shown(path))
	}
	return m.Name, err
}

// defaultAlpha is the level where neither --alpha nor --level is given.
const defaultAlpha = "0.05"

func runPvalueCorrect(c *commands.Call) error {
	asked := *c
	if !c.IsGiven("alpha") && !c.IsGiven("level") {
		asked.Values = usage.Replaced(c.Values, "alpha", defaultAlpha)
	}
	return correct(&asked)
}

func correct(c *commands.Call) error {
	path, err := readPath(c)
	if err != nil {
		return err
	}
	call := *c
	if isOwn(c, path) {
		call.Values = usage.Replaced(c.Values, "format", record.CSV.Name)
	}
	target, err := call.Target()
	if err != nil {
		return err
	}
	if c.Is("raw") && path == "" {
		return usage.Errorf("--raw: given without a FILE")
	}
	if err := certifiable(c, path); err != nil {
		return err
	}
	if by, _ := c.Text("by"); by == bySeries {
		return series(c, target)
	}
	asked, err := readMode(c, path)
	if err != nil {
		return err
	}
	g, err := readGrid(c)
	if err != nil {
		return err
	}
	if err := drawable(c, target, g, path); err != nil {
		return err
	}
	if err := reportable(c, target, g, asked, path); err != nil {
		return err
	}
	if err := g.alone(c, path); err != nil {
		return err
	}
	if path != "" {
		return correctFile(c, target, path)
	}
	return questions[asked](c, target, g)
}

// readPath reads the FILE, "" for none.
func readPath(c usage.Values) (path string, err error) {
	switch files := c.Texts(usage.Arguments); {
	case len(files) > 1:
		return "", usage.Errorf("pvalue-correct: unexpected argument %s", usage.Shown(files[1]))
	case len(files) == 1:
		path = files[0]
	}
	return path, nil
}

// isOwn reports whether the FILE's kind decides the format.
func isOwn(c usage.Values, path string) bool {
	_, explicit := c.Text("format")
	to, hasOutput := c.Text("output")
	standard := !hasOutput || to == "-"
	return path != "" && !explicit && standard
}

// alone refuses lists with a FILE.
func (g grid) alone(c usage.Values, path string) error {
	if len(g.lists) == 0 {
		return nil
	}
	flag := g.lists[0].flag
	for _, other := range fileFlags {
		if _, ok := c.Text(other); ok {
			return usage.Errorf("--%s: got a list with --%s, want one value", flag, other)
		}
	}
	if len(c.Texts(usage.Arguments)) > 0 {
		return usage.Errorf("--%s: got a list with %s, want one value", flag, usage.Shown(path))
	}
	return nil
}

// fileless refuses what has no meaning without a FILE, and an empty name of one.
func (r request) fileless(c usage.Values) error {
	column, flag, err := readColumn(c)
	switch {
	case err != nil:
		return err
	case len(c.Texts(usage.Arguments)) > 0:
		return usage.Errorf("pvalue-correct: got %s, want a FILE", usage.Shown(""))
	case flag != "":
		return usage.Errorf("--%s: got %s without a FILE", flag, usage.Shown(column.Name))
	case r.basis != "" && !r.p.given:
		return usage.Errorf("--family: got %s without a FILE of p-values", r.family)
	}
	return nil
}

// readFamily reads the step for several p-values. Its basis is "" where there is none.
func readFamily(c usage.Values) (family, basis string, err error) {
	if family, err = usage.OneOf(c, "family", familyNames()...); err != nil {
		return "", "", err
	}
	if basis, err = usage.OneOf(c, "family-on", familyBases...); err != nil {
		return "", "", err
	}
	if family != string(pvalue.NoFamily) {
		return family, basis, nil
	}
	if _, given := c.Text("family-on"); given {
		return "", "", usage.Errorf("--family-on: got %s without a --family", basis)
	}
	return family, "", nil
}

func readAlpha(c usage.Values) (theory.LogProb, error) {
	alpha, _, err := numbers.One(c, "alpha", numbers.Probabilities)
	return alpha, err
}
