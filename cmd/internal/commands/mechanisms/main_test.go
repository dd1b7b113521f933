package mechanisms

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands/privacy"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

func init() { commandtest.Offer(Audit(), Experiment(), privacy.Compose()) }
