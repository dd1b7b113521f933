package suite

import (
	"math"
	"math/rand"
	"sync"
	"testing"

	"github.com/leanovate/gopter"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/stability"
)

// shapes generates small instances of a mechanism, with a log-uniform epsilon: the same for every
// law, so that their output laws are computed once. They shrink to fewer records, queries,
// answers "above" and lattice steps, to a simple analyst and to epsilon = 1.
func shapes() gopter.Gen {
	r := rand.New(rand.NewSource(20151))
	return func(*gopter.GenParameters) *gopter.GenResult { return gopter.NewGenResult(anyShape(r), simpler) }
}

func anyShape(r *rand.Rand) shape {
	return shape{
		epsilon: math.Exp(math.Log(0.05) + r.Float64()*math.Log(8/0.05)),
		records: 1 + r.Intn(3), resolution: 1 + r.Int63n(3), cutoff: 1 + r.Int63n(3), queries: 1 + r.Intn(4),
		threshold: float64(r.Intn(7) - 3), analyst: r.Uint64(), stretch: 1,
	}
}

func simpler(v any) gopter.Shrink {
	s := v.(shape)
	var list []shape
	try := func(simple shape) {
		if simple != s {
			list = append(list, simple)
		}
	}
	for _, change := range []func(*shape){
		func(s *shape) { s.records = max(1, s.records-1) },
		func(s *shape) { s.queries = max(1, s.queries-1) },
		func(s *shape) { s.cutoff = max(1, s.cutoff-1) },
		func(s *shape) { s.resolution = 1 },
		func(s *shape) { s.threshold = 0 },
		func(s *shape) { s.analyst = 0 },
		func(s *shape) { s.epsilon = 1 },
	} {
		simple := s
		change(&simple)
		try(simple)
	}
	next := 0
	return func() (any, bool) {
		if next == len(list) {
			return nil, false
		}
		next++
		return list[next-1], true
	}
}

// built is a mechanism of a random shape, made once for all laws; all its laws exist.
func built(m Mechanism, s shape) subject {
	made, _ := instances.LoadOrStore(instance{m.Name, s}, sync.OnceValue(func() subject {
		sub := m.build(s)
		if sub.laws != nil {
			sub.laws.all()
		}
		return sub
	}))
	return made.(func() subject)()
}

type instance struct {
	mechanism string
	shape     shape
}

var instances sync.Map // from instance to func() subject

// eachFinite runs a law for every mechanism that has output laws.
func eachFinite(t *testing.T, law func(t *testing.T, m Mechanism)) {
	for _, m := range Mechanisms() {
		if built(m, usual(1)).laws != nil {
			t.Run(m.Name, func(t *testing.T) { law(t, m) })
		}
	}
}

// Whatever the instance: the privacy claims, in all notions, the max-information and the tail
// of the error are as claimed.
func TestClaimsOfRandomInstances(t *testing.T) {
	eachFinite(t, func(t *testing.T, m Mechanism) {
		lawtest.Check(t, 20151, 25, func(s shape) *gopter.PropResult {
			sub := built(m, s)
			for _, c := range sub.checks() {
				if c.Layer != Exact {
					continue
				}
				row, err := c.exact()
				if err != nil || row.Verdict != audit.Holds {
					return lawtest.Evidence(false, "%s: measured %g, claimed %g (%s), %v", c.Name, row.Measured, row.Bound, row.Event,
						err)
				}
			}
			return lawtest.Evidence(true, "")
		}, shapes())
	})
}

// What a transcript of a pure mechanism selects does not generalise worse than the transfer
// theorem says: for independent records the mean of the records that are 1, given any
// transcript, exceeds its population value by at most tanh(epsilon/4); so does the mean of the records that are 0.
func TestTransferOfRandomInstances(t *testing.T) {
	eachFinite(t, func(t *testing.T, m Mechanism) {
		if built(m, usual(1)).claim.epsilon == 0 {
			return
		}
		lawtest.Check(t, 20151, 25, func(s shape, lnOdds float64) *gopter.PropResult {
			sub := built(m, s)
			bound := stability.Pure(sub.claim.epsilon)
			p := 1 / (1 + math.Exp(-lnOdds)) // of a record that is not 0
			all := sub.laws.all()
			for y := range all[0].Law {
				total, mean := 0.0, 0.0
				for i, f := range all {
					data := sub.laws.data(i)
					k, n := float64(ones(data)), float64(len(data))
					w := math.Pow(p/float64(sub.laws.values-1), k) * math.Pow(1-p, n-k) * f.Law[y].Value()
					total, mean = total+w, mean+w*k/n
				}
				if total == 0 {
					continue
				}
				if shift := math.Abs(mean/total - p); shift > bound*(1+1e-9) {
					return lawtest.Evidence(false, "outcome %d of probability %.3g: the mean of the records is %g off its population value %g, more than %g", y, total, shift, p, bound)
				}
			}
			return lawtest.Evidence(true, "")
		}, shapes(), lawtest.Uniform(-6, 6))
	})
}

// someLaws picks a pair of neighbours and their laws.
func someLaws(sub subject, seed int64) (first, second []theory.LogProb) {
	r := rand.New(rand.NewSource(seed))
	all := sub.laws.all()
	for {
		i, j := r.Intn(len(all)), r.Intn(len(all))
		if sub.laws.neighbours(i, j) {
			return all[i].Law, all[j].Law
		}
	}
}

func pairUp(first, second []theory.LogProb) *audit.Pair {
	pair, err := audit.NewPair(first, second)
	if err != nil {
		panic(err)
	}
	return pair
}

// measures are what no processing raises. Where there is no answer it is +Inf.
var measures = []struct {
	name string
	of   func(p *audit.Pair) (float64, error)
}{
	{"epsilon", (*audit.Pair).Epsilon},
	{"mu", (*audit.Pair).Mu},
	{"zcdp", (*audit.Pair).ZCDP},
	{"renyi of order 1", func(p *audit.Pair) (float64, error) { return p.Renyi(1) }},
	{"renyi of order 7", func(p *audit.Pair) (float64, error) { return p.Renyi(7) }},
	{"delta at 0", func(p *audit.Pair) (float64, error) { d, err := p.LnDelta(0); return d.Value(), err }},
	{"delta at 0.3", func(p *audit.Pair) (float64, error) { d, err := p.LnDelta(0.3); return d.Value(), err }},
}

func valueOf(p *audit.Pair, of func(*audit.Pair) (float64, error)) float64 {
	x, err := of(p)
	if err != nil {
		return math.Inf(1)
	}
	return x
}

// channel is a random stochastic matrix with a few outputs, some of its entries zero.
func channel(r *rand.Rand, from, to int) [][]float64 {
	rows := make([][]float64, from)
	for i := range rows {
		rows[i] = make([]float64, to)
		rows[i][r.Intn(to)] = 1
		total := 1.0
		for j := range rows[i] {
			if r.Intn(2) == 0 {
				x := math.Exp(6 * r.NormFloat64())
				rows[i][j], total = rows[i][j]+x, total+x
			}
		}
		for j := range rows[i] {
			rows[i][j] /= total
		}
	}
	return rows
}

func through(law []theory.LogProb, c [][]float64) []theory.LogProb {
	out := make([]theory.LogProb, len(c[0]))
	for j := range out {
		terms := math.Inf(-1)
		for i, p := range law {
			if c[i][j] > 0 {
				terms = num.LogAddExp(terms, p.Ln()+math.Log(c[i][j]))
			}
		}
		out[j] = theory.LogProb(min(0, terms))
	}
	return out
}

// Post-processing by a random channel raises no measure of a pair, nor the max-information.
func TestProcessingRaisesNothing(t *testing.T) {
	eachFinite(t, func(t *testing.T, m Mechanism) {
		lawtest.Check(t, 20151, 25, func(s shape, seed int64) *gopter.PropResult {
			sub := built(m, s)
			first, second := someLaws(sub, seed)
			r := rand.New(rand.NewSource(seed))
			c := channel(r, len(first), 1+r.Intn(6))
			before, after := pairUp(first, second), pairUp(through(first, c), through(second, c))
			for _, measure := range measures {
				a, b := valueOf(before, measure.of), valueOf(after, measure.of)
				if !(b <= a*(1+1e-8)+1e-11) {
					return lawtest.Evidence(false, "%s rises from %g to %g by the channel %v", measure.name, a, b, c)
				}
			}
			all := sub.laws.all()
			processed := make([]mechanism.Finite, len(all))
			for i, f := range all {
				processed[i].Law = through(f.Law, c)
			}
			raw, done := sub.laws.sampled(all, 0.3), sub.laws.sampled(processed, 0.3)
			for _, slack := range []theory.LogProb{theory.Zero, lnRare} {
				a, err1 := raw.MaxInformation(slack)
				b, err2 := done.MaxInformation(slack)
				if err1 != nil || err2 != nil || b > a+1e-9 {
					return lawtest.Evidence(false, "max-information at slack %v rises from %v to %v by the channel %v, %v, %v", slack,
						a, b, c, err1, err2)
				}
			}
			return lawtest.Evidence(true, "")
		}, shapes(), lawtest.Seed())
	})
}

// Two mechanisms on the same data: epsilon, rho and every Renyi divergence of the pair are at
// most the sums, (epsilon, delta) is at most what the composition theorem says, and nothing is
// less than each part.
func TestCompositionOfRandomInstances(t *testing.T) {
	all, some := Mechanisms(), shapes()
	lawtest.Check(t, 20151, 150, func(a, b shape, which, seed int64) *gopter.PropResult {
		one, two := all[int(uint64(which)%10)], all[int(uint64(which)/10%10)]
		x, y := built(one, a), built(two, b)
		p0, p1 := someLaws(x, seed)
		q0, q1 := someLaws(y, seed)
		if len(p0)*len(q0) > 5000 {
			return lawtest.Evidence(true, "")
		}
		var r0, r1 []theory.LogProb
		for i := range p0 {
			for j := range q0 {
				r0, r1 = append(r0, p0[i]+q0[j]), append(r1, p1[i]+q1[j])
			}
		}
		p, q, both := pairUp(p0, p1), pairUp(q0, q1), pairUp(r0, r1)
		names := one.Name + " and " + two.Name
		for _, measure := range measures {
			u, v, w := valueOf(p, measure.of), valueOf(q, measure.of), valueOf(both, measure.of)
			if w < max(u, v)*(1-1e-8)-1e-11 {
				return lawtest.Evidence(false, "%s: %s of both is %g, and %g and %g of the parts", names, measure.name, w, u, v)
			}
			if adds := measure.name == "epsilon" || measure.name == "zcdp" || len(measure.name) > 5 &&
				measure.name[:5] == "renyi"; adds && w > (u+v)*(1+1e-8)+1e-11 {
				return lawtest.Evidence(false, "%s: %s of both is %g, more than %g and %g of the parts", names, measure.name, w, u,
					v)
			}
		}
		// With the greater epsilon for both.
		each := max(valueOf(p, (*audit.Pair).Epsilon), valueOf(q, (*audit.Pair).Epsilon))
		if !(each > 0 && each < math.Inf(1)) {
			return lawtest.Evidence(true, "")
		}
		steps := theory.Composition{Each: theory.Pure{Epsilon: each}.Approx(), Times: 2}
		for i := range 8 {
			epsilon := 2 * each * float64(i) / 8
			bound, err := steps.OptimalDelta(epsilon)
			got, err2 := both.LnDelta(epsilon)
			if err != nil || err2 != nil || got > bound.Value+1e-8 {
				return lawtest.Evidence(false, "%s: delta(%g) of both is %v, more than %v of two steps of %g-privacy", names,
					epsilon, got, bound.Value, each)
			}
		}
		return lawtest.Evidence(true, "")
	}, some, some, lawtest.Seed(), lawtest.Seed())
}

// More noise reveals less, by every measure, where it is the same law on another scale; delta
// falls as epsilon grows, epsilon as delta does, and the Renyi divergence rises in its order.
func TestMonotonicity(t *testing.T) {
	for _, m := range Mechanisms() {
		if m.Name != "geometric" && m.Name != "gaussian" && m.Name != "randomized-response" && m.Name != "composition" {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			lawtest.Check(t, 20151, 40, func(s shape, factor float64, seed int64) *gopter.PropResult {
				s.resolution = 1
				noisier := s
				noisier.stretch = factor
				p, q := someLaws(built(m, s), seed)
				u, v := someLaws(built(m, noisier), seed)
				for _, measure := range measures {
					a, b := valueOf(pairUp(p, q), measure.of), valueOf(pairUp(u, v), measure.of)
					if b > a*(1+1e-8)+1e-11 {
						return lawtest.Evidence(false, "%s is %g with noise, and %g with %g times as much", measure.name, a, b, factor)
					}
				}
				return lawtest.Evidence(true, "")
			}, shapes(), lawtest.LogUniform(1.01, 20), lawtest.Seed())
		})
	}
	eachFinite(t, func(t *testing.T, m Mechanism) {
		lawtest.Check(t, 20151, 15, func(s shape, seed int64, a, b float64) *gopter.PropResult {
			pair := pairUp(someLaws(built(m, s), seed))
			if a > b {
				a, b = b, a
			}
			d, _ := pair.LnDelta(a)
			e, _ := pair.LnDelta(b)
			if e > d+1e-12 {
				return lawtest.Evidence(false, "delta is %v at %g and %v at %g", d, a, e, b)
			}
			if x, err := pair.Renyi(1 + a); err == nil {
				if y, err := pair.Renyi(1 + b); err != nil || y < x*(1-1e-9)-1e-12 {
					return lawtest.Evidence(false, "the Renyi divergence is %g at order %g and %g at %g", x, 1+a, y, 1+b)
				}
			}
			return lawtest.Evidence(true, "")
		}, shapes(), lawtest.Seed(), lawtest.LogUniform(1e-3, 20), lawtest.LogUniform(1e-3, 20))
	})
}
