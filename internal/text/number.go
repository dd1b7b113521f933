package text

import (
	"math"
	"strconv"
	"strings"
)

// Up writes x to at most six significant digits, rounded up: what people read is at least x. A difference below 1e-12
// of x is the rounding of float64, and does not count. An exponent stands only where the number is long.
func Up(x float64) string { return finite(x, true) }

// Down writes x as [Up] does, rounded down: what people read is at most x.
func Down(x float64) string { return finite(x, false) }

// finite writes a number, and "unbounded" in the place of one that is none.
func finite(x float64, up bool) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return "unbounded"
	}
	return written(SixDigits(x, up))
}

// Interval writes the interval from lower to upper, its ends rounded outwards.
func Interval(lower, upper float64) string { return "[" + Down(lower) + ", " + Up(upper) + "]" }

// written puts the point and the exponent of a number whose digits are d.ddddd.
func written(negative bool, digits string, exponent int) string {
	text := strings.TrimRight(digits, "0")
	switch {
	case text == "":
		return "0"
	case exponent >= 0 && exponent < 15:
		if len(text) <= exponent+1 {
			text += strings.Repeat("0", exponent+1-len(text))
		} else {
			text = text[:exponent+1] + "." + text[exponent+1:]
		}
	case exponent < 0 && exponent >= -4:
		text = "0." + strings.Repeat("0", -exponent-1) + text
	default:
		if len(text) > 1 {
			text = text[:1] + "." + text[1:]
		}
		text += "e" + strconv.Itoa(exponent)
	}
	if negative {
		return "-" + text
	}
	return text
}

// SixDigits returns x = +-d.ddddd 10^exponent, rounded up or down.
func SixDigits(x float64, up bool) (negative bool, digits string, exponent int) {
	text := strconv.FormatFloat(math.Abs(x), 'e', 5, 64)
	mantissa, exp, _ := strings.Cut(text, "e")
	exponent, _ = strconv.Atoi(exp)
	m, _ := strconv.Atoi(strings.Replace(mantissa, ".", "", 1))
	near, _ := strconv.ParseFloat(text, 64)
	negative = x < 0
	away := up != negative // whether rounding goes away from zero
	switch slack := 1e-12 * math.Abs(x); {
	case away && near < math.Abs(x)-slack:
		m++
	case !away && near > math.Abs(x)+slack:
		m--
	}
	switch m {
	case 1_000_000:
		m, exponent = 100_000, exponent+1
	case 99_999:
		m, exponent = 999_999, exponent-1
	}
	return negative, strconv.Itoa(m), exponent
}

// Shortest writes x in the fewest digits that are read as x; -0 is 0.
func Shortest(x float64) string { return strconv.FormatFloat(x+0, 'g', -1, 64) }

// Decimal reads a decimal number: no NaN, no infinity, no hexadecimal digits and no blanks, and nothing that would be
// read as zero without being it.
func Decimal(text string) (float64, bool) {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("0123456789+-.eE", r)
	}) {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	return x, err == nil && (x != 0 || !strings.ContainsAny(digits, "123456789"))
}
