package commands

import (
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Convention is what neighbours are in the privacy that the user gives. Every theorem is
// for neighbours that differ by replacing a record, so a privacy given for adding or
// removing one is converted first.
type Convention string

const (
	byReplacing Convention = "replace"
	ByAdding    Convention = "add-remove"
)

// NeighboursKey is the name of the flag and of the column.
const NeighboursKey = "neighbours"

// OnNeighbours is where the conversions are proved.
var OnNeighbours = theory.Source{Key: "dpcalc", Where: "docs/theorems/theory.md#neighbours"}

// NeighboursFlag is the flag of the commands that take a privacy.
var NeighboursFlag = usage.Flag{
	Name: NeighboursKey, Words: []string{string(byReplacing), string(ByAdding)},
	Usage: "the privacy given is for `WHICH` of replace (default), a row replaced, or add-remove, added or removed",
}

// ReadConvention reads the flag; without it a row is replaced.
func ReadConvention(c usage.Values) (Convention, error) {
	name, err := usage.OneOf(c, NeighboursKey, string(byReplacing), string(ByAdding))
	return Convention(name), err
}

// String says in words what neighbours are.
func (by Convention) String() string {
	if by == ByAdding {
		return "neighbours by adding or removing a row, converted to replacing one"
	}
	return "neighbours by replacing a row"
}

// Sources adds the theorem of the conversion to the sources of a row.
func (by Convention) Sources(of []theory.Source) []theory.Source {
	if by != ByAdding || len(of) == 0 {
		return of
	}
	return append(of[:len(of):len(of)], OnNeighbours)
}

// Approx converts a privacy with a delta below one, which has to stay so.
func (by Convention) Approx(a theory.Approx) (theory.Approx, error) {
	if by != ByAdding {
		return a, nil
	}
	b, err := a.Replaced()
	switch {
	case err != nil:
		return a, usage.Errorf("--%s: got %s, want a smaller epsilon or delta: %v", NeighboursKey, string(by), err)
	case b.Value.LnDelta == 0:
		return a, usage.Errorf("--%s: got %s, want a smaller delta: by replacement it is (1 + e^epsilon) delta, here 1 or more",
			NeighboursKey, string(by))
	}
	return b.Value, nil
}

// Mu converts a Gaussian differential privacy.
func (by Convention) Mu(mu float64) (float64, error) {
	if by != ByAdding {
		return mu, nil
	}
	b, err := theory.GDP{Mu: mu}.Replaced()
	if err != nil {
		return 0, usage.Errorf("--%s: got %s, want a smaller mu: %v", NeighboursKey, string(by), err)
	}
	return b.Value.Mu, nil
}

// The conversions of the steps that are about neighbours.

// QueryNames lists the kinds of queries for which holds is true, as --query takes them. The first is the default.
func QueryNames(holds func(q transfer.Query) bool) (names []string) {
	for _, q := range transfer.QueryKinds() {
		if holds(q) {
			names = append(names, q.String())
		}
	}
	return names
}

// MethodNames lists the methods for sample sizes.
func MethodNames() []string {
	return each.Of(transfer.Methods(), func(m transfer.Method) string { return m.Name })
}
