package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A report is the paragraph of a methods section that states a plan: the goal, the
// mechanism with its noise, the number of records, what it forbids, the theorem and
// whether anyone has refereed its proof, its assumptions, and the keys under which dpcalc
// cite has the sources.

// prose is how a paragraph is typeset.
type prose struct {
	number func(string) string          // a number
	power  func(string) string          // e to that power
	symbol func(string) string          // a quantity's letter or name
	code   func(string) string          // a name of the program
	cite   func([]theory.Source) string // references, with the theorem in each
	link   func(string) string          // a public address
	escape func(string) string          // any other text
}

func proseFor(format string) prose {
	plain := func(s string) string { return s }
	eTo := func(s string) string { return "e^" + s }
	switch format {
	case "latex":
		math := func(s string) string { return "$" + s + "$" }
		return prose{
			number: func(s string) string {
				if mantissa, exponent, ok := strings.Cut(s, "e"); ok {
					return math(mantissa + `\times 10^{` + strings.TrimPrefix(strings.Replace(exponent, "-0", "-", 1), "+") + "}")
				}
				return math(strings.ReplaceAll(s, ",", "{,}"))
			},
			power:  func(s string) string { return math("e^{" + s + "}") },
			symbol: func(s string) string { return math(latexSymbols.Replace(s)) },
			code:   func(s string) string { return `\texttt{` + latexText.Replace(s) + "}" },
			link:   func(s string) string { return `\texttt{` + latexText.Replace(s) + "}" },
			cite: func(sources []theory.Source) string {
				var b strings.Builder
				for _, s := range sources {
					b.WriteString(`~\cite`)
					if s.Where != "" {
						b.WriteString("[" + latexText.Replace(s.Where) + "]")
					}
					b.WriteString("{" + s.Key + "}")
				}
				return b.String()
			},
			escape: latexText.Replace,
		}
	case "markdown":
		return prose{
			number: plain, power: eTo, symbol: func(s string) string { return "*" + s + "*" },
			code: func(s string) string { return "`" + s + "`" },
			link: func(s string) string { return "<" + s + ">" },
			cite: func(sources []theory.Source) string {
				return " [@" + joined(sources, ", ", "; @") + "]"
			},
			escape: strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`).Replace,
		}
	}
	return prose{
		number: plain, power: eTo, symbol: plain, code: plain, link: plain, escape: plain,
		cite: func(sources []theory.Source) string { return " (" + joined(sources, ", ", "; ") + ")" },
	}
}

// joined lists sources with what in them is meant.
func joined(sources []theory.Source, within, between string) string {
	texts := make([]string, len(sources))
	for i, s := range sources {
		texts[i] = s.Key
		if s.Where != "" {
			texts[i] += within + s.Where
		}
	}
	return strings.Join(texts, between)
}

var (
	latexSymbols = strings.NewReplacer("tau", `\tau`, "beta", `\beta`, "epsilon", `\varepsilon`, "delta", `\delta`, "sigma", `\sigma`)
	latexText    = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "#", `\#`, "&", `\&`, "$", `\$`, "^", `\^{}`, "<", `$<$`, ">", `$>$`, "{", `\{`, "}", `\}`)
)

// report returns one paragraph for each goal: the best row's or, where no row is
// adaptive, that of the best one that has an answer.
func (s *plan) report(rows [][]row, format string) string {
	t := proseFor(format)
	var paragraphs []string
	for _, group := range rows {
		best := bestOf(group)
		for i := range group {
			r := &group[i]
			if r.Status == transfer.OK && (best == nil || !best.best && better(s.unknown, r.Answer, best.Answer)) {
				best = r
			}
		}
		if best == nil {
			paragraphs = append(paragraphs, t.escape("No method answers this goal: "+s.goalText(group[0].Goal))+".\n")
			continue
		}
		paragraphs = append(paragraphs, s.paragraph(best, t))
	}
	return strings.Join(paragraphs, "\n")
}

// goalText lists what a goal gives.
func (s *plan) goalText(g transfer.Goal) string {
	g = asked(g, s.unknown)
	var parts []string
	for _, q := range []struct {
		name  string
		value cell
	}{{"rows", countCell(g.Samples)}, {"queries", countCell(g.Queries)}, {"tau", numberCell(g.Tau)}, {"budget", countCell(g.Budget)}} {
		if q.value.form != missing {
			parts = append(parts, q.name+" "+people(q.value))
		}
	}
	if g.Beta != 0 {
		parts = append(parts, "beta "+people(chanceCell(g.Beta)))
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
func (s *plan) paragraph(r *row, t prose) string {
	m := r.method
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	count := func(n int64) string { return t.number(people(countCell(n))) }
	number := func(x float64) string { return t.number(people(exactly(x))) }

	write("We planned for ")
	if r.Queries == 1 {
		write("one %s query", r.Query)
	} else {
		write("%s %s queries", count(r.Queries), r.Query)
	}
	switch d := r.sensitivity(); r.Query {
	case transfer.Sensitive:
		write(", each of which one row moves by at most %s/n", t.number(people(d)))
	case transfer.Minimization:
		write(", each the difference of two candidates' losses, which one row moves by at most %s/n each", t.number(people(d)))
	}
	write(", ")
	switch {
	case m.Adaptive && r.Queries > 1:
		write("each of which may depend on the answers to those before it, ")
	case !m.Adaptive && !m.Procedure:
		write("fixed before the data were seen, ")
	}
	write("on a sample of %s rows. ", count(r.Samples))

	switch run := r.Mechanism; {
	case m.Procedure:
		write("They are the output of a procedure that is differentially private with %s = %s", t.symbol("epsilon"), number(run.Epsilon))
		if run.LnDelta != 0 {
			write(" and %s = %s", t.symbol("delta"), t.power(people(numberCell(run.LnDelta.Ln()))))
		}
		write(". ")
	case run.Threshold != 0:
		write("Answers come from Thresholdout with threshold %s = %s, noise scale %s = %s and a budget of %s answers that overfit the training set. ",
			t.symbol("T"), number(run.Threshold), t.symbol("sigma"), number(run.Scale), count(r.Budget))
	case run.Schedule != nil && run.ScaleFirst != run.Scale:
		write("To the value on the sample we add independent Gaussian noise, whose standard deviation falls from %s for the first answer to %s for the last. ",
			number(run.ScaleFirst), number(run.Scale))
	case noisy(run) && run.Noise == "gaussian":
		write("To the value on the sample we add independent Gaussian noise of standard deviation %s. ", number(run.Scale))
	case noisy(run):
		write("To the value on the sample we add independent Laplace noise of scale %s. ", number(run.Scale))
	case run.Cells != 0:
		write("Each answer is the value on the sample, rounded to the nearest of %s cell midpoints. ", count(run.Cells))
	case strings.HasPrefix(m.Name, "splitting") && r.Queries > 1:
		write("The sample is cut into %s equal parts, and each query is answered on a part of its own. ", count(r.Queries))
	default:
		write("Each answer is the value on the sample. ")
	}
	if m.Adaptive {
		write("%s", secrecy(r.Mechanism))
	}

	accuracy := r.Tau
	if s.unknown == transfer.None || r.Mechanism.Threshold != 0 { // the budget of Thresholdout goes with its own tau
		accuracy = r.TauAchieved
	}
	every := "every answer is"
	if m.Procedure {
		every = "the sample value of every query is"
	}
	write("Except with probability at most %s, %s within %s of its population value", t.number(people(chanceCell(r.Beta))), every, number(accuracy))
	if run := r.Mechanism; run.Threshold != 0 {
		write(" as long as fewer than %s queries have had a value on the training set that is off by more than half of that", count(r.Budget))
	}
	write(", by the method %s of dpcalc %s, %s%s. ", t.code(m.Name), t.escape(version()), t.link(home), t.cite(m.Sources))
	if m.Proof == theory.Derived {
		write("The proof of that method is dpcalc's own and has not been refereed: %s. ", proofText(m, t))
	}
	write("Assumptions: %s.", t.escape(strings.Join(m.Assumes, "; ")))

	var wrapped strings.Builder
	fill(&wrapped, b.String())
	return wrapped.String()
}

// secrecy says what an adaptive guarantee depends on beyond the mechanism itself.
func secrecy(run transfer.Mechanism) string {
	const end = "about the sample is shown to anybody, and answering stops "
	switch {
	case run.Threshold != 0:
		return "Neither the noise nor anything else " + end + "when the budget is spent, or after the last query. "
	case noisy(run):
		return "The noise is drawn afresh for every answer. Neither it nor anything else " + end + "after the last query. "
	}
	return "Nothing else " + end + "after the last query. "
}

// noisy says whether answers carry noise: a single answer of a schedule may have none.
func noisy(run transfer.Mechanism) bool {
	return run.Noise != "" && max(run.Scale, run.ScaleFirst) > 0
}

// proofText says where the proof of a derived method is: its public address at the
// version of this program, or the place in the source of a build without one.
func proofText(m *transfer.Method, t prose) string {
	place := "docs/theorems/README.md"
	if i := slices.IndexFunc(m.Sources, func(s theory.Source) bool { return s.Key == "dpcalc" }); i >= 0 {
		place = m.Sources[i].Where
	}
	if at := revision(version()); at != "" {
		return t.link(home + "/blob/" + at + "/" + place)
	}
	return t.escape(place) + " in its source"
}

// fill writes a paragraph in lines of at most 78 columns.
func fill(b *strings.Builder, text string) {
	const width = 78
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
}
