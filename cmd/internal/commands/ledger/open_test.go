package ledger

import (
	"strings"
	"testing"
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
	for _, want := range []string{"labels of 1000 independent rows", "2 gates, of which 1 passed; 1 rounded scores.", "at least 1 - 0.05",
		"fresh labels of the same rows"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s", want, stdout)
		}
	}
	runs(t, 0, "holdout init fixed --labels labels.csv -m 3 -b 5% --query binary")
	runs(t, 2, "holdout status fixed --report")
}
