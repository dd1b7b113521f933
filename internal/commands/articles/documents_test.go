package articles

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/docs"
	"github.com/dpcalc/dpcalc/transfer"
)

// Every method has its section in docs/theorems.md under its own name, and every
// source it names is an entry of the bibliography or a heading of that document.
func TestMethodsAreDocumented(t *testing.T) {
	page, err := fs.ReadFile(docs.Pages(), "theorems.md")
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(page), -1) {
		heading := strings.ToLower(m[1])
		heading = regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(heading, "")
		anchors[strings.ReplaceAll(heading, " ", "-")] = true
	}
	entries := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^@\w+\{([^,]+),`).FindAllStringSubmatch(docs.References, -1) {
		entries[m[1]] = true
	}
	all, err := articles()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if !anchors[m.name] {
			t.Errorf("docs/theorems.md has no section %s", m.name)
		}
		if len(m.sources) == 0 || len(m.hypotheses) == 0 || m.summary == "" || m.formula == "" || len(m.practice) == 0 || m.practice[0] == "" {
			t.Errorf("%s: something is not said: %+v", m.name, m)
		}
		for _, s := range m.sources {
			if s.Key != "dpcalc" {
				if !entries[s.Key] {
					t.Errorf("%s: the bibliography has no %s", m.name, s.Key)
				}
				continue
			}
			if _, anchor, _ := strings.Cut(s.Where, "#"); !anchors[anchor] {
				t.Errorf("%s: docs/theorems.md has no section #%s", m.name, anchor)
			}
		}
		if derived := m.sources[0].Key == "dpcalc"; derived != (m.proof == transfer.Derived) {
			t.Errorf("%s is marked %s and its first source is %s", m.name, m.proof, m.sources[0])
		}
	}
}
