package column_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
)

// People read both ends of every interval in one column, rounded outwards, and no hash; all else stands as it is, what
// was asked and answered first.
func TestForPeople(t *testing.T) {
	lower, upper, from := 0.80834756, 0.89117812, 0.8545678
	var l holdout.Line
	l.Look, l.Verdict, l.Fingerprint, l.Chain, l.Key = 3, holdout.Pass, "f", "c", "k"
	l.Show, l.Lower, l.Upper, l.From = holdout.ShowPass, &lower, &upper, &from
	l.Known = holdout.Known{Lower: &lower, Upper: &upper}
	for _, p := range corpusPlans(t) {
		fields := column.LineFieldsOf(p)
		got := make(map[string]string)
		var names []string
		for _, f := range column.ForPeople(fields, func(l holdout.Line) holdout.Line { return l }) {
			names = append(names, f.Name)
			got[f.Name] = fmt.Sprint(f.Value(l))
		}
		want := map[string]string{"truth": "in [0.808347, 0.891179]", "known_truth": "in [0.808347, 0.891179]", "best_truth": "",
			"score": "from 0.854567"}
		for _, f := range fields {
			switch f.Name {
			case "fingerprint", "chain", "key", "lower", "upper", "known_lower", "known_upper", "best_lower", "best_upper", "cell_from",
				"cell_below":
				if _, ok := got[f.Name]; ok {
					t.Errorf("%s: people see %s", p.Method, f.Name)
				}
			default:
				if text, ok := got[f.Name]; !ok || text != fmt.Sprint(f.Value(l)) {
					t.Errorf("%s: people do not see %s", p.Method, f.Name)
				}
			}
		}
		for name, text := range want {
			if p.IsOpen() && got[name] != text {
				t.Errorf("%s: %s is %q, want %q", p.Method, name, got[name], text)
			}
		}
		if names[0] != "look" || p.IsOpen() && !strings.Contains(strings.Join(names, " "), "bar guess truth score known_truth") {
			t.Errorf("%s: %v", p.Method, names)
		}
	}
}

// A column that a rule names is in the row of a look: a name without a column is a fault of the rule.
func TestRulesNameColumns(t *testing.T) {
	dirs, err := filepath.Glob("../testdata/ledgers/*/ledger")
	if err != nil || len(dirs) < 10 {
		t.Fatalf("got %d ledgers, %v", len(dirs), err)
	}
	named := 0
	for _, dir := range dirs {
		status, err := holdout.ReadStatus(dir)
		if err != nil {
			t.Fatal(err)
		}
		fields := column.FieldsOf(status.Plan)
		for _, name := range status.Plan.Rule.Fields(status.Plan) {
			named++
			if !slices.ContainsFunc(fields, func(f column.Field[holdout.Answer]) bool { return f.Name == name }) {
				t.Errorf("%s: no column %s", dir, name)
			}
		}
	}
	if named < 20 {
		t.Errorf("rules name %d columns", named)
	}
}

// corpusPlans are the plans of an open ledger and of a fixed one.
func corpusPlans(t *testing.T) (plans []*holdout.Plan) {
	for _, dir := range []string{"../testdata/ledgers/open-conditions/ledger", "../testdata/ledgers/gate-conditions/ledger"} {
		status, _, err := holdout.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, status.Plan)
	}
	return plans
}
