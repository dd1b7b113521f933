// Package advise has the command advise: which method and which command line, by a few questions.
package advise

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A question has a flag that answers it. On a terminal the questions that no flag has
// answered are asked; elsewhere a missing one is an error. No answer is assumed.
type question struct {
	flag, asks string
	names      []string                   // the answers, or
	parse      func(string) (want string) // what is wanted if the answer will not do
}

func wanting[T any](k numbers.Kind[T]) func(string) string {
	return func(raw string) string {
		if _, ok := k.Parse(raw); ok {
			return ""
		}
		return k.Wanted(raw)
	}
}

// wantingBeta does without a probability of failure above one half.
func wantingBeta(raw string) string {
	if want := wanting(numbers.Probabilities)(raw); want != "" {
		return want
	}
	beta, _ := numbers.Probabilities.Parse(raw)
	if success, ok := numbers.SuccessOf(beta); ok {
		return "at most 0.5, the probability of failure; did you mean " + numbers.InPercent(success) + "?"
	}
	return ""
}

var questions = []question{
	{flag: "goal", asks: "What is to be protected?", names: []string{"accuracy", "p-value"}},
	{flag: "adaptive", asks: "Will a query be chosen after an answer on the same sample has been seen?",
		names: []string{"yes", "no"}},
	{flag: "query", asks: "What is a query: a share of rows (binary), a mean of values in [0,1] (bounded), another " +
		"low-sensitivity statistic (sensitive), or which of two candidates has the smaller loss (minimization)?",
		names: []string{"binary", "bounded", "sensitive", "minimization"}},
	{flag: "sensitivity", asks: "By how much, times the number of rows, can one row move the statistic or a loss?",
		parse: wanting(numbers.Positives)},
	{flag: "training", asks: "Is it enough to learn where a training set of the analyst's own overfits?",
		names: []string{"yes", "no"}},
	{flag: "noise", asks: "May the answers carry noise?", names: []string{"yes", "no"}},
	{flag: "queries", asks: "How many queries, at most?", parse: wanting(numbers.Counts)},
	{flag: "tau", asks: "How far may an answer be from the population?", parse: wanting(numbers.Positives)},
	{flag: "beta", asks: "With what probability may any answer be farther off?", parse: wantingBeta},
	{flag: "budget", asks: "How many of the queries may turn out to overfit the training set?",
		parse: wanting(numbers.Counts)},
	{flag: "selection", asks: "How was the test chosen: as one fixed before the data were seen, from a menu of tests " +
		"written down before, through private answers, through answers with Gaussian noise, or by looking freely?",
		names: []string{"fixed", "menu", "private", "gaussian", "free"}},
}

// Command is the command advise.
func Command() *commands.Command {
	flags := make([]usage.Flag, len(questions))
	for i, q := range questions {
		help := "`ANSWER` to: " + q.asks
		if q.names != nil {
			help = "`ANSWER`, " + usage.OrList(q.names) + ", to: " + q.asks
		}
		flags[i] = usage.Flag{Name: q.flag, Usage: help, Words: q.names}
	}
	return &commands.Command{
		Name:    "advise",
		Summary: "which method and which command line, by a few questions",
		Description: "On a terminal, questions that no flag answers are asked. Elsewhere every question that\n" +
			"matters must be answered by its flag: nothing is assumed.",
		Flags:  append(flags, usage.Flag{Name: "confidence", Usage: "1 - beta, `C`, in place of --beta"}),
		Output: commands.Tables,
		Examples: [2]string{
			"dpcalc advise --goal p-value --selection menu",
			"dpcalc advise --goal accuracy --adaptive no --query binary --queries 50 --tau 5% --confidence 95%",
		},
		Run: runAdvise,
	}
}

// advice is what to do, and why.
type advice struct {
	method  string
	command string
	reason  string
	none    bool // no method answers
}

// lines are the advice for people.
func (a advice) lines() (lines []string) {
	if a.method != "" {
		lines = append(lines, "Method: "+a.method)
	}
	if a.command != "" {
		lines = append(lines, "Command: "+a.command)
	}
	return append(lines, "Reason: "+a.reason)
}

func runAdvise(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	typed, err := readFailure(c)
	if err != nil {
		return err
	}
	i := &interview{ctx: c.Context, c: typed, asked: c.Stderr, terminal: c.Interactive(),
		answers: bufio.NewReader(c.Stdin)}
	a, err := i.advice()
	if err != nil {
		return err
	}
	if extra := i.unused(); extra != "" {
		return usage.Errorf("--%s: plays no part with the other answers, want it left out", extra)
	}
	columns := []record.Column[advice]{
		{Name: "method", Cell: func(a advice) record.Cell { return record.Words(a.method) }},
		{Name: "command", Cell: func(a advice) record.Cell { return record.Words(a.command) }},
		{Name: "reason", Cell: func(a advice) record.Cell { return record.Words(a.reason) }},
	}
	err = commands.Emit(c, target, commands.Answer[advice]{
		Command: "advise", Inputs: i.given, Columns: columns, Rows: slices.Values([]advice{a}),
		Say: func() (title, notes []string) { return a.lines(), nil },
	})
	if err == nil && a.none {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return err
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

// interview collects the answers from flags and, on a terminal, from the user.
type interview struct {
	ctx      context.Context
	c        usage.Values
	terminal bool
	answers  *bufio.Reader
	asked    io.Writer
	given    []record.Input
}

// ask returns the answer to a question.
func (i *interview) ask(flag string) (string, error) {
	k := slices.IndexFunc(questions, func(q question) bool { return q.flag == flag })
	q := questions[k]
	accept := func(raw string) (string, string) {
		if q.names == nil {
			return raw, q.parse(raw)
		}
		for _, name := range q.names {
			if raw == name {
				return name, ""
			}
		}
		return "", usage.OrList(q.names) + usage.DidYouMean(raw, q.names)
	}
	raw, ok := i.c.Text(flag)
	for tries := 0; !ok; tries++ {
		if !i.terminal || tries == 3 {
			want := "an answer"
			if q.names != nil {
				want = usage.OrList(q.names)
			}
			return "", usage.Errorf("--%s: got nothing, want %s: %s", flag, want, q.asks)
		}
		fmt.Fprintf(i.asked, "%s\n", q.asks)
		if q.names != nil {
			fmt.Fprintf(i.asked, "[%s] ", strings.Join(q.names, "/"))
		} else {
			fmt.Fprint(i.asked, "> ")
		}
		line, err := i.line()
		if err != nil {
			return "", err
		}
		if raw = strings.TrimSpace(line); raw != "" {
			if _, want := accept(raw); want == "" {
				ok = true
			} else {
				fmt.Fprintf(i.asked, "got %s, want %s\n", usage.Shown(raw), want)
			}
		}
	}
	answer, want := accept(raw)
	if want != "" {
		return "", usage.Errorf("--%s: got %s, want %s", flag, usage.Shown(raw), want)
	}
	i.given = append(i.given, record.Input{Name: flag, Value: record.Words(answer)})
	return answer, nil
}

// line reads a line. An interrupt ends the wait for it; so does the end of the input.
func (i *interview) line() (string, error) {
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		line, err := i.answers.ReadString('\n')
		done <- read{line, err}
	}()
	select {
	case <-i.ctx.Done():
		return "", i.ctx.Err()
	case r := <-done:
		if errors.Is(r.err, io.EOF) {
			return "", errors.New("the input ended before all questions were answered")
		}
		return r.line, r.err
	}
}

// unused returns a flag that was given and that no question asked for.
func (i *interview) unused() string {
	for _, q := range questions {
		_, ok := i.c.Text(q.flag)
		if !ok || slices.ContainsFunc(i.given, func(in record.Input) bool { return in.Name == q.flag }) {
			continue
		}
		if _, ok := i.c.Text("confidence"); ok && q.flag == "beta" {
			return "confidence"
		}
		return q.flag
	}
	return ""
}

func (i *interview) advice() (advice, error) {
	goal, err := i.ask("goal")
	if err != nil {
		return advice{}, err
	}
	if goal == "p-value" {
		return i.selection()
	}
	return i.accuracy()
}

// selection advises on a p-value.
func (i *interview) selection() (advice, error) {
	how, err := i.ask("selection")
	return map[string]advice{
		"fixed": {method: "none", command: "dpcalc pvalue-correct FILE --alpha ALPHA --by description --outcomes 1 " +
			"--family holm",
			reason: "A test that was fixed before the data were seen needs no correction for selection: the number of " +
				"possible tests is one. Several reported tests need a family-wise step."},
		"menu": {method: "bonferroni", command: "dpcalc pvalue-correct FILE --alpha ALPHA --by description --outcomes N",
			reason: "Whatever led to the choice, one of N tests that were written down before was chosen, so that alpha/N is " +
				"valid. N counts every test that might have been chosen."},
		"private": {method: "renyi", command: "dpcalc pvalue-correct FILE --alpha ALPHA --by pure-dp --epsilon EPSILON " +
			"--samples N",
			reason: "All that was known of the sample when the test was chosen came through epsilon-differentially private " +
				"answers, epsilon being the privacy of all of them together. For (epsilon, delta) or Gaussian privacy: --by " +
				"approx-dp or --by gdp."},
		"gaussian": {method: "the starred row, renyi or kl", command: "dpcalc pvalue-correct FILE --alpha ALPHA --by " +
			"gaussian --queries M --noise-sd SD --samples N",
			reason: "All that was known of the sample when the test was chosen came through M means of values in [0,1], each " +
				"with Gaussian noise of standard deviation SD."},
		"free": {reason: "After a free look at the data no threshold is valid for a test on the same data. Test on fresh " +
			"rows, or plan ahead: decide a menu, or look through private answers only."},
	}[how], err
}

// accuracy advises on the answers to queries: among the methods that the answers
// leave, the one that needs the fewest records.
func (i *interview) accuracy() (advice, error) {
	var read []string // the flags of the command
	var failure error
	ask := func(flag string) string {
		if failure != nil {
			return ""
		}
		var answer string
		answer, failure = i.ask(flag)
		return answer
	}
	number := func(flag, short string) string {
		answer := ask(flag)
		read = append(read, short, answer)
		return answer
	}
	adaptive, kind := ask("adaptive") == "yes", ask("query")
	linear := kind == "binary" || kind == "bounded"
	sensitivity := ""
	if failure == nil && !linear {
		sensitivity = ask("sensitivity")
	}
	training, noise := false, true
	if failure == nil && adaptive {
		noise = ask("noise") == "yes"
		if linear && noise {
			training = ask("training") == "yes"
		}
	}
	var g transfer.Goal
	queries, tau, beta := number("queries", "-m"), number("tau", "-t"), number("beta", "-b")
	budget := ""
	if training {
		budget = number("budget", "-B")
	}
	if failure != nil {
		return advice{}, failure
	}
	g.Queries, _ = numbers.Counts.Parse(queries)
	g.Tau, _ = numbers.Positives.Parse(tau)
	g.Beta, _ = numbers.Probabilities.Parse(beta)
	g.Budget, _ = numbers.Counts.Parse(budget)
	g.Sensitivity, _ = numbers.Positives.Parse(sensitivity)
	g.Query, failure = transfer.ParseQuery(kind)
	if failure == nil {
		failure = g.Validate()
	}
	if failure != nil {
		return advice{}, failure
	}
	if kind != "bounded" {
		read = append(read, "--query", kind)
	}
	if sensitivity != "" {
		read = append(read, "--sensitivity", sensitivity)
	}
	var best transfer.Answer
	var method *transfer.Method
	fenced := int64(0) // what Thresholdout needs
	for _, m := range transfer.Methods() {
		if m.Procedure || m.Adaptive != adaptive {
			continue
		}
		if m.Budgeted && !training {
			continue
		}
		a, err := m.Solve(g)
		if err != nil {
			return advice{}, err
		}
		if a.Status != transfer.OK || a.Mechanism.Noise != "" && !noise {
			continue
		}
		if m.Budgeted && (fenced == 0 || a.Samples < fenced) {
			fenced = a.Samples
		}
		if method == nil || a.Better(best, transfer.Samples) {
			method, best = &m, a
		}
	}
	command := "dpcalc samplesize " + strings.Join(read, " ")
	if method == nil {
		reason := "No method answers this goal; the table says for each why not."
		if !noise {
			reason = "No method answers this goal without noise on the answers; the rows of the table with noise do."
		}
		return advice{command: command, reason: reason, none: true}, nil
	}
	why := map[bool]string{true: "a query may depend on earlier answers",
		false: "the queries are fixed before the data are seen"}[adaptive]
	switch {
	case adaptive && noise:
		why += " and answers may carry noise"
	case adaptive:
		why += " and answers carry no noise"
	}
	compared := ""
	if fenced > best.Samples {
		compared = ", Thresholdout " + record.People(record.Count(fenced))
	}
	return advice{
		method: method.Name, command: command + " --method " + method.Name,
		reason: fmt.Sprintf("Given that %s, it needs the fewest rows: %s%s. %s", why,
			record.People(record.Count(best.Samples)), compared, commands.Flagged(method.Practice)),
	}, nil
}
