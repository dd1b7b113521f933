package transfer

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
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
	theorems:  theorems{rule: ladderRule, other: drawnLadderRule, drawn: drawnLadderRule},
}

var oneScore = solver.FixedQuery{Domain: linear, Exact: true}

// ladderRule is Theorem 4, or the score itself where that needs fewer rows.
var ladderRule = solver.Either{
	First:  solver.Board{Domain: solver.Domain{Kinds: goal.Linear, Needs: ladderNeeds, Top: solver.BoardLimit}},
	Second: oneScore, Most: 1,
}

// oneDrawnScore is oneScore for a sample, or where a variance is known.
var oneDrawnScore = solver.PerQuery(goal.Linear, solver.OneLook{Exact: true})

var drawnLadderRule = solver.Either{First: ladderRule.First, Second: oneDrawnScore, Most: 1}

func ladderNeeds(g Goal) error {
	if g.Tau == 0 || g.Tau >= tree.LeastLadderTau {
		return nil
	}
	return goal.Needs("a tau of at least " + goal.FormatFloat(tree.LeastLadderTau))
}

// BoardFailure returns a bound on the probability that a board of the method `ladder` breaks the promise of g, in which
// nothing may be missing. It is 1 where the steps are none of such a board. Boards that differ in their boundaries
// alone may serve in turns: the bound is then for any choice among them at each look.
func BoardFailure(g Goal, boards ...[]theory.Step) (theory.LogProb, error) {
	if err := cmp.Or(validPlan(g), theory.Domain(len(boards) > 0, None.String(), "nothing", "a value")); err != nil {
		return 0, err
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
	return theory.LogProb(min(0, solver.LadderOf(g).LnFailure(g.Samples, tables...))), nil
}

// isBoard reports whether the steps rise from a value within tau of all that is at the floor or below to one within tau
// of all that is above the last.
func isBoard(g Goal, board []theory.Step) bool {
	const rounded = 0x1p-52
	last := len(board) - 1
	for i := range last {
		if !follows(board[i+1], board[i], g) {
			return false
		}
	}
	return last > 0 && math.Abs(board[0].Value-g.Baseline()) <= g.Tau+rounded && board[last].Value >= 1-g.Tau-rounded
}

func follows(s, before theory.Step, g Goal) bool {
	if !(s.Boundary > before.Boundary && s.Value > before.Value) {
		return false
	}
	return !g.Query.IsZeroOne() || s.Count > before.Count && s.Count <= g.Samples
}

// CertifyOneScore fills in the failure probability at which the score of the only model is shown as it is: the
// answer's own, or 0, the probability one.
func (a *Answer) CertifyOneScore() {
	holds := oneScore.Holds
	if a.Sample != nil || a.SpreadKnown() != nil {
		holds = oneDrawnScore.Holds
	}
	if a.Queries != 1 || a.Tau >= solver.BoardLimit(a.Goal) || !holds(a.Goal) {
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
	theorems: theorems{
		rule: solver.Closed{Domain: linear,
			Need: func(g Goal) num.DD { need, _ := ladderBlum15Of(g).Need(); return need },
			Run:  func(g Goal) Mechanism { _, step := ladderBlum15Of(g).Need(); return Mechanism{Step: step} }},
	},
}

func ladderBlum15Of(g Goal) tree.LadderBlum15 {
	return tree.LadderBlum15{Queries: g.Queries, Tau: g.Tau, LnBeta: g.Beta.Ln()}
}
