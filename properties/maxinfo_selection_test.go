package properties

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// selection is a finite selection of a test: sample s has probability prior[s], test t
// is selected from it with probability law[s][t], and has the p-value p[s][t], exact
// under the prior.
type selection struct {
	analysis
	p [][]float64
}

// rejected returns P[p_T <= gamma].
func (s selection) rejected(gamma float64) (sum float64) {
	for d, row := range s.law {
		for test, weight := range row {
			if s.p[d][test] <= gamma {
				sum += s.prior(d) * weight
			}
		}
	}
	return sum
}

// corrections returns those that apply to a plan.
func corrections(t testing.TB, steps ...maxinfo.Step) []pvalue.Correction {
	t.Helper()
	all, err := pvalue.Corrections(maxinfo.Plan{Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func named(t testing.TB, all []pvalue.Correction, name string) pvalue.Correction {
	t.Helper()
	for _, c := range all {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no correction %s", name)
	return pvalue.Correction{}
}

func threshold(t testing.TB, c pvalue.Correction, alpha float64) float64 {
	t.Helper()
	gamma, err := c.Threshold(theory.LogProb(math.Log(alpha)))
	if err != nil {
		t.Fatal(err)
	}
	return gamma.Value()
}

// circle is the selection that attains the relative-entropy correction: the sample is
// uniform on a circle of size points, the p-value of test t is how far it lies beyond t,
// and the test is chosen so that this is uniform on the lowest of low points with
// probability alpha and uniform on the others otherwise.
func circle(size, low int, alpha float64) selection {
	s := selection{analysis: oneRecord(slices.Repeat([]float64{1 / float64(size)}, size), make([][]float64, size)),
		p: make([][]float64, size)}
	for d := range size {
		s.law[d], s.p[d] = make([]float64, size), make([]float64, size)
		for test := range size {
			beyond := (d - test + size) % size
			s.p[d][test] = float64(beyond+1) / float64(size)
			if beyond < low {
				s.law[d][test] = alpha / float64(low)
			} else {
				s.law[d][test] = (1 - alpha) / float64(size-low)
			}
		}
	}
	return s
}

func TestRelativeEntropyCorrectionIsAttained(t *testing.T) {
	caught := 0
	for _, c := range []struct {
		size, low int
		alpha     float64
	}{{20, 1, 0.05}, {200, 1, 0.05}, {200, 3, 0.05}, {300, 10, 0.2}, {250, 1, 0.01}, {120, 40, 0.9}, {400, 2, 0.5}} {
		s := circle(c.size, c.low, c.alpha)
		gamma := float64(c.low) / float64(c.size)
		on := fmt.Sprintf("alpha = %v, gamma = %v", c.alpha, gamma)
		if got := s.rejected(gamma * (1 + 1e-9)); math.Abs(got-c.alpha) > 1e-12 {
			t.Errorf("%s: P[p_T <= gamma] = %v", on, got)
		}
		for test := range c.size { // each p-value is exact for a test fixed in advance
			for k := range c.size {
				below := 0.0
				for d := range c.size {
					if s.p[d][test] <= float64(k+1)/float64(c.size) {
						below += 1 / float64(c.size)
					}
				}
				if math.Abs(below-float64(k+1)/float64(c.size)) > 1e-9 {
					t.Fatalf("%s: P[p_%d <= %d/%d] = %v", on, test, k+1, c.size, below)
				}
			}
			if test == 2 {
				break // the circle looks the same from everywhere
			}
		}
		info := jointTable(t, s.prior, s.law).MutualInformation()
		want := num.KLShift{P: gamma, Shift: c.alpha - gamma}.Nats()
		if math.Abs(float64(info)-want) > 1e-11 {
			t.Errorf("%s: I = %v, kl(alpha||gamma) = %v", on, info, want)
		}
		got := threshold(t, named(t, corrections(t, maxinfo.MutualInformation{Nats: info}), "kl"), c.alpha)
		if !(got <= gamma*(1+1e-9) && got >= gamma*(1-1e-6)) {
			t.Errorf("%s: the threshold is %v", on, got)
		}
		// With half the information the threshold is larger and too many are rejected.
		weak := threshold(t, named(t, corrections(t, maxinfo.MutualInformation{Nats: info / 2}), "kl"), c.alpha)
		if s.rejected(weak) > c.alpha*(1+1e-9) {
			caught++
		}
	}
	if caught < 5 {
		t.Errorf("%d of 7 refute half the information: the check has little power", caught)
	}
}

// randomSelection has random scores of every test, p-values by the law of the score,
// and tests selected at random, by a softmax towards small ones, or the smallest.
func randomSelection(r *rand.Rand) selection {
	samples, tests := 2+r.IntN(30), 1+r.IntN(8)
	s := selection{analysis: oneRecord(randomLaw(r, samples), make([][]float64, samples)), p: make([][]float64, samples)}
	scores := make([][]float64, samples)
	for d := range scores {
		scores[d] = make([]float64, tests)
		for test := range tests {
			scores[d][test] = math.Round(r.Float64() * 40)
		}
	}
	weight := math.Exp(3*r.NormFloat64() - 1)
	for d := range samples {
		s.p[d] = make([]float64, tests)
		logits := make([]float64, tests)
		for test := range tests {
			for other := range samples {
				if scores[other][test] >= scores[d][test] {
					s.p[d][test] += s.prior(other)
				}
			}
			logits[test] = -weight * math.Log(s.p[d][test]) * (0.5 + r.Float64())
		}
		s.law[d] = fromLogits(logits)
	}
	return s
}

// No selection beats a correction that knows its information, its max-information or
// the number of its tests.
func TestCorrectionsByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(111, 112))
	tightest := boundsFound{}
	halved := 0
	try := func(what string, s selection) {
		j := jointTable(t, s.prior, s.law)
		type known struct {
			name  string
			steps []maxinfo.Step
		}
		outcomes := theory.Nats(math.Log(float64(len(s.law[0]))))
		all := []known{
			{"information", []maxinfo.Step{maxinfo.MutualInformation{Nats: j.MutualInformation()}}},
			{"tests", []maxinfo.Step{maxinfo.OneOfNats(outcomes)}},
		}
		for _, slack := range []theory.LogProb{theory.Zero, -6, -3} {
			k, err := j.MaxInformation(slack)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, known{"max-information", []maxinfo.Step{maxinfo.MaxInformation{Nats: max(0, k), Slack: slack}}})
		}
		for _, known := range all {
			for _, c := range corrections(t, known.steps...) {
				for _, alpha := range []float64{0.01, 0.05, 0.2, 0.5, 0.9} {
					gamma := threshold(t, c, alpha)
					tightest.compare(t, what, known.name+", "+c.Name, s.rejected(gamma), alpha)
				}
				// At the p-values that occur the adjusted value is an upper bound.
				for _, row := range s.p[:min(len(s.p), 6)] {
					adjusted, err := c.Adjusted(theory.LogProb(math.Log(min(1, row[0]))))
					if err != nil {
						t.Fatal(err)
					}
					if adjusted < -0.1 { // closer to one any bound is close
						tightest.compare(t, what, known.name+", "+c.Name+", adjusted", s.rejected(row[0]), adjusted.Value())
					}
				}
			}
		}
		half := named(t, corrections(t, maxinfo.MutualInformation{Nats: j.MutualInformation() / 2}), "kl")
		for _, alpha := range []float64{0.05, 0.2, 0.5} {
			if s.rejected(threshold(t, half, alpha)) > alpha*(1+1e-9) {
				halved++
			}
		}
	}
	for i := range 300 {
		try("random selection "+strconv.Itoa(i), randomSelection(r))
	}
	try("circle", circle(100, 2, 0.2))
	tightest.report(t)
	t.Logf("%d selections and levels refute half the information", halved)
	if halved == 0 {
		t.Error("no selection refutes half the information: the check has no power")
	}
}

// A selection by Gaussian noise on linear queries: each test has a null region of
// probability q for every transcript. The worst of them is bounded by the Renyi
// divergence, whose second law is not the law of the transcript.
func TestGaussianSelectionByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(113, 114))
	found := boundsFound{}
	for range 40 {
		n, queries, cells := 1+r.IntN(7), 1+r.IntN(2), 12
		sd := math.Exp(2*r.Float64()-1) / math.Sqrt(float64(n))
		bit := randomLaw(r, 2)
		priors := slices.Repeat([][]float64{bit}, n)
		query := func(records []int, sign float64) float64 {
			sum := 0.0
			for _, c := range records {
				sum += float64(c)
			}
			return 0.5 + sign*(sum/float64(n)-0.5)
		}
		a := tabulate(priors, func(_ int, records []int) []float64 {
			bins := func(sign float64) []float64 { return gaussianBins(query(records, sign), sd, -2*sd, 1+2*sd, cells) }
			law := bins(1)
			if queries == 1 {
				return law
			}
			var both []float64
			for y, p := range law {
				for _, q := range bins(float64(1 - 2*(y%2))) {
					both = append(both, p*q)
				}
			}
			return both
		})
		all, err := pvalue.Corrections(maxinfo.Plan{Samples: int64(n), Data: maxinfo.ProductData,
			Steps: []maxinfo.Step{maxinfo.Gaussian{Queries: int64(queries), SD: sd}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []float64{0.001, 0.01, 0.05, 0.2, 0.5} {
			exact := a.worstSelection(q)
			for _, c := range all {
				if c.Needs != nil {
					continue
				}
				worst, err := c.Adjusted(theory.LogProb(math.Log(q)))
				if err != nil {
					t.Fatal(err)
				}
				found.compare(t, fmt.Sprintf("n = %d, %d queries, sd = %v, q = %v", n, queries, sd, q), c.Name, exact,
					worst.Value())
			}
		}
	}
	found.report(t)
}

// worstSelection returns the most that P[E] is over randomised events E whose part at
// every transcript has probability q under the prior.
func (a analysis) worstSelection(q float64) (sum float64) {
	order := make([]int, len(a.law))
	for y := range a.law[0] {
		for d := range order {
			order[d] = d
		}
		slices.SortFunc(order, func(d, e int) int {
			if a.law[d][y] > a.law[e][y] {
				return -1
			}
			return 1
		})
		left := q
		for _, d := range order {
			part := math.Min(left, a.prior(d))
			sum += part * a.law[d][y]
			left -= part
		}
	}
	return sum
}
