package transfer

import (
	"testing"
)

// Goals at which a search once missed: the Laplace optimum is a dip beside a plateau
// where m is huge, and the exact requirement is not asked above one half.
func TestEasierGoalsThatWereMissed(t *testing.T) {
	need := func(name string, g Goal) int64 {
		m, _ := Lookup(name)
		a, err := m.Solve(g)
		if err != nil || a.Status != OK {
			t.Fatalf("%s %+v: %+v, %v", name, g, a, err)
		}
		return a.Samples
	}
	for _, m := range []int64{1e8, 1e9, 1e12} {
		hard := need("laplace", Goal{Queries: m, Tau: 0.9, Beta: lp("0.9")})
		if easy := need("laplace", Goal{Queries: m, Tau: 0.9, Beta: lp("0.99")}); easy > hard {
			t.Errorf("laplace, m = %d: beta 0.9 needs %d, beta 0.99 %d", m, hard, easy)
		}
	}
	hard := need("binomial", Goal{Queries: 2, Tau: 0.3, Beta: lp("0.9"), Query: Binary})
	if easy := need("binomial", Goal{Queries: 1, Tau: 0.3, Beta: lp("0.9"), Query: Binary}); easy > hard {
		t.Errorf("binomial: two queries need %d, one %d", hard, easy)
	}
}
