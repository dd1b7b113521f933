package form

import (
	"fmt"
	"strings"
)

// InputError is a mistake in the input. Nothing was spent or written.
type InputError struct{ Text string }

func (e *InputError) Error() string { return e.Text }

// Inputf returns an [InputError] with a formatted text.
func Inputf(format string, args ...any) error { return &InputError{fmt.Sprintf(format, args...)} }

// PlanError says that no plan came of the terms. Checked says that all of the goal was given: it is a check that
// failed. Otherwise the goal has no answer.
type PlanError struct {
	Checked bool
	Reason  string
}

func (e *PlanError) Error() string { return "the plan has no certificate: " + e.Reason }

// RefusedError says that the plan covers no further look.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "refused: " + e.Reason }

// ChangedError says that the ledger was made for other labels.
type ChangedError struct{}

func (*ChangedError) Error() string { return "the labels are not those that the ledger was made for" }

// ExtendedError says that the rows of an open ledger have changed since it was opened.
type ExtendedError struct{}

func (*ExtendedError) Error() string {
	return "the rows of the ledger have changed since it was opened: open it with the labels of all rows"
}

// InAll returns the error of one of several declarations, told of all of them.
func InAll(name string, err error) error {
	_, what, _ := strings.Cut(err.Error(), ": ")
	return Inputf("%s: %s", name, what)
}
