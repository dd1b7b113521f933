package properties

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// kappa is the factor of the variance lemma, its tanh w scaled by a share:
//
//	1 - share tanh w - k (w^3/12 + 2 w^5/15)
func kappa(share float64, k int, w float64) float64 {
	if k == 1 {
		return 1
	}
	return 1 - share*math.Tanh(w) - float64(k)*(w*w*w/12+2*math.Pow(w, 5)/15)
}

// inflations keeps the score of the lemma and of those with a share of tanh w, which
// must be refuted.
type inflations struct {
	checked, applied int
	tightest         float64 // (inflation-1)/(1/kappa-1)
	shares           []float64
	refuted          map[float64]int
}

func (s *inflations) check(t *testing.T, what any, k int, w, got float64) {
	t.Helper()
	s.checked++
	if left := kappa(1, k, w); left > 0 {
		s.applied++
		if got > (1+1e-11)/left {
			t.Errorf("%+v: inflation %v, the lemma allows %v", what, got, 1/left)
		}
		if left < 1 {
			s.tightest = math.Max(s.tightest, (got-1)/(1/left-1))
		}
	}
	for _, share := range s.shares {
		if left := kappa(share, k, w); left > 0 && got > (1+1e-9)/left {
			s.refuted[share]++
		}
	}
}

func (s *inflations) report(t *testing.T) {
	t.Helper()
	t.Logf("%d of %d cases inside the lemma, tightest (inflation-1)/(1/kappa-1): %.4f, refuted: %v",
		s.applied, s.checked, s.tightest, s.refuted)
	for _, share := range s.shares {
		if s.refuted[share] == 0 {
			t.Errorf("no case refutes the lemma with %g tanh w: the check has no power", share)
		}
	}
}

// top returns the largest eigenvalue of a relative to b, which is positive definite.
func top(a, b *mat.SymDense) float64 {
	var chol mat.Cholesky
	if !chol.Factorize(b) {
		panic("not positive definite")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	var half, whole mat.Dense
	if err := half.Solve(&lower, a); err != nil {
		panic(err)
	}
	if err := whole.Solve(&lower, half.T()); err != nil {
		panic(err)
	}
	k := a.SymmetricDim()
	sym := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			sym.SetSym(i, j, (whole.At(i, j)+whole.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sym, false) {
		panic("eigenvalues did not converge")
	}
	return eigen.Values(nil)[k-1]
}

func dot(a, b []float64) float64 {
	sum := 0.
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// spins is the law of k signs of probability proportional to exp(-|sum_i e_i b_i|^2/2).
type spins [][]float64

// diagonal returns w = max_i |b_i|^2.
func (b spins) diagonal() float64 {
	w := 0.
	for _, x := range b {
		w = math.Max(w, dot(x, x))
	}
	return w
}

// inflation returns the largest E (sum_i a_i e_i)^2 over unit vectors a.
func (b spins) inflation() float64 {
	k, dims := len(b), len(b[0])
	moments, one, total := mat.NewSymDense(k, nil), mat.NewSymDense(k, nil), 0.
	for i := range k {
		one.SetSym(i, i, 1)
	}
	sum := make([]float64, dims)
	for state := range 1 << (k - 1) { // the last sign is fixed: -e is as probable as e
		sign := func(i int) float64 { return float64(2*(state>>i&1) - 1) }
		clear(sum)
		for i, x := range b {
			for d := range sum {
				sum[d] += sign(i) * x[d]
			}
		}
		weight := math.Exp(-dot(sum, sum) / 2)
		total += weight
		for i := range k {
			for j := i; j < k; j++ {
				moments.SetSym(i, j, moments.At(i, j)+weight*sign(i)*sign(j))
			}
		}
	}
	moments.ScaleSym(1/total, moments)
	return top(moments, one)
}

// randomSpins returns k vectors in so many dimensions, the longest of squared length w.
func randomSpins(r *rand.Rand, k, dims int, w float64) spins {
	b := make(spins, k)
	equal := r.IntN(2) == 0
	for i := range b {
		b[i] = make([]float64, dims)
		for d := range b[i] {
			b[i][d] = r.NormFloat64()
		}
		length := math.Sqrt(w / dot(b[i], b[i]))
		if !equal && i > 0 {
			length *= r.Float64()
		}
		for d := range b[i] {
			b[i][d] *= length
		}
	}
	return b
}

// directions returns k vectors of squared length w that take turns among so many
// directions in the plane.
func directions(k, turns int, w float64) spins {
	b := make(spins, k)
	for i := range b {
		angle := 2 * math.Pi * float64(i%turns) / float64(turns)
		b[i] = []float64{math.Sqrt(w) * math.Cos(angle), math.Sqrt(w) * math.Sin(angle)}
	}
	return b
}

// The second moments of Ising laws without field.
func TestIsingLemma(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	s := inflations{shares: []float64{0, 0.5, 0.99}, refuted: map[float64]int{}}
	for range 3000 {
		w := 0.3 * math.Exp(-4*r.Float64())
		if r.IntN(4) == 0 {
			w = 0.3 + 0.5*r.Float64()
		}
		k := 1 + r.IntN(10)
		b := randomSpins(r, k, 1+r.IntN(3), w)
		s.check(t, b, k, b.diagonal(), b.inflation())
	}
	for k := 2; k <= 10; k++ {
		for _, w := range []float64{1e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7} {
			for turns := 1; turns <= 6; turns++ {
				s.check(t, []any{"directions", turns, k, w}, k, w, directions(k, turns, w).inflation())
			}
		}
	}
	s.report(t)
}

// tilted is the law of n independent records on k values, of density proportional to
// exp(sum_i h_i(x_i) - |sum_i v(x_i)|^2/2) with respect to the product of their laws,
// which are absorbed in the h_i: what is left of the data after Gaussian answers.
type tilted struct {
	h [][]float64 // of each record and value
	v [][]float64 // of each value
}

// diameter returns w = max |v(x) - v(y)|^2/2, which is 2r if |v|^2 <= r.
func (l tilted) diameter() float64 {
	w := 0.
	for _, x := range l.v {
		for _, y := range l.v {
			w = math.Max(w, (dot(x, x)+dot(y, y)-2*dot(x, y))/2)
		}
	}
	return w
}

// inflation returns the largest ratio of Var(sum_i phi_i(x_i)) to sum_i Var phi_i(x_i)
// over all functions phi_i, by enumeration of the samples.
func (l tilted) inflation() float64 {
	n, k := len(l.h), len(l.v)
	size := n * (k - 1) // phi_i vanishes at the last value
	mean, moments, total := make([]float64, size), make([]float64, size*size), 0.
	values := make([]int, n)
	var visit func(i int, ln float64, sum []float64)
	visit = func(i int, ln float64, sum []float64) {
		if i < n {
			for x := range k {
				next := make([]float64, len(sum))
				for d := range sum {
					next[d] = sum[d] + l.v[x][d]
				}
				values[i] = x
				visit(i+1, ln+l.h[i][x], next)
			}
			return
		}
		weight := math.Exp(ln - dot(sum, sum)/2)
		total += weight
		for i, x := range values {
			if x == k-1 {
				continue
			}
			a := i*(k-1) + x
			mean[a] += weight
			for j, y := range values {
				if y < k-1 {
					moments[a*size+j*(k-1)+y] += weight
				}
			}
		}
	}
	visit(0, 0, make([]float64, len(l.v[0])))
	whole, single := mat.NewSymDense(size, nil), mat.NewSymDense(size, nil)
	for a := range size {
		for b := a; b < size; b++ {
			covariance := moments[a*size+b]/total - mean[a]*mean[b]/(total*total)
			whole.SetSym(a, b, covariance)
			if a/(k-1) == b/(k-1) {
				single.SetSym(a, b, covariance)
			}
		}
	}
	return top(whole, single)
}

// The variance of sums under all laws that Gaussian answers leave of unequal
// independent records. Half of tanh 2r is attained by fair bits of opposite signs.
func TestVarianceLemma(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	s := inflations{shares: []float64{0, 0.45}, refuted: map[float64]int{}}
	check := func(l tilted) {
		t.Helper()
		s.check(t, l, len(l.h), l.diameter(), l.inflation())
	}
	for range 400 {
		n, k, dims := 1+r.IntN(7), 2+r.IntN(3), 1+r.IntN(3)
		if n > 5 {
			k = 2 + r.IntN(2)
		}
		l := tilted{h: make([][]float64, n), v: make([][]float64, k)}
		scale := math.Pow(10, -1.5*r.Float64())
		for x := range l.v {
			l.v[x] = make([]float64, dims)
			for d := range l.v[x] {
				l.v[x][d] = scale * r.NormFloat64()
			}
		}
		for i := range l.h {
			l.h[i] = make([]float64, k)
			for x := range l.h[i] {
				l.h[i][x] = r.NormFloat64()
			}
		}
		check(l)
	}
	for n := 2; n <= 7; n++ {
		for _, root := range []float64{0.03, 0.1, 0.2, 0.3} {
			check(tilted{h: zeros(n, 2), v: [][]float64{{root}, {-root}}})
			half, high := root/2, root*math.Sqrt(3)/2
			check(tilted{h: zeros(n, 3), v: [][]float64{{root, 0}, {-half, high}, {-half, -high}}})
		}
	}
	check(tilted{h: zeros(7, 4), v: [][]float64{{0.1, 0}, {-0.1, 0}, {0, 0.1}, {0, -0.1}}})
	s.report(t)
}

// zeros returns n rows of k zeros.
func zeros(n, k int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, k)
	}
	return rows
}
