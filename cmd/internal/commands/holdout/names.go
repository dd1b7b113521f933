package holdout

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/transfer"
)

// namesOf are the names of the looks at some files. Finalists have by default the names of their files, which tell the
// rows of a table apart. Looks at a column are known by their names, and have no default.
func namesOf(c *commands.Call, metric string, status holdout.Status, paths []string) ([]string, error) {
	given := c.Texts("name")
	switch {
	case len(given) == len(paths):
		return given, nil
	case len(given) > 0:
		return nil, usage.Errorf("--name: got %d names for %d files, want one for each, or none", len(given), len(paths))
	case holdout.IsColumn(metric) || status.Plan.Promise.Feedback != transfer.Final.String():
		return make([]string, len(paths)), nil
	}
	return fileNames(paths), nil
}

// fileNames are the names of files, with as many of their folders as tell them apart. A name that no look may have is
// "".
func fileNames(paths []string) []string {
	names, parts := make([]string, len(paths)), make([][]string, len(paths))
	for i, path := range paths {
		parts[i] = strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")
	}
	for depth, more := 1, true; more; depth++ {
		of := make(map[string][]string) // the files of a name
		more = false
		for i := range paths {
			if depth == 1 || names[i] == "" {
				names[i] = strings.Join(parts[i][max(len(parts[i])-depth, 0):], "/")
			}
			of[names[i]] = append(of[names[i]], strings.Join(parts[i], "/"))
		}
		for i := range paths {
			same := of[names[i]]
			if depth < len(parts[i]) && slices.ContainsFunc(same, func(f string) bool { return f != same[0] }) {
				names[i], more = "", true
			}
		}
	}
	for i, name := range names {
		if name == "-" || holdout.ValidName("name", name) != nil {
			names[i] = ""
		}
	}
	return names
}
