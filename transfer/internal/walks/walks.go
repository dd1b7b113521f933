// Package walks is what the searches for noise that falls have in common. A walk through the queries of a plan gives
// each answer the largest noise that its share of beta allows. Its excess decides the plan: about by how much ln n is
// too small for the last queries, or how early the walk fails.
package walks

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Unserved is the least excess of a walk that fails before the last queries.
const Unserved = 1

// LastQueries is for how many queries it is looked at what they lack in ln eps_j.
const LastQueries = 4

// PerLn is about by how much that falls for each ln n.
func PerLn(queries int64, beta theory.LogProb) float64 {
	m := float64(queries)
	return 4 * math.Sqrt(m*(1+num.Log(m)-beta.Ln()))
}

// Prior is what is known of the excess where it is about 0, and how much further up it is 0 for coarse walks.
type Prior struct {
	num.Descent
	Coarse float64
}

// Of returns the prior for a number of which ln n is worth so many. All that it knows are fits to plans of 10 to
// 1,000,000 queries.
func Of(queries int64, tau float64, beta theory.LogProb, steep float64) Prior {
	lnM, doubt := num.Log(float64(queries)), math.Min(-beta.Ln(), 14)
	return Prior{
		Descent: num.Descent{
			Slope: -(0.6 + 0.2*lnM) * steep, Bend: (5 + 3*lnM) / (1 + 5*tau) / steep, Known: true,
			Early: Unserved, Rise: 2.4 * steep,
		},
		Coarse: max(1e-3*lnM-1.5e-3, 0) * (0.6 + 0.065*doubt) / steep,
	}
}

// Then is the descent by finer walks from where coarse ones have landed. What is known of the slope is better than what
// those have seen far from 0.
func (p Prior) Then(from num.Landing) num.Descent {
	if p.Slope == 0 {
		p.Slope, p.Bend = from.Slope, from.Bend
	}
	p.From, p.Step, p.Known = from.Zero-p.Coarse, 0.003, false
	return p.Descent
}
