package properties

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// jointTable is the joint law of data set and transcript for any law of data sets.
func jointTable(t testing.TB, prior func(d int) float64, law [][]float64) *maxinfo.Joint {
	t.Helper()
	var cells []maxinfo.Cell
	for d, row := range law {
		name, weight := strconv.Itoa(d), prior(d)
		for y, p := range row {
			if p *= weight; p >= 1e-300 {
				cells = append(cells, maxinfo.Cell{X: name, Y: strconv.Itoa(y), P: p})
			}
		}
	}
	j, err := maxinfo.NewJoint(cells)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// boundsFound collects how close exact values come to each bound.
type boundsFound map[string]float64

func (f boundsFound) compare(t *testing.T, what, bound string, exact, limit float64) {
	t.Helper()
	if !(exact <= limit+1e-9*math.Abs(limit)+1e-11) {
		t.Errorf("%s, %s: exact %v exceeds %v", what, bound, exact, limit)
	}
	if limit > 1e-9 {
		f[bound] = math.Max(f[bound], exact/limit)
	}
}

func (f boundsFound) report(t *testing.T) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		t.Logf("%-55s largest exact/bound %.4f", name, f[name])
	}
}

var levels = []theory.LogProb{theory.Zero, -25, -9, -4, -2, -1, -0.3}

// check compares a joint law with every bound for a plan it follows: the approximate
// max-information at several slacks, the divergences, the mutual information, and the
// worst event at every level of the product law.
func (f boundsFound) check(t *testing.T, what string, p maxinfo.Plan, j *maxinfo.Joint) {
	t.Helper()
	chain, err := p.Chain()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, m := range chain.Methods {
		if m.Limit == nil {
			continue
		}
		name := p.Data.String() + " " + m.Name
		for _, slack := range levels {
			bound, err := chain.MaxInformation(m, slack)
			if err != nil {
				continue // nothing at this slack
			}
			exact, err := j.MaxInformation(slack)
			if err != nil {
				t.Fatal(err)
			}
			f.compare(t, what, name+", I_inf^b", float64(exact), float64(bound))
		}
		if chain.Later != (maxinfo.Later{Slack: theory.Zero}) {
			continue
		}
		switch limit := m.Limit.(type) {
		case maxinfo.Mutual:
			f.compare(t, what, name+", information", float64(j.MutualInformation()), float64(limit.Nats))
		case maxinfo.Renyi:
			for _, a := range []float64{1.001, 1.5, 3, 20} {
				d, err := j.Renyi(a)
				if err != nil {
					t.Fatal(err)
				}
				if limit.Defect == theory.Zero {
					f.compare(t, what, name+", divergence", float64(d), a*float64(limit.Rho))
				}
			}
		}
	}
	corrections, err := pvalue.Corrections(p)
	if err != nil {
		t.Fatal(err)
	}
	var events []maxinfo.Event
	for e := range j.Events() {
		events = append(events, e)
	}
	for _, c := range corrections {
		if c.Needs != nil || c.Name == "russo-zou16" || c.Name == "bonferroni" {
			continue // these are not about the product law
		}
		for i := 0; i < len(events); i += 1 + len(events)/12 {
			e := events[i]
			if e.Joint > -0.2 { // where any bound is close
				continue
			}
			worst, err := c.Adjusted(e.Product)
			if err != nil {
				t.Fatal(err)
			}
			f.compare(t, what, p.Data.String()+" "+c.Name+", worst event", e.Joint.Value(), worst.Value())
		}
	}
}

// checkPrivate checks all that the mechanism's privacy says, at its exact epsilon,
// delta and mu.
func (f boundsFound) checkPrivate(t *testing.T, what string, data maxinfo.Data, j *maxinfo.Joint, a analysis) {
	t.Helper()
	n := int64(len(a.priors))
	plan := func(s maxinfo.Step) maxinfo.Plan {
		return maxinfo.Plan{Samples: n, Data: data, Steps: []maxinfo.Step{s}}
	}
	eps, top := a.epsilon(), 2.0
	if eps > 0 && !math.IsInf(eps, 1) {
		f.check(t, what, plan(maxinfo.PureDP{Epsilon: eps}), j)
		top = eps
	}
	for _, part := range []float64{0.2, 0.7, 0.95} {
		if delta := a.delta(part * top); delta < 1 {
			f.check(t, what, plan(maxinfo.ApproxDP{Epsilon: part * top, LnDelta: theory.LogProb(math.Log(delta))}), j)
		}
	}
	if mu := a.mu(); mu > 1e-9 && mu < 30 {
		f.check(t, what, plan(maxinfo.GDP{Mu: mu}), j)
	}
}

// smallAnalyses calls f with mechanisms of every kind on 1 to 6 binary and 1 to 4
// ternary records.
func smallAnalyses(r *rand.Rand, rounds int, f func(name string, a analysis)) {
	for range rounds {
		for _, size := range []struct{ values, most int }{{2, 6}, {3, 4}} {
			k := size.values
			priors := randomPriors(r, k, 1+r.IntN(size.most))
			f("arbitrary table", arbitraryTable(r, priors))
			f("exponential mechanism", exponentialMechanism(r, priors))
			if power(k, len(priors)) <= 32 {
				f("randomized response", localResponse(r, priors))
			}
			f("discretised Gaussian", gaussianAnswers(r, priors))
		}
	}
}

// For independent records no exact value exceeds its bound.
func TestMaxInformationByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(101, 102))
	found := boundsFound{}
	smallAnalyses(r, 60, func(name string, a analysis) {
		found.checkPrivate(t, name, maxinfo.ProductData, jointTable(t, a.prior, a.law), a)
	})
	for _, delta := range []float64{1e-4, 0.02} {
		a := leak(40, delta)
		found.checkPrivate(t, "leak", maxinfo.ProductData, jointTable(t, a.prior, a.law), a)
	}
	found.report(t)
}

// For dependent records the bounds that hold for any data are not exceeded.
func TestMaxInformationOfDependentRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(103, 104))
	found := boundsFound{}
	smallAnalyses(r, 60, func(name string, a analysis) {
		weights := randomLaw(r, len(a.law))
		if r.IntN(2) == 0 { // all records alike
			clear(weights)
			same := (len(a.law) - 1) / (a.values() - 1)
			for c, p := range randomLaw(r, a.values()) {
				weights[c*same] = p
			}
		}
		found.checkPrivate(t, name, maxinfo.AnyData, jointTable(t, func(d int) float64 { return weights[d] }, a.law), a)
	})
	found.report(t)
}

// fairResponse reports n fair bits by randomized response.
func fairResponse(n int, eps float64) analysis {
	priors := make([][]float64, n)
	for i := range priors {
		priors[i] = []float64{0.5, 0.5}
	}
	return tabulate(priors, func(d int, _ []int) []float64 {
		law := make([]float64, 1<<n)
		for y := range law {
			law[y] = 1
			for i := range n {
				if (d^y)>>i&1 == 0 {
					law[y] /= 1 + math.Exp(-eps)
				} else {
					law[y] /= 1 + math.Exp(eps)
				}
			}
		}
		return law
	})
}

// Randomized response on fair bits attains n eps^2/8 as eps falls, and a n eps^2/8 in
// every divergence: the constant 8 cannot be 9.
func TestPureConstantIsTight(t *testing.T) {
	const n = 6
	previous := 0.0
	for _, eps := range []float64{1, 0.3, 0.1, 0.03, 0.01} {
		a := fairResponse(n, eps)
		if got := a.epsilon(); math.Abs(got-eps) > 1e-9 {
			t.Fatalf("epsilon is %v, want %v", got, eps)
		}
		j := jointTable(t, a.prior, a.law)
		bound := n * eps * eps / 8
		ratio := float64(j.MutualInformation()) / bound
		if !(ratio <= 1+1e-9 && ratio > previous) {
			t.Errorf("eps = %v: I is %v of n eps^2/8, %v before", eps, ratio, previous)
		}
		previous = ratio
		for _, order := range []float64{2, 5} {
			d, err := j.Renyi(order)
			if err != nil {
				t.Fatal(err)
			}
			part := float64(d) / (order * bound)
			if !(part <= 1+1e-9) || eps <= 0.1 && part < 0.9 {
				t.Errorf("eps = %v: D_%v is %v of its bound", eps, order, part)
			}
		}
		if eps <= 0.3 && ratio < 8./9 {
			t.Errorf("eps = %v: I is %v of n eps^2/8 and does not refute n eps^2/9", eps, ratio)
		}
	}
	if !(previous > 1-1e-4) {
		t.Errorf("at eps = 0.01 I is %v of n eps^2/8", previous)
	}
	t.Logf("I / (n eps^2/8) = %.8f at eps = 0.01", previous)
}

// A chain of steps: a private answer and descriptions that depend on it.
func TestCompositionByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(105, 106))
	found := boundsFound{}
	for range 60 {
		n, outcomes := 1+r.IntN(5), 2+r.IntN(3)
		first := exponentialMechanism(r, randomPriors(r, 2, n))
		second := make([]analysis, len(first.law[0]))
		eps := 0.0
		for y := range second {
			second[y] = exponentialMechanism(r, first.priors)
			eps = math.Max(eps, second[y].epsilon())
		}
		described := make([]int, len(first.law)*len(second))
		for i := range described {
			described[i] = r.IntN(outcomes)
		}
		pure, bits := maxinfo.PureDP{Epsilon: first.epsilon()},
			maxinfo.OneOfNats(theory.Nats(math.Log(float64(outcomes))))
		later := maxinfo.PureDP{Epsilon: eps}

		// Private, then described.
		a := tabulate(first.priors, func(d int, _ []int) []float64 {
			law := make([]float64, len(second)*outcomes)
			for y, p := range first.law[d] {
				law[y*outcomes+described[d*len(second)+y]] = p
			}
			return law
		})
		j := jointTable(t, a.prior, a.law)
		for _, data := range []maxinfo.Data{maxinfo.AnyData, maxinfo.ProductData} {
			found.checkChain(t, "private, description",
				maxinfo.Plan{Samples: int64(n), Data: data, Steps: []maxinfo.Step{pure, bits}}, j)
		}

		// Described, then private in view of that, then described again.
		a = tabulate(first.priors, func(d int, _ []int) []float64 {
			law := make([]float64, outcomes*8*outcomes)
			y := described[d*len(second)]
			mechanism := second[y%len(second)]
			for z, p := range mechanism.law[d] {
				law[(y*8+z)*outcomes+described[d*len(second)+z%len(second)]] += p
			}
			return law
		})
		found.checkChain(t, "description, private, description",
			maxinfo.Plan{Samples: int64(n), Steps: []maxinfo.Step{bits, later, bits}}, jointTable(t, a.prior, a.law))
	}
	found.report(t)
}

// checkChain compares the approximate max-information alone: corrections for later
// steps are about the law in which a described answer is uniform.
func (f boundsFound) checkChain(t *testing.T, what string, p maxinfo.Plan, j *maxinfo.Joint) {
	t.Helper()
	chain, err := p.Chain()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range chain.Methods {
		for _, slack := range levels {
			bound, err := chain.MaxInformation(m, slack)
			if err != nil {
				continue
			}
			exact, err := j.MaxInformation(slack)
			if err != nil {
				t.Fatal(err)
			}
			f.compare(t, what, what+", "+p.Data.String()+" "+m.Name, float64(exact), float64(bound))
		}
	}
}
