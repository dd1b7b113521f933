package pvalues

import (
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/bibliography"
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
)

// reportable refuses what a paragraph does not tell.
func reportable(c *commands.Call, t commands.Target, g grid, asked, path string) error {
	switch {
	case !c.Is("report"):
		return nil
	case path != "":
		return usage.Errorf("--report: given with %s, want one p-value, or none", usage.Shown(path))
	case asked != "":
		return usage.Errorf("--report: given with --%s, want one of the two", asked)
	case len(g.lists) > 0:
		return usage.Errorf("--report: got a list for --%s, want one value", g.lists[0].flag)
	case t.Format.Prose == nil:
		return usage.Errorf("--report: got the format %s, want %s", t.Format.Name,
			usage.OrList(record.NamesOf(c.Offered(), func(f record.Format) bool { return f.Prose != nil })))
	}
	return nil
}

// report states for a methods section how the selected test is corrected.
func (r request) report(rows []tested, t record.Prose) string {
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	number := func(c record.Cell) string { return t.Number(record.People(c)) }

	write("The test was chosen after the data had been seen. ")
	best := bestOf(rows, tested.verdict)
	switch {
	case r.source == byFree:
		write("Its choice had a free look at them: what was learned of them is not bounded. No theorem gives a threshold at which its p-value, computed on the same data, may reject. ")
	default:
		write("All that was known of them when it was chosen came through the following: %s. ", t.Escape(r.plan.String()))
	}
	if best == nil {
		write("No method of dpcalc %s, %s, leaves a threshold. The result is exploratory, to be tested on fresh data.",
			t.Escape(usage.Version()), t.Link(bibliography.Home))
	} else {
		sources, v := best.by.Sources(best.Correction.Sources), best.verdict()
		write("At level %s the selected test rejects if its p-value, as it was computed, is at most %s",
			number(record.Chance(r.alpha)), number(thresholdCell(&best.Test)))
		if r.p.given {
			verdict := map[bool]string{true: "rejected", false: "not rejected"}[best.adjusted <= best.Alpha]
			write(". The p-value of %s becomes %s after the correction, and the hypothesis is %s", number(record.Chance(r.p.value)),
				number(adjustedCell(&best.Test, best.adjusted)), verdict)
		}
		write(". A true null hypothesis is rejected with probability at most %s, by the method %s of dpcalc %s, %s%s. ",
			number(record.Chance(r.alpha)), t.Code(v.Method), t.Escape(usage.Version()), t.Link(bibliography.Home),
			t.Cite(sources))
		if v.Proof != theory.Published {
			write("%s", commands.ProofText(v.Proof, sources, nil, t))
		}
		write("Assumptions: %s.", t.Escape(strings.Join(v.Assumes, "; ")))
	}
	var filled strings.Builder
	printed.Fill(&filled, b.String())
	return filled.String()
}
