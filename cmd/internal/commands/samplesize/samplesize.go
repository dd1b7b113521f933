// Package samplesize has the commands that plan a sample: samplesize, and plan for files of such
// plans.
package samplesize

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/certificate"
)

const defaultMaxRows = 1_000_000

// schema is the one of the rows in JSON.
const schema = "samplesize/2"

// Command is the command samplesize.
func Command() *commands.Command {
	return &commands.Command{
		Name:        "samplesize",
		Summary:     "rows, looks, margin or failure probability of a test set",
		Description: commands.Described("samplesize"),
		Flags: slices.Concat(goals.GoalFlags(), usage.Under(goals.AboutMethods,
			usage.Flag{Name: "method", Usage: "use only the methods `A,B,...`; dpcalc methods lists them", Words: commands.MethodNames(),
				List: true},
			commands.ProofsFlag,
		), usage.Under("noise schedules",
			usage.Flag{Name: "schedule", Usage: "write the table that the best method runs on to `FILE`, such as the noise of each query: .csv, .tsv, .json or .jsonl"},
			usage.Flag{Name: "check-schedule", Usage: "print what the noise schedule in `FILE`, .csv or .tsv, certifies with --samples and --tau; with --beta, check it"},
		), usage.Under(commands.AboutOutput,
			usage.Flag{Name: "certificate", Usage: "write a proof of the best plan to `FILE`.v, which Coq checks with the folder proofs"},
			usage.Flag{Name: fullFlag, Switch: true, Usage: "print a row for every method: the references and the methods without an answer too"},
			usage.Flag{Name: bestFlag, Switch: true, Usage: "print one row for each goal: the row of its best method"},
			usage.Flag{Name: "zip", Switch: true, Usage: "pair the lists instead of crossing them"},
			usage.Flag{Name: "max-rows", Usage: "write up to `R` rows (default 1000000)"},
			usage.Flag{Name: "report", Switch: true, Usage: "write the best plan as a paragraph for a methods section, with -f markdown or latex in these"},
			usage.Flag{Name: "plot", Switch: true, Usage: "draw the grid in characters; -o with .svg, .png or .pdf draws it in a file"},
		)),
		Gone: map[string]string{
			"matrix":    "--best -f csv and a pivot table of it in a spreadsheet",
			"effect":    "dpcalc power --effect",
			"power":     "dpcalc power --power",
			"test":      "dpcalc power --test",
			"save-plan": "dpcalc plan init FILE and write these flags there as keys",
		},
		Common: []string{"samples", "queries", "tau", "beta", "query", "feedback", "passes", "method", "full", "format", "output"},
		Output: commands.Tables | commands.Drawings,
		Examples: []string{
			"dpcalc samplesize -m 1000 -t 5% --confidence 95%",
			"dpcalc samplesize -n 20k -m 25,50,100 -b 0.05 --query binary -o plan.csv",
		},
		Run: runSamplesize,
	}
}

// request is a samplesize command that has been read and validated.
type request struct {
	grid      goals.Grid
	goals     int
	methods   []transfer.Method
	proofs    string // the kinds of proofs that rows may have
	asked     bool   // for these methods, by name
	unknown   transfer.Unknown
	defaulted bool   // whether beta is the default
	promise   string // what a plan for the metric that was named promises, in words; "" for a kind of query
	target    commands.Target
	view      view
	brief     bool // few rows a goal, those that people choose between
	plans     bool // the rows of a goal that are plans
	best      bool // one row a goal, the starred one
	inputs    []record.Input

	tally    *commands.Tally
	schedule commands.Target // where the table goes that the method runs on, if it has a path
	table    *runTable       // which one that is, nil if the method has no answer

	certificate commands.Certificate
}

// view is the form in which people see the rows.
type view int

const (
	tableView  view = iota
	reportView      // paragraphs
	plotView        // a drawing in characters
	figureView      // a drawing in a file
)

func runSamplesize(c *commands.Call) error {
	if path, ok := c.Text("check-schedule"); ok {
		return checkSchedule(c, path)
	}
	c, err := goals.WithClusters(c)
	if err != nil {
		return err
	}
	if shown, _ := c.Text(goals.FeedbackFlag.Name); strings.Contains(shown, ",") {
		return drawFeedbacks(c, usage.NamesIn(shown))
	}
	asked, err := readRequest(c)
	if err != nil {
		return err
	}
	return asked.write(c)
}

// readRequest reads the flags. It returns an error for everything that is wrong with
// them, so that nothing is written before all is known to be well.
func readRequest(c *commands.Call) (s request, err error) {
	s.tally = new(commands.Tally)
	asked := *c
	if s.promise, err = goals.Planned(c.Values); err != nil {
		return s, err
	}
	asked.Values, s.defaulted = goals.WithBeta(asked.Values)
	c = &asked
	if s.target, err = c.Target(); err != nil {
		return s, err
	}
	if s.view, err = readView(c, s.target.Format, c.Offered()); err != nil {
		return s, err
	}
	if err := s.readBest(c); err != nil {
		return s, err
	}
	_, s.asked = c.Text("method")
	if err := s.readBrief(c); err != nil {
		return s, err
	}
	if s.methods, err = readMethods(c); err != nil {
		return s, err
	}
	limit := int64(defaultMaxRows)
	if numbers.Read(c, &err, "max-rows", numbers.Counts, &limit); err != nil {
		return s, err
	}
	if err := s.fits(goals.LeastGoals(c), limit); err != nil { // before the values are made
		return s, err
	}
	if s.grid, err = goals.ReadGrid(c, &s.inputs, 3); err != nil {
		return s, err
	}
	s.goals = s.grid.Size()
	if err := s.fits(int64(s.goals), limit); err != nil {
		return s, err
	}
	if s.unknown, err = s.grid.Valid(s.goals); err != nil {
		return s, err
	}
	if err := s.provenForAll(c); err != nil {
		return s, err
	}
	s.methods = s.printable(s.methods)
	if s.view == plotView || s.view == figureView {
		if _, _, _, err := s.axes(); err != nil {
			return s, err
		}
	}
	if err := s.readSchedule(c, limit); err != nil {
		return s, err
	}
	s.certificate, err = c.ReadCertificate(s.target, s.proof)
	return s, err
}

// proof is the file of --certificate for the best plan. A row without an answer says why.
func (s *request) proof() (string, error) {
	if s.goals != 1 {
		return "", usage.Errorf("got %d goals, want one", s.goals)
	}
	rows, _, err := transfer.Solve(nil, s.methods, s.grid.Goal(0))
	r := starred(rows)
	if err != nil || r == nil {
		return "", err
	}
	text, err := certificate.Of(*r.Method, r.Answer)
	if err != nil {
		return "", usage.Errorf("got %s as the best method, %v", r.Method.Name, err)
	}
	return text, nil
}

// fits refuses more goals than the limit of rows and the format allow.
func (s *request) fits(goals, limit int64) error {
	rows, upTo := goals*s.perGoal(), ""
	if s.plans {
		upTo = "up to "
	}
	switch {
	case goals >= math.MaxInt32:
		return usage.Errorf("samplesize: got a grid of 2^31 goals or more, want fewer")
	case rows > limit:
		return usage.Errorf("--max-rows: got %s%d rows, want at most %d; allow more with --max-rows", upTo, rows, limit)
	case s.target.Format.Book != nil:
		return commands.FitsSheet(rows, 0)
	case s.target.Format.Encode == nil:
		return commands.FitsTable(rows, int64(len(s.columns())))
	}
	return nil
}

func readView(c usage.Values, format record.Format, offered []record.Format) (view, error) {
	report, plot := c.Is("report"), c.Is("plot")
	switch {
	case report && plot:
		return 0, usage.Errorf("--plot: given with --report, want one of the two")
	case report && format.Prose == nil:
		return 0, usage.Errorf("--report: got the format %s, want %s", format.Name,
			usage.OrList(record.NamesOf(offered, func(f record.Format) bool { return f.Prose != nil })))
	case plot && format.Name != offered[0].Name:
		return 0, usage.Errorf("--plot: got the format %s, want none; -o with .svg, .png or .pdf draws without --plot",
			format.Name)
	case report:
		return reportView, nil
	case plot:
		return plotView, nil
	case format.Draw != nil:
		return figureView, nil
	}
	return tableView, nil
}

func readMethods(c usage.Values) ([]transfer.Method, error) {
	base, err := goals.ReadKind(c)
	if err != nil {
		return nil, err
	}
	all := transfer.Methods()
	var wanted []string
	if raw, ok := c.Text("method"); ok {
		wanted = usage.NamesIn(raw)
		for _, name := range wanted {
			if _, ok := transfer.Lookup(name); !ok {
				return nil, unknownMethod("--method", name)
			}
		}
	}
	_, benchmark := c.Text("population")
	_, counted := c.Text("transcripts")
	_, lnCounted := c.Text("ln-transcripts")
	countable := counted || lnCounted
	return slices.DeleteFunc(all, func(m transfer.Method) bool {
		switch {
		case wanted != nil:
			return !slices.Contains(wanted, m.Name)
		case m.IsOpen() && !base.Open, m.Setting == transfer.ArrivingRows && base.Arrival == nil, m.IsRedrawn() && !benchmark:
			return true
		}
		return !m.Serves(base.Feedback) || m.NeedsTranscripts() && !countable
	}), nil
}

// provenForAll leaves the methods whose proofs are asked for at every goal.
func (s *request) provenForAll(c usage.Values) (err error) {
	if s.proofs, err = commands.ReadProofs(c); err != nil {
		return err
	}
	for i := 0; i < s.goals && s.proofs != commands.ProofChoices[0]; i++ {
		if s.methods = s.proven(s.methods, s.grid.Goal(i)); len(s.methods) == 0 {
			return s.noneProven()
		}
	}
	return nil
}

func (s *request) noneProven() error {
	return usage.Errorf("--proofs: got %s, want all: no method for this goal has such a proof", s.proofs)
}

// proven returns the methods whose proofs are asked for at a goal. A method whose proof is another for what is known of
// the queries' variance does without that knowledge.
func (s *request) proven(methods []transfer.Method, g transfer.Goal) (left []transfer.Method) {
	for _, m := range methods {
		forms := []transfer.Method{m, m.Plain()}
		if i := slices.IndexFunc(forms, func(m transfer.Method) bool { return s.wantsProof(m, g) }); i >= 0 {
			left = append(left, forms[i])
		}
	}
	return left
}

// wantsProof reports whether the proof of a method's answer to a goal, whatever it rests on, is one of those asked for.
// Coq may check what is published.
func (s *request) wantsProof(m transfer.Method, g transfer.Goal) bool {
	proof, sources := m.Proven(transfer.Answer{Goal: g, Mechanism: transfer.Mechanism{LowVariance: true}})
	own := slices.ContainsFunc(sources, func(s theory.Source) bool { return s.Key == "dpcalc" })
	asked := strings.Split(s.proofs, ",")
	published := !own && slices.Contains(asked, string(transfer.Published))
	return s.proofs == commands.ProofChoices[0] || published || slices.Contains(asked, string(proof))
}

func unknownMethod(where, name string) error {
	if name == "" {
		return usage.Errorf("%s: got an empty name, want names with a comma between two of them", where)
	}
	hint := usage.DidYouMean(name, commands.MethodNames())
	if hint == "" {
		hint = ", see dpcalc methods"
	}
	return usage.Errorf("%s: unknown method %s%s", where, usage.Shown(name), hint)
}

// inChain is how many goals are in a chain, where searches begin near those for the goals before. As rows depend on the
// grid alone, workers take whole chains. It is a power of two, so that the blocks of a workbook begin with a chain too;
// a small grid has chains for many workers.
func (s *request) inChain() int {
	length := 1
	for length < 128 && length <= s.goals/128 {
		length *= 2
	}
	return length
}

// solve answers the i-th goal, the next of the chain or the first of another.
func (s *request) solve(chain *transfer.Chain, i int) ([]goals.Row, error) {
	if i%s.inChain() == 0 {
		*chain = transfer.NewChain(s.methods)
	}
	rows, best, err := chain.Solve(nil, s.grid.Goal(i))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 { // no method is left that a row may be printed of
		rows = append(rows, s.noAnswer(s.grid.Goal(i)))
	}
	if best >= 0 || !s.best && slices.ContainsFunc(rows, func(r goals.Row) bool { return r.Status == transfer.OK }) {
		s.tally.Answered()
	}
	if best < 0 && s.unknown == transfer.None {
		s.tally.Refuted()
	}
	return rows, nil
}

// solveAll answers the goals from lo to hi on several workers.
func (s *request) solveAll(c *commands.Call, lo, hi int, progress func(done int)) ([][]goals.Row, error) {
	rows := make([][]goals.Row, hi-lo)
	err := parallel.For(c.Context, len(rows), s.inChain(), c.Workers, func(from, to int) (err error) {
		chain := transfer.NewChain(s.methods)
		for i := from; i < to && err == nil; i++ {
			rows[i], err = s.solve(&chain, lo+i)
		}
		return err
	}, progress)
	return rows, err
}

// solutions are the goals as the rows of an answer, some of which are solved already.
type solutions struct {
	*request
	solved [][]goals.Row // of the first goals
}

func (s *solutions) Units() int { return s.goals }

func (s *solutions) Len() int {
	if s.plans {
		return commands.Unknown
	}
	return s.goals * int(s.perGoal())
}

func (s *solutions) Each(lo, hi int, visit func(*goals.Row) error) (err error) {
	chain := transfer.NewChain(s.methods)
	for i := lo; i < hi; i++ {
		var group []goals.Row
		if i < len(s.solved) {
			group = s.solved[i]
		} else if group, err = s.solve(&chain, i); err != nil {
			return err
		}
		for shown := s.shownRows(group); len(shown) > 0; shown = shown[1:] {
			if err := visit(&shown[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes the rows. Those that people compare are solved first.
func (s *request) write(c *commands.Call) error {
	bar := c.Progress(s.goals)
	defer bar.End()
	first := s.goals
	switch format := s.target.Format; {
	case format.Encode != nil:
		first = 0
	case format.Book != nil:
		first = min(record.Block, s.goals)
	}
	rows, err := s.solveAll(c, 0, first, bar.Step)
	if err != nil {
		return err
	}
	a := commands.Answer[*goals.Row]{
		Command: "samplesize", Schema: schema, Inputs: s.inputs, Rows: &solutions{request: s, solved: rows},
		Chain: s.inChain(), Bar: bar, Tally: s.tally,
		Columns: s.columns(), Verdict: s.verdict,
		Figure: func() (record.Figure, error) { return s.figure(c.Context, rows) },
		Then:   func() error { return errors.Join(s.writeSchedule(c), c.WriteCertificate(s.certificate)) },
	}
	var title, notes []string
	say := func() (err error) {
		title, notes, err = s.say(c.Context, rows, slices.Contains(record.Names(a.Shown), goals.ColumnNoiseSpan.Name))
		return err
	}
	a.Say = func() ([]string, []string) { return title, notes }
	switch {
	case s.target.Format.Book != nil:
		s.bind(&a)
		bar.After("comparing the methods")
		err = say()
	case s.view == reportView:
		a.Text = func() string { return s.report(rows, *s.target.Format.Prose) }
	case s.view == tableView && s.target.Format.Print != nil:
		bar.End()
		a.Shown, _ = s.shown(rows)
		if s.brief {
			a.Shown = s.briefColumns(a.Shown, s.written(rows))
		}
		err = say()
	}
	if err != nil {
		return err
	}
	return commands.Emit(c, s.target, a)
}

// verdict is what became of a method. What is told of many goals has no reasons.
func (s *request) verdict(r *goals.Row) commands.Verdict {
	v := goals.Verdict(r)
	if s.target.Format.Book != nil && s.goals > record.Block {
		v.Reason = ""
	}
	return v
}
