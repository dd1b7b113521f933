package samplesize

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/crossing"
)

// findings says what the rows show: which is best, how close its number of rows is
// to the least one, and from how many queries on it needs fewer than sample splitting.
// It speaks of the methods of this table alone.
func (s *request) findings(ctx context.Context, rows [][]goals.Row) ([]string, error) {
	lines, err := s.winners(rows)
	if err != nil {
		return nil, err
	}
	if len(rows) == 1 && s.beatsReference(s.shownRows(rows[0])) {
		lines = append(lines, smoothed)
	}
	crossings, err := s.crossings(ctx)
	if err != nil {
		return nil, err
	}
	less, err := s.lessFeedback(rows)
	return slices.Concat(lines, crossings, less), err
}

// lessFeedback says what the goal of a table of all methods would cost, or give, if less were shown than every answer.
// It says so of what is better alone.
func (s *request) lessFeedback(rows [][]goals.Row) ([]string, error) {
	base := s.grid.Base
	usual := base.Shown == transfer.Shown{} && base.Known == transfer.Known{Disagreement: base.Disagreement}
	if s.asked || len(rows) != 1 || !usual {
		return nil, nil
	}
	g, unknown := rows[0][0].Goal, s.unknown
	one, counted := g.Queries == 1 && unknown != transfer.Queries, g.Transcripts != 0 || g.LnTranscripts != 0
	if one || counted || g.PastLooks != 0 {
		return nil, nil
	}
	if unknown == transfer.None { // what the rows give
		unknown = transfer.Tau
	}
	g = asked(g, unknown)
	var most *transfer.Answer
	if best := bestOf(rows[0]); best != nil {
		most = &best.Answer
	} else if s.unknown == transfer.None {
		var err error
		if most, err = s.bestAnswer(g); err != nil {
			return nil, err
		}
	}
	head := "Show less:"
	switch s.unknown {
	case transfer.Samples:
		head = "Show less, need less:"
	case transfer.None:
		head = "Show less, and these rows give:"
	}
	var ways []goals.Row
	typed := make(map[transfer.Feedback]string)
	for _, f := range transfer.Answers.Less() {
		g, flags := g.Showing(f, 1), "--feedback "+f.String()
		switch _, auc := g.Sample.(transfer.Classes); {
		case f == transfer.Flags, auc && f != transfer.Gate: // holdout init makes gates of an AUC alone
			continue
		case f == transfer.Gate:
			flags += " --passes 1"
		case f == transfer.Final && unknown == transfer.Queries:
			g.Queries = 0
		case f == transfer.Final:
			flags += " -m 1"
		}
		methods := slices.DeleteFunc(transfer.MethodsFor(f), func(m transfer.Method) bool { // no better for less
			return m.Serves(transfer.Answers)
		})
		solved, best, err := transfer.Solve(nil, s.proven(methods, g), g)
		if err != nil {
			return nil, err
		}
		if best >= 0 && (most == nil || solved[best].Compare(*most, unknown) < 0) {
			ways = append(ways, solved[best])
			typed[f] = flags
		}
	}
	if ways == nil {
		return nil, nil
	}
	slices.SortStableFunc(ways, func(a, b goals.Row) int { return b.Compare(a.Answer, unknown) }) // what costs most first
	lines := each.Of(ways, func(r goals.Row) [3]string {
		asked := asked(r.Goal, unknown)
		return [3]string{goals.Shows(asked), found(&r, unknown), typed[r.Feedback]}
	})
	longest := func(k int) int {
		return slices.Max(each.Of(lines, func(line [3]string) int { return len(line[k]) }))
	}
	return append([]string{head}, each.Of(lines, func(line [3]string) string {
		return fmt.Sprintf("  %-*s  %*s  %s", max(31, longest(0)), line[0], longest(1), line[1], line[2])
	})...), nil
}

// found is what a row was solved for, in words.
func found(r *goals.Row, unknown transfer.Unknown) string {
	switch unknown {
	case transfer.Samples:
		return record.Plural(r.Samples, "row")
	case transfer.Queries:
		return countText(r.Queries)
	case transfer.Beta:
		return "beta " + record.People(record.Chance(r.Beta))
	}
	return "tau " + record.People(record.Number(r.Tau))
}

// smoothed says why a method for queries chosen in view of answers can do with less than one
// for queries fixed beforehand.
const smoothed = "The best row is below a reference row: its noise smooths the tail that an exact answer has on both sides."

// beatsReference reports whether the best row of a goal does better than a reference row by its noise alone, and not by
// a known bound on the queries.
func (s *request) beatsReference(group []goals.Row) bool {
	best := bestOf(group)
	if best == nil || best.Mechanism.LowVariance {
		return false
	}
	return isNoisy(best.Mechanism) && slices.ContainsFunc(group, func(r goals.Row) bool {
		return r.Method.IsReference() && r.Status == transfer.OK && best.Compare(r.Answer, s.unknown) < 0
	})
}

// winners says which rows are best.
func (s *request) winners(rows [][]goals.Row) ([]string, error) {
	if len(rows) > 1 {
		return s.winnersOfMany(rows), nil
	}
	best := bestOf(rows[0])
	switch {
	case best == nil:
		text, err := s.noBest(rows[0])
		return []string{printed.Capital(text) + "."}, err
	case s.unknown == transfer.None:
		return []string{"The plan is certified, best by " + best.Method.Name + "."}, nil
	case s.unknown == transfer.Samples:
		rows := record.People(record.Count(best.Samples))
		return []string{"* " + best.Method.Name + ", fewest rows: " + rows + ", " + exactness(best)}, nil
	}
	value := map[transfer.Unknown]string{
		transfer.Queries: "most queries: " + record.People(record.Count(best.Queries)),
		transfer.Tau:     "least tau: " + record.People(record.Number(best.Tau)),
		transfer.Beta:    "least beta: " + record.People(record.Chance(best.Beta)),
	}[s.unknown]
	return []string{"* " + best.Method.Name + ", " + value}, nil
}

// winnersOfMany says what the stars of several goals mean, or why there are none.
func (s *request) winnersOfMany(rows [][]goals.Row) []string {
	starred := func(group []goals.Row) bool { return bestOf(group) != nil }
	unfixed := func(group []goals.Row) bool { return !s.fixedSuffices(group) }
	switch {
	case slices.ContainsFunc(rows, starred):
		if s.unknown == transfer.None {
			return []string{"* certifies the plan with the least tau"}
		}
		return []string{"* best adaptive method for its goal"}
	case !slices.ContainsFunc(rows, unfixed):
		return []string{printed.Capital(fixedOnce) + "."}
	case s.unknown == transfer.None:
		return []string{"No adaptive method certifies any of the plans."}
	}
	return []string{"No adaptive method has an answer to any of the goals."}
}

// exactness says how the number of rows of an answer compares with the least one that
// its inequality allows.
func exactness(best *goals.Row) string {
	switch {
	case !best.Method.IsExact() || best.Ratio.IsGiven():
		return "found by a search: the true minimum may be somewhat lower"
	case tied(best):
		return "at most: with one row fewer its inequality is an equality, up to roundings"
	}
	return "exact: with one row fewer its inequality fails"
}

// tied reports whether one row fewer fails by no more than the roundings of a binomial tail, of which an exact tie
// cannot be told from a failure.
func tied(best *goals.Row) bool {
	g := best.Goal
	if !g.Query.IsZeroOne() || g.Samples == 1 {
		return false
	}
	g.Samples--
	ln, rows := g.Beta.Ln(), float64(g.Samples)
	g.Beta = theory.LogProb(min(ln+4e-12+math.Abs(ln)*0x1p-48+math.Sqrt(rows)*0x1p-49, ln/2))
	ok, err := best.Method.Certifies(g)
	return ok && err == nil
}

// crossings says, for up to three goals that differ in more than the queries, from how
// many queries on the best method needs fewer rows than sample splitting, which is the
// simpler plan below that.
func (s *request) crossings(ctx context.Context) (lines []string, err error) {
	base := s.grid.Base
	compared := s.unknown == transfer.Samples && base.Feedback == transfer.Answers && base.Arrival == nil
	if s.brief || !compared {
		return nil, nil
	}
	var seen []transfer.Goal
	for i := 0; i < s.goals && len(seen) < 3; i++ {
		g := s.grid.Goal(i)
		g.Queries = 0
		if slices.Contains(seen, g) {
			continue
		}
		seen = append(seen, g)
		c, ok, err := crossing.Find(ctx, s.methods, g)
		if err != nil {
			return nil, err
		}
		if ok {
			lines = append(lines, s.crossingText(g, c))
		}
	}
	return lines, nil
}

func (s *request) crossingText(g transfer.Goal, c crossing.Point) string {
	goal := "At tau " + record.People(record.Number(g.Tau)) + ", beta " + record.People(record.Chance(g.Beta))
	if g.Budget != 0 && slices.ContainsFunc(s.methods, func(m transfer.Method) bool { return m.NeedsBudget() }) {
		goal += ", budget " + record.People(record.Count(g.Budget))
	}
	var splitting []string
	for i := range s.methods {
		if s.methods[i].Splits {
			splitting = append(splitting, s.methods[i].Name)
		}
	}
	claim := fmt.Sprintf("%s, %s needs fewer rows than %s", goal, c.Method.Name, strings.Join(splitting, " and "))
	if c.Onward {
		return claim + " from " + queriesText(c.Queries) + " on."
	}
	return claim + " with " + countText(c.Queries) + ", and not yet with fewer."
}

func queriesText(m int64) string {
	if m == 1 {
		return "the first query"
	}
	return countText(m)
}

func countText(m int64) string {
	if m == 1 {
		return "one query"
	}
	return record.People(record.Count(m)) + " queries"
}
