package transfer

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

// openNoiseHolds is the joint bound with an accuracy for each answer, which a formula fixes in advance.
func openNoiseHolds(a Answer) bool {
	unit, lnBeta := unitOf(a), min(a.Beta, theory.LogProb(math.Log(0.1)))
	p := pageJoint{N: a.Samples, OneSided: a.OneSided}
	l := -lnBeta.Ln()
	if a.OneSided {
		l = math.Max(l-0.7, l/2)
	}
	for j := 1.0; j <= float64(a.Queries); j++ {
		room := math.Sqrt((j - 1) * (math.Log(j) + 2.5*math.Sqrt(l)))
		s := (l/2 - 0.15*math.Log(l) - 0.19 + 0.695*(1-0.86/j)*room) / float64(a.Samples)
		tau := 1.55 * math.Sqrt(s) * (1 + 1.42*s) * (1 + 1e-12)
		p.Tau = append(p.Tau, min(tau, math.Nextafter(1, 0)))
	}
	for b := range a.Noise() {
		p.Cut = b.Cut
		for range b.Queries {
			p.SD = append(p.SD, strconv.FormatFloat(b.Scale/unit, 'g', -1, 64))
		}
	}
	last := p.Tau[len(p.Tau)-1] * unit
	return int64(len(p.SD)) == a.Queries && last <= a.Tau*(1+1e-9) && pageExcess(p.Errors(), lnBeta.Ln()) <= 0
}

// At every query up to 10,000, as far as the plan that knows its number has a tau of at most .2, the accuracy is at
// most 1.6 times the plan's accuracy. The row says how far its schedule goes, and the schedule for fewer queries is the
// beginning of the one for more.
func TestAnswersWithoutANumber(t *testing.T) {
	noiseOf := func(a Answer) (noise []float64) {
		for b := range a.Noise() {
			noise = append(noise, slices.Repeat([]float64{b.Scale}, int(b.Queries))...)
		}
		return noise
	}
	type schedule struct {
		rows, last int64
		oneSided   bool
	}
	for _, c := range []schedule{
		{1000, 200, false}, {5000, 4000, false}, {20_000, 10_000, false},
		{1000, 200, true}, {5000, 4000, true}, {20_000, 10_000, true},
	} {
		n, last := c.rows, c.last
		g := Goal{Samples: n, Beta: lp("0.05"), Shown: Shown{Open: true, OneSided: c.oneSided}}
		var before []float64
		for _, g.Queries = range []int64{1, 6, 97, 200, last} {
			open, err := gaussianOpen.Solve(g)
			fixed, err2 := gaussianSchedule.Solve(g)
			if err != nil || err2 != nil || open.Status != OK || fixed.Tau > 0.2 {
				t.Fatalf("%d rows, query %d: %+v, %+v, %v, %v", n, g.Queries, open, fixed, err, err2)
			}
			if worse := open.Tau / fixed.Tau; !(worse <= 1.6 && worse > 1.5) {
				t.Errorf("%+v, query %d: tau %v, which is %v times that of the plan that knows the number", c, g.Queries,
					open.Tau, worse)
			}
			if !strings.Contains(open.Reason, "computed for "+goal.Plural(g.Queries, "query", "queries")+"; nothing is claimed beyond") {
				t.Errorf("the row says %q", open.Reason)
			}
			noise := noiseOf(open)
			if int64(len(noise)) != g.Queries || !slices.Equal(noise[:len(before)], before) ||
				noise[0] != open.Mechanism.ScaleFirst || noise[len(noise)-1] != open.Mechanism.Scale {
				t.Errorf("%d rows, query %d: %d noises, which are others than those of fewer queries", n, g.Queries, len(noise))
			}
			before = noise
		}
	}
}

// Where no noise is found for all answers up to the query, nothing is certified, and the other unknowns end before.
func TestScheduleThatEnds(t *testing.T) {
	g := Goal{Samples: 1000, Queries: 3000, Beta: lp("0.05"), Shown: Shown{Open: true}}
	a, err := gaussianOpen.Solve(g)
	if err != nil || a.Status != Vacuous || a.Mechanism.Schedule != nil || a.Reason != noBetter {
		t.Errorf("%+v, %v", a, err)
	}
	g.Tau = 0.99
	if ok, err := gaussianOpen.Certifies(g); ok || err != nil {
		t.Errorf("certified without a noise, %v", err)
	}
	g.Queries = 0
	if a, err = gaussianOpen.Solve(g); err != nil || a.Status != OK || !(a.Queries > 200 && a.Queries < 3000) {
		t.Errorf("%+v, %v", a, err)
	}
	g = Goal{Samples: 3, Tau: 0.1, Beta: lp("0.05"), Shown: Shown{Open: true}}
	if a, err := gaussianOpen.Solve(g); err != nil || a.Status != Infeasible {
		t.Errorf("%+v, %v", a, err)
	}
}

// An answer to one side is no less accurate, and a difference is twice as far off as a value in [0,1].
func TestOpenNoiseForOneSideAndDifferences(t *testing.T) {
	g := Goal{Samples: 5000, Queries: 100, Beta: lp("0.05"), Shown: Shown{Open: true}}
	both, err := gaussianOpen.Solve(g)
	g.OneSided = true
	one, err2 := gaussianOpen.Solve(g)
	g.OneSided, g.Query = false, Difference
	difference, err3 := gaussianOpen.Solve(g)
	if err != nil || err2 != nil || err3 != nil || !(one.Tau < both.Tau) || difference.Tau != 2*both.Tau ||
		difference.Mechanism.Scale != 2*both.Mechanism.Scale {
		t.Errorf("%v, one side %v, difference %v: %v, %v, %v", both.Tau, one.Tau, difference.Tau, err, err2, err3)
	}
	for _, beta := range []string{"0.9", "0.5", "1e-12"} {
		g.Beta = lp(beta)
		if a, err := gaussianOpen.Solve(g); err != nil || a.Status != OK {
			t.Errorf("beta %v: %+v, %v", beta, a, err)
		}
	}
}
