package advise

import (
	"github.com/dpcalc/dpcalc/internal/commands/holdout"
	"github.com/dpcalc/dpcalc/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/internal/commandtest"
)

func init() {
	commandtest.Offer(Command(), samplesize.Command(), pvalues.Command(), holdout.Command())
}
