package theory

import "errors"

// Status says what kind of answer the row of a theorem is. Its text is what tables and
// JSON show.
type Status string

// The kinds of answers. The zero value is none of them.
const (
	OK            Status = "ok"             // the value is certified
	Vacuous       Status = "vacuous"        // the theorem holds and says nothing: its bound is trivial
	Infeasible    Status = "infeasible"     // no value within range satisfies the theorem
	NotApplicable Status = "not_applicable" // a hypothesis of the theorem fails
	Missing       Status = "missing"        // nothing was asked: an empty cell in a table of p-values
)

// Applies reports whether the row has a value: the theorem says something, however trivial.
func (s Status) Applies() bool { return s == OK || s == Vacuous }

// StatusOf returns the status of a theorem that returned err, and why it is not [OK]: a
// [*NotApplicableError] is [NotApplicable], a [*NoAnswerError] is [Infeasible] and nil is OK. Every
// other error, a [*DomainError] among them, is no status: it is returned as unknown, and the status is
// then the zero value.
func StatusOf(err error) (status Status, reason string, unknown error) {
	var needs *NotApplicableError
	var none *NoAnswerError
	switch {
	case err == nil:
		return OK, "", nil
	case errors.As(err, &needs):
		return NotApplicable, err.Error(), nil
	case errors.As(err, &none):
		return Infeasible, err.Error(), nil
	}
	return "", "", err
}

// Outcome is what came of applying a theorem: its bound, or why there is none.
type Outcome[T any] struct {
	Bound[T]        // has a value where Status is OK or Vacuous
	Status   Status // never the zero value
	Reason   string // why Status is not OK
}

// OutcomeOf returns the outcome of a theorem that returned bound and err. A vacuous text says
// why the bound is trivial; it is empty where the bound says something. An err that [StatusOf] does not
// know stays an error.
func OutcomeOf[T any](bound Bound[T], err error, vacuous string) (Outcome[T], error) {
	status, reason, err := StatusOf(err)
	switch {
	case err != nil:
		return Outcome[T]{}, err
	case status != OK:
		return Outcome[T]{Status: status, Reason: reason}, nil
	case vacuous != "":
		status, reason = Vacuous, vacuous
	}
	return Outcome[T]{Bound: bound, Status: status, Reason: reason}, nil
}
