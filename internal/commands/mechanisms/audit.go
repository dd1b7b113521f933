package mechanisms

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/printed"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/properties/audit/suite"
)

func Audit() *commands.Command {
	return &commands.Command{
		Name:      "audit",
		Summary:   "check mechanisms against what they claim",
		Arguments: "[MECHANISM...]",
		Description: "Runs the mechanisms of this toolkit, or mutants of them that are known to be wrong, by name:\n\n" +
			"  " + printed.Wrapped(mechanismNames(suite.Mechanisms()), 100, "\n  ") + "\n\n" +
			"and the mutants\n\n  " + printed.Wrapped(mechanismNames(suite.Mutants()), 100, "\n  ") + "\n\n" +
			"Without a name all but the mutants are checked. The exact layer computes what the output laws on all small\n" +
			"data sets reveal; there holds is a proof for these laws. The statistical layer bets against the claim on\n" +
			"samples; there violated is wrong with probability at most --false-alarm for all rows together, holds says\n" +
			"that no violation as large as detectable was found, and undecided that the samples are too few.\n" +
			"Exit code 4 if something is violated. See docs/check/audit.md.",
		Flags: []usage.Flag{
			{Name: "epsilon", Usage: "`E` that the mechanisms are built for, from 0.05 to 8 (default 1)"},
			{Name: "samples", Alias: "n", Usage: "at most `N` samples of each statistical check (default 1048576)"},
			{Name: "false-alarm", Usage: "`A`, the probability that a true claim is called violated, in the whole suite (default 1e-9)"},
			{Name: "seed", Usage: "`S` of the random numbers (default 2017); the same seed gives the same bytes"},
			{Name: "list", Switch: true, Usage: "name the mechanisms and mutants, and run nothing"},
		},
		Words:  func() []string { return mechanismNames(slices.Concat(suite.Mechanisms(), suite.Mutants())) },
		Output: commands.Tables,
		Examples: [2]string{
			"dpcalc audit --list",
			"dpcalc audit randomized-response --epsilon 0.5",
		},
		Run: runAudit,
	}
}

func mechanismNames(list []suite.Mechanism) []string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.Name
	}
	return names
}

var auditColumns = []string{
	"mechanism", "claim", "layer", "check", "verdict", "bound", "measured", "ratio",
	"samples", "false_alarm", "ln_false_alarm", "detectable", "seed", "event",
}

func runAudit(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	mechanisms, err := auditedMechanisms(c)
	if err != nil {
		return err
	}
	if c.Is("list") {
		return listMechanisms(c, target, mechanisms)
	}
	settings, err := auditSettings(c)
	if err != nil {
		return err
	}
	settings.Workers = c.Workers
	checks, err := suite.Checks(mechanisms, settings.Epsilon)
	if err != nil {
		return err
	}
	bar := c.Progress(len(checks)).Of("checks")
	found, _, err := suite.Run(c.Context, checks, settings, bar.Step)
	bar.End()
	if err != nil {
		return err
	}
	rows := make([][]record.Cell, len(found))
	refuted := false
	for i, row := range found {
		rows[i] = auditRow(row)
		refuted = refuted || row.Verdict == audit.Violated
	}
	r := record.Result{Command: "audit", Columns: auditColumns, Inputs: []record.Input{
		{Name: "mechanisms", Value: record.List(mechanismNames(mechanisms))}, {Name: "epsilon", Value: record.Exactly(settings.Epsilon)}, {Name: "samples", Value: record.Count(settings.Samples)},
		{Name: "false_alarm", Value: record.Chance(settings.FalseAlarm)}, {Name: "seed", Value: record.Whole(int64(settings.Seed))},
	}}
	err = commands.Emit(c, target, r, rows, func() record.Sheet { return auditSheet(settings, found, rows) })
	if err == nil && refuted {
		return usage.Outcome(usage.ExitRefuted)
	}
	return err
}

// auditedMechanisms are those named, or all but the mutants.
func auditedMechanisms(c usage.Values) ([]suite.Mechanism, error) {
	all := slices.Concat(suite.Mechanisms(), suite.Mutants())
	names := c.Texts(usage.Arguments)
	switch {
	case len(names) > 0 && c.Is("list"):
		return nil, usage.Errorf("audit: unexpected argument %s with --list", usage.Shown(names[0]))
	case c.Is("list"):
		return all, nil
	case len(names) == 0:
		return suite.Mechanisms(), nil
	}
	var some []suite.Mechanism
	for i, name := range names {
		k := slices.Index(mechanismNames(all), name)
		switch {
		case k < 0:
			hint := usage.DidYouMean(name, mechanismNames(all))
			if hint == "" {
				hint = ", see dpcalc audit --list"
			}
			return nil, usage.Errorf("audit: unknown mechanism %s%s", usage.Shown(name), hint)
		case slices.Contains(names[:i], name):
			return nil, usage.Errorf("audit: %s given twice", name)
		}
		some = append(some, all[k])
	}
	return some, nil
}

func auditSettings(c usage.Values) (suite.Settings, error) {
	s := suite.Defaults()
	epsilon, ok, err := numbers.One(c, "epsilon", numbers.Positives)
	if err != nil {
		return s, err
	}
	if ok {
		s.Epsilon = epsilon
	}
	samples, ok, err := numbers.One(c, "samples", numbers.Counts)
	if err != nil {
		return s, err
	}
	if ok {
		s.Samples = samples
	}
	alarm, ok, err := numbers.One(c, "false-alarm", numbers.Probabilities)
	if err != nil {
		return s, err
	}
	if ok {
		s.FalseAlarm = alarm
	}
	seed, ok, err := numbers.One(c, "seed", numbers.Wholes)
	if err != nil {
		return s, err
	}
	if ok {
		s.Seed = uint64(seed)
	}
	return s, s.Validate()
}

func auditRow(r suite.Row) []record.Cell {
	row := []record.Cell{
		record.Words(r.Mechanism), record.Words(r.Claim), record.Words(string(r.Layer)), record.Words(r.Check), record.Words(string(r.Verdict)),
		record.Exactly(r.Bound), {}, {}, {}, {}, {}, {}, {}, record.Words(r.Event),
	}
	if !r.Unbounded {
		row[6] = record.Exactly(r.Measured)
		if r.Bound > 0 {
			row[7] = record.Exactly(r.Measured / r.Bound)
		}
	}
	if r.Layer == suite.Statistical {
		row[8], row[9], row[10] = record.Count(r.Samples), record.Chance(r.FalseAlarm), record.Exactly(r.FalseAlarm.Ln())
		row[11], row[12] = record.Number(r.Detectable), record.Whole(int64(r.Seed))
	}
	return row
}

// auditSheet leaves out what is the same in all rows, and the event of what holds.
func auditSheet(s suite.Settings, found []suite.Row, rows [][]record.Cell) record.Sheet {
	verdicts := map[audit.Verdict]int64{}
	sampled := int64(0)
	for _, r := range found {
		verdicts[r.Verdict]++
		if r.Layer == suite.Statistical {
			sampled++
		}
	}
	out := record.Sheet{
		Title: []string{"Audit at epsilon " + record.People(record.Exactly(s.Epsilon)) + ": " + record.Plural(int64(len(rows)), "check") + ", of which " +
			strconv.FormatInt(sampled, 10) + " statistical with a false alarm of at most " + record.People(record.Chance(s.FalseAlarm)) + " together, seed " + strconv.FormatUint(s.Seed, 10)},
		Columns: []string{"mechanism", "claim", "layer", "check", "verdict", "bound", "measured", "ratio", "samples", "detectable", "event"},
	}
	for i, row := range rows {
		event := row[13]
		if found[i].Verdict == audit.Holds {
			event = record.Cell{}
		}
		out.Rows = append(out.Rows, slices.Concat(row[:9], row[11:12], []record.Cell{event}))
	}
	var counted []string
	for _, v := range []audit.Verdict{audit.Holds, audit.Violated, audit.Undecided} {
		if n := verdicts[v]; n > 0 {
			counted = append(counted, strconv.FormatInt(n, 10)+" "+string(v))
		}
	}
	out.Notes = []string{strings.Join(counted, ", ")}
	return out
}

func listMechanisms(c *commands.Call, t commands.Target, all []suite.Mechanism) error {
	r := record.Result{Command: "audit", Columns: []string{"mechanism", "mutant", "summary", "killers"}}
	rows := make([][]record.Cell, len(all))
	for i, m := range all {
		rows[i] = []record.Cell{record.Words(m.Name), record.Truth(len(m.Killers) > 0), record.Words(m.Summary), record.List(m.Killers)}
	}
	return commands.Emit(c, t, r, rows, func() record.Sheet { return record.Sheet{Columns: r.Columns, Rows: rows} })
}
