package holdout

import (
	"crypto/sha256"
	"time"
)

// Status is how far a ledger has come.
type Status struct {
	Plan        *Plan
	Looks       int64 // spent
	Torn        int64 // of these, cut short by a crash
	Remaining   Remaining
	Retired     bool
	Incumbent   *LabelsFile // of differences: what the next candidate is compared with
	Chain       string
	LooksPerDay float64 // at which the looks were taken so far; 0 if that is not known
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
	if s.LooksPerDay == 0 {
		return 0
	}
	return float64(s.Remaining.Looks) / s.LooksPerDay
}

// ReadStatus reads how far a ledger has come. It needs no labels and no lock.
func ReadStatus(dir string) (Status, error) {
	h, err := read(dir)
	if err != nil {
		return Status{}, err
	}
	return h.status(), nil
}

func (h *history) status() Status {
	return Status{
		Plan: h.plan, Looks: h.looks, Torn: h.torn, Remaining: h.remaining(), Retired: h.retired,
		Incumbent: h.incumbent(), Chain: h.chain, LooksPerDay: h.pace(),
	}
}

// pace is the looks a day between the first and the last of them. It is 0 where the clock says nothing that
// makes sense.
func (h *history) pace() float64 {
	var times []time.Time
	for _, l := range h.lines {
		if t, err := time.Parse(time.RFC3339, l.Time); err == nil && l.Event == Looked {
			times = append(times, t)
		}
	}
	if len(times) < 2 {
		return 0
	}
	days := times[len(times)-1].Sub(times[0]).Hours() / 24
	if !(days > 0) {
		return 0
	}
	return float64(len(times)-1) / days
}

// ReadLog reads the lines of a ledger.
func ReadLog(dir string) (*Plan, []Line, error) {
	h, err := read(dir)
	if err != nil {
		return nil, nil, err
	}
	return h.plan, h.lines, nil
}

// Verified is what [Verify] found: every byte of the files is as it was written, but for lines that a crash has cut
// short, which Torn counts.
type Verified struct {
	Status
	After int64 // after how many lines the chain that was asked for was the head's
}

// Verify reads both files, checks every byte, computes the certificate anew and, if a chain is given, finds it: the
// files are then a continuation of those that had it.
func Verify(dir, chain string) (Verified, error) {
	h, err := read(dir)
	if err != nil {
		return Verified{}, err
	}
	if err := h.plan.Certified(); err != nil {
		return Verified{}, err
	}
	v := Verified{Status: h.status(), After: -1}
	head, _ := planEnds.open(sha256.New(), h.plan.sealed)
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
