package experiment

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// NullTests is a study of what looking before testing does to a p-value, on simulated data. A
// sample has n records, each a label and N attributes, all fair and independent signs:
// no attribute has to do with the label. The test of a pattern, one sign per record,
// counts the records whose label agrees with it; its p-value is P[Bin(n,1/2) >=
// count]. An analyst looks at the sample, selects one pattern and reports its p-value. The
// null hypothesis is true, so a report of p <= alpha is a false rejection, and its
// probability should be at most alpha. In a second run one attribute is informative, to
// see what a correction costs.
type NullTests struct {
	Samples     int       // n, a multiple of 64 up to 10^6
	Tests       int       // N, from 1 to 10^6
	Scales      []float64 // epsilon sqrt(n) of the private selections
	Effect      float64   // of the informative attribute, in standard errors of its count
	Repetitions int
	Alpha       theory.LogProb
	Seed        uint64
}

// NullTestsRow is what came of one selection.
type NullTestsRow struct {
	Selection  Selection
	Correction string
	Threshold  theory.LogProb
	Raw        Rate // of false rejections at alpha
	Corrected  Rate // of false rejections at the threshold
	Power      Rate // of selecting the informative attribute and rejecting at the threshold
}

// Rate is a number of hits in independent trials.
type Rate struct{ Hits, Trials int64 }

// Value returns the share of hits.
func (r Rate) Value() float64 { return float64(r.Hits) / float64(r.Trials) }

// Interval returns an interval that covers the probability of a hit with probability at
// least 1-miss (Clopper and Pearson): the p at which as many hits, or as few, have
// probability miss/2.
func (r Rate) Interval(miss theory.LogProb) (lo, hi float64) {
	half := miss.Ln() - math.Ln2
	hi = 1
	if r.Hits > 0 {
		lo = -num.Interval{Lo: -1, Hi: 0}.SafeRoot(1e-12, func(p float64) float64 {
			return num.Binomial{N: r.Trials, P: -p}.LnAtLeast(r.Hits) - half
		})
	}
	if r.Hits < r.Trials {
		hi = num.Interval{Lo: 0, Hi: 1}.SafeRoot(1e-12, func(p float64) float64 {
			return num.Binomial{N: r.Trials, P: p}.LnAtMost(r.Hits) - half
		})
	}
	return lo, hi
}

// sample is n labels and the counts of the N attributes.
type sample struct {
	label  []uint64 // 64 signs a word
	counts []int
}

// agreements returns the number of records whose label is as the pattern says.
func (s sample) agreements(pattern []uint64) int {
	count := 0
	for i, word := range pattern {
		count += bits.OnesCount64(^(word ^ s.label[i]))
	}
	return count
}

// draw fills the sample. The first attribute agrees with the label with probability
// agree, the others are independent of it.
func (s sample) draw(r *rand.Rand, agree float64) {
	for i := range s.label {
		s.label[i] = r.Uint64()
	}
	pattern := make([]uint64, len(s.label))
	for j := range s.counts {
		for i := range pattern {
			if j == 0 && agree != 0.5 {
				pattern[i] = s.label[i] ^ biased(r, 1-agree)
			} else {
				pattern[i] = r.Uint64()
			}
		}
		s.counts[j] = s.agreements(pattern)
	}
}

// biased returns 64 bits, each set with probability p.
func biased(r *rand.Rand, p float64) (word uint64) {
	for range 64 {
		word <<= 1
		if r.Float64() < p {
			word |= 1
		}
	}
	return word
}

// selections lists what the study compares.
func (s NullTests) selections() ([]Selection, error) {
	all := []Selection{fixed(s.Samples), smallest(s.Samples, s.Tests)}
	for _, scale := range s.Scales {
		e, err := exponential(s.Samples, scale)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	for _, scale := range s.Scales {
		all = append(all, memorised(s.Samples, scale))
	}
	return all, nil
}

// Validate returns a DomainError for the first field outside its domain.
func (s NullTests) Validate() error {
	const most = 1_000_000
	if err := theory.Domain(s.Samples > 0 && s.Samples%64 == 0 && s.Samples <= most, "samples", s.Samples,
		"a multiple of 64 up to 1000000"); err != nil {
		return err
	}
	if err := theory.Domain(s.Tests > 0 && s.Tests <= most, "tests", s.Tests,
		"a whole number from 1 to 1000000"); err != nil {
		return err
	}
	for _, scale := range s.Scales {
		if err := theory.Domain(scale > 0 && scale <= most, "scale", scale, "a number in (0, 1000000]"); err != nil {
			return err
		}
	}
	if err := theory.Domain(math.Abs(s.Effect) <= math.Sqrt(float64(s.Samples)), "effect", s.Effect,
		"at most sqrt(n) standard errors"); err != nil {
		return err
	}
	if err := theory.Domain(s.Repetitions > 0, "repetitions", s.Repetitions, "a positive number"); err != nil {
		return err
	}
	return theory.Domain(s.Alpha.IsInterior(), "alpha", s.Alpha, "a probability in (0, 1)")
}

// Run simulates every selection on the same samples. The seed determines the result.
func (s NullTests) Run() ([]NullTestsRow, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	selections, err := s.selections()
	if err != nil {
		return nil, err
	}
	rows := make([]NullTestsRow, len(selections))
	for i, selection := range selections {
		gamma, name, err := selection.Threshold(s.Alpha)
		if err != nil {
			return nil, err
		}
		rows[i] = NullTestsRow{Selection: selection, Correction: name, Threshold: gamma}
	}
	p := pvalues(s.Samples)
	r := rand.New(rand.NewPCG(s.Seed, 0))
	data := sample{label: make([]uint64, s.Samples/64), counts: make([]int, s.Tests)}
	for range s.Repetitions {
		data.draw(r, 0.5)
		for i := range rows {
			count, _ := rows[i].Selection.choose(r, data)
			rows[i].Raw.add(p[count] <= s.Alpha)
			rows[i].Corrected.add(p[count] <= rows[i].Threshold)
		}
		data.draw(r, 0.5+s.Effect/2/math.Sqrt(float64(s.Samples)))
		for i := range rows {
			if !rows[i].Selection.Finds {
				continue
			}
			count, attribute := rows[i].Selection.choose(r, data)
			rows[i].Power.add(attribute == 0 && p[count] <= rows[i].Threshold)
		}
	}
	return rows, nil
}

func (r *Rate) add(hit bool) {
	r.Trials++
	if hit {
		r.Hits++
	}
}

// pvalues returns P[Bin(n,1/2) >= count] for every count.
func pvalues(n int) []theory.LogProb {
	p := make([]theory.LogProb, n+1)
	for count := range p {
		p[count] = theory.LogProb(num.Binomial{N: int64(n), P: 0.5}.LnAtLeast(int64(count)))
	}
	return p
}
