package audit

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Ledger holds the false alarm of a suite of statistical tests: by the union bound the
// probability that any test refutes a true claim is at most the total. Every audit
// takes its false alarm from a ledger, so no test can be forgotten in the sum. It is
// safe for concurrent use.
type Ledger struct {
	total theory.LogProb
	mu    sync.Mutex
	spent num.DD // share of the total
	names map[string]*Alarm
}

// NewLedger returns a ledger for a total false alarm in (0, 1).
func NewLedger(total theory.LogProb) (*Ledger, error) {
	if err := theory.Domain(total.IsInterior(), "false alarm", total, "a number in (0, 1)"); err != nil {
		return nil, err
	}
	return &Ledger{total: total, names: map[string]*Alarm{}}, nil
}

// Alarm is the false-alarm probability of one test. It serves once.
type Alarm struct {
	ledger *Ledger
	entry  Entry
	used   bool
}

// Entry is a line of the ledger. Samples is 0 until the test has run.
type Entry struct {
	Name       string
	Alpha      theory.LogProb
	Samples    int64
	Verdict    Verdict
	Detectable float64 // in the unit of the test; see its result
}

// Draw takes alpha in (0, 1) from the ledger for the test of that name. It returns a
// DomainError if the name is empty or taken, or if the draws would exceed the total,
// beyond 1e-12 relative for the rounding of the logarithms; it then takes nothing.
func (l *Ledger) Draw(name string, alpha theory.LogProb) (*Alarm, error) {
	if err := theory.Domain(alpha.IsInterior(), "false alarm", alpha, "a number in (0, 1)"); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	spent := l.spent.Add(num.FromFloat((alpha - l.total).Value()))
	if err := theory.Domain(spent.Float() <= 1+1e-12, "false alarm of "+name, alpha,
		"no more than what is left of "+l.total.String()); err != nil {
		return nil, err
	}
	if err := theory.Domain(name != "" && l.names[name] == nil, "name", fmt.Sprintf("%q", name),
		"a name that has not drawn"); err != nil {
		return nil, err
	}
	l.spent = spent
	l.names[name] = &Alarm{ledger: l, entry: Entry{Name: name, Alpha: alpha}}
	return l.names[name], nil
}

// Entries returns the lines of the ledger by name.
func (l *Ledger) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := make([]Entry, 0, len(l.names))
	for _, a := range l.names {
		entries = append(entries, a.entry)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return entries
}

// spend returns the alarm's alpha, once.
func (a *Alarm) spend() (theory.LogProb, error) {
	if err := theory.Domain(a != nil, "alarm", "none", "a draw from a ledger"); err != nil {
		return 0, err
	}
	a.ledger.mu.Lock()
	defer a.ledger.mu.Unlock()
	if err := theory.Domain(!a.used, "alarm", a.entry.Name, "a draw that no test has used"); err != nil {
		return 0, err
	}
	a.used = true
	return a.entry.Alpha, nil
}

// record enters what the test did.
func (a *Alarm) record(samples int64, v Verdict, detectable float64) {
	a.ledger.mu.Lock()
	defer a.ledger.mu.Unlock()
	a.entry.Samples, a.entry.Verdict, a.entry.Detectable = samples, v, detectable
}
