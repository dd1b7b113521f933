package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Contest is a guess about a candidate that is compared with an incumbent on so many independent rows that are alike:
// on a row exactly one of the two is right with probability Differ, and the candidate is right more often than the
// incumbent by Truth. What follows from it is a forecast and no promise.
type Contest struct {
	Rows   int64
	Differ float64 // in (0,1]; 1 where it is known on which rows they differ, and these are the Rows
	Truth  float64 // in [-Differ, Differ]
}

// Reaches forecasts how probably the mean difference, (W-L)/Rows, is at least that.
func (c Contest) Reaches(mean float64) float64 {
	need := math.Ceil(float64(c.Rows)*mean*(1-1e-14) - 1e-9)
	return c.passing(func(differ int64) int64 { return int64(math.Ceil((float64(differ) + need) / 2)) })
}

// Rejects forecasts how probably wins and losses are so much evidence, in nats.
func (c Contest) Rejects(enough float64, decided bool) float64 {
	last := int64(0)
	return c.passing(func(differ int64) int64 {
		last = num.Ints{Lo: 0, Hi: differ + 1, Guess: last}.Least(func(wins int64) bool {
			d := Duel{Wins: wins, Losses: differ - wins}
			return wins > differ || d.Evidence(decided) >= enough
		})
		return last
	})
}

// passing is the probability that the wins are as many as are needed, for the number of rows on which the two differ.
// These are visited from the fewest on; of a great many, evenly spread ones stand for all.
func (c Contest) passing(needed func(differ int64) int64) float64 {
	p := min(max((1+c.Truth/c.Differ)/2, 0), 1)
	if c.Differ == 1 {
		return atLeast(c.Rows, needed(c.Rows), p)
	}
	n := float64(c.Rows)
	law := num.Binomial{N: c.Rows, P: c.Differ}
	sd := math.Sqrt(n * c.Differ * (1 - c.Differ))
	first, last := int64(max(0, n*c.Differ-9*sd-9)), int64(min(n, n*c.Differ+9*sd+9))
	stride := max(1, int64(sd/200)) | 1
	sum, all := 0., 0.
	for differ := first; differ <= last; differ += stride {
		mass := num.Exp(law.LnPMF(differ))
		sum, all = sum+mass*atLeast(differ, needed(differ), p), all+mass
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

// Trial is a guess about a model whose score is a mean over so many independent rows with the values 0 and 1: what
// follows from it is a forecast and no promise. Other values in [0,1] with that mean vary less.
type Trial struct {
	Rows  int64
	Truth float64 // in [0,1]
}

// Reaches forecasts how probably the score is at least that.
func (s Trial) Reaches(mean float64) float64 {
	return atLeast(s.Rows, int64(math.Ceil(float64(s.Rows)*mean*(1-1e-14))), s.Truth)
}

// Level is ln of the level at which the look tests, if what it shows is whether a test rejects.
func (p Plan) Level() float64 {
	at, share := p.node(0)
	return at.level(lnShare(share, 0))
}
