package rule

import (
	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// Account is the budget of an open ledger and what its codes depend on: a function of the lines before a look.
type Account struct {
	Left  open.Budget
	Looks map[string]int64        // by what they showed
	Rare  map[string]int64        // of these, passes, raises, moved guesses and rejections
	Last  map[scope]float64       // the number shown last
	Best  map[scope]TruthInterval // of boards: what is known of the best truth of all submissions
	Epoch int64                   // how many changes of the rows there were
}

// NewAccount returns the account of a new ledger.
func NewAccount() *Account {
	return &Account{Looks: make(map[string]int64), Rare: make(map[string]int64), Last: make(map[scope]float64),
		Best: make(map[scope]TruthInterval)}
}

// Spent returns what the responses so far cost together, in nats.
func (a *Account) Spent() float64 { return 0 - float64(a.Left) } // never -0

// Take takes the line of a look.
func (a *Account) Take(l *Line) {
	if l.Price != nil {
		a.Left = a.Left.Child(-*l.Price)
	}
	if l.RefusedAbove > 0 {
		a.Looks[form.Refused]++
		a.Rare[form.Refused] += BoolToInt(l.Verdict == form.Refused)
	}
	if l.Verdict == form.Refused {
		return
	}
	a.Looks[l.Show]++
	switch l.Verdict {
	case form.Pass, form.Raise, form.Moved, form.Rejected:
		a.Rare[l.Show]++
	}
	if l.Response != nil {
		a.Last[a.Scope(l)] = *l.Response
	}
	if l.Show == ask.Best {
		a.Best[a.Scope(l)] = a.Best[a.Scope(l)].with(l)
	}
}

// scope is the questions whose answers are compared: of one kind, one metric and the same rows.
type scope struct {
	show, metric, where string
	epoch               int64
}

// Scope returns the questions whose answers are compared with the answer of a line.
func (a *Account) Scope(l *Line) scope { return scope{l.Show, l.Metric, l.Where, a.Epoch} }

// Outer returns the lesser of two numbers for the sign -1 and the greater for 1, nil if one is.
func Outer(x, y *float64, sign float64) *float64 {
	if x == nil || y == nil {
		return nil
	}
	if (*y-*x)*sign > 0 {
		return y
	}
	return x
}

// Copy returns an account that goes on apart.
func (a *Account) Copy() *Account {
	next := *a
	next.Looks, next.Rare, next.Last, next.Best = cloned(a.Looks), cloned(a.Rare), cloned(a.Last), cloned(a.Best)
	return &next
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	next := make(map[K]V, len(m)+1)
	for k, v := range m {
		next[k] = v
	}
	return next
}
