package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Adds is what a row adds to the sums N and D of a ratio N/D: a true positive Both to each of them, a false positive
// and a false negative to D alone, any other row nothing.
type Adds struct{ Both, FalsePositive, FalseNegative float64 }

// Ratio is the ratio of two sums over independent rows, whose truth is the ratio of their expectations. It is known
// which rows are predicted positive, so that each row has two values by its label: it is asked of ratios to whose D
// every such row adds something. Lower(x, q) and Upper(x, q) are the r below and above x at which
//
//	min over l > 0, mu >= 0 of the sum over the rows of max over laws of the label of
//	    ln E e^(l(N - xD)) - mu E(N - rD) = ln q,
//
// and the same with l and mu below 0. Source: docs/theorems/open.md, own intervals.
type Ratio struct {
	unitRange
	Rows, Positive int64 // of all rows, and of those predicted positive, at least 1
	Adds
}

const quotient = 0x1p-51 // of itself a ratio may be off that is computed

func (v Ratio) Lower(x, lnLevel float64) float64 {
	if !(x > 0) {
		return 0
	}
	x = min(x, 1)
	return x - leastStep(x, lnLevel, 0, func(step float64) sum { return v.sum(x*(1-quotient), x-step, 1) })
}

func (v Ratio) Upper(x, lnLevel float64) float64 {
	if !(x > 0 && x < 1) {
		return min(max(x, 0), 1)
	}
	return v.upper(x, 0, lnLevel)
}

// upper returns the least truth from the cut on at which the sum of N - cut D is at most that with a probability of at
// most the level.
func (v Ratio) upper(cut, most, lnLevel float64) float64 {
	step := leastStep(1-cut, lnLevel, -most, func(step float64) sum { return v.sum(cut, min(cut+step, 1), -1) })
	return min(cut+step, 1)
}

// Pass returns of no use: a gate asks the linear query of [RatioGate].
func (Ratio) Pass(_, _ float64) (float64, bool) { return 0, false }

// leastStep returns about the least step at which a sum is at least that with a probability of at most the level, and
// all of the room if there is none. The probability falls in the step, and the root of -ln of it is about linear.
func leastStep(room, lnLevel, least float64, at func(step float64) sum) float64 {
	begin := 1 / math.Sqrt(at(room).rows())
	l := begin
	excess := func(step float64) float64 {
		var ln float64
		ln, l = at(step).lnTail(least, max(l, begin)) // which goes to 0 where the bound is 1
		return math.Sqrt(-ln) - math.Sqrt(-lnLevel)*(1+1e-15)
	}
	if excess(room) < 0 {
		return room
	}
	return num.Rises(room, room/2, 1e-10, excess)
}

// RatioGate is a gate at a bar of a ratio, whose mean is the mean of N - Bar D over all rows. A pass says that the
// ratio is above the bar. A failure says that it is at most the r of [Ratio] for the cut of the gate in place of 0.
type RatioGate struct {
	Ratio
	Bar float64
}

// Lower returns the bar where the mean passes, and else 0.
func (v RatioGate) Lower(x, lnLevel float64) float64 {
	if v.Bar > 0 && x >= v.shift(lnLevel) {
		return v.Bar
	}
	return 0
}

// Upper returns the most that a ratio may be whose mean is below x.
func (v RatioGate) Upper(x, lnLevel float64) float64 {
	return v.upper(v.Bar, x*float64(v.Rows)*(1+quotient), lnLevel)
}

// Pass returns the least mean that passes, whatever the bar is that is asked for: it is Bar.
func (v RatioGate) Pass(_, lnLevel float64) (float64, bool) {
	if v.Bar <= 0 { // what is above 0 has an expectation above 0
		return math.SmallestNonzeroFloat64, v.Positive > 0
	}
	x := v.shift(lnLevel) * (1 + 1e-13)
	return x, x <= float64(v.Positive)*v.Both*(1-v.Bar)/float64(v.Rows)
}

// shift returns how far the mean may be above 0 where the ratio is at most the bar, rounded up.
func (v RatioGate) shift(lnLevel float64) float64 {
	n := float64(v.Rows)
	sum := v.sum(v.Bar, v.Bar, 1)
	return leastShift(-lnLevel/n, func(l float64) (g, slope float64) {
		g, slope = sum.tilt(l)
		return g / n, slope / n
	})
}

// sum is the sum of N - cut D, whose law has E(N - truth D) of at most 0, or for the side -1 their negatives.
func (v Ratio) sum(cut, truth, side float64) sum {
	positive := [2]value{{-cut * v.FalsePositive, -truth * v.FalsePositive}, {v.Both * (1 - cut), v.Both * (1 - truth)}}
	negative := [2]value{{0, 0}, {-cut * v.FalseNegative, -truth * v.FalseNegative}}
	return sum{kinds: []kind{kindOf(v.Positive, positive, side), kindOf(v.Rows-v.Positive, negative, side)}}
}

// value is what a row adds to a sum, and to another one whose expectation is bounded.
type value struct{ x, y float64 }

// kind is rows that each have one of two values, where both numbers of the second are no less.
type kind struct {
	rows     float64
	low, top value
}

func kindOf(rows int64, values [2]value, side float64) kind {
	for i, v := range values {
		values[i] = value{side * v.x, side * v.y}
	}
	if a, b := values[0], values[1]; a.x > b.x || a.x == b.x && a.y > b.y {
		values[0], values[1] = b, a
	}
	return kind{float64(rows), values[0], values[1]}
}

// sum is a sum of X over independent rows of some kinds, whose sum of Y has an expectation of at most the room.
type sum struct {
	kinds []kind
	room  float64
}

// tilt returns the least over mu >= 0 of mu times the room and the sum over the rows of
//
//	max over q in [0,1] of ln E e^(lX) - mu E Y,
//
// q being the probability of the second value, rounded up, and its slope in l. Every mu is valid.
func (s sum) tilt(l float64) (ln, slope float64) {
	odds := make([]float64, len(s.kinds))
	for i, k := range s.kinds {
		odds[i] = math.Expm1(l * (k.top.x - k.low.x))
	}
	mu := 1 / s.scale(odds)
	if !(mu < math.Inf(1)) {
		mu = 0
	}
	ln = mu * s.room
	size := ln
	for i, k := range s.kinds {
		one, mean, _ := k.most(l, mu, odds[i])
		ln, slope = ln+k.rows*one, slope+k.rows*mean
		size += k.rows * math.Abs(one)
	}
	return ln + size*float64(len(s.kinds)+4)*0x1p-53, slope
}

// scale returns about the 1/mu at which E Y is the room: it is made of lines that rise.
func (s sum) scale(odds []float64) float64 {
	lo, hi, at := math.Inf(1), math.Inf(1), 0.
	for i, k := range s.kinds {
		if gap := k.top.y - k.low.y; odds[i] > 0 {
			at += k.rows * (gap/odds[i] - k.low.y) // as if all q were inside of [0,1]
			lo = min(lo, gap/odds[i])              // where all are 0
		}
	}
	at = (at + s.room) / s.rows()
	for range 100 {
		if !(at > lo && at < hi) {
			at = math.Sqrt(lo) * math.Sqrt(min(hi, 4*lo))
		}
		over, slope := -s.room, 0.
		for i, k := range s.kinds {
			gap := k.top.y - k.low.y
			switch q := at/gap - 1/odds[i]; {
			case q > 0 && q < 1:
				over, slope = over+k.rows*(k.low.y+gap*q), slope+k.rows
			case q >= 1:
				over += k.rows * k.top.y
			default:
				over += k.rows * k.low.y
			}
		}
		if over > 0 {
			hi = at
		} else {
			lo = at
		}
		step := over / slope
		if math.Abs(step) <= 1e-9*at {
			break
		}
		at -= step
	}
	return at
}

// most returns the maximum over q of one row, rounded up, the mean of X where its law is tilted by e^(lX), and whether
// it is inside of [0,1]. There it is the maximum over all real q.
func (k kind) most(l, mu, odds float64) (ln, mean float64, inside bool) {
	low, top := l*k.low.x-mu*k.low.y, l*k.top.x-mu*k.top.y
	terms := math.Abs(l*k.low.x) + math.Abs(mu*k.low.y)
	gain := mu * (k.top.y - k.low.y)
	q := 1/gain - 1/odds
	switch inside = q > 0 && q < 1; {
	case inside:
		over := (gain - odds) / odds
		more := num.ExpLess(math.Log1p(over))
		if over < -0.5 {
			more = over - num.Log(gain/odds)
		}
		terms += math.Abs(l*k.top.x) + math.Abs(over) + 20*more
		ln, mean = low+more, k.low.x+(k.top.x-k.low.x)*q*(1+odds)/(1+q*odds)
	case low >= top:
		ln, mean = low, k.low.x
	default:
		terms = math.Abs(l*k.top.x) + math.Abs(mu*k.top.y)
		ln, mean = top, k.top.x
	}
	return ln + terms*0x1p-50, mean, inside
}

// lnTail returns ln of what P[sum X >= least] is at most, rounded up, and the l that it is found at. It begins at one.
func (s sum) lnTail(least, l float64) (ln, at float64) {
	const last = 300 // beyond, the exponentials overflow
	l = num.Rises(last, l, 1e-6, func(l float64) float64 {
		_, slope := s.tilt(l)
		return slope - least
	})
	ln, _ = s.tilt(l)
	return min(ln-l*least+math.Abs(l*least)*0x1p-50, 0), l
}

func (s sum) rows() (n float64) {
	for _, k := range s.kinds {
		n += k.rows
	}
	return n
}
