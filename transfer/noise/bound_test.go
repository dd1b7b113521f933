package noise

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Answers add up to what the theorems say: never below, and above by what the cells and the counting for the last
// of a block cost.
func TestBoundIsTheTheorem(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	pick := func(lo, hi float64) float64 { return lo * math.Exp(r.Float64()*math.Log(hi/lo)) }
	low, high, counted := math.Inf(1), 0., 0
	for range 120 {
		n := int64(pick(10, 1e6))
		sides := Sides(r.IntN(2))
		b, _ := New(n, sides)
		var answers []given
		var got []float64 // of each block, with how many answers there are then
		var ends []int
		most := 1 + 2*r.Int64N(2)
		for range 1 + r.IntN(5) {
			if r.IntN(3) == 0 {
				n = int64(float64(n) * pick(1, 30))
				if err := b.Grow(n); err != nil {
					t.Fatal(err)
				}
			}
			g := given{n: float64(n), tau: min(0.9, pick(1.5, 8)/math.Sqrt(float64(n)))}
			if r.IntN(3) > 0 {
				g.cut = pick(1, 4)
			}
			g.sd = g.tau * pick(0.1, 0.9)
			block := theory.NoiseBlock{Queries: 1 + r.Int64N(most), Scale: g.sd, Cut: g.cut}
			errors, err := b.Answer(block, g.tau)
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, slices.Repeat([]given{g}, int(block.Queries))...)
			got, ends = append(got, errors.Value()), append(ends, len(answers))
		}
		_, each := sumOfErrors(sides, answers)
		begin := 0
		for i, end := range ends {
			want := 0.
			for _, eps := range each[begin:end] {
				want += eps
			}
			if begin = end; want >= 0.999 {
				continue
			}
			counted++
			ratio := got[i] / want
			if low = min(low, ratio); most == 1 {
				high = max(high, ratio)
			}
			if !(ratio > 1-1e-5) { // the steps of the integral
				t.Errorf("%v, %+v: %v, by the theorem %v", sides, answers[:end], got[i], want)
			}
		}
	}
	t.Logf("%d answers: from %v to %v times the theorem", counted, low, high)
	if !(high < 1.03) || counted < 150 {
		t.Errorf("%d answers, up to %v times the theorem", counted, high)
	}
}

// certify replays a schedule, query by query.
func certify(t *testing.T, s Plan) (total theory.LogProb, queries int64) {
	t.Helper()
	bound, err := New(s.Samples, s.sides)
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
			if _, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: block.Scale, Cut: block.Cut}, s.Tau); err != nil {
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
		s := Plan{Theorem: Joint(Both), Samples: g.Samples, Queries: m, Tau: g.Tau, Beta: g.Beta}
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

// What is said of the best noise is what its errors sum to, also where no noise is of use.
func TestEvenNoiseIsWhatItSays(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	values := []Values{interval{}, Difference{0.1}, Variance{0.01}, Accuracy{0.02}}
	for i := range 200 {
		p := Plan{Samples: int64(math.Exp(9 * r.Float64())), Queries: 1 + int64(math.Exp(5*r.Float64()-2)),
			Tau: math.Exp(-0.1 - 6*r.Float64()), Beta: theory.LogProb(-math.Exp(6*r.Float64() - 3))}
		p.Theorem = Theorem{values: values[i%4], sides: Sides(i / 4 % 2)}
		sd, excess := p.even()
		ln := p.aboutErrors(evenGrain, sd, p.EvenCut()) - p.Beta.Ln()
		if excess < 1e9 && math.Abs(ln-excess) > 1e-4*(1+math.Abs(ln)) {
			t.Errorf("%+v: the best noise %v errs with ln %v of beta, not %v", p, sd, ln, excess)
		}
		if ln := p.EvenErrors(sd, p.EvenCut()) - p.Beta.Ln(); ln > excess+1e-4*(1+math.Abs(ln)) {
			t.Errorf("%+v: the best noise %v is certified for ln %v of beta, not %v", p, sd, ln, excess)
		}
	}
}

// Where too few records certify nothing, one noise for all does not either, whatever the accuracy that is asked for.
func TestEvenNoiseOfHopelessPlans(t *testing.T) {
	for _, tau := range []float64{0, 3.16e-7, 0.1, 0.999} {
		p := Plan{Theorem: Joint(Both), Samples: 10, Queries: 50, Tau: tau, Beta: -3}
		if got, run := Even.LeastTau(p); got < 1 || tau > 0 && Even.Certifies(p) {
			t.Errorf("tau %v: %v with %+v", tau, got, run)
		}
	}
}

// Rows that one noise makes enough for a failure probability are enough for a greater one, however much it is greater.
func TestEvenNoiseOfGreaterBeta(t *testing.T) {
	p := Plan{Theorem: Joint(Both), Queries: 2, Tau: 0.2, Beta: -10_000}
	found, _ := Even.Samples(p)
	for p.Samples = found.Samples; p.Beta < -1; p.Beta *= 0.9 {
		if !Even.Certifies(p) {
			t.Errorf("%+v is not certified", p)
		}
	}
}

func TestScheduleRefusesNonsense(t *testing.T) {
	good := Plan{Theorem: Joint(Both), Samples: 2000, Queries: 10, Tau: 0.1, Beta: -3}
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
	for range (Plan{Theorem: Joint(Both), Samples: 20_000, Queries: 1000, Tau: 0.1, Beta: -3}).Blocks() {
		if count++; count == 3 {
			break
		}
	}
	if count != 3 {
		t.Error(count)
	}
}

// The sum for one noise is at least what the theorems say, answer by answer, and close to it.
func TestEvenNoiseSumsTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for i := range 60 {
		m := int64(math.Exp(r.Float64() * math.Log(300)))
		g := Plan{Queries: m, Tau: math.Pow(10, -2*r.Float64()) / 3, Beta: theory.LogProb(-math.Pow(10, -0.5+2*r.Float64()))}
		g.Theorem = Joint(Sides(i % 2))
		g.Samples = int64((0.8 + r.Float64()) * (2.5*math.Sqrt(float64(m)) - g.Beta.Ln()) / (g.Tau * g.Tau))
		sd, _ := g.even()
		cut := []float64{g.EvenCut(), 3.5, 0}[i%3]
		answers := slices.Repeat([]given{{float64(g.Samples), g.Tau, sd, cut}}, int(m))
		sum, _ := sumOfErrors(g.sides, answers)
		got, want := g.EvenErrors(sd, cut), math.Log(sum)
		if !(got >= want-1e-5) || want < -1 && !(got <= want+0.1+0.04*math.Abs(want)) {
			t.Errorf("%+v, sd %g, cut %g: ln of the sum %v, by answers %v", g, sd, cut, got, want)
		}
	}
}

// somePlan is for up to so many queries. The logarithm to base 10 of -ln beta begins where that says and spans so much.
func somePlan(r *rand.Rand, queries, least, span float64) Plan {
	return Plan{
		Queries: 1 + int64(math.Exp(r.Float64()*math.Log(queries))), Tau: math.Pow(10, -0.5-2*r.Float64()),
		Beta: theory.LogProb(-math.Pow(10, least+span*r.Float64())), Theorem: Joint(Sides(r.IntN(2))),
	}
}

// fewer is how many rows are too few: one, and of many queries one in 10,000, which a search may miss.
func fewer(p Plan) int64 {
	if p.Queries <= few {
		return 1
	}
	return 1 + p.Samples/10_000
}

// What a search returns is certified. With fewer rows, or less than the least tau, it is not. The least tau does not
// depend on the tau that the search begins with, and is as close to the tau of the least rows as a row and one in
// 10,000: the excess jumps, by what a row makes or less, as the search for a run's noise ends a look earlier or later.
func TestLeastIsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(172, 1))
	plans := []Plan{
		{Theorem: Joint(Above), Queries: 89515, Tau: 0.63235227095653568, Beta: -84.756089099820628},
		{Theorem: Joint(Above), Queries: 2421, Tau: 0.26352464033838963, Beta: -0.91952722115981211},
		{Theorem: Joint(Both), Queries: 11, Tau: 0.0022760373385648813, Beta: -0.0079128798414179729},
		{Theorem: Joint(Both), Queries: 22, Tau: 0.00047326023050606343, Beta: -0.75429599915441481},
	}
	for range lawtest.Draws(t, 150) {
		plans = append(plans, somePlan(r, 1e5, -0.5, 2))
	}
	for _, p := range plans {
		found, ok := Falling.Samples(p)
		if p.Samples = found.Samples; !ok || found.Tau > p.Tau {
			t.Fatalf("%+v: %+v", p, found)
		}
		if total, queries := certify(t, p); queries != p.Queries || !(total <= p.Beta) {
			t.Errorf("%+v: %d queries, beta %v", p, queries, total)
		}
		less := p
		if less.Samples -= fewer(less); less.Samples > 0 && Falling.Certifies(less) {
			t.Errorf("%+v is certified, below the answer", less)
		}
		if p.Tau = found.Tau; !Falling.Certifies(p) {
			t.Errorf("%+v: its own answer is not certified", p)
		}
		var taus []float64
		for _, part := range []float64{0, 1e-13, 1e-10, 3e-9, 1e-8, 1} {
			from := p
			from.Tau *= 1 - part
			tau, _ := Falling.LeastTau(from)
			if rows := 2 * float64(p.Samples) * math.Log(found.Tau/tau); !(math.Abs(rows) < 1+float64(p.Samples)/10_000) {
				t.Errorf("%+v: the least tau is %v, %v rows less", p, tau, rows)
			}
			taus = append(taus, tau)
		}
		for _, tau := range taus {
			if p.Tau = tau; !Falling.Certifies(p) {
				t.Errorf("%+v: its own answer is not certified", p)
			}
			if p.Tau = tau * (1 - 2.5e-8); Falling.Certifies(p) {
				t.Errorf("%+v is certified, below the least tau of %.17g", p, tau)
			}
		}
	}
}

// One noise needs at most two thousandths more rows than it certifies, where a sum has several minima too, and no row
// more for few queries.
func TestLeastRowsOfOneNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(173, 1))
	plans := []Plan{{Theorem: Joint(Above), Queries: 2, Tau: 0.037244677237058585, Beta: -0.021310397907397777}}
	for range 300 {
		plans = append(plans, somePlan(r, 1e4, -2, 3))
	}
	for _, p := range plans {
		found, ok := Even.Samples(p)
		if p.Samples = found.Samples; !ok || !Even.Certifies(p) {
			t.Errorf("%+v: %+v", p, found)
		}
		if p.Samples--; p.Queries > 8 {
			p.Samples -= p.Samples / 500
		}
		if p.Samples > 0 && Even.Certifies(p) {
			t.Errorf("%+v is certified, below the answer", p)
		}
	}
}

// Coarse runs, with as many more rows as a fit says, are certified for about the rows of the plan's own: a search that
// begins there has few steps left.
func TestCoarseRunsAskForHowManyMore(t *testing.T) {
	for _, m := range []int64{10, 100, 10_000, 1_000_000} {
		for _, beta := range []theory.LogProb{lnp(0.5), lnp(0.05), lnp(1e-9)} {
			p := Plan{Theorem: Joint(Both), Queries: m, Tau: 0.05, Beta: beta}
			found, _ := Falling.Samples(p)
			for share, enough := range map[float64]bool{0.98: false, 1.02: true} {
				p.Samples = int64(share * float64(found.Samples))
				if excess := Falling.rough(p); excess <= 0 != enough {
					t.Errorf("%+v: rough excess %v at %v of %d rows", p, excess, share, found.Samples)
				}
			}
		}
	}
}

// Of few queries one noise has minima that are far apart, and where beta is near one hardly a record may be enough.
// There the excess is not monotone: a search may stop some hundredths above the least.
func TestLeastRowsOfFewQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(174, 1))
	plans := []Plan{
		{Theorem: Joint(Above), Queries: 2, Tau: 0.00051593, Beta: lnp(0.8626)},
		{Theorem: Joint(Above), Queries: 1, Tau: 0.00025, Beta: -7e-12},
		{Theorem: Joint(Both), Queries: 1, Tau: 0.00026, Beta: lnp(0.783)},
		{Theorem: Joint(Above), Queries: 2, Tau: 1e-7, Beta: -1e-12},
	}
	for range 200 {
		plans = append(plans, Plan{
			Theorem: Joint(Sides(r.IntN(2))), Queries: 1 + r.Int64N(4), Tau: math.Exp(-0.1 - 9*r.Float64()),
			Beta: theory.LogProb(math.Log1p(-math.Exp(-0.01 - 20*r.Float64()))),
		})
	}
	for i, p := range plans {
		noise := []Noise{Falling, Even}[i/4%2]
		found, ok := noise.Samples(p)
		if p.Samples = found.Samples; !ok || !noise.Certifies(p) {
			t.Errorf("%d, %+v: %+v", i/4%2, p, found)
		}
		for _, share := range []float64{0.1, 0.5, 0.9, 0.96} {
			less := p
			if less.Samples = int64(share*float64(p.Samples)) - 1; less.Samples > 0 && noise.Certifies(less) {
				t.Errorf("%d, %+v is certified, %v of the answer", i/4%2, less, share)
				break
			}
		}
	}
}

// The most queries are about those that a search by halves finds, which asks for every plan whether it is certified.
func TestMostQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(4107, 42))
	for i := range 24 {
		p := Plan{Theorem: Joint(Both), Samples: int64(math.Exp(4 + 12*r.Float64())), Tau: math.Exp(-1.2 - 5*r.Float64()),
			Beta: theory.LogProb(-math.Exp(3*r.Float64() - 0.5))}
		p.Theorem = Joint(SidesOf(r.IntN(3) == 0))
		noise := []Noise{Even, Falling}[i%2]
		got, want, one := noise.MostQueries(p), int64(0), p
		if one.Queries = 1; noise.Certifies(one) {
			want = num.Ints{Lo: 1, Hi: theory.MaxSamples, Guess: 1}.Greatest(func(m int64) bool {
				one.Queries = m
				return noise.Certifies(one)
			})
		}
		if one.Queries = got; got != want && (float64(got) < float64(want)*(1-1e-5) || !noise.Certifies(one)) {
			t.Errorf("%d, %+v: %d queries, want %d", i%2, p, got, want)
		}
	}
}

// The sum for one noise grows with the number of queries: runs end where the runs of more queries do.
func TestSumOfOneNoiseGrows(t *testing.T) {
	for _, sides := range []Sides{Both, Above} {
		for _, sd := range []float64{0.001259327, 0.004} {
			last := math.Inf(-1)
			for _, from := range []int64{1, 9_950, 99_950} {
				for m := from; m < from+200; m++ {
					p := Plan{Theorem: Joint(sides), Samples: 12_650_302, Queries: m, Tau: 0.01}
					ln := p.EvenErrors(sd, 4.1663)
					if !(ln >= last-1e-12*math.Abs(last)) {
						t.Fatalf("%v, sd %g: ln errors %v of %d queries, %v of one fewer", sides, sd, ln, m, last)
					}
					last = ln
				}
			}
		}
	}
}

// One noise that a search with other cells has found stays certified: ledgers carry it.
func TestEarlierEvenNoise(t *testing.T) {
	for _, c := range []struct {
		Plan
		sd float64
	}{
		{Plan{Joint(Above), 4760577, 4123, 0.006955454368762915, -2.195604331980535}, 0.000950263683},
		{Plan{Joint(Both), 32650575, 94277, 0.006306283047040591, -4.098418562836213}, 0.000781433823},
		{Plan{Joint(Above), 187669, 88872, 0.08239637226180732, -4.563390112756969}, 0.0103825909},
		{Plan{Joint(Both), 18406504, 97406, 0.008477351594741899, -4.289581427424983}, 0.00104797982},
	} {
		if ln := c.EvenErrors(c.sd, c.EvenCut()); !(ln <= c.Beta.Ln()) {
			t.Errorf("%+v: ln errors %v of the noise %v", c.Plan, ln, c.sd)
		}
	}
}

// The cut of a plan is near the best one: for ordinary goals the plan needs at most three thousandths more records than
// with any of a grid of cuts or without one, or one more, and for rare failures at most a hundredth more.
func TestCutIsNearlyBest(t *testing.T) {
	least := func(p Plan, cut float64) int64 {
		holds := func(n int64) bool {
			p.Samples = n
			return p.walk(p.runLengths(), cut, func(run) bool { return true }) <= 0
		}
		low, high := int64(0), int64(1)
		for !holds(high) {
			low, high = high, 4*high
		}
		for high-low > max(1, low/5000) {
			if n := (low + high) / 2; holds(n) {
				high = n
			} else {
				low = n
			}
		}
		return high
	}
	picker := lawtest.Pick(t)
	for _, c := range []struct {
		taus, betas []float64
		queries     []int64
		share       float64
	}{
		{[]float64{0.03, 0.1}, []float64{-0.7, -3, -14, -27.6}, []int64{2, 20, 1000, 100_000}, 0.003},
		{[]float64{0.1, 0.3}, []float64{-46, -92, -1000, -10_000}, []int64{2, 20, 1000, 10_000}, 0.01},
	} {
		for _, tau := range c.taus {
			for _, ln := range c.betas {
				for _, m := range c.queries {
					if !picker.Takes(fmt.Sprint(tau, ln, m), fmt.Sprint("tau ", tau), fmt.Sprint("beta ", ln), fmt.Sprint("queries ", m)) {
						continue
					}
					p := Plan{Theorem: Joint(Both), Queries: m, Tau: tau, Beta: theory.LogProb(ln)}
					rows := least(p, p.Cut())
					best := least(p, 0)
					for cut := max(1, p.Cut()-1.25); cut < p.Cut()+0.8; cut += 0.25 {
						best = min(best, least(p, cut))
					}
					if float64(rows) > (1+c.share)*float64(best)+1 {
						t.Errorf("tau %v, ln beta %v, %d queries: %d records, and %d at the best cut", tau, ln, m, rows, best)
					}
				}
			}
		}
	}
}
