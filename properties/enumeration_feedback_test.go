package properties

import (
	"math"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/open"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// small is a population of two or three letters and samples of few rows, by how often each letter occurs: at most 64
// kinds of samples, with their probabilities.
type small struct {
	letters []float64
	counts  [][]int
	mass    []float64
}

func newSmall(rows int, letters ...float64) small {
	s := small{letters: letters}
	var fill func(counts []int, left int, mass float64)
	fill = func(counts []int, left int, mass float64) {
		k := len(counts)
		if k == len(letters)-1 {
			counts = append(counts[:k:k], left)
			s.counts = append(s.counts, counts)
			s.mass = append(s.mass, mass*math.Pow(letters[k], float64(left)))
			return
		}
		ways := 1.
		for c := 0; c <= left; c++ {
			fill(append(counts[:k:k], c), left-c, mass*ways*math.Pow(letters[k], float64(c)))
			ways *= float64(left-c) / float64(c+1)
		}
	}
	fill(nil, rows, 1)
	return s
}

// onLetters is a function on the letters: its mean in the population and on every kind of sample.
type onLetters struct {
	truth float64
	means []float64
}

// queries lists every function with values in {0, 1/2, 1}.
func (s small) queries() []onLetters {
	var all []onLetters
	values := make([]float64, len(s.letters))
	var fill func(k int)
	fill = func(k int) {
		if k < len(values) {
			for _, v := range []float64{0, 0.5, 1} {
				values[k] = v
				fill(k + 1)
			}
			return
		}
		var q onLetters
		for i, p := range s.letters {
			q.truth += p * values[i]
		}
		for _, counts := range s.counts {
			sum, rows := 0., 0
			for i, c := range counts {
				sum, rows = sum+float64(c)*values[i], rows+c
			}
			q.means = append(q.means, sum/float64(rows))
		}
		all = append(all, q)
	}
	fill(0)
	return all
}

// response is what a mechanism shows at a node, whether that breaks the promise, and the node's state after it.
type response struct {
	shown float64
	bad   bool
	next  state
}

// state is what the next responses depend on: how far the mechanism is, and the best loss so far. Over says that
// nothing is shown any more.
type state struct {
	stage int64
	best  float64
	over  bool
}

// game is an interaction: all that can be asked in a state, each as the response to each kind of sample.
type game struct {
	small
	moves func(at state) [][]response
	known map[state][][]answered
	worst map[node]float64
}

// answered is the kinds of samples that get one response.
type answered struct {
	kinds uint64
	bad   bool
	next  state
}

// node is the kinds of samples that the responses leave, with so many queries to come.
type node struct {
	kinds uint64
	at    state
	left  int
}

// failure is the greatest probability with which an analyst who knows the population breaks the promise, by backward
// induction over everything that can be asked.
func (g *game) failure(n node) float64 {
	if n.left == 0 || n.at.over || n.kinds == 0 {
		return 0
	}
	if known, ok := g.worst[n]; ok {
		return known
	}
	greatest := 0.
	for _, move := range g.outcomes(n.at) {
		sum := 0.
		for _, o := range move {
			switch kinds := n.kinds & o.kinds; {
			case kinds == 0:
			case o.bad:
				for i, mass := range g.mass {
					if kinds>>i&1 == 1 {
						sum += mass
					}
				}
			default:
				sum += g.failure(node{kinds, o.next, n.left - 1})
			}
		}
		greatest = math.Max(greatest, sum)
	}
	g.worst[n] = greatest
	return greatest
}

func (g *game) outcomes(at state) [][]answered {
	if known, ok := g.known[at]; ok {
		return known
	}
	var all [][]answered
	for _, move := range g.moves(at) {
		var groups []answered
		place := map[response]int{}
		for kind, r := range move {
			i, ok := place[r]
			if !ok {
				i = len(groups)
				place[r], groups = i, append(groups, answered{bad: r.bad, next: r.next})
			}
			groups[i].kinds |= 1 << kind
		}
		if !slices.ContainsFunc(all, func(known []answered) bool { return slices.Equal(known, groups) }) {
			all = append(all, groups)
		}
	}
	g.known[at] = all
	return all
}

func (s small) worst(queries int, start state, moves func(at state) [][]response) float64 {
	g := game{small: s, moves: moves, known: map[state][][]answered{}, worst: map[node]float64{}}
	return g.failure(node{1<<len(s.mass) - 1, start, queries})
}

// gateMoves asks every function with every bar at which a response or a promise changes. A gate that is not retired
// goes on after its last pass.
func gateMoves(t *testing.T, queries []onLetters, tau float64, passes int64, retired bool) func(at state) [][]response {
	return func(at state) [][]response {
		var all [][]response
		for _, q := range queries {
			bars := []float64{q.truth, q.truth - 2*tau}
			for _, mean := range q.means {
				bars = append(bars, mean-tau)
			}
			slices.Sort(bars)
			for _, bar := range slices.Compact(bars) {
				move := make([]response, len(q.means))
				for kind, mean := range q.means {
					run, err := mechanism.Gate{Queries: 1, Passes: 1, Margin: tau}.Start()
					if err != nil {
						t.Fatal(err)
					}
					pass, err := run.Test(mean, bar)
					if err != nil {
						t.Fatal(err)
					}
					r := response{next: at}
					if pass {
						r.shown, r.bad = 1, q.truth <= bar
						r.next.stage++
						r.next.over = retired && r.next.stage == passes
					} else {
						r.bad = q.truth >= bar+2*tau
					}
					move[kind] = r
				}
				all = append(all, move)
			}
		}
		return all
	}
}

// conditionMoves asks every two functions together, each with every bar at which a response or a promise changes, at a
// level e of a look: what passes is above both bars, and of what fails one truth is at most its upper end at e/2.
func conditionMoves(queries []onLetters, rows, level float64, passes int64) func(at state) [][]response {
	type gate struct {
		onLetters
		bar, cut, upper float64
	}
	tails, ln := open.Convex{Rows: int64(rows)}, math.Log(level)
	var gates []gate
	for _, q := range queries {
		bars := []float64{q.truth}
		for _, mean := range q.means {
			bars = append(bars, tails.Lower(mean, ln))
		}
		slices.Sort(bars)
		for _, bar := range slices.Compact(bars) {
			if x, ok := tails.Pass(bar, ln); ok {
				gates = append(gates, gate{q, bar, x, tails.Upper(x, ln-math.Ln2)})
			}
		}
	}
	return func(at state) [][]response {
		var all [][]response
		for _, a := range gates {
			for _, b := range gates {
				move := make([]response, len(a.means))
				for kind := range move {
					r := response{next: at, bad: a.truth > a.upper && b.truth > b.upper}
					if a.means[kind] >= a.cut && b.means[kind] >= b.cut {
						r.shown, r.bad = 1, a.truth <= a.bar || b.truth <= b.bar
						r.next.stage++
						r.next.over = r.next.stage == passes
					}
					move[kind] = r
				}
				all = append(all, move)
			}
		}
		return all
	}
}

func boardMoves(t *testing.T, s small, d tree.Ladder, cells []tree.Cell) func(at state) [][]response {
	board := make([]theory.Step, len(cells))
	for i, c := range cells {
		board[i] = theory.Step{Boundary: 1 - c.Boundary, Value: 1 - c.Value}
	}
	return func(at state) [][]response {
		var all [][]response
		for _, q := range s.queries() { // a loss
			move := make([]response, len(q.means))
			for kind, loss := range q.means {
				run, err := mechanism.Ladder{Queries: 1, Board: board[at.stage:]}.Start()
				if err != nil {
					t.Fatal(err)
				}
				shown, improved, err := run.Submit(1 - loss)
				if err != nil {
					t.Fatal(err)
				}
				stage := at.stage
				for board[stage].Value != shown {
					stage++
				}
				best := math.Min(at.best, q.truth)
				off := math.Abs(1-shown-best) > d.Tau+1e-12 || improved && math.Abs(1-shown-q.truth) > d.Tau+1e-12
				move[kind] = response{shown: shown, bad: off, next: state{stage: stage, best: best}}
			}
			all = append(all, move)
		}
		return all
	}
}

func guessMoves(t *testing.T, s small, v tree.Validator, widths []theory.FlagWidth) func(at state) [][]response {
	list := slices.Clone(widths)
	return func(at state) [][]response {
		var all [][]response
		for _, q := range s.queries() {
			guesses := []float64{q.truth - v.Tau, q.truth + v.Tau, q.truth}
			for g := -0.2; g <= 1.2; g += 0.1 {
				guesses = append(guesses, g)
			}
			for _, guess := range guesses {
				move := make([]response, len(q.means))
				for kind, mean := range q.means {
					plan := mechanism.SparseValidate{Queries: v.Flags, Flags: v.Flags, Threshold: v.Threshold, Widths: list}
					run, err := plan.Start()
					if err != nil {
						t.Fatal(err)
					}
					for range at.stage { // flags that were spent before
						if _, _, err := run.Ask(9, 0); err != nil {
							t.Fatal(err)
						}
					}
					answer, flagged, err := run.Ask(mean, guess)
					if err != nil {
						t.Fatal(err)
					}
					r := response{shown: answer, next: at, bad: math.Abs(answer-q.truth) >= v.Tau-1e-12}
					if flagged {
						r.bad = r.bad || v.Guesses && math.Abs(guess-q.truth) <= v.Tolerance
						r.next.stage++
						r.next.over = r.next.stage == v.Flags
					}
					move[kind] = r
				}
				all = append(all, move)
			}
		}
		return all
	}
}

func widthMoves(s small, tau float64, widths []float64) func(at state) [][]response {
	return func(at state) [][]response {
		var all [][]response
		for _, q := range s.queries() {
			move := make([]response, len(q.means))
			for kind, mean := range q.means {
				if w := widths[at.stage]; w > 0 {
					mean = w * math.Floor(mean/w+0.5)
				}
				move[kind] = response{shown: mean, bad: math.Abs(mean-q.truth) >= tau-1e-12, next: state{stage: at.stage + 1}}
			}
			all = append(all, move)
		}
		return all
	}
}

// No analyst on few rows breaks a promise more often than the tree lemma says, whatever is asked when. The best
// analyst is found for every function with values 0, 1/2 and 1.
func TestSmallTreesNeverFailMore(t *testing.T) {
	check := func(name string, exact, lnBound float64) {
		t.Helper()
		bound := math.Exp(lnBound)
		t.Logf("%s: the worst analyst has %.4f, the bound is %.4f, ratio %.3f", name, exact, bound, exact/bound)
		if exact > bound*(1+1e-9) || exact == 0 {
			t.Errorf("%s: the worst analyst has %v, the bound is %v", name, exact, bound)
		}
	}
	bits := newSmall(6, 0.5, 0.5)
	for _, s := range []small{bits, newSmall(6, 0.3, 0.7), newSmall(6, 0.3, 0.3, 0.4), newSmall(8, 0.2, 0.3, 0.5)} {
		rows := int64(0)
		for _, c := range s.counts[0] {
			rows += int64(c)
		}
		for _, c := range []struct {
			queries int
			passes  int64
			tau     float64
		}{{1, 1, 0.4}, {3, 1, 0.4}, {3, 2, 0.4}, {3, 3, 0.45}} {
			gate := tree.Gate{Queries: int64(c.queries), Passes: c.passes}
			ln := gate.LnNodes().Hi + tail.Interval{}.LnSide(rows, c.tau)
			check("gate", s.worst(c.queries, state{}, gateMoves(t, s.queries(), c.tau, c.passes, true)), ln)
		}
		for _, passes := range []int64{1, 2} {
			const level = 0.12
			if len(s.letters) == 2 {
				ln := tree.Gate{Queries: 3, Passes: passes}.LnNodes().Hi + math.Log(level)
				check("conditions", s.worst(3, state{}, conditionMoves(s.queries(), float64(rows), level, passes)), ln)
			}
		}
		w := tree.Widths{Values: tail.Interval{}, Queries: 3, Tau: 0.5}
		ln, blocks := w.Bound(rows)
		var widths []float64
		for _, b := range blocks {
			for range b.Queries {
				widths = append(widths, b.Width)
			}
		}
		check("rounding-widths", s.worst(3, state{}, widthMoves(s, w.Tau, widths)), ln)
	}
	for _, c := range []struct {
		s       small
		rows    int64
		queries int
		flags   int64
		guesses bool
	}{
		{newSmall(20, 0.5, 0.5), 20, 4, 2, false}, {newSmall(20, 0.5, 0.5), 20, 4, 1, false},
		{newSmall(9, 0.2, 0.3, 0.5), 9, 3, 2, false}, {newSmall(24, 0.4, 0.6), 24, 3, 2, true},
	} {
		v := tree.Validator{
			Values: tail.Interval{}, Queries: int64(c.queries), Flags: c.flags, Tau: 0.5, Threshold: 0.2,
			Guesses: c.guesses, Tolerance: 0, LnBeta: math.Log(0.3),
		}
		ln, widths := v.Bound(c.rows)
		check("sparse-validate", c.s.worst(c.queries, state{}, guessMoves(t, c.s, v, widths)), ln)
	}
	for _, c := range []struct {
		s       small
		rows    int64
		queries int64
		tau     float64
		beta    float64
		known   float64 // a variance that every query has at most; 0 for none
	}{
		{newSmall(42, 0.5, 0.5), 42, 3, 0.25, 0.5, 0}, {newSmall(42, 0.3, 0.7), 42, 2, 0.25, 0.5, 0},
		{newSmall(60, 0.4, 0.6), 60, 4, 0.25, 0.5, 0}, {newSmall(24, 0.05, 0.95), 24, 4, 0.25, 0.5, 0.05 * 0.95},
	} {
		d := tree.Ladder{Queries: c.queries, Tau: c.tau, Top: 1}
		if c.known > 0 {
			if cells, ln := d.Cells(c.rows); cells != nil && ln <= math.Log(c.beta) {
				t.Errorf("%+v needs no variance on %d rows", d, c.rows)
			}
			d.Varies = tail.Varying(c.known).Most
		}
		cells, ln := d.Cells(c.rows)
		if cells == nil || ln > math.Log(c.beta) {
			t.Fatalf("%+v has no cells on %d rows", d, c.rows)
		}
		exact := c.s.worst(int(c.queries), state{best: 1}, boardMoves(t, c.s, d, cells))
		check("ladder", exact, ln)
	}
}

// A gate that is not retired fails more often than one that is.
func TestSmallTreesOfMutants(t *testing.T) {
	s := newSmall(8, 0.2, 0.3, 0.5)
	kept := s.worst(3, state{}, gateMoves(t, s.queries(), 0.3, 1, true))
	gone := s.worst(3, state{}, gateMoves(t, s.queries(), 0.3, 1, false))
	if !(gone > 1.05*kept) {
		t.Errorf("the worst analyst has %v, and %v where the gate is not retired", kept, gone)
	}
}
