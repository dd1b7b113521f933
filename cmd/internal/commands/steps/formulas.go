package steps

import "github.com/dpcalc/dpcalc/cmd/internal/expr"

// InputCells are the cells of a step's inputs by its keys.
type InputCells map[string]expr.X

// LnOutcomes is the key of an input that is the logarithm of a number of outcomes.
const LnOutcomes = "ln_outcomes"

// Formulas are the amounts of a step as formulas of a sheet. A step that has none where it stands has no
// formulas.
type Formulas struct {
	Epsilon, Shift, Rho, Outside expr.X
	Looks, Passes                expr.X // of a gate; no passes for as many as looks
}

// information is the amount of a step that was given as such, in nats.
func (in InputCells) information() Formulas {
	switch {
	case !in["bits"].None():
		return Formulas{Outside: in["bits"].Times(expr.Ln(expr.N(2)))}
	case !in["outcomes"].None():
		return Formulas{Outside: expr.Ln(in["outcomes"])}
	case !in[LnOutcomes].None():
		return Formulas{Outside: in[LnOutcomes]}
	}
	return Formulas{Outside: in["nats"]}
}
