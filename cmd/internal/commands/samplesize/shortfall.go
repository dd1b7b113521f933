package samplesize

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/transfer"
)

// shortfall says of a goal that no adaptive method certifies what the plan needs and
// what its rows give: "it needs 24371 rows; these rows give tau 0.318". It is empty if
// no adaptive method says either.
func (s *request) shortfall(g transfer.Goal) (string, error) {
	need, given := g, g
	need.Samples, given.Tau = 0, 0
	fewest, err := s.bestAnswer(need)
	if err != nil {
		return "", err
	}
	least, err := s.bestAnswer(given)
	switch {
	case err != nil:
		return "", err
	case fewest == nil && least == nil:
		return "", nil
	case fewest == nil:
		return "these rows give tau " + record.People(record.Number(least.Tau)), nil
	}
	text := "it needs " + record.Plural(fewest.Samples, "row")
	if least != nil {
		text += "; these rows give tau " + record.People(record.Number(least.Tau))
	}
	return text, nil
}

// bestAnswer is the answer of the best adaptive method, nil if none has one. The rows of a sample that has its number
// of them are not looked for.
func (s *request) bestAnswer(g transfer.Goal) (*transfer.Answer, error) {
	if g.Samples == 0 && g.Sized() {
		return nil, nil
	}
	rows, best, err := transfer.Solve(nil, s.methods, g)
	if err != nil || best < 0 {
		return nil, err
	}
	return &rows[best].Answer, nil
}

// fixedSuffices reports whether a goal without an adaptive answer has one all the same:
// a single query on rows that nobody has looked at is fixed in advance, so that a
// reference row speaks of it.
func (s *request) fixedSuffices(group []goals.Row) bool {
	return s.unknown != transfer.Queries && group[0].Queries == 1 && slices.ContainsFunc(group, func(r goals.Row) bool {
		return r.Status == transfer.OK && r.Method.IsReference()
	})
}

// fixedOnce is what people are told then.
const fixedOnce = "one query on rows that nobody has looked at is fixed in advance: the reference rows cover it"

// noBest says of a goal without a best row what there is instead.
func (s *request) noBest(group []goals.Row) (string, error) {
	fixed := s.fixedSuffices(group)
	if s.unknown != transfer.None {
		if fixed {
			return fixedOnce, nil
		}
		return "no adaptive method has an answer", nil
	}
	text := "no adaptive method certifies the plan"
	shortfall, err := s.shortfall(group[0].Goal)
	if shortfall != "" {
		text += ": " + shortfall
	}
	if fixed {
		text += ". " + printed.Capital(fixedOnce)
	}
	return text, err
}
