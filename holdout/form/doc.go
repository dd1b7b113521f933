// Package form has both files of a ledger as structs: plan.json is a [Plan], and each line of looks.jsonl is a [Line].
// It has the words that stand in them and the errors of a ledger too. It reads and writes the files as every version
// before has, refuses a member that this version does not know, and decides nothing: what a plan promises and what a
// look is told is up to the packages above.
package form
