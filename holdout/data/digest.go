package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// Digest is a SHA-256 of texts and numbers, each of which has an end.
type Digest struct {
	hash   hash.Hash
	buffer []byte
}

const digestBuffer = 1 << 14

// NewDigest returns the digest of nothing yet, under a name for what it is of.
func NewDigest(of string) *Digest {
	d := &Digest{hash: sha256.New(), buffer: make([]byte, 0, 2*digestBuffer)}
	d.Text(of)
	return d
}

// Text adds a text.
func (d *Digest) Text(s string) {
	d.buffer = append(binary.BigEndian.AppendUint64(d.buffer, uint64(len(s))), s...)
	if len(d.buffer) >= digestBuffer {
		d.flush()
	}
}

// Number adds a number.
func (d *Digest) Number(x float64) {
	d.buffer = binary.BigEndian.AppendUint64(d.buffer, math.Float64bits(x))
}

func (d *Digest) flush() {
	d.hash.Write(d.buffer)
	d.buffer = d.buffer[:0]
}

// Sum returns the digest in hexadecimal digits.
func (d *Digest) Sum() string {
	d.flush()
	return hex.EncodeToString(d.hash.Sum(nil))
}
