package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Noise is a way to choose the noise of Gaussian answers. It decides a plan by an excess, which is at most 0 where the
// [Bound] certifies the plan, and falls as n, tau or beta grows. The unknown is where it becomes positive.
type Noise struct {
	excess func(p Plan, kept kept) (Run, float64) // the truth, with that noise where one noise is kept
	rough  func(p Plan) float64                   // about the excess, sooner
	keeps  bool                                   // whether a plan's noise may be good for plans near it

	// guess is a fit of what ln n has beyond the scale of a joint plan, and of the slope of the excess in ln n there, 0 if
	// unknown. What is off costs steps of the search and no record.
	guess func(p Plan) (lnN, slope float64)
}

// kept is one noise for several plans, or none. If it was found for another number of records, it is in proportion to
// their root, and the excess is a little above its own, so that a search with other noise certifies the plan too.
type kept struct {
	Run
	samples int64
}

// Even is the best constant noise, and Falling the noise of [Plan.Blocks].
var (
	Even = Noise{
		excess: func(p Plan, kept kept) (Run, float64) {
			sd, spare := kept.Last, 0.0
			if sd == 0 {
				sd, excess := p.even()
				return Run{sd, sd, p.EvenCut()}, excess
			}
			if kept.samples > 0 {
				sd, spare = sd*math.Sqrt(float64(kept.samples)/float64(p.Samples)), 1e-5*(1-p.Beta.Ln())
			}
			return Run{sd, sd, kept.Cut}, p.aboutErrors(evenGrain, sd, kept.Cut) - p.Beta.Ln() + spare
		},
		keeps: true,
		guess: func(p Plan) (lnN, slope float64) { return min(0.06*num.Log(float64(p.Queries)), 0.38), 0 },
		rough: func(p Plan) float64 { return p.aboutErrors(roughGrain, p.Tau/p.evenStart(), p.EvenCut()) - p.Beta.Ln() },
	}
	Falling = Noise{
		excess: func(p Plan, _ kept) (ends Run, excess float64) {
			excess = p.walk(p.runLengths(), p.Cut(), func(q run) bool {
				if ends.First == 0 {
					ends = Run{First: q.sd, Cut: p.Cut()}
				}
				ends.Last = q.sd
				return true
			})
			return ends, excess
		},
		rough: func(p Plan) float64 {
			if _, varies := p.moment(); !varies { // coarse runs ask for about so many more rows: a fit
				p.Samples = int64(float64(p.Samples) * (1 + 0.003*max(num.Log(float64(p.Queries))-2.5, 0)))
			}
			return p.walk(coarseGrain, p.Cut(), func(run) bool { return true })
		},
		guess: func(p Plan) (lnN, slope float64) {
			return 0, -4 * math.Pow(float64(p.Queries), 0.75) * math.Pow(-p.Beta.Ln(), 0.4)
		},
	}
)

// Run is what a plan is run with: the standard deviations of the first and the last answer, and where the noise is cut.
type Run struct{ First, Last, Cut float64 }

// Found is about the least number of records, an accuracy that they certify, and the noise for it. Below 10,000 records
// both are the least; from there on the accuracy is the plan's.
type Found struct {
	Samples int64
	Tau     float64
	Run     Run
	Near    Near
}

// Near is about where in ln n the excess of a plan is 0, and its slope and bend there: where a search ended, or is
// expected to end. The zero value is no expectation.
type Near struct {
	LnN, Slope, Bend float64
	z, lnTau         float64 // tau over the sd of the best of one noise for all, and where that was looked for
}

// sameNoise is for how far in ln tau the best of one noise for all is about in proportion to tau.
const sameNoise = 0.05

// aim is how far above the expected end a search begins, as a share of the resolution: mostly it ends there at once.
const aim = 0.4

// Certifies reports whether all answers of the plan are within tau but with probability beta.
func (r Noise) Certifies(p Plan) bool {
	_, excess := r.excess(p, kept{})
	return excess <= 0
}

// line is plans that differ in one number x, and what is known of them.
type line struct {
	Noise
	at    func(x float64) (float64, Plan) // the next plan from x on, and where it is
	known map[Plan]walked
	kept  kept

	near bool    // whether the noise of a plan near where the search ends is kept
	z    float64 // tau over the sd of such noise, 0 if unknown
}

// walked is the noise of a plan, and its excess.
type walked struct {
	run    Run
	excess float64
}

func (r Noise) line(at func(x float64) (float64, Plan)) *line {
	return &line{Noise: r, at: at, known: make(map[Plan]walked, 16)}
}

func (l *line) walk(p Plan) walked {
	w, ok := l.known[p]
	if !ok {
		w.run, w.excess = l.Noise.excess(p, l.kept)
		l.known[p] = w
	}
	return w
}

func (l *line) excess(p Plan) float64 { return l.walk(p).excess }

func (l *line) holds(p Plan) bool { return l.excess(p) <= 0 }

func (l *line) nearest(x float64) Plan { _, p := l.at(x); return p }

// least goes to where the rough excess is 0, and from there to where the true one is. The noise that is kept, if any,
// is the noise of a plan close to where it ends.
func (l *line) least(d num.Descent) (num.Landing, bool) {
	excess := func(x float64) (float64, float64) {
		x, p := l.at(x)
		return x, l.excess(p)
	}
	if d.Step > 0.01 { // it is not known where to look
		fine := d.Tolerance
		d.Tolerance = max(fine, 0.01)
		found, ok := d.Least(func(x float64) (float64, float64) {
			x, p := l.at(x)
			return x, l.rough(p)
		})
		if d.Tolerance = fine; ok {
			d.From, d.Slope, d.Bend, d.Step = found.Zero, found.Slope, found.Bend, 0.003
		}
	}
	for tries := 0; l.near && tries < 3; tries++ {
		clear(l.known)
		p := l.nearest(d.From)
		sd := p.Tau / l.z
		if l.z == 0 || tries > 0 {
			sd = p.best()
			l.z = p.Tau / sd
		}
		l.kept = kept{Run{sd, sd, p.EvenCut()}, p.Samples}
		found, ok := d.Least(excess)
		if ok && math.Abs(found.X-d.From) < 0.01 {
			return found, true
		}
		d.From = found.X
	}
	if l.near { // it never came close
		clear(l.known)
		l.kept = kept{}
	}
	return d.Least(excess)
}

// resolution is how close to the least n that is certified a search ends, in ln n. Below 10,000 records, for few
// queries and for low variance, it ends there.
const resolution = 5e-5

// few is a number of queries for which a walk takes hardly any time.
const few = 8

// Samples returns the least n, to the resolution, and false if there is none up to 2^53. The plan's own n is ignored.
func (r Noise) Samples(p Plan) (Found, bool) { return r.SamplesNear(p, Near{}) }

// SamplesNear returns Samples where about the end of the search is known. Its n may be another one, within the
// resolution.
func (r Noise) SamplesNear(p Plan, near Near) (Found, bool) {
	if p.Samples = theory.MaxSamples; !p.isValid() {
		return Found{}, false
	}
	last := num.Log(theory.MaxSamples)
	l := r.line(func(lnN float64) (float64, Plan) {
		p.Samples = int64(math.Ceil(num.Exp(min(lnN, last)) * (1 - 4e-15))) // so that ln n leads to n
		return max(num.Log(float64(p.Samples)), lnN), p
	})
	_, varies := p.moment()
	l.near = r.keeps && p.hasValley()
	fine := resolution
	if varies || p.Queries <= few {
		fine = 1e-13
	}
	from, slope := 0., 0.
	if !varies {
		from, slope = r.guess(p)
	}
	from += num.Log(scale(p)) - 2*num.Log(p.Tau)
	d := num.Descent{From: from, Step: 0.05, Most: last, Early: unserved, Rise: 2.4, Slope: slope}
	lnTau := num.Log(p.Tau)
	if near.LnN != 0 {
		d.From, d.Step, d.Slope, d.Bend, d.Sure = near.LnN, 3e-4, near.Slope, near.Bend, true
		if math.Abs(lnTau-near.lnTau) < sameNoise {
			l.z, lnTau = near.z, near.lnTau
		}
	}
	tolerance := max(0.3*num.Exp(-d.From), fine)
	if d.Tolerance = tolerance; d.Sure {
		d.From += aim * tolerance
	}
	found, ok := l.least(d)
	near = Near{found.Zero, found.Slope, found.Bend, l.z, lnTau}
	if p.Samples = theory.MaxSamples; !ok && !l.holds(p) {
		return Found{}, false
	}
	p = l.nearest(found.X)
	exact := float64(p.Samples)*fine < 0.5 || tolerance > fine
	if exact || !l.holds(p) {
		p.Samples = num.Ints{Lo: 1, Hi: theory.MaxSamples, Guess: p.Samples}.Least(func(n int64) bool {
			p.Samples = n
			return l.holds(p)
		})
	}
	w := l.walk(p)
	if varies || !exact {
		return Found{p.Samples, p.Tau, w.run, near}, w.excess <= 0
	}
	l.kept, l.near = kept{Run: w.run}, false
	tau, run := l.tau(p, num.Descent{ // to a fifth of a row
		From: num.Log(p.Tau), Step: 0.5 / float64(p.Samples), Tolerance: 0.1 / float64(p.Samples),
		Slope: 2 * found.Slope, Bend: found.Bend / 2, Sure: d.Sure,
	})
	return Found{p.Samples, tau, run, near}, true
}

// MostQueries returns the greatest m, and 0 if no plan of one query is certified. The plan's own m is ignored.
func (r Noise) MostQueries(p Plan) int64 {
	if p.Queries = 1; !r.Certifies(p) {
		return 0
	}
	last := num.Log(theory.MaxSamples)
	l := r.line(func(x float64) (float64, Plan) { // x is -ln m
		p.Queries = max(1, int64(num.Exp(min(-x, last))*(1+4e-15)))
		return max(-num.Log(float64(p.Queries)), x), p
	})
	from := -num.Interval{Hi: last}.SafeRoot(1e-3, func(lnM float64) float64 {
		p.Queries = int64(num.Exp(lnM))
		return float64(p.Samples)*p.Tau*p.Tau - scale(p)
	})
	guess := int64(1)
	if found, ok := l.least(num.Descent{
		From: from, Step: 0.1, Tolerance: max(0.3*num.Exp(from), 1e-13), Early: unserved, Rise: 1.2,
	}); ok {
		guess = l.nearest(found.X).Queries
	}
	return num.Ints{Lo: 1, Hi: theory.MaxSamples, Guess: guess}.Greatest(func(m int64) bool {
		p.Queries = m
		return l.holds(p)
	})
}

// LeastTau returns the least accuracy, the span if there is none below, and the noise for it. It is found sooner
// if the plan's is close.
func (r Noise) LeastTau(p Plan) (float64, Run) {
	d := num.Descent{Step: 0.03, Early: unserved, Rise: 4.8}
	if d.From = num.Log(scale(p)/float64(p.Samples)) / 2; p.Tau > 0 {
		d.From, d.Step = num.Log(p.Tau), max(1/float64(p.Samples), 1e-6)
	}
	return r.line(nil).tau(p, d)
}

// tau is the least accuracy, from where the descent begins. The line may know plans already.
func (l *line) tau(p Plan, d num.Descent) (float64, Run) {
	top, asked := num.Log(math.Nextafter(p.values.span(), 0)), p.Tau
	l.at = func(lnTau float64) (float64, Plan) {
		if p.Tau = num.Exp(min(lnTau, top)); lnTau == d.From && asked > 0 { // the logarithm leads to a neighbour
			p.Tau = asked
		}
		return lnTau, p
	}
	d.Most, d.Tolerance = top, max(d.Tolerance, min(1e-8, max(0.01/float64(p.Samples), 1e-14)))
	found, ok := l.least(d)
	if p = l.nearest(found.X); !ok || !l.holds(p) {
		return p.values.span(), Run{}
	}
	if least := p.Tau; asked > 0 && asked < least {
		if p.Tau = asked; !l.holds(p) {
			p.Tau = least
		}
	}
	return p.Tau, l.walk(p).run
}

// LeastBeta returns the least failure probability, one if there is none below.
func (r Noise) LeastBeta(p Plan) theory.LogProb {
	if p.isHopeless() {
		return 0
	}
	const most = 20
	l := r.line(func(x float64) (float64, Plan) { // ln beta = -e^(-x)
		p.Beta = theory.LogProb(-num.Exp(-max(min(x, 2*most), -690)))
		return x, p
	})
	from := -num.Log(max(2*float64(p.Samples)*p.Tau*p.Tau/math.Sqrt(float64(p.Queries)), 1e-3))
	found, ok := l.least(num.Descent{From: from, Step: 0.2, Most: most, Tolerance: 1e-11})
	if p = l.nearest(found.X); !ok || !l.holds(p) {
		return 0
	}
	return p.Beta
}

// scale returns about what n tau^2 is for the least n, where tau is small. The numbers in it are fits to plans of some
// queries. A search that begins elsewhere ends at the same n.
func scale(p Plan) float64 {
	m, l := float64(p.Queries), -p.Beta.Ln()
	if p.sides == Above {
		l = max(l-math.Ln2, l/2)
	}
	n := l/2 + 0.8*(1-0.7/m)*math.Sqrt((m-1)*(0.83*num.Log(m)+l))
	if v, ok := p.moment(); ok {
		n *= min(v.span()*v.span(), 4*(v.moment(v.Share())+p.Tau))
	}
	return n
}
