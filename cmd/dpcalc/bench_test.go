package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// BenchmarkGrid is a grid of 90,000 rows to CSV.
func BenchmarkGrid(b *testing.B) {
	args := strings.Fields("dpcalc samplesize -m 10:1M:log100 -t 0.01:0.1:log100 -b 0.05,0.01,0.001 --method hoeffding,splitting,rounding -f csv")
	for b.Loop() {
		if code := run(args, nil, io.Discard, io.Discard); code != usage.ExitOK {
			b.Fatal(code)
		}
	}
	b.ReportMetric(90000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkColdStart is the program from fork to exit, with one answer.
func BenchmarkColdStart(b *testing.B) {
	program := filepath.Join(b.TempDir(), "dpcalc")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		if err := exec.Command(program, "samplesize", "-m", "10", "-t", "0.1", "-b", "0.05", "--method", "splitting", "-f",
			"csv").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
