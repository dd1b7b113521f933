package tree

import (
	"math"
	"math/big"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// choose is C(n,k).
func choose(n, k int64) float64 {
	x, _ := new(big.Float).SetInt(new(big.Int).Binomial(n, k)).Float64()
	return x
}

// The bound of a validator's widths is Theorem 1, computed here by its formula, for cells of two widths. For the widths
// that a plan was made with it is about the plan's, at its tau and at a greater one that is promised.
func TestWidthsBound(t *testing.T) {
	const n, m, tau, threshold = 900, 6, 0.25, 0.15
	side := func(s float64) float64 { return math.Exp(tail.Interval{}.LnSide(n, s)) }
	v := Validator{Values: tail.Interval{}, Queries: m, Flags: 3, Tau: tau, Threshold: threshold, LnBeta: -1000}
	s := func(c float64) float64 { return tau + threshold - 2*tau/(c+1) }
	n0, n1, n2 := float64(m), m+choose(m, 2)*2, m+choose(m, 2)*4+choose(m, 3)*4*2
	w := 1 + m*4 + choose(m, 2)*4*2
	want := w*side(tau-threshold) + 2*(n0*side(s(2))+n1*side(s(4))+n2*side(tau+threshold))
	widths := []theory.FlagWidth{{Flags: 0, Width: 2 * tau / 3}, {Flags: 1, Width: 2 * tau / 5}, {Flags: 2, Width: 0}}
	if got := math.Exp(v.LnFailure(n, widths)); !(got >= want*(1-1e-12) && got <= want*(1+1e-9)) {
		t.Errorf("got %v, want %v or a hair more", got, want)
	}
	hair := []theory.FlagWidth{
		{Flags: 0, Width: math.Nextafter(2*tau/3, 0)}, {Flags: 1, Width: 2 * tau / 5}, {Flags: 2, Width: 0},
	}
	if got := math.Exp(v.LnFailure(n, hair)); !(got >= want*(1-1e-12) && got <= want*(1+1e-9)) {
		t.Errorf("widths a hair too narrow, which are those of a lesser tau: got %v, want %v", got, want)
	}
	for _, guesses := range []bool{false, true} {
		made := Validator{Values: tail.ZeroOne{}, Queries: 50, Flags: 5, Tau: 0.2, Threshold: 0.13, LnBeta: -3,
			Guesses: guesses, Tolerance: 0.05}
		ln, widths := made.Bound(2500)
		for _, promised := range []float64{0.2, 0.2000001, 0.21, 0.3} {
			made.Tau, made.LnBeta = promised, -1000 // which no accuracy reaches, so that all are tried
			if got := made.LnFailure(2500, widths); math.Abs(got-ln) > 1e-9 && promised == 0.2 || got > ln+1e-9 {
				t.Errorf("guesses %v, promised %v: got %v, want %v", guesses, promised, got, ln)
			}
		}
	}
	for name, broken := range map[string][]theory.FlagWidth{
		"none":                   nil,
		"a gap":                  {{Flags: 0, Width: 0.1}, {Flags: 2, Width: 0}},
		"none for the last":      {{Flags: 0, Width: 0.1}, {Flags: 1, Width: 0.09}},
		"too few":                {{Flags: 0, Width: 0.1}, {Flags: 1, Width: 0}},
		"wider ones later":       {{Flags: 0, Width: 0.1}, {Flags: 1, Width: 0.11}, {Flags: 2, Width: 0}},
		"a negative one":         {{Flags: 0, Width: -0.1}, {Flags: 2, Width: 0}},
		"a cell above all":       {{Flags: 0, Width: 0.6}, {Flags: 1, Width: 0.1}, {Flags: 2, Width: 0}},
		"more than there can be": {{Flags: 0, Width: 1e-300}, {Flags: 2, Width: 0}},
	} {
		if name == "a gap" {
			broken[0].Flags = 1
		}
		if ln := v.LnFailure(n, broken); ln != 0 {
			t.Errorf("%s: %v", name, ln)
		}
	}
}

// The bound of a count is the greater of the two exact binomial tails.
func TestCountBound(t *testing.T) {
	const n = 40
	mass := func(p float64, from, to int64) (sum float64) {
		for k := from; k <= to; k++ {
			sum += choose(n, k) * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
		}
		return sum
	}
	for _, oneSided := range []bool{false, true} {
		gate := CountGate{Bar: tail.Bar{Height: 0.5, Margin: 0.125, OneSided: oneSided}, LnRisk: -3}
		for k := int64(22); k < 29; k++ {
			want := mass(0.5, k, n)
			if !oneSided {
				want = math.Max(want, mass(0.75, 0, k-1))
			}
			if got := math.Exp(gate.LnFailure(n, k)); math.Abs(got-want) > 1e-11*want {
				t.Errorf("one-sided %v, %d: got %v, want %v", oneSided, k, got, want)
			}
		}
	}
}
