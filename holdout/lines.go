package holdout

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/sample"
)

// history is the past of a ledger as its files have it.
type history struct {
	rule.Past
	known  map[string][]int // the lines of the looks, by their fingerprints
	best   *LabelsFile      // the incumbent, if a candidate has passed or the rows have changed
	rows   sample.Sources   // of an open ledger
	chain  string           // the head's
	inHand bool             // a look was being taken, which is not in it
	reader *form.LineReader
	took   func(line string) // is told of each line, nil for nobody
}

func newHistory(p *Plan) *history {
	h := &history{Past: rule.Past{Plan: p, Account: rule.NewAccount()}, known: make(map[string][]int)}
	h.rows, h.reader = sample.SourcesOf(p), form.NewLineReader()
	h.chain = journal.PlanEnds.Chain(string(p.Sealed))
	return h
}

// Ended reports whether the ledger is retired.
func (h *history) Ended() bool { return h.Retired }

// Line takes a whole line with its chain.
func (h *history) Line(text, chain string) error {
	if h.took != nil {
		h.took(text)
	}
	read, err := h.reader.Read(text)
	l := &Line{Line: *read}
	switch {
	case err != nil:
	case l.Event == Retired:
		h.Retired = true
	case l.Event == Changed && h.Plan.Grows():
		h.rows = h.rows.After(*l)
		h.Account.Epoch++
		if current := h.incumbent(); current != nil {
			h.best = &LabelsFile{Path: cmp.Or(l.Path, current.Path)}
		}
	case l.Event != Looked || l.Look != h.Looks+1:
		err = fmt.Errorf("got %s %d, want look %d", shown(l.Event), l.Look, h.Looks+1)
	case l.Conditions != nil && !l.Tells():
		err = fmt.Errorf("got %d conditions, want %d with a bar", len(l.Conditions), len(l.All)+1)
	default:
		h.count(l)
		if l.Show == ShowBest {
			l.Best = h.Account.Best[h.Account.Scope(l)]
		}
	}
	if err != nil {
		return err
	}
	h.chain = chain
	l.Chain = chain
	h.Lines = append(h.Lines, *l)
	return nil
}

// count counts the look of the next line.
func (h *history) count(l *Line) {
	h.Looks++
	h.known[idOf(*l)] = append(h.known[idOf(*l)], len(h.Lines))
	if l.Response != nil {
		h.Board = l.Response
	}
	if current := h.incumbent(); current != nil && current.Fingerprint == "" {
		h.best = &LabelsFile{Path: current.Path, Fingerprint: l.Incumbent}
	}
	switch l.Verdict {
	case Pass:
		h.Passes++
		if h.promotes(*l) {
			h.best = &LabelsFile{Path: l.Path, Fingerprint: l.Predictions}
		}
	case Moved:
		h.Flags++
	case Refused:
		h.Refused++
	}
	if h.Plan.IsOpen() {
		h.Account.Take(l)
	}
}

// promotes reports whether the candidate of a look is the incumbent from there on. A pass on some of the rows makes
// none.
func (h *history) promotes(l Line) bool {
	return l.Verdict == Pass && h.Plan.Compares() && l.Where == ""
}

// incumbent is the file that a candidate is compared with, nil if the plan is for no differences. After a change of the
// rows it has no fingerprint: its values for the new rows are the values of the next look.
func (h *history) incumbent() *LabelsFile {
	if h.best != nil {
		return h.best
	}
	return h.Plan.Incumbent
}

// Torn counts a line that was cut short. A crash cuts a line only before its sync has returned, and its answer is shown
// only after that: then nobody has seen it. But the end of a file that was copied in part, as to a full disk, looks the
// same, and somebody may have seen that answer. The look is spent therefore, and counts as a pass and as a flag; an
// open ledger pays the most that a response may cost. A change of the rows that was cut short has changed nothing.
func (h *history) Torn(text string) {
	if strings.HasPrefix(text, rule.ChangedHead) {
		h.Lines = append(h.Lines, Line{Line: form.Line{Event: Torn}})
		return
	}
	h.Tear()
	h.Lines = append(h.Lines, Line{Line: form.Line{Event: Torn, Look: h.Looks}})
}
