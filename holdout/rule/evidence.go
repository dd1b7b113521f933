package rule

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// Evidence returns the evidence of a look's wins and losses that the candidate is better, in nats.
func Evidence(p *Plan, l design.Scores, name string) float64 {
	if p.Design().Sizes() != nil {
		return ClusterEvidence(l.ClusterValues(p.Design().CountsMeans(), design.SizesOf(l.Groups).Largest))
	}
	var d open.Duel
	l.Each(func(s float64) {
		d.Wins += BoolToInt(s > 0)
		d.Losses += BoolToInt(s < 0)
	})
	return d.Evidence(p.Decided(name))
}

// Decided reports whether the predictions alone say which rows a test counts: two classes were declared.
func (p *Plan) Decided(name string) bool {
	return name == metric.Accuracy && len(p.Classes) == 2 && p.Design().Sizes() == nil
}

// WinsNeeded returns how many wins a candidate with so many losses needs to pass a gate of a test of rows.
func (p *Plan) WinsNeeded(losses int64) int64 {
	return open.Duel{Losses: losses}.WinsNeeded(-float64(p.Mechanism.Level), p.Decided(p.Metric))
}

// RestsOn returns the theorem that the verdicts of tests by a metric rest on.
func (p *Plan) RestsOn(name string) string {
	switch {
	case p.Decided(name):
		return "the exact test of the rows on which two classes differ (Hoeffding 1956)"
	case p.Design().Sizes() != nil:
		return "an e-value averaged over rates, which needs no cluster to be like another"
	}
	return "an e-value averaged over rates, which needs no row to be like another"
}

// ClusterEvidence returns the evidence in nats that a sum of expectations of independent values in [-1,1] is above 0,
// rounded down: ln of the mean over the rates r = 1/128, 3/128, ..., 127/128 of
//
//	prod over c of (1 + r X_c),
//
// whose expectation is at most e^(r sum E X_c). It is in docs/theorems/samples.md.
func ClusterEvidence(values []float64) float64 {
	const rates = 64
	sum := 0.
	nats := 0.
	for k := range rates {
		rate := (float64(k) + 0.5) / rates
		ln := 0.
		for _, x := range values {
			ln += num.Log(1 + rate*x)
		}
		if k == 0 {
			sum = ln
		} else {
			sum = num.LogAddExp(sum, ln)
		}
		nats = max(nats, math.Abs(ln))
	}
	return sum - num.Log(rates) - 1e-13*(1+nats)*float64(len(values)+rates)
}
