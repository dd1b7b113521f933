package decimals

import (
	"math"
	"testing"
)

// The values are of mpmath, with 60 digits.
func TestKnownDigits(t *testing.T) {
	in := Digits(40)
	for _, c := range []struct {
		name string
		got  Number
		want string
	}{
		{"0.1", in.Float(0.1), "0.1000000000000000055511151231257827021181583404541015625"},
		{"1/3", in.Int(1).Over(in.Int(3)), "0.3333333333333333333333333333333333333333"},
		{"sqrt 2", in.Int(2).Root(), "1.414213562373095048801688724209698078570"},
		{"ln 10", in.Int(10).Ln(), "2.302585092994045684017991454684364207601"},
		{"e", in.Int(1).Exp(), "2.718281828459045235360287471352662497757"},
		{"e^-0.001", in.Parse("-0.001").Exp(), "0.9990004998333749916680553571676559747024"},
		{"e^-1000", in.Int(-1000).Exp(), "5.075958897549456765291809479574336919306e-435"},
		{"e^0", in.Int(0).Exp(), "1"},
		{"beyond", in.Parse("-1e9").Exp(), "0"},
	} {
		want := in.Parse(c.want)
		if gap := c.got.Minus(want).Float(); !(math.Abs(gap) <= 2e-39*math.Abs(want.Float())) {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	// The end of the exponents, and the powers that lead there, which lose the most digits.
	for _, x := range []int64{-200_000, -131_071, 77_777, 200_000} {
		if gap := in.Int(x).Exp().Ln().Minus(in.Int(x)).Float(); !(math.Abs(gap) <= 1e-33) {
			t.Errorf("ln e^%d is off by %g", x, gap)
		}
	}
	for _, x := range []float64{5e-324, -math.MaxFloat64, math.Pi, 0} {
		if got := in.Float(x).Float(); got != x {
			t.Errorf("%g reads as %g", x, got)
		}
	}
}
