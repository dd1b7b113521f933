// Package ledger has the command holdout, which runs a plan and keeps its promise.
package ledger

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
)

// Command is the command holdout.
func Command() *commands.Command {
	return commands.Group(commands.Command{
		Name:        "holdout",
		Summary:     "run a test set as a ledger of looks",
		Description: commands.Described("holdout"),
		Examples: []string{
			"dpcalc holdout init ledger --labels labels.csv -m 20 -b 0.05 --query binary",
			"dpcalc holdout score ledger predictions.csv --name first",
			"dpcalc holdout status ledger",
		},
	}, initCommand(), scoreCommand(), priceCommand(), statusCommand(), logCommand(), extendCommand(), closeCommand(),
		verifyCommand(), retireCommand(), tokenCommand(), serveCommand())
}

// checked runs an action whose output can be written.
func (run runner) checked(c *commands.Call, args []string) error {
	target, err := c.Target()
	if err == nil {
		err = c.Check(target.Path)
	}
	if err != nil {
		return err
	}
	return input(c, run(c, target, args[0], args[1:]))
}

// outside runs an action on a ledger, into whose folder nobody else writes, nor what could not be written once a look
// is spent.
func (run runner) outside(c *commands.Call, args []string) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	log, _ := c.Text("log")
	for _, f := range []struct{ flag, path string }{{"output", target.Path}, {"log", log}} {
		if f.path == "" {
			continue
		}
		inside := outfile.Inside(f.path, args[0])
		for _, file := range holdout.Files() {
			inside = inside || outfile.SameFile(f.path, filepath.Join(args[0], file))
		}
		if inside {
			return usage.Invalid(f.flag, f.path, "a file outside of the ledger's folder")
		}
	}
	return run.checked(c, args)
}

// input makes an error of the input a usage error, of its flag if there is one, or of the plan file that has the goal.
func input(c *commands.Call, err error) error {
	wrong := (*holdout.InputError)(nil)
	if told := (*usage.Error)(nil); !errors.As(err, &wrong) || errors.As(err, &told) {
		return err
	}
	name, _, _ := strings.Cut(err.Error(), ":")
	ofGoal := slices.ContainsFunc(goalFlags, func(f usage.Flag) bool { return f.Name == name })
	if path, planned := c.Text("plan"); planned && ofGoal {
		return usage.Errorf("%s: %v", path, err)
	}
	if slices.ContainsFunc(c.Command.Flags, func(f usage.Flag) bool { return f.Name == name }) {
		return usage.Errorf("--%v", err)
	}
	return usage.Errorf("holdout: %v", err)
}

func runInit(c *commands.Call, target commands.Target, dir string, _ []string) error {
	files := c.Texts("labels")
	switch {
	case len(files) == 0:
		return usage.Errorf("--labels: got nothing, want a file")
	case len(files) > 1:
		return usage.Errorf("--labels: got %d files, want one; extend takes rows of others", len(files))
	case files[0] == "-":
		return usage.Errorf("--labels: got -, want a file that stays where it is")
	}
	path := files[0]
	match, _ := c.Text("match")
	positive, _ := c.Text("positive")
	metrics := items(c, "metrics")
	number := holdout.Match(match).LabelsAreNumbers(metrics, positive)
	labels, metrics, err := newLabels(c, path, holdout.Readings, metrics, number)
	if err != nil {
		return err
	}
	terms, err := readTerms(c, labels.Samples())
	if err != nil {
		return err
	}
	terms.Labels, terms.Metrics = path, metrics
	done, err := readIncumbent(c, holdout.Readings, labels, &terms)
	defer done()
	if err != nil {
		return err
	}
	if err := readSample(c, &terms); err != nil {
		return err
	}
	row := made{terms: terms, samples: labels.Samples()}
	var ledger *holdout.Ledger
	if c.Is("dry-run") {
		row.plan, err = holdout.Check(dir, labels, terms)
	} else if ledger, err = holdout.Create(dir, labels, terms); err == nil {
		var status holdout.Status
		status, err = holdout.ReadStatus(dir)
		row.plan, row.chain = ledger.Plan(), status.Chain
	}
	if err != nil && !errors.As(err, &row.none) {
		return err
	}
	err = commands.Emit(c, target, row.answer(dir))
	noted := target.Path == "" && target.Format.Print != nil
	if err == nil && row.plan != nil && !noted {
		for _, warning := range warnings(row.plan) {
			fmt.Fprintln(c.Stderr, "dpcalc: holdout: "+warning)
		}
	}
	if err != nil && row.chain != "" { // a ledger of which nobody is told would be in the way of the next try
		err = errors.Join(err, ledger.Discard(context.WithoutCancel(c.Context)))
	}
	return err
}

// labelsOf reads the labels of a ledger, and says where they are.
func labelsOf(c *commands.Call, status holdout.Status, dir string, moved []string) (
	list []*holdout.Labels, paths []string, err error) {
	if len(moved) > 0 && len(moved) != len(status.Sources) {
		return nil, nil, usage.Errorf("--labels: got %d files, want %d: the rows come from so many", len(moved),
			len(status.Sources))
	}
	for i, source := range status.Sources {
		path := source.Labels.In(dir)
		if len(moved) > 0 {
			path = moved[i]
		}
		if path == "" {
			return nil, nil, usage.Errorf("--labels: got nothing, want a file: the ledger does not say where its labels are")
		}
		labels, err := labelsIn(c, path, source.Labels.From, status.Plan)
		if err != nil {
			return nil, nil, fmt.Errorf("the labels: %w", err)
		}
		list, paths = append(list, labels), append(paths, path)
	}
	return list, paths, nil
}

// openLedger opens a ledger, with its labels and the features that it may need.
func openLedger(c *commands.Call, dir string, moved, movedFeatures []string) (
	ledger *holdout.Ledger, status holdout.Status, err error) {
	var paths []string
	ledger, err = holdout.OpenWith(dir, func(s holdout.Status) (labels []*holdout.Labels, err error) {
		status = s
		labels, paths, err = labelsOf(c, status, dir, moved)
		return labels, err
	})
	if err != nil {
		if changed := (*holdout.ChangedError)(nil); errors.As(err, &changed) {
			err = fmt.Errorf("%s: %w", strings.Join(paths, ", "), err)
		}
		return nil, status, err
	}
	return ledger, status, useFeatures(c, ledger, status, dir, movedFeatures)
}

// newLabels reads labels that are new to a ledger, in the form that their file has, and returns the metrics or, if
// there are none, those that a log is for.
func newLabels(c *commands.Call, path string, version int, metrics []string, number bool) (
	*holdout.Labels, []string, error) {
	typed, err := readingOf(c)
	if err != nil {
		return nil, nil, err
	}
	f, err := openFile(c, path, "label", 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if err := f.recognise(typed, version, true); err != nil {
		return nil, nil, err
	}
	if f.from != nil && metrics == nil && typed.Value == "" {
		if metrics, err = f.implied(); err != nil {
			return nil, nil, err
		}
	}
	f.number = number
	labels, err := f.readLabels(metrics)
	return labels, metrics, err
}

// labelsIn reads the labels of a ledger, as it has read them before.
func labelsIn(c *commands.Call, path string, from *holdout.Reading, p *holdout.Plan) (*holdout.Labels, error) {
	f, err := openFile(c, path, "label", 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.number = p.LabelsAreNumbers()
	if from != nil {
		read := *from
		read.Version = p.Readings
		f.from = &read
	}
	return f.readLabels(p.Metrics)
}

// readLabels reads the labels' file. A log that is for columns alone has no labels that are needed.
func (f *file) readLabels(metrics []string) (*holdout.Labels, error) {
	read := holdout.NewRows
	if f.needed = !holdout.OnlyColumns(metrics); f.needed {
		read = holdout.NewLabels
	}
	if f.from != nil { // whose labels were asked for, or read by an earlier version
		f.needed = f.needed || f.from.Value != "" || f.from.Version == 0
	}
	labels, err := read(f.rows)
	if err != nil {
		return nil, f.blame(err)
	}
	labels.From, labels.Contents = f.from, f.contents
	return labels, nil
}

// readIncumbent opens the first incumbent, if there is one. The file stays open until done is called.
func readIncumbent(c *commands.Call, version int, labels *holdout.Labels, t *holdout.Terms) (done func(), err error) {
	done = func() {}
	path, ok := c.Text("incumbent")
	if !ok {
		return done, nil
	}
	metric := holdout.Accuracy
	if t.Metrics != nil {
		metric = t.Metrics[0]
	}
	column, err := t.Units.Column(metric)
	if err != nil {
		return done, err
	}
	f, err := openFile(c, path, column, labels.Samples())
	if err != nil {
		return done, err
	}
	like := holdout.Reading{}
	if labels.From != nil {
		like, f.content = *labels.From, labels.Content
		like.Value = "" // that of the labels
	}
	f.number = t.Match.ReadsNumbers(metric)
	t.Incumbent.Values = f.table
	t.Incumbent.Path = lasting(path)
	return f.Close, cmp.Or(f.recognise(like, version, false), f.suits(metric))
}

// lasting is where a file is found again, "" for standard input.
func lasting(path string) string {
	if path == "-" {
		return ""
	}
	return path
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
		return usage.Errorf("holdout score: got 0 files, want score DIR PREDICTIONS...")
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
		given := (&commands.Call{Values: typed.Values}).Given(f.Name)
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

// readSubmissions opens the predictions, in files that are to be closed.
func readSubmissions(c *commands.Call, ledger *holdout.Ledger, status holdout.Status, dir string, paths []string) (
	list []holdout.Submission, open files, err error) {
	one := holdout.Submission{Metric: status.Plan.Metric}
	if err := readQuestion(c, &one); err != nil {
		return nil, open, err
	}
	typed, err := readingOf(c)
	if err != nil {
		return nil, open, err
	}
	column, err := status.Plan.Units.Column(one.Metric)
	if err != nil {
		return nil, open, err
	}
	table := func(path string, candidate bool) (holdout.Table, error) {
		f, err := openFile(c, path, column, status.Plan.Promise.Samples)
		if err != nil {
			return nil, err
		}
		f.number = status.Plan.Match.ReadsNumbers(one.Metric)
		open = append(open, f)
		f.content = ledger.Content
		if candidate && holdout.IsColumn(one.Metric) {
			f.low = status.Plan.Low()
		}
		return f.table, cmp.Or(f.recognise(typed, status.Plan.Readings, candidate), f.suits(one.Metric))
	}
	one.Reading = &typed
	moved, named := c.Text("incumbent")
	switch column := holdout.IsColumn(one.Metric); {
	case named && status.Incumbent == nil:
		return nil, open, usage.Errorf("--incumbent: got one, want none: the plan is for no differences")
	case named && column:
		return nil, open, usage.Errorf("--incumbent: got one, want none: the ledger keeps the incumbent's values of %s", one.Metric)
	case status.Incumbent != nil && !column:
		path := status.Incumbent.In(dir)
		if named {
			path = moved
		}
		if path == "" {
			return nil, open, usage.Errorf("--incumbent: got nothing, want its file: the incumbent came by standard input")
		}
		if one.Incumbent, err = table(path, false); err != nil {
			return nil, open, err
		}
	}
	if slices.Contains(paths, "-") && len(paths) > 1 {
		return nil, open, usage.Errorf("holdout score: got - among %d files, want files, or - alone", len(paths))
	}
	if c.Is("again") {
		for _, name := range c.Texts("name") {
			s := one
			s.Name, s.Again = name, true
			list = append(list, s)
		}
		if list == nil {
			return nil, open, usage.Errorf("--name: got nothing with --again, want the name of a look")
		}
		return list, open, nil
	}
	if len(paths) == 0 { // to ask for a price
		return []holdout.Submission{one}, open, nil
	}
	names, err := namesOf(c, one.Metric, status, paths)
	if err != nil {
		return nil, open, err
	}
	for i, path := range paths {
		s := one
		s.Name, s.Path = names[i], lasting(path)
		if s.Values, err = table(path, true); err != nil {
			return nil, open, err
		}
		s.Source = open[len(open)-1].Name
		list = append(list, s)
	}
	return list, open, nil
}

func runStatus(c *commands.Call, target commands.Target, dir string, _ []string) error {
	s, lines, err := holdout.Read(dir)
	if err != nil {
		return err
	}
	ahead := false
	for _, f := range []struct {
		name string
		into *int64
	}{{"queries", &s.Ahead.Looks}, {"passes", &s.Ahead.Passes}} {
		count, ok, err := numbers.One(c, f.name, numbers.Counts)
		if err != nil {
			return err
		}
		if ok {
			*f.into, ahead = count, true
		}
	}
	if ahead {
		if _, err := s.Margin(); err != nil {
			return err
		}
	}
	answer := statusOf(s, dir)
	if s.Plan.Open != nil {
		said := answer.Say
		answer.Say = func() (title, notes []string) {
			title, notes = said()
			return title, append(modelsOf(s.Plan, lines), notes...)
		}
	}
	if c.Is("report") {
		if s.Plan.Open == nil {
			return usage.Errorf("--report: got a ledger with a fixed plan, want an open one: samplesize --report has the plan's")
		}
		answer.Text = func() string { return report(s, lines) }
	}
	return commands.Emit(c, target, answer)
}

func runLog(c *commands.Call, target commands.Target, dir string, _ []string) error {
	status, lines, err := holdout.Read(dir)
	if err != nil {
		return err
	}
	return commands.Emit(c, target, logOf(lines, status.Plan, dir))
}

func runVerify(c *commands.Call, target commands.Target, dir string, _ []string) error {
	chain, given := c.Text("chain")
	if digits, err := hex.DecodeString(chain); given && (err != nil || len(digits) != sha256.Size) {
		return usage.Invalid("chain", chain, "the 64 hexadecimal digits that an answer carried")
	}
	v, err := holdout.Verify(dir, strings.ToLower(chain))
	if err != nil {
		return err
	}
	return commands.Emit(c, target, verifiedOf(v, dir, chain))
}

func runRetire(c *commands.Call, target commands.Target, dir string, _ []string) error {
	s, err := holdout.Retire(c.Context, dir)
	if err != nil {
		return err
	}
	return commands.Emit(c, target, statusOf(s, dir))
}
