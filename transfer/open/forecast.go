package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Contest is a guess about a candidate that is compared with an incumbent on so many independent rows that are alike:
// on a row exactly one of the two is right with probability Differ, and the candidate is right more often than the
// incumbent by Truth. A score of values 0 and 1 with the mean Truth = Differ is one against an incumbent that is never
// right. What follows from it is a forecast and no promise.
type Contest struct {
	Rows   int64
	Differ float64 // in (0,1]; 1 where it is known on which rows they differ, and these are the Rows
	Truth  float64 // in [-Differ, Differ]
}

// Reaches forecasts how probably the mean difference, (W-L)/Rows, is at least that.
func (c Contest) Reaches(mean float64) float64 {
	need := c.needed(mean)
	if c.Truth >= c.Differ { // and no row is lost
		return atLeast(c.Rows, need, c.Differ)
	}
	p := c.winning()
	return c.expect(func(differ int64) float64 { return atLeast(differ, (differ+need+1)>>1, p) })
}

// needed is the least W-L whose mean is at least that.
func (c Contest) needed(mean float64) int64 {
	return int64(math.Ceil(float64(c.Rows)*mean*(1-1e-14) - 1e-9))
}

// winning is how probably the candidate is right where the two differ.
func (c Contest) winning() float64 { return min(max((1+c.Truth/c.Differ)/2, 0), 1) }

// Rejects forecasts how probably wins and losses are so much evidence, in nats.
func (c Contest) Rejects(enough float64, decided bool) float64 {
	return c.expect(c.rejecting(enough, decided))
}

// rejecting returns how probably wins and losses are evidence enough, for the number of rows on which the two differ.
// It remembers what it has computed.
func (c Contest) rejecting(enough float64, decided bool) func(differ int64) float64 {
	p, known, last := c.winning(), make(map[int64]float64), int64(0)
	return func(differ int64) float64 {
		chance, ok := known[differ]
		if !ok {
			last = num.Ints{Lo: 0, Hi: differ + 1, Guess: last}.Least(func(wins int64) bool {
				return wins > differ || Duel{wins, differ - wins}.Evidence(decided) >= enough
			})
			chance = atLeast(differ, last, p)
			known[differ] = chance
		}
		return chance
	}
}

// expect is the mean over the number of rows on which the two differ. These are visited from the fewest on; of a great
// many, evenly spread ones stand for all.
func (c Contest) expect(given func(differ int64) float64) float64 {
	if c.Differ == 1 {
		return given(c.Rows)
	}
	n := float64(c.Rows)
	law := num.Binomial{N: c.Rows, P: c.Differ}
	sd := math.Sqrt(n * c.Differ * (1 - c.Differ))
	first, last := int64(max(0, n*c.Differ-9*sd-9)), int64(min(n, n*c.Differ+9*sd+9))
	stride := max(1, int64(sd/1000)) | 1
	sum, all := 0., 0.
	for differ := first - first%stride; differ <= last; differ += stride {
		mass := num.Exp(law.LnPMF(differ))
		sum, all = sum+mass*given(differ), all+mass
	}
	return min(sum/all, 1)
}

// atLeast is P[Bin(n,p) >= k].
func atLeast(n, k int64, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n || p <= 0:
		return 0
	case p >= 1:
		return 1
	}
	return min(num.Exp(num.Binomial{N: n, P: p}.LnAtLeast(k)), 1)
}

// Levels return ln of the levels of a pass and of a failure of the look. A test rejects at the level of a pass.
func (p Plan) Levels() (pass, fail float64) {
	at, share := p.node(0)
	return at.level(lnShare(share, 0)), at.level(lnShare(1, share))
}
