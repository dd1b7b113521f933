package pvalues

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// byFree is the source of a test that was chosen after a free look at the data.
const byFree = "free"

// freeLook is the verdict on it.
const freeLook = "after a free look at the data no threshold is valid for a test on the same data: test on fresh rows, or plan ahead"

// selection is what precedes the test.
type selection struct {
	choice
	plan   steps.TypedPlan
	source string
	fixed  bool // before the data were seen: there is no source
	alpha  theory.LogProb
}

// tests returns the tests at one level by every correction of a plan, or by those that were asked for, and the index of
// the best, -1 if none leaves a threshold.
func (s selection) tests() (all []pvalue.Test, best int, err error) {
	switch {
	case s.fixed:
		test, err := pvalue.Fixed(s.alpha)
		return []pvalue.Test{test}, 0, err
	case s.source == byFree:
		test := pvalue.Test{Alpha: s.alpha, Status: theory.NotApplicable, Reason: freeLook}
		test.Correction.Name = byFree
		return []pvalue.Test{test}, -1, nil
	}
	all, err = pvalue.Tests(s.plan.Plan, s.alpha)
	if err != nil {
		return nil, -1, err
	}
	if all[0].Correction.Name != "" { // else no theorem has a number for the whole
		of := func(t pvalue.Test) pvalue.Correction { return t.Correction }
		if all, err = only(all, of, s.choice, s.plan.Neighbours); err != nil {
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
	return commands.Verdict{Method: c.Name, Best: best, Proof: proofOf(c, by), Status: status, Reason: reason,
		Sources: by.Sources(c.Sources), Assumes: c.Assumes, Neighbours: by}
}

// proofOf says where the proof of a row is. Coq does not check how privacy is converted from one kind of neighbours.
func proofOf(c pvalue.Correction, by commands.Convention) theory.Proof {
	if c.InCoq && by != commands.ByAdding {
		return theory.Coq
	}
	return c.Proof
}

// bestOf is the best row, nil if there is none.
func bestOf[R any](rows []R, verdict func(R) commands.Verdict) *R {
	i := slices.IndexFunc(rows, func(r R) bool { return verdict(r).Best })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// choice is which methods are asked for: one by its name, "" for all, and those with proofs of some kinds.
type choice struct{ method, proofs string }

func readChoice(c usage.Values) (which choice, err error) {
	which.method, _ = c.Text("method")
	which.proofs, err = commands.ReadProofs(c)
	return which, err
}

// hasProofs reports whether proofs of some kinds alone will do.
func (which choice) hasProofs() bool {
	return which.proofs != "" && which.proofs != commands.ProofChoices[0]
}

// inputs repeats what was asked for.
func (which choice) inputs() []record.Input {
	all := []record.Input{{Name: "method", Value: record.Words(which.method)}}
	if which.hasProofs() {
		all = append(all, record.Input{Name: "proofs", Value: record.Words(which.proofs)})
	}
	return all
}

// only keeps what was asked for. Coq may check what is published.
func only[T any](all []T, of func(T) pvalue.Correction, which choice, by commands.Convention) ([]T, error) {
	names := each.Of(all, func(x T) string { return of(x).Name })
	if which.method != "" && !slices.Contains(names, which.method) {
		return nil, usage.Errorf("--method: got %s, want %s for this source%s",
			usage.Shown(which.method), usage.OrList(names), usage.DidYouMean(which.method, names))
	}
	var wanted []string // nil for all
	if which.hasProofs() {
		wanted = strings.Split(which.proofs, ",")
	}
	all = slices.DeleteFunc(all, func(x T) bool {
		c := of(x)
		if which.method != "" && c.Name != which.method {
			return true
		}
		if wanted == nil || c.Proof == "" { // an answer that is none has no proof
			return false
		}
		is := func(proof theory.Proof) bool { return slices.Contains(wanted, string(proof)) }
		return !is(c.Proof) && !is(proofOf(c, by))
	})
	if len(all) == 0 {
		return nil, usage.Errorf("--proofs: got %s, want all: no method for this source has such a proof", which.proofs)
	}
	return all, nil
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
		return record.Chance(t.Threshold).AtLeast()
	}
	return record.Exactly(t.ThresholdFloat()).AtLeast()
}

// adjustedCell is an adjusted p-value as a float64.
func adjustedCell(t *pvalue.Test, a theory.LogProb) record.Cell {
	if a.Value() < tiny {
		return record.Chance(a)
	}
	return record.Exactly(t.AdjustedFloat(a))
}
