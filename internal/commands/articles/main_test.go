package articles

import (
	"github.com/dpcalc/dpcalc/internal/commands/privacy"
	"github.com/dpcalc/dpcalc/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/internal/commands/steps"
	"github.com/dpcalc/dpcalc/internal/commandtest"
)

func init() {
	commandtest.Offer(Explain(), Cite(), Methods(), samplesize.Command(), steps.Command(), pvalues.Command(),
		privacy.Compose(), privacy.Transfer())
}
