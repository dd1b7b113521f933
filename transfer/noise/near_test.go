package noise

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A search that begins near others ends where one that knows of none does, of many queries in less than half the walks:
// its plan is certified, query by query and by the noise it says, and with fewer rows it is not.
func TestSearchesNearOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(1709, 5))
	for name, noise := range map[string]Noise{"falling": Falling, "even": Even} {
		for _, c := range []struct {
			theorem Theorem
			m       int64
		}{
			{Joint(Both), 3}, {Joint(Both), 12}, {Joint(Above), 150}, {Joint(Both), 800}, {Joint(Both), 20_000},
			{LowVariance(Difference{0.1}, false, Both), 20},
		} {
			walks := 0
			counted := noise
			var ends [2]Near // of the last two
			counted.excess = func(p Plan, kept kept) (Run, float64) { walks++; return noise.excess(p, kept) }
			var with, without int
			lnTau := -4 - r.Float64()
			for i := range 30 {
				p := Plan{Theorem: c.theorem, Queries: c.m, Tau: math.Exp(lnTau + 0.03*float64(i)), Beta: lnp(0.05)}
				walks = 0
				var near Near
				if i > 1 {
					near = ends[1]
					near.LnN += near.LnN - ends[0].LnN
				}
				found, ok := counted.SamplesNear(p, near)
				ends[0], ends[1] = ends[1], found.Near
				with, walks = with+walks, 0
				alone, _ := counted.Samples(p)
				without += walks
				most := 1 + float64(alone.Samples)/7000
				if !ok || math.Abs(float64(found.Samples-alone.Samples)) > most {
					t.Fatalf("%s, %+v: %d rows, alone %d", name, p, found.Samples, alone.Samples)
				}
				p.Samples = found.Samples
				if !noise.Certifies(p) {
					t.Errorf("%s, %+v is not certified", name, p)
				}
				less := p
				if less.Samples -= fewer(p); name == "falling" && noise.Certifies(less) {
					t.Errorf("%+v is certified, below the answer", less)
				}
				p.Tau = found.Tau
				_, varies := p.moment()
				if name == "even" && !varies && !(p.EvenErrors(found.Run.First, found.Run.Cut) <= p.Beta.Ln()) {
					t.Errorf("%+v is not certified by %+v", p, found.Run)
				}
				if name == "falling" && !varies && i%10 == 0 && c.m < 1000 {
					if total, queries := certify(t, p); queries != p.Queries || !(total <= p.Beta) {
						t.Errorf("%+v: %d queries, beta %v", p, queries, total)
					}
				}
			}
			most := without // where n is looked for to the row
			if c.m > 20 {
				most /= 2
			}
			if with > most {
				t.Errorf("%s, %d queries: %d walks, alone %d", name, c.m, with, without)
			}
		}
	}
}
