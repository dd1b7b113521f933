// Package live has the formulas of the sheets that answer again after an edit: of plans they are never below what
// dpcalc computes. What such a sheet of corrections has too is here as well.
package live

import (
	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/internal/each"
)

// Nothing is the formula of a cell that shows nothing.
var Nothing = expr.T("")

// Unchanged is the cell that says whether these inputs are those at the start.
func Unchanged(name, label string, inputs []record.LiveInput) record.LiveInput {
	conditions := append([]expr.X{expr.True}, each.Of(inputs, record.LiveInput.Unchanged)...)
	return record.LiveInput{Name: name, Label: label,
		Formula: expr.If(expr.IfError(expr.And(conditions...), expr.False), expr.T("yes"), expr.T("no"))}
}

// CommandLine is a command line as a formula of inputs.
type CommandLine struct{ expr.X }

// Add adds words that no input changes.
func (c *CommandLine) Add(words string) {
	if c.None() {
		c.X = expr.T(words)
	} else {
		c.X = c.Then(expr.T(words))
	}
}

// AddInput adds a value after what precedes it. There may be neither for an input that may be blank.
func (c *CommandLine) AddInput(before string, in record.LiveInput) {
	value := expr.T(before).Then(record.DecimalText(in.Name))
	if in.Optional {
		value = expr.If(expr.Cell(in.Name).Is(Nothing), Nothing, value)
	}
	c.X = c.Then(value)
}

// Cell is the cell that has the command line.
func (c CommandLine) Cell(name, label string) record.LiveInput {
	return record.LiveInput{Name: name, Label: label, Formula: c.X}
}

// TanhOfHalf is tanh(x/2), above it by at most a part in 1e12: by its series where TANH may be careless near zero.
func TanhOfHalf(x expr.X) expr.X {
	half := x.Over(expr.N(2))
	series := half.Minus(half.To(expr.N(3)).Over(expr.N(3))).Plus(expr.N(2).Times(half.To(expr.N(5))).Over(expr.N(15)))
	return expr.If(half.Below(expr.N(0.01)), series, expr.F("TANH", half)).Raised(1e-13)
}

// CountedPasses is up to how many passes a formula counts the nodes of a gate one by one.
const CountedPasses = 16

// LnNodes is ln of C(n,0) + ... + C(n,B), or more: all, which is n ln 2, where B is n or more, term by term for up to
// CountedPasses passes, and else, where B is below n/2,
//
//	C(n,0) + ... + C(n,B) <= min(1, sqrt(n/(2 pi B (n-B))) (n-B+1)/(n-2B+1)) e^(n h),
//
// with h the entropy of B/n in nats: the terms fall at least as B/(n-B+1) from C(n,B) on, which Stirling's formula
// bounds. Of n h the second part, (n-B) ln(n/(n-B)), is at most B, and little less where B/n is too small for LN.
// Without the first term C(n,0) the others are counted.
func LnNodes(n, passes expr.X, first bool, all expr.X) expr.X {
	one, two := expr.N(1), expr.N(2)
	sum := expr.N(0)
	for k := CountedPasses; k >= 1; k-- {
		term := n.Minus(expr.N(k - 1)).Over(expr.N(k)).Times(one.Plus(sum))
		sum = expr.If(passes.Below(expr.N(k)), expr.N(0), term)
	}
	if first {
		sum = one.Plus(sum)
	}
	left := n.Minus(passes)
	rest := expr.If(passes.Below(n.Over(expr.N(10000))), passes, passes.Minus(n).Times(expr.Ln(one.Minus(passes.Over(n)))))
	root := expr.Ln(n.Over(left).Over(passes).Over(expr.N(6.28318))).Over(two)
	root = root.Plus(expr.Ln(left.Plus(one).Over(n.Minus(two.Times(passes)).Plus(one))))
	entropy := expr.Min(n.Minus(one).Times(expr.Ln(two)),
		passes.Times(expr.Ln(n.Over(passes))).Plus(rest).Plus(expr.Min(expr.N(0), root))).Raised(1e-11)
	return expr.If(passes.AtLeast(n), all, expr.If(passes.AtMost(expr.N(CountedPasses)),
		expr.Ln(sum).Raised(1e-13).Plus(expr.N(1e-15)), expr.If(two.Times(passes).AtLeast(n), all, entropy)))
}
