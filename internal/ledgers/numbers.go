package ledgers

import (
	"strings"

	"github.com/dpcalc/dpcalc/internal/numbers"
)

// AnyNumber is a number of either sign.
var AnyNumber = numbers.Kind[float64]{
	Want: "a number",
	Parse: func(s string) (float64, bool) {
		positive, negative := strings.CutPrefix(s, "-")
		x, ok := numbers.NonNegatives.Parse(positive)
		if negative {
			x = -x
		}
		return x, ok
	},
}
