package goals

import (
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/transfer"
)

// The flags of rows that arrive between the queries.
var (
	// ArriveFlag says what the rows are up to which query.
	ArriveFlag = usage.Flag{Name: "arrive",
		Usage: "rows come between the queries: `N1:M1,N2:M2,...` is N1 rows for queries up to M1 and N2 up to M2, in place of --samples and --queries"}
	arriveRowsFlag = usage.Flag{Name: "arrive-rows",
		Usage: "`G` rows come after every --arrive-looks queries; --samples is the rows at the first"}
	arriveLooksFlag = usage.Flag{Name: "arrive-looks", Usage: "`K` queries are asked before new rows come, with --arrive-rows"}

	arrivalFlags = []usage.Flag{ArriveFlag, arriveRowsFlag, arriveLooksFlag}
)

// ColumnLastSamples is empty where all rows are there at the first query.
var ColumnLastSamples = Column{Name: "last_samples", Title: "rows at last", Says: "rows that the last query is about",
	Cell: func(r *Row) record.Cell {
		if r.Arrival == nil || r.Samples == 0 {
			return record.Cell{}
		}
		return record.Count(r.LastSamples())
	}}

// readArrival reads which rows come. Stages say what the rows are at the first query, and which one is the last.
func readArrival(c usage.Values, base *transfer.Goal) error {
	stages, listed := c.Text(ArriveFlag.Name)
	_, rows := c.Text(arriveRowsFlag.Name)
	_, looks := c.Text(arriveLooksFlag.Name)
	switch {
	case listed && (rows || looks):
		return usage.Errorf("--arrive: given with --arrive-rows or --arrive-looks, want one of the two ways")
	case listed:
		return readStages(stages, base)
	case rows != looks:
		return usage.Errorf("--arrive-rows, --arrive-looks: got one of them, want both")
	case !rows:
		return nil
	}
	base.Arrival = new(transfer.Arrival)
	var err error
	numbers.Read(c, &err, arriveRowsFlag.Name, numbers.Counts, &base.Arrival.Rows)
	numbers.Read(c, &err, arriveLooksFlag.Name, numbers.Counts, &base.Arrival.Queries)
	return err
}

func readStages(text string, base *transfer.Goal) error {
	base.Arrival = new(transfer.Arrival)
	for i, item := range strings.Split(text, ",") {
		n, m, _ := strings.Cut(strings.TrimSpace(item), ":")
		rows, ok := numbers.Counts.Parse(n)
		until, ok2 := numbers.Counts.Parse(m)
		if !ok || !ok2 {
			return usage.Invalid(ArriveFlag.Name, item, "rows and the last query about them, such as 4500:100, with a comma between two of them")
		}
		if i == 0 {
			base.Samples = rows
		}
		base.Arrival.Stages = append(base.Arrival.Stages, transfer.Stage{More: rows - base.Samples, Until: until})
		base.Queries = until
	}
	return nil
}

// arrivalValues are the flags that say which rows come, with their values.
func arrivalValues(g transfer.Goal) (flags [][2]string) {
	a := g.Arrival
	switch {
	case a == nil:
		return nil
	case len(a.Stages) == 0:
		return [][2]string{{arriveRowsFlag.Name, fmt.Sprint(a.Rows)}, {arriveLooksFlag.Name, fmt.Sprint(a.Queries)}}
	}
	items := each.Of(a.Stages, func(s transfer.Stage) string { return fmt.Sprintf("%d:%d", g.Samples+s.More, s.Until) })
	return [][2]string{{ArriveFlag.Name, strings.Join(items, ",")}}
}

func plural(queries int64) string {
	if queries == 1 {
		return "query"
	}
	return record.People(record.Count(queries)) + " queries"
}

// ArrivalWords say which rows come.
func ArrivalWords(g transfer.Goal) string {
	switch a := g.Arrival; {
	case a == nil:
		return ""
	case len(a.Stages) == 0:
		return record.Plural(a.Rows, "row") + " more after every " + plural(a.Queries)
	default:
		return "rows that come in " + record.Plural(int64(len(a.Stages)), "stage")
	}
}
