package mechanism

import (
	"math/rand/v2"
	"testing"
)

// One operation is one sample; the samples of a second are counted over all cores together.
func BenchmarkFill(b *testing.B) {
	laplace := must(Laplace{Sensitivity: 0.1, Scale: 1}.Noise())
	gaussian := must(Gaussian{Sensitivity: 0.1, SD: 1}.Noise())
	for _, z := range []struct {
		name  string
		noise Noise
	}{{"laplace", laplace}, {"gaussian", gaussian}} {
		b.Run(z.name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				r, out := rand.New(rand.NewPCG(1, rand.Uint64())), make([]float64, 4096)
				for i := 0; pb.Next(); i++ {
					if i%len(out) == 0 {
						z.noise.Fill(r, 0.3, out)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}

func BenchmarkThresholdoutAsk(b *testing.B) {
	run := must(Thresholdout{Samples: 10_000, Budget: 1 << 62, Threshold: 0.04,
		Scale: 0.01}.Start(rand.New(rand.NewPCG(1, 2))))
	for b.Loop() {
		run.Ask(Means{Training: 0.7, Holdout: 0.68})
	}
}
