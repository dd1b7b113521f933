//go:build evaluations

package num

import "sync/atomic"

var evaluations atomic.Int64

func evaluated() { evaluations.Add(1) }

// Evaluations returns how many exponentials and logarithms have been computed: about all that a solver spends its time
// on, the same on every machine.
func Evaluations() int64 { return evaluations.Load() }
