package theory

import "math"

// Nats is an amount of information in natural units.
type Nats float64

// Bits returns the same amount in bits, x log2(e).
func (x Nats) Bits() float64 { return float64(x) * math.Log2E }

// Proof says where the proof of a theorem is.
type Proof string

// Published results are proved in the literature, derived ones in
// docs/theorems. For the others Coq has checked every theorem from their
// hypotheses to the inequality, in proofs, given the published ones that are
// among their sources. Coq does not see their numbers, which are evaluated in
// floating point.
const (
	Published Proof = "published"
	Derived   Proof = "derived"
	Coq       Proof = "coq"
)

// Source names where a statement is proved.
type Source struct {
	Key   string // an entry of docs/references.bib, or "dpcalc" for docs/theorems
	Where string // the theorem, section or equation in it
}

func (s Source) String() string {
	if s.Where == "" {
		return s.Key
	}
	return s.Key + " " + s.Where
}

// Bound is a value with the theorems that give it and the hypotheses that no
// code can check. Hypotheses that can be checked are: they are errors.
type Bound[T any] struct {
	Value   T
	Sources []Source
	Assumes []string
}
