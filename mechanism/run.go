package mechanism

// Run is an interactive mechanism under way. Its zero value has nothing to spend.
type Run[Q, A any] struct {
	left   int64
	answer func(Q) (a A, cost int64)
}

// Ask answers a query. It returns false, and nothing else, from then on where the
// budget is spent: the query is not looked at and no noise is drawn.
func (r *Run[Q, A]) Ask(query Q) (answer A, ok bool) {
	if r.left == 0 {
		return answer, false
	}
	answer, cost := r.answer(query)
	r.left -= cost
	return answer, true
}

// Left returns the rest of the budget. The rest is as public as the answers, which determine it.
func (r *Run[Q, A]) Left() int64 { return r.left }
