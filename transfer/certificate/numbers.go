package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// fraction is Num/Over.
type fraction struct{ num, over *big.Int }

func (f fraction) String() string { return f.num.String() + "/" + f.over.String() }

// apart returns the numerator and the denominator as two arguments.
func (f fraction) apart() string { return f.num.String() + " " + f.over.String() }

// shared returns the fraction divided by a whole number.
func (f fraction) shared(by *big.Int) fraction { return fraction{f.num, new(big.Int).Mul(f.over, by)} }

// ln returns the logarithm, rounded down.
func (f fraction) ln() float64 {
	ln := lnOf(f.num) - lnOf(f.over)
	return ln - 1e-14*(1+math.Abs(ln))
}

func lnOf(x *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(x).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return num.Log(m) + float64(exponent)*math.Ln2
}

// roundedUp returns x, or the next number with twelve digits: a number that was solved for has more.
func roundedUp(x float64) float64 {
	for by := 0.; ; by += 4e-13 {
		up, err := strconv.ParseFloat(strconv.FormatFloat(x*(1+by), 'g', 12, 64), 64)
		if err != nil || up >= x {
			return up
		}
	}
}

// betaOf returns the decimal of a failure probability.
func betaOf(beta theory.LogProb) (fraction, error) {
	value := beta.Value()
	if !(value >= 1e-100) {
		return fraction{}, errors.New("a file proves plans of a beta of at least 1e-100")
	}
	text := strconv.FormatFloat(value, 'g', 9, 64) // so that one that was solved for leaves room for roundings
	for by := 0.; ; by += 4e-10 {
		near, err := strconv.ParseFloat(text, 64)
		if err != nil || near >= value*(1-1e-14) {
			break
		}
		text = strconv.FormatFloat(value*(1+by), 'g', 9, 64)
	}
	exact, _ := new(big.Rat).SetString(text)
	digits := len(exact.FloatString(200)) // "0." and as many
	digits = len(strings.TrimRight(exact.FloatString(200)[:digits], "0")) - 2
	over := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(digits, 0))), nil)
	return fraction{new(big.Int).Quo(new(big.Int).Mul(exact.Num(), over), exact.Denom()), over}, nil
}

// overOne returns numbers as whole numbers over one power of ten.
func overOne(xs ...float64) (ints []int64, scale int64, err error) {
	decimals := 0
	for _, x := range xs {
		_, after, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
		decimals = max(decimals, len(after))
	}
	if decimals > 17 {
		return nil, 0, fmt.Errorf("a file proves plans whose numbers have at most 17 decimals, and one has %d", decimals)
	}
	for scale = 1; decimals > 0; decimals-- {
		scale *= 10
	}
	for _, x := range xs {
		exact, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
		ints = append(ints, exact.Mul(exact, new(big.Rat).SetInt64(scale)).Num().Int64())
	}
	return ints, scale, nil
}

// precision returns how many bits the greatest term of a binomial law gets, and how many terms beside it count: the
// others are less than a unit, by Hoeffding's bound.
func (p *plan) precision() (bits, width int64) {
	level := p.level.over.BitLen() - p.level.num.BitLen()
	rows := big.NewInt(p.Samples).BitLen()
	bits = int64(40 + level + 2*rows)
	return bits, 2 + int64(math.Sqrt(float64(bits+12)*math.Ln2*float64(p.Samples)/2))
}
