package numbers

import (
	"math/big"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
)

// ChancesOfAll is p-values: zero and one are among them.
var ChancesOfAll = Kind[theory.LogProb]{Want: "a probability in [0, 1]", Parse: ParsePValue}

// ParsePValue reads a probability, or the upper bound <0.001 as 0.001: the p-value that
// it stands for is not above that, so that whatever rejects 0.001 rejects it. A number
// above 1 by less than 1e-9 is 1, as sums of floating point are.
func ParsePValue(text string) (theory.LogProb, bool) {
	number, bound := UpperBound(text)
	p, ok := ParseProb(number)
	if x, decimal := ParseDecimal(number); !ok && decimal {
		above, _ := x.Sub(x, big.NewRat(1, 1)).Float64()
		return theory.LogProb(0), above > 0 && above < 1e-9
	}
	return p, ok && !(bound && p == theory.Zero)
}

// UpperBound takes the sign off an upper bound such as <0.001.
func UpperBound(text string) (number string, bound bool) {
	text = strings.TrimSpace(text)
	for _, sign := range []string{"<=", "≤", "<"} {
		if number, bound = strings.CutPrefix(text, sign); bound {
			return strings.TrimSpace(number), true
		}
	}
	return text, false
}
