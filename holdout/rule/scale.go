package rule

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/metric"
)

// Scale is how a person reads a mean of values in [0,1], or a difference of two. The coordinate of a value rises with
// it: the number that a person reads, or less it where less is better.
type Scale struct {
	Lowest, Span float64
	Less, root   bool
	compared     bool
}

// Scale returns how a person reads means of a metric.
func (p *Plan) Scale(name string) Scale {
	m, _ := metric.Of(name)
	lowest, highest := p.Units.Interval()
	s := Scale{Span: 1, Less: m.Less, root: m.Root, compared: p.Compares()}
	switch {
	case m.Reads == metric.Number:
		s.Lowest, s.Span = lowest, highest-lowest
	case m.Reads == metric.Probability:
		s.Span = p.Units.MostLoss()
	case m.Root:
		s.Span = highest - lowest
	case m.Reads == metric.Forecast:
		s.Span = (highest - lowest) * (highest - lowest)
	}
	return s
}

// IsPlain reports whether a person reads the value itself.
func (s Scale) IsPlain() bool { return s.Lowest == 0 && s.Span == 1 && !s.Less }

// Ends returns the ends of what a person reads.
func (s Scale) Ends() ask.Ends {
	if s.compared {
		return ask.Ends{Lowest: -s.Span, Highest: s.Span}
	}
	return ask.Ends{Lowest: s.Lowest, Highest: s.Lowest + s.Span}
}

// Margin returns how far a truth may be from its bar where its value may be that far.
func (s Scale) Margin(m float64) float64 {
	if s.root {
		return s.Span * math.Sqrt(m) // sqrt(x+m) - sqrt(x) <= sqrt(m)
	}
	return s.Span * m
}

// Read turns a coordinate into what a person reads, or back.
func (s Scale) Read(x *float64) *float64 {
	if x == nil || !s.Less {
		return x
	}
	y := 0 - *x
	return &y
}

// Coordinate converts a mean in [0,1], or a difference of two, to the number that people read.
func (s Scale) Coordinate(u float64) float64 {
	switch {
	case s.compared:
		return s.Span * u
	case s.root:
		return -s.Span * math.Sqrt(max(0, 1-u))
	case s.Less:
		return -s.Span * (1 - u)
	}
	return s.Lowest + s.Span*u
}

// Value converts a number that people read to the mean. Beyond the ends it is beyond them too.
func (s Scale) Value(x float64) float64 {
	switch {
	case s.compared:
		return x / s.Span
	case s.root && x > 0:
		return math.Nextafter(1, 2)
	case s.root:
		return 1 - x/s.Span*(x/s.Span)
	case s.Less:
		return 1 + x/s.Span
	}
	return (x - s.Lowest) / s.Span
}
