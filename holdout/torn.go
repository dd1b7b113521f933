package holdout

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// cutShort reports whether a crash can have left a text of the next line. Lines are appended by one write, of
// which a crash can leave the beginning, and after it bytes of zero where the file system had made the file longer
// first. Nothing follows such a text but the end of line with which the next write begins. That write may be cut short
// too, after the end of line or later. So a text that was cut short may be anywhere in the file, but always in the
// place of a line, and it is never empty. Zeros that may have taken the place of two writes are no crash: the first of
// these was on the disk before the second began.
func (h *history) cutShort(text string) bool {
	start := strings.TrimRight(text, "\x00")
	if len(text) == 0 || len(start) < len(text) && len(text) >= h.twoWrites() {
		return false
	}
	heads := []string{
		fmt.Sprintf(`{"event":"%s","look":%d`, Looked, h.looks+1),
		fmt.Sprintf(`{"event":"%s"`, Retired),
	}
	if h.plan.grows() {
		heads = append(heads, changedHead)
	}
	for _, head := range heads {
		rest, ok := strings.CutPrefix(start, head)
		if strings.HasPrefix(head, start) || ok && h.begins(start, rest) {
			return true
		}
	}
	return false
}

// changedHead begins the line of a change of the rows. A line that was cut short after it shows no response.
const changedHead = `{"event":"` + Changed + `"`

// twoWrites is the least length of the next write and one after it, which may retire the ledger. All finalists are one
// write, which names of files make longer, and which only the end of the ledger can follow.
func (h *history) twoWrites() int {
	zero, fingerprint := 0., strings.Repeat("0", 2*sha256.Size)
	const when = "2006-01-02T15:04:05Z"
	look := Line{Event: Looked, Look: h.looks + 1, Time: when, Metric: Accuracy, Fingerprint: fingerprint}
	if h.plan.Incumbent != nil {
		look.Incumbent, look.Predictions = fingerprint, fingerprint
	}
	switch feedback := h.plan.goal.Feedback; {
	case h.plan.Open != nil: // the shortest line: a score in the lowest cell, at no price
		look.Show, look.Response, look.Predictions = ShowScore, &zero, fingerprint
		look.Shown = Shown{Rows: 1, Below: &zero, Price: &zero, Lower: &zero, Upper: &zero}
		for _, m := range h.plan.Metrics {
			if len(m) < len(look.Metric) {
				look.Metric = m
			}
		}
	case h.plan.Arrival != nil: // rows that come take a shorter line than a look
		added := LabelsFile{Fingerprint: fingerprint}
		look = Line{Event: Changed, Time: when, Shown: Shown{Rows: 1}, Change: Change{Labels: &added}}
	case h.plan.Promise.Test != "":
		look.Verdict = Pass
	case feedback == transfer.Gate:
		look.Verdict, look.Bar = Pass, &zero
	case feedback == transfer.Flags:
		look.Response, look.Verdict, look.Guess = &zero, Moved, &zero
	default:
		look.Response = &zero
	}
	keyed := h.plan.HasColumns() && (h.plan.Schema == columnSchema || h.plan.Incumbent == nil)
	if keyed && look.Predictions != "" { // a look at a column has a key in the place of hashes
		look.Fingerprint, look.Predictions, look.Incumbent = "", "", ""
		look.Key, look.With, look.Name = fingerprint, 1, "n"
	}
	one, err := h.append([]Line{look})
	both, again := h.append([]Line{look, {Event: Retired, Time: when}})
	switch {
	case err != nil || again != nil:
		return 0
	case h.plan.goal.Feedback == transfer.Final:
		return 2 * (len(both) + int(h.plan.goal.Queries-1)*len(one))
	}
	return len(both)
}

// begins reports whether a text is the beginning of a line, if its rest follows the event and the look.
func (h *history) begins(text, rest string) bool {
	for _, m := range members[2:] { // after the event and the look
		key := "," + m.key
		if strings.HasPrefix(key, rest) {
			return true
		}
		value, ok := strings.CutPrefix(rest, key)
		if !ok {
			continue
		}
		n := m.length(value)
		if n < 0 || n == len(value) {
			return n >= 0
		}
		rest = value[n:]
	}
	return strings.HasPrefix(string(lineEnds.seal(fork(h.past), []byte(text[:len(text)-len(rest)]))), text)
}
