// Package record says what a result is: cells, columns, sheets, curves and formats. It has the formats
// for machines.
package record

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
)

// The render files are the only ones that turn numbers into text. A command
// makes cells; machines get every digit, people six.

// Form says what a cell holds.
type Form uint8

const (
	Missing        Form = iota
	CountForm           // n
	NumberForm          // f
	ChanceForm          // f, the logarithm of a probability
	TruthForm           // n != 0
	WordsForm           // s
	ForeignForm         // s, from the user's own file
	ListForm            // list
	SpanForm            // s, two numbers, for people only
	ComplementForm      // s, a number next to one as 1-1e-20; a decimal for machines
)

// Cell is one value of a row. The zero value is a missing one.
type Cell struct {
	Form Form
	N    int64
	F    float64
	S    string
	List []string
	Low  bool // a number that people read rounded down: a lower end, a threshold
}

// Count returns the cell of a whole number. As in all of these functions, the zero value is a missing one.
func Count(n int64) Cell {
	if n == 0 {
		return Cell{}
	}
	return Cell{Form: CountForm, N: n}
}

// Number is a number; zero is a missing one.
func Number(x float64) Cell {
	if x == 0 {
		return Cell{}
	}
	return Exactly(x)
}

// Exactly is a number for which zero is a value.
func Exactly(x float64) Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Cell{}
	}
	return Cell{Form: NumberForm, F: x}
}

// Chance is a probability of any size.
func Chance(p theory.LogProb) Cell { return Cell{Form: ChanceForm, F: p.Ln()} }

// Complement is a number that no float64 tells from one, as one minus a decimal: 1-1e-20.
func Complement(text string) Cell { return Cell{Form: ComplementForm, S: text} }

// Truth is yes or no.
func Truth(b bool) Cell {
	c := Cell{Form: TruthForm}
	if b {
		c.N = 1
	}
	return c
}

// Words is a text of the program; an empty one is missing.
func Words(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{Form: WordsForm, S: s}
}

// List is several texts.
func List(list []string) Cell { return Cell{Form: ListForm, List: list} }

// If is the cell where it is asked for, and a missing one elsewhere.
func (c Cell) If(asked bool) Cell {
	if !asked {
		return Cell{}
	}
	return c
}

// Sources is where a theorem is proved.
func Sources(sources []theory.Source) Cell {
	list := each.Of(sources, theory.Source.String)
	return List(list)
}

// Encoder writes rows for machines. Its methods may be called concurrently.
type Encoder interface {
	Head(dst []byte) []byte
	Row(dst []byte, first bool, cells []Cell) []byte
	Foot(dst []byte) []byte
}

// Result describes what a command found, to be written in any format.
type Result struct {
	Schema  string // of JSON, after "dpcalc/"
	Inputs  []Input
	Columns []string // of the rows for machines
}

// Input is a flag with its value, as the JSON envelope repeats it.
type Input struct {
	Name  string
	Value Cell
}

// AppendNumber writes the shortest decimal that reads as x, valid in JSON and in
// a spreadsheet.
func AppendNumber(dst []byte, x float64) []byte {
	if a := math.Abs(x); x == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, x, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, x, 'e', -1, 64)
	if n := len(dst); n-start >= 4 && string(dst[n-4:n-1]) == "e-0" {
		dst[n-2] = dst[n-1] // e-09 is e-9
		dst = dst[:n-1]
	}
	return dst
}

// Decimal writes a probability as a decimal number: where [theory.LogProb]
// prints the complement, 1-1e-20, this prints 0.99999999999999999999, and 1 where
// that takes more than 40 digits. The logarithm stands beside it.
func Decimal(p theory.LogProb) string {
	text := p.String()
	complement, ok := strings.CutPrefix(text, "1-")
	if !ok {
		return text
	}
	c, ok := numbers.ParseDecimal(complement)
	if !ok {
		return "1"
	}
	s := new(big.Rat).Sub(big.NewRat(1, 1), c).FloatString(40)
	if s = strings.TrimRight(s, "0"); s == "1." {
		return "1"
	}
	return s
}

// complementPlaces is how many digits a number next to one may have.
const complementPlaces = 1000

// decimalOfComplement writes 1-1e-20 as 0.99999999999999999999, and as 1, which is above it, where that takes more
// than a thousand digits. Every reader takes it for a number.
func decimalOfComplement(text string) string {
	c, ok := numbers.ParseDecimal(strings.TrimPrefix(text, "1-"))
	if !ok {
		return "1"
	}
	x := new(big.Rat).Sub(big.NewRat(1, 1), c)
	places, exact := x.FloatPrec()
	if !exact || places > complementPlaces {
		return "1"
	}
	return x.FloatString(places)
}

// Rough writes a number to three digits, rounded to the nearest: a size, not a bound.
func Rough(x float64) string {
	near, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	if err != nil {
		return text.Up(x)
	}
	return text.Up(near)
}

// humanChance writes a probability of any size as [text.Up] or [text.Down] write numbers; close to one it writes the
// complement.
func humanChance(p theory.LogProb, up bool) string {
	digits, exponent, ok := strings.Cut(p.String(), "e")
	if complement, next := strings.CutPrefix(p.String(), "1-"); next {
		c, err := strconv.ParseFloat(complement, 64)
		if err != nil {
			return p.String()
		}
		_, digits, exponent := text.SixDigits(c, !up)
		return "1-" + strings.TrimSuffix(strings.TrimRight(digits[:1]+"."+digits[1:], "0"), ".") + "e" +
			strconv.Itoa(exponent)
	}
	mantissa, err := strconv.ParseFloat(digits, 64)
	if err != nil || !ok {
		return human(mantissa, up)
	}
	if rounded := human(mantissa, up); rounded != "10" {
		return rounded + "e" + exponent
	}
	e, _ := strconv.Atoi(exponent)
	return "1e" + strconv.Itoa(e+1)
}

func human(x float64, up bool) string {
	if up {
		return text.Up(x)
	}
	return text.Down(x)
}

// AtLeast is the cell of a lower end: what people read is at most its number.
func (c Cell) AtLeast() Cell {
	c.Low = true
	return c
}

// Rounded is the cell with the number that people read.
func (c Cell) Rounded() Cell {
	switch read := People(c); c.Form {
	case NumberForm:
		c.F, _ = strconv.ParseFloat(read, 64)
	case ChanceForm:
		if p, ok := numbers.ParseProb(read); ok {
			c.F = p.Ln()
		}
	}
	return c
}

// People writes a cell for a reader, a number to six digits.
func People(c Cell) string {
	switch c.Form {
	case CountForm:
		return strconv.FormatInt(c.N, 10)
	case NumberForm:
		return human(c.F, !c.Low)
	case ChanceForm:
		return humanChance(theory.LogProb(c.F), !c.Low)
	case TruthForm:
		if c.N != 0 {
			return "yes"
		}
		return "no"
	case WordsForm, ForeignForm, SpanForm, ComplementForm:
		return c.S
	case ListForm:
		return strings.Join(c.List, "; ")
	}
	return ""
}

// equals reports whether two cells hold the same, which those with lists never do.
func (c Cell) equals(d Cell) bool {
	numbers := c.Form == d.Form && c.N == d.N && c.F == d.F
	lists := c.List != nil || d.List != nil
	return numbers && c.S == d.S && !lists
}

func (c Cell) isNumeric() bool {
	switch c.Form {
	case CountForm, NumberForm, ChanceForm, SpanForm, ComplementForm:
		return true
	}
	return false
}

// Whole is a count for which zero is a value.
func Whole(n int64) Cell { return Cell{Form: CountForm, N: n} }

// Plural is a number with its noun, for a sentence.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Separated(n) + " " + noun + "s"
}

// Separated writes a number with thousands separators, for a sentence.
func Separated(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Mark is the cell before the best row.
func Mark(best bool) Cell {
	if best {
		return Words("*")
	}
	return Cell{}
}

// Beta is empty where beta is missing.
func Beta(p theory.LogProb) Cell {
	if p == 0 {
		return Cell{}
	}
	return Chance(p)
}

// Foreign is a text from the user's file.
func Foreign(s string) Cell { return Cell{Form: ForeignForm, S: s} }
