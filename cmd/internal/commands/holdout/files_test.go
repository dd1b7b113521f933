package holdout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
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
	whole := string(text)
	for _, edited := range []string{strings.ReplaceAll(whole, "\n", "\r\n"), whole + "\n", whole + " "} {
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

// Nothing is written into the ledger's folder, under whatever name, and what cannot be written is told before a ledger
// is made or a look spent.
func TestOutputsOutside(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 700)
	const terms = " --labels labels.csv -m 3 -t 0.2 -b 0.05"
	runs(t, 0, "holdout init ledger"+terms)
	runs(t, 0, "holdout score ledger p600.tsv")
	links := map[string]string{"link": "ledger", "log.jsonl": "ledger/looks.jsonl", "new.csv": "ledger/x.csv"}
	for link, to := range links {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("ledger/plan.json", "hard.json"); err != nil {
		t.Fatal(err)
	}
	before := contents(t)
	for line, want := range map[string]string{
		"log ledger -o ledger/looks.jsonl":                         "--output: got ledger/looks.jsonl, want a file outside",
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

// contents are the names of all files here, and what is in the ledger's files.
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

// What a flag or a scenario says and the plan does not keep is refused, before a ledger is made or a look spent.
func TestNothingIsDropped(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400, 200, 300)
	const some = " --labels labels.csv -m 3 -b 0.05"
	runs(t, 0, "holdout init ledger"+some+" --query binary --feedback gate --passes 1")
	runs(t, 0, "holdout init answers"+some)
	runs(t, 0, "holdout init columns"+some+" --metrics column:x")
	write(t, "file", "")
	if err := os.Symlink("nowhere", "dangling"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("a\xffb", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"labels.csv", "p200.tsv"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join("a\xffb", name), string(text))
	}
	write(t, "tiny.csv", strings.ReplaceAll("id,x\n"+manyTiny(400), "V", "1e-400"))
	write(t, "plan.yaml", "schema: dpcalc/plan-file/1\ndefaults: {beta: 5%, queries: 3}\nscenarios:\n"+
		"  - {name: open}\n  - {name: private, epsilon: 0.1, tau: 0.3}\n  - {name: proven, proofs: published}\n"+
		"  - {name: unproven, proofs: published, method: \"gaussian,splitting\"}\n"+
		"  - {name: other, method: laplace}\n")
	before := contents(t)
	for _, c := range [][2]string{
		{"verify ledger --chain=",
			"--chain: got \"\", want the 64 hexadecimal digits"},
		{"verify ledger --chain 12",
			"--chain: got 12, want the 64 hexadecimal digits"},
		{"verify ledger --chain " + strings.Repeat("g", 64),
			"want the 64 hexadecimal digits"},
		{"score answers p200.tsv --incumbent p300.tsv",
			"--incumbent: got one, want none: the plan is for no differences"},
		{"score ledger p200.tsv",
			"dpcalc: --bar: got nothing, want a number in [0, 1]"},
		{"score ledger p200.tsv --bar 0.99",
			"--bar: got 0.99, want at most 1 - tau"},
		{"score columns tiny.csv --name tiny",
			"id r0: got the value 1e-400, want a number in [0, 1]"},
		{"init file" + some,
			"file: got a file, want an empty folder or a new one"},
		{"init dangling" + some,
			"dangling: got a link that leads nowhere, want an empty folder"},
		{"init new --labels labels.csv -b 0.05",
			"holdout init: two of four given: add --queries to get tau, or --tau to get the number of queries"},
		{"init new --labels labels.csv",
			"holdout init: one of four given: add --queries to get tau, or --tau to get the number of queries"},
		{"init new --labels a\xffb/labels.csv -m 3 -b 0.05",
			`--labels: got the path "`},
		{"init new --labels labels.csv --plan plan.yaml --scenario private",
			"epsilon: got 0.1, want none"},
		{"init new --labels labels.csv --plan plan.yaml --scenario other",
			"plan.yaml: method: got laplace, want one that a ledger runs"},
	} {
		line, want := c[0], c[1]
		stdout, stderr := runs(t, 2, "holdout "+line)
		if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %s%swant %s", line, stdout, stderr, want)
		}
	}
	if after := contents(t); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
	for scenario, method := range map[string]string{"open": "gaussian-schedule", "proven": "splitting"} {
		flags := row(t, 0, "holdout init new"+some+" --dry-run --method "+method)
		made := row(t, 0, "holdout init "+scenario+" --labels labels.csv --plan plan.yaml --scenario "+scenario)
		if made["method"] != method || made["tau"] != flags["tau"] {
			t.Errorf("%s: %v, want %v", scenario, made, flags)
		}
	}
	if stdout, _ := runs(t, 0, "holdout verify ledger --chain "+
		strings.ToUpper(row(t, 0, "holdout verify ledger")["chain"].(string))); !strings.Contains(stdout, "verified") {
		t.Error(stdout)
	}
	if _, stderr := runs(t, 1, "holdout score nosuch p200.tsv"); !strings.Contains(stderr,
		"nosuch: got no ledger there, want a folder that holdout init made") {
		t.Error(stderr)
	}
	runs(t, 0, "holdout init a\xffb/ledger"+some) // the folder may have any name
	if err := os.Rename("answers", "two\nlines"); err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"status", "log", "verify"} {
		code, stdout, _ := commandtest.Dpcalc("holdout", action, "two\nlines")
		if code != 0 || strings.Contains(stdout, "two\nlines") || !strings.Contains(stdout, `two\nlines`) {
			t.Errorf("%s: %d, %s", action, code, stdout)
		}
	}
}

// manyTiny are so many rows with the value V.
func manyTiny(n int) (all string) {
	for i := range n {
		all += fmt.Sprintf("r%d,V\n", i)
	}
	return all
}

// full is an output without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Where init cannot say that it made a ledger, no ledger is left, and the next try makes it. A folder that was there
// stays.
func TestInitThatCannotPrint(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000)
	if err := os.Mkdir("empty", 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, left := range map[string]bool{"new": false, "empty": true} {
		line := "holdout init " + dir + " --labels labels.csv -m 3 -t 0.2 -b 0.05"
		var stderr strings.Builder
		s := &outfile.Session{Context: context.Background(), Stdin: strings.NewReader(""), Stdout: full{}, Stderr: &stderr}
		if code := commandtest.RunIn(s, strings.Fields("dpcalc "+line)); code != usage.ExitFailure ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("exit %d, %s", code, stderr.String())
		}
		if inside, err := os.ReadDir(dir); len(inside) > 0 || (err == nil) != left {
			t.Errorf("%s: left %v, %v", dir, inside, err)
		}
		runs(t, 0, line)
	}
}

// Every ledger is made with the word that it is to be the only one of its labels, and its status says so.
func TestOneLedger(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000)
	const init = "holdout init ledger --labels labels.csv -m 3 -t 0.2 -b 0.05"
	for _, line := range []string{init + " --dry-run", init, "holdout status ledger"} {
		if stdout, _ := runs(t, 0, line); !strings.Contains(commandtest.Unfolded(stdout), "a second ledger or a fixed plan on the same rows voids") {
			t.Errorf("%s: %s", line, stdout)
		}
	}
}

// A pass whose answer could not be written is spent, and is repeated for nothing: by then the candidate is the
// incumbent.
func TestLostPass(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 500, 800, 900)
	runs(t, 0, "holdout init ledger --labels labels.csv --incumbent p500.tsv -m 5 -t 0.2 -b 0.05 --query difference --feedback gate --passes 2")
	const line = "holdout score ledger p800.tsv --bar 0"
	s := &outfile.Session{Context: context.Background(), Stdin: strings.NewReader(""), Stdout: full{}, Stderr: io.Discard}
	if code := commandtest.RunIn(s, strings.Fields("dpcalc "+line)); code != usage.ExitFailure {
		t.Fatalf("exit %d", code)
	}
	if again := row(t, 0, line); again["verdict"] != "pass" || again["look"] != 1. || again["remaining_passes"] != 1. {
		t.Errorf("%v", again)
	}
	if _, stderr := runs(t, 2, line+".1"); !strings.Contains(stderr, "got the incumbent itself") {
		t.Error(stderr)
	}
	if status := row(t, 0, "holdout status ledger"); status["looks"] != 1. {
		t.Errorf("%v", status)
	}
	runs(t, 4, "holdout score ledger p900.tsv --bar 0")
}
