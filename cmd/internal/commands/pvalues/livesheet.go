package pvalues

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/live"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/expr"
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

// terms are a selection as formulas.
type terms struct {
	inputs []record.LiveInput
	say    live.CommandLine
	amounts
}

// between is the condition of a number above a lower end, or from it on, and below 1.
func between(name string, from func(x, end expr.X) expr.X) expr.X {
	x := expr.Cell(name)
	return record.IsNumber(name, expr.And(from(x, zero), x.Below(one)))
}

// beyond is the condition of a number above 0, or from 0 on.
func beyond(name string, from func(x, end expr.X) expr.X) expr.X {
	return record.IsNumber(name, from(expr.Cell(name), zero))
}

// chanceInput completes the input of a probability: itself, or ln(1/p) where float64 cannot hold it.
func chanceInput(in record.LiveInput, zeroToo bool, p theory.LogProb) (record.LiveInput, liveChance) {
	if !record.Representable(p) {
		in.Name, in.Label, in.Value = "ln_inv_"+in.Name, "ln(1/"+in.Label+")", record.Exactly(-p.Ln())
		in.Holds, in.Wants = beyond(in.Name, expr.X.Above), "want a positive number"
		return in, liveChance{ln: expr.Neg(expr.Cell(in.Name))}
	}
	in.Value, in.Holds, in.Wants = record.Chance(p), between(in.Name, expr.X.Above), "want "+numbers.Probabilities.Want
	if zeroToo {
		in.Holds, in.Wants = between(in.Name, expr.X.AtLeast), "want "+numbers.BelowOne.Want
	}
	return in, liveChance{ln: expr.Ln(expr.Cell(in.Name)), value: expr.Cell(in.Name)}
}

// parameter is the input of a step of this kind for one of its keys, which it may rename, and what it is the
// probability of, if it is one.
func parameter(kind, key, value, suffix string) (in record.LiveInput, renamed string, p liveChance) {
	in = record.LiveInput{Label: key, Name: strings.ReplaceAll(key, "-", "_") + suffix}
	cell := expr.Cell(in.Name)
	switch key {
	case "queries", "outcomes", "looks", "passes":
		n, ok := numbers.Counts.Parse(value)
		if !ok { // a power
			ln, _ := steps.Outcomes.Parse(value)
			in.Name, in.Label, in.Value = steps.LnOutcomes+suffix, "ln(outcomes)", record.Exactly(float64(ln))
			in.Holds, in.Wants = beyond(in.Name, expr.X.AtLeast), "want "+numbers.NonNegatives.Want
			return in, steps.LnOutcomes, p
		}
		in.Value, in.Holds, in.Wants = record.Count(n), record.IsCount(in.Name), "want a whole number from 1 to 2^53"
		if key == "passes" {
			looks := expr.Cell("looks" + suffix)
			most := expr.If(expr.IsNumber(looks), cell.AtMost(looks), expr.True)
			in.Holds = record.IsNumber(in.Name, expr.If(in.Holds, most, expr.False))
			in.Wants = "want a whole number from 1 to the number of looks"
		}
		return in, key, p
	case "slack", "delta":
		chance, _ := numbers.ParseProb(value)
		in, p = chanceInput(in, key == "slack", chance)
		return in, key, p
	}
	x, _ := numbers.NonNegatives.Parse(value)
	in.Value = record.Exactly(x)
	switch {
	case key == "noise-sd":
		in.Holds = record.IsNumber(in.Name, expr.And(cell.AtLeast(expr.N(1e-150)), cell.AtMost(expr.N(1e150))))
		in.Wants = "want " + steps.Deviations.Want
	case key == "mu", key == "rho", kind == "pure-dp":
		in.Holds, in.Wants = beyond(in.Name, expr.X.Above), "want "+numbers.Positives.Want
	default:
		in.Holds, in.Wants = beyond(in.Name, expr.X.AtLeast), "want "+numbers.NonNegatives.Want
	}
	return in, key, p
}

// terms makes inputs of what was typed. Several steps have no formulas.
func (s selection) terms() (t terms) {
	alpha, _ := chanceInput(record.LiveInput{Name: "alpha", Label: "alpha"}, false, s.alpha)
	t.inputs = []record.LiveInput{alpha}
	t.say.Add("dpcalc pvalue-correct")
	t.say.AddInput(" --alpha ", alpha)
	if s.source == bySteps {
		t.say.Add(" --by " + bySteps)
	}
	typedSteps := s.plan.ByReplacement()
	for i, typed := range typedSteps {
		name, rest, _ := strings.Cut(typed, ":")
		kind, _ := kindOf(name)
		before, lead, glue, suffix := " --by ", " --", " ", ""
		if s.source == bySteps {
			before, lead, glue, suffix = " --step ", ":", "=", "_"+strconv.Itoa(i+1)
		}
		t.say.Add(before + name)
		if kind.Formulas == nil {
			t.say.Add(lead + rest)
			continue
		}
		if name == "max-info" && !strings.Contains(rest, "slack=") {
			rest += ",slack=0"
		}
		has := make(steps.InputCells)
		var defect liveChance
		for item := range strings.SplitSeq(rest, ",") {
			key, value, _ := strings.Cut(item, "=")
			if key == "data" {
				t.say.Add(lead + item)
				continue
			}
			in, renamed, p := parameter(name, key, value, suffix)
			if !p.ln.None() {
				defect = p
			}
			has[renamed] = expr.Cell(in.Name)
			if suffix != "" {
				in.Label += " of step " + strconv.Itoa(i+1)
			}
			t.inputs = append(t.inputs, in)
			t.say.AddInput(lead+key+glue, in)
			if suffix != "" {
				lead = ","
			}
		}
		if len(typedSteps) == 1 {
			t.amounts = amounts{kind.Formulas(has), defect}
		}
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
	l := record.Live{Stale: record.Own("$D").Is(expr.T(onlyDpcalc)), Intro: []string{
		"Threshold for the p-value of one selected test: change the yellow cells",
		"Rows marked formula follow them. Thresholds are rounded down and adjusted p-values up by a part in 10^12, in 10^9 for the normal law, more than the rounding errors of a spreadsheet.",
		"confidence is the level of intervals for what was selected.",
	}}
	if s.plan.Neighbours == commands.ByAdding {
		l.Intro = append(l.Intro, "The privacy below is for neighbours by replacing a row: it was converted from that for adding or removing one.")
	}
	l.Columns = []string{"method", "threshold", "ln threshold", "source"}
	var ask record.LiveInput
	if p != nil {
		ask = p.input()
		l.Intro = append(l.Intro, "Rows marked value have no explicit formula. They hold for the inputs at the start and are blank for others; the cell command says how to ask dpcalc.")
		l.Columns = append(l.Columns, "p adjusted", "reject")
	}
	l.Inputs = s.liveInputs(t, p, ask)
	l.Columns = append(l.Columns, "confidence", "proof", "hypotheses")
	for i := range all {
		c := &all[i]
		var r *liveRule
		if c.Status.Applies() {
			r = t.rule(c.Correction.Name)
		}
		if r == nil && p == nil {
			return nil, nil
		}
		line := r.cells(c)
		if p != nil {
			adjusted, reject, err := r.judge(c, *p, ask)
			if err != nil {
				return nil, err
			}
			line = append(line, adjusted, reject)
		} else {
			line[1].Name = thresholdName
		}
		proof, assumes := string(c.Correction.Proof), strings.Join(c.Correction.Assumes, "; ")
		l.Rows = append(l.Rows, append(line, r.confidence(c), record.LiveCell{Value: record.Words(proof)},
			record.LiveCell{Value: record.Words(assumes)}))
	}
	l = l.Compact()
	return &l, nil
}

// input is the cell of a p-value, which may be blank.
func (p *typedP) input() record.LiveInput {
	x := expr.Cell("p")
	in := record.LiveInput{Name: "p", Label: "p", Holds: record.IsNumber("p", expr.And(x.AtLeast(zero), x.AtMost(one))),
		Wants: "want " + numbers.ChancesOfAll.Want + ", or nothing", Optional: true}
	switch {
	case p.given && !record.Representable(p.value):
		in.Name, in.Label, in.Value = "ln_inv_p", "ln(1/p)", record.Exactly(-p.value.Ln())
		in.Holds, in.Wants = beyond(in.Name, expr.X.AtLeast), "want "+numbers.NonNegatives.Want+", or nothing"
	case p.given:
		in.Value = record.Chance(p.value)
	}
	return in
}

// liveInputs are the quantities of a selection and what follows from them.
func (s selection) liveInputs(t terms, p *typedP, ask record.LiveInput) []record.LiveInput {
	inputs, say := slices.Clone(t.inputs), t.say
	unchanged := live.Unchanged("unchanged", "as at the start", inputs)
	if p != nil {
		inputs = append(inputs, ask)
		say.AddInput(" --p ", ask)
	}
	whole := !slices.ContainsFunc(inputs, func(in record.LiveInput) bool { return strings.HasPrefix(in.Name, "ln_") })
	alpha := expr.Cell(inputs[0].Name)
	if inputs[0].Name == "alpha" {
		alpha = expr.Neg(expr.Ln(alpha))
	}
	inputs = append(inputs, unchanged, record.LiveInput{Name: level.String(), Label: "ln(1/alpha)",
		Formula: expr.IfError(alpha.Raised(1e-13).Plus(expr.N(1e-15)), expr.T("none"))})
	if p != nil {
		ln := expr.Neg(expr.Cell(ask.Name))
		if ask.Name == "p" {
			ln = expr.If(expr.Cell("p").Is(zero), expr.N(-1e300), expr.Ln(expr.Cell("p")))
		}
		inputs = append(inputs, record.LiveInput{Name: lnP.String(), Label: "ln p",
			Formula: expr.If(ask.Holds, ln.Times(expr.N(1-1e-13)), live.Nothing)})
	}
	if whole {
		inputs = append(inputs, say.Cell("command", "command"))
	}
	return inputs
}

var (
	// The condition that the inputs, but for p, are those at the start.
	atStart = expr.Cell("unchanged").Is(expr.T("yes"))

	lnThreshold = record.Own("C")
)

const (
	thresholdName = "threshold" // of the cell with the threshold for a FILE

	lnFormat = "0.0000"
)

// vanishing is a value that is blank for other inputs.
func vanishing(c record.Cell, format string) record.LiveCell {
	if c.Form == record.Missing {
		return record.LiveCell{}
	}
	if c.Form == record.WordsForm || c.Form == record.ComplementForm {
		format = ""
	}
	return record.LiveCell{Formula: expr.If(atStart, record.Literal(c), live.Nothing), Format: format}
}

// cells are the name of a test, its threshold, the logarithm, and where they are from: by a rule, or without one for
// the inputs at the start alone.
func (r *liveRule) cells(c *pvalue.Test) []record.LiveCell {
	threshold, ln, source := record.Words("none"), record.Cell{}, c.Reason
	switch c.Status {
	case transfer.OK:
		x := c.Threshold.Ln()*(1+1e-12) - 1e-12
		threshold, ln, source = record.Chance(theory.LogProb(x)), record.Exactly(x), "value"
		if x < -706.9 {
			threshold = record.Words(belowCell)
		}
	case transfer.Vacuous:
		ln, source = record.Words("none"), noThreshold
	}
	line := []record.LiveCell{{Value: record.Words(c.Correction.Name)}, vanishing(threshold, record.SmallFormat),
		vanishing(ln, lnFormat), {Formula: expr.If(atStart, expr.T(source), expr.T(onlyDpcalc))}}
	if r == nil {
		return line
	}
	left, says, none := r.ln(), expr.T("formula"), lnThreshold.Is(expr.T("none"))
	if !r.least.None() {
		left = expr.If(expr.And(atStart, r.least), record.Literal(ln), left)
		says = expr.If(r.least, expr.If(atStart, expr.T("value"), expr.T(mayBeMore)), says)
	}
	number := expr.If(lnThreshold.Below(expr.N(-706.9)), expr.T(belowCell), expr.Exp(lnThreshold))
	other := expr.If(none, expr.T("none"), expr.T(belowCell))
	line[1] = record.LiveCell{Formula: expr.If(expr.IsNumber(lnThreshold), number, other), Format: record.SmallFormat}
	line[2] = record.LiveCell{Formula: expr.If(record.Sound(), left, expr.T("none")), Format: lnFormat}
	line[3] = record.LiveCell{Formula: record.Guarded(expr.If(none, expr.T(noThreshold), says))}
	return line
}

// overAll is a confidence that no cell tells from one.
const overAll = "over 1-1E-13"

// confidence is the level of intervals.
func (r *liveRule) confidence(c *pvalue.Test) record.LiveCell {
	start := record.Cell{}
	if c.Status == theory.OK {
		start = confidenceCell(c)
	}
	if r == nil {
		return vanishing(start, record.SmallFormat)
	}
	ln := lnThreshold
	if r.wide != nil {
		ln = r.wide.ln()
	}
	number := expr.If(lnThreshold.Below(expr.N(-29.94)), expr.T(overAll), one.Minus(expr.Exp(ln)).Plus(expr.N(2e-15)))
	other := expr.If(lnThreshold.Is(expr.T(belowLn)), expr.T(overAll), live.Nothing)
	follows := expr.If(expr.IsNumber(lnThreshold), number, other)
	return record.LiveCell{Formula: expr.If(atStart, record.Literal(start), follows), Format: "0.000000000"}
}

// judge is the adjusted p-value, and the decision for the threshold beside it. By formulas both are for any p; without
// them the one holds for the inputs at the start, and the other for any p beside the others at the start.
func (r *liveRule) judge(c *pvalue.Test, p typedP, ask record.LiveInput) (adjusted, reject record.LiveCell, err error) {
	if !c.Status.Applies() {
		return adjusted, reject, nil
	}
	asked := []expr.X{record.Sound(), expr.IsNumber(lnP)}
	decided := asked
	if r == nil {
		decided = append(slices.Clone(asked), atStart)
	}
	yes, no := expr.T("yes"), expr.T("no")
	unknown := expr.Or(lnThreshold.Is(expr.T("none")), lnP.Above(expr.N(-700)))
	verdict := expr.If(expr.IsNumber(lnThreshold), expr.If(lnP.AtMost(lnThreshold), yes, no),
		expr.If(unknown, no, expr.T("undecided")))
	reject.Formula = expr.If(expr.And(decided...), verdict, live.Nothing)
	least := expr.T(onlyDpcalc)
	switch follows := r != nil && !r.worst.None() && r.least.None(); {
	case follows:
		total := liveChance{ln: r.worst}.times(zero).Plus(r.defect.times(zero)).Raised(1e-12)
		least = expr.IfError(expr.Max(expr.N(1e-307), expr.Min(one, total)), one)
		adjusted.Format = record.SmallFormat
	case p.given:
		a, err := c.Adjusted(p.value)
		if err != nil {
			return adjusted, reject, err
		}
		same := expr.IfError(expr.And(atStart, ask.Unchanged()), expr.False)
		least = expr.If(same, expr.N(max(1e-307, min(1, a.Value()*(1+1e-12)))), least)
		adjusted.Format = record.SmallFormat
	}
	adjusted.Formula = expr.If(expr.And(asked...), least, live.Nothing)
	return adjusted, reject, nil
}
