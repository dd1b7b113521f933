package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/commandtest"
	"github.com/dpcalc/dpcalc/internal/usage"
)

// A message says what was wrong, what was got and what is wanted. The files have what stands before the bar.
func TestMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ file, text, command, want string }{
		{"a.json", `{"defaults": {"queries": 10`, "plan run a.json",
			"a.json: line 1: got the end of the file, want the rest of the JSON"},
		{"a.json", "{\"defaults\": {\n", "plan run a.json", "a.json: line 1: got the end of the file, want the rest of the JSON"},
		{"a.json", "{\"defaults\": {},\n\n\"scenarios\" 3}", "plan run a.json",
			"a.json: line 3: invalid character '3' after object key, want JSON"},
		{"a.yaml", "defaults:\n\tqueries: 10\n", "plan run a.yaml", "a.yaml: line 2: got a tab, want spaces before a key"},
		{"a.yaml", "defaults:\n  tau: [1\nscenarios: 3\n", "plan run a.yaml", "a.yaml: line 1: did not find expected ',' or ']'; " +
			"want YAML"},
		{"a.yaml", "sdfs: 3\n", "plan run a.yaml", "a.yaml: line 1: unknown key sdfs, want schema, defaults or scenarios"},
		{"a.yaml", "defaults:\n  qqqqqqqq: 10\n", "plan run a.yaml",
			"a.yaml: line 2: unknown key qqqqqqqq, see dpcalc help samplesize for the flags, which are the keys"},
		{"", "", "compose --epsilon 1e400 --times 2", "--epsilon: got 1e400, want a positive number up to 1.79e308"},
		{"", "", "compose --epsilon 1e-400 --times 2", "--epsilon: got 1e-400, want a positive number from 5e-324 on"},
		{"", "", "compose --epsilon -1e-400 --times 2", "--epsilon: got -1e-400, want a positive number"},
		{"", "", "pvalue-correct --level 95 --by description --outcomes 2",
			"--level: got 95, want a number in (0, 1); 95 means 9500%, did you mean 95%?"},
		{"", "", "samplesize -m10 -t 0.1 -b 0.05",
			"samplesize: unknown flag -m10, did you mean -m 10, which is --queries?"},
		{"", "", "samplesize -m 10 -t 0.1 -b 0.05 --method gaussian,",
			"--method: got an empty name, want names with a comma between two of them"},
		{"u.csv", "p\n0.1\n", "pvalue-correct u.csv --alpha 0.05 --by description --outcomes 2 --plot",
			"plot: got u.csv, want a list or range for one of the numbers"},
		{"u.csv", "p\n0.1\n", "pvalue-correct u.csv --alpha 0.05 --by description --outcomes 2 -o u.csv",
			"--output: got u.csv, which is read, want another file"},
		{"u.csv", "p\n2\n", "pvalue-correct u.csv --alpha 0.05 --by description --outcomes 2",
			"u.csv: line 2: p: got 2, want a probability in [0, 1]"},
	} {
		if c.file != "" {
			if err := os.WriteFile(c.file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := commandtest.Dpcalc(strings.Fields(c.command)...)
		if code != usage.ExitUsage || stdout != "" || stderr != "dpcalc: "+c.want+"\n" {
			t.Errorf("%s: exit %d, %s%s, want %s", c.command, code, stdout, stderr, c.want)
		}
		if c.file == "" {
			continue
		}
		if text, err := os.ReadFile(c.file); err != nil || string(text) != c.text {
			t.Errorf("%s: the file has %q, %v", c.command, text, err)
		}
	}
	_, stdout, _ := commandtest.Dpcalc(strings.Fields("maxinfo --samples 100 --step description:outcomes=100")...)
	if want := "description: needs a --slack above 0 and below 1\n"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
}
