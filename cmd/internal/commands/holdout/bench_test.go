package holdout

import (
	"fmt"
	"slices"
	"testing"
	"time"

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

// BenchmarkOpenLooks takes 3,000 looks of mixed kinds in one open ledger of 5,000 rows. What it reports is the mean of
// one look and of the last hundred, with the labels, the predictions and the whole log read each time.
func BenchmarkOpenLooks(b *testing.B) {
	const looks, late = 3000, 100
	var last time.Duration
	for b.Loop() {
		b.Chdir(b.TempDir())
		rows(b, 5000, 4000, 4200)
		run := func(want []int, args ...string) {
			code, _, stderr := commandtest.Dpcalc(append([]string{"holdout"}, args...)...)
			if !slices.Contains(want, code) {
				b.Fatal(args, stderr)
			}
		}
		run([]int{0}, "init", "ledger", "--labels", "labels.csv", "-b", "5%", "--open")
		var begin time.Time
		for i := range looks {
			if i == looks-late {
				begin = time.Now()
			}
			number := func(x float64) string { return fmt.Sprint(x + float64(i)*1e-6) } // a new look
			file := []string{"p4000.tsv", "p4200.tsv"}[i/2%2]
			question := []string{"--show", "pass", "--bar", number(0.85)}
			switch i % 40 {
			case 3:
				question = []string{"--show", "guess", "--guess", number(0.82), "--within", "0.05"}
			case 13:
				question = []string{"--show", "best", "--step", number(0.02)}
			case 23:
				question = []string{"--show", "score", "--near", number(0.82), "--step", "0.1"}
			}
			run([]int{0, 4}, append([]string{"score", "ledger", file}, question...)...)
		}
		last += time.Since(begin)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/looks, "ms/look")
	b.ReportMetric(float64(last.Milliseconds())/float64(b.N)/late, "ms/late-look")
}
