package data

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
)

// A value beyond its range by less than a 1e-9th of it is the end of the range, as fractions decide, and one further
// off is refused. All within stay as they are.
func TestEndsOfRange(t *testing.T) {
	ids := []string{"1"}
	rows := NewRoster(ids)
	for _, c := range []struct {
		metric string
		units  form.Units
		binary bool
	}{
		{metric: "column:x"}, {metric: "column:x", binary: true}, {metric: "column:x", units: form.Units{Range: &[2]float64{-3, 5}}},
		{metric: "column:x", units: form.Units{Range: &[2]float64{1000, 1000.5}}},
		{metric: "column:x", units: form.Units{Range: &[2]float64{0, 1e12}}},
		{metric: "log-loss", units: form.Units{Positive: "yes"}}, {metric: "squared-error", units: form.Units{Positive: "yes"}},
	} {
		lowest, highest := c.units.Interval()
		slack := new(big.Rat).Mul(big.NewRat(1, 1e9), new(big.Rat).SetFloat64(highest-lowest))
		for _, end := range []float64{lowest, highest} {
			for _, by := range []float64{0, 0x1p-52, 9.9e-10, 1.01e-9, 1e-6} {
				for _, side := range []float64{-1, 1} {
					x := end + side*by*(highest-lowest)
					beyond := new(big.Rat).Sub(new(big.Rat).SetFloat64(max(lowest-x, x-highest, 0)), slack)
					want := min(max(x, lowest), highest)
					v, err := Reader{Rows: rows, Units: c.units}.Read(c.metric, c.binary, Columns(ids, []string{fmt.Sprint(x)}))
					if taken := beyond.Sign() < 0 && (!c.binary || want == end); taken != (err == nil) {
						t.Errorf("%+v: %v: got %v, want taken %v", c, x, err, taken)
					} else if share := (want - lowest) / (highest - lowest); taken && math.Abs(v.Of[0]-share) > 0 {
						t.Errorf("%+v: %v: got %v, want %v", c, x, v.Of[0], share)
					}
				}
			}
		}
	}
}
