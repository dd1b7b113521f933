package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// BoardLimit returns where the tau of a board ends: a constant is as good from there on.
func BoardLimit(g goal.Goal) float64 { return (1 - g.Baseline()) / 2 }

// Board is Theorem 4. A table is built for n, m and tau, and its sum of errors is the least beta. A search goes by the
// rough sum, which is smooth, and the table decides near where that ends. The sum of a table of 0/1 losses is not
// monotone by a hundredth or so, as counts are whole.
type Board struct{ Domain }

// boardSearch is a search among plans. It keeps the last table that holds.
type boardSearch struct {
	tree.LadderSearch
	held []tree.Cell
	rows int64 // of held
}

// excess is how far ln of the sum of errors is above the goal's, +Inf where there is no table.
func (s *boardSearch) excess(g goal.Goal) float64 {
	cells, ln := s.Cells(LadderOf(g), g.Samples)
	if cells == nil {
		return math.Inf(1)
	}
	if ln <= g.Beta.Ln() {
		s.held, s.rows = cells, g.Samples
	}
	return ln - g.Beta.Ln()
}

func (s *boardSearch) rough(g goal.Goal) float64 {
	return s.Rough(LadderOf(g), g.Samples) - g.Beta.Ln()
}

func (b Board) Holds(g goal.Goal) bool {
	return b.Applies(g) == nil && new(boardSearch).excess(g) <= 0
}

// manySteps is the tau below which tables have so many steps that a search builds few of them, and asks for no lesser
// tau at the rows that it has found.
const manySteps = 0.004

// tables is how many are built at most to come closer to the end of where one holds.
func tables(g goal.Goal) int {
	if g.Tau < manySteps {
		return 3
	}
	return 12
}

func (b Board) Samples(g goal.Goal, _ Trail) (Reached, error) {
	s := new(boardSearch)
	rough := func(n float64) float64 { g.Samples = int64(n); return s.rough(g) }
	above := 1 - g.Baseline()
	guess := 0.44 * (num.Log(float64(g.Queries)) - g.Beta.Ln()/8) * above * math.Sqrt(above) / (g.Tau * g.Tau * g.Tau)
	lo := math.Min(math.Max(math.Ceil(guess), 1), goal.MaxCount/4)
	hi := lo
	for rough(hi) > 0 {
		if lo, hi = hi, 1.3*hi+1; hi > goal.MaxCount {
			return Reached{}, theory.TooMany(math.Inf(1))
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
		return Reached{N: least}, err
	}
	g.Samples = least
	if s.rows != least {
		return Reached{N: least, Tau: g.Tau, Run: b.Run(g)}, nil
	}
	return Reached{N: least, Tau: g.Tau, Run: boardOf(g, s.held)}, nil
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
		if n = math.Ceil(n + step); n > goal.MaxCount {
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

func (Board) Queries(g goal.Goal) int64 {
	s := new(boardSearch)
	rough := MostQueries(g, 1, func(g goal.Goal) bool { return s.rough(g) <= 0 })
	holds := func(m int64) bool { g.Queries = m; return s.excess(g) <= 0 }
	most := int64(0)
	for lo, hi, m, step := int64(0), int64(goal.MaxCount)+1, max(rough, 1), int64(1); hi-lo > 1; step *= 2 {
		if holds(m) {
			lo, most = m, m
		} else {
			hi = m
		}
		switch {
		case hi > goal.MaxCount:
			m = min(lo+step, goal.MaxCount)
		case lo == 0:
			m = max(hi-step, 1)
		default:
			m = lo + (hi-lo)/2
		}
	}
	return most
}

// Tau returns about the least, and of a goal with a tau that holds one that is not above it.
func (b Board) Tau(g goal.Goal) (float64, Mechanism) {
	s := new(boardSearch)
	top := BoardLimit(g)
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
	return hi, b.Run(g)
}

func roughTau(g goal.Goal, top float64, rough func(tau float64) float64) float64 {
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

func (b Board) Beta(g goal.Goal) theory.LogProb {
	g.Beta = 0
	if ln := new(boardSearch).excess(g); ln < 0 && b.Applies(g) == nil {
		return theory.LogProb(ln)
	}
	return 0
}

func (Board) Run(g goal.Goal) Mechanism {
	cells, _ := LadderOf(g).Cells(g.Samples)
	return boardOf(g, cells)
}

func boardOf(g goal.Goal, cells []tree.Cell) (run Mechanism) {
	for l, cell := range cells {
		step := theory.Step{Boundary: 1 - cell.Boundary, Value: 1 - cell.Value}
		if g.Query.IsZeroOne() && l > 0 {
			step.Count = g.Samples - cell.Count
			step.Boundary = float64(step.Count) / float64(g.Samples)
		}
		run.Board = append(run.Board, step)
	}
	return run
}

func LadderOf(g goal.Goal) tree.Ladder {
	return tree.Ladder{Queries: max(g.Queries, 2), Tau: g.Tau, Top: 1 - g.Baseline(), ZeroOne: g.Query.IsZeroOne(),
		Sample: g.Sample, Varies: varies(g)}
}

// varies is p(1-p) = V, p <= 1/2, of a goal whose queries have a variance of at most V, 0 where none is known. What is
// known to be right is the floor: below it the losses themselves say more than their variance.
func varies(g goal.Goal) float64 {
	if g.Variance == 0 {
		return 0
	}
	return tail.Varying(g.Variance).Most
}
