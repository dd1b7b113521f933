package pvalues

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
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
	mayBeMore   = "formula; dpcalc may allow more"

	// Cells that follow from the inputs: ln(1/alpha), and ln p, neither of them below its value, nor a number where
	// there is none.
	level = "ln_inv_level"
	lnP   = "ln_p"

	askedP  = `problem="none",ISNUMBER(` + lnP + ")"
	decides = `IF(ISNUMBER(C{row}),IF(` + lnP + `<=C{row},"yes","no"),IF(OR(C{row}="none",` + lnP +
		`>-700),"no","undecided"))`

	thresholdName = "threshold" // of the cell with the threshold for a FILE
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
	plan           steps.Learned
	source, method string
	alpha          theory.LogProb
}

// terms are the steps of a selection as formulas.
type terms struct {
	inputs []record.LiveInput
	say    sentence // the flags of the steps
	steps  []amounts
}

// amounts are what is known of a step.
type amounts struct {
	steps.Formulas
	defect liveChance // its delta or slack
	passes int64      // of a gate, at the start
	known  bool       // it has formulas
}

// sentence is a command as a formula and as the text for the values at the start.
type sentence struct{ formula, words string }

func (s *sentence) text(t string) {
	s.formula += `&"` + t + `"`
	s.words += t
}

// flag adds a value with what precedes it. Of an optional one there may be neither.
func (s *sentence) flag(before string, in record.LiveInput) {
	formula := `"` + before + `"&` + record.DecimalText(in.Name)
	if in.Optional {
		formula = "IF(" + in.Name + `="","",` + formula + ")"
	}
	s.formula += "&" + formula
	if in.Value.Form != record.Missing {
		s.words += before + record.PlainText(in.Value)
	}
}

// chanceInput completes the input of a probability, which is above or from a lower end:
// itself, or ln(1/p) where float64 cannot hold it.
func chanceInput(in record.LiveInput, from string, p theory.LogProb) (record.LiveInput, liveChance) {
	if !record.Representable(p) {
		in.Name, in.Label, in.Value = "ln_inv_"+in.Name, "ln(1/"+in.Label+")", record.Exactly(-p.Ln())
		in.Holds, in.Wants = record.IsNumber(in.Name, in.Name+">0"), "want a positive number"
		return in, liveChance{ln: "0-" + in.Name}
	}
	in.Value, in.Holds, in.Wants = record.Chance(p), record.IsNumber(in.Name, "AND("+in.Name+from+","+in.Name+"<1)"),
		"want "+numbers.Probabilities.Want
	if from == ">=0" {
		in.Wants = "want " + numbers.BelowOne.Want
	}
	return in, liveChance{ln: "LN(" + in.Name + ")", value: in.Name}
}

// parameter is the input of a step of this kind for one of its keys, and what it is the
// probability of, if it is one.
func parameter(kind, key, value, suffix string) (in record.LiveInput, p liveChance) {
	in = record.LiveInput{Label: key, Name: strings.ReplaceAll(key, "-", "_") + suffix}
	from := ">0"
	switch key {
	case "queries", "outcomes", "looks", "passes":
		n, ok := numbers.Counts.Parse(value)
		if !ok { // a power
			ln, _ := steps.Outcomes.Parse(value)
			in.Name, in.Label, in.Value = steps.LnOutcomes+suffix, "ln(outcomes)", record.Exactly(float64(ln))
			in.Holds, in.Wants = record.IsNumber(in.Name, in.Name+">=0"), "want "+numbers.NonNegatives.Want
			return in, p
		}
		in.Value, in.Holds, in.Wants = record.Count(n), record.IsCount(in.Name), "want a whole number from 1 to 2^53"
		if key == "passes" {
			looks := "looks" + suffix
			in.Holds = record.IsNumber(in.Name, "IF("+record.IsCount(in.Name)+",IF(ISNUMBER("+looks+"),"+in.Name+"<="+looks+
				",TRUE),FALSE)")
			in.Wants = "want a whole number from 1 to the number of looks"
		}
		return in, p
	case "slack":
		from = ">=0"
		fallthrough
	case "delta":
		chance, _ := numbers.ParseProb(value)
		return chanceInput(in, from, chance)
	}
	x, _ := numbers.NonNegatives.Parse(value)
	in.Value = record.Exactly(x)
	switch {
	case key == "noise-sd":
		in.Holds, in.Wants = record.IsNumber(in.Name, "AND("+in.Name+">=1E-150,"+in.Name+"<=1E+150)"),
			"want "+steps.Deviations.Want
	case key == "mu", key == "rho", kind == "pure-dp":
		in.Holds, in.Wants = record.IsNumber(in.Name, in.Name+">0"), "want "+numbers.Positives.Want
	default:
		in.Holds, in.Wants = record.IsNumber(in.Name, in.Name+">=0"), "want "+numbers.NonNegatives.Want
	}
	return in, p
}

// terms makes inputs of what was typed.
func (s selection) terms() terms {
	var t terms
	if s.source == bySteps {
		t.say.text(" --by " + bySteps)
	}
	kinds := steps.Kinds()
	for i, typed := range s.plan.ByReplacement() {
		name, rest, _ := strings.Cut(typed, ":")
		kind := kinds[slices.IndexFunc(kinds, func(k steps.Kind) bool { return k.Name == name })]
		before, lead, glue, suffix := " --by ", " --", " ", ""
		if s.source == bySteps {
			before, lead, glue, suffix = " --step ", ":", "=", "_"+strconv.Itoa(i+1)
		}
		t.say.text(before + name)
		if kind.Formulas == nil {
			t.say.text(lead + rest)
			t.steps = append(t.steps, amounts{})
			continue
		}
		if name == "max-info" && !strings.Contains(rest, "slack=") {
			rest += ",slack=0"
		}
		has := make(steps.InputNames)
		var chance liveChance
		var passes int64
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
			if key == "passes" {
				passes = in.Value.N
			}
			has[key] = in.Name
			if suffix != "" {
				in.Label += " of step " + strconv.Itoa(i+1)
			}
			t.inputs = append(t.inputs, in)
			t.say.flag(lead+key+glue, in)
			if suffix != "" {
				lead = ","
			}
		}
		t.steps = append(t.steps, amounts{kind.Formulas(has), chance, passes, true})
	}
	if n := s.plan.Samples; n != 0 {
		in := record.LiveInput{Name: "samples", Label: "samples", Value: record.Count(n), Holds: record.IsCount("samples"),
			Wants: "want a whole number from 1 to 2^53"}
		t.inputs = append(t.inputs, in)
		t.say.flag(" --samples ", in)
		t.say.text(" --data " + s.plan.Data.String())
	}
	return t
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

// liveRule is a theorem about a step as formulas. On the level ln(1/alpha) that the defect leaves, threshold is ln
// gamma; worst is the logarithm of the least alpha, less the defect, "" if it has none.
type liveRule struct {
	defect    liveChance
	threshold func(level string) string
	worst     string
	least     string // the condition under which dpcalc may find a greater threshold, "" for none
}

// oneLessExp is 1 - e^(-x) to a part in 1e12.
func oneLessExp(x string) string {
	return "IF(" + x + "<0.001," + x + "-" + x + "^2/2+" + x + "^3/6-" + x + "^4/24+" + x + "^5/120,1-EXP(0-" + x + "))"
}

// always is a condition that holds.
const always = "TRUE"

// liveRatio is the rule of max-information k.
func liveRatio(k string, defect liveChance) liveRule {
	return liveRule{defect: defect, threshold: func(level string) string { return "(0-" + level + "-" + k + ")" },
		worst: "(" + k + "+" + lnP + ")"}
}

// liveRenyi is the rule of Renyi divergences a rho.
func liveRenyi(rho string, defect liveChance) liveRule {
	root := "SQRT(" + rho + ")"
	return liveRule{
		defect: defect, threshold: func(level string) string { return "(0-(SQRT(" + level + ")+" + root + ")^2)" },
		worst: "(0-MAX(0,SQRT(0-" + lnP + ")-" + root + ")^2)",
	}
}

// tanhOfHalf is tanh(x/2), not below it: by its series where TANH may be careless. The last term makes that too large.
func tanhOfHalf(x string) string {
	half := "(" + x + "/2)"
	return "IF(" + half + "<0.01," + half + "-" + half + "^3/3+2*" + half + "^5/15,TANH(" + half + "))*(1+1E-13)"
}

// rule is the theorem of this name about a step, if it has explicit formulas. wide is that for intervals.
func (a amounts) rule(name string, last, wide bool) (liveRule, bool) {
	epsilon := a.Epsilon
	switch private := epsilon != ""; {
	case !a.known:
	case name == "gates" && a.Looks != "":
		nodes, least := a.nodes(last, wide)
		r := liveRatio(nodes, liveChance{})
		r.least = least
		return r, true
	case (name == "bonferroni" || name == "max-info") && a.Outside != "":
		return liveRatio(a.Outside, a.defect), true
	case name == "rogers16" && a.Outside != "":
		c := "2*(" + a.Outside + "+0.54*LN(2))"
		return liveRule{threshold: func(level string) string {
			return "(0-" + level + "-LN(2)-" + c + "*EXP(" + level + "))"
		}}, true
	case name == "kl" && a.information() != "":
		return liveKL(a.information()), true
	case name == "max-info-any" && private:
		return liveRatio("samples*"+epsilon, liveChance{}), true
	case name == "renyi" && private:
		return liveRenyi("samples*"+epsilon+"^2/8", liveChance{}), true
	case name == "approx-dp" && private:
		defect := a.defect
		if defect.ln != "" {
			defect = liveChance{ln: defect.ln + "+LN(samples)+LN(1+EXP(0-" + epsilon + "))"}
		}
		return liveRenyi("samples*"+epsilon+"*"+tanhOfHalf(epsilon), defect), true
	case name == "approx-dp" && a.Rho != "":
		return a.concentrated(), true
	case name == "group" && a.Rho != "":
		return liveRenyi("samples^2*"+a.Rho, liveChance{}), true
	case name == "group" && private && a.defect.ln != "":
		copies := "IF(" + epsilon + "=0,LN(samples),(samples-1)*" + epsilon + "+LN(" + oneLessExp("(samples*"+epsilon+")") +
			")-LN(" + oneLessExp(epsilon) + "))"
		return liveRatio("samples*"+epsilon, liveChance{ln: a.defect.ln + "+" + copies}), true
	case name == "group" && a.Shift != "":
		m := "SQRT(" + a.Shift + ")"
		// The normal law is moved by a part in 1e9. At p below 1e-307 that one serves.
		return liveRule{
			threshold: func(level string) string { return "LN(NORMSDIST(" + apart("NORMSINV(EXP(0-"+level+"))", "-", m) + "))" },
			worst:     "LN(NORMSDIST(" + apart("NORMSINV(MAX(1E-307,EXP("+lnP+")))", "+", m) + "))",
		}, true
	}
	return liveRule{}, false
}

// information is a bound of the mutual information, "" if there is none.
func (a amounts) information() string {
	switch {
	case a.Outside != "":
		return a.Outside
	case a.Shift != "":
		return a.Shift + "/(2*samples)"
	case a.Rho != "":
		return "samples*" + a.Rho
	case a.Epsilon != "" && a.defect.ln == "":
		return "samples*" + a.Epsilon + "^2/8"
	}
	return ""
}

// liveKL is the rule of mutual information I. Its threshold is the gamma below alpha with d(alpha|gamma) = I for the
// relative entropy d, that is, with L = ln(1/alpha),
//
//	ln gamma = -(I e^L + L + c) + (e^L - 1) ln(1/(1-gamma)),  c = -(e^L - 1) ln(1-alpha) <= 1 - alpha/2.
//
// The right side rises with gamma and ln(1/(1-gamma)) >= gamma, so that a gamma that is not above the threshold gives
// another one. The first is alpha (1 - sqrt(2 I e^L)), as d(alpha|gamma) >= (alpha-gamma)^2/(2 alpha), or 0.
func liveKL(information string) liveRule {
	return liveRule{least: always, threshold: func(level string) string {
		odds := "EXP(" + level + ")"
		root := "SQRT(2*" + information + "*" + odds + ")"
		c := "IF(" + level + ">7,1-EXP(0-" + level + ")/2,(1-" + odds + ")*LN(1-EXP(0-" + level + ")))"
		fixed := "(" + information + "*" + odds + "+" + level + "+" + c + ")"
		gamma := "EXP(0-" + level + ")*MAX(0,1-" + root + ")"
		ln := ""
		for range 3 {
			ln = "((" + odds + "-1)*" + gamma + "-" + fixed + ")"
			gamma = "EXP(" + ln + ")"
		}
		return "MAX(" + ln + ",IF(" + root + "<0.9,LN(1-MIN(0.9," + root + "))-" + level + ",-1E+300))"
	}}
}

// concentrated is the rule of zero-concentrated privacy. It is (x, delta)-private for every x >= rho with delta =
// e^(-(x-rho)^2/(4 rho)) (Bun and Steinke 2016). Here a 32nd of alpha goes to the defect 2 n delta; dpcalc takes the
// best x, and a sharper delta.
func (a amounts) concentrated() liveRule {
	return liveRule{least: always, threshold: func(level string) string {
		x := "(" + a.Rho + "+2*SQRT(" + a.Rho + "*(LN(64*samples)+" + level + "))*(1+1E-13))"
		return "(0-(SQRT(" + level + "-LN(31/32))+SQRT(samples*" + x + "*" + tanhOfHalf(x) + "))^2)"
	}}
}

// exactPasses is up to how many passes a formula counts the nodes of a gate one by one.
const exactPasses = 16

// nodes is the logarithm of the number of nodes of a gate, not below it: of its tests, of its intervals, or of its
// transcripts where more follows. It is C(n,0) + ... + C(n,B), for intervals without the first term, term by term
// for up to exactPasses passes; for more it is (e n/B)^B or 2^n, and least says when.
func (a amounts) nodes(last, wide bool) (formula, least string) {
	n, all, one := "("+a.Looks+"-1)", "%s*LN(2)*(1+1E-13)", "1+"
	if !last || wide {
		n = a.Looks
	}
	if last && wide {
		all, one = "((%[1]s*LN(2)+LN(1-EXP(0-%[1]s*LN(2))))*(1+1E-13)+1E-15)", ""
	}
	if all = fmt.Sprintf(all, n); a.Passes == "" {
		return all, ""
	}
	tail := "0"
	for k := exactPasses; k >= 1; k-- {
		tail = fmt.Sprintf("IF(%s<%d,0,(%s-%d)/%d*(1+%s))", a.Passes, k, n, k-1, k, tail)
	}
	many := "MIN(" + all + "," + a.Passes + "*(1+LN(" + n + "/" + a.Passes + "))*(1+1E-13))"
	return fmt.Sprintf("IF(%[1]s>=%[2]s,%[3]s,IF(%[1]s<=%[4]d,LN(%[5]s)*(1+1E-13)+1E-15,%[6]s))", a.Passes, n, all,
		exactPasses, one+tail, many), fmt.Sprintf("%s>%d", a.Passes, exactPasses)
}

// merged are the amounts of private steps as one: those of a kind add up. Others have no formulas.
func merged(parts []amounts) (all amounts) {
	var epsilons, shifts, rhos, deltas []string
	for _, a := range parts {
		if a.defect.ln != "" && a.defect.value == "" { // below float64's
			return amounts{}
		}
		for list, part := range map[*[]string]string{&epsilons: a.Epsilon, &shifts: a.Shift, &rhos: a.Rho,
			&deltas: a.defect.value} {
			if part != "" {
				*list = append(*list, part)
			}
		}
	}
	if all.known = slices.Contains([]int{len(epsilons), len(shifts), len(rhos)}, len(parts)); !all.known {
		return amounts{}
	}
	if len(epsilons) > 0 {
		all.Epsilon = sum(epsilons)
	}
	if len(shifts) > 0 {
		all.Shift = sum(shifts)
	}
	if len(rhos) > 0 {
		all.Rho = sum(rhos)
	}
	if len(deltas) > 0 {
		all.defect = liveChance{ln: "LN(" + sum(deltas) + ")", value: sum(deltas)}
	}
	return all
}

// chain is the theorems of a way as formulas.
type chain struct {
	links []liveRule
	wide  *liveRule // the last one for intervals, nil if it is the same
	says  string    // which theorem serves which steps
	least string    // the condition under which dpcalc may find a greater threshold
	lower bool      // it holds at the start

	charged liveChance // slacks that are taken from alpha before the first of them
}

// chain is the way of a test, if all of its theorems have formulas.
func (t terms) chain(c *pvalue.Test) (ch chain, explicit bool) {
	way := c.Way()
	if len(t.steps) == 1 {
		way = []pvalue.Leg{{Name: c.Correction.Name}}
	}
	var says, slacks []string
	for _, leg := range way {
		last := leg.Last == len(t.steps)-1
		a, steps := t.steps[leg.First], strconv.Itoa(leg.First+1)
		if leg.First < leg.Last {
			a, steps = merged(t.steps[leg.First:leg.Last+1]), steps+"-"+strconv.Itoa(leg.Last+1)
		}
		if leg.Charged && a.defect.ln != "" {
			if a.defect.value == "" { // below float64's
				return ch, false
			}
			slacks, a.defect = append(slacks, a.defect.value), liveChance{}
		}
		r, ok := a.rule(leg.Name, last, false)
		if !ok {
			return ch, false
		}
		if last && a.Looks != "" {
			wide, _ := a.rule(leg.Name, last, true)
			ch.wide = &wide
		}
		ch.lower = ch.lower || a.passes > exactPasses || r.least == always
		ch.links, says = append(ch.links, r), append(says, steps+" "+leg.Name)
	}
	if ch.says = strings.Join(says, ", "); len(t.steps) > 1 {
		ch.least, ch.lower = always, true
	} else if len(way) == 1 {
		ch.least = ch.links[0].least
	}
	if len(slacks) > 0 {
		ch.charged = liveChance{ln: "LN(" + sum(slacks) + ")", value: sum(slacks)}
	}
	return ch, len(way) > 0 && c.Status.Applies()
}

// start is the level for the first theorem.
func (ch *chain) start() string { return ch.charged.taken(level) }

// ln is what a theorem leaves of the level in a cell, as a logarithm.
func (r liveRule) ln(level string) string {
	left := r.defect.taken(level)
	return "IF(ISNUMBER(" + left + "),IFERROR(" + r.threshold(left) + `*(1+1E-12)-1E-12,"` + belowLn + `"),"none")`
}

// after is what a theorem leaves of the logarithm in a cell.
func (r liveRule) after(cell string) string {
	return "IF(ISNUMBER(" + cell + ")," + r.ln("(0-"+cell+")") + "," + cell + ")"
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
func (s selection) live(all []pvalue.Test, p *typedP) (*record.Live, error) {
	if !slices.ContainsFunc(all, func(c pvalue.Test) bool { return c.Status.Applies() }) {
		return nil, nil
	}
	t := s.terms()
	chains, most := make([]*chain, len(all)), 1
	for i := range all {
		if ch, explicit := t.chain(&all[i]); explicit {
			chains[i], most = &ch, max(most, len(ch.links))
		} else if p == nil {
			return nil, nil
		}
	}
	l := record.Live{Intro: s.liveIntro(p, len(t.steps) > 1), Stale: `$D{row}="` + onlyDpcalc + `"`}
	var ask record.LiveInput
	if p != nil {
		ask = p.input()
	}
	l.Inputs = s.liveInputs(t, p, ask)
	l.Columns = []string{"method", "threshold", "ln threshold", "source"}
	for k := 1; k < most; k++ {
		l.Columns = append(l.Columns, fmt.Sprintf("ln left (%d)", k))
	}
	if p != nil {
		l.Columns = append(l.Columns, "p adjusted", "reject")
	}
	l.Columns = append(l.Columns, "confidence", "way", "proof", "hypotheses")
	for i := range all {
		line, err := t.liveRow(&all[i], chains[i], most, p, ask)
		if err != nil {
			return nil, err
		}
		l.Rows = append(l.Rows, line)
	}
	l = l.Compact()
	return &l, nil
}

// liveIntro says how to read the sheet.
func (s selection) liveIntro(p *typedP, several bool) []string {
	intro := []string{
		"Threshold for the p-value of one selected test: change the yellow cells",
		"Rows marked formula follow them. Thresholds are rounded down and adjusted p-values up by a part in 10^12, in 10^9 for the normal law, more than the rounding errors of a spreadsheet.",
		"confidence is the level of intervals for what was selected.",
	}
	if several {
		intro = append(intro, "The formulas follow the way through the steps that was best at the start. It is valid for other inputs too; another way may then leave more, which dpcalc finds. ln left (k) is what the first k links of the way leave of alpha.")
	}
	if s.plan.Neighbours == commands.ByAdding {
		intro = append(intro, "The privacy below is for neighbours by replacing a row: it was converted from that for adding or removing one.")
	}
	if p != nil {
		intro = append(intro, "Rows marked value have no explicit formula. They hold for the inputs at the start and are blank for others; dpcalc computes them.")
	}
	return intro
}

// liveRow is the row of a test: as a way of formulas, or without one as values that vanish with the first change.
func (t terms) liveRow(
	c *pvalue.Test, ch *chain, most int, p *typedP, ask record.LiveInput,
) ([]record.LiveCell, error) {
	line := liveThreshold(c)
	between := make([]record.LiveCell, most-1)
	confidence, way := record.LiveCell{Value: confidenceCell(c)}, record.LiveCell{}
	if c.Status != theory.OK {
		confidence = record.LiveCell{}
	}
	if ch != nil {
		line, between = ch.follow(c, line, most)
		confidence = ch.interval(confidence)
		if len(t.steps) > 1 {
			way.Value = record.Words(ch.says)
		}
	} else {
		confidence = vanishing(confidence)
	}
	if p == nil {
		line[1].Name = thresholdName
	}
	line = append(line, between...)
	if p != nil {
		adjusted, reject, err := liveP(c, *p, ask)
		if err != nil {
			return nil, err
		}
		if ch != nil {
			adjusted, reject = ch.followP(adjusted, reject)
		}
		line = append(line, adjusted, reject)
	}
	return append(line, confidence, way, record.LiveCell{Value: record.Words(string(c.Correction.Proof))},
		record.LiveCell{Value: record.Words(strings.Join(c.Correction.Assumes, "; "))}), nil
}

// vanishing is a value that is blank for other inputs.
func vanishing(c record.LiveCell) record.LiveCell {
	if c.Value.Form == record.Missing {
		return c
	}
	c.Formula = `IF(unchanged="yes",` + literal(c.Value) + `,"")`
	switch c.Value.Form {
	case record.WordsForm, record.ComplementForm:
	default:
		c.Format = record.SmallFormat
	}
	return c
}

// literal is a value in a formula.
func literal(c record.Cell) string {
	switch c.Form {
	case record.ChanceForm:
		return strconv.FormatFloat(theory.LogProb(c.F).Value(), 'G', 17, 64)
	case record.NumberForm:
		return strconv.FormatFloat(c.F, 'G', 17, 64)
	}
	return `"` + strings.ReplaceAll(c.S, `"`, `""`) + `"`
}

// input is the cell of a p-value, which may be blank.
func (p *typedP) input() record.LiveInput {
	in := record.LiveInput{Name: "p", Label: "p", Holds: record.IsNumber("p", "AND(p>=0,p<=1)"),
		Wants: "want " + numbers.ChancesOfAll.Want + ", or nothing", Optional: true}
	switch {
	case p.given && !record.Representable(p.value):
		in.Name, in.Label, in.Value = "ln_inv_p", "ln(1/p)", record.Exactly(-p.value.Ln())
		in.Holds, in.Wants = record.IsNumber("ln_inv_p", "ln_inv_p>=0"), "want "+numbers.NonNegatives.Want+", or nothing"
	case p.given:
		in.Value = record.Chance(p.value)
	}
	return in
}

// liveInputs are the quantities of a selection and what follows from them.
func (s selection) liveInputs(t terms, p *typedP, ask record.LiveInput) []record.LiveInput {
	alpha, _ := chanceInput(record.LiveInput{Name: "alpha", Label: "alpha"}, ">0", s.alpha)
	inputs := append([]record.LiveInput{alpha}, t.inputs...)
	same := "TRUE"
	for _, in := range inputs {
		same += "," + in.Unchanged()
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
	whole := !slices.ContainsFunc(inputs, func(in record.LiveInput) bool { return strings.HasPrefix(in.Name, "ln_") })
	inverse := alpha.Name
	if inverse == "alpha" {
		inverse = "(0-LN(alpha))"
	}
	left := "(" + inverse + "*(1+1E-13)+1E-15)"
	inputs = append(inputs,
		record.LiveInput{Name: "unchanged", Label: "as at the start", Value: record.Words("yes"),
			Formula: "IF(IFERROR(AND(" + same + `),FALSE),"yes","no")`},
		record.LiveInput{Name: level, Label: "ln(1/alpha)", Value: record.Exactly(-s.alpha.Ln()),
			Formula: "IFERROR(" + left + `,"none")`},
	)
	if p != nil {
		ln := "(0-ln_inv_p)"
		if ask.Name == "p" {
			ln = "IF(p=0,-1E+300,LN(p))"
		}
		in := record.LiveInput{Name: lnP, Label: "ln p", Formula: "IF(" + ask.Holds + "," + ln + `*(1-1E-13),"")`}
		if p.given {
			in.Value = record.Exactly(max(p.value.Ln(), -1e300))
		}
		inputs = append(inputs, in)
	}
	if whole {
		inputs = append(inputs,
			record.LiveInput{Name: "command", Label: "command", Value: record.Words(say.words), Formula: say.formula})
	}
	return inputs
}

// liveThreshold is the threshold that holds for the inputs at the start.
func liveThreshold(c *pvalue.Test) []record.LiveCell {
	line := []record.LiveCell{{Value: record.Words(c.Correction.Name)}, {Value: record.Words("none")}, {},
		{Value: record.Words(c.Reason)}}
	switch c.Status {
	case transfer.OK:
		ln := c.Threshold.Ln()*(1+1e-12) - 1e-12
		line[1].Value, line[2].Value = record.Chance(theory.LogProb(ln)), record.Exactly(ln)
		if ln < -706.9 {
			line[1].Value = record.Words(belowCell)
		}
		line[3].Value = record.Words("value")
	case transfer.Vacuous:
		line[2].Value, line[3].Value = record.Words("none"), record.Words(noThreshold)
	}
	for j := 1; j < 3; j++ {
		line[j] = vanishing(line[j])
	}
	if line[2].Format != "" {
		line[2].Format = "0.0000"
	}
	line[3].Formula = `IF(unchanged="yes",` + literal(line[3].Value) + `,"` + onlyDpcalc + `")`
	return line
}

// between is the cell with what the first k links of a way leave.
func between(k int) string { return record.ColumnName(4+k) + "{row}" }

// left is the logarithm of what the last theorem of the way leaves, r in its place.
func (ch *chain) left(r liveRule) string {
	if n := len(ch.links); n > 1 {
		return r.after(between(n - 1))
	}
	return r.ln(ch.start())
}

// follow makes formulas of a threshold, and of what the links before the last one leave.
func (ch *chain) follow(c *pvalue.Test, line []record.LiveCell, most int) (_, betweens []record.LiveCell) {
	betweens = make([]record.LiveCell, most-1)
	way := c.Way()
	for k, r := range ch.links[:len(ch.links)-1] {
		cell := record.LiveCell{Value: record.Exactly(way[k].Left.Ln()), Format: "0.0000"}
		ln := r.ln(ch.start())
		if k > 0 {
			ln = r.after(between(k))
		}
		cell.Formula = `IF(problem<>"none","none",` + ln + ")"
		betweens[k] = cell
	}
	ln := ch.left(ch.links[len(ch.links)-1])
	says := `"formula"`
	if ch.least != "" {
		ln = `IF(AND(unchanged="yes",` + ch.least + ")," + literal(line[2].Value) + "," + ln + ")"
		says = "IF(" + ch.least + `,IF(unchanged="yes","value","` + mayBeMore + `"),"formula")`
	}
	line[1].Formula, line[1].Format = `IF(ISNUMBER(C{row}),IF(C{row}<-706.9,"`+belowCell+
		`",EXP(C{row})),IF(C{row}="none","none","`+belowCell+`"))`, record.SmallFormat
	line[2].Formula, line[2].Format = `IF(problem<>"none","none",`+ln+")", "0.0000"
	line[3].Formula = record.Guarded(`IF(C{row}="none","` + noThreshold + `",` + says + ")")
	if !ch.lower && c.Status == theory.OK {
		line[3].Value = record.Words("formula")
	}
	return line, betweens
}

// overAll is a confidence that no cell tells from one.
const overAll = "over 1-1E-13"

// interval makes a formula of a confidence.
func (ch *chain) interval(c record.LiveCell) record.LiveCell {
	ln := "C{row}"
	if ch.wide != nil {
		ln = ch.left(*ch.wide)
	}
	start := `""`
	if c.Value.Form != record.Missing {
		start = literal(c.Value)
	}
	c.Formula = `IF(unchanged="yes",` + start + `,IF(ISNUMBER(C{row}),IF(C{row}<-29.94,"` + overAll + `",1-EXP(` + ln +
		`)+2E-15),IF(C{row}="` + belowLn + `","` + overAll + `","")))`
	c.Format = "0.000000000"
	return c
}

// liveP is the adjusted p-value and the decision for the threshold beside them. The one
// holds for the inputs at the start, the other for any p.
func liveP(c *pvalue.Test, p typedP, ask record.LiveInput) (adjusted, reject record.LiveCell, err error) {
	if !c.Status.Applies() {
		return adjusted, reject, nil
	}
	text := `"` + onlyDpcalc + `"`
	if p.given {
		a, err := c.Adjusted(p.value)
		if err != nil {
			return adjusted, reject, err
		}
		adjusted.Value, adjusted.Format = record.Exactly(max(1e-307, min(1, a.Value()*(1+1e-12)))), record.SmallFormat
		reject.Value = record.Words("no")
		if a <= c.Alpha {
			reject.Value = record.Words("yes")
		}
		text = `IF(IFERROR(AND(unchanged="yes",` + ask.Unchanged() + "),FALSE)," +
			strconv.FormatFloat(adjusted.Value.F, 'G', 17, 64) + "," + text + ")"
	}
	adjusted.Formula = "IF(AND(" + askedP + ")," + text + `,"")`
	reject.Formula = "IF(AND(" + askedP + `,unchanged="yes"),` + decides + `,"")`
	return adjusted, reject, nil
}

// followP makes formulas of an adjusted p-value, if it has one, and of the decision.
func (ch *chain) followP(adjusted, reject record.LiveCell) (record.LiveCell, record.LiveCell) {
	reject.Formula = "IF(AND(" + askedP + ")," + decides + `,"")`
	if r := ch.links[0]; len(ch.links) == 1 && r.worst != "" && ch.least == "" {
		least := sum([]string{liveChance{ln: r.worst}.times("0"), r.defect.times("0")})
		adjusted.Formula = "IF(AND(" + askedP + "),IFERROR(MAX(1E-307,MIN(1," + least + `*(1+1E-12))),1),"")`
		adjusted.Format = record.SmallFormat
	}
	return adjusted, reject
}

// follows says whether each row decides by the threshold of the sheet Live: only that of
// a single test does.
func (t *correction) follows() bool {
	return t.xlsx() && t.live != nil && t.family == pvalue.NoFamily
}

// number is the p-value as a number of a sheet, if it is one there.
func (j judged) number() record.Cell {
	if x, ok := j.table.Plain(j.cells[j.table.P]); ok && x > 1e-307 {
		return record.Exactly(x)
	}
	return j.typed(j.table.P)
}

// look is how a row stands out.
func (j judged) look() record.Look {
	switch {
	case !j.p:
		return record.DimLook
	case rejected.Cell(j).N != 0:
		return record.BestLook
	}
	return record.PlainLook
}

// rejectLive decides by the threshold of the sheet Live.
var rejectLive = record.Column[judged]{Name: "reject_live", Cell: judged.decision,
	Says: "whether p is at most the threshold of the sheet Live, whose inputs may be changed"}

// decision is the formula of a row: p is at most the threshold of the sheet Live, or what that says instead.
func (j judged) decision() record.Cell {
	if !j.p {
		return record.Cell{}
	}
	text := j.cells[j.table.P]
	place := record.ColumnName(j.table.P+1) + strconv.Itoa(j.at+2)
	if _, ok := record.PlainNumber(text); j.number().Form != record.NumberForm && (!ok || j.raw) { // the cell is a text
		p, _ := j.table.Chance(text)
		place = strconv.FormatFloat(p.Value(), 'G', 17, 64)
	}
	reject := rejected.Cell(j)
	reject.S = fmt.Sprintf("IF(ISNUMBER(%[1]s),%[2]s<=%[1]s,%[1]s)", thresholdName, place)
	return reject
}

// about tells what the correction rests on.
func (t *correction) about() (remarks []record.Remark, sources []theory.Source) {
	by := t.by.Correction
	return []record.Remark{{}, {Label: "Method"}, {Label: by.Name, Text: strings.Join([]string{
		"assumes " + strings.Join(by.Assumes, "; "), "proof: " + string(by.Proof),
		"source: " + strings.Join(record.Sources(by.Sources).List, "; "),
	}, "\n")}}, by.Sources
}
