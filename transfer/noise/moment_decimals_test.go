package noise

import (
	"testing"

	"github.com/dpcalc/dpcalc/internal/certificates"
)

// The sums of eps_j and eta_j over a printed schedule, in decimals, are at most beta and not far below.
func TestCertificatesInDecimals(t *testing.T) {
	for _, c := range []struct {
		values  Moment
		tau     float64
		queries int64
		beta    float64
		above   bool // whether only what is above the truth fails
	}{
		{Difference{Disagreement: 0.1}, 0.02, 1, 0.05, false},
		{Difference{Disagreement: 0.1}, 0.05, 5, 0.05, false},
		{Difference{Disagreement: 0.02}, 0.01, 3, 1e-4, false},
		{Accuracy{Errors: 0.1}, 0.03, 4, 0.1, false},
		{Variance{Most: 0.05}, 0.04, 4, 0.01, false},
		{Difference{Disagreement: 0.1}, 0.05, 4, 0.05, true},
		{Accuracy{Errors: 0.1}, 0.03, 3, 0.05, true},
	} {
		p := design{Values: c.values, Queries: c.queries, OneSided: c.above}.plan(c.tau, lnp(c.beta))
		found, ok := Falling.Samples(p)
		if !ok {
			t.Fatal("no number of records is enough")
		}
		n := found.Samples
		p.Samples = n
		o := certificates.LowVariance{N: n, OneSided: c.above, Tau: c.tau}
		switch v := c.values.(type) {
		case Difference:
			o = o.Differing(v.Disagreement)
		case Accuracy:
			o = o.Accurate(v.Errors)
		case Variance:
			o = o.Varying(v.Most)
		}
		for b := range p.shared() {
			for range int64(b.count) {
				o.SD, o.Kept = append(o.SD, max(b.sd, 1e-9)), append(o.Kept, b.share)
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
