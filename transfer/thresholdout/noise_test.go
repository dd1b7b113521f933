package thresholdout

import (
	"math"
	"testing"
)

// Against 40-digit values of the closed form, and for m = B = 1, sigma = 1, of
// E[2W 1{W+N1 > T}] itself, by integration.
func TestKappa(t *testing.T) {
	for _, c := range []struct {
		noise     Noise
		threshold float64
		want      float64
	}{
		{Noise{1, 1}, 10.0, 0.69103921882071679257},
		{Noise{1000, 10}, 180.0, -15.467749520305172979},
		{Noise{1000000, 1000}, 300.0, -24.404239501345244951},
		{Noise{1000000000000000, 1000000000}, 5000.0, -595.3354142282260026},
		{Noise{65, 129}, 64.0, -0.79803901151180201764},
		{Noise{3, 1000000000000000}, 0.5, 18.600073306338612195},
	} {
		got := c.noise.LnKappa(c.threshold)
		if !(got >= c.want-1e-14*math.Abs(c.want) && got <= c.want+1e-9) {
			t.Errorf("%+v at %g: %.17g, want %.17g", c.noise, c.threshold, got, c.want)
		}
	}
}

func TestKappaCoversTheExpectation(t *testing.T) {
	// For m = B = 1 the law of W + N1 = Exp(mean 1) + Exp(mean 4) + Exp(mean 2).
	for _, c := range []struct{ threshold, exact float64 }{
		{1.0, 1.9939094149718288177},
		{10.0, 0.53024579132832699524},
		{40.0, 0.00032282745574881610937},
		{100.0, 9.8758711927090035461e-11},
	} {
		if got := math.Exp(Noise{Queries: 1, Budget: 1}.LnKappa(c.threshold)); got < c.exact {
			t.Errorf("kappa(%g) = %g, the expectation is %g", c.threshold, got, c.exact)
		}
	}
}
