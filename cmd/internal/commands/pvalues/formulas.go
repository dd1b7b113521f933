package pvalues

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/live"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/pvalue"
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

	// The condition that the inputs, but for p, are those at the start.
	atStart = `unchanged="yes"`

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

// amounts are the formulas of a step, and its defect.
type amounts struct {
	steps.Formulas
	defect liveChance // its delta or slack
	passes int64      // of a gate, at the start
	known  bool       // it has formulas
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

// rule is the theorem of this name about a step, if it has explicit formulas. A wide rule is for intervals.
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
		return liveRenyi("samples*"+epsilon+"*"+live.TanhOfHalf(epsilon), defect), true
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
		return "(0-(SQRT(" + level + "-LN(31/32))+SQRT(samples*" + x + "*" + live.TanhOfHalf(x) + "))^2)"
	}}
}

// nodes is the logarithm of the number of nodes of a gate, not below it: of its tests, of its intervals, or of its
// transcripts where more follows. It is C(n,0) + ... + C(n,B), for intervals without the first term. Where the terms
// are not counted one by one, least says when.
func (a amounts) nodes(last, wide bool) (formula, least string) {
	n, all, first := "("+a.Looks+"-1)", "%s*LN(2)*(1+1E-13)", "1+"
	if !last || wide {
		n = a.Looks
	}
	if last && wide {
		all, first = "((%[1]s*LN(2)+LN(1-EXP(0-%[1]s*LN(2))))*(1+1E-13)+1E-15)", ""
	}
	if all = fmt.Sprintf(all, n); a.Passes == "" {
		return all, ""
	}
	return live.LnNodes(n, a.Passes, first, all), fmt.Sprintf("%s>%d", a.Passes, live.CountedPasses)
}

// merged are the amounts of private steps as one step: amounts of one kind add up. Steps of several kinds have no
// formulas.
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
		ch.lower = ch.lower || a.passes > live.CountedPasses || r.least == always
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
