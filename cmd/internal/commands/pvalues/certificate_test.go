package pvalues

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

func TestCertificateFiles(t *testing.T) {
	for args, want := range map[string]string{
		"--by description --outcomes 40":    "length tests = Z.to_nat 40 -> (forall w, In (selected w) tests)",
		"--by gates --looks 100 --passes 3": "(Z.to_nat 3) (Z.to_nat 100) w = later ++ true :: v",
		"--by gates --looks 5":              "(Z.to_nat 5) (Z.to_nat 5) w = later ++ true :: v",
	} {
		path := filepath.Join(t.TempDir(), "threshold.v")
		code, _, stderr := commandtest.Dpcalc(strings.Fields("pvalue-correct " + args + " --certificate " + path)...)
		text, err := os.ReadFile(path)
		if code != 0 || err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: exit %d, %v: %s%s, want %s", args, code, err, stderr, text, want)
		}
	}
}

func TestCertificateRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.v")
	for args, want := range map[string]string{
		"--by pure-dp --epsilon .1 -n 10":               "got --by pure-dp, of which Coq does not evaluate the numbers",
		"--by series --tests 4":                         "got --by series, of which Coq does not evaluate the numbers",
		"--by description --bits 3":                     "got --bits, want --outcomes",
		"--by description --outcomes 2^80":              "got a power for --outcomes",
		"--by description --outcomes 2,3":               "got a list for --outcomes, want one value",
		"--by description --outcomes 2 -o " + path:      "got the file of --output",
		"--by gates --looks 90k --passes 20k":           "a file proves gates of at most 10000 passes",
		"x.csv --family holm":                           "given with x.csv, want the threshold of one test",
		"--by description -a .01234567891 --outcomes 2": "a file proves levels alpha of at most nine digits",
	} {
		code, _, stderr := commandtest.Dpcalc(strings.Fields("pvalue-correct " + args + " -f csv --certificate " + path)...)
		if code != usage.ExitUsage || !strings.Contains(stderr, "--certificate: "+want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s, want 2 and one line with %s", args, code, stderr, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s wrote a file", args)
		}
	}
}
