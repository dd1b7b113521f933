package form

import (
	"path/filepath"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/internal/text"
)

// LabelsFile is a file of labels or predictions, by its place and its fingerprint.
type LabelsFile struct {
	Path        string `json:"path,omitempty"` // from the ledger's folder, see [LabelsFile.In]; empty if nobody knows
	Fingerprint string `json:"fingerprint"`

	From *Reading `json:"from,omitempty"` // nil for a table with the columns of the ledger
}

// Reading says how labels are read from a file that another tool wrote. The ledger keeps it for those who open the file
// again, and reads no such file itself.
type Reading struct {
	Tool  string   `json:"tool"`
	ID    string   `json:"id,omitempty"`    // where the tool has the ids; "" for its usual place
	Value string   `json:"value,omitempty"` // where it has the labels
	Only  []string `json:"only,omitempty"`  // which records count

	Version int `json:"-"` // how, see [Plan.Readings]
}

// Readings is the version of how logs and their repeats are read in a new ledger. A ledger keeps its own: 0 is the
// version of ledgers in whose plan.json there is none.
const Readings = 1

// Relative says where a file is from a ledger's folder, so that both may move together and no other folder of the
// machine is written down. It is "" where no path leads there, as between two drives.
func Relative(dir, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	between, err := filepath.Rel(settled(dir), filepath.Join(settled(filepath.Dir(path)), filepath.Base(path)))
	switch {
	case err != nil:
		return "", nil
	case !utf8.ValidString(between):
		return "", Inputf("got the path %s, want one in UTF-8, so that it is found again", text.Shown(path))
	}
	return filepath.ToSlash(between), nil
}

// In returns where a file of a ledger in a folder is, "" if the ledger does not say it. Ledgers of an earlier version
// have absolute paths.
func (f LabelsFile) In(dir string) string {
	path := filepath.FromSlash(f.Path)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(settled(dir), path)
}

// settled is a folder without links, so that its parent is found by its name. It need not exist.
func settled(dir string) string {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(whole); err == nil {
		return real
	}
	if parent := filepath.Dir(whole); parent != whole {
		return filepath.Join(settled(parent), filepath.Base(whole))
	}
	return whole
}
