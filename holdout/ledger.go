package holdout

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	randv2 "math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/sample"
	"github.com/dpcalc/dpcalc/transfer"
)

// Files returns the names of a ledger's files, which no other program may write.
func Files() []string { return []string{journal.PlanFile, journal.LinesFile} }

// Ledger answers looks at the labels and keeps the plan's promise. It may be used by several goroutines and
// processes: each look takes a lock.
type Ledger struct {
	rows sample.Sample
	plan *Plan
	base *data.Values // of a new ledger: the incumbent's column; nil for none
	hooks
	journal *journal.Folder[*history]

	certified func() error // whether the plan has its certificate, computed once
}

func newLedger(dir string) *Ledger {
	return &Ledger{rows: sample.Sample{Dir: dir}, hooks: standard, journal: journalOf(dir)}
}

// hooks are functions that tests replace, beside the hooks of the journal.
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

// OpenWith returns [Open] with the labels that are found for the ledger's status, which may have a look that is being
// taken.
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
	all, err := h.rows.Labels(labels)
	if err != nil {
		return nil, err
	}
	if rows, _ := h.Extent(); rows != all.Samples() {
		return nil, corrupt("the ledger was made for %d rows, and its labels are %d", rows, all.Samples())
	}
	l.rows.Sources, l.rows.Epoch, l.rows.Files = h.rows, h.Account.Epoch, labels
	return l, l.use(h.Plan, all)
}

// ReplacedError says that a ledger has another plan than the one that it was opened with.
type ReplacedError = journal.ReplacedError

// Plan returns the plan that the ledger keeps.
func (l *Ledger) Plan() *Plan { return l.plan }

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
	answers, next := h.answers(all), h.Looks
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
	rule.Asked
	known bool // when it was asked
	again bool // whether the answer to a known look is asked for
	batch *rule.Column
}

// askAll reads submissions.
func (l *Ledger) askAll(ctx context.Context, list []Submission) (all []asked, err error) {
	most := int64(1)
	if l.plan.Goal.Feedback == transfer.Final {
		most = l.plan.Goal.Queries
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
	if l.plan.Design().Arrives() {
		return l.askFirst(ctx, s)
	}
	if l.rows.Epoch == 0 || s.Values == nil {
		return l.askNow(s)
	}
	most := slices.Max(l.rows.Sources.Counts)
	s.Values, s.Incumbent = data.Spooled(ctx, s.Values, most), data.Spooled(ctx, s.Incumbent, most)
	a, err = l.askNow(s)
	if wrong := (*InputError)(nil); errors.As(err, &wrong) {
		if past := l.remembered(s); past != nil {
			return *past, nil
		}
	}
	return a, err
}

// askFirst reads a submission about the first rows: those that the next look is about or, if it has as many rows as an
// earlier look was about, those.
func (l *Ledger) askFirst(ctx context.Context, s Submission) (a asked, err error) {
	h, err := l.current()
	if err != nil {
		return a, err
	}
	got := int64(0)
	s.Values = data.Spooled(ctx, s.Values, h.Samples())
	_ = s.Values(func(string, string) error { // an error is told where it is read again
		got++
		return nil
	})
	n, hand := l.plan.RowsAfter(h.Looks), int64(len(l.rows.Reader.Rows.IDs))
	for _, line := range h.Lines {
		if line.Rows == got && line.Event == Looked {
			n = got
		}
	}
	if n > hand { // which the rule refuses
		return asked{Asked: rule.Asked{Line: Line{Line: form.Line{Event: Looked,
			Request: form.Request{Name: s.Name}}}}}, l.checkSubmission(&s)
	}
	first := *l
	first.rows = l.rows.First(n)
	a, err = first.askNow(s)
	a.Rows = int64(len(a.Scores.Values.Of))
	return a, err
}

// checkSubmission checks all of a submission but its values, and fills in what has one value.
func (l *Ledger) checkSubmission(s *Submission) error {
	if err := cmp.Or(ValidName("name", s.Name), ValidName("team", s.Team)); err != nil {
		return err
	}
	if s.HasForeign() {
		return inputf("got a submission with something that no ledger knows, want predictions and a question")
	}
	s.Metric = cmp.Or(s.Metric, l.plan.Metric)
	if err := l.plan.Rule.Admit(l.plan, &s.Question, s.Metric); err != nil {
		return err
	}
	metrics := l.plan.Metrics
	if metrics == nil { // in a plan of an earlier version
		h, err := l.current()
		if err != nil {
			return err
		}
		metrics = h.Metrics()
	}
	return cmp.Or(l.plan.CheckMetric(s.Metric, metrics), l.Whole())
}

// askNow reads a submission at the rows that there are.
func (l *Ledger) askNow(s Submission) (a asked, err error) {
	if err := l.checkSubmission(&s); err != nil {
		return a, err
	}
	a.Asked, err = l.rows.Ask(s)
	a.batch = s.Batch[s.Metric]
	return a, err
}

// current reads the files as they are, without a lock.
func (l *Ledger) current() (*history, error) {
	h, err := l.journal.Read()
	return h, notLedger(err)
}

// Incumbent returns the file that the next candidate is compared with, nil if the plan is for no differences.
func (l *Ledger) Incumbent() (*LabelsFile, error) {
	h, err := l.current()
	if err != nil {
		return nil, err
	}
	return h.incumbent(), nil
}

// fresh are the looks that are new. Two equal finalists are two looks. The error is a [RefusedError] if there are some
// and the plan covers no further look, an [InputError] if they were compared with another incumbent or with themselves,
// or the error of [Plan.Certified]: a plan without a certificate takes no new look.
func (l *Ledger) fresh(h *history, all []asked) (list []asked, err error) {
	for i := range all {
		a := &all[i]
		err := h.promoted(a)
		switch _, a.known = h.known[idOf(a.Line)]; {
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
	case l.plan.Grows() && h.Account.Epoch != l.rows.Epoch:
		return nil, &ExtendedError{}
	case h.Retired:
		return nil, &RefusedError{Reason: "the ledger is retired"}
	case h.Plan.Rule.Remaining(h.Past).Looks == 0:
		return nil, &RefusedError{Reason: h.Plan.Ended()}
	case current != nil && list[0].Key != "":
		if h.Plan.Schema != form.ColumnSchema {
			return nil, &RefusedError{Reason: "an earlier version made the ledger, and it has no values of the incumbent's column: make a new ledger of new rows"}
		}
	case current != nil && current.Fingerprint != "" && current.Fingerprint != list[0].Incumbent:
		return nil, inputf("incumbent: got other predictions than the last candidate that passed, or the plan's")
	}
	for _, a := range list {
		if err := h.Plan.Rule.Allow(h.Past, &a.Asked); err != nil {
			return nil, err
		}
	}
	return list, l.certified()
}

// promoted takes a candidate that is compared with itself for the look by which it became the incumbent, which is asked
// for again if its answer never came. The error is an [InputError] if that is not so. Values of a column are not
// compared: there a candidate is the incumbent itself if both have one name.
func (h *history) promoted(a *asked) error {
	if a.Key == "" && (a.Incumbent == "" || a.Incumbent != a.Predictions) {
		return nil
	}
	itself := a.Key == "" // the plan's incumbent has no name
	for _, l := range slices.Backward(h.Lines) {
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
		if known := h.known[idOf(a.Line)]; known != nil {
			line = h.Lines[known[min(before[idOf(a.Line)], len(known)-1)]]
			before[idOf(a.Line)]++
		}
		var opened *Line
		if h.Plan.IsOpen() {
			opened = &line
		}
		list = append(list, Answer{
			Look: line.Look, Name: line.Name, Verdict: line.Verdict, Response: line.Response, Fingerprint: line.Fingerprint,
			Key: line.Key, Remaining: h.Plan.Rule.Remaining(h.Past), Plan: h.Plan, Chain: h.chain, Known: a.known,
			Rows: line.Rows, Counts: a.Scores.Values.Counts, Open: opened, Spent: h.Account.Spent(),
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
		if a.Noise, err = l.noise(); err != nil {
			return err
		}
		number := h.Looks + int64(len(lines)) + 1
		if a.Key != "" && a.Scores.Base != nil {
			if *a.Scores.Base, err = l.incumbentOf(h, a.Scores.Values); err != nil {
				return err
			}
			a.Path = sample.KeptFile(number)
			if err := w.Keep(a.Path, sample.TextOf(a.Scores.Values.ByID())); err != nil {
				return err
			}
		}
		if a.Line, err = h.Plan.Rule.Answer(h.Past, &a.Asked); err != nil {
			return err
		}
		a.Look = number
		switch {
		case a.batch != nil && a.batch.First > 0:
			a.With = a.batch.First
		case a.Key != "":
			a.With = number
		}
		if !h.promotes(a.Line) {
			a.Path = ""
		}
		lines = append(lines, a.Line.Line)
	}
	if h.Plan.Goal.Feedback == transfer.Final {
		lines = append(lines, form.Line{Event: Retired})
	}
	l.journal.At("answered")
	if err := l.add(w, lines...); err != nil {
		return err
	}
	for i, a := range fresh {
		if a.batch != nil {
			a.batch.First = lines[i].With
		}
		if kept := a.Key != "" && a.Scores.Base != nil; kept && lines[i].Path == "" {
			w.Drop(sample.KeptFile(lines[i].Look))
		}
	}
	return nil
}

// Price returns what each response to a question would cost and say, and takes no look. The submission has no values
// where the cells do not depend on them. With a bar it says what a gate at the bar will be after each response. The
// responses depend on no label.
func (l *Ledger) Price(s Submission, bar *float64) ([]Response, error) {
	if !l.plan.IsOpen() {
		return nil, inputf("price: got a fixed ledger, want an open one: the plan of a fixed ledger has paid for its looks")
	}
	if err := open.CheckPriced(l.plan, s); err != nil {
		return nil, err
	}
	if s.Show == ShowPass {
		bar = cmp.Or(bar, s.Bar)
		s.Bar = bar
	}
	a, err := l.ask(context.Background(), s)
	if err != nil {
		return nil, err
	}
	h, err := l.readSettled()
	if err == nil && s.Values != nil { // as the look would be taken, whatever its team has left
		a.Team = ""
		_, err = l.fresh(h, []asked{a})
	}
	if err := cmp.Or(err, a.Query.Differs()); err != nil {
		return nil, err
	}
	if err := l.checkCurrent(h); err != nil {
		return nil, err
	}
	return open.Price(h.Past, &a.Asked, bar, s.Effect)
}

// checkCurrent checks that an open ledger takes looks of the rows that it was opened with.
func (l *Ledger) checkCurrent(h *history) error {
	switch {
	case h.Retired:
		return &RefusedError{Reason: "the ledger is retired"}
	case h.Account.Epoch != l.rows.Epoch:
		return &ExtendedError{}
	}
	return nil
}

// RestsOn returns the theorem that the verdict of a test rests on, "" for other looks.
func (a Answer) RestsOn() string {
	switch {
	case a.Plan.Promise.Test != "":
		return a.Plan.RestsOn(a.Plan.Metric)
	case a.Open != nil && a.Open.Show == ShowReject:
		return a.Plan.RestsOn(a.Open.Metric)
	}
	return ""
}

// use gives the ledger a plan and its labels.
func (l *Ledger) use(p *Plan, labels *Labels) error {
	l.plan, l.certified = p, sync.OnceValue(p.Certified)
	return l.rows.Use(p, labels)
}
