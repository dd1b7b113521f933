package transfer

import (
	"fmt"
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// Arrival is rows that come between the queries. Query j is about exactly the rows that are planned for it, whatever
// has come since: stages, or a steady feed.
type Arrival struct {
	Stages []Stage // in their order, the first of them without more rows

	Rows, Queries int64 // of a steady feed: so many more rows after every so many queries
}

// Stage is the queries up to the one with the number Until, about so many more rows than the first query.
type Stage struct{ More, Until int64 }

var (
	arrivalProof   = proved("open.md#rows-that-arrive-in-stages", "open.md#rows-that-come-later")
	arrivalAssumes = []string{"when rows come, and which, owes nothing to their labels", "query j is about exactly the rows planned for it"}
)

// mostStages is how many stages a plan may have, as noise belongs to a stage.
const mostStages = 1 << 17

// more is how many more rows a query is about than the first.
func (a *Arrival) more(query int64) int64 {
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

// LastSamples is how many rows the last query is about.
func (g Goal) LastSamples() int64 { return g.Samples + g.Arrival.more(g.Queries) }

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

// arrivalOf is the plan of noise for the queries of a goal. Of an open plan it does not end within a stage.
func arrivalOf(g Goal, open bool) noise.Arrival {
	a := noise.Arrival{Tau: g.Tau, Beta: g.Beta, Sides: noise.SidesOf(g.OneSided), Open: open}
	for done := int64(0); done < g.Queries; {
		more := g.Arrival.more(done + 1)
		if done = g.Arrival.until(done + 1); !open {
			done = min(done, g.Queries)
		}
		a.Stages = append(a.Stages, noise.Stage{Samples: min(g.Samples+more, MaxCount), Until: done})
	}
	return a
}

// until is the last query that is about the same rows.
func (a *Arrival) until(query int64) int64 {
	for _, s := range a.Stages {
		if query <= s.Until {
			return s.Until
		}
	}
	return ((query-1)/a.Queries + 1) * a.Queries
}

// arrivingNoise is the joint bound for rows that arrive, with the largest noise for each answer: at equal shares of
// beta, or at those of a plan without a last query.
func arrivingNoise(open bool) rule {
	wants := func(g Goal) noise.Wants { return arrivalOf(g, open).Wants() }
	return searched{
		domain: domain{kinds: linear},
		rows:   startRows,
		built:  func(g Goal) bool { return wants(g).Certified() },
		run:    func(g Goal) Mechanism { return wantedNoise{wants(g), g.Queries}.run() },
	}
}

// arrivingEven is the joint bound for rows that arrive and one noise for all answers.
var arrivingEven = bounded{
	searched: searched{
		domain: domain{kinds: linear},
		rows:   startRows,
		built: func(g Goal) bool {
			_, ln := arrivalOf(g, false).Even()
			return ln <= g.Beta.Ln()
		},
		run: func(g Goal) Mechanism {
			a := arrivalOf(g, false)
			sd, _ := a.Even()
			return Mechanism{Noise: theory.GaussianNoise, Scale: sd, Cut: a.EvenCut()}
		},
	},
	lnFailure: func(g Goal) float64 {
		_, ln := arrivalOf(g, false).Even()
		return ln
	},
}

// startRows is about how many rows are needed if all are there at the start, which is too many.
func startRows(g Goal) float64 {
	found, ok := noise.Falling.Samples(jointPlan(g))
	if !ok {
		return MaxCount
	}
	return math.Max(float64(found.Samples)/2, 1)
}

// wantedNoise is the noise of the first queries for which some is wanted.
type wantedNoise struct {
	wants   noise.Wants
	queries int64
}

func (s wantedNoise) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		left := s.queries
		s.wants.Blocks(func(block theory.NoiseBlock) bool {
			block.Queries = min(block.Queries, left)
			left -= block.Queries
			return yield(block) && left > 0
		})
	}
}

func (s wantedNoise) run() Mechanism {
	run := Mechanism{Noise: theory.GaussianNoise, Schedule: s}
	for block := range s.Blocks() {
		if run.Scale = block.Scale; run.ScaleFirst == 0 {
			run.ScaleFirst, run.Cut = block.Scale, block.Cut
		}
	}
	return run
}
