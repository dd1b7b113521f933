package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// step is a comparison of a transcript, and the probability of the answer if it is above.
type step struct {
	query  int64
	above  bool
	answer float64
}

// probability is the probability of a transcript by the algorithm: a sum over the threshold of
// every epoch. Scales are in steps.
func probability(c comparison, transcript []step) float64 {
	bar, noise := geometricTable(c.thresholdScale, false), geometricTable(c.queryScale, false).tails()
	p := 1.
	for len(transcript) > 0 {
		epoch := transcript
		if c.redraw {
			if first := slices.IndexFunc(epoch, func(s step) bool { return s.above }); first >= 0 {
				epoch = epoch[:first+1]
			}
		}
		transcript = transcript[len(epoch):]
		sum := 0.
		for rho := -bar.half; rho <= bar.half; rho++ {
			term, z := bar.at(rho), c.threshold+rho
			for _, s := range epoch {
				if s.above {
					term *= noise.atLeast(z-s.query+1) * s.answer
				} else {
					term *= noise.atMost(z - s.query)
				}
			}
			sum += term
		}
		p *= sum
	}
	return p
}

// An analyst whose queries depend on the answers; data moves them by one sensitivity.
func adaptiveValue(past []bool, data float64) (float64, bool) {
	query := data
	for i, above := range past {
		if above {
			query -= float64(i + 1)
		} else {
			query += 0.5
		}
	}
	return query, len(past) < 4
}

func TestSparseVectorLaw(t *testing.T) {
	for _, redraw := range []bool{false, true} {
		for cutoff := int64(1); cutoff <= 3; cutoff++ {
			m := SparseVector{Sensitivity: 1, Threshold: 1.5, ThresholdScale: 0.7, QueryScale: 2.2, Cutoff: cutoff,
				Redraw: redraw, Resolution: 2}
			var want []float64
			var list func(past []bool, transcript []step)
			list = func(past []bool, transcript []step) {
				aboves := int64(0)
				for _, s := range transcript {
					if s.above {
						aboves++
					}
				}
				query, ok := adaptiveValue(past, 0.5)
				if !ok || aboves == cutoff {
					want = append(want, probability(comparison{3, 1.4, 4.4, redraw}, transcript))
					return
				}
				for _, above := range []bool{false, true} {
					list(append(slices.Clone(past), above), append(slices.Clone(transcript), step{int64(2 * query), above, 1}))
				}
			}
			list(nil, nil)
			f := must(m.On(func(past []bool) (float64, bool) { return adaptiveValue(past, 0.5) }))
			sameLaw(t, "sparse vector", f.Law, want)
		}
	}
}

// Claims hold for neighbouring queries, adaptive ones too.
func TestSparseVectorClaim(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	best := 0.
	for range 200 {
		m := SparseVector{
			Sensitivity: 1, Threshold: r.Float64(), ThresholdScale: 0.2 + 3*r.Float64(), QueryScale: 0.2 + 3*r.Float64(),
			Cutoff: 1 + r.Int64N(3), Redraw: r.IntN(2) == 0, Resolution: 1 + r.Int64N(3),
		}
		a, b := make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i] = 4*r.Float64() - 2
			b[i] = a[i] + 2*r.Float64() - 1
		}
		best = math.Max(best, within(t, "sparse vector", must(m.On(Fixed[bool](a...))), must(m.On(Fixed[bool](b...)))))
		best = math.Max(best, within(t, "sparse vector, adaptively",
			must(m.On(func(past []bool) (float64, bool) { return adaptiveValue(past, 0) })),
			must(m.On(func(past []bool) (float64, bool) { return adaptiveValue(past, 1) }))))
	}
	t.Logf("largest loss/epsilon: %v", best)
}

// streak is n queries of one value, as long as they are below, and c of another.
func streak(n, c int, first, last float64) func(past []bool) (float64, bool) {
	return func(past []bool) (float64, bool) {
		switch asked := len(past); {
		case asked > 0 && asked <= n && past[asked-1]:
			return 0, false
		case asked < n:
			return first, true
		default:
			return last, asked < n+c
		}
	}
}

// The claims are attained in the limit of long streaks of "below".
func TestSparseVectorTight(t *testing.T) {
	for _, redraw := range []bool{false, true} {
		m := SparseVector{Sensitivity: 1, ThresholdScale: 2, QueryScale: 4, Cutoff: 1, Redraw: redraw, Resolution: 1}
		if ratio := within(t, "long streak", must(m.On(streak(20_000, 1, 0, 1))),
			must(m.On(streak(20_000, 1, 1, 0)))); !(ratio > 0.99) {
			t.Errorf("redraw %v: %v of the claim", redraw, ratio)
		}
	}
	m := SparseVector{Sensitivity: 1, ThresholdScale: 0.5, QueryScale: 4, Cutoff: 3, Resolution: 1}
	if ratio := within(t, "long streak, cut-off 3", must(m.On(streak(5000, 3, 0, 1))),
		must(m.On(streak(5000, 3, 1, 0)))); !(ratio > 0.99) {
		t.Errorf("cut-off 3: %v of the claim", ratio)
	}
}

// Noise that is truncated before the comparison is private at no epsilon if the row is
// long enough: here the noisy threshold is clamped to [-4, 4].
func TestTruncatedComparisonIsNotPrivate(t *testing.T) {
	bar, noise := geometricTable(2, false), geometricTable(4, false).tails()
	claim := must(SparseVector{Sensitivity: 1, ThresholdScale: 2, QueryScale: 4, Cutoff: 1,
		Resolution: 1}.Pure()).Value.Epsilon
	loss := func(length float64) float64 {
		var p [2]float64
		for data := range p {
			first, last := int64(data), int64(1-data)
			for z := int64(-4); z <= 4; z++ {
				at := bar.at(z)
				switch z {
				case -4:
					at = bar.between(-1<<40, z)
				case 4:
					at = bar.between(z, 1<<40)
				}
				p[data] += at * math.Pow(noise.atMost(z-first), length) * noise.atLeast(z-last+1)
			}
		}
		return math.Log(p[0] / p[1])
	}
	if short, long := loss(2), loss(400); !(short < claim && long > 5*claim) {
		t.Errorf("loss %v after 2 queries and %v after 400, at epsilon %v", short, long, claim)
	}
}

// The analyst asks attribute j of the holdout: record i of data set d has the bits
// i, i+n, ... of d. The training mean depends on the answers.
func thresholdoutOn(m Thresholdout, queries, d int) func(past []Answer) (Means, bool) {
	return func(past []Answer) (Means, bool) {
		q := Means{Training: 0.5}
		for i := range m.Samples {
			q.Holdout += float64(d >> (int64(len(past))*m.Samples + i) & 1)
		}
		q.Holdout /= float64(m.Samples)
		for _, a := range past {
			switch {
			case a.Flagged && a.Value > 0.5:
				q.Training = 0
			case a.Flagged:
				q.Training = 1
			}
		}
		return q, len(past) < queries
	}
}

func TestThresholdoutLaw(t *testing.T) {
	for budget := int64(1); budget <= 3; budget++ {
		m := Thresholdout{Samples: 2, Budget: budget, Threshold: 0.5, Scale: 0.4, Resolution: 1} // scales 0.8, 1.6, 3.2 steps
		c, release := comparison{1, 1.6, 3.2, true}, geometricTable(0.8, false)
		for _, d := range []int{0, 0b111101, 0b100110} {
			var want []float64
			next := thresholdoutOn(m, 3, d)
			var list func(past []Answer, transcript []step)
			list = func(past []Answer, transcript []step) {
				flagged := int64(0)
				for _, a := range past {
					if a.Flagged {
						flagged++
					}
				}
				q, ok := next(past)
				if !ok || flagged == budget {
					want = append(want, probability(c, transcript))
					return
				}
				compared := int64(math.Abs(2*q.Holdout - 2*q.Training))
				list(append(slices.Clone(past), Answer{q.Training, false}), append(slices.Clone(transcript), step{query: compared}))
				center := int64(2 * q.Holdout)
				for k, p := range []float64{release.between(-1<<40, -center), release.at(1 - center),
					release.between(2-center, 1<<40)} {
					list(append(slices.Clone(past), Answer{float64(k) / 2, true}),
						append(slices.Clone(transcript), step{compared, true, p}))
				}
			}
			list(nil, nil)
			sameLaw(t, "Thresholdout", must(m.On(next)).Law, want)
		}
	}
}

// Every pair of neighbouring holdouts keeps to 2B/(scale n), at every resolution.
func TestThresholdoutClaim(t *testing.T) {
	best := 0.
	for _, m := range []Thresholdout{
		{Samples: 1, Budget: 1, Threshold: 0.75, Scale: 0.5, Resolution: 3},
		{Samples: 2, Budget: 1, Threshold: 0.3, Scale: 1, Resolution: 2},
		{Samples: 2, Budget: 2, Threshold: 0.5, Scale: 0.2, Resolution: 1},
		{Samples: 3, Budget: 2, Threshold: 0.1, Scale: 0.5, Resolution: 1},
	} {
		const queries = 3
		size := 1 << (queries * m.Samples)
		laws := make([]Finite, size)
		for d := range laws {
			laws[d] = must(m.On(thresholdoutOn(m, queries, d)))
		}
		if got, want := epsilon(laws[0]), 2*float64(m.Budget)/(m.Scale*float64(m.Samples)); math.Abs(got/want-1) > 1e-14 {
			t.Errorf("the claim is %v, want %v", got, want)
		}
		record := 0
		for j := range queries {
			record |= 1 << (int64(j) * m.Samples)
		}
		for d := range laws {
			for e := range laws {
				for i := range m.Samples {
					if d != e && (d^e)&^(record<<i) == 0 {
						best = math.Max(best, within(t, "Thresholdout", laws[d], laws[e]))
					}
				}
			}
		}
	}
	t.Logf("largest loss/epsilon: %v", best)
}

// A long row of agreement, then a flagged answer: all of 2/(scale n).
func TestThresholdoutTight(t *testing.T) {
	m := Thresholdout{Samples: 1, Budget: 1, Threshold: 0, Scale: 1, Resolution: 1}
	streakOf := func(first, last float64) func([]Answer) (Means, bool) {
		return Fixed[Answer](append(slices.Repeat([]Means{{0, first}}, 20_000), Means{0, last})...)
	}
	if ratio := within(t, "long streak", must(m.On(streakOf(0, 1))), must(m.On(streakOf(1, 0)))); !(ratio > 0.99) {
		t.Errorf("%v of the claim", ratio)
	}
}

// k-fold randomized response composes to k epsilon, exactly, and the adaptive choice of the
// mechanism counts with its worst branch.
func TestAdaptive(t *testing.T) {
	weak, strong := RandomizedResponse{Epsilon: 0.5, Values: 2}, RandomizedResponse{Epsilon: 2, Values: 3}
	on := func(x int) Finite {
		return must(Adaptive(func(past []int) (Finite, bool) {
			switch {
			case len(past) == 0 || len(past) == 1 && past[0] == 1:
				return must(weak.On(x)), true
			case len(past) == 1:
				return must(strong.On(x)), true
			}
			return Finite{}, false
		}))
	}
	a, b := on(0), on(1)
	p, q := 1/(1+math.Exp(-0.5)), 1/(1+2*math.Exp(-2))
	l, m := p*math.Exp(-0.5), q*math.Exp(-2)
	sameLaw(t, "adaptive", a.Law, []float64{p * q, p * m, p * m, l * p, l * l})
	attains(t, "adaptive", a, b)
	if math.Abs(epsilon(a)-2.5) > 1e-15 {
		t.Errorf("epsilon %v, want 2.5", epsilon(a))
	}

	// What the data rule out is there with probability zero.
	sure := func(x int) Finite {
		law := []theory.LogProb{theory.Zero, theory.Zero}
		law[x] = 0
		return Finite{Law: law, Draw: func(*rand.Rand) int { return x }}
	}
	f := must(Adaptive(func(past []int) (Finite, bool) { return sure(1), len(past) < 2 }))
	if !slices.Equal(f.Law, []theory.LogProb{theory.Zero, theory.Zero, theory.Zero, 0}) || f.Draw(nil) != 3 {
		t.Errorf("law %v, drawn %d", f.Law, f.Draw(nil))
	}
}
