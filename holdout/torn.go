package holdout

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/transfer"
)

// Begins reports whether a crash can have left a text of the next line.
func (h *history) Begins(text string, c *journal.Chain) bool {
	heads := []string{
		fmt.Sprintf(`{"event":"%s","look":%d`, Looked, h.looks+1),
		fmt.Sprintf(`{"event":"%s"`, Retired),
	}
	if h.plan.grows() {
		heads = append(heads, changedHead)
	}
	for _, head := range heads {
		rest, ok := strings.CutPrefix(text, head)
		if strings.HasPrefix(head, text) || ok && form.Begins(text, rest, c) {
			return true
		}
	}
	return false
}

// changedHead begins the line of a change of the rows. A line that was cut short after it shows no response.
const changedHead = `{"event":"` + Changed + `"`

// TwoWrites returns the least length of the next write and one after it, which may retire the ledger. All finalists are
// one write, which names of files make longer, and which only the end of the ledger can follow.
func (h *history) TwoWrites(c *journal.Chain) int {
	zero, fingerprint := 0., strings.Repeat("0", 2*sha256.Size)
	const when = "2006-01-02T15:04:05Z"
	look := form.Line{Event: Looked, Look: h.looks + 1, Time: when, Metric: Accuracy, Fingerprint: fingerprint}
	if h.plan.Compares() {
		look.Incumbent, look.Predictions = fingerprint, fingerprint
	}
	switch feedback := h.plan.goal.Feedback; {
	case h.plan.IsOpen(): // the shortest line: a score in the lowest cell, at no price
		look.Show, look.Response, look.Predictions = ShowScore, &zero, fingerprint
		look.Shown = Shown{Rows: 1, Below: &zero, Price: &zero, Lower: &zero, Upper: &zero}
		for _, m := range h.plan.Metrics {
			if len(m) < len(look.Metric) {
				look.Metric = m
			}
		}
	case h.plan.design().Arrives(): // rows that come take a shorter line than a look
		added := LabelsFile{Fingerprint: fingerprint}
		look = form.Line{Event: Changed, Time: when, Shown: Shown{Rows: 1}, Change: Change{Labels: &added}}
	case h.plan.Promise.Test != "":
		look.Verdict = Pass
	case feedback == transfer.Gate:
		look.Verdict, look.Bar = Pass, &zero
	case feedback == transfer.Flags:
		look.Response, look.Verdict, look.Guess = &zero, Moved, &zero
	default:
		look.Response = &zero
	}
	keyed := h.plan.HasColumns() && (h.plan.Schema == form.ColumnSchema || !h.plan.Compares())
	if keyed && look.Predictions != "" { // a look at a column has a key in the place of hashes
		look.Fingerprint, look.Predictions, look.Incumbent = "", "", ""
		look.Key, look.With, look.Name = fingerprint, 1, "n"
	}
	first, err := json.Marshal(look)
	end, again := json.Marshal(form.Line{Event: Retired, Time: when})
	if err != nil || again != nil {
		return 0
	}
	if one, both := len(c.Appended(first)), len(c.Appended(first, end)); h.OneWrite() {
		return 2 * (both + int(h.plan.goal.Queries-1)*one)
	} else {
		return both
	}
}
