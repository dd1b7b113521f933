package pvalue

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Every correction once, both ways.
func BenchmarkCorrection(b *testing.B) {
	for _, step := range []maxinfo.Step{
		maxinfo.PureDP{Epsilon: 0.01},
		maxinfo.ApproxDP{Epsilon: 0.01, LnDelta: -30},
		maxinfo.GDP{Mu: 0.001},
		maxinfo.Gaussian{Queries: 100, SD: 0.1},
		maxinfo.Gaussian{Queries: 1_000_000, SD: 10},
		maxinfo.Description{Outcomes: theory.Nats(math.Log(100))},
		maxinfo.MutualInformation{Nats: 0.1},
	} {
		all, err := Corrections(maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{step}})
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range all {
			if c.Needs != nil {
				continue
			}
			for name, curve := range map[string]func(theory.LogProb) (theory.LogProb, error){"threshold": c.Threshold, "adjusted": c.Adjusted} {
				b.Run(step.String()+"/"+c.Name+"/"+name, func(b *testing.B) {
					x := theory.LogProb(-3)
					for b.Loop() {
						y, err := curve(x)
						if err != nil || y > 0 {
							b.Fatal(y, err)
						}
					}
				})
			}
		}
	}
}
