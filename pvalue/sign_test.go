package pvalue

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// The p-value in whole numbers: never below, and at most 1e-9 above.
func TestSignTestAgainstIntegers(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 10, 55, 56, 57, 100, 999, 2500} {
		tail := new(big.Int)
		for wins := n; wins >= 0; wins-- {
			tail.Add(tail, new(big.Int).Binomial(n, wins))
			if n > 100 && wins%37 != 0 {
				continue
			}
			p, err := Pairs{wins, n - wins}.PValue()
			if err != nil {
				t.Fatal(err)
			}
			exact, err := theory.ParseLogProb(new(big.Float).SetPrec(400).Quo(
				new(big.Float).SetPrec(400).SetInt(tail),
				new(big.Float).SetPrec(400).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))).Text('e', 40))
			if err != nil {
				t.Fatal(err)
			}
			if gap := p - exact; !(gap >= 0 && gap <= 1e-11) && p != 0 || wins == 0 && p != 0 {
				t.Errorf("%d of %d: ln p = %.17g, want %.17g", wins, n, p.Ln(), exact.Ln())
			}
		}
	}
	for _, s := range []Pairs{{0, 0}, {-1, 5}, {5, -1}, {1e12, 1}, {1 << 62, 1 << 62}} {
		if p, err := s.PValue(); !errors.As(err, new(*theory.DomainError)) {
			t.Errorf("%+v: %v, %v", s, p, err)
		}
	}
}

// How many wins without a loss pass a gate at alpha = 0.05.
func TestCleanWins(t *testing.T) {
	for _, c := range []struct{ looks, passes, want int64 }{
		{20, 1, 9}, {20, 3, 15}, {20, 20, 24}, {32, 1, 10}, {32, 5, 22},
		{100, 1, 11}, {100, 5, 31}, {100, 10, 49}, {1000, 1, 15}, {1000, 10, 83},
	} {
		gate := tested(t, maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.Gates{Looks: c.looks, Passes: c.passes}}}, "0.05")[0]
		if got, err := WinsNeeded(gate.Threshold, 0); err != nil || got != c.want {
			t.Errorf("%d looks, %d passes: %d, %v, want %d", c.looks, c.passes, got, err, c.want)
		}
	}
	for _, losses := range []int64{1, 3, 17, 1000} {
		threshold := prob(t, "0.001")
		wins, err := WinsNeeded(threshold, losses)
		if err != nil {
			t.Fatal(err)
		}
		enough, few := must(Pairs{wins, losses}.PValue()), must(Pairs{wins - 1, losses}.PValue())
		if !(enough <= threshold && few > threshold) {
			t.Errorf("%d losses: %d wins, %v and %v with one less", losses, wins, enough, few)
		}
	}
	if _, err := WinsNeeded(-1e300, 0); !errors.As(err, new(*theory.NoAnswerError)) {
		t.Errorf("no number of wins: %v", err)
	}
	if _, err := WinsNeeded(0, 0); !errors.As(err, new(*theory.DomainError)) {
		t.Errorf("threshold one: %v", err)
	}
}

// tailsOf are P[W >= w], w from 0, for independent wins with these probabilities.
func tailsOf(chances []float64) []float64 {
	law := []float64{1}
	for _, p := range chances {
		next := make([]float64, len(law)+1)
		for k, x := range law {
			next[k] += x * (1 - p)
			next[k+1] += x * p
		}
		law = next
	}
	for k := len(law) - 2; k >= 0; k-- {
		law[k] += law[k+1]
	}
	return law
}

// Below one half the p-value of the sign test holds for pairs of which some are likelier wins than others, as long as
// the mean is at most one half. At one half it need not.
func TestSignTestOfUnlikePairs(t *testing.T) {
	r := rand.New(rand.NewPCG(56, 713))
	above := 0.0
	for range 3000 {
		chances := make([]float64, 1+r.IntN(40))
		spread, mean := math.Exp(4*r.Float64()-2), 0.0
		for k := range chances {
			chances[k] = math.Pow(r.Float64(), spread)
			if r.IntN(3) == 0 {
				chances[k] = float64(r.IntN(2))
			}
			mean += chances[k] / float64(len(chances))
		}
		for k := range chances {
			if mean > 0.5 {
				chances[k] *= 0.5 / mean
			}
		}
		for wins, tail := range tailsOf(chances) {
			p, err := Pairs{int64(wins), int64(len(chances) - wins)}.PValue()
			if err != nil {
				t.Fatal(err)
			}
			if p.Value() < 0.5 {
				above = max(above, tail/p.Value()-1)
			}
		}
	}
	if above > 1e-12 {
		t.Errorf("a tail is %g of itself above the p-value", above)
	}
	if p := must(Pairs{1, 1}.PValue()); tailsOf([]float64{1, 0})[1] <= p.Value() {
		t.Error("the bound on the threshold is not needed")
	}
}
