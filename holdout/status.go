package holdout

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/fixed"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/sample"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
)

// Margin returns how far above its bar a truth may be that fails a gate over all rows of an open ledger, at the worst
// bar, after the gates ahead with the usual bet. What passes is above the bar. Gates of 0/1 values have less.
func (s Status) Margin() (float64, error) {
	return open.MarginAfter(s.Plan, s.account, s.Ahead, s.Rows, s.Clusters)
}

// sources are the files that the rows come from.
func (h *history) sources() []Source { return slices.Clone(h.rows.Sources) }

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
	account *rule.Account
}

// Foretold says how far the truth of what fails a gate of an open ledger may be above the bar, "" for another ledger.
func (s Status) Foretold() string {
	margin, err := s.Margin()
	if !s.Plan.IsOpen() || s.Retired || err != nil {
		return ""
	}
	return fmt.Sprintf("If a candidate fails a gate %s, its true value is at most %s above the bar.", s.Ahead, text.Up(margin))
}

// State returns open, used up or retired.
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
	lines := slices.Clone(h.Lines)
	if h.Plan.IsOpen() {
		rule.Intersect(lines)
	}
	return lines
}

func (h *history) status() Status {
	return Status{
		Plan: h.Plan, Looks: h.Looks, Torn: h.TornLooks, Remaining: h.Plan.Rule.Remaining(h.Past), Retired: h.Retired,
		Incumbent: h.incumbent(), Chain: h.chain, LooksPerDay: h.Pace(), InHand: h.inHand,
		Sources: h.sources(), Rows: h.Samples(), Clusters: h.Sizes(), Spent: h.Account.Spent(),
		account: h.Account.Copy(),
	}
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
	return VerifyTelling(dir, chain, func(int64) {})
}

// VerifyTelling is [Verify], and tells at each line how many bytes of the log were read.
func VerifyTelling(dir, chain string, tell func(read int64)) (Verified, error) {
	j := journalOf(dir)
	begin, read := j.Begin, int64(0)
	j.Begin = func(plan []byte) (*history, error) {
		h, err := begin(plan)
		if err == nil {
			h.took = func(line string) {
				read += int64(len(line)) + 1
				tell(read)
			}
		}
		return h, err
	}
	h, err := j.Read()
	if err != nil {
		return Verified{}, notLedger(err)
	}
	if err := cmp.Or(h.Plan.Certified(), h.Plan.Rule.Replay(h.Past)); err != nil {
		return Verified{}, err
	}
	if h.Plan.KeepsColumn() {
		if _, err := sample.ReadKept(dir, h.incumbent().Path); err != nil {
			return Verified{}, err
		}
	}
	v := Verified{Status: h.status(), After: -1}
	if v.AsRun, err = fixed.AsRun(h.Plan); err != nil {
		return Verified{}, err
	}
	head := journal.PlanEnds.Chain(string(h.Plan.Sealed))
	if chain == "" || chain == head {
		v.After = 0
	}
	for i, l := range h.Lines {
		if l.Chain != "" && l.Chain == chain {
			v.After = int64(i) + 1
		}
	}
	if v.After < 0 {
		return v, corrupt("the chain %s is not in the ledger: these are other files, or an older copy", shown(chain))
	}
	return v, nil
}
