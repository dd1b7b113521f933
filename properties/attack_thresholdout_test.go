package properties

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// The attack on Thresholdout. The training set is a record that the population
// never has, so the analyst may choose the training value of every query. An
// attribute of training value 0 is flagged, costs one of the budget, and its answer
// says in which direction the holdout deviates. The promise ends when `budget`
// queries were as far off on the training set, so budget-2 attributes are asked. Then
//
//	drain  asks the majority at a training value tau/2 off, which the promise does not
//	       count, until the overfit and the noise have spent the budget;
//	serve  asks it once at a training value tau off, in the direction of the overfit:
//	       if the holdout does not object, the answer is wrong.
type holdoutAttack struct {
	records, queries int
	tau              float64
	threshold, sigma float64
	budget           int // what the promise says
	enforced         int // what the mechanism spends
	drain            bool
}

func plannedHoldout(t testing.TB, goal transfer.Goal) holdoutAttack {
	t.Helper()
	m, ok := transfer.Lookup("thresholdout")
	if !ok {
		t.Fatal("no method thresholdout")
	}
	a := solve(m, goal)
	if a.Status != transfer.OK {
		t.Fatalf("%+v", a)
	}
	return holdoutAttack{
		records: int(a.Samples), queries: int(a.Queries), tau: a.Tau,
		threshold: a.Mechanism.Threshold, sigma: a.Mechanism.Scale, budget: int(a.Budget), enforced: int(a.Budget),
	}
}

// run attacks once and returns the transcript and by how much the majority overfits.
// If learn is above budget-2 the promise is void, and the last query asks for the
// majority plainly.
func (a holdoutAttack) run(r *rand.Rand, learn int) (transcript []shown, overfit float64) {
	h := newThresholdout(r, a.threshold, a.sigma, a.enforced)
	ask := func(training, holdout float64) shown {
		q := shown{population: 0.5, training: training}
		q.answer, q.flagged, q.answered = h.ask(training, holdout)
		transcript = append(transcript, q)
		return q
	}
	learn -= 1 - learn%2 // odd
	tally, buffer := newVotes(a.records), []uint64(nil)
	for range learn {
		bitmap, ones := column(r, a.records, buffer)
		q := ask(0, float64(ones)/float64(a.records))
		if !q.answered {
			break
		}
		tally.add(bitmap, q.answer > 0.5)
		buffer = bitmap
	}
	share := tally.majority()
	switch {
	case learn > a.budget-2:
		ask(0, share)
	case a.drain:
		for len(transcript) < a.queries {
			ask(0.5-a.tau/2*(1-1e-9), share)
		}
	default:
		ask(0.5+a.tau*(1+1e-9), share)
	}
	return transcript, share - 0.5
}

// broken counts the runs in which the promise is broken; the quantile is of the
// overfit, of which the promise allows tau/4.
func (a holdoutAttack) broken(r *rand.Rand, runs int, beta float64) outcome {
	o, overfits := outcome{runs: runs}, make([]float64, runs)
	for i := range overfits {
		var transcript []shown
		transcript, overfits[i] = a.run(r, max(a.budget-2, 1))
		if failed(transcript, a.budget, a.tau) {
			o.failures++
		}
	}
	slices.Sort(overfits)
	o.quantile = overfits[int(math.Ceil((1-beta)*float64(runs)))-1]
	return o
}

// misled counts the runs in which some answer given is wrong by tau or more after
// the analyst has learnt from so many flagged attributes, whatever the promise says.
func (a holdoutAttack) misled(r *rand.Rand, runs, learn int) (o outcome) {
	o.runs = runs
	for range runs {
		transcript, _ := a.run(r, learn)
		for _, q := range transcript {
			// The attributes are served from the training set if they are not flagged.
			if q.flagged && math.Abs(q.answer-q.population) >= a.tau {
				o.failures++
				break
			}
		}
	}
	return o
}

// with returns the attack of the given kind.
func (a holdoutAttack) with(drain bool) holdoutAttack {
	a.drain = drain
	return a
}

func holdoutGoal(queries, budget int64) transfer.Goal {
	return transfer.Goal{Queries: queries, Budget: budget, Tau: 0.3, Beta: theory.LogProb(math.Log(0.05))}
}

// The attacks do not break a plan in more than beta = 1/20 of the runs. By the theorem's
// own terms a run fails with probability far below 1e-4 (the overfit is a tenth of tau/4
// or less, logged, and the noise would have to make up for the rest), so that 3 of 40 do
// has probability below 1e-7.
func TestThresholdoutWithstandsAttacks(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for _, goal := range []transfer.Goal{holdoutGoal(10, 10), holdoutGoal(1000, 10), holdoutGoal(1000, 100)} {
		a := plannedHoldout(t, goal)
		for _, drain := range []bool{false, true} {
			got := a.with(drain).broken(r, 40, goal.Beta.Value())
			t.Logf("m = %d, B = %d, n = %d, drain %v: %d of %d runs broken; (tau/4)/overfit %.1f",
				a.queries, a.budget, a.records, drain, got.failures, got.runs, a.tau/4/got.quantile)
			if got.failures > 2 {
				t.Errorf("m = %d, B = %d, n = %d, drain %v: %d of %d runs broken", a.queries, a.budget, a.records, drain,
					got.failures, got.runs)
			}
		}
	}
}

// A mechanism that forgets its budget misleads at the planned number of records. Ten
// times the budget does not show there, where the overfit is a sixtieth of tau; it
// does where the honest mechanism resists by little, on a sixtieth of the records.
// Half the noise shows at neither: at budgets of this size it is the number of records
// that defeats the attack, and as much noise as the comparisons bear hardly matters
// to it. The false-alarm probability of a mutant's being caught is 1e-10. The honest
// mechanism fails with probability below 1% at n = 5,600, in 11 of 200 runs therefore
// with probability below 1e-5.
func TestThresholdoutAttackMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	goal := holdoutGoal(40_000, 1)
	a := plannedHoldout(t, goal)
	honest := a.misled(r, 10, a.queries-1)
	a.enforced = a.queries
	mutant := a.misled(r, 10, a.queries-1)
	t.Logf("m = %d, B = %d, n = %d: misled with the budget enforced %d times, without %d times in %d", a.queries,
		a.budget, a.records, honest.failures, mutant.failures, mutant.runs)
	if honest.failures > 0 || !mutant.refutes(goal.Beta) {
		t.Errorf("the budget: misled %d times with it and %d times without in %d", honest.failures, mutant.failures,
			mutant.runs)
	}

	const n, sigma = 5600, 0.0005
	for _, drain := range []bool{false, true} {
		a := holdoutAttack{records: n, queries: 1000, tau: 0.3, threshold: 0.225, sigma: sigma, budget: 100, enforced: 100,
			drain: drain}
		honest := a.broken(r, 200, 0.05)
		a.sigma /= 2
		half := a.broken(r, 200, 0.05)
		a.sigma, a.budget, a.enforced, a.queries = sigma, 1000, 1000, 3000
		more := a.broken(r, 20, 0.05)
		t.Logf("n = %d, drain %v: honest %d of %d broken, half the noise %d of %d, ten times the budget %d of %d",
			n, drain, honest.failures, honest.runs, half.failures, half.runs, more.failures, more.runs)
		if honest.failures > 10 {
			t.Errorf("drain %v: the honest mechanism is broken %d times of %d", drain, honest.failures, honest.runs)
		}
		if !more.refutes(goal.Beta) {
			t.Errorf("drain %v: ten times the budget are not caught: %d of %d", drain, more.failures, more.runs)
		}
	}
}

// BenchmarkThresholdoutAttackSlack reports the planned n, the overfit that the promise
// allows over its quantile in simulated runs, and the n below which one of the attacks
// breaks the promise more often than beta, with the planned sigma.
//
//	go test ./properties -run '^$' -bench ThresholdoutAttackSlack -benchtime 1x
func BenchmarkThresholdoutAttackSlack(b *testing.B) {
	for _, queries := range []int64{10, 100, 1000, 10_000} {
		for _, budget := range []int64{10, 100} {
			if budget > queries {
				continue
			}
			b.Run(fmt.Sprintf("m=%d/B=%d", queries, budget), func(b *testing.B) {
				goal := holdoutGoal(queries, budget)
				goal.Tau = 0.1
				a := plannedHoldout(b, goal)
				for b.Loop() {
					r := rand.New(rand.NewPCG(85, 86))
					slack := a.tau / 4 / a.broken(r, 40, goal.Beta.Value()).quantile
					lo, hi := 1, a.records
					for hi-lo > 1+lo/20 {
						at := a
						at.records = max(int(math.Sqrt(float64(lo)*float64(hi))), lo+1)
						failures := max(at.with(false).broken(r, 200, 0.05).failures, at.with(true).broken(r, 200, 0.05).failures)
						if failures > 10 {
							lo = at.records
						} else {
							hi = at.records
						}
					}
					b.ReportMetric(slack, "slack")
					b.ReportMetric(float64(a.records), "planned-n")
					b.ReportMetric(float64(hi), "attacked-n")
				}
			})
		}
	}
}
