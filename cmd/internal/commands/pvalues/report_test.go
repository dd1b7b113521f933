package pvalues

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// The rows of --proofs are all rows that have such a proof, and the best of them is the one that no other beats.
func TestProofs(t *testing.T) {
	for args, best := range map[string]string{
		"-a .05 --by pure-dp --epsilon .01 -n 10k --p .003": "threshold", "-a .05 --by mutual-info --bits .01": "threshold",
		"--level 95% --by pure-dp --epsilon .01 -n 10k": "alpha", "-a .05 --by pure-dp --epsilon .01 --survives .003": "samples",
	} {
		words := append([]string{"pvalue-correct"}, strings.Fields(args)...)
		var want []string
		for _, r := range commandtest.RowsOf(t, words...) {
			if r["proof"] == "published" {
				want = append(want, r["method"].(string))
			}
		}
		var got []string
		stars := 0
		rows := commandtest.RowsOf(t, append(words, "--proofs", "published")...)
		for _, r := range rows {
			got = append(got, r["method"].(string))
			if r["best"] != true {
				continue
			}
			stars++
			for _, other := range rows {
				if other["status"] == "ok" && best != "alpha" && other[best].(float64) > r[best].(float64) {
					t.Errorf("%s: the star is at %v, and not at %v", args, r, other)
				}
			}
		}
		if !slices.Equal(got, want) || stars != 1 {
			t.Errorf("%s: got %v with %d stars, want %v", args, got, stars, want)
		}
	}
	code, out, stderr := commandtest.Dpcalc(strings.Fields("pvalue-correct -a .05 --by gates --looks 9 --proofs published")...)
	if !commandtest.Refused(code, out, stderr, "--proofs: got published, want all") {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
}

// A report has the threshold, the corrected p-value and the hypotheses of the starred row, in each format for
// people.
func TestReport(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--by pure-dp --epsilon .01 -n 10k --p .003", "and the hypothesis is rejected"},
		{"--by description --outcomes 40 --p .003", "and the hypothesis is not rejected"},
		{"--by gates --looks 50 --passes 2 --wins 47 --losses 20", "Assumptions: any joint law of the rows."},
	} {
		words := append([]string{"pvalue-correct", "-a", ".05"}, strings.Fields(c.args)...)
		rows := commandtest.RowsOf(t, words...)
		best := rows[slices.IndexFunc(rows, func(r map[string]any) bool { return r["best"] == true })]
		for _, format := range []string{"table", "markdown", "latex"} {
			code, out, stderr := commandtest.Dpcalc(append(words, "--report", "-f", format)...)
			text := strings.NewReplacer("\n", " ", "$", "").Replace(out)
			adjusted := "becomes " + record.People(record.Exactly(best["p_adjusted"].(float64)))
			if code != usage.ExitOK || stderr != "" || !strings.Contains(text, c.says) || !strings.Contains(text, adjusted) ||
				!strings.Contains(text, best["method"].(string)) {
				t.Errorf("%s, %s: exit %d, no %q or %q in\n%s%s", c.args, format, code, c.says, adjusted, out, stderr)
			}
			_, rest, _ := strings.Cut(text, "is at most ")
			if gamma, err := strconv.ParseFloat(strings.Trim(rest[:strings.IndexAny(rest, "; ")], "."), 64); format == "table" &&
				(err != nil || gamma > best["threshold"].(float64)*(1+1e-9) || gamma < best["threshold"].(float64)*(1-1e-5)) {
				t.Errorf("%s: %v, %v, want %v", c.args, gamma, err, best["threshold"])
			}
		}
	}
	for args, want := range map[string]string{
		"--by description --outcomes 3 -f csv": "--report: got the format csv, want table", "--by description --outcomes 3,4": "--report: got a list",
		"--by description --survives .01": "--report: given with --survives", "--by series --tests 3": "--report: given with --by series",
		"- --by description --outcomes 3": "--report: given with -, want one p-value",
	} {
		words := append([]string{"pvalue-correct", "-a", ".05", "--report"}, strings.Fields(args)...)
		if code, out, stderr := commandtest.Dpcalc(words...); !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s%s", args, code, out, stderr)
		}
	}
}

// After a free look every p-value gets the verdict that nothing is valid, and no number.
func TestFreeLook(t *testing.T) {
	for _, more := range []string{"", "--p .003", "--report", "-f markdown", "-f json", "-f csv"} {
		args := append(strings.Fields("pvalue-correct -a .05 --by free"), strings.Fields(more)...)
		code, out, stderr := commandtest.Dpcalc(args...)
		says := strings.Contains(commandtest.Unfolded(out), freeLook) || more == "--report" && strings.Contains(out, "No theorem gives a threshold")
		if code != usage.ExitNoAnswer || !says || stderr != "" {
			t.Errorf("%s: exit %d, %s%s", more, code, out, stderr)
		}
	}
	code, out, stderr := commandtest.DpcalcReading("p\n.01\n", "pvalue-correct", "-", "-a", ".05", "--by", "free")
	const want = "p,p_adjusted,threshold,reject,status\n.01,,,,not_applicable\n"
	if code != usage.ExitNoAnswer || out != want || !strings.Contains(stderr, freeLook) {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
	for args, want := range map[string]string{
		"--epsilon 1": "--epsilon: given with --by free, which takes no number", "--survives .01": "--survives: given with --by free",
		"--level 95%": "--level: given with --by free",
	} {
		words := append(strings.Fields("pvalue-correct --by free"), strings.Fields(args)...)
		if !strings.Contains(args, "level") {
			words = append(words, "-a", ".05")
		}
		if code, out, stderr := commandtest.Dpcalc(words...); !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s%s", args, code, out, stderr)
		}
	}
}
