// Package numbers reads numbers, probabilities, lists and ranges as people type them, and guesses what
// a refused one was meant to be.
package numbers

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// The grammar of a value:
//
//	number  [-]digits[.digits][e[sign]digits][%|k|M], or one such number / another
//	range   lo:hi:step | lo:hi:logN | lo:hi:xR
//	list    number or range, separated by commas, which spaces may follow
//
// Everything is read as an exact fraction first, so 0.01:0.1:0.01 is the ten
// decimals and 99% confidence is the failure probability 0.01. No sign but minus,
// no underscore, no hexadecimal. A leading zero means nothing, but is refused right
// after a comma, where it may belong to 1,000 or 0,05; so are thousands separators.

// Limits that keep exact arithmetic small. Every float64 and every practical
// probability is far inside.
const (
	maxDigits   = 4096
	maxExponent = 5_000
	maxValues   = 10_000_000 // of one flag
	maxPowers   = 100_000    // of one geometric range
	maxCount    = 1 << 53    // beyond it float64 skips whole numbers
)

// Kind is how the values of one sort of flag are read.
type Kind[T any] struct {
	Want     string                        // what one value is, for the error message
	Parse    func(string) (T, bool)        // one value
	exact    func(*big.Rat) (T, bool)      // one point of a linear or geometric range
	nearest  func(ln float64) T            // one inner point of a logarithmic range
	ln       func(T) float64               // its natural logarithm
	fraction func(string) (*big.Rat, bool) // an end of a range
	small    bool                          // values so small that powers are taken by logarithm
}

var (
	Counts = Kind[int64]{
		Want: "a whole number from 1 to 9007199254740992",
		Parse: func(s string) (int64, bool) {
			n, ok := through(s, ParseRat, countOf)
			return n, ok && !pointGrouped().MatchString(s)
		},
		exact: countOf,
		nearest: func(ln float64) int64 {
			return int64(math.Round(num.Exp(ln)))
		},
		ln:       func(n int64) float64 { return num.Log(float64(n)) },
		fraction: ParseRat,
	}
	Positives     = floats("a positive number", positiveOf)
	NonNegatives  = floats("a number of at least 0", nonNegativeOf)
	Reals         = floats("a number", floatOf)
	Probabilities = Kind[theory.LogProb]{
		Want:     "a probability in (0, 1)",
		Parse:    parseInterior,
		exact:    interiorOf,
		nearest:  snapProb,
		small:    true,
		ln:       theory.LogProb.Ln,
		fraction: parseProbRat,
	}
	BelowOne = Kind[theory.LogProb]{
		Want: "a probability in [0, 1)",
		Parse: func(s string) (theory.LogProb, bool) {
			p, ok := ParseProb(s)
			return p, ok && p < 0
		},
	}
	Confidences = Kind[theory.LogProb]{
		Want:     "a confidence in (0, 1)",
		Parse:    parseConfidence,
		exact:    func(r *big.Rat) (theory.LogProb, bool) { return interiorOf(new(big.Rat).Sub(big.NewRat(1, 1), r)) },
		fraction: parseProbRat,
	}
)

// floats are the numbers to which a fraction is converted.
func floats(want string, convert func(*big.Rat) (float64, bool)) Kind[float64] {
	return Kind[float64]{
		Want:     want,
		Parse:    func(s string) (float64, bool) { return through(s, ParseRat, convert) },
		exact:    convert,
		nearest:  func(ln float64) float64 { return snap(num.Exp(ln)) },
		ln:       num.Log,
		fraction: ParseRat,
	}
}

func through[T any](s string, parse func(string) (*big.Rat, bool), convert func(*big.Rat) (T, bool)) (T, bool) {
	r, ok := parse(s)
	if !ok {
		var zero T
		return zero, false
	}
	return convert(r)
}

// One reads a flag with a single value; ok says whether it was given.
func One[T any](c usage.Values, flag string, k Kind[T]) (value T, ok bool, err error) {
	raw, ok := c.Text(flag)
	if !ok {
		return value, false, nil
	}
	value, fine := k.Parse(raw)
	if !fine {
		return value, true, usage.Invalid(flag, raw, k.Wanted(raw))
	}
	return value, true, nil
}

// Read reads a flag into a value, which stays as it is if the flag was not given or an error came before.
func Read[T any](c usage.Values, err *error, flag string, k Kind[T], into *T) (given bool) {
	if *err != nil {
		return false
	}
	value, given, wrong := One(c, flag, k)
	if *err = wrong; given && wrong == nil {
		*into = value
	}
	return given
}

// List reads a flag with a list of values and ranges. It is nil if the flag was
// not given and never empty otherwise.
func List[T any](c usage.Values, flag string, k Kind[T]) ([]T, error) {
	raw, ok := c.Text(flag)
	if !ok {
		return nil, nil
	}
	return parseList(flag, raw, k)
}

func parseList[T any](flag, raw string, k Kind[T]) ([]T, error) {
	if err := oneOrMany(flag, raw, k); err != nil {
		return nil, err
	}
	return parseItems(flag, raw, k)
}

// parseItems is [parseList] where the commas are known to separate.
func parseItems[T any](flag, raw string, k Kind[T]) ([]T, error) {
	var values []T
	for item := range strings.SplitSeq(raw, ",") {
		item = strings.Trim(item, " ")
		parts := strings.Split(item, ":")
		switch len(parts) {
		case 1:
			v, ok := k.Parse(item)
			switch {
			case !ok && withPoint(raw) != "" && k.Wanted(raw) != k.Want: // 0,5 has a decimal comma
				return nil, usage.Invalid(flag, raw, k.Wanted(raw))
			case !ok:
				return nil, usage.Invalid(flag, item, k.Wanted(item))
			}
			values = append(values, v)
		case 3:
			more, want := parseRange(parts, k)
			if want != "" {
				return nil, usage.Invalid(flag, item, want)
			}
			values = append(values, more...)
		default:
			return nil, usage.Invalid(flag, item, "LOW:HIGH:STEP, LOW:HIGH:logN or LOW:HIGH:xR")
		}
		if len(values) > maxValues {
			return nil, usage.Invalid(flag, raw, tooManyValues)
		}
	}
	return values, nil
}

// Texts reads a flag with a list of values and ranges as texts that [Kind.Parse] reads one by one: single values as
// they were typed, values of ranges as write puts them. It is nil if the flag was not given.
func Texts[T any](c usage.Values, flag string, k Kind[T], write func(T) string) (texts []string, err error) {
	raw, ok := c.Text(flag)
	if !ok {
		return nil, nil
	}
	if _, err := parseList(flag, raw, k); err != nil {
		return nil, err
	}
	for item := range strings.SplitSeq(raw, ",") {
		if !strings.Contains(item, ":") {
			texts = append(texts, strings.Trim(item, " "))
			continue
		}
		values, err := parseItems(flag, item, k)
		if err != nil {
			return nil, err
		}
		texts = append(texts, each.Of(values, write)...)
	}
	return texts, nil
}

// LeastLength is how many values a flag's list has, or slightly fewer, told before they are
// made: it is 1 without the flag. What [List] refuses counts as one value.
func LeastLength[T any](c usage.Values, flag string, k Kind[T]) int64 {
	raw, ok := c.Text(flag)
	if !ok {
		return 1
	}
	length := int64(0)
	for item := range strings.SplitSeq(raw, ",") {
		values := int64(1)
		if parts := strings.Split(strings.Trim(item, " "), ":"); len(parts) == 3 {
			values = leastInRange(parts, k)
		}
		if length += values; length > maxValues {
			return 1
		}
	}
	return length
}

// leastInRange is [leastLength] of one range, at least 1.
func leastInRange[T any](parts []string, k Kind[T]) int64 {
	step := parts[2]
	if digits, ok := strings.CutPrefix(step, "log"); ok {
		n, _ := Counts.Parse(digits)
		return max(n, 1)
	}
	low, okLow := k.fraction(parts[0])
	high, okHigh := k.fraction(parts[1])
	ratio, geometric := strings.CutPrefix(step, "x")
	r, okStep := ParseRat(ratio)
	if !okLow || !okHigh || !okStep {
		return 1
	}
	length := int64(1)
	switch {
	case !geometric && r.Sign() > 0:
		length = linearLength(low, high, r)
	case !geometric:
	case low.Sign() > 0 && low.Cmp(high) < 0 && r.Cmp(big.NewRat(1, 1)) > 0:
		length = int64(min(powers(low, high, r), maxPowers))
	}
	return max(length, 1)
}

// linearLength counts low, low + step, ... up to high, as far as [maxValues] and one more.
func linearLength(low, high, step *big.Rat) int64 {
	width := new(big.Rat).Sub(high, low)
	width.Quo(width, step)
	last := new(big.Int).Quo(width.Num(), width.Denom())
	if !last.IsInt64() {
		return maxValues + 1
	}
	return min(last.Int64(), maxValues) + 1
}

// powers is the logarithm of high/low to the base ratio, roughly.
func powers(low, high, ratio *big.Rat) float64 {
	ln := func(x *big.Rat) float64 { return lnBig(new(big.Float).SetRat(x)) }
	return (ln(high) - ln(low)) / ln(ratio)
}

var tooManyValues = fmt.Sprintf("at most %d values", maxValues)

// parseRange expands lo, hi and a step. The returned text is the form that was wanted, empty if all is well.
func parseRange[T any](parts []string, k Kind[T]) (values []T, want string) {
	lo, okLo := k.Parse(parts[0])
	hi, okHi := k.Parse(parts[1])
	switch {
	case !okLo:
		return nil, "both ends to be " + k.Wanted(parts[0])
	case !okHi:
		return nil, "both ends to be " + k.Wanted(parts[1])
	}
	if digits, ok := strings.CutPrefix(parts[2], "log"); ok {
		if k.nearest == nil {
			return nil, "a list or LOW:HIGH:STEP"
		}
		return logRange(lo, hi, digits, k)
	}
	low, ok := k.fraction(parts[0])
	high, ok2 := k.fraction(parts[1])
	if !ok || !ok2 {
		return nil, fmt.Sprintf("ends of a range between 1e-%d and 1e%d", maxExponent, maxExponent)
	}
	if low.Cmp(high) > 0 {
		return nil, "a range that ascends"
	}
	if ratio, ok := strings.CutPrefix(parts[2], "x"); ok {
		return geometricRange(lo, low, high, ratio, k)
	}
	step, ok := k.fraction(parts[2])
	if !ok || step.Sign() <= 0 {
		return nil, "a positive step, logN or xR after the second colon"
	}
	// By index: low + i step is exact for every i.
	length := linearLength(low, high, step)
	if length > maxValues {
		return nil, tooManyValues
	}
	for i := range length {
		at := new(big.Rat).SetInt64(i)
		v, ok := k.exact(at.Add(at.Mul(at, step), low))
		if !ok {
			return nil, "every value of the range to be " + k.Want
		}
		values = append(values, v)
	}
	return values, ""
}

// logRange returns n values whose logarithms are equally spaced; the ends are
// exact.
func logRange[T any](lo, hi T, digits string, k Kind[T]) ([]T, string) {
	n, ok := through(digits, ParseRat, countOf)
	if !ok || n < 2 {
		return nil, "a whole number of at least 2 after log"
	}
	if n > maxValues {
		return nil, tooManyValues
	}
	a, b := k.ln(lo), k.ln(hi)
	if math.IsInf(a, -1) {
		return nil, "a positive lower end of a logarithmic range"
	}
	if !(a <= b) {
		return nil, "a range that ascends"
	}
	values := make([]T, n)
	for i := range values {
		t := float64(i) / float64(n-1)
		values[i] = k.nearest(a*(1-t) + b*t)
	}
	values[0], values[n-1] = lo, hi
	return values, ""
}

// geometricRange returns low, low r, low r^2, ... up to high. The powers are
// carried with 256 bits, enough to be exact for every range that has a point to
// hit. Ranges of probabilities are geometric in logarithms.
func geometricRange[T any](first T, low, high *big.Rat, ratio string, k Kind[T]) (values []T, want string) {
	if k.nearest == nil {
		return nil, "a list or LOW:HIGH:STEP"
	}
	r, ok := ParseRat(ratio)
	if !ok || r.Cmp(big.NewRat(1, 1)) <= 0 {
		return nil, "a ratio above 1 after x"
	}
	if low.Sign() <= 0 {
		return nil, "a positive lower end of a geometric range"
	}
	wide := func() *big.Float { return new(big.Float).SetPrec(256) }
	factor := wide().SetRat(r)
	top := wide().SetRat(high)
	if !(powers(low, high, r) < maxPowers) {
		return nil, fmt.Sprintf("at most %d values of a geometric range", maxPowers)
	}
	top.Add(top, wide().SetMantExp(top, -200)) // the stop is included
	if k.small {
		start, step := k.ln(first), lnBig(factor)
		for i := 0; start+float64(i)*step <= lnBig(top)+1e-12*(1+math.Abs(start)); i++ {
			values = append(values, k.nearest(start+float64(i)*step))
		}
		if last, ok := k.exact(high); ok && k.ln(values[len(values)-1]) > k.ln(last) {
			values[len(values)-1] = last
		}
		return values, ""
	}
	for at := wide().SetRat(low); at.Cmp(top) <= 0; at.Mul(at, factor) {
		exact, _ := at.Rat(nil)
		if exact.Cmp(high) > 0 {
			exact = high
		}
		if _, whole := any(k).(Kind[int64]); whole {
			exact = round(exact)
		}
		v, ok := k.exact(exact)
		if !ok {
			return nil, "every value of the range to be " + k.Want
		}
		values = append(values, v)
	}
	return values, ""
}

// lnBig is the logarithm of x > 0, roughly.
func lnBig(x *big.Float) float64 {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	m, _ := mantissa.Float64()
	return num.Log(m) + float64(exponent)*math.Ln2
}

func round(r *big.Rat) *big.Rat {
	twice := new(big.Int).Add(new(big.Int).Lsh(r.Num(), 1), r.Denom())
	return new(big.Rat).SetInt(twice.Quo(twice, new(big.Int).Lsh(r.Denom(), 1)))
}

// ParseRat reads a number exactly.
func ParseRat(s string) (*big.Rat, bool) {
	over, under, isFraction := strings.Cut(s, "/")
	r, ok := ParseDecimal(over)
	if !ok || !isFraction {
		return r, ok
	}
	d, ok := ParseDecimal(under)
	if !ok || d.Sign() == 0 {
		return nil, false
	}
	return r.Quo(r, d), true
}

// ParseDecimal reads a decimal number exactly.
func ParseDecimal(s string) (*big.Rat, bool) {
	s, negative := strings.CutPrefix(s, "-")
	scale := 0
	for suffix, power := range map[string]int{"%": -2, "k": 3, "M": 6} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, scale = rest, power
			break
		}
	}
	digits, exponent, ok := splitDecimal(s)
	if !ok {
		return nil, false
	}
	exponent += scale
	if exponent < -maxExponent || exponent > maxExponent {
		return nil, false
	}
	whole, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return nil, false
	}
	if negative {
		whole.Neg(whole)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil)
	if exponent < 0 {
		return new(big.Rat).SetFrac(whole, power), true
	}
	return new(big.Rat).SetInt(whole.Mul(whole, power)), true
}

// splitDecimal reads digits[.digits][e[sign]digits] as digits and a power of ten.
func splitDecimal(s string) (digits string, exponent int, ok bool) {
	body, exp, hasExp := strings.Cut(strings.ToLower(s), "e")
	if hasExp {
		e, err := strconv.Atoi(exp)
		if err != nil || e < -1<<40 || e > 1<<40 {
			return "", 0, false
		}
		exponent = e
	}
	whole, fraction, _ := strings.Cut(body, ".")
	digits = whole + fraction
	if digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return "", 0, false
	}
	return digits, exponent - len(fraction), true
}

func countOf(r *big.Rat) (int64, bool) {
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	n := r.Num().Int64()
	return n, n >= 1 && n <= maxCount
}

func floatOf(r *big.Rat) (float64, bool) {
	x, _ := r.Float64()
	return x, (x != 0 || r.Sign() == 0) && !math.IsInf(x, 0)
}

func positiveOf(r *big.Rat) (float64, bool) {
	x, ok := floatOf(r)
	return x, ok && x > 0
}

func nonNegativeOf(r *big.Rat) (float64, bool) {
	x, ok := floatOf(r)
	return x, ok && x >= 0
}

// ParseProb reads a probability, from 0 to 1, of any size.
func ParseProb(s string) (theory.LogProb, bool) {
	if strings.Contains(s, "/") {
		r, ok := ParseRat(s)
		if !ok {
			return 0, false
		}
		return probOf(r)
	}
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		digits, exponent, ok := splitDecimal(percent)
		if !ok {
			return 0, false
		}
		s = digits + "e" + strconv.Itoa(exponent-2)
	}
	p, err := theory.ParseLogProb(s)
	return p, err == nil
}

func parseInterior(s string) (theory.LogProb, bool) {
	p, ok := ParseProb(s)
	return p, ok && p.IsInterior()
}

// parseConfidence reads C as 1 - C, from the decimal text.
func parseConfidence(s string) (theory.LogProb, bool) {
	if rest, ok := strings.CutPrefix(s, "1-"); ok {
		return parseInterior(rest)
	}
	r, ok := ParseRat(s)
	if !ok {
		return 0, false
	}
	return interiorOf(r.Sub(big.NewRat(1, 1), r))
}

func parseProbRat(s string) (*big.Rat, bool) {
	if rest, ok := strings.CutPrefix(s, "1-"); ok {
		r, ok := ParseRat(rest)
		if !ok {
			return nil, false
		}
		return r.Sub(big.NewRat(1, 1), r), true
	}
	return ParseRat(s)
}

// probOf converts a fraction through a decimal, exactly if the fraction ends
// within 60 digits: 1/20 is 0.05.
func probOf(r *big.Rat) (theory.LogProb, bool) {
	if r.Sign() < 0 || r.Cmp(big.NewRat(1, 1)) > 0 {
		return 0, false
	}
	const digits = 60
	shift := digits + len(r.Denom().String()) - len(r.Num().String())
	scaled := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil)
	scaled.Quo(scaled.Mul(scaled, r.Num()), r.Denom())
	p, err := theory.ParseLogProb(scaled.String() + "e-" + strconv.Itoa(shift))
	return p, err == nil
}

func interiorOf(r *big.Rat) (theory.LogProb, bool) {
	p, ok := probOf(r)
	return p, ok && p.IsInterior()
}

// snap returns the 12-digit decimal that x is a rounding error away from, so that
// 0.001:1:log4 holds 0.01 and not its neighbour.
func snap(x float64) float64 {
	near, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 11, 64), 64)
	if err == nil && math.Abs(near-x) <= 1e-14*x {
		return near
	}
	return x
}

// snapProb is [snap] for a logarithm.
func snapProb(ln float64) theory.LogProb {
	k := math.Floor(ln / math.Ln10)
	text := strconv.FormatFloat(num.Exp(ln-k*math.Ln10), 'f', 9, 64) + "e" + strconv.Itoa(int(k))
	near, err := theory.ParseLogProb(text)
	if err == nil && math.Abs(near.Ln()-ln) <= 8*(math.Nextafter(-ln, math.Inf(1))+ln) {
		return near
	}
	return theory.LogProb(ln)
}

// Wholes are counts with zero.
var Wholes = Kind[int64]{
	Want:     "a whole number from 0 to 9007199254740992",
	Parse:    func(s string) (int64, bool) { return through(s, ParseRat, wholeOf) },
	exact:    wholeOf,
	fraction: ParseRat,
}

func wholeOf(r *big.Rat) (int64, bool) {
	if r.Sign() == 0 {
		return 0, true
	}
	return countOf(r)
}
