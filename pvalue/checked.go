package pvalue

import (
	"slices"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// What Coq checks of the corrections, by what the data were asked.
var (
	oneOutcome = theory.Checked{Rows: "p-values after one answer out of N",
		Theorems: []string{"Corrections.selected_test", "Corrections.description_bound"}}
	onePrivate = theory.Checked{Rows: "p-values after one answer of pure differential privacy, stated for a row replaced",
		Theorems: []string{"Renyi.renyi_threshold", "Renyi.renyi_adjusted"}}
	severalSteps = theory.Checked{Rows: "p-values after several such answers, and answers of pure differential privacy and out of N in any order",
		Theorems: []string{"Corrections.selected_test", "Corrections.description_bound", "PrivateStep.private_step"}}
	oneGate = theory.Checked{Rows: "p-values of tests behind a gate, of which nothing else is asked; no intervals",
		Theorems: []string{"Gate.gate_rejections"}}
)

// checkedRows lists what Coq checks of the rows of a method.
var checkedRows = map[string][]theory.Checked{
	string(Bonferroni): {oneOutcome, severalSteps},
	"renyi":            {onePrivate, severalSteps},
	"gates":            {oneGate},
}

// partlyChecked lists the rows of a method of which Coq checks all but a part.
var partlyChecked = map[string][]theory.Checked{
	composed: {{Rows: "p-values after several steps", Missing: "the theorems of single steps",
		Theorems: []string{"Corrections.composition", "Slack.slack_once"}}},
}

// checkedFor returns what Coq checks of a row that rests on these theorems about a plan's steps, if it checks all.
func checkedFor(p maxinfo.Plan, used []option) (c theory.Checked, ok bool) {
	about := func(is func(option) bool) bool {
		return !slices.ContainsFunc(used, func(o option) bool { return !is(o) })
	}
	switch one := len(p.Steps) == 1; {
	case one && about(option.isGate):
		return oneGate, true
	case one && about(option.isRange):
		return oneOutcome, true
	case one && about(option.isPure):
		return onePrivate, true
	case about(func(o option) bool { return o.isRange() || o.isPure() }):
		return severalSteps, true
	}
	return theory.Checked{}, false
}

func (o option) isGate() bool {
	_, is := o.Limit.(maxinfo.Gate)
	return is
}

func (o option) isRange() bool {
	_, is := o.Limit.(maxinfo.Range)
	return is
}

// isPure reports whether a theorem is the one of pure privacy and independent records.
func (o option) isPure() bool {
	r, is := o.Limit.(maxinfo.Renyi)
	return is && o.Name == "renyi" && r.Defect == theory.Zero
}
