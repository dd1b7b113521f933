// Package journal keeps a plan that never changes and lines that are appended to it, in a folder that one writer at a
// time may change. It knows bytes: the owner of a journal says by a [Grammar] which lines there are.
//
// The plan is plan.json, the lines are looks.jsonl. The hash of everything before it seals a line, which is appended by
// one write and synced, with the names in the folder, before Append of a [Writer] returns. A line that a crash has cut
// short stays, and the grammar counts it.
package journal

import "context"

// The two files of a journal.
const (
	PlanFile  = "plan.json"
	LinesFile = "looks.jsonl"
)

// Journal is a plan with its lines, which it reads into states H. [Folder] is the only one. Another, such as a database
// that several hosts share, has to commit a line before Append returns, to refuse lines that do not continue those that
// it returned last, and to commit on every replica that may take over.
type Journal[H Grammar] interface {
	// Create writes a new plan without lines. Kept are files beside it, by their names.
	Create(plan []byte, kept map[string][]byte) error
	// Read reads all lines, some of which may not be on the disk and are not to be shown.
	Read() (H, error)
	// ReadSettled reads the lines that may be shown. It leaves out a write that is under way, and reports whether it did.
	ReadSettled() (state H, busy bool, err error)
	// Write calls do with the state of all lines, and holds the lock meanwhile.
	Write(ctx context.Context, do func(H, Writer) error) error
	// Discard takes a new journal away, unless stays returns an error for its state.
	Discard(ctx context.Context, stays func(H) error, kept ...string) error
}

// Writer appends lines.
type Writer interface {
	// Append seals lines, objects of JSON, and appends them by one write. They are on the disk when it returns, or else
	// they are taken back.
	Append(lines ...[]byte) error
	// Confirm puts on the disk the lines that another process may have left.
	Confirm() error
	// Keep puts a file beside the lines on the disk, before the line that names it.
	Keep(name string, text []byte) error
	// Drop takes such a file away.
	Drop(name string)
}

// Grammar is what the owner of a journal says of its lines: a state that takes one line after another.
type Grammar interface {
	// Ended reports whether no line may follow.
	Ended() bool
	// Line takes a whole line without its end of line, as it was sealed.
	Line(text, chain string) error
	// Torn takes what a crash has left of the next line.
	Torn(text string)
	// Begins reports whether a text is the beginning of a line that may come next.
	Begins(text string, c *Chain) bool
	// TwoWrites returns the least length of the next write and one after it.
	TwoWrites(c *Chain) int
	// IsOneWrite reports whether all lines together are one write.
	IsOneWrite() bool
}
