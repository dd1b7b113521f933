package goal

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Known says what is known of every query beforehand, or is kept by the mechanism. A field that belongs to one kind of
// query is zero for the others.
type Known struct {
	Disagreement float64 // Difference: P[phi is not 0] is at most this, in (0,1]; 0 stands for 1
	AtLeast      float64 // Binary: every population value is at least this, in (1/2,1); 0 if not known
	Variance     float64 // Bounded, Binary: every query's variance is at most this, in (0,1/4]; 0 if not known
	SecondMoment float64 // Difference: E phi^2 is at most this, in (0,1]; 0 if not known
	Checked      bool    // Disagreement, AtLeast or SecondMoment: kept on the sample, and not known of the population
	Decided      Decided // Gate with a checked Disagreement: whether predictions tell where phi can be other than 0
}

// validKnown returns a DomainError for the first field of Known outside its domain, or that belongs to another kind of
// query.
func (g Goal) validKnown() error {
	if g.Known == (Known{}) {
		return nil
	}
	signed, decided := g.Query.IsSigned(), g.Decided >= Undecided && g.Decided <= TwoClasses
	d, r, v, e := g.Disagreement, g.AtLeast, g.Variance, g.SecondMoment
	bounds := d > 0 || r > 0 || e > 0
	for _, c := range [...]struct {
		name  string
		value any
		ok    bool
		want  string
	}{
		{"disagreement", d, d == 0 || signed, "none, or difference queries"},
		{"disagreement", d, d == 0 || d > 0 && d <= 1, "a number in (0, 1]"},
		{"at-least", r, r == 0 || g.Query.IsZeroOne(), "none, or binary queries"},
		{"variance", v, v == 0 || Linear.Check(g.Query) == nil, "none, or bounded or binary queries"},
		{"at-least", r, r == 0 || r > 0.5 && r < 1, "a number in (0.5, 1)"},
		{"variance", v, v == 0 || v > 0 && v <= 0.25, "a number in (0, 0.25]"},
		{"variance", v, v == 0 || r == 0, "none beside at-least"},
		{"second-moment", e, e == 0 || signed, "none, or difference queries"},
		{"second-moment", e, e == 0 || e > 0 && e <= 1, "a number in (0, 1]"},
		{"decided", int(g.Decided), decided, "any classes, two, or none"},
		{"enforce", g.Checked, !g.Checked || bounds, "false, or a disagreement, at-least or second-moment to enforce"},
	} {
		if err := theory.Domain(c.ok, c.name, c.value, c.want); err != nil {
			return err
		}
	}
	return nil
}

// SpreadKnown returns what is known of the population's variance or second moment, nil if it is nothing. The law of a
// 0/1 value at a known bar has no variance but its own.
func (g Goal) SpreadKnown() tail.Values {
	switch {
	case g.Query.IsZeroOne() && g.Bar.Given:
	case g.Variance > 0:
		return tail.Varying(g.Variance)
	case g.AtLeast > 0 && !g.Checked:
		return tail.Skewed{Most: math.Nextafter(1-g.AtLeast, 1)}
	case g.SecondMoment > 0 && g.Checked:
		return tail.Kept{Most: g.SecondMoment}
	case g.SecondMoment > 0:
		return tail.Moment{Most: g.SecondMoment}
	}
	return nil
}

// MayDiffer returns a bound for the population: 1, which says nothing, where the mechanism checks it on the sample.
func (g Goal) MayDiffer() float64 {
	if g.Disagreement == 0 || g.Checked {
		return 1
	}
	return g.Disagreement
}

// Hypothesis says what is known of the queries, or kept by a check. The low-variance bound uses half of a difference.
func (g Goal) Hypothesis(lowVariance bool) string {
	switch {
	case g.Ratio.IsGiven():
		return g.predicted()
	case g.SecondMoment > 0 && g.Checked && !lowVariance:
		return "nothing is answered from a query on whose sample the square of the difference has a mean above " + FormatFloat(g.SecondMoment)
	case g.SecondMoment > 0 && !lowVariance:
		return "the square of every difference has a mean of at most " + FormatFloat(g.SecondMoment) + " on the population"
	case g.Decided != Undecided:
		return g.counted()
	case g.Checked && g.Query.IsSigned():
		return "nothing is answered once more than the share " + FormatFloat(g.Disagreement) + " of the sample's rows differ"
	case g.Checked:
		return "nothing is answered once the accuracy on the sample is below " + FormatFloat(g.AtLeast)
	case g.Query.IsSigned() && g.Disagreement > 0:
		return "every query is 0 on all but the share " + FormatFloat(g.Disagreement) + " of the population"
	case g.AtLeast > 0:
		return "every query has a population value of at least " + FormatFloat(g.AtLeast)
	case g.SecondMoment > 0:
		return "half of every difference varies with a second moment of at most " + FormatFloat(g.SecondMoment/4)
	}
	return "every query has a variance of at most " + FormatFloat(g.Variance) + " from row to row"
}

// counted says what a count of decided rows takes for granted.
func (g Goal) counted() string {
	classes := ""
	if g.Decided == TwoClasses {
		classes = ", all predictions are of two declared classes"
	}
	return "labels are independent given the features" + classes + ", and a candidate that differs from the incumbent on more than the share " +
		FormatFloat(g.Disagreement) + " of the rows is refused: the true value is the mean over fresh labels of these rows"
}

// predicted says what a plan for a ratio takes for granted.
func (g Goal) predicted() string {
	return "labels are independent given the features, and a model predicts the positive class on the share " +
		FormatFloat(g.Ratio.Share) + " of the rows"
}
