package steps

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

func init() { commandtest.Offer(Command()) }
