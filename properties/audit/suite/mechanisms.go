package suite

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/theory"
)

// shape is the size of the instances of a mechanism that the exact layer enumerates, and their questions.
type shape struct {
	epsilon    float64
	records    int
	resolution int64
	cutoff     int64 // of sparse vector, and Thresholdout's budget
	queries    int
	threshold  float64 // in units of a record
	analyst    uint64
	stretch    float64 // of all noise, which no claim knows of: 1 for an honest mechanism
}

// usual is the shape of the suite.
func usual(epsilon float64) shape {
	return shape{
		epsilon: epsilon, records: 2, resolution: 2, cutoff: 2, queries: 5, threshold: 1, analyst: 0xff00ff00ff00ff00,
		stretch: 1,
	}
}

// Mechanisms returns the mechanisms of the suite.
func Mechanisms() []Mechanism {
	return []Mechanism{
		{Name: "laplace", Summary: "Laplace noise on the lattice", build: shape.laplace},
		{Name: "gaussian", Summary: "Gaussian noise on the lattice", build: shape.gaussian},
		{Name: "geometric", Summary: "an integer with two-sided geometric noise, clamped", build: shape.geometric},
		{Name: "randomized-response", Summary: "the true value or another", build: shape.randomizedResponse},
		{Name: "exponential", Summary: "a candidate by its utility", build: shape.exponential},
		{Name: "noisy-max", Summary: "the candidate with the largest score after Laplace noise", build: shape.noisyMax},
		{Name: "noisy-max-exponential", Summary: "the same after exponential noise", build: shape.noisyMaxOneSided},
		{Name: "above-threshold", Summary: "sparse vector that stops at the first query above", build: shape.aboveThreshold},
		{Name: "sparse-vector", Summary: "which queries are above a threshold, whose noise is drawn once",
			build: shape.sparseVector},
		{Name: "sparse-vector-redrawn", Summary: "the same with a new threshold after each query above",
			build: shape.sparseVectorRedrawn},
		{Name: "thresholdout", Summary: "the training mean, or the holdout's with noise where they differ",
			build: shape.thresholdout},
		{Name: "composition", Summary: "randomized response of the same row, repeatedly", build: shape.composition},
		{Name: "adaptive-composition", Summary: "different mechanisms, each chosen in view of the outcomes before",
			build: shape.adaptiveComposition},
		{Name: "laplace-answers", Summary: "adaptively chosen statistical queries with Laplace noise",
			build: shape.laplaceAnswers},
		{Name: "gaussian-answers", Summary: "adaptively chosen statistical queries with Gaussian noise",
			build: shape.gaussianAnswers},
		{Name: "gaussian-cut", Summary: "Gaussian noise that is redrawn until it is within two standard deviations",
			build: shape.gaussianCut},
		{Name: "rounding", Summary: "answers rounded to few values", build: shape.rounding},
		{Name: "splitting", Summary: "each query from rows of its own", build: shape.splitting},
	}
}

// lnRare bounds the probability of the errors that the accuracy checks look for.
var lnRare = theory.LogProb(math.Log(0.01))

// ones counts the records that are not 0.
func ones(data []int) int64 {
	n := int64(0)
	for _, x := range data {
		n += int64(min(x, 1))
	}
	return n
}

// histogram counts the records of each of k values.
func histogram(data []int, k int) []float64 {
	h := make([]float64, k)
	for _, x := range data {
		h[x]++
	}
	return h
}

// asks is the analyst's choice after so many answers and of those "above": how many records
// are 1, or how many are 0.
func (s shape) asks(data []int, answers, aboves int) int64 {
	if s.analyst>>(8*min(aboves, 7)+min(answers, 7))&1 == 1 {
		return int64(len(data)) - ones(data)
	}
	return ones(data)
}

// draws fills an outcome's only number.
func draws(f func(r *rand.Rand) float64) audit.Sampler {
	return func(r *rand.Rand, out []float64) { out[0] = f(r) }
}

// counting is the geometric mechanism on the number of ones, in lattice steps.
func (s shape) counting(scale float64) mechanism.Geometric {
	n := int64(s.records) + 2
	return mechanism.Geometric{Sensitivity: s.resolution, Scale: scale, Low: -2 * s.resolution, High: n * s.resolution}
}

func (s shape) geometric() subject {
	step := s.epsilon / float64(s.resolution) // of the lattice, in scales of the noise
	m := s.counting(s.stretch / step)
	reach := 2 * s.resolution
	return subject{
		claim: pure(s.epsilon),
		tight: []string{checkEpsilon, checkTradeOff, checkMaxInfo, checkAccuracy},
		laws: enumerated(s.records, 2, func(data []int) mechanism.Finite {
			return must(m.On(ones(data) * s.resolution))
		}),
		mistake: &mistake{
			// P[|noise| >= k] = 2e^(-k/b)/(1+e^(-1/b)), in the clamped range too.
			text:  "an error of two sensitivities or more",
			bound: theory.LogProb(math.Ln2 - float64(reach)*step - math.Log1p(math.Exp(-step))),
			made: func(data []int, outcome int) bool {
				d := m.Low + int64(outcome) - ones(data)*s.resolution
				return max(d, -d) >= reach
			},
		},
	}
}

// laplace has the law of the geometric mechanism.
func (s shape) laplace() subject {
	scale := s.stretch / s.epsilon
	sub := s.additive(additive{
		noise: func(resolution int64) (mechanism.Noise, error) {
			return mechanism.Laplace{Sensitivity: 1, Scale: scale, Resolution: resolution}.Noise()
		},
		law: func(data []int) mechanism.Finite {
			return must(s.counting(float64(s.resolution) * scale).On(ones(data) * s.resolution))
		},
		text: "an error beyond ln(100) scales", far: -lnRare.Ln() / s.epsilon,
	})
	sub.claim, sub.tight = pure(s.epsilon), []string{checkEpsilon, checkTradeOff, checkMaxInfo}
	return sub
}

// additive is noise on the number of ones.
type additive struct {
	noise func(resolution int64) (mechanism.Noise, error) // 0 is the finest
	law   func(data []int) mechanism.Finite               // of the answer on the coarse lattice, clamped
	text  string
	far   float64 // an error that is rare
}

// additive has the law on a coarse lattice, and bets and errors on the finest.
func (s shape) additive(m additive) subject {
	coarse, fine := must(m.noise(s.resolution)), must(m.noise(0))
	far := m.far + fine.Step()
	return subject{
		laws: enumerated(s.records, 2, s.onLattice(coarse, m.law)),
		mistake: &mistake{
			text: m.text, bound: lnRare,
			draw: func(r *rand.Rand) bool { return math.Abs(fine.Answer(r, 0.3)-0.3) >= far },
		},
		bets: &bets{
			text: "values 0 and 1", width: 1,
			first:  draws(func(r *rand.Rand) float64 { return fine.Answer(r, 0) }),
			second: draws(func(r *rand.Rand) float64 { return fine.Answer(r, 1) }),
		},
	}
}

// onLattice is the law with the sampler of the noise, clamped to the same range.
func (s shape) onLattice(z mechanism.Noise, law func(data []int) mechanism.Finite) func(data []int) mechanism.Finite {
	return func(data []int) mechanism.Finite {
		f := law(data)
		f.Draw = func(r *rand.Rand) int {
			k := math.Round(z.Answer(r, float64(ones(data))) / z.Step())
			return int(min(max(k+float64(2*s.resolution), 0), float64(len(f.Law)-1)))
		}
		return f
	}
}

func (s shape) gaussian() subject {
	c := gaussian(s.epsilon)
	return s.gaussianNoise(c, s.stretch/c.mu)
}

// gaussianNoise claims c of Gaussian noise with a standard deviation.
func (s shape) gaussianNoise(c claim, sd float64) subject {
	sub := s.additive(additive{
		noise: func(resolution int64) (mechanism.Noise, error) {
			return mechanism.Gaussian{Sensitivity: 1, SD: sd, Resolution: resolution}.Noise()
		},
		law: func(data []int) mechanism.Finite {
			steps := int64(s.records+4)*s.resolution + 1
			mean := float64(2*s.resolution + ones(data)*s.resolution)
			return mechanism.Finite{Law: rounded(mean, sd*float64(s.resolution), int(steps))}
		},
		text: "an error beyond the 99% quantile", far: sd / s.stretch * num.MaxNormalQuantile(1, lnRare.Ln()),
	})
	sub.claim = c
	return sub
}

// rounded is the law of N(mean, sd^2) rounded to the nearest of 0, ..., n-1.
func rounded(mean, sd float64, n int) []theory.LogProb {
	law := make([]theory.LogProb, n)
	for k := range law {
		// From the side where nothing cancels.
		a, b := (float64(k)-0.5-mean)/sd, (float64(k)+0.5-mean)/sd
		if float64(k) < mean {
			a, b = -b, -a
		}
		end := n - 1
		if float64(k) < mean {
			end = 0
		}
		lower := k == end
		law[k] = theory.LogProb(num.LogSurvival(a))
		if !lower {
			law[k] = theory.LogProb(num.LogSubExp(num.LogSurvival(a), num.LogSurvival(b)))
		}
	}
	return law
}

func (s shape) randomizedResponse() subject {
	m := mechanism.RandomizedResponse{Epsilon: s.epsilon / s.stretch, Values: 2}
	return subject{
		claim: pure(s.epsilon),
		tight: []string{checkEpsilon, checkDelta, checkTradeOff, checkZCDP, checkMaxInfo, checkAccuracy},
		laws:  enumerated(s.records, 2, func(data []int) mechanism.Finite { return must(m.On(data...)) }),
		mistake: &mistake{
			text: "a first report that is not true", bound: theory.LogProb(-math.Log1p(math.Exp(s.epsilon))),
			made: func(data []int, outcome int) bool { return outcome>>(len(data)-1) != data[0] },
		},
	}
}

// exponential chooses by the histogram of three values.
func (s shape) exponential() subject {
	m := mechanism.Exponential{Sensitivity: 1, Weight: s.epsilon / (2 * s.stretch)}
	records := s.records + 1
	odds := 2 * math.Exp(-s.epsilon) // of the two others, at a distance of 2
	return subject{
		claim: inRange(s.epsilon),
		laws: enumerated(records, 3, func(data []int) mechanism.Finite {
			return must(m.On(apart(data)))
		}),
		mistake: &mistake{
			text: "a utility that misses the best by 2", bound: theory.LogProb(math.Log(odds / (1 + odds))),
			made: func(data []int, outcome int) bool {
				u := apart(data)
				return slices.Max(u)-u[outcome] >= 2
			},
		},
	}
}

// apart is a histogram of three values, the last of them far behind.
func apart(data []int) []float64 {
	h := histogram(data, 3)
	h[2] -= 12
	return h
}

func (s shape) noisyMax() subject         { return s.reportMax(false) }
func (s shape) noisyMaxOneSided() subject { return s.reportMax(true) }

func (s shape) reportMax(oneSided bool) subject {
	m := mechanism.NoisyMax{Sensitivity: 1, Scale: 2 * s.stretch / s.epsilon, OneSided: oneSided, Resolution: s.resolution}
	fine := m
	fine.Resolution = 0
	pick := func(scores ...float64) audit.Sampler {
		return draws(func(r *rand.Rand) float64 {
			i, _ := fine.Pick(r, scores)
			return float64(i)
		})
	}
	// One noise exceeds another by x scales with probability (1/2 + x/4) e^(-x), if they are
	// Laplace, and less if they are exponential.
	const x = 8
	best := 2 * x / s.epsilon
	sub := subject{
		claim: pure(s.epsilon),
		laws: enumerated(s.records+1, 2, func(data []int) mechanism.Finite {
			return must(m.On(histogram(data, 2)))
		}),
		mistake: &mistake{
			text: "a score that is 8 scales behind", bound: theory.LogProb(math.Log(3*(0.5+x/4.0)) - x),
			draw: func(r *rand.Rand) bool {
				i, _ := fine.Pick(r, []float64{0, best, 0, 0})
				return i != 1
			},
		},
		bets: &bets{text: "scores 0 1 1 and 1 0 0", width: 1, first: pick(0, 1, 1), second: pick(1, 0, 0)},
	}
	if oneSided {
		sub.tight = []string{checkEpsilon}
	}
	return sub
}

func (s shape) aboveThreshold() subject {
	s.cutoff = 1
	return s.sparse(false)
}

func (s shape) sparseVector() subject        { return s.sparse(false) }
func (s shape) sparseVectorRedrawn() subject { return s.sparse(true) }

// sparse spends half of epsilon on the threshold and half on the queries.
func (s shape) sparse(redraw bool) subject {
	count := float64(s.cutoff)
	m := mechanism.SparseVector{
		Sensitivity: 1, Threshold: s.threshold, ThresholdScale: 2 * s.stretch / s.epsilon,
		QueryScale: 4 * count * s.stretch / s.epsilon,
		Cutoff:     s.cutoff, Redraw: redraw, Resolution: s.resolution,
	}
	if redraw {
		m.ThresholdScale *= count
	}
	fine := m
	fine.Resolution = 0
	thresholds := 1.0
	if redraw {
		thresholds = count
	}
	// Beyond the first term with probability 0.005 for some threshold, and beyond the second
	// for some query.
	far := (m.ThresholdScale*math.Log(2*thresholds/0.01) + m.QueryScale*math.Log(2*float64(s.queries)/0.01)) / s.stretch
	return subject{
		claim: pure(s.epsilon),
		laws: enumerated(s.records, 2, func(data []int) mechanism.Finite {
			return must(m.On(func(past []bool) (float64, bool) {
				aboves := 0
				for _, above := range past {
					if above {
						aboves++
					}
				}
				return float64(s.asks(data, len(past), aboves)), len(past) < s.queries
			}))
		}),
		mistake: &mistake{
			text: "a wrong answer to a query far from the threshold, or one too many", bound: lnRare,
			draw: func(r *rand.Rand) bool {
				run, _ := fine.Start(r)
				wrong, left := false, s.cutoff
				for j := range s.queries {
					sign := float64(1 - 2*(j%2))
					above, ok := run.Ask(fine.Threshold - sign*far)
					right := above != (sign > 0) && left > 0
					wrong = wrong || ok && !right
					if above {
						left--
					}
				}
				return wrong
			},
		},
		bets: &bets{
			text: "queries 0 0 0 1 1 and 1 1 1 0 0", width: 1,
			first:  s.transcript(fine, 0),
			second: s.transcript(fine, 1),
		},
	}
}

// transcript is the number of the transcript, to the base 3, for one record: the first three
// queries ask whether it is 1, the others whether it is 0.
func (s shape) transcript(m mechanism.SparseVector, record int) audit.Sampler {
	return draws(func(r *rand.Rand) float64 {
		run, _ := m.Start(r)
		code := 0.0
		for j := range s.queries {
			x := record
			if j >= 3 {
				x = 1 - record
			}
			above, ok := run.Ask(float64(x))
			switch {
			case !ok:
				code = 3 * code
			case above:
				code = 3*code + 2
			default:
				code = 3*code + 1
			}
		}
		return code
	})
}

func (s shape) thresholdout() subject {
	n := float64(s.records)
	m := mechanism.Thresholdout{
		Samples: int64(s.records), Budget: s.cutoff, Threshold: s.threshold / n,
		Scale: 2 * float64(s.cutoff) * s.stretch / (s.epsilon * n), Resolution: 1,
	}
	fine := m
	fine.Resolution = 0
	far := m.Scale / s.stretch * (num.MaxLaplaceQuantile(s.cutoff, lnRare.Ln()) + 1e-8)
	return subject{
		claim: pure(s.epsilon),
		laws: enumerated(s.records, 2, func(data []int) mechanism.Finite {
			return must(m.On(func(past []mechanism.Answer) (mechanism.Means, bool) {
				aboves := 0
				for _, a := range past {
					if a.Flagged {
						aboves++
					}
				}
				return mechanism.Means{Training: s.training(), Holdout: float64(s.asks(data, len(past), aboves)) / n},
					len(past) < s.queries
			}))
		}),
		mistake: &mistake{
			text: "a flagged answer that is off by more than the noise's quantile, or one too many", bound: lnRare,
			draw: func(r *rand.Rand) bool {
				run, _ := fine.Start(r)
				wrong, left := false, s.cutoff
				for j := range 20 {
					holdout := float64(j%3) / 2
					if a, _ := run.Ask(mechanism.Means{Training: 0.5, Holdout: holdout}); a.Flagged {
						wrong = wrong || math.Abs(a.Value-holdout) >= far || left == 0
						left--
					}
				}
				return wrong
			},
		},
		bets: &bets{
			text: "a holdout mean of 0 and of 1/n", width: 3,
			first:  answersOf(fine, 0),
			second: answersOf(fine, 1/n),
		},
	}
}

// training is the training mean, a multiple of 1/n.
func (s shape) training() float64 { return float64(s.records/2) / float64(s.records) }

// answersOf is the number of answers that are not flagged, and the first and the sum of the
// flagged ones, for a holdout mean.
func answersOf(m mechanism.Thresholdout, holdout float64) audit.Sampler {
	return func(r *rand.Rand, out []float64) {
		run, _ := m.Start(r)
		out[0], out[1], out[2] = 0, -100, 0
		for range 8 {
			a, ok := run.Ask(mechanism.Means{Training: 0, Holdout: holdout})
			switch {
			case !ok:
				return
			case !a.Flagged:
				out[0]++
			case out[1] == -100:
				out[1] = a.Value
				fallthrough
			default:
				out[2] += a.Value
			}
		}
	}
}

// steps is how often composition responds.
const steps = 4

func (s shape) composition() subject { return s.responses(steps, steps) }

// responses claims the composition of so many responses of a number that may be larger.
func (s shape) responses(claimed, made int64) subject {
	each := theory.Pure{Epsilon: s.epsilon / steps}
	m := mechanism.RandomizedResponse{Epsilon: each.Epsilon / s.stretch, Values: 2}
	return subject{
		claim: composed(each, claimed),
		tight: []string{checkEpsilon, checkDelta, checkTradeOff, checkZCDP, checkMaxInfo},
		laws: enumerated(1, 2, func(data []int) mechanism.Finite {
			return must(mechanism.Adaptive(func(past []int) (mechanism.Finite, bool) {
				return must(m.On(data[0])), int64(len(past)) < made
			}))
		}),
	}
}

// adaptiveComposition is a count, then noisy max or randomized response, then the other.
func (s shape) adaptiveComposition() subject {
	third := s.epsilon / (3 * s.stretch)
	return subject{
		claim: pure(s.epsilon),
		laws: enumerated(s.records, 2, func(data []int) mechanism.Finite {
			return must(mechanism.Adaptive(func(past []int) (mechanism.Finite, bool) {
				switch {
				case len(past) == 0:
					return must(mechanism.Geometric{Sensitivity: 1, Scale: 1 / third, High: int64(s.records)}.On(ones(data))), true
				case len(past) == 3:
					return mechanism.Finite{}, false
				case past[0]%2 == len(past)-1:
					return must(mechanism.NoisyMax{Sensitivity: 1, Scale: 2 / third, Resolution: 1}.On(histogram(data, 2))), true
				}
				return must(mechanism.RandomizedResponse{Epsilon: third, Values: 2}.On(data[past[0]%s.records])), true
			}))
		}),
	}
}

// answering is an analyst of statistical queries on ten records, whose next query counts
// the one record that makes the difference or leaves it out, as the answers so far suggest.
const answering = 10

func (s shape) laplaceAnswers() subject {
	scale := 3 / (s.epsilon * answering)
	m := mechanism.LaplaceAnswers{Samples: answering, Scale: slices.Repeat([]float64{s.stretch * scale}, 3)}
	z := must(mechanism.Laplace{Sensitivity: 1.0 / answering, Scale: scale}.Noise())
	own := twoSided(scale / z.Step())
	return subject{
		claim:   pure(s.epsilon),
		drawn:   residuals(m.Start, z.Step(), scale, func(k float64) float64 { return own.atMost(int64(k)) }),
		mistake: offBy(scale*(num.MaxLaplaceQuantile(3, lnRare.Ln())+1e-8), m.Start),
		bets:    asked(m.Start, func(x float64) float64 { return (math.Abs(x-0.6) - math.Abs(x-0.5)) / scale }),
	}
}

func (s shape) gaussianAnswers() subject {
	c := gaussian(s.epsilon)
	sd := math.Sqrt(3) / (c.mu * answering)
	m := mechanism.GaussianAnswers{Samples: answering, Noise: []theory.NoiseBlock{{Queries: 3, Scale: s.stretch * sd}}}
	z := must(mechanism.Gaussian{Sensitivity: 1.0 / answering, SD: sd}.Noise())
	own := func(k float64) float64 { return math.Erfc(-(k+0.5)*z.Step()/(sd*math.Sqrt2)) / 2 }
	return subject{
		claim:   c,
		drawn:   residuals(m.Start, z.Step(), sd, own),
		mistake: offBy(sd*(num.MaxNormalQuantile(3, lnRare.Ln())+1e-8), m.Start),
		bets:    asked(m.Start, func(x float64) float64 { return x - 0.55 }),
	}
}

// residuals are the cells of the noise of three answers to 0.5, by the law of the noise in
// steps, P[noise <= k].
func residuals(start starting, step, scale float64, atMost func(k float64) float64) *drawn {
	edges := []float64{-2, -1, -0.3, 0, 0.3, 1, 2}
	cells, below := make([]float64, len(edges)+1), 0.0
	for i := range cells {
		upTo := 1.0
		if i < len(edges) {
			edges[i] = math.Floor(edges[i] * scale / step)
			upTo = atMost(edges[i])
		}
		cells[i], below = upTo-below, upTo
	}
	n := len(cells)
	law := make([]theory.LogProb, n*n*n)
	for i := range law {
		law[i] = theory.LogProb(math.Log(cells[i/n/n] * cells[i/n%n] * cells[i%n]))
	}
	return &drawn{
		text: "the cells of three answers' noise",
		law:  law,
		draw: func(r *rand.Rand) int {
			run, _ := start(r)
			outcome := 0
			for range 3 {
				a, _ := run.Ask(0.5)
				k := math.Round((a - 0.5) / step)
				cell := 0
				for cell < len(edges) && k > edges[cell] {
					cell++
				}
				outcome = outcome*n + cell
			}
			return outcome
		},
	}
}

type starting = func(r *rand.Rand) (*mechanism.Run[float64, float64], error)

func offBy(far float64, start starting) *mistake {
	return &mistake{
		text: "an answer of three that is off by more than the noise's quantile", bound: lnRare,
		draw: func(r *rand.Rand) bool {
			run, _ := start(r)
			mean, wrong := 0.5, false
			for range 3 {
				a, _ := run.Ask(mean)
				wrong = wrong || math.Abs(a-mean) >= far
				mean = math.Round(5*(a-math.Floor(a))) / 5
			}
			return wrong
		},
	}
}

// asked are three queries, each with the mean 0.5 on one data set and 0.6 on the other, or the
// other way round after an answer above 0.55. The features are the answers and the sum of the
// losses.
func asked(start starting, loss func(x float64) float64) *bets {
	on := func(second bool) audit.Sampler {
		return func(r *rand.Rand, out []float64) {
			run, _ := start(r)
			flipped := false
			out[3] = 0
			for j := range 3 {
				mean, sign := 0.5, 1.0
				if second != flipped {
					mean = 0.6
				}
				if flipped {
					sign = -1
				}
				out[j], _ = run.Ask(mean)
				out[3] += sign * loss(out[j])
				flipped = out[j] > 0.55
			}
		}
	}
	return &bets{text: "means 0.5 and 0.6", width: 4, first: on(false), second: on(true)}
}

func (s shape) rounding() subject { return s.cells(max(1, int64(math.Round(2/s.stretch)))) }

// cells claims the transcripts of three queries answered by two cells each. The only record
// is one of 64 values, and each query asks where it lies in the cell answered before.
func (s shape) cells(cells int64) subject {
	claimed := must(mechanism.Rounding{Cells: 2, Queries: 3}.DescriptionLength())
	m := mechanism.Rounding{Cells: cells, Queries: 3}
	answers := func(data []int) (outcome int, off float64) {
		run, _ := m.Start()
		mean := float64(data[0]) / 64
		for range 3 {
			a, _ := run.Ask(mean)
			cell := math.Floor(a * float64(cells))
			outcome, off = outcome*int(cells)+int(cell), max(off, math.Abs(a-mean))
			mean = mean*float64(cells) - cell
		}
		return outcome, off
	}
	return subject{
		claim: claim{text: "2^3 transcripts", step: maxinfo.OneOfNats(claimed)},
		laws: enumerated(1, 64, func(data []int) mechanism.Finite {
			outcome, _ := answers(data)
			f := mechanism.Finite{Law: slices.Repeat([]theory.LogProb{theory.Zero}, int(cells*cells*cells)),
				Draw: func(*rand.Rand) int { return outcome }}
			f.Law[outcome] = 0
			return f
		}),
		transcripts: float64(claimed),
		tight:       []string{checkTranscripts},
		mistake: &mistake{
			text: "an answer that is off by more than half a cell", bound: theory.Zero,
			made: func(data []int, _ int) bool {
				_, off := answers(data)
				return off > 0.25
			},
		},
	}
}

// The attack on splitting: so many attributes of fair bits, of 64 records each, and then the
// share of the records with which most of them agree, a bit agreeing with its attribute's
// answer.
const attributes = 49

func (s shape) splitting() subject {
	m := mechanism.Splitting{Samples: 64 * (attributes + 1), Queries: attributes + 1}
	return s.overfitted(func() func(query func(mechanism.Part) float64) float64 {
		run := must(m.Start())
		return func(query func(mechanism.Part) float64) float64 {
			a, _ := run.Ask(query)
			return a
		}
	})
}

// overfitted claims Hoeffding's inequality for every answer, and the binomial law for the
// last, which no query has seen the records of.
func (s shape) overfitted(start func() func(query func(mechanism.Part) float64) float64) subject {
	far := math.Sqrt((math.Log(2*(attributes+1)) - lnRare.Ln()) / 128)
	law := make([]theory.LogProb, 65)
	for k := range law {
		law[k] = theory.LogProb(num.Binomial{N: 64, P: 0.5}.LnPMF(int64(k)))
	}
	return subject{
		claim: claim{text: "no query has seen its rows"},
		drawn: &drawn{
			text: "how many rows agree with the last query", law: law, cost: 4,
			draw: func(r *rand.Rand) int {
				last, _ := overfit(r, start(), far)
				return int(math.Round(64 * last))
			},
		},
		mistake: &mistake{
			text: "an answer that is off its expectation by more than Hoeffding's bound", bound: lnRare, cost: 4,
			draw: func(r *rand.Rand) bool {
				_, wrong := overfit(r, start(), far)
				return wrong
			},
		},
	}
}

// overfit attacks once, and says what the last answer is and whether some answer is off by far.
func overfit(r *rand.Rand, ask func(query func(mechanism.Part) float64) float64, far float64) (last float64,
	wrong bool) {
	var words, flip [attributes]uint64 // the bits of an attribute, and what disagrees
	var from [attributes]int64         // in the records from here on
	for j := range words {
		a := ask(func(p mechanism.Part) float64 {
			words[j], from[j] = r.Uint64(), p.From
			return float64(bits.OnesCount64(words[j])) / 64
		})
		wrong = wrong || math.Abs(a-0.5) >= far
		if a <= 0.5 {
			flip[j] = math.MaxUint64
		}
	}
	last = ask(func(p mechanism.Part) float64 {
		var digits [6]uint64 // of the votes of each record, in binary
		for j, word := range words {
			if from[j] != p.From {
				word = r.Uint64()
			}
			carry := word ^ flip[j]
			for d := range digits {
				digits[d], carry = digits[d]^carry, digits[d]&carry
			}
		}
		// More than 24 votes: 32 or more, or 16 + 8 and some.
		return float64(bits.OnesCount64(digits[5]|digits[4]&digits[3]&(digits[0]|digits[1]|digits[2]))) / 64
	})
	return last, wrong || math.Abs(last-0.5) >= far
}
