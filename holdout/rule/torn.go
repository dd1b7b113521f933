package rule

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// Begins reports whether a crash can have left a text of the next line.
func (h *Past) Begins(text string, c *journal.Chain) bool {
	heads := []string{
		fmt.Sprintf(`{"event":"%s","look":%d`, form.Looked, h.Looks+1),
		fmt.Sprintf(`{"event":"%s"`, form.Retired),
	}
	if h.Plan.Grows() {
		heads = append(heads, ChangedHead)
	}
	for _, head := range heads {
		rest, ok := strings.CutPrefix(text, head)
		if strings.HasPrefix(head, text) || ok && form.Begins(text, rest, c) {
			return true
		}
	}
	return false
}

// ChangedHead begins the line of a change of the rows. A line that was cut short after it shows no response.
const ChangedHead = `{"event":"` + form.Changed + `"`

// TwoWrites returns the least length of the next write and one after it, which may retire the ledger. All finalists are
// one write, which names of files make longer, and which only the end of the ledger can follow.
func (h *Past) TwoWrites(c *journal.Chain) int {
	zero, fingerprint := 0., strings.Repeat("0", 2*sha256.Size)
	const when = "2006-01-02T15:04:05Z"
	look := form.Line{Event: form.Looked, Look: h.Looks + 1, Time: when, Request: form.Request{Metric: metric.Accuracy,
		Fingerprint: fingerprint}}
	if h.Plan.Compares() {
		look.Incumbent, look.Predictions = fingerprint, fingerprint
	}
	switch feedback := h.Plan.Goal.Feedback; {
	case h.Plan.IsOpen(): // the shortest line: a score in the lowest cell, at no price
		look.Show, look.Response, look.Predictions = ask.Score, &zero, fingerprint
		look.Shown = form.Shown{Below: &zero, Price: &zero, Lower: &zero, Upper: &zero, Counted: form.Counted{Rows: 1}}
		for _, m := range h.Plan.Metrics {
			if len(m) < len(look.Metric) {
				look.Metric = m
			}
		}
	case h.Plan.Design().Arrives(): // rows that come take a shorter line than a look
		added := form.LabelsFile{Fingerprint: fingerprint}
		look = form.Line{Event: form.Changed, Time: when, Shown: form.Shown{Counted: form.Counted{Rows: 1}},
			Change: form.Change{Labels: &added}}
	case h.Plan.Promise.Test != "":
		look.Verdict = form.Pass
	case feedback == transfer.Gate:
		look.Verdict, look.Bar = form.Pass, &zero
	case feedback == transfer.Flags:
		look.Response, look.Verdict, look.Guess = &zero, form.Moved, &zero
	default:
		look.Response = &zero
	}
	keyed := h.Plan.HasColumns() && (h.Plan.Schema == form.ColumnSchema || !h.Plan.Compares())
	if keyed && look.Predictions != "" { // a look at a column has a key in the place of hashes
		look.Fingerprint, look.Predictions, look.Incumbent = "", "", ""
		look.Key, look.With, look.Name = fingerprint, 1, "n"
	}
	first, err := json.Marshal(look)
	end, again := json.Marshal(form.Line{Event: form.Retired, Time: when})
	if err != nil || again != nil {
		return 0
	}
	if one, both := len(c.Appended(first)), len(c.Appended(first, end)); h.IsOneWrite() {
		return 2 * (both + int(h.Plan.Goal.Queries-1)*one)
	} else {
		return both
	}
}

// IsOneWrite reports whether all lines are one write: finalists are, with the end of their ledger.
func (h *Past) IsOneWrite() bool { return h.Plan.Goal.Feedback == transfer.Final }
