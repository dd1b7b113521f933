package open

import (
	"math"
	"sort"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Look is one look at one query, as a table of cells. The cuts rise; they part the line into the cells 0, 1, ...,
// len(Cuts), and the response is the cell that the mean of the query over the rows lies in: [Look.Response]. Each cell
// contains a mean that can occur.
//
// A cell has the share of the budget by which the mass above its lower cut exceeds that above its upper one. So the
// shares add up to one exactly, and the masses that the cell theorem asks for are read off, not added up.
type Look struct{ Cuts []Cut }

// Cut is where two cells part.
type Cut struct {
	At    float64 // a mean of at least At lies above
	Above float64 // the share of all cells above, in (0,1), falling from cut to cut
}

// Validate reports a DomainError unless the cuts rise and the masses above them fall within (0,1).
func (l Look) Validate() error {
	at, above := math.Inf(-1), 1.0
	for _, c := range l.Cuts {
		if err := theory.Domain(c.At > at, "cut", c.At, "a number above the cut before it"); err != nil {
			return err
		}
		if err := theory.Domain(c.Above > 0 && c.Above < above, "share above a cut", c.Above, "less than that before it, and more than 0"); err != nil {
			return err
		}
		at, above = c.At, c.Above
	}
	return nil
}

func (l Look) Cells() int { return len(l.Cuts) + 1 }

func (l Look) Response(mean float64) int {
	return sort.Search(len(l.Cuts), func(i int) bool { return l.Cuts[i].At > mean })
}

// LnShare returns ln of the cell's share, rounded down. Its negative is the price of the response in nats.
func (l Look) LnShare(cell int) float64 {
	from, to := 1.0, 0.0
	if cell > 0 {
		from = l.Cuts[cell-1].Above
	}
	if cell < len(l.Cuts) {
		to = l.Cuts[cell].Above
	}
	return lnShare(from, to)
}

// Interval returns what a cell says of the truth, the cell theorem: with the levels
//
//	Up(c) = beta times the mass of the cells from c on,   Down(c) = beta times the mass of those up to c,
//
// every response c that is ever shown, whatever the looks, has with probability at least 1 - beta
//
//	max over c' <= c of lower(lo(c'), Up(c')) <= truth <= min over c' >= c of upper(hi(c'), Down(c')).
//
// A cell promises what every cut below it promises, and what every cut above it promises. Cuts that can add nothing are
// left out: lower(x, .) <= x, and upper(x, .) is at least the cut before x.
func (l Look) Interval(at Node, tails Tails, cell int) (lower, upper float64) {
	lower, upper = tails.Range()
	for i := cell - 1; i >= 0 && l.Cuts[i].At > lower; i-- {
		lower = max(lower, tails.Lower(l.Cuts[i].At, at.level(lnShare(l.Cuts[i].Above, 0))))
	}
	for i := cell; i < len(l.Cuts) && (i == cell || l.Cuts[i-1].At < upper); i++ {
		upper = min(upper, tails.Upper(l.Cuts[i].At, at.level(lnShare(1, l.Cuts[i].Above))))
	}
	return lower, upper
}

const rounding = 3e-16 // of a difference of shares, and of its logarithm

// lnShare returns ln(from - to) for 0 <= to < from <= 1, rounded down.
func lnShare(from, to float64) float64 {
	if from == 1 {
		return math.Log1p(-to) * (1 + 5e-16)
	}
	return num.Log(from-to)*(1+5e-16) - rounding
}
