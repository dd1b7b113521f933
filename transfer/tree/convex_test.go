package tree

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Plans for values in [0,1] that were found by a search of their own.
func TestConvexPlans(t *testing.T) {
	for _, c := range []struct {
		s, lnLevel float64
		want       int64
	}{
		{0.05, math.Log(0.05) - Gate{20, 1}.LnNodes().Hi, 964},
		{0.05, math.Log(0.05) - Gate{100, 1}.LnNodes().Hi, 1264},
		{0.05, math.Log(0.05) - Gate{100, 2}.LnNodes().Hi, 2004},
		{0.05, math.Log(0.05) - Gate{100, 5}.LnNodes().Hi, 3869},
		{0.05, math.Log(0.05) - Gate{500, 1}.LnNodes().Hi, 1567},
		{0.05, math.Log(0.05) - Gate{500, 5}.LnNodes().Hi, 5461},
		{0.1, math.Log(0.05 / 2), 137},
		{0.1, math.Log(0.05 / 20), 241},
		{0.1, math.Log(0.05 / 200), 349},
		{0.1, math.Log(0.05 / 2000), 458},
	} {
		v := tail.Convex{}
		if !v.IsWithin(c.want, c.s, c.lnLevel) || v.IsWithin(c.want-1, c.s, c.lnLevel) {
			t.Errorf("%v at e^%v: %d rows hold %t, one fewer %t", c.s, c.lnLevel, c.want, v.IsWithin(c.want, c.s, c.lnLevel),
				v.IsWithin(c.want-1, c.s, c.lnLevel))
		}
	}
}
