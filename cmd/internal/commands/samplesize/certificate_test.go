package samplesize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

func TestCertificateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.v")
	args := strings.Fields("samplesize --feedback gate --threshold 0.8 --passes 3 -m 30 -t 0.05 -b 0.05 --certificate " + path)
	code, out, stderr := commandtest.Dpcalc(args...)
	text, err := os.ReadFile(path)
	if code != 0 || err != nil || !strings.Contains(string(text), "length Ds = Z.to_nat 1179") || !strings.Contains(out, "1179") {
		t.Errorf("exit %d, %v:\n%s%s%s", code, err, out, stderr, text)
	}
}

func TestCertificateRefusals(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		"-m 5 -t 0.05 --method gaussian --certificate p.v":              "--certificate: got gaussian as the best method, no file proves a plan of gaussian, as its one noise is certified for all answers together; want --feedback gate or final, best with --open or --method ladder, or answers with --method gaussian-schedule\n",
		"-m 5 -t 0.05 --feedback final --certificate a-b.v":             "--certificate: got a-b.v, want a name of letters, digits and _ in .v",
		"-m 5 -t 0.05 --feedback final --certificate p.txt":             "--certificate: got p.txt, want a name",
		"-m 5,6 -t 0.05 --feedback final --certificate p.v":             "--certificate: got 2 goals, want one",
		"-m 5 -t 0.05 --feedback final -f csv -o p.v --certificate p.v": "--certificate: got the file of --output, want another one",
	} {
		words := strings.Fields("samplesize -b 0.05 " + strings.ReplaceAll(args, " p.", " "+dir+"/p."))
		code, _, stderr := commandtest.Dpcalc(words...)
		said, oneLine := strings.ReplaceAll(stderr, dir+"/", ""), strings.Count(stderr, "\n") == 1
		if code != usage.ExitUsage || !strings.Contains(said, want) || !oneLine {
			t.Errorf("%s: exit %d, %s, want 2 and one line with %s", args, code, stderr, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "p.v")); err == nil {
			t.Errorf("%s wrote a file", args)
		}
	}
}
