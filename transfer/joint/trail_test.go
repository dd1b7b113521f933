package joint

import (
	"testing"
)

// With one row fewer no schedule is certified, also where tau/sd is so large that the orders of a trail soon change.
func TestTrailLosesNoRow(t *testing.T) {
	for _, p := range []Plan{
		{Queries: 243548, Tau: 0.03239681804428007, Beta: -304.5},
		{Queries: 14365, Tau: 0.1956476751603268, Beta: -435.5},
		{Queries: 298327, Tau: 0.013686930261274852, Beta: -357.6},
		{Queries: 1000, Tau: 0.05, Beta: -3},
	} {
		found, ok := Falling.Samples(p)
		if p.Samples = found.Samples; !ok || !Falling.Certifies(p) {
			t.Errorf("%+v is not certified", p)
		}
		if p.Samples--; Falling.Certifies(p) {
			t.Errorf("%+v is certified", p)
		}
	}
}
