package tail

import (
	"math"
	"math/rand/v2"
	"testing"
)

// atom is a value of a row with its probability.
type atom struct{ value, mass float64 }

func moments(law []atom) (mean, square float64) {
	for _, a := range law {
		mean += a.mass * a.value
		square += a.mass * a.value * a.value
	}
	return mean, square
}

// reached is P[the mean over independent rows with these laws is at least x], by enumeration.
func reached(rows [][]atom, x float64) (chance float64) {
	var walk func(i int, sum, mass float64)
	walk = func(i int, sum, mass float64) {
		if i == len(rows) {
			if sum >= x*float64(len(rows))-1e-12 {
				chance += mass
			}
			return
		}
		for _, a := range rows[i] {
			walk(i+1, sum+a.value, mass*a.mass)
		}
	}
	walk(0, 0, 1)
	return chance
}

// means are all means that rows may have.
func means(rows [][]atom) []float64 {
	sums := []float64{0}
	for _, law := range rows {
		var next []float64
		for _, s := range sums {
			for _, a := range law {
				next = append(next, s+a.value)
			}
		}
		sums = next
	}
	for i := range sums {
		sums[i] /= float64(len(rows))
	}
	return sums
}

// Rows that are not alike, whose own variances have a mean of at most v: no mean is farther off than with the
// probability that the rate says, on either side. Laws on {0,1} come closest.
func TestKnownVarianceOfUnequalRows(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 1))
	closest := 0.
	for range 1500 {
		rows := make([][]atom, 1+r.IntN(6))
		mean, variance := 0., 0.
		shared := math.Pow(r.Float64(), 3)
		for i := range rows {
			low, high, p := 0., 1., shared
			if r.IntN(3) == 0 {
				low, p = 0.5*r.Float64(), math.Pow(r.Float64(), 2)
			}
			if r.IntN(3) == 0 {
				high = low + (1-low)*r.Float64()
			}
			rows[i] = []atom{{low, 1 - p}, {high, p}}
			if r.IntN(2) == 0 { // the mirrored value
				rows[i][0].value, rows[i][1].value = 1-low, 1-high
			}
			m, square := moments(rows[i])
			mean, variance = mean+m, variance+square-m*m
		}
		n := float64(len(rows))
		mean, variance = mean/n, variance/n
		if variance < 1e-9 {
			continue
		}
		v := Varying(min(variance, 0.25))
		for _, x := range means(rows) {
			if s := x - mean; s > 1e-9 {
				got, bound := reached(rows, x), math.Exp(v.LnSide(int64(len(rows)), s-1e-12))
				if closest = math.Max(closest, got/bound); got > bound*(1+1e-9) {
					t.Fatalf("%v: P[mean >= %v] = %v, the variance %v allows %v", rows, x, got, variance, bound)
				}
			}
		}
	}
	if !(closest > 0.9) {
		t.Errorf("the closest law reaches %v of its bound", closest)
	}
}

// The rate is the rate of the 0/1 value with the variance: no lesser exponent bounds its tail, by the Legendre
// transform on a grid. So a rate that is a hundredth greater is refuted.
func TestKnownVarianceRateIsSharp(t *testing.T) {
	for _, v := range []float64{0.25, 0.2, 0.1, 0.01, 1e-4} {
		for _, s := range []float64{0.003, 0.02, 0.1, 0.4} {
			want := math.Inf(1)
			p := (1 - math.Sqrt(1-4*v)) / 2
			for q := p; q > p/1000; q *= 0.995 { // the worst of all 0/1 values with this variance or less
				if q+s >= 1 {
					continue
				}
				sup := 0.
				for l := 1e-3; l < 60; l *= 1.002 {
					at := l*(q+s) - math.Log1p(q*math.Expm1(l))
					if at < sup { // it is concave
						break
					}
					sup = at
				}
				want = math.Min(want, sup)
			}
			if got := Varying(v).Rate(s).Float(); !(got <= want*(1+1e-3) && got > want*(1-1e-2)) {
				t.Errorf("variance %v, shift %v: rate %v, by transforms %v", v, s, got, want)
			}
		}
	}
	for _, s := range []float64{0.01, 0.3} { // a variance of 1/4 is no news
		if got, want := Varying(0.25).Rate(s).Float(), (Interval{}).Rate(s).Float(); got != want {
			t.Errorf("variance 1/4 at %v: %v, want %v", s, got, want)
		}
	}
}

// Differences of unequal rows with a known mean square, by enumeration, on both sides.
func TestKnownSecondMomentOfUnequalRows(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 2))
	closest := 0.
	for range 1200 {
		rows := make([][]atom, 1+r.IntN(5))
		mean, square := 0., 0.
		size := r.Float64()
		for i := range rows {
			up, down := 0.4*size*r.Float64(), 0.4*size*r.Float64()
			rows[i] = []atom{{1, up}, {-1, down}, {0, 1 - up - down}}
			if r.IntN(3) == 0 {
				rows[i][2].value = 0.4 * (2*r.Float64() - 1)
			}
			if r.IntN(3) == 0 {
				rows[i][0].value, rows[i][1].value = r.Float64(), -r.Float64()
			}
			m, q := moments(rows[i])
			mean, square = mean+m, square+q
		}
		n := float64(len(rows))
		mean, square = mean/n, square/n
		for _, x := range means(rows) {
			if s := x - mean; s > 1e-9 {
				got, bound := reached(rows, x), math.Exp(Moment{square}.LnSide(int64(len(rows)), s-1e-12))
				if closest = math.Max(closest, got/bound); got > bound*(1+1e-9) {
					t.Fatalf("%v: P[mean >= %v] = %v, the mean square %v allows %v", rows, x, got, square, bound)
				}
			}
		}
	}
	if !(closest > 0.6) {
		t.Errorf("the closest law reaches %v of its bound", closest)
	}
}

// Differences of unequal rows of which nothing is known, and nothing is shown where the mean of their squares is above
// V: by enumeration, no mean that is shown is farther off than with the probability that the rate says, on both sides.
func TestKeptSecondMomentOfUnequalRows(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 3))
	closest := 0.
	for range 1500 {
		rows := make([][]atom, 1+r.IntN(4))
		mean, size := 0., r.Float64()
		for i := range rows {
			up, down := 0.5*size*r.Float64(), 0.5*size*r.Float64()
			rows[i] = []atom{{1, up}, {-1, down}, {0, 1 - up - down}}
			if r.IntN(2) == 0 {
				rows[i] = []atom{{r.Float64(), up}, {-1, 1 - up}}
			}
			if r.IntN(3) == 0 {
				rows[i][0].value, rows[i][1].value = r.Float64(), -r.Float64()
			}
			m, _ := moments(rows[i])
			mean += m / float64(len(rows))
		}
		n := float64(len(rows))
		squares := make([][]atom, len(rows))
		for i, law := range rows {
			for _, a := range law {
				squares[i] = append(squares[i], atom{a.value * a.value, a.mass})
			}
		}
		all, kept := outcomes(rows), means(squares)
		for range 4 {
			v := kept[r.IntN(len(kept))]
			if v < 1e-3 {
				continue
			}
			for _, x := range means(rows) {
				for _, sign := range []float64{1, -1} {
					s := sign * (x - mean)
					if s <= 1e-9 {
						continue
					}
					got, bound := 0., math.Exp(Kept{v}.LnSide(int64(len(rows)), s-1e-12))
					for _, o := range all {
						if sign*(o[0]/n-x) >= -1e-12 && o[1]/n <= v+1e-12 {
							got += o[2]
						}
					}
					if closest = math.Max(closest, got/bound); got > bound*(1+1e-9) {
						t.Fatalf("%v: shown and off by %v with %v, kept at %v allows %v", rows, s, got, v, bound)
					}
				}
			}
		}
	}
	if !(closest > 0.6) {
		t.Errorf("the closest law reaches %v of its bound", closest)
	}
}

// outcomes are the sums, the sums of squares and the masses of all values of rows.
func outcomes(rows [][]atom) [][3]float64 {
	all := [][3]float64{{0, 0, 1}}
	for _, law := range rows {
		var next [][3]float64
		for _, o := range all {
			for _, a := range law {
				next = append(next, [3]float64{o[0] + a.value, o[1] + a.value*a.value, o[2] * a.mass})
			}
		}
		all = next
	}
	return all
}

// Of one record the mean square alone is a weaker claim than how often it is not 0, as values may be small: the bound
// for differences that are 0 on all but a share is refuted by values that are not.
func TestSecondMomentIsNoDisagreement(t *testing.T) {
	const v = 0.04
	law := []atom{{-0.199, 0.9604}, {1, 0}}
	law[1].mass = 1 - law[0].mass
	mean, square := moments(law)
	rate := 0.
	for l := 1e-3; l < 60; l *= 1.002 {
		rate = math.Max(rate, l*(mean+0.5)-math.Log(law[0].mass*math.Exp(l*law[0].value)+law[1].mass*math.Exp(l)))
	}
	if square > 2*v || !(rate < Difference{Disagreement: square}.Rate(0.5).Float()) {
		t.Errorf("mean square %v: rate %v, that of differences %v", square, rate, Difference{Disagreement: square}.Rate(0.5).Float())
	}
	if !(rate >= Moment{square}.Rate(0.5).Float()) {
		t.Errorf("rate %v, below the bound %v", rate, Moment{square}.Rate(0.5).Float())
	}
}

// Bennett's rate to 45 digits, and the better of two.
func TestBennettAgainstDecimals(t *testing.T) {
	for _, v := range []float64{1, 0.13, 0.01, 1e-9} {
		for _, s := range []float64{1e-12, 1e-7, 0.001, 0.067, 0.5, 1.9} {
			u := exact.Float(s).Over(exact.Float(v))
			more := u.Plus(exact.Int(1))
			want := more.Times(more.Ln()).Minus(u).Times(exact.Float(v)).Float()
			if got := (Moment{v}).bennett(s).Float(); !(got <= want*(1+1e-15) && got > want*(1-1e-6)) {
				t.Errorf("V %v, s %v: %v, want %v", v, s, got, want)
			}
			want = exact.Float(s).Minus(exact.Float(v).Times(more.Ln())).Float()
			if got := (Kept{v}).Rate(s).Float(); !(got <= want*(1+1e-15) && got > want*(1-1e-6)) {
				t.Errorf("kept at %v, s %v: %v, want %v", v, s, got, want)
			}
		}
	}
	better := Sharper{ZeroOne{}, Skewed{0.1}}
	for _, s := range []float64{0.01, 0.2} {
		for _, n := range []int64{30, 3000} {
			if got, want := better.LnSide(n, s), min((ZeroOne{}).LnSide(n, s), (Skewed{0.1}).LnSide(n, s)); got != want {
				t.Errorf("n %d, s %v: %v, want %v", n, s, got, want)
			}
		}
	}
}
