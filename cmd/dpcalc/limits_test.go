package main

import (
	"runtime"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// The limit of rows is checked before the values are made.
func TestLimitBeforeValues(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, args := range [][]string{
		{"samplesize", "-m", "1:9000000:1", "-t", "0.1", "-b", "0.05"},
		{"samplesize", "-m", "10", "-t", "0.1", "-b", "1e-4990:1e-4984:1e-4990"},
		{"samplesize", "-m", "1:9000000:log9000000", "-t", "0.1", "-b", "0.05"},
		{"samplesize", "-m", "1:1000:x1.0001", "-t", "0.1:0.9:0.0001", "-b", "0.05"},
		{"samplesize", "-m", "1:9000000:1", "-t", "0.1", "-b", "0.05", "--max-rows", "1e9"}, // too long a table for people
		{"experiment", "--signal", "0:9000000:1"},
	} {
		code, stdout, stderr := commandtest.Dpcalc(args...)
		if !commandtest.Refused(code, stdout, stderr, "want at most") {
			t.Errorf("%v: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
	runtime.ReadMemStats(&after)
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 {
		t.Errorf("%d MB were allocated", used)
	}
}
