package theory

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A law on a few outcomes, in rational numbers.
type outcomes []*big.Rat

// exceeds returns the least delta with p <= r q + delta on every event.
func (p outcomes) exceeds(q outcomes, r *big.Rat) *big.Rat {
	delta := new(big.Rat)
	for i := range p {
		if gap := new(big.Rat).Sub(p[i], new(big.Rat).Mul(r, q[i])); gap.Sign() > 0 {
			delta.Add(delta, gap)
		}
	}
	return delta
}

// multiset is a sample of records that are 0 or 1.
type multiset struct{ zeros, ones int }

func (s multiset) lead() int { return s.zeros - s.ones }

// worst returns the greatest delta at the factor r over all neighbours among the samples of
// up to four records: by adding or removing one, and by replacing one.
func worst(law func(multiset) outcomes, r *big.Rat, replace bool) *big.Rat {
	delta := new(big.Rat)
	try := func(s, other multiset) {
		for _, d := range []*big.Rat{law(s).exceeds(law(other), r), law(other).exceeds(law(s), r)} {
			if d.Cmp(delta) > 0 {
				delta = d
			}
		}
	}
	for zeros := range 5 {
		for ones := range 5 - zeros {
			s := multiset{zeros, ones}
			switch {
			case replace && zeros > 0:
				try(s, multiset{zeros - 1, ones + 1})
			case !replace && zeros+ones < 4:
				try(s, multiset{zeros + 1, ones})
				try(s, multiset{zeros, ones + 1})
			}
		}
	}
	return delta
}

// geometric is the two-sided geometric mechanism for the lead of the zeros, of ratio two,
// clamped to [-6, 6]: ln 2-private for adding or removing a record.
func geometric(s multiset) outcomes {
	const most = 6
	law := make(outcomes, 2*most+1)
	for i := range law {
		law[i] = new(big.Rat)
	}
	half, weight := big.NewRat(1, 2), big.NewRat(1, 3) // P[Z = z] = 2^-|z|/3
	for z := 0; z < 40; z++ {
		for _, sign := range []int{1, -1} {
			if z == 0 && sign < 0 {
				continue
			}
			at := law[min(max(s.lead()+sign*z, -most), most)+most]
			at.Add(at, weight)
			if z == 39 { // all that lies beyond is clamped too
				at.Add(at, weight)
			}
		}
		weight = new(big.Rat).Mul(weight, half)
	}
	return law
}

// leaking is (ln 2, 1/100)-private for adding or removing a record: an outcome has the
// probability 0, 1/100 or 3/100 as the zeros trail, tie or lead.
func leaking(s multiset) outcomes {
	p := big.NewRat([]int64{0, 1, 3}[min(max(s.lead(), -1), 1)+1], 100)
	return outcomes{p, new(big.Rat).Sub(big.NewRat(1, 1), p)}
}

// Two mechanisms attain what the conversions say, and are no better by replacement: by
// enumeration of all neighbours.
func TestReplacedIsAttained(t *testing.T) {
	two, four, zero := big.NewRat(2, 1), big.NewRat(4, 1), new(big.Rat)
	almost := big.NewRat(399, 100)
	for _, c := range []struct {
		law           func(multiset) outcomes
		single, whole *big.Rat // delta at the factor 2 by addition, at 4 by replacement
	}{{geometric, zero, zero}, {leaking, big.NewRat(1, 100), big.NewRat(3, 100)}} {
		if got := worst(c.law, two, false); got.Cmp(c.single) != 0 {
			t.Errorf("by addition: delta %s, want %s", got, c.single)
		}
		if got := worst(c.law, four, true); got.Cmp(c.whole) != 0 {
			t.Errorf("by replacement: delta %s, want %s", got, c.whole)
		}
	}
	if got := worst(geometric, almost, true); got.Sign() <= 0 {
		t.Error("by replacement the geometric mechanism is better than 2 epsilon")
	}
	ln := func(x float64) LogProb { return LogProb(math.Log(x)) }
	pure := must[Pure](t)(Pure{math.Ln2}.Replaced())
	if e := pure.Epsilon - 2*math.Ln2; e < 0 || e > 1e-15 {
		t.Errorf("epsilon %v", pure.Epsilon)
	}
	approx := must[Approx](t)(Approx{math.Ln2, ln(0.01)}.Replaced())
	if e := approx.LnDelta.Ln() - math.Log(0.03); approx.Epsilon != pure.Epsilon || e < -1e-15 || e > 1e-12 {
		t.Errorf("%+v", approx)
	}
	if a := must[Approx](t)(Approx{0, ln(0.01)}.Replaced()); a.Epsilon != 0 ||
		math.Abs(a.LnDelta.Ln()-math.Log(0.02)) > 1e-12 {
		t.Errorf("%+v", a)
	}
	if a := must[Approx](t)(Approx{0.5, Zero}.Replaced()); a.Epsilon != 1 || a.LnDelta != Zero {
		t.Errorf("%+v", a)
	}
}

// Gaussian noise on the lead attains the conversions of mu and rho: one record added moves
// it by one, one replaced by two.
func TestReplacedGaussian(t *testing.T) {
	added, whole := must[GDP](t)(Gaussian{1, 8}.GDP()), must[GDP](t)(Gaussian{2, 8}.GDP())
	if got := must[GDP](t)(added.Replaced()); got != whole {
		t.Errorf("mu %v, want %v", got, whole)
	}
	rho, want := must[ZCDP](t)(added.ZCDP()), must[ZCDP](t)(whole.ZCDP())
	if got := must[ZCDP](t)(rho.Replaced()); got != want {
		t.Errorf("rho %v, want %v", got, want)
	}
}

// Of any three laws, the outer ones are as private as the conversion says: random ones on
// four outcomes, with the delta that they have at random factors.
func TestReplacedOfRandomLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	law := func() outcomes {
		p, sum := make(outcomes, 4), new(big.Rat)
		for i := range p {
			p[i] = big.NewRat(r.Int64N(30)*r.Int64N(2), 1)
			sum.Add(sum, p[i])
		}
		if sum.Sign() == 0 {
			p[0], sum = big.NewRat(1, 1), big.NewRat(1, 1)
		}
		for i := range p {
			p[i] = new(big.Rat).Quo(p[i], sum)
		}
		return p
	}
	attained := 0
	for range 3000 {
		with, without, other := law(), law(), law()
		factor := big.NewRat(10+r.Int64N(40), 10)
		delta := with.exceeds(without, factor)
		if d := without.exceeds(other, factor); d.Cmp(delta) > 0 {
			delta = d
		}
		bound := new(big.Rat).Mul(delta, new(big.Rat).Add(big.NewRat(1, 1), factor))
		got := with.exceeds(other, new(big.Rat).Mul(factor, factor))
		if got.Cmp(bound) > 0 {
			t.Fatalf("%v, %v, %v at %s: %s > %s", with, without, other, factor, got, bound)
		}
		if got.Sign() > 0 {
			attained++
		}
	}
	if attained < 500 {
		t.Errorf("only %d with a delta by replacement", attained)
	}
}

// Overflow is an error, and nonsense another.
func TestReplacedErrors(t *testing.T) {
	for name, err := range map[string]error{
		"epsilon": errorOf(Pure{1e308}.Replaced()), "approx": errorOf(Approx{1e308, -1}.Replaced()),
		"mu": errorOf(GDP{1e308}.Replaced()), "rho": errorOf(ZCDP{1e308}.Replaced()),
		"zero": errorOf(Pure{0}.Replaced()), "NaN": errorOf(GDP{math.NaN()}.Replaced()),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
