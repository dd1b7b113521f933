package tree

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/transfer/tail"
)

// lnOf is ln of a whole number, to 45 digits.
func lnOf(t *testing.T, n *big.Int) *big.Float {
	t.Helper()
	return wide(t, exact.Parse(n.String()).Ln())
}

// Counts against whole numbers: never below, exact where small, within 1e-12 elsewhere.
func TestCountsAgainstWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		m, k  int64
		slack float64
	}{
		{1, 1, 0}, {2, 1, 1e-25}, {5, 3, 1e-25}, {40, 39, 1e-25}, {64, 30, 1e-25}, {999, 10, 1e-25}, {999, 64, 1e-25},
		{1_000_000, 3, 1e-25}, {1e15, 7, 1e-25}, {1e15, 64, 1e-25}, {999, 65, 1e-12}, {999, 124, 1e-12}, {999, 125, 1e-12},
		{999, 500, 1e-12}, {999, 998, 1e-12}, {1600, 190, 1e-12}, {1600, 210, 1e-12}, {1e15, 100, 1e-12},
	} {
		sum, term := new(big.Int), new(big.Int)
		for l := int64(0); l <= min(c.k, c.m); l++ {
			sum.Add(sum, term.Binomial(c.m, l))
		}
		if gap := above(tail.LnChooseUpTo(c.m, c.k), lnOf(t, sum)); !(gap >= 0 && gap <= c.slack+1e-26) {
			t.Errorf("ln of C(%d,0..%d) is above by %g of itself, want at most %g", c.m, c.k, gap, c.slack)
		}
		if c.k <= c.m {
			if gap := above(tail.LnChoose(c.m, c.k), lnOf(t, term.Binomial(c.m, c.k))); !(gap >= 0 && gap <= c.slack+1e-26) {
				t.Errorf("ln C(%d,%d) is above by %g of itself, want at most %g", c.m, c.k, gap, c.slack)
			}
		}
	}
}

// Nothing overflows up to 1e15 tests, and B = m is 2^(m-1).
func TestCountsOfManyTests(t *testing.T) {
	for _, m := range []int64{2, 65, 1000, 1e9, 1e15, 1 << 53} {
		all := Gate{Queries: m, Passes: m}.LnNodes()
		want := new(big.Float).Mul(big.NewFloat(float64(m-1)), lnOf(t, big.NewInt(2)))
		if math.Abs(above(all, want)) > 1e-29 {
			t.Errorf("ln N(%d,%d) = %v, want %v", m, m, all.Float(), want)
		}
		last := -1.0
		passes := []int64{1, 2, 3, 63, 64, 65, 100, m / 9, m / 8, m/8 + 1, m / 3, m / 2, m - 2, m - 1, m}
		slices.Sort(passes)
		for _, b := range passes {
			if b < 1 || b > m || m > 1<<40 && b > 1000 && b < m {
				continue
			}
			if ln := (Gate{Queries: m, Passes: b}).LnNodes().Float(); !(ln >= last*(1-1e-12) && ln <= all.Float()*(1+1e-12)) {
				t.Errorf("ln N(%d,%d) = %v after %v", m, b, ln, last)
			} else {
				last = ln
			}
		}
	}
}

// The greatest number of nodes with a risk, found from what the children of a node are, is N(m,B).
func TestGateCountByEnumeration(t *testing.T) {
	const most = 25
	var nodes [most][most]*big.Int // [tests left][passes left]
	for j := range most {
		for i := range most {
			nodes[j][i] = new(big.Int)
			if j == 0 || i == 0 {
				continue
			}
			fail, pass, one := nodes[j-1][i], nodes[j-1][i-1], big.NewInt(1)
			for _, option := range []*big.Int{
				new(big.Int).Add(one, fail), new(big.Int).Add(one, pass), new(big.Int).Add(fail, pass),
			} {
				if option.Cmp(nodes[j][i]) > 0 {
					nodes[j][i] = option
				}
			}
		}
	}
	for m := int64(1); m < most; m++ {
		for b := int64(1); b <= m; b++ {
			gap := above(Gate{Queries: m, Passes: b}.LnNodes(), lnOf(t, nodes[m][b]))
			if !(gap >= 0 && gap < 1e-25) {
				t.Errorf("N(%d,%d) is not %v: above by %g", m, b, nodes[m][b], gap)
			}
		}
	}
}

// The greatest numbers of nodes of a ladder in each state, of all and of those that hold too good a model, found
// from what the children of a node are.
func TestLadderCountsByEnumeration(t *testing.T) {
	for m := int64(2); m < 12; m++ {
		for k := int64(2); k < 8; k++ {
			b := builder{ladderPlan: ladderPlan{Ladder: Ladder{Queries: m}}}
			for l := range k - 1 {
				high, all := ladderNodes(l, k, m, true), ladderNodes(l, k, m, false)
				entered, states := b.counts(int(l))
				if got := math.Exp(entered); got < float64(high) {
					t.Errorf("m = %d, K = %d: W_%d = %g, and there are %d", m, k, l, got, high)
				}
				want := float64(all)
				if got := math.Exp(states); got < want || m > 2 && got > want*(1+1e-12) {
					t.Errorf("m = %d, K = %d: N_%d = %g, and there are %v", m, k, l, got, want)
				}
			}
		}
	}
}

// ladderNodes is the greatest number of nodes in state l among m submissions to a ladder of k states: all, or those
// that are high, at which the response "stay" is bad.
func ladderNodes(l, k, m int64, high bool) int64 {
	count := make([]int64, k) // by the state, with the submissions left
	for range m {
		next := make([]int64, k)
		for i := range k {
			here, below := int64(0), int64(0)
			if i == l {
				here = 1
			}
			for to := i + 1; to < k; to++ {
				below += count[to]
			}
			if next[i] = here + count[i] + below; high {
				next[i] = max(count[i]+below, here+below)
			}
		}
		count = next
	}
	return count[0]
}
