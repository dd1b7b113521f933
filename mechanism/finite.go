package mechanism

import (
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// Finite is a mechanism on one input, with the outcomes 0, 1, ..., len(Law)-1. The
// laws on two inputs are aligned: an outcome that the input rules out has its place in
// Law and the probability [theory.Zero]. Each probability is within 1e-12, relative,
// or for k answers within 2^-50 k (1 + |ln p|) if that is larger.
type Finite struct {
	Law  []theory.LogProb
	Draw func(r *rand.Rand) int    // runs the mechanism
	Pure theory.Bound[theory.Pure] // of the mechanism, whatever the input
}

// Adaptive is the composition of mechanisms on the same data, each chosen in view of
// the outcomes before it: next returns the mechanism that follows, or false at the
// end. Only the probabilities of that mechanism may depend on the data. It must not
// keep past. The outcomes are the transcripts in lexicographic order.
//
// Pure is the largest sum of the parts' epsilon along a transcript, since the likelihood ratio of a transcript is
// the product of its parts'; a part without a claim counts as 0. It reports a DomainError if there is no mechanism
// at all, and NoAnswer for more than 2^20 answers in all transcripts.
func Adaptive(next func(past []int) (Finite, bool)) (Finite, error) {
	u := unfolding[Finite, int]{
		next:    next,
		answers: func(f Finite) []int { return upTo(len(f.Law)) },
		cost:    func(int) int64 { return 0 },
	}
	root, err := u.unfold(1)
	if err != nil {
		return Finite{}, err
	}
	f := Finite{Law: make([]theory.LogProb, u.leaves)}
	f.Pure.Sources = []theory.Source{basicComposition}
	var walk func(t *tree[Finite], lnP theory.LogProb, spent float64)
	walk = func(t *tree[Finite], lnP theory.LogProb, spent float64) {
		if t.then == nil {
			f.Law[t.leaf] = lnP
			f.Pure.Value.Epsilon = math.Max(f.Pure.Value.Epsilon, spent)
			return
		}
		part := t.query.Pure
		f.Pure.Sources = each.Union(f.Pure.Sources, part.Sources...)
		for outcome, child := range t.then {
			walk(child, lnP+t.query.Law[outcome], plus(spent, part.Value.Epsilon))
		}
	}
	walk(root, 0, 0)
	f.Draw = func(r *rand.Rand) int {
		t := root
		for t.then != nil {
			t = t.then[t.query.Draw(r)]
		}
		return t.leaf
	}
	return f, nil
}

var basicComposition = theory.Source{Key: "dwork14book", Where: "Theorem 3.16"}

// plus returns a + b, rounded up.
func plus(a, b float64) float64 {
	if a == 0 || b == 0 {
		return a + b
	}
	return math.Nextafter(a+b, math.Inf(1))
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Fixed asks the given queries in turn, whatever the answers. It serves On where the
// queries are not chosen adaptively.
func Fixed[A, Q any](queries ...Q) func(past []A) (Q, bool) {
	return func(past []A) (q Q, ok bool) {
		if len(past) == len(queries) {
			return q, false
		}
		return queries[len(past)], true
	}
}

// tree is a finite interaction: a query, and the interaction that follows each of its answers.
type tree[Q any] struct {
	query Q
	then  []*tree[Q] // by the number of the answer; nil at the end
	leaf  int        // at the end, the number of the transcript
}

// unfolding makes the tree of an interaction that ends when the budget is spent or the
// analyst stops.
type unfolding[Q, A any] struct {
	next    func(past []A) (Q, bool)
	answers func(Q) []A
	cost    func(A) int64

	leaves, steps, depth int
	past                 []A
}

const maxSteps = 1 << 20

func (u *unfolding[Q, A]) unfold(budget int64) (*tree[Q], error) {
	root := u.node(budget)
	if u.steps > maxSteps {
		return nil, &theory.NoAnswerError{Reason: "the transcripts have more than 1048576 answers in all"}
	}
	return root, theory.Domain(root.then != nil, "queries", u.depth, "at least one")
}

func (u *unfolding[Q, A]) node(left int64) *tree[Q] {
	u.depth = max(u.depth, len(u.past))
	if left > 0 {
		if q, ok := u.next(u.past); ok {
			t := &tree[Q]{query: q}
			for _, a := range u.answers(q) {
				if u.steps++; u.steps > maxSteps {
					break
				}
				u.past = append(u.past, a)
				t.then = append(t.then, u.node(left-u.cost(a)))
				u.past = u.past[:len(u.past)-1]
			}
			return t
		}
	}
	u.leaves++
	return &tree[Q]{leaf: u.leaves - 1}
}
