package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dpcalc/dpcalc/internal/text"
)

// FolderError says that a folder cannot be the one of a new journal.
type FolderError struct{ Dir, Got string }

func (e *FolderError) Error() string {
	return fmt.Sprintf("%s: got %s, want an empty folder or a new one", text.Shown(e.Dir), e.Got)
}

// Create makes the folder, or takes an empty one, and writes plan.json last: a folder with one has a journal. It leaves
// no file and no folder that it has made if it returns an error.
func (f *Folder[H]) Create(plan []byte, kept map[string][]byte) (err error) {
	if f.made, err = newFolder(f.Dir); err != nil {
		return err
	}
	f.At("folder")
	files, err := f.newFiles(plan, kept)
	if err != nil {
		f.remove(files) // and no file of another call, which may have begun a journal here meanwhile
	}
	f.plan = plan
	return err
}

// newFolder makes the folder, or takes an empty one.
func newFolder(dir string) (made bool, err error) {
	err = os.Mkdir(dir, 0o700)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, &FolderError{dir, "a link that leads nowhere"}
	case err == nil && !info.IsDir():
		return false, &FolderError{dir, "a file"}
	case err != nil:
		return false, err
	}
	inside, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	if len(inside) > 0 {
		return false, notEmpty(dir, inside[0].Name())
	}
	return false, os.Chmod(dir, 0o700)
}

func notEmpty(dir, name string) error {
	return &FolderError{dir, "a folder with " + text.Shown(name) + " in it"}
}

// newFiles returns the files that it has made, none of which existed before.
func (f *Folder[H]) newFiles(plan []byte, kept map[string][]byte) (made []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		made = append(made, name)
		if err := f.keep(name, kept[name]); err != nil {
			return made, err
		}
	}
	for _, one := range []struct {
		name string
		text []byte
	}{{LinesFile, nil}, {PlanFile, plan}} {
		file, err := os.OpenFile(filepath.Join(f.Dir, one.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist):
			return made, notEmpty(f.Dir, one.name)
		case err != nil:
			return made, err
		}
		made = append(made, one.name)
		_, err = f.Hooks.Write(file, one.text)
		if err = errors.Join(err, f.Sync(file), file.Close()); err != nil {
			return made, err
		}
	}
	return made, errors.Join(f.Names(f.Dir), f.Names(filepath.Dir(filepath.Clean(f.Dir))))
}

// remove takes away files of a journal that could not be made, and its folder if Create has made it.
func (f *Folder[H]) remove(files []string) {
	for _, name := range slices.Backward(files) {
		_ = os.Remove(filepath.Join(f.Dir, name))
	}
	if f.made {
		_ = os.Remove(f.Dir)
	}
}

// Discard takes a new journal away with the files that are kept beside it.
func (f *Folder[H]) Discard(ctx context.Context, stays func(H) error, kept ...string) error {
	err := f.Write(ctx, func(state H, _ Writer) error {
		if err := stays(state); err != nil {
			return err
		}
		return os.Remove(filepath.Join(f.Dir, PlanFile))
	})
	if err == nil {
		f.remove(append(kept, LinesFile))
	}
	return err
}
