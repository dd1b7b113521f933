package lowvariance

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/internal/walks"
)

func lnp(p float64) theory.LogProb { return theory.LogProb(math.Log(p)) }

// needs is the numbers of records that an independent program found, with one noise for each query.
var needs = []struct {
	values  Values
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
		p := Plan{Design{c.values, c.checked, 1, c.queries, false}, c.tau, lnp(0.05)}
		n := leastSamples(t, p)
		if rows := float64(n); !(rows <= 1.007*c.samples && rows >= 0.9*c.samples) {
			t.Errorf("%T%v, checked %v, tau %g, m %d: %d, want about %g",
				c.values, c.values, c.checked, c.tau, c.queries, n, c.samples)
		}
	}
}

// Whatever a search has walked before, a certified walk is that of the plan alone; a walk on a trail is close to it.
func TestWalksDoNotDependOnOthers(t *testing.T) {
	for _, v := range []Values{Difference{0.02}, Difference{0.25}, Accuracy{0.1}} {
		for _, m := range []int64{1, 10, 300} {
			p := Plan{Design{v, false, 1, m, false}, 0.02, lnp(0.05)}
			c, n := Falling.chooser().(*falling), leastSamples(t, p)
			for _, rows := range []int64{n + n/7, n, n - n/50, n + 1, n + n/1000} {
				p.Samples = rows
				c.near(p)
				want := p.schedule(fallingGrain, nil, func(Block) bool { return true })
				if got := c.walk(p).excess; got != want {
					t.Errorf("%T%v, m %d: the excess is %g, and %g alone", v, v, m, got, want)
				}
				more := p
				if more.Samples += rows / 10_000; want < walks.Unserved {
					alone := more.schedule(fallingGrain, nil, func(Block) bool { return true })
					if x := c.close(more); math.Abs(x-alone) > 1e-5 {
						t.Errorf("%T%v, m %d: the excess is %g on a trail, and %g alone", v, v, m, x, alone)
					}
				}
			}
		}
	}
}

// Queries that are answered in blocks, of which the last has many, are certified as one by one, and a little worse.
func TestBlocksOfManyQueries(t *testing.T) {
	total := func(m int64, cut ...int64) float64 {
		b, err := NewBound(Design{Difference{0.1}, false, 20_000, m, false})
		for _, queries := range cut {
			if _, e := b.Answer(Block{queries, 0.02, 0.13}, 0.1); e != nil {
				err = e
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.Total().Ln()
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
			n := float64(leastSamples(t, Plan{Design{Difference{d}, false, 1, m, false}, 0.01, lnp(0.05)}))
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
	p := Plan{Design: Design{Queries: queries}, Tau: tau, Beta: theory.LogProb(-math.Pow(10, -0.3+1.5*r.Float64()))}
	switch r.IntN(5) {
	case 0:
		p.Values = Accuracy{min(share, 0.45)}
	case 1:
		p.Values, p.Checked = Accuracy{min(share, 0.45)}, true
	case 2:
		p.Values = Variance{min(share, 0.25)}
	case 3:
		p.Values, p.Checked = Difference{min(share, 1)}, true
	default:
		p.Values = Difference{min(share, 1)}
	}
	return p
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
		bound, err := NewBound(p.Design)
		if err != nil {
			t.Fatal(err)
		}
		covered, last := int64(0), math.Inf(1)
		for b := range p.Blocks() {
			if !(b.SD <= last) {
				t.Fatalf("%+v: noise %g after %g", p, b.SD, last)
			}
			covered, last = covered+b.Queries, b.SD
			for range b.Queries {
				if _, err := bound.Answer(Block{1, b.SD, b.Share}, p.Tau); err != nil {
					t.Fatalf("%+v: %v", p, err)
				}
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

// The bound of a block is at least that of its queries one by one; for one noise the errors of the plan are at
// least the bound's.
func TestBlocksAreOnTheSafeSide(t *testing.T) {
	r := rand.New(rand.NewPCG(112, 1))
	for range 60 {
		p := aPlan(r, 1+r.Int64N(150))
		p.Samples = int64(float64(p.guess()) * math.Exp(r.NormFloat64()/3))
		sd := p.Tau / (3 + 3*r.Float64())
		if r.IntN(3) > 0 {
			sd, _ = p.EvenNoise(0)
		}
		blocks, _ := NewBound(p.Design)
		single, _ := NewBound(p.Design)
		for b := range p.EvenBlocks(sd) {
			if _, err := blocks.Answer(b, p.Tau); err != nil {
				t.Fatal(err)
			}
			for range b.Queries {
				if _, err := single.Answer(Block{1, b.SD, b.Share}, p.Tau); err != nil {
					t.Fatal(err)
				}
			}
		}
		errs, whole, one := p.EvenErrors(sd), blocks.Total().Ln(), single.Total().Ln()
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
	for _, v := range []Values{Difference{0.1}, Difference{0.01}, Variance{0.02}, Accuracy{0.05}} {
		for _, m := range []int64{3, 30, 100} {
			last := int64(math.MaxInt64)
			for _, ratio := range []float64{0.2, 0.4, 0.5, 0.65, 0.8, 1} {
				p := Plan{Design{v, false, 1, m, false}, v.Share() * ratio, lnp(0.05)}
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

// A plan is hopeless for one noise only if the best noise does not certify it. Where noise that falls needs a record
// more, that is seen at once.
func TestHopeless(t *testing.T) {
	seen := 0
	for _, v := range []Values{Difference{0.1}, Difference{0.02}, Variance{0.02}, Accuracy{0.05}} {
		for _, m := range []int64{1, 3, 30, 300} {
			for _, tau := range []float64{0.01, 0.03} {
				p := Plan{Design{v, false, 1, m, false}, tau, lnp(0.05)}
				n := leastSamples(t, p)
				for _, share := range []float64{0.8, 1, 1.1, 1.25, 1.4} {
					p.Samples = int64(share*float64(n)) - 1
					_, ln := p.EvenNoise(0)
					hopeless := p.hopeless()
					if hopeless && ln <= p.Beta.Ln() {
						t.Errorf("%+v: given up, and one noise errs with ln %g", p, ln)
					}
					if !hopeless && m > 10 && share == 1 {
						t.Errorf("%+v: not given up, and the best noise errs with ln %g", p, ln)
					}
					if hopeless {
						seen++
					}
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d plans given up", seen)
	}
}

// Where a mean cannot be off by tau on the side that counts, every n from the least on is certified: the last query's
// bound does not hang on a rounding.
func TestImpossibleErrors(t *testing.T) {
	for _, p := range []Plan{
		{Design{Accuracy{0.0104}, false, 1, 60, true}, 0.0383, lnp(0.04)},
		{Design{Accuracy{0.032}, false, 1, 164, true}, 0.0615, lnp(0.0043)},
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
		p := Plan{Design{Difference{d}, false, 1, 10, false}, 0.01, lnp(0.05)}
		n := leastSamples(t, p)
		at := func(n int64) float64 { p.Samples = n; return p.excess(nil) }
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
		p := Plan{Design{Difference{0.1}, false, 1, m, false}, 0.02, lnp(0.05)}
		var rows [2]float64
		for i, noise := range []Noise{Falling, Even} {
			found, ok := noise.Samples(p)
			if !ok {
				t.Fatal("no answer")
			}
			rows[i] = float64(found.Samples)
			q := p
			q.Samples = found.Samples
			tau, run, ok := noise.LeastTau(q)
			if !ok || !(tau <= p.Tau*(1+1e-6) && tau >= p.Tau*(1-2/rows[i])) || !(run.First >= run.Last) {
				t.Errorf("m %d: tau %g, noise %+v", m, tau, run)
			}
			beta := noise.LeastBeta(q)
			if !(beta.Ln() <= p.Beta.Ln()*(1-1e-6) && beta.Ln() >= p.Beta.Ln()*(1+10/rows[i])-0.01) {
				t.Errorf("m %d: beta %v", m, beta)
			}
			for _, other := range []Plan{{q.Design, tau, p.Beta}, {q.Design, p.Tau, beta}} {
				if !noise.Certifies(other) && !noise.Certifies(Plan{other.Design, other.Tau, other.Beta * (1 - 1e-6)}) {
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
	var domain *theory.DomainError
	good := Design{Difference{0.1}, false, 1000, 10, false}
	for _, d := range []Design{
		{}, {nil, false, 1000, 10, false}, {Difference{0}, false, 1000, 10, false},
		{Difference{1.1}, false, 1000, 10, false}, {Difference{nan}, false, 1000, 10, false},
		{Accuracy{0.5}, false, 1000, 10, false}, {Accuracy{0}, false, 1000, 10, false},
		{Accuracy{nan}, false, 1000, 10, false}, {Variance{0.26}, false, 1000, 10, false},
		{Variance{nan}, false, 1000, 10, false}, {Variance{0.1}, true, 1000, 10, false},
		{Difference{0.1}, false, 0, 10, false}, {Difference{0.1}, false, 1000, 0, false},
		{Difference{0.1}, false, MaxCount + 1, 10, false}, {Difference{0.1}, false, 1000, MaxCount + 1, false},
	} {
		if _, err := NewBound(d); !errors.As(err, &domain) {
			t.Errorf("%+v: %v", d, err)
		}
		if Falling.Certifies(Plan{d, 0.02, -3}) {
			t.Errorf("%+v is feasible", d)
		}
	}
	for _, p := range []Plan{
		{good, 0, -3}, {good, nan, -3}, {good, 2, -3}, {good, 0.02, 0}, {good, 0.02, theory.Zero},
		{good, 0.02, theory.LogProb(nan)},
	} {
		if _, ok := Falling.Samples(p); ok || Falling.Certifies(p) || Even.Certifies(p) {
			t.Errorf("%+v is certified", p)
		}
		if _, ln := p.EvenNoise(0); !math.IsInf(ln, 1) {
			t.Errorf("%+v: one noise, %v", p, ln)
		}
		for b := range p.Blocks() {
			t.Errorf("%+v: %+v", p, b)
		}
	}
	bound, err := NewBound(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		block Block
		tau   float64
	}{
		{Block{0, 0.1, 0.1}, 0.1}, {Block{11, 0.1, 0.1}, 0.1}, {Block{1, -1, 0.1}, 0.1}, {Block{1, nan, 0.1}, 0.1},
		{Block{2, 0, 0.1}, 0.1}, {Block{1, 0.1, 0.09}, 0.1}, {Block{1, 0.1, 1.1}, 0.1}, {Block{1, 0.1, nan}, 0.1},
		{Block{1, 0.1, 0.1}, 0}, {Block{1, 0.1, 0.1}, 2}, {Block{1, 0.1, 0.1}, nan},
	} {
		if _, err := bound.Answer(c.block, c.tau); !errors.As(err, &domain) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if total := bound.Total(); total != theory.Zero {
		t.Errorf("nothing answered: %v", total)
	}
	if _, err := bound.Answer(Block{1, 0, 0.1}, 0.1); err != nil {
		t.Error(err)
	}
	if _, err := bound.Answer(Block{1, 0.1, 0.1}, 0.1); !errors.As(err, &domain) {
		t.Errorf("a query after one without noise: %v", err)
	}
	checked, _ := NewBound(Design{Difference{0.1}, true, 1000, 10, false})
	if _, err := checked.Answer(Block{1, 0.1, 0.2}, 0.1); !errors.As(err, &domain) {
		t.Errorf("a share that the check does not keep: %v", err)
	}
}

// No noise, no accuracy and no share breaks the bound, and it stays a probability.
func TestBoundStaysAProbability(t *testing.T) {
	r := rand.New(rand.NewPCG(114, 1))
	for range 1500 {
		p := aPlan(r, 1+r.Int64N(1000))
		p.Samples = int64(math.Exp(r.Float64() * math.Log(MaxCount)))
		bound, err := NewBound(p.Design)
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + r.IntN(4) {
			b := Block{1 + r.Int64N(p.Queries), math.Pow(10, -100+200*r.Float64()), p.Values.Share()}
			if r.IntN(2) == 0 {
				b.SD = math.Pow(10, -6*r.Float64())
			}
			if !p.Checked {
				b.Share += (1 - b.Share) * math.Pow(r.Float64(), 3)
			}
			e, err := bound.Answer(b, math.Pow(10, -300*math.Pow(r.Float64(), 4))*0.999)
			if err != nil || !(e.Answers <= 0 && e.Shares <= 0) || !(bound.Total() >= e.Answers && bound.Total() <= 0) {
				t.Fatalf("%+v, %+v: %+v, %v, total %v", p, b, e, err, bound.Total())
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
				p := Plan{Design: Design{Values: Difference{share}, Queries: queries}, Tau: 0.01, Beta: lnp(beta)}
				found, ok := Falling.Samples(p)
				if p.Samples = found.Samples; !ok {
					t.Fatalf("%+v: no plan", p)
				}
				bound, err := NewBound(p.Design)
				if err != nil {
					t.Fatal(err)
				}
				var noise []theory.NoiseBlock
				for b := range p.Blocks() {
					if _, err := bound.Answer(b, p.Tau); err != nil {
						t.Fatal(err)
					}
					noise = append(noise, theory.NoiseBlock{Queries: b.Queries, Scale: b.SD})
				}
				if total := bound.Total(); !(total <= p.Beta) {
					t.Errorf("%+v: the sum of the errors is beta times e^%.3g", p, total.Ln()-p.Beta.Ln())
				}
				again, err := Certified(p.Design, p.Tau, noise, p.Beta)
				if err != nil || again.Ln() > p.Beta.Ln()+1e-3*math.Abs(p.Beta.Ln()) {
					t.Errorf("%+v: its noise is certified at ln beta %v, %v", p, again.Ln(), err)
				}
			}
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
		d := Design{Values: Difference{c.share}, Samples: c.rows, Queries: int64(len(c.noise))}
		var noise []theory.NoiseBlock
		for _, sd := range c.noise {
			noise = append(noise, theory.NoiseBlock{Queries: 1, Scale: sd})
		}
		if got, err := Certified(d, 0.01, noise, lnp(0.05)); err != nil || got > lnp(0.05) {
			t.Errorf("share %g: %v, %v", c.share, got, err)
		}
	}
}

// The best constant noise is found where the variance lemma ends at a little less of it.
func TestEvenNoiseWhereTheLemmaEnds(t *testing.T) {
	for _, p := range []Plan{
		{Design{Difference{0.0124}, false, 2543, 13, false}, 0.0412, -5.68},
		{Design{Accuracy{0.0033}, false, 19_404, 351, false}, 0.0154, -1.37},
	} {
		_, got := p.EvenNoise(0)
		least := math.Inf(1)
		for z := 2.0; z < 12; z *= 1.05 {
			least = min(least, p.EvenErrors(p.Tau/z))
		}
		if !(least < p.Beta.Ln()) || !(got < least+0.02) {
			t.Errorf("%+v: ln of the errors %g, and %g with other noise", p, got, least)
		}
	}
}
