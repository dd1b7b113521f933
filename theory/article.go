package theory

// Article describes a method or theorem whose name a command prints. The
// registries of all packages have one for each of their entries.
type Article struct {
	Name     string    // as it is printed and typed
	Summary  string    // one line
	Formula  string    // in plain text
	Practice string    // when it is of use, and what it does not promise
	Proof    Proof     // where the proof is
	Sources  []Source  // never empty; the first is this project's own if and only if Proof is Derived
	Assumes  []string  // the hypotheses, in words; never empty
	Checked  []Checked // the rows of which Coq checks the proof
	Missing  []Checked // the rows of which Coq checks the proof but for a part; these rows are derived
}

// Checked is a kind of a method's rows that rest on theorems that Coq checks, for laws of finite support.
type Checked struct {
	Rows     string   // which rows, in words
	Missing  string   // the part that Coq does not check, "" for none
	Theorems []string // in the folder proofs, as Module.name
	Given    []Source // the published theorems that these have as a hypothesis
}
