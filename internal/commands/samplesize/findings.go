package samplesize

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/printed"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/transfer"
)

// findings says what the rows show: which is best, how close its number of rows is
// to the least one, and from how many queries on it needs fewer than sample splitting.
// It speaks of the methods of this table alone.
func (s *plan) findings(ctx context.Context, rows [][]row) ([]string, error) {
	lines, err := s.winners(rows)
	if err != nil {
		return nil, err
	}
	if len(rows) == 1 && s.beatsReference(rows[0]) {
		lines = append(lines, smoothed)
	}
	crossings, err := s.crossings(ctx)
	return append(lines, crossings...), err
}

// smoothed says why a method for queries chosen in view of answers can do with less than one
// for queries fixed beforehand.
const smoothed = "The best row is below a reference row: its noise smooths the tail that an exact answer has on both sides."

// beatsReference reports whether the best row of a goal does better than a reference row.
func (s *plan) beatsReference(group []row) bool {
	best := bestOf(group)
	return best != nil && slices.ContainsFunc(group, func(r row) bool {
		reference := !r.method.Adaptive && !r.method.Procedure
		return reference && r.Status == transfer.OK && commands.Ahead(s.unknown, best.Answer, r.Answer) < 0
	})
}

// winners says which rows are best.
func (s *plan) winners(rows [][]row) ([]string, error) {
	if len(rows) > 1 {
		return s.winnersOfMany(rows), nil
	}
	best := bestOf(rows[0])
	switch {
	case best == nil:
		text, err := s.noBest(rows[0])
		return []string{printed.Capital(text) + "."}, err
	case s.unknown == transfer.None:
		return []string{"The plan is certified, best by " + best.method.Name + "."}, nil
	}
	value := map[transfer.Unknown]string{
		transfer.Samples: "fewest rows: " + record.People(record.Count(best.Samples)) + ", " + exactness(best.method),
		transfer.Queries: "most queries: " + record.People(record.Count(best.Queries)),
		transfer.Tau:     "least tau: " + record.People(record.Number(best.Tau)),
		transfer.Beta:    "least beta: " + record.People(record.Chance(best.Beta)),
	}[s.unknown]
	return []string{"* " + best.method.Name + ", " + value}, nil
}

// winnersOfMany says what the stars of several goals mean, or why there are none.
func (s *plan) winnersOfMany(rows [][]row) []string {
	starred := func(group []row) bool { return bestOf(group) != nil }
	unfixed := func(group []row) bool { return !s.fixedSuffices(group) }
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

// exactness says how the number of rows of a method compares with the least one that
// its inequality allows.
func exactness(m *transfer.Method) string {
	if m.Exact() {
		return "exact: with one row fewer its inequality fails"
	}
	return "found by a search: its inequality may hold with up to two thousandths fewer"
}

// isSplitting says whether a method is a form of sample splitting.
func isSplitting(m *transfer.Method) bool { return strings.HasPrefix(m.Name, "splitting") }

// crossings says, for up to three goals that differ in more than the queries, from how
// many queries on the best method needs fewer rows than sample splitting, which is the
// simpler plan below that.
func (s *plan) crossings(ctx context.Context) (lines []string, err error) {
	if s.unknown != transfer.Samples {
		return nil, nil
	}
	var seen []transfer.Goal
	for i := 0; i < s.goals && len(seen) < 3; i++ {
		g := s.grid.goal(i)
		g.Queries = 0
		if slices.Contains(seen, g) {
			continue
		}
		seen = append(seen, g)
		c, err := s.crossing(ctx, g)
		if err != nil {
			return nil, err
		}
		if c.method != nil {
			lines = append(lines, s.crossingText(g, c))
		}
	}
	return lines, nil
}

func (s *plan) crossingText(g transfer.Goal, c crossing) string {
	goal := "At tau " + record.People(record.Number(g.Tau)) + ", beta " + record.People(record.Chance(g.Beta))
	if g.Budget != 0 && slices.ContainsFunc(s.methods, func(m transfer.Method) bool { return m.Budgeted }) {
		goal += ", budget " + record.People(record.Count(g.Budget))
	}
	var splitting []string
	for i := range s.methods {
		if isSplitting(&s.methods[i]) {
			splitting = append(splitting, s.methods[i].Name)
		}
	}
	claim := fmt.Sprintf("%s, %s needs fewer rows than %s", goal, c.method.Name, strings.Join(splitting, " and "))
	if c.onward {
		return claim + " from " + queriesText(c.queries) + " on."
	}
	return claim + " with " + countText(c.queries) + ", and not yet with fewer."
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

// crossing is the least number of queries at which the best method is no form of sample
// splitting, and that method. There is none where the method is nil.
type crossing struct {
	queries int64
	method  *transfer.Method
	onward  bool // whether that method needs fewer rows than splitting with more queries too
}

const (
	oneByOne = 64      // so many numbers of queries are tried one after the other
	mostLook = 1 << 20 // and up to here by doubling
)

// crossing looks for the crossing of a goal. It needs a form of splitting among the
// methods.
func (s *plan) crossing(ctx context.Context, g transfer.Goal) (c crossing, err error) {
	if !slices.ContainsFunc(s.methods, func(m transfer.Method) bool { return isSplitting(&m) }) {
		return c, nil
	}
	c.queries, err = leastBeaten(func(m int64) (bool, error) {
		g.Queries = m
		return s.beaten(ctx, g, nil)
	})
	if c.queries == 0 || err != nil {
		return crossing{}, err
	}
	g.Queries = c.queries
	if c.method, err = s.fewest(ctx, g); c.method == nil || err != nil {
		return crossing{}, err
	}
	c.onward, err = s.staysAhead(ctx, g, c.method)
	return c, err
}

// fewest is the method that needs the fewest rows for a goal, of those that beat splitting.
func (s *plan) fewest(ctx context.Context, g transfer.Goal) (best *transfer.Method, err error) {
	below, err := s.belowSplitting(ctx, g)
	if err != nil || below == 0 {
		return nil, err
	}
	least := below + 1
	for i := range s.methods {
		m, at := &s.methods[i], g
		at.Samples = below
		if ok, err := rivals(m, at); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		a, err := m.Solve(g)
		if err != nil {
			return nil, err
		}
		if a.Status == transfer.OK && a.Samples < least {
			best, least = m, a.Samples
		}
	}
	return best, nil
}

// rivals says whether a method that is no form of splitting certifies a goal.
func rivals(m *transfer.Method, g transfer.Goal) (bool, error) {
	if !m.Adaptive || isSplitting(m) {
		return false, nil
	}
	return m.Certifies(g)
}

// leastBeaten returns the least m from 1 on at which splitting is beaten, 0 if there is
// none up to [mostLook]. Above [oneByOne] it is taken to stay beaten, as splitting grows
// like m ln m, and the others no faster than m.
func leastBeaten(beaten func(m int64) (bool, error)) (int64, error) {
	for m := int64(1); m <= oneByOne; m++ {
		if yes, err := beaten(m); yes || err != nil {
			return m, err
		}
	}
	lo, hi := int64(oneByOne), int64(2*oneByOne)
	for ; ; lo, hi = hi, 2*hi {
		if hi > mostLook {
			return 0, nil
		}
		if yes, err := beaten(hi); err != nil {
			return 0, err
		} else if yes {
			break
		}
	}
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		yes, err := beaten(mid)
		switch {
		case err != nil:
			return 0, err
		case yes:
			hi = mid
		default:
			lo = mid
		}
	}
	return hi, nil
}

// staysAhead says whether a method that beats splitting at a goal does so with the next
// few numbers of queries, where whole rows and parts may upset the order, and far beyond.
func (s *plan) staysAhead(ctx context.Context, g transfer.Goal, m *transfer.Method) (bool, error) {
	start := g.Queries
	var more []int64
	for k := range int64(4) {
		more = append(more, start+1+k)
	}
	for k := 2 * start; k <= mostLook; k *= 256 {
		more = append(more, k)
	}
	for _, g.Queries = range more {
		if ahead, err := s.beaten(ctx, g, m); !ahead || err != nil {
			return false, err
		}
	}
	return true, nil
}

// beaten says whether a method, or any that is no form of splitting if it is nil, needs
// fewer rows for a goal than every form of splitting in the table.
func (s *plan) beaten(ctx context.Context, g transfer.Goal, by *transfer.Method) (_ bool, err error) {
	if g.Samples, err = s.belowSplitting(ctx, g); err != nil || g.Samples == 0 {
		return false, err
	}
	if by != nil {
		return rivals(by, g)
	}
	for i := range s.methods {
		if ok, err := rivals(&s.methods[i], g); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// belowSplitting is the greatest number of rows below what every form of splitting in the
// table needs for a goal; 0 if there is none, or splitting does not apply.
func (s *plan) belowSplitting(ctx context.Context, g transfer.Goal) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	least := int64(transfer.MaxCount) + 1
	for i := range s.methods {
		m := &s.methods[i]
		if !isSplitting(m) {
			continue
		}
		base, err := m.Solve(g)
		if err != nil || base.Status == transfer.NotApplicable {
			return 0, err
		}
		if base.Status == transfer.OK {
			least = min(least, base.Samples)
		}
	}
	return least - 1, nil
}
