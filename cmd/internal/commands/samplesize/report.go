package samplesize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/bibliography"
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A report is the paragraph of a methods section that states a plan: the goal, the
// mechanism with its noise, the number of records, what it forbids, the theorem and
// whether anyone has refereed its proof, its assumptions, and the keys under which dpcalc
// cite has the sources.

// report returns one paragraph for each goal: the best row's or, where no row is
// adaptive, the row of the best method that has an answer.
func (s *request) report(rows [][]goals.Row, t record.Prose) string {
	var paragraphs []string
	for _, group := range rows {
		best := bestOf(group)
		for i := range group {
			r := &group[i]
			switch {
			case r.Status != transfer.OK:
			case best == nil, !best.Best && r.IsBetter(best.Answer, s.unknown):
				best = r
			}
		}
		if best == nil {
			paragraphs = append(paragraphs, t.Escape("No method answers this goal: "+s.goalText(group[0].Goal))+".\n")
			continue
		}
		paragraphs = append(paragraphs, s.paragraph(best, t))
	}
	return strings.Join(paragraphs, "\n")
}

// goalText lists what a goal gives.
func (s *request) goalText(g transfer.Goal) string {
	g = asked(g, s.unknown)
	var parts []string
	at := goals.Row{Answer: transfer.Answer{Goal: g}}
	for _, p := range goals.Parameters {
		if p.Column.Cell == nil || p.Flag.Name == "sensitivity" {
			continue
		}
		if value := p.Column.Cell(&at); value.Form != record.Missing {
			parts = append(parts, record.Titles([]goals.Column{p.Column})[0]+" "+record.People(value))
		}
	}
	return strings.Join(parts, ", ")
}

// asked is the goal as it was put, without what was solved for.
func asked(g transfer.Goal, u transfer.Unknown) transfer.Goal {
	switch u {
	case transfer.Samples:
		g.Samples = 0
	case transfer.Queries:
		g.Queries = 0
	case transfer.Tau:
		g.Tau = 0
	case transfer.Beta:
		g.Beta = 0
	}
	return g
}

// paragraph states what a row plans.
func (s *request) paragraph(r *goals.Row, t record.Prose) string {
	m := r.Method
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	count := func(n int64) string { return t.Number(record.People(record.Count(n))) }
	number := func(x float64) string { return t.Number(record.People(record.Exactly(x))) }

	query := goals.QueryName(r.Goal)
	write("We planned for ")
	if m.IsOpen() {
		write("any number of %s queries", query)
	} else if r.Queries == 1 {
		write("one %s query", query)
	} else {
		write("%s %s queries", count(r.Queries), query)
	}
	write("%s", t.Escape(rangeWords(r.Goal)))
	switch d := goals.SensitivityOf(r); r.Query {
	case transfer.Sensitive:
		write(", each of which one row moves by at most %s/n", t.Number(record.People(d)))
	case transfer.Minimization:
		write(", each the difference of two candidates' losses, which one row moves by at most %s/n each",
			t.Number(record.People(d)))
	}
	write(", ")
	switch {
	case m.Adaptive && r.Feedback == transfer.Final:
		write("chosen before any of them is scored on these rows, ")
	case m.Adaptive && (m.IsOpen() || r.Queries > 1):
		write("each of which may depend on the answers to those before it, ")
	case !m.Adaptive && !m.Procedure:
		write("fixed before the data were seen, ")
	}
	write("on a sample of %s", s.sampleText(r, count))
	if r.Arrival != nil {
		write(" at the first query and %s at query %s, %s", count(r.LastSamples()), count(r.Queries), goals.ArrivalWords(r.Goal))
	}
	write(". ")

	accuracy := r.Tau
	thresholdout := r.Mechanism.Threshold != 0 && isNoisy(r.Mechanism)
	if s.unknown == transfer.None || thresholdout { // the budget of Thresholdout goes with its own tau
		accuracy = r.TauAchieved
	}
	switch run := r.Mechanism; {
	case m.Procedure:
		write("They are the output of a procedure that is differentially private with %s = %s", t.Symbol("epsilon"),
			number(run.Epsilon))
		if run.LnDelta != 0 {
			write(" and %s = %s", t.Symbol("delta"), t.Power(record.People(record.Number(run.LnDelta.Ln()))))
		}
		write(". ")
	case isNoisy(run) && run.Threshold != 0:
		write("Answers come from Thresholdout with threshold %s = %s, noise scale %s = %s and a budget of %s answers that overfit the training set. ",
			t.Symbol("T"), number(run.Threshold), t.Symbol("sigma"), number(run.Scale), count(r.Budget))
	case run.Schedule != nil && run.ScaleFirst != run.Scale:
		verb := "falls"
		if run.Rises() {
			verb = "goes"
		}
		write("To the value on the sample we add independent Gaussian noise, whose standard deviation %s from %s for the first answer to %s for the last. ",
			verb, number(run.ScaleFirst), number(run.Scale))
	case isNoisy(run) && run.Noise == "gaussian":
		write("To the value on the sample we add independent Gaussian noise of standard deviation %s. ", number(run.Scale))
	case isNoisy(run):
		write("To the value on the sample we add independent Laplace noise of scale %s. ", number(run.Scale))
	case m.IsOpen():
		write("%s", openText(r, t, accuracy))
	case m.Feedbacks != nil && r.Feedback != transfer.Answers:
		write("%s", s.shownText(r, t))
	case run.QueryWidths != nil:
		write("Each answer is the value on the sample, rounded to the nearest multiple of a width that was fixed in advance for each query. ")
	case run.Cells != 0:
		write("Each answer is the value on the sample, rounded to the nearest of %s cell midpoints. ", count(run.Cells))
	case m.Splits && r.Queries > 1:
		write("The sample is cut into %s equal parts, and each query is answered on a part of its own. ", count(r.Queries))
	default:
		write("Each answer is the value on the sample. ")
	}
	if cut := r.Mechanism.Cut; cut > 0 {
		write("The noise of an answer is drawn again until it is within %s standard deviations, and not clipped. ", number(cut))
	}
	switch {
	case m.IsOpen() && isNoisy(r.Mechanism):
		write("The noise is drawn afresh for every answer. Neither it nor anything else about the sample is shown to anybody. The schedule has been computed for %s, and nothing is claimed of later ones. ",
			count(r.Queries)+" answers")
	case m.IsOpen():
		write("Nothing else about the sample is shown to anybody. ")
	case m.Adaptive:
		write("%s", secrecy(r.Mechanism))
	}

	write("Except with probability at most %s, %s", t.Number(record.People(record.Chance(r.Beta))),
		promise(r, number(accuracy), number(2*accuracy)))
	if thresholdout {
		write(" as long as fewer than %s queries have had a value on the training set that is off by more than half of that",
			count(r.Budget))
	}
	sources, assumes := m.Rests(r.Answer)
	write(", by the method %s of dpcalc %s, %s%s. ", t.Code(m.Name), t.Escape(usage.Version()), t.Link(bibliography.Home),
		t.Cite(sources))
	if proof, _ := m.Proven(r.Answer); proof != theory.Published {
		write("%s", commands.ProofText(proof, sources, m.Given(r.Answer), t))
	}
	used := !slices.Contains(m.Unused(r.Answer), "disagreement")
	if r.Disagreement != 0 && used && !r.Mechanism.LowVariance { // which assumes it by itself
		write("The two models of a difference are taken to differ on at most %s of the population. ", number(r.Disagreement))
	}
	if s.promise != "" {
		write("The metric is %s. ", t.Escape(s.promise))
	}
	write("Assumptions: %s.", t.Escape(strings.Join(assumes, "; ")))

	var wrapped strings.Builder
	printed.Fill(&wrapped, b.String())
	return wrapped.String()
}

// sampleText says what the rows are.
func (s *request) sampleText(r *goals.Row, count func(int64) string) string {
	benchmark, drawn := r.Sample.(transfer.Subset)
	switch {
	case drawn:
		words := count(r.Samples) + " rows, drawn uniformly without replacement"
		if r.Method.IsRedrawn() {
			words += " and afresh for every query"
		}
		return words + " from a benchmark of " + count(benchmark.Items) + " items, which is the population"
	case s.area() != "":
		return count(r.Samples) + " rows, drawn within each of two classes (" + s.area() + "), of models that were made without them"
	case s.grid.Clusters != nil:
		return s.grid.Clusters.Words() + ", independent of each other"
	}
	return count(r.Samples) + " rows"
}

// area says of which classes an AUC is, "" for other queries.
func (s *request) area() string {
	words, _ := goals.ClassesWords(s.grid.Base)
	return words
}

// openText says what an open plan shows.
func openText(r *goals.Row, t record.Prose, tau float64) string {
	count := func(n int64) string { return t.Number(record.People(record.Count(n))) }
	number := func(x float64) string { return t.Number(record.People(record.Exactly(x))) }
	steps := "steps of " + number(r.Mechanism.Step)
	text, rare := "A guess comes with each query. Nothing is shown but that it holds or, in "+steps+", where the value on the sample is", "corrections"
	switch r.Feedback {
	case transfer.Gate:
		text, rare = "Of a test nothing but pass or fail is shown", "passes"
		switch run := r.Mechanism; {
		case run.PassCount > 0:
			text += ", and query " + count(r.Queries) + " passes if it is 1 on at least " + count(run.PassCount) + " rows of the sample"
		case run.PassAt.Given:
			text += ", and query " + count(r.Queries) + " passes if its value on the sample is at least " + number(run.PassAt.Value)
		}
	case transfer.Best:
		text, rare = "Nothing but the best score so far is shown, in "+steps, "raises"
	}
	return text + ". What a query promises depends on what was shown before it. The accuracy, " + number(tau) + ", is that of query " +
		count(r.Queries) + ", if it is number " + count(r.Rare()) + " of the " + rare + " or none of them. "
}

// shownText says what a method for less feedback than answers shows.
func (s *request) shownText(r *goals.Row, t record.Prose) string {
	count := func(n int64) string { return t.Number(record.People(record.Count(n))) }
	number := func(x float64) string { return t.Number(record.People(record.Exactly(x))) }
	switch run := r.Mechanism; r.Feedback {
	case transfer.Gate:
		text := "Of a test nothing but pass or fail is shown. A test passes if its value on the sample is at least its bar plus " +
			number(r.Tau)
		switch {
		case r.Ratio.IsGiven():
			text = "Of a test nothing but pass or fail is shown. A test passes if its mean of N - C D, C its bar, is large enough for how many rows the model predicts positive"
		case run.PassCount > 0:
			text = "Of a test nothing but pass or fail is shown. A test passes if its query is 1 on at least " +
				count(run.PassCount) +
				" rows of the sample"
		case run.PassAt.Given:
			text = "Of a test nothing but pass or fail is shown. A test passes if its value on the sample is at least " +
				number(run.PassAt.Value)
		}
		if r.Passes == 0 || r.Passes == r.Queries {
			return text + ". "
		}
		return text + "; after the pass with the number " + count(r.Passes) + " nothing is shown any more. "
	case transfer.Best:
		return "Nothing but the best score so far is shown, in steps that were fixed in advance. "
	case transfer.Flags:
		return "A guess comes with each query. It is answered by the guess if the value on the sample is within " +
			number(run.Threshold) + " of it, and else by the guess moved towards that value in steps that were fixed in advance; after " + count(r.Budget) + " such corrections nothing is answered any more. "
	}
	return "The values on the sample are shown once, together, after all of the queries have been chosen. "
}

// promise is what a row certifies for an accuracy, of which twice is also given.
func promise(r *goals.Row, tau, twice string) string {
	oneSided := r.OneSided && r.Method.OneSided
	verb := "is within " + tau + " of"
	if oneSided {
		verb = "exceeds by at most " + tau
	}
	switch {
	case r.Method.IsOpen() && r.Feedback == transfer.Gate:
		return "every test that passes has a population value above its bar, and that query, if it fails, one of at most " + twice +
			" above its bar"
	case r.Method.IsOpen() && r.Feedback == transfer.Best:
		return "the best population score up to that query is within " + tau + " of the middle of the interval shown"
	case r.Method.IsOpen() && r.Feedback == transfer.Flags:
		return "the population value of that query is within " + tau + " of the middle of the interval shown"
	case r.Method.Procedure:
		return "the sample value of every query is within " + tau + " of its population value"
	case r.Feedback == transfer.Gate && oneSided:
		return "every test that passes has a population value above its bar"
	case r.Feedback == transfer.Gate:
		return "every test that passes has a population value above its bar, and every test whose population value is at least " +
			twice + " above its bar passes"
	case r.Method.IsOpen():
		return "each of these answers " + verb + " its population value"
	case r.Feedback == transfer.Best:
		return "the score shown " + verb + " the best population score so far, at all times"
	}
	return "every answer " + verb + " its population value"
}

// secrecy says what an adaptive guarantee depends on beyond the mechanism itself.
func secrecy(run transfer.Mechanism) string {
	const end = "about the sample is shown to anybody, and answering stops "
	switch {
	case isNoisy(run) && run.Threshold != 0:
		return "Neither the noise nor anything else " + end + "when the budget is spent, or after the last query. "
	case isNoisy(run):
		return "The noise is drawn afresh for every answer. Neither it nor anything else " + end + "after the last query. "
	}
	return "Nothing else " + end + "after the last query. "
}

// isNoisy says whether answers carry noise: a single answer of a schedule may have none.
func isNoisy(run transfer.Mechanism) bool {
	return run.Noise != "" && max(run.Scale, run.ScaleFirst) > 0
}
