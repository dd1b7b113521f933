package pvalue

import (
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Goal asks which value of a quantity a threshold needs, or how much of it a p-value survives: for which
// values the selected test with that p-value is rejected at Alpha.
type Goal struct {
	Alpha     theory.LogProb // in (0, 1)
	Threshold theory.LogProb // in (0, 1): of the test, or the p-value
	Quantity  maxinfo.Quantity
}

// Answer is what one correction says to a [Goal].
type Answer struct {
	// Value is the greatest value of the quantity at which the threshold is at least the goal's, or the
	// least if the threshold rises with it. Test is the test at this value: the proof.
	Value float64
	Test  Test
	// All says that every value of the quantity serves; Value is then an end of its range.
	All    bool
	Name   string
	Status theory.Status
	Reason string // why Status is not OK
}

// Validate reports a DomainError for the first field outside its domain.
func (g Goal) Validate() error {
	if err := interior(g.Alpha); err != nil {
		return err
	}
	if err := theory.Domain(g.Threshold.IsInterior(), "threshold", g.Threshold, "a probability in (0, 1)"); err != nil {
		return err
	}
	return theory.Domain(g.Quantity.With != nil, "quantity", g.Quantity.Name, "a quantity of the plan")
}

// Solve returns what every correction says, in printing order, and the index of the one that allows most: -1
// if none is OK. The values are those at which the test itself has been looked at, so that rounding and a
// curve that is not monotone cost a little of the value, and never the guarantee. It reports a DomainError.
func (g Goal) Solve() (all []Answer, best int, err error) {
	if err := g.Validate(); err != nil {
		return nil, -1, err
	}
	names, err := g.names()
	if err != nil {
		return nil, -1, err
	}
	for _, name := range names {
		all = append(all, g.by(name))
	}
	return all, g.Best(all), nil
}

// Best is the index of the answer that allows most, -1 if none is OK.
func (g Goal) Best(all []Answer) int {
	best := -1
	for i, a := range all {
		if a.Status == theory.OK && (best < 0 || g.isBetter(a, all[best])) {
			best = i
		}
	}
	return best
}

// isBetter reports whether the first answer asks for less, or allows more.
func (g Goal) isBetter(a, b Answer) bool {
	if g.Quantity.Raises {
		return a.Value < b.Value
	}
	return a.Value > b.Value
}

// names returns the corrections at either end of the range and in its middle, as not all need exist everywhere.
func (g Goal) names() (names []string, err error) {
	for _, x := range []float64{g.gentle(), g.middle(), g.harsh()} {
		tests, refused := Tests(g.Quantity.With(x), g.Alpha)
		if refused != nil {
			err = refused
		}
		for _, t := range tests {
			if t.Correction.Name != "" {
				names = each.Union(names, t.Correction.Name)
			}
		}
	}
	if len(names) > 0 {
		err = nil
	}
	return names, err
}

// gentle and harsh are the ends of the range that reveal least and most.
func (g Goal) gentle() float64 {
	if g.Quantity.Raises {
		return g.Quantity.Most
	}
	return g.Quantity.Least
}

func (g Goal) harsh() float64 {
	if g.Quantity.Raises {
		return g.Quantity.Least
	}
	return g.Quantity.Most
}

func (g Goal) middle() float64 { return min(max(1, g.Quantity.Least), g.Quantity.Most) }

// at returns the test of a name at a value, and whether its threshold is enough.
func (g Goal) at(name string, x float64) (t Test, ok bool) {
	all, err := Corrections(g.Quantity.With(x))
	if err != nil {
		return Test{}, false
	}
	c, ok := each.First(all, func(c Correction) bool { return c.Name == name })
	if !ok {
		return Test{}, false
	}
	t, err = c.At(g.Alpha)
	return t, err == nil && t.Status == theory.OK && t.Threshold >= g.Threshold
}

func (g Goal) by(name string) Answer {
	a := Answer{Name: name, Status: theory.OK}
	enough := func(x float64) bool { _, ok := g.at(name, x); return ok }
	switch start, found := g.start(enough); {
	case !found:
		a.Test, _ = g.at(name, g.gentle())
		a.Status, a.Reason = a.Test.Status, a.Test.Reason
		if a.Status != theory.NotApplicable {
			a.Status = theory.Infeasible
			a.Reason = fmt.Sprintf("no %s leaves a threshold of %s at alpha %s", g.Quantity.Noun(), g.Threshold, g.Alpha)
		}
		return a
	case enough(g.harsh()):
		a.Value, a.All = g.harsh(), true
	default:
		a.Value = g.edge(start, enough)
	}
	a.Test, _ = g.at(name, a.Value)
	return a
}

// start returns a value that is enough: the gentle end, or one of a grid, as a curve may turn back there.
func (g Goal) start(enough func(float64) bool) (float64, bool) {
	if enough(g.gentle()) {
		return g.gentle(), true
	}
	const points = 60
	from, to := g.place(g.gentle()), g.place(g.harsh())
	for i := range points {
		x := g.value(from + (to-from)*float64(i+1)/points)
		if enough(x) {
			return x, true
		}
	}
	return 0, false
}

// place spaces the values of the range evenly, by their logarithms.
func (g Goal) place(x float64) float64 {
	if g.Quantity.Ln {
		return -num.Log(-x)
	}
	return num.Log(max(x, 1e-300))
}

func (g Goal) value(place float64) float64 {
	x := num.Exp(place)
	if g.Quantity.Ln {
		x = -num.Exp(-place)
	}
	if g.Quantity.Whole {
		x = math.Round(x)
	}
	return min(max(x, g.Quantity.Least), g.Quantity.Most)
}

// edge returns the last value that is enough, from one that is towards the harsh end, which is not.
func (g Goal) edge(start float64, enough func(float64) bool) float64 {
	lo, hi := min(start, g.harsh()), max(start, g.harsh())
	whole := num.Ints{Lo: int64(lo), Hi: int64(hi), Guess: int64(lo)}
	one := func(i int64) bool { return enough(float64(i)) }
	switch {
	case g.Quantity.Whole && g.Quantity.Raises:
		return float64(whole.Least(one))
	case g.Quantity.Whole:
		return float64(whole.Greatest(one))
	case g.Quantity.Raises:
		return num.Floats{Lo: lo, Hi: hi, Guess: hi}.Least(enough)
	}
	return -num.Floats{Lo: -hi, Hi: -lo, Guess: -lo}.Least(func(x float64) bool { return enough(-x) })
}
