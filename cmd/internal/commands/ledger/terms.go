package ledger

import (
	"cmp"
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

// goalFlags state a plan on the command line.
var goalFlags = []usage.Flag{
	{Name: "samples", Alias: "n", Usage: "`N` rows (default: the number of labels)"},
	{Name: "queries", Alias: "m", Usage: "`M` looks; status of an open ledger: the margin after so many more"},
	{Name: "tau", Alias: "t", Usage: "accuracy `T`: how far an answer may be from its truth"},
	{Name: "beta", Alias: "b", Usage: "failure probability `B`, for all looks together"},
	{Name: "confidence", Usage: "1 - beta, `C`, in place of --beta"},
	{Name: "arrive", Usage: "rows that come between the looks, `N1:M1,N2:M2,...`: the first N1 for looks up to M1, the first N2 up to M2, in place of --samples and --queries"},
	{Name: "arrive-rows", Usage: "so many rows, `G`, come after every --arrive-looks looks; --samples is the rows of the first"},
	{Name: "arrive-looks", Usage: "after how many looks, `K`, new rows have come, with --arrive-rows"},
	{Name: "query", Usage: "`KIND` of look: bounded (default), binary, or difference from the incumbent",
		Words: []string{"bounded", "binary", "difference"}},
	{Name: "feedback", Usage: "`WHAT` is shown: answers (default), gate, best, flags or final",
		Words: []string{"answers", "gate", "best", "flags", "final"}},
	{Name: "method", Usage: "`METHOD`: gaussian-open, for answers without a number of looks, or (default) the best of " +
		strings.Join(slices.DeleteFunc(holdout.Methods(), unnumbered), ", "), Words: holdout.Methods()},
	{Name: "passes", Usage: "gate: retired at pass `K` (default: never); status: how many of --queries pass"},
	{Name: "threshold", Usage: "gate: the bar `C`, if it is known"},
	{Name: "floor", Usage: "best: the known score `F` of a baseline (default 0)"},
	{Name: "budget", Alias: "B", Usage: "flags: retired at flag `K`"},
	{Name: "guess-error", Usage: "flags: no guess within `G` of the truth is flagged (default tau/2)"},
	{Name: "hold", Usage: "flags: a guess within `T` of the holdout's value is not flagged, in place of --guess-error"},
	{Name: "disagreement",
		Usage: "difference: candidates differ from the incumbent on a share of at most `D` of the rows"},
	{Name: "at-least", Usage: "binary: every population value is known to be at least `R`"},
	{Name: "variance", Usage: "the values of every look vary from row to row with variance at most `V`"},
	{Name: "second-moment", Usage: "difference: the square of a look's difference has a mean of at most `V`. Where predictions bound it, a candidate above it " +
		"is refused and costs nothing; of a column with --open a refusal is a response with a price, and else --checked ends the plan with it"},
	{Name: "checked", Switch: true, Usage: "difference: the disagreement or the second moment is kept on the sample, and not known of the population"},
	{Name: "one-sided", Switch: true, Usage: "nothing shown exceeds its truth by more than tau; it may fall short of it"},
}

// declarations limit the questions of a look, and are kept in the plan.
var declarations = []usage.Flag{
	{Name: "metrics", Usage: "the metrics that a look may ask, `METRIC,...`: accuracy (default), column:NAME for values of a row, " +
		metric.AUC + " by itself, and with --open " + strings.Join(computed(), ", ") + "; a look that names none asks the first"},
	{Name: "positive", Usage: "the label that counts as positive, `TEXT`, which is public: of f1, recall, jaccard, precision, log-loss, auc and probabilities"},
	{Name: "probability", Usage: "the `COLUMN` of a submission that has the probability of the positive class (default probability), or of auc a score (default prediction)"},
	{Name: "range", Usage: "open: the range `A,B` of the values of columns, or of numbers, which are clipped to it (default 0,1)"},
	{Name: "clip", Usage: "open: the greatest log-loss `L` of a row (default 5): greater ones are clipped"},
	{Name: "match", Usage: "what equals a label, `HOW`: exact (default), trim (but for blanks around it), fold (and for " +
		"upper and lower case and the encoding of accents) or number (the same decimal number)", Words: ways()},
	{Name: "classes", Usage: "the predictions that there are, `TEXT,...`, which are public: any other text is refused. " +
		"Without it any text is a prediction"},
	{Name: "missing", Usage: "columns: `WHAT` a missing value is, as of a run that ended with an error: refused (refuse, the default) or the low end of the range (low)",
		Words: []string{holdout.MissingRefused, holdout.MissingLow}},
	{Name: "law", Usage: "what is random, `LAW`: labels given the features (the default), or classes: rows drawn within each class, the law of --metrics auc alone",
		Words: holdout.Laws()},
	{Name: "bars", Usage: "gate: the bars that a look may ask, `C,...`, for init; or for serve, where the plan has none"},
}

// sampleFlags say how the rows were drawn, where they are no independent rows of equal weight.
var sampleFlags = []usage.Flag{
	{Name: "group", Usage: "the rows with one value in `COLUMN` of --features are a cluster: they may depend on each other, and clusters are independent"},
	{Name: "weights", Usage: "group: `WHAT` counts alike: clusters (default; a look is the mean over clusters of the mean in each) or rows",
		Words: holdout.Weights()},
	{Name: "population", Usage: "the ids of all items of a benchmark in `FILE`, from which the rows were drawn: predictions are of all items, and the truth is their mean; for score, price and serve, where the file is now"},
}

// goalValues are the values without those of flags that samplesize has in another sense.
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

// readItems reads the ids of a benchmark.
func readItems(c *commands.Call, path string) (*holdout.Items, error) {
	f, err := openFile(c, path, "id", 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	items, err := holdout.NewItems(f.rows, lasting(path))
	if err != nil {
		return nil, f.blame(err)
	}
	return items, nil
}

// itemsOf reads the ids of a ledger's benchmark, nil if it has none.
func itemsOf(c *commands.Call, p *holdout.Plan, dir string) (*holdout.Items, error) {
	path, moved := c.Text("population")
	switch {
	case p.Population == nil && !moved:
		return nil, nil
	case p.Population == nil:
		return nil, usage.Errorf("--population: got one, want none: the ledger was made without")
	case !moved:
		path = p.Population.In(dir)
	}
	if path == "" {
		return nil, usage.Errorf("--population: got nothing, want a file: the ledger does not say where its benchmark is")
	}
	return readItems(c, path)
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

// readGoal reads the flags of samplesize, with one value each.
func readGoal(c usage.Values) (g transfer.Goal, err error) {
	if query, _ := c.Text("query"); query == metric.AUC {
		return g, usage.Errorf("--query: got %s, want none: --metrics %s takes the numbers of the classes from the labels", query, query)
	}
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
	return m.Open
}

// enough asks for two of the three quantities that the number of labels leaves open.
func enough(g transfer.Goal) error {
	var got []string
	for _, f := range []struct {
		name  string
		given bool
	}{{"--queries", g.Queries != 0}, {"--tau", g.Tau != 0}, {"--beta", g.Beta != 0}} {
		if f.given {
			got = append(got, f.name)
		}
	}
	if len(got) >= 2 {
		return nil
	}
	return usage.Errorf("holdout init: got %s, want two of --queries, --tau and --beta to find the third, or all to check",
		cmp.Or(strings.Join(got, ""), "none of them"))
}
