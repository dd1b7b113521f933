package holdout

import (
	"io"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/fixed"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/plans"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/sample"
	"github.com/dpcalc/dpcalc/holdout/terms"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// The members of plan.json and of the lines of looks.jsonl.
type (
	Close      = form.Close
	LabelsFile = form.LabelsFile
	Match      = form.Match
	Promise    = form.Promise
	Reading    = form.Reading
	Shown      = form.Shown
	Sizes      = form.Sizes
	Units      = form.Units
)

// What a ledger reads.
type (
	Content   = data.Content
	Counts    = data.Counts
	Features  = data.Features
	File      = data.File
	Form      = data.Form
	FormError = data.FormError
	Items     = data.Items
	Labels    = data.Labels
	Table     = data.Table
)

// The forms of a table.
const (
	AnyForm   = data.AnyForm
	Tabs      = data.Tabs
	JSONLines = data.JSONLines
)

// Accuracy is the metric of the share of right predictions.
const Accuracy = metric.Accuracy

// Columns returns the table of two slices of equal length.
func Columns(ids, values []string) Table { return data.Columns(ids, values) }

// NewLabels reads labels. An id must not occur twice, and neither id nor label may be empty.
func NewLabels(t Table) (*Labels, error) { return data.NewLabels(t) }

// NewRows reads labels that may be empty, for a ledger of columns alone.
func NewRows(t Table) (*Labels, error) { return data.NewRows(t) }

// NewFeatures reads a file of features, which is found again by its path.
func NewFeatures(in io.Reader, path string) (*Features, error) { return data.NewFeatures(in, path) }

// NewItems reads the ids of a benchmark, which is found again by its path.
func NewItems(t Table, path string) (*Items, error) { return data.NewItems(t, path) }

// IsColumn reports whether a metric reads a column of values.
func IsColumn(name string) bool { return data.IsColumn(name) }

// AreColumns reports whether metrics are columns alone, so that labels are not needed.
func AreColumns(metrics []string) bool { return data.AreColumns(metrics) }

// What a ledger is made of, and what its rules answer.
type (
	Ahead      = open.Ahead
	Batch      = rule.Batch
	Known      = rule.TruthInterval
	Line       = rule.Line
	Plan       = rule.Plan
	Remaining  = rule.Remaining
	Response   = open.Response
	Extension  = sample.Extension
	Source     = sample.Source
	Submission = rule.Submission
	Terms      = terms.Terms
	Asks       = terms.Asks
	Drawn      = terms.Drawn
	Unlimited  = terms.Unlimited
)

// UsualMost is the most nats that a response costs where nothing else was declared.
const UsualMost = open.UsualMost

// The laws of a ledger's rows. A ledger has one.
const (
	LawLabels  = terms.LawLabels
	LawClasses = terms.LawClasses
)

// Laws returns the laws of a ledger's rows.
func Laws() []string { return terms.Laws() }

// Methods returns the methods that a ledger runs.
func Methods() []string { return fixed.Methods() }

// Certify computes the certificate of the terms for so many rows, and the plan to be run: by the method named, or by
// the best that a ledger runs. The error is an [InputError], a [PlanError] or a DomainError.
func Certify(t Terms, samples int64) (*Plan, error) { return plans.Certify(t, samples) }

// ValidName checks the name of a look or a team.
func ValidName(field, name string) error { return rule.ValidName(field, name) }

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

// shown is a text that somebody typed, in a sentence.
func shown(s string) string { return text.Shown(s) }

func inputf(format string, args ...any) error { return form.Inputf(format, args...) }

// What an open look shows.
const (
	ShowPass   = ask.Pass
	ShowBest   = ask.Best
	ShowScore  = ask.Score
	ShowGuess  = ask.Guess
	ShowReject = ask.Reject
)

// The tests of [ShowReject].
const (
	SignTest = ask.SignTest
	McNemar  = ask.McNemar
)

// Tests returns the tests of [ShowReject].
func Tests() []string { return ask.Tests() }

// Question is what a look asks beside its metric.
type Question = ask.Question

// Condition is one of several bars that a model is to pass together, on some rows.
type Condition = ask.Condition
