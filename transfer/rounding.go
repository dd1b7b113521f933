package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

var rounding = Method{
	Name:     "rounding",
	Summary:  "every answer rounded to one of L cell midpoints: description length",
	Formula:  "2m L^(m-1) exp(-2n (tau - 1/(2L))^2) <= beta, for the best whole L",
	Practice: "Divide [0,1] into the stated number of cells and answer with the midpoint of the cell that holds the query's value on the holdout. No randomness is needed. Leak nothing else: a timing, a rank or a second digit is a longer description.",
	Proof:    Published,
	Adaptive: true,
	Sources:  []theory.Source{source("dwork15generalization", "Section 3, description length")},
	Assumes:  []string{independent},
	theorems: theorems{
		rule: solver.Closed{Domain: linear,
			Need: func(g Goal) num.DD { need, _ := bestRounding(g); return need },
			Run:  func(g Goal) Mechanism { _, cells := bestRounding(g); return Mechanism{Cells: cells} }},
	},
}

// bestRounding returns the least need over the number L > 1/(2 tau) of cells, and that L; L = 0 stands for no rounding,
// as the last answer is used by no later query. With A = ln(2m/beta) the derivative in L vanishes where
// tau L = A/(m-1) + ln L + 1/2. The least L is a second optimum if it is one, which needs no digits at all.
func bestRounding(g Goal) (need num.DD, cells int64) {
	if g.Queries == 1 {
		return hoeffdingRows(g), 0
	}
	level, steps := solver.LnOver(2, g), num.FromInt(g.Queries-1)
	a := level.Float() / steps.Float()
	l := 4 * (a + 2 - num.Log(g.Tau)) / g.Tau // above the greater root, from where Newton falls to it
	for range 60 {
		next := l - (g.Tau*l-a-num.Log(l)-0.5)/(g.Tau-1/l)
		if !(math.Abs(next-l) > 1e-3) {
			break
		}
		l = next
	}
	least, most := math.Floor(1/(2*g.Tau))+1, math.MaxFloat64
	among := [...]float64{least, math.Floor(l) - 1, math.Floor(l), math.Floor(l) + 1, math.Floor(l) + 2}
	var about [len(among)]float64 // the need of each, but for a factor
	for i, l := range among {
		if about[i] = math.Inf(1); l >= least && l <= MaxCount {
			t := max(g.Tau-1/(2*l), 0x1p-60)
			about[i] = (a + num.Log(l)) / (t * t)
			most = min(most, about[i]*(1+1e-9))
		}
	}
	need = num.FromFloat(math.Inf(1))
	for i, l := range among {
		t := num.FromFloat(g.Tau).Sub(num.FromFloat(1).Div(num.FromFloat(2 * l)))
		if about[i] > most || t.Float() <= 0 {
			continue
		}
		total := level
		if l > 1 {
			total = total.Add(num.FromFloat(l).Ln().Mul(steps))
		}
		if n := total.Div(t.Mul(t).MulFloat(2)); n.Float() < need.Float() || n.Float() == need.Float() && n.Cmp(need) < 0 {
			need, cells = n, int64(l)
		}
	}
	return need, cells
}

var roundingWidths = Method{
	Name:     "rounding-widths",
	Summary:  "every answer rounded, to cells whose width is chosen for each query",
	Formula:  "V_1 <= beta, V_m = 2A(tau), V_j = max{c_j V_(j+1) + A(tau-w_j) + A(tau), (c_j-1) V_(j+1) + 2A(tau-w_j)}, w_j = tau/c_j, A(s) = exp(-n min_p kl(p+s||p)); for the best whole c_j >= 2",
	Practice: "Answer query j with the nearest multiple of its width, from the table of the plan, and the last query with its value; then clip to [0,1]. No randomness is needed. The widths are public and fixed in advance. Leak nothing else.",
	Uses:     []string{varianceFlag, atLeastFlag},
	Proof:    Derived,
	Adaptive: true,
	Sources:  proved("feedback.md#rounding-widths"),
	Assumes:  []string{independentOnly},
	theorems: theorems{rule: widthsRule},
}

var widthsRule = solver.Bounded{
	Searched: solver.Searched{
		Domain: linear,
		Rows: func(g Goal) float64 {
			m, square := float64(g.Queries), g.Tau*g.Tau // a fit
			return (1.2237*m - 1.767*g.Beta.Ln() + 1.7) / (2 * square * (1 + 2./9*square))
		},
		Run: func(g Goal) Mechanism {
			_, widths := widthsOf(g).Bound(g.Samples)
			return Mechanism{QueryWidths: widths}
		},
	},
	LnFailure: func(g Goal) float64 {
		ln, _ := widthsOf(g).Bound(g.Samples)
		return ln
	},
}

func widthsOf(g Goal) tree.Widths {
	return tree.Widths{Values: g.Values(), Queries: g.Queries, Tau: g.Tau}
}
