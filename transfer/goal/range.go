package goal

import (
	"errors"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
)

// Range is the interval that the values of a query are in, where that is not [0,1]. Whatever is an accuracy, a bar or a
// score of the goal and of its answer is in the units of the values. The zero Range is [0,1].
//
// Values x in [From,To] are (x-From)/(To-From) in [0,1], and a difference of two is the difference of these times
// To - From: every theorem holds for the shares, and a share of the range costs what it costs in [0,1].
type Range struct{ From, To float64 }

// IsGiven reports whether the range is another than [0,1].
func (r Range) IsGiven() bool { return r != Range{} }

// Width returns To - From, 1 for the zero Range.
func (r Range) Width() float64 {
	if !r.IsGiven() {
		return 1
	}
	return r.To - r.From
}

// WantRange says which ranges are [Range.IsValid].
const WantRange = "two numbers up to 1e100, the lesser one first, that differ by at least 1e-100 and by a millionth of the greater"

// IsValid reports whether the square of the width is a number, and a float64 tells the values of the range apart.
func (r Range) IsValid() bool {
	width, most := r.To-r.From, max(math.Abs(r.From), math.Abs(r.To))
	return width >= 1e-100 && most <= 1e100 && most <= 1e6*width
}

// validRange returns a DomainError for a range that is none, or of queries that have none.
func (g Goal) validRange() error {
	r := g.Range
	typed := FormatFloat(r.From) + "," + FormatFloat(r.To)
	if err := theory.Domain(r.IsValid(), "range", typed, WantRange); err != nil {
		return err
	}
	if err := theory.Domain(g.Query.IsMean() && !g.Query.IsZeroOne(), "range", g.Query, "bounded queries or differences"); err != nil {
		return err
	}
	most := g.Share().Spread() * r.Width()
	if err := theory.Domain(g.Tau == 0 || g.Share().Tau > 0 && g.Tau < most, "tau", g.Tau, "a number in (0, "+FormatFloat(most)+")"); err != nil {
		return err
	}
	err := g.Share().Validate()
	shared := []string{"threshold", "floor", "hold", "guess-error", "variance", "second-moment"}
	if wrong := (*theory.DomainError)(nil); errors.As(err, &wrong) && slices.Contains(shared, wrong.Param) {
		return theory.Domain(false, wrong.Param, wrong.Value, wrong.Want+", both with the values counted from 0 to 1")
	}
	return err
}

// position is a score as a share of the range; a difference has no start.
func (g Goal) position(x float64) float64 {
	if g.Query.IsSigned() {
		return x / g.Range.Width()
	}
	return (x - g.Range.From) / g.Range.Width()
}

// Score returns the score of a share of the range.
func (g Goal) Score(u float64) float64 {
	if g.Query.IsSigned() {
		return u * g.Range.Width()
	}
	return g.Range.From + u*g.Range.Width()
}

// Share returns the goal about shares of the range.
func (g Goal) Share() Goal {
	width := g.Range.Width()
	g.Tau, g.Hold = g.Tau/width, g.Hold/width
	g.GuessError.Value /= width
	g.Variance, g.SecondMoment = g.Variance/(width*width), g.SecondMoment/(width*width)
	if g.Bar.Given {
		g.Bar.Value = g.position(g.Bar.Value)
	}
	if g.Floor != 0 {
		g.Floor = g.position(g.Floor)
	}
	g.Range = Range{}
	return g
}
