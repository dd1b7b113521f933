package open

import (
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Gate returns the look that shows whether the truth is above a bar: the cells fail, 0, and pass, 1. A pass says that
// the truth is above the bar. The cut is the least at which a pass, which has that share in (0,1), may say so. It is a
// NoAnswerError if no mean is enough: the cut is never moved to one.
func Gate(at Node, tails Tails, bar, share float64) (Look, error) {
	if err := validShare(share); err != nil {
		return Look{}, err
	}
	x, ok := tails.Pass(bar, at.level(lnShare(share, 0)))
	if !ok {
		return Look{}, &theory.NoAnswerError{Reason: fmt.Sprintf("no score can pass the bar %v: too little of the budget is left for so few rows", bar)}
	}
	return Look{[]Cut{{x, share}}}, nil
}

// validShare refuses a code that leaves nothing of the budget on one of the two sides.
func validShare(share float64) error {
	return theory.Domain(share > 0 && share < 1, "share", share, "a number in (0, 1)")
}

// Rejection returns the look that shows whether a test rejects its null hypothesis: a gate whose mean is the evidence
// against it in nats, [Evidence].
func Rejection(at Node, share float64) (Look, error) { return Gate(at, Evidence{}, 1, share) }

// Steps are the widths of cells and the least share that a cell has.
type Steps struct {
	Within float64 // how far a mean may be off without being news, > 0
	Step   float64 // the width of the cells beyond, > 0
	Most   float64 // the most nats that a response may cost
}

// mostCells is how many cells a look may have.
const mostCells = 1 << 16

// Board returns the look that shows the best mean so far: the cell 0 keeps what is shown, and the cell i >= 1 raises it
// by Within + (i-1) Step or more. A raise has the share, in (0,1), of which i has 1/i - 1/(i+1) and the last cell the
// rest. Shown is the lower end of the cell that was shown last, never the mean itself.
func Board(tails Tails, shown, share float64, s Steps) (Look, error) {
	if err := validShare(share); err != nil {
		return Look{}, err
	}
	up, err := s.cuts(tails, shown+s.Within, 1)
	if err != nil {
		return Look{}, err
	}
	var l Look
	for i, x := range up {
		l.Cuts = append(l.Cuts, Cut{x, share / float64(i+1)})
	}
	return l.floored(s.Most)
}

// Guess returns the look that shows whether a guess holds: the mean is in [guess - Within, guess + Within), or else in
// which cell of the width Step below or above. To have moved has the share, in (0,1): a half of it on each side,
// divided as on a board. A side without cells leaves its half to the cell that holds.
func Guess(tails Tails, guess, share float64, s Steps) (Look, error) {
	if err := validShare(share); err != nil {
		return Look{}, err
	}
	up, err := s.cuts(tails, guess+s.Within, 1)
	if err != nil {
		return Look{}, err
	}
	down, err := s.cuts(tails, guess-s.Within, -1)
	if err != nil {
		return Look{}, err
	}
	var l Look
	for i := len(down) - 1; i >= 0; i-- {
		l.Cuts = append(l.Cuts, Cut{down[i], 1 - share/2/float64(i+1)})
	}
	for i, x := range up {
		if len(l.Cuts) == 0 || x > l.Cuts[len(l.Cuts)-1].At {
			l.Cuts = append(l.Cuts, Cut{x, share / 2 / float64(i+1)})
		}
	}
	return l.floored(s.Most)
}

// Score returns the look that shows the mean in cells of the width Step around a reference near to which it is
// expected. It is a guess that holds within half a step, with the share 3/4 for having moved.
func Score(tails Tails, near float64, s Steps) (Look, error) {
	s.Within = s.Step / 2
	return Guess(tails, near, 0.75, s)
}

// cuts returns the cuts from the first on upwards or downwards that leave means on both sides.
func (s Steps) cuts(tails Tails, first, sign float64) ([]float64, error) {
	lowest, highest := tails.Range()
	var cuts []float64
	for i := range mostCells {
		x := tails.Edge(first + sign*float64(i)*s.Step)
		switch within := x > lowest && x <= highest; {
		case !within && (x > highest) == (sign > 0):
			return cuts, nil
		case within && (len(cuts) == 0 || (x-cuts[len(cuts)-1])*sign > 0):
			cuts = append(cuts, x)
		}
	}
	return nil, &theory.NoAnswerError{Reason: fmt.Sprintf("a step of %v makes more than %d cells", s.Step, mostCells)}
}

func tooFine(cells, most float64) error {
	return &theory.NoAnswerError{
		Reason: fmt.Sprintf("%.0f cells at no more than %v nats each: the step is too fine", cells, most),
	}
}

// floored returns the look with cells that cost at most so many nats: where one costs more, each has the least share
// and what is left is divided as before.
func (l Look) floored(most float64) (Look, error) {
	cells, floor, poor := float64(l.Cells()), floorOf(most), false
	for c := range l.Cells() {
		poor = poor || -l.LnShare(c) > most
	}
	switch {
	case !poor:
		return l, nil
	case cells*floor > 1:
		return l, tooFine(cells, most)
	}
	for i := range l.Cuts {
		above := cells - float64(i) - 1
		l.Cuts[i].Above = above*floor + (1-cells*floor)*l.Cuts[i].Above
		for !(-l.LnShare(i) <= most) { // a share near 1 was rounded
			l.Cuts[i].Above = math.Nextafter(l.Cuts[i].Above, 0)
		}
	}
	if !(-l.LnShare(len(l.Cuts)) <= most) {
		return l, tooFine(cells, most)
	}
	return l, l.Validate()
}

// AnyUpper returns what a failure of several gates that are shown as one verdict says of one of their truths, without
// saying of which: it is at most this. Each has its part of the level of the failure.
func AnyUpper(at Node, tails Tails, gate Look, several int) float64 {
	level := at.level(lnShare(1, gate.Cuts[0].Above))
	return tails.Upper(gate.Cuts[0].At, sumDown(level, -num.Log(float64(several))*(1+4e-16)))
}
