package tail

import (
	"math"
	"math/rand/v2"
	"testing"
)

// unequalTail is P[sum >= k] of independent 0/1 values with these probabilities of a one, by adding them one by one.
func unequalTail(p []float64, k int64) float64 {
	law := []float64{1}
	for _, x := range p {
		next := make([]float64, len(law)+1)
		for i, y := range law {
			next[i] += y * (1 - x)
			next[i+1] += y * x
		}
		law = next
	}
	sum := 0.0
	for i := k; i < int64(len(law)); i++ {
		sum += law[max(i, 0)]
	}
	return sum
}

// unequals calls f for rows whose probabilities are whole twelfths, in descending order: all of them up to 4 rows, and
// those with at most three different probabilities, 0 and 1 among them, up to 12. By Hoeffding 1956, Theorem 2, the
// tail is greatest among these last.
func unequals(f func(p []float64)) {
	const parts = 12
	for n := 1; n <= 12; n++ {
		for ones := range n + 1 {
			for zeros := range n + 1 - ones {
				rest := n - ones - zeros
				for share := range parts {
					p := make([]float64, n)
					for i := range ones + rest {
						p[i] = 1
						if i >= ones {
							p[i] = float64(share) / parts
						}
					}
					f(p)
				}
			}
		}
	}
	var all func(p []float64, least int)
	all = func(p []float64, least int) {
		if len(p) > 0 {
			f(p)
		}
		if len(p) == 4 {
			return
		}
		for share := least; share <= parts; share++ {
			all(append(p[:len(p):len(p)], float64(share)/parts), share)
		}
	}
	all(nil, 0)
}

// unequalMean is the mean of probabilities, as the two float64 around it.
func unequalMean(p []float64) (below, above float64) {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	mean := sum / float64(len(p))
	return max(mean*(1-1e-15), 0), min(mean*(1+1e-15), 1)
}

// The tails are bounds for rows that are not alike, and the binomial one would not be where its count is less than one
// above the mean: it is up to 1.5 times too small there.
func TestTailsOfUnequalRows(t *testing.T) {
	worst := 0.0
	check := func(p []float64) {
		n := int64(len(p))
		zeros := make([]float64, n)
		for i, x := range p {
			zeros[i] = 1 - x
		}
		below, above := unequalMean(p)
		for k := int64(0); k <= n; k++ {
			atLeast, atMost := unequalTail(p, k), unequalTail(zeros, n-k)
			if bound := math.Exp(LnAtLeast(n, k, above)); atLeast > bound*(1+1e-12) {
				t.Errorf("%v: P[at least %d] = %v, above %v", p, k, atLeast, bound)
			}
			if bound := math.Exp(LnAtMost(n, k, below)); atMost > bound*(1+1e-12) {
				t.Errorf("%v: P[at most %d] = %v, above %v", p, k, atMost, bound)
			}
			equal := make([]float64, n)
			for i := range equal {
				equal[i] = above
			}
			if tail := unequalTail(equal, k); tail > 0 && float64(k) > float64(n)*above*(1+1e-12) {
				worst = max(worst, atLeast/tail)
			}
		}
	}
	unequals(check)
	r := rand.New(rand.NewPCG(3905, 1))
	for range 3000 {
		p := make([]float64, 2+r.IntN(60))
		level, spread := r.Float64(), math.Exp(-4*r.Float64())
		for i := range p {
			p[i] = min(max(level+spread*(2*r.Float64()-1), 0), 1)
			if r.IntN(4) == 0 {
				p[i] = math.Round(p[i])
			}
		}
		check(p)
	}
	if worst < 1.3 {
		t.Errorf("unequal rows are at most %v times as likely to pass as equal ones", worst)
	}
}
