package advise

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// interview collects the answers from flags and, on a terminal, from the user. After a failure it asks nothing more.
type interview struct {
	ctx      context.Context
	c        usage.Values
	terminal bool
	clusters bool // whether rows come in clusters
	width    int  // of the terminal
	answers  *bufio.Reader
	asked    io.Writer
	given    []record.Input
	taken    []string // flags with the standard answers that were taken without asking
	typed    []string // the answers that the user gave, in order
	again    []string // answers of before a step back, which are not asked for again
	failure  error
}

// ask returns the answer to the question of a flag.
func (i *interview) ask(flag string) string { return i.put(find(flag)) }

// put returns the answer to a question, "" where a number is left open and after a failure.
func (i *interview) put(q question) string {
	if i.failure != nil {
		return ""
	}
	answer, err := i.answer(q)
	if err != nil {
		i.failure = err
		return ""
	}
	if answer == none {
		i.given = append(i.given, record.Input{Name: q.flag})
		return ""
	}
	i.given = append(i.given, record.Input{Name: q.flag, Value: record.Words(answer)})
	return answer
}

// answer takes the answer of the flag or of the user, or else the standard one.
func (i *interview) answer(q question) (string, error) {
	raw, ok := i.c.Text(q.flag)
	switch {
	case ok:
		answer := q.meant(raw)
		if want := q.want(answer); want != "" {
			return "", usage.Invalid(q.flag, raw, want)
		}
		return answer, nil
	case i.terminal && !q.quiet:
		return i.converse(q)
	case q.standard == "":
		want := q.want("")
		return "", usage.Errorf("--%s: got nothing, want %s: %s", q.flag, want, q.asks)
	}
	i.taken = append(i.taken, "--"+q.flag+" "+q.standard)
	return q.standard, nil
}

// errBack is the wish to answer the question before once more.
var errBack = errors.New("back to the question before")

// interviewed asks for all answers, from the question before whenever the user goes back.
func (i *interview) interviewed() (all []advice, err error) {
	if i.terminal {
		fmt.Fprintln(i.asked, "Enter takes the answer in brackets, ? explains a question, and back returns to the one before.")
	}
	for {
		i.given, i.taken, i.typed, i.failure = nil, nil, nil, nil
		if all, err = i.advice(); !errors.Is(err, errBack) {
			return all, err
		}
		i.again = i.typed[:max(len(i.typed)-1, 0)]
	}
}

// converse asks until there is an answer. A question mark explains, and an empty line is the standard answer.
func (i *interview) converse(q question) (answer string, err error) {
	if len(i.again) > 0 {
		answer, i.again = i.again[0], i.again[1:]
	} else if answer, err = i.dialogue(q); err != nil {
		return "", err
	}
	i.typed = append(i.typed, answer)
	return answer, nil
}

// dialogue writes a question and reads lines until one of them is an answer.
func (i *interview) dialogue(q question) (string, error) {
	fmt.Fprintf(i.asked, "\n%s\n", q.asks)
	for k, c := range q.choices {
		fmt.Fprintln(i.asked, strings.TrimRight(fmt.Sprintf("%4d  %-12s  %s", k+1, c.name, c.says), " "))
	}
	for {
		fmt.Fprintf(i.asked, "[%s] ", q.standard)
		raw, err := i.line()
		if err != nil {
			return "", err
		}
		answer, want := q.read(raw)
		switch {
		case raw == "?":
			fmt.Fprintln(i.asked, q.explains)
		case strings.EqualFold(raw, "back"):
			return "", errBack
		case want == "":
			return answer, nil
		case raw != "":
			fmt.Fprintf(i.asked, "got %s, want %s\n", usage.Shown(raw), want)
		case q.example != "":
			fmt.Fprintf(i.asked, "%s An example: %s\n", q.asks, q.example)
		default:
			fmt.Fprintf(i.asked, "%s Answer %s.\n", q.asks, want)
		}
	}
}

// read returns the answer that a typed line means, and the kind of answer wanted if it means none: the standard
// answer, a choice by its number or by its beginning, or the answer itself.
func (q question) read(raw string) (answer, want string) {
	if answer = q.meant(raw); raw == "" {
		answer = q.standard
	}
	if q.choices == nil {
		return answer, q.want(answer)
	}
	if k, err := strconv.Atoi(raw); err == nil && k >= 1 && k <= len(q.choices) {
		return q.choices[k-1].name, ""
	}
	begun := slices.DeleteFunc(q.names(), func(name string) bool {
		return !strings.HasPrefix(name, strings.ToLower(answer))
	})
	if answer != "" && len(begun) == 1 {
		return begun[0], ""
	}
	return answer, q.want(answer)
}

// synonyms are words that people type for answers.
var synonyms = map[string]string{"accuracy": "binary", "sign": "wins", "scores": "answers", "all": "answers",
	"score": "accuracy", "no": none, "unknown": none}

// meant is a typed answer without synonyms. A word of the question itself stays as it is.
func (q question) meant(raw string) string {
	word := strings.ToLower(raw)
	if to, ok := synonyms[word]; ok && !slices.Contains(q.names(), word) {
		word = to
	}
	if slices.Contains(append(q.names(), none), word) {
		return word
	}
	return raw
}

// agreed asks whether to do something. An empty line is a yes.
func (i *interview) agreed(what string) bool {
	answer, err := i.converse(question{asks: what, choices: yesOrNo, standard: "yes",
		explains: "Yes runs this command and prints its table; no ends here. Nothing is written to a file."})
	return err == nil && answer == "yes"
}

// line reads a line without the blanks around it. An interrupt ends the wait for it; so does the end of the input.
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
		switch {
		case !errors.Is(r.err, io.EOF):
			return strings.TrimSpace(r.line), r.err
		case r.line != "":
			return strings.TrimSpace(r.line), nil
		}
		return "", errors.New("the input ended before all questions were answered; " + i.soFar() + " goes on from here")
	}
}

// soFar is the command line that has the answers of before the input ended, typed or not.
func (i *interview) soFar() string {
	words := []string{"dpcalc", "advise"}
	for _, q := range questions {
		answer, ok := i.c.Text(q.flag)
		if at := i.at(q.flag); at >= 0 {
			answer, ok = cmp.Or(i.given[at].Value.S, none), true
		}
		if ok {
			words = append(words, "--"+q.flag, answer)
		}
	}
	return line(words)
}

// at is the index of an answer that was given, -1 if there is none.
func (i *interview) at(flag string) int {
	return slices.IndexFunc(i.given, func(in record.Input) bool { return in.Name == flag })
}

// unused returns a flag that was given and that no question asked for.
func (i *interview) unused() string {
	for _, q := range questions {
		if _, ok := i.c.Text(q.flag); !ok || i.at(q.flag) >= 0 {
			continue
		}
		if i.clusters && (q.flag == "samples" || q.flag == "clusters") { // the one is the other's number
			continue
		}
		if _, ok := i.c.Text("confidence"); ok && q.flag == "beta" {
			return "confidence"
		}
		return q.flag
	}
	return ""
}
