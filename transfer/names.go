package transfer

import (
	"math/big"

	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// What a goal says.
type (
	Arrival  = goal.Arrival
	Classes  = goal.Classes
	Clusters = goal.Clusters
	Decided  = goal.Decided
	Feedback = goal.Feedback
	Goal     = goal.Goal
	Known    = goal.Known
	Option   = goal.Option
	Query    = goal.Query
	Range    = goal.Range
	Ratio    = goal.Ratio
	Sample   = goal.Sample
	Shown    = goal.Shown
	Stage    = goal.Stage
	Subset   = goal.Subset
	Unknown  = goal.Unknown
)

// What to run.
type (
	Mechanism = solver.Mechanism
	Schedule  = solver.Schedule
)

// MaxCount is the largest number of samples, queries or flagged answers.
const MaxCount = goal.MaxCount

// The kinds of queries.
const (
	Bounded      = goal.Bounded
	Binary       = goal.Binary
	Sensitive    = goal.Sensitive
	Minimization = goal.Minimization
	Difference   = goal.Difference
)

// The unknowns.
const (
	None    = goal.None
	Samples = goal.Samples
	Queries = goal.Queries
	Tau     = goal.Tau
	Beta    = goal.Beta
)

// What the analyst is shown.
const (
	Answers = goal.Answers
	Gate    = goal.Gate
	Best    = goal.Best
	Flags   = goal.Flags
	Final   = goal.Final
)

// Whether the rows on which predictions differ are counted.
const (
	Undecided  = goal.Undecided
	AnyClasses = goal.AnyClasses
	TwoClasses = goal.TwoClasses
)

// WantRange says what a range may be.
const WantRange = goal.WantRange

// QueryKinds returns the kinds of queries in the order of their numbers.
func QueryKinds() []Query { return goal.QueryKinds() }

// ParseQuery reads the name of a kind.
func ParseQuery(name string) (Query, error) { return goal.ParseQuery(name) }

// ParseFeedback reads the name of a kind of feedback.
func ParseFeedback(name string) (Feedback, error) { return goal.ParseFeedback(name) }

// ParseDecided reads the name of decided rows.
func ParseDecided(name string) (Decided, error) { return goal.ParseDecided(name) }

// Some returns an option that is given.
func Some(x float64) Option { return goal.Some(x) }

// NewClusters returns clusters of rows that count alike.
func NewClusters(count int64, rows, largest, squares *big.Rat) Clusters {
	return goal.NewClusters(count, rows, largest, squares)
}
