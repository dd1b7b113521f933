package suite

import (
	"context"
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/theory"
)

// BenchmarkAuditLaplace audits the privacy of Laplace noise on the finest lattice with 20
// million samples, on all processors.
func BenchmarkAuditLaplace(b *testing.B) {
	const samples = 20_000_000
	bets := usual(1).laplace().bets
	for b.Loop() {
		ledger, err := audit.NewLedger(theory.LogProb(-9 * math.Ln10))
		if err != nil {
			b.Fatal(err)
		}
		alarm, err := ledger.Draw("laplace", theory.LogProb(-11*math.Ln10))
		if err != nil {
			b.Fatal(err)
		}
		r, err := audit.Privacy{
			Plan: audit.Plan{Samples: samples}, Claim: theory.Approx{Epsilon: 1, LnDelta: theory.Zero},
			First: bets.first, Second: bets.second, Width: 1,
		}.Audit(alarm)
		if err != nil || r.Verdict != audit.Holds {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(samples*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
}

// BenchmarkSuite runs the default audit.
func BenchmarkSuite(b *testing.B) {
	for b.Loop() {
		rows, _ := runAll(b, Mechanisms(), Defaults(), nil)
		for _, r := range rows {
			if err := unharmed(r); err != nil {
				b.Fatal(err, r)
			}
		}
	}
}

// BenchmarkDetect is the time from nothing to the refutation of a mutant by samples alone.
func BenchmarkDetect(b *testing.B) {
	for _, m := range Mutants() {
		checks, err := Checks([]Mechanism{m}, 1)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range checks {
			if c.Name != checkPrivacy {
				continue
			}
			rows, _, err := Run(context.Background(), []Check{c}, Defaults(), nil)
			if err != nil {
				b.Fatal(err)
			}
			if rows[0].Verdict != audit.Violated {
				continue
			}
			b.Run(m.Name, func(b *testing.B) {
				for b.Loop() {
					checks, err := Checks([]Mechanism{m}, 1) // the laws of svt are computed anew
					if err != nil {
						b.Fatal(err)
					}
					c := checks[len(checks)-1]
					if rows, _, err = Run(context.Background(), []Check{c}, Defaults(), nil); err != nil ||
						rows[0].Verdict != audit.Violated {
						b.Fatal(rows, err)
					}
				}
				b.ReportMetric(float64(rows[0].Samples), "samples")
			})
		}
	}
}
