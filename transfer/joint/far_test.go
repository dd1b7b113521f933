package joint

import (
	"math/rand/v2"
	"testing"
)

// A plan that is given up for constant noise after a few values is one that a search for the noise does not certify.
// Most plans that noise that falls certifies with no row to spare are given up so soon.
func TestHopelessEvenNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(171, 1))
	many, soon := 0, 0
	for range 400 {
		p := somePlan(r, 1e7, -1, 4)
		least, ok := Even.Samples(p)
		if !ok {
			t.Fatalf("%+v: no answer", p)
		}
		p.Samples = least.Samples
		if new(even).hopeless(p) {
			t.Errorf("%+v is certified, and was given up", p)
		}
		half := p
		if half.Beta -= (1 - p.Beta/30) / 2; new(even).hopeless(half) {
			t.Errorf("%+v is close to being given up", p)
		}
		falling, ok := Falling.Samples(p)
		if !ok {
			t.Fatalf("%+v: no answer", p)
		}
		if p.Samples = falling.Samples; p.Queries >= 300 {
			if many++; new(even).hopeless(p) {
				soon++
			}
		}
		p.Samples /= 4
		usual := p.Samples > 0 && p.Queries > 1 && p.Tau < 0.1 && p.Beta < -1 && p.Beta > -100
		if usual && !new(even).hopeless(p) {
			t.Errorf("%+v takes a search", p)
		}
	}
	if soon < many*3/5 {
		t.Errorf("%d of %d were given up soon", soon, many)
	}
}
