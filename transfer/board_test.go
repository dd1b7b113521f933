package transfer

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// boardFor is the board of a 0/1 ladder that is built for these rows, nil if there is none.
func boardFor(g Goal) []theory.Step {
	g.Query, g.Feedback = Binary, Best
	return solver.Board{}.Run(g).Board
}

// Every boundary of a 0/1 board is reached by its own count and by no lesser one, as a correctly rounded share and as
// the count that a reader of the share alone takes: for every number of rows up to 2,000, and at random beyond.
func TestBoundariesAreReachedByTheirCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(381, 382))
	steps := 0
	check := func(n int64, g Goal) {
		g.Samples = n
		for i, step := range boardFor(g) {
			if i == 0 {
				continue
			}
			steps++
			share := func(count int64) float64 { return float64(count) / float64(n) }
			nearest, _ := big.NewRat(step.Count, n).Float64()
			if step.Boundary != nearest || !(share(step.Count) >= step.Boundary) || share(step.Count-1) >= step.Boundary ||
				int64(math.Round(float64(n)*step.Boundary)) != step.Count {
				t.Errorf("%d rows, step %d: boundary %v, count %d", n, i, step.Boundary, step.Count)
			}
		}
	}
	plan := func() Goal {
		g := Goal{Queries: 2 + r.Int64N(500), Beta: lp("0.05")}
		g.Floor = math.Round(90*r.Float64()) / 100
		return g
	}
	for n := int64(2); n <= 2000; n++ {
		g := plan()
		g.Tau = min(0.4*(1-g.Floor), 1.2*(1-g.Floor)*math.Cbrt(math.Log(float64(g.Queries)+4)/float64(n)))
		check(n, g)
	}
	for range 200 {
		g := plan()
		g.Tau = 0.01 + 0.1*r.Float64()
		check(int64(math.Exp(8+8*r.Float64())), g)
	}
	if steps < 4000 {
		t.Errorf("only %d steps", steps)
	}
}

// binomialTail is P[Bin(n,p) >= k] to 300 bits.
func binomialTail(n, k int64, p *big.Rat) *big.Float {
	wide := func() *big.Float { return new(big.Float).SetPrec(300) }
	sum := wide()
	if p.Sign() <= 0 || p.Cmp(big.NewRat(1, 1)) >= 0 {
		if k <= 0 || p.Sign() > 0 && k <= n {
			sum.SetInt64(1)
		}
		return sum
	}
	x := wide().SetRat(p)
	y := wide().SetRat(new(big.Rat).Sub(big.NewRat(1, 1), p))
	odds := wide().Quo(x, y)
	term := wide().SetInt64(1)
	for base, e := wide().Set(y), n; e > 0; e >>= 1 {
		if e&1 == 1 {
			term.Mul(term, base)
		}
		base.Mul(base, base)
	}
	for i := int64(0); i <= n; i++ {
		if i >= k {
			sum.Add(sum, term)
		}
		term.Mul(term, odds).Mul(term, wide().SetRat(big.NewRat(n-i, i+1)))
	}
	return sum
}

// failureOfBoard is the sum of Theorem 4 for a 0/1 board in whole numbers and rationals, as the ledger runs it: a score
// reaches a step if its share of the rows, in float64, is at least the boundary.
func failureOfBoard(g Goal, board []theory.Step) *big.Float {
	n, m := g.Samples, max(g.Queries, 2)
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	max := func(a, b *big.Float) *big.Float {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	}
	sum, high, low := new(big.Float).SetPrec(300), new(big.Float), new(big.Float)
	for l := int64(len(board)) - 2; l >= 0; l-- {
		right := int64(0)
		for float64(right)/float64(n) < board[l+1].Boundary {
			right++
		}
		// A model whose score is v + tau stays below the step, or one whose score is v' - tau reaches it.
		good := new(big.Rat).Add(rat(board[l].Value), rat(g.Tau))
		bad := new(big.Rat).Sub(rat(board[l+1].Value), rat(g.Tau))
		one := big.NewRat(1, 1)
		high = max(high, binomialTail(n, n-right+1, new(big.Rat).Sub(one, good)))
		low = max(low, binomialTail(n, right, bad))
		entered, states := big.NewInt(1), big.NewInt(m)
		if l > 0 {
			entered.Binomial(m+l-2, l)
			states.Binomial(m+l-1, l+1)
		}
		for _, c := range []struct {
			count *big.Int
			risk  *big.Float
		}{{entered, high}, {states, low}} {
			term := new(big.Float).SetPrec(300).SetInt(c.count)
			sum.Add(sum, term.Mul(term, c.risk))
		}
	}
	return sum
}

// The sum of errors of a 0/1 board, as it is run and in rationals, is at most beta, and the certificate says no less.
func TestBoardsKeepTheirBeta(t *testing.T) {
	r := rand.New(rand.NewPCG(383, 384))
	goals := []Goal{{Queries: 500, Tau: 0.1, Shown: Shown{Floor: 0.7}}}
	for range 120 {
		floor := math.Round(90*r.Float64()) / 100
		goals = append(goals, Goal{
			Queries: 2 + int64(math.Exp(9*r.Float64())), Tau: math.Round(100*(0.12+0.3*r.Float64())*(1-floor)) / 100,
			Shown: Shown{Floor: floor},
		})
	}
	boards, nearest := 0, 0.0
	for _, g := range goals {
		g.Beta, g.Query, g.Feedback = lp("0.05"), Binary, Best
		ladder, _ := Lookup("ladder")
		a, err := ladder.Solve(g)
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != OK || a.Mechanism.Board == nil || a.Samples > 5000 {
			continue
		}
		boards++
		exact, _ := failureOfBoard(a.Goal, a.Mechanism.Board).Float64()
		if exact > math.Exp(g.Beta.Ln()) {
			t.Errorf("%+v: the sum of errors is %v", a.Goal, exact)
		}
		failure, err := BoardFailure(a.Goal, a.Mechanism.Board)
		if said := math.Exp(failure.Ln()); err != nil || said < exact*(1-1e-15) || said > exact*(1+1e-9) && g.Queries > 2 {
			t.Errorf("%+v: the certificate says %v, %v, and the sum is %v", a.Goal, said, err, exact)
		}
		nearest = max(nearest, exact)
	}
	if boards < 60 || nearest < 0.04 {
		t.Errorf("%d boards, the nearest with %v", boards, nearest)
	}
}

// A board whose risk is greater in a later state is charged with it in the states before.
func TestLaterRisksCountBefore(t *testing.T) {
	g := Goal{Samples: 60, Queries: 9, Tau: 0.3, Beta: lp("0.5"), Query: Binary, Shown: Shown{Feedback: Best}}
	r := rand.New(rand.NewPCG(385, 386))
	for range 200 {
		board := []theory.Step{{Value: 0.3}, {}, {}, {}}
		for i := 1; i < len(board); i++ {
			board[i].Count = board[i-1].Count + 1 + r.Int64N(20)
			board[i].Boundary = float64(board[i].Count) / 60
			board[i].Value = board[i-1].Value + 0.14 + 0.05*r.Float64()
		}
		exact, _ := failureOfBoard(g, board).Float64()
		failure, err := BoardFailure(g, board)
		if err != nil || math.Exp(failure.Ln()) < min(exact*(1-1e-15), 1) || math.Exp(failure.Ln()) > exact*(1+1e-9) {
			t.Fatalf("%+v: the certificate says %v, %v, and the sum is %v", board, failure, err, exact)
		}
	}
}

// Steps that are none of a ladder's certify nothing.
func TestBoardsThatCertifyNothing(t *testing.T) {
	g := Goal{Queries: 20, Tau: 0.1, Beta: lp("0.05"), Query: Binary, Shown: Shown{Feedback: Best}}
	ladder, _ := Lookup("ladder")
	a, err := ladder.Solve(g)
	if err != nil || a.Status != OK {
		t.Fatal(err, a)
	}
	board := a.Mechanism.Board
	last := len(board) - 1
	for name, change := range map[string]func(b []theory.Step) []theory.Step{
		"one step":           func(b []theory.Step) []theory.Step { return b[:1] },
		"no end":             func(b []theory.Step) []theory.Step { return b[:last] },
		"a high start":       func(b []theory.Step) []theory.Step { b[0].Value = 0.11; return b },
		"a boundary twice":   func(b []theory.Step) []theory.Step { b[2].Boundary = b[1].Boundary; return b },
		"a count twice":      func(b []theory.Step) []theory.Step { b[2].Count = b[1].Count; return b },
		"no count":           func(b []theory.Step) []theory.Step { b[last].Count = 0; return b },
		"values that fall":   func(b []theory.Step) []theory.Step { b[2].Value = b[1].Value - 0.01; return b },
		"more than all rows": func(b []theory.Step) []theory.Step { b[last].Count = a.Samples + 1; return b },
	} {
		changed := change(append([]theory.Step(nil), board...))
		if failure, err := BoardFailure(a.Goal, changed); err != nil || failure != 0 {
			t.Errorf("%s: %v, %v", name, failure, err)
		}
	}
	if failure, err := BoardFailure(a.Goal, board); err != nil || failure > g.Beta || failure == 0 {
		t.Errorf("the board itself: %v, %v", failure, err)
	}
	if failure, err := BoardFailure(a.Goal, board, board[:last]); err != nil || failure != 0 {
		t.Errorf("boards of different values: %v, %v", failure, err)
	}
	other := append([]theory.Step(nil), board...)
	other[1].Count++
	in := func(b ...[]theory.Step) float64 { f, _ := BoardFailure(a.Goal, b...); return math.Exp(f.Ln()) }
	if both := in(board, other); both < in(board) || both < in(other) {
		t.Errorf("in turns %v, one %v, the other %v", both, in(board), in(other))
	}
	if _, err := BoardFailure(g, board); err == nil {
		t.Error("a goal without rows has a failure")
	}
}

// Only the mean loss of a bounded board is compared, and its risk is certain where a boundary is beyond the loss.
func TestBoundedBoardsThatAreNone(t *testing.T) {
	d := tree.Ladder{Queries: 9, Tau: 0.2, Top: 1}
	cells := []tree.Cell{{Boundary: 1, Value: 0.8}, {Boundary: 0.5, Value: 0.1}}
	if ln := d.LnFailure(1000, cells); ln < 0 {
		t.Errorf("ln of the failure is %v", ln)
	}
}
