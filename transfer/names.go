package transfer

import (
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

// How these are listed, read and made.
var (
	NewClusters   = goal.NewClusters
	ParseDecided  = goal.ParseDecided
	ParseFeedback = goal.ParseFeedback
	ParseQuery    = goal.ParseQuery
	QueryKinds    = goal.QueryKinds
	Some          = goal.Some
)
