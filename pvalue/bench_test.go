package pvalue

import (
	"fmt"
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
		maxinfo.OneOf(100),
		maxinfo.MutualInformation{Nats: 0.1},
		maxinfo.ZCDP{Rho: 1e-6},
		maxinfo.RDP{Points: rdpOf(40)},
		maxinfo.Gates{Looks: 1000, Passes: 10},
	} {
		all, err := Corrections(maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{step}})
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range all {
			if c.Needs != nil {
				continue
			}
			for name, curve := range map[string]func(theory.LogProb) (theory.LogProb, error){"threshold": c.Threshold,
				"adjusted": c.Adjusted} {
				b.Run(fmt.Sprintf("%.30s", step)+"/"+c.Name+"/"+name, func(b *testing.B) {
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

// rdpOf is a curve of so many points, as libraries have them.
func rdpOf(points int) (curve []theory.RenyiPoint) {
	for i := range points {
		order := 1.25 + float64(i)
		curve = append(curve, theory.RenyiPoint{Order: order, Epsilon: order * 1e-6})
	}
	return curve
}

// The best threshold of plans of several steps, both ways: the correction is made beforehand.
func BenchmarkSteps(b *testing.B) {
	bit := maxinfo.MutualInformation{Nats: 0.01}
	for _, c := range []struct {
		method string
		steps  []maxinfo.Step
	}{
		{"renyi", []maxinfo.Step{outcomes(10), maxinfo.PureDP{Epsilon: 0.005}}},
		{"approx-dp", []maxinfo.Step{outcomes(10), maxinfo.GDP{Mu: 0.001}}},
		{"renyi", []maxinfo.Step{maxinfo.PureDP{Epsilon: 0.005}, maxinfo.Gaussian{Queries: 10, SD: 0.05}}},
		{"kl", []maxinfo.Step{bit, maxinfo.PureDP{Epsilon: 0.001}, outcomes(3)}},
		{"composed", []maxinfo.Step{maxinfo.PureDP{Epsilon: 0.001}, outcomes(3), maxinfo.PureDP{Epsilon: 0.002}}},
	} {
		plan := steps10k(c.steps...)
		correction := corrected(b, plan, c.method)
		for name, curve := range map[string]func(theory.LogProb) (theory.LogProb, error){"threshold": correction.Threshold,
			"adjusted": correction.Adjusted} {
			b.Run(fmt.Sprintf("%v/%s/%s", c.steps, c.method, name), func(b *testing.B) {
				for b.Loop() {
					if y, err := curve(-3); err != nil || y > 0 {
						b.Fatal(y, err)
					}
				}
			})
		}
	}
}
