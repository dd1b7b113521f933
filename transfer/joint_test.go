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
		got, want := newEvenNoise(m).lnErrors(float64(g.Samples), g.Tau, sd), bound.total
		if !(got >= want-1e-9*math.Abs(want)) || want < 0 && !(got <= want+slack+0.01*math.Abs(want)) {
			t.Errorf("%+v, sd %g: ln of the sum %v, by answers %v", g, sd, got, want)
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
