package holdout

import (
	"math"

	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// declares checks a disagreement or a second moment that is declared of the differences of a metric. Where predictions
// alone bound a square no label decides who is refused. The values of a column may follow from labels.
func (t *Terms) declares() error {
	v, d := t.Goal.SecondMoment, t.Goal.Disagreement
	ofDifferences := t.Open || t.Goal.Query == transfer.Difference
	if v == 0 && d == 0 || !ofDifferences {
		return nil
	}
	m, _ := metric.Of(t.Metrics[0])
	column := m.Reads == metric.Number
	switch most := math.Pow(t.Units.Width(), 2); {
	case d > 0 && v != 0:
		return inputf("second-moment: got it beside a disagreement, want one of the two")
	case d > 0 && column:
		return inputf("disagreement: got %v with %s, want --second-moment and --enforce: values of a column may follow from labels, and who is refused would tell", d, t.Metrics[0])
	case v == 0:
		return nil
	case t.Open && t.Incumbent.Values == nil:
		return inputf("second-moment: got %v without an incumbent, want one: it is of differences", v)
	case t.Open && !column:
		return inputf("second-moment: got %v with %s, want a column: the ledger reckons with what the predictions say of a difference", v, t.Metrics[0])
	case !(v > 0 && v <= most):
		return inputf("second-moment: got %v, want a number in (0, %v]", v, most)
	case !t.Open && column && !t.Goal.Checked:
		return inputf("enforce: got nothing with the second moment of a column, want it: its values may follow from labels, and a look above the second moment ends the plan")
	case !column && t.Goal.Checked:
		return inputf("enforce: got it with %s, want none: predictions alone bound the second moment, and a candidate above it costs nothing", t.Metrics[0])
	}
	return nil
}

// refusal is the cell of the response [Refused].
const refusal = -1

// beside leaves a share of the budget to a refusal, and the rest to the cells, none of which may cost more than is left
// of the most that a response may.
func (c *cells) beside(a *account, most float64) (left float64) {
	if c.line.Kept > 0 {
		share, _, _ := a.gates(most).Shares()
		c.lnRefused = math.Log(share) * (1 + 1e-15)
		c.node, c.lnRest = c.node.Apart(share)
	}
	return most + c.lnRest
}

// leastBeside is the least of the most that a response may cost where one may be a refusal: at 1 three responses at
// most as dear would have more than the whole together.
const leastBeside = 2

// gates are the gates so far, where each might be refused.
func (a *account) gates(most float64) open.Gates {
	return open.Gates{Most: most, Looks: a.looks[ShowPass], Passes: a.rare[ShowPass],
		Refusals: open.Refusals(), Asked: a.looks[Refused], Refused: a.rare[Refused]}
}

// responses are the cells, and the refusal where there is one.
func (c cells) responses() (list []int) {
	for cell := range c.Cells() {
		list = append(list, cell)
	}
	if c.line.Kept > 0 {
		list = append(list, refusal)
	}
	return list
}

// dearest is what the response that costs most costs, in nats.
func (c cells) dearest() (nats float64) {
	for _, cell := range c.responses() {
		nats = max(nats, -c.lnOf(cell))
	}
	return nats
}

// lnOf is ln of the share of a response, rounded down.
func (c cells) lnOf(cell int) float64 {
	if cell == refusal {
		return c.lnRefused
	}
	return c.lnRest + c.LnShare(cell)
}
