package holdout

import (
	"cmp"
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

func (noisy) failure(p *Plan) (theory.LogProb, error) {
	if err := only(p, theory.Run{Noise: p.Mechanism.Noise}); err != nil {
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

func (noisy) response(h Past, a *Asked) (response, error) {
	goal := h.plan.goal
	mean := a.look.sum() / float64(a.look.count())
	block, err := noiseAt(h.plan.Mechanism.Noise, h.looks)
	if err != nil {
		return response{}, err
	}
	if block.Scale > 0 {
		noise, err := gaussian(goal, block).Noise()
		if err != nil {
			return response{}, err
		}
		mean = noise.Answer(a.noise, mean)
	}
	return show(h, a, math.Max(lowest(goal), math.Min(1, mean)))
}
