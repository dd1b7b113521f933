package open

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// convexTail is min over whole t of E(B-t)_+/(nx-t) for B of the law Bin(n,p), at most 1, in 300 bits.
func convexTail(n int, p, x *big.Float) *big.Float {
	of := func() *big.Float { return new(big.Float).SetPrec(300) }
	one := of().SetInt64(1)
	pmf := []*big.Float{one}
	miss := of().Sub(one, p)
	for range n {
		next := make([]*big.Float, len(pmf)+1)
		for i := range next {
			next[i] = of()
			if i < len(pmf) {
				next[i].Add(next[i], of().Mul(pmf[i], miss))
			}
			if i > 0 {
				next[i].Add(next[i], of().Mul(pmf[i-1], p))
			}
		}
		pmf = next
	}
	y, least := of().Mul(x, of().SetInt64(int64(n))), one
	for t := range n {
		room := of().Sub(y, of().SetInt64(int64(t)))
		if room.Sign() <= 0 {
			break
		}
		sum := of()
		for j := t + 1; j <= n; j++ {
			sum.Add(sum, of().Mul(pmf[j], of().SetInt64(int64(j-t))))
		}
		if sum.Quo(sum, room); sum.Cmp(least) < 0 {
			least = sum
		}
	}
	return least
}

// The ends have a tail of at most the level, and a little nearer to x they have not: by sums of 300 bits.
func TestConvexEndsAgainstSums(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	exactly := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	short := func(x float64) *big.Float { return new(big.Float).SetPrec(300).Sub(exactly(1), exactly(x)) }
	for range 100 {
		n := 1 + r.IntN(40)
		x := []float64{1, r.Float64(), float64(1+r.IntN(n)) / float64(n), math.Pow(10, -6*r.Float64())}[r.IntN(4)]
		level := -1.2 - 12*r.Float64()
		q := new(big.Float).SetPrec(300).SetFloat64(math.Exp(level))
		v, unit := Convex{Rows: int64(n)}, Unit{Rows: float64(n)}
		lower, upper := v.Lower(x, level), v.Upper(x, level)
		if lower < unit.Lower(x, level) || upper > unit.Upper(x, level) || lower > x || upper < x {
			t.Errorf("%d rows at %v, level e^%v: [%v, %v]", n, x, level, lower, upper)
		}
		loose := new(big.Float).Mul(q, exactly(1+1e-14))
		if convexTail(n, exactly(lower), exactly(x)).Cmp(loose) > 0 {
			t.Errorf("%d rows at %v, level e^%v: the lower end %v is too high", n, x, level, lower)
		}
		if p := lower + 1e-9*(x-lower); lower > 0 && convexTail(n, exactly(p), exactly(x)).Cmp(q) < 0 {
			t.Errorf("%d rows at %v, level e^%v: the lower end could be above %v", n, x, level, lower)
		}
		if x == 1 {
			continue
		}
		if convexTail(n, short(upper), short(x)).Cmp(loose) > 0 {
			t.Errorf("%d rows at %v, level e^%v: the upper end %v is too low", n, x, level, upper)
		}
		if p := upper - 1e-9*(upper-x); upper < 1 && convexTail(n, short(p), short(x)).Cmp(q) < 0 {
			t.Errorf("%d rows at %v, level e^%v: the upper end could be below %v", n, x, level, upper)
		}
		bar := r.Float64()
		pass, ok := v.Pass(bar, level)
		if possible := float64(n)*math.Log(bar) <= level; ok != possible {
			t.Errorf("%d rows, bar %v, level e^%v: can pass %t, want %t", n, bar, level, ok, possible)
		}
		if !ok {
			continue
		}
		if convexTail(n, exactly(bar), exactly(pass)).Cmp(loose) > 0 {
			t.Errorf("%d rows, bar %v, level e^%v: %v passes and is too low", n, bar, level, pass)
		}
		if less := pass - 1e-9*(pass-bar); convexTail(n, exactly(bar), exactly(less)).Cmp(q) < 0 {
			t.Errorf("%d rows, bar %v, level e^%v: less than %v could pass", n, bar, level, pass)
		}
	}
}

// First looks of a ledger at a bar, by a search of their own.
func TestConvexGates(t *testing.T) {
	at := Node{LnBeta: math.Log(0.05)}
	for _, c := range []struct {
		tails       Tails
		pass, upper float64
	}{
		{Convex{Rows: 5000}, 0.8150, 0.8266}, {Unit{Rows: 5000}, 0.8170, 0.8306},
		{Convex{Rows: 500}, 0.8464, 0.8787}, {Unit{Rows: 500}, 0.8523, 0.8895},
	} {
		gate, err := Gate(at, c.tails, 0.8, Usual().Share(0, 0, 8))
		if err != nil {
			t.Fatal(err)
		}
		_, upper := gate.Interval(at, c.tails, 0)
		if pass := gate.Cuts[0].At; math.Abs(pass-c.pass) > 5e-5 || math.Abs(upper-c.upper) > 5e-5 {
			t.Errorf("%+v passes at %.5f, a fail says %.5f, want %v and %v", c.tails, pass, upper, c.pass, c.upper)
		}
	}
	for _, n := range []int64{200, 500, 1000, 5000} {
		for i, level := range []float64{1e-2, 1e-3, 1e-4, 1e-6} {
			ln := math.Log(level)
			pass, _ := Convex{Rows: n}.Pass(0.8, ln)
			usual, _ := Unit{Rows: float64(n)}.Pass(0.8, ln)
			ratio := (pass - 0.8) / (usual - 0.8)
			if rows, want := ratio*ratio, []float64{0.78, 0.83, 0.86, 0.89}[i]; math.Abs(rows-want) > 0.02 {
				t.Errorf("%d rows, level %v: %.3f of the rows, want %v", n, level, rows, want)
			}
		}
	}
}

// More rows than a tail is computed for are worth no less than these.
func TestConvexEndsOfManyRows(t *testing.T) {
	last := 0.0
	for _, n := range []int64{1 << 21, 1 << 22, 1<<22 + 1, 1 << 23, 1 << 40} {
		lower := Convex{Rows: n}.Lower(0.3, -5)
		if lower < last || lower < (Unit{Rows: float64(n)}).Lower(0.3, -5) {
			t.Errorf("%d rows: %v, fewer have %v", n, lower, last)
		}
		last = lower
	}
}
