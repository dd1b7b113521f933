package transfer

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// certify replays a schedule, query by query.
func certify(t *testing.T, s NoiseSchedule) (total theory.LogProb, queries int64) {
	t.Helper()
	bound, err := NewJointBound(s.Samples)
	if err != nil {
		t.Fatal(err)
	}
	last := math.Inf(1)
	for block := range s.Blocks() {
		if !(block.SD >= 0 && block.SD <= last) {
			t.Fatalf("%+v: noise %g after %g", s, block.SD, last)
		}
		last = block.SD
		for range block.Queries {
			if _, err := bound.Answer(NoiseBlock{1, block.SD}, s.Tau); err != nil {
				t.Fatal(err)
			}
			queries++
		}
	}
	return bound.Total(), queries
}

// A schedule that is feasible covers all its queries, and the bound of its noise, answer
// by answer, is at most beta.
func TestScheduleObeysTheJointBound(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	feasible := 0
	for feasible < 120 {
		m := int64(math.Exp(r.Float64() * math.Log(20000)))
		g := Goal{Queries: m, Tau: math.Pow(10, -3*r.Float64()) * 0.9, Beta: theory.LogProb(-math.Pow(10, -1+4*r.Float64()))}
		g.Samples = int64((0.3 + 2*r.Float64()) * (2*math.Sqrt(float64(m)) - g.Beta.Ln()) / (g.Tau * g.Tau))
		s := NoiseSchedule{Samples: g.Samples, Queries: m, Tau: g.Tau, Beta: g.Beta}
		if !s.Feasible() {
			continue
		}
		feasible++
		total, queries := certify(t, s)
		if queries != m || !(total <= g.Beta) {
			t.Fatalf("%+v: %d queries, beta %v", s, queries, total)
		}
	}
}

// The numbers of records that the greedy schedule is known to need with a noise for each
// query (an independent program, orders from 1.01 to 61): never one in two hundred more.
func TestScheduleNeeds(t *testing.T) {
	for _, c := range []struct {
		tau, beta float64
		queries   int64
		samples   float64
	}{
		{0.1, 0.05, 1, 152}, {0.1, 0.05, 2, 264}, {0.1, 0.05, 10, 699}, {0.1, 0.05, 100, 2416}, {0.1, 0.05, 1000, 8248},
		{0.1, 0.05, 10_000, 28_662}, {0.1, 0.05, 1_000_000, 375_152},
		{0.01, 0.05, 100, 239_717}, {0.03, 0.001, 1000, 111_356},
		{0.01, 0.001, 100, 315_321}, {0.01, 0.001, 1000, 1_001_560}, {0.01, 0.001, 1_000_000, 37_250_520},
		{0.3, 0.3, 2, 17}, {0.3, 0.4, 5, 34}, {0.3, 0.5, 20, 85},
	} {
		method, _ := Lookup("gaussian-schedule")
		a, err := method.Solve(Goal{Queries: c.queries, Tau: c.tau, Beta: theory.LogProb(math.Log(c.beta))})
		rows := float64(a.Samples)
		if err != nil || a.Status != OK || !(rows <= math.Ceil(c.samples*1.005)) || !(rows >= 0.7*c.samples) {
			t.Errorf("tau %g, beta %g, m %d: %d (%s, %v), want about %g", c.tau, c.beta, c.queries, a.Samples, a.Status, err, c.samples)
		}
	}
	for _, c := range []struct {
		queries int64
		samples float64
	}{{10, 793}, {100, 3052}, {1000, 11_228}, {10_000, 40_502}} {
		method, _ := Lookup("gaussian")
		a, err := method.Solve(Goal{Queries: c.queries, Tau: 0.1, Beta: lp("0.05")})
		if err != nil || a.Status != OK || !(float64(a.Samples) <= c.samples*1.005) {
			t.Errorf("one noise, m %d: %d (%s, %v), want about %g", c.queries, a.Samples, a.Status, err, c.samples)
		}
	}
}

// One noise for all needs at most two thousandths more than with runs a fifth as long and
// four times the points, which is what the sums cost; the numbers are of such a program.
func TestEvenNoiseIsNearlyOptimal(t *testing.T) {
	method, _ := Lookup("gaussian")
	for queries, samples := range map[int64]float64{
		10: 793, 30: 1528, 100: 3055, 300: 5687, 1000: 11_150, 10_000: 39_962, 100_000: 143_325, 1_000_000: 511_824,
	} {
		a, err := method.Solve(Goal{Queries: queries, Tau: 0.1, Beta: lp("0.05")})
		if rows := float64(a.Samples); err != nil || !(rows <= 1.002*samples) {
			t.Errorf("m %d: %v rows, %v, want at most 1.002 times %v", queries, rows, err, samples)
		}
	}
}

// The sum for one noise is at least that of the bound, answer by answer, and close to it.
func TestEvenNoiseSumsTheJointBound(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 150 {
		m := int64(math.Exp(r.Float64() * math.Log(3000)))
		g := Goal{Queries: m, Tau: math.Pow(10, -2*r.Float64()) / 3, Beta: theory.LogProb(-math.Pow(10, -0.5+2*r.Float64()))}
		g.Samples = int64((0.8 + r.Float64()) * (2.5*math.Sqrt(float64(m)) - g.Beta.Ln()) / (g.Tau * g.Tau))
		choice := new(even)
		choice.excess(g)
		sd, slack := g.Tau/choice.z, 0.02
		if m > pathPoints { // chords between a few points
			slack = 0.1
		}
		if r.IntN(2) == 0 { // less noise can bring the variance lemma to its end
			sd, slack = sd*math.Exp(r.NormFloat64()/5), 100
		}
		bound, _ := NewJointBound(g.Samples)
		for range m {
			if _, err := bound.Answer(NoiseBlock{1, sd}, g.Tau); err != nil {
				t.Fatal(err)
			}
		}
		sum := newEvenNoise(m)
		got, want := sum.lnErrors(float64(g.Samples), g.Tau, sd), bound.total
		if same := sum.lnErrorsAsServed(float64(g.Samples), g.Tau, sd); same != got {
			t.Errorf("%+v, sd %g: ln of the sum %v, with the same orders %v", g, sd, got, same)
		}
		sum.lnErrors(float64(g.Samples)*1.2, g.Tau, sd*1.1) // other orders serve
		if other := sum.lnErrorsAsServed(float64(g.Samples), g.Tau, sd); !(other >= want-1e-9*math.Abs(want)) {
			t.Errorf("%+v, sd %g: ln of the sum %v with other orders, by answers %v", g, sd, other, want)
		}
		if !(got >= want-1e-9*math.Abs(want)) || want < 0 && !(got <= want+slack+0.01*math.Abs(want)) {
			t.Errorf("%+v, sd %g: ln of the sum %v, by answers %v", g, sd, got, want)
		}
	}
}

// With the best noise the bound of one query is e^(-2n tau^2), half of what Hoeffding's inequality gives for both sides.
func TestOneQueryNeedsItsExponent(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for range 300 {
		g := Goal{Queries: 1, Tau: math.Pow(10, -5*r.Float64()) * 0.99, Beta: theory.LogProb(-math.Pow(10, -3+5.8*r.Float64()))}
		rows := -g.Beta.Ln() / (2 * g.Tau * g.Tau)
		for _, name := range []string{"gaussian", "gaussian-schedule"} {
			method, _ := Lookup(name)
			a, err := method.Solve(g)
			if got := float64(a.Samples); err != nil || !(got >= rows && got <= rows*(1+1e-9)+1) {
				t.Errorf("%s %+v: %v rows (%s, %v), want %v", name, g, got, a.Status, err, rows)
			}
		}
	}
}

// Plans whose own check once failed, or held with one row fewer: where a sum has several minima, a search
// from nearby and one of its own must come to the same.
func TestLeastRowsAreLeast(t *testing.T) {
	method, _ := Lookup("gaussian")
	for _, g := range []Goal{
		{Queries: 3, Tau: 0.1834689555114834, Beta: -11.848113134625128},
		{Queries: 1, Tau: 0.013300676412459822, Beta: -0.23439560313225297},
		{Queries: 1, Tau: 9.790901413266927e-05, Beta: -0.06097922381747448},
		{Queries: 7, Tau: 0.17073681061756329, Beta: -145.04163922350818},
		{Queries: 51, Tau: 0.060533351915242277, Beta: -650.12090605012474},
		{Queries: 33, Tau: 0.67502564129450526, Beta: -21.876182849111533},
		{Queries: 719, Tau: 0.94747805720255951, Beta: -9.537215532298875},
		{Queries: 6, Tau: 0.00047104092005612286, Beta: -511.49617493735292},
		{Queries: 929, Tau: 0.4419231246604135, Beta: -3.2519037004144646},
		{Queries: 2, Tau: 0.05238835895959128, Beta: -9.206861},
	} {
		a, err := method.Solve(g)
		if err != nil || a.Status != OK {
			t.Errorf("%+v: %s, %v", g, a.Status, err)
			continue
		}
		plan := a.Goal
		if own, _ := method.Solve(plan); own.Status != OK {
			t.Errorf("%+v: its own answer is %s", plan, own.Status)
		}
		plan.Samples--
		if less, _ := method.Solve(plan); less.Status == OK {
			t.Errorf("%+v is certified, one row below the answer", plan)
		}
	}
}

// A walk that follows the trail of another comes to the same, but that the orders with the least errors may be others
// where there are two.
func TestTrailsDoNotMislead(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	silent := func(NoiseBlock) bool { return true }
	feasible := 0
	for range 60 {
		m := int64(math.Exp(r.Float64() * math.Log(1e6)))
		g := Goal{Queries: m, Tau: math.Pow(10, -2*r.Float64()) / 3, Beta: theory.LogProb(-math.Pow(10, -0.5+2*r.Float64()))}
		a, err := schedulePlan(g)
		if err != nil {
			t.Fatal(err)
		}
		var way trail
		for range 12 {
			s := NoiseSchedule{Samples: int64(float64(a) * (1 + 0.02*r.NormFloat64())), Queries: m, Tau: g.Tau, Beta: g.Beta}
			got, want := s.walk(fineGrain, &way, silent), s.walk(fineGrain, nil, silent)
			if (got <= 0) != (want <= 0) || want <= 0 && !(math.Abs(got-want) <= -3e-3*want) {
				t.Errorf("%+v: excess %v, on a trail %v", s, want, got)
			}
			if want <= 0 {
				feasible++
			}
		}
	}
	if feasible < 200 {
		t.Errorf("only %d are feasible", feasible)
	}
}

func schedulePlan(g Goal) (samples int64, err error) {
	method, _ := Lookup("gaussian-schedule")
	a, err := method.Solve(g)
	return a.Samples, err
}

// Where a tangent is looked for first does not matter, and no other is better.
func TestTangentsSettle(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 56))
	for range 2000 {
		b, z := math.Pow(10, -2+4.5*r.Float64()), math.Pow(10, -1+3*r.Float64())
		k := math.Pow(10, -3+4*r.Float64())
		var fresh, stale tangent
		fresh.settle(b, k, z)
		least := fresh.chernoff(b, k, z)
		stale.settle(b*math.Exp(r.NormFloat64()), k*math.Exp(r.NormFloat64()), z*math.Exp(r.NormFloat64()/3))
		stale.settle(b, k, z)
		size := 1e-12*(b+math.Abs(least)) + 3e-14*b*(1+z*z)
		if got := stale.chernoff(b, k, z); !(math.Abs(got-least) <= size) {
			t.Errorf("b %g, k %g, z %g: %v, and %v from another tangent", b, k, z, least, got)
		}
		for _, u := range []float64{fresh.u + 0.01, fresh.u - 0.01, fresh.u + 0.3, fresh.u * 0.9, z * r.Float64()} {
			if got := (tangent{u, hazard(u)}).chernoff(b, k, z); got < least-size {
				t.Errorf("b %g, k %g, z %g: %v, and %v at u = %g in place of %g", b, k, z, least, got, u, fresh.u)
			}
		}
	}
}

func TestJointBoundRefusesNonsense(t *testing.T) {
	nan := math.NaN()
	var domain *theory.DomainError
	for _, n := range []int64{0, -1, MaxCount + 1} {
		if _, err := NewJointBound(n); !errors.As(err, &domain) {
			t.Errorf("%d records: %v", n, err)
		}
	}
	bound, _ := NewJointBound(1000)
	for _, c := range []struct {
		block NoiseBlock
		tau   float64
	}{
		{NoiseBlock{0, 0.1}, 0.1}, {NoiseBlock{-1, 0.1}, 0.1}, {NoiseBlock{MaxCount + 1, 0.1}, 0.1},
		{NoiseBlock{1, -0.1}, 0.1}, {NoiseBlock{1, nan}, 0.1}, {NoiseBlock{1, math.Inf(1)}, 0.1}, {NoiseBlock{2, 0}, 0.1},
		{NoiseBlock{1, 0.1}, 0}, {NoiseBlock{1, 0.1}, 1}, {NoiseBlock{1, 0.1}, nan}, {NoiseBlock{1, 0.1}, -0.1},
	} {
		if _, err := bound.Answer(c.block, c.tau); !errors.As(err, &domain) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if total := bound.Total(); total != theory.Zero {
		t.Errorf("nothing answered: %v", total)
	}
	if _, err := bound.Answer(NoiseBlock{1, 0}, 0.1); err != nil {
		t.Error(err)
	}
	if _, err := bound.Answer(NoiseBlock{1, 0.1}, 0.1); !errors.As(err, &domain) {
		t.Errorf("a query after one without noise: %v", err)
	}
}

// No noise and no accuracy breaks the bound, and it stays a probability.
func TestJointBoundStaysAProbability(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	for range 3000 {
		n := int64(math.Exp(r.Float64() * math.Log(MaxCount)))
		bound, _ := NewJointBound(n)
		for range 1 + r.IntN(5) {
			block := NoiseBlock{int64(math.Exp(r.Float64() * math.Log(MaxCount))), math.Pow(10, -100+200*r.Float64())}
			if r.IntN(2) == 0 {
				block = NoiseBlock{1 + r.Int64N(3), math.Pow(10, -6*r.Float64())}
			}
			p, err := bound.Answer(block, math.Pow(10, -300*math.Pow(r.Float64(), 4))*0.999)
			if err != nil || !(p <= 0) || !(bound.Total() >= p && bound.Total() <= 0) {
				t.Fatalf("n %d, %+v: %v, %v, total %v", n, block, p, err, bound.Total())
			}
		}
	}
}

func TestScheduleRefusesNonsense(t *testing.T) {
	good := NoiseSchedule{Samples: 2000, Queries: 10, Tau: 0.1, Beta: -3}
	if !good.Feasible() {
		t.Fatal("the good one is infeasible")
	}
	nan := math.NaN()
	for _, change := range []func(*NoiseSchedule){
		func(s *NoiseSchedule) { *s = NoiseSchedule{} },
		func(s *NoiseSchedule) { s.Samples = 0 },
		func(s *NoiseSchedule) { s.Samples = 500 },
		func(s *NoiseSchedule) { s.Queries = -1 },
		func(s *NoiseSchedule) { s.Tau = nan },
		func(s *NoiseSchedule) { s.Tau = -1 },
		func(s *NoiseSchedule) { s.Tau = 1 },
		func(s *NoiseSchedule) { s.Beta = 0 },
		func(s *NoiseSchedule) { s.Beta = theory.Zero },
		func(s *NoiseSchedule) { s.Beta = theory.LogProb(nan) },
	} {
		bad := good
		change(&bad)
		covered := int64(0)
		for block := range bad.Blocks() {
			covered += block.Queries
		}
		if bad.Feasible() || covered == bad.Queries && covered > 0 {
			t.Errorf("%+v is feasible, %d queries", bad, covered)
		}
	}
}

// The walk stops when it is told to.
func TestBlocksCanBeLeft(t *testing.T) {
	count := 0
	for range (NoiseSchedule{Samples: 20_000, Queries: 1000, Tau: 0.1, Beta: -3}).Blocks() {
		if count++; count == 3 {
			break
		}
	}
	if count != 3 {
		t.Error(count)
	}
}
