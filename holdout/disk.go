package holdout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dpcalc/dpcalc/transfer"
)

// writing calls do while nobody else writes to the ledger. The turn and the lock have one patience together.
func (l *Ledger) writing(ctx context.Context, do func(*history, *os.File) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, l.patience, errors.New("the ledger is busy with other looks"))
	defer cancel()
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	file, err := os.OpenFile(filepath.Join(l.dir, looksFile), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return notLedger(err)
	}
	defer file.Close()
	if err := lock(ctx, file); err != nil {
		return err
	}
	l.at("locked")
	if err := l.load(file); err != nil {
		return err
	}
	return do(l.seen, file)
}

// load reads the lines that this Ledger has not read yet. What it read without the lock may have been taken back by
// the process that was writing it.
func (l *Ledger) load(file *os.File) error {
	if err := l.unchanged(); err != nil {
		return err
	}
	if l.seen != nil {
		switch err := l.seen.stands(file); {
		case err != nil && !l.early:
			return err
		case err != nil:
			l.seen = nil
		}
	}
	l.early = false
	if l.seen == nil || l.seen.tail != "" {
		h, err := readFrom(l.dir, file)
		if err == nil {
			l.seen = h
		}
		return err
	}
	lines, err := io.ReadAll(io.NewSectionReader(file, l.seen.read, math.MaxInt64-l.seen.read))
	if err != nil {
		return err
	}
	return l.seen.take(string(lines))
}

// add appends lines and takes them into the history.
func (l *Ledger) add(h *history, file *os.File, lines ...Line) error {
	for i := range lines {
		lines[i].Time = l.now().UTC().Format(time.RFC3339)
	}
	text, err := h.append(lines)
	if err != nil {
		return err
	}
	if err := l.renew(h, file); err != nil {
		return err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = l.write(file, text); err == nil {
		l.at("written")
		err = l.settle(file)
	}
	if err != nil {
		// Nobody has seen the answer, so that the look need not be spent. It must not stay either: after a sync that has
		// failed the next one may succeed although the system has dropped the line.
		return errors.Join(err, l.cut(file, size))
	}
	l.settled = size + int64(len(text))
	if h.tail != "" {
		h.past.Write([]byte(h.tail))
		h.past.Write([]byte("\n"))
		h.read += int64(len(h.tail)) + 1
		h.tail, text = "", text[1:]
	}
	return h.take(string(text))
}

// confirm puts the lines that were read on the disk before they are shown again.
func (l *Ledger) confirm(h *history, file *os.File) error {
	if err := l.renew(h, file); err != nil {
		return err
	}
	if err := l.settle(file); err != nil {
		return err
	}
	l.settled = h.end()
	return nil
}

// renew writes the end of the file once more, unless this Ledger has put it on the disk. The process that wrote it may
// have died before its sync, or after one that failed, and then a sync may succeed although the system has dropped the
// lines.
func (l *Ledger) renew(h *history, file *os.File) error {
	if h.end() <= l.settled {
		return nil
	}
	from := max(h.read-int64(len(h.last))-1, 0) // of the last write: a look may begin with the end of a torn line
	if h.plan.goal.Feedback == transfer.Final {
		from = 0 // all finalists are one write
	}
	text := make([]byte, h.end()-from)
	if _, err := file.ReadAt(text, from); err != nil {
		return err
	}
	again, err := os.OpenFile(file.Name(), os.O_WRONLY, 0) // the other one writes at the end alone
	if err != nil {
		return err
	}
	_, err = again.WriteAt(text, from)
	if err = errors.Join(err, again.Close()); err == nil {
		l.at("renewed")
	}
	return err
}

// settle puts the lines on the disk.
func (l *Ledger) settle(file *os.File) error {
	if err := l.sync(file); err != nil {
		return err
	}
	l.at("synced")
	if err := l.names(l.dir); err != nil {
		return err
	}
	l.at("settled")
	return nil
}

// read reads both files, without a lock. Its lines may not be on the disk yet and are not to be shown.
func read(dir string) (*history, error) {
	file, err := os.Open(filepath.Join(dir, looksFile))
	if err != nil {
		return nil, notLedger(err)
	}
	defer file.Close()
	return readFrom(dir, file)
}

// readFrom reads both files, of which one is open.
func readFrom(dir string, looks *os.File) (*history, error) {
	plan, text, err := contents(dir, looks)
	if err != nil {
		return nil, err
	}
	h := newHistory(plan)
	return h, h.take(text)
}

// contents are the plan and the text of the looks.
func contents(dir string, looks *os.File) (*Plan, string, error) {
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	if err != nil {
		return nil, "", notLedger(err)
	}
	plan, err := decodePlan(text)
	if err != nil {
		return nil, "", err
	}
	info, err := looks.Stat()
	if err != nil {
		return nil, "", err
	}
	var lines strings.Builder
	lines.Grow(int(info.Size()))
	_, err = io.Copy(&lines, looks)
	return plan, lines.String(), err
}

// notLedger says that a folder has no ledger if that is why a file cannot be opened.
func notLedger(err error) error {
	path := (*fs.PathError)(nil)
	if errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: got no ledger there, want the folder of one, which holdout init makes: %w",
			shown(filepath.Dir(path.Path)), path.Err)
	}
	return err
}
