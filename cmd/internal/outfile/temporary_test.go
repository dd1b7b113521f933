package outfile

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever is made, by a library too, is gone after a signal, and nothing is made then.
func TestTemporaries(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	l := litter{open: make(map[string]*os.File)}
	path := filepath.Join(dir, "plan.csv")
	first, err := l.beside(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.publish(first, path); err != nil {
		t.Fatal(err)
	}
	l.Remove(first.Name()) // does nothing: it has a name
	second, err := l.beside(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := l.Spool()
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if l.Directory() == "" {
		t.Error("no directory")
	}
	err = l.Within(func() error {
		f, err := os.CreateTemp("", "library-*")
		if err != nil {
			return err
		}
		defer f.Close()
		if filepath.Dir(filepath.Dir(f.Name())) != dir {
			t.Errorf("a library's file is %s", f.Name())
		}
		if len(l.open) != 3 && len(l.open) != 4 { // the copy may have a name
			t.Errorf("%d are known", len(l.open))
		}
		return nil
	})
	if err != nil || os.TempDir() != dir {
		t.Errorf("%v, then %s", err, os.TempDir())
	}
	l.Discard()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "plan.csv" {
		t.Errorf("files left: %v, %v", left, err)
	}
	if l.Mu.TryLock() {
		t.Error("files can be made after a signal")
	}
	if _, err := second.WriteString("late"); err == nil {
		t.Error("a removed file takes text")
	}
}
