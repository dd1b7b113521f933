package joint

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// With one row fewer no schedule is certified, also where tau/sd is so large that the orders of a trail soon change.
func TestTrailLosesNoRow(t *testing.T) {
	for _, p := range []Plan{
		{Queries: 243548, Tau: 0.03239681804428007, Beta: -304.5},
		{Queries: 14365, Tau: 0.1956476751603268, Beta: -435.5},
		{Queries: 298327, Tau: 0.013686930261274852, Beta: -357.6},
		{Queries: 1000, Tau: 0.05, Beta: -3},
	} {
		found, ok := Falling.Samples(p)
		if p.Samples = found.Samples; !ok || !Falling.Certifies(p) {
			t.Errorf("%+v is not certified", p)
		}
		if p.Samples--; Falling.Certifies(p) {
			t.Errorf("%+v is certified", p)
		}
	}
}

// somePlan is for up to so many queries. The logarithm to base 10 of -ln beta begins where that says and spans so much.
func somePlan(r *rand.Rand, queries, least, span float64) Plan {
	return Plan{
		Queries: 1 + int64(math.Exp(r.Float64()*math.Log(queries))), Tau: math.Pow(10, -0.5-2*r.Float64()),
		Beta: theory.LogProb(-math.Pow(10, least+span*r.Float64())), Sides: Sides(r.IntN(2)),
	}
}

// What a search returns is certified. With one row fewer, or tau a little less, it is not. The least tau does not
// depend on the tau that the search begins with.
func TestLeastIsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(172, 1))
	plans := []Plan{
		{Queries: 89515, Tau: 0.63235227095653568, Beta: -84.756089099820628, Sides: Above},
		{Queries: 2421, Tau: 0.26352464033838963, Beta: -0.91952722115981211, Sides: Above},
		{Queries: 11, Tau: 0.0022760373385648813, Beta: -0.0079128798414179729},
		{Queries: 22, Tau: 0.00047326023050606343, Beta: -0.75429599915441481},
	}
	for range 150 {
		plans = append(plans, somePlan(r, 1e5, -0.5, 2))
	}
	for _, p := range plans {
		found, ok := Falling.Samples(p)
		if p.Samples = found.Samples; !ok || found.Tau > p.Tau {
			t.Fatalf("%+v: %+v", p, found)
		}
		less := p
		if less.Samples--; less.Samples > 0 && Falling.Certifies(less) {
			t.Errorf("%+v is certified, one row below the answer", less)
		}
		p.Tau = found.Tau
		taus := []float64{found.Tau}
		for _, part := range []float64{0, 1e-13, 1e-10, 3e-9, 1e-8, 1} {
			from := p
			from.Tau *= 1 - part
			tau, _ := Falling.LeastTau(from)
			taus = append(taus, tau)
		}
		for _, tau := range taus {
			if p.Tau = tau; !Falling.Certifies(p) {
				t.Errorf("%+v: its own answer is not certified", p)
			}
			if p.Tau = tau * (1 - 2.5e-8); Falling.Certifies(p) {
				t.Errorf("%+v is certified, below the least tau of %.17g", p, tau)
			}
		}
	}
}

// One noise needs no row more than it certifies, where a sum has several minima too.
func TestLeastRowsOfOneNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(173, 1))
	plans := []Plan{{Queries: 2, Tau: 0.037244677237058585, Beta: -0.021310397907397777, Sides: Above}}
	for range 300 {
		plans = append(plans, somePlan(r, 1e4, -2, 3))
	}
	for _, p := range plans {
		found, ok := Even.Samples(p)
		if p.Samples = found.Samples; !ok || !Even.Certifies(p) {
			t.Errorf("%+v: %+v", p, found)
		}
		if p.Samples--; p.Samples > 0 && Even.Certifies(p) {
			t.Errorf("%+v is certified, one row below the answer", p)
		}
	}
}

// At the most rows that are counted, an answer is a plan that is certified.
func TestLeastRowsAtTheEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(174, 1))
	plans := []Plan{
		{Queries: 2, Tau: 1.0670492647269577e-08, Beta: theory.LogProb(math.Log(0.5222))},
		{Queries: 6210422489121092, Tau: 0.012694977086953239, Beta: -28254.4, Sides: Above},
	}
	for range 40 {
		p := Plan{Samples: theory.MaxSamples, Queries: 1 + int64(math.Exp(r.Float64()*math.Log(1e9))),
			Beta: theory.LogProb(-math.Pow(10, -0.5+3*r.Float64()))}
		p.Tau, _ = Falling.LeastTau(p)
		p.Tau *= 1 + math.Pow(10, -16*r.Float64())*float64(1-2*r.IntN(2))
		plans = append(plans, p)
	}
	both := [2]int{}
	for _, p := range plans {
		found, ok := Falling.Samples(p)
		if !ok {
			both[0]++
			continue
		}
		both[1]++
		if p.Samples, p.Tau = found.Samples, found.Tau; !Falling.Certifies(p) {
			t.Errorf("%+v is not certified", p)
		}
	}
	if both[0] < 5 || both[1] < 5 {
		t.Errorf("without and with an answer: %d", both)
	}
}
