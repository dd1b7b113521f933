// Package lawtest runs laws, which hold for all inputs, on random inputs in tests: gopter with a
// fixed seed, and generators that reach the tails.
package lawtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"
)

// Check runs a law on count random inputs with a seed, and fails the test with the first input
// that breaks it. The law is a function of what the generators make, and returns a bool, a
// bool and an error, or a *gopter.PropResult.
func Check(t *testing.T, seed int64, count int, law any, gens ...gopter.Gen) {
	t.Helper()
	params := gopter.DefaultTestParametersWithSeed(seed)
	params.MinSuccessfulTests = count
	properties := gopter.NewProperties(params)
	properties.Property(t.Name(), prop.ForAll(law, gens...))
	properties.TestingRun(t)
}

// Evidence is the result of a comparison, with what was compared.
func Evidence(holds bool, format string, args ...any) *gopter.PropResult {
	r := &gopter.PropResult{Status: gopter.PropTrue}
	if !holds {
		r.Status = gopter.PropFalse
		r.Labels = []string{fmt.Sprintf(format, args...)}
	}
	return r
}

// Gen generates by a function. Nothing shrinks: every value is as simple as another.
func Gen[T any](draw func(p *gopter.GenParameters) T) gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(draw(p), gopter.NoShrinker)
	}
}

// LogUniform generates floats as [Between] draws them.
func LogUniform(lo, hi float64) gopter.Gen {
	return Gen(func(p *gopter.GenParameters) float64 { return Between(p.Rng, lo, hi) })
}

// Between draws a float from [lo, hi], lo > 0: with probability 1/16 each end and the float64 next to it within,
// else one whose logarithm is uniform. It draws one number from r.
func Between(r interface{ Float64() float64 }, lo, hi float64) float64 {
	ends := [...]float64{lo, math.Nextafter(lo, hi), math.Nextafter(hi, lo), hi}
	u := 16 * r.Float64()
	if u < 4 {
		return ends[int(u)]
	}
	return min(max(math.Exp(math.Log(lo)+(u-4)/12*math.Log(hi/lo)), lo), hi)
}

// Uniform generates floats on [lo, hi).
func Uniform(lo, hi float64) gopter.Gen {
	return Gen(func(p *gopter.GenParameters) float64 { return lo + (hi-lo)*p.Rng.Float64() })
}

// Seed generates seeds of other generators.
func Seed() gopter.Gen {
	return Gen(func(p *gopter.GenParameters) int64 { return p.Rng.Int63() })
}

// Near returns x or one of the two float64 next to it.
func Near(r *rand.Rand, x float64) float64 {
	return [...]float64{math.Nextafter(x, math.Inf(-1)), x, math.Nextafter(x, math.Inf(1))}[r.IntN(3)]
}
