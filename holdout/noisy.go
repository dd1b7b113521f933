package holdout

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// noisy answers a look by the mean over its rows with Gaussian noise, in the order of the plan's blocks: over all rows
// or, where they arrive, over the first that are planned for it. The answer is clamped to the range of the truth.
type noisy struct{}

func (noisy) run(a transfer.Answer) (m theory.Run, err error) {
	covered := int64(0)
	for block := range a.Noise() {
		covered += block.Queries
		if block.Tau == a.Tau {
			block.Tau = 0
		}
		if a.Arrival == nil {
			block.Rows = 0
		}
		m.Noise = append(m.Noise, block)
	}
	if err := theory.Domain(covered == a.Queries, "queries", covered, "noise for every look"); err != nil {
		return m, err
	}
	for _, b := range m.Noise {
		if b.Scale == 0 {
			continue
		}
		if _, err := gaussian(a.Goal, b).Noise(); err != nil {
			return m, err
		}
	}
	return m, nil
}

// gaussian is the mechanism of one answer.
func gaussian(g transfer.Goal, b theory.NoiseBlock) mechanism.Gaussian {
	return mechanism.Gaussian{Sensitivity: (1 - lowest(g)) / float64(cmp.Or(b.Rows, g.Samples)), SD: b.Scale, Cut: b.Cut}
}

// lowest is the least value of a row: 0, or -1 for a difference. The greatest is 1.
func lowest(g transfer.Goal) float64 {
	if g.Query == transfer.Difference {
		return -1
	}
	return 0
}

func (noisy) failure(p *Plan) (theory.LogProb, error) {
	if err := p.only(theory.Run{Noise: p.Mechanism.Noise}); err != nil {
		return 0, err
	}
	covered, a := int64(0), transfer.Answer{Goal: p.goal}
	noise := p.Mechanism.Noise
	for _, b := range noise {
		covered += b.Queries
		switch {
		case (b.Rows != 0) != p.design().Arrives():
			return 0, corrupt("plan.json: got noise for %d rows, want a number where rows arrive and none elsewhere", b.Rows)
		case !(b.Tau >= 0 && b.Tau <= p.goal.Tau):
			return 0, corrupt("plan.json: got answers within %v, want at most %v", b.Tau, p.goal.Tau)
		}
	}
	if covered != p.goal.Queries {
		return 0, corrupt("plan.json: got noise for %d looks, want %d", covered, p.goal.Queries)
	}
	err := a.CertifyNoise(noise)
	return a.Beta, err
}

func (noisy) response(h *history, l look) (response, error) {
	goal := h.plan.goal
	mean := l.sum() / float64(l.count())
	block, err := noiseAt(h.plan.Mechanism.Noise, h.looks)
	if err != nil {
		return response{}, err
	}
	if block.Scale > 0 {
		noise, err := gaussian(goal, block).Noise()
		if err != nil {
			return response{}, err
		}
		mean = noise.Answer(l.noise, mean)
	}
	return h.show(math.Max(lowest(goal), math.Min(1, mean)), l)
}

// ended says why there is no look after the last.
func (p *Plan) ended() string {
	if p.goal.Open {
		return fmt.Sprintf("the schedule has been computed up to look %d, and nothing is claimed beyond", p.goal.Queries)
	}
	return "the plan is used up"
}

// noiseAt is the noise after so many looks.
func noiseAt(blocks []theory.NoiseBlock, looks int64) (theory.NoiseBlock, error) {
	for _, b := range blocks {
		if looks < b.Queries {
			return b, nil
		}
		looks -= b.Queries
	}
	return theory.NoiseBlock{}, corrupt("plan.json has no noise for this look")
}
