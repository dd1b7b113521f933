package maxinfo

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Divergence bounds the Renyi divergence between neighbours: by a Rho at every order a > 1, or, if there are
// Points, by Epsilon + a Rho at each of their orders. Its zero value says that there is no bound.
type Divergence struct {
	Rho    float64 // >= 0
	Points []theory.RenyiPoint

	lines []line    // the points with Rho, ready for use
	edges []float64 // ln x where another line becomes the least, and midway between two of these
}

// line is what an order says: ln delta is at most Cut at x = Epsilon, and falls by Slope.
type line struct{ slope, epsilon, cut float64 }

// bounds reports whether there is a bound.
func (d Divergence) bounds() bool { return d.Rho > 0 || len(d.Points) > 0 }

// composed returns the bound of steps that follow each other, [Divergence] itself for none.
func composedDivergence(parts []Divergence) (sum Divergence, err error) {
	var curves []theory.RDP
	for _, d := range parts {
		sum.Rho += d.Rho
		if len(d.Points) > 0 {
			curves = append(curves, theory.RDP{Points: d.Points})
		}
	}
	sum.Rho *= up
	if len(curves) == 0 {
		return sum, nil
	}
	all, err := theory.ComposeRDP(curves...)
	if err != nil {
		return sum, err
	}
	sum.Points = all.Value.Points
	for _, p := range all.Value.Widened(sum.Rho).Points {
		if p.Epsilon <= math.MaxFloat64 {
			sum.lines = append(sum.lines, line{p.Order - 1, p.Epsilon, p.LnDelta(p.Epsilon)})
		}
	}
	sum.edges = edgesOf(sum.lines)
	return sum, nil
}

// meets returns the x at which two lines are equal.
func (l line) meets(o line) float64 {
	return (l.cut + l.slope*l.epsilon - o.cut - o.slope*o.epsilon) / (l.slope - o.slope)
}

// edgesOf returns the edges of the least of lines, as [Divergence] has them.
func edgesOf(lines []line) (edges []float64) {
	flat := slices.Clone(lines)
	slices.SortFunc(flat, func(a, b line) int { return cmp.Compare(a.slope, b.slope) })
	var least []line // from small x on
	for _, l := range flat {
		for n := len(least); n > 1 && l.meets(least[n-1]) <= least[n-1].meets(least[n-2]); n-- {
			least = least[:n-1]
		}
		least = append(least, l)
	}
	for i := 1; i < len(least); i++ {
		x := least[i].meets(least[i-1])
		if !(x > 0 && x <= math.MaxFloat64) {
			continue
		}
		if v := num.Log(x); len(edges) > 0 {
			edges = append(edges, (edges[len(edges)-1]+v)/2, v)
		} else {
			edges = append(edges, v)
		}
	}
	return edges
}

// lnDelta returns ln delta at epsilon = x, rounded up and at most 0.
func (d Divergence) lnDelta(x float64) float64 {
	if len(d.Points) == 0 {
		return theory.ZCDP{Rho: d.Rho}.LnDelta(x).Ln()
	}
	least := 0.0
	for _, l := range d.lines {
		fall := l.slope * (x - l.epsilon)
		least = min(least, l.cut-fall+(math.Abs(l.cut)+l.slope*(x+l.epsilon))*0x1p-50)
	}
	return least
}

// reach returns an x at which lnDelta is about the given one, or a little of the scale of the curve.
func (d Divergence) reach(lnDelta float64) float64 {
	lnDelta = min(lnDelta, -1e-3)
	if len(d.Points) == 0 {
		z := theory.ZCDP{Rho: d.Rho}
		return max(z.Epsilon(theory.LogProb(lnDelta)), d.Rho, math.Sqrt(d.Rho)*1e-3)
	}
	least, scale := math.Inf(1), math.Inf(1)
	for _, l := range d.lines {
		least = min(least, l.epsilon+(l.cut-lnDelta)/l.slope)
		scale = min(scale, 1/l.slope)
	}
	return max(least, scale*1e-3, 1e-300)
}
