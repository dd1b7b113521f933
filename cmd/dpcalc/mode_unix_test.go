//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// A file that is replaced keeps its mode, whatever the process's mask; a new one has the
// mode that the mask leaves.
func TestModes(t *testing.T) {
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "plan.csv")
	for _, mode := range []fs.FileMode{0, 0o664, 0o600, 0o666, 0o640, 0o755} {
		want := mode
		if mode == 0 { // no file yet
			want = 0o644
		} else if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := commandtest.Dpcalc(append(small[1:], "-o", path)...); code != usage.ExitOK {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("mode %v becomes %v, want %v (%v)", mode, info.Mode(), want, err)
		}
	}
}

// A plan file that never ends is read as far as the limit.
func TestEndlessPlan(t *testing.T) {
	start := time.Now()
	code, stdout, stderr := commandtest.Dpcalc("plan", "run", "/dev/zero")
	took := time.Since(start)
	if !commandtest.Refused(code, stdout, stderr, "/dev/zero: got more than 16 MB, want ") || took > 10*time.Second {
		t.Errorf("exit %d after %v, %q", code, took, stderr)
	}
}
