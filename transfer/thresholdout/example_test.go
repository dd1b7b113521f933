package thresholdout_test

import (
	"fmt"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/thresholdout"
)

// Thresholdout adds Laplace noise of scale sigma = 0.01. Flagged answers must be within tau = 0.1 except with
// probability beta = 0.05. The rows n0 grow as the budget B, the rows n1 as its square root. From n0 rows on
// Thresholdout is tau-DP.
func ExampleRequirement() {
	const sigma, tau = 0.01, 0.1
	beta, _ := theory.Prob(0.05)
	level := theory.Level{Queries: 1, Beta: beta}
	for _, budget := range []int64{100, 100_000} {
		r := thresholdout.Requirement{
			Budget: num.FromInt(budget), Sigma: num.FromFloat(sigma), Tau: num.FromFloat(tau),
			Level: func(c float64) num.DD { return level.LnOver(int64(c)) },
		}
		n0, n1 := r.N0().Ceil(), r.N1().Ceil()
		pure, err := theory.Thresholdout{Budget: budget, Scale: sigma, Samples: n0}.Pure()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("B = %d: n0 = %d, where epsilon = %.4g; n1 = %d\n", budget, n0, pure.Value.Epsilon, n1)
	}
	// Output:
	// B = 100: n0 = 200000, where epsilon = 0.1; n1 = 3229466
	// B = 100000: n0 = 200000000, where epsilon = 0.1; n1 = 102124655
}
