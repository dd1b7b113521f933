package goal

import "github.com/dpcalc/dpcalc/theory"

// Ratio is a ratio N/D of two sums over the rows that a gate compares with its bar: a true positive adds Both to each
// of them, a false positive and a false negative to D alone, any other row nothing. A model predicts the positive class
// on Share of the rows, in (0,1). Tau and the bar are in the units of the ratio. The zero Ratio is none.
type Ratio struct{ Both, FalsePositive, FalseNegative, Share float64 }

// IsGiven reports whether queries are a ratio.
func (r Ratio) IsGiven() bool { return r != Ratio{} }

// Predicted returns how many of n rows a model predicts positive.
func (r Ratio) Predicted(n int64) int64 { return int64(r.Share * float64(n) * (1 + 1e-12)) }

// validRatio returns a DomainError for a ratio without a share, or of which there are no gates.
func (g Goal) validRatio() error {
	r := g.Ratio
	if !r.IsGiven() {
		return nil
	}
	for _, c := range []struct {
		ok   bool
		name string
		got  any
		want string
	}{
		{r.Both > 0, "positives", r.Share, "none without a ratio"},
		{r.Share > 0 && r.Share < 1, "positives", r.Share, "a share of the rows in (0, 1)"},
		{g.Query == Bounded, "query", g.Query, "bounded with a ratio"},
		{g.Feedback == Gate, "feedback", g.Feedback, "gate with a ratio"},
		{!g.OneSided, "one-sided", g.OneSided, "false with a ratio: its tau is about what fails"},
		{!g.Range.IsGiven(), "range", "one", "none with a ratio"},
		{g.Sample == nil && g.Arrival == nil, "rows", "others", "independent rows with a ratio"},
		{g.Variance == 0, "variance", g.Variance, "none with a ratio"},
		{g.Bar.Given, "threshold", "nothing", "the bar of the ratio, such as 0.8"},
		{g.Bar.Value > 0 && g.Bar.Value < 1, "threshold", g.Bar.Value, "a bar in (0, 1) of a ratio"},
	} {
		if err := theory.Domain(c.ok, c.name, c.got, c.want); err != nil {
			return err
		}
	}
	return nil
}
