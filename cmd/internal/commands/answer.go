package commands

import (
	"iter"
	"sync/atomic"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
)

// Answer is what a command found, to be written in any format by [Emit].
type Answer[R any] struct {
	Command string // its name in the schema of JSON and on sheets
	Schema  string // in place of COMMAND/1; "" for that
	Inputs  []record.Input
	Rows    Rows[R]
	Chain   int                // units are visited from a multiple of it on; 0 stands for 1
	Columns []record.Column[R] // for machines
	Shown   []record.Column[R] // for people, who do not see those that hold nothing
	Sheets  []Sheet[R]         // of a workbook; nil for one of the columns for machines

	Verdict func(R) Verdict                // of a row for a method; nil if rows are not for methods
	Say     func() (title, notes []string) // for people; nil for nothing
	Text    func() string                  // what people read in place of a table; nil for none
	Figure  func() (record.Figure, error)  // nil for none

	Look  func(R) record.Look                                       // of a row in a workbook; nil for its verdict's
	About func() (remarks []record.Remark, sources []theory.Source) // of a workbook; nil for the verdicts' sources

	Bar    *outfile.Progress // of the units
	Before int               // how many steps it has made before the first of them
	Tally  *Tally            // counted by the command; nil for a count of the verdicts
	Then   func() error      // what follows the rows, whatever the exit code; nil for nothing
}

// Sheet is a sheet of a workbook with a line for each row.
type Sheet[R any] struct {
	Name    string
	Columns []record.Column[R]
	Titled  bool                                   // its header has the titles for people
	Compact bool                                   // columns that hold nothing are left out, if the units are one block
	Chart   func([]record.Column[R]) *record.Chart // of the columns that are left; nil for none
}

// Rows are the rows of an answer. They come in units, such as goals or points, which can be answered apart from one
// another. A unit has a row at least.
type Rows[R any] interface {
	Units() int // [Unknown] if the rows only come one after the other
	Len() int   // rows in all; [Unknown] before they are made

	// Each visits the rows of the units from lo up to hi. Several workers may call it. A row is the visitor's for the
	// time of the visit.
	Each(lo, hi int, visit func(R) error) error
}

// Unknown stands for a number of units or rows that nobody knows.
const Unknown = -1

type list[R any] []R

// List is rows that are there.
func List[R any](rows []R) Rows[R] { return list[R](rows) }

func (l list[R]) Units() int { return len(l) }
func (l list[R]) Len() int   { return len(l) }

func (l list[R]) Each(lo, hi int, visit func(R) error) error {
	for _, r := range l[lo:hi] {
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

type sequence[R any] iter.Seq[R]

// Sequence is rows each of which is made after the one before it.
func Sequence[R any](rows iter.Seq[R]) Rows[R] { return sequence[R](rows) }

func (s sequence[R]) Units() int { return Unknown }
func (s sequence[R]) Len() int   { return Unknown }

func (s sequence[R]) Each(_, _ int, visit func(R) error) error {
	for r := range s {
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

// Verdict is what became of a method. People do not see the row of one that does not apply: its
// reason is told below the table.
type Verdict struct {
	Method     string
	Best       bool
	Proof      theory.Proof
	Status     theory.Status // "" where a row is no answer to a question
	Reason     string        // in the words of the library; see [Flagged]
	Sources    []theory.Source
	Assumes    []string
	Neighbours Convention
	Refuted    bool // a check failed
}

// VerdictColumns are the columns of these names of what became of a method, "" for the star.
func VerdictColumns[R any](of func(R) Verdict, names ...string) []record.Column[R] {
	columns := make([]record.Column[R], len(names))
	for i, name := range names {
		cell := verdictCells[name]
		columns[i] = record.Column[R]{Name: name, Cell: func(r R) record.Cell { return cell(of(r)) }}
	}
	return columns
}

var verdictCells = map[string]func(Verdict) record.Cell{
	"":            func(v Verdict) record.Cell { return record.Mark(v.Best) },
	"method":      func(v Verdict) record.Cell { return record.Words(v.Method) },
	"best":        func(v Verdict) record.Cell { return record.Truth(v.Best) },
	"proof":       func(v Verdict) record.Cell { return record.Words(string(v.Proof)) },
	"status":      func(v Verdict) record.Cell { return record.Words(string(v.Status)) },
	"reason":      func(v Verdict) record.Cell { return record.Words(Flagged(v.Reason)) },
	"sources":     func(v Verdict) record.Cell { return record.Sources(v.Sources) },
	"assumes":     func(v Verdict) record.Cell { return record.List(v.Assumes) },
	NeighboursKey: func(v Verdict) record.Cell { return record.Words(string(v.Neighbours)) },
}

// Tally is what the exit code depends on. It may be counted by several workers.
type Tally struct{ answered, refuted atomic.Bool }

// Answered notes that a row has an answer.
func (t *Tally) Answered() {
	if !t.answered.Load() {
		t.answered.Store(true)
	}
}

// Refuted notes that a check failed.
func (t *Tally) Refuted() { t.refuted.Store(true) }

func (t *Tally) count(v Verdict) {
	if v.Refuted {
		t.Refuted()
	}
	if v.Status == theory.OK || v.Status == "" {
		t.Answered()
	}
}

// Outcome is the exit code as an error, nil for 0.
func (t *Tally) Outcome() error {
	switch {
	case t.refuted.Load():
		return usage.Outcome(usage.ExitRefuted)
	case !t.answered.Load():
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return nil
}
