package holdout

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/theory"
)

func scoreCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "score", Arguments: "DIR PREDICTIONS...", Summary: "take a look at predictions, and print the answer",
		Description: commands.Described("holdout-score"),
		Flags: slices.Concat(usage.Under(aboutFiles,
			usage.Flag{Name: "name", Repeats: true, Usage: "the look's `NAME` in the log, up to 100 characters; of finalists one for " +
				"each, by default the name of its file; a look at a column needs one: a commit or a number, never a hash of the file"},
			usage.Flag{Name: "again", Switch: true, Usage: "print the answer of the look at a column with this --name and question, without a file"},
			usage.Flag{Name: "dry-run", Switch: true, Usage: "check everything, and write and answer nothing"},
		), questionFlags, movedFlags, logFlags),
		Common: []string{"name", "show", "bar", "guess", "metric", "where", "test", "again", "dry-run", "format", "output"},
		Examples: []string{
			"dpcalc holdout score ledger predictions.csv --show pass --bar 0.8 --name first",
			"dpcalc holdout score ledger predictions.csv --show score --near 0.85",
		},
	}, runScore, 0, manyFiles)
}

func runScore(c *commands.Call, target commands.Target, dir string, paths []string) error {
	typed := usage.Watched{Values: c.Values, Seen: make(map[string]bool)}
	c.Values = typed
	ledger, status, err := openLedger(c, dir, c.Texts("labels"), c.Texts("features"))
	if err != nil {
		return err
	}
	questions, err := questionsOf(c)
	if err != nil {
		return err
	}
	switch again := c.Is("again"); {
	case again && len(paths) > 0:
		return usage.Errorf("--again: got it with %d files, want none: the answer is in the log", len(paths))
	case !again && len(paths) == 0:
		return usage.Errorf("holdout score: got no PREDICTIONS, want dpcalc holdout score DIR PREDICTIONS...")
	}
	if slices.Contains(paths, "-") && len(questions) > 1 {
		return usage.Errorf("holdout score: got - with %d questions, want a file", len(questions))
	}
	var answers []holdout.Answer
	refused := (*holdout.RefusedError)(nil)
	rounds := []bool{false} // whether nothing is taken
	switch {
	case c.Is("dry-run"):
		rounds = []bool{true}
	case len(questions) > 1: // nothing is asked while a question is wrong
		rounds = []bool{true, false}
	}
	batch := holdout.Batch{}
	for _, dry := range rounds {
		answers = nil
		for _, q := range questions {
			more, err := scored(q, typed, batch, ledger, status, dir, paths, dry)
			answers = append(answers, more...)
			if err != nil && !errors.As(err, &refused) {
				if len(answers) > 0 && !dry { // what was paid for is shown
					err = errors.Join(commands.Emit(c, target, looked(c, answers, nil, dir)), err)
				}
				return err
			}
		}
	}
	return commands.Emit(c, target, looked(c, answers, refused, dir))
}

// scored takes the looks of one question, or says what they would be.
func scored(c *commands.Call, typed usage.Watched, batch holdout.Batch, ledger *holdout.Ledger, status holdout.Status,
	dir string, paths []string, dry bool) (answers []holdout.Answer, err error) {
	list, open, err := readSubmissions(c, ledger, status, dir, paths)
	defer open.close()
	if len(list) == 1 { // which all questions are about
		list[0].Batch = batch
	}
	if err != nil {
		return nil, input(c, err)
	}
	for _, f := range c.Command.Flags {
		given := (&commands.Call{Values: typed.Values}).IsGiven(f.Name)
		if unread := given && !typed.Seen[f.Name]; unread && !dry {
			return nil, usage.Errorf("--%s: got it, want none: no look takes it", f.Name)
		}
	}
	if dry {
		answers, err = ledger.Preview(list...)
	} else {
		answers, err = ledger.ScoreAll(c.Context, list)
	}
	if err == nil {
		open.tell()
	}
	return answers, err
}

// looked is the answer to score. A refused look has no answer, and its reason goes to standard error.
func looked(c *commands.Call, answers []holdout.Answer, refused *holdout.RefusedError,
	dir string) commands.Answer[holdout.Answer] {
	dry, fields := c.Is("dry-run"), column.FieldsOf(answers[0].Plan)
	columns := columnsOf(fields, nil)
	shown := forPeople(fields, func(a holdout.Answer) holdout.Line { return *a.Open }, "repeated", "rests_on", "conditions")
	if answers[0].Open != nil {
		shown = but(shown, "method", "response", "best_truth")
	}
	return commands.Answer[holdout.Answer]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List(answers), Columns: columns, Shown: shown,
		Verdict: func(a holdout.Answer) commands.Verdict {
			if refused != nil {
				return commands.Verdict{Status: theory.Infeasible}
			}
			no := []string{holdout.Fail, holdout.NotRejected, holdout.Refused}
			return commands.Verdict{Refuted: slices.Contains(no, a.Verdict)}
		},
		Then: func() error {
			if refused != nil {
				fmt.Fprintf(c.Stderr, "dpcalc: holdout: %v\n", refused)
			}
			for _, a := range answers {
				if a.Key != "" && a.Counts.Rows > 0 && !dry { // for the owner alone: the values may follow from labels
					fmt.Fprintln(c.Stderr, "dpcalc: holdout: "+countsOf(a))
				}
				if a.Counts.Remark != "" {
					fmt.Fprintf(c.Stderr, "dpcalc: holdout: %s\n", a.Counts.Remark)
				}
			}
			return nil
		},
		Say: func() (title, notes []string) {
			for _, a := range answers {
				if a.Counts.Rows > 0 && a.Key == "" {
					notes = append(notes, countsOf(a))
				}
				if on := a.RestsOn(); on != "" && refused == nil {
					notes = append(notes, "The verdict rests on "+on)
				}
				if a.Open != nil && a.Open.Best.Lower != nil {
					notes = append(notes, "The best truth of all that this board was shown is "+a.Open.Best.String())
				}
				notes = append(notes, conditionsOf(a)...)
				if a.Known && a.Key != "" {
					notes = append(notes, "repeated; no values were compared")
				} else if a.Known {
					notes = append(notes, fmt.Sprintf("Look %d is known: it costs nothing", a.Look))
				}
			}
			if dry {
				return []string{"A look would be taken as follows; nothing was"}, notes
			}
			if p := answers[0].Plan; p.Pairs != nil { // given the rows' features the guarantee is false
				notes = append(notes, p.Independence())
			}
			return nil, append(notes, "chain "+answers[0].Chain)
		},
	}
}

// conditionsOf tells people what a verdict on several conditions says.
func conditionsOf(a holdout.Answer) (notes []string) {
	if a.Told == "" || a.Verdict == "" {
		return nil
	}
	says := "The pass says of all conditions:"
	if a.Verdict == holdout.Fail {
		says = "The fail says of at least one condition, and not of which:"
	}
	return append([]string{says}, strings.Split(a.Told, "; ")...)
}

// countsOf says how the predictions look without any label: a column that was swapped shows here.
func countsOf(a holdout.Answer) string {
	of := "The predictions"
	if a.Name != "" {
		of += " of " + usage.Shown(a.Name)
	}
	return fmt.Sprintf("%s: %d rows, %d of them empty, %d distinct values", of, a.Counts.Rows, a.Counts.Empty,
		a.Counts.Distinct)
}

// manyFiles is more files than a command line holds.
const manyFiles = 1 << 20
