package suite

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/theory"
)

// Settings of a run of checks.
type Settings struct {
	Epsilon    float64        // the privacy that the mechanisms are built for, from 0.05 to 8
	Samples    int64          // of a statistical check at most, from 2 to 2^31
	FalseAlarm theory.LogProb // of all statistical checks together, in (0, 1)
	Seed       uint64
	Workers    int // goroutines; one for each processor if 0. The result does not depend on it.
}

// Defaults returns the settings of the suite: epsilon 1, 2^20 samples and a false alarm of
// 1e-9.
func Defaults() Settings {
	return Settings{Epsilon: 1, Samples: 1 << 20, FalseAlarm: theory.LogProb(-9 * math.Ln10), Seed: 2017}
}

// Validate reports a DomainError for the first field outside its domain.
func (s Settings) Validate() error {
	return cmp.Or(
		inDomain(s.Epsilon),
		s.plan().Validate(),
		theory.Domain(s.FalseAlarm.IsInterior(), "false-alarm", s.FalseAlarm, "a number in (0, 1)"),
	)
}

func inDomain(epsilon float64) error {
	return theory.Domain(epsilon >= 0.05 && epsilon <= 8, "epsilon", epsilon, "a number in [0.05, 8]")
}

func (s Settings) plan() audit.Plan {
	return audit.Plan{Samples: s.Samples, Seed: s.Seed, Workers: s.Workers}
}

// Layer is how a check looks at a mechanism.
type Layer string

const (
	Exact       Layer = "exact"       // at its laws on all data sets of a small size
	Statistical Layer = "statistical" // at samples
)

// Mechanism is a mechanism with its claims, or a mutant of one.
type Mechanism struct {
	Name    string
	Summary string   // the mechanism in words; of a mutant, its fault
	Killers []string // of a mutant, the checks that must refute it

	change func(s *shape) // of the usual shape; nil for none
	build  func(s shape) subject
}

// subject is the mechanism of a shape.
func (m Mechanism) subject(s shape) subject {
	if m.change != nil {
		m.change(&s)
	}
	return m.build(s)
}

// Check is one check of one mechanism.
type Check struct {
	Mechanism string
	Claim     string
	Name      string // the same for every mechanism
	Layer     Layer
	Tight     bool // whether the mechanism attains the bound: Measured is then not below it either

	exact       func() (Row, error)
	statistical func(plan audit.Plan, alarm *audit.Alarm) (Row, error)
}

// Row is what a check found.
type Row struct {
	Mechanism, Claim, Check string
	Layer                   Layer
	Verdict                 audit.Verdict

	// The bound of the claim and the finding, of the worst case that the event
	// describes: exactly, or as a lower confidence bound at the false alarm; for the
	// check "law" it is the frequency.
	Bound, Measured float64
	Unbounded       bool // no number bounds the finding; Measured is then 0
	Event           string

	// Of the statistical layer.
	Samples    int64          // drawn
	FalseAlarm theory.LogProb // of this check; 0 in the exact layer
	Detectable float64        // the least violation that is found with probability 0.99; see package audit
	Seed       uint64
}

// shares is how many statistical checks there may be: each has that part of the false
// alarm, so that a row does not depend on which other checks are run.
const shares = 100

// Run runs a check, a statistical one with an alarm from the ledger. It reports the
// errors of Settings.Validate and of the ledger.
func (c Check) Run(s Settings, ledger *audit.Ledger) (Row, error) {
	if err := s.Validate(); err != nil {
		return Row{}, err
	}
	if c.Layer == Exact {
		row, err := c.exact()
		return c.signed(row), err
	}
	alpha := s.FalseAlarm - theory.LogProb(math.Log(shares))
	alarm, err := ledger.Draw(c.Mechanism+" "+c.Name, alpha)
	if err != nil {
		return Row{}, err
	}
	row, err := c.statistical(s.plan(), alarm)
	row.FalseAlarm, row.Seed = alpha, s.Seed
	return c.signed(row), err
}

func (c Check) signed(row Row) Row {
	row.Mechanism, row.Claim, row.Check, row.Layer = c.Mechanism, c.Claim, c.Name, c.Layer
	return row
}

// Checks returns the checks of several mechanisms, built for epsilon.
func Checks(mechanisms []Mechanism, epsilon float64) ([]Check, error) {
	if err := inDomain(epsilon); err != nil {
		return nil, err
	}
	var all []Check
	for _, m := range mechanisms {
		sub := m.subject(usual(epsilon))
		for _, c := range sub.checks() {
			c.Mechanism, c.Claim = m.Name, sub.claim.text
			all = append(all, c)
		}
	}
	return all, nil
}

// Run runs checks side by side, on one ledger of the settings' false alarm, and returns
// their rows in order, and the ledger. It calls step, if given, with the number of checks done. The errors are the ones
// of Check.Run and of the context.
func Run(ctx context.Context, checks []Check, s Settings, step func(done int)) ([]Row, *audit.Ledger, error) {
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	ledger, err := audit.NewLedger(s.FalseAlarm)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]Row, len(checks))
	err = parallel.For(ctx, len(checks), 1, s.Workers, func(lo, hi int) (err error) {
		for i := lo; i < hi && err == nil; i++ {
			rows[i], err = checks[i].Run(s, ledger)
		}
		return errors.Join(err, ctx.Err())
	}, step)
	return rows, ledger, err
}
