package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// comparison is the core of sparse vector and of Thresholdout: queries with noise are
// compared with a threshold with noise. All numbers are in steps of the lattice.
type comparison struct {
	threshold                  int64
	thresholdScale, queryScale float64
	redraw                     bool // the threshold's noise, after an "above"
}

// admits reports a DomainError for a threshold of more than half the size that
// queries are limited to. No noise reaches from that half to the limit.
func (l lattice) admits(threshold float64) error {
	return theory.Domain(l.steps(math.Abs(threshold)) <= limit/2, "threshold", threshold,
		"a number of at most 2^59 lattice steps")
}

// run returns the comparisons of a run, each of which tells whether a query is above.
func (c comparison) run(r *rand.Rand) func(query int64) bool {
	bar := c.threshold + laplace(r, c.thresholdScale)
	return func(query int64) bool {
		above := query+laplace(r, c.queryScale) > bar
		if above && c.redraw {
			bar = c.threshold + laplace(r, c.thresholdScale)
		}
		return above
	}
}

// interaction is a mechanism made of comparisons, for an analyst who asks next. Its
// answers are numbered: 0 is "below", and costs nothing; the others stand for "above".
type interaction[Q, A any] struct {
	comparison
	budget  int64
	start   func(r *rand.Rand) (*Run[Q, A], error)
	next    func(past []A) (Q, bool)
	query   func(Q) int64            // the number to compare
	answers func(Q) []A              // by number
	number  func(A) int              // the inverse
	above   func(Q) []theory.LogProb // the law of the answers 1, 2, ... given "above"
}

// finite enumerates the transcripts. The state of the mechanism is the threshold z; its
// joint law with the transcript so far is multiplied by P[query + noise <= z] at a
// "below", and by P[query + noise > z] and the law of the answer at an "above".
func (m interaction[Q, A]) finite(pure theory.Bound[theory.Pure]) (Finite, error) {
	u := unfolding[Q, A]{next: m.next, answers: m.answers, cost: func(a A) int64 { return int64(min(m.number(a), 1)) }}
	root, err := u.unfold(m.budget)
	if err != nil {
		return Finite{}, err
	}
	least, most := m.extremes(root)
	low, high := m.window(least, most, u.depth)
	if (float64(high)-float64(low))*float64(u.steps) > maxWork {
		return Finite{}, errWork
	}
	fresh := make([]float64, high-low+1)
	for i := range fresh {
		fresh[i] = noise(m.thresholdScale).ln(low + int64(i) - m.threshold)
	}
	below := make([]float64, high-least-(low-most)+1) // by z - query - (low - most)
	above := slices.Clone(below)
	for i := range below {
		d := low - most + int64(i)
		below[i], above[i] = noise(m.queryScale).lnAtMost(d), noise(m.queryScale).lnAtLeast(d+1)
	}

	f := Finite{Law: make([]theory.LogProb, u.leaves), Pure: pure}
	var walk func(t *tree[Q], lnP []float64) // owns lnP
	walk = func(t *tree[Q], lnP []float64) {
		if t.then == nil {
			f.Law[t.leaf] = theory.LogProb(math.Min(0, lnSum(lnP)))
			return
		}
		shift := most - m.query(t.query)
		stopped := make([]float64, len(lnP))
		for i, p := range lnP {
			stopped[i] = p + above[shift+int64(i)]
		}
		for j, lnAnswer := range m.above(t.query) {
			after, add := stopped, lnAnswer.Ln()
			if m.redraw {
				after, add = fresh, add+lnSum(stopped)
			}
			walk(t.then[1+j], shifted(after, add))
		}
		for i := range lnP {
			lnP[i] += below[shift+int64(i)]
		}
		walk(t.then[0], lnP)
	}
	walk(root, slices.Clone(fresh))
	f.Draw = func(r *rand.Rand) int {
		t := root
		run, _ := m.start(r)
		for t.then != nil {
			answer, _ := run.Ask(t.query)
			t = t.then[m.number(answer)]
		}
		return t.leaf
	}
	return f, nil
}

// shifted returns x + c.
func shifted(x []float64, c float64) []float64 {
	return each.Of(x, func(v float64) float64 { return v + c })
}

// extremes returns the least and the largest query of a tree.
func (m interaction[Q, A]) extremes(t *tree[Q]) (least, most int64) {
	least = m.query(t.query)
	most = least
	for _, child := range t.then {
		if child.then != nil {
			l, h := m.extremes(child)
			least, most = min(least, l), max(most, h)
		}
	}
	return least, most
}

// window returns the range of the threshold z beyond which the sums may be cut. From
// scale ln(2k) above the largest of at most k queries on, the product of all P[query +
// noise <= z] is at least 1/2, while the other factors fall, and P[z] does so as a^z if z
// is above the threshold too. So all terms [noise.reach] further up are at most e^-42 of the
// term there. Likewise below.
func (m interaction[Q, A]) window(least, most int64, queries int) (low, high int64) {
	margin := int64(m.queryScale*math.Log(2*float64(queries))+noise(m.thresholdScale).reach()) + 2
	return min(least, m.threshold) - margin, max(most, m.threshold) + margin
}

// maxWork bounds the terms of an enumeration.
const maxWork = 1 << 28

var errWork = &theory.NoAnswerError{Reason: "the law is a sum of more than 2^28 terms: choose a coarser lattice, or fewer queries"}
