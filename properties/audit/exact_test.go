package audit

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// The oracle: the definitions, to 45 digits, of the same rounded logarithms.
var dec = decimals.Digits(45).Float

func lnDeltaOracle(p, q []theory.LogProb, epsilon float64) float64 {
	sum := dec(0)
	for i := range p {
		if p[i] == theory.Zero {
			continue
		}
		gap := dec(p[i].Ln()).Exp()
		if q[i] != theory.Zero {
			gap = gap.Minus(dec(epsilon).Plus(dec(q[i].Ln())).Exp())
		}
		if gap.Sign() > 0 {
			sum = sum.Plus(gap)
		}
	}
	if sum.Sign() == 0 {
		return math.Inf(-1)
	}
	return sum.Ln().Float()
}

// renyiOracle returns D_a(p||q) of the laws divided by their sums.
func renyiOracle(p, q []theory.LogProb, order float64) float64 {
	sum, sumP, sumQ := dec(0), dec(0), dec(0)
	for i := range p {
		lnP, lnQ := dec(p[i].Ln()), dec(q[i].Ln())
		sum = sum.Plus(dec(order).Times(lnP.Minus(lnQ)).Plus(lnQ).Exp())
		sumP, sumQ = sumP.Plus(lnP.Exp()), sumQ.Plus(lnQ.Exp())
	}
	ln := func(x decimals.Number) float64 { return x.Ln().Float() }
	return (ln(sum) - order*ln(sumP) + (order-1)*ln(sumQ)) / (order - 1)
}

// laws returns random laws with logarithms down to about -depth.
func laws(r *rand.Rand, outcomes int, depth float64) (p, q []theory.LogProb) {
	weights := func() []theory.LogProb {
		w, sum := make([]theory.LogProb, outcomes), lnSum{}
		for i := range w {
			w[i] = theory.LogProb(-depth * r.Float64() * r.Float64())
			sum.add(w[i], 1)
		}
		for i := range w {
			w[i] = min(0, w[i]-theory.LogProb(sum.ln()))
		}
		return w
	}
	return weights(), weights()
}

func logs(ps ...float64) []theory.LogProb {
	all := make([]theory.LogProb, len(ps))
	for i, p := range ps {
		all[i] = theory.LogProb(num.Log(p))
	}
	return all
}

func pairOf(t testing.TB, p, q []theory.LogProb) *Pair {
	t.Helper()
	pair, err := NewPair(p, q)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// within checks exact <= got <= exact (1 + slack).
func within(t *testing.T, what string, got, exact, slack float64) {
	t.Helper()
	if !(got >= exact*(1-1e-15) && got <= exact*(1+slack)) {
		t.Errorf("%s: got %.17g, exact %.17g (%.2g relative)", what, got, exact, got/exact-1)
	}
}

func value[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestDeltaAgainstItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, depth := range []float64{1e-6, 0.1, 3, 40, 4000} {
		for range 8 {
			p, q := laws(r, 2+r.IntN(8), depth)
			pair := pairOf(t, p, q)
			top := value[float64](t)(pair.Epsilon())
			exact := new(big.Float).SetPrec(300)
			for i := range p {
				gap := new(big.Float).SetPrec(300).Sub(big.NewFloat(p[i].Ln()), big.NewFloat(q[i].Ln()))
				if gap.Abs(gap).Cmp(exact) > 0 {
					exact = gap
				}
			}
			if big.NewFloat(top).Cmp(exact) < 0 || big.NewFloat(math.Nextafter(top, 0)).Cmp(exact) >= 0 {
				t.Errorf("depth %g: epsilon %.17g is not %s rounded up", depth, top, exact.Text('g', 25))
			}
			for _, share := range []float64{0, 0.3, 0.9, 0.999999} {
				epsilon := share * top
				exact := min(0, max(lnDeltaOracle(p, q, epsilon), lnDeltaOracle(q, p, epsilon)))
				got := value[theory.LogProb](t)(pair.LnDelta(epsilon)).Ln()
				if !(got >= exact && got <= exact+1e-14+0x1p-49*math.Abs(exact)) {
					t.Errorf("depth %g, epsilon %g: ln delta %.17g, exact %.17g", depth, epsilon, got, exact)
				}
			}
		}
	}
}

func TestRenyiAgainstItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, depth := range []float64{1e-3, 0.3, 5, 60, 200} {
		for range 6 {
			p, q := laws(r, 2+r.IntN(6), depth)
			for _, order := range []float64{1.0000001, 1.5, 3, 40} {
				got := value[float64](t)(pairOf(t, p, q).Renyi(order))
				exact := max(renyiOracle(p, q, order), renyiOracle(q, p, order))
				// The laws add up to one only to 1e-16, which is not negligible if they are close.
				if slack := 1.5e-12 + 1e-14/math.Min(1, exact); math.Abs(got/exact-1) > slack {
					t.Errorf("depth %g, order %g: %.17g, exact %.17g", depth, order, got, exact)
				}
			}
		}
	}
}

// Randomized response has closed forms for every measure.
func TestRandomizedResponse(t *testing.T) {
	for _, epsilon := range []float64{1e-6, 0.01, 0.5, 1, 3, 12, 30} {
		lnP := -math.Log1p(math.Exp(-epsilon))
		p := []theory.LogProb{theory.LogProb(lnP), theory.LogProb(lnP - epsilon)}
		pair := pairOf(t, p, []theory.LogProb{p[1], p[0]})
		close := func(what string, got, want float64) {
			t.Helper()
			// ln P - epsilon is rounded, which moves a small epsilon by 1e-16.
			if math.Abs(got/want-1) > 2e-11+4e-16/epsilon*2 {
				t.Errorf("epsilon %g, %s: %.17g, want %.17g", epsilon, what, got, want)
			}
		}
		close("epsilon", value[float64](t)(pair.Epsilon()), epsilon)
		close("rho", value[float64](t)(pair.ZCDP()), epsilon*math.Tanh(epsilon/2))
		close("relative entropy", value[float64](t)(pair.Renyi(1)), epsilon*math.Tanh(epsilon/2))
		close("delta", value[theory.LogProb](t)(pair.LnDelta(epsilon/2)).Value(),
			-math.Expm1(-epsilon/2)/(1+math.Exp(-epsilon)))
		if epsilon > 1e-3 {
			mu := value[float64](t)(pair.Mu())
			close("mu", mu, 2*num.UpperQuantile(lnP-epsilon))
		}
		curve := pair.TradeOff()
		if len(curve) != 3 || curve[0] != (Test{theory.Zero, theory.Zero}) || curve[2] != (Test{0, 0}) {
			t.Fatalf("trade-off curve %v", curve)
		}
		close("power", curve[1].First.Ln(), lnP)
		close("size", curve[1].Second.Ln(), lnP-epsilon)
	}
}

// k randomized responses have the privacy curve of the optimal composition theorem.
func TestOptimalCompositionIsRandomizedResponse(t *testing.T) {
	for _, k := range []int64{1, 2, 7, 40} {
		for _, epsilon := range []float64{0.05, 0.7} {
			p := make([]theory.LogProb, k+1)
			for lies := range p {
				coin := num.Binomial{N: k, P: 1 / (1 + math.Exp(epsilon))}
				p[lies] = theory.LogProb(coin.LnPMF(int64(lies)))
			}
			q := make([]theory.LogProb, k+1)
			for i := range p {
				q[i] = p[len(p)-1-i]
			}
			pair := pairOf(t, p, q)
			c := theory.Composition{Each: theory.Approx{Epsilon: epsilon, LnDelta: theory.Zero}, Times: k}
			for _, share := range []float64{0, 0.2, 0.5, 0.9} {
				at := share * float64(k) * epsilon
				want := value[theory.Bound[theory.LogProb]](t)(c.OptimalDelta(at)).Value
				got := value[theory.LogProb](t)(pair.LnDelta(at))
				if math.Abs(got.Ln()-want.Ln()) > 1e-10 {
					t.Errorf("k %d, epsilon %g: ln delta(%g) = %.15g, want %.15g", k, epsilon, at, got.Ln(), want.Ln())
				}
			}
		}
	}
}

// The supremum over the order against a dense scan with the definition's formula.
func TestZCDPIsTheSupremum(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	interior := 0
	for i := range 60 {
		var p, q []theory.LogProb
		if i%2 == 0 {
			p, q = laws(r, 2+r.IntN(6), []float64{0.1, 2, 30, 800}[i/2%4])
		} else { // a rare outcome of large ratio: the supremum is inside
			a := math.Exp(-3 - 10*r.Float64())
			b := a * math.Exp(-1-8*r.Float64())
			p, q = logs(a, 0.5, 0.5-a), logs(b, 0.5-b, 0.5)
		}
		pair := pairOf(t, p, q)
		got := value[float64](t)(pair.ZCDP())
		scan, at := 0.0, 0.0
		f := func(lnX float64) float64 {
			x := math.Exp(lnX)
			return -value[float64](t)(pair.Renyi(1+x)) / (1 + x)
		}
		for lnX := -20.0; lnX < 12; lnX += 0.05 {
			if y := -f(lnX); y > scan {
				scan, at = y, lnX
			}
		}
		_, refined := num.Interval{Lo: at - 0.05, Hi: at + 0.05}.Minimize(1e-9, f)
		scan = max(scan, -refined, value[float64](t)(pair.Renyi(1)))
		if at > -10 {
			interior++
		}
		if !(got >= scan*(1-1.1e-12) && got <= scan*(1+1e-11)) {
			t.Errorf("rho %.17g, scan %.17g at order 1+e^%g (%g relative)", got, scan, at, got/scan-1)
		}
	}
	if interior < 20 {
		t.Errorf("only %d of 60 suprema are inside", interior)
	}
}

// A lattice Gaussian has D_a/a constant to many digits: the hardest case of the search.
func TestZCDPOfALatticeGaussian(t *testing.T) {
	p, q, sums := make([]theory.LogProb, 161), make([]theory.LogProb, 161), [2]lnSum{}
	for i := range p {
		x := float64(i-80) / 8
		p[i], q[i] = theory.LogProb(-x*x/2), theory.LogProb(-(x-0.125)*(x-0.125)/2)
		sums[0].add(p[i], 1)
		sums[1].add(q[i], 1)
	}
	for i := range p {
		p[i], q[i] = p[i]-theory.LogProb(sums[0].ln()), q[i]-theory.LogProb(sums[1].ln())
	}
	pair := pairOf(t, p, q)
	if rho := value[float64](t)(pair.ZCDP()); math.Abs(rho/(0.125*0.125/2)-1) > 1e-7 {
		t.Errorf("rho %.12g, want about mu^2/2", rho)
	}
	if mu := value[float64](t)(pair.Mu()); !(mu > 0.125 && mu < 0.8) {
		t.Errorf("mu %.12g of a lattice Gaussian with mu 0.125", mu)
	}
}

// mu is the least: its curve is above the pair's everywhere, and the curve of a smaller mu is not.
func TestMuIsTheLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for range 30 {
		p, q := laws(r, 2+r.IntN(5), 4)
		pair := pairOf(t, p, q)
		mu := value[float64](t)(pair.Mu())
		broken := false
		for epsilon := 0.0; epsilon < 8; epsilon += 1.0 / 64 {
			delta := value[theory.LogProb](t)(pair.LnDelta(epsilon))
			if g := (theory.GDP{Mu: mu}).LnDelta(epsilon); delta.Ln() > g.Ln()+1e-11 {
				t.Fatalf("mu %g: delta(%g) = %v, above %v", mu, epsilon, delta, g)
			}
			broken = broken || delta > theory.GDP{Mu: mu * 0.99}.LnDelta(epsilon)
		}
		if !broken {
			t.Errorf("mu %g: 1%% less would do", mu)
		}
	}
}

func TestNotPrivate(t *testing.T) {
	none := func(what string, err error) {
		t.Helper()
		var e *theory.NoAnswerError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want a NoAnswerError", what, err)
		}
	}
	pair := pairOf(t, logs(0.5, 0.5, 0), logs(0.3, 0.6, 0.1))
	_, err := pair.Epsilon()
	none("epsilon", err)
	_, err = pair.ZCDP()
	none("rho", err)
	_, err = pair.Mu()
	none("mu", err)
	_, err = pair.Renyi(2)
	none("renyi", err)
	within(t, "delta", value[theory.LogProb](t)(pair.LnDelta(50)).Value(), 0.1, 1e-14)
}

func TestTiesAreOneVertex(t *testing.T) {
	curve := pairOf(t, logs(0.25, 0.5, 0.25), logs(0.125, 0.75, 0.125)).TradeOff()
	if len(curve) != 3 || math.Abs(curve[1].First.Value()-0.5) > 1e-15 || math.Abs(curve[1].Second.Value()-0.25) > 1e-15 {
		t.Errorf("trade-off curve %v, want one vertex (0.5, 0.25)", curve)
	}
}

func TestWorstPair(t *testing.T) {
	// Two bits, randomized response with another epsilon each: inputs 0 to 3, neighbours in one bit.
	epsilon := [2]float64{0.4, 1.3}
	all := make([][]theory.LogProb, 4)
	for input := range all {
		for output := range 4 {
			p := 0.0
			for bit, e := range epsilon {
				p -= math.Log1p(math.Exp(-e))
				if input>>bit&1 != output>>bit&1 {
					p -= e
				}
			}
			all[input] = append(all[input], theory.LogProb(p))
		}
	}
	neighbours := func(i, j int) bool { return i^j == 1 || i^j == 2 }
	w, err := Worst(all, neighbours, (*Pair).Epsilon)
	if err != nil || w.First != 0 || w.Second != 2 || math.Abs(w.Value-1.3) > 1e-12 {
		t.Errorf("worst pair %+v, %v", w, err)
	}
	if Compare(w.Value, 1.3) != Holds || Compare(w.Value, 1.2999) != Violated || Compare(math.NaN(), 1) != Violated {
		t.Error("Compare")
	}
	d, err := Worst(all, neighbours, func(p *Pair) (theory.LogProb, error) { return p.LnDelta(0.4) })
	if err != nil || d.Second != 2 || math.Abs(d.Value.Value()-(math.Exp(1.3)-math.Exp(0.4))/(1+math.Exp(1.3))) > 1e-13 {
		t.Errorf("worst delta %+v, %v", d, err)
	}
	all[3] = logs(0, 0, 0.5, 0.5)
	w, err = Worst(all, neighbours, (*Pair).Epsilon)
	var none *theory.NoAnswerError
	if !errors.As(err, &none) || w.First != 1 || w.Second != 3 {
		t.Errorf("worst pair %+v, %v", w, err)
	}
	for _, bad := range [][][]theory.LogProb{{logs(1)}, {logs(1), logs(0.5, 0.5)}, {logs(1), logs(0.9)},
		{logs(1), {theory.LogProb(math.NaN())}}, {{}, {}}, {{0.1}, {0}}} {
		if _, err := Worst(bad, func(int, int) bool { return true }, (*Pair).Epsilon); !isDomain(err) {
			t.Errorf("%v: %v, want a DomainError", bad, err)
		}
	}
}

func isDomain(err error) bool {
	var e *theory.DomainError
	return errors.As(err, &e)
}

func TestExactDomains(t *testing.T) {
	pair := pairOf(t, logs(0.5, 0.5), logs(0.25, 0.75))
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1} {
		_, err1 := pair.LnDelta(x)
		_, err2 := pair.Renyi(x)
		if !isDomain(err1) || !isDomain(err2) {
			t.Errorf("%g: %v, %v", x, err1, err2)
		}
	}
	for _, x := range []float64{0, 5e-324, 1, 700, 1e300, math.MaxFloat64} {
		d, err1 := pair.LnDelta(x)
		a, err2 := pair.Renyi(1 + x)
		if err1 != nil || err2 != nil || !d.IsValid() || !(a > 0 && a < 1) {
			t.Errorf("%g: %v %v, %v %v", x, d, err1, a, err2)
		}
	}
	same := pairOf(t, logs(0.5, 0.5), logs(0.5, 0.5))
	for _, measure := range []func() (float64, error){same.Epsilon, same.ZCDP,
		func() (float64, error) { return same.Renyi(3) }} {
		if x, err := measure(); x != 0 || err != nil {
			t.Errorf("identical laws measure %g, %v", x, err)
		}
	}
}
