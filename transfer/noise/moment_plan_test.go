package noise

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// needs is the numbers of records that an independent program found, with one noise for each query.
var needs = []struct {
	values  Moment
	checked bool
	tau     float64
	queries int64
	samples float64
}{
	{Difference{0.02}, false, 0.01, 10, 7412}, {Difference{0.02}, false, 0.01, 100, 28_951},
	{Difference{0.02}, false, 0.01, 1000, 113_263},
	{Difference{0.05}, false, 0.01, 10, 14_942}, {Difference{0.05}, false, 0.01, 100, 52_492},
	{Difference{0.05}, false, 0.01, 1000, 183_747},
	{Difference{0.05}, false, 0.02, 10, 4125}, {Difference{0.05}, false, 0.02, 100, 15_341},
	{Difference{0.1}, false, 0.02, 10, 7397}, {Difference{0.1}, false, 0.02, 100, 25_863},
	{Difference{0.1}, false, 0.02, 1000, 89_537},
	{Difference{0.1}, false, 0.05, 10, 1337}, {Difference{0.1}, false, 0.05, 100, 5042},
	{Difference{0.1}, false, 0.05, 1000, 18_890},
	{Accuracy{0.1}, false, 0.02, 10, 6650}, {Accuracy{0.1}, false, 0.02, 100, 23_150},
	{Accuracy{0.1}, false, 0.02, 1000, 78_700},
	{Accuracy{0.05}, false, 0.02, 10, 3740}, {Accuracy{0.05}, false, 0.02, 100, 13_200},
	{Difference{0.1}, true, 0.02, 10, 7269}, {Difference{0.1}, true, 0.02, 100, 24_859},
	{Difference{0.05}, true, 0.02, 10, 4155}, {Difference{0.1}, true, 0.05, 10, 1351},
	// Where the second moment is no help, it is the joint bound at half the accuracy.
	{Difference{1}, false, 0.02, 10, 69_579}, {Variance{0.25}, false, 0.01, 10, 69_579},
}

// A plan needs at most 0.7 per cent more than was found, and not less than nine tenths.
func TestPlanNeeds(t *testing.T) {
	for _, c := range needs {
		p := design{c.values, c.checked, 1, c.queries, false}.plan(c.tau, lnp(0.05))
		n := leastSamples(t, p)
		if rows := float64(n); !(rows <= 1.007*c.samples && rows >= 0.9*c.samples) {
			t.Errorf("%T%v, checked %v, tau %g, m %d: %d, want about %g",
				c.values, c.values, c.checked, c.tau, c.queries, n, c.samples)
		}
	}
}

// Queries that are answered in blocks, of which the last has many, are certified as one by one, and a little worse.
func TestBlocksOfManyQueries(t *testing.T) {
	total := func(m int64, cut ...int64) float64 {
		b := design{Difference{0.1}, false, 20_000, m, false}.plan(0.1, -3).bound()
		for _, queries := range cut {
			b.answer(b.like(queries, 0.02, 0.13, 0.1), false)
		}
		return b.total
	}
	for _, m := range []int64{2, 10, 100} {
		single := make([]int64, m)
		for i := range single {
			single[i] = 1
		}
		want := total(m, single...)
		for _, cut := range [][]int64{{m}, {m / 2, m - m/2}, {1, m - 1}} {
			if got := total(m, cut...); !(got >= want-1e-9 && got < want+0.2) {
				t.Errorf("%d queries as %v: ln %g, and %g one by one", m, cut, got, want)
			}
		}
	}
}

// The rows grow with the second moment, and no faster once it is well above tau.
func TestRowsGrowWithTheSecondMoment(t *testing.T) {
	for _, m := range []int64{30, 1000} {
		before, share := 0.0, 0.0
		for _, d := range []float64{0.02, 0.1, 0.25, 1} {
			n := float64(leastSamples(t, design{Difference{d}, false, 1, m, false}.plan(0.01, lnp(0.05))))
			if before > 0 && !(n > before && n/before < 1.03*d/share) {
				t.Errorf("m %d: %g rows at %g, %g at %g", m, n, d, before, share)
			}
			before, share = n, d
		}
	}
}

// aPlan is a random plan that is feasible or nearly so.
func aPlan(r *rand.Rand, queries int64) Plan {
	tau := 0.01 * math.Pow(10, r.Float64())
	share := math.Exp(r.Float64()*4-3) * tau * 3
	d, beta := design{Queries: queries}, theory.LogProb(-math.Pow(10, -0.3+1.5*r.Float64()))
	switch r.IntN(5) {
	case 0:
		d.Values = Accuracy{min(share, 0.45)}
	case 1:
		d.Values, d.Checked = Accuracy{min(share, 0.45)}, true
	case 2:
		d.Values = Variance{min(share, 0.25)}
	case 3:
		d.Values, d.Checked = Difference{min(share, 1)}, true
	default:
		d.Values = Difference{min(share, 1)}
	}
	return d.plan(tau, beta)
}

// A feasible plan covers all its queries with noise that falls, and the bound of it, query by query, is at most
// beta, and not far below.
func TestPlansObeyTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(111, 1))
	loosest := 0.0
	for range 36 {
		p := aPlan(r, int64(math.Exp(r.Float64()*math.Log(400))))
		n := leastSamples(t, p)
		p.Samples = n
		bound := p.bound()
		covered, last := int64(0), math.Inf(1)
		for q := range p.shared() {
			if !(q.sd <= last) {
				t.Fatalf("%+v: noise %g after %g", p, q.sd, last)
			}
			last = q.sd
			for range int64(q.count) {
				covered++
				bound.answer(bound.like(1, q.sd, q.share, p.Tau), covered == p.Queries)
			}
		}
		total := bound.Total()
		if covered != p.Queries || !(total <= p.Beta) {
			t.Errorf("%+v: %d queries, beta %v", p, covered, total)
		}
		loosest = max(loosest, (p.Beta.Ln()-total.Ln())/(1-p.Beta.Ln()))
	}
	if t.Logf("most of ln beta that is left: %.3f", loosest); !(loosest < 0.12) {
		t.Error("a plan stays far below its beta")
	}
}

// The bound of a block is at least the bound of its queries one by one; for one noise the errors of the plan are at
// least the bound's.
func TestBlocksAreOnTheSafeSide(t *testing.T) {
	r := rand.New(rand.NewPCG(112, 1))
	for range 60 {
		p := aPlan(r, 1+r.Int64N(150))
		p.Samples = int64(scale(p) / (p.Tau * p.Tau) * math.Exp(r.NormFloat64()/3))
		sd := p.Tau / (3 + 3*r.Float64())
		if r.IntN(3) > 0 {
			sd, _ = p.even()
		}
		blocks, single, errs := p.bound(), p.bound(), p.EvenErrors(sd, 0)
		spent, done := p.spending(), int64(0)
		for block := range p.runs(evenGrain, []theory.NoiseBlock{{Queries: p.Queries, Scale: sd}}) {
			q := blocks.run(block, p.Tau)
			if done += block.Queries; done == p.Queries {
				blocks.spend(&q, spent.last(p.sides))
			} else {
				blocks.spend(&q, spent)
			}
			blocks.answer(q, done == p.Queries)
			for i := range block.Queries {
				single.answer(single.like(1, sd, q.share, p.Tau), done == p.Queries && i == block.Queries-1)
			}
		}
		whole, one := blocks.total, single.total
		if whole > -1e-9 {
			continue // what is not certified need not be summed
		}
		if errs < whole-1e-6 || whole < one-1e-6 {
			t.Errorf("%+v, sd %g: plan %g, by blocks %g, by queries %g", p, sd, errs, whole, one)
		}
	}
}

// More records, a larger tau, a larger beta and fewer queries never make a plan harder.
func TestPlansAreMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(113, 1))
	for i := range 32 {
		noise := []Noise{Falling, Even}[i%2]
		p := aPlan(r, 1+r.Int64N(60))
		found, ok := noise.Samples(p)
		if !ok {
			t.Fatalf("%+v: no number of records is enough", p)
		}
		p.Samples = found.Samples + found.Samples/50
		for _, easier := range []func(*Plan){
			func(p *Plan) { p.Samples += p.Samples / 3 },
			func(p *Plan) { p.Tau *= 1.05 },
			func(p *Plan) { p.Beta *= 0.9 },
			func(p *Plan) { p.Queries = max(p.Queries*9/10, 1) },
		} {
			if q := p; !noise.Certifies(q) {
				t.Errorf("%+v: infeasible with more records than enough", q)
			} else if easier(&q); !noise.Certifies(q) {
				t.Errorf("%+v is feasible and %+v is not", p, q)
			}
		}
	}
}

// Where tau comes near the share, too, one noise for all needs at most half more than noise that falls, and fewer
// records for a larger tau.
func TestEvenNoiseOfLargeErrors(t *testing.T) {
	for _, v := range []Moment{Difference{0.1}, Difference{0.01}, Variance{0.02}, Accuracy{0.05}} {
		for _, m := range []int64{3, 30, 100} {
			last := int64(math.MaxInt64)
			for _, ratio := range []float64{0.2, 0.4, 0.5, 0.65, 0.8, 1} {
				p := design{v, false, 1, m, false}.plan(v.Share()*ratio, lnp(0.05))
				even, ok := Even.Samples(p)
				if falling := leastSamples(t, p); !ok || float64(even.Samples) > 1.5*float64(falling)+5 {
					t.Errorf("%+v: %d with one noise, %d else", p, even.Samples, falling)
				}
				if even.Samples > last {
					t.Errorf("%+v: %d records, %d for less", p, even.Samples, last)
				}
				last = even.Samples
			}
		}
	}
}

// Where a mean cannot be off by tau on the side that counts, every n from the least on is certified: the last query's
// bound does not hang on a rounding.
func TestImpossibleErrors(t *testing.T) {
	for _, p := range []Plan{
		design{Accuracy{0.0104}, false, 1, 60, true}.plan(0.0383, lnp(0.04)),
		design{Accuracy{0.032}, false, 1, 164, true}.plan(0.0615, lnp(0.0043)),
	} {
		n := leastSamples(t, p)
		for p.Samples = n; p.Samples < n+30; p.Samples++ {
			if !Falling.Certifies(p) {
				t.Errorf("%+v is not certified, and %d records are", p, n)
			}
		}
	}
}

// A plan that only its last query fails has an excess that leads back to where it is certified.
func TestExcessIsSmooth(t *testing.T) {
	for _, d := range []float64{0.05, 0.1, 0.25} {
		p := design{Difference{d}, false, 1, 10, false}.plan(0.01, lnp(0.05))
		n := leastSamples(t, p)
		at := func(n int64) float64 {
			p.Samples = n
			_, y := Falling.excess(p, kept{})
			return y
		}
		step := n / 500
		below, root, above := at(n-step), at(n), at(n+step)
		if ratio := (below - root) / (root - above); !(ratio > 0.7 && ratio < 1.4) {
			t.Errorf("share %g: the excess is %g, %g and %g", d, below, root, above)
		}
	}
}

// One noise for all needs more than noise that falls, and less than half more. All unknowns agree.
func TestUnknownsAgree(t *testing.T) {
	for _, m := range []int64{1, 10, 100} {
		p := design{Difference{0.1}, false, 1, m, false}.plan(0.02, lnp(0.05))
		var rows [2]float64
		for i, noise := range []Noise{Falling, Even} {
			found, ok := noise.Samples(p)
			if !ok {
				t.Fatal("no answer")
			}
			rows[i] = float64(found.Samples)
			q := p
			q.Samples = found.Samples
			tau, run := noise.LeastTau(q)
			if !(tau <= p.Tau*(1+1e-6) && tau >= p.Tau*(1-2/rows[i])) || !(run.First >= run.Last) {
				t.Errorf("m %d: tau %g, noise %+v", m, tau, run)
			}
			beta := noise.LeastBeta(q)
			if !(beta.Ln() <= p.Beta.Ln()*(1-1e-6) && beta.Ln() >= p.Beta.Ln()*(1+10/rows[i])-0.01) {
				t.Errorf("m %d: beta %v", m, beta)
			}
			for _, other := range []Plan{{q.Theorem, q.Samples, m, tau, p.Beta}, {q.Theorem, q.Samples, m, p.Tau, beta}} {
				if !noise.Certifies(other) && !noise.Certifies(Plan{q.Theorem, q.Samples, m, other.Tau, other.Beta * (1 - 1e-6)}) {
					t.Errorf("%+v is not certified", other)
				}
			}
		}
		if rows[1] < 0.98*rows[0] || rows[1] > 1.5*rows[0] {
			t.Errorf("m %d: %g with one noise, %g else", m, rows[1], rows[0])
		}
	}
}

// leastSamples is the least number of records with noise that falls.
func leastSamples(t *testing.T, p Plan) int64 {
	t.Helper()
	found, ok := Falling.Samples(p)
	if !ok {
		t.Fatalf("%+v: no number of records is enough", p)
	}
	return found.Samples
}

func TestBadInput(t *testing.T) {
	nan := math.NaN()
	good := design{Difference{0.1}, false, 1000, 10, false}
	for _, d := range []design{
		{}, {nil, false, 1000, 10, false}, {Difference{0}, false, 1000, 10, false},
		{Difference{1.1}, false, 1000, 10, false}, {Difference{nan}, false, 1000, 10, false},
		{Accuracy{0.5}, false, 1000, 10, false}, {Accuracy{0}, false, 1000, 10, false},
		{Accuracy{nan}, false, 1000, 10, false}, {Variance{0.26}, false, 1000, 10, false},
		{Variance{nan}, false, 1000, 10, false}, {Variance{0.1}, true, 1000, 10, false},
		{Difference{0.1}, false, 0, 10, false}, {Difference{0.1}, false, 1000, 0, false},
		{Difference{0.1}, false, theory.MaxSamples + 1, 10, false},
		{Difference{0.1}, false, 1000, theory.MaxSamples + 1, false},
	} {
		if Falling.Certifies(d.plan(0.02, -3)) || Even.Certifies(d.plan(0.02, -3)) {
			t.Errorf("%+v is feasible", d)
		}
	}
	for _, p := range []Plan{
		{}, good.plan(0, -3), good.plan(nan, -3), good.plan(2, -3), good.plan(0.02, 0), good.plan(0.02, theory.Zero),
		good.plan(0.02, theory.LogProb(nan)),
	} {
		if _, ok := Falling.Samples(p); ok || Falling.Certifies(p) || Even.Certifies(p) {
			t.Errorf("%+v is certified", p)
		}
		for b := range p.Blocks() {
			t.Errorf("%+v: %+v", p, b)
		}
	}
	// There is no proof for noise that is cut, however little.
	p := good.plan(0.1, -3)
	var missing *theory.NotApplicableError
	if _, err := p.Certified([]theory.NoiseBlock{{Queries: 10, Scale: 0.01, Cut: 8}}); !errors.As(err, &missing) {
		t.Errorf("noise that is cut: %v", err)
	}
	if ln := p.EvenErrors(0.01, 8); !math.IsInf(ln, 1) {
		t.Errorf("one noise that is cut: %v", ln)
	}
}

// No noise, no accuracy and no share breaks the bound, and it stays a probability.
func TestLowVarianceStaysAProbability(t *testing.T) {
	r := rand.New(rand.NewPCG(114, 1))
	for range 1500 {
		p := aPlan(r, 1+r.Int64N(1000))
		p.Samples = int64(math.Exp(r.Float64() * math.Log(theory.MaxSamples)))
		bound := p.bound()
		for range 1 + r.IntN(4) {
			tau := math.Pow(10, -300*math.Pow(r.Float64(), 4)) * 0.999
			q := bound.like(1+r.Int64N(p.Queries), math.Pow(10, -100+200*r.Float64()), p.share(), tau)
			if r.IntN(2) == 0 {
				q.sd = math.Pow(10, -6*r.Float64())
			}
			if !p.checked {
				q.share += (1 - q.share) * math.Pow(r.Float64(), 3)
			}
			answers, shares := bound.answer(q, false)
			if !(answers <= 0 && shares <= 0) || !(bound.Total().Ln() >= answers && bound.Total() <= 0) {
				t.Fatalf("%+v, %+v: %v, %v, total %v", p, q, answers, shares, bound.Total())
			}
		}
	}
}

// What a run's answers reveal is known only once its share is: where a second moment is far below tau and beta is
// small, a guess from the run before falls short by far. The errors of the plan's own blocks sum to at most beta.
func TestSharesAreSpentOnce(t *testing.T) {
	for _, share := range []float64{0.0005, 0.001, 0.02} {
		for _, queries := range []int64{100, 1000} {
			for _, beta := range []float64{0.05, 1e-3, 1e-6, 1e-20} {
				p := design{Values: Difference{share}, Queries: queries}.plan(0.01, lnp(beta))
				found, ok := Falling.Samples(p)
				if p.Samples = found.Samples; !ok {
					t.Fatalf("%+v: no plan", p)
				}
				bound := p.bound()
				var noise []theory.NoiseBlock
				done := int64(0)
				for q := range p.shared() {
					done += int64(q.count)
					bound.answer(q, done == queries)
					noise = append(noise, theory.NoiseBlock{Queries: int64(q.count), Scale: q.sd})
				}
				if total := bound.Total(); !(total <= p.Beta) {
					t.Errorf("%+v: the sum of the errors is beta times e^%.3g", p, total.Ln()-p.Beta.Ln())
				}
				again, err := p.Certified(noise)
				if err != nil || again.Ln() > p.Beta.Ln()+1e-3*math.Abs(p.Beta.Ln()) {
					t.Errorf("%+v: its noise is certified at ln beta %v, %v", p, again.Ln(), err)
				}
			}
		}
	}
}

// The noise of a plan is certified by itself, also where the errors have several minima over the orders.
func TestNoiseOfAPlanIsCertified(t *testing.T) {
	for _, p := range []Plan{
		design{Values: Difference{0.72471712880316}, Queries: 2, OneSided: true}.plan(0.01, -18.145635227639275),
		design{Values: Accuracy{0.4420299805300497}, Queries: 200}.plan(0.05, -101.30109969875205),
		design{Values: Difference{0.4420299805300497}, Queries: 200}.plan(0.05, -101.30109969875205),
		design{Values: Accuracy{0.10701376777497752}, Checked: true, Queries: 200}.plan(0.01, -178.36069678840312),
		design{Values: Difference{0.10701376777497752}, Checked: true, Queries: 200}.plan(0.01, -178.36069678840312),
	} {
		found, ok := Falling.Samples(p)
		if p.Samples = found.Samples; !ok {
			t.Fatalf("%+v: no plan", p)
		}
		noise := slices.Collect(p.Blocks())
		if got, err := p.Certified(noise); err != nil || got > p.Beta {
			t.Errorf("%+v: %v, %v", p, got, err)
		}
	}
}

// Noise of plans of the least rows, made when their last query had no share, stays certified.
func TestNoiseOfFirstPlans(t *testing.T) {
	for _, c := range []struct {
		share float64
		rows  int64
		noise []float64
	}{
		{0.02, 2461, []float64{0.002531498363403453, 0.000924929305164505}},
		{0.01, 2024, []float64{0.003025912075996475, 0.002108646495535268, 0.0009476035771882325}},
	} {
		d := design{Values: Difference{c.share}, Samples: c.rows, Queries: int64(len(c.noise))}
		var noise []theory.NoiseBlock
		for _, sd := range c.noise {
			noise = append(noise, theory.NoiseBlock{Queries: 1, Scale: sd})
		}
		if got, err := d.plan(0.01, lnp(0.05)).Certified(noise); err != nil || got > lnp(0.05) {
			t.Errorf("share %g: %v, %v", c.share, got, err)
		}
	}
}

// The best constant noise is found where the variance lemma ends at a little less of it.
func TestEvenNoiseWhereTheLemmaEnds(t *testing.T) {
	for _, p := range []Plan{
		design{Difference{0.0124}, false, 2543, 13, false}.plan(0.0412, -5.68),
		design{Accuracy{0.0033}, false, 19_404, 351, false}.plan(0.0154, -1.37),
	} {
		_, got := p.even()
		least := math.Inf(1)
		for z := 2.0; z < 12; z *= 1.05 {
			least = min(least, p.EvenErrors(p.Tau/z, 0)-p.Beta.Ln())
		}
		if !(least < 0) || !(got < least+0.02) {
			t.Errorf("%+v: ln of the errors %g, and %g with other noise", p, got, least)
		}
	}
}
