package main

import (
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/urfave/cli/v2"
)

// convention is what neighbours are in the privacy that the user gives. Every theorem is
// for neighbours that differ by replacing a record, so what is given for adding or
// removing one is converted first.
type convention string

const (
	byReplacing convention = "replace"
	byAdding    convention = "add-remove"
)

const neighboursKey = "neighbours"

// onNeighbours is where the conversions are proved.
var onNeighbours = theory.Source{Key: "dpcalc", Where: "docs/theorems/theory.md#neighbours"}

func neighboursFlag() cli.Flag {
	return textFlag(neighboursKey, "",
		"the privacy given is for `WHICH` of replace (default), a row replaced, or add-remove, added or removed")
}

func readConvention(c *cli.Context) (convention, error) {
	name, err := oneOf(c, neighboursKey, string(byReplacing), string(byAdding))
	return convention(name), err
}

func (by convention) String() string {
	if by == byAdding {
		return "neighbours by adding or removing a row, converted to replacing one"
	}
	return "neighbours by replacing a row"
}

// sources adds the theorem of the conversion to those of a row.
func (by convention) sources(of []theory.Source) []theory.Source {
	if by != byAdding || len(of) == 0 {
		return of
	}
	return append(of[:len(of):len(of)], onNeighbours)
}

// approx converts a privacy with a delta below one, which has to stay so.
func (by convention) approx(a theory.Approx) (theory.Approx, error) {
	if by != byAdding {
		return a, nil
	}
	b, err := a.Replaced()
	switch {
	case err != nil:
		return a, usagef("--%s: got %s, want a smaller epsilon or delta: %v", neighboursKey, string(by), err)
	case b.Value.LnDelta == 0:
		return a, usagef("--%s: got %s, want a smaller delta: by replacement it is (1 + e^epsilon) delta, here 1 or more",
			neighboursKey, string(by))
	}
	return b.Value, nil
}

// mu converts a Gaussian differential privacy.
func (by convention) mu(mu float64) (float64, error) {
	if by != byAdding {
		return mu, nil
	}
	b, err := theory.GDP{Mu: mu}.Replaced()
	if err != nil {
		return 0, usagef("--%s: got %s, want a smaller mu: %v", neighboursKey, string(by), err)
	}
	return b.Value.Mu, nil
}

// The conversions of the steps that are about neighbours.

func replacedPure(by convention, s maxinfo.Step) (maxinfo.Step, error) {
	a, err := by.approx(theory.Pure{Epsilon: s.(maxinfo.PureDP).Epsilon}.Approx())
	return maxinfo.PureDP{Epsilon: a.Epsilon}, err
}

func replacedApprox(by convention, s maxinfo.Step) (maxinfo.Step, error) {
	given := s.(maxinfo.ApproxDP)
	a, err := by.approx(theory.Approx{Epsilon: given.Epsilon, LnDelta: given.LnDelta})
	return maxinfo.ApproxDP{Epsilon: a.Epsilon, LnDelta: a.LnDelta}, err
}

func replacedGDP(by convention, s maxinfo.Step) (maxinfo.Step, error) {
	mu, err := by.mu(s.(maxinfo.GDP).Mu)
	return maxinfo.GDP{Mu: mu}, err
}
