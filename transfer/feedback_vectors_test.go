package transfer

import (
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
)

// feedbackOf is the feedback that the methods of feedback.csv are about.
var feedbackOf = map[string]Feedback{
	"gate": Gate, "gate-renggli19": Gate, "ladder": Best, "ladder-blum15": Best, "sparse-validate": Flags,
	"rounding-widths": Answers, "sealed": Final,
}

// feedbackGoal reads a line of feedback.csv. An empty cell is not given.
func feedbackGoal(t *testing.T, row vectors.Row) Goal {
	number := func(column string) Option {
		if row[column] == "" {
			return Option{}
		}
		return Some(row.Float(t, column))
	}
	kind, err := ParseQuery(row["query"])
	if err != nil {
		t.Fatal(err)
	}
	return Goal{
		Queries: int64(row.Float(t, "queries")), Tau: row.Float(t, "tau"), Beta: lp(row["beta"]),
		Query: kind, Budget: int64(number("budget").Value),
		Shown: Shown{Feedback: feedbackOf[row["method"]], OneSided: row["one_sided"] == "true",
			Passes: int64(number("passes").Value), Bar: number("threshold"), Floor: number("floor").Value,
			Hold: number("hold").Value, GuessError: number("guess_error")}, Known: Known{Disagreement: number("disagreement").Value},
	}
}

// feedback.csv has independent values: closed ones to the integer, the values of ladder and sparse-validate at
// most a thousandth above. With exact tails a 0/1 query never needs more.
func TestFeedbackVectors(t *testing.T) {
	for _, row := range vectors.Rows(t, "feedback.csv") {
		g := feedbackGoal(t, row)
		m, _ := Lookup(row["method"])
		a, err := m.Solve(g)
		want := int64(row.Float(t, "samples"))
		if err != nil || a.Status != OK {
			t.Errorf("%s %+v: %+v, %v", m.Name, g, a, err)
			continue
		}
		searched := m.Name == "ladder" || m.Name == "sparse-validate"
		if a.Samples > want+want/1000 || a.Samples < want && !(searched && a.Samples > want-want/100) {
			t.Errorf("%s %+v: n = %d, want %d", m.Name, g, a.Samples, want)
		}
		if !(a.TauAchieved > 0.9*g.Tau && a.TauAchieved <= g.Tau) && !searched {
			t.Errorf("%s %+v: tau achieved is %v", m.Name, g, a.TauAchieved)
		}
		if g.Query != Bounded {
			continue
		}
		g.Query = Binary
		if b, err := m.Solve(g); err != nil || b.Status != OK || b.Samples > a.Samples {
			t.Errorf("%s, 0/1 queries %+v: %+v, %v; want at most %d rows", m.Name, g, b, err, a.Samples)
		}
	}
}
