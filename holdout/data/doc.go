// Package data has the rows of a ledger: labels, tables and features as they are read, predictions and when they match,
// and the one function in which a label meets a prediction, [Answers.Meet]. A [Reader] of submissions has no label, so
// that nothing that it accepts, refuses or remarks can tell one.
package data
