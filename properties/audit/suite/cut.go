package suite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
)

// cutAt is where the noise of gaussian-cut is cut, in standard deviations.
const cutAt = 2

// gaussianCut answers with Gaussian noise that is redrawn until it is within the cut.
func (s shape) gaussianCut() subject {
	z := must(mechanism.Gaussian{Sensitivity: 1, SD: s.stretch, Cut: cutAt}.Noise())
	return cutNoise(func(r *rand.Rand) float64 { return z.Answer(r, 0) })
}

// brokenCut answers with standard normal noise of which something else is made.
func (s shape) brokenCut(of func(r *rand.Rand, normal float64) float64) subject {
	return cutNoise(func(r *rand.Rand) float64 { return of(r, r.NormFloat64()) })
}

// cutNoise claims of some noise that it is standard normal given that it is within the cut: the law in cells of half a
// standard deviation, and nothing beyond.
func cutNoise(noise func(r *rand.Rand) float64) subject {
	cells := 4*cutAt + 2
	edge := func(cell int) float64 { return -cutAt + float64(cell-1)/2 } // the lower one
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	law := slices.Repeat([]theory.LogProb{theory.Zero}, cells)
	for cell := 1; cell < cells-1; cell++ {
		law[cell] = theory.LogProb(math.Log((phi(edge(cell+1)) - phi(edge(cell))) / (phi(cutAt) - phi(-cutAt))))
	}
	const rounding = 1e-6 // more than a step of the lattice
	return subject{
		claim: claim{text: fmt.Sprintf("noise within %d standard deviations", cutAt)},
		drawn: &drawn{
			text: "the cells of the noise", law: law,
			draw: func(r *rand.Rand) int {
				x := noise(r)
				if math.Abs(x) <= cutAt+rounding {
					x = max(-cutAt, min(x, cutAt-rounding))
				}
				return max(0, min(int(math.Floor(2*(x+cutAt)))+1, cells-1))
			},
		},
		mistake: &mistake{
			text: "an answer that is off by more than the cut", bound: -600, // never, to an audit
			draw: func(r *rand.Rand) bool { return math.Abs(noise(r)) > cutAt+rounding },
		},
	}
}
