package holdout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/plans"
)

// CorruptError says that the files are not as they were written.
type CorruptError = journal.CorruptError

func corrupt(format string, args ...any) error { return journal.Corrupt(format, args...) }

// journalOf is the journal of a ledger, whose lines make its history.
func journalOf(dir string) *journal.Folder[*history] {
	return journal.InFolder(dir, func(text []byte) (*history, error) {
		plan, err := plans.Decode(text)
		if err != nil {
			return nil, err
		}
		return newHistory(plan), nil
	})
}

// writing calls do under the lock of the ledger.
func (l *Ledger) writing(ctx context.Context, do func(*history, journal.Writer) error) error {
	return notLedger(l.journal.Write(ctx, do))
}

// add appends lines, which the history takes.
func (l *Ledger) add(w journal.Writer, lines ...form.Line) error {
	var texts [][]byte
	for _, line := range lines {
		line.Time = l.now().UTC().Format(time.RFC3339)
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	return w.Append(texts...)
}

// readSettled reads the lines that may be shown.
func readSettled(j *journal.Folder[*history]) (*history, error) {
	h, busy, err := j.ReadSettled()
	if err != nil {
		return nil, notLedger(err)
	}
	h.inHand = busy
	return h, nil
}

// notLedger says that a folder has no ledger if that is why a file cannot be opened.
func notLedger(err error) error {
	path := (*fs.PathError)(nil)
	gone := errors.As(err, &path) && errors.Is(err, fs.ErrNotExist)
	if gone && slices.Contains(Files(), filepath.Base(path.Path)) {
		return fmt.Errorf("%s: got no ledger there, want a folder that holdout init made: %w",
			shown(filepath.Dir(path.Path)), path.Err)
	}
	return err
}
