package theory

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// worstSide is max_j P[Bin(n, j/n+tau) <= j] to 200 bits: the chance that a 0/1 query is tau or more below its
// expectation.
func worstSide(n int64, tau *big.Rat) float64 {
	wide := func() *big.Float { return new(big.Float).SetPrec(200) }
	worst := 0.0
	for j := int64(0); j < n; j++ {
		p := new(big.Rat).Add(big.NewRat(j, n), tau)
		if p.Cmp(big.NewRat(1, 1)) >= 0 {
			break
		}
		odds := wide().SetRat(new(big.Rat).Quo(p, new(big.Rat).Sub(big.NewRat(1, 1), p)))
		term, q := wide().SetInt64(1), wide().SetRat(new(big.Rat).Sub(big.NewRat(1, 1), p))
		for range n {
			term.Mul(term, q)
		}
		sum := wide().Set(term)
		for k := range j {
			term.Mul(term, odds).Mul(term, wide().SetRat(big.NewRat(n-k, k+1)))
			sum.Add(sum, term)
		}
		x, _ := sum.Float64()
		worst = math.Max(worst, x)
	}
	return worst
}

// The requirement serves, as the next n do, and one row fewer does not; tau and beta are its inverses.
func TestSideAgainstDecimals(t *testing.T) {
	for _, c := range []struct {
		tau  *big.Rat
		beta float64
	}{
		{big.NewRat(1, 10), 0.05}, {big.NewRat(1, 10), 0.001}, {big.NewRat(1, 4), 1e-6},
		{big.NewRat(3, 4), 1e-9}, {big.NewRat(2, 25), 0.2},
	} {
		tau, _ := c.tau.Float64()
		s := Fixed{tau, Level{1, LogProb(math.Log(c.beta))}}
		n, err := BinomialSamples(s, OneSide)
		if err != nil {
			t.Fatal(err)
		}
		if n.Value > 1 && worstSide(n.Value-1, c.tau) <= c.beta*(1-1e-9) {
			t.Errorf("%+v: %d rows, and one fewer serves", s, n.Value)
		}
		for more := n.Value; more < n.Value+6; more++ {
			worst := worstSide(more, c.tau)
			if holds, _ := BinomialHolds(s, OneSide, more); worst > c.beta || !holds {
				t.Errorf("%+v: %d rows serve, and of %d the worst chance is %v", s, n.Value, more, worst)
			}
		}
		if holds, _ := BinomialHolds(s, OneSide, n.Value-1); holds {
			t.Errorf("%+v: %d rows hold", s, n.Value-1)
		}
		least, err := BinomialWorst(Deviation{n.Value, tau}, OneSide)
		if err != nil || least > s.Level.Beta {
			t.Errorf("%+v: the least beta is %v, %v", s, least, err)
		}
		if holds, _ := BinomialHolds(Fixed{tau, Level{1, least + 1e-8}}, OneSide, n.Value); !holds {
			t.Errorf("%+v: the least beta %v does not hold", s, least)
		}
		if holds, _ := BinomialHolds(Fixed{tau, Level{1, least - 1e-8}}, OneSide, n.Value); holds {
			t.Errorf("%+v: less than the least beta %v holds", s, least)
		}
		sharpest, err := BinomialTau(s.Level, OneSide, n.Value)
		if err != nil || sharpest > tau*(1+1e-9) {
			t.Errorf("%+v: the least tau is %v, %v", s, sharpest, err)
		}
		if holds, _ := BinomialHolds(Fixed{sharpest * (1 + 1e-9), s.Level}, OneSide, n.Value); !holds {
			t.Errorf("%+v: the least tau %v does not hold", s, sharpest)
		}
		if holds, _ := BinomialHolds(Fixed{sharpest * (1 - 1e-6), s.Level}, OneSide, n.Value); holds {
			t.Errorf("%+v: less than the least tau %v holds", s, sharpest)
		}
	}
}

// Nonsense is refused, whichever function is asked.
func TestSideDomains(t *testing.T) {
	nan := math.NaN()
	for _, s := range []Fixed{
		{0, Level{1, -1}}, {1, Level{1, -1}}, {nan, Level{1, -1}},
		{0.5, Level{1, 0}}, {0.5, Level{1, 1}}, {0.5, Level{1, Zero}}, {0.5, Level{1, LogProb(nan)}},
	} {
		if _, err := BinomialSamples(s, OneSide); err == nil {
			t.Errorf("%+v has a number of rows", s)
		}
		if _, err := BinomialHolds(s, OneSide, 10); err == nil {
			t.Errorf("%+v holds or not", s)
		}
	}
	if _, err := BinomialTau(Level{1, -1}, OneSide, 0); err == nil {
		t.Error("no rows have a tau")
	}
	if _, err := BinomialWorst(Deviation{0, 0.1}, OneSide); err == nil {
		t.Error("no rows have a beta")
	}
}

// The least tau for one n is the result of a bisection that asks every time.
func TestLeastTauOfOneSize(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	for range 60 {
		n, beta := int64(math.Exp(1+5*r.Float64())), LogProb(-0.7-12*r.Float64())
		floor := 0.5 * r.Float64() / math.Sqrt(float64(n))
		for _, sides := range []Sides{OneSide, BothSides} {
			b := binomial{Fixed{floor, Level{1 + r.Int64N(9), beta}}, sides}
			limit := math.Nextafter(b.limit().Hi, math.Inf(-1))
			good := func(tau float64) bool { c := b; c.Tau = tau; return !c.lattice(n).mayFail(limit) }
			want := floor
			if !good(floor) {
				lo, hi, close := 0.0, 1.0, 0.0
				if sides == OneSide {
					lo, close = floor, 1e-10
				}
				for mid := lo + (hi-lo)/2; mid > lo && mid < hi && hi-lo > close*hi; mid = lo + (hi-lo)/2 {
					if mid > floor && good(mid) {
						hi = mid
					} else {
						lo = mid
					}
				}
				want = hi
			}
			if got := b.raised(n, 1); got != want {
				t.Errorf("n = %d, %+v: tau %v, want %v", n, b, got, want)
			}
		}
	}
}

// worstOfUnequal is the greatest probability that n records of the mean number of ones have a count that fails: some
// are surely 1, some surely 0 and the others alike, among which is the worst of the mean (Hoeffding 1956, Theorem 2).
func worstOfUnequal(n int64, mean float64, fails func(count int64) bool) float64 {
	worst := 0.0
	for ones := range n {
		for zeros := int64(0); zeros < n-ones; zeros++ {
			rest := n - ones - zeros
			p := (mean - float64(ones)) / float64(rest)
			if p < 0 || p > 1 {
				continue
			}
			sum := 0.0
			for k := range rest + 1 {
				if fails(ones + k) {
					ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(rest, k)).Float64()
					sum += ways * math.Pow(p, float64(k)) * math.Pow(1-p, float64(rest-k))
				}
			}
			worst = math.Max(worst, sum)
		}
	}
	return worst
}

// Records that are not alike keep the level too.
func TestSideOfUnequalRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(3905, 3))
	held := 0
	for range 3000 {
		n := 2 + r.Int64N(8)
		s := Fixed{(0.2 + 1.2*r.Float64()) / float64(n), Level{1, LogProb(math.Log(0.15 + 0.35*r.Float64()))}}
		holds, err := BinomialHolds(s, OneSide, n)
		if err != nil {
			t.Fatal(err)
		}
		if !holds {
			continue
		}
		held++
		for j := range n {
			mean := float64(j) + s.Tau*float64(n) // of the count, at which j ones are tau too few
			worst := worstOfUnequal(n, mean, func(count int64) bool { return count <= j })
			if worst > s.Level.Beta.Value()*(1+1e-9) {
				t.Errorf("%+v, %d records: %v for some that are not alike", s, n, worst)
			}
		}
	}
	if held < 100 {
		t.Errorf("%d sides hold", held)
	}
}

// Nor do they miss by tau, above or below, more often than the bound says.
func TestBinomialTailOfUnequalRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(3905, 4))
	below := 0
	for range 400 {
		n := 1 + r.Int64N(9)
		tau := math.Min((0.2+1.6*r.Float64())/float64(n), 0.999)
		tail := must[LogProb](t)(BinomialTail(Deviation{n, tau})).Value()
		if tail < 1 {
			below++
		}
		far := tau * float64(n)
		for j := range n {
			for _, mean := range []float64{float64(j) + far, float64(j) + r.Float64()} {
				worst := worstOfUnequal(n, mean, func(count int64) bool { return math.Abs(float64(count)-mean) >= far*(1-1e-12) })
				if worst > tail*(1+1e-9) {
					t.Errorf("%d records miss the mean %v by %v with probability %v, above %v", n, mean/float64(n), tau, worst, tail)
				}
			}
		}
	}
	if below < 100 {
		t.Errorf("%d bounds say something", below)
	}
}
