package steps

import (
	"math"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Exemplars are plans that between them have every method. The sources are named as
// --by has them.
func Exemplars() []maxinfo.Plan {
	var plans []maxinfo.Plan
	for _, s := range []maxinfo.Step{
		maxinfo.PureDP{Epsilon: 0.01},
		maxinfo.ApproxDP{Epsilon: 0.01, LnDelta: -100},
		maxinfo.GDP{Mu: 0.01},
		maxinfo.Gaussian{Queries: 10, SD: 0.1},
		maxinfo.Description{Outcomes: theory.Nats(math.Log(100))},
		maxinfo.MutualInformation{Nats: 1},
		maxinfo.MaxInformation{Nats: 1, Slack: theory.Zero},
	} {
		plans = append(plans, maxinfo.Plan{Samples: 1000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{s}})
	}
	return plans
}
