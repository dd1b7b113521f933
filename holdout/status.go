package holdout

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
)

// Status is how far a ledger has come.
type Status struct {
	Plan        *Plan
	Looks       int64 // spent
	Torn        int64 // of these, cut short by a crash
	Remaining   Remaining
	Retired     bool
	Incumbent   *LabelsFile // of differences: the file that the next candidate is compared with
	Chain       string
	LooksPerDay float64 // at which the looks were taken so far; 0 if that is not known
	InHand      bool    // a look was being taken, which is not in it
	Sources     []Source
	Rows        int64
	Clusters    *Sizes  // of the rows, nil for independent ones
	Spent       float64 // nats, of an open ledger

	Ahead   Ahead // of an open ledger: when its margin is asked for; the zero value for now
	account account
}

// Ahead is so many more gates, of which so many pass.
type Ahead struct{ Looks, Passes int64 }

// String says when that is.
func (a Ahead) String() string {
	if a.Looks == 0 {
		return " now"
	}
	return fmt.Sprintf(" after %d more looks for a pass, of which %d pass,", a.Looks, a.Passes)
}

// Foretold says how far the truth of what fails a gate of an open ledger may be above the bar, "" for another ledger.
func (s Status) Foretold() string {
	margin, err := s.Margin()
	if !s.Plan.IsOpen() || s.Retired || err != nil {
		return ""
	}
	return fmt.Sprintf("What fails a gate%s is at most %s above its bar.", s.Ahead, text.Up(margin))
}

// State is open, used up or retired.
func (s Status) State() string {
	switch {
	case s.Retired:
		return "retired"
	case s.Remaining.Looks == 0:
		return "used up"
	}
	return "open"
}

// DaysLeft says how many days the remaining looks last at the pace so far; 0 if that is not known.
func (s Status) DaysLeft() float64 {
	if s.LooksPerDay == 0 || s.Plan.IsOpen() {
		return 0
	}
	return float64(s.Remaining.Looks) / s.LooksPerDay
}

// ReadStatus reads how far a ledger has come. It needs no labels, and waits for nobody.
func ReadStatus(dir string) (Status, error) {
	status, _, err := Read(dir)
	return status, err
}

// Read reads how far a ledger has come, and its lines. A look that is being taken is not in them.
func Read(dir string) (Status, []Line, error) {
	h, err := readSettled(journalOf(dir))
	if err != nil {
		return Status{}, nil, err
	}
	return h.status(), h.shownLines(), nil
}

// shownLines are the lines with what is known of their models.
func (h *history) shownLines() []Line {
	lines := slices.Clone(h.lines)
	if h.plan.IsOpen() {
		intersected(lines)
	}
	return lines
}

func (h *history) status() Status {
	return Status{
		Plan: h.plan, Looks: h.looks, Torn: h.torn, Remaining: h.plan.Rule.Remaining(h.Past), Retired: h.retired,
		Incumbent: h.incumbent(), Chain: h.chain, LooksPerDay: h.pace(), InHand: h.inHand,
		Sources: h.sources(), Rows: h.samples(), Clusters: h.sizes(), Spent: h.account.spent(),
		account: h.account.copy(),
	}
}

// pace is the looks a day between the first and the last of them. It is 0 where the clock says nothing that
// makes sense.
func (h *history) pace() float64 {
	looked := func(l Line) bool { return l.Event == Looked }
	first := slices.IndexFunc(h.lines, looked)
	if first < 0 {
		return 0
	}
	last := len(h.lines) - 1
	for !looked(h.lines[last]) {
		last--
	}
	from, err := time.Parse(time.RFC3339, h.lines[first].Time)
	to, err2 := time.Parse(time.RFC3339, h.lines[last].Time)
	days := to.Sub(from).Hours() / 24
	if err != nil || err2 != nil || !(days > 0) {
		return 0
	}
	return float64(h.looks-1) / days
}

// Verified is the finding of [Verify]: every byte of the files is as it was written, but for lines that a crash has cut
// short, which Torn counts.
type Verified struct {
	Status
	After int64 // after how many lines the chain that was asked for was the head's

	// AsRun is the beta of a board of 0/1 scores whose looks an earlier version took by comparing shares with rounded
	// boundaries, and this one takes by counts. Other plans have none.
	AsRun *theory.LogProb
}

// Verify reads both files, checks every byte and the plan's certificate and, if a chain is given, finds it: the
// files are then a continuation of those that had it.
func Verify(dir, chain string) (Verified, error) {
	h, err := journalOf(dir).Read()
	if err != nil {
		return Verified{}, notLedger(err)
	}
	if err := cmp.Or(h.plan.Certified(), h.plan.Rule.Replay(h.Past)); err != nil {
		return Verified{}, err
	}
	if h.plan.keepsColumn() {
		if _, err := h.keptIn(dir); err != nil {
			return Verified{}, err
		}
	}
	v := Verified{Status: h.status(), After: -1}
	if v.AsRun, err = AsRun(h.plan); err != nil {
		return Verified{}, err
	}
	head := journal.PlanEnds.Chain(string(h.plan.sealed))
	if chain == "" || chain == head {
		v.After = 0
	}
	for i, l := range h.lines {
		if l.Chain != "" && l.Chain == chain {
			v.After = int64(i) + 1
		}
	}
	if v.After < 0 {
		return v, corrupt("the chain %s is not in the ledger: these are other files, or an older copy", shown(chain))
	}
	return v, nil
}
