package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
)

// CorruptError says that the files are not as they were written.
type CorruptError struct{ text string }

func (e *CorruptError) Error() string { return e.text }

// Corrupt returns a [CorruptError].
func Corrupt(format string, args ...any) error { return &CorruptError{fmt.Sprintf(format, args...)} }

// Ends are the texts before and after the chain of a sealed text. A text is sealed by the hash of everything before it
// in the files and of its own bytes up to the first end, so that no byte of it can change unnoticed.
type Ends struct{ Before, After string }

// The ends of the two kinds of sealed texts.
var (
	PlanEnds = Ends{",\n  \"chain\": \"", "\"\n}\n"}
	LineEnds = Ends{`,"chain":"`, "\"}\n"}
)

const chainLength = 64 // hexadecimal digits

// Length returns how many bytes seal a text.
func (e Ends) Length() int { return len(e.Before) + chainLength + len(e.After) }

// Seal appends the chain to a text that follows the past.
func (e Ends) Seal(past hash.Hash, text []byte) []byte {
	past.Write(text)
	sealed := append(bytes.Clone(text), e.Before...)
	return append(hex.AppendEncode(sealed, past.Sum(nil)), e.After...)
}

// OpensAfter reports whether the chain of a sealed text is the one that follows the past, which goes on to the end of
// the text.
func (e Ends) OpensAfter(past hash.Hash, sealed []byte) bool {
	from := max(len(sealed)-e.Length(), 0)
	past.Write(sealed[:from])
	sum := past.Sum(nil)
	past.Write(sealed[from:])
	var digits [chainLength]byte
	hex.Encode(digits[:], sum)
	return string(sealed[from:]) == e.Before+string(digits[:])+e.After
}

// Chain returns the chain of a text that is sealed.
func (e Ends) Chain(sealed string) string {
	end := len(sealed) - len(e.After)
	return sealed[end-chainLength : end]
}

// fork is a hash in the same state, which goes on apart.
func fork(past hash.Hash) hash.Hash {
	copied, err := past.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // SHA-256 can be copied
	}
	return copied
}

// Chain is how far the lines after a plan were read.
type Chain struct {
	past   hash.Hash
	lines  int    // that were read, with those that were cut short
	read   int64  // bytes of whole lines
	last   string // of these
	tail   string // that follows them
	buffer []byte // for a line
}

// NewChain returns the chain of a plan without lines.
func NewChain(plan []byte) *Chain {
	c := &Chain{past: sha256.New()}
	c.past.Write(plan)
	return c
}

// end is where the lines ended.
func (c *Chain) end() int64 { return c.read + int64(len(c.tail)) }

// Take reads the next bytes of the lines.
func (c *Chain) Take(lines string, g Grammar) error {
	start, since := c.past, lines // no line but the first since then was torn
	back := func() {
		c.past = fork(start)
		c.past.Write([]byte(since[:len(since)-len(lines)]))
	}
	c.past = fork(start)
	for len(lines) > 0 {
		text, rest, whole := strings.Cut(lines, "\n")
		c.buffer = append(append(c.buffer[:0], text...), '\n')
		linked := LineEnds.OpensAfter(c.past, c.buffer)
		if !linked {
			back()
		}
		err := c.line(text, linked, g)
		switch {
		case err != nil:
			back()
			return err
		case !whole:
			back()
			c.tail = text
			return nil
		case !linked:
			c.past.Write(c.buffer)
			start, since = fork(c.past), rest
		}
		c.last, lines = lines[:len(text)+1], rest
		c.read += int64(len(c.last))
	}
	return nil
}

// line takes a line without its end, whose chain follows the past or not. A line of which only the end is missing is as
// good as a whole one. The beginning of a line that a crash can leave is torn. Every other text was edited, or a line
// before it was.
func (c *Chain) line(text string, linked bool, g Grammar) error {
	number := c.lines + 1
	switch {
	case g.Ended():
		return Corrupt("looks.jsonl: line %d follows the end", number)
	case !linked && c.isCutShort(text, g):
		g.Torn(text)
	case !linked:
		return Corrupt("looks.jsonl is not as it was written: line %d, or one before it, was edited", number)
	default:
		end := len(text) + 1 - len(LineEnds.After)
		if err := g.Line(text, text[end-chainLength:end]); err != nil {
			return Corrupt("looks.jsonl: line %d: %v", number, err)
		}
	}
	c.lines = number
	return nil
}

// isCutShort reports whether a crash can have left a text of the next line. Lines are appended by one write, of
// which a crash can leave the beginning, and after it bytes of zero where the file system had made the file longer
// first. Nothing follows such a text but the end of line with which the next write begins. That write may be cut short
// too, after the end of line or later. So a text that was cut short may be anywhere in the file, but always in the
// place of a line, and it is never empty. Zeros that may have taken the place of two writes are no crash: the first of
// these was on the disk before the second began.
func (c *Chain) isCutShort(text string, g Grammar) bool {
	start := strings.TrimRight(text, "\x00")
	if len(text) == 0 || len(start) < len(text) && len(text) >= g.TwoWrites(c) {
		return false
	}
	return g.Begins(start, c)
}

// Sealed returns a line as it would be appended, from its text without the closing brace.
func (c *Chain) Sealed(text []byte) []byte { return LineEnds.Seal(fork(c.past), text) }

// Appended returns the bytes that add lines, objects of JSON. They begin with the end of a last line that has none.
func (c *Chain) Appended(lines ...[]byte) (all []byte) {
	past := fork(c.past)
	if c.tail != "" {
		past.Write([]byte(c.tail))
		past.Write([]byte("\n"))
		all = []byte("\n")
	}
	for _, text := range lines {
		sealed := LineEnds.Seal(fork(past), text[:len(text)-len("}")])
		past.Write(sealed)
		all = append(all, sealed...)
	}
	return all
}

// stands checks that the file begins as it was read, both times under the lock: no line is ever taken back.
func (c *Chain) stands(file *os.File) error {
	want := c.last + c.tail
	got := make([]byte, len(want))
	n, err := file.ReadAt(got, c.end()-int64(len(want)))
	if err != nil && err != io.EOF {
		return err
	}
	if string(got[:n]) != want {
		return Corrupt("looks.jsonl is not as it was when it was read last: it was edited, or an older copy was put back")
	}
	return nil
}
