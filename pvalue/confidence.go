package pvalue

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Confidence is a level of confidence by its complement: an interval of this level misses with probability at
// most Miss when it is fixed in advance. An interval of the level that a [Test] asks for, for whatever was
// selected, misses with probability at most the test's Alpha.
type Confidence struct {
	Miss theory.LogProb // in (0, 1)
}

// Confidence returns the level of the interval for the selected quantity: 1 - Threshold, and more where an interval
// may miss though the test cannot err, as behind a gate, whose intervals then all hold together. It reports a
// NoAnswerError unless Status is OK.
func (t Test) Confidence() (Confidence, error) {
	if t.Status != theory.OK {
		return Confidence{}, &theory.NoAnswerError{Reason: t.Reason}
	}
	miss, err := t.Correction.left(t.Correction.wide, t.Alpha)
	if err != nil {
		return Confidence{}, err
	}
	if miss = min(miss, t.Threshold); miss == theory.Zero {
		return Confidence{}, &theory.NoAnswerError{Reason: "no interval of a level below one is enough at this alpha"}
	}
	return Confidence{miss}, nil
}

// Alpha returns the least alpha at which an interval of a level is enough, rounded up and at most 1. It
// reports a DomainError unless the level is inside (0, 1), and the NotApplicableError of a correction that
// does not apply.
func (c Correction) Alpha(level Confidence) (theory.LogProb, error) {
	if err := theory.Domain(level.Miss.IsInterior(), "level", 1-level.Miss.Value(), "a number in (0, 1)"); err != nil {
		return 0, err
	}
	return c.spent(c.wide, level.Miss)
}

// ParseConfidence reads a level in (0, 1), "0.987", as the decimal that it is: Miss is not below its complement,
// and within two units in the last place. It also reads "1-1e-20", "98.7%" and "1e-10".
func ParseConfidence(text string) (Confidence, error) {
	bad := theory.Domain(false, "level", text, "a number in (0, 1)")
	if rest, ok := strings.CutPrefix(text, "1-"); ok {
		miss, err := theory.ParseLogProb(rest)
		if err != nil || !miss.IsInterior() {
			return Confidence{}, bad
		}
		return Confidence{raised(miss)}, nil
	}
	body, percent := strings.CutSuffix(text, "%")
	whole := int64(1)
	if percent {
		whole = 100
	}
	level, ok := new(big.Rat), isShort(body)
	if ok {
		_, ok = level.SetString(body)
	}
	if !ok {
		return Confidence{}, bad
	}
	level.Quo(level, big.NewRat(whole, 1))
	rest := new(big.Rat).Sub(big.NewRat(1, 1), level)
	if rest.Sign() <= 0 || level.Sign() <= 0 {
		return Confidence{}, bad
	}
	if x, _ := level.Float64(); x < small {
		return Confidence{raised(theory.LogProb(math.Log1p(-x)))}, nil
	}
	ln := lnBig(new(big.Float).SetPrec(200).SetRat(rest))
	return Confidence{raised(theory.LogProb(ln.Float()))}, nil
}

// isShort reports whether a text has digits, a point and an exponent only, and so few that they make a fraction.
func isShort(text string) bool {
	mantissa, exponent, ok := strings.Cut(strings.ToLower(text), "e")
	if !ok {
		exponent = "0"
	}
	if power, err := strconv.Atoi(exponent); err != nil || max(power, -power, len(text)) > 400 {
		return false
	}
	return strings.Trim(mantissa, "0123456789.") == ""
}

// small is the level below which its own digits count, and not its complement's digits.
const small = 1e-9

// own returns a level by itself, not below 1 - e^Miss, and whether it is small.
func (c Confidence) own() (level float64, isSmall bool) {
	level = -math.Expm1(c.Miss.Ln()) * (1 + 0x1p-51)
	return math.Nextafter(level, 1), level < small
}

// raised returns a probability a little above p, and below 1.
func raised(p theory.LogProb) theory.LogProb {
	return theory.LogProb(min(math.Nextafter(p.Ln(), 0)+math.Abs(p.Ln())*0x1p-52, -5e-324))
}

// lnBig returns the logarithm of a positive number.
func lnBig(x *big.Float) num.DD {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	return num.FromBig(mantissa).Ln().Add(num.FromInt(2).Ln().Mul(num.FromInt(int64(exponent))))
}

// String returns the level with sixteen digits of its complement; see [Confidence.Text].
func (c Confidence) String() string { return c.Text(16) }

// Text returns the level as a decimal that is exactly one minus another: that one is Miss, cut to so many
// digits. So the level is not below 1 - Miss. It is written as 1-1.86e-45 where the complement is below 1e-15, and
// where the level is below 1e-9 by so many digits of its own, as 1.86e-45.
func (c Confidence) Text(digits int) string {
	if !c.Miss.IsInterior() {
		return "NaN"
	}
	if c.Miss < -4e16 { // digits beyond the exponent's would be made up
		places := num.FromFloat(-c.Miss.Ln()).Div(num.Ln10)
		up, _ := places.Add(places.MulFloat(0x1p-100)).Big().Int(nil)
		return "1-1e-" + up.Add(up, big.NewInt(1)).String()
	}
	if level, ok := c.own(); ok {
		return raisedDecimal(level, digits)
	}
	mantissa, power := c.complement(digits)
	if power+len(mantissa) < -14 {
		text := mantissa[:1]
		if rest := strings.TrimRight(mantissa[1:], "0"); rest != "" {
			text += "." + rest
		}
		return "1-" + text + "e" + new(big.Int).SetInt64(int64(power+len(mantissa)-1)).String()
	}
	places := max(-power, 0)
	one := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	miss, _ := new(big.Int).SetString(mantissa+strings.Repeat("0", max(power, 0)), 10)
	rest := one.Sub(one, miss).String()
	rest = strings.Repeat("0", max(places-len(rest), 0)) + rest
	return "0." + strings.TrimRight(rest, "0")
}

// raisedDecimal returns a positive number in so many digits, not below it.
func raisedDecimal(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'e', digits-1, 64)
	if shown, err := strconv.ParseFloat(text, 64); err == nil && shown < x {
		text = strconv.FormatFloat(x*(1+math.Pow(10, float64(1-digits))), 'e', digits-1, 64)
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + "e" + exponent
}

// complement returns digits and a power of ten with digits 10^power at most e^Miss, and as near as the number of
// digits allows.
func (c Confidence) complement(digits int) (mantissa string, power int) {
	ln := num.FromFloat(c.Miss.Ln())
	k := math.Floor(c.Miss.Ln() / math.Ln10)
	m := ln.Sub(num.Ln10.MulFloat(k)).Exp().Big() // in [1, 10), or at its ends by rounding
	m.Sub(m, new(big.Float).Mul(m, big.NewFloat(0x1p-80-0x1p-98*c.Miss.Ln())))
	scale := new(big.Float).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits-1)), nil))
	cut, _ := m.Mul(m, scale).Int(nil)
	return cut.String(), int(k) - digits + 1
}

// Float returns the level as a float64 whose complement is not above e^Miss, and whether there is one below 1.
func (c Confidence) Float() (level float64, ok bool) {
	if !c.Miss.IsInterior() {
		return 0, false
	}
	if level, ok = c.own(); ok {
		return level, true
	}
	miss := num.FromFloat(c.Miss.Ln()).Exp()
	level = num.FromInt(1).Sub(miss).Float()
	for num.FromInt(1).AddFloat(-level).Sub(miss).Float() > 0 {
		level = math.Nextafter(level, 2)
	}
	return level, level < 1
}
