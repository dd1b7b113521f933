package tree

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"testing"
)

// The counts of nodes against those that Coq computes from the definitions of its theorems, up to the least number of
// looks that each plan has.
func TestProvedCounts(t *testing.T) {
	file, err := os.Open("../../proofs/numbers.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kind string
		var m, k, first, second int64
		read, _ := fmt.Sscan(lines.Text(), &kind, &m, &k, &first, &second)
		near := func(what string, ln float64, want int64) {
			seen[what]++
			if gap := ln - math.Log(float64(want)); !(math.Abs(gap) <= 1e-12) {
				t.Errorf("%s of %q: %v, want ln %d, off by %g", what, lines.Text(), ln, want, gap)
			}
		}
		switch {
		case kind == "gate" && read == 4:
			near("N", Gate{Queries: m, Passes: k}.LnNodes().Hi, first)
		case kind == "ladder" && read == 5 && m >= 3:
			b := builder{ladderPlan: ladderPlan{Ladder: Ladder{Queries: m}}}
			entered, states := b.counts(int(k))
			near("W_l", entered, first)
			near("N_l", states, second)
		case kind == "sparse" && read == 5 && m >= k:
			tree := &flagTree{Validator: Validator{Queries: m, Flags: k}, level: k - 1, lnCells: []float64{0}}
			for i, c := range []float64{1, 2, 2, 4}[:k-1] {
				tree.choices, tree.lnCells = append(tree.choices, c), append(tree.lnCells, tree.lnCells[i]+math.Log(c))
			}
			near("W", tree.lnSum(1), first)
			near("N_i", tree.lnSum(0), second)
		}
	}
	for what, least := range map[string]int{"N": 50, "W_l": 35, "N_l": 35, "W": 26, "N_i": 26} {
		if seen[what] < least {
			t.Errorf("%d numbers %s, want at least %d", seen[what], what, least)
		}
	}
}
