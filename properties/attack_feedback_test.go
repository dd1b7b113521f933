package properties

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// The majority attack asks for one bit at a time which of many fair attributes lean which way on the holdout, and
// then for their majority vote, each attribute turned to where it leaned. In the population every attribute and
// every vote has the mean 1/2. Each promise is attacked on real runs: at the number of rows that is certified the
// attack fails more rarely than the promise allows, at a tenth of them it succeeds far more often, and it succeeds
// against a mechanism that shows more than it says.

// holdout draws the attributes of its rows one after the other, and counts the votes of those that were kept.
type holdout struct {
	r      *rand.Rand
	rows   int
	bitmap []uint64
	tally  *votes
	even   []uint64 // the attribute kept last, if their number is even
	agree  bool
}

func newHoldout(r *rand.Rand, rows int64) *holdout {
	return &holdout{r: r, rows: int(rows), tally: newVotes(int(rows))}
}

// next draws an attribute and returns its mean.
func (h *holdout) next() float64 {
	var ones int
	h.bitmap, ones = column(h.r, h.rows, h.bitmap)
	return float64(ones) / float64(h.rows)
}

// keep lets the attribute that was drawn last vote, turned over unless it leans up. Votes are cast in pairs after
// the first, so that their number is odd.
func (h *holdout) keep(up bool) {
	if h.tally.cast%2 == 0 {
		h.tally.add(h.bitmap, up)
	} else if h.even == nil {
		h.even, h.agree = slices.Clone(h.bitmap), up
	} else {
		h.tally.add(h.even, h.agree)
		h.tally.add(h.bitmap, up)
		h.even = nil
	}
}

const attackTau, attackBeta = 0.1, 0.05

// certifiedRows is what a method asks for.
func certifiedRows(t *testing.T, method string, g transfer.Goal) transfer.Answer {
	t.Helper()
	g.Tau, g.Beta = attackTau, theory.LogProb(math.Log(attackBeta))
	m, ok := transfer.Lookup(method)
	if !ok {
		t.Fatalf("there is no method %s", method)
	}
	a, err := m.Solve(g)
	if err != nil || a.Status != transfer.OK {
		t.Fatalf("%s: %+v, %v", method, a, err)
	}
	return a
}

// rate is the share of runs in which the promise is broken.
func rate(seed uint64, runs int, broken func(r *rand.Rand) bool) float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	count := 0
	for range runs {
		if broken(r) {
			count++
		}
	}
	return float64(count) / float64(runs)
}

// gateTest is a gate as the attacker sees it.
type gateTest func(mean, bar float64) (pass bool, err error)

// attackGate learns which way the attributes lean, by bars at which neither bit is wrong, and puts the vote to a
// bar that it does not exceed. It reports whether the vote passes.
func attackGate(h *holdout, attributes int, test gateTest) bool {
	for range attributes {
		pass, err := test(h.next(), 0.5-attackTau)
		if err != nil {
			return false
		}
		h.keep(pass)
	}
	pass, err := test(h.tally.majority(), 0.5)
	return err == nil && pass
}

func TestGateUnderAttack(t *testing.T) {
	const tests = 100
	plan := func(passes int64) transfer.Answer {
		shown := transfer.Shown{Feedback: transfer.Gate, Passes: passes}
		return certifiedRows(t, "gate", transfer.Goal{Queries: tests, Shown: shown})
	}
	attack := func(rows, passes int64) func(r *rand.Rand) bool {
		return func(r *rand.Rand) bool {
			run, err := mechanism.Gate{Queries: tests, Passes: passes, Margin: attackTau}.Start()
			if err != nil {
				t.Fatal(err)
			}
			return attackGate(newHoldout(r, rows), tests-1, run.Test)
		}
	}
	all, first := plan(tests).Samples, plan(1).Samples
	if got := rate(1, 150, attack(all, tests)); got > attackBeta {
		t.Errorf("on %d rows %v of the attacks succeed", all, got)
	}
	if got := rate(2, 40, attack(all/10, tests)); got < 0.9 {
		t.Errorf("on %d rows %v of the attacks succeed", all/10, got)
	}
	if got := rate(3, 150, attack(first, 1)); got > attackBeta {
		t.Errorf("on %d rows, with one pass, %v of the attacks succeed", first, got)
	}
	notRetired := func(r *rand.Rand) bool {
		return attackGate(newHoldout(r, first), tests-1, func(mean, bar float64) (bool, error) {
			return mean >= bar+attackTau, nil
		})
	}
	if got := rate(4, 40, notRetired); got < 0.9 {
		t.Errorf("a gate that is not retired: %v of the attacks succeed", got)
	}
}

// A gate with fresh noise at each retry lets pass what does not exceed its bar; the gate as it is answers a retry
// alike.
func TestRetriesUnderAttack(t *testing.T) {
	const tests = 100
	shown := transfer.Shown{Feedback: transfer.Gate, Passes: 1}
	rows := certifiedRows(t, "gate", transfer.Goal{Queries: tests, Shown: shown}).Samples
	retried := func(gate func(r *rand.Rand) gateTest) func(r *rand.Rand) bool {
		return func(r *rand.Rand) bool {
			mean, test := newHoldout(r, rows).next(), gate(r)
			for range tests {
				if pass, err := test(mean, 0.5); err != nil || pass {
					return err == nil
				}
			}
			return false
		}
	}
	asItIs := func(*rand.Rand) gateTest {
		run, err := mechanism.Gate{Queries: tests, Passes: 1, Margin: attackTau}.Start()
		if err != nil {
			t.Fatal(err)
		}
		return run.Test
	}
	fresh := func(r *rand.Rand) gateTest {
		return func(mean, bar float64) (bool, error) { return mean+0.04*r.NormFloat64() >= bar+attackTau, nil }
	}
	if got := rate(5, 200, retried(asItIs)); got > attackBeta {
		t.Errorf("%v of the retries pass", got)
	}
	if got := rate(6, 100, retried(fresh)); got < 0.3 {
		t.Errorf("with a fresh coin %v of the retries pass", got)
	}
}

// attackBoard mixes what improved the board with a fresh direction, in the proportion that makes the next step
// likeliest; for that it is told the score of its incumbent. On each row a direction is a normal variable, and the
// labels are fair coins, so that every model errs half of the time in the population. It reports whether the board
// shows more than 1/2 + tau.
func attackBoard(r *rand.Rand, rows, submissions int64, board []theory.Step, run *mechanism.LadderRun) bool {
	labels, direction, next := make([]bool, rows), make([]float64, rows), make([]float64, rows)
	for i := range labels {
		labels[i] = r.IntN(2) == 0
	}
	lead, keep := 0.0, 0.0
	for range submissions {
		right := 0
		for i := range next {
			next[i] = keep*direction[i] + math.Sqrt(1-keep*keep)*r.NormFloat64()
			if next[i] > 0 == labels[i] {
				right++
			}
		}
		score := float64(right) / float64(rows)
		shown, improved, err := run.Submit(score)
		if err != nil {
			return false
		}
		if shown > 0.5+attackTau {
			return true
		}
		if improved || lead == 0 && score > 0.5 {
			copy(direction, next)
			lead = score - 0.5
		}
		above := slices.IndexFunc(board, func(s theory.Step) bool { return s.Value > shown })
		if above < 0 {
			return true
		}
		if gap := board[above].Boundary - 0.5 - lead; lead > 0 && gap > 0 {
			keep = lead / (lead + gap)
		}
	}
	return false
}

func TestBoardUnderAttack(t *testing.T) {
	const submissions = 1000
	plan := certifiedRows(t, "ladder", transfer.Goal{Queries: submissions, Shown: transfer.Shown{Feedback: transfer.Best}})
	board := plan.Mechanism.Board
	start := func() *mechanism.LadderRun {
		run, err := mechanism.Ladder{Queries: submissions, Board: board}.Start()
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	attack := func(rows int64) func(r *rand.Rand) bool {
		return func(r *rand.Rand) bool { return attackBoard(r, rows, submissions, board, start()) }
	}
	if got := rate(7, 40, attack(plan.Samples)); got > attackBeta {
		t.Errorf("on %d rows %v of the attacks succeed", plan.Samples, got)
	}
	if got := rate(8, 60, attack(plan.Samples/10)); got < 6*attackBeta {
		t.Errorf("on %d rows %v of the attacks succeed", plan.Samples/10, got)
	}
	// One more digit tells where in its cell every submission was, and so which way an attribute leans.
	for _, c := range []struct {
		digit       bool
		least, most float64
	}{{false, 0, attackBeta}, {true, 0.9, 1}} {
		got := rate(9, 20, func(r *rand.Rand) bool {
			h, run := newHoldout(r, plan.Samples), start()
			for range submissions - 1 {
				score := h.next()
				_, improved, err := run.Submit(score)
				if err != nil {
					return false
				}
				h.keep(improved || c.digit && score > 0.5)
			}
			shown, _, err := run.Submit(h.tally.majority())
			return err == nil && shown > 0.5+attackTau
		})
		if got < c.least || got > c.most {
			t.Errorf("a board that shows one more digit (%v): %v of the attacks succeed", c.digit, got)
		}
	}
}

// attackGuesses asks for attributes with guesses that are right to within the threshold and seldom flagged, and
// then for the vote of those that were flagged, with a guess that is off by tau. It reports whether that guess
// stands.
func attackGuesses(h *holdout, ask guessTest, lean float64, flags int) bool {
	for range guessQueries - 1 {
		if h.tally.cast == flags {
			break
		}
		guess := 0.5 - (attackHold - lean)
		answer, flagged, err := ask(h.next(), guess)
		if err != nil {
			return false
		}
		if flagged {
			h.keep(answer > guess)
		}
	}
	answer, _, err := ask(h.tally.majority(), 0.5+attackTau+1e-9)
	return err == nil && math.Abs(answer-0.5) >= attackTau
}

// guessTest is a validator as the attacker sees it.
type guessTest func(mean, guess float64) (answer float64, flagged bool, err error)

const guessQueries, attackHold = 1000, 0.05

func TestGuessesUnderAttack(t *testing.T) {
	plan := func(flags int64) transfer.Answer {
		shown := transfer.Shown{Feedback: transfer.Flags, Hold: attackHold}
		return certifiedRows(t, "sparse-validate", transfer.Goal{Queries: guessQueries, Budget: flags, Shown: shown})
	}
	start := func(a transfer.Answer) guessTest {
		v := mechanism.SparseValidate{Queries: guessQueries, Flags: a.Budget, Threshold: a.Mechanism.Threshold}
		v.Widths = append(v.Widths, a.Mechanism.FlagWidths...)
		run, err := v.Start()
		if err != nil {
			t.Fatal(err)
		}
		return run.Ask
	}
	const flags = 10
	ten, one := plan(flags), plan(1)
	attack := func(rows int64) func(r *rand.Rand) bool {
		return func(r *rand.Rand) bool {
			// An attribute is flagged with about the probability (flags-1)/queries.
			lean := 2.36 / (2 * math.Sqrt(float64(rows)))
			return attackGuesses(newHoldout(r, rows), start(ten), lean, flags-1)
		}
	}
	if got := rate(10, 100, attack(ten.Samples)); got > attackBeta {
		t.Errorf("on %d rows %v of the attacks succeed", ten.Samples, got)
	}
	if got := rate(11, 40, attack(ten.Samples/10)); got < 0.8 {
		t.Errorf("on %d rows %v of the attacks succeed", ten.Samples/10, got)
	}
	// A validator that reveals its distance tells the side of every attribute, without a flag.
	const attributes = 99
	for _, c := range []struct {
		reveals     bool
		least, most float64
	}{{false, 0, attackBeta}, {true, 0.9, 1}} {
		got := rate(12, 60, func(r *rand.Rand) bool {
			h, ask := newHoldout(r, one.Samples), start(one)
			for range attributes {
				mean := h.next()
				guess := 0.5
				if mean < guess-attackHold || mean > guess+attackHold {
					continue // no flag is spent on it
				}
				answer, _, err := ask(mean, guess)
				if err != nil {
					return false
				}
				if c.reveals {
					answer = mean
				}
				h.keep(answer > guess)
			}
			answer, _, err := ask(h.tally.majority(), 0.5+attackTau+1e-9)
			return err == nil && math.Abs(answer-0.5) >= attackTau
		})
		if got < c.least || got > c.most {
			t.Errorf("a validator that reveals its distance (%v): %v of the attacks succeed", c.reveals, got)
		}
	}
}
