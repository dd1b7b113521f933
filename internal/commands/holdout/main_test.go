package holdout

import (
	"github.com/dpcalc/dpcalc/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/internal/commandtest"
)

func init() { commandtest.Offer(Command(), samplesize.PlanFile()) }
