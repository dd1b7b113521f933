package holdout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/ask"
)

// questionsOf are the calls of the looks that a command line asks for, in the order written. A question may have its
// flags with it, as pass:bar=0.8.
func questionsOf(c *commands.Call) (list []*commands.Call, err error) {
	shows := c.Texts("show")
	if len(shows) == 0 {
		return []*commands.Call{c}, nil
	}
	var keys []string
	for _, f := range questionFlags {
		if !f.Repeats {
			keys = append(keys, f.Name)
		}
	}
	for _, text := range shows {
		kind, rest, listed := strings.Cut(text, ":")
		one := *c
		one.Values = usage.Replaced(c.Values, "show", kind)
		for _, item := range listItems(rest) {
			key, value, ok := strings.Cut(item, "=")
			switch {
			case !listed:
			case !ok || !slices.Contains(keys, key):
				return nil, usage.Invalid("show", text, "KIND:KEY=VALUE,... with "+usage.OrList(keys))
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
	if name, ok := c.Text("metric"); ok {
		s.Metric = name
	}
	for _, p := range ask.Params() {
		x, said := 0., c.Texts(p.Name)
		switch one, given := c.Text(p.Name); {
		case p.IsNumber():
			if numbers.Read(c, &err, p.Name, numbers.Reals, &x) {
				p.SetNumber(&s.Question, x)
			}
			continue
		case !given:
			continue
		case !p.Repeats():
			said = []string{one}
		}
		for _, one := range said {
			err = cmp.Or(err, p.Set(&s.Question, one))
		}
	}
	return err
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
		f, err := openFile(c, path, column)
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
