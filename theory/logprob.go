package theory

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
)

// LogProb is the natural logarithm of a probability: 0 is certainty and -Inf is
// the probability zero. Its text is the probability itself in decimal, of any
// size: "0.05", "1e-4343", and "1-1e-20" where fewer than 17 digits cannot
// tell the value from 1.
type LogProb float64

// Zero is the probability zero.
var Zero = LogProb(math.Inf(-1))

// Prob returns ln p for p in [0,1]. It returns a DomainError otherwise.
func Prob(p float64) (LogProb, error) {
	if err := Domain(p >= 0 && p <= 1, "probability", p, "a number in [0, 1]"); err != nil {
		return 0, err
	}
	return LogProb(num.Log(p)), nil // math.Log is wrong for subnormal numbers on some machines
}

// Ln returns the natural logarithm.
func (p LogProb) Ln() float64 { return float64(p) }

// Value returns the probability; it is 0 where float64 underflows.
func (p LogProb) Value() float64 { return num.Exp(float64(p)) }

// IsValid reports whether p is the logarithm of a probability.
func (p LogProb) IsValid() bool { return p <= 0 }

// IsInterior reports whether 0 < p < 1.
func (p LogProb) IsInterior() bool { return p < 0 && !math.IsInf(float64(p), -1) }

// ParseLogProb reads a decimal probability of any size, "0.05" or "1e-4343", or
// the complement form "1-1e-20". The result is the float64 nearest to the
// logarithm of the decimal, up to two units in the last place. A decimal whose logarithm
// overflows is a DomainError.
func ParseLogProb(text string) (LogProb, error) {
	bad := &DomainError{Param: "probability", Value: strconv.Quote(text), Want: "a decimal number in [0, 1]"}
	if rest, ok := strings.CutPrefix(text, "1-"); ok {
		if _, _, ok := splitDecimal(rest); !ok {
			return 0, bad
		}
		c, err := strconv.ParseFloat(rest, 64)
		if err != nil || c > 0.5 { // a large complement has no need of the form
			return 0, bad
		}
		return lnComplement(c), nil
	}
	mantissa, exponent, ok := splitDecimal(text)
	if !ok {
		return 0, bad
	}
	if mantissa.Sign() == 0 {
		return Zero, nil
	}
	// The value is m 10^e with 0.1 <= m < 1, read off the digits alone.
	digits := len(mantissa.String())
	e := exponent.Add(exponent, big.NewInt(int64(digits)))
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	switch {
	case e.Sign() > 0:
		if one := new(big.Int).Mul(mantissa, big.NewInt(10)); e.Cmp(big.NewInt(1)) == 0 && one.Cmp(power) == 0 {
			return 0, nil
		}
		return 0, bad
	case e.Sign() == 0:
		if complement := new(big.Rat).SetFrac(new(big.Int).Sub(power, mantissa), power); complement.Cmp(nearOne) < 0 {
			c, _ := complement.Float64()
			return lnComplement(c), nil
		}
	}
	shift := num.FromBig(new(big.Float).SetInt(e))
	f := new(big.Float).SetPrec(128).Quo(new(big.Float).SetInt(mantissa), new(big.Float).SetInt(power))
	ln := LogProb(num.FromBig(f).Ln().Add(num.Ln10.Mul(shift)).Float())
	if !(ln >= -math.MaxFloat64) {
		return 0, bad
	}
	return ln, nil
}

// nearOne is the complement below which the double-double logarithm cancels.
var nearOne = big.NewRat(1, 1e9)

// lnComplement returns ln(1-c) for 0 <= c <= 1/2.
func lnComplement(c float64) LogProb {
	if c < 1e-9 {
		return LogProb(-c - c*c/2)
	}
	return LogProb(num.FromFloat(1).AddFloat(-c).Ln().Float())
}

// splitDecimal reads digits[.digits][e[sign]digits] into an integer mantissa
// and a power of ten. It accepts no sign, no underscore and no hexadecimal.
func splitDecimal(text string) (mantissa, exponent *big.Int, ok bool) {
	body, exp, hasExp := strings.Cut(strings.ToLower(text), "e")
	exponent = new(big.Int)
	if hasExp {
		digits := strings.TrimPrefix(strings.TrimPrefix(exp, "+"), "-")
		if len(exp)-len(digits) > 1 || !areDigits(digits) {
			return nil, nil, false
		}
		exponent.SetString(exp, 10)
	}
	whole, frac, _ := strings.Cut(body, ".")
	if !areDigits(whole + frac) {
		return nil, nil, false
	}
	mantissa, ok = new(big.Int).SetString(whole+frac, 10)
	return mantissa, exponent.Sub(exponent, big.NewInt(int64(len(frac)))), ok
}

func areDigits(text string) bool {
	return text != "" && len(text) <= 4096 && strings.Trim(text, "0123456789") == ""
}

// String returns the shortest decimal that [ParseLogProb] reads as p: below e^(-4e16),
// where powers of ten are closer than the float64, a power of ten that is not below p.
func (p LogProb) String() string {
	switch {
	case p == 0:
		return "1"
	case math.IsInf(float64(p), -1):
		return "0"
	case !p.IsValid(): // above one, or NaN; only an error message shows it
		return strconv.FormatFloat(num.Exp(float64(p)), 'g', -1, 64)
	case p < -4e16:
		power := num.FromFloat(-float64(p)).Div(num.Ln10)
		text, _, _ := strings.Cut(power.Sub(power.MulFloat(0x1p-100)).Big().Text('f', 1), ".")
		return "1e-" + text
	}
	// p = m 10^k with 1 <= m < 10, to the digits that the logarithm determines.
	k := math.Floor(float64(p) / math.Ln10)
	m := num.FromFloat(float64(p)).Sub(num.Ln10.MulFloat(k)).Exp()
	exact := m.Big()
	decimal := func(digits int) string {
		mantissa, shift, _ := strings.Cut(exact.Text('e', digits), "e")
		s, _ := strconv.Atoi(shift)
		return plain(mantissa, int(k)+s)
	}
	// A text that reads as p is within half a unit in the last place of its logarithm, but for its rounding.
	unit := math.Nextafter(float64(-p), math.Inf(1)) + float64(p)
	for digits := range 17 {
		if differs(m.Float(), digits, 0.6*unit+1e-15) {
			continue
		}
		if text := decimal(digits); readsAs(text, p) {
			return text
		}
	}
	// Close to one the complement is the number that has digits.
	c := -math.Expm1(float64(p))
	for digits := range 17 {
		mantissa, exp, _ := strings.Cut(strconv.FormatFloat(c, 'e', digits, 64), "e")
		e, _ := strconv.Atoi(exp)
		if text := "1-" + plain(mantissa, e); readsAs(text, p) {
			return text
		}
	}
	for digits := 17; digits < 24; digits++ {
		if text := decimal(digits); readsAs(text, p) {
			return text
		}
	}
	// Here expm1 rounded to the other side.
	for _, near := range []float64{math.Nextafter(c, 0), math.Nextafter(c, 1)} {
		if text := "1-" + trim(near); readsAs(text, p) {
			return text
		}
	}
	return "1-" + trim(c)
}

// differs reports whether rounding x, which is from 1 to 10 or just below 1, to so many digits after the first changes
// it by more than a share of slack.
func differs(x float64, digits int, slack float64) bool {
	scale := math.Pow10(digits)
	if x < 1 {
		scale *= 10
	}
	return math.Abs(math.Round(x*scale)/scale-x) > slack*x
}

// trim writes the shortest digits of c > 0, with e-9 for e-09.
func trim(c float64) string {
	mantissa, exp, _ := strings.Cut(strconv.FormatFloat(c, 'e', -1, 64), "e")
	e, _ := strconv.Atoi(exp)
	return plain(mantissa, e)
}

// plain writes d.ddd 10^e as a decimal: in full down to 1e-4, with an exponent
// below.
func plain(mantissa string, e int) string {
	switch {
	case e == 0:
		return mantissa
	case e >= -4 && e < 0:
		return "0." + strings.Repeat("0", -e-1) + strings.Replace(mantissa, ".", "", 1)
	}
	return mantissa + "e" + strconv.Itoa(e)
}

func readsAs(text string, p LogProb) bool {
	q, err := ParseLogProb(text)
	return err == nil && q == p
}

// MarshalText writes the shortest decimal; see [LogProb.String].
func (p LogProb) MarshalText() ([]byte, error) {
	if !p.IsValid() {
		return nil, Domain(false, "probability", float64(p), "the logarithm of a probability")
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads what [ParseLogProb] reads.
func (p *LogProb) UnmarshalText(text []byte) error {
	q, err := ParseLogProb(string(text))
	if err == nil {
		*p = q
	}
	return err
}
