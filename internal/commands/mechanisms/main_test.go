package mechanisms

import (
	"github.com/dpcalc/dpcalc/internal/commands/privacy"
	"github.com/dpcalc/dpcalc/internal/commandtest"
)

func init() { commandtest.Offer(Audit(), Experiment(), privacy.Compose()) }
