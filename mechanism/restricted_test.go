package mechanism

import (
	"errors"
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// The k-th pass retires the gate: not even a failure is shown then. The m-th test ends it as well.
func TestGateIsRetired(t *testing.T) {
	for _, c := range []struct {
		gate  Gate
		means []float64
		want  string // p, f and - for pass, failure and nothing
	}{
		{Gate{5, 1, 0.1}, []float64{0.5, 0.5999, 0.6, 0.2, 0.9}, "ffp--"},
		{Gate{5, 2, 0.1}, []float64{0.7, 0.2, 0.7, 0.2}, "pfp-"},
		{Gate{3, 3, 0.1}, []float64{0.7, 0.2, 0.7, 0.7}, "pfp-"},
		{Gate{2, 1, 0.1}, []float64{0.1, 0.1, 0.7}, "ff-"},
	} {
		run, err := c.gate.Start()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, mean := range c.means {
			switch pass, err := run.Test(mean, 0.5); {
			case errors.Is(err, ErrSpent):
				got += "-"
			case err != nil:
				t.Fatal(err)
			case pass:
				got += "p"
			default:
				got += "f"
			}
		}
		if got != c.want {
			t.Errorf("%+v shows %s, want %s", c.gate, got, c.want)
		}
	}
}

// A count is compared as a whole number.
func TestGateCounts(t *testing.T) {
	run, err := Gate{3, 3, 0.1}.Start()
	if err != nil {
		t.Fatal(err)
	}
	for ones, want := range map[int64]bool{59: false, 60: true} {
		if pass, err := run.TestCount(ones, 60); err != nil || pass != want {
			t.Errorf("%d of at least 60 passes: %v, %v", ones, pass, err)
		}
	}
	if _, err := run.TestCount(-1, 60); err == nil || errors.Is(err, ErrSpent) {
		t.Errorf("a count of -1: %v", err)
	}
	if queries, passes := run.Left(); queries != 1 || passes != 2 {
		t.Errorf("%d tests and %d passes are left", queries, passes)
	}
}

// A board climbs as far as a score reaches and never falls.
func TestLadderClimbs(t *testing.T) {
	run, err := Ladder{5, steps(0, 0.1, 0.4, 0.3, 0.6, 0.5, 0.8, 0.7)}.Start()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		score, shown float64
		improved     bool
	}{{0.39, 0.1, false}, {0.6, 0.5, true}, {0.5, 0.5, false}, {0.95, 0.7, true}, {0.1, 0.7, false}} {
		if shown, improved, err := run.Submit(c.score); err != nil || shown != c.shown || improved != c.improved {
			t.Errorf("submission %d: %v, %v, %v", i, shown, improved, err)
		}
	}
	if _, _, err := run.Submit(1); !errors.Is(err, ErrSpent) || run.Left() != 0 {
		t.Errorf("a sixth submission: %v", err)
	}
}

// A guess stands up to the threshold; beyond, it moves by whole cells, and at the last flag by what exceeds the
// threshold.
func TestSparseValidateMoves(t *testing.T) {
	const width = 0.0625
	run, err := SparseValidate{10, 3, 0.125, flagWidths(0, 2*width, 1, width, 2, 0)}.Start()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		mean, guess, answer float64
		flagged             bool
	}{
		{0.5, 0.375, 0.375, false}, {0.5, 0.3125, 0.4375, true}, {0.25, 0.5, 0.375, true}, {0.5, 0.5, 0.5, false},
		{0.75, 0.25, 0.625, true},
	} {
		if answer, flagged, err := run.Ask(c.mean, c.guess); err != nil || answer != c.answer || flagged != c.flagged {
			t.Errorf("query %d: %v, %v, %v; want %+v", i, answer, flagged, err, c)
		}
	}
	if _, _, err := run.Ask(0.5, 0.5); !errors.Is(err, ErrSpent) {
		t.Errorf("a right guess after the last flag: %v", err)
	}
	if queries, flags := run.Left(); queries != 0 || flags != 0 {
		t.Errorf("%d queries and %d flags are left", queries, flags)
	}
}

// The sealed rows are opened once, for no more than were planned.
func TestSealedOpensOnce(t *testing.T) {
	rows := &Sealed{Finalists: 2}
	for _, bad := range [][]float64{nil, {0.1, 0.2, 0.3}, {math.NaN()}} {
		if _, err := rows.Open(bad); err == nil || errors.Is(err, ErrSpent) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	scores := []float64{0.5, 0.25}
	if shown, err := rows.Open(scores); err != nil || shown[0] != 0.5 || shown[1] != 0.25 {
		t.Errorf("%v, %v", shown, err)
	}
	if _, err := rows.Open(scores[:1]); !errors.Is(err, ErrSpent) {
		t.Errorf("a second time: %v", err)
	}
}

// A plan that makes no sense does not start, and a number that is not finite costs nothing.
func TestRestrictedDomains(t *testing.T) {
	nan := math.NaN()
	for i, start := range []func() error{
		func() error { _, err := Gate{0, 1, 0.1}.Start(); return err },
		func() error { _, err := Gate{2, 3, 0.1}.Start(); return err },
		func() error { _, err := Gate{2, 0, 0.1}.Start(); return err },
		func() error { _, err := Gate{2, 1, 0}.Start(); return err },
		func() error { _, err := Gate{2, 1, nan}.Start(); return err },
		func() error { _, err := Ladder{0, steps(0, 0)}.Start(); return err },
		func() error { _, err := Ladder{1, nil}.Start(); return err },
		func() error { _, err := Ladder{1, steps(0, 0, 0, 1)}.Start(); return err },
		func() error { _, err := Ladder{1, steps(0, 0, 1, 0)}.Start(); return err },
		func() error { _, err := Ladder{1, steps(0, 0, nan, 1)}.Start(); return err },
		func() error { _, err := SparseValidate{1, 1, 0.1, nil}.Start(); return err },
		func() error {
			_, err := SparseValidate{1, 2, 0.1, flagWidths(0, 1, 1, 0)}.Start()
			return err
		},
		func() error { _, err := SparseValidate{2, 2, 0.1, flagWidths(0, 1)}.Start(); return err },
		func() error {
			_, err := SparseValidate{2, 2, 0.1, flagWidths(0, 0, 1, 0)}.Start()
			return err
		},
		func() error {
			_, err := SparseValidate{2, 2, 0, flagWidths(0, 1, 1, 0)}.Start()
			return err
		},
	} {
		if start() == nil {
			t.Errorf("plan %d starts", i)
		}
	}
	gate, _ := Gate{1, 1, 0.1}.Start()
	board, _ := Ladder{1, steps(0, 0)}.Start()
	validator, _ := SparseValidate{1, 1, 0.1, flagWidths(0, 0)}.Start()
	for i, ask := range []func(float64) error{
		func(x float64) error { _, err := gate.Test(x, 0); return err },
		func(x float64) error { _, err := gate.Test(0, x); return err },
		func(x float64) error { _, _, err := board.Submit(x); return err },
		func(x float64) error { _, _, err := validator.Ask(x, 0); return err },
		func(x float64) error { _, _, err := validator.Ask(0, x); return err },
	} {
		for _, x := range []float64{nan, math.Inf(1), math.Inf(-1)} {
			if err := ask(x); err == nil || errors.Is(err, ErrSpent) {
				t.Errorf("query %d with %v: %v", i, x, err)
			}
		}
	}
	var none GateRun
	if _, err := none.Test(1, 0); !errors.Is(err, ErrSpent) {
		t.Errorf("a gate that was not started: %v", err)
	}
}

// steps makes a board of boundaries and values in turn.
func steps(numbers ...float64) (board []theory.Step) {
	for i := 0; i < len(numbers); i += 2 {
		board = append(board, theory.Step{Boundary: numbers[i], Value: numbers[i+1]})
	}
	return board
}

// flagWidths makes widths of numbers of flags and widths in turn.
func flagWidths(numbers ...float64) (widths []theory.FlagWidth) {
	for i := 0; i < len(numbers); i += 2 {
		widths = append(widths, theory.FlagWidth{Flags: int64(numbers[i]), Width: numbers[i+1]})
	}
	return widths
}
