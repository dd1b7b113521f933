// Package advise has the command advise: what the rows give, which plan is best and which ways out there are, by a few
// questions.
package advise

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Command is the command advise.
func Command() *commands.Command {
	return &commands.Command{
		Name:        "advise",
		Summary:     "find a plan by answering a few questions",
		Description: commands.Described("advise"),
		Flags:       usage.Arranged(append(flags(), usage.Flag{Name: "confidence", Usage: "confidence `C`, which is 1 - beta, in place of --beta"}), sections...),
		Common: []string{"goal", "samples", "queries", "clusters", "query", "feedback", "passes", "tau", "beta", "selection", "format",
			"output"},
		Output: commands.Tables,
		Examples: []string{
			"dpcalc advise --samples 5000 --queries 150 --query binary",
			"dpcalc advise --goal p-value --selection menu --outcomes 40 --p 0.003",
		},
		Run: runAdvise,
	}
}

// sections are the headings of the flags.
var sections = []usage.Section{
	{Heading: "the goal and the rows", Names: []string{"goal", "samples", "independent", "clusters", "adaptive"}},
	{Heading: "looks at a score", Names: []string{"feedback", "queries", "passes", "budget", "finalists", "query", "sensitivity", "disagreement",
		"training", "noise", "tau", "beta", "confidence"}},
	{Heading: "a p-value", Names: []string{"selection", "p", "alpha", "outcomes", "epsilon", "noise-sd", "looks"}},
}

// advice is what to do, and why.
type advice struct {
	method string
	words  []string // of the command line that answers, nil for none
	run    []string // of the one that begins to carry it out, nil for none
	reason string
	said   string // the reason for people, without what the method runs; "" for all of it
	status theory.Status
	best   bool

	// of a plan
	way     string
	plan    transfer.Goal
	proof   theory.Proof
	note    string // what limits the answer, "" for nothing
	needs   int64  // the rows that the accuracy asked for takes, 0 if there are none or none was
	checked bool   // whether there are rows and an accuracy
	enough  bool   // and whether they give it

	// of a p-value
	runs      bool // whether its command can be run as it stands
	corrected correction
}

// line is a command line as it is typed.
func line(words []string) string {
	typed := each.Of(words, commands.ShellWord)
	return strings.Join(typed, " ")
}

// commandLine returns a headed command, in lines that fit the terminal and can be copied from it.
func (i *interview) commandLine(head string, words []string) []string {
	typed := append([]string{head + ":"}, each.Of(words, commands.ShellWord)...)
	return strings.Split(printed.Wrapped(typed, max(i.width-6, 1), " \\\n    "), "\n")
}

// planned reports whether the advice is a plan.
func (a advice) planned() bool { return a.way != "" }

func (a advice) verdict() commands.Verdict {
	return commands.Verdict{Method: a.method, Best: a.best, Proof: a.proof, Status: a.status, Reason: a.reason}
}

type column = record.Column[advice]

// ofPlan is a column that a p-value does not have.
func ofPlan(name string, cell func(advice) record.Cell) column {
	return column{Name: name, Cell: func(a advice) record.Cell {
		if !a.planned() {
			return record.Cell{}
		}
		return cell(a)
	}}
}

// ofCorrection is a column of pvalue-correct, which a plan does not have.
func ofCorrection(name string) column {
	return column{Name: name, Cell: func(a advice) record.Cell { return a.corrected[name] }}
}

var (
	columnWay   = ofPlan("way", func(a advice) record.Cell { return record.Words(a.way) })
	columnRows  = ofPlan("samples", func(a advice) record.Cell { return record.Count(a.plan.Samples) })
	columnLooks = ofPlan("queries", func(a advice) record.Cell { return record.Count(a.plan.Queries) })
	columnTau   = ofPlan("tau", func(a advice) record.Cell { return record.Number(a.plan.Tau) })
	columnNeeds = ofPlan("samples_needed", func(a advice) record.Cell { return record.Count(a.needs) })
)

// columns are those for machines.
var columns = slices.Concat(commands.VerdictColumns(advice.verdict, "method"), []column{
	{Name: "command", Cell: func(a advice) record.Cell { return record.Words(line(a.words)) }},
}, commands.VerdictColumns(advice.verdict, "reason"), []column{
	columnWay,
	ofPlan("feedback", func(a advice) record.Cell { return record.Words(a.plan.Feedback.String()) }),
	columnRows, columnLooks, columnTau,
	ofPlan("beta", func(a advice) record.Cell { return record.Chance(a.plan.Beta) }),
	ofPlan("ln_beta", func(a advice) record.Cell { return record.Exactly(a.plan.Beta.Ln()) }),
	ofPlan("passes", func(a advice) record.Cell { return record.Count(a.plan.Passes) }),
	ofPlan("budget", func(a advice) record.Cell { return record.Count(a.plan.Budget) }),
	columnNeeds,
	ofPlan("enough", func(a advice) record.Cell { return record.Truth(a.enough).If(a.checked) }),
}, commands.VerdictColumns(advice.verdict, "best", "proof"), []column{
	ofPlan("note", func(a advice) record.Cell { return record.Words(a.note) }),
}, commands.VerdictColumns(advice.verdict, "status"), []column{
	{Name: "ledger", Cell: func(a advice) record.Cell { return record.Words(line(a.run)).If(a.planned() || a.run != nil) }},
	ofCorrection("threshold"), ofCorrection("ln_threshold"),
	ofCorrection("p_adjusted"), ofCorrection("ln_p_adjusted"), ofCorrection("reject"),
})

// shown are the columns for people, who see plans in a table.
var shown = slices.Concat(commands.VerdictColumns(advice.verdict, ""), []column{
	columnWay.Titled("way"),
	column{Cell: func(a advice) record.Cell { return record.Words(goals.Shows(a.plan)) }}.Titled("shown"),
	columnLooks.Titled("looks"), columnRows.Titled("rows"), columnTau.Titled("tau"),
	columnNeeds.Titled("rows for the tau asked"),
})

func runAdvise(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	typed, err := readFailure(c)
	if err != nil {
		return err
	}
	i := &interview{ctx: c.Context, c: typed, asked: c.Stderr, terminal: c.IsInteractive(), width: c.Width(),
		answers: bufio.NewReader(c.Stdin)}
	all, err := i.interviewed()
	if err != nil {
		return err
	}
	if extra := i.unused(); extra != "" {
		return usage.Errorf("--%s: has no use with the other answers: leave it out", extra)
	}
	answer := commands.Answer[advice]{
		Command: "advise", Schema: "advise/2", Inputs: i.given, Columns: columns, Rows: commands.List(all),
		Verdict: func(a advice) commands.Verdict { return commands.Verdict{Status: a.status} },
		Say:     func() (title, notes []string) { return i.told(all) },
	}
	if all[0].planned() {
		answer.Shown = shown
	}
	if err := commands.Emit(c, target, answer); err != nil {
		return err
	}
	if i.terminal && target.Format.Print != nil && target.Path == "" {
		return i.offer(c, all)
	}
	return nil
}

// advice asks for the goal, and then the questions that belong to it.
func (i *interview) advice() ([]advice, error) {
	independent := find("independent")
	if documents, ok := i.c.Text("clusters"); ok && documents != none {
		independent.standard, independent.quiet = "no", true
	}
	i.clusters = i.put(independent) == "no"
	if i.ask("goal") == "p-value" {
		return i.selection()
	}
	return i.accuracy()
}

// bestOf is the advice to follow, nil if there is none.
func bestOf(all []advice) *advice {
	at := slices.IndexFunc(all, func(a advice) bool { return a.best })
	if at < 0 {
		return nil
	}
	return &all[at]
}

// told is the advice for people.
func (i *interview) told(all []advice) (title, notes []string) {
	if !all[0].planned() {
		title = all[0].corrected.lines()
		title = append(title, all[0].reason)
		if all[0].words != nil {
			title = append(title, i.commandLine("Command", all[0].words)...)
		}
	} else {
		title, notes = i.compared(all)
	}
	last := i.clustered()
	if i.taken != nil {
		last = append(last, "Assumed without a flag: "+strings.Join(i.taken, ", "))
	}
	var begin []string
	if best := bestOf(all); best != nil && best.run != nil {
		begin = i.commandLine("Begin with", best.run)
	}
	if notes == nil { // there is no table either
		return slices.Concat(title, begin, last), nil
	}
	return title, slices.Concat(begin, notes, last)
}

// clustered says what a row is where the rows come in clusters.
func (i *interview) clustered() []string {
	at := i.at("independent")
	switch {
	case at < 0 || i.given[at].Value.S == "yes":
		return nil
	case i.at("clusters") < 0:
		return []string{"Clusters: compute the p-value from one number for each cluster, such as its mean. The samples are the clusters."}
	}
	return []string{"Clusters: each cluster counts as one row, and a look is the mean over clusters of the mean in each. If every row is to count alike, run dpcalc samplesize --clusters."}
}

// promise is what tau is a distance from.
const promise = "The true value is the expected score if the same rows were labelled again. It is the accuracy on new rows only for a model that was made without these rows."

// compared is what people read above and below the plans.
func (i *interview) compared(all []advice) (title, notes []string) {
	var goal []string
	for _, in := range i.given {
		if slices.Contains([]string{"samples", "clusters", "queries", "query", "beta", "tau"}, in.Name) && in.Value.S != "" {
			goal = append(goal, in.Name+" "+in.Value.S)
		}
	}
	if best := bestOf(all); best != nil {
		title = append(title, commands.Flagged(best.said))
		if best.checked && !best.enough {
			title[0] += " No way gives the tau that was asked for on these rows; this one is nearest to it."
		}
	}
	title = append(title, "Ways to look: "+strings.Join(goal, ", "))
	for _, a := range all {
		name := a.way
		if a.way == lessFeedback || a.way == openLedger {
			name += ", " + a.plan.Feedback.String()
		}
		switch {
		case a.status != transfer.OK:
			notes = append(notes, name+": "+a.reason)
		case a.note != "":
			notes = append(notes, name+": "+a.note)
		}
		notes = append(notes, i.commandLine(name, a.words)...)
	}
	return title, append(notes, promise)
}

// offer runs the command of the best advice, if the user agrees.
func (i *interview) offer(c *commands.Call, all []advice) error {
	best := bestOf(all)
	if best == nil || !best.planned() && !best.runs {
		return nil
	}
	if !i.agreed("Run " + line(best.words) + " now?") {
		return nil
	}
	front := commands.Front{Session: c.Session, Formats: c.Formats,
		Commands: []*commands.Command{samplesize.Command(), pvalues.Command()}}
	command, typed, err := front.Read(best.words[1:])
	if err != nil {
		return fmt.Errorf("advise: %w", err)
	}
	return front.Do(command, typed)
}

// readFailure makes --beta of --confidence and checks either.
func readFailure(c usage.Values) (usage.Values, error) {
	beta, hasBeta, err := numbers.One(c, "beta", numbers.Probabilities)
	if err != nil {
		return nil, err
	}
	confidence, hasConfidence, err := numbers.One(c, "confidence", numbers.Confidences)
	switch {
	case err != nil:
		return nil, err
	case hasBeta && hasConfidence:
		return nil, usage.Errorf("--confidence: given with --beta, want one of the two")
	case hasBeta:
		return c, numbers.LikelyFailures("beta", []theory.LogProb{beta})
	case !hasConfidence:
		return c, nil
	}
	return usage.Replaced(c, "beta", confidence.String()),
		numbers.LikelyFailures("confidence", []theory.LogProb{confidence})
}
