package mechanism

import (
	"cmp"
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// GaussianAnswers answers statistical queries, means over n records of functions into [0,1], with noise as of
// [Gaussian] in blocks of equal noise, and none after the last. The queries may be chosen adaptively. The blocks of a
// plan are slices.Collect(plan.Noise()). The last query of all may be answered without noise, at the scale 0.
type GaussianAnswers struct {
	Samples int64 // n >= 1
	Noise   []theory.NoiseBlock
}

// Validate reports a DomainError for the first field outside its domain; for the standard
// deviations see [Gaussian.Validate].
func (m GaussianAnswers) Validate() error {
	_, err := m.turns()
	return err
}

func (m GaussianAnswers) turns() (all []turn, err error) {
	err = cmp.Or(rows(m.Samples), theory.Domain(len(m.Noise) > 0, "queries", len(m.Noise), "at least one"))
	if err != nil {
		return nil, err
	}
	left := int64(theory.MaxSamples)
	for i, block := range m.Noise {
		const count = "a positive number, and 2^53 in all at most"
		if err := theory.Domain(block.Queries >= 1 && block.Queries <= left, "queries", block.Queries, count); err != nil {
			return nil, err
		}
		left -= block.Queries
		next := turn{queries: block.Queries, silent: block.Scale == 0 && block.Queries == 1 && i == len(m.Noise)-1}
		if !next.silent {
			next.noise, err = Gaussian{Sensitivity: 1 / float64(m.Samples), SD: block.Scale, Cut: block.Cut}.Noise()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, next)
	}
	return all, nil
}

// GDP returns mu, the root of the sum of the squares of 1/(n sd_j); see [Gaussian.GDP].
func (m GaussianAnswers) GDP() (theory.Bound[theory.GDP], error) {
	if err := m.Validate(); err != nil {
		return theory.Bound[theory.GDP]{}, err
	}
	parts := make([]theory.GDP, len(m.Noise))
	sources := []theory.Source(nil)
	for j, block := range m.Noise {
		part, err := theory.GaussianQueries{Queries: block.Queries, Samples: m.Samples, SD: block.Scale}.GDP()
		if err := cmp.Or(err, uncut(block.Cut)); err != nil {
			return theory.Bound[theory.GDP]{}, err
		}
		parts[j], sources = part.Value, each.Union(sources, part.Sources...)
	}
	all, err := theory.ComposeGDP(parts...)
	all.Sources = each.Union(sources, all.Sources...)
	return all, err
}

// Start begins a run. It reports the error of [GaussianAnswers.Validate].
func (m GaussianAnswers) Start(r *rand.Rand) (*Run[float64, float64], error) {
	turns, err := m.turns()
	if err != nil {
		return nil, err
	}
	return inTurn(r, turns), nil
}

// LaplaceAnswers is [GaussianAnswers] with Lap(Scale[j]) on answer j.
type LaplaceAnswers struct {
	Samples int64     // n >= 1
	Scale   []float64 // a scale for each query
}

// Validate reports a DomainError for the first field outside its domain; for the scales see
// [Laplace.Validate].
func (m LaplaceAnswers) Validate() error {
	_, err := m.turns()
	return err
}

func (m LaplaceAnswers) turns() (all []turn, err error) {
	err = cmp.Or(rows(m.Samples), theory.Domain(len(m.Scale) > 0, "queries", len(m.Scale), "at least one"))
	if err != nil {
		return nil, err
	}
	for _, scale := range m.Scale {
		noise, err := Laplace{Sensitivity: 1 / float64(m.Samples), Scale: scale}.Noise()
		if err != nil {
			return nil, err
		}
		all = append(all, turn{queries: 1, noise: noise})
	}
	return all, nil
}

// Pure returns epsilon, the sum of the 1/(n Scale[j]).
func (m LaplaceAnswers) Pure() (theory.Bound[theory.Pure], error) {
	if err := m.Validate(); err != nil {
		return theory.Bound[theory.Pure]{}, err
	}
	// 1/n is rounded up.
	sensitivity := math.Nextafter(1/float64(m.Samples), 2)
	sum := theory.Bound[theory.Pure]{Sources: []theory.Source{basicComposition}}
	for _, scale := range m.Scale {
		part, err := theory.Laplace{Sensitivity: sensitivity, Scale: scale}.Pure()
		if err != nil {
			return part, err
		}
		sum.Value.Epsilon = plus(sum.Value.Epsilon, part.Value.Epsilon)
		sum.Sources = each.Union(sum.Sources, part.Sources...)
	}
	return sum, nil
}

// Start begins a run. It reports the error of [LaplaceAnswers.Validate].
func (m LaplaceAnswers) Start(r *rand.Rand) (*Run[float64, float64], error) {
	turns, err := m.turns()
	if err != nil {
		return nil, err
	}
	return inTurn(r, turns), nil
}

// rows reports a DomainError for a number of records outside its domain.
func rows(n int64) error {
	return theory.Domain(n >= 1 && n <= theory.MaxSamples, "samples", n, "an integer from 1 to 2^53")
}

// turn is so many queries with one noise, or without any.
type turn struct {
	queries int64
	noise   Noise
	silent  bool
}

// inTurn answers the queries of each turn with its noise.
func inTurn(r *rand.Rand, turns []turn) *Run[float64, float64] {
	all, passed := int64(0), int64(0) // passed of the first turn
	for _, t := range turns {
		all += t.queries
	}
	return &Run[float64, float64]{left: all, answer: func(mean float64) (float64, int64) {
		if passed == turns[0].queries {
			turns, passed = turns[1:], 0
		}
		if passed++; turns[0].silent {
			return mean, 1
		}
		return turns[0].noise.Answer(r, mean), 1
	}}
}

// Rounding answers each query by the nearest of Cells cell midpoints of [0,1], off by at
// most 1/(2 Cells). It is not private. The holdout is protected because there are few
// transcripts.
type Rounding struct {
	Cells   int64 // L, from 1 to 2^53
	Queries int64 // m >= 1
}

// Validate reports a DomainError for the first field outside its domain.
func (m Rounding) Validate() error {
	return cmp.Or(
		theory.Domain(m.Cells >= 1 && m.Cells <= 1<<53, "cells", m.Cells, "an integer from 1 to 2^53"),
		theory.Domain(m.Queries >= 1, "queries", m.Queries, "an integer >= 1"))
}

// DescriptionLength returns m ln L, the logarithm of the number of transcripts of a
// deterministic analyst.
func (m Rounding) DescriptionLength() (theory.Nats, error) {
	if err := m.Validate(); err != nil {
		return 0, err
	}
	return theory.Nats(float64(m.Queries) * math.Log(float64(m.Cells))), nil
}

// Start begins a run. It reports the error of [Rounding.Validate].
func (m Rounding) Start() (*Run[float64, float64], error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &Run[float64, float64]{left: m.Queries, answer: func(mean float64) (float64, int64) {
		cell := math.Floor(mean * float64(m.Cells))
		if !(cell > 0) {
			cell = 0
		}
		cell = min(cell, float64(m.Cells-1))
		return (cell + 0.5) / float64(m.Cells), 1
	}}, nil
}

// Splitting answers each query, exactly, from a part of the records of its own. It is not
// private. The answer is protected because no query has seen its part.
type Splitting struct {
	Samples int64 // n
	Queries int64 // m, from 1 to n
}

// Part is the records From, ..., To-1.
type Part struct{ From, To int64 }

// Validate reports a DomainError for the first field outside its domain.
func (m Splitting) Validate() error {
	return cmp.Or(
		rows(m.Samples),
		theory.Domain(m.Queries >= 1 && m.Queries <= m.Samples, "queries", m.Queries,
			"an integer from 1 to the number of samples"))
}

// Start begins a run: a query takes a mean over the part that it is given. All parts have
// floor(n/m) records. It reports the error of [Splitting.Validate].
func (m Splitting) Start() (*Run[func(Part) float64, float64], error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	size, next := m.Samples/m.Queries, int64(0)
	return &Run[func(Part) float64, float64]{left: m.Queries, answer: func(mean func(Part) float64) (float64, int64) {
		next++
		return mean(Part{(next - 1) * size, next * size}), 1
	}}, nil
}
