package ledger

import (
	"fmt"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// BenchmarkLook takes a look on 20,000 rows: labels and predictions are read, a line is written and synced.
func BenchmarkLook(b *testing.B) {
	b.Chdir(b.TempDir())
	rows(b, 20_000, 15_000)
	if code, _, stderr := commandtest.Dpcalc("holdout", "init", "ledger", "--labels", "labels.csv", "-m", "1M", "-t",
		"0.3", "-b",
		"0.05", "--feedback", "gate", "--passes", "1", "--method", "gate"); code != 0 {
		b.Fatal(stderr)
	}
	for i := 0; b.Loop(); i++ {
		bar := fmt.Sprint(0.6 + float64(i)*1e-7) // a new look
		if code, _, stderr := commandtest.Dpcalc("holdout", "score", "ledger", "p15000.tsv", "--bar", bar); code != 4 {
			b.Fatal(stderr)
		}
	}
}
