package mechanism

import (
	"cmp"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
)

// Ladder shows the best score so far by a table that is fixed in advance, for Queries submissions.
type Ladder struct {
	Queries int64         // m >= 1
	Board   []theory.Step // rising in both columns; the first step is the start, whatever its boundary
}

// Start begins an interaction. The error is a DomainError.
func (l Ladder) Start() (*LadderRun, error) {
	errs := []error{
		positive("queries", l.Queries),
		theory.Domain(len(l.Board) >= 1, "board", len(l.Board), "at least one step"),
	}
	for i, step := range l.Board {
		errs = append(errs, finite("boundary", step.Boundary), finite("value", step.Value))
		if i > 0 {
			last := l.Board[i-1]
			errs = append(errs,
				theory.Domain(step.Boundary > last.Boundary, "boundary", step.Boundary, "above the step before"),
				theory.Domain(step.Value > last.Value, "value", step.Value, "above the step before"))
		}
	}
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return &LadderRun{board: slices.Clone(l.Board), queries: l.Queries}, nil
}

// LadderRun is a board under way. Its zero value shows nothing.
type LadderRun struct {
	board   []theory.Step
	queries int64
	state   int
}

// Submit shows the board's value after a submission with that score, and whether the submission moved it. A number
// that is not finite is a DomainError and costs nothing; after the last submission the error is [ErrSpent].
func (r *LadderRun) Submit(score float64) (shown float64, improved bool, err error) {
	if r.queries == 0 {
		return 0, false, ErrSpent
	}
	if err := finite("score", score); err != nil {
		return 0, false, err
	}
	r.queries--
	for r.state+1 < len(r.board) && score >= r.board[r.state+1].Boundary {
		r.state, improved = r.state+1, true
	}
	return r.board[r.state].Value, improved, nil
}

// Left returns how many submissions are left.
func (r *LadderRun) Left() int64 { return r.queries }
