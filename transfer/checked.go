package transfer

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
)

// checked is a kind of goals of a method whose rows rest, from the hypotheses to the printed inequality, on theorems
// that Coq checks, given some that are published.
type checked struct {
	goals    string            // which goals these are
	known    func(g Goal) Goal // what the theorems know of a goal: they are about it if it is all of the goal
	theorems []string          // in proofs
	given    []theory.Source   // the published theorems that these have as a hypothesis
}

// checkedRows has the kinds of goals by their methods. A row of any other goal is none that Coq checks: a field of Goal
// that no entry knows, of today or of later, is one that no theorem is about.
var checkedRows = map[string][]checked{
	"gate": {
		{"values in [0,1]", asked(Bounded, withPasses, withSide, besideOpen), gateByRate, nil},
		{"values in [0,1] at a known bar", asked(Bounded, withPasses, withSide, withBar, besideOpen), []string{"Rows.gate_bar", "Rows.gate_bar_one_side"}, nil},
		{"0/1 values", asked(Binary, withPasses, withSide, besideOpen), slices.Concat([]string{"Rows.gate_counts", "Guesses.equal_rows"}, gateByRate), equalRows},
		{"0/1 values at a known bar", asked(Binary, withPasses, withSide, withBar, besideOpen), []string{"Rows.gate_bar_counts", "Rows.gate_bar_counts_one_side", "Guesses.equal_rows"}, equalRows},
	},
	"ladder": {
		{"losses in [0,1]", asked(Bounded, withFloor, besideOpen), []string{"Rows.ladder_bounded", "Rows.ladder_one", "Entropy.hoeffding_kl"}, nil},
		{"0/1 losses", asked(Binary, withFloor, besideOpen), []string{"Rows.ladder_counts", "Rows.ladder_one", "Binomial.binomial_off", "Guesses.equal_rows", "Entropy.hoeffding_kl"}, equalRows},
	},
	"sparse-validate": {
		{"values in [0,1], without --hold", asked(Bounded, withBudget, withGuess, besideOpen), []string{"Guesses.sparse_bounded"}, nil},
		{"0/1 values, without --hold", asked(Binary, withBudget, withGuess, besideOpen), []string{"Guesses.sparse_counts"}, equalRows},
	},
	"sealed": {
		{"values in [0,1]", asked(Bounded, withSide), []string{"Rows.sealed_bounded", "Rows.sealed_one_side"}, nil},
		{"0/1 values", asked(Binary, withSide), []string{"Rows.sealed_counts", "Rows.sealed_counts_one_side", "Rows.sealed_bounded", "Rows.sealed_one_side", "Guesses.equal_rows"}, equalRows},
	},
	"open-gate": {
		{"values in [0,1], responses in cells", asked(Bounded, whenOpen, withPasses), []string{"OpenRows.open_gate_bounded", "OpenGate.beta_code_closed"}, nil},
		{"values in [0,1] at a known bar, responses in cells", asked(Bounded, whenOpen, withPasses, withBar), []string{"OpenRows.open_gate_bar", "OpenGate.beta_code_closed"}, nil},
		{"0/1 values, responses in cells", asked(Binary, whenOpen, withPasses), []string{"OpenRows.open_gate_counts", "OpenGate.beta_code_closed"}, unequalRows},
		{"0/1 values at a known bar, responses in cells", asked(Binary, whenOpen, withPasses, withBar), []string{"OpenRows.open_gate_bar_counts", "OpenGate.beta_code_closed"}, unequalRows},
	},
	"open-board": {
		{"values in [0,1], responses in cells", asked(Bounded, whenOpen, withPasses), []string{"Boards.open_board_bounded", "Board.board_code", "OpenGate.beta_code_closed"}, nil},
		{"0/1 values, responses in cells", asked(Binary, whenOpen, withPasses), []string{"Boards.open_board_counts", "Board.board_code", "OpenGate.beta_code_closed"}, unequalRows},
	},
}

// gateByRate is what a gate rests on whose tails have the rate E.
var gateByRate = []string{"Records.gate_best", "Records.tail_up", "Records.tail_down", "Records.E_greatest"}

// What the theorems for 0/1 values have as hypotheses: one of equal and unequal records, one of equal records alone.
var (
	unequalRows = []theory.Source{source("hoeffding56", "Theorem 4")}
	equalRows   = append(slices.Clone(unequalRows), source("zubkov13", "Theorem 1"))
)

// asked is the goals with this kind of query, the numbers of every plan, and some of the other fields.
func asked(query Query, fields ...func(from Goal, to *Goal)) func(g Goal) Goal {
	return func(g Goal) Goal {
		known := Goal{Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Query: query}
		known.Feedback = g.Feedback
		for _, field := range fields {
			field(g, &known)
		}
		return known
	}
}

// The fields that theorems know. A bar is one that is given. A fixed plan may stand beside an open one.
func withPasses(from Goal, to *Goal) { to.Passes = from.Passes }
func withSide(from Goal, to *Goal)   { to.OneSided = from.OneSided }
func withFloor(from Goal, to *Goal)  { to.Floor = from.Floor }
func withBudget(from Goal, to *Goal) { to.Budget = from.Budget }
func withGuess(from Goal, to *Goal)  { to.GuessError = from.GuessError }
func withBar(from Goal, to *Goal)    { to.Bar = Some(from.Bar.Value) }
func whenOpen(_ Goal, to *Goal)      { to.Open = true }
func besideOpen(from Goal, to *Goal) { to.Open = from.Open }

// checkedFor is what Coq checks of the method's answer to g.
func (m Method) checkedFor(g Goal) (c checked, ok bool) {
	for _, c := range checkedRows[m.Name] {
		if c.known(g) == g {
			return c, true
		}
	}
	return c, false
}

// String says which theorems the rows of these goals rest on.
func (c checked) String() string {
	text := c.goals + ", laws of finite support: " + strings.Join(c.theorems, ", ")
	if len(c.given) == 0 {
		return text
	}
	var given []string
	for _, s := range c.given {
		given = append(given, s.String())
	}
	return text + ", given " + strings.Join(given, " and ")
}
