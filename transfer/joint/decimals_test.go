package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/theory"
)

// The joint bound once more, from its statement: the orders and the tangents are searched
// for in floating point, where any that come out are valid, and the eps_j are evaluated at them
// in decimals.

type dec = decimals.Number

var (
	digits        = decimals.Digits(50)
	number, whole = digits.Float, digits.Int
)

// jointPlan is answers with noise: the standard deviations as they are printed.
type jointPlan struct {
	n     int64
	tau   []float64
	sd    []string
	sides Sides
}

// witness says where the theorem is applied to one query: at which order, with which tangents,
// and in which of its two forms. Before the first query a is +Inf and a' is 1.
type witness struct {
	a, conj, near, far float64
	minkowski          bool
}

// order returns a and a'. Of the two rounded numbers the larger is taken at its word.
func (w witness) order() (a, conj dec) {
	switch {
	case math.IsInf(w.a, 1):
		return dec{}, one
	case w.a > w.conj:
		a = number(w.a)
		return a, a.Over(a.Minus(one))
	default:
		conj = number(w.conj)
		return conj.Over(conj.Minus(one)), conj
	}
}

// evenPlan is a plan with one accuracy.
func evenPlan(n int64, tau float64, noise []float64, sides Sides) jointPlan {
	p := jointPlan{n: n, tau: slices.Repeat([]float64{tau}, len(noise)), sides: sides}
	for _, sd := range noise {
		p.sd = append(p.sd, strconv.FormatFloat(sd, 'g', -1, 64))
	}
	return p
}

// looseTail is ln P[N > u].
func looseTail(u float64) float64 {
	if u > 30 {
		return -u*u/2 - math.Log(u*math.Sqrt(2*math.Pi)) - 1/(u*u)
	}
	return math.Log(math.Erfc(u/math.Sqrt2) / 2)
}

// looseTangent returns the x at which T_b is least, and ln T_b.
func looseTangent(b, n, tau, sd float64) (x, ln float64) {
	if sd == 0 {
		return 0, -2 * n * tau * tau
	}
	slope := func(x float64) float64 {
		u := (tau - x) / sd
		return b / sd * math.Exp(-u*u/2-looseTail(u)) / math.Sqrt(2*math.Pi)
	}
	lo, hi := 0., slope(0)/(4*n)
	for range 60 {
		x = (lo + hi) / 2
		if slope(x) > 4*n*x {
			lo = x
		} else {
			hi = x
		}
	}
	v := slope(x)
	return x, b*looseTail((tau-x)/sd) + v*v/(8*n) - v*x
}

func (p jointPlan) float(i int) float64 {
	sd, err := strconv.ParseFloat(p.sd[i], 64)
	if err != nil {
		panic(err)
	}
	return sd
}

// loose is about ln eps_j at one order, for the j+1-st query.
func (p jointPlan) loose(j int, a float64) (witness, float64) {
	w, n, d, r := witness{a: a, conj: 1}, float64(p.n), 0., 0.
	if !math.IsInf(a, 1) {
		w.conj = a / (a - 1)
	}
	for i := range j {
		c := a / (4 * n * math.Pow(p.float(i), 2))
		kappa := 1 - math.Tanh(2*r) - n*(math.Pow(2*r, 3)/12+2*math.Pow(2*r, 5)/15)
		if kappa <= 0 {
			return w, math.Inf(1)
		}
		d += math.Log1p(c/kappa) / 2
		r += c / n
	}
	var near, far float64
	sd := p.float(j)
	w.near, near = looseTangent(w.conj, n, p.tau[j], sd)
	if p.sides == Above {
		return w, (d + near) / w.conj
	}
	w.far, far = looseTangent(w.conj-1, n, p.tau[j], sd)
	far += math.Log(math.Pow(2, w.conj)-1) + looseTail(p.tau[j]/sd)
	both := near + math.Log1p(math.Exp(far-near))
	w.minkowski = sd > 0 && math.Ln2+near/w.conj < (math.Ln2+both)/w.conj
	return w, (d + math.Min(math.Ln2*w.conj+near, math.Ln2+both)) / w.conj
}

// search returns about the best witness for the j+1-st query.
func (p jointPlan) search(j int) witness {
	if j == 0 {
		w, _ := p.loose(0, math.Inf(1))
		return w
	}
	at := func(v float64) float64 {
		_, ln := p.loose(j, 1+math.Exp(v))
		return ln
	}
	best := -6.
	for v := best; v < 9; v += 0.2 {
		if at(v) < at(best) {
			best = v
		}
	}
	lo, hi := best-0.2, best+0.2
	for range 16 {
		if x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo); at(x) < at(y) {
			hi = y
		} else {
			lo = x
		}
	}
	w, _ := p.loose(j, 1+math.Exp((lo+hi)/2))
	return w
}

var (
	decimalPi = digits.Parse("3.14159265358979323846264338327950288419716939937510582097494459")
	one, two  = whole(1), whole(2)
)

// normal returns the density at u and P[N > u].
func normal(a dec) (density, tail dec) {
	u := a.Float()
	density = a.Squared().Over(whole(-2)).Exp().Over(two.Times(decimalPi).Root())
	if u > 4 || u < -4 { // Laplace's continued fraction
		far := a
		if u < 0 {
			far = whole(0).Minus(a)
		}
		f := far
		for k := int64(30 + 2500/(u*u)); k > 0; k-- {
			f = far.Plus(whole(k).Over(f))
		}
		if tail = density.Over(f); u < 0 {
			tail = one.Minus(tail)
		}
		return density, tail
	}
	term, sum := a, a
	for k := int64(3); k < 41+20*int64(1+u*u); k += 2 {
		term = term.Times(a.Squared()).Over(whole(k))
		sum = sum.Plus(term)
	}
	return density, one.Over(two).Minus(density.Times(sum))
}

// tanh is by its continued fraction, whose convergents are good to 1e-45 for a < 1.
func tanh(a dec) dec {
	square, f := a.Squared(), whole(43)
	last := int64(41)
	if a.Float() < 0.1 {
		last = 23
	}
	for k := last; k > 0; k -= 2 {
		f = whole(k).Plus(square.Over(f))
	}
	return a.Over(f)
}

// chernoffAt is ln T_b with the tangent at x, any x.
func chernoffAt(b, n, tau, sd, x dec) dec {
	density, tail := normal(tau.Minus(x).Over(sd))
	v := b.Times(density).Over(tail).Over(sd)
	return b.Times(tail.Ln()).Plus(v.Squared().Over(whole(8).Times(n))).Minus(v.Times(x))
}

// decimalPath is what the answers reveal at one order: r and e^(2D) before the next query.
type decimalPath struct {
	next       int
	r, product dec
}

// revealed moves the path on to D_j before the j+1-st query, and returns it; not ok means
// that the variance lemma does not hold.
func (p jointPlan) revealed(at *decimalPath, j int, a dec) (d dec, ok bool) {
	n := whole(p.n)
	share := a.Over(whole(4).Times(n))
	for ; at.next < j; at.next++ {
		c := share.Over(digits.Parse(p.sd[at.next]).Squared())
		w := two.Times(at.r)
		cube := w.Squared().Times(w)
		terms := cube.Over(whole(12)).Plus(two.Times(cube).Times(w.Squared()).Over(whole(15)))
		kappa := one.Minus(tanh(w)).Minus(n.Times(terms))
		if kappa.Sign() <= 0 {
			return dec{}, false
		}
		at.product = at.product.Times(one.Plus(c.Over(kappa)))
		at.r = at.r.Plus(c.Over(n))
	}
	return at.product.Ln().Over(two), true
}

// strict is ln eps_j as the witness has it.
func (p jointPlan) strict(j int, w witness, path *decimalPath) dec {
	n, tau, sd := whole(p.n), number(p.tau[j]), digits.Parse(p.sd[j])
	a, conj := w.order()
	d, ok := whole(0), true
	if j > 0 {
		d, ok = p.revealed(path, j, a)
	}
	if !ok { // the trivial bound
		return whole(0)
	}
	lnSides := two.Ln()
	if p.sides == Above {
		lnSides = whole(0)
	}
	if sd.Sign() == 0 { // T_b = e^(-2n tau^2)
		return d.Plus(lnSides).Minus(two.Times(n).Times(tau.Squared())).Over(conj)
	}
	near := chernoffAt(conj, n, tau, sd, number(w.near))
	if p.sides == Above {
		return d.Plus(near).Over(conj)
	}
	if w.minkowski {
		return d.Plus(near).Over(conj).Plus(two.Ln())
	}
	far := chernoffAt(conj.Minus(one), n, tau, sd, number(w.far))
	_, tail := normal(tau.Over(sd))
	share := conj.Times(two.Ln()).Exp().Minus(one).Times(tail).Times(far.Minus(near).Exp())
	return d.Plus(two.Ln()).Plus(near).Plus(one.Plus(share).Ln()).Over(conj)
}

// errors returns every ln eps_j in decimals. From the fiftieth query on some share an order.
func (p jointPlan) errors() []dec {
	ln := make([]dec, 0, len(p.sd))
	for len(ln) < len(p.sd) {
		w := p.search(len(ln))
		path := decimalPath{r: whole(0), product: one}
		for range min(1+len(ln)/50, len(p.sd)-len(ln)) {
			w, _ = p.loose(len(ln), w.a)
			ln = append(ln, p.strict(len(ln), w, &path))
		}
	}
	return ln
}

// excess is the sum of the eps_j over beta, minus one.
func excess(ln []dec, beta theory.LogProb) float64 {
	sum := whole(-1)
	for _, x := range ln {
		sum = sum.Plus(x.Minus(number(beta.Ln())).Exp())
	}
	return sum.Float()
}

// The tails are of mpmath, with 60 digits.
func TestDecimalNormalTail(t *testing.T) {
	near := func(what string, got, want dec) {
		t.Helper()
		if gap := got.Over(want).Minus(one).Float(); !(math.Abs(gap) < 1e-40) {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	for _, c := range [][2]string{
		{"-7.5", "0.999999999999968091083270891037722327116552736"},
		{"-1.25", "0.894350226333144742311227235974253445152390272"},
		{"0.3", "0.382088577811047362693471036878582351948758533"},
		{"3.9", "0.0000480963440176027171467075231275290282495707972"},
		{"4.05", "0.0000256088164740414878124843796016242022997993503"},
		{"6", "0.00000000098658764503769814070086413239804201866979125"},
		{"17.25", "5.59496839490488494521471412800829303859490201e-67"},
		{"31", "2.69525008120050007859389132246444142425136296e-211"},
	} {
		_, tail := normal(digits.Parse(c[0]))
		near(c[0], tail, digits.Parse(c[1]))
	}
	for _, s := range []string{"0.9", "0.1", "0.0999"} {
		w := digits.Parse(s)
		near("tanh", tanh(w), one.Minus(two.Over(two.Times(w).Exp().Plus(one))))
	}
}

// solved is a plan for another unknown and with another kind of noise each time, and the noise.
func solved(t *testing.T, i int, p Plan) (Plan, []float64) {
	t.Helper()
	how := []Noise{Falling, Even}[i%2]
	found, ok := how.Samples(p)
	if p.Samples = found.Samples; !ok {
		t.Fatalf("%+v: no plan", p)
	}
	run := found.Run
	if p.Tau = found.Tau; i/2%3 > 0 {
		p.Samples += p.Samples / 10
		if i/2%3 == 2 {
			p.Beta = how.LeastBeta(p)
		}
		p.Tau, run = how.LeastTau(p)
	}
	if i%2 == 1 {
		return p, slices.Repeat([]float64{run.Last}, int(p.Queries))
	}
	noise := noiseOf(p)
	if int64(len(noise)) != p.Queries || noise[0] != run.First || noise[len(noise)-1] != run.Last {
		t.Fatalf("%+v: noise for %d queries, %g", p, len(noise), run)
	}
	return p, noise
}

func noiseOf(p Plan) (noise []float64) {
	for block := range p.Blocks() {
		noise = append(noise, slices.Repeat([]float64{block.Scale}, int(block.Queries))...)
	}
	return noise
}

// The sums of eps_j over the printed noise, in decimals, are at most beta: the certificates
// hold. They are also not far below it.
func TestJointCertificatesInDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	pick := func(lo, hi float64) float64 { return lo * math.Exp(r.Float64()*math.Log(hi/lo)) }
	worst := 0.
	for _, c := range []struct {
		queries int64
		runs    int
	}{{1, 10}, {2, 10}, {3, 10}, {10, 3}, {60, 1}, {200, 1}} {
		for i := range 2 * c.runs {
			p := Plan{Queries: c.queries, Tau: pick(0.01, 0.3), Beta: theory.LogProb(-pick(-math.Log(0.5), 40*math.Ln10))}
			p.Sides = Sides(i / 2 % 2)
			p, noise := solved(t, i, p)
			over := excess(evenPlan(p.Samples, p.Tau, noise, p.Sides).errors(), p.Beta)
			if over > 0 {
				t.Errorf("%+v: the sum of the errors is beta times 1%+.3g", p, over)
			}
			worst = min(worst, over/(1-p.Beta.Ln()))
		}
	}
	if t.Logf("least of (sum/beta - 1)/(1 - ln beta): %.2g", worst); !(worst > -0.01) {
		t.Error("a plan stays far below its beta")
	}
}

// With more records than a schedule needs its last answer carries no noise, and the certificate
// holds as well.
func TestSilentCertificatesInDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 46))
	for i := range 12 {
		s := Plan{Queries: []int64{1, 2, 3, 10}[i%4], Tau: 0.01 * math.Pow(30, r.Float64())}
		s.Beta = theory.LogProb(-math.Pow(90, r.Float64()))
		s.Sides = Sides(i / 4 % 2)
		found, ok := Falling.Samples(s)
		if !ok {
			t.Fatalf("%+v: no plan", s)
		}
		s.Samples = found.Samples + found.Samples/2
		noise := noiseOf(s)
		if len(noise) != int(s.Queries) || noise[len(noise)-1] != 0 {
			t.Errorf("%+v: noise %g", s, noise)
		}
		if over := excess(evenPlan(s.Samples, s.Tau, noise, s.Sides).errors(), s.Beta); over > 0 {
			t.Errorf("%+v: the sum of the errors is beta times 1%+.3g", s, over)
		}
	}
}

// What Answer returns is never below the theorem's eps_j, whatever the noise and the accuracies, and
// of a run never below the sum. Where no run came before, it is at most one per cent of
// 1 - ln eps_j above.
func TestBoundAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	pick := func(lo, hi float64) float64 { return lo * math.Exp(r.Float64()*math.Log(hi/lo)) }
	worst, sizes := 0., 0
	for plans := 0; plans < 40; plans++ {
		n := int64(pick(3, 1e7))
		p, runs, got := jointPlan{n: n, sides: Sides(plans % 2)}, []int64(nil), []float64(nil)
		bound, _ := New(n, p.sides)
		tau := min(0.9, pick(2, 20)/math.Sqrt(float64(n)))
		for range 1 + r.IntN(4) {
			run := theory.NoiseBlock{Queries: 1, Scale: tau * pick(0.1, 0.7)}
			if r.IntN(4) == 0 {
				run.Queries = 1 + r.Int64N(12)
			}
			goal := tau * pick(0.7, 1.1)
			ln, err := bound.Answer(run, goal)
			if err != nil {
				t.Fatal(err)
			}
			if ln == 0 { // the theorem says nothing from here on
				break
			}
			sd := strconv.FormatFloat(run.Scale, 'g', -1, 64)
			p.sd = append(p.sd, slices.Repeat([]string{sd}, int(run.Queries))...)
			p.tau = append(p.tau, slices.Repeat([]float64{goal}, int(run.Queries))...)
			runs, got = append(runs, run.Queries), append(got, ln.Ln())
		}
		if vacuous := bound.runs > len(runs); !vacuous && r.IntN(3) == 0 {
			if ln, _ := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: 0}, tau); ln < 0 {
				p.sd, p.tau, runs, got = append(p.sd, "0"), append(p.tau, tau), append(runs, 1), append(got, ln.Ln())
			}
		}
		want := p.errors()
		if total := bound.Total(); total < 0 && excess(want, total) > 1e-12 {
			t.Errorf("n %d: the sum is above Total's %v (%+v)", n, total, p)
		}
		for i, count := range runs {
			over := excess(want[:count], theory.LogProb(got[i]))
			if want = want[count:]; over > 1e-12 {
				t.Errorf("n %d, run %d of %d: above what Answer returns by a factor 1%+.3g (%+v)", n, i, count, over, p)
			}
			if slices.Max(runs[:i+1]) == 1 {
				worst = min(worst, over/(1-got[i]))
				sizes++
			}
		}
	}
	if t.Logf("least of (eps_j/got - 1)/(1 - ln eps_j): %.2g in %d", worst, sizes); !(worst > -0.01) {
		t.Error("Answer is far above the theorem")
	}
}

// At the orders of the bound no rounding brings Answer below the theorem.
func TestBoundRoundsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 48))
	least := 1.
	for range 60 {
		n := int64(math.Pow(10, 1+6*r.Float64()))
		tau := min(0.9, (2+15*r.Float64())/math.Sqrt(float64(n)))
		p := jointPlan{n: n, sides: Sides(r.IntN(2))}
		bound, _ := New(n, p.sides)
		for j := range 3 {
			sd := tau * math.Pow(10, -1.2*r.Float64())
			got, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: sd}, tau)
			if err != nil {
				t.Fatal(err)
			}
			p.tau, p.sd = append(p.tau, tau), append(p.sd, strconv.FormatFloat(sd, 'e', 60, 64))
			if got == 0 {
				break
			}
			if gap := -excess([]dec{p.leastOf(j)}, got); gap < 0 {
				t.Errorf("n %d, tau %g, noise %s: %v is below by a factor 1-%.3g", n, tau, p.sd, got, -gap)
			} else {
				least = min(least, gap)
			}
		}
	}
	t.Logf("rounded up by a factor 1+%.2g at least", least)
}

// leastOf is ln eps_j at the best of the orders of the bound, for the j+1-st query.
func (p jointPlan) leastOf(j int) dec {
	if j == 0 {
		return p.strict(0, p.search(0), nil)
	}
	var best witness
	least := math.Inf(1)
	for _, o := range noAnswers[:orderCount] {
		if w, ln := p.loose(j, o.a); ln < least {
			best, least = w, ln
			best.conj = o.conj
		}
	}
	return p.strict(j, best, &decimalPath{r: whole(0), product: one})
}

// A plan passes its own check, answer by answer, also where eps_j has a minimum for each of its
// forms.
func TestPlansPassTheirOwnCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 50))
	for range 60 {
		p := Plan{Queries: 2 + r.Int64N(40), Tau: 0.003 * math.Pow(300, r.Float64())}
		p.Beta = theory.LogProb(-math.Pow(10, -1.5+2*r.Float64()))
		p.Sides = Sides(r.IntN(2))
		found, ok := Falling.Samples(p)
		if !ok {
			t.Fatalf("%+v: no plan", p)
		}
		p.Samples, p.Tau = found.Samples, found.Tau
		bound, _ := New(p.Samples, p.Sides)
		for _, sd := range noiseOf(p) {
			if _, err := bound.Answer(theory.NoiseBlock{Queries: 1, Scale: sd}, p.Tau); err != nil {
				t.Fatal(err)
			}
		}
		if total := bound.Total(); !(total <= p.Beta) {
			t.Errorf("%+v: the sum is beta times 1%+.3g", p, math.Expm1(total.Ln()-p.Beta.Ln()))
		}
	}
}
