package fixed

import (
	"cmp"
	"math"

	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
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
		if _, err := Gaussian(a.Goal, b).Noise(); err != nil {
			return m, err
		}
	}
	return m, nil
}

// Gaussian returns the mechanism of one answer.
func Gaussian(g transfer.Goal, b theory.NoiseBlock) mechanism.Gaussian {
	sensitivity := (1 - rule.Lowest(g)) / float64(cmp.Or(b.Rows, g.Samples))
	return mechanism.Gaussian{Sensitivity: sensitivity, SD: b.Scale, Cut: b.Cut}
}

func (noisy) failure(p *rule.Plan) (theory.LogProb, error) {
	if err := rejectForeignFields(p, theory.Run{Noise: p.Mechanism.Noise}); err != nil {
		return 0, err
	}
	covered, a := int64(0), transfer.Answer{Goal: p.Goal}
	noise := p.Mechanism.Noise
	for _, b := range noise {
		covered += b.Queries
		switch {
		case (b.Rows != 0) != p.Design().Arrives():
			return 0, journal.Corrupt("plan.json: got noise for %d rows, want a number where rows arrive and none elsewhere", b.Rows)
		case !(b.Tau >= 0 && b.Tau <= p.Goal.Tau):
			return 0, journal.Corrupt("plan.json: got answers within %v, want at most %v", b.Tau, p.Goal.Tau)
		}
	}
	if covered != p.Goal.Queries {
		return 0, journal.Corrupt("plan.json: got noise for %d looks, want %d", covered, p.Goal.Queries)
	}
	err := a.CertifyNoise(noise)
	return a.Beta, err
}

func (noisy) response(h rule.Past, a *rule.Asked) (rule.Reply, error) {
	goal := h.Plan.Goal
	mean := a.Scores.Sum() / float64(a.Scores.Count())
	block, err := rule.NoiseAt(h.Plan.Mechanism.Noise, h.Looks)
	if err != nil {
		return rule.Reply{}, err
	}
	if block.Scale > 0 {
		noise, err := Gaussian(goal, block).Noise()
		if err != nil {
			return rule.Reply{}, err
		}
		mean = noise.Answer(a.Noise, mean)
	}
	return show(h, a, math.Max(rule.Lowest(goal), math.Min(1, mean)))
}
