package mechanism

import (
	"cmp"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
)

// Sealed shows the scores of the finalists on the sealed rows, once and all together.
type Sealed struct {
	Finalists int64 // m >= 1
	opened    bool
}

// Open shows the scores of at most Finalists finalists. From then on the error is [ErrSpent]. No score at all, too
// many and one that is not finite are a DomainError, after which the rows are still sealed.
func (s *Sealed) Open(scores []float64) ([]float64, error) {
	if s.opened {
		return nil, ErrSpent
	}
	n := int64(len(scores))
	errs := []error{theory.Domain(n >= 1 && n <= s.Finalists, "finalists", n, "at least one, and no more than planned")}
	for _, score := range scores {
		errs = append(errs, finite("score", score))
	}
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	s.opened = true
	return slices.Clone(scores), nil
}
