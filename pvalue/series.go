package pvalue

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Spending is a way to share alpha among tests that come one after the other, each chosen in view of the
// verdicts before: the j-th of J tests gets the share s_j while nothing is rejected. The shares add up to at most 1.
type Spending string

// The sequences. Equal shares are Bonferroni's. The inverse squares favour the first tests and need no number
// of tests to be known. Halving takes half of the rest, so that the levels are the same whatever the verdicts.
const (
	EqualShares    Spending = "equal"          // 1/J
	InverseSquares Spending = "inverse-square" // 6/(pi^2 j^2)
	Halving        Spending = "halving"        // 1/2^j
)

// Spendings lists the sequences in printing order.
func Spendings() []Spending { return []Spending{EqualShares, InverseSquares, Halving} }

// lnShare returns ln s_j for the j-th of so many tests, rounded down.
func (s Spending) lnShare(j, tests int64) float64 {
	switch s {
	case EqualShares:
		return -num.Log(float64(tests))
	case InverseSquares:
		return num.Log(6/(math.Pi*math.Pi)) - 2*num.Log(float64(j))
	case Halving:
		return -math.Ln2 * float64(j)
	}
	panic("pvalue: a spending sequence without shares")
}

// Series is a sequence of up to Tests tests, each chosen in view of the verdicts before, which are all that is
// shown, and retired at the rejection number Passes. The probability of any false rejection is at most Alpha. After
// other steps on the same data, Alpha is the threshold that their correction leaves.
type Series struct {
	Alpha    theory.LogProb // in (0, 1)
	Tests    int64          // from 1 to 2^53
	Passes   int64          // from 1 to Tests; Tests for no limit
	Spending Spending
}

// Validate reports a DomainError for the first field outside its domain.
func (s Series) Validate() error {
	if err := interior(s.Alpha); err != nil {
		return err
	}
	const tests = "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(s.Tests >= 1 && s.Tests <= 1<<53, "tests", s.Tests, tests); err != nil {
		return err
	}
	const passes = "a whole number from 1 to the number of tests"
	if err := theory.Domain(s.Passes >= 1 && s.Passes <= s.Tests, "passes", s.Passes, passes); err != nil {
		return err
	}
	known := slices.Contains(Spendings(), s.Spending)
	return theory.Domain(known, "spending", string(s.Spending), "equal, inverse-square or halving")
}

// Bonferroni returns alpha/J, rounded down: the level of each of J tests that are all fixed in advance.
func (s Series) Bonferroni() (theory.LogProb, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	return times(s.Alpha, EqualShares.lnShare(1, s.Tests)), nil
}

// Fixed returns the level of test j, from 1, that may be written down in advance, whatever the verdicts will be,
// rounded down: s_j alpha divided by the number of ways to get to test j, sum_(l<B) C(j-1,l), as a verdict
// is an answer out of two; for halving s_j alpha itself. It reports a DomainError.
func (s Series) Fixed(j int64) (theory.LogProb, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	const test = "a whole number from 1 to the number of tests"
	if err := theory.Domain(j >= 1 && j <= s.Tests, "test", j, test); err != nil {
		return 0, err
	}
	ln := s.Spending.lnShare(j, s.Tests)
	if s.Spending != Halving {
		ln -= num.LnChooseUpTo(j-1, s.Passes-1).Float()
	}
	return times(s.Alpha, ln), nil
}

// Run is a series after some verdicts. The zero value is over.
type Run struct {
	series Series
	base   theory.LogProb // what the tests since the last rejection share
	next   int64          // the number of the next test among them, from 1; 0 if there is none
	left   int64          // how many of them there are
	passes int64          // rejections so far
}

// Start returns the series before its first test. It reports a DomainError.
func (s Series) Start() (Run, error) {
	if err := s.Validate(); err != nil {
		return Run{}, err
	}
	return Run{series: s, base: s.Alpha, next: 1, left: s.Tests}, nil
}

// Level returns the level of the next test, rounded down; ok is false if the series is over. Among the tests
// since the last rejection, which share the level of the rejected one, test i gets the share s_i.
func (r Run) Level() (level theory.LogProb, ok bool) {
	if r.next == 0 {
		return theory.Zero, false
	}
	return times(r.base, r.series.Spending.lnShare(r.next, r.left)), true
}

// After returns the series after the verdict of the next test.
func (r Run) After(rejected bool) Run {
	if !rejected {
		return r.Unrejected(1)
	}
	level, _ := r.Level()
	r.base, r.left, r.next, r.passes = level, r.left-r.next, 1, r.passes+1
	if r.left <= 0 || r.passes == r.series.Passes {
		return Run{}
	}
	return r
}

// Unrejected returns the series after so many more tests, none of which is rejected.
func (r Run) Unrejected(tests int64) Run {
	if tests > r.left-r.next {
		return Run{}
	}
	r.next += tests
	return r
}

// times returns a part of a probability, given by its logarithm, rounded down.
func times(p theory.LogProb, lnPart float64) theory.LogProb {
	return theory.LogProb(down(p.Ln() + min(lnPart, 0)))
}
