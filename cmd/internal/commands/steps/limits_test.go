package steps

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// A joint table has a limit of size. The file has a hole, so it takes no space.
func TestLimitOfJointTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "joint.csv")
	err := errors.Join(os.WriteFile(path, []byte("x,y,p\n1,1,1\n"), 0o600), os.Truncate(path, mostJointBytes+1))
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := commandtest.Dpcalc("maxinfo", "--joint", path)
	if !commandtest.Refused(code, stdout, stderr, path+": got more than 256 MB, want a joint table of at most that, ") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}
