package articles

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/docs"
	"github.com/dpcalc/dpcalc/transfer"
)

// Every method has its section in docs/theorems under its own name, and every source it
// names is an entry of the bibliography or a section there.
func TestMethodsAreDocumented(t *testing.T) {
	sections, err := docs.Sections()
	if err != nil {
		t.Fatal(err)
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
		if sections[m.name] == "" {
			t.Errorf("docs/theorems has no section %s", m.name)
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
			if page, section, _ := strings.Cut(s.Where, "#"); page == "" || sections[section] != page {
				t.Errorf("%s: %q is no section of docs/theorems", m.name, s.Where)
			}
		}
		if derived := m.sources[0].Key == "dpcalc"; derived != (m.proof == transfer.Derived) {
			t.Errorf("%s is marked %s and its first source is %s", m.name, m.proof, m.sources[0])
		}
	}
}
