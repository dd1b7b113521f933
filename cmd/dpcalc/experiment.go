package main

import (
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/properties/experiment"
	"github.com/urfave/cli/v2"
)

// The defaults are the paper's experiment. The budget is as much as the algorithm with
// a budget needs for it; the seed is the year of the paper.
const (
	usualSamples    = 10_000
	usualAttributes = 10_000
	usualReps       = 100
	usualBudget     = 2500
	usualSeed       = 2015
)

var usualSignal = []int64{0, 20}

// mostSettings keeps the figure and the rows in memory.
const mostSettings = 100

func (p *program) experiment() *cli.Command {
	return &cli.Command{
		Name:  "experiment",
		Usage: "the reusable-holdout experiment: a classifier chosen with a holdout's help",
		Description: "A linear classifier is made of the attributes that training and holdout set agree on, with\n" +
			"nothing to find and with some informative attributes, and the holdout answers in three ways:\n" +
			"  standard      the value on the holdout\n" +
			"  paper         Thresholdout as in Dwork et al. (Science, 2015): Gaussian noise, no budget, not private\n" +
			"  thresholdout  Laplace noise and a budget; once that is spent it answers nothing\n" +
			"A row is the mean over the repetitions of the accuracy of the classifier of k attributes on the\n" +
			"training set, as shown (of answered repetitions), on the holdout and on fresh data. Attributes whose\n" +
			"correlation goes unanswered are not selected. -f or -o with svg, png or pdf draws the curves.\n" +
			"See docs/experiment.md.",
		Flags: slices.Concat([]cli.Flag{
			textFlag("samples", "n", "`N` rows in each of the training, holdout and fresh sets (default 10000)"),
			textFlag("attributes", "", "`D` attributes (default 10000)"),
			textFlag("signal", "", "`S` informative attributes; a list gives several settings (default 0,20)"),
			textFlag("reps", "", "`R` repetitions of each setting (default 100)"),
			textFlag("arms", "", "only these arms, `A,B,...`: "+strings.Join(armNames(), ", ")),
			textFlag("budget", "B", "`K` flagged answers of the arm thresholdout (default 2500, which 10000 attributes do not use up)"),
			textFlag("seed", "", "`S` of the random numbers (default 2015); the same seed gives the same bytes"),
			&cli.BoolFlag{Name: "direct", Usage: "draw all the data instead of what the classifiers look at", DisableDefaultText: true},
		}, outputFlags()),
		Action: p.runExperiment,
	}
}

var experimentColumns = []string{
	"signal", "arm", "k", "train", "shown", "holdout", "fresh", "sd_train", "sd_shown", "sd_holdout", "sd_fresh",
	"selected", "budget_used", "answered",
}

func armNames() []string {
	var names []string
	for _, arm := range experiment.Arms() {
		names = append(names, string(arm))
	}
	return names
}

// wholes are counts with zero.
var wholes = kind[int64]{
	want:     "a whole number from 0 to 9007199254740992",
	parse:    func(s string) (int64, bool) { return through(s, parseRat, wholeOf) },
	exact:    wholeOf,
	fraction: parseRat,
}

func wholeOf(r *big.Rat) (int64, bool) {
	if r.Sign() == 0 {
		return 0, true
	}
	return countOf(r)
}

func wholeCell(n int64) cell { return cell{form: count, n: n} }

func (p *program) runExperiment(c *cli.Context) error {
	target, err := outputTarget(c, figures...)
	if err != nil {
		return err
	}
	e, err := readExperiment(c)
	if err != nil {
		return err
	}
	bar := p.progress(len(e.Signal) * int(e.Repetitions)).of("repetitions")
	rows, err := e.Run(p.ctx, p.workers, bar.step)
	bar.end()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(figures, func(f format) bool { return f.name == target.format }) {
		return p.write(target, func(w io.Writer) error { return experimentFigure(e, rows).write(w, target.format) })
	}
	r := result{command: "experiment", inputs: experimentInputs(c, e), columns: experimentColumns}
	var cells [][]cell
	for _, row := range rows {
		cells = append(cells, experimentRow(row))
	}
	return p.emit(target, r, cells, func() sheet { return experimentSheet(e, rows, cells) })
}

func readExperiment(c *cli.Context) (e experiment.Holdout, err error) {
	seed := int64(usualSeed)
	for _, f := range []struct {
		flag  string
		k     kind[int64]
		value *int64
		usual int64
	}{
		{"samples", counts, &e.Samples, usualSamples},
		{"attributes", counts, &e.Attributes, usualAttributes},
		{"reps", counts, &e.Repetitions, usualReps},
		{"budget", counts, &e.Budget, usualBudget},
		{"seed", wholes, &seed, usualSeed},
	} {
		var ok bool
		if *f.value, ok, err = one(c, f.flag, f.k); err != nil {
			return e, err
		}
		if !ok {
			*f.value = f.usual
		}
	}
	e.Seed, e.Direct = uint64(seed), c.Bool("direct")
	if n := leastLength(c, "signal", wholes); n > mostSettings {
		return e, usagef("--signal: got %d settings, want at most %d", n, mostSettings)
	}
	if e.Signal, err = list(c, "signal", wholes); err != nil {
		return e, err
	}
	if e.Signal == nil {
		e.Signal = usualSignal
	}
	e.Arms = experiment.Arms()
	if raw, ok := given(c, "arms"); ok {
		e.Arms = nil
		for _, name := range namesIn(raw) {
			if !slices.Contains(armNames(), name) {
				return e, usagef("--arms: got %s, want some of %s%s", shown(name), strings.Join(armNames(), ", "), didYouMean(name, armNames()))
			}
			if slices.Contains(e.Arms, experiment.Arm(name)) {
				return e, usagef("--arms: got %s twice, want it once", name)
			}
			e.Arms = append(e.Arms, experiment.Arm(name))
		}
	}
	return e, nil
}

func experimentInputs(c *cli.Context, e experiment.Holdout) []input {
	arms := make([]string, len(e.Arms))
	for i, arm := range e.Arms {
		arms[i] = string(arm)
	}
	signal := listInput(c, "signal", e.Signal, wholeCell)
	if signal.value.form == missing {
		signal.value = wordsCell("0,20")
	}
	return []input{
		{"samples", countCell(e.Samples)}, {"attributes", countCell(e.Attributes)}, signal, {"reps", countCell(e.Repetitions)},
		{"arms", wordsCell(strings.Join(arms, ","))}, {"budget", countCell(e.Budget)}, {"seed", wholeCell(int64(e.Seed))},
		{"direct", truthCell(e.Direct)},
	}
}

// meanCell and sdCell are empty where there is nothing to average.
func meanCell(m experiment.Moments) cell {
	if m.Count == 0 {
		return cell{}
	}
	return exactly(m.Mean)
}

func sdCell(m experiment.Moments) cell {
	if m.Count < 2 {
		return cell{}
	}
	return exactly(m.SD)
}

func experimentRow(r experiment.HoldoutRow) []cell {
	spent := cell{} // an arm without a budget
	if r.Arm == experiment.Thresholdout {
		spent = meanCell(r.Spent)
	}
	return []cell{
		wholeCell(r.Signal), wordsCell(string(r.Arm)), wholeCell(int64(r.K)),
		meanCell(r.Train), meanCell(r.Shown), meanCell(r.Holdout), meanCell(r.Fresh),
		sdCell(r.Train), sdCell(r.Shown), sdCell(r.Holdout), sdCell(r.Fresh),
		meanCell(r.Selected), spent, wholeCell(r.Shown.Count),
	}
}

// experimentSheet rounds to what the repetitions can tell.
func experimentSheet(e experiment.Holdout, rows []experiment.HoldoutRow, cells [][]cell) sheet {
	title := "Accuracy of a classifier of k attributes, over " + plural(e.Repetitions, "repetition") + ": " +
		plural(e.Samples, "row") + ", " + plural(e.Attributes, "attribute") + ", seed " + strconv.FormatUint(e.Seed, 10)
	s := sheet{
		title:   []string{title},
		columns: []string{"signal", "arm", "k", "train", "shown", "holdout", "fresh", "sd train", "sd shown", "sd holdout", "sd fresh", "selected", "budget used", "answered"},
	}
	for _, row := range cells {
		row = slices.Clone(row)
		for j := range row {
			digits := 1e4
			if j > 10 {
				digits = 10
			}
			if row[j].form == number {
				row[j].f = math.Round(row[j].f*digits) / digits
			}
		}
		if !silent(e, rows) {
			row[len(row)-1] = cell{} // says nothing, and the column goes
		}
		s.rows = append(s.rows, row)
	}
	if silent(e, rows) {
		s.notes = append(s.notes, "answered: the repetitions in which budget "+people(countCell(e.Budget))+" was not yet spent; shown is their mean")
	}
	return s
}

// silent says whether some budget was spent before the last question.
func silent(e experiment.Holdout, rows []experiment.HoldoutRow) bool {
	return slices.ContainsFunc(rows, func(r experiment.HoldoutRow) bool { return r.Shown.Count < e.Repetitions })
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return people(countCell(n)) + " " + noun + "s"
}

// experimentFigure has a row of panels for each setting and a column for each arm.
func experimentFigure(e experiment.Holdout, rows []experiment.HoldoutRow) figure {
	about := plural(e.Samples, "row") + ", " + plural(e.Attributes, "attribute") + "; " + plural(e.Repetitions, "repetition")
	if e.Repetitions > 1 {
		about += ": mean and a band of one standard deviation"
	}
	if silent(e, rows) {
		about += "; shown: while budget is left"
	}
	f := figure{title: []string{"Accuracy of the classifier: on the training set, on the holdout as shown, on fresh data", about}}
	x, y := newRuler("k, attributes in the classifier", false), newRuler("accuracy", false)
	ways := []struct {
		name string
		of   func(experiment.HoldoutRow) experiment.Moments
	}{
		{"training", func(r experiment.HoldoutRow) experiment.Moments { return r.Train }},
		{"shown", func(r experiment.HoldoutRow) experiment.Moments { return r.Shown }},
		{"fresh", func(r experiment.HoldoutRow) experiment.Moments { return r.Fresh }},
	}
	share := len(rows) / len(e.Signal) / len(e.Arms) // rows of a panel
	for i, signal := range e.Signal {
		var panels []panel
		for k := range e.Arms {
			part := rows[(i*len(e.Arms)+k)*share:][:share]
			p := panel{title: settingTitle(signal) + ": " + armTitle(e.Arms[k], e.Budget)}
			for style, way := range ways {
				l := line{style: style}
				for _, r := range part {
					m := way.of(r)
					if m.Count == 0 {
						continue
					}
					l.x, l.y, l.band = append(l.x, float64(r.K)), append(l.y, m.Mean), append(l.band, m.SD)
					x.include(float64(r.K))
					y.include(m.Mean-m.SD, m.Mean+m.SD)
					l.label = way.name + " " + strconv.FormatFloat(m.Mean, 'f', 3, 64)
				}
				if len(l.x) > 1 { // an arm that answered nothing has no curve
					p.lines = append(p.lines, l)
				}
			}
			panels = append(panels, p)
		}
		f.panels = append(f.panels, panels)
	}
	for _, row := range f.panels { // one scale for all
		for i := range row {
			row[i].x, row[i].y = x, y
		}
	}
	return f
}

func settingTitle(signal int64) string {
	if signal == 0 {
		return "No signal"
	}
	return people(countCell(signal)) + " informative"
}

func armTitle(arm experiment.Arm, budget int64) string {
	switch arm {
	case experiment.Standard:
		return "standard holdout"
	case experiment.Paper:
		return "Thresholdout of the paper"
	}
	return "Thresholdout, budget " + people(countCell(budget))
}
