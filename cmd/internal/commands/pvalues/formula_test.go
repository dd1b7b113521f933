package pvalues

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
)

// liveOf is the sheet Live of a command.
func liveOf(t *testing.T, command string) record.Live {
	t.Helper()
	front := commands.Front{Commands: []*commands.Command{Command()}, Formats: []record.Format{record.CSV}}
	_, typed, err := front.Read(append([]string{"pvalue-correct"}, strings.Fields(command)...))
	if err != nil {
		t.Fatal(err)
	}
	r, err := readRequest(typed)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := r.tests()
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.live(all, &r.p)
	if err != nil {
		t.Fatal(err)
	}
	return l.Computed()
}

// otherInputs changes the numbers that may be changed on a sheet Live.
func otherInputs(l record.Live, r *rand.Rand) map[string]any {
	start := make(map[string]float64)
	for _, in := range l.Inputs {
		switch {
		case !in.Formula.None():
		case in.Value.Form == record.CountForm:
			start[in.Name] = float64(in.Value.N)
		case in.Value.Form == record.ChanceForm:
			start[in.Name] = math.Exp(in.Value.F)
		case in.Value.Form == record.NumberForm:
			start[in.Name] = in.Value.F
		}
	}
	values := make(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(start)) {
		x := start[name]
		if name == "alpha" && x > 0.99 {
			continue
		}
		x *= math.Exp(4*r.Float64() - 2.5)
		stem, _, _ := strings.Cut(name, "_")
		switch stem {
		case "samples", "queries", "outcomes", "looks":
			x = math.Ceil(x)
		case "passes":
			x = min(math.Ceil(x), values[strings.Replace(name, "passes", "looks", 1)].(float64))
		case "alpha", "p":
			x = min(x, 0.9)
		}
		values[name] = x
	}
	return values
}

// The thresholds and adjusted p-values of the sheet Live are on the safe side of dpcalc's
// for other inputs too.
func TestCorrectionFormulasKeepTheirSide(t *testing.T) {
	r := rand.New(rand.NewPCG(109, 110))
	compared := map[string]int{}
	for _, command := range append(slices.Clone(liveCorrections),
		"--alpha 0.999999999 --by description --outcomes 1 --p 0.9", // its logarithms are small
		"--alpha 0.01 --by max-info --bits 3 --slack 0.009") {
		l := liveOf(t, command)
		if !slices.ContainsFunc(l.Inputs, func(in record.LiveInput) bool { return in.Name == "command" }) {
			continue // a chance below float64's
		}
		for range 8 {
			values := otherInputs(l, r)
			sheet := l.Sheet(func(name string) any { return values[name] }, commandtest.Rough(r))
			words := strings.Fields(sheet.Cell("command").(string))
			if problem := sheet.Cell("problem"); problem != "none" {
				t.Fatalf("%v: %v", words, problem)
			}
			for i, row := range commandtest.RowsOf(t, words[1:]...) {
				name := row["method"].(string)
				got := map[string]string{}
				own := l.Row(sheet, l.Rows[i])
				for j, column := range l.Columns {
					got[column] = expr.Spelled(own.Value(record.Own(record.ColumnName(j + 1))))
				}
				if got["method"] != name {
					t.Fatalf("%s: %s in the row of %s", command, got["method"], name)
				}
				where := strings.Join(words, " ") + " " + name
				if got["source"] != "formula" {
					compared[got["source"]]++
					checkSafe(t, where, got, row)
					continue
				}
				if row["status"] != "ok" {
					t.Errorf("%s: %v in the sheet, %v by dpcalc", where, got, row)
					continue
				}
				compared[name]++
				loose := 1e-9
				if name == "group" || strings.Contains(command, "slack") {
					loose = 1e-6
				}
				checkLive(t, where, got, row, loose)
				checkConfidence(t, where, got["confidence"], row, loose)
			}
		}
	}
	for _, name := range []string{"max-info-any", "renyi", "approx-dp", "group", "bonferroni", "rogers16", "max-info",
		"gates",
		mayBeMore, onlyDpcalc, noThreshold} {
		if compared[name] < 5 {
			t.Errorf("%d rows of %s compared", compared[name], name)
		}
	}
}
