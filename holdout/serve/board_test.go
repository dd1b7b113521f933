package serve

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/holdout"
)

// Every viewer is shown what one reading of the log says, whatever form or margin is asked for: the log is replaced by
// nonsense of its length and time, and nobody notices. A look that another process takes is shown to all at once.
func TestViewersShareOneReading(t *testing.T) {
	labels, predictions := holdoutOf(t, 9)
	dir := create(t, labels, offered())
	s := run(t, dir, labels, Options{Rate: 1e6})
	s.ask(t, 200, looks(predictions(300), "?show=pass&bar=0.5"))
	paths := []string{"/board", "/board?format=csv", "/board?format=json", "/board?queries=20&passes=2", "/board?queries=9&format=csv",
		"/status", "/status?format=csv", "/status?queries=1000000", "/status?queries=7&format=csv"}
	views := func(path string) string { return s.ask(t, 200, asks{method: "GET", path: path}) }
	first := make(map[string]string)
	for _, path := range paths {
		first[path] = views(path)
	}
	if first["/board?queries=9&format=csv"] != first["/board?format=csv"] || first["/status?queries=1000000"] == first["/status"] {
		t.Error("a margin is told where there is none, or not where there is one")
	}
	log := filepath.Join(dir, looksFile)
	replace := func(text []byte, at time.Time) {
		t.Helper()
		if err := os.WriteFile(log, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(log, at, at); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	replace(bytes.Repeat([]byte("x"), len(text)), info.ModTime())
	for _, path := range paths {
		if got := views(path); got != first[path] {
			t.Errorf("%s: got %s, want %s", path, got, first[path])
		}
	}
	replace(text, info.ModTime())
	organiser, err := holdout.Open(dir, labels)
	if err != nil {
		t.Fatal(err)
	}
	bar := 0.6
	form := holdout.File{In: strings.NewReader(predictions(200)), Column: "prediction"}
	if _, err := organiser.Score(context.Background(), holdout.Submission{Name: "beside", Values: form.Rows,
		Question: holdout.Question{Show: holdout.ShowPass, Bar: &bar}}); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		got := views(path)
		if got == first[path] || strings.HasPrefix(path, "/board") != strings.Contains(got, "beside") {
			t.Errorf("%s: got %s after a second look", path, got)
		}
	}
}

// What a look a million looks ahead says costs no loop of as many: a hundred answers come while one came.
func TestMarginsAheadAreCheap(t *testing.T) {
	labels, _ := holdoutOf(t, 9)
	s := run(t, create(t, labels, offered()), labels, Options{Rate: 1e6})
	begin := time.Now()
	for range 100 {
		s.ask(t, 200, asks{method: "GET", path: "/status?queries=1000000&passes=1000"})
	}
	if took := time.Since(begin); took > 8*time.Second {
		t.Errorf("a hundred margins took %v", took)
	}
}
