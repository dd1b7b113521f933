package advise

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands/holdout"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/power"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

func init() {
	commandtest.Offer(Command(), samplesize.Command(), power.Command(), pvalues.Command(), holdout.Command())
}
