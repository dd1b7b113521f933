package holdout

import "github.com/dpcalc/dpcalc/holdout/form"

// The members of plan.json and of the lines of looks.jsonl.
type (
	Arrival    = form.Arrival
	Benchmark  = form.Benchmark
	Change     = form.Change
	Close      = form.Close
	Group      = form.Group
	LabelsFile = form.LabelsFile
	Law        = form.Law
	Match      = form.Match
	Pairs      = form.Pairs
	Promise    = form.Promise
	Reading    = form.Reading
	Shown      = form.Shown
	Sizes      = form.Sizes
	Units      = form.Units
)

// The errors of a ledger, beside [CorruptError] and [ReplacedError].
type (
	ChangedError  = form.ChangedError
	ExtendedError = form.ExtendedError
	InputError    = form.InputError
	PlanError     = form.PlanError
	RefusedError  = form.RefusedError
)

// The events of the log.
const (
	Looked  = form.Looked
	Retired = form.Retired
	Changed = form.Changed
	Torn    = form.Torn
)

// The verdicts of a look.
const (
	Pass        = form.Pass
	Fail        = form.Fail
	Holds       = form.Holds
	Moved       = form.Moved
	Improved    = form.Improved
	Kept        = form.Kept
	Raise       = form.Raise
	Keep        = form.Keep
	Rejected    = form.Rejected
	NotRejected = form.NotRejected
	Refused     = form.Refused
)

// The words of plan.json.
const (
	Exact          = form.Exact
	Trim           = form.Trim
	Fold           = form.Fold
	Value          = form.Value
	ByClusters     = form.ByClusters
	ByRows         = form.ByRows
	MissingRefused = form.MissingRefused
	MissingLow     = form.MissingLow
)

// Readings is the version of how logs and their repeats are read in a new ledger.
const Readings = form.Readings

// Matches returns the ways to match.
func Matches() []Match { return form.Matches() }

// Weights returns what may count alike.
func Weights() []string { return form.Weights() }

func inputf(format string, args ...any) error { return form.Inputf(format, args...) }
