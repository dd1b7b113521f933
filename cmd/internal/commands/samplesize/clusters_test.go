package samplesize

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// A benchmark of 14,042 items needs 5,965 rows for each of 100 answers within .02, and fewer where less is shown.
func TestRowsOfABenchmark(t *testing.T) {
	const plan = "--population 14042 -m 100 -t .02 -b .05"
	rows := rowsBy(t, plan)
	if r := rows["subset"]; r["samples"] != 5965.0 || r["best"] != true || r["adaptive"] != true || r["proof"] != "derived" {
		t.Errorf("%v", r)
	}
	for _, name := range []string{"gaussian", "splitting", "rounding"} {
		if r := rows[name]; r["status"] != "not_applicable" {
			t.Errorf("%v", r)
		}
	}
	for shown, want := range map[string]float64{"gate --passes 1": 5668, "final": 5965} {
		for _, r := range rowsBy(t, plan+" --feedback "+shown) {
			if r["best"] == true && r["samples"] != want {
				t.Errorf("%s: %v, want %v", shown, r, want)
			}
		}
	}
	if _, there := rowsBy(t, "-m 100 -t .02 -b .05")["subset"]; there {
		t.Error("a row for subsets without a benchmark")
	}
}

// Clusters of equal weight are rows, and clusters of other weights have their effective number of rows, by flags or by
// a file.
func TestRowsOfClusters(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const plan = "-m 20 -b .05 --feedback gate --passes 1 "
	equal := rowsBy(t, plan+"--clusters 200x10,50x20 --icc .2")["gate"]
	alike := rowsBy(t, plan+"-n 250")["gate"]
	if equal["tau"] != alike["tau"] || equal["effective_rows"] != 250.0 || equal["samples"] != 250.0 {
		t.Errorf("%v, and for 250 rows %v", equal, alike)
	}
	assumed := 250 * 250 / (200*2.8/10 + 50*4.8/20)
	if got := equal["icc_rows"].(float64); math.Abs(got-assumed) > 1e-9 {
		t.Errorf("%v rows by the assumption, want %v", got, assumed)
	}
	byRows := rowsBy(t, plan+"--clusters 200x10,50x20 --weights rows --icc .2")["gate"]
	tau := math.Sqrt(math.Log(20/.05) / 2 / 225)
	if got := byRows["tau"].(float64); byRows["effective_rows"] != 225.0 || !(got >= tau && got < tau*(1+1e-9)) {
		t.Errorf("%v, want tau %v", byRows, tau)
	}
	if got, want := byRows["icc_rows"].(float64), 3000*3000/(2000*2.8+1000*4.8); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v rows by the assumption, want %v", got, want)
	}
	var lines strings.Builder
	lines.WriteString("cluster,rows\n")
	for i := range 250 {
		size := "10"
		if i%5 == 0 {
			size = "20"
		}
		lines.WriteString(strings.Repeat("x", i+1) + "," + size + "\n")
	}
	same := rowsBy(t, plan+"--weights rows --icc .2 --clusters "+file("sizes.csv", lines.String()))["gate"]
	for name, value := range byRows {
		if !reflect.DeepEqual(same[name], value) {
			t.Errorf("%s: %v by a file, want %v", name, same[name], value)
		}
	}
	weights := rowsBy(t, plan+"--weights rows --clusters "+file("weights.csv", "weight;cluster\n0.5;a\n.25;b\n.25;c\n"))["gate"]
	comma := rowsBy(t, plan+"--weights rows --clusters "+file("comma.csv", "\ufeffsep=;\nweight;cluster\n0,5;a\n,25;b\n,25;c\n"))["gate"]
	if !reflect.DeepEqual(comma, weights) {
		t.Errorf("%v with decimal commas, want %v", comma, weights)
	}
	each := rowsBy(t, plan+"--weights rows --clusters "+file("rows.csv", "id,cluster\n1,a\n2,b\n3,a\n4,c\n"))["gate"]
	if weights["effective_rows"] != each["effective_rows"] || math.Abs(each["effective_rows"].(float64)-8./3) > 1e-12 {
		t.Errorf("%v\n%v", weights, each)
	}
	for name, c := range map[string][2]string{
		"twice.csv":  {"id,cluster\n1,a\n2,b\n1,c\n", "line 4: got the id 1 twice, want it once"},
		"again.csv":  {"cluster,rows\na,4\na,5\n", "line 3: got the cluster a twice, want it once"},
		"sum.csv":    {"cluster,weight\na,.5\nb,.4\n", "got weights that add up to 0.900000, want 1"},
		"minus.csv":  {"cluster,weight\na,1.5\nb,-.5\n", "line 3: got the weight -.5, want a positive decimal"},
		"nan.csv":    {"cluster,weight\na,NaN\n", "line 2: got the weight NaN, want a positive decimal"},
		"none.csv":   {"cluster,rows\na,0\n", "line 2: got 0 rows, want a whole number of at least 1"},
		"empty.csv":  {"cluster\n", "got a header and nothing below it, want a line for each cluster, or for each row"},
		"other.csv":  {"document,size\na,3\n", "line 1: got the columns document,size, want rows or weight with a line for each cluster, or cluster with one for each row"},
		"noname.csv": {"id,cluster\n1,\n", "line 2: got a row without a cluster, want a name for it"},
	} {
		path := file(name, c[0])
		args := append(strings.Fields("samplesize "+plan), "--clusters", path)
		code, out, stderr := commandtest.Dpcalc(args...)
		if code != usage.ExitUsage || out != "" || stderr != "dpcalc: "+path+": "+c[1]+"\n" {
			t.Errorf("%s: exit %d, %q, %q", name, code, out, stderr)
		}
	}
}

// What is wrong with the rows of a sample is one line, and the exit code 2.
func TestWrongSamples(t *testing.T) {
	for command, want := range map[string]string{
		"--clusters 0x5":                                       "--clusters: got 0x5, want clusters and the rows of each",
		"--clusters 10x":                                       "--clusters: got 10x, want clusters and the rows of each",
		"--clusters 10x0":                                      "--clusters: got 10x0, want clusters and the rows of each",
		"--clusters 10x-1":                                     "--clusters: got 10x-1, want clusters and the rows of each",
		"--clusters 10x1/2":                                    "--clusters: got 10x1/2, want clusters and the rows of each",
		"--clusters 1e9x1e9":                                   "--clusters: got 1e9x1e9, want clusters and the rows of each",
		"--clusters 1000000x9999999":                           "--clusters: got 1000000x9999999, want at most 2^40 rows",
		"--clusters 10x3 -n 4":                                 "--samples: given with --clusters, want one of the two",
		"--clusters 10x3 --query binary":                       "--query: got binary with --clusters, want bounded or difference",
		"--clusters 2x0.3,4x0.1":                               "--clusters: got weights, want --weights rows with them",
		"--clusters 2x0.3,4x0.11 --weights rows":               "--clusters: got weights that add up to 1.040000, want 1",
		"--clusters missing.csv":                               "--clusters: got missing.csv, want clusters and the rows of each",
		"-t .1 --range=5,0":                                    "--range: got 5,0, want two numbers up to 1e100, the lesser one first",
		"-t .1 --range=NaN,1":                                  "--range: got NaN, want a number",
		"-t .1 --range=0,Inf":                                  "--range: got Inf, want a number",
		"--clusters 2x0.5 --weights clusters":                  "--clusters: got weights, want --weights rows with them",
		"--clusters 10x3 --weights documents":                  "--weights: got documents, want clusters or rows",
		"--clusters 10x3 --icc 1.5":                            "--icc: got 1.5, want a correlation in [0, 1]",
		"--clusters 10x3 --icc NaN":                            "--icc: got NaN, want",
		"--clusters 2x.5 --icc .5 --weights rows":              "--icc: got 0.5, want a correlation in [0, 1], and clusters with a number of rows",
		"--clusters 10x3 --population 40":                      "--population: given with --clusters",
		"--clusters 10x3 --past-looks 2 --weights rows":        "--clusters: got 10 clusters, want no past looks",
		"-n 5 --icc .5":                                        "--icc: got it without --clusters, want both",
		"-n 5 --weights rows":                                  "--weights: got it without --clusters, want both",
		"-n 101 --population 100":                              "--samples: got 101, want at most 100, the items of the benchmark",
		"-n 5 --population 0":                                  "--population: got 0, want a whole number",
		"-n 5 --population NaN":                                "--population: got NaN, want a whole number",
		"-n 5 --population 9 --query sensitive":                "--population: got a benchmark of 9 items, want a query that is a mean",
		"-n 5 --population 9 --past-looks 1":                   "--population: got a benchmark of 9 items, want no past looks",
		"--population 9 --arrive-rows 5 --arrive-looks 2 -n 5": "--population: got a benchmark of 9 items, want all rows at the first query",
	} {
		args := append([]string{"samplesize", "-m", "10", "-b", ".05"}, strings.Fields(command)...)
		code, out, stderr := commandtest.Dpcalc(args...)
		if code != usage.ExitUsage || out != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "dpcalc: "+want) {
			t.Errorf("%s: exit %d, %s%s", command, code, out, stderr)
		}
	}
}

// Plan files, workbooks and reports have the clusters and the benchmark.
func TestSamplesInFiles(t *testing.T) {
	for sample, words := range map[string]string{
		"--clusters 200x10,50x20":                "on a sample of 250 clusters with 3,000 rows, each of which counts as one row, independent of each other.",
		"--clusters 200x10,50x20 --weights rows": "on a sample of 250 clusters with 3,000 rows that count alike, independent of each other.",
		"--clusters 1x0.5,2x0.25 --weights rows": "on a sample of 3 clusters with given weights, independent of each other.",
		"--population 5000 -n 900":               "on a sample of 900 rows, drawn uniformly without replacement from a benchmark of 5000 items, which is the population.",
	} {
		dir := t.TempDir()
		plan, book := filepath.Join(dir, "plan.yaml"), filepath.Join(dir, "plan.xlsx")
		args := strings.Fields("samplesize -m 3 -b .3 --feedback gate " + sample)
		savePlan(t, plan, args[1:]...)
		code, out, stderr := commandtest.Dpcalc(append(args, "--report")...)
		if text := strings.Join(strings.Fields(out), " "); code != usage.ExitOK || !strings.Contains(text, words) {
			t.Errorf("%s: exit %d, %s%s", sample, code, out, stderr)
		}
		rows := commandtest.RowsOf(t, "plan", "run", plan, "--best")
		if want := rowsBy(t, strings.Join(args[1:], " "))["gate"]["tau"]; len(rows) != 1 || rows[0]["tau"] != want {
			t.Errorf("%s: the plan file has %v, want %v", sample, rows, want)
		}
		if code, _, stderr := commandtest.Dpcalc(append(args, "-o", book)...); code != usage.ExitOK {
			t.Errorf("%s: exit %d, %s", sample, code, stderr)
		}
	}
}

// A metric that is a mean is planned for, and the answer says what is promised. A column is another query.
func TestMetricsHaveAPlan(t *testing.T) {
	for name, want := range map[string]string{
		"accuracy":  "accuracy: what is promised is about the probability that a prediction is right",
		"precision": "precision: what is promised is about the probability that a row predicted positive is positive",
		"column:x":  "dpcalc: --query: got column:x, want bounded, with --range A,B ",
	} {
		args := []string{"samplesize", "-m", "10", "-t", ".1", "-b", ".05", "--query", name}
		code, out, stderr := commandtest.Dpcalc(args...)
		said := strings.Join(strings.Fields(out+stderr), " ")
		refused := strings.HasPrefix(want, "dpcalc")
		if refused != (code == usage.ExitUsage) || !strings.Contains(said, want) {
			t.Errorf("%s: exit %d, %s%s", name, code, out, stderr)
		}
		if refused {
			continue
		}
		for _, row := range commandtest.RowsOf(t, append(args, "--full")...) {
			if row["promise"] != want {
				t.Errorf("%s: %s promises %v, want %s", name, row["method"], row["promise"], want)
			}
		}
	}
}

// A gate of a ratio has a plan in tables, reports and plan files alike, which promises what it is about. Recall has
// none: the refusal is the command that forecasts its gates.
func TestRatiosHaveAPlan(t *testing.T) {
	const plan = "-m 10 -t 0.06 -b 0.05 --feedback gate --threshold 0.8 --positives 20% "
	last := 0.
	for _, c := range []struct{ flags, share string }{
		{"--query f1 --passes 1", "20%"}, {"--query f1 --passes 1", "30%"}, {"--query f1 --passes 1 --open", "20%"}, {"--query jaccard", "20%"},
	} {
		args := strings.Fields("samplesize --best " + strings.Replace(plan, "20%", c.share, 1) + c.flags)
		row := commandtest.RowsOf(t, args...)[0]
		promise, _ := row["promise"].(string)
		name := args[len(strings.Fields(plan))+3]
		if row["query"] != name || row["bar"] != 0.8 || row["pass_at"] != nil ||
			!strings.HasPrefix(promise, name+": what is promised is about the ratio of the two expectations ") ||
			!strings.Contains(promise, "one that fails is at most 2 tau above the bar if it predicts the positive class on the share --positives of the rows") {
			t.Errorf("%v: got %v", args, row)
		}
		rows := row["samples"].(float64)
		if c.share == "30%" && rows >= last || !(rows > 400 && rows < 4000) {
			t.Errorf("%v: %v rows after %v", args, rows, last)
		}
		last = rows
	}
	file := filepath.Join(t.TempDir(), "plan.yaml")
	line := strings.Fields("samplesize " + plan + "--query f1")
	savePlan(t, file, line[1:]...)
	code, out, stderr := commandtest.Dpcalc(append(line, "--report")...)
	said := strings.Join(strings.Fields(out), " ")
	for _, words := range []string{"10 f1 queries", "A test passes if its mean of N - C D", "f1: what is promised is about the ratio", "on the share 0.2 of the rows"} {
		if code != usage.ExitOK || !strings.Contains(said, words) {
			t.Errorf("exit %d, %s%s, want %s", code, out, stderr, words)
		}
	}
	want := commandtest.RowsOf(t, append(line, "--best")...)[0]["samples"]
	if rows := commandtest.RowsOf(t, "plan", "run", file, "--best"); len(rows) != 1 || rows[0]["samples"] != want {
		t.Errorf("the plan file has %v, want %v rows", rows, want)
	}
	for flags, want := range map[string]string{
		"": "--query f1 needs --feedback gate", "--feedback best --threshold .8": "--query f1 needs --feedback gate",
		"--feedback gate --threshold .8":                                     "--positives: got nothing, want the share of the rows",
		"--feedback gate --positives .1":                                     "--threshold: got nothing, want the bar",
		"--feedback gate --positives .1 --threshold 0":                       "--threshold: got 0, want a bar in (0, 1)",
		"--feedback gate --positives .1 --threshold NaN":                     "--threshold: got NaN, want",
		"--feedback gate --positives 1.1 --threshold .8":                     "--positives: got 1.1, want a share of the rows in (0, 1)",
		"--feedback gate --positives .1 --threshold .8 --one-sided":          "--one-sided: got true, want false with a ratio",
		"--feedback gate --positives .1 --threshold .8 --range 0,1":          "--range: given with --query f1",
		"--feedback gate --positives .1 --threshold .8 --clusters 20x10":     "--clusters: given with --query f1",
		"--feedback gate --positives .1 --threshold .8 --population 900":     "--population: given with --query f1",
		"--feedback gate --positives .1 --threshold .8 --class-counts 50,50": "--class-counts: given with --query f1",
		"--feedback gate --positives .1 --threshold .8 --arrive 100,200@5":   "--arrive: given with --query f1",
		"--feedback gate --positives .1 --threshold .8 --variance .1":        "--variance: got 0.1, want none with a ratio",
		"--feedback gate --positives .1 --threshold .8 --query recall":       "--query: got recall, want f1 or jaccard: a gate of recall bounds what passes and not what fails, so that a plan has no tau; type dpcalc power --query recall --positives .1 --threshold .8 --queries 10 --beta 0.05 --effect 0.12 --power 80%\n",
		"--feedback gate --positives .1 --threshold .8 --query binary":       "--positives: got it without a ratio",
		"--query accuracy --positives .1":                                    "--positives: got it without a ratio",
	} {
		args := strings.Fields("samplesize -m 10 -t 0.06 -b 0.05 " + flags)
		if !strings.Contains(flags, "--query") {
			args = append(args, "--query", "f1")
		}
		code, out, stderr := commandtest.Dpcalc(args...)
		if code != usage.ExitUsage || out != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "dpcalc: "+want) {
			t.Errorf("%s: exit %d, %s%s, want %s", flags, code, out, stderr, want)
		}
	}
}

// A loss is planned for by its greatest value, and the root of a mean is no mean.
func TestLossesNeedARange(t *testing.T) {
	for _, name := range []string{"log-loss", "squared-error", "rmse"} {
		code, out, stderr := commandtest.Dpcalc("samplesize", "-m", "10", "-t", ".1", "-b", ".05", "--query", name)
		want := "dpcalc: --query: got " + name + ", want bounded with --range 0,L, L the greatest "
		if code != usage.ExitUsage || out != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: exit %d, %s%s", name, code, out, stderr)
		}
	}
}

// A plan that a sample of a given size does not keep is infeasible. What it needs is no number of rows.
func TestSamplesThatAreTooSmall(t *testing.T) {
	for sample, words := range map[string]string{
		"--clusters 500x9 --weights rows":     "500 clusters",
		"--query auc --class-counts 500,4500": "500 positive and 4500 negative rows",
	} {
		for _, c := range []struct {
			asked, needs string
			code         int
		}{{"-t .05 -m 20", "needs", usage.ExitRefuted}, {"-t .01", "2 queries need", usage.ExitNoAnswer}} {
			line := "samplesize -b .05 --feedback gate --passes 2 " + c.asked + " " + sample
			code, out, said := commandtest.Dpcalc(strings.Fields(line)...)
			want := "gate: " + c.needs + " a sample that is worth more than " + words
			if code != c.code || said != "" || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
				t.Errorf("%s: exit %d, got %s%s", line, code, out, said)
			}
			if c.code == usage.ExitRefuted && !strings.Contains(out, "these rows give tau 0.0832036") {
				t.Errorf("%s: got %s", line, out)
			}
		}
	}
}
