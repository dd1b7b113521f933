package transfer

import (
	"math"
	"testing"
)

// The tails are of mpmath, with 60 digits.
func TestDecimalNormalTail(t *testing.T) {
	near := func(what string, got, want dec) {
		t.Helper()
		if gap := got.Over(want).Minus(one).Float(); !(math.Abs(gap) < 1e-40) {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	for _, c := range [][2]string{
		{"-7.5", "0.999999999999968091083270891037722327116552736"},
		{"-1.25", "0.894350226333144742311227235974253445152390272"},
		{"0.3", "0.382088577811047362693471036878582351948758533"},
		{"3.9", "0.0000480963440176027171467075231275290282495707972"},
		{"4.05", "0.0000256088164740414878124843796016242022997993503"},
		{"6", "0.00000000098658764503769814070086413239804201866979125"},
		{"17.25", "5.59496839490488494521471412800829303859490201e-67"},
		{"31", "2.69525008120050007859389132246444142425136296e-211"},
	} {
		_, tail := pageNormal(digits.Parse(c[0]))
		near(c[0], tail, digits.Parse(c[1]))
	}
	for _, s := range []string{"0.9", "0.1", "0.0999"} {
		w := digits.Parse(s)
		near("tanh", tanh(w), one.Minus(two.Over(two.Times(w).Exp().Plus(one))))
	}
}
