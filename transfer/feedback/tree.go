package feedback

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Tree is the tree lemma. Given the analyst's coins an interaction is a tree: a node is a sequence of responses, and
// the query at a node is one fixed function. What goes wrong does so a first time, at a node that is
// reached through good responses only. So
//
//	P[anything goes wrong] <= sum over those nodes of P[the response there is bad].
//
// The groups hold the nodes by the risk that they carry.
type Tree []Nodes

// Nodes are nodes of a tree with the same risk.
type Nodes struct {
	LnCount num.DD // ln of how many they are, rounded up
	Risk    Tail   // of a bad response at one of them
}

// Tail is an upper bound on the probability of an event about n rows that falls in n.
type Tail interface {
	// Ln returns its logarithm, at most 0 and rounded up.
	Ln(n int64) float64
}

// Exponential is the tail Sides e^(-n Rate), for a Rate >= 0 that is rounded down. An event that cannot
// happen has the rate +Inf.
type Exponential struct {
	Sides int64 // 1 or 2
	Rate  num.DD
}

// Ln returns ln of the tail.
func (e Exponential) Ln(n int64) float64 {
	if math.IsInf(e.Rate.Hi, 1) {
		return math.Inf(-1)
	}
	ln := num.Log(float64(e.Sides)) - e.Rate.Hi*float64(n)
	return math.Min(0, ln+4e-16*(1+math.Abs(ln)))
}

// LnFailure returns ln of the sum over the nodes for n rows, rounded up. It may be above 0.
func (t Tree) LnFailure(n int64) float64 {
	sum := math.Inf(-1)
	for _, nodes := range t {
		ln := nodes.LnCount.Hi + nodes.Risk.Ln(n)
		sum = num.LogAddExp(sum, ln+4e-16*(math.Abs(nodes.LnCount.Hi)+math.Abs(ln)+1))
	}
	return sum
}

// Need returns the least real n with sum <= beta for a tree of one group of nodes with an
// [Exponential] tail:
//
//	n = (ln count + ln sides + ln 1/beta)/rate,
//
// within 2^-95 of its size as far as count and rate are. It is 0 where nothing can go wrong.
func Need(lnCount num.DD, risk Exponential, lnBeta float64) num.DD {
	if math.IsInf(risk.Rate.Hi, 1) {
		return num.DD{}
	}
	level := lnCount.AddFloat(-lnBeta)
	if risk.Sides > 1 {
		level = level.Add(num.FromInt(risk.Sides).Ln())
	}
	return level.Div(risk.Rate)
}
