package holdout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// The labels are fair coins, so that every prediction is right with probability 1/2 on fresh labels of the same rows:
// whatever a ledger shows beyond tau of that is a failure. An attack looks at random predictions and ends with the
// vote of those that seemed to do well, as one that overfits a leaderboard does.
const truth = 0.5

// attack is a session of m looks at a ledger.
type attack struct {
	t       *testing.T
	ledger  *Ledger
	ids     []string
	classes []string // of the rows; only the harness looks at them
	coins   *rand.Rand
	tau     float64
	votes   []float64 // of every row for "a"
}

// coinRows are labels of a new sample.
func coinRows(n int64, coins *rand.Rand) (ids, classes []string) {
	for i := range n {
		ids, classes = append(ids, fmt.Sprint(i)), append(classes, []string{"a", "b"}[coins.IntN(2)])
	}
	return ids, classes
}

// random predicts by coins, and returns the signs: 1 for "a".
func (x *attack) random() (predictions []string, signs []float64) {
	predictions, signs = make([]string, len(x.ids)), make([]float64, len(x.ids))
	for i := range predictions {
		predictions[i], signs[i] = "a", 1
		if x.coins.Uint64()&1 == 0 {
			predictions[i], signs[i] = "b", -1
		}
	}
	return predictions, signs
}

// learn adds a look's predictions to the vote with a weight.
func (x *attack) learn(signs []float64, weight float64) {
	for i, s := range signs {
		x.votes[i] += weight * s
	}
}

// vote predicts what those that did well predicted.
func (x *attack) vote() []string {
	predictions := make([]string, len(x.ids))
	for i, v := range x.votes {
		predictions[i] = "a"
		if v < 0 {
			predictions[i] = "b"
		}
	}
	return predictions
}

// ask takes a look, or returns false once the plan is used up.
func (x *attack) ask(predictions []string, bar, guess *float64) (Answer, bool) {
	a, err := x.ledger.Score(context.Background(), Submission{Values: Columns(x.ids, predictions),
		Question: Question{Bar: bar, Guess: guess}})
	if refused := (*RefusedError)(nil); errors.As(err, &refused) {
		return a, false
	}
	if err != nil {
		x.t.Fatal(err)
	}
	return a, true
}

// asked are the attacks by feedback. Each returns whether something wrong was shown.
var attacks = map[transfer.Feedback]func(x *attack, m int64) bool{
	transfer.Answers: func(x *attack, m int64) (wrong bool) {
		for range m - 1 {
			predictions, signs := x.random()
			a, _ := x.ask(predictions, nil, nil)
			x.learn(signs, *a.Response-truth)
			wrong = wrong || math.Abs(*a.Response-truth) >= x.tau
		}
		a, _ := x.ask(x.vote(), nil, nil)
		return wrong || math.Abs(*a.Response-truth) >= x.tau
	},
	transfer.Gate: func(x *attack, m int64) (wrong bool) {
		for range m - 1 {
			predictions, signs := x.random()
			a, ok := x.ask(predictions, float(truth-x.tau), nil) // passes if it is right on half of the rows: no mistake
			if !ok {
				return wrong
			}
			x.learn(signs, map[string]float64{Pass: 1, Fail: -1}[a.Verdict])
		}
		a, ok := x.ask(x.vote(), float(truth), nil)
		return wrong || ok && a.Verdict == Pass
	},
	transfer.Best: func(x *attack, m int64) (wrong bool) {
		for range m {
			predictions, signs := x.random()
			for i := range predictions { // a random step away from the best
				if 3*x.votes[i]+signs[i] > 0 {
					predictions[i], signs[i] = "a", 1
				} else if x.votes[i] != 0 {
					predictions[i], signs[i] = "b", -1
				}
			}
			a, _ := x.ask(predictions, nil, nil)
			if a.Verdict == Improved {
				x.learn(signs, 1)
			}
			wrong = wrong || math.Abs(*a.Response-truth) > x.tau
		}
		return wrong
	},
	transfer.Flags: func(x *attack, m int64) (wrong bool) {
		threshold := x.ledger.plan.Mechanism.Threshold
		guess := truth - threshold - 1/math.Sqrt(float64(len(x.ids))) // flagged where it is luckier than most
		for range m - 1 {
			predictions, signs := x.random()
			a, ok := x.ask(predictions, nil, &guess)
			if !ok {
				return wrong
			}
			if a.Verdict == Moved {
				x.learn(signs, 1)
			}
			wrong = wrong || math.Abs(*a.Response-truth) >= x.tau
		}
		a, ok := x.ask(x.vote(), nil, float(truth))
		return wrong || ok && (a.Verdict == Moved || math.Abs(*a.Response-truth) >= x.tau)
	},
	transfer.Final: func(x *attack, m int64) (wrong bool) {
		var list []Submission
		for range m {
			predictions, _ := x.random()
			list = append(list, Submission{Values: Columns(x.ids, predictions)})
		}
		answers, err := x.ledger.ScoreAll(context.Background(), list)
		if err != nil {
			x.t.Fatal(err)
		}
		return slices.ContainsFunc(answers, func(a Answer) bool { return math.Abs(*a.Response-truth) >= x.tau })
	},
}

// Attacks are replayed through real ledgers at the planned number of rows, each with labels and noise of its own. As
// many sessions fail as the certificate allows, but for a chance of 1e-4 a method; the seeds are fixed.
func TestAttacks(t *testing.T) {
	for _, c := range []struct {
		method string
		goal   transfer.Goal
		runs   int
	}{
		{"gaussian-schedule", transfer.Goal{Queries: 400, Tau: 0.1}, 4},
		{"gaussian", transfer.Goal{Queries: 300, Tau: 0.12}, 4},
		{"splitting", transfer.Goal{Queries: 10, Tau: 0.1}, 30},
		{"gate", transfer.Goal{Queries: 40, Tau: 0.1, Shown: transfer.Shown{Feedback: transfer.Gate}}, 30},
		{"ladder", transfer.Goal{Queries: 60, Tau: 0.1, Shown: transfer.Shown{Feedback: transfer.Best}}, 20},
		{"sparse-validate", transfer.Goal{Queries: 60, Tau: 0.1, Budget: 3, Shown: transfer.Shown{Feedback: transfer.Flags}},
			12},
		{"sealed", transfer.Goal{Queries: 20, Tau: 0.1, Shown: transfer.Shown{Feedback: transfer.Final}}, 30},
	} {
		t.Run(c.method, func(t *testing.T) {
			c.goal.Beta, c.goal.Query = beta(t, "0.1"), transfer.Binary
			method, _ := transfer.Lookup(c.method)
			planned, err := method.Solve(c.goal)
			if err != nil || planned.Status != transfer.OK {
				t.Fatal(planned, err)
			}
			failures := 0
			for run := range c.runs {
				coins := rand.New(rand.NewPCG(uint64(run), 77))
				x := &attack{t: t, coins: coins, tau: c.goal.Tau, votes: make([]float64, planned.Samples)}
				x.ids, x.classes = coinRows(planned.Samples, coins)
				x.ledger, _ = ledgerOf(t, LabelsOf(t, x.ids, x.classes), Terms{Goal: c.goal, Method: c.method})
				x.ledger.noise = func() (*rand.Rand, error) { return coins, nil }
				if attacks[c.goal.Feedback](x, c.goal.Queries) {
					failures++
				}
			}
			t.Logf("n = %d: %d of %d sessions failed", planned.Samples, failures, c.runs)
			if most := allowed(c.runs, c.goal.Beta); failures > most {
				t.Errorf("%d of %d sessions failed, want at most %d", failures, c.runs, most)
			}
		})
	}
}

// openAttack asks for scores, boards, guesses and gates at random predictions, and learns from all that is shown. The
// last looks are at the vote. Something wrong is an interval without the truth, or a pass at the truth.
func (x *attack) openAttack(looks int) (wrong bool) {
	near, step := truth, 2/math.Sqrt(float64(len(x.ids)))
	ask := func(predictions []string, s Submission) float64 {
		s.Values = Columns(x.ids, predictions)
		a, err := x.ledger.Score(context.Background(), s)
		if err != nil {
			x.t.Fatal(err)
		}
		pass := a.Verdict == Pass && *s.Bar >= truth
		wrong = wrong || pass || *a.Open.Lower > truth || *a.Open.Upper < truth
		switch {
		case a.Response != nil:
			return *a.Response - truth
		case a.Verdict == Pass:
			return step
		}
		return -step
	}
	questions := []Submission{
		{Question: Question{Show: ShowScore, Near: &near, Step: &step}},
		{Question: Question{Show: ShowGuess, Within: &step, Step: &step, Guess: &near}},
		{Question: Question{Show: ShowPass, Bar: float(truth - 2*step)}},
		{Question: Question{Show: ShowBest, Step: &step}},
	}
	for k := range looks {
		predictions, signs := x.random()
		x.learn(signs, ask(predictions, questions[k%4]))
	}
	ask(x.vote(), Submission{Question: questions[0].Question})
	ask(x.vote(), Submission{Question: barred(questions[2].Question, float(truth))})
	return wrong
}

// The attack is replayed through open ledgers. As many sessions fail as beta allows, but for a chance of 1e-4; the
// seeds are fixed. Ledgers that forgot what was spent would fail most of them.
func TestAttacksOnOpenLedgers(t *testing.T) {
	const rows, looks, runs = 300, 60, 80
	promised := beta(t, "0.3")
	failures := 0
	for run := range runs {
		coins := rand.New(rand.NewPCG(uint64(run), 78))
		x := &attack{t: t, coins: coins, votes: make([]float64, rows)}
		x.ids, x.classes = coinRows(rows, coins)
		x.ledger, _ = ledgerOf(t, LabelsOf(t, x.ids, x.classes), Terms{Goal: transfer.Goal{Beta: promised},
			Unlimited: Unlimited{Open: true}})
		if x.openAttack(looks) {
			failures++
		}
	}
	t.Logf("%d of %d sessions failed", failures, runs)
	if most := allowed(runs, promised); failures > most {
		t.Errorf("%d of %d sessions failed, want at most %d", failures, runs, most)
	}
}

// allowed is the least number that a binomial variable exceeds with probability at most 1e-4.
func allowed(runs int, p theory.LogProb) int {
	left, term := 1.0, math.Pow(1-p.Value(), float64(runs))
	for k := 0; ; k++ {
		if left -= term; left <= 1e-4 {
			return k
		}
		term *= float64(runs-k) / float64(k+1) * p.Value() / (1 - p.Value())
	}
}

// The attack on answers is one that works: against plain means on as many rows it fails every session.
func TestAttackBreaksPlainMeans(t *testing.T) {
	coins := rand.New(rand.NewPCG(1, 77))
	for range 3 {
		x := &attack{coins: coins}
		x.ids, x.classes = coinRows(5000, coins)
		x.votes = make([]float64, 5000)
		for range 399 {
			predictions, signs := x.random()
			x.learn(signs, accuracy(x.classes, predictions)-truth)
		}
		if bias := accuracy(x.classes, x.vote()) - truth; bias < 0.1 {
			t.Errorf("the vote of 399 predictions is off by %v only", bias)
		}
	}
}
