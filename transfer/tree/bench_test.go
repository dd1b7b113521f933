package tree

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/transfer/tail"
)

// What a solve evaluates again and again.
func BenchmarkEvaluations(b *testing.B) {
	ladder := Ladder{Queries: 1000, Tau: 0.1, Top: 1}
	counts := ladder
	counts.ZeroOne = true
	validator := Validator{
		Values: tail.Interval{}, Queries: 1000, Flags: 10, Tau: 0.1, Threshold: 0.05, LnBeta: math.Log(0.05),
	}
	widths := Widths{Values: tail.Interval{}, Queries: 20, Tau: 0.1}
	gate := CountGate{Bar: tail.Bar{Height: 0.5, Margin: 0.05}, LnRisk: -6.5}
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"nodes", func() { Gate{Queries: 1000, Passes: 10}.LnNodes() }},
		{"interval", func() { tail.Interval{}.Rate(0.05) }},
		{"difference", func() { tail.Difference{Disagreement: 0.1}.Rate(0.01) }},
		{"ladder", func() { ladder.Cells(3066) }},
		{"ladder/zero-one", func() { counts.Cells(2816) }},
		{"validator", func() { validator.Bound(10602) }},
		{"widths", func() { widths.Bound(1560) }},
		{"count-gate", func() { gate.Samples(1 << 53) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.run()
			}
		})
	}
}
