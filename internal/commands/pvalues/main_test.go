package pvalues

import (
	"github.com/dpcalc/dpcalc/internal/commandtest"
)

func init() { commandtest.Offer(Command()) }
