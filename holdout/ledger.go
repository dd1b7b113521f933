package holdout

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	randv2 "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// Files are the names of a ledger's files, into which nobody else may write.
func Files() []string { return []string{journal.PlanFile, journal.LinesFile} }

// Ledger answers looks at the labels and keeps the plan's promise. It may be used by several goroutines and
// processes: each look takes a lock.
type Ledger struct {
	dir      string
	plan     *Plan
	reader   data.Reader
	labels   data.Answers
	rows     rows
	epoch    int64 // how many changes of an open ledger's rows there were
	files    []*Labels
	features []*Features
	clusters [][]int32 // of the rows, by the names of the clusters; nil for none
	named    map[string][]int32
	drawn    []int32      // the items of a benchmark that have labels; nil for none
	base     *data.Values // of a new ledger: the incumbent's column; nil for none
	hooks
	journal *journal.Folder[*history]

	certified func() error // whether the plan has its certificate, computed once
}

func newLedger(dir string) *Ledger {
	return &Ledger{dir: dir, hooks: standard, journal: journalOf(dir)}
}

// use takes a plan and its labels.
func (l *Ledger) use(p *Plan, labels *Labels) (err error) {
	l.plan = p
	l.reader = data.Reader{Rows: labels.Roster, Match: p.Match, Classes: p.Classes, Units: p.Units, Metrics: p.Metrics}
	l.certified = sync.OnceValue(p.Certified)
	if l.labels, err = l.reader.Answers(labels); err != nil {
		return err
	}
	return p.counted(l.labels)
}

// hooks are functions that tests replace, beside those of the journal.
type hooks struct {
	noise func() (*randv2.Rand, error) // the source of a look's noise
	now   func() time.Time
}

var standard = hooks{noise: secret, now: time.Now}

// secret is a source that nobody can predict.
func secret() (*randv2.Rand, error) {
	var seed [32]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, err
	}
	return randv2.New(randv2.NewChaCha8(seed)), nil
}

// Open opens a ledger to take looks. The labels must be those that it was made for, in the same order; of an open
// ledger, a file of them for each of its sources.
func Open(dir string, labels ...*Labels) (*Ledger, error) {
	return OpenWith(dir, func(Status) ([]*Labels, error) { return labels, nil })
}

// OpenWith is [Open] with the labels that are found for the ledger's status, which may have a look that is being taken.
func OpenWith(dir string, find func(Status) ([]*Labels, error)) (*Ledger, error) {
	l := newLedger(dir)
	h, err := l.journal.Open()
	if err != nil {
		return nil, notLedger(err)
	}
	labels, err := find(h.status())
	if err != nil {
		return nil, err
	}
	all, err := h.rows.labels(labels)
	if err != nil {
		return nil, err
	}
	if rows, _ := h.extent(); rows != all.Samples() {
		return nil, corrupt("the ledger was made for %d rows, and its labels are %d", rows, all.Samples())
	}
	l.rows, l.epoch, l.files = h.rows, h.account.epoch, labels
	return l, l.use(h.plan, all)
}

// ReplacedError says that a ledger has another plan than the one that it was opened with.
type ReplacedError = journal.ReplacedError

// Plan returns the plan that the ledger keeps.
func (l *Ledger) Plan() *Plan { return l.plan }

// Content returns what a row asks, and whether the labels' log of a tool says so. Of a benchmark it says nothing, as it
// is secret which items have labels.
func (l *Ledger) Content(tool, id string) (c Content, ok bool) {
	for _, f := range l.files {
		if c, ok = f.Content(tool, id); ok && !l.plan.design().Secret() {
			return c, true
		}
	}
	return Content{}, false
}

// Submission is the predictions of a look, and the question about them.
type Submission struct {
	Name      string   // for the log: at most 100 printable characters, and no part of the fingerprint
	Team      string   // for the log, likewise: who asks, if several do
	Metric    string   // "" for the plan's
	Values    Table    // every id with its prediction or value
	Source    string   // the name of the values in errors; "" for none
	Path      string   // the file that they are in, to be found again if they become the incumbent
	Question           // empty for a gate whose plan has its bar
	Effect    *float64 // price: a guess how far the truth is above the bar, or the incumbent; nil for no forecast
	Incumbent Table    // of differences: the values of the incumbent; none of a column, which the ledger keeps

	Reading *Reading // of a column: how the log that has it is read; nil for a table
	Again   bool     // of a column: the answer that this name and question have, without values
	Batch   Batch    // of columns: shared by the questions of a command about one candidate; nil for none
}

// Answer is the answer to a look, and how much of the plan remains.
type Answer struct {
	Look        int64 // 0 if it was refused
	Name        string
	Verdict     string   // "" if there is none
	Response    *float64 // nil if there is none
	Remaining   Remaining
	Plan        *Plan
	Fingerprint string  // "" for a column
	Key         string  // of a column
	Chain       string  // the head's
	Rows        int64   // that it is about, where they arrive
	Known       bool    // the look was known and cost nothing
	Counts      Counts  // of the submission
	Open        *Line   // the line of an open look
	Spent       float64 // nats, of an open ledger
	Told        string  // what a verdict on several conditions says of each, "" for one
}

// Score takes a look. Its line is on the disk before Score returns. Input that is refused as an [InputError] costs
// nothing. With a [RefusedError] comes an Answer without a response.
func (l *Ledger) Score(ctx context.Context, s Submission) (Answer, error) {
	answers, err := l.ScoreAll(ctx, []Submission{s})
	if len(answers) == 0 {
		return Answer{}, err
	}
	return answers[0], err
}

// ScoreAll takes the one look at all finalists that a plan for them covers. Their lines are on the disk before it
// returns, and the ledger is retired. A plan of another kind takes one submission at a time.
func (l *Ledger) ScoreAll(ctx context.Context, list []Submission) (answers []Answer, err error) {
	all, err := l.askAll(ctx, list)
	if err != nil {
		return nil, err
	}
	err = l.writing(ctx, func(h *history, w journal.Writer) error {
		err := l.answer(h, w, all)
		if refused := (*RefusedError)(nil); err == nil || errors.As(err, &refused) {
			answers = h.answers(all)
		}
		return err
	})
	return answers, err
}

// Settle puts on the disk the lines that another process may have left, and takes no look. From then on the Ledger
// notices an older copy of the files that is put back.
func (l *Ledger) Settle(ctx context.Context) error {
	return l.writing(ctx, func(_ *history, w journal.Writer) error { return w.Confirm() })
}

// Preview returns the answers that looks would have, without their results, and takes none.
func (l *Ledger) Preview(list ...Submission) ([]Answer, error) {
	all, err := l.askAll(context.Background(), list)
	if err != nil {
		return nil, err
	}
	h, err := l.readSettled()
	if err != nil {
		return nil, err
	}
	fresh, err := l.fresh(h, all)
	answers, next := h.answers(all), h.looks
	for i := range answers {
		a := &answers[i]
		a.Response, a.Verdict, a.Told = nil, "", ""
		if !a.Known && len(fresh) > 0 {
			next++
			a.Look = next
		}
	}
	return answers, err
}

// Read reads how far the ledger has come, and its lines. A look that is being taken is not in them.
func (l *Ledger) Read() (Status, []Line, error) {
	h, err := l.readSettled()
	if err != nil {
		return Status{}, nil, err
	}
	return h.status(), h.shownLines(), nil
}

// readSettled reads the lines that may be shown, under the plan that the ledger was opened with.
func (l *Ledger) readSettled() (*history, error) {
	return readSettled(l.journal)
}

// asked is a submission that has been read.
type asked struct {
	Asked
	known bool // when it was asked
	again bool // whether the answer to a known look is asked for
	batch *batched
}

// askAll reads submissions.
func (l *Ledger) askAll(ctx context.Context, list []Submission) (all []asked, err error) {
	most := int64(1)
	if l.plan.goal.Feedback == transfer.Final {
		most = l.plan.goal.Queries
	}
	if n := int64(len(list)); n < 1 || n > most {
		if most == 1 {
			return nil, inputf("got %d submissions, want one", n)
		}
		return nil, inputf("got %d submissions, want at least 1 and at most %d", n, most)
	}
	for _, s := range list {
		if s.Values == nil && !s.Again {
			return nil, inputf("got no predictions, want every id of the labels once")
		}
		ask := l.ask
		if IsColumn(cmp.Or(s.Metric, l.plan.Metric)) {
			ask = l.askColumn
		} else if s.Again {
			return nil, inputf("again: got %s, want none but of a column: ask with the predictions, which cost nothing again", shown(s.Name))
		}
		a, err := ask(ctx, s)
		if err != nil {
			return nil, err
		}
		if a.Key != "" && slices.ContainsFunc(all, func(other asked) bool { return other.Name == a.Name }) {
			return nil, inputf("name: got %s twice, want another name for each finalist", shown(a.Name))
		}
		all = append(all, a)
	}
	return all, nil
}

// ask reads a submission, at the rows that there are or, of a known look, at those that there were.
func (l *Ledger) ask(ctx context.Context, s Submission) (a asked, err error) {
	if l.plan.design().Arrives() {
		return l.askFirst(ctx, s)
	}
	if l.epoch == 0 || s.Values == nil {
		return l.askNow(s)
	}
	most := slices.Max(l.rows.counts)
	s.Values, s.Incumbent = data.Spooled(ctx, s.Values, most), data.Spooled(ctx, s.Incumbent, most)
	a, err = l.askNow(s)
	if wrong := (*InputError)(nil); errors.As(err, &wrong) {
		if past := l.remembered(s); past != nil {
			return *past, nil
		}
	}
	return a, err
}

// admits checks all of a submission but its values, and fills in what has one value.
func (l *Ledger) admits(s *Submission) error {
	if err := cmp.Or(ValidName("name", s.Name), ValidName("team", s.Team)); err != nil {
		return err
	}
	if s.foreign() {
		return inputf("got a submission with something that no ledger knows, want predictions and a question")
	}
	s.Metric = cmp.Or(s.Metric, l.plan.Metric)
	if err := l.plan.Rule.Admit(l.plan, &s.Question, s.Metric); err != nil {
		return err
	}
	return cmp.Or(l.asks(s.Metric), l.Whole())
}

// askNow reads a submission at the rows that there are.
func (l *Ledger) askNow(s Submission) (a asked, err error) {
	if err := l.admits(&s); err != nil {
		return a, err
	}
	a.look = look{labels: l.labels, records: l.recordsOf(nil)}
	a.look.groups = l.clusters
	a.Line = Line{Line: form.Line{Event: Looked, Name: s.Name, Team: s.Team, Metric: s.Metric, Question: s.Question}}
	if s.Values == nil && l.plan.IsOpen() { // to ask for its price
		a.query, err = l.query(&a)
		return a, err
	}
	if a.look.values, err = l.read(s); err != nil {
		if wrong := (*InputError)(nil); errors.As(err, &wrong) && s.Source != "" {
			err = inputf("%s: %v", s.Source, err)
		}
		return a, err
	}
	switch {
	case l.plan.Compares():
		if err := l.compare(&a, s); err != nil {
			return a, err
		}
	case s.Incumbent != nil:
		return a, inputf("incumbent: got one, want none: the plan is for no differences")
	}
	of := append([]string{a.Incumbent}, s.Apart()...)
	if l.plan.IsOpen() || s.Further() {
		if a.query, err = l.query(&a); err != nil {
			return a, err
		}
		a.Differ, a.Share = a.query.differ, a.query.share
		of = append(append(of, s.Texts()...), strconv.FormatInt(l.epoch, 10))
	}
	if IsColumn(s.Metric) { // which has a key
		a.batch = s.Batch[s.Metric]
		return a, nil
	}
	if l.plan.IsOpen() || len(s.All) > 0 {
		a.Predictions = cmp.Or(a.Predictions, a.look.values.Fingerprint())
	}
	a.Fingerprint = a.look.values.Fingerprint(of...)
	return a, nil
}

// current reads the files as they are, without a lock.
func (l *Ledger) current() (*history, error) {
	h, err := l.journal.Read()
	return h, notLedger(err)
}

// Predictions returns the fingerprint of predictions, as a plan for differences has it of the incumbent's.
func (l *Ledger) Predictions(t Table) (string, error) {
	if err := l.Whole(); err != nil {
		return "", err
	}
	v, err := l.reader.Read(l.plan.Metric, false, t)
	if err != nil {
		return "", err
	}
	return v.Fingerprint(), nil
}

// Incumbent is the file that the next candidate is compared with, nil if the plan is for no differences.
func (l *Ledger) Incumbent() (*LabelsFile, error) {
	h, err := l.current()
	if err != nil {
		return nil, err
	}
	return h.incumbent(), nil
}

// compare reads the incumbent that a candidate is compared with.
func (l *Ledger) compare(a *asked, s Submission) error {
	path, err := form.Relative(l.dir, s.Path)
	switch column := IsColumn(s.Metric); {
	case s.Incumbent == nil && !column:
		return inputf("incumbent: got nothing, want the predictions that the candidate is compared with")
	case err != nil:
		return err
	case s.Metric != l.plan.Metric:
		return inputf("metric: got %s, want %s as in the plan: the incumbent has no other", shown(s.Metric), l.plan.Metric)
	case column && s.Incumbent != nil:
		return inputf("incumbent: got one, want none: the ledger keeps the incumbent's values of %s", s.Metric)
	case column:
		a.look.base = new(data.Values) // which are read under the lock
		return nil
	}
	base, err := l.reader.Read(s.Metric, false, s.Incumbent)
	if err != nil {
		return fmt.Errorf("incumbent: %w", err)
	}
	a.look.base = &base
	a.Path, a.Incumbent, a.Predictions = path, base.Fingerprint(), a.look.values.Fingerprint()
	d := l.plan.goal.Disagreement
	if v := l.plan.goal.SecondMoment; v > 0 && !l.plan.goal.Checked { // a square is at most 1, where a prediction differs
		d = v
	}
	if d == 0 {
		return nil
	}
	differ, n := a.look.values.Differ(&base), int64(len(l.reader.Rows.IDs))
	beyond := !reaches(float64(-differ), n, -d, 0)
	if l.plan.design().ByMeans() {
		_, share := a.look.differing(nil)
		beyond = share > d*(1+1e-12)
	}
	if beyond {
		return inputf("got a candidate that differs from the incumbent on %d of %d rows, want at most a share of %v",
			differ, n, d)
	}
	return nil
}

// printed is a number that may be missing, for a fingerprint.
func printed(x *float64) string {
	if x == nil {
		return ""
	}
	return text.Shortest(*x)
}

// mostName is how many characters a name has.
const mostName = 100

// ValidName checks the name of a look or a team: at most 100 printable characters. The error is an [InputError] that
// begins with the field of the name.
func ValidName(field, name string) error {
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return inputf("%s: got %s, want printable characters", field, shown(name))
	case utf8.RuneCountInString(name) > mostName:
		return inputf("%s: got %d characters, want at most %d", field, utf8.RuneCountInString(name), mostName)
	}
	return nil
}

// fresh are the looks that are new. Two equal finalists are two looks. The error is a [RefusedError] if there are some
// and the plan covers no further look, an [InputError] if they were compared with another incumbent or with themselves,
// or the error of [Plan.Certified]: a plan without a certificate takes no new look.
func (l *Ledger) fresh(h *history, all []asked) (list []asked, err error) {
	for i := range all {
		a := &all[i]
		err := h.promoted(a)
		switch _, a.known = h.known[a.id()]; {
		case a.again:
			continue
		case a.known && a.Key != "": // since it was read
			return nil, h.taken(a.Name, a.Key)
		case err != nil:
			return nil, err
		}
		if !a.known {
			list = append(list, *a)
		}
	}
	switch current := h.incumbent(); {
	case len(list) == 0:
		return nil, nil
	case l.plan.grows() && h.account.epoch != l.epoch:
		return nil, &ExtendedError{}
	case h.retired:
		return nil, &RefusedError{Reason: "the ledger is retired"}
	case h.plan.Rule.Remaining(h.Past).Looks == 0:
		return nil, &RefusedError{Reason: h.plan.ended()}
	case current != nil && list[0].Key != "":
		if h.plan.Schema != form.ColumnSchema {
			return nil, &RefusedError{Reason: "an earlier version made the ledger, and it has no values of the incumbent's column: make a new ledger of new rows"}
		}
	case current != nil && current.Fingerprint != "" && current.Fingerprint != list[0].Incumbent:
		return nil, inputf("incumbent: got other predictions than the last candidate that passed, or the plan's")
	}
	for _, a := range list {
		if err := h.plan.Rule.Allow(h.Past, &a.Asked); err != nil {
			return nil, err
		}
	}
	return list, l.certified()
}

// opened is the line of an open look, nil for another ledger.
func (h *history) opened(l Line) *Line {
	if !h.plan.IsOpen() {
		return nil
	}
	return &l
}

// promoted takes a candidate that is compared with itself for the look by which it became the incumbent, which is asked
// for again if its answer never came. The error is an [InputError] if that is not so. Values of a column are not
// compared: there a candidate is the incumbent itself if both have one name.
func (h *history) promoted(a *asked) error {
	if a.Key == "" && (a.Incumbent == "" || a.Incumbent != a.Predictions) {
		return nil
	}
	itself := a.Key == "" // the plan's incumbent has no name
	for _, l := range slices.Backward(h.lines) {
		if !h.promotes(l) {
			continue
		}
		same := slices.Equal(l.Apart(), a.Apart()) && slices.Equal(l.Texts(), a.Texts())
		if a.Key == "" && l.Predictions == a.Predictions && same {
			a.Incumbent, a.Fingerprint = l.Incumbent, l.Fingerprint
			return nil
		}
		itself = itself || l.Name == a.Name
		break
	}
	if !itself {
		return nil
	}
	return inputf("got the incumbent itself, want a candidate that differs from it")
}

// answers are the answers to submissions, from their lines if they have some. Of equal finalists each has its own line.
func (h *history) answers(all []asked) (list []Answer) {
	before := make(map[string]int)
	for _, a := range all {
		line := a.Line
		if known := h.known[a.id()]; known != nil {
			line = h.lines[known[min(before[a.id()], len(known)-1)]]
			before[a.id()]++
		}
		list = append(list, Answer{
			Look: line.Look, Name: line.Name, Verdict: line.Verdict, Response: line.Response, Fingerprint: line.Fingerprint,
			Key: line.Key, Remaining: h.plan.Rule.Remaining(h.Past), Plan: h.plan, Chain: h.chain, Known: a.known,
			Rows: line.Rows, Counts: a.look.values.Counts, Open: h.opened(line), Spent: h.account.spent(),
			Told: line.Told(),
		})
	}
	return list
}

// answer takes the looks that are new: noise, one write, and everything on the disk before it returns.
func (l *Ledger) answer(h *history, w journal.Writer, all []asked) error {
	fresh, err := l.fresh(h, all)
	if err != nil {
		return err
	}
	if len(fresh) == 0 {
		return w.Confirm()
	}
	var lines []form.Line
	for _, a := range fresh {
		if a.noise, err = l.noise(); err != nil {
			return err
		}
		number := h.looks + int64(len(lines)) + 1
		if a.Key != "" && a.look.base != nil {
			if *a.look.base, err = l.incumbentOf(h, a.look.values); err != nil {
				return err
			}
			a.Path = keptFile(number)
			if err := w.Keep(a.Path, textOf(a.look.values.ByID())); err != nil {
				return err
			}
		}
		if a.Line, err = h.plan.Rule.Answer(h.Past, &a.Asked); err != nil {
			return err
		}
		a.Look = number
		switch {
		case a.batch != nil && a.batch.first > 0:
			a.With = a.batch.first
		case a.Key != "":
			a.With = number
		}
		if !h.promotes(a.Line) {
			a.Path = ""
		}
		lines = append(lines, a.Line.Line)
	}
	if h.plan.goal.Feedback == transfer.Final {
		lines = append(lines, form.Line{Event: Retired})
	}
	l.journal.At("answered")
	if err := l.add(w, lines...); err != nil {
		return err
	}
	for i, a := range fresh {
		if a.batch != nil {
			a.batch.first = lines[i].With
		}
		if kept := a.Key != "" && a.look.base != nil; kept && lines[i].Path == "" {
			w.Drop(keptFile(lines[i].Look))
		}
	}
	return nil
}

// Retire ends a ledger: no new look is answered any more.
func Retire(ctx context.Context, dir string) (status Status, err error) {
	l := newLedger(dir)
	err = l.writing(ctx, func(h *history, w journal.Writer) error {
		end := w.Confirm
		if !h.retired {
			end = func() error { return l.add(w, form.Line{Event: Retired}) }
		}
		err := end()
		status = h.status()
		return err
	})
	return status, err
}
