package rule

import (
	"fmt"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Grows reports whether rows may be added to the ledger.
func (p *Plan) Grows() bool { return p.IsOpen() || p.Design().Arrives() }

// RowsAfter returns how many rows the look after so many looks is about, or the last one if there is none. It is 0
// where no rows arrive.
func (p *Plan) RowsAfter(looks int64) (rows int64) {
	for _, b := range p.Mechanism.Noise {
		if rows = b.Rows; looks < b.Queries {
			break
		}
		looks -= b.Queries
	}
	return rows
}

// Tau returns how far from its truth the answer to a look may be, or the answer to any with 0 for no look.
func (p *Plan) Tau(look int64) float64 {
	if b, err := NoiseAt(p.Mechanism.Noise, look-1); err == nil && look > 0 && b.Tau > 0 {
		return b.Tau
	}
	return p.Promise.Tau
}

// NoiseAt returns the noise after so many looks.
func NoiseAt(blocks []theory.NoiseBlock, looks int64) (theory.NoiseBlock, error) {
	for _, b := range blocks {
		if looks < b.Queries {
			return b, nil
		}
		looks -= b.Queries
	}
	return theory.NoiseBlock{}, journal.Corrupt("plan.json has no noise for this look")
}

// Stages returns the rows that arrive, as a goal has them: nil where none do.
func (p *Plan) Stages() *transfer.Arrival {
	if p.Arrival == nil {
		return nil
	}
	a, until := new(transfer.Arrival), int64(0)
	for _, b := range p.Mechanism.Noise {
		until += b.Queries
		if last := len(a.Stages) - 1; last >= 0 && a.Stages[last].More == b.Rows-p.Promise.Samples {
			a.Stages[last].Until = until
		} else {
			a.Stages = append(a.Stages, transfer.Stage{More: b.Rows - p.Promise.Samples, Until: until})
		}
	}
	return a
}

// Arrives checks that a goal with rows that arrive, of which so many are in the first file, is one that a ledger can
// keep.
func Arrives(g transfer.Goal, rows int64, independent bool) error {
	switch {
	case g.Arrival == nil:
		return nil
	case !independent:
		return form.Inputf("arrive: got it with --group, --population or an AUC, want independent rows of equal weight")
	case g.Query.IsSigned():
		return form.Inputf("arrive: got it with differences, want bounded or binary: an incumbent says nothing of rows that are to come")
	case g.Feedback == transfer.Best || g.Feedback == transfer.Final:
		return form.Inputf("arrive: got it with the feedback %s, want answers, gate or flags: scores of different rows are not compared", g.Feedback)
	case rows < g.Samples:
		return form.Inputf("arrive: got %d labels, want at least %d, the rows that the first look is about", rows, g.Samples)
	}
	return nil
}

// Ended says why there is no look after the last.
func (p *Plan) Ended() string {
	if p.Goal.Open {
		return fmt.Sprintf("the schedule has been computed up to look %d, and nothing is claimed beyond", p.Goal.Queries)
	}
	return "the plan is used up"
}

// Lowest returns the least value of a row: 0, or -1 for a difference. The greatest is 1.
func Lowest(g transfer.Goal) float64 {
	if g.Query.IsSigned() {
		return -1
	}
	return 0
}
