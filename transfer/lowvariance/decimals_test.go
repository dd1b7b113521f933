package lowvariance_test

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/internal/certificates"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/lowvariance"
)

// The sums of eps_j and eta_j over a printed schedule, in decimals, are at most beta and not far below.
func TestCertificatesInDecimals(t *testing.T) {
	for _, c := range []struct {
		values  lowvariance.Values
		tau     float64
		queries int64
		beta    float64
		above   bool // whether only what is above the truth fails
	}{
		{lowvariance.Difference{Disagreement: 0.1}, 0.02, 1, 0.05, false},
		{lowvariance.Difference{Disagreement: 0.1}, 0.05, 5, 0.05, false},
		{lowvariance.Difference{Disagreement: 0.02}, 0.01, 3, 1e-4, false},
		{lowvariance.Accuracy{Errors: 0.1}, 0.03, 4, 0.1, false},
		{lowvariance.Variance{Most: 0.05}, 0.04, 4, 0.01, false},
		{lowvariance.Difference{Disagreement: 0.1}, 0.05, 4, 0.05, true},
		{lowvariance.Accuracy{Errors: 0.1}, 0.03, 3, 0.05, true},
	} {
		p := lowvariance.Plan{
			Design: lowvariance.Design{Values: c.values, Queries: c.queries, OneSided: c.above},
			Tau:    c.tau, Beta: theory.LogProb(math.Log(c.beta)),
		}
		found, ok := lowvariance.Falling.Samples(p)
		if !ok {
			t.Fatal("no number of records is enough")
		}
		n := found.Samples
		p.Samples = n
		o := certificates.LowVariance{N: n, OneSided: c.above, Tau: c.tau}
		switch v := c.values.(type) {
		case lowvariance.Difference:
			o = o.Differing(v.Disagreement)
		case lowvariance.Accuracy:
			o = o.Accurate(v.Errors)
		case lowvariance.Variance:
			o = o.Varying(v.Most)
		}
		for b := range p.Blocks() {
			for range b.Queries {
				o.SD, o.Kept = append(o.SD, max(b.SD, 1e-9)), append(o.Kept, b.Share)
			}
		}
		total := o.Error(0)
		for j := range o.SD[1:] {
			total = total.Plus(o.Error(j + 1))
		}
		part := total.Float() / c.beta
		t.Logf("%T%v, m %d, n %d: %.6f of beta", c.values, c.values, c.queries, n, part)
		if !(part <= 1) || !(part > 0.85) {
			t.Errorf("%T%v, m %d, n %d: the errors sum to %g of beta", c.values, c.values, c.queries, n, part)
		}
	}
}
