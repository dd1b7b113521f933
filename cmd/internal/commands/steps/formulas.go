package steps

import "strings"

// InputNames are the names of a step's inputs by its keys.
type InputNames map[string]string

// LnOutcomes begins the name of an input that is the logarithm of a number of outcomes.
const LnOutcomes = "ln_outcomes"

// Formulas are the amounts of a step as formulas of a sheet. A step that has none where it stands has no
// formulas.
type Formulas struct {
	Epsilon, Shift, Rho, Outside string
	Looks, Passes                string // of a gate; no passes for as many as looks
}

// information is the amount of a step that was given as such, in nats.
func (in InputNames) information() Formulas {
	nats := in["nats"]
	switch outcomes := in["outcomes"]; {
	case in["bits"] != "":
		nats = in["bits"] + "*LN(2)"
	case strings.HasPrefix(outcomes, LnOutcomes):
		nats = outcomes
	case outcomes != "":
		nats = "LN(" + outcomes + ")"
	}
	return Formulas{Outside: nats}
}
