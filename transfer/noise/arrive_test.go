package noise

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// feed is a steady feed: first rows, and so many more after every so many queries.
func feed(first, rows, queries, last int64) (stages []Stage) {
	for until := queries; ; until += queries {
		stages = append(stages, Stage{first, min(until, last)})
		if until >= last {
			return stages
		}
		first += rows
	}
}

// answersOf are the answers with the noise that is chosen for them.
func answersOf(w Targets) (answers []given, each []float64, ok bool) {
	var noise []theory.NoiseBlock
	ok = w.Blocks(func(b theory.NoiseBlock) bool { noise = append(noise, b); return true })
	i := 0
	for want := range w.All {
		if i == len(noise) {
			break
		}
		for range want.Queries {
			answers = append(answers, given{float64(want.Samples), want.Tau, noise[i].Scale, noise[i].Cut})
			each = append(each, math.Exp(want.LnEach))
		}
		i++
	}
	return answers, each, ok
}

// A feed of rows that is certified keeps its promise by the theorem, evaluated answer by answer: the sum of all errors
// is at most beta, and nearly that.
func TestFeedByTheTheorem(t *testing.T) {
	lnBeta := theory.LogProb(math.Log(0.05))
	for _, c := range []struct {
		first, rows, queries, last int64
		tau                        float64
	}{{4600, 100, 10, 2600, 0.1}, {700, 40, 4, 60, 0.15}, {4500, 1000, 100, 1000, 0.1}} {
		a := Arrival{Stages: feed(c.first, c.rows, c.queries, c.last), Tau: c.tau, Beta: lnBeta}
		answers, _, ok := answersOf(a.Targets())
		if !ok || int64(len(answers)) != c.last {
			t.Fatalf("%+v is not certified", c)
		}
		if total, _ := sumOfErrors(Both, answers); !(total <= 0.05 && total > 0.045) {
			t.Errorf("%+v: the errors add up to %v", c, total)
		}
		if last := answers[len(answers)-1].n; last != float64(c.first+(c.last-1)/c.queries*c.rows) {
			t.Errorf("%+v: the last answer is about %v rows", c, last)
		}
	}
}

// One noise for all answers keeps its promise by the theorem too: what it is certified at is no less than the sum of
// all errors, and little more. So does the noise of a plan without a last answer, which leaves a part of beta for later
// ones.
func TestFeedWithOneNoiseAndWithoutAnEnd(t *testing.T) {
	a := Arrival{Stages: feed(2000, 40, 4, 200), Tau: 0.1, Beta: theory.LogProb(math.Log(0.05))}
	for _, sd := range []float64{0.01, 0.014, 0.02} {
		var answers []given
		for want := range a.Targets().All {
			for range want.Queries {
				answers = append(answers, given{float64(want.Samples), a.Tau, sd, a.EvenCut()})
			}
		}
		total, _ := sumOfErrors(Both, answers)
		if got := a.EvenErrors(sd).Value(); !(got >= min(total, 1) && got <= min(total, 1)*1.05) {
			t.Errorf("noise %v: certified at %v, the errors add up to %v", sd, got, total)
		}
	}
	a.Stages = feed(3000, 40, 4, 200)
	sd, ln := a.Even()
	for _, other := range []float64{0.9 * sd, 1.1 * sd} {
		if !(a.EvenErrors(other).Ln() >= ln) {
			t.Errorf("the errors are less at %v than at %v", other, sd)
		}
	}
	a.Open = true
	answers, each, ok := answersOf(a.Targets())
	total, _ := sumOfErrors(Both, answers)
	shares := 0.0
	for _, share := range each {
		shares += share
	}
	if !ok || !(total <= shares) || !(shares < 0.05*0.85) {
		t.Errorf("certified %v, the errors add up to %v, their shares to %v", ok, total, shares)
	}
}

// A bound never goes back to fewer records.
func TestBoundGrows(t *testing.T) {
	b, err := New(100, Both)
	if err != nil || b.Grow(100) != nil || b.Grow(101) != nil || b.Grow(100) == nil || b.Grow(theory.MaxSamples+1) == nil {
		t.Errorf("%v", err)
	}
}

// Without rows that come, the answers are the answers of a bound on its own, but for the slack of a search and its
// tangents, which cost as much again.
func TestOneStage(t *testing.T) {
	a := Arrival{Stages: []Stage{{9000, 1000}}, Tau: 0.1, Beta: theory.LogProb(math.Log(0.05))}
	b, err := New(9000, Both)
	if err != nil {
		t.Fatal(err)
	}
	ok := a.Targets().Blocks(func(block theory.NoiseBlock) bool {
		_, err = b.Answer(block, 0.1)
		return err == nil
	})
	if total := b.Total(); !ok || err != nil || !(total <= a.Beta && total > a.Beta-3*slack) {
		t.Errorf("%v, %v: total e^%v, want e^%v", ok, err, total, a.Beta)
	}
}

// Five years of ten scores and a hundred labels a week: 3,800 first rows are enough, and all at the start would be
// 12,640.
func TestSteadyFeed(t *testing.T) {
	a := Arrival{Tau: 0.1, Beta: theory.LogProb(math.Log(0.05))}
	for rows, want := range map[int64]bool{3700: false, 3800: true, 5663: true} {
		a.Stages = feed(rows, 100, 10, 2600)
		if a.Targets().Certified() != want {
			t.Errorf("%d first rows: certified %v", rows, !want)
		}
	}
	whole := Plan{Theorem: Joint(Both), Queries: 2600, Tau: 0.1, Beta: a.Beta}
	if found, ok := Falling.Samples(whole); !ok || found.Samples != 12_640 {
		t.Errorf("all at the start: %d", found.Samples)
	}
}

// Answers without a number of queries: at every one up to 10,000, as far as the fixed plan's tau is at most .2, the
// accuracy is at most 1.6 times the fixed plan's, and the errors of all add up to less than beta.
func TestEndlessAnswers(t *testing.T) {
	lnBeta := theory.LogProb(math.Log(0.05))
	for n, last := range map[int64]int64{1000: 200, 5000: 4000, 20_000: 10_000} {
		e := Endless{Samples: n, Factor: 1.55, Beta: lnBeta}
		if !e.Reaches(last) {
			t.Errorf("%d rows: not certified", n)
		}
		for _, j := range []int64{1, 3, 11, 97, 150, last} {
			fixed, _ := Falling.LeastTau(Plan{Theorem: Joint(Both), Samples: n, Queries: j, Beta: lnBeta})
			if got := e.Tau(j) / fixed; !(got <= 1.6 && got > 1.5) {
				t.Errorf("%d rows, answer %d: %v of the tau of a fixed plan", n, j, got)
			}
		}
		if e.Factor = 1.3; e.Reaches(last) {
			t.Errorf("%d rows: certified with a factor of 1.3", n)
		}
	}
	answers, each, ok := answersOf(Endless{Samples: 5000, Factor: 1.6, Beta: lnBeta}.Targets(1500))
	total, errors := sumOfErrors(Both, answers)
	if !ok || !(total < 0.05*0.9) {
		t.Errorf("the errors of 1,500 answers add up to %v", total)
	}
	for j := 0; j < len(errors); { // in a block the first errs less than its share, and the last more
		err, share := 0., 0.
		for block := answers[j].sd; j < len(errors) && answers[j].sd == block; j++ {
			err, share = err+errors[j], share+each[j]
		}
		if !(err <= share) {
			t.Errorf("answers up to %d: off with probability %v, their share is %v", j, err, share)
		}
	}
	sum := 0.
	for j := 1.; j < 1e5; j++ {
		sum += math.Pow(j, -shareFalls)
	}
	if sum += math.Pow(1e5, 1-shareFalls) / (shareFalls - 1); !(sum < 3.5) {
		t.Errorf("the shares add up to %v of beta", sum/3.5)
	}
}
