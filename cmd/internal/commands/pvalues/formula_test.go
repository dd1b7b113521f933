package pvalues

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/xuri/excelize/v2"
)

// liveCalculator evaluates names and cells of a sheet Live, with other values for some names.
func liveCalculator(
	t *testing.T, f *excelize.File, names map[string]string, values map[string]float64, rough *rand.Rand,
) commandtest.Calculator {
	c := commandtest.Calculator{Rough: rough}
	known := make(map[string]any)
	for name, x := range values {
		known[names[name]] = x
	}
	c.Value = func(name string) any {
		at := cmp.Or(names[name], name)
		if v, ok := known[at]; ok {
			return v
		}
		formula, err := f.GetCellFormula("Live", at)
		kind, e := f.GetCellType("Live", at)
		if err := errors.Join(err, e); err != nil {
			t.Fatal(err)
		}
		text := value(t, f, at)
		known[at] = text
		if x, err := strconv.ParseFloat(text, 64); err == nil && kind != excelize.CellTypeInlineString {
			known[at] = x
		}
		if formula != "" {
			known[at] = c.Eval(formula)
		}
		return known[at]
	}
	return c
}

// otherInputs changes the numbers that may be changed on a sheet Live.
func otherInputs(t *testing.T, f *excelize.File, names map[string]string, r *rand.Rand) map[string]float64 {
	values := make(map[string]float64)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		x, err := strconv.ParseFloat(value(t, f, names[name]), 64)
		if formula, _ := f.GetCellFormula("Live", names[name]); err != nil || formula != "" || name == "threshold" {
			continue
		}
		if name == "alpha" && x > 0.99 {
			continue
		}
		x *= math.Exp(4*r.Float64() - 2.5)
		stem, _, _ := strings.Cut(name, "_")
		switch stem {
		case "samples", "queries", "outcomes", "looks":
			x = math.Ceil(x)
		case "passes":
			x = min(math.Ceil(x), values[strings.Replace(name, "passes", "looks", 1)])
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
	certain := "--alpha 0.999999999 --by description --outcomes 1 --p 0.9" // its logarithms are small
	for _, command := range append(slices.Clone(liveCorrections), certain) {
		f := commandtest.OpenBook(t, append([]string{"pvalue-correct"}, strings.Fields(command)...)...)
		names, _ := commandtest.LiveTable(t, f)
		if names["command"] == "" { // a chance below float64's
			continue
		}
		_, at := liveRows(t, f)
		var head []string
		for _, line := range commandtest.Contents(t, f, "Live") {
			if len(line) > 0 && line[0] == "method" {
				head = line
			}
		}
		for range 8 {
			sheet := liveCalculator(t, f, names, otherInputs(t, f, names, r), r)
			words := strings.Fields(sheet.Value("command").(string))
			if problem := sheet.Value("problem"); problem != "none" {
				t.Fatalf("%v: %v", words, problem)
			}
			for _, row := range commandtest.RowsOf(t, words[1:]...) {
				name := row["method"].(string)
				got := map[string]string{}
				for j, column := range head {
					got[column] = commandtest.Spelled(sheet.Value(commandtest.CellAt(j+1, at[name])))
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
