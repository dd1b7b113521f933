// Package mechanisms has the commands that run mechanisms: audits of what they claim, and the
// experiment with the reusable holdout.
package mechanisms

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/properties/audit/suite"
)

// Audit is the command audit.
func Audit() *commands.Command {
	return &commands.Command{
		Name:      "audit",
		Summary:   "check mechanisms against what they claim",
		Arguments: "[MECHANISM...]",
		Description: commands.Described("audit",
			"{mechanisms}", printed.Wrapped(mechanismNames(suite.Mechanisms()), 100, "\n  "),
			"{mutants}", printed.Wrapped(mechanismNames(suite.Mutants()), 100, "\n  ")),
		Flags: []usage.Flag{
			{Name: "epsilon", Usage: "the mechanisms are built for epsilon `E`, from 0.05 to 8 (default 1)"},
			{Name: "samples", Alias: "n", Usage: "each statistical check draws at most `N` samples (default 1048576)"},
			{Name: "false-alarm", Usage: "probability `A` that the whole suite calls a true claim violated (default 1e-9)"},
			{Name: "seed", Usage: "seed `S` of the random numbers (default 2017); the same seed gives the same bytes"},
			{Name: "list", Switch: true, Usage: "name the mechanisms and mutants, and run nothing"},
		},
		Words:  func() []string { return mechanismNames(slices.Concat(suite.Mechanisms(), suite.Mutants())) },
		Output: commands.Tables,
		Examples: []string{
			"dpcalc audit --list",
			"dpcalc audit randomized-response --epsilon 0.5",
		},
		Run: runAudit,
	}
}

func mechanismNames(list []suite.Mechanism) []string {
	return each.Of(list, func(m suite.Mechanism) string { return m.Name })
}

// audited is a row: what a check found.
type audited = suite.Row

type auditedColumn = record.Column[audited]

// sampledOnly is a column of statistical checks.
func sampledOnly(name string, cell func(audited) record.Cell) auditedColumn {
	return auditedColumn{Name: name, Cell: func(r audited) record.Cell {
		return cell(r).If(r.Layer == suite.Statistical)
	}}
}

var (
	auditedColumns = []auditedColumn{
		{Name: "mechanism", Cell: func(r audited) record.Cell { return record.Words(r.Mechanism) }},
		{Name: "claim", Cell: func(r audited) record.Cell { return record.Words(r.Claim) }},
		{Name: "layer", Cell: func(r audited) record.Cell { return record.Words(string(r.Layer)) }},
		{Name: "check", Cell: func(r audited) record.Cell { return record.Words(r.Check) }},
		{Name: "verdict", Cell: func(r audited) record.Cell { return record.Words(string(r.Verdict)) }},
		{Name: "bound", Cell: func(r audited) record.Cell { return record.Exactly(r.Bound) }},
		{Name: "measured", Cell: func(r audited) record.Cell { return record.Exactly(r.Measured).If(!r.Unbounded) }},
		{Name: "ratio", Cell: func(r audited) record.Cell {
			return record.Exactly(r.Measured / r.Bound).If(!r.Unbounded && r.Bound > 0)
		}},
		sampledOnly("samples", func(r audited) record.Cell { return record.Count(r.Samples) }),
		sampledOnly("false_alarm", func(r audited) record.Cell { return record.Chance(r.FalseAlarm) }),
		sampledOnly("ln_false_alarm", func(r audited) record.Cell { return record.Exactly(r.FalseAlarm.Ln()) }),
		sampledOnly("detectable", func(r audited) record.Cell { return record.Number(r.Detectable) }),
		sampledOnly("seed", func(r audited) record.Cell { return record.Whole(int64(r.Seed)) }),
		{Name: "event", Cell: func(r audited) record.Cell { return record.Words(r.Event) }},
	}

	// auditedShown is without the columns that are the same in all rows.
	auditedShown = append(record.Named(auditedColumns, "mechanism", "claim", "layer", "check", "verdict", "bound",
		"measured", "ratio", "samples", "detectable"),
		auditedColumn{Name: "event", Cell: func(r audited) record.Cell {
			return record.Words(r.Event).If(r.Verdict != audit.Holds)
		}})
)

// auditModes are the list of mechanisms, and the checks.
var auditModes = []commands.Mode{{Name: "list", Flags: []string{"list"}},
	{Flags: []string{"epsilon", "samples", "false-alarm", "seed"}}}

func runAudit(c *commands.Call) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	mode, err := c.AskedMode(auditModes)
	if err != nil {
		return err
	}
	mechanisms, err := auditedMechanisms(c)
	if err != nil {
		return err
	}
	if mode.Name == "list" {
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
	return commands.Emit(c, target, commands.Answer[audited]{
		Command: "audit", Rows: commands.List(found), Columns: auditedColumns, Shown: auditedShown,
		Inputs: []record.Input{
			{Name: "mechanisms", Value: record.List(mechanismNames(mechanisms))},
			{Name: "epsilon", Value: record.Exactly(settings.Epsilon)},
			{Name: "samples", Value: record.Count(settings.Samples)},
			{Name: "false_alarm", Value: record.Chance(settings.FalseAlarm)},
			{Name: "seed", Value: record.Whole(int64(settings.Seed))},
		},
		Verdict: func(r audited) commands.Verdict { return commands.Verdict{Refuted: r.Verdict == audit.Violated} },
		Say:     func() (title, notes []string) { return sayAudit(settings, found) },
	})
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

func auditSettings(c usage.Values) (s suite.Settings, err error) {
	s = suite.Defaults()
	seed := int64(s.Seed)
	numbers.Read(c, &err, "epsilon", numbers.Positives, &s.Epsilon)
	numbers.Read(c, &err, "samples", numbers.Counts, &s.Samples)
	numbers.Read(c, &err, "false-alarm", numbers.Probabilities, &s.FalseAlarm)
	numbers.Read(c, &err, "seed", numbers.Wholes, &seed)
	if s.Seed = uint64(seed); err != nil {
		return s, err
	}
	return s, s.Validate()
}

func sayAudit(s suite.Settings, found []audited) (title, notes []string) {
	verdicts := map[audit.Verdict]int64{}
	sampled := int64(0)
	for _, r := range found {
		verdicts[r.Verdict]++
		if r.Layer == suite.Statistical {
			sampled++
		}
	}
	var counted []string
	for _, v := range []audit.Verdict{audit.Holds, audit.Violated, audit.Undecided} {
		if n := verdicts[v]; n > 0 {
			counted = append(counted, strconv.FormatInt(n, 10)+" "+string(v))
		}
	}
	return []string{"Audit at epsilon " + record.People(record.Exactly(s.Epsilon)) + ": " +
			record.Plural(int64(len(found)), "check") +
			", of which " + strconv.FormatInt(sampled, 10) + " statistical with a false alarm of at most " +
			record.People(record.Chance(s.FalseAlarm)) + " together, seed " + strconv.FormatUint(s.Seed, 10)},
		[]string{strings.Join(counted, ", ")}
}

func listMechanisms(c *commands.Call, t commands.Target, all []suite.Mechanism) error {
	columns := []record.Column[suite.Mechanism]{
		{Name: "mechanism", Cell: func(m suite.Mechanism) record.Cell { return record.Words(m.Name) }},
		{Name: "mutant", Cell: func(m suite.Mechanism) record.Cell { return record.Truth(len(m.Killers) > 0) }},
		{Name: "summary", Cell: func(m suite.Mechanism) record.Cell { return record.Words(m.Summary) }},
		{Name: "killers", Cell: func(m suite.Mechanism) record.Cell { return record.List(m.Killers) }},
	}
	return commands.Emit(c, t,
		commands.Answer[suite.Mechanism]{Command: "audit", Columns: columns, Shown: columns, Rows: commands.List(all)})
}
