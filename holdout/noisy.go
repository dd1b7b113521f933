package holdout

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// noisy answers a look by the mean over all rows with Gaussian noise, in the order of the plan's blocks. The answer is
// clamped to [0,1], where the truth is.
type noisy struct{}

func (noisy) prepare(a transfer.Answer) (m Mechanism, err error) {
	covered := int64(0)
	for block := range a.Noise() {
		covered += block.Queries
		m.Noise = append(m.Noise, NoiseBlock{Looks: block.Queries, SD: block.SD})
	}
	if err := theory.Domain(covered == a.Queries, "queries", covered, "noise for every look"); err != nil {
		return m, err
	}
	for _, b := range m.Noise {
		if b.SD == 0 {
			continue
		}
		if _, err := gaussian(a.Samples, b.SD).Noise(); err != nil {
			return m, err
		}
	}
	return m, nil
}

// gaussian is the mechanism of one answer.
func gaussian(samples int64, sd float64) mechanism.Gaussian {
	return mechanism.Gaussian{Sensitivity: 1 / float64(samples), SD: sd}
}

// certified accepts the noise that the method asks for today, and any noise that the joint bound certifies: a later
// version of the program may choose another one.
func (noisy) certified(p *Plan, a transfer.Answer) error {
	today, err := noisy{}.prepare(a)
	if err != nil {
		return err
	}
	if slices.Equal(today.Noise, p.Mechanism.Noise) {
		return nil
	}
	bound, err := transfer.NewJointBound(p.Samples)
	if err != nil {
		return err
	}
	covered := int64(0)
	for _, b := range p.Mechanism.Noise {
		if _, err := bound.Answer(transfer.NoiseBlock{Queries: b.Looks, SD: b.SD}, p.Tau); err != nil {
			return err
		}
		covered += b.Looks
	}
	if covered != p.Queries || bound.Total() > p.Beta {
		return differs(p)
	}
	return nil
}

func (noisy) respond(h *history, l look) (response, error) {
	sum := 0.0
	for _, score := range l.values.scores() {
		sum += score
	}
	mean := sum / float64(h.plan.Samples)
	sd, err := noiseAt(h.plan.Mechanism.Noise, h.looks)
	if err != nil {
		return response{}, err
	}
	if sd > 0 {
		noise, err := gaussian(h.plan.Samples, sd).Noise()
		if err != nil {
			return response{}, err
		}
		mean = noise.Answer(l.noise, mean)
	}
	mean = math.Max(0, math.Min(1, mean))
	return response{value: &mean}, nil
}

// noiseAt is the noise after so many looks.
func noiseAt(blocks []NoiseBlock, looks int64) (float64, error) {
	for _, b := range blocks {
		if looks < b.Looks {
			return b.SD, nil
		}
		looks -= b.Looks
	}
	return 0, corrupt("plan.json has no noise for this look")
}

func (noisy) remaining(h *history) Remaining { return left(h) }
