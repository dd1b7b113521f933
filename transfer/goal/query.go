package goal

import (
	"strings"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// Query is the kind of the analyst's queries.
type Query int

// The kinds. A linear query is the mean over the records of phi: X -> [0,1].
const (
	Bounded      Query = iota // linear, phi in [0,1]
	Binary                    // linear, phi in {0,1}: accuracies, error rates
	Sensitive                 // any function that one record moves by at most D/n
	Minimization              // the better of two candidates by a loss that one record moves by at most D/n
	Difference                // a mean of phi: X -> [-1,1]: the new less the old
)

// kind is what plans ask of a kind of query.
type kind struct {
	name    string
	span    float64 // how far apart two values of the query can be, in units of D
	lowest  float64 // of a record's value
	mean    bool    // whether the query is a mean over the records
	zeroOne bool    // whether each record's value is 0 or 1
}

// queries holds what plans ask of each kind. A kind that says it is signed is planned as a difference, by its
// disagreement; one that says nothing more is a mean of values in [0,1]. Coq checks no row of a new kind.
var queries = [...]kind{
	Bounded:      {name: "bounded", span: 1, mean: true},
	Binary:       {name: "binary", span: 1, mean: true, zeroOne: true},
	Sensitive:    {name: "sensitive", span: 1},
	Minimization: {name: "minimization", span: 2},
	Difference:   {name: "difference", span: 2, lowest: -1, mean: true},
}

func (q Query) isKnown() bool { return q >= 0 && int(q) < len(queries) }

// kind returns the entry of a kind. A number without one is no mean, and nothing else.
func (q Query) kind() kind {
	if !q.isKnown() {
		return kind{name: "unknown"}
	}
	return queries[q]
}

// String returns the name that the command line uses, or "unknown".
func (q Query) String() string { return q.kind().name }

// Span returns how far apart two values of a query can be, for a sensitivity of 1.
func (q Query) Span() float64 { return q.kind().span }

// Lowest returns the least value of a record.
func (q Query) Lowest() float64 { return q.kind().lowest }

// IsMean reports whether a query is a mean over the records, and not any function that one record moves by little.
func (q Query) IsMean() bool { return q.kind().mean }

// IsZeroOne reports whether each record's value is 0 or 1.
func (q Query) IsZeroOne() bool { return q.kind().zeroOne }

// IsSigned reports whether a query is the mean of differences, whose values reach from -1 to 1.
func (q Query) IsSigned() bool { return q.kind().lowest < 0 }

// QueryKinds returns the kinds in the order of their numbers.
func QueryKinds() (kinds []Query) {
	for i := range queries {
		kinds = append(kinds, Query(i))
	}
	return kinds
}

// queryNames lists the kinds in words.
func queryNames() string {
	names := each.Of(QueryKinds(), Query.String)
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// ParseQuery reads the name of a kind.
func ParseQuery(name string) (Query, error) {
	for _, q := range QueryKinds() {
		if q.String() == name {
			return q, nil
		}
	}
	return 0, &theory.DomainError{Param: "query", Value: name, Want: queryNames()}
}
