// Package goals has the numbers of a goal as they are typed, laid out and written: one list of [Parameters] for
// flags, grids, keys of plan files, columns and axes, and the columns of a row.
package goals

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/transfer"
)

// Axis is one flag's list of values.
type Axis = commands.Axis[transfer.Goal]

// Grid is the goals of one command.
type Grid struct {
	commands.Grid[transfer.Goal]
	Clusters *Clusters // nil for rows
}

// Goal is the i-th goal.
func (g Grid) Goal(i int) transfer.Goal { return g.Point(i) }

// Valid refuses goals that make no sense. A single goal is refused as well where one of many would have a status.
func (g Grid) Valid(goals int) (unknown transfer.Unknown, err error) {
	for i := range goals {
		goal := g.Goal(i)
		if err := goal.Validate(); err != nil {
			return unknown, err
		}
		unknown = goal.Unknown()
	}
	if goals == 1 {
		err = g.Goal(0).Overspent()
	}
	return unknown, err
}
