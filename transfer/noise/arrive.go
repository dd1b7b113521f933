package noise

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Grow moves the bound on to answers about the first n = samples records, which are no fewer than before. The records
// of each answer are fixed in advance: exactly the planned ones, whatever has come since. The proof is in
// docs/theorems/open.md, "Rows that arrive in stages". The error is a DomainError.
func (b *Bound) Grow(samples int64) error {
	grows := float64(samples) >= b.n && samples <= theory.MaxSamples
	if err := theory.Domain(grows, "samples", samples, "no fewer than before"); err != nil {
		return err
	}
	b.n = float64(samples)
	return nil
}

// Want is consecutive answers, to be within Tau of the population but with probability e^LnEach for each on average.
type Want struct {
	Samples int64 // the rows that they are about, no fewer than those before
	Queries int64
	Tau     float64 // in (0,1)
	LnEach  float64
	Cut     float64 // where the noise is cut; 0 stands for noise that is not
}

// Targets is what is wanted of all answers, in their order.
type Targets struct {
	Sides Sides
	All   iter.Seq[Want]
}

// Blocks yields for each of them the largest noise with which the [Bound] certifies it, as long as there is one, and
// returns whether there is one for all. The noise may grow where rows come.
func (w Targets) Blocks(yield func(theory.NoiseBlock) bool) (ok bool) {
	var b *Bound
	var s search
	for want := range w.All {
		least := lawOf(want.Cut).quantile(want.LnEach - w.Sides.lnCount())
		if b == nil {
			b = newBound(Joint(w.Sides), want.Samples, 0)
			s = begin(least)
		}
		if float64(want.Samples) > b.n {
			s = begin(least) // more rows may allow more noise
		}
		if !(want.Tau < 1) || b.Grow(want.Samples) != nil {
			return false
		}
		q := b.run(theory.NoiseBlock{Queries: want.Queries, Cut: want.Cut}, want.Tau)
		share := want.LnEach + num.Log(q.count)*(1-1e-15) - roundUp
		next, ok := b.mostNoise(q, share, least, s)
		if !ok {
			return false
		}
		s = next
		q.sd = want.Tau / s.z
		if !yield(theory.NoiseBlock{Queries: want.Queries, Scale: q.sd, Cut: want.Cut, Rows: want.Samples, Tau: want.Tau}) {
			return true
		}
		b.pass(q, s.ln)
	}
	return true
}

// Certified reports whether there is a noise for all answers.
func (w Targets) Certified() bool { return w.Blocks(func(theory.NoiseBlock) bool { return true }) }

// Stage is rows that have come: answers up to the one with the number Until are about the first Samples rows.
type Stage struct{ Samples, Until int64 }

// Arrival is a plan for rows that come in stages, none fewer or for fewer queries than the one before: all answers up
// to the last are within Tau of the population but with probability Beta. Each has an equal share of Beta or, in an
// Open plan, which has no last answer, the share of [Endless].
type Arrival struct {
	Stages []Stage
	Tau    float64
	Beta   theory.LogProb
	Sides  Sides
	Open   bool
}

func (a Arrival) last() int64 { return a.Stages[len(a.Stages)-1].Until }

// whole is a plan for as many answers about rows that are there at the start, as far as its cut depends on it.
func (a Arrival) whole() Plan { return Plan{Theorem: Joint(a.Sides), Queries: a.last(), Beta: a.Beta} }

// EvenCut returns where one noise for all answers is cut: as if beta were .05, as their errors should not depend on it.
func (a Arrival) EvenCut() float64 {
	p := a.whole()
	p.Beta = theory.LogProb(num.Log(0.05))
	return p.EvenCut()
}

// Targets returns what is wanted of the answers, in blocks within the stages.
func (a Arrival) Targets() Targets {
	return Targets{a.Sides, func(yield func(Want) bool) {
		last := a.last()
		each := (a.Beta.Ln() - num.Log(float64(last))) * (1 + 2e-15)
		done, cut := int64(0), a.whole().Cut()
		if a.Open {
			cut = openCut
		}
		for _, stage := range a.Stages {
			for done < stage.Until {
				g := a.whole().runLengths()
				if a.Open {
					g = runLengths{20, 1}
				}
				count := min(g.queries(done, last-done), stage.Until-done)
				if a.Open {
					each = lnShare(a.Beta, done+count)
				}
				if !yield(Want{stage.Samples, count, a.Tau, each, cut}) {
					return
				}
				done += count
			}
		}
	}}
}

// EvenErrors returns the failure probability at which one noise for all answers is certified, or 0, the probability
// one.
func (a Arrival) EvenErrors(sd float64) theory.LogProb {
	return theory.LogProb(min(a.lnErrors(sd), 0))
}

// lnErrors is ln of the sum of the errors, which may be beyond one.
func (a Arrival) lnErrors(sd float64) float64 {
	b, err := New(a.Stages[0].Samples, a.Sides)
	ln, runs, cut := math.Inf(-1), 0.0, a.EvenCut()
	for want := range a.Targets().All {
		var run theory.LogProb
		if err == nil {
			err = b.Grow(want.Samples)
		}
		if err == nil {
			run, err = b.Answer(theory.NoiseBlock{Queries: want.Queries, Scale: sd, Cut: cut}, a.Tau)
		}
		if err != nil {
			return math.Inf(1)
		}
		ln, runs = num.LogAddExp(ln, run.Ln()), runs+1
	}
	return ln + runs*(1+math.Abs(ln))*0x1p-50
}

// Even returns about the noise for all answers at which their errors are least, and ln of their sum, which may be
// beyond one.
func (a Arrival) Even() (sd, lnErrors float64) {
	lnZ, lnErrors := num.Interval{Lo: 0, Hi: 6}.MinimizeScanned(9, 1e-4, func(lnZ float64) float64 {
		return a.lnErrors(a.Tau / num.Exp(lnZ))
	})
	return a.Tau / num.Exp(lnZ), lnErrors
}

// Endless is answers whose number is not known: answer j has the share (2/7) j^-1.4 of Beta, all of which add up to
// less than one, and the accuracy [Endless.Tau].
type Endless struct {
	Samples int64
	Factor  float64 // above 1
	Beta    theory.LogProb
	Sides   Sides
}

// openCut is where noise is cut if the number of answers is not known, the same for all answers.
const openCut = 2.8

// shareFalls is how the shares of Endless fall: sum j^-1.4 < 3.106 < 7/2.
const shareFalls = 1.4

// lnShare is ln of the share of answer j, rounded down.
func lnShare(beta theory.LogProb, j int64) float64 {
	return (beta.Ln() + num.Log(2./7) - shareFalls*num.Log(float64(j))) * (1 + 1e-15)
}

// Targets returns what is wanted of the answers up to the last that is looked at, and of those that share its noise,
// which one in forty do. Nothing is said of those after it.
func (e Endless) Targets(last int64) Targets {
	return Targets{e.Sides, func(yield func(Want) bool) {
		for done := int64(0); done < last; {
			count := max(done/40, 1)
			// The first of a block has the least tau, the last the least share.
			tau := e.Tau(done + 1)
			if !(tau < 1) || !yield(Want{e.Samples, count, tau, lnShare(e.Beta, done+count), openCut}) {
				return
			}
			done += count
		}
	}}
}

// Tau returns the accuracy of answer j, Factor times about the least tau of the falling noise that is planned for j
// queries:
//
//	tau_j = Factor sqrt(s) (1 + 1.42 s),   n s = l/2 - .15 ln l - .19 + .695 (1 - .86/j) sqrt((j-1) (ln j + 2.5 sqrt l)),
//
// l = ln(1/Beta), and max(l - .7, l/2) for one side. It grows with j, and falls with n and Beta up to .2. The numbers
// are fits to plans with a least tau of up to .2: s is off by at most a tenth for a Beta of 1e-3 to .2, and by a fifth
// for one of 1e-15. Any accuracies that are fixed in advance are valid.
func (e Endless) Tau(j int64) float64 {
	l, m := -e.Beta.Ln(), float64(j)
	if e.Sides == Above {
		l = max(l-0.7, l/2)
	}
	s := l/2 - 0.15*num.Log(l) - 0.19 + 0.695*(1-0.86/m)*math.Sqrt((m-1)*(num.Log(m)+2.5*math.Sqrt(l)))
	s /= float64(e.Samples)
	return e.Factor * math.Sqrt(s) * (1 + 1.42*s)
}

// Reaches reports whether a noise was found for all answers up to the last. There is then one for more records and for
// a larger failure probability, as far as is known.
func (e Endless) Reaches(last int64) bool { return e.Tau(last) < 1 && e.Targets(last).Certified() }
