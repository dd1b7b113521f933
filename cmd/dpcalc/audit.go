package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/properties/audit/suite"
	"github.com/urfave/cli/v2"
)

func (p *program) audit() *cli.Command {
	return &cli.Command{
		Name:      "audit",
		Usage:     "check mechanisms against what they claim",
		ArgsUsage: "[MECHANISM...]",
		Args:      true,
		Description: "Runs the mechanisms of this toolkit, or mutants of them that are known to be wrong, by name:\n\n" +
			"  " + wrapped(mechanismNames(suite.Mechanisms()), 100, "\n  ") + "\n\n" +
			"and the mutants\n\n  " + wrapped(mechanismNames(suite.Mutants()), 100, "\n  ") + "\n\n" +
			"Without a name all but the mutants are checked. The exact layer computes what the output laws on all small\n" +
			"data sets reveal; there holds is a proof for these laws. The statistical layer bets against the claim on\n" +
			"samples; there violated is wrong with probability at most --false-alarm for all rows together, holds says\n" +
			"that no violation as large as detectable was found, and undecided that the samples are too few.\n" +
			"Exit code 4 if something is violated. See docs/audit.md.",
		Flags: slices.Concat([]cli.Flag{
			textFlag("epsilon", "", "`E` that the mechanisms are built for, from 0.05 to 8 (default 1)"),
			textFlag("samples", "n", "at most `N` samples of each statistical check (default 1048576)"),
			textFlag("false-alarm", "", "`A`, the probability that a true claim is called violated, in the whole suite (default 1e-9)"),
			textFlag("seed", "", "`S` of the random numbers (default 2017); the same seed gives the same bytes"),
			&cli.BoolFlag{Name: "list", Usage: "name the mechanisms and mutants, and run nothing", DisableDefaultText: true},
		}, outputFlags()),
		Action: p.runAudit,
	}
}

func mechanismNames(list []suite.Mechanism) []string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.Name
	}
	return names
}

// wrapped joins words with blanks, and lines of at most so many characters with a gap.
func wrapped(words []string, width int, gap string) string {
	var b strings.Builder
	column := 0
	for i, word := range words {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteString(gap)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

var auditColumns = []string{
	"mechanism", "claim", "layer", "check", "verdict", "bound", "measured", "ratio",
	"samples", "false_alarm", "ln_false_alarm", "detectable", "seed", "event",
}

func (p *program) runAudit(c *cli.Context) error {
	target, err := outputTarget(c)
	if err != nil {
		return err
	}
	mechanisms, err := auditedMechanisms(c)
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return p.listMechanisms(target, mechanisms)
	}
	settings, err := auditSettings(c)
	if err != nil {
		return err
	}
	settings.Workers = p.workers
	checks, err := suite.Checks(mechanisms, settings.Epsilon)
	if err != nil {
		return err
	}
	bar := p.progress(len(checks)).of("checks")
	found, _, err := suite.Run(p.ctx, checks, settings, bar.step)
	bar.end()
	if err != nil {
		return err
	}
	rows := make([][]cell, len(found))
	refuted := false
	for i, row := range found {
		rows[i] = auditRow(row)
		refuted = refuted || row.Verdict == audit.Violated
	}
	r := result{command: "audit", columns: auditColumns, inputs: []input{
		{"mechanisms", listCell(mechanismNames(mechanisms))}, {"epsilon", exactly(settings.Epsilon)}, {"samples", countCell(settings.Samples)},
		{"false_alarm", chanceCell(settings.FalseAlarm)}, {"seed", wholeCell(int64(settings.Seed))},
	}}
	err = p.emit(target, r, rows, func() sheet { return auditSheet(settings, found, rows) })
	if err == nil && refuted {
		return outcome(exitRefuted)
	}
	return err
}

// auditedMechanisms are those named, or all but the mutants.
func auditedMechanisms(c *cli.Context) ([]suite.Mechanism, error) {
	all := slices.Concat(suite.Mechanisms(), suite.Mutants())
	names := c.Args().Slice()
	switch {
	case len(names) > 0 && c.Bool("list"):
		return nil, usagef("audit: unexpected argument %s with --list", shown(names[0]))
	case c.Bool("list"):
		return all, nil
	case len(names) == 0:
		return suite.Mechanisms(), nil
	}
	var some []suite.Mechanism
	for i, name := range names {
		k := slices.Index(mechanismNames(all), name)
		switch {
		case k < 0:
			hint := didYouMean(name, mechanismNames(all))
			if hint == "" {
				hint = ", see dpcalc audit --list"
			}
			return nil, usagef("audit: unknown mechanism %s%s", shown(name), hint)
		case slices.Contains(names[:i], name):
			return nil, usagef("audit: %s given twice", name)
		}
		some = append(some, all[k])
	}
	return some, nil
}

func auditSettings(c *cli.Context) (suite.Settings, error) {
	s := suite.Defaults()
	epsilon, ok, err := one(c, "epsilon", positives)
	if err != nil {
		return s, err
	}
	if ok {
		s.Epsilon = epsilon
	}
	samples, ok, err := one(c, "samples", counts)
	if err != nil {
		return s, err
	}
	if ok {
		s.Samples = samples
	}
	alarm, ok, err := one(c, "false-alarm", probabilities)
	if err != nil {
		return s, err
	}
	if ok {
		s.FalseAlarm = alarm
	}
	seed, ok, err := one(c, "seed", wholes)
	if err != nil {
		return s, err
	}
	if ok {
		s.Seed = uint64(seed)
	}
	return s, s.Validate()
}

func auditRow(r suite.Row) []cell {
	row := []cell{
		wordsCell(r.Mechanism), wordsCell(r.Claim), wordsCell(string(r.Layer)), wordsCell(r.Check), wordsCell(string(r.Verdict)),
		exactly(r.Bound), {}, {}, {}, {}, {}, {}, {}, wordsCell(r.Event),
	}
	if !r.Unbounded {
		row[6] = exactly(r.Measured)
		if r.Bound > 0 {
			row[7] = exactly(r.Measured / r.Bound)
		}
	}
	if r.Layer == suite.Statistical {
		row[8], row[9], row[10] = countCell(r.Samples), chanceCell(r.FalseAlarm), exactly(r.FalseAlarm.Ln())
		row[11], row[12] = numberCell(r.Detectable), wholeCell(int64(r.Seed))
	}
	return row
}

// auditSheet leaves out what is the same in all rows, and the event of what holds.
func auditSheet(s suite.Settings, found []suite.Row, rows [][]cell) sheet {
	verdicts := map[audit.Verdict]int64{}
	sampled := int64(0)
	for _, r := range found {
		verdicts[r.Verdict]++
		if r.Layer == suite.Statistical {
			sampled++
		}
	}
	out := sheet{
		title: []string{"Audit at epsilon " + people(exactly(s.Epsilon)) + ": " + plural(int64(len(rows)), "check") + ", of which " +
			strconv.FormatInt(sampled, 10) + " statistical with a false alarm of at most " + people(chanceCell(s.FalseAlarm)) + " together, seed " + strconv.FormatUint(s.Seed, 10)},
		columns: []string{"mechanism", "claim", "layer", "check", "verdict", "bound", "measured", "ratio", "samples", "detectable", "event"},
	}
	for i, row := range rows {
		event := row[13]
		if found[i].Verdict == audit.Holds {
			event = cell{}
		}
		out.rows = append(out.rows, slices.Concat(row[:9], row[11:12], []cell{event}))
	}
	var counted []string
	for _, v := range []audit.Verdict{audit.Holds, audit.Violated, audit.Undecided} {
		if n := verdicts[v]; n > 0 {
			counted = append(counted, strconv.FormatInt(n, 10)+" "+string(v))
		}
	}
	out.notes = []string{strings.Join(counted, ", ")}
	return out
}

func (p *program) listMechanisms(t target, all []suite.Mechanism) error {
	r := result{command: "audit", columns: []string{"mechanism", "mutant", "summary", "killers"}}
	rows := make([][]cell, len(all))
	for i, m := range all {
		rows[i] = []cell{wordsCell(m.Name), truthCell(len(m.Killers) > 0), wordsCell(m.Summary), listCell(m.Killers)}
	}
	return p.emit(t, r, rows, func() sheet { return sheet{columns: r.columns, rows: rows} })
}
