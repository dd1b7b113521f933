package pvalue

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
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

// EThreshold returns the least float64 e whose shortest decimal [ParseEValue] reads as a p-value of at most
// Threshold: the test rejects if e is at least that. It reports a NoAnswerError unless Status is OK, and where
// no float64 is large enough.
func (t Test) EThreshold() (float64, error) {
	if t.Status != theory.OK {
		return 0, &theory.NoAnswerError{Reason: t.Reason}
	}
	rejects := func(e float64) bool {
		p, err := ParseEValue(strconv.FormatFloat(e, 'e', -1, 64))
		return err == nil && p <= t.Threshold
	}
	e := num.Exp(-t.Threshold.Ln())
	if !(e <= math.MaxFloat64/2) {
		return 0, &theory.NoAnswerError{Reason: "no float64 e-value is large enough"}
	}
	for !rejects(e) {
		e *= 1 + 0x1p-50
	}
	for less := math.Nextafter(e, 0); rejects(less); less = math.Nextafter(e, 0) {
		e = less
	}
	return e, nil
}
