// Package live has the formulas of the sheets that answer again after an edit: of plans they are never below what
// dpcalc computes. What such a sheet of corrections has too is here as well.
package live

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/theory"
)

// literal is a value in a formula.
func literal(c record.Cell) string {
	switch c.Form {
	case record.CountForm:
		return strconv.FormatInt(c.N, 10)
	case record.NumberForm:
		return strconv.FormatFloat(c.F, 'G', 17, 64)
	case record.ChanceForm:
		return strconv.FormatFloat(theory.LogProb(c.F).Value(), 'G', 17, 64)
	}
	return `"` + strings.ReplaceAll(c.S, `"`, `""`) + `"`
}

// Nothing is the formula of a cell that shows nothing.
const Nothing = `""`

// AtStart is a value while the condition says that the inputs are those at the start, and another formula for others.
func AtStart(unchanged string, value record.Cell, others string) string {
	return "IF(" + unchanged + "," + literal(value) + "," + others + ")"
}

// Unchanged is the cell that says whether these inputs are those at the start.
func Unchanged(name, label string, inputs []record.LiveInput) record.LiveInput {
	conditions := "TRUE"
	for _, in := range inputs {
		conditions += "," + in.Unchanged()
	}
	return record.LiveInput{Name: name, Label: label, Value: record.Words("yes"),
		Formula: "IF(IFERROR(AND(" + conditions + `),FALSE),"yes","no")`}
}

// CommandLine is a command line as a formula of inputs, and as the text for their values at the start.
type CommandLine struct{ formula, words string }

// Add adds words that no input changes.
func (c *CommandLine) Add(words string) {
	c.formula += `&"` + words + `"`
	c.words += words
}

// AddInput adds a value after what precedes it. There may be neither for an input that may be blank.
func (c *CommandLine) AddInput(before string, in record.LiveInput) {
	formula := `"` + before + `"&` + record.DecimalText(in.Name)
	if in.Optional {
		formula = "IF(" + in.Name + `="","",` + formula + ")"
	}
	c.formula += "&" + formula
	if in.Value.Form != record.Missing {
		c.words += before + record.PlainText(in.Value)
	}
}

// Cell is the cell that has the command line.
func (c CommandLine) Cell(name, label string) record.LiveInput {
	return record.LiveInput{Name: name, Label: label, Value: record.Words(c.words),
		Formula: strings.TrimPrefix(c.formula, "&")}
}

// TanhOfHalf is tanh(x/2), above it by at most a part in 1e12: by its series where TANH may be careless near zero.
func TanhOfHalf(x string) string {
	half := "(" + x + "/2)"
	return "IF(" + half + "<0.01," + half + "-" + half + "^3/3+2*" + half + "^5/15,TANH(" + half + "))*(1+1E-13)"
}

// CountedPasses is up to how many passes a formula counts the nodes of a gate one by one.
const CountedPasses = 16

// LnNodes is ln of C(n,0) + ... + C(n,B), or more: all, which is n ln 2, where B is n or more, term by term for up to
// CountedPasses passes, and else, where B is below n/2,
//
//	C(n,0) + ... + C(n,B) <= min(1, sqrt(n/(2 pi B (n-B))) (n-B+1)/(n-2B+1)) e^(n h),
//
// with h the entropy of B/n in nats: the terms fall at least as B/(n-B+1) from C(n,B) on, which Stirling's formula
// bounds. Of n h the second part, (n-B) ln(n/(n-B)), is at most B, and little less where B/n is too small for LN. With
// an empty first the term C(n,0), which else is "1+", is left out.
func LnNodes(n, passes, first, all string) string {
	tail := "0"
	for k := CountedPasses; k >= 1; k-- {
		tail = fmt.Sprintf("IF(%s<%d,0,(%s-%d)/%d*(1+%s))", passes, k, n, k-1, k, tail)
	}
	entropy := fmt.Sprintf("MIN((%[1]s-1)*LN(2),%[2]s*LN(%[1]s/%[2]s)+IF(%[2]s<%[1]s/10000,%[2]s,(%[2]s-%[1]s)*LN(1-%[2]s/%[1]s))+MIN(0,LN(%[1]s/(%[1]s-%[2]s)/%[2]s/6.28318)/2+LN((%[1]s-%[2]s+1)/(%[1]s-2*%[2]s+1))))*(1+1E-11)", n, passes)
	return fmt.Sprintf("IF(%[1]s>=%[2]s,%[3]s,IF(%[1]s<=%[4]d,LN(%[5]s)*(1+1E-13)+1E-15,IF(2*%[1]s>=%[2]s,%[3]s,%[6]s)))",
		passes, n, all, CountedPasses, first+tail, entropy)
}
