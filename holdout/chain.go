package holdout

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash"
)

// CorruptError says that the files are not as they were written.
type CorruptError struct{ text string }

func (e *CorruptError) Error() string { return e.text }

func corrupt(format string, args ...any) error { return &CorruptError{fmt.Sprintf(format, args...)} }

// ends are the texts before and after the chain of a sealed text. A text is sealed by the hash of everything before it
// in the files and of its own bytes up to the first end, so that no byte of it can change unnoticed.
type ends struct{ before, after string }

const chainLength = 64 // hexadecimal digits

// length is how many bytes seal a text.
func (e ends) length() int { return len(e.before) + chainLength + len(e.after) }

// fork is a hash in the same state, which goes on apart.
func fork(past hash.Hash) hash.Hash {
	copied, err := past.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // SHA-256 can be copied
	}
	return copied
}

// seal appends the chain to a text that follows the past.
func (e ends) seal(past hash.Hash, text []byte) []byte {
	past.Write(text)
	sealed := append(bytes.Clone(text), e.before...)
	return append(hex.AppendEncode(sealed, past.Sum(nil)), e.after...)
}

// open returns the chain of a sealed text, "" if it has none, and whether it is the one that follows the past.
func (e ends) open(past hash.Hash, sealed []byte) (chain string, ok bool) {
	rest, ok := bytes.CutSuffix(sealed, []byte(e.after))
	if !ok || len(rest) < chainLength {
		return "", false
	}
	digits := rest[len(rest)-chainLength:]
	text, ok := bytes.CutSuffix(rest[:len(rest)-chainLength], []byte(e.before))
	if _, err := hex.DecodeString(string(digits)); err != nil || !ok {
		return "", false
	}
	past.Write(text)
	return string(digits), string(digits) == hex.EncodeToString(past.Sum(nil))
}
