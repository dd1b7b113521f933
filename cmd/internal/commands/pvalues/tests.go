package pvalues

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// tests returns the tests at one level by every correction of a plan, or by the correction of the method
// that is named, and the index of the best, -1 if none leaves a threshold.
func tests(plan maxinfo.Plan, alpha theory.LogProb, method string) (all []pvalue.Test, best int, err error) {
	all, err = pvalue.Tests(plan, alpha)
	if err != nil {
		return nil, -1, err
	}
	if method != "" && all[0].Correction.Name != "" { // else no theorem has a number for the whole
		if all, err = only(all, func(t pvalue.Test) string { return t.Correction.Name }, method); err != nil {
			return nil, -1, err
		}
	}
	return all, pvalue.Best(all), nil
}

// verdictNames are the columns after the numbers of a row.
var verdictNames = []string{"best", "proof", "status", "reason", "sources", "assumes", commands.NeighboursKey}

// verdictOf is what became of a correction.
func verdictOf(c pvalue.Correction, status theory.Status, reason string, best bool,
	by commands.Convention) commands.Verdict {
	return commands.Verdict{Method: c.Name, Best: best, Proof: c.Proof, Status: status, Reason: reason,
		Sources: by.Sources(c.Sources), Assumes: c.Assumes, Neighbours: by}
}

// bestOf is the best row, nil if there is none.
func bestOf[R any](rows []R, verdict func(R) commands.Verdict) *R {
	i := slices.IndexFunc(rows, func(r R) bool { return verdict(r).Best })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// only keeps what has the name of a method.
func only[T any](all []T, name func(T) string, method string) ([]T, error) {
	var names []string
	for _, x := range all {
		names = append(names, name(x))
	}
	if !slices.Contains(names, method) {
		return nil, usage.Errorf("--method: got %s, want %s for this source%s",
			usage.Shown(method), usage.OrList(names), usage.DidYouMean(method, names))
	}
	return slices.DeleteFunc(all, func(x T) bool { return name(x) != method }), nil
}

// chosen is the best test, or else the first that says something, or the first.
func chosen(all []pvalue.Test, best int) int {
	if best >= 0 {
		return best
	}
	return max(0, slices.IndexFunc(all, func(t pvalue.Test) bool { return t.Status.Applies() }))
}

// tiny is where float64 begins to lose digits: smaller probabilities are written by their logarithms.
const tiny = 1e-300

// thresholdCell is a threshold as a float64, at most which a p-value is rejected.
func thresholdCell(t *pvalue.Test) record.Cell {
	if t.Threshold.Value() < tiny {
		return record.Chance(t.Threshold)
	}
	return record.Exactly(t.ThresholdFloat())
}

// adjustedCell is an adjusted p-value as a float64.
func adjustedCell(t *pvalue.Test, a theory.LogProb) record.Cell {
	if a.Value() < tiny {
		return record.Chance(a)
	}
	return record.Exactly(t.AdjustedFloat(a))
}

// Legible cuts a threshold to six digits, so that people read none above it but for
// the rounding of float64, as people read numbers.
func Legible(threshold theory.LogProb) record.Cell {
	mantissa, exponent, tiny := strings.Cut(threshold.String(), "e")
	if x := threshold.Value(); x > 1e-300 {
		_, digits, e := record.SixDigits(x, false)
		mantissa, exponent = digits[:1]+"."+digits[1:], strconv.Itoa(e)
	} else if tiny {
		mantissa = mantissa[:min(len("d.ddddd"), len(mantissa))]
	}
	cut, ok := numbers.ParseProb(mantissa + "e" + exponent)
	if !ok { // zero
		return record.Chance(threshold)
	}
	return record.Chance(cut)
}
