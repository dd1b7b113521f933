package theory

// Article describes a method or theorem whose name a command prints. The
// registries of all packages have one for each of their entries.
type Article struct {
	Name     string   // as it is printed and typed
	Summary  string   // one line
	Formula  string   // in plain text
	Practice string   // when it is of use, and what it does not promise
	Proof    Proof    // where the proof is
	Sources  []Source // never empty; the first is this project's own if and only if Proof is Derived
	Assumes  []string // the hypotheses, in words; never empty
	Checked  []string // of which rows Coq checks the proof: a kind of goals, and the theorems in proofs
	Missing  []string // of which rows Coq checks all but a part: a kind of goals, the part, and the theorems in proofs
}
