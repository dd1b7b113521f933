package tree

import (
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Gate shows one bit a test: test j passes if and only if f_j(S) >= c_j + tau. After the pass with the number Passes
// nothing is shown any more, not even a failure. A pass is wrong if f_j(P) <= c_j, a failure if f_j(P) >= c_j +
// 2 tau, so that each test has at most one of the two risks. The bars c_j may follow from what was shown.
type Gate struct {
	Queries int64 // m >= 1
	Passes  int64 // B, from 1 to m; m never retires the gate
}

// LnNodes returns ln N, rounded up, of
//
//	N = C(m-1,0) + ... + C(m-1,min(B,m-1)),
//
// the greatest number of nodes with a risk: m for B = 1 and 2^(m-1) for B = m.
func (g Gate) LnNodes() num.DD { return tail.LnChooseUpTo(g.Queries-1, min(g.Passes, g.Queries-1)) }
