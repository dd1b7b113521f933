package noise

import (
	"fmt"
	"testing"
)

func BenchmarkSamples(b *testing.B) {
	for name, noise := range map[string]Noise{"falling": Falling, "even": Even} {
		for _, m := range []int64{10, 100, 1000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", name, m), func(b *testing.B) {
				for b.Loop() {
					noise.Samples(design{Difference{0.1}, false, 1, m, false}.plan(0.02, lnp(0.05)))
				}
			})
		}
	}
}
