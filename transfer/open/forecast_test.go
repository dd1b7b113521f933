package open

import (
	"math"
	"math/big"
	"testing"
)

// Every outcome of nine rows, one by one: how often the wins less the losses reach a mean, or are evidence enough.
func TestForecastsByEnumeration(t *testing.T) {
	const rows = 9
	for _, guess := range [][2]float64{{0.5, 0.3}, {0.9, 0.1}, {1, 0.4}, {0.25, 0.25}, {0.3, -0.1}} {
		c := Contest{Rows: rows, Differ: guess[0], Truth: guess[1]}
		win, loss := (c.Differ+c.Truth)/2, (c.Differ-c.Truth)/2
		reaches, exact, averaged := make(map[float64]float64), 0., 0.
		const enough = 3.1
		var visit func(row int, d Duel, p float64)
		visit = func(row int, d Duel, p float64) {
			if row == rows {
				for _, mean := range []float64{-0.2, 0, 1. / 9, 0.12, 1. / 3, 1} {
					if float64(d.Wins-d.Losses) >= rows*mean-1e-12 {
						reaches[mean] += p
					}
				}
				if d.Evidence(true) >= enough {
					exact += p
				}
				if d.Evidence(false) >= enough {
					averaged += p
				}
				return
			}
			visit(row+1, Duel{d.Wins + 1, d.Losses}, p*win)
			visit(row+1, Duel{d.Wins, d.Losses + 1}, p*loss)
			visit(row+1, d, p*(1-win-loss))
		}
		visit(0, Duel{}, 1)
		for mean, want := range reaches {
			if got := c.Reaches(mean); math.Abs(got-want) > 1e-9 {
				t.Errorf("%+v reaches %v with probability %v, want %v", c, mean, got, want)
			}
		}
		for decided, want := range map[bool]float64{true: exact, false: averaged} {
			if got := c.Rejects(enough, decided); math.Abs(got-want) > 1e-9 {
				t.Errorf("%+v rejects with probability %v, want %v (%v)", c, got, want, decided)
			}
		}
	}
}

// Of a great many rows some stand for all. By the normal law the difference is at least its mean with probability 1/2.
func TestForecastOfManyRows(t *testing.T) {
	c := Contest{Rows: 100_000_000, Differ: 0.3, Truth: 0.01}
	if got := c.Reaches(0.01); math.Abs(got-0.5) > 1e-3 {
		t.Errorf("got %v, want about 1/2", got)
	}
	sd := math.Sqrt(0.3-0.0001) / 1e4
	if got, want := c.Reaches(0.01+sd), math.Erfc(1/math.Sqrt2)/2; math.Abs(got-want) > 1e-3 {
		t.Errorf("got %v, want about %v", got, want)
	}
}

// P[Bin(100, 0.6) >= 65] and P[Bin(50, 0.9) >= 45] by sums of whole fractions.
func TestForecastOfScores(t *testing.T) {
	for _, c := range []struct {
		rows        int64
		truth, mean float64
		want        float64
	}{
		{100, 0.6, 0.65, sumOf(100, 65, 6)}, {50, 0.9, 0.9, sumOf(50, 45, 9)},
		{100, 0.6, 0, 1}, {100, 0.6, 1.01, 0}, {100, 1, 1, 1},
	} {
		if got := (Contest{c.rows, c.truth, c.truth}).Reaches(c.mean); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// sumOf is P[Bin(n, tenths/10) >= k], by whole numbers.
func sumOf(n, k, tenths int64) float64 {
	sum := new(big.Int)
	ten := func(base, to int64) *big.Int { return new(big.Int).Exp(big.NewInt(base), big.NewInt(to), nil) }
	for ; k <= n; k++ {
		ways := new(big.Int).Binomial(n, k)
		sum.Add(sum, ways.Mul(ways, new(big.Int).Mul(ten(tenths, k), ten(10-tenths, n-k))))
	}
	p, _ := new(big.Rat).SetFrac(sum, ten(10, n)).Float64()
	return p
}

// The lower bounds of a power are nowhere above it, by sums over all outcomes, and never fall in the rows; and no gate
// or test asks for more than the bound on what it asks for, which falls in the rows.
func TestBoundsOfForecasts(t *testing.T) {
	for _, c := range []Contest{
		{0, 0.7, 0.7}, {0, 0.95, 0.95}, {0, 0.3, 0.1}, {0, 0.9, 0.2}, {0, 1, 0.5}, {0, 0.05, 0.04},
	} {
		for _, y := range []float64{-0.1, 0, 0.3 * c.Truth, 0.8 * c.Truth, c.Truth} {
			last := 0.
			for c.Rows = 1; c.Rows < 400; c.Rows++ {
				got := c.surely(y)
				above := c.Reaches((math.Floor(float64(c.Rows)*y+1e-9) + 1) / float64(c.Rows))
				if got < last-1e-12 || got > above+1e-9 {
					t.Fatalf("%+v above %v: %v after %v, is %v", c, y, got, last, above)
				}
				last = got
			}
		}
	}
	for _, level := range []float64{0.4, 0.05, 1e-3, 1e-9} {
		enough := -math.Log(level)
		for _, decided := range []bool{true, false} {
			for _, p := range []float64{0.55, 0.8, 1} {
				last := 2.
				for n := int64(1); n < 600; n++ {
					k := int64(0)
					for k <= n && (Duel{k, n - k}).Evidence(decided) < enough {
						k++
					}
					y := highestWins(n, p, enough, decided)
					if known := y < p && y <= 1; known && float64(k-1) > y*float64(n)+1e-9 || y > last && y < p {
						t.Fatalf("level %v, %v, %d rows: %d wins are needed, the bound is %v after %v", level, decided, n, k, y, last)
					}
					last = y
				}
			}
		}
		for _, bar := range []float64{0, 0.01, 0.5, 0.97} {
			last := 4.
			for n := int64(1); n < 600; n++ {
				mean, ok := ZeroOne{Rows: n}.Pass(bar, math.Log(level))
				y := HighestCount(n, bar, math.Log(level), HasExactLevel(math.Log(level)))
				if ok && math.Round(mean*float64(n))-1 > y*float64(n)+1e-9 || y > last {
					t.Fatalf("level %v, bar %v, %d rows: %v passes, the bound is %v after %v", level, bar, n, mean, y, last)
				}
				last = y
			}
		}
	}
}
