// Package audit checks what a mechanism claims: its privacy, the tail of its error, and
// that a sampler draws from the law it is said to have.
//
// The meaning of a verdict depends on the layer.
//
// The exact layer, [Pair] and [Worst], is given the output laws of a finite mechanism.
// Its numbers are the privacy of that instance: [Holds] is a proof for the laws given,
// [Violated] a disproof of the claim.
//
// The statistical layer, [Privacy] and [Tail], is given samplers and bets against the
// claim. If the claim is true the wealth is a nonnegative supermartingale that begins at
// one. It ever reaches 1/alpha with probability at most alpha, however and whenever the audit
// stops (Ville 1939, [ville39]; testing by betting, [waudbysmith24]). Violated
// therefore is wrong with probability at most the false alarm declared. Holds only says
// that no violation above the Detectable of the result was found; it never proves a
// claim. Undecided says that the samples do not suffice to find even the grossest violation.
// [Law] is the same for a sampler and its exact law, with a fixed number of samples.
//
// Auditing by the probabilities of an event under neighbouring inputs is [jagielski20];
// one run that yields many bets, [steinke23]. The leaks of the lattice of floating-point numbers are described in
// [mironov12], the sparse vectors that an audit must refuse in [lyu17].
//
// False alarms come from a [Ledger]: the tests of a suite draw theirs under a name from
// one declared total, each once, and a draw beyond the total is refused. Nothing random
// depends on the number of workers: a seed gives the same result with any.
//
// The bracketed names are entries of docs/references.bib.
package audit

// Verdict is what an audit says about a claim; see the package for what it means.
type Verdict string

const (
	Holds     Verdict = "holds"     // exact: proved; statistical: no violation found
	Violated  Verdict = "violated"  // refuted, up to the false alarm
	Undecided Verdict = "undecided" // too few samples to find any violation
)
