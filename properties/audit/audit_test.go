package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// The false alarms of this package's tests add up to at most 1e-9.
var ledger = func() *Ledger {
	l, err := NewLedger(lnProb("1e-9"))
	if err != nil {
		panic(err)
	}
	return l
}()

func TestMain(m *testing.M) {
	code := m.Run()
	if testing.Verbose() {
		fmt.Print(ledger)
	}
	os.Exit(code)
}

func lnProb(text string) theory.LogProb {
	p, err := theory.ParseLogProb(text)
	if err != nil {
		panic(err)
	}
	return p
}

// alarm draws 1e-11 from the ledger.
func alarm(t testing.TB, name string) *Alarm {
	t.Helper()
	return value[*Alarm](t)(ledger.Draw(t.Name()+" "+name, lnProb("1e-11")))
}

// lone returns an alarm of its own, for a test that a violation is found.
func lone(t testing.TB, alpha string) *Alarm {
	t.Helper()
	l := value[*Ledger](t)(NewLedger(lnProb(alpha)))
	return value[*Alarm](t)(l.Draw("one", lnProb(alpha)))
}

func pure(epsilon float64) theory.Approx {
	return theory.Approx{Epsilon: epsilon, LnDelta: theory.Zero}
}

// laplace is textbook Laplace noise on a query value.
func laplace(at, scale float64) Sampler {
	return func(r *rand.Rand, out []float64) { out[0] = at + scale*lap(r) }
}

func lap(r *rand.Rand) float64 {
	u := r.Float64() - 0.5
	return -math.Copysign(math.Log1p(-2*math.Abs(u)), u)
}

// onLattice rounds to multiples of 2^-10.
func onLattice(s Sampler) Sampler {
	return func(r *rand.Rand, out []float64) {
		s(r, out)
		out[0] = math.Round(out[0]*1024) / 1024
	}
}

// response is randomized response to a bit; delta tells the bit.
func response(bit, epsilon, delta float64) Sampler {
	truth := 1 / (1 + math.Exp(-epsilon))
	return func(r *rand.Rand, out []float64) {
		out[0] = bit
		if delta > 0 && r.Float64() < delta {
			out[0] = 2 + bit
		} else if r.Float64() >= truth {
			out[0] = 1 - bit
		}
	}
}

// True claims, most of them with equality: the audits must not refute them.
func TestTrueClaimsHold(t *testing.T) {
	gaussian := theory.Approx{Epsilon: 1, LnDelta: theory.GDP{Mu: 1}.LnDelta(1)}
	normal := func(at float64) Sampler {
		return onLattice(func(r *rand.Rand, out []float64) { out[0] = at + r.NormFloat64() })
	}
	svt := func(q []float64) Sampler { return sparse{c: 2, rho: 2, nu: 8}.on(q) }
	for _, c := range []struct {
		name  string
		audit Privacy
	}{
		{"lattice laplace", Privacy{Claim: pure(1), First: onLattice(laplace(0, 1)), Second: onLattice(laplace(1, 1))}},
		{"randomized response", Privacy{Claim: pure(1), First: response(0, 1, 0), Second: response(1, 1, 0)}},
		{"leaky response", Privacy{Claim: theory.Approx{Epsilon: 1, LnDelta: lnProb("0.01")}, First: response(0, 1, 0.01),
			Second: response(1, 1, 0.01)}},
		{"no information", Privacy{Claim: pure(0), First: laplace(0, 1), Second: laplace(0, 1)}},
		{"gaussian", Privacy{Claim: gaussian, First: normal(0), Second: normal(1)}},
		{"sparse vector", Privacy{Claim: pure(1), First: svt([]float64{0, 0, 1, 0}), Second: svt([]float64{1, 1, 0, 1}),
			Width: 4, Features: []func([]float64) float64{transcript}}},
	} {
		c.audit.Plan = Plan{Samples: 1_000_000, Seed: 7}
		c.audit.Width = max(1, c.audit.Width)
		r := value[Result](t)(c.audit.Audit(alarm(t, c.name)))
		if r.Verdict != Holds || r.Samples != 1_000_000 || !(r.Epsilon <= c.audit.Claim.Epsilon) ||
			!(r.Detectable > c.audit.Claim.Epsilon) {
			t.Errorf("%s: %+v", c.name, r)
		}
		t.Logf("%s: epsilon >= %.3f of %.3g claimed, detectable %.4f, ln wealth %.1f", c.name, r.Epsilon,
			c.audit.Claim.Epsilon, r.Detectable, r.LnWealth)
	}
}

func TestFalseClaimsAreRefuted(t *testing.T) {
	gaussian := theory.Approx{Epsilon: 1, LnDelta: theory.GDP{Mu: 1}.LnDelta(1) + theory.LogProb(math.Log(0.9))}
	normal := func(at float64) Sampler {
		return func(r *rand.Rand, out []float64) { out[0] = math.Round((at+r.NormFloat64())*1024) / 1024 }
	}
	rare := func(own float64) Sampler { // an outcome of probability 1e-3 that tells the input
		return func(r *rand.Rand, out []float64) {
			if out[0] = r.NormFloat64(); r.Float64() < 1e-3 {
				out[0] = own
			}
		}
	}
	for _, c := range []struct {
		name, view string
		audit      Privacy
	}{
		{"response at epsilon 1.05", "", Privacy{Claim: pure(1), First: response(0, 1.05, 0), Second: response(1, 1.05, 0)}},
		{"laplace at 0.9 of its scale", "magnitude",
			Privacy{Claim: pure(1), First: onLattice(laplace(0, 0.9)), Second: onLattice(laplace(1, 0.9))}},
		{"the same, first and second exchanged", "magnitude",
			Privacy{Claim: pure(1), First: onLattice(laplace(1, 0.9)), Second: onLattice(laplace(0, 0.9))}},
		{"a lattice that tells the input", "lattice", Privacy{Claim: pure(1), First: laplace(0, 1), Second: laplace(1, 1)}},
		{"a value that tells the input", "atom", Privacy{Claim: pure(0.5), First: rare(0.123), Second: rare(0.124)}},
		{"only the second has the value", "atom",
			Privacy{Claim: pure(0.5), First: func(r *rand.Rand, out []float64) { out[0] = r.NormFloat64() },
				Second: rare(0.124)}},
		{"gaussian at 0.9 of its delta", "magnitude", Privacy{Claim: gaussian, First: normal(0), Second: normal(1)}},
		{"a leak of 0.02 for 0.01", "",
			Privacy{Claim: theory.Approx{Epsilon: 1, LnDelta: lnProb("0.01")}, First: response(0, 1, 0.02),
				Second: response(1, 1, 0.02)}},
		{"a negative zero", "",
			Privacy{Claim: pure(2), First: func(_ *rand.Rand, out []float64) { out[0] = 0 },
				Second: func(_ *rand.Rand, out []float64) { out[0] = math.Copysign(0, -1) }}},
		{"not a number", "",
			Privacy{Claim: pure(2), First: func(_ *rand.Rand, out []float64) { out[0] = math.NaN() },
				Second: func(_ *rand.Rand, out []float64) { out[0] = math.Inf(-1) }}},
	} {
		c.audit.Plan = Plan{Samples: 4_000_000, Seed: 11}
		c.audit.Width = 1
		r := value[Result](t)(c.audit.Audit(lone(t, "1e-11")))
		if r.Verdict != Violated || c.view != "" && r.Event.View != c.view {
			t.Errorf("%s: %+v", c.name, r)
		}
		t.Logf("%s: %d samples, %s, epsilon >= %.3f", c.name, r.Samples, r.Event.View, r.Epsilon)
	}
}

// The confidence bound: close to the true epsilon and, except for the false alarm, below.
func TestEpsilonBound(t *testing.T) {
	for _, epsilon := range []float64{0.3, 0.95, 2} {
		a := Privacy{Plan: Plan{Samples: 2_000_000, Seed: 5}, Claim: pure(2), Width: 1,
			First: onLattice(laplace(0, 1/epsilon)), Second: onLattice(laplace(1, 1/epsilon))}
		r := value[Result](t)(a.Audit(alarm(t, fmt.Sprint(epsilon))))
		if !(r.Epsilon <= epsilon && r.Epsilon > 0.9*epsilon) {
			t.Errorf("epsilon %g: bound %g", epsilon, r.Epsilon)
		}
	}
}

// Detectable is what it says: of audits of randomized response at that epsilon, no more
// than one in a hundred ends without a refutation.
func TestDetectableIsDetected(t *testing.T) {
	for _, c := range []struct {
		epsilon float64
		delta   string
		samples int64
	}{{1, "0", 20_000}, {0.1, "0", 20_000}, {3, "0", 50_000}, {0.5, "0.1", 20_000}} {
		plan := Plan{Samples: c.samples, Workers: 1}
		claimed := theory.Approx{Epsilon: c.epsilon, LnDelta: lnProb(c.delta)}
		d := detectable(claimed, (plan.Samples/2-512)/2, 6, lnProb("1e-9"))
		missed := Tail{Plan: Plan{Samples: 150, Seed: 1}, Bound: lnProb("0.01"), Hit: func(r *rand.Rand) bool {
			plan := plan
			plan.Seed = r.Uint64()
			one := Privacy{Plan: plan, Claim: claimed, Width: 1, First: response(0, d, 0), Second: response(1, d, 0)}
			found, err := one.Audit(lone(t, "1e-9"))
			if err != nil || found.Detectable != d {
				t.Errorf("%v: detectable %g, want %g", err, found.Detectable, d)
			}
			return found.Verdict != Violated
		}}
		r := value[TailResult](t)(missed.Audit(alarm(t, fmt.Sprint(claimed))))
		t.Logf("claim %g, delta %s: detectable %.4f, missed %d of %d", c.epsilon, c.delta, d, r.Hits, r.Samples)
		if r.Verdict != Holds {
			t.Errorf("claim %g: %d of %d audits missed epsilon %g: %+v", c.epsilon, r.Hits, r.Samples, d, r)
		}
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	var first Result
	for i, workers := range []int{1, 2, 5, 0} {
		a := Privacy{Plan: Plan{Samples: 300_000, Seed: 3, Workers: workers}, Claim: pure(1), Width: 1,
			First: laplace(0, 0.95), Second: onLattice(laplace(1, 0.95))}
		a.First = onLattice(a.First)
		r := value[Result](t)(a.Audit(lone(t, "1e-11")))
		if i == 0 {
			first = r
		}
		if r != first {
			t.Errorf("%d workers: %+v, want %+v", workers, r, first)
		}
	}
	a := Privacy{Plan: Plan{Samples: 300_000, Seed: 4}, Claim: pure(1), Width: 1, First: onLattice(laplace(0, 0.95)),
		Second: onLattice(laplace(1, 0.95))}
	if r := value[Result](t)(a.Audit(lone(t, "1e-11"))); r == first {
		t.Error("another seed gives the same result")
	}
}

func TestTooFewSamples(t *testing.T) {
	for _, samples := range []int64{2, 3, 10, 50} {
		a := Privacy{Plan: Plan{Samples: samples}, Claim: pure(1), Width: 1, First: laplace(0, 1), Second: laplace(1, 1)}
		r := value[Result](t)(a.Audit(lone(t, "1e-11")))
		if r.Verdict != Undecided || r.Detectable != 0 || r.Samples > samples {
			t.Errorf("%+v", r)
		}
		tail := value[TailResult](t)(Tail{Plan: Plan{Samples: samples}, Bound: lnProb("0.9"),
			Hit: func(*rand.Rand) bool { return true }}.Audit(lone(t, "1e-11")))
		law := value[LawResult](t)(Law{Plan: Plan{Samples: samples}, Law: logs(0.5, 0.5),
			Draw: func(*rand.Rand) int { return 0 }}.Audit(lone(t, "1e-30")))
		if tail.Verdict != Undecided || law.Verdict != Undecided {
			t.Errorf("%+v, %+v", tail, law)
		}
	}
}

// The sparse vectors of Lyu, Su and Li. The zero value of numeric, no cut-off (c = 0) and
// no query noise (nu = 0) are their Algorithms 3, 6 and 5.
type sparse struct {
	c       int     // stop after so many "above"
	rho, nu float64 // noise scales of the threshold and of the queries
	numeric bool    // release the noisy value that was above
}

// on answers the queries with threshold 0: below is NaN, above is 1 or the value, and
// what was not asked any more is -Inf.
func (m sparse) on(queries []float64) Sampler {
	return func(r *rand.Rand, out []float64) {
		threshold, above := m.rho*lap(r), 0
		for i, q := range queries {
			out[i] = math.Inf(-1)
			if m.c > 0 && above == m.c {
				continue
			}
			out[i] = math.NaN()
			if v := q + m.nu*lap(r); v >= threshold {
				above++
				if out[i] = 1; m.numeric {
					out[i] = v
				}
			}
		}
	}
}

// transcript is which answers are "above", as a number; a numeric answer below zero
// counts as another answer.
func transcript(out []float64) float64 {
	code := 0.0
	for _, x := range out {
		code *= 4
		switch {
		case math.IsInf(x, -1):
		case math.IsNaN(x):
			code++
		case x > 0:
			code += 2
		default:
			code += 3
		}
	}
	return code
}

func TestWrongSparseVectorsAreRefuted(t *testing.T) {
	repeat := func(k int, q float64, more ...float64) []float64 {
		all := make([]float64, k, k+len(more))
		for i := range all {
			all[i] = q
		}
		return append(all, more...)
	}
	for _, c := range []struct {
		name          string
		mechanism     sparse
		first, second []float64
	}{
		{"SVT3", sparse{c: 1, rho: 2, nu: 2, numeric: true}, repeat(8, 0, 1), repeat(8, 1, 0)},
		{"SVT4", sparse{c: 5, rho: 4, nu: 4. / 3}, repeat(6, 0, repeat(5, 1)...), repeat(6, 1, repeat(5, 0)...)},
		{"SVT5", sparse{rho: 2}, []float64{0, 1}, []float64{1, 0}},
		{"SVT6", sparse{rho: 2, nu: 2}, repeat(4, 0, repeat(4, 1)...), repeat(4, 1, repeat(4, 0)...)},
	} {
		a := Privacy{Plan: Plan{Samples: 2_000_000, Seed: 1}, Claim: pure(1), Width: len(c.first),
			Features: []func([]float64) float64{transcript}}
		a.First, a.Second = c.mechanism.on(c.first), c.mechanism.on(c.second)
		r := value[Result](t)(a.Audit(lone(t, "1e-11")))
		if r.Verdict != Violated {
			t.Errorf("%s: %+v", c.name, r)
		}
		t.Logf("%s: %d samples, epsilon >= %.3f", c.name, r.Samples, r.Epsilon)
	}
}

func TestTail(t *testing.T) {
	coin := func(p float64) func(*rand.Rand) bool {
		return func(r *rand.Rand) bool { return r.Float64() < p }
	}
	for _, c := range []struct {
		bound string
		p     float64
		want  Verdict
	}{
		{"0.1", 0.1, Holds}, {"0.001", 0.0009, Holds}, {"1e-9", 1e-9, Holds}, {"0.99", 0.98, Holds},
		{"0.1", 0.105, Violated}, {"0.001", 0.0013, Violated}, {"1e-9", 3e-5, Violated}, {"0.99", 0.9915, Violated},
		{"1e-100", 1e-4, Violated},
	} {
		draw := lone(t, "1e-11")
		if c.want == Holds {
			draw = alarm(t, c.bound)
		}
		r := value[TailResult](t)(Tail{Plan: Plan{Samples: 1_000_000, Seed: 2}, Bound: lnProb(c.bound),
			Hit: coin(c.p)}.Audit(draw))
		if r.Verdict != c.want || !(r.Lower.Value() <= c.p) || !(r.Detectable > lnProb(c.bound)) {
			t.Errorf("P[E] = %g against %s: %+v", c.p, c.bound, r)
		}
		t.Logf("P[E] = %g against %s: %s, %d of %d, P[E] >= %.4g, detectable %.4g", c.p, c.bound, r.Verdict, r.Hits,
			r.Samples, r.Lower.Value(), r.Detectable.Value())
	}
	// What is detectable is detected, by the test itself.
	bound, samples := lnProb("0.2"), int64(4000)
	var d float64
	once := func(seed uint64, p float64) TailResult {
		r := value[TailResult](t)(Tail{Plan: Plan{Samples: samples, Seed: seed, Workers: 1}, Bound: bound,
			Hit: coin(p)}.Audit(lone(t, "1e-9")))
		d = r.Detectable.Value()
		return r
	}
	once(1, 0.2)
	p := d
	r := value[TailResult](t)(Tail{Plan: Plan{Samples: 2000, Seed: 1, Workers: 1}, Bound: lnProb("0.01"),
		Hit: func(r *rand.Rand) bool {
			return once(r.Uint64(), p).Verdict != Violated
		}}.Audit(alarm(t, "detectable")))
	t.Logf("detectable %.4f for %v: missed %d of %d", p, bound, r.Hits, r.Samples)
	if r.Verdict != Holds {
		t.Errorf("detectable %g: missed %d of %d", p, r.Hits, r.Samples)
	}
}

// A bet against a tail has expectation one under the claim with equality, and is none
// where the claim allows what was seen.
func TestTailWagerIsFair(t *testing.T) {
	for _, v := range []float64{1e-6, 0.1, 0.5, 0.999} {
		for _, p := range []float64{1e-3, 0.3, 0.8, 0.9999} {
			bet := newWager(p, v, 0.7)
			if mean := v*math.Exp(bet.hit) + (1-v)*math.Exp(bet.miss); math.Abs(mean-1) > 1e-9 {
				t.Errorf("p %g, v %g: expectation %.15g", p, v, mean)
			}
			if p > v != (bet.hit > 0 && bet.miss < 0) {
				t.Errorf("p %g, v %g: %+v", p, v, bet)
			}
		}
	}
}

// What an audit of a law detects is the least deviation of its least telling outcome, wherever
// that stands among the outcomes, and is refuted with probability at least 0.99 as is.
func TestLawDetectsTheLeastTelling(t *testing.T) {
	parts := []float64{0.9, 0.0625, 0.0375}
	worst := 0.0
	const samples = 2000
	lnAlpha := -11*math.Ln10 - math.Log(8) - rounding
	for _, p := range parts {
		coin := num.Binomial{N: samples, P: p}
		critical := int64(0)
		for coin.LnAtLeast(critical) > lnAlpha {
			critical++
		}
		d := 0.0
		for (num.Binomial{N: samples, P: p + d}).LnAtMost(critical-1) > math.Log(0.01) {
			d += 1e-6
		}
		worst = max(worst, d)
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		law, fixed := logs(parts[order[0]], parts[order[1]], parts[order[2]]), func(*rand.Rand) int { return 0 }
		r := value[LawResult](t)(Law{Plan: Plan{Samples: samples}, Law: law, Draw: fixed}.Audit(lone(t, "1e-11")))
		if !(r.Detectable <= worst && r.Detectable >= worst-1.1e-6) {
			t.Errorf("in the order %v: %g, want %g", order, r.Detectable, worst)
		}
	}
}

func TestLaw(t *testing.T) {
	law := logs(0.5, 0.3, 0.15, 0.05-1e-9, 1e-9)
	draw := func(shift float64) func(*rand.Rand) int {
		return func(r *rand.Rand) int {
			u := r.Float64()
			for i, p := range []float64{0.5 + shift, 0.3 - shift, 0.15, 0.05 - 1e-9} {
				if u -= p; u < 0 {
					return i
				}
			}
			return 4
		}
	}
	plan := Plan{Samples: 500_000, Seed: 9}
	r := value[LawResult](t)(Law{Plan: plan, Law: law, Draw: draw(0)}.Audit(alarm(t, "right")))
	if r.Verdict != Holds || !(r.Detectable > 0.005 && r.Detectable < 0.01) {
		t.Errorf("the right law: %+v", r)
	}
	for _, shift := range []float64{1.2 * r.Detectable, -1.2 * r.Detectable} {
		if r := value[LawResult](t)(Law{Plan: plan, Law: law,
			Draw: draw(shift)}.Audit(lone(t, "1e-11"))); r.Verdict != Violated {
			t.Errorf("shifted by %g: %+v", shift, r)
		}
	}
	for _, outside := range []int{-1, 5, math.MinInt, math.MaxInt} {
		once := func(r *rand.Rand) int {
			if r.IntN(100_000) == 0 {
				return outside
			}
			return draw(0)(r)
		}
		if r := value[LawResult](t)(Law{Plan: plan, Law: law, Draw: once}.Audit(lone(t, "1e-11"))); r.Verdict != Violated ||
			r.Cell != len(law) || r.PValue != theory.Zero {
			t.Errorf("outcome %d: %+v", outside, r)
		}
	}
	// What one cell lacks may be spread too thinly to be seen anywhere else.
	thin := make([]theory.LogProb, 81)
	for i := range thin {
		thin[i] = theory.LogProb(math.Log(0.01))
	}
	thin[0] = theory.LogProb(math.Log(0.2))
	lacking := func(r *rand.Rand) int {
		if r.Float64() < 0.17 {
			return 0
		}
		return 1 + r.IntN(80)
	}
	if r := value[LawResult](t)(Law{Plan: Plan{Samples: 20_000, Seed: 6}, Law: thin,
		Draw: lacking}.Audit(lone(t, "1e-11"))); r.Verdict != Violated || r.Cell != 0 {
		t.Errorf("a lack of the first outcome: %+v", r)
	}
	// The false alarm is not above what was declared; without its division among the
	// cells it would be.
	many := make([]theory.LogProb, 20)
	for i := range many {
		many[i] = theory.LogProb(-math.Log(20))
	}
	wrong := Tail{Plan: Plan{Samples: 1000, Seed: 4, Workers: 1}, Bound: lnProb("0.3"), Hit: func(r *rand.Rand) bool {
		plan := Plan{Samples: 1000, Seed: r.Uint64(), Workers: 1}
		one := Law{Plan: plan, Law: many, Draw: func(r *rand.Rand) int { return r.IntN(20) }}
		return value[LawResult](t)(one.Audit(lone(t, "0.3"))).Verdict == Violated
	}}
	if r := value[TailResult](t)(wrong.Audit(alarm(t, "false alarm"))); r.Verdict != Holds || r.Hits == 0 {
		t.Errorf("false alarm: %+v", r)
	}
	// The definition of Detectable, at a size where a mutant of it would be seen.
	small := Plan{Samples: 400, Workers: 1}
	half := logs(0.5, 0.5)
	d := value[LawResult](t)(Law{Plan: small, Law: half,
		Draw: func(r *rand.Rand) int { return r.IntN(2) }}.Audit(alarm(t, "coin"))).Detectable
	missed := value[TailResult](t)(Tail{Plan: Plan{Samples: 3000, Seed: 3, Workers: 1}, Bound: lnProb("0.01"),
		Hit: func(r *rand.Rand) bool {
			plan := small
			plan.Seed = r.Uint64()
			biased := func(r *rand.Rand) int {
				if r.Float64() < 0.5+d {
					return 0
				}
				return 1
			}
			return value[LawResult](t)(Law{Plan: plan, Law: half, Draw: biased}.Audit(lone(t, "1e-11"))).Verdict != Violated
		}}.Audit(alarm(t, "detectable")))
	t.Logf("detectable %.4f: missed %d of %d", d, missed.Hits, missed.Samples)
	if missed.Verdict != Holds || missed.Hits == 0 {
		t.Errorf("detectable %g: %+v", d, missed)
	}
}

func TestLedger(t *testing.T) {
	l := value[*Ledger](t)(NewLedger(lnProb("1e-9")))
	var wait sync.WaitGroup
	for i := range 100 { // their sum is the total
		wait.Go(func() {
			if _, err := l.Draw(fmt.Sprintf("test %02d", i), lnProb("1e-11")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if _, err := l.Draw("one more", lnProb("1e-20")); !isDomain(err) || !strings.Contains(err.Error(), "one more") {
		t.Errorf("beyond the total: %v", err)
	}
	if n := len(l.Entries()); n != 100 {
		t.Errorf("%d entries", n)
	}
	l = value[*Ledger](t)(NewLedger(lnProb("0.5")))
	a := value[*Alarm](t)(l.Draw("a", lnProb("0.25")))
	for _, bad := range []struct {
		name  string
		alpha theory.LogProb
	}{{"a", -3}, {"", -3}, {"b", 0}, {"b", theory.Zero}, {"b", theory.LogProb(math.NaN())}, {"b", lnProb("0.26")},
		{"b", 1}} {
		if _, err := l.Draw(bad.name, bad.alpha); !isDomain(err) {
			t.Errorf("draw %v: %v", bad, err)
		}
	}
	if _, err := l.Draw("b", lnProb("0.25")); err != nil {
		t.Errorf("what was refused has been taken: %v", err)
	}
	tail := Tail{Plan: Plan{Samples: 1000}, Bound: lnProb("0.5"),
		Hit: func(r *rand.Rand) bool { return r.Float64() < 0.1 }}
	d := value[TailResult](t)(tail.Audit(a)).Detectable.Value()
	if _, err := tail.Audit(a); !isDomain(err) {
		t.Errorf("one alarm for two tests: %v", err)
	}
	if _, err := tail.Audit(nil); !isDomain(err) {
		t.Errorf("no alarm: %v", err)
	}
	quarter := lnProb("0.25")
	want := []Entry{{Name: "a", Alpha: quarter, Samples: 1000, Verdict: Holds, Detectable: d}, {Name: "b", Alpha: quarter}}
	if got := l.Entries(); !slices.Equal(got, want) {
		t.Errorf("ledger: %+v, want %+v", got, want)
	}
	for _, total := range []theory.LogProb{0, 1, theory.Zero, theory.LogProb(math.NaN())} {
		if _, err := NewLedger(total); !isDomain(err) {
			t.Errorf("total %v: %v", total.Ln(), err)
		}
	}
}

func TestAuditDomains(t *testing.T) {
	good := Privacy{Plan: Plan{Samples: 100}, Claim: pure(1), Width: 1, First: laplace(0, 1), Second: laplace(0, 1)}
	nan := math.NaN()
	for i, spoil := range []func(*Privacy){
		func(a *Privacy) { a.Samples = 1 }, func(a *Privacy) { a.Samples = 1<<31 + 1 },
		func(a *Privacy) { a.Claim.Epsilon = -1 }, func(a *Privacy) { a.Claim.Epsilon = 100.1 },
		func(a *Privacy) { a.Claim.Epsilon = nan },
		func(a *Privacy) { a.Claim.LnDelta = 0 }, func(a *Privacy) { a.Claim.LnDelta = theory.LogProb(nan) },
		func(a *Privacy) { a.First = nil }, func(a *Privacy) { a.Second = nil }, func(a *Privacy) { a.Width = 0 },
	} {
		bad := good
		spoil(&bad)
		if _, err := bad.Audit(lone(t, "0.5")); !isDomain(err) {
			t.Errorf("case %d: %v", i, err)
		}
	}
	hit := func(*rand.Rand) bool { return false }
	for _, bad := range []Tail{
		{Plan{}, -1, hit}, {Plan{Samples: 100}, 0, hit}, {Plan{Samples: 100}, theory.Zero, hit},
		{Plan{Samples: 100}, theory.LogProb(nan), hit}, {Plan{Samples: 100}, -1, nil},
	} {
		if _, err := bad.Audit(lone(t, "0.5")); !isDomain(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	none := func(*rand.Rand) int { return 0 }
	for _, bad := range []Law{
		{Plan{}, logs(1), none}, {Plan{Samples: 100}, logs(0.5), none}, {Plan{Samples: 100}, nil, none},
		{Plan{Samples: 100}, logs(1), nil},
	} {
		if _, err := bad.Audit(lone(t, "0.5")); !isDomain(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// Every float64 has a cell in each view, and the lattice cell is its lowest bit.
func TestCells(t *testing.T) {
	l := lens{centre: 0.5, lowest: int(math.Float64bits(1)>>47) - 16*octave}
	check := func(x float64) {
		m, a, k := l.cells(x)
		if m < 0 || m >= magnitudeCells || a < magnitudeCells || a >= magnitudeCells+atomCells ||
			k < magnitudeCells+atomCells || k >= featureCells {
			t.Fatalf("%g: cells %d %d %d", x, m, a, k)
		}
	}
	r := rand.New(rand.NewPCG(5, 1))
	for range 200_000 {
		check(math.Float64frombits(r.Uint64()))
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 5e-324, 1, 3, 0.75, 1 + 0x1p-52, math.MaxFloat64, math.Inf(1),
		math.Inf(-1), math.NaN(), 6 * 0x1p-1074} {
		check(x)
	}
	_, _, unit := l.cells(1)
	for exponent, x := range map[int]float64{0: 3, -2: -0.75, -52: 1 + 0x1p-52, 5: 96, -1073: 6 * 0x1p-1074,
		-1074: 5e-324, -1030: 0x1p-1030} {
		if _, _, k := l.cells(x); k-unit != exponent {
			t.Errorf("the lowest bit of %g: 2^%d, want 2^%d", x, k-unit, exponent)
		}
	}
}

func BenchmarkPrivacy(b *testing.B) {
	uniform := func(r *rand.Rand, out []float64) { out[0] = r.Float64() }
	for _, c := range []struct {
		name          string
		first, second Sampler
	}{
		{"uniform", uniform, uniform},
		{"laplace", onLattice(laplace(0, 1)), onLattice(laplace(1, 1))},
	} {
		b.Run(c.name, func(b *testing.B) {
			const samples = 20_000_000
			for b.Loop() {
				a := Privacy{Plan: Plan{Samples: samples, Seed: 1}, Claim: pure(1), Width: 1, First: c.first, Second: c.second}
				if r, err := a.Audit(lone(b, "1e-11")); err != nil || r.Verdict != Holds {
					b.Fatal(r, err)
				}
			}
			b.ReportMetric(samples*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
		})
	}
}

func BenchmarkExact(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 1))
	p, q := laws(r, 10_000, 5)
	b.Run("NewPair", func(b *testing.B) {
		for b.Loop() {
			pairOf(b, p, q)
		}
	})
	pair := pairOf(b, p, q)
	b.Run("LnDelta", func(b *testing.B) {
		for b.Loop() {
			value[theory.LogProb](b)(pair.LnDelta(1))
		}
	})
	b.Run("ZCDP", func(b *testing.B) {
		for b.Loop() {
			value[float64](b)(pair.ZCDP())
		}
	})
}
