package agents

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// Folder is the one folder whose files an agent may name.
type Folder struct {
	root   *os.Root
	secret []string // files that no agent may name, wherever a second name of them is
}

// OpenFolder opens a folder of an agent. A secret file or folder inside of it is an error.
func OpenFolder(path string, secret ...string) (*Folder, error) {
	for _, s := range secret {
		if outfile.IsInside(s, path) || outfile.IsSameFile(s, path) {
			return nil, usage.Errorf("--folder: got %s, which holds the ledger or its labels, want a folder without them: an agent may name the files of its folder",
				usage.Shown(path))
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{root, secret}, nil
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// kinds are the Content-Types of files by their suffixes.
var kinds = map[string]string{".csv": "text/csv", ".tsv": "text/tab-separated-values", ".jsonl": "application/jsonl"}

// errFile is said of every file that is not opened, so that nothing is told of what is elsewhere.
var errFile = errors.New("file: got a path to no file of the folder, want one to a regular file in it, such as predictions.csv")

// open opens a regular file inside of the folder.
func (f *Folder) open(path string) (t table, done func(), err error) {
	kind, ok := kinds[strings.ToLower(filepath.Ext(path))]
	if !ok {
		return t, nil, errors.New("file: got another suffix, want .csv, .tsv or .jsonl")
	}
	if info, err := f.root.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe would keep the call waiting
		return t, nil, errFile
	}
	file, err := f.root.Open(path)
	if err != nil {
		return t, nil, errFile
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || f.isSecret(info) {
		file.Close()
		return t, nil, errFile
	}
	return table{io.Reader(file), kind}, func() { file.Close() }, nil
}

// isSecret reports whether a file is a secret one by another name.
func (f *Folder) isSecret(info fs.FileInfo) bool {
	for _, s := range f.secret {
		if own, err := os.Stat(s); err == nil && os.SameFile(own, info) {
			return true
		}
	}
	return false
}
