package solver

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// Noisy is a bound on Gaussian answers, the joint one or that for low variance, for one way to choose the noise.
type Noisy struct {
	Domain
	Noise noise.Noise
	Plan  func(g goal.Goal) noise.Plan
	Falls bool
	Low   bool // whether the second moment counts
}

func JointPlan(g goal.Goal) noise.Plan { return PlanBy(g, noise.Joint(noise.SidesOf(g.OneSided))) }

func PlanBy(g goal.Goal, t noise.Theorem) noise.Plan {
	return noise.Plan{Theorem: t, Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta}
}

func (r Noisy) Holds(g goal.Goal) bool { return r.Noise.Certifies(r.Plan(g)) }

func (r Noisy) Queries(g goal.Goal) int64 { return r.Noise.MostQueries(r.Plan(g)) }

func (r Noisy) Samples(g goal.Goal, by Trail) (Reached, error) {
	found, ok := r.Noise.SamplesNear(r.Plan(g), by.Near(g))
	if !ok {
		return Reached{}, theory.TooMany(math.Inf(1))
	}
	by.Found(g, found.Near)
	return Reached{N: found.Samples, Tau: found.Tau, Run: r.run(g, found)}, nil
}

func (r Noisy) Tau(g goal.Goal) (float64, Mechanism) {
	tau, run := r.Noise.LeastTau(r.Plan(g))
	return tau, r.run(g, noise.Found{Samples: g.Samples, Tau: tau, Run: run})
}

func (r Noisy) Beta(g goal.Goal) theory.LogProb { return r.Noise.LeastBeta(r.Plan(g)) }

// run is what to run for a plan whose n and tau were found.
func (r Noisy) run(g goal.Goal, found noise.Found) Mechanism {
	if found.Tau >= r.Limit(g) {
		return Mechanism{}
	}
	run := Mechanism{Noise: theory.GaussianNoise, Scale: found.Run.Last, Cut: found.Run.Cut, LowVariance: r.Low}
	if r.Falls {
		g.Samples, g.Tau = found.Samples, found.Tau
		run.ScaleFirst, run.Schedule = found.Run.First, r.Plan(g)
	}
	return run
}

// ArrivalOf returns the plan of noise for the queries of a goal. Of an open plan it does not end within a stage.
func ArrivalOf(g goal.Goal, open bool) noise.Arrival {
	a := noise.Arrival{Tau: g.Tau, Beta: g.Beta, Sides: noise.SidesOf(g.OneSided), Open: open}
	for done := int64(0); done < g.Queries; {
		more := g.Arrival.More(done + 1)
		if done = g.Arrival.Until(done + 1); !open {
			done = min(done, g.Queries)
		}
		a.Stages = append(a.Stages, noise.Stage{Samples: min(g.Samples+more, goal.MaxCount), Until: done})
	}
	return a
}

// ArrivingNoise returns the joint bound for rows that arrive, with the largest noise for each answer: at equal shares
// of beta, or at the shares of a plan without a last query.
func ArrivingNoise(open bool) Rule {
	wants := func(g goal.Goal) noise.Targets { return ArrivalOf(g, open).Targets() }
	return Searched{
		Domain: Domain{Kinds: goal.Linear},
		Rows:   startRows,
		Built:  func(g goal.Goal) bool { return wants(g).Certified() },
		Run:    func(g goal.Goal) Mechanism { return WantedNoise{Wants: wants(g), Queries: g.Queries}.Mechanism() },
	}
}

// ArrivingEven is the joint bound for rows that arrive and one noise for all answers.
var ArrivingEven = Bounded{
	Searched: Searched{
		Domain: Domain{Kinds: goal.Linear},
		Rows:   startRows,
		Run: func(g goal.Goal) Mechanism {
			a := ArrivalOf(g, false)
			sd, _ := a.Even()
			return Mechanism{Noise: theory.GaussianNoise, Scale: sd, Cut: a.EvenCut()}
		},
	},
	LnFailure: func(g goal.Goal) float64 {
		_, ln := ArrivalOf(g, false).Even()
		return ln
	},
}

// startRows is about how many rows are needed if all are there at the start, which is too many.
func startRows(g goal.Goal) float64 {
	found, ok := noise.Falling.Samples(JointPlan(g))
	if !ok {
		return goal.MaxCount
	}
	return math.Max(float64(found.Samples)/2, 1)
}

// WantedNoise is the noise of the first queries for which some is wanted.
type WantedNoise struct {
	Wants   noise.Targets
	Queries int64
}

func (s WantedNoise) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		left := s.Queries
		s.Wants.Blocks(func(block theory.NoiseBlock) bool {
			block.Queries = min(block.Queries, left)
			left -= block.Queries
			return yield(block) && left > 0
		})
	}
}

func (s WantedNoise) Mechanism() Mechanism {
	run := Mechanism{Noise: theory.GaussianNoise, Schedule: s}
	for block := range s.Blocks() {
		if run.Scale = block.Scale; run.ScaleFirst == 0 {
			run.ScaleFirst, run.Cut = block.Scale, block.Cut
		}
	}
	return run
}
