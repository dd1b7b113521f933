package transfer

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

var ladder = Method{
	Name:      "ladder",
	Summary:   "only the best score so far is shown, in steps that are wide at the start",
	Formula:   "sum over l < K-1 of W_l exp(-n kl(u_(l+1)||v_l - tau)) + sum over 0 < l < K of N_(l-1) exp(-n kl(u_l||v_l + tau)) <= beta; W_l = C(m+l-2,l), N_l = C(m+l-1,l+1), losses u, v; exact tails for 0/1 losses; where a variance V is known each tail is at most exp(-n E_V(s)), s the distance, E_V that of gate",
	Practice:  "Show the value of the highest boundary that any score has reached so far, from the table of the plan, and nothing else. It is within tau of the best population score so far at all times, and of the incumbent's own. The table is public and fixed in advance.",
	Uses:      []string{floorFlag, atLeastFlag, varianceFlag},
	Proof:     Derived,
	Adaptive:  true,
	Feedbacks: []Feedback{Best},
	Sources:   proved("feedback.md#ladder"),
	Assumes:   []string{independentOnly},
	rule:      ladderRule,
	other:     drawnLadderRule,
	drawn:     drawnLadderRule,
}

// oneScore is the rule for a single look: the score itself.
var oneScore = solver.FixedQuery{Domain: solver.Domain{Kinds: goal.Linear}, Exact: true}

// ladderRule is Theorem 4, or the score itself where that needs fewer rows.
var ladderRule = solver.Either{
	First: board{solver.Domain{Kinds: goal.Linear, Needs: ladderNeeds, Top: boardLimit}}, Second: oneScore, Most: 1,
}

// oneDrawnScore is oneScore for a sample, or where a variance is known.
var oneDrawnScore = solver.PerQuery(goal.Linear, true)

var drawnLadderRule = func() solver.Either {
	r := ladderRule
	r.Second = oneDrawnScore
	return r
}()

func ladderNeeds(g Goal) error {
	if g.Tau == 0 || g.Tau >= tree.LeastLadderTau {
		return nil
	}
	return goal.Needs("a tau of at least " + goal.FormatFloat(tree.LeastLadderTau))
}

// boardLimit is where the tau of a board ends: a constant is as good from there on.
func boardLimit(g Goal) float64 { return (1 - g.Baseline()) / 2 }

// board is Theorem 4. A table is built for n, m and tau, and its sum of errors is the least beta. A search goes by the
// rough sum, which is smooth, and the table decides near where that ends. The sum of a table of 0/1 losses is not
// monotone by a hundredth or so, as counts are whole.
type board struct{ solver.Domain }

// Tight: the table is searched.
func (board) Tight() bool { return false }

// boardSearch is a search among plans. It keeps the last table that holds.
type boardSearch struct {
	tree.LadderSearch
	held []tree.Cell
	rows int64 // of held
}

// excess is how far ln of the sum of errors is above the goal's, +Inf where there is no table.
func (s *boardSearch) excess(g Goal) float64 {
	cells, ln := s.Cells(ladderOf(g), g.Samples)
	if cells == nil {
		return math.Inf(1)
	}
	if ln <= g.Beta.Ln() {
		s.held, s.rows = cells, g.Samples
	}
	return ln - g.Beta.Ln()
}

// rough is about the excess.
func (s *boardSearch) rough(g Goal) float64 { return s.Rough(ladderOf(g), g.Samples) - g.Beta.Ln() }

func (b board) Holds(g Goal) bool {
	return b.Applies(g) == nil && new(boardSearch).excess(g) <= 0
}

// manySteps is the tau below which tables have so many steps that a search builds few of them, and asks for no lesser
// tau at the rows that it has found.
const manySteps = 0.004

// tables is how many are built at most to come closer to the end of where one holds.
func tables(g Goal) int {
	if g.Tau < manySteps {
		return 3
	}
	return 12
}

func (b board) Samples(g Goal, _ solver.Trail) (solver.Reached, error) {
	s := new(boardSearch)
	rough := func(n float64) float64 { g.Samples = int64(n); return s.rough(g) }
	above := 1 - g.Baseline()
	guess := 0.44 * (num.Log(float64(g.Queries)) - g.Beta.Ln()/8) * above * math.Sqrt(above) / (g.Tau * g.Tau * g.Tau)
	lo := math.Min(math.Max(math.Ceil(guess), 1), MaxCount/4)
	hi := lo
	for rough(hi) > 0 {
		if lo, hi = hi, 1.3*hi+1; hi > MaxCount {
			return solver.Reached{}, theory.TooMany(math.Inf(1))
		}
	}
	for lo > 1 && (lo == hi || rough(lo) <= 0) {
		hi, lo = lo, math.Max(math.Floor(lo/1.3), 1)
	}
	n := hi
	if lo < hi {
		n = math.Ceil(num.Interval{Lo: lo, Hi: hi}.SafeRoot(math.Max(1e-9, 0.3/hi), rough))
	}
	slope := (rough(math.Ceil(n*1.001)) - rough(n)) / (math.Ceil(n*1.001) - n) // of the excess in n
	holds := func(n float64) float64 { g.Samples = int64(n); return s.excess(g) }
	least, err := leastWhole(n, slope, tables(g), holds)
	if err != nil || g.Tau >= manySteps {
		return solver.Reached{N: least}, err
	}
	g.Samples = least
	if s.rows != least {
		return solver.Reached{N: least, Tau: g.Tau, Run: b.run(g)}, nil
	}
	return solver.Reached{N: least, Tau: g.Tau, Run: boardOf(g, s.held)}, nil
}

// farOff is the share by which a search goes on by halves if its lines have not come closer to where an excess ends.
// The excess of few steps is far from a line.
const farOff = 1e-4

// leastWhole is about the least whole number at which an excess is not above 0, near n, where it falls with that slope.
func leastWhole(n, slope float64, most int, excess func(n float64) float64) (int64, error) {
	lo, hi := 0., math.Inf(1)
	step := math.Max(1, n*1e-5)
	for range most {
		y := excess(n)
		if y <= 0 {
			hi = math.Min(hi, n)
		} else {
			lo = n
		}
		if hi-lo <= 1 {
			break
		}
		next := math.Ceil(n - y/slope)
		if y > 0 {
			next = math.Ceil(n - 1.02*y/slope)
		}
		switch {
		case next > lo && next < hi:
		case math.IsInf(hi, 1):
			next, step = lo+math.Ceil(step), 4*step
		case y <= 0:
			next = hi - 1
		default:
			next = math.Floor(lo + (hi-lo)/2)
		}
		n = math.Max(next, 1)
	}
	for step := math.Max(1, n*1e-3); math.IsInf(hi, 1); step *= 2 {
		if n = math.Ceil(n + step); n > MaxCount {
			return 0, theory.TooMany(math.Inf(1))
		}
		if excess(n) <= 0 {
			hi = n
		} else {
			lo = n
		}
	}
	for hi-lo > math.Max(1, farOff*hi) {
		if n = math.Floor(lo + (hi-lo)/2); excess(n) <= 0 {
			hi = n
		} else {
			lo = n
		}
	}
	return int64(hi), nil
}

func (board) Queries(g Goal) int64 {
	s := new(boardSearch)
	rough := solver.MostQueries(g, 1, func(g Goal) bool { return s.rough(g) <= 0 })
	holds := func(m int64) bool { g.Queries = m; return s.excess(g) <= 0 }
	most := int64(0)
	for lo, hi, m, step := int64(0), int64(MaxCount)+1, max(rough, 1), int64(1); hi-lo > 1; step *= 2 {
		if holds(m) {
			lo, most = m, m
		} else {
			hi = m
		}
		switch {
		case hi > MaxCount:
			m = min(lo+step, MaxCount)
		case lo == 0:
			m = max(hi-step, 1)
		default:
			m = lo + (hi-lo)/2
		}
	}
	return most
}

// Tau returns about the least, and of a goal with a tau that holds one that is not above it.
func (b board) Tau(g Goal) (float64, Mechanism) {
	s := new(boardSearch)
	top := boardLimit(g)
	at := func(tau float64) float64 { g.Tau = tau; return s.excess(g) }
	rough := func(tau float64) float64 { g.Tau = tau; return s.rough(g) }
	tau, found := g.Tau, g.Tau > 0 && at(g.Tau) <= 0
	if !found {
		if tau = roughTau(g, top, rough); tau >= top {
			return top, Mechanism{}
		}
	}
	slope := (rough(tau) - rough(tau*(1-1e-4))) / (1e-4 * tau)
	lo, hi := 0., top
	n := tau
	step := 1e-7
	for range tables(g) {
		y := at(n)
		if y <= 0 {
			hi = min(hi, n)
		} else {
			lo = max(lo, n)
		}
		if hi-lo <= 1e-7*hi || found && hi-lo <= 0.03/float64(g.Samples)*hi {
			break
		}
		next := n - y/slope
		if y > 0 { // a little beyond the root, so that the far end moves too
			next = n - 1.05*y/slope + n*1e-8
		}
		switch {
		case next > lo && next < hi:
		case hi == top:
			next, step = n*(1+step), 8*step
		case lo == 0:
			next, step = n*(1-step), 8*step
		default:
			next = lo + (hi-lo)/2
		}
		next = max(next, tree.LeastLadderTau)
		if next >= top || next == hi {
			break
		}
		n = next
	}
	for last, step := math.Nextafter(top, 0), 1e-6; hi == top; step *= 4 {
		if at(n) <= 0 {
			hi = n
		} else if n == last {
			return top, Mechanism{}
		} else if lo, n = max(lo, n), min(n*(1+step), n+(top-n)/2); n >= last {
			n = last
		}
	}
	for lo > 0 && hi-lo > farOff*hi {
		if n = lo + (hi-lo)/2; at(n) <= 0 {
			hi = n
		} else {
			lo = n
		}
	}
	g.Tau = hi
	return hi, b.run(g)
}

// roughTau is about the least tau, or top.
func roughTau(g Goal, top float64, rough func(tau float64) float64) float64 {
	above := 1 - g.Baseline()
	cube := 0.44 * (num.Log(float64(g.Queries)) - g.Beta.Ln()/8) * above * math.Sqrt(above) / float64(g.Samples)
	guess := math.Cbrt(cube)
	hi := math.Min(math.Max(guess, tree.LeastLadderTau), 0.99*top)
	lo := hi
	for rough(hi) > 0 {
		if lo, hi = hi, 1.2*hi; hi < top {
			continue
		}
		hi = top
		for near := 0x1p-52; rough(hi) > 0 || hi == top; near *= 8 { // where two values nearly are one
			if hi = top * (1 - near); hi <= lo {
				return math.Nextafter(top, 0)
			}
		}
		break
	}
	for lo == hi || rough(lo) <= 0 {
		if lo <= tree.LeastLadderTau {
			return tree.LeastLadderTau
		}
		hi, lo = lo, math.Max(lo/1.2, tree.LeastLadderTau)
	}
	return num.Interval{Lo: lo, Hi: hi}.SafeRoot(1e-9, rough)
}

func (b board) Beta(g Goal) theory.LogProb {
	g.Beta = 0
	if ln := new(boardSearch).excess(g); ln < 0 && b.Applies(g) == nil {
		return theory.LogProb(ln)
	}
	return 0
}

// run is the table.
func (board) run(g Goal) Mechanism {
	cells, _ := ladderOf(g).Cells(g.Samples)
	return boardOf(g, cells)
}

func boardOf(g Goal, cells []tree.Cell) (run Mechanism) {
	for l, cell := range cells {
		step := theory.Step{Boundary: 1 - cell.Boundary, Value: 1 - cell.Value}
		if g.Query == Binary && l > 0 {
			step.Count = g.Samples - cell.Count
			step.Boundary = float64(step.Count) / float64(g.Samples)
		}
		run.Board = append(run.Board, step)
	}
	return run
}

func ladderOf(g Goal) tree.Ladder {
	return tree.Ladder{Queries: max(g.Queries, 2), Tau: g.Tau, Top: 1 - g.Baseline(), ZeroOne: g.Query == Binary,
		Sample: g.Sample, Varies: varies(g)}
}

// varies is p(1-p) = V, p <= 1/2, of a goal whose queries have a variance of at most V, 0 where none is known. What is
// known to be right is the floor: below it the losses themselves say more than their variance.
func varies(g Goal) float64 {
	if g.Variance == 0 {
		return 0
	}
	return tail.Varying(g.Variance).Most
}

// BoardFailure returns a bound on the probability that a board of the method `ladder` breaks the promise of g, in which
// nothing may be missing. It is 1 where the steps are none of such a board. Boards that differ in their boundaries
// alone may serve in turns: the bound is then for any choice among them at each look.
func BoardFailure(g Goal, boards ...[]theory.Step) (theory.LogProb, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if u := g.Unknown(); u != None || len(boards) == 0 {
		return 0, theory.Domain(false, u.String(), "nothing", "a value")
	}
	if first := boards[0]; len(first) > 0 && math.Abs(first[0].Value-g.Baseline()) > g.Tau { // it begins at the floor
		g.AtLeast = 0
	}
	tables := make([][]tree.Cell, len(boards))
	for i, board := range boards {
		alike := func(a, b theory.Step) bool { return a.Value == b.Value }
		if !isBoard(g, board) || !slices.EqualFunc(board, boards[0], alike) {
			return 0, nil
		}
		for _, step := range board {
			tables[i] = append(tables[i], tree.Cell{
				Boundary: 1 - step.Boundary, Value: 1 - step.Value, Count: g.Samples - step.Count,
			})
		}
	}
	return theory.LogProb(min(0, ladderOf(g).LnFailure(g.Samples, tables...))), nil
}

// isBoard reports whether the steps rise from a value within tau of all that is at the floor or below to one within tau
// of all that is above the last.
func isBoard(g Goal, board []theory.Step) bool {
	const rounded = 0x1p-52
	for i := 1; i < len(board); i++ {
		if !follows(board[i], board[i-1], g) {
			return false
		}
	}
	last := len(board) - 1
	return last > 0 && math.Abs(board[0].Value-g.Baseline()) <= g.Tau+rounded && board[last].Value >= 1-g.Tau-rounded
}

// follows reports whether a step may be the next one after another.
func follows(s, before theory.Step, g Goal) bool {
	if !(s.Boundary > before.Boundary && s.Value > before.Value) {
		return false
	}
	return g.Query != Binary || s.Count > before.Count && s.Count <= g.Samples
}

// CertifyOneScore fills in the failure probability at which the score of the only model is shown as it is: the
// answer's own, or 0, the probability one.
func (a *Answer) CertifyOneScore() {
	holds := oneScore.Holds
	if a.Sample != nil || a.SpreadKnown() != nil {
		holds = oneDrawnScore.Holds
	}
	if a.Queries != 1 || a.Tau >= boardLimit(a.Goal) || !holds(a.Goal) {
		a.Beta = 0
	}
}

var ladderBlum15 = Method{
	Name:      "ladder-blum15",
	Summary:   "only the best score so far is shown: the published Ladder with one step",
	Formula:   "exp(-2 e^2 n + (1/eta + 2) ln(4m/eta) + 1) <= beta at tau = e + eta, for the best step eta",
	Practice:  "Show a new best score, rounded to a multiple of the step, when it exceeds the last one shown by the step. Kept for comparison.",
	Proof:     Published,
	Adaptive:  true,
	Feedbacks: []Feedback{Best},
	Sources:   []theory.Source{source("blum15", "Theorem 3.1")},
	Assumes:   []string{independent},
	rule: solver.Closed{Domain: solver.Domain{Kinds: goal.Linear}, Need: ladderBlum15Rows, Run: func(g Goal) Mechanism {
		_, step := ladderBlum15Of(g).Need()
		return Mechanism{Step: step}
	}},
}

// ladderBlum15Rows is the published Ladder at its best step.
func ladderBlum15Rows(g Goal) num.DD {
	need, _ := ladderBlum15Of(g).Need()
	return need
}

func ladderBlum15Of(g Goal) tree.LadderBlum15 {
	return tree.LadderBlum15{Queries: g.Queries, Tau: g.Tau, LnBeta: g.Beta.Ln()}
}
