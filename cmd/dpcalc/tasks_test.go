package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// taskFiles writes labels of 40 documents, the predictions of four prompts, a log and lists of p-values.
func taskFiles(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	files := map[string]string{"labels.csv": "id,label\n", "docs.csv": "id,doc\n",
		"list.csv": "test,p\n", "comma.csv": "test;p\nA;0,003\nB;0,2\n"}
	for k := range 4 {
		files[fmt.Sprintf("prompt-%d.csv", k)] = "id,prediction\n"
	}
	for i := range 2000 {
		files["labels.csv"] += fmt.Sprintf("q%d,%s\n", i, []string{"yes", "no"}[i%2])
		files["docs.csv"] += fmt.Sprintf("q%d,d%d\n", i, i/50)
		for k := range 4 {
			said := []string{"yes", "no"}[i%2]
			if i*7%100 >= 70+8*k {
				said = "other"
			}
			files[fmt.Sprintf("prompt-%d.csv", k)] += fmt.Sprintf("q%d,%s\n", i, said)
		}
	}
	var items []string
	for i := range 900 {
		items = append(items, fmt.Sprintf(`{"testIdx": %d, "promptIdx": 0, "success": %t, "score": %d, "vars": {"q": "%[1]d"},
			"testCase": {"vars": {"q": "%[1]d"}, "assert": []}, "namedScores": {}}`, i, i%10 > 0, min(1, i%10)))
	}
	files["log.json"] = `{"evalId": "e", "results": {"version": 3, "results": [` + strings.Join(items, ",") + "]}}"
	for i := range 40 {
		files["list.csv"] += fmt.Sprintf("%d,0.%03d\n", i, 1+20*i)
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A new user's tasks, as the README and the help say them, meet no refusal.
func TestFirstTasks(t *testing.T) {
	taskFiles(t)
	for _, task := range []struct {
		line, want string
	}{
		{line: "samplesize --rows 5000 --looks 150", want: "5,000 rows are enough for 150 scores"},
		{line: "samplesize -m 150 --tau 7%,6%", want: "0.06"}, // how many more rows one more point takes
		{line: "samplesize -n 5000 -m 150 --proofs coq", want: "gaussian-schedule"},
		{line: "samplesize -n 5000 -m 150 --proofs checked", want: "gaussian-schedule"},
		{line: "holdout init gate --labels log.json --beta 5% --open", want: "The ledger gate"},
		{line: "holdout score gate log.json --show pass --bar 80% --name first", want: "pass"},
		{line: "holdout init paired --labels labels.csv --incumbent prompt-0.csv --beta 5% --open", want: "difference"},
		{line: "holdout score paired prompt-1.csv --show pass --bar 0", want: "pass"},
		{line: "holdout score paired prompt-3.csv --show pass --bar 0", want: "pass"},
		{line: "holdout init board --labels labels.csv --beta 5% --open --metrics f1 --positive yes --ask best", want: "The ledger board"},
		{line: "holdout score board prompt-3.csv --show best", want: "raise"},
		{line: "holdout init docs --labels labels.csv --beta 5% --open --features docs.csv --group doc", want: "The clusters of doc"},
		{line: "holdout score docs prompt-3.csv --show score", want: "score"},
		{line: "advise --samples 2000 --clusters 40 --queries 150", want: "Ways to look"},
		{line: "pvalue-correct list.csv --by description --outcomes 40", want: "0,0.001,0.04,0.00125,true,ok"},
		{line: "pvalue-correct comma.csv --family holm", want: "A;0,003;0,006;0,05;true;ok"},
	} {
		code, stdout, stderr := commandtest.Dpcalc(strings.Fields(task.line)...)
		if code != usage.ExitOK || !strings.Contains(stdout, task.want) {
			t.Errorf("%s: exit %d, %s%s, want %q", task.line, code, stdout, stderr, task.want)
		}
	}
}

// What a new user leaves out is asked for by an example.
func TestFirstErrorsNameAnExample(t *testing.T) {
	taskFiles(t)
	init := "holdout init new --labels labels.csv --open "
	paired := strings.Fields("holdout init paired --labels labels.csv --incumbent prompt-0.csv -b 5% --open")
	if code, _, stderr := commandtest.Dpcalc(paired...); code != usage.ExitOK {
		t.Fatal(stderr)
	}
	for line, want := range map[string]string{
		init:                                            "--beta: got nothing, want a probability in (0, 1), such as 0.05",
		init + "-b 5% --group doc":                      "--features: got nothing, want a table with the columns id and doc, as --group doc needs",
		init + "-b 5% --metrics f1":                     "for f1, such as --positive yes",
		"holdout score paired prompt-1.csv":             "such as --show pass --bar 0.8",
		"holdout serve paired":                          "such as holdout init DIR --ask best",
		"pvalue-correct list.csv":                       "such as --by description --outcomes 40 for one of 40 tests; or --family holm alone",
		"pvalue-correct --p 0.003":                      "such as --by description --outcomes 40 for one of 40 tests; dpcalc advise asks",
		"samplesize -n 5000 -m 150 --tau 7":             "7 means 700%, did you mean 7%?",
		"samplesize -n 9 -m 9 --proofs folklore":        "want all, published, published,coq or coq",
		"holdout score paired prompt-1.csv --show best": "want pass at the bar 0, as by --show pass --bar 0",
	} {
		code, stdout, stderr := commandtest.Dpcalc(strings.Fields(line)...)
		if !commandtest.Refused(code, stdout, stderr, want) {
			t.Errorf("%s: exit %d, %s%s, want %s", line, code, stdout, stderr, want)
		}
	}
}

// What stands above and below a table fits a line of the terminal, which a pipe takes for 80 columns.
func TestNotesFitTheTerminal(t *testing.T) {
	taskFiles(t)
	for _, line := range []string{
		"power -n 2000 -m 50 --threshold 0.8 --query f1 --positives 10% --effect 0.1 --open",
		"samplesize -n 5000 -m 150 --full", "samplesize -n 5000 -m 150 --method gaussian-schedule",
		"pvalue-correct --p 0.003 --by description --outcomes 40", "maxinfo -n 1k --step pure-dp:epsilon=0.01",
		"compose --epsilon 0.1 --delta 1e-9 --times 100 --target-delta 1e-6",
		"holdout init ledger --labels labels.csv -b 5% --open", "holdout price ledger --show pass --bar 0.5",
		"holdout score ledger prompt-1.csv --show pass --bar 0.5", "holdout status ledger", "holdout verify ledger",
	} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields(line)...)
		rule := strings.Index(out, "---")
		if code != usage.ExitOK || rule < 0 {
			t.Fatalf("%s: exit %d, %s%s", line, code, out, stderr)
		}
		_, below, _ := strings.Cut(out[rule:], "\n\n")
		above, _, titled := strings.Cut(out[:rule], "\n\n")
		if !titled { // it is the head of the table
			above = ""
		}
		for text := range strings.Lines(above + "\n" + below) {
			if len(strings.TrimSuffix(text, "\n")) > 80 {
				t.Errorf("%s: %d columns: %s", line, len(text)-1, text)
			}
		}
	}
}
