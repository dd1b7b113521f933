package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// The live thresholds of a workbook. A threshold is never above what dpcalc computes
// and an adjusted p-value never below: logarithms are moved by 1e-12 of their size and
// 1e-12 more, which exceeds what dpcalc moves them by and the rounding errors of a
// spreadsheet. The minus of -x^2 belongs to x there, so squares are subtracted from 0.

const (
	noThreshold = "no threshold above zero" // at any p
	belowCell   = "below 1e-307"            // what no cell holds as a number
	belowLn     = "below -706"              // its logarithm, where it cannot be computed
	onlyDpcalc  = "only by dpcalc"          // what has no explicit formula

	// Cells that follow from the inputs: ln(1/alpha), or what later steps leave of it, and
	// ln p, neither of them below its value, nor a number where there is none.
	level = "ln_inv_level"
	lnP   = "ln_p"

	askedP  = `problem="none",ISNUMBER(` + lnP + ")"
	decides = `IF(ISNUMBER(C{row}),IF(` + lnP + `<=C{row},"yes","no"),IF(OR(C{row}="none",` + lnP + `>-700),"no","undecided"))`

	thresholdName = "threshold"   // of the cell with the threshold for a FILE
	rejectLive    = "reject_live" // the column that refers to it
)

// liveChance is a probability in formulas: its logarithm, and itself where float64 holds it,
// which may be zero. Its zero value is the probability zero.
type liveChance struct{ ln, value string }

// times is e^shift times the probability, at most 1 and not below it.
func (t liveChance) times(shift string) string {
	if t.ln == "" {
		return "0"
	}
	ln := "(" + t.ln + ")*(1-1E-12)+1E-12"
	if shift != "0" {
		ln = "(" + t.ln + "+" + shift + ")*(1-1E-12)+1E-12*(1+ABS(" + shift + "))"
	}
	text := "EXP(MIN(0," + ln + "))"
	if t.value != "" {
		text = "IF(" + t.value + "=0,0," + text + ")"
	}
	return text
}

// taken is ln(1/(e^(-level)-t)), not below it, and an error where that is nothing.
func (t liveChance) taken(level string) string {
	if t.ln == "" {
		return level
	}
	return "(" + level + "-LN(1-1E-15-" + t.times(level) + "))"
}

// selection is what precedes the test.
type selection struct {
	plan           learned
	source, method string
	alpha          theory.LogProb
}

// terms are the steps of a selection as formulas. Sums of the steps are lists.
type terms struct {
	inputs  []liveInput
	say     sentence   // the flags of the steps
	epsilon []string   // of the first step, which may be composed
	shifts  []string   // the squares of n mu of it
	outside []string   // its information, where that is known
	defect  liveChance // its deltas or slack
	later   []string   // information of the later steps
	slack   liveChance // theirs
	plain   bool       // every step has its formula, and the chances can be added up
}

// inputNames are the names of a step's inputs by its keys.
type inputNames map[string]string

// stepFormulas are the amounts of a step: what adds up to those of the first step, and
// what it costs after others. A step that has none where it stands has no formulas.
type stepFormulas struct{ epsilon, shift, outside, later string }

// information is the amount of a step that was given as such, in nats.
func (in inputNames) information() stepFormulas {
	nats := in["nats"]
	switch {
	case in["bits"] != "":
		nats = in["bits"] + "*LN(2)"
	case in["outcomes"] != "":
		nats = "LN(" + in["outcomes"] + ")"
	}
	return stepFormulas{outside: nats, later: nats}
}

// add adds the amounts of a step to those before it, and tells whether it has any.
func (t *terms) add(f stepFormulas, first bool) bool {
	if !first {
		t.later = append(t.later, cmp.Or(f.later, "NA()"))
		return f.later != ""
	}
	some := false
	for _, part := range []struct {
		all  *[]string
		more string
	}{{&t.epsilon, f.epsilon}, {&t.shifts, f.shift}, {&t.outside, f.outside}} {
		if part.more != "" {
			*part.all, some = append(*part.all, part.more), true
		}
	}
	return some
}

// sentence is a command as a formula and as the text for the values at the start.
type sentence struct{ formula, words string }

func (s *sentence) text(t string) {
	s.formula += `&"` + t + `"`
	s.words += t
}

// flag adds a value with what precedes it. Of an optional one there may be neither.
func (s *sentence) flag(before string, in liveInput) {
	formula := `"` + before + `"&` + decimalText(in.name)
	if in.optional {
		formula = "IF(" + in.name + `="","",` + formula + ")"
	}
	s.formula += "&" + formula
	if in.value.form != missing {
		s.words += before + plainText(in.value)
	}
}

// chanceInput completes the input of a probability, which is above or from a lower end:
// itself, or ln(1/p) where float64 cannot hold it.
func chanceInput(in liveInput, from string, p theory.LogProb) (liveInput, liveChance) {
	if !representable(p) {
		in.name, in.label, in.value = "ln_inv_"+in.name, "ln(1/"+in.label+")", exactly(-p.Ln())
		in.holds, in.wants = isNumber(in.name, in.name+">0"), "want a positive number"
		return in, liveChance{ln: "0-" + in.name}
	}
	in.value, in.holds, in.wants = chanceCell(p), isNumber(in.name, "AND("+in.name+from+","+in.name+"<1)"), "want "+probabilities.want
	if from == ">=0" {
		in.wants = "want " + belowOne.want
	}
	return in, liveChance{ln: "LN(" + in.name + ")", value: in.name}
}

// parameter is the input of a step of this kind for one of its keys, and what it is the
// probability of, if it is one.
func parameter(kind, key, value, suffix string) (in liveInput, p liveChance) {
	in = liveInput{label: key, name: strings.ReplaceAll(key, "-", "_") + suffix}
	from := ">0"
	switch key {
	case "queries", "outcomes":
		n, _ := counts.parse(value)
		in.value, in.holds, in.wants = countCell(n), isCount(in.name), "want a whole number from 1 to 2^53"
		return in, p
	case "slack":
		from = ">=0"
		fallthrough
	case "delta":
		chance, _ := parseProb(value)
		return chanceInput(in, from, chance)
	}
	x, _ := nonNegatives.parse(value)
	in.value = exactly(x)
	switch {
	case key == "noise-sd":
		in.holds, in.wants = isNumber(in.name, "AND("+in.name+">=1E-150,"+in.name+"<=1E+150)"), "want "+deviations.want
	case key == "mu", kind == "pure-dp":
		in.holds, in.wants = isNumber(in.name, in.name+">0"), "want "+positives.want
	default:
		in.holds, in.wants = isNumber(in.name, in.name+">=0"), "want "+nonNegatives.want
	}
	return in, p
}

// terms makes inputs of what was typed.
func (s selection) terms() terms {
	t := terms{plain: true}
	var defects, slacks []liveChance
	if s.source == bySteps {
		t.say.text(" --by " + bySteps)
	}
	kinds := stepKinds()
	composed := true // into the first step
	for i, typed := range s.plan.byReplacement() {
		name, rest, _ := strings.Cut(typed, ":")
		kind := kinds[slices.IndexFunc(kinds, func(k stepKind) bool { return k.name == name })]
		composed = composed && kind.private
		first := i == 0 || composed
		before, lead, glue, suffix := " --by ", " --", " ", ""
		if s.source == bySteps {
			before, lead, glue, suffix = " --step ", ":", "=", "_"+strconv.Itoa(i+1)
		}
		t.say.text(before + name)
		if name == "max-info" && !strings.Contains(rest, "slack=") {
			rest += ",slack=0"
		}
		has := make(inputNames)
		var chance liveChance
		for item := range strings.SplitSeq(rest, ",") {
			key, value, _ := strings.Cut(item, "=")
			if key == "data" {
				t.say.text(lead + item)
				continue
			}
			in, p := parameter(name, key, value, suffix)
			if p.ln != "" {
				chance = p
			}
			has[key] = in.name
			if suffix != "" {
				in.label += " of step " + strconv.Itoa(i+1)
			}
			t.inputs = append(t.inputs, in)
			t.say.flag(lead+key+glue, in)
			if suffix != "" {
				lead = ","
			}
		}
		t.plain = t.add(kind.formulas(has), first) && t.plain
		switch {
		case chance.ln == "":
		case first:
			defects = append(defects, chance)
		default:
			slacks = append(slacks, chance)
		}
	}
	if n := s.plan.Samples; n != 0 {
		in := liveInput{name: "samples", label: "samples", value: countCell(n), holds: isCount("samples"), wants: "want a whole number from 1 to 2^53"}
		t.inputs = append(t.inputs, in)
		t.say.flag(" --samples ", in)
		t.say.text(" --data " + s.plan.Data.String())
	}
	var plain, both bool
	t.defect, plain = total(defects)
	t.slack, both = total(slacks)
	t.plain = t.plain && plain && both
	return t
}

// total is a sum of probabilities. It says no to several of which one is beyond float64.
func total(parts []liveChance) (t liveChance, ok bool) {
	switch len(parts) {
	case 0:
		return t, true
	case 1:
		return parts[0], true
	}
	var values []string
	for _, p := range parts {
		if p.value == "" {
			return t, false
		}
		values = append(values, p.value)
	}
	all := sum(values)
	return liveChance{ln: "LN(" + all + ")", value: all}, true
}

// sum adds up formulas, those that are not 0.
func sum(parts []string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "0" })
	switch len(parts) {
	case 0:
		return "0"
	case 1:
		return parts[0]
	}
	return "(" + strings.Join(parts, "+") + ")"
}

// liveRule is a correction as formulas. On the level ln(1/alpha) that the defect leaves,
// threshold is ln gamma; worst is the logarithm of the least alpha, less the defect,
// "" if it has none.
type liveRule struct {
	defect    liveChance
	threshold func(level string) string
	worst     string
}

// oneLessExp is 1 - e^(-x) to a part in 1e12.
func oneLessExp(x string) string {
	return "IF(" + x + "<0.001," + x + "-" + x + "^2/2+" + x + "^3/6-" + x + "^4/24+" + x + "^5/120,1-EXP(0-" + x + "))"
}

// rule is the correction of this name, if it has explicit formulas.
func (t terms) rule(name string) (liveRule, bool) {
	ratio := func(k string, defect liveChance) liveRule {
		return liveRule{defect, func(level string) string { return "(0-" + level + "-" + k + ")" }, "(" + k + "+" + lnP + ")"}
	}
	renyi := func(rho string, defect liveChance) liveRule {
		root := "SQRT(" + rho + ")"
		return liveRule{
			defect, func(level string) string { return "(0-(SQRT(" + level + ")+" + root + ")^2)" },
			"(0-MAX(0,SQRT(0-" + lnP + ")-" + root + ")^2)",
		}
	}
	epsilon := sum(t.epsilon)
	private := len(t.epsilon) > 0 && len(t.shifts) == 0
	switch {
	case !t.plain:
	case name == "bonferroni", name == "max-info":
		return ratio(sum(t.outside), t.defect), true
	case name == "rogers16":
		c := "2*(" + sum(t.outside) + "+0.54*LN(2))"
		return liveRule{threshold: func(level string) string { return "(0-" + level + "-LN(2)-" + c + "*EXP(" + level + "))" }}, true
	case name == "max-info-any":
		return ratio("samples*"+epsilon, liveChance{}), true
	case name == "renyi" && private:
		return renyi("samples*"+epsilon+"^2/8", liveChance{}), true
	case name == "approx-dp" && private && len(t.epsilon) == 1: // of several there is a better bound
		half := "(" + epsilon + "/2)"
		// tanh by its series, where TANH may be careless; the last term makes it too large.
		tanh := "IF(" + half + "<0.01," + half + "-" + half + "^3/3+2*" + half + "^5/15,TANH(" + half + "))*(1+1E-13)"
		return renyi("samples*"+epsilon+"*"+tanh, liveChance{ln: t.defect.ln + "+LN(samples)+LN(1+EXP(0-" + epsilon + "))"}), true
	case name == "group" && private:
		copies := "IF(" + epsilon + "=0,LN(samples),(samples-1)*" + epsilon + "+LN(" + oneLessExp("(samples*"+epsilon+")") + ")-LN(" + oneLessExp(epsilon) + "))"
		return ratio("samples*"+epsilon, liveChance{ln: t.defect.ln + "+" + copies}), true
	case name == "group" && len(t.epsilon) == 0:
		m := "SQRT(" + sum(t.shifts) + ")"
		// The normal law is moved by a part in 1e9. At p below 1e-307 that one serves.
		return liveRule{
			threshold: func(level string) string { return "LN(NORMSDIST(" + apart("NORMSINV(EXP(0-"+level+"))", "-", m) + "))" },
			worst:     "LN(NORMSDIST(" + apart("NORMSINV(MAX(1E-307,EXP("+lnP+")))", "+", m) + "))",
		}, true
	}
	return liveRule{}, false
}

// apart is z + m or z - m, a part in 1e9 farther.
func apart(z, sign, m string) string { return z + sign + m + sign + "1E-9*(ABS(" + z + ")+" + m + ")" }

// typedP is a p-value, if one was typed.
type typedP struct {
	value theory.LogProb
	given bool
}

// live is the sheet that follows the selection and a p-value. Without one it is for a
// FILE, and nil if its correction has no formula.
func (s selection) live(all []corrector, p *typedP) (*live, error) {
	if !slices.ContainsFunc(all, func(c corrector) bool { return c.applies() }) {
		return nil, nil
	}
	t := s.terms()
	l := live{
		intro: []string{
			"Threshold for the p-value of one selected test: change the yellow cells",
			"Rows marked formula follow them. Thresholds are rounded down and adjusted p-values up by a part in 10^12, in 10^9 for the normal law, more than the rounding errors of a spreadsheet.",
		},
		columns: []string{"method", "threshold", "ln threshold", "source"},
		stale:   `$D{row}="value for other inputs"`,
	}
	if s.plan.neighbours == byAdding {
		l.intro = append(l.intro, "The privacy below is for neighbours by replacing a row: it was converted from that for adding or removing one.")
	}
	var ask liveInput
	if p != nil {
		ask = p.input()
		l.intro = append(l.intro, "Rows marked value have no explicit formula. They hold for the inputs at the start; dpcalc computes them for others.")
		l.columns = append(l.columns, "p adjusted", "reject")
	}
	l.inputs = s.liveInputs(t, p, ask)
	l.columns = append(l.columns, "proof", "hypotheses")
	for i := range all {
		c := &all[i]
		rule, explicit := t.rule(c.Name)
		explicit = explicit && c.applies()
		line := c.liveThreshold()
		if explicit {
			line = rule.follow(line)
		}
		switch {
		case p != nil:
			adjusted, reject, err := c.liveP(*p, ask)
			if err != nil {
				return nil, err
			}
			if explicit {
				adjusted, reject = t.followP(rule, adjusted, reject)
			}
			line = append(line, adjusted, reject)
		case !explicit:
			return nil, nil
		default:
			line[1].name = thresholdName
		}
		l.rows = append(l.rows, append(line, liveCell{value: wordsCell(string(c.Proof))}, liveCell{value: wordsCell(strings.Join(c.Assumes, "; "))}))
	}
	l = l.compact()
	return &l, nil
}

// input is the cell of a p-value, which may be blank.
func (p *typedP) input() liveInput {
	in := liveInput{name: "p", label: "p", holds: isNumber("p", "AND(p>=0,p<=1)"), wants: "want " + chancesOfAll.want + ", or nothing", optional: true}
	switch {
	case p.given && !representable(p.value):
		in.name, in.label, in.value = "ln_inv_p", "ln(1/p)", exactly(-p.value.Ln())
		in.holds, in.wants = isNumber("ln_inv_p", "ln_inv_p>=0"), "want "+nonNegatives.want+", or nothing"
	case p.given:
		in.value = chanceCell(p.value)
	}
	return in
}

// liveInputs are the quantities of a selection and what follows from them.
func (s selection) liveInputs(t terms, p *typedP, ask liveInput) []liveInput {
	alpha, _ := chanceInput(liveInput{name: "alpha", label: "alpha"}, ">0", s.alpha)
	inputs := append([]liveInput{alpha}, t.inputs...)
	same := "TRUE"
	for _, in := range inputs {
		same += "," + in.unchanged()
	}
	say := sentence{`"dpcalc pvalue-correct"`, "dpcalc pvalue-correct"}
	say.flag(" --alpha ", alpha)
	say.formula, say.words = say.formula+t.say.formula, say.words+t.say.words
	if s.method != "" {
		say.text(" --method " + s.method)
	}
	if p != nil {
		inputs = append(inputs, ask)
		say.flag(" --p ", ask)
	}
	whole := !slices.ContainsFunc(inputs, func(in liveInput) bool { return strings.HasPrefix(in.name, "ln_inv_") })
	inverse := alpha.name
	if inverse == "alpha" {
		inverse = "(0-LN(alpha))"
	}
	label := "ln(1/alpha)"
	if len(t.later) > 0 {
		label += " for step 1"
	}
	left := sum([]string{t.slack.taken("(" + inverse + "*(1+1E-13)+1E-15)"), sum(t.later)})
	inputs = append(inputs,
		liveInput{name: "unchanged", label: "as at the start", value: wordsCell("yes"), formula: "IF(IFERROR(AND(" + same + `),FALSE),"yes","no")`},
		liveInput{name: level, label: label, value: s.left(), formula: "IFERROR(" + left + `,"none")`},
	)
	if p != nil {
		ln := "(0-ln_inv_p)"
		if ask.name == "p" {
			ln = "IF(p=0,-1E+300,LN(p))"
		}
		in := liveInput{name: lnP, label: "ln p", formula: "IF(" + ask.holds + "," + ln + `*(1-1E-13),"")`}
		if p.given {
			in.value = exactly(max(p.value.Ln(), -1e300))
		}
		inputs = append(inputs, in)
	}
	if whole {
		inputs = append(inputs, liveInput{name: "command", label: "command", value: wordsCell(say.words), formula: say.formula})
	}
	return inputs
}

// liveThreshold is the threshold that holds for the inputs at the start.
func (c *corrector) liveThreshold() []liveCell {
	line := []liveCell{{value: wordsCell(c.Name)}, {value: wordsCell("none")}, {}, {value: wordsCell(c.reason)}}
	source := "value"
	switch c.status {
	case transfer.OK:
		ln := c.threshold.Ln()*(1+1e-12) - 1e-12
		line[1].value, line[2].value = chanceCell(theory.LogProb(ln)), exactly(ln)
		if ln < -706.9 {
			line[1].value = wordsCell(belowCell)
		}
	case transfer.Vacuous:
		line[2].value, source = wordsCell("none"), noThreshold
	default:
		return line
	}
	line[3] = liveCell{value: wordsCell(source), formula: `IF(unchanged="yes","` + source + `","value for other inputs")`}
	return line
}

// follow makes formulas of a threshold.
func (r liveRule) follow(line []liveCell) []liveCell {
	level := r.defect.taken(level)
	ln := "IF(ISNUMBER(" + level + "),IFERROR(" + r.threshold(level) + `*(1+1E-12)-1E-12,"` + belowLn + `"),"none")`
	line[1].formula, line[1].format = `IF(ISNUMBER(C{row}),IF(C{row}<-706.9,"`+belowCell+`",EXP(C{row})),IF(C{row}="none","none","`+belowCell+`"))`, formatSmall
	line[2].formula, line[2].format = `IF(problem<>"none","none",`+ln+")", "0.0000"
	line[3].formula = guarded(`IF(C{row}="none","` + noThreshold + `","formula")`)
	if line[3].value.s == "value" {
		line[3].value = wordsCell("formula")
	}
	return line
}

// liveP is the adjusted p-value and the decision for the threshold beside them. The one
// holds for the inputs at the start, the other for any p.
func (c *corrector) liveP(p typedP, ask liveInput) (adjusted, reject liveCell, err error) {
	if !c.applies() {
		return adjusted, reject, nil
	}
	text := `"` + onlyDpcalc + `"`
	if p.given {
		a, err := c.adjusted(p.value)
		if err != nil {
			return adjusted, reject, err
		}
		adjusted.value, adjusted.format = exactly(max(1e-307, min(1, a.Value()*(1+1e-12)))), formatSmall
		reject.value = wordsCell("no")
		if a <= c.alpha {
			reject.value = wordsCell("yes")
		}
		text = `IF(IFERROR(AND(unchanged="yes",` + ask.unchanged() + "),FALSE)," + strconv.FormatFloat(adjusted.value.f, 'G', 17, 64) + "," + text + ")"
	}
	adjusted.formula = "IF(AND(" + askedP + ")," + text + `,"")`
	reject.formula = "IF(AND(" + askedP + `,unchanged="yes"),` + decides + `,"")`
	return adjusted, reject, nil
}

// followP makes formulas of an adjusted p-value, if it has one, and of the decision.
func (t terms) followP(r liveRule, adjusted, reject liveCell) (liveCell, liveCell) {
	reject.formula = "IF(AND(" + askedP + ")," + decides + `,"")`
	if r.worst != "" {
		more := sum(t.later)
		least := sum([]string{liveChance{ln: r.worst}.times(more), r.defect.times(more), t.slack.times("0")})
		adjusted.formula = "IF(AND(" + askedP + "),IFERROR(MAX(1E-307,MIN(1," + least + `*(1+1E-12))),1),"")`
		adjusted.format = formatSmall
	}
	return adjusted, reject
}

// left is ln(1/alpha) less what the later steps take, at the start.
func (s selection) left() cell {
	chain, err := s.plan.Chain()
	if err != nil || !(chain.Later.Slack < s.alpha) {
		return wordsCell("none")
	}
	rest := s.alpha.Ln() + math.Log1p(-math.Exp(chain.Later.Slack.Ln()-s.alpha.Ln()))
	return exactly(float64(chain.Later.Nats+chain.Later.Outcomes) - rest)
}

// fits refuses what no sheet holds.
func (t *correction) fits() error {
	if n := len(t.columns); n > mostColumns {
		return usagef("--output: got %d columns, want at most %d in a workbook, or a .csv file", n, mostColumns)
	}
	return fitsSheet(int64(t.table.records))
}

// follows says whether each row decides by the threshold of the sheet Live: only that of
// a single test does.
func (t *correction) follows() bool {
	return t.xlsx() && t.result.live != nil && t.family == pvalue.NoFamily
}

// workbook writes the table, the sheet with its threshold, and what was done.
func (t *correction) workbook(c *Call, bar *progress, before int) error {
	sheets := []string{t.command, liveSheet, "About"}
	if t.result.live == nil {
		sheets = slices.Delete(sheets, 1, 2)
	}
	b, err := t.target.Format.Book("dpcalc "+t.command, sheets...)
	if err != nil {
		return err
	}
	defer b.Close()
	column := columnName(t.table.p + 1)
	// rows visits the first rows of the table.
	rows := func(n int, visit func([]cell, look) error) error {
		if n == 0 {
			return nil
		}
		at := 1
		return t.table.each(newSplitter(nil, 0), 0, n, func(rank int, cells []string) error {
			row, err := t.row(nil, rank, cells)
			if err != nil {
				return err
			}
			at++
			text := cells[t.table.p]
			stands := plainLook
			reject := row[len(t.table.columns)+2]
			switch {
			case absent(text):
				stands = dimLook
			case reject.n != 0:
				stands = bestLook
			}
			place := column + strconv.Itoa(at)
			if x, ok := plainChance(text); ok && x > 1e-307 {
				row[t.table.p] = exactly(x)
			} else if _, ok := plainNumber(text); !ok || t.raw { // the cell is a text
				place = ""
			}
			if t.follows() {
				row = append(row, t.decision(text, place, reject))
			}
			return errors.Join(visit(row, stands), c.Context.Err())
		})
	}
	var first [][]cell
	if err := rows(min(t.table.records, block), func(row []cell, _ look) error {
		first = append(first, row)
		return nil
	}); err != nil {
		return err
	}
	done := 0
	sheet := table{name: t.command, columns: t.columns, widths: columnWidths(t.columns, first), rows: t.table.records}
	err = b.Stream(sheet, func(add func([]cell, look) error) error {
		return rows(t.table.records, func(row []cell, stands look) error {
			if done++; done%block == 0 {
				bar.step(before + done)
			}
			return add(row, stands)
		})
	})
	if err == nil && t.result.live != nil {
		err = b.Live(*t.result.live)
	}
	if err != nil {
		return err
	}
	said := t.summary()
	var sources []string
	for _, source := range t.by.Sources {
		sources = append(sources, source.String())
	}
	works, err := references(sources)
	if err != nil {
		return err
	}
	if err := b.About(t.target.Command, slices.Concat(remarks("result", said.title), remarks("", said.notes), t.remarks(sources), works)); err != nil {
		return err
	}
	return c.WriteTo(t.target, func(w io.Writer) error { return b.Write(w) })
}

// decision is the formula of a row: p is at most the threshold of the sheet Live, or
// what that says instead. The place of p is empty if a text stands there.
func (t *correction) decision(text, place string, reject cell) cell {
	if absent(text) {
		return cell{}
	}
	if place == "" {
		p, _ := t.table.chance(text)
		place = strconv.FormatFloat(p.Value(), 'G', 17, 64)
	}
	reject.s = fmt.Sprintf("IF(ISNUMBER(%[1]s),%[2]s<=%[1]s,%[1]s)", thresholdName, place)
	return reject
}

// remarks tells what the columns are and what the correction rests on.
func (t *correction) remarks(sources []string) []remark {
	list := []remark{
		{}, {label: "Columns of " + t.command},
		{"p_adjusted", "the least alpha at which the test is rejected, with the family step"},
		{"threshold", "that of a single selected test"},
		{"reject", "whether p_adjusted is at most alpha"},
		{"status", "ok: certified; missing: no p-value; vacuous: the theorem leaves no threshold"},
	}
	if t.follows() {
		list = append(list, remark{rejectLive, "whether p is at most the threshold of the sheet Live, whose inputs may be changed"})
	}
	return append(list, remark{}, remark{label: "Method"}, remark{t.by.Name, strings.Join([]string{
		"assumes " + strings.Join(t.by.Assumes, "; "), "proof: " + string(t.by.Proof), "source: " + strings.Join(sources, "; "),
	}, "\n")})
}
