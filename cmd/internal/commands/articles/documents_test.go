package articles

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/docs"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Every method has its section in docs/theorems, under its own name or by a source that leads there,
// and every source it names is an entry of the bibliography or a section there.
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
		led := slices.ContainsFunc(m.Sources, func(s theory.Source) bool { return s.Key == "dpcalc" })
		if sections[m.Name] == "" && !led {
			t.Errorf("docs/theorems has no section %s, and no source leads to another", m.Name)
		}
		if len(m.Sources) == 0 || len(m.Assumes) == 0 || m.Summary == "" || m.Formula == "" || m.Practice == "" {
			t.Errorf("%s: something is not said: %+v", m.Name, m)
		}
		for _, s := range m.Sources {
			if s.Key != "dpcalc" {
				if !entries[s.Key] {
					t.Errorf("%s: the bibliography has no %s", m.Name, s.Key)
				}
				continue
			}
			if page, section, _ := strings.Cut(s.Where, "#"); page == "" || sections[section] != page {
				t.Errorf("%s: %q is no section of docs/theorems", m.Name, s.Where)
			}
		}
		if derived := m.Sources[0].Key == "dpcalc"; derived != (m.Proof == transfer.Derived) {
			t.Errorf("%s is marked %s and its first source is %s", m.Name, m.Proof, m.Sources[0])
		}
	}
}
