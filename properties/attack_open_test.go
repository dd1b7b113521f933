package properties

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/transfer/open"
)

// openLedger is an open ledger on labels, with its promise.
type openLedger struct {
	at     open.Node
	labels []bool
	looks  int64
	rare   int64
	broken bool // whether an interval did not contain its truth
}

// take shows one response and keeps account.
func (l *openLedger) take(look open.Look, right []bool, truth float64) (cell int) {
	ones := 0
	for i, label := range l.labels {
		if right[i] == label {
			ones++
		}
	}
	tails := open.ZeroOne{Rows: int64(len(l.labels))}
	cell = look.Response(float64(ones) / float64(len(l.labels)))
	lower, upper := look.Interval(l.at, tails, cell)
	l.broken = l.broken || truth < lower || truth > upper
	l.at = l.at.After(look.LnShare(cell))
	l.looks++
	l.rare += int64(min(cell, 1))
	return cell
}

// The boosting attack: labels are fair coins, so nothing is right more often than every other time. The analyst asks
// a gate at one half about random predictions, looks at the score of some, lets those vote that looked good, and asks
// about the majority. Promises break with probability beta at most, although the score on the rows is far off at the
// end.
func TestBoostingAnOpenLedger(t *testing.T) {
	const rows, rounds, trials, beta = 200, 120, 400, 0.2
	r := rand.New(rand.NewPCG(1, 43))
	tails := open.ZeroOne{Rows: rows}
	steps := open.Steps{Within: 0.02, Step: 0.02, Most: 8}
	broken, passed, best := 0, 0, 0.
	for range trials {
		l := openLedger{at: open.Node{LnBeta: math.Log(beta)}, labels: make([]bool, rows)}
		for i := range l.labels {
			l.labels[i] = r.IntN(2) == 0
		}
		votes, boosted := make([]int, rows), make([]bool, rows)
		for j := range rounds {
			right := make([]bool, rows)
			for i := range right {
				right[i] = r.IntN(2) == 0
			}
			weight := 0
			switch look, err := open.Score(tails, 0.5, steps); {
			case err != nil:
				t.Fatal(err)
			case j%3 == 0:
				weight = 2*l.take(look, right, 0.5) - look.Cells()
			default:
				bet := open.Expect(0.5)
				if look, err = open.Gate(l.at, tails, 0.5, bet.Share(l.looks, l.rare, 8)); err == nil {
					weight = 8 * l.take(look, right, 0.5)
				}
			}
			for i, yes := range right {
				if yes {
					votes[i] += weight
				} else {
					votes[i] -= weight
				}
				boosted[i] = votes[i] > 0
			}
		}
		ones := 0
		for i, yes := range boosted {
			if yes == l.labels[i] {
				ones++
			}
		}
		best = math.Max(best, float64(ones)/rows)
		if look, err := open.Gate(l.at, tails, 0.5, 1-0x1p-20); err == nil {
			passed += l.take(look, boosted, 0.5)
		}
		if l.broken {
			broken++
		}
	}
	if limit := trials*beta + 4*math.Sqrt(trials*beta*(1-beta)); float64(broken) > limit {
		t.Errorf("%d of %d ledgers broke a promise, want at most %v", broken, trials, limit)
	}
	if best < 0.6 {
		t.Errorf("boosting comes to %v on the rows only: this attacks nothing", best)
	}
	t.Logf("%d of %d broken, %d boosted models passed, the best score on the rows was %v", broken, trials, passed, best)
}

// An analyst who always bets right: the looks' outcomes are known beforehand, and nearly all of the budget is put on
// them. 2,000 such looks cost less than a thousandth of a nat, so that the last gate is as narrow as the first. It
// may break its promise with probability beta, and comes near that.
func TestAlwaysBettingRight(t *testing.T) {
	const rows, trials = 60, 4000
	r := rand.New(rand.NewPCG(2, 43))
	tails := open.ZeroOne{Rows: rows}
	at := open.Node{LnBeta: math.Log(0.2)}
	before := at
	for range 2000 {
		look, err := open.Gate(at, tails, 0.05, 1-0x1p-22) // of a model that is known to be right on every row
		if err != nil {
			t.Fatal(err)
		}
		at = at.After(look.LnShare(1))
	}
	if spent := -float64(at.Left); !(spent < 1e-3) {
		t.Fatalf("right bets cost %v nats", spent)
	}
	first, err1 := open.Gate(before, tails, 0.5, 0.5)
	last, err2 := open.Gate(at, tails, 0.5, 0.5)
	if err1 != nil || err2 != nil || first.Cuts[0].At != last.Cuts[0].At {
		t.Fatalf("the first gate is %v, the last %v, %v, %v", first, last, err1, err2)
	}
	wrong := 0
	for range trials {
		ones := 0
		for range rows {
			ones += r.IntN(2)
		}
		wrong += last.Response(float64(ones) / rows)
	}
	if share := float64(wrong) / trials; !(share < 0.1+4*math.Sqrt(0.1*0.9/trials) && share > 0.03) {
		t.Errorf("a model at the bar passes with %v, the level is .1", share)
	}
}
