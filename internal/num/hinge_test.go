package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
)

// convex.csv was computed with 60 digits: the sum of all (j-t) P[X=j] down to 1e-45, at the best t.
func TestConvexTailAgainstDecimals(t *testing.T) {
	worst := 0.0
	for _, row := range vectors.Exact(t, "convex.csv") {
		n, p, y, hinge := float(row[0]), float(row[1]), float(row[2]), int64(float(row[3]))
		b := Binomial{N: int64(n), P: p}
		excess := off(b.LnConvex(y), row[4])
		worst = max(worst, excess)
		if !(excess >= 0 && excess <= 2e-11+3e-14*math.Abs(float(row[4]))) {
			t.Errorf("n %v, p %v, y %v: off by %g", n, p, y, excess)
		}
		if got := b.Hinge(y); got != hinge {
			t.Errorf("n %v, p %v, y %v: hinge %d, want %d", n, p, y, got, hinge)
		}
	}
	t.Logf("worst excess: %.2g", worst)
}

// Every hinge of many binomials, by sums of 300 bits: none is below its quotient, the best is found, and the tail falls
// in y and rises in p.
func TestConvexTailEnumerated(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 8))
	worst := 0.0
	for range 400 {
		n := 1 + r.IntN(int(math.Pow(10, 0.3+2*r.Float64())))
		p := []float64{0.5, r.Float64(), math.Pow(10, -9*r.Float64()), 1 - math.Pow(10, -6*r.Float64())}[r.IntN(4)]
		if p == 0 || p == 1 {
			continue
		}
		rows := float64(n)
		above := rows * (p + (1-p)*r.Float64())
		y := []float64{above, rows, math.Ceil(rows * p), math.Nextafter(math.Ceil(rows*p), 0)}[r.IntN(4)]
		if !(y > rows*p) {
			continue
		}
		b := Binomial{N: int64(n), P: p}
		atLeast, _ := exactTails(n, p)
		least := math.Inf(1)
		hinge := 0
		for h := 0; h < n && float64(h) < y; h++ {
			sum := new(big.Float).SetPrec(300) // E(X-h)_+ = P[X>h] + P[X>h+1] + ...
			for k := h + 1; k <= n; k++ {
				sum.Add(sum, atLeast[k])
			}
			room := new(big.Float).SetPrec(300).Sub(big.NewFloat(y), big.NewFloat(float64(h)))
			want := lnBig(sum.Quo(sum, room))
			if ln := want.Float(); ln < least*(1-1e-14)-1e-14 || h == 0 {
				least, hinge = ln, h
			}
			if float64(h)+1 <= rows*p-(1-p) {
				continue
			}
			got := b.LnHinge(int64(h), y)
			if got == 0 && want.Float() >= 0 {
				continue
			}
			excess := want.Neg().AddFloat(got).Float()
			worst = max(worst, excess)
			if !(excess >= 0 && excess <= 1e-11) {
				t.Fatalf("n %d, p %v, y %v: hinge %d is %v, off by %g", n, p, y, h, got, excess)
			}
		}
		got := b.LnConvex(y)
		if least < math.Log(1./3) && !(got >= least-1e-14 && got <= least+1e-11) {
			t.Errorf("n %d, p %v, y %v: %v, want %v at %d", n, p, y, got, least, hinge)
		}
		if got < least-1e-14 {
			t.Errorf("n %d, p %v, y %v: %v is below %v", n, p, y, got, least)
		}
		if more := b.LnConvex(y * (1 - 1e-6)); more < got-1e-11 {
			t.Errorf("n %d, p %v: the tail rises in y at %v", n, p, y)
		}
		if less := (Binomial{N: int64(n), P: p * (1 - 1e-6)}).LnConvex(y); less > got+1e-11 {
			t.Errorf("n %d, p %v: the tail falls in p at %v", n, p, y)
		}
	}
	t.Logf("worst excess: %.2g", worst)
}

func TestConvexTailEdges(t *testing.T) {
	never := math.Inf(-1)
	for _, c := range []struct {
		n    int64
		p, y float64
		want float64
	}{
		{1, 0.25, 1, math.Log(0.25)},      // Markov's inequality
		{1, 0.25, 0.5, math.Log(0.5)},     // too
		{10, 0.5, 10, 10 * math.Log(0.5)}, // all rows
		{10, 0.5, 10.5, never}, {10, 0, 1e-9, never}, {10, 0, 0, 0}, {10, 1, 10, 0}, {10, 1, 11, never},
		{10, 0.5, 5, 0}, {10, 0.5, -1, 0},
	} {
		got := Binomial{N: c.n, P: c.p}.LnConvex(c.y)
		if got != c.want && !(got >= c.want && got <= c.want+1e-12) {
			t.Errorf("n %d, p %v, y %v: %v, want %v", c.n, c.p, c.y, got, c.want)
		}
	}
}

func BenchmarkConvexTail(b *testing.B) {
	for range b.N {
		Binomial{N: 10_000, P: 0.8}.LnConvex(8_130)
	}
}
