// Package theory is the vocabulary of dpcalc: probabilities kept as natural
// logarithms, bounds that carry their theorem, the notions of differential
// privacy with their composition, and the concentration inequalities for
// queries that were fixed before the data were seen.
//
// Three rules hold in every package of the module.
//
// A number is a bound. The doc comment of each function says which side it is
// on: an upper bound is never below the value in exact arithmetic, a lower
// bound never above it.
//
// Natural logarithms inside, bits only at the edge. A failure probability is a
// [LogProb] from the flag to the answer, so 1e-4343 is as good a goal as 0.05.
//
// Wrong input, a theorem that does not apply and a bound that says nothing are
// three different things: a [*DomainError], a [*NotApplicableError] and a value.
// No NaN and no infinity leaves an exported function.
//
// A newcomer begins with [ParseLogProb], which reads a probability, with [Bound], which every
// theorem returns, and with [StatusOf], which says what a row of a table may show for an error. [Steps] and
// [CompositionMethods] answer how private many steps are together. An [Article] describes
// a method: its formula, its hypotheses, its sources and what it is good for.
package theory
