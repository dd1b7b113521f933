package articles

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/privacy"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

func init() {
	all := func() []*commands.Command { return []*commands.Command{samplesize.Command(), pvalues.Command()} }
	commandtest.Offer(Explain(all), Cite(), Methods(), samplesize.Command(), steps.Command(), pvalues.Command(),
		privacy.Compose(), privacy.Transfer())
}
