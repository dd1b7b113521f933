package commandtest

import (
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
)

// Refused says whether a command ended with exit 2 and one line, which says this, and wrote
// nothing else.
func Refused(code int, stdout, stderr, says string) bool {
	line := strings.Count(stderr, "\n") == 1 && len(stderr) < 1000 && strings.Contains(stderr, says)
	return code == usage.ExitUsage && stdout == "" && line
}

// Files lists the names in a directory.
func Files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return each.Of(entries, os.DirEntry.Name)
}
