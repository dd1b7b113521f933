package record

import (
	"math"
	"strconv"
	"strings"
)

// Figure is a grid of panels with lines. Lines carry their names at their ends; they
// differ in colour, dash and marker, so that they can be told apart in grey. Texts are
// ASCII, which every format can show. The same figure gives the same bytes.
type Figure struct {
	Title  []string
	Panels [][]Panel // rows, all of one length
	Tall   bool      // for many lines
	Key    string    // what the markers say, for a drawing that has them
}

// Panel is a drawing with axes of its own.
type Panel struct {
	Title string
	X, Y  Ruler
	Lines []Line
	Marks []float64 // values of x to be marked
}

// Line is drawn over its band, if it has one, in one of several styles.
type Line struct {
	Label string
	Note  string // what the markers say, for a drawing without markers
	Style int

	Faint  bool // thin and grey, without markers
	Hollow bool // its markers

	X, Y []float64
	Band []float64 // half its height at each point; nil for none
}

// Ruler is an axis. It covers everything that was included.
type Ruler struct {
	Label     string
	log       bool
	Low, High float64
}

// NewRuler is an axis that covers nothing yet.
func NewRuler(label string, log bool) Ruler {
	return Ruler{Label: label, log: log, Low: math.Inf(1), High: math.Inf(-1)}
}

// Include makes the axis cover more values.
func (a *Ruler) Include(xs ...float64) {
	for _, x := range xs {
		a.Low, a.High = min(a.Low, x), max(a.High, x)
	}
}

// Ticks returns 4 to 9 round numbers that cover the range; the axis is drawn from the
// first to the last.
func (a Ruler) Ticks() []float64 {
	low, high := a.Low, a.High
	switch {
	case low < high:
	case low > high: // nothing was included
		low, high = 1, 2
	case a.log:
		low, high = low/2, high*2
	default:
		low, high = low-1, high+1
	}
	if a.log {
		return logTicks(low, high)
	}
	return linearTicks(low, high, math.Inf(-1))
}

// linearTicks returns the multiples of the smallest step of the form 1, 2 or 5 times a
// power of ten, not below a least power, that needs at most 9 of them to cover the range.
func linearTicks(low, high, leastPower float64) []float64 {
	power := int(max(math.Floor(math.Log10((high-low)/8)), leastPower))
	for ; ; power++ {
		for _, m := range []int{1, 2, 5} {
			step := decimal(m, power)
			first, last := int(math.Floor(nearInt(low/step))), int(math.Ceil(nearInt(high/step)))
			if last-first >= 9 {
				continue
			}
			var ticks []float64
			for i := first; i <= last; i++ {
				ticks = append(ticks, decimal(i*m, power))
			}
			return ticks
		}
	}
}

// logTicks returns 1, 2 and 5 times powers of ten or, where those are too few or too
// many, linear ticks or powers of ten alone.
func logTicks(low, high float64) []float64 {
	var ticks []float64
	for power := int(math.Floor(math.Log10(low))) - 1; len(ticks) == 0 || ticks[len(ticks)-1] < high*(1-1e-9); power++ {
		for _, m := range []int{1, 2, 5} {
			t := decimal(m, power)
			if len(ticks) == 1 && t <= low*(1+1e-9) {
				ticks = ticks[:0]
			}
			if len(ticks) == 0 || ticks[len(ticks)-1] < high*(1-1e-9) {
				ticks = append(ticks, t)
			}
		}
	}
	switch {
	case len(ticks) < 4:
		return linearTicks(low, high, math.Inf(-1))
	case len(ticks) <= 9:
		return ticks
	}
	ticks = linearTicks(math.Log10(low), math.Log10(high), 0)
	for i, power := range ticks {
		ticks[i] = decimal(1, int(power))
	}
	return ticks
}

// nearInt takes away the rounding error of a quotient that should be whole.
func nearInt(x float64) float64 {
	if r := math.Round(x); math.Abs(x-r) < 1e-9*max(1, math.Abs(r)) {
		return r
	}
	return x
}

// decimal is the float64 nearest to m 10^power.
func decimal(m, power int) float64 {
	x, err := strconv.ParseFloat(strconv.Itoa(m)+"e"+strconv.Itoa(power), 64)
	if err != nil {
		panic(err) // an axis of numbers beyond float64
	}
	return x
}

// TickTexts writes ticks as the flags would take them, with as many decimals for one as
// for the other unless the axis is logarithmic.
func (a Ruler) TickTexts() []string {
	ticks := a.Ticks()
	texts := make([]string, len(ticks))
	decimals := 0
	for i, x := range ticks {
		texts[i] = tickText(x)
		if _, fraction, ok := strings.Cut(texts[i], "."); ok && !strings.ContainsAny(fraction, "ekM") {
			decimals = max(decimals, len(fraction))
		}
	}
	for i, x := range ticks {
		if !a.log && decimals > 0 && !strings.ContainsAny(texts[i], "ekM") {
			texts[i] = strconv.FormatFloat(x, 'f', decimals, 64)
		}
	}
	return texts
}

func tickText(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1e9 || a != 0 && a < 1e-4:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case a >= 1e6:
		return strconv.FormatFloat(x/1e6, 'f', -1, 64) + "M"
	case a >= 1e4:
		return strconv.FormatFloat(x/1e3, 'f', -1, 64) + "k"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Scale maps the axis to positions.
func (a Ruler) Scale(from, to float64) func(float64) float64 {
	ticks := a.Ticks()
	measure := func(x float64) float64 { return x }
	if a.log {
		measure = math.Log
	}
	low, high := measure(ticks[0]), measure(ticks[len(ticks)-1])
	return func(x float64) float64 {
		return from + (to-from)*((measure(x)-low)/(high-low))
	}
}
