package maxinfo

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// slacks has ln b from one to 1e-4343 and beyond.
func randomSlack(r *rand.Rand) theory.LogProb {
	return theory.LogProb(-logUniform(r, 1e-6, 1e5))
}

func logUniform(r *rand.Rand, lo, hi float64) float64 {
	return lawtest.Between(r, lo, hi)
}

// bound fails unless want <= got <= want + slack |want|, with room for the last digits
// of a number near zero.
func bound(t *testing.T, what any, got, want, slack float64) {
	t.Helper()
	if !(got >= want && got <= want+slack*math.Abs(want)+1e-13) {
		t.Errorf("%+v: %.17g, want %.17g (%.3g above, relative %.3g)", what, got, want, got-want, (got-want)/want)
	}
}

func information(t testing.TB, l Limit, slack theory.LogProb) float64 {
	t.Helper()
	k, err := l.MaxInformation(slack)
	if err != nil {
		t.Fatalf("%+v at %v: %v", l, slack, err)
	}
	return float64(k)
}

func TestClosedLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	half, two := exactly(0.5), exactly(2)
	for range 200 {
		slack := randomSlack(r)
		lnb := exactly(slack.Ln())

		ranged := Range{theory.Nats(logUniform(r, 0.1, 1e6))}
		bound(t, ranged, information(t, ranged, slack), exactly(float64(ranged.Outcomes)).Minus(lnb).Float(), 1e-9)

		d := Dwork15{Samples: int64(logUniform(r, 1, 1e15)), Epsilon: logUniform(r, 1e-12, 700)}
		n, eps := exactly(float64(d.Samples)), exactly(d.Epsilon)
		want := eps.Times(eps).Times(n).Times(half).Plus(eps.Times(n.Times(two.Ln().Minus(lnb)).Times(half).Root()))
		bound(t, d, information(t, d, slack), want.Float(), 1e-9)

		if slack > -700 {
			g := Rogers16{theory.Nats(logUniform(r, 1e-9, 1e9))}
			want := exactly(float64(g.Nats)).Plus(exactly(0.54).Times(two.Ln())).Over(lnb.Exp())
			bound(t, g, information(t, g, slack), want.Float(), 1e-9)
		}
	}
	ratio := Ratio{Nats: 2, Slack: -5}
	if k := information(t, ratio, -5); k != 2 {
		t.Errorf("%v at its own slack", k)
	}
	if k := information(t, ratio, -1); k != 2 {
		t.Errorf("%v at a larger slack", k)
	}
	for _, slack := range []theory.LogProb{-6, theory.Zero, 1, theory.LogProb(math.NaN())} {
		if k, err := ratio.MaxInformation(slack); err == nil {
			t.Errorf("%v at the slack %v", k, slack)
		}
	}
	if k := information(t, Ratio{Nats: 2, Slack: theory.Zero}, theory.Zero); k != 2 {
		t.Errorf("max-information %v", k)
	}
}

// lnMinus returns ln(e^x - e^y).
func lnMinus(x, y dec) dec {
	gap := y.Minus(x)
	if gap.Float() < -1500 {
		return x
	}
	return x.Plus(exactly(1).Minus(gap.Exp()).Ln())
}

// maximise returns the largest value of a function with one maximum on [lo, hi].
func maximise(lo, hi float64, f func(float64) float64) (x, fx float64) {
	for range 200 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(a) < f(b) {
			lo = a
		} else {
			hi = b
		}
	}
	return (lo + hi) / 2, f((lo + hi) / 2)
}

// What Renyi divergences a rho of all orders say is ln q >= -(sqrt(ln 1/p) + sqrt
// rho)^2. The best ratio over p, found roughly, then with 50 digits.
func renyiOracle(t *testing.T, rho float64, lnb float64) float64 {
	t.Helper()
	// p = e^(-(1-s) ln 1/b), by ln s or ln(1-s), whichever is the smaller one.
	at := func(left float64) float64 { // ln 1/p = left
		return math.Log(-math.Expm1(lnb+left)) + math.Sqrt(rho)*(2*math.Sqrt(left)+math.Sqrt(rho))
	}
	best, value := 0.0, math.Inf(-1)
	for _, side := range []func(v float64) float64{
		func(v float64) float64 { return -lnb * math.Exp(v) },
		func(v float64) float64 { return -lnb * -math.Expm1(v) },
	} {
		v, k := maximise(-45, -0.5, func(v float64) float64 { return at(side(v)) })
		if k > value {
			best, value = side(v), k
		}
	}
	if at(0) > value {
		best = 0
	}
	sum := exactly(best).Root().Plus(exactly(rho).Root())
	return lnMinus(exactly(-best), exactly(lnb)).Plus(sum.Times(sum)).Float()
}

func TestRenyiLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	for range 250 {
		slack := randomSlack(r)
		l := Renyi{Rho: theory.Nats(logUniform(r, 1e-14, 1e9)), Defect: theory.Zero}
		bound(t, l, information(t, l, slack), renyiOracle(t, float64(l.Rho), slack.Ln()), 1e-6)
		if t.Failed() {
			t.Fatalf("at ln b = %v", slack.Ln())
		}
		// The defect is taken off the slack.
		l.Defect = slack - theory.LogProb(logUniform(r, 1e-3, 30))
		rest := lnMinus(exactly(slack.Ln()), exactly(l.Defect.Ln())).Float()
		bound(t, l, information(t, l, slack), renyiOracle(t, float64(l.Rho), rest), 1e-6)
		if t.Failed() {
			t.Fatalf("at ln b = %v", slack.Ln())
		}
	}
	// Nothing is known of the transcript: P = Q.
	bound(t, "rho = 0", information(t, Renyi{0, theory.Zero}, -1), math.Log1p(-math.Exp(-1)), 1e-9)
}

// The closed form rho + 2 sqrt(rho ln(1/b)) is never better, and the published bound
// is about twice as large where it matters.
func TestRenyiLimitAgainstClosedForms(t *testing.T) {
	r := rand.New(rand.NewPCG(75, 76))
	for range 300 {
		n, eps, slack := int64(logUniform(r, 1, 1e9)), logUniform(r, 1e-9, 10), randomSlack(r)
		rho := float64(n) * eps * eps / 8
		sharp := information(t, Renyi{theory.Nats(rho), theory.Zero}, slack)
		closed := rho + 2*math.Sqrt(-rho*slack.Ln())
		published := information(t, Dwork15{n, eps}, slack)
		if !(sharp <= closed*(1+1e-9) && closed <= published*(1+1e-9)) {
			t.Errorf("n = %d, eps = %v, b = %v: %v, closed form %v, published %v", n, eps, slack, sharp, closed, published)
		}
	}
}

// klLower returns the largest p with kl(p||q) <= info.
func klMost(q, info float64) float64 {
	if info >= -math.Log(q) {
		return 1
	}
	lo, hi := 0.0, 1-q // p - q
	for range 200 {
		mid := (lo + hi) / 2
		if (num.KLShift{P: q, Shift: mid}).Nats() <= info {
			lo = mid
		} else {
			hi = mid
		}
	}
	return q + lo
}

// No pair with kl(p||q) <= I has (p-b)/q above e^k, and some pair attains it.
func TestMutualLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 78))
	for range 120 {
		slack := theory.LogProb(-math.Pow(10, -5+7.5*r.Float64()))
		l := Mutual{theory.Nats(logUniform(r, 1e-12, 1e3))}
		info, b := float64(l.Nats), slack.Value()
		if info/b > 600 { // q underflows
			continue
		}
		k := information(t, l, slack)
		most := math.Inf(-1)
		at := func(lnq float64) float64 {
			q := math.Exp(lnq)
			p := klMost(q, info)
			// The bisection is rough where p is close to b.
			if value := math.Log(p-b) - lnq; p > b*(1+1e-9) {
				most = max(most, value)
				return value
			}
			return -1e9 + lnq
		}
		lo := -info/b - 60
		for i := range 400 {
			at(lo * float64(i) / 400)
		}
		maximise(lo, -1e-14, at)
		// Close to q = 1 the search goes by 1-q.
		maximise(-60, -0.1, func(v float64) float64 { return at(-math.Exp(v)) })
		if !(k >= most-1e-9*math.Abs(most)) {
			t.Errorf("I = %v, b = %v: %v, but %v is reached", info, b, k, most)
		}
		if k > most+1e-6*math.Abs(most)+1e-9 {
			t.Errorf("I = %v, b = %v: %v, but at most %v is reached", info, b, k, most)
		}
	}
	bound(t, "I = 0", information(t, Mutual{}, -1), math.Log1p(-math.Exp(-1)), 1e-9)
}

// The formula at any s is an upper bound; the value is at its least one over a fine
// grid, with 50 digits.
func TestMutualLimitFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(79, 80))
	one := exactly(1)
	for range 6 {
		slack := theory.LogProb(-math.Pow(10, -8+10.8*r.Float64())) // to e^-630
		l := Mutual{theory.Nats(logUniform(r, 1e-20, 1e6))}
		info, b := exactly(float64(l.Nats)), exactly(slack.Ln()).Exp()
		if float64(l.Nats)/slack.Value() > 1e290 {
			continue
		}
		at := func(v float64) float64 {
			s := exactly(math.Exp(v))
			bt := info.Plus(s).Minus(one)
			if s.Float() < 200 {
				bt = bt.Plus(exactly(0).Minus(s).Exp())
			}
			tt := bt.Over(b)
			k := tt.Minus(s).Minus(tt.Ln())
			if tt.Float() < 200 {
				k = k.Plus(one.Minus(exactly(0).Minus(tt).Exp()).Ln())
			}
			return k.Float()
		}
		rest := -math.Expm1(slack.Ln())
		lo, hi := math.Log(slack.Value())-2, math.Log(3+3/rest)
		best, least := lo, math.Inf(1)
		const points = 40
		for i := range points + 1 {
			if v := lo + (hi-lo)*float64(i)/points; at(v) < least {
				best, least = v, at(v)
			}
		}
		step := (hi - lo) / points
		a, c := best-step, best+step
		for range 30 {
			x, y := a+(c-a)/3, c-(c-a)/3
			if at(x) < at(y) {
				c = y
			} else {
				a = x
			}
		}
		least = min(least, at((a+c)/2))
		if got := information(t, l, slack); !(got >= least-1e-6*math.Abs(least)-1e-12 &&
			got <= least+1e-6*math.Abs(least)+1e-12) {
			t.Errorf("I = %v, b = %v: %v, the formula has %v", l.Nats, slack, got, least)
		}
		if t.Failed() {
			break
		}
	}
}

// Any x of the profile is an upper bound, and no x of a fine grid is better.
func TestProfileLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for i := range 60 {
		p := Profile{Samples: int64(logUniform(r, 1, 1e7)), LnDelta: theory.Zero}
		slack := min(randomSlack(r), -3)
		if i%3 > 0 {
			p.Mu = logUniform(r, 1e-6, 20)
		}
		if i%3 < 2 {
			p.Epsilon = logUniform(r, 1e-6, 20)
		}
		if i%2 == 0 {
			p.LnDelta = slack - theory.LogProb(math.Log(float64(p.Samples))+logUniform(r, 0.8, 20))
		}
		at := func(x float64) float64 {
			eps := p.Epsilon + x
			lnDelta := p.LnDelta.Ln()
			if p.Mu > 0 {
				lnDelta = num.LogAddExp(lnDelta, theory.GDP{Mu: p.Mu}.LnDelta(x).Ln())
			}
			defect := lnDelta + math.Log(float64(p.Samples)) + math.Log1p(math.Exp(-eps))
			if !(defect < slack.Ln()) {
				return math.Inf(1)
			}
			rho := float64(p.Samples) * eps * math.Tanh(eps/2)
			k, err := Renyi{theory.Nats(rho), theory.LogProb(defect)}.MaxInformation(slack)
			if err != nil {
				return math.Inf(1)
			}
			return float64(k)
		}
		want := at(0)
		if p.Mu > 0 {
			best := -12.0
			for v := -12.0; v < 8; v += 0.01 {
				if k := at(p.Mu * math.Exp(v)); k < want {
					best, want = v, k
				}
			}
			_, least := maximise(best-0.01, best+0.01, func(v float64) float64 { return -at(p.Mu * math.Exp(v)) })
			want = min(want, -least)
		}
		got := information(t, p, slack)
		if !(math.Abs(got-want) <= 1e-6*math.Abs(want)+1e-9) {
			t.Errorf("%+v, ln b = %v: %v, the grid has %v", p, slack.Ln(), got, want)
		}
	}
}

// The least epsilon >= 0 with sup_q Phi(Phi^-1(q) + M) - e^epsilon q <= b, by the tail
// of a normal: q ranges over P[N > x].
func TestGroupLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	for range 100 {
		g := Group{logUniform(r, 1e-3, 30)}
		slack := theory.LogProb(-logUniform(r, 0.01, 300))
		got := information(t, g, slack)
		at := func(x float64) float64 {
			p := num.LogSurvival(x - g.Mu)
			if !(p > slack.Ln()) {
				return -1e6 - x
			}
			return num.LogSubExp(p, slack.Ln()) - num.LogSurvival(x)
		}
		best := -60.0
		for x := -60.0; x < 60; x += 0.05 {
			if at(x) > at(best) {
				best = x
			}
		}
		_, most := maximise(best-0.05, best+0.05, at)
		if want := max(0, most); !(got >= want-1e-9*max(1, want) && got <= want+1e-6*want+1e-6*g.Mu) {
			t.Errorf("%+v, ln b = %v: %v, want %v", g, slack.Ln(), got, want)
		}
	}
}

// The order is searched on a fine grid with the sum term by term.
func TestGaussianLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86))
	tried := 0
	for range 60 {
		g := GaussianTranscript{Samples: int64(logUniform(r, 3, 1e7)), Queries: int64(logUniform(r, 1, 50))}
		g.SD = logUniform(r, 0.3, 1e6) / float64(g.Samples)
		slack := randomSlack(r)
		k, err := g.MaxInformation(slack)
		if err != nil {
			continue
		}
		tried++
		want, lnb := math.Inf(1), slack.Ln()
		at := func(v float64) float64 {
			a := 1 + math.Exp(v)
			c := 2 - 1/a
			if math.Log(c)+lnb >= 0 { // p = 1
				return renyi(g, a) + math.Log(-math.Expm1(lnb))
			}
			return renyi(g, a) + math.Log(c-1) - math.Log(c) - (lnb+math.Log(c))/(c-1)
		}
		n, top := float64(g.Samples), 25.0
		if g.Queries > 1 {
			most := newGap(g.Samples).edge() / float64(g.Queries-1) * 2 * n * n * g.SD * g.SD
			top = min(top, math.Log(most*(1-1e-9)-1))
		}
		const points = 1500
		step, best := (top+15)/points, 0.0
		for i := range points + 1 {
			if v := top - step*float64(i); at(v) < want {
				best, want = v, at(v)
			}
		}
		_, least := maximise(best-step, min(best+step, top), func(v float64) float64 { return -at(v) })
		want = min(want, -least)
		if !(float64(k) >= want-1e-6*math.Abs(want)-1e-9 && float64(k) <= want+1e-6*math.Abs(want)+1e-9) {
			t.Errorf("%+v, ln b = %v: %v, the grid has %v", g, lnb, k, want)
		}
	}
	if tried < 20 {
		t.Errorf("only %d transcripts have an answer", tried)
	}
}

// binned is the joint law of the sum of n bits of probability p and a noisy answer to
// their mean, rounded to cells of width sd times so much.
func binned(t testing.TB, n int, p, sd, width float64) *Joint {
	t.Helper()
	var cells []Cell
	lgn, _ := math.Lgamma(float64(n + 1))
	from, to := math.Floor(-9/width), math.Ceil((1/sd+9)/width)
	for k := range n + 1 {
		lgk, _ := math.Lgamma(float64(k + 1))
		lgr, _ := math.Lgamma(float64(n - k + 1))
		weight := math.Exp(lgn - lgk - lgr + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		at := func(y float64) float64 { return math.Erfc((float64(k)/float64(n)/sd-y*width)/math.Sqrt2) / 2 }
		for y := from; y < to; y++ {
			below, above := at(y), at(y+1)
			if y == from {
				below = 0
			}
			if y+1 == to {
				above = 1
			}
			if q := weight * (above - below); q >= 1e-300 {
				cells = append(cells, Cell{X: strconv.Itoa(k), Y: strconv.FormatFloat(y, 'f', 0, 64), P: q})
			}
		}
	}
	j, err := NewJoint(cells)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// The max-information of binned answers, exactly, never exceeds the bound. What holds
// relative to P_S x R, without the way from R to the law of the transcript, does not
// bound it.
func TestGaussianLimitAgainstBinnedAnswers(t *testing.T) {
	r := rand.New(rand.NewPCG(95, 96))
	closest, exceeded := math.Inf(1), 0
	check := func(n int, p, sd, width float64, slack theory.LogProb) {
		t.Helper()
		g := GaussianTranscript{Samples: int64(n), Queries: 1, SD: sd}
		exact, err := binned(t, n, p, sd, width).MaxInformation(slack)
		if err != nil {
			t.Fatal(err)
		}
		k := information(t, g, slack)
		if !(float64(exact) <= k+1e-9) {
			t.Errorf("%+v, p = %g, ln b = %v: exactly %v, bound %v", g, p, slack.Ln(), exact, k)
		}
		closest = min(closest, k-float64(exact))
		if exact > fixed(orders(g), slack) {
			exceeded++
		}
	}
	check(100, 0.5, 0.02, 0.1, theory.LogProb(math.Log(0.01))) // 4.471 bits; 3.158 relative to P_S x R
	for range 60 {
		n := 1 + r.IntN(100)
		sd := math.Exp(4*r.Float64()-2.5) / (2 * math.Sqrt(float64(n)))
		check(n, 0.5+0.4*r.Float64()*float64(r.IntN(2)), sd, 0.25, theory.LogProb(-math.Pow(10, 2*r.Float64()-1)))
	}
	t.Logf("at least %.3f nats between bound and table; %d tables above the bound relative to P_S x R", closest, exceeded)
	if exceeded == 0 {
		t.Error("no table exceeds the bound relative to P_S x R: the check has no power")
	}
}

// orders is D_a over a grid of orders.
func orders(g GaussianTranscript) map[float64]float64 {
	all := map[float64]float64{}
	for v := -12.0; v < 12; v += 0.01 {
		a := 1 + math.Exp(v)
		if d, ok := g.Renyi(a); ok {
			all[a] = float64(d)
		}
	}
	return all
}

// fixed is the least k for the product with the law R.
func fixed(orders map[float64]float64, slack theory.LogProb) theory.Nats {
	least := math.Inf(1)
	for a, d := range orders {
		least = min(least, d+math.Log(1-1/a)-(slack.Ln()+math.Log(a))/(a-1))
	}
	return theory.Nats(least)
}

// The bound is below that by leaving out transcripts, k(b1) + ln(1/b2) with b1 + b2 = b
// and k relative to P_S x R.
func TestGaussianLimitBelowTheSplit(t *testing.T) {
	for _, g := range []GaussianTranscript{{100, 1, 0.02}, {1000, 30, 0.1}, {10_000, 100, 0.1}, {5000, 1000, 0.5}} {
		all := orders(g)
		for _, b := range []float64{1e-9, 0.01, 0.3} {
			k, split := information(t, g, theory.LogProb(math.Log(b))), math.Inf(1)
			for v := -12.0; v < 12; v += 0.1 {
				first := b / (1 + math.Exp(-v))
				split = min(split, float64(fixed(all, theory.LogProb(math.Log(first))))-math.Log(b-first))
			}
			if !(k < split) {
				t.Errorf("%+v at %g: %v, by splitting the slack %v", g, b, k, split)
			}
		}
	}
}

// Whatever the parameters, there is a number or an error.
func TestLimitsAreNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(87, 88))
	extremes := []float64{5e-324, 1e-308, 1e-100, 1e-12, 1, 700, 1e17, 1e100, 1e200, math.MaxFloat64}
	value := func() float64 {
		if r.IntN(4) == 0 {
			return extremes[r.IntN(len(extremes))]
		}
		return math.Exp(1400*r.Float64() - 700)
	}
	slack := func() theory.LogProb {
		switch r.IntN(8) {
		case 0:
			return theory.Zero
		case 1:
			return -1e15
		case 2:
			return -5e-324
		}
		return max(-1e15, theory.LogProb(-value()))
	}
	steps := func() Step {
		switch r.IntN(7) {
		case 0:
			return PureDP{value()}
		case 1:
			return ApproxDP{value(), slack()}
		case 2:
			return GDP{value()}
		case 3:
			return Gaussian{1 + int64(math.Exp(36*r.Float64())), value()}
		case 4:
			return Description{theory.Nats(value())}
		case 5:
			return MutualInformation{theory.Nats(value())}
		}
		return MaxInformation{theory.Nats(value()), slack(), r.IntN(2) == 0}
	}
	answers := 0
	for range 20000 {
		p := Plan{Samples: 1 + int64(math.Exp(36*r.Float64())), Data: Data(r.IntN(2))}
		if r.IntN(3) == 0 {
			p.Samples = []int64{1, 2, 3, 1 << 53}[r.IntN(4)]
		}
		for range 1 + r.IntN(3) {
			p.Steps = append(p.Steps, steps())
		}
		c, err := p.Chain()
		if err != nil {
			continue
		}
		for _, m := range c.Methods {
			b := slack()
			k, err := c.MaxInformation(m, b)
			if math.IsNaN(float64(k)) || math.IsInf(float64(k), 0) || err != nil && k != 0 {
				t.Fatalf("%+v, %s at ln b = %g: %v, %v", p, m.Name, b.Ln(), k, err)
			}
			if err == nil {
				answers++
				if least := num.Log(-math.Expm1(b.Ln())); float64(k) < least-1e-13*math.Abs(least)-1e-15 {
					t.Fatalf("%+v, %s at ln b = %g: %v is below ln(1-b), which every law has", p, m.Name, b.Ln(), k)
				}
			}
		}
	}
	if answers < 5000 {
		t.Errorf("%d answers", answers)
	}
	nan := math.NaN()
	for _, l := range []Limit{
		Ratio{1, theory.Zero}, Range{1}, Dwork15{10, 1}, Renyi{1, theory.Zero}, Renyi{1, -20},
		Profile{10, 1, -20, 0, Divergence{}}, Profile{10, 0, theory.Zero, 1, Divergence{}},
		Mutual{1}, Rogers16{1}, Group{1}, GaussianTranscript{1000, 10, 0.1},
	} {
		for _, b := range []theory.LogProb{theory.LogProb(nan), 0, 1} {
			k, err := l.MaxInformation(b)
			if _, fixed := l.(Ratio); fixed && b == 0 {
				continue
			}
			if e := new(theory.NotApplicableError); !errors.As(err, &e) || k != 0 {
				t.Errorf("%+v at ln b = %v: %v, %v", l, b.Ln(), k, err)
			}
		}
	}
}

// A smaller slack never has a smaller bound, nor has more information.
func TestLimitsAreMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(89, 90))
	for range 2000 {
		n, x, factor := int64(logUniform(r, 1, 1e9)), logUniform(r, 1e-9, 10), 1+r.Float64()
		slack := theory.LogProb(-logUniform(r, 1e-3, 1e4))
		for _, pair := range [][2]Limit{
			{Range{theory.Nats(x)}, Range{theory.Nats(x * factor)}},
			{Dwork15{n, x}, Dwork15{n, x * factor}},
			{Renyi{theory.Nats(x), theory.Zero}, Renyi{theory.Nats(x * factor), theory.Zero}},
			{Renyi{theory.Nats(x), slack - 9}, Renyi{theory.Nats(x), slack - 8}},
			{Mutual{theory.Nats(x)}, Mutual{theory.Nats(x * factor)}},
			{Rogers16{theory.Nats(x)}, Rogers16{theory.Nats(x * factor)}},
			{Group{x}, Group{x * factor}},
			{Profile{n, x, slack - 30, 0, Divergence{}}, Profile{n, x * factor, slack - 30, 0, Divergence{}}},
			{Profile{n, 0, theory.Zero, x, Divergence{}}, Profile{n, 0, theory.Zero, x * factor, Divergence{}}},
		} {
			less, e1 := pair[0].MaxInformation(slack)
			more, e2 := pair[1].MaxInformation(slack)
			strict, e3 := pair[0].MaxInformation(slack * theory.LogProb(factor))
			slip := 1e-6*math.Abs(float64(less)) + 1e-12
			if e2 == nil && (e1 != nil || float64(less-more) > slip) {
				t.Fatalf("%+v: %v, %v; %+v: %v", pair[0], less, e1, pair[1], more)
			}
			if e3 == nil && (e1 != nil || float64(less-strict) > slip) {
				t.Fatalf("%+v: %v, %v at ln b = %v; %v at %v", pair[0], less, e1, slack.Ln(), strict, slack.Ln()*factor)
			}
		}
	}
}

func BenchmarkMaxInformation(b *testing.B) {
	for name, l := range map[string]Limit{
		"renyi": Renyi{1, theory.Zero}, "approx-dp": Profile{1000, 0.01, -40, 0, Divergence{}},
		"gdp": Profile{1000, 0, theory.Zero, 0.01, Divergence{}},
		"kl":  Mutual{0.1}, "gaussian": GaussianTranscript{10_000, 100, 0.1}, "group": Group{3},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := l.MaxInformation(-3); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
