package theory

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// drawnLaws returns laws on a few points, none of them zero, some of them near each other.
func drawnLaws(r *rand.Rand, laws, points int) [][]float64 {
	all := make([][]float64, laws)
	spread := math.Exp(3*r.Float64() - 2)
	for i := range all {
		sum := 0.0
		for range points {
			x := math.Exp(spread * r.NormFloat64())
			all[i] = append(all[i], x)
			sum += x
		}
		for j := range all[i] {
			all[i][j] /= sum
		}
	}
	return all
}

// divergence is the Renyi divergence of order a > 1.
func divergence(a float64, p, q []float64) float64 {
	sum := 0.0
	for i := range p {
		sum += q[i] * math.Pow(p[i]/q[i], a)
	}
	return math.Log(sum) / (a - 1)
}

// hockey is the least delta at epsilon.
func hockey(epsilon float64, p, q []float64) (delta float64) {
	for i := range p {
		delta += max(0, p[i]-math.Exp(epsilon)*q[i])
	}
	return delta
}

// No pair of laws has a larger delta than its divergences allow, and a law on two points nearly has it.
func TestRenyiPointIsADelta(t *testing.T) {
	r := rand.New(rand.NewPCG(401, 402))
	nearest := 0.0
	for range 3000 {
		laws := drawnLaws(r, 2, 2+r.IntN(4))
		a, epsilon := 1+math.Exp(6*r.Float64()-3), 2*r.Float64()
		curve := RDP{[]RenyiPoint{{a, divergence(a, laws[0], laws[1])}}}
		delta, bound := hockey(epsilon, laws[0], laws[1]), curve.LnDelta(epsilon).Value()
		if delta > bound*(1+1e-9) {
			t.Fatalf("order %g, epsilon %g: delta %g above %g", a, epsilon, delta, bound)
		}
		if delta > 0 {
			nearest = max(nearest, delta/bound)
		}
	}
	if nearest < 0.5 {
		t.Errorf("delta is at most %g of its bound", nearest)
	}
	// Equality for likelihood ratios e^epsilon/(1-1/a) and 0 in the limit.
	const a, epsilon = 3.0, 1.0
	ratio := math.Exp(epsilon) / (1 - 1/a)
	p, q := []float64{1e-3, 1 - 1e-3}, []float64{1e-3 / ratio, 1 - 1e-3/ratio}
	bound := (a-1)*(math.Log(p[0]*math.Pow(ratio, a-1))/(a-1)-epsilon) + a*math.Log(1-1/a) - math.Log(a-1)
	if delta := hockey(epsilon, p, q); math.Abs(math.Log(delta)-bound) > 1e-12 {
		t.Errorf("ln delta %g, want %g", math.Log(delta), bound)
	}
}

// Of any three laws the first and the last have no larger divergence than those with the middle one allow, and
// for zCDP the best points come close to 4 rho.
func TestReplacedRDP(t *testing.T) {
	r := rand.New(rand.NewPCG(403, 404))
	for range 300 {
		laws := drawnLaws(r, 3, 2+r.IntN(4))
		var curve RDP
		for range 1 + r.IntN(4) {
			a := 1 + math.Exp(5*r.Float64()-2)
			both := max(divergence(a, laws[0], laws[1]), divergence(a, laws[1], laws[0]),
				divergence(a, laws[2], laws[1]), divergence(a, laws[1], laws[2]))
			curve.Points = append(curve.Points, RenyiPoint{a, both})
		}
		whole, err := curve.Replaced()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range whole.Value.Points {
			if d := divergence(p.Order, laws[0], laws[2]); d > p.Epsilon*(1+1e-9)+1e-12 {
				t.Fatalf("%v: order %g: %g above %g", curve, p.Order, d, p.Epsilon)
			}
		}
	}
	const rho = 0.01
	var fine RDP
	for a := 1.25; a < 64; a *= 1.05 {
		fine.Points = append(fine.Points, RenyiPoint{a, a * rho})
	}
	whole, err := fine.Replaced()
	if err != nil {
		t.Fatal(err)
	}
	near := math.Inf(1)
	for _, p := range whole.Value.Points {
		if p.Epsilon < 4*rho*p.Order*(1-1e-12) {
			t.Fatalf("order %g: %g below 4 rho", p.Order, p.Epsilon)
		}
		near = min(near, p.Epsilon/(4*rho*p.Order))
	}
	if near > 1.01 {
		t.Errorf("the points are %g times those of 4 rho", near)
	}
	for _, bad := range []RDP{{}, {[]RenyiPoint{{1, 1}}}, {[]RenyiPoint{{2, -1}}}, {[]RenyiPoint{{math.NaN(), 1}}},
		{[]RenyiPoint{{2, math.Inf(1)}}}} {
		if _, err := bad.Replaced(); !errors.As(err, new(*DomainError)) {
			t.Errorf("%v: %v", bad, err)
		}
		if _, err := ComposeRDP(bad); !errors.As(err, new(*DomainError)) {
			t.Errorf("composed %v: %v", bad, err)
		}
	}
}

// The order that ZCDP.LnDelta takes is at most 1e-6 from the best of a fine grid, and no order is above it.
func TestZCDPDeltaIsNearItsBest(t *testing.T) {
	for _, rho := range []float64{1e-12, 1e-6, 1e-3, 0.1, 1, 30} {
		for _, times := range []float64{0.5, 1, 1.5, 3, 10, 100} {
			epsilon := rho + times*math.Sqrt(rho)
			got, least := ZCDP{rho}.LnDelta(epsilon).Ln(), 0.0
			for v := -12.0; v < 25; v += 0.001 {
				a := 1 + math.Exp(v)
				least = min(least, (a-1)*(a*rho-epsilon)+a*math.Log1p(-1/a)-math.Log(a-1))
			}
			if got < least-1e-6*(1-least) || got > least+1e-3*(1-least) {
				t.Errorf("rho %g, epsilon %g: ln delta %.12g, best %.12g", rho, epsilon, got, least)
			}
			if published, err := (ZCDP{rho}).Approx(LogProb(got)); err != nil || published.Value.Epsilon < epsilon*(1-1e-9) {
				t.Errorf("rho %g: the published epsilon %g is below %g", rho, published.Value.Epsilon, epsilon)
			}
		}
	}
}

// A sum of curves at the orders of both: the least epsilon at that order or above.
func TestComposeRDP(t *testing.T) {
	sum, err := ComposeRDP(RDP{[]RenyiPoint{{2, 1}, {8, 3}, {4, 5}}}, RDP{[]RenyiPoint{{3, 10}, {5, 20}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []RenyiPoint{{5, 23}, {3, 13}, {2, 11}}
	if len(sum.Value.Points) != len(want) {
		t.Fatalf("%v, want %v", sum.Value.Points, want)
	}
	for i, p := range sum.Value.Points {
		if p != want[i] {
			t.Errorf("%v, want %v", p, want[i])
		}
	}
	if wide := sum.Value.Widened(0.5).Points[0]; wide.Epsilon < 25.5 || wide.Epsilon > 25.5*(1+1e-15) {
		t.Errorf("with a rho of 1/2: %v", wide)
	}
}
