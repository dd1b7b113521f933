package num

import (
	"cmp"
	"math"
	"slices"
)

// Descent says where to look for the least x at which a function that falls is at most 0.
type Descent struct {
	From, Most  float64 // where to look first, and how far
	Step        float64 // about how far off that is
	Tolerance   float64
	Slope, Bend float64 // about the slope where the function is zero, and what x has of y^2 there; 0 if unknown
	Sure        bool    // both are known well: one spot is enough
	Early, Rise float64 // where y is at least Early the function is not smooth, and falls by about Rise for each x; or 0
}

// Landing is the end of a descent. It is far below where the descent began if the function is at most 0 up to there.
type Landing struct {
	X           float64 // the function is at most 0, and about the tolerance below it is not
	Zero        float64 // about where it is 0
	Slope, Bend float64 // what they are there
}

// Least returns the landing, and false at the most if the function is positive up to there. f also returns where it was
// evaluated: at x, or at the next point from there that there is.
func (d Descent) Least(f func(x float64) (at, y float64)) (Landing, bool) {
	const far = 200
	if d.Early == 0 {
		d.Early = math.MaxFloat64
	}
	d.Step = max(d.Step, d.Tolerance)
	s := sounding{Descent: d, low: math.Inf(-1), high: math.Inf(1), guess: math.NaN(), before: math.Inf(1)}
	s.steps, s.widths = [2]float64{s.high, s.high}, [2]float64{s.high, s.high}
	for x := min(d.From, d.Most); ; x = min(s.next(), d.Most) {
		at, y := f(x)
		if s.see(x, at, y); s.low >= d.Most {
			return Landing{X: d.Most, Zero: d.Most}, false
		}
		s.fit()
		left, enough := s.high-s.low, max(d.Tolerance, 4e-16*math.Abs(s.high))
		if zero := s.zero(); zero > s.low {
			left = s.high - zero
		}
		if left <= enough && left < math.Inf(1) || s.high < d.From-far {
			l := Landing{X: s.high, Zero: s.zero(), Slope: s.Slope, Bend: s.Bend}
			if l.Zero < s.low {
				l.Zero = s.high
			}
			return l, true
		}
	}
}

// sounding is the knowledge about a function that falls.
type sounding struct {
	Descent
	low, high     float64 // it is positive at low, and not at high
	deep, below   float64 // the function at high, and about its slope from there on, 0 if unknown
	wild, found   bool    // whether it is not smooth at low, and whether it was at the last spot
	last          spot
	before        float64 // the y that the last step began with
	near          []spot  // up to three where it is smooth, that next to zero first
	guess, doubt  float64 // about where it is zero and how far off that may be, NaN if there is no guess
	tries         int
	steps, widths [2]float64 // from the last two spots to the guesses there, and from low to high
}

type spot struct{ x, y float64 }

func (s *sounding) see(x, at, y float64) {
	s.last = spot{at, y}
	switch {
	case at >= s.high: // nothing is between
		s.low, s.found = max(s.low, x), false
		return
	case y <= 0:
		if rate := (y - s.deep) / (at - s.high); rate < 0 && s.deep < 0 {
			s.below = rate
		}
		s.high, s.deep = at, y
	default: // or no number
		s.low, s.wild = max(s.low, at), !(y < s.Early)
	}
	if s.found = y < s.Early && y > -math.MaxFloat64; s.found {
		s.near = slices.DeleteFunc(s.near, func(p spot) bool { return p.x == at })
		s.near = append(s.near, s.last)
		slices.SortFunc(s.near, func(a, b spot) int { return cmp.Compare(math.Abs(a.y), math.Abs(b.y)) })
		s.near = s.near[:min(len(s.near), 3)]
	}
}

// zero is the guess if it is to be trusted: the slope was known well from the start, or the line through the last two
// spots where the function is negative is zero close to high as well, however far the function may jump there.
func (s *sounding) zero() float64 {
	if s.guess <= s.high && (s.Sure || s.deep >= 2*s.below*s.Tolerance) {
		return s.guess
	}
	return math.Inf(-1)
}

// fit guesses by the slope at one spot, a line through two, and x as a quadratic function of y through three.
func (s *sounding) fit() {
	before := s.guess
	s.guess = math.NaN()
	p := s.near
	switch {
	case len(p) == 1 && s.Slope < 0:
		step := -p[0].y / s.Slope // both are guesses
		s.guess = p[0].x + step
		if bent := -s.Bend * p[0].y * p[0].y; bent*step > 0 {
			s.guess += bent / (1 + bent/step/4) // by four times as much at most
		} else if step != 0 {
			s.guess += bent / (1 - 2*bent/step) // back by half at most
		}
	case len(p) > 1:
		rate := s.secant(0, 1) // of x in y
		if !(rate < 0) {
			return
		}
		bend := s.Bend
		if len(p) == 3 {
			bend = (s.secant(1, 2) - rate) / (p[2].y - p[0].y)
		}
		s.guess = p[0].x - p[0].y*rate
		there := rate - bend*(p[0].y+p[1].y) // the rate where y is zero
		straight, bent := -p[0].y*rate, p[0].y*(bend*p[1].y-rate)
		if there < 0 && bent/straight > 0 && bent/straight < 4 {
			s.guess, rate, s.Bend = p[0].x+bent, there, bend
		}
		s.Slope = 1 / rate
	}
	if s.found {
		s.doubt = 0.02 * math.Abs(s.guess-s.last.x)
		if s.wild {
			s.doubt = 0.2 * math.Abs(s.guess-s.high)
		}
		if away := 0.2 * math.Abs(s.guess-before); away < s.doubt {
			s.doubt = away
		}
	}
}

func (s *sounding) secant(i, j int) float64 {
	p, q := s.near[i], s.near[j]
	return (q.x - p.x) / (q.y - p.y)
}

// next returns where to look next: a little above the guess, mostly.
func (s *sounding) next() float64 {
	x := s.guess + max(s.doubt, s.Tolerance/4)
	switch gap := s.high - s.guess; {
	case gap >= s.Tolerance:
		x = min(x, max(s.high-s.Tolerance, s.guess+gap/2))
	case gap >= 0: // the function may jump at the guess: it is looked at from the other side
		x = s.high - 0.9*s.Tolerance
	}
	short := 0.0
	if s.last.y >= s.Early && s.Rise > 0 {
		short = min(1.2*(s.last.y-s.Early)/s.Rise, 1)
	}
	if width := s.high - s.low; width < math.Inf(1) {
		return s.between(x, short, width)
	}
	away, side := x-s.low, 1.0
	if s.low == math.Inf(-1) {
		away, side = s.high-x, -1
	}
	if !(away > 0) {
		away = 0
	}
	falls := math.Abs(s.last.y) <= math.Abs(s.before)/2
	if s.before = s.last.y; !falls || away == 0 { // the guess before was none, or there is none
		away = max(away, short, s.Step)
		s.Step *= 2
	}
	if reach := 8 * s.Step; away > reach && short == 0 {
		away, s.Step = reach, reach
	}
	return s.last.x + side*away
}

// between halves the interval unless the last two guesses did about that, or came half as close to each other.
func (s *sounding) between(x, short, width float64) float64 {
	step := math.Abs(s.guess - s.last.x)
	halved := step <= s.steps[0]/2 || width <= s.widths[0]/2
	if s.tries++; s.tries%4 == 0 { // so that nothing can go on for ever
		halved = false
	}
	s.steps, s.widths = [2]float64{s.steps[1], step}, [2]float64{s.widths[1], width}
	switch {
	case halved && x > s.low && x < s.high:
		return x
	case halved && short > 0 && short < 0.8*width:
		return s.low + short
	}
	return s.low + width/2
}
