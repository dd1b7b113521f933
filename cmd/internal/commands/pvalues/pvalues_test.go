package pvalues

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// testsOf are all tests of a plan.
func testsOf(plan maxinfo.Plan, alpha theory.LogProb) ([]pvalue.Test, int, error) {
	return selection{plan: steps.TypedPlan{Plan: plan}, alpha: alpha}.tests()
}

// A p-value is rejected if and only if it is at most the threshold that is printed, and if and
// only if the adjusted value that is printed is at most alpha: at the printed threshold, at the float64 beside
// it, and elsewhere.
func TestRejectionIsOneThing(t *testing.T) {
	tested := 0
	for _, plan := range commandtest.Plans() {
		for _, alpha := range []string{"0.999", "0.5", "0.05", "0.001", "3e-12", "1e-347"} {
			lnAlpha := commandtest.LnProb(t, alpha)
			all, _, err := testsOf(plan, lnAlpha)
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range all {
				if test.Status == theory.OK {
					tested += rejections(t, test)
				}
			}
		}
	}
	if tested < 500 {
		t.Errorf("%d cases", tested)
	}
}

// rejections tests p-values around a threshold, and returns how many.
func rejections(t *testing.T, test pvalue.Test) int {
	t.Helper()
	printed := func(c record.Cell) theory.LogProb {
		p, err := theory.ParseLogProb(string(record.AppendJSON(nil, &c)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	threshold := printed(thresholdCell(&test))
	var ps []theory.LogProb
	for _, factor := range []float64{1, 1 + 1e-14, 1 - 1e-14, 1 + 1e-7, 1 - 1e-7, 2, 0.5} {
		ps = append(ps, theory.LogProb(threshold.Ln()*factor))
	}
	if x := test.ThresholdFloat(); x > tiny {
		for _, beside := range []float64{math.Nextafter(x, 0), x, math.Nextafter(x, 1)} {
			ps = append(ps, printed(record.Exactly(beside)))
		}
	}
	for _, p := range append(ps, theory.Zero, 0) {
		a, err := test.Adjusted(p)
		if err != nil {
			t.Fatal(err)
		}
		reject := a <= test.Alpha
		if below := p <= threshold; below != reject && p != threshold ||
			(printed(adjustedCell(&test, a)) <= test.Alpha) != reject {
			t.Errorf("%s at %v: p = %v, threshold %v, adjusted %v, printed %v", test.Correction.Name, test.Alpha, p, threshold,
				a, printed(adjustedCell(&test, a)))
		}
	}
	return len(ps) + 2
}

// People read six digits of a threshold, cut.
func TestLegible(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for range 2000 {
		p := theory.LogProb(-math.Exp(r.Float64()*16 - 6))
		read, ok := numbers.ParseProb(record.People(record.Chance(p).AtLeast()))
		if !ok || !(read <= p+2e-12 && read >= p-1.1e-5) {
			t.Fatalf("%v reads %s", p, record.People(record.Chance(p).AtLeast()))
		}
	}
	for text, want := range map[string]string{
		"0.05": "0.05", "0.0000129999999": "1.29999e-5", "0.999999999": "0.999999", "0.9999999": "0.999999",
		"0.123456789":      "0.123456",
		"1.23456789e-4343": "1.23456e-4343", "0.0123456": "0.0123456", "0": "0", "1": "1", "0.04999999999999999": "0.05",
	} {
		p, ok := numbers.ParseProb(text)
		if got := record.People(record.Chance(p).AtLeast()); !ok || got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A family step says how many p-values it counted, and warns where some are missing; the
// adjusted values are those for that number.
func TestFamilyOfATableWithMissingValues(t *testing.T) {
	const table = "p\n0.001\nNA\n0.02\n.\n"
	by := []string{"--by", "description", "--outcomes", "1"}
	for _, c := range []struct {
		table, warning, size string
		more                 []string
	}{
		{table, "2 missing p-values\nwarning: --family holm counted m = 2 p-values", `"family_size":2`,
			[]string{"--family", "holm"}},
		{table, "2 missing p-values\nwarning: --family bh counted m = 2 p-values", `"family_size":2`,
			[]string{"--family", "bh", "--family-on", "raw"}},
		{"p\n0.001\n0.02\n", "", `"family_size":2`, []string{"--family", "holm"}},
		{table, "2 missing p-values\n", `"corrected_by":"bonferroni"}`, nil},
	} {
		out, said := corrected(t, 2, c.table, append(append(by, c.more...), "-f", "json")...)
		if !strings.HasPrefix(said, c.warning) ||
			strings.Contains(said, "warning") != strings.Contains(c.warning, "warning") {
			t.Errorf("%v: %q, want %q", c.more, said, c.warning)
		}
		if !strings.Contains(out, c.size) || len(c.more) == 0 && strings.Contains(out, "family_size") {
			t.Errorf("%v: no %s in %s", c.more, c.size, out)
		}
	}
	// Without an answer no step was taken, and nothing is said of one.
	var out, errs bytes.Buffer
	s := &outfile.Session{Context: t.Context(), Stdin: strings.NewReader(table), Stdout: &out, Stderr: &errs, Workers: 1}
	code := commandtest.RunIn(s, strings.Fields("dpcalc pvalue-correct - --alpha 0.05 --by pure-dp --epsilon 1e308 -n 1000 --family holm"))
	if code != usage.ExitNoAnswer || errs.String() != "2 missing p-values\n" {
		t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
	}
}

// The rows are those that the libraries give one by one, in the order of the table,
// whatever the number of workers.
func TestCorrectedTable(t *testing.T) {
	const n = 3000
	text, ps := genes(n)
	original, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(text, "\r\nlines", "\rlines"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	step := maxinfo.PureDP{Epsilon: 0.01}
	all, err := pvalue.Corrections(maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{step}})
	if err != nil {
		t.Fatal(err)
	}
	renyi := all[slices.IndexFunc(all, func(c pvalue.Correction) bool { return c.Name == "renyi" })]
	for _, family := range pvalue.Families() {
		var want []theory.LogProb
		for _, p := range ps {
			if x, ok := numbers.ParseProb(p); ok {
				a, err := renyi.Adjusted(x)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, a)
			}
		}
		if err := family.Adjust(want); err != nil {
			t.Fatal(err)
		}
		args := []string{"--by", "pure-dp", "--epsilon", "0.01", "-n", "10k", "--family", string(family), "-f", "csv"}
		one, said := corrected(t, 1, text, args...)
		for _, workers := range []int{2, 3, 16} {
			if more, _ := corrected(t, workers, text, args...); more != one {
				t.Fatalf("%s: %d workers write something else", family, workers)
			}
		}
		missing := n - len(want)
		count, warning, _ := strings.Cut(said, "\n")
		if count != fmt.Sprintf("%d missing p-values", missing) || (warning != "") != (family != pvalue.NoFamily) {
			t.Errorf("standard error: %q, %d are missing", said, missing)
		}
		if warning != "" && !strings.HasPrefix(warning, fmt.Sprintf("warning: --family %s counted m = %d p-values and none of the missing ones;", family, len(want))) {
			t.Errorf("%s of %d: %q", family, len(want), warning)
		}
		rows, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(one, "\r\nlines", "\rlines"))).ReadAll()
		if err != nil || len(rows) != n+1 {
			t.Fatal(len(rows), err)
		}
		if head := append(slices.Clone(original[0]), "p_adjusted", "threshold", "reject", "status"); !slices.Equal(rows[0],
			head) {
			t.Errorf("header %q", rows[0])
		}
		for i, row := range rows[1:] {
			in := slices.Clone(original[i+1])
			if in[2] == "=SUM(A1)" {
				in[2] = "'=SUM(A1)"
			}
			if !slices.Equal(row[:3], in) {
				t.Fatalf("row %d: %q, was %q", i, row[:3], original[i+1])
			}
			if csvfile.IsAbsent(ps[i]) {
				if !slices.Equal(row[3:], []string{"", "", "", "missing"}) {
					t.Fatalf("row %d: %q", i, row)
				}
				continue
			}
			got, ok := numbers.ParseProb(row[3])
			if !ok || math.Abs(got.Ln()-want[0].Ln()) > 1e-12*(1-want[0].Ln()) && got != want[0] {
				t.Fatalf("%s, row %d: %q, want %v", family, i, row, want[0])
			}
			if row[5] != strconv.FormatBool(want[0].Value() <= 0.05) || row[6] != "ok" || row[4] != rows[1][4] {
				t.Fatalf("%s, row %d: %q", family, i, row)
			}
			want = want[1:]
		}
	}
}

// The family step on the raw p-values, with one correction for the result, is what the
// libraries give in that order, never more than the step on the adjusted p-values, and
// rejects what it says it does.
func TestFamilyOnRaw(t *testing.T) {
	text, ps := genes(150)
	less := 0
	for _, plan := range commandtest.Plans() {
		source := []string{"--by", bySteps, "--step", plan.Steps[0].String(), "--samples", "1000"}
		methods, _, err := testsOf(plan, commandtest.LnProb(t, "0.05"))
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range methods {
			if method.Status != theory.OK {
				continue
			}
			for _, family := range pvalue.Families()[1:] {
				args := append(slices.Clone(source), "--method", method.Correction.Name, "--family", string(family), "-f", "jsonl",
					"--family-on")
				var values [2][]float64
				for i, basis := range familyBases {
					out, _ := corrected(t, 3, text, append(args, basis)...)
					for line := range strings.Lines(out) {
						var row map[string]any
						if err := json.Unmarshal([]byte(line), &row); err != nil {
							t.Fatal(err)
						}
						if row["status"] == "missing" {
							continue
						}
						ln, ok := row["ln_p_adjusted"].(float64)
						if !ok {
							ln = math.Inf(-1)
						}
						if values[i] = append(values[i], ln); row["reject"] != (theory.LogProb(ln) <= commandtest.LnProb(t, "0.05")) {
							t.Fatalf("%s, %s on %s: %v", method.Correction.Name, family, basis, row)
						}
					}
				}
				var steps []theory.LogProb
				for _, p := range ps {
					if x, ok := numbers.ParseProb(p); ok {
						steps = append(steps, x)
					}
				}
				if err := family.Adjust(steps); err != nil {
					t.Fatal(err)
				}
				for i, p := range steps {
					want, err := method.Adjusted(p)
					if err != nil {
						t.Fatal(err)
					}
					raw, adjusted := values[1][i], values[0][i]
					if tolerance := 1e-10 * (1 + math.Abs(want.Ln())); math.Abs(raw-want.Ln()) > tolerance && raw != want.Ln() {
						t.Errorf("%v, %s, %s: raw gives %v, want %v", plan.Steps, method.Correction.Name, family, raw, want.Ln())
					}
					if raw > adjusted+1e-6*(1+math.Abs(adjusted)) {
						t.Errorf("%v, %s, %s: raw gives %v, more than %v", plan.Steps, method.Correction.Name, family, raw, adjusted)
					}
					if raw < adjusted-0.01 {
						less++
					}
				}
			}
		}
	}
	if less < 500 {
		t.Errorf("raw is less in %d cases", less)
	}
}

// For 20 tests at alpha = 0.05 and epsilon sqrt n = 1 the threshold of Bonferroni's step
// by renyi is 6.49e-4 on raw p-values and 3.91e-4 on adjusted ones: g(0.05)/20 and
// g(0.05/20) for g(a) = e^(-(sqrt(ln(1/a)) + sqrt(1/8))^2), by mpmath
// 6.48831203303604598760e-4 and 3.90812391716223913587e-4.
func TestFamilyOnRawThresholds(t *testing.T) {
	for _, c := range []struct{ basis, rejected, kept string }{
		{"raw", "0.0006488312", "0.0006488313"},
		{"adjusted", "0.0003908123", "0.0003908124"},
	} {
		for p, want := range map[string]string{c.rejected: "true", c.kept: "false"} {
			out, _ := corrected(t, 1, "p\n"+p+"\n"+strings.Repeat("1\n", 19), "--by", "pure-dp", "--epsilon", "0.01",
				"-n", "10k", "--family", "bonferroni", "--family-on", c.basis)
			if line := strings.Split(out, "\n")[1]; !strings.HasSuffix(line, ","+want+",ok") {
				t.Errorf("%s: %s, want %s", c.basis, line, want)
			}
		}
	}
}

// A p-value that is the threshold as printed is rejected, and one a digit above it is
// not.
func TestThresholdInATable(t *testing.T) {
	for _, plan := range commandtest.Plans() {
		step, _, err := steps.ParseStep(plan.Steps[0].String())
		if err != nil {
			t.Fatal(err)
		}
		plan.Steps = []maxinfo.Step{step} // with the digits that it prints
		all, best, err := testsOf(plan, commandtest.LnProb(t, "0.05"))
		if err != nil {
			t.Fatal(err)
		}
		x := all[best].ThresholdFloat()
		at, above := string(record.AppendNumber(nil, x)), strconv.FormatFloat(math.Nextafter(x, 1), 'g', -1, 64)
		out, _ := corrected(t, 1, fmt.Sprintf("p\n%v\n%v\n", at, above), "--by", bySteps, "--step",
			plan.Steps[0].String(), "--samples", "1000", "-f", "csv")
		lines := strings.Split(out, "\n")
		if !strings.HasSuffix(lines[1], ","+at+",true,ok") || !strings.HasSuffix(lines[2], ","+at+",false,ok") {
			t.Errorf("%v: %s", plan.Steps, out)
		}
	}
}

// Every format has every row, and JSON the logarithms as well.
func TestCorrectedFormats(t *testing.T) {
	text, _ := genes(40)
	args := []string{"--by", "mutual-info", "--bits", "1"}
	out, _ := corrected(t, 2, text, append(args, "-f", "json")...)
	var envelope struct {
		Schema string
		Inputs map[string]any
		Rows   []map[string]any
	}
	if err := json.Unmarshal([]byte(out), &envelope); err != nil {
		t.Fatal(err)
	}
	if len(envelope.Rows) != 40 || envelope.Schema != "dpcalc/pvalue-correct/1" ||
		envelope.Inputs["corrected_by"] != "kl" || len(envelope.Rows[0]) != 9 {
		t.Errorf("%d rows, %v", len(envelope.Rows), envelope)
	}
	lines, _ := corrected(t, 2, text, append(args, "-f", "jsonl")...)
	if got := strings.Count(lines, "\n"); got != 40 {
		t.Errorf("%d lines", got)
	}
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil || fmt.Sprint(row) != fmt.Sprint(envelope.Rows[i]) {
			t.Fatalf("%v\n%v\n%v", err, row, envelope.Rows[i])
		}
	}
	for _, f := range []string{"table", "markdown", "latex"} {
		page, _ := corrected(t, 2, text, append(args, "-f", f)...)
		for i := range 40 {
			if !strings.Contains(page, fmt.Sprintf("g%d ", i)) {
				t.Errorf("%s: no row g%d", f, i)
			}
		}
	}
}

// Nothing is written about a table whose last line is refused.
func TestRefusedTableLeavesNothing(t *testing.T) {
	text, _ := genes(2000)
	dir := t.TempDir()
	path := filepath.Join(dir, "genes.csv")
	if err := os.WriteFile(path, []byte(text+"x,1.01,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	by := []string{"--alpha", "0.05", "--by", "description", "--outcomes", "10"}
	for _, args := range [][]string{{path}, {path, "--family", "by"}, {path, "-o", filepath.Join(dir, "out.csv")},
		{path, "-f", "json"}} {
		code, stdout, stderr := commandtest.Dpcalc(slices.Concat([]string{"pvalue-correct"}, args, by)...)
		line := 2 + strings.Count(text, "\n") - 1
		if want := fmt.Sprintf("dpcalc: %s: line %d: p: got 1.01, want a probability in [0, 1]\n", path,
			line); code != usage.ExitUsage || stdout != "" || stderr != want {
			t.Errorf("%v: exit %d, %d bytes, %s, want %s", args, code, len(stdout), stderr, want)
		}
	}
	if left := commandtest.Files(t, dir); len(left) != 1 {
		t.Errorf("files: %v", left)
	}
}

// A file is not replaced by its own correction, by no name that it has.
func TestInputStays(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "p.csv"), filepath.Join(dir, "link.csv")
	if err := os.WriteFile(path, []byte("p\n0.01\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, link); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{path, link, filepath.Join(dir, ".", "p.csv")} {
		code, stdout, stderr := commandtest.Dpcalc("pvalue-correct", path, "--alpha", "0.05", "--by", "description",
			"--outcomes", "2", "-o", out)
		if want := "dpcalc: --output: got " + out + ", which is read, want another file\n"; code != usage.ExitUsage ||
			stdout != "" || stderr != want {
			t.Errorf("exit %d, %s%s, want %s", code, stdout, stderr, want)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "p\n0.01\n" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// A header that a spreadsheet would run is a text like any other.
func TestInertHeader(t *testing.T) {
	for _, c := range []struct{ raw, want string }{{"", "'=A1,p,p_adjusted"}, {"--raw", "=A1,p,p_adjusted"}} {
		args := []string{"--by", "description", "--outcomes", "2", c.raw}
		out, _ := corrected(t, 1, "=A1,p\nx,1\n",
			slices.DeleteFunc(args, func(s string) bool { return s == "" })...)
		if !strings.HasPrefix(out, c.want) {
			t.Errorf("%q", out)
		}
	}
}

// Every source takes its own flags and no other's, and a step means what the same
// flags mean.
func TestSourcesAreSteps(t *testing.T) {
	for _, plan := range commandtest.Plans() {
		kind, rest, _ := strings.Cut(plan.Steps[0].String(), ":")
		if !slices.Contains(sourceNames(), kind) { // several points have no flags
			continue
		}
		args := []string{"pvalue-correct", "--alpha", "0.05", "-f", "csv", "--by"}
		single := append(slices.Clone(args), kind)
		for item := range strings.SplitSeq(rest, ",") {
			key, value, _ := strings.Cut(item, "=")
			single = append(single, "--"+key, value)
		}
		chain := append(slices.Clone(args), bySteps, "--step", plan.Steps[0].String(), "--samples", "1000")
		if slices.Contains(sourceFlags(kind), "samples") {
			single = append(single, "--samples", "1000")
		}
		code, want, stderr := commandtest.Dpcalc(single...)
		if code != usage.ExitOK {
			t.Fatalf("%v: exit %d, %s", single, code, stderr)
		}
		if _, got, stderr := commandtest.Dpcalc(chain...); got != want {
			t.Errorf("%v: %s%s, want %s", chain, got, stderr, want)
		}
		for _, other := range sourceNames() {
			for _, flag := range sourceFlags(other) {
				code, stdout, stderr := commandtest.Dpcalc(append(slices.Clone(single), "--"+flag, "1")...)
				mine := slices.Contains(sourceFlags(kind), flag)
				if !mine && (code != usage.ExitUsage || stdout != "" ||
					!strings.HasPrefix(stderr, "dpcalc: --"+flag+": given with --by "+kind+", which takes --")) {
					t.Errorf("%s with --%s: exit %d, %s", kind, flag, code, stderr)
				}
			}
		}
	}
}

func BenchmarkPValueRows(b *testing.B) {
	const n = 100_000
	r := rand.New(rand.NewPCG(45, 46))
	var table bytes.Buffer
	table.WriteString("id,p,score\n")
	for i := range n {
		fmt.Fprintf(&table, "r%d,%v,%.4f\n", i, math.Pow(r.Float64(), 4), r.NormFloat64())
	}
	path := filepath.Join(b.TempDir(), "p.csv")
	if err := os.WriteFile(path, table.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	for name, source := range map[string]string{
		"renyi":    "--by pure-dp --epsilon 0.01 -n 10k --method renyi",
		"holm":     "--by pure-dp --epsilon 0.01 -n 10k --method renyi --family holm",
		"kl":       "--by mutual-info --bits 0.1 --method kl",
		"gaussian": "--by gaussian -m 100 --noise-sd 0.1 -n 10k --method renyi",
	} {
		b.Run(name, func(b *testing.B) {
			args := append([]string{"dpcalc", "pvalue-correct", path, "--alpha", "0.05"}, strings.Fields(source)...)
			for b.Loop() {
				if code := commandtest.RunIn(&outfile.Session{Context: b.Context(), Stdout: io.Discard, Stderr: io.Discard},
					args); code != usage.ExitOK {
					b.Fatal(code)
				}
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
