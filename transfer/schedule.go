package transfer

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// NoiseSchedule is the plan of Gaussian answers with a noise of its own for each
// query. Query j gets standard deviation sd_j; with one order a > 1 for all,
//
//	r_j = (a/(4n^2)) sum_(l<j) sd_l^-2,   d_j = (e^(r_j)-1)^2/4,   h_j = (n-1) d_j/(1-(n-2) d_j) while (n-2) d_j < 1,
//	D_j = (1/2) sum_(l<=j) ln(1 + a(1+h_l)/(4n sd_l^2)),   2n t_j^2 = D_j + (a/(a-1)) ln(1/b1),
//
// and P[max_j |a_j - P[f_j]| > tau] <= b1 + b2 if sd_j Q(m,b2) + t_j <= tau for every j,
// Q the quantile of the largest of m |N(0,1)|. The schedule gives each query the
// largest noise that the inequality leaves it, so the early ones carry more.
type NoiseSchedule struct {
	Samples   int64          // n
	Queries   int64          // m
	Tau       float64        // the accuracy
	Order     float64        // a
	ShiftBeta theory.LogProb // b1, spent on the shift of the means
	NoiseBeta theory.LogProb // b2, spent on the noise
}

// NoiseBlock is a run of consecutive queries with the same noise.
type NoiseBlock struct {
	Queries int64
	SD      float64
}

// singly is the number of queries up to which each has its own noise, and the
// number of levels of noise beyond. A level costs about 1/levels of the accuracy.
const singly = 4096

// Feasible reports whether all the queries can be answered.
func (s NoiseSchedule) Feasible() bool { return s.walk(func(NoiseBlock) bool { return true }) }

// Blocks returns the schedule in the order of the queries, which is as long as the
// plan's queries only if the plan is feasible.
func (s NoiseSchedule) Blocks() iter.Seq[NoiseBlock] {
	return func(yield func(NoiseBlock) bool) { s.walk(yield) }
}

// walk yields the blocks and reports whether they cover all queries.
func (s NoiseSchedule) walk(yield func(NoiseBlock) bool) bool {
	if s.Samples < 1 || s.Queries < 1 || !(s.Tau > 0 && s.Tau < 1e100 && s.Order > 1 && s.Order < 1e100) ||
		!s.ShiftBeta.Interior() || !s.NoiseBeta.Interior() {
		return false
	}
	c := s.course()
	if s.Queries <= singly {
		for range s.Queries {
			sd, ok := c.next()
			if !ok || !yield(NoiseBlock{1, sd}) {
				return false
			}
		}
		return true
	}
	// Beyond, the shift is raised in equal steps, and each noise serves as many
	// queries as stay below the step.
	left := s.Queries
	start := c.shift()
	for k := 1; k < singly && left > 0; k++ {
		block, ok := c.fill(start+(c.tau-start)*float64(k)/singly, left)
		if !ok {
			return false
		}
		if block.Queries > 0 && !yield(block) {
			return false
		}
		left -= block.Queries
	}
	return left == 0
}

// course is the state of a schedule before a query.
type course struct {
	n, a, tau, quantile float64

	spent float64 // D_j + (a/(a-1)) ln(1/b1)
	r     float64 // r_j
	t     float64 // t_j
	step  float64 // by how much the last query raised t
}

func (s NoiseSchedule) course() course {
	c := course{n: float64(s.Samples), a: s.Order, quantile: num.MaxNormalQuantile(s.Queries, s.NoiseBeta.Ln())}
	c.spent = -s.ShiftBeta.Ln() * (s.Order / (s.Order - 1)) * up(1)
	// The rounding of all that follows stays below this.
	c.tau = s.Tau * (1 - 1e-11)
	c.t = c.shift()
	return c
}

func (c *course) shift() float64 { return math.Sqrt(c.spent / (2 * c.n)) }

// inflation returns 1 + h at r.
func (c *course) inflation(r float64) (float64, bool) {
	e := math.Expm1(r)
	d := e * e / 4
	rest := 1 - max(c.n-2, 0)*d
	return 1 + (c.n-1)*d/rest, rest > 0
}

// ceiling returns the r at which (n-2) d = 1.
func (c *course) ceiling() float64 { return math.Log1p(2 / math.Sqrt(max(c.n-2, 1))) }

// next answers one query with the largest noise: the least t with
//
//	2n t^2 >= spent + (1/2) ln(1 + a(1+h) Q^2/(4n (tau-t)^2)),   sd = (tau-t)/Q.
func (c *course) next() (sd float64, ok bool) {
	inflation, ok := c.inflation(c.r)
	if !ok {
		return 0, false
	}
	k := c.a * inflation * c.quantile * c.quantile / (4 * c.n)
	t := c.t + c.step
	for range 40 {
		v := c.tau - t
		if !(v > 0) {
			return 0, false
		}
		cost := math.Log1p(k/(v*v)) / 2
		gap := c.spent + cost - 2*c.n*t*t
		slope := 4*c.n*t - k/(v*(v*v+k))
		if gap <= 0 && gap >= -1e-12*(c.spent+cost) {
			sd = v / c.quantile
			c.spent += cost
			c.r += c.a / (4 * c.n * c.n * sd * sd)
			c.step, c.t = t-c.t, t
			return sd, true
		}
		if !(slope > 0) {
			return 0, false
		}
		t += (gap + 4e-13*(c.spent+cost)) / slope
	}
	return 0, false
}

// fill answers as many queries as the shift t allows, at most limit, with the noise
// that goes with it.
func (c *course) fill(t float64, limit int64) (NoiseBlock, bool) {
	sd := (c.tau - t) / c.quantile
	x := c.a / (4 * c.n * c.n * sd * sd)
	first, ok := c.inflation(c.r)
	if !ok {
		return NoiseBlock{}, false
	}
	low := math.Log1p(c.n*x*first) / 2
	room := 2*c.n*t*t - c.spent
	count := min(math.Floor(room/low), float64(limit))
	if !(count >= 1) {
		return NoiseBlock{}, true
	}
	// The cost of the l-th query of the block is convex in l, so their mean is at
	// most that of the first and the last one.
	count = min(count, 1+math.Floor((c.ceiling()-c.r)/(2*x))) // h stays finite
	last, ok := c.inflation(c.r + (count-1)*x)
	if !ok {
		return NoiseBlock{}, false
	}
	mean := (low + math.Log1p(c.n*x*last)/2) / 2
	count = min(math.Floor(room/mean*(1-1e-15)), count)
	c.spent += count * mean
	c.r += count * x
	return NoiseBlock{int64(count), sd}, true
}

// reach approximates the number of queries that the schedule could answer, as if
// queries were infinitely small.
func (s NoiseSchedule) reach() float64 {
	c := s.course()
	const levels = 24
	if !(c.t < c.tau) {
		return 0
	}
	width := (c.tau - c.t) / levels
	total := 0.0
	for k := range levels {
		t := c.t + (float64(k)+0.5)*width
		sd := (c.tau - t) / c.quantile
		x := c.a / (4 * c.n * c.n * sd * sd)
		inflation, _ := c.inflation(c.r)
		count := 4 * c.n * t * width / (math.Log1p(c.n*x*inflation) / 2)
		later, ok := c.inflation(c.r + count*x/2)
		if !ok {
			return total + (c.ceiling()-c.r)/(2*x)
		}
		count *= inflation / later
		if c.r += count * x; c.r >= c.ceiling() {
			return total + count/2
		}
		total += count
	}
	return total
}

// leastTau approximates the least accuracy at which the schedule is feasible, by
// trying; it serves for few queries.
func (s NoiseSchedule) leastTau() float64 {
	lo, hi := 0.0, s.Tau
	for range 60 {
		if s.Tau = hi; s.Feasible() {
			break
		}
		lo, hi = hi, 2*hi
	}
	for range 16 {
		if s.Tau = lo + (hi-lo)/2; s.Feasible() {
			hi = s.Tau
		} else {
			lo = s.Tau
		}
	}
	return hi
}

// few is the number of queries up to which infinitely small queries mislead.
const few = 16

// bestSchedule returns the schedule for failure probability beta at a loosely
// optimal order and split.
func bestSchedule(g Goal) NoiseSchedule {
	s := NoiseSchedule{Samples: g.Samples, Queries: g.Queries, Tau: g.Tau}
	set := func(v, w float64) { // a = 1+e^v, b1 = beta/(1+e^-w)
		s.Order = 1 + math.Exp(v)
		shift, noise := split(g.Beta.Ln(), w)
		s.ShiftBeta, s.NoiseBeta = theory.LogProb(shift), theory.LogProb(noise-1e-15*math.Abs(noise))
	}
	search := func(overV, overW num.Interval, cost func() float64) (bestV, bestW float64) {
		least := math.Inf(1)
		overW.Minimize(0.02, func(w float64) float64 {
			_, fw := overV.Minimize(0.02, func(v float64) float64 {
				set(v, w)
				c := cost()
				if c < least {
					least, bestV, bestW = c, v, w
				}
				return c
			})
			return fw
		})
		return bestV, bestW
	}
	v, w := search(num.Interval{Lo: -6, Hi: 5}, num.Interval{Lo: -8, Hi: 4}, func() float64 { return -math.Log(s.reach()) })
	if g.Queries <= few {
		v, w = search(num.Interval{Lo: v - 1, Hi: v + 2}, num.Interval{Lo: w - 2, Hi: w + 1}, func() float64 { return s.leastTau() })
	}
	set(v, w)
	return s
}
