package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// Reasons collects why methods have no answer, for the lines below a table: each reason
// once, with its methods.
type Reasons struct {
	texts   []string
	methods map[string][]string
}

// mostReasons is how many are told.
const mostReasons = 12

// Add notes a method's reason. An empty reason is none.
func (r *Reasons) Add(method, reason string) {
	if reason = Flagged(reason); reason == "" {
		return
	}
	if r.methods == nil {
		r.methods = make(map[string][]string)
	}
	if !slices.Contains(r.texts, reason) {
		r.texts = append(r.texts, reason)
	}
	if !slices.Contains(r.methods[reason], method) {
		r.methods[reason] = append(r.methods[reason], method)
	}
}

// LeavesOut reports whether people do not see a method's row, and notes why.
func (r *Reasons) LeavesOut(method string, status transfer.Status, reason string) bool {
	if status != transfer.NotApplicable || method == "" {
		return false
	}
	r.Add(method, reason)
	return true
}

// Lines are the reasons in the order in which they came.
func (r *Reasons) Lines() []string {
	var lines []string
	for i, text := range r.texts {
		if i == mostReasons {
			return append(lines, fmt.Sprintf("and %d more reasons; -f csv has them all", len(r.texts)-mostReasons))
		}
		lines = append(lines, strings.Join(r.methods[text], ", ")+": "+text)
	}
	return lines
}

// Assumed is a note on what a bound rests on.
func Assumed(hypotheses []string) []string {
	if len(hypotheses) == 0 {
		return nil
	}
	return []string{"Hypotheses: " + strings.Join(hypotheses, "; ")}
}

// flagged is what libraries say in words, with the flags of the commands.
var flagged = strings.NewReplacer(
	"needs the delta of the whole", "needs --target-delta",
	"needs the mu of each step", "needs --mu of each step",
	"needs the epsilon of each step", "needs --epsilon of each step",
	"needs a 0/1 query", "needs a 0/1 query (--query binary)",
	"needs a budget of", "needs a budget of",
	"needs a budget", "needs a budget (--budget)",
	"sd_j from the schedule;", "sd_j from the schedule (--schedule writes it);",
	"from the table of the plan", "from the table of the plan (--schedule writes it)",
	"needs an open plan", "needs an open plan (--open)",
	"needs the feedback ", "needs --feedback ",
	"needs a slack above", "needs a --slack above",
	"needs a number of transcripts", "needs a number of transcripts (--transcripts or --ln-transcripts)",
)

// Flagged adds the flags to a library's text.
func Flagged(text string) string { return flagged.Replace(text) }
