package theory

import (
	"errors"
	"fmt"
	"testing"
)

// Every error of this package has its status, wrapped or not, and no other error has one.
func TestStatusOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Status
	}{
		{nil, OK},
		{&NotApplicableError{Needs: "a number"}, NotApplicable},
		{&NoAnswerError{Reason: "too large"}, Infeasible},
		{Domain(false, "tau", 2.0, "a number in (0, 1)"), ""},
		{errors.New("disk full"), ""},
	} {
		wrapped := c.err
		if c.err != nil {
			wrapped = fmt.Errorf("method: %w", c.err)
		}
		for _, err := range []error{c.err, wrapped} {
			status, reason, unknown := StatusOf(err)
			wantUnknown := err
			if c.want != "" {
				wantUnknown = nil
			}
			if status != c.want || unknown != wantUnknown {
				t.Errorf("%v: %q, error %v, want %q", err, status, unknown, c.want)
			}
			wantReason := ""
			if status == NotApplicable || status == Infeasible {
				wantReason = err.Error()
			}
			if reason != wantReason {
				t.Errorf("%v: the reason is %q", err, reason)
			}
		}
	}
}

// An outcome has a value where the theorem applies, and a reason unless it is ok.
func TestOutcomeOf(t *testing.T) {
	bound := Bound[float64]{Value: 2, Sources: []Source{{Key: "dwork14book"}}}
	for _, c := range []struct {
		err     error
		vacuous string
		want    Status
	}{
		{nil, "", OK}, {nil, "delta is 1", Vacuous},
		{&NotApplicableError{Needs: "a number"}, "", NotApplicable},
		{&NoAnswerError{Reason: "too large"}, "delta is 1", Infeasible},
	} {
		out, err := OutcomeOf(bound, c.err, c.vacuous)
		if err != nil || out.Status != c.want || (out.Reason == "") != (c.want == OK) {
			t.Errorf("%v, %q: %+v, %v, want %s", c.err, c.vacuous, out, err, c.want)
		}
		if (out.Value == 2) != out.Status.Applies() {
			t.Errorf("%s has the value %v", out.Status, out.Value)
		}
	}
	if out, err := OutcomeOf(bound, errors.New("disk full"), ""); err == nil || out.Status != "" {
		t.Errorf("an unknown error is %+v, %v", out, err)
	}
}
