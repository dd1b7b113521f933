package holdout

import (
	"fmt"
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
)

func statusCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "status", Arguments: "DIR", Summary: "print what a ledger has left",
		Flags: []usage.Flag{
			{Name: "queries", Alias: "m", Also: []string{"looks"}, Usage: "open ledger: the margin after `M` more looks"},
			{Name: "passes", Usage: "open ledger: `K` of --queries pass"},
			{Name: "report", Switch: true, Usage: "open ledger: write its looks and its guarantee as a paragraph for a methods section"},
		},
		Examples: []string{"dpcalc holdout status ledger", "dpcalc holdout status ledger --queries 100"},
	}, runStatus, 0, 0)
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

func statusOf(s holdout.Status, dir string) commands.Answer[holdout.Status] {
	columns := columnsOf(column.StatusFieldsOf(s.Plan), titles)
	return commands.Answer[holdout.Status]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List([]holdout.Status{s}), Columns: columns,
		Shown: but(columns, "labels", "chain"),
		Say: func() (title, notes []string) {
			if notes = []string{s.Plan.Independence(), alone, "chain " + s.Chain}; s.Foretold() != "" {
				notes = slices.Insert(notes, 0, s.Foretold())
			}
			return []string{"The ledger " + usage.Shown(dir)}, notes
		},
	}
}

// modelsOf says what is known of the models of the last looks, by all their looks together.
func modelsOf(p *holdout.Plan, lines []holdout.Line) (notes []string) {
	truth := "truth"
	if p.Incumbent != nil {
		truth = "true difference from the incumbent"
	}
	for _, l := range slices.Backward(lines) {
		if !l.Latest {
			continue
		}
		if len(notes) == mostModels {
			notes = append(notes, "the log has the models before these: known_lower, known_upper")
			break
		}
		name := fmt.Sprint("Look ", l.Look)
		if l.Name != "" {
			name += ", " + usage.Shown(l.Name)
		}
		if l.Where != "" {
			name += ", where " + usage.Shown(l.Where)
		}
		notes = append(notes, fmt.Sprintf("%s: the %s of its model is %s on %d rows, by %s", name, truth, l.Known, l.Rows, l.Metric))
	}
	return notes
}

// mostModels is how many models status tells people of; the log has all.
const mostModels = 10
