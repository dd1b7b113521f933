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
