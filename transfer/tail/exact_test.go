package tail

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/num"
)

var exact = decimals.Digits(45)

// wide is a decimal in binary, with more digits than it has.
func wide(t *testing.T, x decimals.Number) *big.Float {
	t.Helper()
	f, _, err := big.ParseFloat(x.String(), 10, 150, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// above reports by how much got exceeds the truth, relative to it or to 1e-30.
func above(got num.DD, truth *big.Float) float64 {
	gap := new(big.Float).Sub(got.Big(), truth)
	x, _ := gap.Float64()
	size, _ := truth.Float64()
	return x / math.Max(math.Abs(size), 1e-30)
}

// decimalOf is a rational number to 90 digits, of which a relative entropy may keep a few dozens.
func decimalOf(r *big.Rat) decimals.Number {
	in := decimals.Digits(90)
	return in.Parse(r.Num().String()).Over(in.Parse(r.Denom().String()))
}

// randomBar is a bar in [0,1): often at 0 or next to it, and with a margin that ends at 1, or lets what must pass do
// so, or next to that.
func randomBar(r *rand.Rand) Bar {
	near := func(x float64) float64 {
		return [...]float64{math.Nextafter(x, 0), x, math.Nextafter(x, 1)}[r.IntN(3)]
	}
	b := Bar{Height: r.Float64()}
	switch r.IntN(4) {
	case 0:
		b.Height = [...]float64{0, 5e-324, 1e-310, 0x1p-1000, 1e-100, 1e-9}[r.IntN(6)]
	case 1:
		b.Height = float64(1+r.IntN(99)) / 100
	}
	switch r.IntN(4) {
	case 0:
		b.Margin = near((1 - b.Height) / 2)
	case 1:
		b.Margin = math.Nextafter(1-b.Height, 0)
	case 2:
		b.Margin = math.Pow(10, -17*r.Float64())
	default:
		b.Margin = r.Float64()
	}
	for b.Height+b.Margin >= 1 {
		b.Margin /= 2
	}
	return b
}

// The rate at a bar is the lesser relative entropy of the two errors that can happen, in decimals: never above it,
// and less by at most 1e-12 of it where the bar is no closer to 0 than 2^-1000.
func TestRateAtTheBarAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	one := big.NewRat(1, 1)
	for range 500 {
		b := randomBar(r)
		c, s := new(big.Rat).SetFloat64(b.Height), new(big.Rat).SetFloat64(b.Margin)
		room := new(big.Rat).Sub(one, new(big.Rat).Add(c, new(big.Rat).Add(s, s)))
		var least *decimals.Number
		for i, p := range []*big.Rat{c, room} {
			q := new(big.Rat).Add(p, s)
			if p.Sign() <= 0 || q.Cmp(one) >= 0 || i == 1 && b.OneSided {
				continue
			}
			if rate := entropy(decimalOf(q), decimalOf(p)); least == nil || rate.Less(*least) {
				least = &rate
			}
		}
		got := Interval{}.RateAt(b)
		if least == nil {
			if !math.IsInf(got.Hi, 1) {
				t.Errorf("%+v: the rate is %v of what cannot happen", b, got.Hi)
			}
			continue
		}
		slack := 1e-12
		if b.Height < 0x1p-1000 {
			slack = 0.1
		}
		if room.Sign() > 0 && room.Cmp(big.NewRat(1, 1<<50)) < 0 { // where a rounding moves the room by much
			slack = 0.1
		}
		if gap := above(got, wide(t, *least)); !(gap <= 1e-25 && gap >= -slack) {
			t.Errorf("%+v: the rate %v is above %v by %g of it", b, got.Hi, least.Float(), gap)
		}
	}
}
