package pvalue

import (
	"math"
	"math/big"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
)

// E-values. If the null hypothesis is true the mean of e is at most 1, so that 1/e is a p-value by Markov's
// inequality: a selected test rejects if e is at least 1/Threshold.

// ParseEValue returns the p-value 1/e of a decimal e-value, of any size, or "inf": at most 1 and rounded up. It
// reports a DomainError unless the text is a number >= 0 (or inf), a NaN among others.
func ParseEValue(text string) (theory.LogProb, error) {
	bad := theory.Domain(false, "e", text, "a number >= 0")
	if strings.EqualFold(text, "inf") || strings.EqualFold(text, "+inf") {
		return theory.Zero, nil
	}
	foreign := strings.Trim(text, "0123456789.eE+-") != "" || strings.HasPrefix(text, "-")
	if text == "" || foreign || len(text) > 400 {
		return 0, bad
	}
	e, _, err := big.ParseFloat(text, 10, 200, big.ToZero) // downwards, so that 1/e is rounded up
	if err != nil {
		return 0, bad
	}
	if e.Cmp(big.NewFloat(1)) <= 0 {
		return 0, nil
	}
	ln := lnBig(e)
	ln = ln.Sub(ln.MulFloat(0x1p-95)).Neg()
	if ln.Lo > 0 {
		return theory.LogProb(math.Nextafter(ln.Hi, 0)), nil
	}
	return theory.LogProb(ln.Hi), nil
}
