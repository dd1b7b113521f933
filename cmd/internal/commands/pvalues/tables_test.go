package pvalues

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
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
