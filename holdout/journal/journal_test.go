package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// entry is a line of a diary, another log than a ledger's.
type entry struct {
	Page int    `json:"page"`
	Says string `json:"says,omitempty"`
	End  bool   `json:"end,omitempty"`
}

// diary is the pages that were read. What a crash has left of a page is a page.
type diary struct {
	says  []string
	torn  int
	ended bool
	head  string
}

func (d *diary) Ended() bool { return d.ended }

func (d *diary) Line(text, chain string) error {
	var e struct {
		entry
		Chain string `json:"chain"`
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return err
	}
	if e.Page != len(d.says)+1 {
		return fmt.Errorf("got page %d, want page %d", e.Page, len(d.says)+1)
	}
	d.says, d.ended, d.head = append(d.says, e.Says), e.End, chain
	return nil
}

func (d *diary) Torn(string) { d.says, d.torn = append(d.says, "torn"), d.torn+1 }

func (d *diary) Begins(text string, c *Chain) bool {
	head := fmt.Sprintf(`{"page":%d`, len(d.says)+1)
	rest, ok := strings.CutPrefix(text, head)
	if !ok {
		return strings.HasPrefix(head, text)
	}
	inside, _, whole := strings.Cut(rest, LineEnds.Before)
	return !whole && !strings.Contains(strings.TrimPrefix(inside, `,"says":"`), `{`) ||
		strings.HasPrefix(string(c.Sealed([]byte(head+inside))), text)
}

func (d *diary) TwoWrites(c *Chain) int {
	return len(c.Appended([]byte(`{"page":1}`), []byte(`{"page":2}`)))
}

func (d *diary) IsOneWrite() bool { return false }

// diaryIn is the diary of a folder.
func diaryIn(dir string) *Folder[*diary] {
	return InFolder(dir, func([]byte) (*diary, error) { return new(diary), nil })
}

// newDiary makes a diary.
func newDiary(t *testing.T) *Folder[*diary] {
	t.Helper()
	f := diaryIn(filepath.Join(t.TempDir(), "diary"))
	if err := f.Create([]byte("a plan\n"), map[string][]byte{"cover.txt": []byte("blue")}); err != nil {
		t.Fatal(err)
	}
	return f
}

// says appends a page.
func says(f Journal[*diary], text string) error {
	return f.Write(context.Background(), func(d *diary, w Writer) error {
		line, err := json.Marshal(entry{Page: len(d.says) + 1, Says: text})
		if err != nil {
			return err
		}
		return w.Append(line)
	})
}

// pages are what may be shown.
func pages(t *testing.T, f Journal[*diary]) *diary {
	t.Helper()
	d, _, err := f.ReadSettled()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The lines are cut at every byte, with and without zeros after it. No page is lost that was there, and what is
// appended afterwards is read.
func TestCutAtEveryByte(t *testing.T) {
	f := newDiary(t)
	for _, text := range []string{"one", "two", "three"} {
		if err := says(f, text); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(f.Dir, LinesFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{0}
	for i, b := range whole {
		if b == '\n' {
			ends = append(ends, i+1)
		}
	}
	for cut := range len(whole) + 1 {
		for _, zeros := range []int{0, 7} {
			text := append(slices.Clone(whole[:cut]), make([]byte, zeros)...)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			left := diaryIn(f.Dir)
			if err := says(left, "after"); err != nil {
				t.Fatalf("cut at %d with %d zeros: %v", cut, zeros, err)
			}
			before := 0
			for before+1 < len(ends) && ends[before+1]-1 <= cut { // the end of a line may be missing
				before++
			}
			d := pages(t, diaryIn(f.Dir))
			wanted := append([]string{"one", "two", "three"}[:before:before], "after")
			got := slices.DeleteFunc(slices.Clone(d.says), func(s string) bool { return s == "torn" })
			if zeros == 0 && !slices.Equal(got, wanted) {
				t.Fatalf("cut at %d: got %v, want %v", cut, d.says, wanted)
			}
			if d.torn > 1 {
				t.Fatalf("cut at %d with %d zeros: %d torn pages", cut, zeros, d.torn)
			}
		}
	}
}

// Every other change of a byte is found, and so is an older copy that is put back while the folder is in use.
func TestEditsAreFound(t *testing.T) {
	f := newDiary(t)
	path := filepath.Join(f.Dir, LinesFile)
	if err := says(f, "one"); err != nil {
		t.Fatal(err)
	}
	older, _ := os.ReadFile(path)
	for range 2 {
		if err := says(f, "more"); err != nil {
			t.Fatal(err)
		}
	}
	whole, _ := os.ReadFile(path)
	wrong := (*CorruptError)(nil)
	for i := range whole[:len(whole)-1] {
		edited := slices.Clone(whole)
		edited[i] ^= 1
		if err := os.WriteFile(path, edited, 0o600); err != nil {
			t.Fatal(err)
		}
		if d, err := diaryIn(f.Dir).Read(); !errors.As(err, &wrong) {
			if last := strings.LastIndexByte(strings.TrimSuffix(string(whole), "\n"), '\n'); err != nil || d.torn != 1 || i <= last {
				t.Errorf("byte %d edited: %v", i, err)
			}
		}
	}
	if err := os.WriteFile(path, older, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := says(f, "late"); !errors.As(err, &wrong) {
		t.Errorf("an older copy is taken: %v", err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir, PlanFile), []byte("another plan\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	replaced := (*ReplacedError)(nil)
	if err := says(f, "late"); !errors.As(err, &replaced) {
		t.Errorf("another plan is taken: %v", err)
	}
}

// A disk that is full, a sync or a name that fails leaves the lines as they were, and the next line is taken.
func TestFailingDisk(t *testing.T) {
	full := errors.New("no space left on device")
	for name, fail := range map[string]func(*Folder[*diary]){
		"write": func(f *Folder[*diary]) {
			f.Hooks.Write = func(file *os.File, b []byte) (int, error) {
				n, _ := file.Write(b[:len(b)/2])
				return n, full
			}
		},
		"sync":  func(f *Folder[*diary]) { f.Sync = func(*os.File) error { return full } },
		"names": func(f *Folder[*diary]) { f.Names = func(string) error { return full } },
	} {
		f := newDiary(t)
		if err := says(f, "one"); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(filepath.Join(f.Dir, LinesFile))
		fail(f)
		if err := says(f, "lost"); !errors.Is(err, full) {
			t.Errorf("%s: got %v", name, err)
		}
		if after, _ := os.ReadFile(filepath.Join(f.Dir, LinesFile)); string(after) != string(before) {
			t.Errorf("%s: got %q, want %q", name, after, before)
		}
		f.Hooks = Standard()
		if err := says(f, "two"); err != nil {
			t.Fatal(err)
		}
		if d := pages(t, f); !slices.Equal(d.says, []string{"one", "two"}) {
			t.Errorf("%s: got %v", name, d.says)
		}
		made := diaryIn(filepath.Join(t.TempDir(), "other"))
		fail(made)
		if err := made.Create([]byte("plan\n"), nil); err == nil {
			t.Errorf("%s: a journal is made", name)
		}
		if _, err := os.Stat(made.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the folder is left: %v", name, err)
		}
	}
}

// child is the variable that makes the test program a writer.
const child = "DPCALC_JOURNAL_CHILD"

func TestMain(m *testing.M) {
	task, ok := os.LookupEnv(child)
	if !ok {
		os.Exit(m.Run())
	}
	dir, step, _ := strings.Cut(task, "\n")
	f := diaryIn(dir)
	f.At = func(at string) {
		if at == step {
			os.Exit(9) // no deferred function runs, as after a kill
		}
	}
	for k := range 20 {
		if err := says(f, strconv.Itoa(k)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(k)
	}
	os.Exit(0)
}

// A writer that dies at any step leaves its whole line or none, and another one goes on.
func TestWriterDiesAtEveryStep(t *testing.T) {
	f := newDiary(t)
	want := 0
	for _, step := range []string{"locked", "written", "synced", "settled", "locked"} {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), child+"="+f.Dir+"\n"+step)
		if err := c.Run(); c.ProcessState.ExitCode() != 9 {
			t.Fatalf("%s: %v", step, err)
		}
		if step != "locked" {
			want++
		}
		if d := pages(t, f); len(d.says) != want || d.torn != 0 {
			t.Errorf("%s: got %v, want %d pages", step, d.says, want)
		}
		if err := says(f, "own"); err != nil {
			t.Fatal(err)
		}
		want++
	}
}

// Several processes and goroutines write at once: every line has its own number, and all are read.
func TestSeveralWriters(t *testing.T) {
	f := newDiary(t)
	var writers []*exec.Cmd
	for range 3 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), child+"="+f.Dir+"\nnever")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		writers = append(writers, c)
	}
	for k := range 20 {
		if err := says(f, fmt.Sprint("own ", k)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range writers {
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	if d := pages(t, diaryIn(f.Dir)); len(d.says) != 80 || d.torn != 0 {
		t.Errorf("got %d pages, %d torn", len(d.says), d.torn)
	}
}

// A journal is made in a new or an empty folder, and taken away again with what is kept beside it.
func TestFolders(t *testing.T) {
	f := newDiary(t)
	wrong := (*FolderError)(nil)
	if err := diaryIn(f.Dir).Create([]byte("plan\n"), nil); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	stays := errors.New("it stays")
	if err := f.Discard(context.Background(), func(*diary) error { return stays }, "cover.txt"); !errors.Is(err, stays) {
		t.Errorf("got %v", err)
	}
	if err := f.Discard(context.Background(), func(*diary) error { return nil }, "cover.txt"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := diaryIn(file).Create([]byte("plan\n"), nil); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	ended := newDiary(t)
	if err := ended.Write(context.Background(), func(_ *diary, w Writer) error { return w.Append([]byte(`{"page":1,"end":true}`)) }); err != nil {
		t.Fatal(err)
	}
	if err := says(ended, "late"); err == nil || !strings.Contains(err.Error(), "no line may follow") {
		t.Errorf("got %v", err)
	}
	if d := pages(t, diaryIn(ended.Dir)); len(d.says) != 1 {
		t.Errorf("got %v", d.says)
	}
}
