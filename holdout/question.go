package holdout

import (
	"github.com/dpcalc/dpcalc/holdout/ask"
)

// What an open look shows.
const (
	ShowPass   = ask.Pass
	ShowBest   = ask.Best
	ShowScore  = ask.Score
	ShowGuess  = ask.Guess
	ShowReject = ask.Reject
)

// The tests of [ShowReject].
const (
	SignTest = ask.SignTest
	McNemar  = ask.McNemar
)

// Kinds are what an open look may show.
func Kinds() []string { return ask.Kinds() }

// Tests are the tests of [ShowReject].
func Tests() []string { return ask.Tests() }

// Question is what a look asks beside its metric.
type Question = ask.Question

// Condition is one of several bars that a model is to pass together, on some rows.
type Condition = ask.Condition

// usualStep is the width of cells, and how far a guess may be off, where a look says nothing else.
const usualStep = 0.01

// or is a number that may be missing.
func or(x *float64, otherwise float64) float64 {
	if x == nil {
		return otherwise
	}
	return *x
}
