package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// sheet lays the rows out for people: the goal's constants in the title, what
// varies and what was solved in columns, and what to make of it below.
func (s *plan) sheet(ctx context.Context, rows [][]row) (sheet, error) {
	quantities := []struct {
		name    string
		unknown transfer.Unknown
		cell    func(*row) cell
	}{
		{"rows", transfer.Samples, func(r *row) cell { return countCell(r.Samples) }},
		{"queries", transfer.Queries, func(r *row) cell { return countCell(r.Queries) }},
		{"tau", transfer.Tau, func(r *row) cell { return numberCell(r.Tau) }},
		{"beta", transfer.Beta, func(r *row) cell {
			if r.Beta == 0 {
				return cell{}
			}
			return chanceCell(r.Beta)
		}},
		{"budget", transfer.None, func(r *row) cell { return countCell(r.Budget) }},
		{"sensitivity", transfer.None, (*row).sensitivity},
	}
	type column struct {
		name string
		cell func(*row) cell
	}
	var shown []column
	var constants []string
	first := s.grid.goal(0)
	for _, q := range quantities {
		at := row{Answer: transfer.Answer{Goal: first}}
		one := q.cell(&at)
		varies := false
		for i := range s.goals {
			at.Goal = s.grid.goal(i)
			if c := q.cell(&at); c.form != one.form || c.n != one.n || c.f != one.f {
				varies = true
				break
			}
		}
		switch {
		case q.unknown == s.unknown && q.unknown != transfer.None:
		case varies:
			shown = append(shown, column{q.name, q.cell})
		case one.form != missing:
			constants = append(constants, q.name+" "+people(one))
		}
	}
	mark := column{"", func(r *row) cell {
		if r.best {
			return wordsCell("*")
		}
		return cell{}
	}}
	shown = slices.Insert(shown, 0, mark, column{"method", func(r *row) cell { return wordsCell(r.method.Name) }})
	for _, q := range quantities {
		if q.unknown == s.unknown && q.unknown != transfer.None {
			shown = append(shown, column{q.name, func(r *row) cell {
				if r.Status == transfer.OK {
					return q.cell(r)
				}
				return cell{}
			}})
		}
	}
	if s.unknown != transfer.Tau {
		shown = append(shown, column{"tau achieved", func(r *row) cell { return numberCell(r.TauAchieved) }})
	}
	shown = append(shown,
		column{"noise", func(r *row) cell { return wordsCell(r.Mechanism.Noise) }},
		column{"noise scale", func(r *row) cell { return numberCell(r.Mechanism.Scale) }},
		column{"threshold", func(r *row) cell { return numberCell(r.Mechanism.Threshold) }},
		column{"cells", func(r *row) cell { return countCell(r.Mechanism.Cells) }},
		column{"epsilon", func(r *row) cell { return numberCell(r.Mechanism.Epsilon) }},
		column{"ln delta", func(r *row) cell { return numberCell(r.Mechanism.LnDelta.Ln()) }},
		column{"proof", func(r *row) cell { return wordsCell(string(r.method.Proof)) }},
		column{"note", func(r *row) cell { return wordsCell(r.note()) }},
	)

	var out sheet
	subject := map[transfer.Unknown]string{
		transfer.Samples: "Rows needed",
		transfer.Queries: "Queries that can be answered",
		transfer.Tau:     "Accuracy tau reached",
		transfer.Beta:    "Failure probability beta reached",
		transfer.None:    "Check of the plan",
	}[s.unknown]
	out.title = append(out.title, subject+": "+strings.Join(append(constants, first.Query.String()+" queries"), ", "))
	for _, c := range shown {
		out.columns = append(out.columns, c.name)
	}
	var leftOut, unanswered reasons
	for _, group := range rows {
		for k := range group {
			if r := &group[k]; leftOut.leavesOut(r.method.Name, r.Status, r.Reason) {
				continue
			}
			unanswered.add(group[k].method.Name, group[k].Reason)
			cells := make([]cell, len(shown))
			for j, c := range shown {
				cells[j] = c.cell(&group[k])
			}
			out.rows = append(out.rows, cells)
		}
	}
	winners, err := s.winners(rows)
	if err != nil {
		return sheet{}, err
	}
	crossings, err := s.crossings(ctx)
	if err != nil {
		return sheet{}, err
	}
	out.notes = slices.Concat(winners, crossings, s.legend(rows), leftOut.lines(), unanswered.lines())
	return out, nil
}

func (r *row) note() string {
	switch {
	case r.Status != transfer.OK:
		return strings.ReplaceAll(string(r.Status), "_", " ")
	case r.method.Procedure:
		return "dp procedure"
	case !r.method.Adaptive:
		return "reference"
	}
	return ""
}

// winners says which rows are best.
func (s *plan) winners(rows [][]row) ([]string, error) {
	if len(rows) > 1 {
		if s.unknown == transfer.None {
			return []string{"* certifies the plan with the least tau"}, nil
		}
		return []string{"* best adaptive method for its goal"}, nil
	}
	best := slices.IndexFunc(rows[0], func(r row) bool { return r.best })
	switch {
	case best >= 0 && s.unknown == transfer.None:
		return []string{"The plan is certified, best by " + rows[0][best].method.Name + "."}, nil
	case best < 0:
		text, err := s.noBest(rows[0])
		return []string{capital(text) + "."}, err
	}
	b := &rows[0][best]
	value := map[transfer.Unknown]string{
		transfer.Samples: "fewest rows: " + people(countCell(b.Samples)),
		transfer.Queries: "most queries: " + people(countCell(b.Queries)),
		transfer.Tau:     "least tau: " + people(numberCell(b.Tau)),
		transfer.Beta:    "least beta: " + people(chanceCell(b.Beta)),
	}[s.unknown]
	return []string{"* " + b.method.Name + ", " + value}, nil
}

// legend explains the labels that occur.
func (s *plan) legend(rows [][]row) (lines []string) {
	has := func(label string) bool {
		return slices.ContainsFunc(rows, func(group []row) bool {
			return slices.ContainsFunc(group, func(r row) bool { return r.note() == label })
		})
	}
	if has("reference") {
		lines = append(lines, "reference: only for queries fixed before the data are seen")
	}
	if has("dp procedure") {
		lines = append(lines, "dp procedure: for what a private procedure puts out, not for answers to queries")
	}
	if slices.ContainsFunc(rows, func(group []row) bool {
		return slices.ContainsFunc(group, func(r row) bool { return r.method.Budgeted && r.Status == transfer.OK })
	}) {
		lines = append(lines, "thresholdout rows: for the answers while fewer than budget queries have overfitted the training set")
	}
	return lines
}

// crossings says, for up to three accuracies and failure probabilities, from how
// many queries on a mechanism needs fewer rows than sample splitting: below that,
// splitting is the simpler plan.
func (s *plan) crossings(ctx context.Context) (lines []string, err error) {
	if s.unknown != transfer.Samples {
		return nil, nil
	}
	var seen []transfer.Goal
	for i := 0; i < s.goals && len(seen) < 3; i++ {
		g := s.grid.goal(i)
		if slices.ContainsFunc(seen, func(o transfer.Goal) bool { return o.Tau == g.Tau && o.Beta == g.Beta }) {
			continue
		}
		seen = append(seen, g)
		m, winner, err := s.crossing(ctx, g)
		if err != nil {
			return nil, err
		}
		if winner != "" {
			lines = append(lines, fmt.Sprintf("At tau %s, beta %s, %s needs fewer rows than sample splitting from %s on.",
				people(numberCell(g.Tau)), people(chanceCell(g.Beta)), winner, queriesText(m)))
		}
	}
	return lines, nil
}

func queriesText(m int64) string {
	if m == 1 {
		return "the first query"
	}
	return people(countCell(m)) + " queries"
}

// crossing finds the least number of queries at which a method other than
// splitting needs the fewest rows: by doubling, then by halving the interval.
func (s *plan) crossing(ctx context.Context, g transfer.Goal) (queries int64, winner string, err error) {
	splitting, ok := transfer.Lookup("splitting")
	if !ok {
		return 0, "", nil
	}
	var others []*transfer.Method
	for i := range s.methods {
		if m := &s.methods[i]; m.Adaptive && !strings.HasPrefix(m.Name, "splitting") {
			others = append(others, m)
		}
	}
	wins := func(m int64) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		g.Queries, g.Samples = m, 0
		base, err := splitting.Solve(g)
		if err != nil || base.Status == transfer.NotApplicable {
			return "", err
		}
		if g.Samples = base.Samples - 1; base.Status != transfer.OK {
			g.Samples = transfer.MaxCount
		}
		for _, method := range others {
			if ok, err := method.Certifies(g); ok || err != nil {
				return method.Name, err
			}
		}
		return "", nil
	}
	const most = 1 << 20
	lo, hi := int64(0), int64(1)
	for {
		if winner, err = wins(hi); err != nil || winner != "" {
			break
		}
		if lo, hi = hi, 2*hi; hi > most {
			return 0, "", nil
		}
	}
	for err == nil && hi-lo > 1 {
		var name string
		mid := lo + (hi-lo)/2
		if name, err = wins(mid); name != "" {
			hi, winner = mid, name
		} else {
			lo = mid
		}
	}
	return hi, winner, err
}
