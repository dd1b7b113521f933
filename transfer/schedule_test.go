package transfer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

const oneIn20 = theory.LogProb(-2.99573227355399099)

// worst evaluates the theorem on a schedule as it is stated, query by query, and
// returns the largest sd_j Q + t_j and the number of queries. It is +Inf where (n-2)
// d_j reaches one.
func worst(s NoiseSchedule) (tau float64, queries int64) {
	n, a := float64(s.Samples), s.Order
	q := num.MaxNormalQuantile(s.Queries, s.NoiseBeta.Ln())
	var precisions, sum float64
	for block := range s.Blocks() {
		for range block.Queries {
			r := a / (4 * n * n) * precisions
			d := math.Pow(math.Expm1(r), 2) / 4
			if !((n-2)*d < 1) {
				return math.Inf(1), queries
			}
			h := (n - 1) * d / (1 - (n-2)*d)
			sum += math.Log1p(a*(1+h)/(4*n*block.SD*block.SD)) / 2
			precisions += 1 / (block.SD * block.SD)
			t := math.Sqrt((sum - a/(a-1)*s.ShiftBeta.Ln()) / (2 * n))
			tau = max(tau, block.SD*q+t)
			queries++
		}
	}
	return tau, queries
}

func TestScheduleObeysTheTheorem(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	feasible := 0
	for feasible < 150 {
		m := int64(math.Exp(r.Float64() * math.Log(30000)))
		g := Goal{Queries: m, Tau: math.Pow(10, -3*r.Float64()) * 0.9, Beta: theory.LogProb(-math.Pow(10, -2+4*r.Float64()))}
		g.Samples = int64((1 + 3*r.Float64()) * (3*math.Sqrt(float64(m)) - g.Beta.Ln()) / (g.Tau * g.Tau))
		s := bestSchedule(g)
		if !(s.ShiftBeta.Value()+s.NoiseBeta.Value() <= g.Beta.Value()*(1+1e-15)) {
			t.Fatalf("%+v: spends %v and %v", g, s.ShiftBeta, s.NoiseBeta)
		}
		if !s.Feasible() {
			continue
		}
		feasible++
		tau, queries := worst(s)
		if queries != m || !(tau <= g.Tau) || m <= singly && !(tau >= g.Tau*(1-1e-9)) {
			t.Fatalf("%+v: %d queries, tau %.17g", s, queries, tau)
		}
	}
}

// scheduleSamples and planSamples are the least n at beta = 0.05.
func scheduleSamples(m int64, tau float64) int64 {
	return num.Ints{Lo: 1, Hi: 1 << 50, Guess: int64(4 * math.Sqrt(float64(m)) / tau / tau)}.Least(func(n int64) bool {
		return bestSchedule(Goal{Samples: n, Queries: m, Tau: tau, Beta: oneIn20}).Feasible()
	})
}

func planSamples(m int64, tau float64, beta theory.LogProb) int64 {
	return num.Ints{Lo: 1, Hi: 1 << 50, Guess: int64(4 * math.Sqrt(float64(m)) / tau / tau)}.Least(func(n int64) bool {
		_, reached := bestGaussianPlan(Goal{Samples: n, Queries: m, Tau: tau, Beta: beta})
		return reached <= tau
	})
}

// The optimum over a grid of orders and splits, each at the exact theorem, is not
// more than one part in a thousand below.
func TestScheduleIsNearlyOptimal(t *testing.T) {
	for _, c := range []struct {
		queries, samples int64
	}{{1, 399}, {2, 517}, {10, 1084}, {100, 3484}, {1000, 11721}, {10_000, 42546}, {1_000_000, 726300}} {
		n := scheduleSamples(c.queries, 0.1)
		if math.Abs(float64(n)/float64(c.samples)-1) > 1e-3 {
			t.Errorf("m = %d: n = %d, want about %d", c.queries, n, c.samples)
		}
		s := bestSchedule(Goal{Samples: n, Queries: c.queries, Tau: 0.1, Beta: oneIn20})
		s.Samples = int64(float64(n) * 0.999)
		if s.Samples == n {
			s.Samples--
		}
		a, w := s.Order, s.ShiftBeta.Ln()-s.NoiseBeta.Ln()
		for _, dv := range []float64{-0.4, -0.2, -0.1, 0, 0.1, 0.2, 0.4} {
			for _, dw := range []float64{-0.6, -0.3, 0, 0.3, 0.6} {
				shift, noise := split(oneIn20.Ln(), w+dw)
				s.Order, s.ShiftBeta, s.NoiseBeta = 1+(a-1)*math.Exp(dv), theory.LogProb(shift), theory.LogProb(noise)
				if s.Feasible() {
					t.Fatalf("m = %d: %d samples do with order %g, split %g", c.queries, s.Samples, s.Order, w+dw)
				}
			}
		}
	}
}

func TestScheduleRefusesNonsense(t *testing.T) {
	good := NoiseSchedule{Samples: 2000, Queries: 10, Tau: 0.1, Order: 2, ShiftBeta: -4, NoiseBeta: -4}
	if !good.Feasible() {
		t.Fatal("the good one is infeasible")
	}
	nan := math.NaN()
	for _, change := range []func(*NoiseSchedule){
		func(s *NoiseSchedule) { *s = NoiseSchedule{} },
		func(s *NoiseSchedule) { s.Samples = 0 },
		func(s *NoiseSchedule) { s.Queries = -1 },
		func(s *NoiseSchedule) { s.Tau = nan },
		func(s *NoiseSchedule) { s.Tau = -1 },
		func(s *NoiseSchedule) { s.Order = 1 },
		func(s *NoiseSchedule) { s.Order = nan },
		func(s *NoiseSchedule) { s.ShiftBeta = 0 },
		func(s *NoiseSchedule) { s.NoiseBeta = theory.Zero },
		func(s *NoiseSchedule) { s.NoiseBeta = theory.LogProb(nan) },
		func(s *NoiseSchedule) { s.Samples = 100 },
		func(s *NoiseSchedule) { s.Queries = 1 << 53 },
	} {
		s := good
		change(&s)
		if s.Feasible() {
			t.Errorf("%+v is feasible", s)
		}
	}
}

// Independent optima, within 0.1% of the least n.
func TestGaussianPlanVectors(t *testing.T) {
	for _, c := range []struct {
		queries   int64
		tau, beta float64
		upper     int64
	}{
		{1, 0.1, 0.05, 400}, {10, 0.05, 0.05, 5750}, {1000, 0.1, 0.05, 16965}, {100_000, 0.02, 0.01, 4722066},
		{10, 0.1, 0.05, 1484}, {10_000, 0.1, 0.05, 59354},
	} {
		n := planSamples(c.queries, c.tau, theory.LogProb(math.Log(c.beta)))
		if !(n <= c.upper && float64(n) >= 0.98*float64(c.upper)) {
			t.Errorf("m = %d, tau = %g: n = %d, want at most %d", c.queries, c.tau, n, c.upper)
		}
	}
}

// A constant noise is one of the schedules: the best schedule needs no more samples,
// where the theorem's range does not cut it short.
func TestScheduleBeatsConstantNoise(t *testing.T) {
	for _, m := range []int64{1, 3, 30, 3000, 300_000} {
		if a, b := scheduleSamples(m, 0.05), planSamples(m, 0.05, oneIn20); a > b {
			t.Errorf("m = %d: schedule %d, constant %d", m, a, b)
		}
	}
}

func BenchmarkSchedule(b *testing.B) {
	for _, c := range []struct {
		name             string
		queries, samples int64
	}{{"10", 10, 1100}, {"1000", 1000, 11750}, {"1e6", 1_000_000, 730_000}} {
		g := Goal{Samples: c.samples, Queries: c.queries, Tau: 0.1, Beta: oneIn20}
		s := bestSchedule(g)
		b.Run("feasible/"+c.name, func(b *testing.B) {
			for b.Loop() {
				s.Feasible()
			}
		})
		b.Run("best/"+c.name, func(b *testing.B) {
			for b.Loop() {
				bestSchedule(g)
			}
		})
	}
	b.Run("solve/1000", func(b *testing.B) {
		for b.Loop() {
			scheduleSamples(1000, 0.1)
		}
	})
}

func BenchmarkGaussianPlan(b *testing.B) {
	b.Run("best", func(b *testing.B) {
		for b.Loop() {
			bestGaussianPlan(Goal{Samples: 16950, Queries: 1000, Tau: 0.1, Beta: oneIn20})
		}
	})
	b.Run("solve", func(b *testing.B) {
		for b.Loop() {
			planSamples(1000, 0.1, oneIn20)
		}
	})
}
