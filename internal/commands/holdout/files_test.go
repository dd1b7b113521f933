package holdout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lines that end in CRLF, or anything else that no crash can leave, do not verify. What a crash has cut short does, and
// then it is not said that every byte is as it was written.
func TestVerifyTellsTornFromEdited(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 800, 850)
	runs(t, 0, "holdout init ledger --labels labels.csv -m 5 -t 0.1 -b 0.05 --query binary --feedback gate --passes 1")
	runs(t, 4, "holdout score ledger p600.tsv --bar 0.7")
	runs(t, 0, "holdout score ledger p800.tsv --bar 0.7")
	if stdout, _ := runs(t, 0, "holdout verify ledger"); !strings.Contains(stdout, "Every byte of ledger is as it was") {
		t.Error(stdout)
	}
	looks := filepath.Join("ledger", "looks.jsonl")
	text, err := os.ReadFile(looks)
	if err != nil {
		t.Fatal(err)
	}
	for _, edited := range []string{strings.ReplaceAll(string(text), "\n", "\r\n"), string(text) + "\n", string(text) + " "} {
		write(t, looks, edited)
		for _, line := range []string{"verify ledger", "score ledger p850.tsv --bar 0.7"} {
			if stdout, stderr := runs(t, 1, "holdout "+line); stdout != "" || !strings.Contains(stderr, "was edited") {
				t.Errorf("%s: %s%s", line, stdout, stderr)
			}
		}
	}
	write(t, looks, string(text[:len(text)-20]))
	stdout, _ := runs(t, 0, "holdout verify ledger")
	if strings.Contains(stdout, "Every byte") || !strings.Contains(stdout, "a crash has cut short") {
		t.Error(stdout)
	}
	runs(t, 3, "holdout score ledger p850.tsv --bar 0.7") // the pass is spent
}

// Nothing is written into the ledger's folder, under whatever name, and what cannot be written is told before a ledger is
// made or a look spent.
func TestOutputsOutside(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 700)
	const terms = " --labels labels.csv -m 3 -t 0.2 -b 0.05"
	runs(t, 0, "holdout init ledger"+terms)
	runs(t, 0, "holdout score ledger p600.tsv")
	for link, to := range map[string]string{"link": "ledger", "log.jsonl": "ledger/looks.jsonl", "new.csv": "ledger/x.csv"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("ledger/plan.json", "hard.json"); err != nil {
		t.Fatal(err)
	}
	before := contents(t)
	for line, want := range map[string]string{
		"log ledger -o ledger/looks.jsonl":                         "--output: got ledger/looks.jsonl, want a file outside of",
		"status ledger -o ledger/plan.json":                        "--output: got ledger/plan.json",
		"status ledger -o ./link/../ledger/x.csv":                  "--output: got ./link/../ledger/x.csv",
		"status link -o ledger/x.csv":                              "--output: got ledger/x.csv",
		"status ledger -o link/x.csv":                              "--output: got link/x.csv",
		"status ledger -o new.csv":                                 "--output: got new.csv",
		"status ledger -o hard.json":                               "--output: got hard.json",
		"score ledger p700.tsv -o ledger/looks.jsonl":              "--output: got ledger/looks.jsonl",
		"serve ledger --addr 127.0.0.1:0 --log ledger/looks.jsonl": "--log: got ledger/looks.jsonl",
		"serve ledger --addr 127.0.0.1:0 --log log.jsonl":          "--log: got log.jsonl",
		"serve ledger --addr 127.0.0.1:0 --log hard.json":          "--log: got hard.json",
		"serve ledger --addr 127.0.0.1:0 --log ledger/no/x":        "--log: got ledger/no/x",
		"init z -o z/plan.json" + terms:                            "--output: got z/plan.json",
		"init ./z/ -o z/x.csv" + terms:                             "--output: got z/x.csv",
	} {
		stdout, stderr := runs(t, 2, "holdout "+line)
		if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %s%s", line, stdout, stderr)
		}
	}
	for _, line := range []string{"init z -o none/x.csv" + terms, "score ledger p700.tsv -o none/x.csv",
		"score ledger p700.tsv -f csv -o link"} {
		if stdout, stderr := runs(t, 1, "holdout "+line); stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %s%s", line, stdout, stderr)
		}
	}
	if after := contents(t); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
	runs(t, 0, "holdout status ledger -o status.csv")
}

// contents are the names of all files here, and what is in those of the ledger.
func contents(t *testing.T) (all string) {
	t.Helper()
	for _, pattern := range []string{"*", "*/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all += strings.Join(names, " ") + "\n"
	}
	for _, name := range []string{"plan.json", "looks.jsonl"} {
		text, err := os.ReadFile(filepath.Join("ledger", name))
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	return all
}
