package joint

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// certify replays a schedule, query by query.
func certify(t *testing.T, s Plan) (total theory.LogProb, queries int64) {
	t.Helper()
	bound, err := New(s.Samples, Both)
	if err != nil {
		t.Fatal(err)
	}
	last := math.Inf(1)
	for block := range s.Blocks() {
		if !(block.Scale >= 0 && block.Scale <= last) {
			t.Fatalf("%+v: noise %g after %g", s, block.Scale, last)
		}
		last = block.Scale
		for range block.Queries {
			if _, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: block.Scale}, s.Tau); err != nil {
				t.Fatal(err)
			}
			queries++
		}
	}
	return bound.Total(), queries
}

// A schedule that is feasible covers all its queries, and the bound of its noise, answer
// by answer, is at most beta.
func TestScheduleObeysTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	feasible := 0
	for feasible < 120 {
		m := int64(math.Exp(r.Float64() * math.Log(20000)))
		g := Plan{Queries: m, Tau: math.Pow(10, -3*r.Float64()) * 0.9, Beta: theory.LogProb(-math.Pow(10, -1+4*r.Float64()))}
		g.Samples = int64((0.3 + 2*r.Float64()) * (2*math.Sqrt(float64(m)) - g.Beta.Ln()) / (g.Tau * g.Tau))
		s := Plan{Samples: g.Samples, Queries: m, Tau: g.Tau, Beta: g.Beta}
		if !Falling.Certifies(s) {
			continue
		}
		feasible++
		total, queries := certify(t, s)
		if queries != m || !(total <= g.Beta) {
			t.Fatalf("%+v: %d queries, beta %v", s, queries, total)
		}
	}
}

// The sum for one noise is at least that of the bound, answer by answer, and close to it.
func TestEvenNoiseSumsTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 150 {
		m := int64(math.Exp(r.Float64() * math.Log(3000)))
		g := Plan{Queries: m, Tau: math.Pow(10, -2*r.Float64()) / 3, Beta: theory.LogProb(-math.Pow(10, -0.5+2*r.Float64()))}
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
		bound, _ := New(g.Samples, Both)
		for range m {
			if _, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: sd}, g.Tau); err != nil {
				t.Fatal(err)
			}
		}
		sum := newEvenNoise(m, Both)
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

// A walk that follows the trail of another comes to the same, but that the orders with the least errors may be others
// where there are two.
func TestTrailsDoNotMislead(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	silent := func(theory.NoiseBlock) bool { return true }
	feasible := 0
	for range 60 {
		m := int64(math.Exp(r.Float64() * math.Log(1e6)))
		g := Plan{Queries: m, Tau: math.Pow(10, -2*r.Float64()) / 3, Beta: theory.LogProb(-math.Pow(10, -0.5+2*r.Float64()))}
		least, ok := Falling.Samples(g)
		if !ok {
			t.Fatalf("%+v: no plan", g)
		}
		var way trail
		for range 12 {
			s := Plan{Samples: int64(float64(least.Samples) * (1 + 0.02*r.NormFloat64())), Queries: m, Tau: g.Tau, Beta: g.Beta}
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
			var other tangent
			other.at(u)
			if got := other.chernoff(b, k, z); got < least-size {
				t.Errorf("b %g, k %g, z %g: %v, and %v at u = %g in place of %g", b, k, z, least, got, u, fresh.u)
			}
		}
	}
}

func TestBoundRefusesNonsense(t *testing.T) {
	nan := math.NaN()
	var domain *theory.DomainError
	for _, n := range []int64{0, -1, theory.MaxSamples + 1} {
		if _, err := New(n, Both); !errors.As(err, &domain) {
			t.Errorf("%d records: %v", n, err)
		}
	}
	bound, _ := New(1000, Both)
	for _, c := range []struct {
		block theory.NoiseBlock
		tau   float64
	}{
		{theory.NoiseBlock{Queries: 0, Scale: 0.1}, 0.1}, {theory.NoiseBlock{Queries: -1, Scale: 0.1}, 0.1},
		{theory.NoiseBlock{Queries: theory.MaxSamples + 1, Scale: 0.1}, 0.1},
		{theory.NoiseBlock{Queries: 1, Scale: -0.1}, 0.1}, {theory.NoiseBlock{Queries: 1, Scale: nan}, 0.1},
		{theory.NoiseBlock{Queries: 1, Scale: math.Inf(1)}, 0.1}, {theory.NoiseBlock{Queries: 2, Scale: 0}, 0.1},
		{theory.NoiseBlock{Queries: 1, Scale: 0.1}, 0}, {theory.NoiseBlock{Queries: 1, Scale: 0.1}, 1},
		{theory.NoiseBlock{Queries: 1, Scale: 0.1}, nan}, {theory.NoiseBlock{Queries: 1, Scale: 0.1}, -0.1},
	} {
		if _, err := bound.Answer(c.block, c.tau); !errors.As(err, &domain) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if total := bound.Total(); total != theory.Zero {
		t.Errorf("nothing answered: %v", total)
	}
	if _, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: 0}, 0.1); err != nil {
		t.Error(err)
	}
	if _, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: 0.1}, 0.1); !errors.As(err, &domain) {
		t.Errorf("a query after one without noise: %v", err)
	}
}

// No noise and no accuracy breaks the bound, and it stays a probability.
func TestBoundStaysAProbability(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	for range 3000 {
		n := int64(math.Exp(r.Float64() * math.Log(theory.MaxSamples)))
		bound, _ := New(n, Both)
		for range 1 + r.IntN(5) {
			block := theory.NoiseBlock{Queries: int64(math.Exp(r.Float64() * math.Log(theory.MaxSamples))),
				Scale: math.Pow(10, -100+200*r.Float64())}
			if r.IntN(2) == 0 {
				block = theory.NoiseBlock{Queries: 1 + r.Int64N(3), Scale: math.Pow(10, -6*r.Float64())}
			}
			p, err := bound.Answer(block, math.Pow(10, -300*math.Pow(r.Float64(), 4))*0.999)
			if err != nil || !(p <= 0) || !(bound.Total() >= p && bound.Total() <= 0) {
				t.Fatalf("n %d, %+v: %v, %v, total %v", n, block, p, err, bound.Total())
			}
		}
	}
}

func TestScheduleRefusesNonsense(t *testing.T) {
	good := Plan{Samples: 2000, Queries: 10, Tau: 0.1, Beta: -3}
	if !Falling.Certifies(good) {
		t.Fatal("the good one is infeasible")
	}
	nan := math.NaN()
	for _, change := range []func(*Plan){
		func(s *Plan) { *s = Plan{} },
		func(s *Plan) { s.Samples = 0 },
		func(s *Plan) { s.Samples = 500 },
		func(s *Plan) { s.Queries = -1 },
		func(s *Plan) { s.Tau = nan },
		func(s *Plan) { s.Tau = -1 },
		func(s *Plan) { s.Tau = 1 },
		func(s *Plan) { s.Beta = 0 },
		func(s *Plan) { s.Beta = theory.Zero },
		func(s *Plan) { s.Beta = theory.LogProb(nan) },
	} {
		bad := good
		change(&bad)
		covered := int64(0)
		for block := range bad.Blocks() {
			covered += block.Queries
		}
		if Falling.Certifies(bad) || covered == bad.Queries && covered > 0 {
			t.Errorf("%+v is feasible, %d queries", bad, covered)
		}
	}
}

// The walk stops when it is told to.
func TestBlocksCanBeLeft(t *testing.T) {
	count := 0
	for range (Plan{Samples: 20_000, Queries: 1000, Tau: 0.1, Beta: -3}).Blocks() {
		if count++; count == 3 {
			break
		}
	}
	if count != 3 {
		t.Error(count)
	}
}
