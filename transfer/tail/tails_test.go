package tail

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/num"
)

// entropy is kl(q || p) to 45 digits for numbers strictly between 0 and 1.
func entropy(q, p decimals.Number) decimals.Number {
	one := q.Over(q) // with the digits of q
	term := func(x, m decimals.Number) decimals.Number { return x.Times(x.Over(m).Ln()) }
	return term(q, p).Plus(term(one.Minus(q), one.Minus(p)))
}

// The rate of [0,1] values is the least relative entropy, found in 45 digits by golden section: never above it,
// and less by at most 1e-12.
func TestRateAgainstDecimals(t *testing.T) {
	for _, s := range []float64{1e-5, 9.9e-5, 1.01e-4, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.39, 0.41, 0.5, 0.7, 0.9, 0.99,
		1 - 1e-7, 1 - 0x1p-30, 1 - 0x1p-52, 1 - 0x1p-53} {
		shift := exact.Float(s)
		// In the share x of p in (0, 1-s) the minimum is at a place between these; it is found to 1e-15 of it, its
		// value to the square of that.
		at := func(lnX float64) decimals.Number {
			p := exact.Int(1).Minus(shift).Times(exact.Float(1 - math.Exp(lnX)))
			return entropy(p.Plus(shift), p)
		}
		lo, hi := math.Log(1e-14), math.Log(0.999)
		for range 75 {
			a, b := lo+0.382*(hi-lo), lo+0.618*(hi-lo)
			if at(a).Less(at(b)) {
				hi = b
			} else {
				lo = a
			}
		}
		if gap := above(Interval{}.Rate(s), wide(t, at(lo))); !(gap <= 1e-25 && gap > -1e-12) {
			t.Errorf("E(%v) = %v is above the least relative entropy by %g of it", s, Interval{}.Rate(s).Float(), gap)
		}
	}
}

// Rates do not fall in s, and end where no mean can be so far off.
func TestRatesRise(t *testing.T) {
	for _, v := range []Values{
		Interval{}, Difference{Disagreement: 1}, Difference{Disagreement: 0.03}, BoundedDifferences{Spread: 3},
		Skewed{0.5}, Skewed{0.01}, Moment{1}, Moment{0.03}, Sharper{Difference{Disagreement: 0.5}, Moment{0.03}},
	} {
		last := 0.0
		for s := 1e-6; s < 4; s *= 1.01 {
			rate := v.Rate(s).Float()
			if !(rate >= last*(1-1e-12)) {
				t.Fatalf("%+v: the rate at %v is %v, after %v", v, s, rate, last)
			}
			last = rate
		}
		if !math.IsInf(last, 1) {
			t.Errorf("%+v: a mean can be off by 4", v)
		}
	}
}

// A difference can be off by s if and only if s < 1 + d, without the rounding of that sum.
func TestDifferencesEndAtOneAndTheirDisagreement(t *testing.T) {
	r := rand.New(rand.NewPCG(87, 88))
	for range 2000 {
		d := math.Pow(10, -20*r.Float64())
		for _, s := range []float64{1, math.Nextafter(1+d, 0), 1 + d, math.Nextafter(1+d, 2), 1 + 0x1p-52} {
			reach := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).SetFloat64(d))
			rate := Difference{Disagreement: d}.Rate(s)
			if want := new(big.Rat).SetFloat64(s).Cmp(reach) < 0; want == math.IsInf(rate.Hi, 1) {
				t.Errorf("I_%v(%v) = %v", d, s, rate.Hi)
			}
		}
	}
}

// legendre is sup over l of l(s + a - b) - ln(1 + a(e^l-1) + b(e^-l-1)), on a grid that golden section refines.
func legendre(s, a, b float64) float64 {
	f := func(l float64) float64 { return l*(s+a-b) - math.Log(1+a*math.Expm1(l)+b*math.Expm1(-l)) }
	lo, hi := 0.0, 60.0
	for range 60 {
		if x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo); f(x) > f(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return f(lo)
}

// I_d is the least Legendre transform over the laws on -1, 0 and 1 with a disagreement of at most d, and above
// Bennett's and Hoeffding's rates.
func TestDifferenceRate(t *testing.T) {
	for _, c := range [][2]float64{
		{0.01, 0.1}, {0.05, 0.1}, {0.02, 0.5}, {0.3, 0.2}, {0.1, 1}, {0.7, 1}, {0.2, 0.03}, {1.2, 0.9},
	} {
		s, d := c[0], c[1]
		got := Difference{Disagreement: d}.Rate(s).Float()
		least := math.Inf(1)
		const steps = 150
		for i := range steps + 1 {
			for j := range steps + 1 - i {
				least = math.Min(least, legendre(s, d*float64(i)/steps, d*float64(j)/steps))
			}
		}
		if !(got <= least*(1+1e-9) && got >= least*(1-2e-3)) {
			t.Errorf("I_%v(%v) = %v, the least on the grid is %v", d, s, got, least)
		}
		bennett := d * ((1+s/d)*math.Log1p(s/d) - s/d)
		if !(got >= bennett && got >= s*s/2) {
			t.Errorf("I_%v(%v) = %v, Bennett has %v and Hoeffding %v", d, s, got, bennett, s*s/2)
		}
	}
}

// J is the least Legendre transform over the laws with the disagreement and the mean that are known, and I_d is
// no greater.
func TestKnownDifferenceRate(t *testing.T) {
	for _, c := range [][3]float64{
		{0.01, 0.1, 0.02}, {0.01, 0.1, 0}, {0.05, 0.3, -0.1}, {0.02, 0.1, 0.1}, {0.02, 0.1, 0.5}, {0.1, 1, 0.3},
	} {
		s, d, mean := c[0], c[1], c[2]
		v := Difference{Disagreement: d}
		got := known{v, mean}.reaches(s).Float()
		least := math.Inf(1)
		const steps = 120
		for i := range steps + 1 {
			for j := range steps + 1 - i {
				if a, b := d*float64(i)/steps, d*float64(j)/steps; a-b <= mean+1e-12 {
					least = math.Min(least, legendre(mean+s-(a-b), a, b))
				}
			}
		}
		if !(got <= least*(1+1e-9) && got >= least*(1-5e-3)) {
			t.Errorf("J(%v) at the mean %v, d = %v is %v, the least on the grid is %v", s, mean, d, got, least)
		}
		if mean <= d && got < v.Rate(s).Float()*(1-1e-9) {
			t.Errorf("J(%v) at the mean %v, d = %v is %v, below I_d", s, mean, d, got)
		}
	}
}

// The rates are never above the rates in 45 digits, and at most 1e-12 below, for accuracies that ask for up to 2^53
// rows too, where logarithms near zero are subtracted.
func TestDifferenceRatesOfSmallErrors(t *testing.T) {
	in := decimals.Digits(45)
	one := in.Int(1)
	check := func(name string, got, s, d, mean float64) {
		t.Helper()
		m0, d0 := in.Float(mean), in.Float(d)
		l0 := m0.Plus(in.Float(s))
		at := func(l float64) decimals.Number { // l level - ln(1 + d(cosh l - 1) + mean sinh l)
			up, down := in.Float(l).Exp(), in.Float(-l).Exp()
			up, down = up.Times(d0.Plus(m0)).Over(in.Int(2)), down.Times(d0.Minus(m0)).Over(in.Int(2))
			return in.Float(l).Times(l0).Minus(one.Minus(d0).Plus(up).Plus(down).Ln())
		}
		lo, hi := 0.0, 60*s/d
		for range 50 {
			if x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo); y > x && at(y).Less(at(x)) {
				hi = y
			} else {
				lo = x
			}
		}
		if want := at(lo).Float(); !(got <= want*(1+1e-15) && got >= want*(1-1e-12)) {
			t.Errorf("%s: %v, want %v and no more: off by %v of it", name, got, want, got/want-1)
		}
	}
	for _, s := range []float64{1e-2, 1e-4, 1e-5, 1e-6, 3e-7, 1e-7} {
		for _, d := range []float64{1e-3, 0.01, 0.1, 0.5, 1} {
			v := Difference{Disagreement: d}
			for _, mean := range []float64{0, 0.01, 0.3, 0.9, -0.01, -0.4} {
				if s > d/4 || math.Abs(mean) > 0.99*d {
					continue
				}
				check(fmt.Sprintf("J(%v) at the mean %v, d = %v", s, mean, d), known{v, mean}.reaches(s).Float(), s, d, mean)
			}
		}
	}
}

// So it is where few records differ and the error is not small against their share: the best l is then above 1.
func TestRatesOfRareDifferences(t *testing.T) {
	in := decimals.Digits(45)
	check := func(name string, got, s, d, mean float64) {
		t.Helper()
		up, down := in.Float(d).Plus(in.Float(mean)).Over(in.Int(2)), in.Float(d).Minus(in.Float(mean)).Over(in.Int(2))
		level := in.Float(mean).Plus(in.Float(s))
		at := func(l float64) decimals.Number {
			sum := up.Times(in.Float(l).Exp()).Plus(down.Times(in.Float(-l).Exp()))
			return in.Float(l).Times(level).Minus(in.Int(1).Minus(in.Float(d)).Plus(sum).Ln())
		}
		lo, hi := 0.0, 12.0
		for range 45 {
			if x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo); at(y).Less(at(x)) {
				hi = y
			} else {
				lo = x
			}
		}
		least := 1 - 1e-12 - 4e-14*d/max(d-mean*mean, 1e-15)
		if want := at(lo).Float(); !(got <= want*(1+1e-15) && got >= want*least) {
			t.Errorf("%s of %v, d = %v, mean %v: %v, want %v: off by %v of it", name, s, d, mean, got, want, got/want-1)
		}
	}
	for _, d := range []float64{1e-10, 1e-7, 1e-4, 0.01} {
		for _, ratio := range []float64{1, 3, 20} {
			s := d * ratio
			v := Difference{Disagreement: d}
			check("I", v.Rate(s).Float(), s, d, d) // all that differs is on one side
			for _, share := range []float64{-0.9, 0, 0.5} {
				check("J", known{v, d * share}.reaches(s).Float(), s, d, d*share)
			}
		}
	}
	for _, d := range []float64{1, 1 - 1e-9} { // and where nearly all are on one side
		for _, mean := range []float64{0.9999, 0.999999} {
			check("J", known{Difference{Disagreement: d}, mean}.reaches((1-mean)/3).Float(), (1-mean)/3, d, mean)
		}
	}
}

// I_d is the rate at the worst mean, x.
func TestRateIsOfTheWorstMean(t *testing.T) {
	for _, s := range []float64{1e-2, 1e-4, 1e-6, 1e-8} {
		for _, d := range []float64{2e-6, 1e-4, 0.03, 0.4, 1} {
			got := Difference{Disagreement: d}.Rate(s).Float()
			least := math.Inf(1)
			for i := range 2001 {
				mean := d * float64(i-1000) / 1000 * (1 - 1e-9)
				least = math.Min(least, known{Difference{Disagreement: d}, mean}.reaches(s).Float())
			}
			if !(got <= least*(1+1e-9)) || got < least*(1-1e-5) {
				t.Errorf("I_%v(%v) = %v, the least of the means is %v", d, s, got, least)
			}
		}
	}
}

// exact trinomial tails of few rows are below the bound.
func TestDifferenceTails(t *testing.T) {
	for _, n := range []int64{12, 25} {
		for _, d := range []float64{0.1, 0.4, 1} {
			for share := 0.0; share <= 1; share += 0.125 {
				a, b := d*share, d*(1-share)
				for _, s := range []float64{0.1, 0.25, 0.5} {
					if exact, bound := trinomial(n, a, b, s), (Difference{Disagreement: d}).LnSide(n, s); math.Log(exact) > bound {
						t.Errorf("n = %d, a = %v, b = %v: P[off by %v] = %v, above e^%v", n, a, b, s, exact, bound)
					}
				}
			}
		}
	}
}

// trinomial is P[mean - (a-b) >= s] for n rows that are 1 with probability a and -1 with probability b.
func trinomial(n int64, a, b, s float64) float64 {
	sum := 0.0
	for up := range n + 1 {
		for down := range n + 1 - up {
			if float64(up-down) < float64(n)*(a-b+s)-1e-9 {
				continue
			}
			ways, _ := new(big.Float).SetInt(new(big.Int).Mul(
				new(big.Int).Binomial(n, up), new(big.Int).Binomial(n-up, down))).Float64()
			sum += ways * math.Pow(a, float64(up)) * math.Pow(b, float64(down)) * math.Pow(1-a-b, float64(n-up-down))
		}
	}
	return sum
}

// Where all rows must differ for the expectation to be so low, c + 2 tau = d, the rate equals the rates at its
// neighbours.
func TestRateAtTheEdgeOfTheBar(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 2000 {
		d := min(1, 2*r.Float64()) // 1 half of the time
		bar := Bar{Height: d * (2*r.Float64() - 1)}
		edge := (d - bar.Height) / 2
		v := Difference{Disagreement: d}
		before := 0.0
		for _, tau := range []float64{edge * (1 - 1e-9), math.Nextafter(edge, 0), edge} {
			bar.Margin = tau
			rate := v.RateAt(bar).Float()
			if !(rate >= before*(1-1e-9)) || !(rate >= v.Rate(tau).Float()*(1-1e-9)) {
				t.Fatalf("d %v, %+v: rate %v, before %v, without a bar %v", d, bar, rate, before, v.Rate(tau).Float())
			}
			before = rate
		}
	}
}

// The tail of values in [0,1] is rounded up, by less than 1e-9 of the probability, whichever way its rate is computed.
func TestIntervalSidesAreRoundedUp(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 20_000 {
		s := math.Pow(10, -5*r.Float64())
		n := int64(math.Pow(10, 1+14*r.Float64()))
		got := num.FromFloat(Interval{}.LnSide(n, s))
		exact := Interval{}.Rate(s).MulFloat(float64(n)).Neg()
		over, size := got.Sub(exact).Hi, math.Abs(got.Hi)
		if over < 0 || over > 1e-9+1e-15*size {
			t.Errorf("n %d, s %g: ln of the tail is %v, over by %g", n, s, got.Hi, over)
		}
	}
}
