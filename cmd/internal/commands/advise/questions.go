package advise

import (
	"errors"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A question has a flag that answers it. Who cannot be asked is taken to have given the standard answer.
type question struct {
	flag, asks, explains string

	choices  []choice                // the answers, or
	parse    func(raw string) string // what is wanted if an answer will not do, "" if it will
	standard string                  // what an empty line means; "" for a question that has to be answered
	quiet    bool                    // it is not asked: its flag or its standard answers it
}

// choice is one of the answers to a question.
type choice struct{ name, says string }

// none is the answer that leaves a number open.
const none = "none"

// names are those of the choices.
func (q question) names() (names []string) {
	for _, c := range q.choices {
		names = append(names, c.name)
	}
	return names
}

// want is what an answer has to be.
func (q question) want(raw string) string {
	switch {
	case q.choices != nil && slices.Contains(q.names(), raw):
		return ""
	case q.choices != nil:
		return usage.OrList(q.names()) + usage.DidYouMean(raw, q.names())
	case q.standard == none && raw == none:
		return ""
	}
	return q.parse(raw)
}

// wanting reads answers of a kind.
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

// wantingOutcomes reads whole numbers and powers of them.
func wantingOutcomes(raw string) string {
	base, exponent, power := strings.Cut(raw, "^")
	_, ok := numbers.Counts.Parse(base)
	if power && ok {
		_, ok = numbers.Counts.Parse(exponent)
	}
	if ok {
		return ""
	}
	return numbers.Counts.Wanted(raw) + ", or a power such as 2^80"
}

var yesOrNo = []choice{{"yes", ""}, {"no", ""}}

// questions are all of them, in the order in which they are asked.
var questions = []question{
	{flag: "goal", asks: "What is to be protected?", standard: "accuracy",
		choices: []choice{
			{"accuracy", "scores and other means on a test set, from the choices that they lead to"},
			{"p-value", "the p-value of a test that was chosen with the data's help"},
		},
		explains: "A score that was looked at often flatters the model it chose, and a p-value the test it chose."},
	{flag: "samples", asks: "How many rows are there?", standard: none, parse: wanting(numbers.Counts),
		explains: "Rows that nothing was trained on and nobody has looked at yet. Count what is independent: ten lines of one patient are one row. Where they are still to be collected, say none: the answer is how many it takes."},
	{flag: "adaptive", asks: "Does a result on these rows decide what is tried next?", standard: "yes", choices: yesOrNo,
		explains: "No, if everything that will be scored is written down before the first result, as a grid that is scored as a whole. Yes, if anything is tried because of a result, by anybody."},
	{flag: "feedback", asks: "What is shown of a look?", standard: unsure,
		choices: []choice{
			{"answers", "every score"}, {"gate", "pass or fail"}, {"best", "the best score so far"},
			{"flags", "where a guess is wrong"}, {"final", "nothing until the finalists are scored, once and together"},
			{unsure, "whatever costs least: compare them"},
		},
		explains: "What leaves the rows informs the next choice, so that less feedback costs fewer rows. A gate, a best score and sealed finalists need no noise."},
	{flag: "queries", asks: "How many looks, at most?", parse: wanting(numbers.Counts),
		explains: "Every look counts: each model that is scored, each prompt, each commit, also those that are thrown away."},
	{flag: "passes", asks: "At which pass is a gate retired?", standard: "1", parse: wanting(numbers.Counts),
		explains: "A gate that has passed something tells more than one that has not. With more passes the rows are used for longer, and each costs accuracy."},
	{flag: "budget", asks: "How many guesses may turn out wrong?", standard: "1", parse: wanting(numbers.Counts),
		explains: "Who has a training set guesses the score from there. The answer is the guess as long as it is right, and after so many corrections the rows are used up."},
	{flag: "finalists", asks: "How many finalists are scored on rows that are sealed for them?", standard: "1",
		parse: wanting(numbers.Counts), quiet: true},
	{flag: "query", asks: "What does a look measure?", standard: "bounded",
		choices: []choice{
			{"binary", "a share of rows: an accuracy, an error rate"}, {"bounded", "a mean of values in [0,1]"},
			{"sensitive", "another statistic that one row moves little"},
			{"minimization", "which of two candidates has the smaller loss"},
			{"difference", "the new score less the old one, on the same rows"},
		},
		explains: "A share of rows is a mean of values in [0,1] too, and costs somewhat less as what it is."},
	{flag: "sensitivity", asks: "By how much, times the number of rows, can one row move the statistic or a loss?",
		standard: "1", parse: wanting(numbers.Positives),
		explains: "1 if one row moves it by at most 1/n, as it does a mean of values in [0,1]."},
	{flag: "disagreement", asks: "On which share of the population do the two differ, at most?", standard: "1",
		parse:    wanting(numbers.Positives),
		explains: "Models that agree on most rows are compared with fewer. 1 if nobody knows."},
	{flag: "training", asks: "Is it enough to learn where a training set of the analyst's own overfits?", standard: "no",
		choices: yesOrNo, quiet: true},
	{flag: "noise", asks: "May the answers carry noise?", standard: "yes", choices: yesOrNo, quiet: true},
	{flag: "beta", asks: "With what probability may any answer be farther off than tau?", standard: "0.05",
		parse:    wantingBeta,
		explains: "It is shared by all looks: 0.05 says that with a confidence of 95% all of them are within tau."},
	{flag: "tau", asks: "How far may an answer be from the population, tau?", standard: none,
		parse:    wanting(numbers.Positives),
		explains: "0.03 for an accuracy is three points. Where the rows are there already, none asks what they give."},

	{flag: "selection", asks: "How was the test chosen?",
		choices: []choice{
			{"fixed", "it was fixed before the data were seen"}, {"menu", "from a menu of tests written down before"},
			{"private", "through differentially private answers"}, {"gaussian", "through means with Gaussian noise"},
			{"gate", "through pass or fail of earlier tests on the rows"}, {"free", "by looking freely"},
		},
		explains: "The question is how much the chooser knew of these rows when the test was chosen."},
	{flag: "p", asks: "What is the p-value, as it was computed?", standard: none, parse: wanting(numbers.ChancesOfAll),
		explains: "Before any correction. Without it the answer is the threshold alone."},
	{flag: "alpha", asks: "With what probability may a true null hypothesis be rejected?", standard: "0.05",
		parse: wanting(numbers.Probabilities), explains: "The level of the test, 0.05 mostly."},
	{flag: "outcomes", asks: "How many tests were on the menu?", standard: none, parse: wantingOutcomes,
		explains: "Every test that might have been chosen counts: all combinations of outcomes, subgroups and exclusions."},
	{flag: "epsilon", asks: "What is the epsilon of all answers together?", standard: none,
		parse:    wanting(numbers.Positives),
		explains: "Of replacing a row, and of everything that was seen before the test was chosen."},
	{flag: "noise-sd", asks: "What is the standard deviation of the noise?", standard: none,
		parse: wanting(numbers.Positives), explains: "Of the noise on each mean of values in [0,1]."},
	{flag: "looks", asks: "How many tests were there in all?", standard: none, parse: wanting(numbers.Counts),
		explains: "This one included. Each was chosen in view of the verdicts before it."},
}

// unsure is the answer of who wants to see what each kind of feedback costs.
const unsure = "unsure"

// find returns the question of a flag.
func find(flag string) question {
	return questions[slices.IndexFunc(questions, func(q question) bool { return q.flag == flag })]
}

// unasked is a question that its flag or its standard answers.
func (q question) unasked() question {
	q.quiet = true
	return q
}

// of asks the same number of something else.
func (q question) of(asks, explains string) question {
	q.asks, q.explains = asks, explains
	return q
}

// within is a question for a number that set adds to a goal, whose numbers have to go together.
func (q question) within(g transfer.Goal, set func(*transfer.Goal, string)) question {
	parse := q.parse
	q.parse = func(raw string) string {
		if want := parse(raw); want != "" {
			return want
		}
		set(&g, raw)
		for _, err := range []error{g.Validate(), g.Overspent()} {
			var domain *theory.DomainError
			if errors.As(err, &domain) && domain.Param == q.flag {
				_, want, _ := strings.Cut(numbers.DomainText(domain), ", want ")
				return want
			}
		}
		return ""
	}
	return q
}

// flags are those of all questions.
func flags() (flags []usage.Flag) {
	for _, q := range questions {
		help := "`ANSWER`"
		if q.choices != nil {
			help += ", " + usage.OrList(q.names())
		}
		help += " to: " + q.asks
		if q.standard != "" {
			help += " (default " + q.standard + ")"
		}
		flags = append(flags, usage.Flag{Name: q.flag, Usage: help, Words: q.names()})
	}
	return flags
}
