package power

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/forecast"
)

// row is a gate, and how probably a better model passes it.
type row struct {
	forecast.Answer
	none error // why there is no answer
}

func (r row) verdict() commands.Verdict {
	v := commands.Verdict{Method: r.Method(), Status: theory.OK}
	if r.none != nil {
		v.Status, v.Reason = theory.Infeasible, r.none.Error()
	}
	return v
}

// restsOn says which test it is.
func (r row) restsOn() string {
	switch {
	case !r.Tested:
		return ""
	case r.Duel:
		return "exact test"
	}
	return "e-value"
}

// columns are the columns of the rows.
func columns() []record.Column[row] {
	of := func(c goals.Column) record.Column[row] {
		return record.Column[row]{Name: c.Name, Title: c.Title, Cell: func(r row) record.Cell {
			method, _ := transfer.Lookup(r.Method()) // none for tests
			return c.Cell(&goals.Row{Method: &method, Answer: transfer.Answer{Goal: r.Goal}})
		}}
	}
	return slices.Concat(commands.VerdictColumns(row.verdict, "method"), []record.Column[row]{
		{Name: "rests_on", Cell: func(r row) record.Cell { return record.Words(r.restsOn()) }},
		{Name: "samples", Title: "rows", Cell: func(r row) record.Cell { return record.Count(r.Samples) }},
		{Name: "class_counts", Cell: func(r row) record.Cell {
			s, ok := r.Sample.(transfer.Classes)
			return record.Words(fmt.Sprintf("%d,%d", s.Positives, s.Negatives)).If(ok && r.Samples != 0)
		}},
		of(goals.ColumnQueries), of(goals.ColumnPasses), of(goals.ColumnBeta), of(goals.ColumnBar),
		of(goals.ColumnDisagreement),
		{Name: "tau_achieved", Cell: func(r row) record.Cell { return record.Number(r.TauAchieved) }},
		{Name: "pass_at", Cell: func(r row) record.Cell {
			scored := !r.Ratio.IsGiven() // a ratio passes by N - C D
			return record.Exactly(r.PassAt.Value).If(r.PassAt.Given && scored)
		}},
		{Name: "level", Cell: func(r row) record.Cell { return record.Beta(r.Level).If(r.Tested && r.none == nil) }},
		{Name: "effect", Cell: func(r row) record.Cell { return record.Number(r.Effect) }},
		{Name: "power", Cell: func(r row) record.Cell {
			return record.Exactly(r.Power).AtLeast().If(r.none == nil || r.Power != 0)
		}},
		{Name: "power_reached", Cell: func(r row) record.Cell {
			return record.Exactly(r.Reached).AtLeast().If(r.none == nil)
		}},
	}, commands.VerdictColumns(row.verdict, "status", "reason"), []record.Column[row]{
		of(goals.ColumnQuery), of(goals.ColumnOneSided),
		{Name: "exact", Cell: func(r row) record.Cell { return record.Truth(r.IsExact()) }},
		{Name: "assumes", Cell: func(r row) record.Cell { return record.List([]string{guess(r.Gate)}) }},
		of(goals.ColumnPositives),
	})
}

// guess is what a forecast takes for granted.
func guess(f forecast.Gate) string {
	share := "the share " + record.People(record.Exactly(f.Disagreement)) + " of them"
	switch _, auc := f.Sample.(transfer.Classes); {
	case auc:
		return "approximately, by the normal law with the variance of an AUC in Hanley and McNeil 1982, which takes scores for exponential"
	case f.Ratio.IsGiven():
		return "approximately, by the normal law: rows that are predicted positive are alike, and so are all others; as many rows are missed as are wrongly predicted positive"
	case f.Spread > 0 && f.Query.IsSigned():
		return fmt.Sprintf("approximately, by the normal law: rows alike, exactly one of the two models right on %s, and a cluster varies %s times as much as one row", share, record.People(record.Exactly(f.Spread)))
	case f.Spread == 1:
		return "approximately, by the normal law: a cluster varies as much as one row that is 0 or 1, which is the most that it can; --icc says how much less"
	case f.Spread > 0:
		return fmt.Sprintf("approximately, by the normal law: a cluster varies %s times as much as one row that is 0 or 1", record.People(record.Exactly(f.Spread)))
	case f.Query.IsSigned() && !f.Tested:
		return "exact if rows are alike, and exactly one of the two models is right on " + share +
			"; a fixed ledger refuses a candidate that differs on more of its rows"
	case f.Query.IsSigned():
		return "exact if rows are alike, and exactly one of the two models is right on " + share
	case f.Query.IsZeroOne():
		return "exact if rows are alike"
	}
	return "approximately, by the normal law: values vary as 0 and 1 do, which is the most that they can; --query binary is exact for values 0 and 1"
}

// say is what people are told: what is in the table, what was not given, and what is taken for granted.
func (o options) say(rows []row) (title, notes []string) {
	with := "the probability in the column power"
	if o.grid.Length("power") == 1 {
		with = "probability " + record.People(record.Exactly(rows[0].Power))
	}
	found := map[string]string{
		"power":   "How probably a better model passes",
		"effect":  "The least lead with which a model passes with " + with,
		"samples": "The rows from which on, for every greater number too, a better model passes with " + with,
	}[o.looked]
	guesses := []string{}
	for _, r := range rows {
		if said := guess(r.Gate); !slices.Contains(guesses, said) {
			guesses = append(guesses, said)
		}
	}
	if !rows[0].IsExact() {
		found += ", approximately"
	}
	if len(guesses) > 1 && rows[0].IsExact() {
		guesses = []string{"exact if rows are alike, and exactly one of the two models is right on the share disagreement of them"}
	}
	for _, said := range guesses {
		notes = append(notes, "A forecast and no promise: "+said+". The gate keeps its guarantee whatever the model is.")
	}
	if o.clusters != nil {
		notes = append(notes, "Each row is a cluster.")
	}
	title = []string{found}
	if len(o.defaults) > 0 {
		title = append(title, strings.Join(o.defaults, ", "))
	}
	return title, notes
}

// drawn are the values of a flag on an axis.
var drawn = map[string]func(row) float64{
	"samples": func(r row) float64 { return float64(r.Samples) }, "effect": func(r row) float64 { return r.Effect },
	"power": func(r row) float64 { return r.Power }, "queries": func(r row) float64 { return float64(r.Queries) },
	"passes": func(r row) float64 { return float64(r.Passes) }, "threshold": func(r row) float64 { return r.Bar.Value },
	"disagreement": func(r row) float64 { return r.Disagreement }, goals.PositivesFlag: func(r row) float64 { return r.Ratio.Share },
}

// draw draws what was looked for along the one list that there is.
func (o options) draw(rows []row) (none record.Figure, err error) {
	along := ""
	for _, a := range o.grid.Axes {
		if a.Length > 1 {
			if along != "" || drawn[a.Flag] == nil {
				return none, usage.Errorf("--output: got lists of --%s, want one list for a curve, of samples, effect, power, queries, passes, threshold, disagreement or positives", strings.TrimPrefix(along+" and --"+a.Flag, " and --"))
			}
			along = a.Flag
		}
	}
	if along == "" {
		return none, usage.Errorf("--output: got no list, want one for a curve, such as --effect 0.01:0.1:0.01")
	}
	ruler := func(flag string) record.Ruler {
		return record.NewRuler(strings.ReplaceAll(flag, "samples", "rows"), false)
	}
	x, y := ruler(along), ruler(o.looked)
	if y.Include(0); o.looked == "power" {
		y.Include(1)
	}
	panel := record.Panel{}
	for _, r := range rows {
		label := strings.TrimSpace(r.Method() + " " + r.restsOn())
		k := slices.IndexFunc(panel.Lines, func(l record.Line) bool { return l.Label == label })
		if k < 0 {
			k = len(panel.Lines)
			panel.Lines = append(panel.Lines, record.Line{Label: label, Style: k})
		}
		if r.none == nil {
			at, value := drawn[along](r), drawn[o.looked](r)
			x.Include(at)
			y.Include(value)
			panel.Lines[k].X, panel.Lines[k].Y = append(panel.Lines[k].X, at), append(panel.Lines[k].Y, value)
		}
	}
	panel.Lines = slices.DeleteFunc(panel.Lines, func(l record.Line) bool { return l.X == nil })
	panel.X, panel.Y = x, y
	title, _ := o.say(rows)
	return record.Figure{Title: printed.Folded(title, 70), Panels: [][]record.Panel{{panel}}}, nil
}
