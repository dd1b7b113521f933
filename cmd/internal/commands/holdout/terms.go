package holdout

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// goalValues hides the flags that samplesize has in another sense.
type goalValues struct{ usage.Values }

func (v goalValues) Text(flag string) (string, bool) {
	if flag == "weights" || flag == "population" {
		return "", false
	}
	return v.Values.Text(flag)
}

// readSample reads how the rows were drawn.
func readSample(c *commands.Call, t *holdout.Terms) (err error) {
	t.Group, _ = c.Text("group")
	t.Weights, _ = c.Text("weights")
	if t.Features, err = readFeatures(c); err != nil {
		return err
	}
	if path, ok := c.Text("population"); ok {
		t.Items, err = readItems(c, path)
	}
	return err
}

// computed are the metrics that an open ledger alone computes.
func computed() (names []string) {
	for _, m := range metric.All() {
		if m.Name != metric.Accuracy && m.Reads != metric.Number && !m.Pairs {
			names = append(names, m.Name)
		}
	}
	return names
}

// readUnits reads what the metrics need beside their names.
func readUnits(c *commands.Call) (u holdout.Units, err error) {
	for _, f := range []struct {
		name string
		into *string
	}{{"positive", &u.Positive}, {"probability", &u.Probability}} {
		text, ok := c.Text(f.name)
		if *f.into = text; ok && text == "" {
			return u, usage.Errorf("--%s: got nothing, want a text", f.name)
		}
	}
	ends, err := numbers.List(c, "range", numbers.Reals)
	if err != nil {
		return u, err
	}
	if text, ok := c.Text("range"); ok {
		if len(ends) != 2 {
			return u, usage.Invalid("range", text, "two numbers A,B")
		}
		u.Range = &[2]float64{ends[0], ends[1]}
	}
	clip, ok, err := numbers.One(c, "clip", numbers.Positives)
	if ok {
		u.Clip = clip
	}
	return u, err
}

// ways are the words of --match.
func ways() (names []string) {
	for _, m := range holdout.Matches() {
		names = append(names, string(m))
	}
	return names
}

// readTerms reads the terms of a new ledger for so many rows.
func readTerms(c *commands.Call, samples int64) (t holdout.Terms, err error) {
	t.Classes = items(c, "classes")
	t.Missing, _ = c.Text("missing")
	match, _ := c.Text("match")
	t.Match = holdout.Match(match)
	t.Law, _ = c.Text("law")
	if t.Units, err = readUnits(c); err != nil {
		return t, err
	}
	if t.Bars, err = numbers.List(c, "bars", numbers.Reals); err != nil {
		return t, err
	}
	if c.Is("open") {
		return t, readOpen(c, &t)
	}
	for _, f := range openDeclarations {
		if _, ok := c.Text(f.Name); ok && f.Name != "features" {
			return t, usage.Errorf("--%s: got it without --open, want both", f.Name)
		}
	}
	t.Test, _ = c.Text("test")
	path, planned := c.Text("plan")
	if !planned {
		if _, ok := c.Text("scenario"); ok {
			return t, usage.Errorf("--scenario: got it without --plan, want both")
		}
		t.Method, _ = c.Text("method")
		if t.Goal, err = readGoal(c); err != nil {
			return t, err
		}
		if _, typed := c.Text("query"); t.Test != "" && !typed {
			t.Goal.Query = transfer.Difference
		}
		return t, nil
	}
	if t.Test != "" {
		return t, usage.Errorf("--test: given with --plan, want one of the two")
	}
	for _, f := range goalFlags {
		if _, ok := c.Text(f.Name); ok || f.Switch && c.Is(f.Name) {
			return t, usage.Errorf("--%s: given with --plan, want one of the two", f.Name)
		}
	}
	name, _ := c.Text("scenario")
	t.Goal, t.Methods, err = samplesize.Scenario(c, path, name, samples)
	return t, err
}

// items are the items of a flag, nil if it was not given.
func items(c usage.Values, flag string) []string {
	text, ok := c.Text(flag)
	if !ok {
		return nil
	}
	return listItems(text)
}

// listItems are the items of a list with commas between. One that has a comma is in quotes, as a cell of a table.
func listItems(text string) []string {
	s := delimited.Splitter{Separator: ','}
	if strings.HasPrefix(text, `"`) || strings.Contains(text, `,"`) {
		if s.Split(text) == nil {
			return s.Cells
		}
	}
	return strings.Split(text, ",")
}

// withBeta returns the values of a fixed ledger with the default beta where the labels and one of queries and tau leave
// it out, and reports whether it did. Given both, beta is what is solved for.
func withBeta(c usage.Values) (usage.Values, bool) {
	_, numbered := c.Text("queries")
	_, arriving := c.Text(goals.ArriveFlag.Name)
	_, tau := c.Text("tau")
	_, beta := c.Text("beta")
	_, confidence := c.Text("confidence")
	if queries := numbered || arriving; beta || confidence || queries == tau {
		return c, false
	}
	return usage.Replaced(c, "beta", goals.DefaultBeta), true
}

// readGoal reads the flags of samplesize, with one value each.
func readGoal(c usage.Values) (g transfer.Goal, err error) {
	switch query, _ := c.Text("query"); {
	case query == metric.AUC:
		return g, usage.Errorf("--query: got %s, want none: --metrics %s takes the numbers of the classes from the labels", query, query)
	case slices.Contains(computed(), query):
		return g, usage.Errorf("--query: got %s, want holdout init --open --metrics %s: a fixed plan has accuracy, columns and gates of an AUC", query, query)
	}
	c, _ = withBeta(c)
	c = goalValues{c}
	if n := goals.LeastGoals(c); n > 1 {
		return g, usage.Errorf("holdout init: got %d goals, want one", n)
	}
	var inputs []record.Input
	asked, err := goals.ReadGrid(c, &inputs, 0)
	switch {
	case err != nil:
		return g, err
	case asked.Size() != 1:
		return g, usage.Errorf("holdout init: got %d goals, want one", asked.Size())
	}
	method, _ := c.Text("method")
	_, tested := c.Text("test")
	if g = asked.Goal(0); tested || unnumbered(method) && g.Beta != 0 {
		return g, nil
	}
	return g, enough(g)
}

// unnumbered reports whether a method is for looks of which nobody knows the number.
func unnumbered(method string) bool {
	m, _ := transfer.Lookup(method)
	return m.IsOpen()
}

// enough asks for two of the three quantities that the number of labels leaves open.
func enough(g transfer.Goal) error {
	got := []string{"--samples"} // by the labels
	for _, f := range []struct {
		name  string
		given bool
	}{{"--queries", g.Queries != 0}, {"--tau", g.Tau != 0}, {"--beta", g.Beta != 0}} {
		if f.given {
			got = append(got, f.name)
		}
	}
	if len(got) > 2 {
		return nil
	}
	return goals.TooFew("holdout init", got)
}

// readOpen reads the terms of an open ledger.
func readOpen(c *commands.Call, t *holdout.Terms) (err error) {
	for _, name := range []string{"plan", "scenario", "test"} {
		if _, ok := c.Text(name); ok {
			return usage.Errorf("--%s: given with --open, want one of the two", name)
		}
	}
	for _, f := range goalFlags {
		if _, ok := c.Text(f.Name); ok && !slices.Contains([]string{"beta", "confidence", "second-moment"}, f.Name) {
			return usage.Errorf("--%s: given with --open, want it left out: an open ledger has no plan, and each look names what it shows", f.Name)
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
