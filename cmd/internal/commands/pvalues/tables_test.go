package pvalues

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// genes is a table with p-values of every size, missing ones, and cells that need
// quotes; it returns the p-values as they stand.
func genes(n int) (table string, texts []string) {
	r := rand.New(rand.NewPCG(43, 44))
	var b strings.Builder
	b.WriteString("gene,\"p\",\"a \"\"note\"\"\"\n")
	for i := range n {
		text := strconv.FormatFloat(math.Exp(-r.ExpFloat64()*6), 'g', 1+r.IntN(17), 64)
		switch r.IntN(12) {
		case 0:
			text = []string{"", "NA", "nan", ".", "Null"}[r.IntN(5)]
		case 1:
			text = "1e-" + strconv.Itoa(r.IntN(9000))
		case 2:
			text = []string{"0", "1", "1/20", "5%"}[r.IntN(4)]
		}
		note := []string{"", "=SUM(A1)", "-1", "two\r\nlines", `a "quote", and a comma`, "007", " é "}[r.IntN(7)]
		fmt.Fprintf(&b, "g%d,%s,\"%s\"\r\n", i, text, strings.ReplaceAll(note, `"`, `""`))
		texts = append(texts, text)
	}
	return b.String(), texts
}

// corrected corrects a table of p-values at level 0.05.
func corrected(t *testing.T, workers int, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	s := &outfile.Session{Context: t.Context(), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Workers: workers}
	if code := commandtest.RunIn(s, append([]string{"dpcalc", "pvalue-correct", "-", "--alpha", "0.05"},
		args...)); code != usage.ExitOK {
		t.Fatalf("%v: exit %d, %s", args, code, errs.String())
	}
	return out.String(), errs.String()
}

// A table is written back with its separator and its decimal sign, and its own cells as they were. A format or a
// dialect that is asked for beats them, and the suffix of a file's name beats the separator.
func TestWrittenBack(t *testing.T) {
	t.Chdir(t.TempDir())
	const excel = "\ufeffsep=;\r\nname;p;weight\r\na,b;0,01;1.5\r\nc;1e-05;2,5\r\n"
	for _, c := range []struct{ table, flags, want string }{
		{excel, "", "name;p;weight;p_adjusted;threshold;reject;status\na,b;0,01;1.5;0,4;0,00125;false;ok\nc;1e-05;2,5;0,0004;0,00125;true;ok\n"},
		{excel, "-o x.csv", "name;p;weight;p_adjusted;threshold;reject;status\na,b;0,01;1.5;0,4;0,00125;false;ok\nc;1e-05;2,5;0,0004;0,00125;true;ok\n"},
		{excel, "-o x.tsv", "name\tp\tweight\tp_adjusted\tthreshold\treject\tstatus\na,b\t0,01\t1.5\t0,4\t0,00125\tfalse\tok\nc\t1e-05\t2,5\t0,0004\t0,00125\ttrue\tok\n"},
		{"name;p\na;0.01\n", "", "name;p;p_adjusted;threshold;reject;status\na;0.01;0.4;0.00125;false;ok\n"},
		{"name;p\na;0.01\nb;0,5\n", "", "name;p;p_adjusted;threshold;reject;status\na;0.01;0.4;0.00125;false;ok\nb;0,5;1;0.00125;false;ok\n"},
		{"name\tp\na\t0.01\n", "", "name\tp\tp_adjusted\tthreshold\treject\tstatus\na\t0.01\t0.4\t0.00125\tfalse\tok\n"},
		{"name\tp\na\t0.01\n", "-o x.csv", "name,p,p_adjusted,threshold,reject,status\na,0.01,0.4,0.00125,false,ok\n"},
		{"name;p\na;0,01\n", "-f csv", "name,p,p_adjusted,threshold,reject,status\na,\"0,01\",0.40000000000001207,0.001249999999999862,false,ok\n"},
		{"name;p\na;0,01\n", "-f tsv", "name\tp\tp_adjusted\tthreshold\treject\tstatus\na\t0,01\t0.40000000000001207\t0.001249999999999862\tfalse\tok\n"},
		{"name,p\na,0.01\n", "--csv-dialect excel-eu",
			"\ufeffname;p;p_adjusted;threshold;reject;status\na;0,01;0,40000000000001246;0,001249999999999862;false;ok\n"},
		{"name;p\na;0,01\n", "--csv-dialect rfc4180",
			"name,p,p_adjusted,threshold,reject,status\na,\"0,01\",0.40000000000001207,0.001249999999999862,false,ok\n"},
		{"sep=;\n0,01\n", "", "p;p_adjusted;threshold;reject;status\n0,01;0,4;0,00125;false;ok\n"},
	} {
		flags := strings.Fields(c.flags)
		got, _ := corrected(t, 1, c.table, append(flags, "--by", "description", "--outcomes", "40")...)
		if len(flags) > 0 && flags[0] == "-o" {
			text, err := os.ReadFile(flags[1])
			if err != nil {
				t.Fatal(err)
			}
			got = string(text)
		}
		if got != c.want {
			t.Errorf("%q, %s:\n got %q\nwant %q", c.table, c.flags, got, c.want)
		}
	}
}

// A table that is written back has adjusted p-values of at most six digits, not below p times the outcomes and not six
// digits above it, and a threshold of at most alpha over the outcomes; what is rejected is decided by the exact ones. A
// 1e-12th is the rounding of float64.
func TestWrittenBackRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 9))
	less, more := big.NewRat(1e12-1, 1e12), big.NewRat(1_000_010_000_001, 1e12)
	outcomes := big.NewRat(37, 1)
	threshold := new(big.Rat).Quo(big.NewRat(5, 100), outcomes)
	var b strings.Builder
	b.WriteString("p\n")
	var ps []*big.Rat
	for i := range 2000 {
		text := strconv.FormatFloat(math.Exp(-r.ExpFloat64()*20)/40, 'g', 1+r.IntN(17), 64)
		switch {
		case i%4 == 1:
			text = strconv.FormatFloat(0.05/37*(1+(r.Float64()-0.5)*1e-6), 'g', 17, 64)
		case i%400 == 2:
			text = fmt.Sprintf("%de-%d", 1+r.IntN(1e9), 300+r.IntN(4000))
		}
		p, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		ps = append(ps, p)
		b.WriteString(text + "\n")
	}
	out, _ := corrected(t, 2, b.String(), "--by", "description", "--outcomes", "37")
	hidden := 0 // p-values above the threshold that is shown, and rejected by the exact one
	for i, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		cells := strings.Split(line, ",")
		exact := new(big.Rat).Mul(ps[i], outcomes)
		got, ok := new(big.Rat).SetString(cells[1])
		digits, _, _ := strings.Cut(strings.Trim(strings.Replace(cells[1], ".", "", 1), "0"), "e")
		low, high := new(big.Rat).Mul(exact, less), new(big.Rat).Mul(exact, more)
		if !ok || len(strings.Trim(digits, "0")) > 6 || got.Cmp(low) < 0 || got.Cmp(high) > 0 {
			t.Fatalf("%s, want %s", line, exact.FloatString(20))
		}
		shown, ok := new(big.Rat).SetString(cells[2])
		if !ok || new(big.Rat).Mul(shown, less).Cmp(threshold) > 0 || len(strings.TrimLeft(cells[2], "0.")) > 6 {
			t.Fatalf("%s, want a threshold of at most %s", line, threshold.FloatString(20))
		}
		near := new(big.Rat).Sub(ps[i], threshold)
		if near.Abs(near).Cmp(new(big.Rat).Mul(threshold, big.NewRat(1, 1e12))) < 0 {
			continue
		}
		if want := strconv.FormatBool(ps[i].Cmp(threshold) <= 0); cells[3] != want {
			t.Errorf("%s, want %s", line, want)
		}
		if cells[3] == "true" && ps[i].Cmp(shown) > 0 {
			hidden++
		}
	}
	if hidden < 50 {
		t.Errorf("%d p-values are between the threshold that is shown and the exact one", hidden)
	}
}
