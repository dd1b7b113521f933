package transfer

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var (
	arrivalProof   = proved("open.md#rows-that-arrive-in-stages", "open.md#rows-that-come-later")
	arrivalAssumes = []string{"when rows come, and which, owes nothing to their labels", "query j is about exactly the rows planned for it"}
)

// arrivalOf is the plan of noise for the queries of a goal. Of an open plan it does not end within a stage.
func arrivalOf(g Goal, open bool) noise.Arrival {
	a := noise.Arrival{Tau: g.Tau, Beta: g.Beta, Sides: noise.SidesOf(g.OneSided), Open: open}
	for done := int64(0); done < g.Queries; {
		more := g.Arrival.More(done + 1)
		if done = g.Arrival.Until(done + 1); !open {
			done = min(done, g.Queries)
		}
		a.Stages = append(a.Stages, noise.Stage{Samples: min(g.Samples+more, MaxCount), Until: done})
	}
	return a
}

// arrivingNoise is the joint bound for rows that arrive, with the largest noise for each answer: at equal shares of
// beta, or at those of a plan without a last query.
func arrivingNoise(open bool) solver.Rule {
	wants := func(g Goal) noise.Wants { return arrivalOf(g, open).Wants() }
	return solver.Searched{
		Domain: solver.Domain{Kinds: goal.Linear},
		Rows:   startRows,
		Built:  func(g Goal) bool { return wants(g).Certified() },
		Run:    func(g Goal) Mechanism { return wantedNoise{wants(g), g.Queries}.run() },
	}
}

// arrivingEven is the joint bound for rows that arrive and one noise for all answers.
var arrivingEven = solver.Bounded{
	Searched: solver.Searched{
		Domain: solver.Domain{Kinds: goal.Linear},
		Rows:   startRows,
		Built: func(g Goal) bool {
			_, ln := arrivalOf(g, false).Even()
			return ln <= g.Beta.Ln()
		},
		Run: func(g Goal) Mechanism {
			a := arrivalOf(g, false)
			sd, _ := a.Even()
			return Mechanism{Noise: theory.GaussianNoise, Scale: sd, Cut: a.EvenCut()}
		},
	},
	LnFailure: func(g Goal) float64 {
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
