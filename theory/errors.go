package theory

import (
	"fmt"
	"strconv"
)

// DomainError reports an argument that makes no sense for any theorem: a
// negative number of queries, a probability of 2, a NaN.
type DomainError struct {
	Param string // the parameter, in the field's terms: "tau", "beta"
	Value string // as it was given
	Want  string // the domain, e.g. "a number in (0, 1)"
}

func (e *DomainError) Error() string {
	return fmt.Sprintf("%s: got %s, want %s", e.Param, e.Value, e.Want)
}

// NotApplicableError reports sensible arguments that lie outside the hypotheses
// of one theorem. Another theorem may still answer.
type NotApplicableError struct {
	Source Source // the theorem whose hypothesis fails
	Needs  string // the hypothesis, e.g. "epsilon <= tau^2"
}

func (e *NotApplicableError) Error() string { return "needs " + e.Needs }

// NoAnswerError reports that the theorem applies and that no finite answer
// satisfies it, or none within the range that dpcalc represents exactly.
type NoAnswerError struct {
	Reason string
}

func (e *NoAnswerError) Error() string { return e.Reason }

// Domain returns nil if ok holds and a [*DomainError] otherwise. Callers write
// ok so that a NaN makes it false.
func Domain(ok bool, param string, value any, want string) error {
	if ok {
		return nil
	}
	var text string
	switch v := value.(type) {
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case LogProb:
		if text = v.String(); v > 0 && v <= 1 { // a probability that was typed for its logarithm
			want += fmt.Sprintf("; a LogProb is a logarithm, and theory.Prob(%v) is the one of %[1]v", float64(v))
		}
	default:
		text = fmt.Sprint(v)
	}
	return &DomainError{Param: param, Value: text, Want: want}
}

// TooMany is the NoAnswerError of a theorem that needs n rows, more than 2^53. It says how many where that is a number.
func TooMany(n float64) *NoAnswerError {
	if !(n <= 1e300) {
		return &NoAnswerError{Reason: "needs more than 2^53 rows"}
	}
	return &NoAnswerError{Reason: fmt.Sprintf("needs about %.3g rows, more than 2^53", n)}
}
