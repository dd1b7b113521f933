package holdout

import (
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/text"
)

// report is the paragraph of a methods section on an open ledger: its rows, its looks by what they showed, what is
// promised and by which theorem, and what is not.
func report(s holdout.Status, lines []holdout.Line) string {
	looks, rare, changes := make(map[string]int), make(map[string]int), 0
	for _, l := range lines {
		switch l.Event {
		case holdout.Changed:
			changes++
		case holdout.Looked:
			looks[l.Show]++
			switch l.Verdict {
			case holdout.Pass, holdout.Raise, holdout.Moved, holdout.Rejected:
				rare[l.Show]++
			}
		}
	}
	var kinds []string
	for _, k := range []struct{ show, of, rare string }{
		{holdout.ShowPass, "gate", "passed"}, {holdout.ShowBest, "board submission", "raised the best score"},
		{holdout.ShowScore, "rounded score", ""}, {holdout.ShowGuess, "guessed score", "did not hold"},
		{holdout.ShowReject, "one-sided test", "rejected"},
	} {
		count := record.Plural(int64(looks[k.show]), k.of)
		switch {
		case looks[k.show] == 0:
		case k.rare == "":
			kinds = append(kinds, count)
		default:
			kinds = append(kinds, fmt.Sprintf("%s, of which %d %s", count, rare[k.show], k.rare))
		}
	}
	if kinds == nil {
		kinds = []string{"none"}
	}
	var b strings.Builder
	rows := record.Plural(s.Rows, "independent row")
	truth := "The truth of a look is the expected score if the same rows were labelled again. It is the population's value only for " +
		"models that were made without these rows. "
	switch g, p := s.Plan.Group, s.Plan.Population; {
	case s.Plan.Pairs != nil:
		rows = fmt.Sprintf("%d positive and %d negative rows, drawn within each class,", s.Plan.Pairs.Positives, s.Plan.Pairs.Negatives)
		truth = "The truth of a look is the expected share of pairs in order, of rows drawn within each class. Every look was its owner's " +
			"run of a model that was made without these rows: given their features the guarantee would be false. "
	case g != nil && g.Weights == holdout.ByClusters:
		rows = fmt.Sprintf("%d rows in %d independent clusters, which count alike,", s.Rows, s.Clusters.Count)
	case g != nil:
		rows = fmt.Sprintf("%d rows in %d independent clusters", s.Rows, s.Clusters.Count)
	case p != nil:
		rows = fmt.Sprintf("%d rows, drawn uniformly without replacement from a benchmark of %d items,", s.Rows, p.Items)
		truth = "The truth of a look is the mean over the benchmark. "
	}
	if s.Plan.Incumbent != nil {
		truth = "Each truth is of a difference from the incumbent. " + truth
	}
	fmt.Fprintf(&b, "The labels of %s were kept in an open ledger. Looks at them so far: %s. ", rows, strings.Join(kinds, "; "))
	if s.Torn > 0 {
		fmt.Fprintf(&b, "A crash cut %s short, at %v nats each, the most that a response may cost. ", record.Plural(s.Torn, "more look"), s.Plan.Open.Most)
	}
	if changes > 0 {
		fmt.Fprintf(&b, "The rows changed %s, for reasons that owe nothing to labels. ", record.Plural(int64(changes), "time"))
	}
	fmt.Fprintf(&b, "Each look carried an interval. With probability at least 1 - %v every interval that the ledger gives holds its "+
		"truth, however many looks there are and whatever each depends on (dpcalc, budget theorem and cell theorem, "+
		"%s; tails by Hoeffding 1963 and 1956). The responses cost %s nats of that probability's "+
		"logarithm. ", s.Plan.Promise.Beta, commands.PublicPage("docs/theorems/open.md"), text.Up(s.Spent))
	if last := len(lines) - 1; last >= 0 && lines[last].Alpha != nil {
		c := lines[last].Close
		fmt.Fprintf(&b, "The ledger was closed for %s computed elsewhere from these rows, each judged at the level %s: "+
			"with probability at least 1 - %v none of them rejects wrongly. ", record.Plural(c.Tests, "p-value"), c.Level(), *c.Alpha)
	}
	b.WriteString(truth + "Nothing else about the labels was shown. The ledger's chain is " + s.Chain + ".\n")
	return b.String()
}
