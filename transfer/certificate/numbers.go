package certificate

import (
	"errors"
	"math"
	"math/big"
	"strconv"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// fraction is num/over.
type fraction struct{ num, over *big.Int }

func (f fraction) String() string { return f.num.String() + "/" + f.over.String() }

// apart returns the numerator and the denominator as two arguments.
func (f fraction) apart() string { return f.num.String() + " " + f.over.String() }

// shared returns the fraction divided by a whole number.
func (f fraction) shared(by *big.Int) fraction { return fraction{f.num, new(big.Int).Mul(f.over, by)} }

// ln returns the logarithm, rounded down.
func (f fraction) ln() float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetRat(new(big.Rat).SetFrac(f.num, f.over)).MantExp(mantissa)
	m, _ := mantissa.Float64()
	ln := num.Log(m) + float64(exponent)*math.Ln2
	return ln - 1e-14*(1+math.Abs(ln))
}

// roundedUp returns x, or the next number with so many digits: a number that was solved for has more.
func roundedUp(x float64, digits int) float64 {
	for by := 0.; ; by += 4 * math.Pow10(-1-digits) {
		up, err := strconv.ParseFloat(strconv.FormatFloat(x*(1+by), 'g', digits, 64), 64)
		if err != nil || up >= x {
			return up
		}
	}
}

// betaOf returns a failure probability with so many digits. One that was solved for leaves room for roundings.
func betaOf(beta theory.LogProb, digits int) (fraction, error) {
	value := beta.Value()
	if !(value >= 1e-100) {
		return fraction{}, errors.New("a file proves plans of a beta of at least 1e-100")
	}
	ints, over := overOne(roundedUp(value*(1-1e-14), digits))
	return fraction{ints[0], over}, nil
}

// overOne returns numbers as whole numbers over one power of ten.
func overOne(xs ...float64) (ints []*big.Int, over *big.Int) {
	places := 0
	exact := make([]*big.Rat, len(xs))
	for i, x := range xs {
		exact[i], _ = new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
		n, _ := exact[i].FloatPrec()
		places = max(places, n)
	}
	over = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	for _, x := range exact {
		ints = append(ints, x.Mul(x, new(big.Rat).SetInt(over)).Num())
	}
	return ints, over
}

// precision returns how many bits the greatest term of a binomial law gets, and how many terms beside it count: the
// others are less than a unit, by Hoeffding's bound.
func (p *plan) precision() (bits, width int64) {
	level := p.level.over.BitLen() - p.level.num.BitLen()
	bits = int64(40 + level + 2*big.NewInt(p.Samples).BitLen())
	return bits, 2 + int64(math.Sqrt(float64(bits+12)*math.Ln2*float64(p.Samples)/2))
}
