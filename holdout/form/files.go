package holdout

import (
	"path/filepath"
	"unicode/utf8"
)

// relative says where a file is from a ledger's folder, so that both may move together and no other folder of the
// machine is written down. It is "" where no path leads there, as between two drives.
func relative(dir, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	between, err := filepath.Rel(settled(dir), filepath.Join(settled(filepath.Dir(path)), filepath.Base(path)))
	switch {
	case err != nil:
		return "", nil
	case !utf8.ValidString(between):
		return "", inputf("got the path %s, want one in UTF-8, so that it is found again", shown(path))
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
