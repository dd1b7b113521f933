package noise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
)

// lnMoment is ln E e^(l(f-Ef)).
func lnMoment(l float64, values, p []float64) float64 {
	mean, sum := 0.0, 0.0
	for i, v := range values {
		mean += p[i] * v
		sum += p[i] * math.Exp(l*v)
	}
	return math.Log(sum) - l*mean
}

// No law of a kind has a greater moment generating function than its tilts say, and some come close.
func TestTiltsHoldForEveryLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(131, 1))
	grid := []float64{-1, -0.6, -0.1, 0, 0.2, 0.7, 1}
	closest := map[string]float64{}
	check := func(what string, v Moment, l float64, values, p []float64) {
		t.Helper()
		above, below := v.tilts(l)
		up, down := lnMoment(l, values, p), lnMoment(-l, values, p)
		if up > above.ln+1e-12 || down > below.ln+1e-12 {
			t.Fatalf("%s %v, l %g, law %v: %g of %g above, %g of %g below", what, v, l, p, up, above.ln, down, below.ln)
		}
		closest[what] = max(closest[what], up/above.ln)
		closest[what+" below"] = max(closest[what+" below"], down/below.ln)
	}
	for range 20_000 {
		l := math.Exp(r.Float64()*7 - 4.5)
		p := randomLaw(r, len(grid))
		if r.IntN(2) == 0 { // on the ends
			p = []float64{p[0], 0, 0, p[1], 0, 0, 1 - p[0] - p[1]}
		}
		d := 0.0
		for i, v := range grid {
			d += p[i] * math.Abs(v)
		}
		check("difference", Difference{d}, l, grid, p)
		if q := p[0] / 2; q > 0 {
			check("accuracy", Accuracy{q}, l, []float64{0, 1}, []float64{q, 1 - q})
		}
		unit := []float64{0, 0.1, 0.3, 0.5, 0.6, 0.9, 1}
		mean, square := 0.0, 0.0
		for i, v := range unit {
			mean, square = mean+p[i]*v, square+p[i]*v*v
		}
		check("variance", Variance{square - mean*mean}, l, unit, p)
	}
	for what, part := range closest {
		if t.Logf("%s: %.4f of the bound", what, part); !(part > 0.95) {
			t.Errorf("%s: no law comes close", what)
		}
	}
}

// The derivatives are the functions' derivatives, by differences.
func TestTiltSlopes(t *testing.T) {
	const h = 1e-5
	for _, v := range []Moment{
		Difference{0.02}, Difference{0.3}, Difference{1}, Accuracy{0.01}, Accuracy{0.3}, Variance{0.02}, Variance{0.25},
	} {
		for _, l := range []float64{0.05, 0.31, 1.1, 2.9, 7} {
			check := func(what string, f func(l float64) tilt) {
				want := (f(l*(1+h)).ln - f(l*(1-h)).ln) / (2 * h * l)
				if got := f(l).slope; math.Abs(got-want) > 1e-5*math.Abs(want)+1e-8 {
					t.Errorf("%T%v, %s, l %g: slope %g, want %g", v, v, what, l, got, want)
				}
			}
			check("above", func(l float64) tilt { above, _ := v.tilts(l); return above })
			check("below", func(l float64) tilt { _, below := v.tilts(l); return below })
			if _, _, ok := v.checkedTilts(l); ok {
				check("checked above", func(l float64) tilt { above, _, _ := v.checkedTilts(l); return above })
				check("checked below", func(l float64) tilt { _, below, _ := v.checkedTilts(l); return below })
			}
		}
	}
}

// greatest returns the greatest value of a concave f between 0 and 1, or a little less.
func greatest(f func(x float64) float64) float64 {
	lo, hi := 0.0, 1.0
	for range 45 {
		if a, b := lo+(hi-lo)/3, hi-(hi-lo)/3; f(a) < f(b) {
			lo = a
		} else {
			hi = b
		}
	}
	return f((lo + hi) / 2)
}

// relative is q ln(q/p).
func relative(q, p float64) float64 {
	if q == 0 {
		return 0
	}
	return q * math.Log(q/p)
}

// By duality a checked tilt is the greatest l(P”f - Pf) - KL(P”||P) over all P and all P” whose share is at most the
// share of the check. It is never below, and 0.99 of it is refuted.
func TestCheckedTilts(t *testing.T) {
	for _, v := range []float64{0.02, 0.1, 0.4} {
		for _, l := range []float64{0.1, 0.5, 1.25, 3} {
			want := 0.0
			for i := range 9 { // P'' is (up, down), P is (share x, share (1-x))
				up := v * float64(i) / 8
				down := v - up
				want = max(want, greatest(func(share float64) float64 {
					return greatest(func(x float64) float64 {
						kl := relative(up, share*x) + relative(down, share*(1-x)) + relative(1-v, 1-share)
						return l*(up-down-share*(2*x-1)) - kl
					})
				}))
			}
			got, _, _ := Difference{v}.checkedTilts(l)
			if got.ln < want-1e-9 || 0.99*got.ln > want {
				t.Errorf("difference, check at %g, l %g: %g, want %g", v, l, got.ln, want)
			}
			above, below, _ := Accuracy{v}.checkedTilts(l)
			for sign, got := range map[float64]float64{1: above.ln, -1: below.ln} {
				want := greatest(func(x float64) float64 {
					q := v * x
					return greatest(func(p float64) float64 { return sign*l*(p-q) - relative(q, p) - relative(1-q, 1-p) })
				})
				if got < want-1e-9 || 0.99*got > want {
					t.Errorf("accuracy, check at %g, l %g: %g, want %g", v, sign*l, got, want)
				}
			}
		}
	}
}

// The tilts are never below their formulas in sixty digits, and at most 1e-12 above, where l is small as well: there
// they are small differences of numbers that are not, and a plan multiplies them by many rows.
func TestTiltsInDecimals(t *testing.T) {
	in := decimals.Digits(60)
	one := in.Int(1)
	expm1 := func(l decimals.Number) decimals.Number { return l.Exp().Minus(one) }
	least := func(a, b decimals.Number) decimals.Number {
		if a.Less(b) {
			return a
		}
		return b
	}
	// The greatest ln E e^(lX) - l EX of an X in {0,1} with EX <= most.
	bernoulli := func(l, most decimals.Number) decimals.Number {
		p := least(most, one.Over(l).Minus(one.Over(expm1(l))))
		return one.Plus(p.Times(expm1(l))).Ln().Minus(l.Times(p))
	}
	minus := func(x decimals.Number) decimals.Number { return in.Int(0).Minus(x) }
	// The same with the indicator that a share of at most v was seen: the least over the multiplier xi >= 0 of
	// xi v + (the greatest over p), with p tilted to v.
	checked := func(l, v decimals.Number) decimals.Number {
		// l p^2 + (1-l) p = v: tilted by e^-(l+xi) the share of p is v.
		b := one.Minus(l)
		p := b.Squared().Plus(in.Int(4).Times(l).Times(v)).Root().Minus(b).Over(in.Int(2).Times(l))
		u := l.Over(one.Plus(l.Times(p)))
		if u.Less(one) {
			if xi := minus(one.Minus(u).Ln()).Minus(l); in.Int(0).Less(xi) {
				return xi.Times(v).Plus(one.Minus(p.Times(u)).Ln()).Plus(l.Times(p))
			}
		}
		return bernoulli(minus(l), one)
	}
	checkedBelow := func(l, v decimals.Number) decimals.Number {
		b := one.Plus(l)
		p := b.Minus(b.Squared().Minus(in.Int(4).Times(l).Times(v)).Root()).Over(in.Int(2).Times(l))
		w := l.Over(one.Minus(l.Times(p)))
		if xi := l.Minus(one.Plus(w).Ln()); in.Int(0).Less(xi) {
			return xi.Times(v).Plus(one.Plus(p.Times(w)).Ln()).Minus(l.Times(p))
		}
		return bernoulli(l, one)
	}
	checkedDifference := func(l, v decimals.Number) decimals.Number {
		xi := l.Exp().Plus(minus(l).Exp()).Over(in.Int(2)).Ln() // ln cosh l
		u := one.Minus(minus(l.Plus(xi)).Exp())
		y := l.Over(u).Minus(one)
		atCosh := xi.Times(v).Plus(y).Minus(one.Plus(y).Ln())
		// The function is convex in xi: its least value beyond ln cosh l is there or where its derivative is zero.
		b := one.Minus(l)
		p := b.Squared().Plus(in.Int(4).Times(l).Times(v)).Root().Minus(b).Over(in.Int(2).Times(l))
		if u := l.Over(one.Plus(l.Times(p))); u.Less(one) {
			if free := minus(one.Minus(u).Ln()).Minus(l); xi.Less(free) {
				return free.Times(v).Plus(one.Minus(p.Times(u)).Ln()).Plus(l.Times(p))
			}
		}
		return atCosh
	}
	r := rand.New(rand.NewPCG(141, 2))
	check := func(what string, v, l, got float64, want decimals.Number) {
		t.Helper()
		exact := want.Float()
		if !(got >= exact && got <= exact*(1+1e-12)) {
			t.Errorf("%s %g, l %g: %g of itself from %g", what, v, l, got/exact-1, exact)
		}
	}
	for range 400 {
		l, share := math.Exp(-24*r.Float64()+2), math.Exp(-14*r.Float64())
		ld := in.Float(l)

		v := share
		got, _, _ := Difference{v}.checkedTilts(l)
		check("checked difference", v, l, got.ln, checkedDifference(ld, in.Float(v)))

		v = share * 0.499
		q := in.Float(v)
		above, below := Accuracy{v}.tilts(l)
		check("accuracy, above", v, l, above.ln, bernoulli(minus(ld), q))
		check("accuracy, below", v, l, below.ln, bernoulli(ld, q))
		above, below, _ = Accuracy{v}.checkedTilts(l)
		check("checked accuracy, above", v, l, above.ln, checked(ld, q))
		check("checked accuracy, below", v, l, below.ln, checkedBelow(ld, q))

		v = share * 0.25
		above, _ = Variance{v}.tilts(l)
		p := one.Minus(one.Minus(in.Int(4).Times(in.Float(v))).Root()).Over(in.Int(2))
		check("variance", v, l, above.ln, bernoulli(ld, p))
	}
}
