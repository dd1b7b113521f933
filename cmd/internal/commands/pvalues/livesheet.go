package pvalues

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/live"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// selection is what precedes the test.
type selection struct {
	choice
	plan   steps.Learned
	source string
	alpha  theory.LogProb
}

// terms are the steps of a selection as formulas.
type terms struct {
	inputs []record.LiveInput
	say    live.CommandLine
	steps  []amounts
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
func (s selection) terms() (t terms) {
	alpha, _ := chanceInput(record.LiveInput{Name: "alpha", Label: "alpha"}, ">0", s.alpha)
	t.inputs = []record.LiveInput{alpha}
	t.say.Add("dpcalc pvalue-correct")
	t.say.AddInput(" --alpha ", alpha)
	if s.source == bySteps {
		t.say.Add(" --by " + bySteps)
	}
	for i, typed := range s.plan.ByReplacement() {
		name, rest, _ := strings.Cut(typed, ":")
		kind, _ := kindOf(name)
		before, lead, glue, suffix := " --by ", " --", " ", ""
		if s.source == bySteps {
			before, lead, glue, suffix = " --step ", ":", "=", "_"+strconv.Itoa(i+1)
		}
		t.say.Add(before + name)
		if kind.Formulas == nil {
			t.say.Add(lead + rest)
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
				t.say.Add(lead + item)
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
			t.say.AddInput(lead+key+glue, in)
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
		t.say.AddInput(" --samples ", in)
		t.say.Add(" --data " + s.plan.Data.String())
	}
	if s.method != "" {
		t.say.Add(" --method " + s.method)
	}
	if s.some() {
		t.say.Add(" --proofs " + s.proofs)
	}
	return t
}

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
		adjusted, reject, err := liveP(c, ch, *p, ask)
		if err != nil {
			return nil, err
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
	c.Formula = live.AtStart(atStart, c.Value, live.Nothing)
	switch c.Value.Form {
	case record.WordsForm, record.ComplementForm:
	default:
		c.Format = record.SmallFormat
	}
	return c
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
	alpha, inputs, say := t.inputs[0].Name, slices.Clone(t.inputs), t.say
	unchanged := live.Unchanged("unchanged", "as at the start", inputs)
	if p != nil {
		inputs = append(inputs, ask)
		say.AddInput(" --p ", ask)
	}
	whole := !slices.ContainsFunc(inputs, func(in record.LiveInput) bool { return strings.HasPrefix(in.Name, "ln_") })
	if alpha == "alpha" {
		alpha = "(0-LN(alpha))"
	}
	left := "(" + alpha + "*(1+1E-13)+1E-15)"
	inputs = append(inputs, unchanged,
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
		inputs = append(inputs, say.Cell("command", "command"))
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
	line[3].Formula = live.AtStart(atStart, line[3].Value, `"`+onlyDpcalc+`"`)
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
		ln = live.AtStart("AND("+atStart+","+ch.least+")", line[2].Value, ln)
		says = "IF(" + ch.least + ",IF(" + atStart + `,"value","` + mayBeMore + `"),"formula")`
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
	c.Formula = live.AtStart(atStart, c.Value, `IF(ISNUMBER(C{row}),IF(C{row}<-29.94,"`+overAll+`",1-EXP(`+ln+
		`)+2E-15),IF(C{row}="`+belowLn+`","`+overAll+`",""))`)
	c.Format = "0.000000000"
	return c
}

// liveP is the adjusted p-value, and the decision for the threshold beside it. By formulas both are for any p; without
// them the one holds for the inputs at the start, and the other for any p beside the others at the start.
func liveP(c *pvalue.Test, ch *chain, p typedP, ask record.LiveInput) (adjusted, reject record.LiveCell, err error) {
	if !c.Status.Applies() {
		return adjusted, reject, nil
	}
	text, decided := `"`+onlyDpcalc+`"`, askedP
	if ch == nil {
		decided += "," + atStart
	}
	reject.Formula = "IF(AND(" + decided + ")," + decides + `,"")`
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
		text = live.AtStart("IFERROR(AND("+atStart+","+ask.Unchanged()+"),FALSE)", adjusted.Value, text)
	}
	if single := ch != nil && len(ch.links) == 1; single && ch.links[0].worst != "" && ch.least == "" {
		r := ch.links[0]
		least := sum([]string{liveChance{ln: r.worst}.times("0"), r.defect.times("0")})
		text, adjusted.Format = "IFERROR(MAX(1E-307,MIN(1,"+least+"*(1+1E-12))),1)", record.SmallFormat
	}
	adjusted.Formula = "IF(AND(" + askedP + ")," + text + `,"")`
	return adjusted, reject, nil
}
