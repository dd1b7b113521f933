package steps

// InputNames are the names of a step's inputs by its keys.
type InputNames map[string]string

// Formulas are the amounts of a step as formulas of a sheet. A step that has none where it stands has no
// formulas.
type Formulas struct{ Epsilon, Shift, Outside string }

// information is the amount of a step that was given as such, in nats.
func (in InputNames) information() Formulas {
	nats := in["nats"]
	switch {
	case in["bits"] != "":
		nats = in["bits"] + "*LN(2)"
	case in["outcomes"] != "":
		nats = "LN(" + in["outcomes"] + ")"
	}
	return Formulas{Outside: nats}
}
