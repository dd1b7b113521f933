package ledger

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/text"
)

// readOpen reads the terms of an open ledger.
func readOpen(c *commands.Call, t *holdout.Terms) (err error) {
	for _, name := range []string{"plan", "scenario", "test"} {
		if _, ok := c.Text(name); ok {
			return usage.Errorf("--%s: given with --open, want one of the two", name)
		}
	}
	for _, f := range goalFlags {
		if _, ok := c.Text(f.Name); ok && !slices.Contains([]string{"beta", "confidence", "second-moment"}, f.Name) {
			return usage.Errorf("--%s: given with --open, want --beta alone: each look says what it shows", f.Name)
		}
	}
	var inputs []record.Input
	asked, err := goals.ReadGrid(goalValues{c}, &inputs, 0)
	if err != nil {
		return err
	}
	if asked.Size() != 1 {
		return usage.Errorf("holdout init: got %d goals, want one", asked.Size())
	}
	t.Open, t.Goal.Beta, t.Goal.SecondMoment = true, asked.Goal(0).Beta, asked.Goal(0).SecondMoment
	t.Ask = c.Texts("ask")
	for _, f := range []struct {
		name string
		into *float64
	}{{"most", &t.Most}, {"most-per-team", &t.MostPerTeam}} {
		nats, ok, err := numbers.One(c, f.name, numbers.Positives)
		if err != nil {
			return err
		}
		if ok {
			*f.into = nats
		}
	}
	return nil
}

// questionsOf are the calls of the looks that a command line asks for, in the order written. A question may have its
// flags with it, as pass:bar=0.8.
func questionsOf(c *commands.Call) (list []*commands.Call, err error) {
	shows := c.Texts("show")
	if len(shows) == 0 {
		return []*commands.Call{c}, nil
	}
	flags := questionNames()
	for _, text := range shows {
		kind, rest, listed := strings.Cut(text, ":")
		one := *c
		one.Values = usage.Replaced(c.Values, "show", kind)
		for _, item := range listItems(rest) {
			key, value, ok := strings.Cut(item, "=")
			switch {
			case !listed:
			case !ok || !slices.Contains(flags, key):
				return nil, usage.Invalid("show", text, "KIND:KEY=VALUE,... with "+usage.OrList(flags))
			default:
				one.Values = usage.Replaced(one.Values, key, value)
			}
		}
		list = append(list, &one)
	}
	return list, nil
}

// readQuestion reads what a look asks.
func readQuestion(c *commands.Call, s *holdout.Submission) (err error) {
	for _, text := range c.Texts(conditionsFlag.Name) {
		one, err := holdout.ParseCondition(text)
		if err != nil {
			return err
		}
		s.All = append(s.All, one)
	}
	for _, flag := range append(questionNames(), "show") {
		switch to := s.Flag(flag).(type) {
		case *string:
			if text, ok := c.Text(flag); ok {
				*to = text
			}
		case **float64:
			var x float64
			if numbers.Read(c, &err, flag, numbers.Reals, &x) {
				*to = &x
			}
		}
	}
	return err
}

// readFeatures reads the file of --features, nil without it.
func readFeatures(c *commands.Call) (*holdout.Features, error) {
	paths := c.Texts("features")
	switch len(paths) {
	case 0:
		return nil, nil
	case 1:
		return featuresIn(c, paths[0])
	}
	return nil, usage.Errorf("--features: got %d files, want one", len(paths))
}

func featuresIn(c *commands.Call, path string) (*holdout.Features, error) {
	in, err := csvfile.Open(c.Session, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return holdout.NewFeatures(in.Reader(), lasting(path))
}

// useFeatures gives a ledger the items of its benchmark, and the features of its rows if a look asks for some of them
// or they come in clusters.
func useFeatures(c *commands.Call, l *holdout.Ledger, status holdout.Status, dir string, moved []string) error {
	items, err := itemsOf(c, status.Plan, dir)
	if err != nil {
		return err
	}
	if items != nil {
		if err := l.UsePopulation(items); err != nil {
			return err
		}
	}
	_, sliced := c.Text("where")
	sliced = sliced || len(c.Texts(conditionsFlag.Name)) > 0
	sliced = sliced && status.Sources[0].Features != nil
	if !sliced && status.Plan.Group == nil {
		return nil
	}
	list, err := featuresOf(c, status, dir, moved)
	if err != nil {
		return err
	}
	return l.UseFeatures(list...)
}

// featuresOf reads the features of a ledger's rows, from where they were moved to.
func featuresOf(c *commands.Call, status holdout.Status, dir string, moved []string) (
	list []*holdout.Features, err error) {
	for i, s := range status.Sources {
		path := s.Features.In(dir)
		if len(moved) == len(status.Sources) {
			path = moved[i]
		}
		if path == "" || len(moved) > 0 && len(moved) != len(status.Sources) {
			return nil, usage.Errorf("--features: got %d files, want %d: the rows come from so many", len(moved), len(status.Sources))
		}
		f, err := featuresIn(c, path)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func runPrice(c *commands.Call, target commands.Target, dir string, paths []string) error {
	ledger, status, err := openLedger(c, dir, c.Texts("labels"), c.Texts("features"))
	if err != nil {
		return err
	}
	asked, err := questionsOf(c)
	if err != nil {
		return err
	}
	if len(asked) > 1 {
		return usage.Errorf("holdout price: got %d questions, want one: what a look costs depends on the one before it", len(asked))
	}
	list, open, err := readSubmissions(asked[0], ledger, status, dir, paths)
	defer open.close()
	if err != nil {
		return err
	}
	one := list[0]
	bar := one.Bar
	if one.Show != holdout.ShowPass {
		one.Bar = nil
	}
	effect, guessed, err := numbers.One(c, "effect", numbers.Positives)
	if err != nil {
		return err
	}
	if guessed {
		one.Effect = &effect
	}
	prices, err := ledger.Price(one, bar)
	if err == nil {
		open.tell()
	}
	now, _ := status.Margin()
	return emitted(c, target, err, commands.Answer[holdout.Response]{
		Command: "holdout-price", Inputs: folder(dir), Rows: commands.List(prices), Columns: responses,
		Shown: forPeople(holdout.ResponseFields, func(r holdout.Response) holdout.Line { return r.Line }, "next_margin"),
		Say: func() (title, notes []string) {
			notes = []string{"price: nats, of ln 1/W; a response costs what it takes from the failure probability of later looks"}
			if guessed {
				notes = append(notes, "power: a forecast and no promise, if that is where the truth is and rows are alike")
			}
			if last := prices[len(prices)-1]; last.Others > 0 {
				notes = append(notes, fmt.Sprintf("others: %d responses, each at most at this price", last.Others+1))
			}
			if len(prices) > 1 {
				notes = append(notes, cost(prices, now))
			}
			return []string{"What the next look of " + usage.Shown(dir) + " would cost; none was taken"}, notes
		},
	})
}

// cost tells people what a look costs, and how much wider the margin of a gate is after it.
func cost(prices []holdout.Response, now float64) string {
	cheap, dear := math.Inf(1), 0.
	narrow, wide := math.Inf(1), 0.
	for _, r := range prices {
		cheap, dear = min(cheap, *r.Price), max(dear, *r.Price)
		narrow, wide = min(narrow, r.Margin), max(wide, r.Margin)
	}
	says := fmt.Sprintf("the look costs %s to %s nats", text.Up(cheap), text.Up(dear))
	if text.Up(wide) != text.Up(now) { // a ratio has the margin 1, as its own depends on the predictions
		says += fmt.Sprintf(", and widens the margin of a gate over all rows from %s to %s or, at the most, %s",
			text.Up(now), text.Up(narrow), text.Up(wide))
	}
	return says
}

func runExtend(c *commands.Call, target commands.Target, dir string, _ []string) error {
	ledger, status, err := openLedger(c, dir, nil, nil)
	if err != nil {
		return err
	}
	e := holdout.Extension{Replace: c.Is("replace")}
	if paths := c.Texts("labels"); len(paths) > 1 {
		return usage.Errorf("--labels: got %d files, want one of new rows", len(paths))
	} else if len(paths) == 1 {
		e.Path = lasting(paths[0])
		metrics := append([]string{}, status.Plan.Metrics...) // none of an earlier version is accuracy
		e.Labels, _, err = newLabels(c, paths[0], status.Plan.Readings, metrics, status.Plan.LabelsAreNumbers())
		if err != nil {
			return err
		}
	} else if _, ok := c.Text("from"); ok {
		return usage.Errorf("--from: got it without --labels, want the file of new rows")
	}
	if e.Labels != nil {
		added := holdout.Terms{Metrics: []string{status.Plan.Metric}, Units: status.Plan.Units}
		done, err := readIncumbent(c, status.Plan.Readings, e.Labels, &added)
		defer done()
		if err != nil {
			return err
		}
		e.Incumbent = added.Incumbent.Values
	} else if c.Given("incumbent") {
		return usage.Errorf("--incumbent: got it without --labels, want the file of new rows")
	}
	if e.Features, err = readFeatures(c); err != nil {
		return err
	}
	if law := status.Plan.Open; e.Features != nil && law != nil && law.Features != nil {
		before, err := featuresOf(c, status, dir, nil)
		if err == nil {
			err = ledger.UseFeatures(before...)
		}
		if err != nil {
			return err
		}
	}
	if path, ok := c.Text("drop"); ok {
		f, err := openFile(c, path, "id", 0)
		if err != nil {
			return err
		}
		defer f.Close()
		err = f.rows(func(id, _ string) error {
			e.Drop = append(e.Drop, id)
			return nil
		})
		if err != nil {
			return f.blame(err)
		}
	}
	changed, refused := ledger.Extend(c.Context, e)
	status, err = holdout.ReadStatus(dir)
	if err != nil {
		return err
	}
	answer := statusOf(status, dir)
	answer.Shown = but(answer.Shown, "looks_per_day")
	answer.Say = func() (title, notes []string) {
		said := "The rows of %s have changed: later looks are asked of them as they are now"
		switch {
		case changed && status.Plan.Arrival != nil:
			said = "Rows came to %s: each look is about the first rows that are planned for it"
		case !changed && e.Replace:
			said = "The rows of %s are as they were: these are all of them, with the same labels"
		case !changed:
			said = "The rows of %s are as they were: these ids came or went before, and no label was compared"
		}
		return []string{fmt.Sprintf(said, usage.Shown(dir))}, []string{alone, "chain " + status.Chain}
	}
	return emitted(c, target, refused, answer)
}

// emitted writes an answer, without its rows where the ledger refuses it.
func emitted[R any](c *commands.Call, target commands.Target, err error, a commands.Answer[R]) error {
	if refused := (*holdout.RefusedError)(nil); errors.As(err, &refused) {
		a.Rows, a.Say = commands.List[R](nil), nil
		a.Then = func() error {
			fmt.Fprintf(c.Stderr, "dpcalc: holdout: %v\n", refused)
			return usage.Outcome(usage.ExitNoAnswer)
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return commands.Emit(c, target, a)
}

// closedRow is the row of close.
type closedRow struct {
	holdout.Status
	holdout.Close
}

var closedColumns = []record.Column[closedRow]{
	{Name: "state", Cell: func(r closedRow) record.Cell { return record.Words(r.State()) }},
	{Name: "alpha", Cell: func(r closedRow) record.Cell { return record.Exactly(*r.Alpha) }},
	{Name: "tests", Cell: func(r closedRow) record.Cell { return record.Whole(r.Tests) }},
	{Name: "level", Cell: func(r closedRow) record.Cell { return record.Beta(r.Level()) }},
	{Name: "spent", Cell: func(r closedRow) record.Cell { return record.Exactly(*r.Close.Spent) }},
	{Name: "chain", Cell: func(r closedRow) record.Cell { return record.Words(r.Chain) }},
}

func runClose(c *commands.Call, target commands.Target, dir string, _ []string) error {
	alpha, ok, err := numbers.One(c, "alpha", numbers.Reals)
	if err != nil {
		return err
	}
	if !ok {
		return usage.Errorf("--alpha: got nothing, want a probability in (0, 1)")
	}
	tests, ok, err := numbers.One(c, "tests", numbers.Counts)
	if err != nil {
		return err
	}
	if !ok {
		tests = 1
	}
	status, closed, err := holdout.CloseLedger(c.Context, dir, alpha, tests)
	return emitted(c, target, err, commands.Answer[closedRow]{
		Command: "holdout-close", Inputs: folder(dir), Rows: commands.List([]closedRow{{status, closed}}), Columns: closedColumns,
		Shown: but(closedColumns, "chain"),
		Say: func() (title, notes []string) {
			return []string{"The ledger " + usage.Shown(dir) + " is closed"}, []string{
				"level: reject where a p-value that was computed elsewhere from these rows is at most this, or an e-value at least its inverse",
				"chain " + status.Chain,
			}
		},
	})
}
