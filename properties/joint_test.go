package properties

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	joint "github.com/dpcalc/dpcalc/transfer/noise"
)

// The joint bound against an analyst who is as good as can be. The records take few
// values, the analyst sees the first answer to an eighth of its noise and then asks the query
// that errs most probably. The probabilities are sums over all data sets and all
// such answers, so they are attained.

// population is independent records of few values: records[i][c] is P[x_i = c].
type population struct{ records [][]float64 }

func alike(n int, law ...float64) population {
	return population{slices.Repeat([][]float64{law}, n)}
}

func evenly(n, values int) population {
	return alike(n, slices.Repeat([]float64{1 / float64(values)}, values)...)
}

// sample is the data sets with the same counts of the values.
type sample struct {
	counts      [8]uint8
	probability float64
}

func (p population) samples() []sample {
	sets := map[[8]uint8]float64{{}: 1}
	for _, law := range p.records {
		next := map[[8]uint8]float64{}
		for counts, probability := range sets {
			for c, q := range law {
				more := counts
				more[c]++
				next[more] += probability * q
			}
		}
		sets = next
	}
	all := make([]sample, 0, len(sets))
	for counts, probability := range sets {
		all = append(all, sample{counts, probability})
	}
	return all
}

// query is a function of a record, by its values.
type query []float64

// on returns the mean of the query over a sample of n records.
func (f query) on(s sample, n int) (mean float64) {
	for c, x := range f {
		mean += float64(s.counts[c]) * x / float64(n)
	}
	return mean
}

func (f query) of(p population) (mean float64) {
	for _, law := range p.records {
		for c, q := range law {
			mean += q * f[c] / float64(len(p.records))
		}
	}
	return mean
}

// functions returns all functions of k values that take the given ones.
func functions(k int, values ...float64) []query {
	all := []query{{}}
	for range k {
		var longer []query
		for _, f := range all {
			for _, x := range values {
				longer = append(longer, append(slices.Clone(f), x))
			}
		}
		all = longer
	}
	return all
}

func upperTail(u float64) float64 { return math.Erfc(u/math.Sqrt2) / 2 }

// answerTail is the probability that standard normal noise is above u, if it is drawn again until it is within the cut,
// 0 standing for noise that is not cut.
func answerTail(u, cut float64) float64 {
	if cut == 0 {
		return upperTail(u)
	}
	beyond := upperTail(cut)
	return max(0, min(1, (upperTail(u)-beyond)/(1-2*beyond)))
}

// errs is the probability that an answer errs by more than tau if its mean is off by x.
func errs(x, sd, tau float64) float64 {
	return upperTail((tau-x)/sd) + upperTail((tau+x)/sd)
}

// twoAnswers is two answers and the queries that the analyst may ask.
type twoAnswers struct {
	population
	first, second []query
	tau           float64
	sd            [2]float64
	cut           float64
	sides         joint.Sides
}

// errs is the probability that the second answer errs if its mean is off by x.
func (g twoAnswers) errs(x float64) float64 {
	above := answerTail((g.tau-x)/g.sd[1], g.cut)
	if g.sides == joint.Above {
		return above
	}
	return above + answerTail((g.tau+x)/g.sd[1], g.cut)
}

// success is what an analyst achieves: the probabilities that the first answer, the second, any
// is off by more than tau.
type success struct{ first, second, any float64 }

func (g twoAnswers) optimum() (best success) {
	n := len(g.records)
	sets := g.samples()
	errors := make([][]float64, len(g.second)) // of each second query on each sample
	for q, f := range g.second {
		errors[q] = make([]float64, len(sets))
		for i, s := range sets {
			errors[q][i] = s.probability * g.errs(f.on(s, n)-f.of(g.population))
		}
	}
	for _, f := range g.first {
		center, got := f.of(g.population), success{}
		for i, bin := 0, g.bins(center); i+1 < len(bin); i++ {
			seen := make([]float64, len(sets))
			probability := 0.
			for j, s := range sets {
				mean := f.on(s, n)
				seen[j] = answerTail((bin[i]-mean)/g.sd[0], g.cut) - answerTail((bin[i+1]-mean)/g.sd[0], g.cut)
				probability += s.probability * seen[j]
			}
			strike := 0.
			for q := range g.second {
				sum := 0.
				for j, e := range errors[q] {
					sum += e * seen[j]
				}
				strike = math.Max(strike, sum)
			}
			got.second += strike
			off := (bin[i]+bin[i+1])/2 - center
			if off > g.tau || g.sides == joint.Both && -off > g.tau {
				got.first += probability
				got.any += probability
			} else {
				got.any += strike
			}
		}
		best = success{max(best.first, got.first), max(best.second, got.second), max(best.any, got.any)}
	}
	return best
}

// bins returns the ends of the intervals in which the first answer is seen; its errors of tau
// are among them.
func (g twoAnswers) bins(center float64) []float64 {
	bins := []float64{math.Inf(-1), center - g.tau, center + g.tau, math.Inf(1)}
	for y := -6 * g.sd[0]; y < 1+6*g.sd[0]; y += g.sd[0] / 8 {
		bins = append(bins, y)
	}
	slices.Sort(bins)
	return bins
}

// claimed is the eps_j of a bound.
func claimed(t *testing.T, n int, g twoAnswers, sd ...float64) (eps []float64) {
	t.Helper()
	bound, err := joint.New(int64(n), g.sides)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sd {
		p, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: s, Cut: g.cut}, g.tau)
		if err != nil {
			t.Fatal(err)
		}
		eps = append(eps, p.Value())
	}
	return eps
}

// The best analyst stays below the joint bound, and shows that it cannot do without what
// the first answer reveals, nor without both sides, nor with half the variance of a mean.
func TestJointBoundWithstandsTheBestAnalyst(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(81, 82))
	coarse := []float64{0, 0.5, 1}
	code := []query{{0, 0.0625, 0.25, 1}} // its mean over three records tells them
	p := r.Float64()
	games := []twoAnswers{
		{population: alike(6, 0.5, 0.5)},
		{population: alike(6, p, 1-p)},
		{population: alike(3, 0.9, 0.1)},
		{population: alike(5, 0.2, 0.3, 0.5)},
		{population: evenly(4, 3)},
		{population: population{[][]float64{{0.9, 0.1, 0}, {0.1, 0, 0.9}, {0.5, 0.5, 0}, {0.3, 0.3, 0.4}}}},
		{population: evenly(3, 4), first: code, second: functions(4, 0, 1)},
		{population: evenly(4, 6), first: []query{{0, 0.2, 0.4, 0.6, 0.8, 1}}, second: functions(6, 0, 1)},
	}
	weaker := map[string]int{"nothing learnt": 0, "one side": 0, "half the variance": 0}
	worst := success{}
	for _, g := range games {
		n, k := len(g.records), len(g.records[0])
		if g.first == nil {
			g.first, g.second = functions(k, coarse...), functions(k, coarse...)
		}
		for i := range 8 {
			g.tau = 0.2 + 0.4*r.Float64()
			g.sd = [2]float64{g.tau * (0.1 + 0.7*r.Float64()), g.tau * (0.1 + 0.7*r.Float64())}
			if i < 2 {
				g.tau, g.sd = 0.49, [2]float64{[]float64{0.007, 0.02}[i], 0.01}
			}
			g.sides, g.cut = joint.Sides(i/2%2), []float64{0, 0, 1.2, 1.2, 1.8, 1.8, 3, 3}[i]
			eps, got := claimed(t, n, g, g.sd[:]...), g.optimum()
			worst.first = max(worst.first, got.first/eps[0])
			worst.second = max(worst.second, got.second/eps[1])
			worst.any = max(worst.any, got.any/(eps[0]+eps[1]))
			if got.first > eps[0] || got.second > eps[1] || got.any > eps[0]+eps[1] {
				t.Errorf("n = %d, tau %g, noise %g: the analyst reaches %+v, the bound is %g", n, g.tau, g.sd, got, eps)
			}
			for what, low := range map[string]bool{
				"nothing learnt":    got.second > claimed(t, n, g, g.sd[1])[0],
				"one side":          g.sides == joint.Both && (got.first > eps[0]/2 || got.second > eps[1]/2),
				"half the variance": got.first > claimed(t, 2*n, g, g.sd[0])[0],
			} {
				if low {
					weaker[what]++
				}
			}
		}
	}
	t.Logf("success over bound, at most: %+v; weaker bounds refuted: %v", worst, weaker)
	for what, times := range weaker {
		if times == 0 {
			t.Errorf("the bound with %s is not refuted", what)
		}
	}
}

// A plan of the least two answers, with records of two fair bits: the best analyst who asks for the
// first bit wins more than a fifth as often as the plan allows.
func TestTwoPlannedAnswersWithstandTheBestAnalyst(t *testing.T) {
	t.Parallel()
	goal := transfer.Goal{Queries: 2, Tau: 0.3, Beta: theory.LogProb(math.Log(0.3))}
	n, z := plan(t, "gaussian-schedule", goal)
	g := twoAnswers{population: evenly(n, 4), first: []query{{0, 0, 1, 1}}, second: functions(4, 0, 0.5, 1),
		tau: goal.Tau, sd: [2]float64(z.scale), cut: z.cut}
	got := g.optimum()
	t.Logf("n = %d, noise %.3g: %+v", n, z.scale, got)
	if !(got.any > 0.06 && got.any < goal.Beta.Value()) {
		t.Errorf("n = %d: the analyst wins with probability %g", n, got.any)
	}
}
