package main

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
)

// The render files are the only ones that turn numbers into text. A command
// makes cells; machines get every digit, people six.

// form says what a cell holds.
type form uint8

const (
	missing form = iota
	count        // n
	number       // f
	chance       // f, the logarithm of a probability
	truth        // n != 0
	words        // s
	foreign      // s, from the user's own file
	items        // list
	span         // s, two numbers, for people only
)

// cell is one value of a row. The zero value is a missing one.
type cell struct {
	form form
	n    int64
	f    float64
	s    string
	list []string
}

// The constructors take the zero value for missing, as the domain types do.
func countCell(n int64) cell {
	if n == 0 {
		return cell{}
	}
	return cell{form: count, n: n}
}

func numberCell(x float64) cell {
	if x == 0 {
		return cell{}
	}
	return exactly(x)
}

// exactly is a number for which zero is a value.
func exactly(x float64) cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return cell{}
	}
	return cell{form: number, f: x}
}

func chanceCell(p theory.LogProb) cell { return cell{form: chance, f: p.Ln()} }

func truthCell(b bool) cell {
	c := cell{form: truth}
	if b {
		c.n = 1
	}
	return c
}

func wordsCell(s string) cell {
	if s == "" {
		return cell{}
	}
	return cell{form: words, s: s}
}

func listCell(list []string) cell { return cell{form: items, list: list} }

func sourcesCell(sources []theory.Source) cell {
	list := make([]string, len(sources))
	for i, s := range sources {
		list[i] = s.String()
	}
	return listCell(list)
}

// encoder writes rows for machines. Its methods may be called concurrently. The
// chances of one worker are its own.
type encoder interface {
	head(dst []byte) []byte
	row(dst []byte, first bool, cells []cell, known *chances) []byte
	foot(dst []byte) []byte
}

// result describes what a command found, to be written in any format.
type result struct {
	command string
	inputs  []input
	columns []string // of the rows for machines
	live    *live    // a sheet of formulas for a workbook; nil for none
}

// input is a flag with its value, as the JSON envelope repeats it.
type input struct {
	name  string
	value cell
}

// appendNumber writes the shortest decimal that reads as x, valid in JSON and in
// a spreadsheet.
func appendNumber(dst []byte, x float64) []byte {
	if a := math.Abs(x); x == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, x, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, x, 'e', -1, 64)
	if n := len(dst); n-start >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 is e-9
		dst = dst[:n-1]
	}
	return dst
}

// chances remembers the text of probabilities, which is dear and mostly repeats.
type chances struct{ text map[float64]string }

func (c *chances) of(ln float64) string {
	if s, ok := c.text[ln]; ok {
		return s
	}
	if c.text == nil || len(c.text) > 4096 {
		c.text = make(map[float64]string)
	}
	s := decimalOf(theory.LogProb(ln))
	c.text[ln] = s
	return s
}

// decimalOf writes a probability as a decimal number: where [theory.LogProb]
// prints the complement, 1-1e-20, this prints 0.99999999999999999999, and 1 where
// that takes more than 40 digits. The logarithm stands beside it.
func decimalOf(p theory.LogProb) string {
	text := p.String()
	complement, ok := strings.CutPrefix(text, "1-")
	if !ok {
		return text
	}
	c, ok := parseDecimal(complement)
	if !ok {
		return "1"
	}
	s := new(big.Rat).Sub(big.NewRat(1, 1), c).FloatString(40)
	if s = strings.TrimRight(s, "0"); s == "1." {
		return "1"
	}
	return s
}

// human writes a number to six digits, rounded up: what people read as a bound
// stays one. A difference below 1e-12 is the rounding of float64 and not told. An
// exponent stands only where the number is long.
func human(x float64) string {
	negative, digits, exponent := sixDigits(x, true)
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

// rough writes a number to three digits, rounded to the nearest: a size, not a bound.
func rough(x float64) string {
	near, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	if err != nil {
		return human(x)
	}
	return human(near)
}

// sixDigits returns x = +-d.ddddd 10^exponent, rounded up or down.
func sixDigits(x float64, up bool) (negative bool, digits string, exponent int) {
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

// humanChance is [human] for a probability of any size; close to one it writes the
// complement, rounded down.
func humanChance(p theory.LogProb) string {
	text := p.String()
	if complement, ok := strings.CutPrefix(text, "1-"); ok {
		c, err := strconv.ParseFloat(complement, 64)
		if err != nil {
			return text
		}
		_, digits, exponent := sixDigits(c, false)
		return "1-" + strings.TrimSuffix(strings.TrimRight(digits[:1]+"."+digits[1:], "0"), ".") + "e" + strconv.Itoa(exponent)
	}
	digits, exponent, ok := strings.Cut(text, "e")
	mantissa, err := strconv.ParseFloat(digits, 64)
	if err != nil || !ok {
		return human(mantissa)
	}
	if rounded := human(mantissa); rounded != "10" {
		return rounded + "e" + exponent
	}
	e, _ := strconv.Atoi(exponent)
	return "1e" + strconv.Itoa(e+1)
}

// people writes a cell for a reader.
func people(c cell) string {
	switch c.form {
	case count:
		return strconv.FormatInt(c.n, 10)
	case number:
		return human(c.f)
	case chance:
		return humanChance(theory.LogProb(c.f))
	case truth:
		if c.n != 0 {
			return "yes"
		}
		return "no"
	case words, foreign, span:
		return c.s
	case items:
		return strings.Join(c.list, "; ")
	}
	return ""
}

func (c cell) isNumeric() bool {
	return c.form == count || c.form == number || c.form == chance || c.form == span
}
