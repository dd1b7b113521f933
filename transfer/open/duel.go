package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Duel is how often one of two models alone was right on some rows. The null hypothesis is that the sum over the rows
// of w - l is at most 0, w and l the probabilities that a row is a win and a loss.
type Duel struct{ Wins, Losses int64 }

// Evidence returns the evidence in nats against the null hypothesis, rounded down. Decided says that the predictions
// alone say which rows count, as they do with two classes: then it is -ln P[Bin(W+L, 1/2) >= W], the exact test, which
// is valid at levels below 1/2 for rows that are not alike. Elsewhere it is ln of the e-value
//
//	E = 2 int_(1/2)^1 (2q)^W (2(1-q))^L dq = 2 P[Bin(W+L+1, 1/2) <= W] / ((W+L+1) P[Bin(W+L, 1/2) = W]).
//
// Both are in docs/theorems/open.md.
func (d Duel) Evidence(decided bool) float64 {
	const rounding = 1e-11
	b := num.Binomial{N: d.Wins + d.Losses, P: 0.5}
	nats := -b.LnAtLeast(d.Wins)
	if !decided {
		more := num.Binomial{N: b.N + 1, P: 0.5}
		nats = math.Ln2 + more.LnAtMost(d.Wins) - num.Log(float64(b.N+1)) - b.LnPMF(d.Wins)
	}
	return nats - rounding*(1+math.Abs(nats))
}

// WinsNeeded returns the least number of wins that, with so many losses, are evidence enough.
func (d Duel) WinsNeeded(enough float64, decided bool) int64 {
	is := func(wins int64) bool { return Duel{wins, d.Losses}.Evidence(decided) >= enough }
	most := d.Losses + 16
	for !is(most) {
		most *= 2
	}
	return num.Ints{Lo: 0, Hi: most, Guess: d.Losses}.Least(is)
}
