package samplesize

import (
	"math"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// An AUC has the tau of as many values in [0,1] as the smaller class has rows, by whatever needs a tail and no more;
// by the sensitivity of a rank statistic tau is three times as much.
func TestAUC(t *testing.T) {
	tau := func(line, method string) float64 {
		t.Helper()
		x, _ := rowsBy(t, line)[method]["tau"].(float64)
		return x
	}
	for _, shown := range []string{"gate --passes 1", "gate --passes 1 --open", "best", "flags -B 2", "final"} {
		plan := " -m 150 -b .05 --feedback " + shown
		few := rowsBy(t, "-n 500"+plan)
		for method, row := range rowsBy(t, "--query auc --class-counts 500,4500"+plan) {
			is := row["status"] == "ok"
			if want := few[method]["tau"]; is && math.Abs(row["tau"].(float64)/want.(float64)-1) > 1e-6 {
				t.Errorf("%s, %s: tau %v, want %v", shown, method, row["tau"], want)
			}
			noisy := strings.HasPrefix(method, "gaussian") || strings.HasPrefix(method, "laplace") || strings.HasPrefix(method, "thresholdout")
			if noisy && is {
				t.Errorf("%s, %s: an answer with noise", shown, method)
			}
		}
	}
	const plan = " -m 150 -b .05 --feedback gate --passes 1"
	area, moved := tau("--query auc --class-counts 4500,500"+plan, "gate"), tau("-n 5000 --query sensitive --sensitivity 10"+plan, "gate")
	if math.Abs(area-.0818) > 5e-5 || math.Abs(moved-.283) > 5e-4 {
		t.Errorf("got tau %v, and %v by sensitivity", area, moved)
	}
	row := rowsBy(t, "--query auc --class-counts 500,4500"+plan)["gate"]
	assumes, _ := row["assumes"].([]any)
	if len(assumes) == 0 || !strings.Contains(assumes[0].(string), "models made without these rows") || row["samples"] != 5000.0 {
		t.Errorf("got %v", row)
	}
	for line, want := range map[string]string{
		"--query auc -n 30":                               "--class-counts: got one of it and --query auc, want both",
		"--class-counts 5,5":                              "--class-counts: got one of it and --query auc, want both",
		"--query auc --class-counts 5":                    "--class-counts: got 5, want two whole numbers",
		"--query auc --class-counts 5,5,5":                "--class-counts: got 5,5,5, want two whole numbers",
		"--query auc --class-counts 5,0":                  "--class-counts: got 5,0, want two whole numbers",
		"--query auc --class-counts 5,5 -n 10":            "--class-counts: given with --samples",
		"--query auc --class-counts 5,7 --variance .1":    "--class-counts: got 5 positive and 7 negative rows, want no variance",
		"--query auc --class-counts 5,7 --past-looks 3":   "--class-counts: got 5 positive and 7 negative rows, want no past looks",
		"--query auc --class-counts 5,7 --population 100": "--population: given with",
		"--query auc --class-counts 5,7 --range 0,2":      "--range: given with --query auc",
		"--query auc --class-counts 5,7 --clusters 3x4":   "--class-counts: given with --samples or --clusters",
	} {
		code, out, said := commandtest.Dpcalc(append([]string{"samplesize", "-m", "3", "-b", ".1"}, strings.Fields(line)...)...)
		if code != usage.ExitUsage || out != "" || !strings.Contains(said, want) {
			t.Errorf("%s: exit %d, got %s, want %s", line, code, said, want)
		}
	}
}
