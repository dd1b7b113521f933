package noise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
)

// measure is a probability measure on the points of a product space, each a list of records.
type measure struct {
	samples [][]int
	weights []float64
}

// product is the measure of n independent records, the i-th with the given probabilities.
func product(records [][]float64) measure {
	l := measure{samples: [][]int{nil}, weights: []float64{1}}
	for _, p := range records {
		var next measure
		for i, s := range l.samples {
			for x, w := range p {
				next.samples = append(next.samples, append(append([]int(nil), s...), x))
				next.weights = append(next.weights, l.weights[i]*w)
			}
		}
		l = next
	}
	return l
}

// reweighted multiplies the weights by e^(exponent) and makes them sum to one.
func (l measure) reweighted(exponent func(s []int) float64) measure {
	w, sum := make([]float64, len(l.weights)), 0.0
	for i, s := range l.samples {
		w[i] = l.weights[i] * math.Exp(exponent(s))
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return measure{l.samples, w}
}

func (l measure) mean(f func(s []int) float64) float64 {
	sum := 0.0
	for i, s := range l.samples {
		sum += l.weights[i] * f(s)
	}
	return sum
}

// average is the mean of the values of the records.
func average(values []float64, s []int) float64 {
	sum := 0.0
	for _, x := range s {
		sum += values[x]
	}
	return sum / float64(len(s))
}

func randomLaw(r *rand.Rand, atoms int) []float64 {
	p, sum := make([]float64, atoms), 0.0
	for i := range p {
		p[i] = math.Pow(r.Float64(), 2) + 0.01
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// Lemma C1: for hard constraints G <= 0, a tilt exp(-sum xi (G-eps)) has E G <= eps, and its density to the law is at
// least one where the constraints hold. It is nearly reached where they hold nearly everywhere.
func TestConstraintsCostNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(101, 1))
	const eps = 1e-3
	closest := math.Inf(1)
	for range 100 {
		atoms, constraints := 3+r.IntN(10), 1+r.IntN(3)
		nu := randomLaw(r, atoms)
		g := make([][]float64, constraints)
		for l := range g {
			g[l] = make([]float64, atoms)
			for i := range g[l] {
				if g[l][i] = r.NormFloat64(); r.IntN(2) == 0 || i == 0 {
					g[l][i] = -math.Abs(g[l][i]) / 50 // the first atom obeys all
				}
			}
		}
		tilted, xi := project(nu, g, eps)
		for l := range g {
			mean := 0.0
			for i, p := range tilted {
				mean += p * g[l][i]
			}
			if mean > eps+1e-6 {
				t.Fatalf("E G = %g at xi = %v", mean, xi)
			}
		}
		for i := range nu {
			obeys := true
			for l := range g {
				obeys = obeys && g[l][i] <= 0
			}
			if obeys && tilted[i] < nu[i]*(1-1e-6) {
				t.Fatalf("density %g where the constraints hold, xi = %v", tilted[i]/nu[i], xi)
			}
			if obeys {
				closest = min(closest, tilted[i]/nu[i])
			}
		}
	}
	if !(closest < 1.01) {
		t.Errorf("the least density is %g", closest)
	}
}

// Weakened, lemma C1 is false: with the constant 0.99999 in place of one, for any law nu' at all, and with 0.99999 eps
// for eps. Here a constraint that is far off with probability 1e-6 has to be met.
func TestConstraintsWeakened(t *testing.T) {
	const eps, rare = 1e-3, 1e-6
	nu, g := []float64{1 - rare, rare}, [][]float64{{-1e-9, 1e5}}
	tilted, xi := project(nu, g, eps)
	if !(xi[0] > 0) {
		t.Fatal("the constraint is met without a tilt")
	}
	if kept := nu[0] / tilted[0]; !(kept > 0.99999 && kept <= 1) { // E_nu[F; H] over E_nu' F, F = 1 on H
		t.Errorf("E_nu[F; H] is %.7g of that of the tilt", kept)
	}
	if nu[0] <= 0.99999 { // no measure has more than one on H
		t.Errorf("another measure might do with 0.99999: nu(H) = %g", nu[0])
	}
	if mean := tilted[0]*g[0][0] + tilted[1]*g[0][1]; !(mean > 0.99999*eps && mean <= eps*(1+1e-9)) {
		t.Errorf("E G = %g, and eps is %g", mean, eps)
	}
}

// project minimises ln E e^(-sum xi (G-eps)) over xi >= 0, by coordinates.
func project(nu []float64, g [][]float64, eps float64) (tilted, xi []float64) {
	xi = make([]float64, len(g))
	at := func() []float64 {
		p, sum := make([]float64, len(nu)), 0.0
		for i := range p {
			e := 0.0
			for l := range g {
				e -= xi[l] * (g[l][i] - eps)
			}
			p[i] = nu[i] * math.Exp(e)
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	over := func(l int) float64 {
		mean := -eps
		for i, p := range at() {
			mean += p * g[l][i]
		}
		return mean
	}
	for range 400 {
		for l := range g {
			if xi[l] = 0; over(l) <= 0 {
				continue
			}
			lo, hi := 0.0, 1.0
			for xi[l] = hi; over(l) > 0; xi[l] = hi {
				lo, hi = hi, 2*hi
			}
			for range 40 {
				if xi[l] = (lo + hi) / 2; over(l) > 0 {
					lo = xi[l]
				} else {
					hi = xi[l]
				}
			}
			xi[l] = hi
		}
	}
	return at(), xi
}

// aLaw is a random member of the class: independent records, tilted, after Gaussian answers that add up to r.
func aLaw(r *rand.Rand, n, atoms, answers int, quiet float64) (nu measure, kap float64) {
	records := make([][]float64, n)
	shared := randomLaw(r, atoms)
	same := r.IntN(2) == 0
	for i := range records {
		if records[i] = shared; !same {
			records[i] = randomLaw(r, atoms)
		}
	}
	tilt := make([]float64, atoms)
	for x := range tilt {
		tilt[x] = r.NormFloat64()
	}
	queries, c, shift := make([][]float64, answers), make([]float64, answers), 0.0
	for l := range queries {
		queries[l] = make([]float64, atoms)
		for x := range queries[l] {
			queries[l][x] = float64(r.IntN(2))
		}
		c[l] = quiet * r.Float64() // sqrt(a)/(n sd)
		shift += c[l] * c[l] / 4
	}
	nu = product(records).reweighted(func(s []int) float64 {
		e := 0.0
		for _, x := range s {
			e += tilt[x]
		}
		for l, f := range queries {
			e -= math.Pow(c[l]*average(f, s)*float64(n), 2) / 2
		}
		return e
	})
	return nu, trueKappa(float64(n), shift)
}

// Lemma C2: ln E e^(tX) <= A (e^u - 1 - u), u = g|t|/(kappa n), A = kappa n vbar/g^2, under all tilts.
func TestExponentialMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(102, 1))
	closest := 0.0
	check := func(nu measure, kap float64, f []float64) {
		n := float64(len(nu.samples[0]))
		size := func(x float64) float64 { return math.Abs(x) }
		psi := make([]float64, len(f))
		for x := range f {
			psi[x] = size(f[x])
		}
		vbar := nu.mean(func(s []int) float64 { return average(psi, s) })
		centre := nu.mean(func(s []int) float64 { return average(f, s) })
		if vbar == 0 {
			return
		}
		for _, u := range []float64{0.02, 0.3, 1, 2.5} {
			for _, sign := range []float64{-1, 1} {
				m := u * kap * n
				ln := math.Log(nu.mean(func(s []int) float64 { return math.Exp(sign * m * (average(f, s) - centre)) }))
				bound := kap * n * vbar * (math.Exp(u) - 1 - u)
				if ln > bound*(1+1e-9)+1e-13 {
					t.Fatalf("n %g, kappa %g, u %g: %g above %g", n, kap, u, ln, bound)
				}
				closest = max(closest, ln/bound)
			}
		}
	}
	for range 600 {
		n, atoms := 1+r.IntN(6), 2+r.IntN(2)
		nu, kap := aLaw(r, n, atoms, r.IntN(3), 0.5)
		if kap == 0 {
			continue
		}
		f := make([]float64, atoms)
		for x := range f {
			f[x] = float64(r.IntN(3) - 1)
		}
		check(nu, kap, f)
	}
	check(product([][]float64{{0.999, 0.001}, {0.999, 0.001}, {0.999, 0.001}}), 1, []float64{0, 1})
	if t.Logf("greatest part of the bound: %.4f", closest); !(closest > 0.97) {
		t.Error("the bound is far off")
	}
}

// Weakened, lemma C2 is false where nothing has been answered: rare events refute 0.99999 of A, and 0.99999 of u in
// its exponential. After answers it is not refuted: the law here comes to 0.97 kappa of it. It is the worst found at
// such a kappa among 6,000 laws, of which the first 500 were optimised by up to 60 steps and the others by one.
func TestExponentialMomentsWeakened(t *testing.T) {
	const n, p = 3, 1e-6
	for _, u := range []float64{0.02, 0.3, 1, 2.5} {
		ln := n * (math.Log1p(p*math.Expm1(u)) - u*p) // of E e^(tX), X the mean of n records that are one with probability p
		if less := 0.99999 * n * p * num.ExpLess(u); !(ln > less && ln <= n*p*num.ExpLess(u)) {
			t.Errorf("u %g: %g, 0.99999 of the bound is %g", u, ln, less)
		}
		if less := n * p * num.ExpLess(0.99999*u); !(ln > less) {
			t.Errorf("u %g: %g, at 0.99999 of u the bound is %g", u, ln, less)
		}
	}
	record := []float64{0.15863523246432024, 0.4345653238693304, 0.40679943969864535}
	answer, f := []float64{0.7494781450622104, -0.10304037220919146, -0.13917959602779303}, []float64{0, 1, -1}
	nu := product([][]float64{record, record}).reweighted(func(s []int) float64 {
		return -math.Pow(answer[s[0]]+answer[s[1]], 2) / 2
	})
	kap := trueKappa(2, math.Pow(answer[0]-answer[2], 2)/4)
	vbar := nu.mean(func(s []int) float64 { return average([]float64{0, 1, 1}, s) })
	centre := nu.mean(func(s []int) float64 { return average(f, s) })
	worst := 0.0
	for _, u := range []float64{-1, -0.1, 0.1, 1} {
		tilt := u * kap * 2
		ln := math.Log(nu.mean(func(s []int) float64 { return math.Exp(tilt * (average(f, s) - centre)) }))
		worst = max(worst, ln/(kap*2*vbar*num.ExpLess(math.Abs(u))))
	}
	if t.Logf("kappa %.4f: %.4f of the bound", kap, worst); !(worst > 0.96*kap && worst < 0.98*kap) {
		t.Errorf("kappa %g: the worst measure comes to %g of the bound", kap, worst)
	}
}

// Given any answers, the less likely of the two sides errs with probability at most T_1^C where the shares are kept,
// whatever the truth is: here it is where both sides are alike. Where the shares need not be kept it errs more often,
// which is why the share of the last query counts, too.
func TestLessLikelySide(t *testing.T) {
	r := rand.New(rand.NewPCG(108, 1))
	closest, loose := math.Inf(-1), 0
	for range 800 {
		n, atoms := 1+r.IntN(6), 2+r.IntN(2)
		nu, kap := aLaw(r, n, atoms, r.IntN(3), 0.7)
		if kap == 0 {
			continue
		}
		f, size, other := make([]float64, atoms), make([]float64, atoms), make([]float64, atoms)
		for x := range f {
			f[x], other[x] = float64(r.IntN(3)-1), float64(r.IntN(2))
			size[x] = math.Abs(f[x])
		}
		most, mostOther := float64(1+r.IntN(n))/float64(n), float64(r.IntN(n+1))/float64(n)
		q := query{n: float64(n), tau: 0.1 + 0.9*r.Float64(), sd: 0.02 + 0.5*r.Float64(), law: lawOf(0)}
		errs := func(sign, truth float64, kept bool) float64 {
			return nu.mean(func(s []int) float64 {
				if kept && (average(size, s) > most || average(other, s) > mostOther) {
					return 0
				}
				return above(sign*(average(f, s)-truth), q.sd, q.tau)
			})
		}
		worst := func(kept bool) float64 {
			lo, hi := -1.0, 1.0
			for range 40 {
				if mid := (lo + hi) / 2; errs(1, mid, kept) > errs(-1, mid, kept) {
					lo = mid
				} else {
					hi = mid
				}
			}
			return math.Log(min(errs(1, lo, kept), errs(-1, lo, kept)))
		}
		touch := 0.5
		p := posterior{kappa: kap, moment: most, reach: 1, span: 2}
		bound := q.chernoff(1, p.side, &touch)
		if got := worst(true); got > bound {
			t.Fatalf("n %d, kappa %g, share %g, %+v: %g above %g", n, kap, most, q, got, bound)
		} else if bound < 0 {
			closest = max(closest, got-bound)
		}
		if worst(false) > bound {
			loose++
		}
		q.sd = 0
		if got := worst(true); got > q.chernoff(1, p.side, &touch) {
			t.Fatalf("n %d, kappa %g, share %g, %+v: %g above %g", n, kap, most, q, got, q.chernoff(1, p.side, &touch))
		}
	}
	t.Logf("closest in ln: %.3f; above it in %d cases where the shares are not kept", closest, loose)
	if !(closest > -1) || loose == 0 {
		t.Error("the bound is far off, or holds without the shares")
	}
}

// Weakened, T_1^C is false: with 0.7 of the moment, and with 0.85 of what the span allows. Before any answer both sides
// of a symmetric f err alike, here at six standard deviations.
func TestLessLikelySideWeakened(t *testing.T) {
	const n = 1000
	lnChoose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	for _, c := range []struct{ differ, most float64 }{{0.5, 0.53}, {1, 1}} {
		spread := math.Sqrt(c.differ / n)
		q := query{n: n, tau: 6 * spread, sd: 0.2 * spread, law: lawOf(0)}
		exact := 0.0
		for k := 0; k <= int(c.most*n+1e-9); k++ { // records that differ
			if c.differ == 1 && k < n {
				continue
			}
			ln := lnChoose(n, k) + float64(k)*math.Log(c.differ)
			if k < n {
				ln += float64(n-k) * math.Log1p(-c.differ)
			}
			for up := range k + 1 {
				weight := math.Exp(ln + lnChoose(k, up) - float64(k)*math.Ln2)
				exact += weight * above(float64(2*up-k)/n, q.sd, q.tau)
			}
		}
		touch := 0.5
		p := posterior{kappa: 1, moment: c.most, reach: 1, span: 2}
		bound := q.chernoff(1, p.side, &touch)
		if c.differ == 1 {
			p.span *= math.Sqrt(0.85)
		} else {
			p.moment *= 0.7
		}
		less := q.chernoff(1, p.side, &touch)
		t.Logf("share %g: exact %.3f, bound %.3f, weakened %.3f", c.differ, math.Log(exact), bound, less)
		if !(math.Log(exact) <= bound && math.Log(exact) > less) {
			t.Errorf("share %g: exact %g, bound %g, weakened %g", c.differ, math.Log(exact), bound, less)
		}
	}
}

// sibson returns ln of the least of int E phi_s(y-X)^a R(y)^(1-a) dy over all laws R, over a-1: Sibson's
// a/(a-1) ln int (E phi_s(y-X)^a)^(1/a) dy.
func sibson(x, weights []float64, a, s float64) float64 {
	lo, hi := x[0], x[0]
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	lo, hi = lo-9*s, hi+9*s
	steps := min(int(20*(hi-lo)/s), 60_000)
	sum, width := 0.0, (hi-lo)/float64(steps)
	for i := range steps {
		y, inner := lo+(float64(i)+0.5)*width, 0.0
		for k, v := range x {
			z := (y - v) / s
			inner += weights[k] * math.Exp(-a*z*z/2)
		}
		sum += math.Pow(inner, 1/a)
	}
	return a / (a - 1) * math.Log(sum*width/(s*math.Sqrt(2*math.Pi)))
}

// trinomial is the measure of the mean of n values that are 1, -1 or 0.
func trinomial(n int, up, down float64) (x, weights []float64) {
	weights = make([]float64, 2*n+1)
	weights[n] = 1
	for range n {
		next := make([]float64, 2*n+1)
		for i, w := range weights {
			if w == 0 {
				continue
			}
			next[i] += w * (1 - up - down)
			if i > 0 {
				next[i-1] += w * down
			}
			if i < 2*n {
				next[i+1] += w * up
			}
		}
		weights = next
	}
	for i := range weights {
		x = append(x, float64(i-n)/float64(n))
	}
	return x, weights
}

func (c certificate) with(delta, tail float64) certificate {
	c.delta, c.tail = delta, tail
	return c
}

// What is beyond x0 is as rare as the lemma asks for: (K/delta)^(a-1) 2 exp(-A h(g x0/vbar)) is at most the tail, and
// no less than need be if x0 is the close one.
func TestRareEnough(t *testing.T) {
	r := rand.New(rand.NewPCG(106, 1))
	for range 5000 {
		c := certificate{span: 1 + r.Float64(), a: 1 + math.Exp(6*r.Float64()-4), sd: math.Exp(-7 * r.Float64())}
		c = c.with(math.Exp(-1-15*r.Float64()), math.Exp(-1-15*r.Float64()))
		wide := math.Sqrt(math.E*(c.span*c.span+c.sd*c.sd)) / c.sd
		want := (c.a-1)*math.Log(wide/c.delta) + math.Log(2/c.tail)
		amount := math.Exp(12*r.Float64() - 3)
		h := func(z float64) float64 { return (1+z)*math.Log1p(z) - z }
		near, far := entropyRoot(c.rare()/amount), entropyAbove(c.rare()/amount)
		if z := near; z >= 1e-3 && !(amount*h(z) >= want*(1-1e-12) && amount*h(z) <= want*(1+1e-2)) {
			t.Fatalf("%+v: A h is %.17g, want %.17g", c, amount*h(z), want)
		}
		if !(far >= near*(1-1e-11) && (far < 1e-3 || amount*h(far) >= want*(1-1e-12))) {
			t.Fatalf("%+v: A h is %.17g at the far x0, want %.17g", c, amount*h(far), want)
		}
	}
}

// A certificate is the lesser of two, and F by the moment has the factor (1-delta)^(1-a) and the summand tail.
func TestPartsOfACertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(107, 1))
	by := [2]int{}
	for range 3000 {
		c := certificate{n: math.Exp(4 + 10*r.Float64()), span: 2, reach: 1, moment: math.Exp(-5 * math.Pow(r.Float64(), 6)),
			a: 1 + math.Exp(4*r.Float64()-3), kappa: 1}
		c.sd = 0.5 * math.Exp(3*r.Float64()) * math.Sqrt(c.moment/c.n) * c.a
		c = c.with(1e-9, 1e-9)
		byMoment, bySpan := c.byMoment(), lnUp(c.a*4/(4*c.n*c.sd*c.sd))/2
		if got := c.value(); got != min(byMoment, bySpan) {
			t.Fatalf("%+v: %g of %g and %g", c, got, byMoment, bySpan)
		}
		if byMoment < bySpan {
			by[0]++
		} else {
			by[1]++
		}
		if c.n*c.moment < 1e4 { // there x0, which depends on both, may matter
			continue
		}
		if more := c.with(0.3, 1e-9).byMoment() - byMoment; !(more >= -math.Log1p(-0.3)-1e-6) {
			t.Errorf("%+v: delta adds %g", c, more)
		}
		before, after := math.Exp((c.a-1)*byMoment), math.Exp((c.a-1)*c.with(1e-9, 0.01).byMoment())
		if !(after-before >= 0.01*(1-1e-4)) {
			t.Errorf("%+v: a tail of 0.01 adds %g", c, after-before)
		}
	}
	if by[0] < 100 || by[1] < 100 {
		t.Errorf("by the moment and by the span: %d", by)
	}
}

// Lemma C3: no certificate is below the best law R of all, for laws of the class with so large a second moment. Where
// the mean is nearly normal it is reached to a few hundredths, and 0.95 of the moment is refuted.
func TestCertificates(t *testing.T) {
	r := rand.New(rand.NewPCG(103, 1))
	least, byMoment := math.Inf(1), 0
	check := func(c certificate, x, weights []float64) float64 {
		c = c.with(1e-6, 1e-6*max(1, c.a-1))
		got, want := c.value(), sibson(x, weights, c.a, c.sd)
		if got < want*(1-1e-6) {
			t.Fatalf("%+v: %g, and Sibson's is %g", c, got, want)
		}
		if want > 1e-6 && c.byMoment() < lnUp(c.a*c.span*c.span/(4*c.kappa*c.n*c.sd*c.sd))/2 {
			byMoment++
			least = min(least, got/want)
		}
		return got / want
	}
	orders := []float64{1.01, 1.2, 2, 4, 12}
	for range 60 { // any measure of the class, by enumeration
		n, atoms := 1+r.IntN(5), 2+r.IntN(2)
		nu, kap := aLaw(r, n, atoms, r.IntN(3), 0.4)
		if kap == 0 {
			continue
		}
		f := make([]float64, atoms)
		for x := range f {
			f[x] = float64(r.IntN(3) - 1)
		}
		sums := make(map[float64]float64)
		moment := 0.0
		for i, s := range nu.samples {
			sums[average(f, s)] += nu.weights[i]
			for _, x := range s {
				moment += nu.weights[i] * math.Abs(f[x]) / float64(n)
			}
		}
		var x, weights []float64
		for v, w := range sums {
			x, weights = append(x, v), append(weights, w)
		}
		c := certificate{
			n: float64(n), span: 2, reach: 1, moment: moment + 1e-9, a: orders[r.IntN(5)], kappa: kap,
			sd: math.Exp(r.Float64()*4 - 2.5),
		}
		check(c, x, weights)
	}
	for range 60 {
		n := 1 + r.IntN(12)
		d := math.Pow(r.Float64(), 2)
		up := d * r.Float64()
		x, weights := trinomial(n, up, d-up)
		c := certificate{
			n: float64(n), span: 2, reach: 1, moment: d, a: orders[r.IntN(5)], kappa: 1,
			sd: math.Exp(r.Float64()*4-2) / math.Sqrt(float64(n)),
		}
		check(c, x, weights)
	}
	x, weights := trinomial(1500, 0.05, 0.05)
	large := certificate{n: 1500, span: 2, reach: 1, moment: 0.1, a: 1.6, kappa: 1, sd: 0.02}
	if ratio := check(large, x, weights); !(ratio < 1.02) {
		t.Errorf("a nearly normal mean: %g times the best", ratio)
	}
	large.moment *= 0.95
	large = large.with(1e-6, 1e-6)
	if large.value() >= sibson(x, weights, large.a, large.sd) {
		t.Error("0.95 of the moment is not refuted")
	}
	t.Logf("%d of 121 by the moment, the least is %.4f times Sibson's", byMoment, least)
	if byMoment < 10 {
		t.Error("hardly any certificate is by the moment")
	}
}

// A rule of N points is exact for polynomials up to t^(2N-2), and above the integral of any higher power.
func TestRadauRules(t *testing.T) {
	fine := num.Legendre(64)
	for _, rule := range rules {
		last := rule[len(rule)-1].t
		for k := range 4 * len(rule) {
			sum, want := 0.0, 0.0
			for _, p := range rule {
				sum += p.weight * math.Pow(p.t/last, float64(k))
			}
			for i := range 8 {
				in := num.Interval{Lo: last * float64(i) / 8, Hi: last * float64(i+1) / 8}
				want += fine.Integral(in, func(t float64) float64 { return math.Exp(-t*t/2) * math.Pow(t/last, float64(k)) })
			}
			if sum < want*(1-1e-13) || k < 2*len(rule)-1 && sum > want*(1+1e-13) {
				t.Errorf("%d points, t^%d: %.17g, want %.17g", len(rule), k, sum, want)
			}
		}
	}
}

// What is returned where the mean is hardly skewed is not below I, and above it by no more than the terms that are
// bounded and not computed come to.
func TestHardlySkewed(t *testing.T) {
	r := rand.New(rand.NewPCG(105, 1))
	fine, used, most := num.Legendre(64), 0, 0.0
	for range 30_000 {
		amount := math.Exp(r.Float64()*16 - 1)
		m := moments{amount: amount, unit: math.Exp(-r.Float64()*6) / amount, x0: math.Exp(r.Float64()*6 - 6)}
		root := math.Exp(r.Float64()*12 - 3)
		b, end := m.unit*root, m.end(root)
		got := m.hardlySkewed(b, end)
		if got == 0 {
			continue
		}
		used++
		want, unit := 0.0, 1/math.Sqrt(1-m.amount*b*b)
		for i := range 8 { // beyond, there is less than 4e-11
			in := num.Interval{Lo: 7 * unit * float64(i) / 8, Hi: 7 * unit * float64(i+1) / 8}
			want += fine.Integral(in, func(z float64) float64 { e, _ := m.at(b, z); return math.Exp(e) })
		}
		want *= math.Sqrt(2 / math.Pi)
		beta := b * unit
		alpha := m.amount * beta * beta * beta / 6
		loose := 2e-7*math.Pow(alpha/2e-3, 3) + 0.1*alpha*beta*beta*beta*max(end/unit, 7) + 1e-10
		if got < want*(1-1e-13) || got > want*(1+loose) {
			t.Fatalf("%+v, root %g: %.17g, want %.17g; alpha %g, beta %g", m, root, got, want, alpha, beta)
		}
		most = max(most, got/want-1)
	}
	t.Logf("%d, at most %.2g above", used, most)
	if used < 1000 || !(most > 1e-8) {
		t.Errorf("the bound was used %d times, and is at most %g above", used, most)
	}
}

// What a rule returns is not below the integral of exp(e(z)), and above it by 3e-8 and what bounds the rest.
func TestByRule(t *testing.T) {
	r := rand.New(rand.NewPCG(104, 1))
	fine, used := num.Legendre(64), [3]int{}
	for range 30_000 {
		amount := math.Exp(r.Float64()*14 - 2)
		m := moments{amount: amount, unit: math.Exp(-r.Float64()*6) / amount, x0: math.Exp(r.Float64()*6 - 6)}
		root := math.Exp(r.Float64()*12 - 3)
		b, end := m.unit*root, m.end(root)
		got, to := m.byRule(b, end)
		if math.IsInf(got, 1) {
			continue
		}
		curb := 1 - m.amount*b*b
		cut, rule := m.cut(b, end, curb)
		i := slices.IndexFunc(rules[:], func(r []point) bool { return len(r) == len(rule) })
		used[i]++
		integral := func(lo, hi float64) (sum float64) {
			for i := range 8 {
				in := num.Interval{Lo: lo + (hi-lo)*float64(i)/8, Hi: lo + (hi-lo)*float64(i+1)/8}
				sum += fine.Integral(in, func(z float64) float64 { e, _ := m.at(b, z); return math.Exp(e) })
			}
			return sum
		}
		want, rest := integral(0, cut), 0.0
		for i := range 1000 { // beyond the cut e is at most its greatest
			e, _ := m.at(b, cut+(to-cut)*float64(i)/999)
			rest = max(rest, (to-cut)*math.Exp(e))
		}
		if got < (want+integral(cut, to))*(1-1e-12) || !m.isHigh(root) && got > (want+rest)*(1+3e-8) {
			t.Errorf("%+v, root %g: %.17g, want %.17g and at most %.2g", m, root, got, want, rest)
		}
	}
	if slices.Min(used[:]) < 30 {
		t.Errorf("the rules were used %d times", used)
	}
}
