package holdout

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// Several questions of one command are looks in the order written, priced one after the other. Nothing is taken while
// one is wrong.
func TestQuestionsInOneCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 800)
	runs(t, 0, "holdout init one --labels labels.csv -b 5% --open")
	runs(t, 0, "holdout init other --labels labels.csv -b 5% --open")
	const columns = "look,show,verdict,cell_from,price,spent"
	picked := func(csv string) (all string) {
		lines := strings.Split(strings.TrimSpace(csv), "\n")
		header := strings.Split(lines[0], ",")
		for _, line := range lines[1:] {
			cells := strings.Split(line, ",")
			for i, name := range header {
				if strings.Contains(columns, name) {
					all += name + "=" + cells[i] + " "
				}
			}
			all += "\n"
		}
		return all
	}
	runs(t, 2, "holdout score one p800.tsv --show pass:bar=0.7 --show score:bar=0.5")
	runs(t, 2, "holdout score one p800.tsv --show pass:bar=0.7 --show score:where")
	runs(t, 2, "holdout price one --show pass:bar=0.7 --show best")
	if stdout, _ := runs(t, 0, "holdout log one -f csv"); strings.Count(stdout, "\n") != 1 {
		t.Errorf("a look was taken beside a wrong question: %s", stdout)
	}
	together, _ := runs(t, 4, "holdout score one p600.tsv --show pass:bar=0.7 --show score:near=0.6,step=0.1 --show best -f csv")
	want := ""
	for i, look := range []string{"--show pass --bar 0.7", "--show score --near 0.6 --step 0.1", "--show best"} {
		code := 0
		if i == 0 {
			code = 4
		}
		stdout, _ := runs(t, code, "holdout score other p600.tsv -f csv "+look)
		want += picked(stdout)
	}
	if got := picked(together); got != want || strings.Count(got, "\n") != 3 {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	runs(t, 0, "holdout verify one")
}

// The paragraph counts looks by what they showed. A fixed plan has its own.
func TestReportOfAnOpenLedger(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 800)
	runs(t, 0, "holdout init one --labels labels.csv -b 5% --open")
	runs(t, 4, "holdout score one p600.tsv --show pass:bar=0.7 --show pass:bar=0.5 --show score:near=0.6,step=0.1")
	stdout, _ := runs(t, 0, "holdout status one --report")
	for _, want := range []string{"labels of 1,000 independent rows", "2 gates, of which 1 passed; 1 rounded score.", "at least 1 - 0.05",
		"if the same rows were labelled again"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s", want, stdout)
		}
	}
	runs(t, 0, "holdout init fixed --labels labels.csv -m 3 -b 5% --query binary")
	runs(t, 2, "holdout status fixed --report")
}

// A refusal is exit 3 with no row, whatever was asked of a retired ledger, and its reason is on standard error.
func TestRetiredOpenLedger(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600)
	write(t, "more.csv", "id,label\nnew,1\n")
	runs(t, 0, "holdout init one --labels labels.csv -b 5% --open")
	if status, _ := runs(t, 0, "holdout status one -f csv"); strings.Contains(status, ",-0,") {
		t.Errorf("minus nothing is spent: %s", status)
	}
	first, _ := runs(t, 0, "holdout close one --alpha 5% --tests 3 -f csv")
	if again, _ := runs(t, 0, "holdout close one --alpha 5% --tests 3 -f csv"); again != first {
		t.Errorf("closed again: got %s, want %s", again, first)
	}
	for _, line := range []string{"price one --show score", "close one --alpha 5% --tests 2", "close one --alpha 1% --tests 3",
		"extend one --labels more.csv"} {
		stdout, stderr := runs(t, 3, "holdout "+line+" -f csv")
		if strings.Count(stdout, "\n") != 1 || !strings.HasPrefix(stderr, "dpcalc: holdout: refused: the ledger is retired") {
			t.Errorf("%s: got %s%s", line, stdout, stderr)
		}
	}
	runs(t, 3, "holdout score one p600.tsv --show score")
	const closed = "closed for 3 p-values computed elsewhere from these rows, each judged at the level 0.0166666"
	if report, _ := runs(t, 0, "holdout status one --report"); !strings.Contains(report, closed) {
		t.Errorf("no %q in %s", closed, report)
	}
}

// Whoever makes a ledger is told that a second one voids both, in whichever form the row is written.
func TestInitWarnsOfASecondLedger(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 100, 60)
	for i, line := range []string{"", "-f json", "-f csv", "-o made.csv", "-o made.md", "-f json --dry-run"} {
		stdout, stderr := runs(t, 0, fmt.Sprintf("holdout init l%d --labels labels.csv -b 5%% --open %s", i, line))
		if n := strings.Count(commandtest.Unfolded(stdout)+stderr, alone); n != 1 {
			t.Errorf("%q: the warning is printed %d times: %s%s", line, n, stdout, stderr)
		}
	}
}

// Several metrics of one model are looks in one ledger, also in one command. The status says what is known of each
// model, and the answer of a board what is known of the best.
func TestMetricsAndModels(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 800)
	var marks strings.Builder
	marks.WriteString("id,prediction,judge\n")
	for i := range 1000 {
		fmt.Fprintf(&marks, "r%d,%s,0.75\n", i, []string{"a", "b"}[i%2])
	}
	write(t, "marked.csv", marks.String())
	runs(t, 0, "holdout init one --labels labels.csv -b 5% --open --metrics accuracy,column:judge")
	stdout, _ := runs(t, 0, "holdout score one marked.csv --name marked -f csv --show score:near=0.75,metric=column:judge --show score:near=0.5,step=0.1")
	if strings.Count(stdout, "\n") != 3 {
		t.Errorf("got %s", stdout)
	}
	if log, _ := runs(t, 0, "holdout log one -f csv"); !strings.Contains(log, "column:judge") {
		t.Errorf("no look at the other metric: %s", log)
	}
	runs(t, 0, "holdout score one p600.tsv --show best:step=0.1 --name early")
	board, _ := runs(t, 0, "holdout score one p800.tsv --show best:step=0.1")
	if !strings.Contains(board, "The best truth of all that this board was shown is in [0.") {
		t.Errorf("got %s", board)
	}
	status, _ := runs(t, 0, "holdout status one")
	for _, want := range []string{"Look 4: the truth of its model is in [0.", "Look 3, early: the truth of its model is in [0.",
		"Look 2, marked: the truth of its model is in [0, "} {
		if strings.Contains(status, "look 1,") { // a column, whose other looks nobody knows
			t.Errorf("the model of a column in %s", status)
		}
		if !strings.Contains(status, want) {
			t.Errorf("no %q in %s", want, status)
		}
	}
}

// New rows have every feature that the rows before have, or else nothing is written: a slice takes its rows from all.
// Rows that take the place of all others may have other features.
func TestExtendWithOtherFeatures(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 2, 1)
	write(t, "features.csv", "id,color,size\nr0,red,1\nr1,blue,2\n")
	write(t, "more.csv", "id,label\ns1,a\n")
	write(t, "narrow.csv", "id,color\ns1,red\n")
	write(t, "narrow.jsonl", `{"id":"s1","color":"red"}`+"\n")
	write(t, "wide.tsv", "size\tshape\tid\tcolor\n3\tround\ts1\tred\n")
	log := func() string {
		text, err := os.ReadFile("one/looks.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	runs(t, 0, "holdout init one --labels labels.csv -b 5% --open --features features.csv")
	for _, file := range []string{"narrow.csv", "narrow.jsonl"} {
		_, stderr := runs(t, 2, "holdout extend one --labels more.csv --features "+file)
		if !strings.HasPrefix(stderr, "dpcalc: --features: ") || !strings.Contains(stderr, "size") || strings.Count(stderr, "\n") != 1 || log() != "" {
			t.Errorf("%s: got %s and %q", file, stderr, log())
		}
	}
	runs(t, 0, "holdout extend one --labels more.csv --features wide.tsv")
	runs(t, 0, "holdout price one --show score --where size=3")
	runs(t, 0, "holdout extend one --labels more.csv --features wide.tsv") // changes nothing
	write(t, "other.csv", "id,label\nu1,a\nu2,b\n")
	write(t, "otherfeatures.csv", "id,shape\nu1,round\nu2,flat\n")
	runs(t, 0, "holdout extend one --replace --labels other.csv --features otherfeatures.csv")
	runs(t, 0, "holdout price one --show score --where shape=flat")
	runs(t, 0, "holdout init two --labels labels.csv -b 5% --open --features features.csv --group color")
	runs(t, 2, "holdout extend two --labels more.csv --features narrow.csv")
	write(t, "wide.tsv", "size\tid\tcolor\n3\ts1\tgreen\n")
	runs(t, 0, "holdout extend two --labels more.csv --features wide.tsv")
}

// A column that the features do not have is a wrong question.
func TestWrongSlice(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 10, 6)
	var features strings.Builder
	features.WriteString("id,color\n")
	for i := range 10 {
		fmt.Fprintf(&features, "r%d,red\n", i)
	}
	write(t, "features.csv", features.String())
	runs(t, 0, "holdout init one --labels labels.csv -b 5% --open --features features.csv")
	for where, want := range map[string]string{"size=1": "--features: got the columns id, color, want id and size", "color=blue": "--where: ",
		"label=a": "--where: ", "color": "--where: ", "=red": "--where: "} {
		_, stderr := runs(t, 2, "holdout score one p6.tsv --show score --where "+where)
		if !strings.HasPrefix(stderr, "dpcalc: "+want) {
			t.Errorf("%s: got %s", where, stderr)
		}
	}
	runs(t, 0, "holdout price one --show score --where color=red")
	for where, want := range map[string]string{"size=1": "got the columns id, color", "color=blue": "got color=blue", "color": "got color, want COLUMN"} {
		for _, dry := range []string{"", " --dry-run"} {
			_, stderr := runs(t, 2, "holdout init two --labels labels.csv -b 5% --open --features features.csv --ask score:where="+where+dry)
			if !strings.HasPrefix(stderr, "dpcalc: --ask: "+want) {
				t.Errorf("%s: got %s", where, stderr)
			}
		}
	}
	runs(t, 2, "holdout init two --labels labels.csv -b 5% --open --ask pass:bar=0.5,where=color=red")
	runs(t, 0, "holdout init two --labels labels.csv -b 5% --open --features features.csv --ask pass:bar=0.5,where=color=red")
}

// The cell of a gate of a ratio N/D is one of the mean of N - C D, and nothing calls it a score: people read what it is
// of, and programs read null.
func TestCellsOfRatiosAreNoScores(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400)
	var dogs strings.Builder
	dogs.WriteString("id,prediction\n")
	for i := range 400 {
		fmt.Fprintf(&dogs, "r%d,dog\n", i)
	}
	write(t, "dogs.csv", dogs.String())
	for metric, mean := range map[string]float64{ // 214 of 400 are dogs: N - .8 D by hand
		"f1": (2*214 - .8*(2*214+186)) / 400, "recall": (214 - .8*214) / 400, "jaccard": (214 - .8*400) / 400,
	} {
		row(t, 0, "holdout init "+metric+" --labels labels.csv -b 0.05 --open --positive dog --metrics accuracy,"+metric)
		look := metric + " dogs.csv --metric " + metric + " --show pass --bar 0.8"
		_, text, said := commandtest.Dpcalc(strings.Fields("holdout score " + look)...)
		_, cell, found := strings.Cut(text, "N - 0.8 D ")
		side, end := "", 0.0
		if _, err := fmt.Sscan(cell, &side, &end); !found || err != nil || (mean >= end) != (side == "from") {
			t.Errorf("%s: N - 0.8 D is %v, and the table says\n%s%s", look, mean, text, said)
		}
		_, priced, _ := commandtest.Dpcalc(strings.Fields("holdout price " + look + " -f json")...)
		for _, want := range []string{`"from":null,"below":null`, `"next_pass":null`} {
			if strings.Count(priced, want) != 2 {
				t.Errorf("%s: price has no %s twice:\n%s", metric, want, priced)
			}
		}
		_, logged, _ := commandtest.Dpcalc(strings.Fields("holdout log " + metric + " -f json")...)
		if !strings.Contains(logged, `"cell_from":null,"cell_below":null`) {
			t.Errorf("%s: the log has a cell of a score:\n%s", metric, logged)
		}
		code, out, said := commandtest.Dpcalc(strings.Fields("holdout score " + metric + " dogs.csv --metric accuracy --show pass --bar 0.8 -f json")...)
		if code != 4 || !strings.Contains(out, `"cell_from":null,"cell_below":0.`) {
			t.Errorf("a gate of accuracy: exit %d, %s%s", code, out, said)
		}
	}
}

// No fixed ledger has gates of a ratio, from flags or from a plan file: the refusal names the ledger that has. What
// fails in that ledger is at most 2 tau above the bar, as the plan says of the share that is predicted positive.
func TestGatesOfARatioThatWasPlanned(t *testing.T) {
	t.Chdir(t.TempDir())
	const plan = "--query f1 --feedback gate --bar 0.6 --positives 30%"
	n := int(commandtest.RowsOf(t, strings.Fields("samplesize --best --open -m 1 -t 0.15 -b 5% "+plan)...)[0]["samples"].(float64))
	labels, predictions := "id,label\n", "id,prediction\n"
	for i := range n {
		labels += fmt.Sprintf("%d,%s\n", i, []string{"no", "yes"}[i%2])
		predictions += fmt.Sprintf("%d,%s\n", i, []string{"no", "yes"}[min(1, max(0, 3*n/10-i))])
	}
	for name, text := range map[string]string{"labels.csv": labels, "p.csv": predictions,
		"plan.yaml": "scenarios:\n  - name: one\n    query: f1\n    feedback: gate\n    threshold: 0.6\n    positives: 0.3\n    queries: 10\n    tau: 0.1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for flags, want := range map[string]string{
		"--plan plan.yaml": "query: got a ratio, want holdout init --open --metrics with its name",
		"-m 10 -t .1 --query f1 --feedback gate --bar .6": "--query: got f1, want holdout init --open --metrics f1",
	} {
		if _, stderr := runs(t, 2, "holdout init fixed --labels labels.csv "+flags); !strings.Contains(stderr, want) {
			t.Errorf("%s: got %s, want %s", flags, stderr, want)
		}
	}
	runs(t, 0, "holdout init open --labels labels.csv -b 5% --open --metrics f1 --positive yes")
	row := commandtest.RowsOf(t, strings.Fields("holdout score open p.csv --show pass --bar 0.6")...)[0]
	if upper := row["upper"].(float64); row["verdict"] != "fail" || !(upper <= 0.9+1e-9 && upper > 0.89) {
		t.Errorf("%d rows: got %v", n, row)
	}
}
