package pvalue

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Test is the selected test under one correction at one level. Its two forms agree exactly, at
// every float64, where Status is OK:
//
//	p <= Threshold         if and only if  Adjusted(p) <= Alpha,
//	p <= ThresholdFloat()  if and only if  AdjustedFloat(Adjusted(p)) <= the float64 of Alpha,
//
// the first for logarithms, the second for a float64 p that is read from its shortest decimal by
// [theory.ParseLogProb]. The threshold decides, and the adjusted value follows it. Both are on the safe side.
//
// The curve of [Correction.Adjusted] could not decide. Where a rule searches for a free parameter its
// float64 rises and falls from one p to the next, so that no threshold has all rejected p-values below it.
// Either curve is a valid test by itself, and so is a test that takes the threshold at Alpha and the curve
// at other levels: at the level x it rejects for p up to the greater of two thresholds, that at
// Alpha, which counts if x >= Alpha, and that at x.
type Test struct {
	Correction Correction
	Alpha      theory.LogProb
	Threshold  theory.LogProb // reject if p <= Threshold; theory.Zero unless Status is OK
	Status     theory.Status
	Reason     string // why Status is not OK
}

// Tests returns the test by every correction for the selection that a plan describes, in printing
// order. Where no theorem has a number for the whole plan, it is one test without a name, and Infeasible. The
// error is a DomainError.
func Tests(p maxinfo.Plan, alpha theory.LogProb) ([]Test, error) {
	if err := interior(alpha); err != nil {
		return nil, err
	}
	corrections, err := Corrections(p)
	status, reason, err := theory.StatusOf(err)
	switch {
	case err != nil:
		return nil, err
	case status != theory.OK:
		return []Test{{Alpha: alpha, Threshold: theory.Zero, Status: status, Reason: reason}}, nil
	}
	all := make([]Test, len(corrections))
	for i, c := range corrections {
		if all[i], err = c.At(alpha); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return all, nil
}

// Fixed returns the test at the level alpha of hypotheses that were all fixed before the data were seen: no p-value is
// corrected, and the step of a [Family] is all that several of them need. The error is a DomainError.
func Fixed(alpha theory.LogProb) (Test, error) {
	same := func(ln float64) float64 { return ln }
	return Test{Correction: Correction{
		Proof: theory.Published, Assumes: []string{"all tests were fixed before the data were seen"}, rule: rule{threshold: same, worst: same},
	}, Alpha: alpha, Threshold: alpha, Status: theory.OK}, interior(alpha)
}

// Best returns the index of the test with the greatest threshold, the first of equals, or -1 if
// none is OK.
func Best(tests []Test) int {
	best := -1
	for i, t := range tests {
		if t.Status == theory.OK && (best < 0 || t.Threshold > tests[best].Threshold) {
			best = i
		}
	}
	return best
}

// At returns the test at the level alpha. It is NotApplicable if the correction is, and Vacuous if
// no threshold above zero is left. The error is a DomainError unless 0 < alpha < 1.
func (c Correction) At(alpha theory.LogProb) (Test, error) {
	t := Test{Correction: c, Alpha: alpha, Threshold: theory.Zero}
	if err := interior(alpha); err != nil {
		return Test{}, err
	}
	gamma, err := c.Threshold(alpha)
	if t.Status, t.Reason, err = theory.StatusOf(err); err != nil || t.Status != theory.OK {
		return t, err
	}
	// A float64 and its shortest decimal may be half a unit apart, and so may the decimal
	// and what is read. The threshold stays below alpha and gamma all the same.
	gamma = gamma*(1+0x1p-52) - 0x1p-52
	if !(gamma >= -math.MaxFloat64) {
		t.Status, t.Reason = theory.Vacuous, c.blame(alpha)
		return t, nil
	}
	t.Threshold = gamma
	return t, nil
}

func interior(alpha theory.LogProb) error {
	return theory.Domain(alpha.IsInterior(), "alpha", alpha, "a probability in (0, 1)")
}

// Adjusted returns the adjusted p-value, rounded up and at most 1. It is above p = 0 where
// Vacuous, and may then be at most Alpha for p = 0 alone. The error is a DomainError unless 0 <= p <= 1, or
// tells why the theorem does not apply.
func (t Test) Adjusted(p theory.LogProb) (theory.LogProb, error) {
	if !t.Status.Applies() && t.Correction.Needs == nil {
		return 0, &theory.NoAnswerError{Reason: t.Reason}
	}
	a, err := t.Correction.Adjusted(p)
	switch {
	case err != nil:
		return 0, err
	case p > t.Threshold:
		return max(a, theory.LogProb(math.Nextafter(t.Alpha.Ln(), 0))), nil
	case t.Status == theory.OK:
		return min(a, t.Alpha), nil
	}
	return a, nil
}

// ThresholdFloat returns the largest float64 whose shortest decimal reads as at most Threshold, 0
// if no positive one does.
func (t Test) ThresholdFloat() float64 {
	if t.Threshold < -745 { // the least float64 reads as -744.4
		return 0
	}
	// What is read keeps the order of the decimals of two float64: their logarithms are 1e-17
	// apart, and ParseLogProb loses far less before it rounds. So there is one last float64, and the search
	// starts beside it.
	edge := t.edge()
	x := min(edge.Float(), math.Nextafter(1, 0))
	for x > 0 && t.isAbove(x, edge) {
		x = math.Nextafter(x, 0)
	}
	for {
		next := math.Nextafter(x, 1)
		if next == 1 || t.isAbove(next, edge) {
			return x
		}
		x = next
	}
}

// edge is the number up to which decimals read as at most Threshold: the middle, in logarithms,
// between that and the float64 after it.
func (t Test) edge() num.DD {
	last := t.Threshold.Ln()
	return num.FromFloat(last).AddFloat((math.Nextafter(last, 0) - last) / 2).Exp()
}

// isAbove reports whether the decimal of x reads as above Threshold. The decimal is within half a
// unit of x. It has to be read only where the edge is that near, and among the numbers close to the least
// float64, where the edge has lost its second half.
func (t Test) isAbove(x float64, edge num.DD) bool {
	gap := edge.Neg().AddFloat(x).Float()
	if half := (math.Nextafter(x, 1) - x) / 2; x > 1e-290 && math.Abs(gap) > half*1.001 {
		return gap > 0
	}
	return read(x) > t.Threshold
}

// AdjustedFloat returns an adjusted p-value as a float64. It is rounded up, at most 1, and at most
// the float64 with the shortest decimal of Alpha, if and only if a <= Alpha.
func (t Test) AdjustedFloat(a theory.LogProb) float64 {
	if a == theory.Zero {
		return 0
	}
	x := min(1, max(a.Value()*(1+0x1p-50), math.SmallestNonzeroFloat64))
	switch from := a.Ln() - t.Alpha.Ln(); {
	case math.Abs(from) > 1e-9 && x > 1e-300: // that much is in the float64 too
		return x
	case from <= 0:
		return min(x, decimal(t.Alpha))
	}
	return max(x, math.Nextafter(decimal(t.Alpha), 1))
}

// read returns what the shortest decimal of a float64 reads as.
func read(x float64) theory.LogProb {
	p, err := theory.ParseLogProb(strconv.FormatFloat(x, 'e', -1, 64))
	if err != nil {
		panic("pvalue: the decimal of a probability is none: " + err.Error())
	}
	return p
}

// decimal returns the float64 nearest to the decimal of p, 0 where that underflows and the one
// before 1 where it would be 1.
func decimal(p theory.LogProb) float64 {
	text, complement := strings.CutPrefix(p.String(), "1-")
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("pvalue: the text of a probability is no number: " + err.Error())
	}
	if complement {
		x = 1 - x
	}
	return min(x, math.Nextafter(1, 0))
}
