package advise

import (
	_ "embed"
	"errors"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A question has a flag that answers it. Who cannot be asked is taken to have given the standard answer.
type question struct {
	flag, asks, explains, example string

	choices  []choice                // the answers, or
	parse    func(raw string) string // the kind of answer wanted if this one will not do, "" if it will
	standard string                  // what an empty line means; "" for a question that has to be answered
	quiet    bool                    // it is not asked: its flag or its standard answers it
}

// choice is one of the answers to a question.
type choice struct{ name, says string }

// none is the answer that leaves a number open.
const none = "none"

// names are the names of the choices.
func (q question) names() []string {
	return each.Of(q.choices, func(c choice) string { return c.name })
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

//go:embed questions.txt
var questionsText string

// questions are all of them, in the order in which they are asked. Of each the text has its flag, what it asks and
// explains, its standard answer, whether it is quiet, and its choices.
var questions = readQuestions(questionsText)

func readQuestions(text string) (list []question) {
	for entry := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var q question
		for line := range strings.SplitSeq(entry, "\n") {
			switch key, value, _ := strings.Cut(line, ": "); key {
			case "flag":
				q.flag, q.parse = value, parsers[value]
			case "asks":
				q.asks = value
			case "explains":
				q.explains = value
			case "example":
				q.example = value
			case "standard":
				q.standard = value
			case "quiet":
				q.quiet = true
			case "choice":
				name, says, _ := strings.Cut(value, ", ")
				q.choices = append(q.choices, choice{name, says})
			default:
				panic("questions.txt has the line " + line)
			}
		}
		list = append(list, q)
	}
	return list
}

// parsers check the answers that are no choices, by the flags of their questions.
var parsers = map[string]func(raw string) string{
	"samples": wanting(numbers.Counts), "clusters": wanting(numbers.Counts), "queries": wanting(numbers.Counts), "passes": wanting(numbers.Counts),
	"budget": wanting(numbers.Counts), "finalists": wanting(numbers.Counts), "looks": wanting(numbers.Counts),
	"sensitivity": wanting(numbers.Positives), "disagreement": wanting(numbers.Positives),
	"tau": wanting(numbers.Positives), "epsilon": wanting(numbers.Positives), "noise-sd": wanting(numbers.Positives),
	"alpha": wanting(numbers.Probabilities), "p": wanting(numbers.ChancesOfAll), "beta": wantingBeta,
	"outcomes": wantingOutcomes,
}

// unsure is the answer of who wants to see what each kind of feedback costs.
const unsure = "unsure"

// find returns the question of a flag.
func find(flag string) question {
	return questions[slices.IndexFunc(questions, func(q question) bool { return q.flag == flag })]
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

// flags are the flags of all questions.
func flags() (flags []usage.Flag) {
	for _, q := range questions {
		help := q.asks
		if q.choices != nil {
			help += " " + usage.OrList(q.names())
		}
		if q.standard != "" {
			help += " (default " + q.standard + ")"
		}
		flag := usage.Flag{Name: q.flag, Usage: help, Value: "ANSWER", Words: q.names()}
		if q.flag == "samples" {
			flag.Also = []string{"rows"}
		}
		flags = append(flags, flag)
	}
	return flags
}
