package docs

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// The bibliography is cut at blank lines by whoever cites a single entry, so an
// entry holds none, opens with @type{key, and closes with a } of its own.
func TestReferencesParse(t *testing.T) {
	open := regexp.MustCompile(`^@(article|book|inproceedings|techreport|misc)\{([a-z0-9]+),$`)
	field := regexp.MustCompile(`^  ([a-z]+) += \{(.+)\},$`)
	seen := map[string]bool{}
	for entry := range strings.SplitSeq(strings.TrimSpace(References), "\n\n") {
		lines := strings.Split(entry, "\n")
		head := open.FindStringSubmatch(lines[0])
		if head == nil {
			t.Errorf("an entry begins with %q", lines[0])
			continue
		}
		key := head[2]
		if seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
		if last := lines[len(lines)-1]; last != "}" {
			t.Errorf("%s ends with %q", key, last)
		}
		fields := map[string]bool{}
		for _, line := range lines[1 : len(lines)-1] {
			f := field.FindStringSubmatch(line)
			switch {
			case f == nil:
				t.Errorf("%s: not a field: %q", key, line)
			case fields[f[1]]:
				t.Errorf("%s: %s stands twice", key, f[1])
			case strings.Count(f[2], "{") != strings.Count(f[2], "}"):
				t.Errorf("%s: unbalanced braces in %q", key, line)
			default:
				fields[f[1]] = true
			}
		}
		for _, want := range []string{"author", "title", "year"} {
			if !fields[want] {
				t.Errorf("%s has no %s", key, want)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d entries, want at least 20", len(seen))
	}
}

// Links between the pages lead somewhere.
func TestPagesLink(t *testing.T) {
	link := regexp.MustCompile(`\]\(([a-z]+\.(?:md|bib))(?:#[^)]*)?\)`)
	names, err := fs.Glob(Pages(), "*.md")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(Pages(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			if target := string(m[1]); target != "references.bib" {
				if _, err := fs.Stat(Pages(), target); err != nil {
					t.Errorf("%s links to %s, which does not exist", name, target)
				}
			}
		}
	}
}
