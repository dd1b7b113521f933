package pvalues

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// The levels of a series follow the closed testing rule, computed here by its budget: a test that is not
// rejected spends its level, and a rejected one leaves it to the tests after it.
func TestSeriesLevels(t *testing.T) {
	shares := map[string]func(j, tests int) float64{
		"equal":          func(_, tests int) float64 { return 1 / float64(tests) },
		"inverse-square": func(j, _ int) float64 { return 6 / (math.Pi * math.Pi * float64(j*j)) },
		"halving":        func(j, _ int) float64 { return math.Pow(2, -float64(j)) },
	}
	for spending, share := range shares {
		for _, rejected := range []string{"", "1", "2,5", "2,3,4", "10"} {
			args := strings.Fields("pvalue-correct --by series --alpha 0.05 --tests 10 --spending " + spending)
			hit := map[int]bool{}
			if rejected != "" {
				args = append(args, "--rejected", rejected)
				for item := range strings.SplitSeq(rejected, ",") {
					var j int
					fmt.Sscan(item, &j)
					hit[j] = true
				}
			}
			rows := commandtest.RowsOf(t, args...)
			if len(rows) != 10 {
				t.Fatalf("%v: %d rows", args, len(rows))
			}
			budget, next, left := 0.05, 1, 10
			for i, row := range rows {
				j := i + 1
				level := budget * share(next, left)
				after := level * share(1, left-next)
				checkBelow(t, fmt.Sprint(args, " test ", j), row["level"], level)
				checkBelow(t, fmt.Sprint(args, " bonferroni ", j), row["bonferroni"], 0.005)
				if j < 10 {
					checkBelow(t, fmt.Sprint(args, " after ", j), row["next_if_rejected"], after)
				} else if row["next_if_rejected"] != nil {
					t.Errorf("%v: a level after the last test", args)
				}
				fixed := 0.05 * share(j, 10) / math.Pow(2, float64(j-1))
				if spending == "halving" {
					fixed = 0.05 * share(j, 10)
				}
				checkBelow(t, fmt.Sprint(args, " fixed ", j), row["fixed"], fixed)
				if row["test"] != float64(j) || row["rejected"] != hit[j] {
					t.Errorf("%v: %v", args, row)
				}
				if next++; hit[j] {
					budget, next, left = level, 1, left-next+1
				}
			}
		}
	}
}

// checkBelow compares a probability with one that it may not exceed.
func checkBelow(t *testing.T, where string, got any, want float64) {
	t.Helper()
	x, ok := got.(float64)
	if !ok || x > want*(1+1e-15) || x < want*(1-1e-11) {
		t.Errorf("%s: %v, want %v", where, got, want)
	}
}

// A series ends with the rejection at which its data are retired.
func TestSeriesEnds(t *testing.T) {
	rows := commandtest.RowsOf(t, strings.Fields(
		"pvalue-correct --by series --alpha 0.05 --tests 9 --passes 2 --rejected 3,4")...)
	if len(rows) != 4 || rows[2]["next_if_rejected"] == nil || rows[3]["next_if_rejected"] != nil {
		t.Errorf("%v", rows)
	}
	for command, says := range map[string]string{
		"--alpha 0.05":                                     "--tests: got nothing, want a value",
		"--alpha 0.05 --tests 0":                           "--tests: got 0, want a whole number from 1",
		"--alpha 0.05 --tests 3,4":                         "--tests: got 3,4, want a whole number from 1",
		"--alpha 0.05,0.1 --tests 3":                       "--alpha: got 0.05,0.1, want a probability in (0, 1)",
		"--alpha 1 --tests 3":                              "--alpha: got 1, want a probability in (0, 1)",
		"--alpha 0.05 --tests 3 --passes 4":                "--passes: got 4, want a whole number from 1 to the number",
		"--alpha 0.05 --tests 3 --spending half":           "--spending: got half, want equal, inverse-square or halving",
		"--alpha 0.05 --tests 3 --rejected 4":              "--rejected: got test 4, want at most the number of tests, 3",
		"--alpha 0.05 --tests 3 --rejected 2,1":            "--rejected: got 2,1, want numbers of tests that ascend",
		"--alpha 0.05 --tests 3 --rejected 0":              "--rejected: got 0, want a whole number from 1",
		"--alpha 0.05 --tests 3 --passes 1 --rejected 1,2": "--rejected: got test 2, want none after test 1, which ends",
		"--alpha 0.05 --tests 2M":                          "--max-rows: got 2000000 tests, want at most 1000000",
		"--alpha 0.05 --tests 3 --looks 2":                 "--looks: given with --by series, which takes --tests",
		"--alpha 0.05 --tests 3 --samples 2":               "--samples: given with --by series, which takes --tests",
		"--alpha 0.05 --tests 3 --p 0.1":                   "--p: given with --by series, which takes --alpha",
		"--alpha 0.05 --tests 3 --method renyi":            "--method: given with --by series, which takes --alpha",
		"--alpha 0.05 --tests 3 --level 0.9":               "--level: given with --by series, which takes --alpha",
		"--alpha 0.05 --tests 3 --plot":                    "plot: got --by series, want another source",
		"--alpha 0.05 --tests 3 p.csv":                     "--by: got series with p.csv, want one of the two",
		"--alpha 0.05 --tests 3 --raw":                     "--raw: given without a FILE",
	} {
		code, out, stderr := commandtest.Dpcalc(append([]string{"pvalue-correct", "--by", bySeries},
			strings.Fields(command)...)...)
		if !commandtest.Refused(code, out, stderr, says) {
			t.Errorf("%s: exit %d, %s%s", command, code, out, stderr)
		}
	}
	code, out, _ := commandtest.Dpcalc(strings.Fields("pvalue-correct --by series --alpha 0.05 --tests 3 --rejected 2")...)
	if code != usage.ExitOK || !strings.Contains(out, "rejected: 2\n") {
		t.Errorf("exit %d, %s", code, out)
	}
}

// More tests than a table or a sheet holds are refused by their number, before any of their levels is computed.
func TestSeriesThatDoesNotFit(t *testing.T) {
	sheet := filepath.Join(t.TempDir(), "series.xlsx")
	for command, says := range map[string]string{
		"--tests 1M --format latex":                  "--format: got 1000000 rows of 6 columns, want at most 3000000",
		"--tests 1M --rejected 999999 --passes 1":    "--format: got 999999 rows of 6 columns, want at most 3000000",
		"--tests 2M --max-rows 2M --output " + sheet: "--output: got 2000000 rows, want at most 1048575",
	} {
		code, out, stderr := commandtest.Dpcalc(append([]string{"pvalue-correct", "--by", bySeries, "--alpha", "0.05"},
			strings.Fields(command)...)...)
		if !commandtest.Refused(code, out, stderr, says) {
			t.Errorf("%s: exit %d, %s%s", command, code, out, stderr)
		}
	}
}
