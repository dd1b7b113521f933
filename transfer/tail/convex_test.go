package tail

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
)

// law is an exact one: what so many sixths of a row add up to, and with which probability.
type law map[int]*big.Rat

// plus is the law of a sum of independent numbers.
func (a law) plus(b law) law {
	sum := law{}
	for x, p := range a {
		for y, q := range b {
			if sum[x+y] == nil {
				sum[x+y] = new(big.Rat)
			}
			sum[x+y].Add(sum[x+y], new(big.Rat).Mul(p, q))
		}
	}
	return sum
}

func (a law) mean() *big.Rat {
	mean := new(big.Rat)
	for x, p := range a {
		mean.Add(mean, new(big.Rat).Mul(p, big.NewRat(int64(x), 6)))
	}
	return mean
}

// exceeds is the probability of at least x, in sixths.
func (a law) exceeds(x int) *big.Rat {
	sum := new(big.Rat)
	for y, p := range a {
		if y >= x {
			sum.Add(sum, p)
		}
	}
	return sum
}

func (a law) mirror(n int) law {
	b := law{}
	for x, p := range a {
		b[6*n-x] = p
	}
	return b
}

// randomRow is a row of two or three values.
func randomRow(r *rand.Rand) law {
	weights, row, sum := make([]int64, 2+r.IntN(2)), law{}, int64(0)
	values := r.Perm(7)
	for i := range weights {
		weights[i] = 1 + r.Int64N(9)
		sum += weights[i]
	}
	for i, w := range weights {
		row[values[i]] = big.NewRat(w, sum)
	}
	return row
}

// convexTail is min over whole t of E(B-t)_+/(y-t) for B of the law Bin(n,p), at most 1.
func convexTail(n int, p, y *big.Rat) *big.Rat {
	miss := new(big.Rat).Sub(big.NewRat(1, 1), p)
	pmf := []*big.Rat{big.NewRat(1, 1)}
	for range n {
		next := make([]*big.Rat, len(pmf)+1)
		for i := range next {
			next[i] = new(big.Rat)
			if i < len(pmf) {
				next[i].Add(next[i], new(big.Rat).Mul(pmf[i], miss))
			}
			if i > 0 {
				next[i].Add(next[i], new(big.Rat).Mul(pmf[i-1], p))
			}
		}
		pmf = next
	}
	least := big.NewRat(1, 1)
	for t := 0; t < n; t++ {
		room := new(big.Rat).Sub(y, big.NewRat(int64(t), 1))
		if room.Sign() <= 0 {
			break
		}
		sum := new(big.Rat)
		for j := t + 1; j <= n; j++ {
			sum.Add(sum, new(big.Rat).Mul(pmf[j], big.NewRat(int64(j-t), 1)))
		}
		if sum.Quo(sum, room); sum.Cmp(least) < 0 {
			least = sum
		}
	}
	return least
}

// Whatever the rows are, no event is likelier than the convex tail, and some event is as likely. It falls in the rows,
// and the tail of one row more is no bound.
func TestConvexTailsOfUnequalRows(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 42))
	events, reached, above := 0, 0, 0
	for range 200 {
		n := 1 + r.IntN(7)
		sum := law{0: big.NewRat(1, 1)}
		same, row := r.IntN(3) == 0, randomRow(r)
		if r.IntN(4) == 0 {
			row = law{0: big.NewRat(1, 3), 6: big.NewRat(2, 3)}
		}
		for range n {
			if !same {
				row = randomRow(r)
			}
			sum = sum.plus(row)
		}
		for _, side := range []law{sum, sum.mirror(n)} {
			p := new(big.Rat).Quo(side.mean(), big.NewRat(int64(n), 1))
			for x := range side {
				y := big.NewRat(int64(x), 6)
				if y.Cmp(side.mean()) <= 0 {
					continue
				}
				events++
				tail, bound := side.exceeds(x), convexTail(n, p, y)
				if tail.Cmp(bound) > 0 {
					t.Fatalf("%d rows of mean %v: P[sum >= %v] is %v, above %v", n, p, y, tail, bound)
				}
				if tail.Cmp(bound) == 0 {
					reached++
				}
				more := convexTail(n+1, p, new(big.Rat).Mul(y, big.NewRat(int64(n+1), int64(n))))
				if more.Cmp(bound) > 0 {
					t.Fatalf("mean %v at %v of %d rows: %v, and with one more %v", p, y, n, bound, more)
				}
				if tail.Cmp(more) > 0 {
					above++
				}
				got := lnConvex(int64(n), ddOf(p), ddOf(y).MulFloat(1/float64(n)))
				if want := lnRat(bound); got < want-1e-15 || got > want+1e-9 && want < math.Log(1./3) {
					t.Fatalf("%d rows of mean %v at %v: %v, want %v", n, p, y, got, want)
				}
			}
		}
	}
	if reached == 0 || above == 0 {
		t.Errorf("of %d events %d reach the bound, and %d are above that of one row more", events, reached, above)
	}
	t.Logf("%d events, %d reach the bound, %d are above that of one row more", events, reached, above)
}

func ddOf(x *big.Rat) num.DD { return num.FromBig(new(big.Float).SetPrec(120).SetRat(x)) }

func lnRat(x *big.Rat) float64 { return ddOf(x).Ln().Float() }

// A_n(s) is nowhere below T_n(p,p+s), and close to the greatest of them: by fractions.
func TestConvexSidesOverAllMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 42))
	const parts = 512
	for i := range 9 {
		n, s := 1+r.IntN(12), big.NewRat(1+r.Int64N(parts-1), parts)
		if i == 0 { // the hinges 0, 1 and 2 are never the best
			n, s = 4, big.NewRat(258, parts)
		}
		shift, _ := s.Float64()
		got := Convex{}.LnSide(int64(n), shift)
		greatest := math.Inf(-1)
		for i := int64(1); i < parts; i++ {
			p := big.NewRat(i, parts)
			x := new(big.Rat).Add(p, s)
			if x.Cmp(big.NewRat(1, 1)) > 0 {
				break
			}
			greatest = max(greatest, lnRat(convexTail(n, p, x.Mul(x, big.NewRat(int64(n), 1)))))
		}
		kl := Interval{}.LnSide(int64(n), shift)
		if got < greatest || got > kl || kl < -1 && got > greatest+0.05 {
			t.Errorf("%d rows, %v: %v, the greatest is %v, by the relative entropy %v", n, s, got, greatest, kl)
		}
		if half := (Convex{Lowest: -1}).LnSide(int64(n), 2*shift); half != got {
			t.Errorf("%d rows, %v: %v for differences, want %v", n, s, half, got)
		}
	}
}

// What cells certify is what a fine search finds, within 1e-9, and falls in the rows and in s.
func TestConvexSidesAreSharpAndFall(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 42))
	for range 100 {
		n := int64(math.Pow(10, 4*r.Float64()))
		s := min((1+6*r.Float64())/2/math.Sqrt(float64(n)), r.Float64())
		v := Convex{}
		ln, kl := v.LnSide(n, s), Interval{}.LnSide(n, s)
		if ln > kl || ln > 0 {
			t.Errorf("%d rows, %v: %v, by the relative entropy %v", n, s, ln, kl)
		}
		if kl > -1 {
			continue
		}
		if peak := v.Peak(n, s); ln < peak || ln > peak+1e-9*(1-peak) {
			t.Errorf("%d rows, %v: %v, the peak is %v", n, s, ln, peak)
		}
		for range 100 {
			p := r.Float64() * (1 - s)
			if at := (num.Binomial{N: n, P: p}).LnConvex(float64(n) * (p + s)); at > ln {
				t.Fatalf("%d rows, %v: %v, but %v at the mean %v", n, s, ln, at, p)
			}
		}
		if less := ln - 1e-8*(1-ln); !v.IsWithin(n, s, ln) || v.IsWithin(n, s, less) && kl > ln {
			t.Errorf("%d rows, %v: within %v %t, and a little less", n, s, ln, v.IsWithin(n, s, ln))
		} else if kl > ln && (convexSides{n, s}).isWithin(less) {
			t.Errorf("%d rows, %v: cells show %v, but the peak is %v", n, s, less, ln)
		}
		if more := v.LnSide(n+1, s); more > ln+1e-9 {
			t.Errorf("%v: %v with %d rows, %v with one more", s, ln, n, more)
		}
		if more := v.LnSide(n, s*1.001); more > ln {
			t.Errorf("%d rows: %v at %v, %v a little farther", n, ln, s, more)
		}
	}
	v := Convex{}
	if all, many := v.LnSide(num.MostConvexRows, 1e-3), v.LnSide(num.MostConvexRows+1000, 1e-3); many > all {
		t.Errorf("more rows than are computed: %v, want at most %v", many, all)
	}
}

// The two errors at a bar are the errors by fractions, for values from 0 and from -1.
func TestConvexTailsAtABar(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 42))
	for range 300 {
		n := 1 + r.IntN(20)
		height, margin := float64(r.IntN(64))/64, float64(1+r.IntN(20))/128
		if height+margin >= 1 {
			continue
		}
		at := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
		rows, one := big.NewRat(int64(n), 1), big.NewRat(1, 1)
		passes := at(height + margin)
		want := math.Inf(-1)
		if height > 0 {
			want = lnRat(convexTail(n, at(height), new(big.Rat).Mul(passes, rows)))
		}
		both := want
		if height+2*margin < 1 {
			short := new(big.Rat).Sub(one, passes)
			both = max(both, lnRat(convexTail(n, at(1-height-2*margin), short.Mul(short, rows))))
		}
		for _, c := range []struct {
			v    Convex
			b    Bar
			want float64
		}{
			{Convex{}, Bar{Height: height, Margin: margin}, both},
			{Convex{}, Bar{Height: height, Margin: margin, OneSided: true}, want},
			{Convex{Lowest: -1}, Bar{Height: 2*height - 1, Margin: 2 * margin}, both},
		} {
			got := c.v.LnAt(int64(n), c.b)
			if !(got >= c.want-1e-14) || got > c.want+1e-9 && c.want < math.Log(1./3) {
				t.Errorf("%d rows, %+v, %+v: %v, want %v", n, c.v, c.b, got, c.want)
			}
		}
	}
}
