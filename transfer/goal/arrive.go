package goal

import (
	"fmt"

	"github.com/dpcalc/dpcalc/theory"
)

// Arrival is rows that come between the queries. Query j is about exactly the rows that are planned for it, whatever
// has come since: stages, or a steady feed.
type Arrival struct {
	Stages []Stage // in their order, the first of them without more rows

	Rows, Queries int64 // of a steady feed: so many more rows after every so many queries
}

// Stage is the queries up to the one with the number Until, about so many more rows than the first query.
type Stage struct{ More, Until int64 }

// mostStages is how many stages a plan may have, as noise belongs to a stage.
const mostStages = 1 << 17

// More returns how many more rows a query is about than the first.
func (a *Arrival) More(query int64) int64 {
	if a == nil {
		return 0
	}
	for _, s := range a.Stages {
		if query <= s.Until {
			return s.More
		}
	}
	if a.Queries == 0 {
		return 0
	}
	return (query - 1) / a.Queries * a.Rows
}

// LastSamples returns how many rows the last query is about.
func (g Goal) LastSamples() int64 { return g.Samples + g.Arrival.More(g.Queries) }

// validArrival returns a DomainError for what is wrong with the rows that come.
func (g Goal) validArrival() error {
	a := g.Arrival
	if a == nil {
		return nil
	}
	if err := theory.Domain(g.Queries != 0, "queries", "nothing", "the last query, as rows arrive"); err != nil {
		return err
	}
	if err := theory.Domain(g.PastLooks == 0, "past-looks", g.PastLooks, "none where rows arrive"); err != nil {
		return err
	}
	if len(a.Stages) > 0 {
		return g.validStages()
	}
	count := "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(a.Rows >= 1 && a.Rows <= MaxCount, "arrive-rows", a.Rows, count); err != nil {
		return err
	}
	if err := theory.Domain(a.Queries >= 1 && a.Queries <= MaxCount, "arrive-looks", a.Queries, count); err != nil {
		return err
	}
	stages := (g.Queries - 1) / a.Queries
	if err := theory.Domain(stages < mostStages, "arrive-looks", a.Queries,
		fmt.Sprintf("at most %d times new rows before query %d", mostStages-1, g.Queries)); err != nil {
		return err
	}
	fits := stages == 0 || a.Rows <= (MaxCount-g.Samples)/stages
	return theory.Domain(fits, "arrive-rows", a.Rows, "at most 9007199254740992 rows in all")
}

func (g Goal) validStages() error {
	stages := g.Arrival.Stages
	for i, s := range stages {
		before := Stage{}
		if i > 0 {
			before = stages[i-1]
		}
		fits := s.More >= before.More && s.More <= MaxCount-g.Samples
		if err := theory.Domain(fits && (i > 0 || s.More == 0), "arrive", fmt.Sprintf("%d rows after %d", g.Samples+s.More,
			g.Samples+before.More), "rows that do not fall"); err != nil {
			return err
		}
		if err := theory.Domain(s.Until > before.Until, "arrive", fmt.Sprintf("query %d after %d", s.Until, before.Until),
			"the numbers of queries in rising order"); err != nil {
			return err
		}
	}
	last := stages[len(stages)-1].Until
	return theory.Domain(g.Queries <= last, "queries", g.Queries, fmt.Sprintf("at most %d, the last for which rows are planned", last))
}

// Until returns the last query that is about the same rows.
func (a *Arrival) Until(query int64) int64 {
	for _, s := range a.Stages {
		if query <= s.Until {
			return s.Until
		}
	}
	return ((query-1)/a.Queries + 1) * a.Queries
}
