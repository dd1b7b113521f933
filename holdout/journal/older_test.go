//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// olderWrite appends a page as programs of every version have: under the lock of the whole file it reads all, seals the
// page by the hash of all before it, writes once and syncs. It shares no code with the package. A program that dies
// leaves the first bytes of its line.
func olderWrite(dir, says string, dies int) error {
	plan, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "looks.jsonl"), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	all, err := os.ReadFile(f.Name())
	if err != nil {
		return err
	}
	written, end := all, ""
	if len(all) > 0 && all[len(all)-1] != '\n' { // what is left of a page is ended, and stays
		end = "\n"
		written = append(bytes.Clone(all), '\n')
	}
	line, err := json.Marshal(entry{Page: bytes.Count(written, []byte("\n")) + 1, Says: says})
	if err != nil {
		return err
	}
	text := end + string(line[:len(line)-1])
	sum := sha256.Sum256([]byte(string(plan) + string(all) + text))
	text += fmt.Sprintf(",\"chain\":\"%x\"}\n", sum)
	if dies > 0 {
		text = text[:dies]
	}
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return f.Sync()
}

// A program of an earlier version and this one write at once. Every line has its own number and continues the one
// before it, and what is left of a line of the older program stays.
func TestOlderProgramWritesToo(t *testing.T) {
	f := newDiary(t)
	older := make(chan error)
	go func() {
		var err error
		for k := 0; k < 40 && err == nil; k++ {
			err = olderWrite(f.Dir, fmt.Sprint("older ", k), 0)
		}
		older <- err
	}()
	for k := range 40 {
		if err := says(f, fmt.Sprint("own ", k)); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-older; err != nil {
		t.Fatal(err)
	}
	if d := pages(t, diaryIn(f.Dir)); len(d.says) != 80 || d.torn != 0 {
		t.Errorf("got %d pages, %d torn, want 80", len(d.says), d.torn)
	}
	for k := range 12 { // before, in and after the number of the page
		if err := olderWrite(f.Dir, "left", 5+3*k); err != nil {
			t.Fatal(err)
		}
		before := len(pages(t, f).says)
		if err := says(f, "own again"); err != nil {
			t.Fatalf("%d bytes were left: %v", 5+3*k, err)
		}
		if d := pages(t, f); d.torn != k+1 || len(d.says) < before+1 {
			t.Errorf("%d bytes were left: %d pages, %d torn, want %d torn", 5+3*k, len(d.says), d.torn, k+1)
		}
		if err := olderWrite(f.Dir, "older again", 0); err != nil {
			t.Fatal(err)
		}
	}
	if d := pages(t, diaryIn(f.Dir)); len(d.says) != 80+3*12 || d.torn != 12 {
		t.Errorf("got %d pages, %d torn, want %d and 12", len(d.says), d.torn, 80+3*12)
	}
}
