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

// open reports whether the chain of a sealed text is the one that follows the past, which goes on to the end of the
// text.
func (e ends) open(past hash.Hash, sealed []byte) bool {
	from := max(len(sealed)-e.length(), 0)
	past.Write(sealed[:from])
	sum := past.Sum(nil)
	past.Write(sealed[from:])
	var digits [chainLength]byte
	hex.Encode(digits[:], sum)
	return string(sealed[from:]) == e.before+string(digits[:])+e.after
}

// chain returns the chain of a text that is sealed.
func (e ends) chain(sealed string) string {
	end := len(sealed) - len(e.after)
	return sealed[end-chainLength : end]
}
