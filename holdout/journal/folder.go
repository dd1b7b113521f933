package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Folder is a journal in two plain files of a folder. Several goroutines and processes may use it: who writes holds the
// lock of the file of lines.
type Folder[H Grammar] struct {
	Dir   string
	Begin func(plan []byte) (H, error) // the state of a plan without lines
	Hooks

	turn    chan struct{} // holds one while somebody writes
	made    bool          // the folder, by Create
	plan    []byte        // that was read or created first; nil for none yet
	seen    *reading[H]   // as far as the lines were read; nil if they were not
	early   bool          // they were read without the lock
	settled int64         // bytes of lines that this Folder has put on the disk
}

// reading is lines that were read.
type reading[H Grammar] struct {
	*Chain
	state H
}

// Hooks are what a folder does with files, and At is called at every step. Tests replace them.
type Hooks struct {
	At    func(step string)
	Write func(*os.File, []byte) (int, error)
	Cut   func(*os.File, int64) error
	Sync  func(*os.File) error
	Names func(dir string) error // puts the names in a folder on the disk

	Patience time.Duration // of a writer with others
}

// Standard returns the hooks of the operating system.
func Standard() Hooks {
	return Hooks{At: func(string) {}, Write: (*os.File).Write, Cut: (*os.File).Truncate, Sync: (*os.File).Sync,
		Names: SyncFolder, Patience: 10 * time.Second}
}

// InFolder returns the journal of a folder, whose states begin returns.
func InFolder[H Grammar](dir string, begin func(plan []byte) (H, error)) *Folder[H] {
	return &Folder[H]{Dir: dir, Begin: begin, Hooks: Standard(), turn: make(chan struct{}, 1)}
}

// ReplacedError says that a journal has another plan than the one that was read first.
type ReplacedError struct{}

func (*ReplacedError) Error() string {
	return "plan.json is not as it was when the ledger was opened: it was replaced or edited"
}

// Write calls do under the lock. The turn and the lock have one patience together.
func (f *Folder[H]) Write(ctx context.Context, do func(H, Writer) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, f.Patience, errors.New("the ledger is busy with other looks"))
	defer cancel()
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	file, err := os.OpenFile(filepath.Join(f.Dir, LinesFile), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := lock(ctx, file); err != nil {
		return err
	}
	f.At("locked")
	if err := f.load(file); err != nil {
		return err
	}
	return do(f.seen.state, writing[H]{f, file})
}

// load reads the lines that this Folder has not read yet. What it read without the lock may have been taken back by the
// process that was writing it.
func (f *Folder[H]) load(file *os.File) error {
	plan, err := f.unchanged()
	if err != nil {
		return err
	}
	f.plan = plan
	if f.seen != nil {
		switch err := f.seen.stands(file); {
		case err != nil && !f.early:
			return err
		case err != nil:
			f.seen = nil
		}
	}
	f.early = false
	if f.seen == nil || f.seen.tail != "" {
		read, err := f.readFrom(file, plan)
		if err == nil {
			f.seen = read
		}
		return err
	}
	lines, err := io.ReadAll(io.NewSectionReader(file, f.seen.read, math.MaxInt64-f.seen.read))
	if err != nil {
		return err
	}
	return f.seen.Take(string(lines), f.seen.state)
}

// unchanged reads the plan, and checks that it is the one that was read first.
func (f *Folder[H]) unchanged() ([]byte, error) {
	plan, err := os.ReadFile(filepath.Join(f.Dir, PlanFile))
	if err == nil && f.plan != nil && !bytes.Equal(plan, f.plan) {
		err = &ReplacedError{}
	}
	return plan, err
}

// Open reads all lines, from which Write goes on.
func (f *Folder[H]) Open() (state H, err error) {
	read, plan, err := f.whole()
	if err == nil {
		f.plan, f.seen, f.early = plan, read, true
		state = read.state
	}
	return state, err
}

// Read reads all lines, without the lock.
func (f *Folder[H]) Read() (state H, err error) {
	read, _, err := f.whole()
	if err == nil {
		state = read.state
	}
	return state, err
}

// whole reads the plan and all lines.
func (f *Folder[H]) whole() (*reading[H], []byte, error) {
	file, err := os.Open(filepath.Join(f.Dir, LinesFile))
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	plan, err := f.unchanged()
	if err != nil {
		return nil, nil, err
	}
	read, err := f.readFrom(file, plan)
	return read, plan, err
}

// readFrom reads all lines of an open file.
func (f *Folder[H]) readFrom(file *os.File, plan []byte) (*reading[H], error) {
	read, err := f.begin(plan)
	if err != nil {
		return nil, err
	}
	lines, err := content(file)
	if err != nil {
		return nil, err
	}
	return read, read.Take(lines, read.state)
}

// begin is what was read where no line was.
func (f *Folder[H]) begin(plan []byte) (*reading[H], error) {
	state, err := f.Begin(plan)
	return &reading[H]{NewChain(plan), state}, err
}

// content is the text of a file.
func content(file *os.File) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	lines.Grow(int(info.Size()))
	_, err = io.Copy(&lines, file)
	return lines.String(), err
}

// briefly is how long a reader waits for a line that is being written.
const briefly = 100 * time.Millisecond

// ReadSettled reads the lines that may be shown, which are on the disk. A sync puts there the lines of a process that
// died. Another process that holds the lock may be about to take back the last write, because its sync has failed.
// Without the lock the last write is left out therefore: the state would show as much of it as its line.
func (f *Folder[H]) ReadSettled() (state H, busy bool, err error) {
	path := filepath.Join(f.Dir, LinesFile)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		file, err = os.Open(path) // it may be shown to those who may not write it
	}
	if err != nil {
		return state, false, err
	}
	defer file.Close()
	ctx, cancel := context.WithTimeout(context.Background(), briefly)
	defer cancel()
	locked := lock(ctx, file)
	plan, err := f.unchanged()
	if err != nil {
		return state, false, err
	}
	read, err := f.begin(plan)
	if err != nil {
		return state, false, err
	}
	lines, err := content(file)
	if err != nil {
		return state, false, err
	}
	if busy = errors.Join(locked, f.Sync(file)) != nil; busy {
		lines = withoutLast(lines, read.state.IsOneWrite())
	}
	return read.state, busy, read.Take(lines, read.state)
}

// withoutLast leaves out the last write: the last line, or all of them.
func withoutLast(lines string, all bool) string {
	if all {
		return ""
	}
	lines = strings.TrimSuffix(lines, "\n")
	return lines[:strings.LastIndexByte(lines, '\n')+1]
}

// writing writes to a folder whose lock is held.
type writing[H Grammar] struct {
	*Folder[H]
	file *os.File
}

// Append appends lines and takes them into the state.
func (w writing[H]) Append(lines ...[]byte) error {
	c := w.seen
	if c.state.Ended() {
		return errors.New("the ledger has ended, and no line may follow")
	}
	sealed := c.Appended(lines...)
	if err := w.renew(); err != nil {
		return err
	}
	size, err := w.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = w.Hooks.Write(w.file, sealed); err == nil {
		w.At("written")
		err = w.settle()
	}
	if err != nil {
		// The answer was not shown, so that the look need not be spent. The line must not stay either: after a sync that
		// has failed the next one may succeed although the system has dropped the line.
		return errors.Join(err, w.Cut(w.file, size))
	}
	w.settled = size + int64(len(sealed))
	if c.tail != "" {
		c.past.Write([]byte(c.tail))
		c.past.Write([]byte("\n"))
		c.read += int64(len(c.tail)) + 1
		c.tail, sealed = "", sealed[1:]
	}
	return c.Take(string(sealed), c.state)
}

// Confirm puts the lines that were read on the disk before they are shown again.
func (w writing[H]) Confirm() error {
	if err := w.renew(); err != nil {
		return err
	}
	if err := w.settle(); err != nil {
		return err
	}
	w.settled = w.seen.end()
	return nil
}

// renew writes the end of the file once more, unless this Folder has put it on the disk. The process that wrote it may
// have died before its sync, or after one that failed, and then a sync may succeed although the system has dropped the
// lines.
func (w writing[H]) renew() error {
	c := w.seen
	if c.end() <= w.settled {
		return nil
	}
	from := max(c.read-int64(len(c.last))-1, 0) // of the last write: a line may begin with the end of a torn one
	if c.state.IsOneWrite() {
		from = 0
	}
	text := make([]byte, c.end()-from)
	if _, err := w.file.ReadAt(text, from); err != nil {
		return err
	}
	again, err := os.OpenFile(w.file.Name(), os.O_WRONLY, 0) // the other one writes at the end alone
	if err != nil {
		return err
	}
	_, err = again.WriteAt(text, from)
	if err = errors.Join(err, again.Close()); err == nil {
		w.At("renewed")
	}
	return err
}

// settle puts the lines on the disk.
func (w writing[H]) settle() error {
	if err := w.Sync(w.file); err != nil {
		return err
	}
	w.At("synced")
	if err := w.Names(w.Dir); err != nil {
		return err
	}
	w.At("settled")
	return nil
}

// Keep writes a file beside the lines.
func (w writing[H]) Keep(name string, text []byte) error { return w.keep(name, text) }

func (f *Folder[H]) keep(name string, text []byte) error {
	file, err := os.OpenFile(filepath.Join(f.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Hooks.Write(file, text)
	return errors.Join(err, f.Sync(file), file.Close(), f.Names(f.Dir))
}

// Drop takes away a file beside the lines.
func (w writing[H]) Drop(name string) { _ = os.Remove(filepath.Join(w.Dir, name)) }
