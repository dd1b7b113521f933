package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// between is the part of a text between two marks.
func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, begin)
	part, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("no %q before %q", begin, end)
	}
	return part
}

// The lines "In Coq" of docs/theorems name the theorems of proofs/axioms.txt, each of which stands in its file, and
// docs/check/proofs.md names the axioms.
func TestProofsAreThoseOfTheirPages(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, list := read("check/proofs.md"), read("../proofs/axioms.txt")
	names := func(text, pattern string) (found []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
		slices.Sort(found)
		return found
	}
	const quoted = "`([A-Za-z_]+\\.[A-Za-z0-9_']+)`"
	theorems := names(list, `(?m)^([A-Z][A-Za-z]*\.[A-Za-z0-9_']+):`)
	pages, _ := filepath.Glob("theorems/*.md")
	var said []string
	for _, path := range pages {
		for _, line := range names(read(path), "(?m)^- In Coq: ((?:.*\n  )*.*)$") {
			said = append(said, names(line, quoted)...)
		}
	}
	slices.Sort(said)
	if !slices.Equal(said, theorems) {
		t.Errorf("the pages have the theorems\n%v, want\n%v", said, theorems)
	}
	axioms := names(list, `(?m)^axiom (\S+) :`)
	if got := names(between(t, page, "<!-- axioms -->", "<!-- end of axioms -->"), quoted); !slices.Equal(got, axioms) {
		t.Errorf("the page has the axioms\n%v, want\n%v", got, axioms)
	}
	for _, name := range theorems {
		file, theorem, _ := strings.Cut(name, ".")
		paths, _ := os.ReadDir("../proofs")
		stands := 0
		for _, folder := range paths {
			path := "../proofs/" + folder.Name() + "/" + file + ".v"
			if !folder.IsDir() {
				path = "../proofs/" + folder.Name()
			}
			if !strings.HasSuffix(path, "/"+file+".v") {
				continue
			}
			if text, err := os.ReadFile(path); err == nil &&
				regexp.MustCompile(`(?m)^(Theorem|Lemma|Corollary) `+regexp.QuoteMeta(theorem)+`[ :(\n]`).Match(text) {
				stands++
			}
		}
		if stands != 1 {
			t.Errorf("%s stands in %d files, want 1", name, stands)
		}
	}
	// A name begins what Coq prints of it.
	printed := func(path string) []string {
		return names(read(path), `(?m)^([A-Z][A-Za-z]*\.[A-Za-z0-9_']+)(?: =.*|:)?$`)
	}
	if got := printed("../proofs/statements.txt"); !slices.Equal(got, theorems) {
		t.Errorf("statements.txt has the theorems\n%v, want\n%v", got, theorems)
	}
	// What is worth a reader's time stands in one of the two files.
	known, file, worth := append(printed("../proofs/definitions.txt"), theorems...), "", 0
	section := between(t, page, "of a few definitions:\n", "The table has no row for")
	for _, m := range regexp.MustCompile("`(\\w+)(\\.v)?`").FindAllStringSubmatch(section, -1) {
		if m[2] != "" {
			file = m[1]
			continue
		}
		worth++
		if name := file + "." + m[1]; !slices.Contains(known, name) {
			t.Errorf("no definition %s is printed", name)
		}
	}
	if worth < 50 {
		t.Errorf("%d definitions are worth a reader's time, want at least 50", worth)
	}
	if len(theorems) < 95 {
		t.Errorf("%d theorems, want at least 95", len(theorems))
	}
}
