package joint

import (
	"iter"
	"math"
	"math/bits"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// The joint bound of answers about rows that arrive. Let answer j be one about the first n_j records, n_j fixed in
// advance and not falling: exactly the planned rows, whatever has come since. Then the bound holds with n_j for n in
// all terms of answer j, and r_j = (a/4) sum_(i<j) (n_i sd_i)^-2. The sequences tau_j and eps_j may be any that are
// fixed in advance, with a sum of the eps_j of at most beta. The proof is in docs/theorems/open.md, "Rows that arrive
// in stages".

// grow moves the bound to more records.
func (b *Bound) grow(samples int64) {
	b.settle()
	b.n = float64(samples)
}

// Want is consecutive answers, to be within Tau of the population but with probability e^LnEach for each on average.
type Want struct {
	Samples int64 // the rows that they are about, no fewer than those before
	Queries int64
	Tau     float64 // in (0,1)
	LnEach  float64
}

// Wants is what is wanted of all answers, in their order.
type Wants struct {
	Sides Sides
	All   iter.Seq[Want]
}

// Blocks yields for each of them the largest noise with which the [Bound] certifies it, as long as there is one, and
// returns whether there is one for all. The noise may grow where rows come.
func (w Wants) Blocks(yield func(theory.NoiseBlock) bool) (ok bool) {
	var b *Bound
	before := 0.0
	for want := range w.All {
		switch {
		case !(want.Tau < 1):
			return false
		case b == nil:
			b = newBound(want.Samples, w.Sides)
		case float64(want.Samples) != b.n:
			b.grow(want.Samples)
		}
		q := run{tau: want.Tau, sides: w.Sides, count: float64(want.Queries)}
		least := num.UpperQuantile(min(want.LnEach-w.Sides.lnCount(), -math.Ln2)) * (1 - 1e-9) // by the noise alone
		share := want.LnEach + num.Log(q.count)*(1-1e-15) - roundJoint
		z, ok := b.loudest(q, share, least, max(before, least*(1+1e-6)), false)
		if !ok {
			return false
		}
		q.sd = want.Tau / z
		if !yield(theory.NoiseBlock{Queries: want.Queries, Scale: q.sd}) {
			return true
		}
		b.answer(q)
		before = z
	}
	return true
}

// Certified reports whether there is a noise for all answers.
func (w Wants) Certified() bool { return w.Blocks(func(theory.NoiseBlock) bool { return true }) }

// Stage is rows that have come: answers up to the one with the number Until are about the first Samples rows.
type Stage struct{ Samples, Until int64 }

// Arrival is a plan for rows that come in stages, none fewer or for fewer queries than the one before: all answers up
// to the last are within Tau of the population but with probability Beta, an equal share for each.
type Arrival struct {
	Stages []Stage
	Tau    float64
	Beta   theory.LogProb
	Sides  Sides
}

// Feed returns the stages of a steady feed: first rows, and so many more after every so many queries.
func Feed(first, rows, queries, last int64) []Stage {
	var stages []Stage
	for until := queries; ; until += queries {
		stages = append(stages, Stage{first, min(until, last)})
		if until >= last {
			return stages
		}
		first += rows
	}
}

// Wants returns what is wanted of the answers, in blocks within the stages.
func (a Arrival) Wants() Wants {
	return Wants{a.Sides, func(yield func(Want) bool) {
		last := a.Stages[len(a.Stages)-1].Until
		each := a.Beta.Ln()*(1+1e-15) - num.Log(float64(last))*(1+1e-15)
		done := int64(0)
		for _, stage := range a.Stages {
			for done < stage.Until {
				count := max(min(done/fineGrain.begin, (last-done)/fineGrain.end, stage.Until-done), 1)
				if !yield(Want{stage.Samples, count, a.Tau, each}) {
					return
				}
				done += count
			}
		}
	}}
}

// LeastFirst returns about the least number of first rows of a feed with which the plan is certified, at which it is,
// or 0 if most are too few. It says nothing of queries after the last.
func (a Arrival) LeastFirst(rows, queries, last, most int64) int64 {
	certified := func(first int64) bool {
		a.Stages = Feed(first, rows, queries, last)
		return a.Wants().Certified()
	}
	if !certified(most) {
		return 0
	}
	return num.Ints{Lo: 1, Hi: most, Guess: most / 2}.Least(certified)
}

// Endless is answers whose number is not known: answer j has the share (2/7) j^-1.4 of Beta, all of which add up to
// less than one, and the accuracy Factor times about the least tau of the falling noise that is planned for j
// queries.
type Endless struct {
	Samples int64
	Factor  float64 // above 1
	Beta    theory.LogProb
	Sides   Sides
}

// shareFalls is how the shares of Endless fall: sum j^-1.4 < 3.106 < 7/2.
const shareFalls = 1.4

// Wants returns what is wanted of the answers up to the last that is looked at, and of those that share its noise,
// which one in twenty do. Nothing is said of those after it.
func (e Endless) Wants(last int64) Wants {
	return Wants{e.Sides, func(yield func(Want) bool) {
		taus := e.taus()
		for done := int64(0); done < last; {
			count := max(done/20, 1)
			// The first of a block has the least tau, the last the least share.
			each := e.Beta.Ln() + num.Log(2./7) - shareFalls*num.Log(float64(done+count))
			tau := e.Factor * taus.of(done+1)
			if !(tau < 1) || !yield(Want{e.Samples, count, tau, each * (1 + 1e-15)}) {
				return
			}
			done += count
		}
	}}
}

// Tau returns the accuracy of answer j.
func (e Endless) Tau(j int64) float64 { return e.Factor * e.taus().of(j) }

// Reaches reports whether a noise was found for all answers up to the last. There is then one for more records and for
// a larger failure probability, as far as is known.
func (e Endless) Reaches(last int64) bool { return e.Tau(last) < 1 && e.Wants(last).Certified() }

// taus returns the least taus of fixed plans.
func (e Endless) taus() taus {
	return taus{Plan{Samples: e.Samples, Beta: e.Beta, Sides: e.Sides}, make(map[int64]float64)}
}

// taus is the least tau of the falling noise as a function of the number of queries: by straight lines in ln j and ln
// tau between the powers of two.
type taus struct {
	plan Plan
	ln   map[int64]float64 // at the powers of two that were asked for
}

func (t taus) of(j int64) float64 {
	low := int64(1) << (bits.Len64(uint64(j)) - 1)
	ln := t.at(low)
	if low < j {
		ln += (t.at(2*low) - ln) * num.Log(float64(j)/float64(low)) / math.Ln2
	}
	return num.Exp(ln)
}

func (t taus) at(queries int64) float64 {
	ln, ok := t.ln[queries]
	if !ok {
		t.plan.Queries = queries
		tau, _ := Falling.LeastTau(t.plan)
		ln = num.Log(tau)
		t.ln[queries] = ln
	}
	return ln
}
