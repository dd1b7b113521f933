package holdout

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/metric"
)

// scale is how a person reads a mean of values in [0,1], or a difference of two. The coordinate of a value rises with
// it: the number that a person reads, or less it where less is better.
type scale struct {
	lowest, span float64
	less, root   bool
	compared     bool
}

func (p *Plan) scale(name string) scale {
	m, _ := metric.Of(name)
	lowest, highest := p.Units.Interval()
	s := scale{span: 1, less: m.Less, root: m.Root, compared: p.Compares()}
	switch {
	case m.Reads == metric.Number:
		s.lowest, s.span = lowest, highest-lowest
	case m.Reads == metric.Probability:
		s.span = p.Units.MostLoss()
	case m.Root:
		s.span = highest - lowest
	case m.Reads == metric.Forecast:
		s.span = (highest - lowest) * (highest - lowest)
	}
	return s
}

// plain reports whether a person reads the value itself.
func (s scale) plain() bool { return s.lowest == 0 && s.span == 1 && !s.less }

// ends are the ends of what a person reads.
func (s scale) ends() ask.Ends {
	if s.compared {
		return ask.Ends{Lowest: -s.span, Highest: s.span}
	}
	return ask.Ends{Lowest: s.lowest, Highest: s.lowest + s.span}
}

// margin is how far a truth may be from its bar where its value may be that far.
func (s scale) margin(m float64) float64 {
	if s.root {
		return s.span * math.Sqrt(m) // sqrt(x+m) - sqrt(x) <= sqrt(m)
	}
	return s.span * m
}

// read turns a coordinate into what a person reads, or back.
func (s scale) read(x *float64) *float64 {
	if x == nil || !s.less {
		return x
	}
	y := 0 - *x
	return &y
}

// coordinate is that of a value.
func (s scale) coordinate(u float64) float64 {
	switch {
	case s.compared:
		return s.span * u
	case s.root:
		return -s.span * math.Sqrt(max(0, 1-u))
	case s.less:
		return -s.span * (1 - u)
	}
	return s.lowest + s.span*u
}

// value is the value with a coordinate. Beyond the ends it is beyond them too.
func (s scale) value(x float64) float64 {
	switch {
	case s.compared:
		return x / s.span
	case s.root && x > 0:
		return math.Nextafter(1, 2)
	case s.root:
		return 1 - x/s.span*(x/s.span)
	case s.less:
		return 1 + x/s.span
	}
	return (x - s.lowest) / s.span
}

// ends are the ends of the means of all metrics of an open ledger.
func (p *Plan) ends() ask.Ends {
	all := p.scale(p.Metric).ends()
	for _, m := range p.Metrics {
		in := p.scale(m).ends()
		all = ask.Ends{Lowest: min(all.Lowest, in.Lowest), Highest: max(all.Highest, in.Highest)}
	}
	return all
}
