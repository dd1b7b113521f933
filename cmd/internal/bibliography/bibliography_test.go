package bibliography

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/docs"
)

// The revision is what a published file is found by.
func TestRevision(t *testing.T) {
	for version, want := range map[string]string{
		"v0.1.0": "v0.1.0", "v1.2.3-rc.1": "v1.2.3-rc.1", "v0.0.0-20261122100326-f398a1c3dcd5": "f398a1c3dcd5",
		"v0.1.1-0.20261122100326-f398a1c3dcd5": "f398a1c3dcd5", "v0.1.1-rc.1.0.20261122100326-f398a1c3dcd5": "f398a1c3dcd5",
		"v0.0.0-20261122100326-f398a1c3dcd5+dirty": "", "devel": "", "": "", "devel-f398a1c3dcd5": "f398a1c3dcd5",
		"devel-f398a1c3dcd5+dirty": "", "devel-7": "",
		"v0.1.0+dirty": "",
	} {
		if got := Revision(version); got != want {
			t.Errorf("%q: got %q, want %q", version, got, want)
		}
	}
}

// Every entry of the bibliography reads without markup.
func TestCitation(t *testing.T) {
	entries := strings.Split(docs.References, "\n@")
	for _, entry := range entries {
		line := Citation(entry)
		if strings.ContainsAny(line, `\{}`) || strings.Contains(line, "..") || strings.Contains(line, "  ") ||
			len(line) < 60 || strings.HasPrefix(line, ".") {
			t.Errorf("%s\nreads %s", entry, line)
		}
	}
	if len(entries) < 20 {
		t.Errorf("%d entries", len(entries))
	}
}
