package advise

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// source is what may have led to a test.
type source struct {
	method string
	by     []string // the flags of the command
	asks   []blank  // and those that take a number
	after  []string // and those that close it
	reason string
}

// blank is a flag whose number may be missing, with the word that stands for it then; without one the flag is left out.
type blank struct{ flag, word string }

var sources = map[string]source{
	"fixed": {method: none, by: []string{"--by", "description", "--outcomes", "1"}, after: []string{"--family", "holm"},
		reason: "A test that was fixed before the data were seen needs no correction for selection: the number of possible tests is one. Several reported tests need a family-wise step."},
	"menu": {method: "bonferroni", by: []string{"--by", "description"}, asks: []blank{{"outcomes", "N"}},
		reason: "Whatever led to the choice, one of N tests that were written down before was chosen, so that alpha/N is valid. N counts every test that might have been chosen."},
	"private": {method: "renyi", by: []string{"--by", "pure-dp"}, asks: []blank{{"epsilon", "EPSILON"}, {"samples", "N"}},
		reason: "All that was known of the sample when the test was chosen came through epsilon-differentially private answers, epsilon being the privacy of all of them together. For (epsilon, delta) or Gaussian privacy: --by approx-dp or --by gdp."},
	"gaussian": {method: "the starred row, renyi or kl", by: []string{"--by", "gaussian"},
		asks:   []blank{{"queries", "M"}, {"noise-sd", "SD"}, {"samples", "N"}},
		reason: "All that was known of the sample when the test was chosen came through M means of values in [0,1], each with Gaussian noise of standard deviation SD."},
	"gate": {method: "gates", by: []string{"--by", "gates"}, asks: []blank{{"looks", "M"}, {"passes", ""}},
		reason: "All that was known of the rows when a test was chosen is which of the earlier tests passed. M counts all tests, and the gate is closed for good at its last pass. No family step follows."},
}

// selection advises on a p-value.
func (i *interview) selection() ([]advice, error) {
	how := i.ask("selection")
	from, ok := sources[how]
	if i.failure != nil || !ok {
		return []advice{{status: transfer.OK, reason: "After a free look at the data no threshold is valid for a test on the same data. Test on fresh rows, or plan ahead: decide a menu, or look through private answers only."}}, i.failure
	}
	p, alpha := i.ask("p"), i.ask("alpha")
	by, complete := slices.Clone(from.by), true
	for _, b := range from.asks {
		number := i.open(b)
		if number == "" {
			complete, number = complete && b.word == "", b.word
		}
		if number != "" {
			by = append(by, "--"+b.flag, number)
		}
	}
	if i.failure != nil {
		return nil, i.failure
	}
	if p != "" {
		from.after = nil
	}
	by = slices.Concat([]string{"--alpha", alpha}, by)
	a := advice{method: from.method, status: transfer.OK, best: true, reason: from.reason,
		words: slices.Concat([]string{"dpcalc", "pvalue-correct", "FILE"}, by, from.after)}
	if p != "" {
		by = slices.Concat([]string{"--p", p}, by)
		a.words = slices.Concat([]string{"dpcalc", "pvalue-correct"}, by)
	}
	if complete {
		if err := a.correct(i, by); err != nil {
			return nil, err
		}
		a.runs = p != ""
	}
	return []advice{a}, nil
}

// open is the number of a blank, "" if it is missing. The passes of a gate have no standard here: nobody has decided
// on them for the person who asks.
func (i *interview) open(b blank) string {
	if _, ok := i.c.Text(b.flag); b.word == "" && !ok {
		return ""
	}
	q := find(b.flag)
	switch b.flag {
	case "samples":
		if _, ok := i.c.Text("samples"); i.clusters && !ok {
			return i.ask("clusters")
		}
		q = q.of("How many rows was the test computed on?",
			"Count what is independent: ten lines of one patient are one row.")
	case "queries":
		q = q.of("How many means were seen?", "All that were seen before the test was chosen, by whoever chose it.")
		q.standard = none
	}
	return i.put(q)
}

// correction is the best row of pvalue-correct, by the names of its columns; nil for none.
type correction map[string]record.Cell

// correct takes the threshold and what it says of the p-value from the command that is recommended.
func (a *advice) correct(i *interview, by []string) (err error) {
	typed := make(usage.Typed)
	for pair := range slices.Chunk(by, 2) {
		typed[strings.TrimPrefix(pair[0], "--")] = pair[1:]
	}
	if a.corrected, err = pvalues.Best(typed, i.asked); err != nil {
		return err
	}
	if a.corrected == nil {
		a.status, a.best = transfer.Infeasible, false
		a.reason += " With these numbers no method leaves any threshold."
		return nil
	}
	if a.method != none {
		a.method = a.corrected["method"].S
	}
	return nil
}

// lines are the correction for people.
func (c correction) lines() (lines []string) {
	if c == nil {
		return nil
	}
	lines = []string{"Threshold: " + record.People(c["threshold"])}
	if reject := c["reject"]; reject.Form != record.Missing {
		verdict := map[bool]string{true: "rejected", false: "not rejected"}[reject.N != 0]
		adjusted := record.Chance(theory.LogProb(c["ln_p_adjusted"].F))
		lines = append(lines, "Adjusted p-value: "+record.People(adjusted)+", "+verdict)
	}
	return lines
}
