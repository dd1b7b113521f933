package commandtest

import (
	"math"
	"math/rand/v2"
)

// Rough is a spreadsheet whose elementary functions err by up to two units in the last place, and whose inverse of the
// normal law errs by up to a part in 5e9.
func Rough(r *rand.Rand) func(function string, y float64) float64 {
	return func(function string, y float64) float64 {
		unit := 0x1p-53
		if function == "NORMSINV" {
			unit = 1e-10
		}
		if y == math.Trunc(y) {
			return y
		}
		return y * (1 + float64(r.IntN(5)-2)*unit)
	}
}
