// Package jsontext reads records of JSON as Python writes it, with NaN and Infinity. Of each record it keeps some paths
// and an outline of the rest, so that its memory does not grow with the input.
package jsontext

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/delimited"
)

const (
	deepest   = 1000    // objects and lists within each other, as in Python
	longest   = 1 << 12 // bytes of a number, and of a key that a path may name
	mostKept  = 1 << 23 // bytes of a record that are kept
	mostOther = 1 << 15 // bytes of a record from which on no other keys are kept
	levels    = 3       // of objects, whose other keys are kept
)

// NaN begins the texts that stand for NaN, Infinity and -Infinity in a record.
const NaN = "\x00"

// Reader reads records: objects on lines of their own, in a list, or in a list within one object. What
// follows a record on its line, a list or such an object has to be white space.
type Reader struct {
	In    io.Reader
	Paths []string // of what is kept, keys with dots between them; a key may have dots in it
	Lists []string // where an object may have a list of records; without any, and without Lines, the input is one record
	Lines bool     // whether objects without a list are records, and a list may stand alone
	Loose bool     // whether any text may follow a record on its line, a list or an object
	List  string   // the list that was found, "." for one that stands alone

	visit     func(line int, record map[string]any) error
	buf       []byte
	at, end   int // of what is read of buf
	stop      error
	line      int
	depth     int
	base      int    // the depth of the record
	key, word []byte // that were read last
	out       []byte // what is kept of the record
}

// want is what is left of a path at some depth, and the list that it leads to, "" for what is kept.
type want struct{ rest, list string }

// mode is what is kept of a value.
type mode int

const (
	nothing mode = iota
	outline      // its keys and numbers; texts and lists are empty
	whole
)

// failure is an error on its way to [Reader.Records].
type failure struct{ error }

func (r *Reader) fail(format string, args ...any) {
	panic(failure{delimited.Errorf(r.line, format, args...)})
}

// Records calls visit with every record and the line on which it begins, and stops at visit's error, which it returns.
// An error of the form is a [delimited.Error].
func (r *Reader) Records(visit func(line int, record map[string]any) error) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.error
		default:
			panic(f)
		}
	}()
	r.visit, r.buf, r.line = visit, make([]byte, 1<<16), 1
	if r.peek() == "\ufeff"[0] {
		r.literal("\ufeff")
	}
	if r.space() == 0 && r.at == r.end && !r.Lines {
		r.fail("got nothing, want an object")
	}
	for c := r.space(); r.at < r.end; c = r.space() {
		line := r.line
		switch {
		case c == '[' && r.Lines:
			r.elements(".")
		case c != '{':
			r.fail("got no JSON object, want one")
		default:
			if r.record(); r.List == "" && !r.Lines && r.Lists != nil {
				r.fail("got no JSON object with %s, want one: there is none", strings.Join(r.Lists, " or "))
			} else if r.List == "" {
				r.tell(line)
			}
		}
		last := r.List != "" || !r.Lines
		for c := r.peek(); r.at < r.end && (last || c != '\n'); c = r.peek() {
			if !r.Loose && !isBlank(c) {
				r.fail("got more after a value, want nothing but one on its line")
			}
			r.next()
		}
	}
	return nil
}

// tell visits the record that was read.
func (r *Reader) tell(line int) {
	var record map[string]any
	d := json.NewDecoder(bytes.NewReader(r.out))
	d.UseNumber()
	if err := d.Decode(&record); err != nil {
		r.fail("got %v, want JSON", err)
	}
	if err := r.visit(line, record); err != nil {
		panic(failure{err})
	}
}

// record reads an object.
func (r *Reader) record() {
	var wants []want
	for _, p := range r.Paths {
		wants = append(wants, want{rest: p})
	}
	for _, p := range r.Lists {
		if r.depth == 0 && p != "" {
			wants = append(wants, want{p, p})
		}
	}
	r.out, r.base = r.out[:0], r.depth
	r.object(wants, outline)
}

// elements reads a list of records.
func (r *Reader) elements(list string) {
	if r.List != "" {
		r.fail("got two lists of objects, want one")
	}
	r.List = list
	count := 0
	r.each(']', func() {
		if count++; r.space() != '{' {
			r.fail("element %d: got no object, want one", count)
		}
		line := r.line
		r.record()
		r.tell(line)
	})
}

// each calls member at every member of an object or a list, in front of its bracket.
func (r *Reader) each(last byte, member func()) {
	r.next()
	if r.depth++; r.depth > deepest {
		r.fail("got values that are nested more than %d deep, want less", deepest)
	}
	for c := r.space(); c != last; {
		member()
		if c = r.space(); c == ',' {
			r.next()
		}
		if comma := c == ','; comma == (r.space() == last) || !comma && c != last {
			r.unexpected()
		}
	}
	r.next()
	r.depth--
}

// value reads a value.
func (r *Reader) value(wants []want, m mode) {
	switch c := r.space(); c {
	case '{':
		r.object(wants, m)
	case '[':
		within := nothing
		if m == whole {
			within = whole
		}
		r.keep(m, "[")
		start := len(r.out)
		r.each(']', func() {
			if len(r.out) > start {
				r.keep(within, ",")
			}
			r.value(nil, within)
		})
		r.keep(m, "]")
	case '"':
		r.text(m)
	default:
		r.scalar(m)
	}
}

// object reads an object.
func (r *Reader) object(wants []want, m mode) {
	r.keep(m, "{")
	first := true
	r.each('}', func() {
		key := r.named(m)
		if r.space() != ':' {
			r.unexpected()
		}
		r.next()
		below, list, kept := match(wants, key)
		within := m
		switch other := len(below) == 0 && m == outline; {
		case kept && m == outline:
			within = whole
		case other && (len(r.out)+len(r.key) > mostOther || r.depth-r.base > levels):
			within = nothing
		}
		if r.space() == '[' && list != "" {
			r.elements(list)
			return
		}
		if within != nothing && !first {
			r.keep(m, ",")
		}
		if within != nothing {
			r.keep(m, string(r.key)+":")
			first = false
		}
		r.value(below, within)
	})
	r.keep(m, "}")
}

// match returns what is left of the paths that a key begins, the list that it ends, and whether it ends another path.
func match(wants []want, key string) (below []want, list string, kept bool) {
	for _, w := range wants {
		rest, ok := strings.CutPrefix(w.rest, key)
		switch {
		case ok && rest == "" && w.list == "":
			kept = true
		case ok && rest == "":
			list = w.list
		case ok && rest[0] == '.':
			below = append(below, want{rest[1:], w.list})
		}
	}
	return below, list, kept
}

// named reads a key, and keeps its JSON in key. One that is too long for any path has no name.
func (r *Reader) named(m mode) string {
	if r.space() != '"' {
		r.unexpected()
	}
	if m == nothing {
		r.text(m)
		return ""
	}
	out := r.out
	r.out = r.key[:0]
	r.text(whole)
	r.key, r.out = r.out, out
	switch {
	case len(r.key) > longest:
		return ""
	case bytes.IndexByte(r.key, '\\') < 0:
		return string(r.key[1 : len(r.key)-1])
	}
	var name string
	_ = json.Unmarshal(r.key, &name)
	return name
}

// keep appends to what is kept of a record.
func (r *Reader) keep(m mode, text string) {
	if m == nothing {
		return
	}
	if r.out = append(r.out, text...); len(r.out) > mostKept {
		r.fail("got an object of which more than %d MB are read, want less", mostKept>>20)
	}
}

// special are the bytes that are not themselves in a text, and bare are the bytes of values without quotes.
var special, bare = func() (special, bare [256]bool) {
	for c := range 256 {
		special[c] = c < 0x20 || c == '"' || c == '\\'
		digit, letter := c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z'
		bare[c] = digit || letter || strings.ContainsRune("+-.", rune(c))
	}
	return special, bare
}()

// text reads a text.
func (r *Reader) text(m mode) {
	r.next()
	r.keep(m, `"`)
	for {
		r.peek()
		part := r.buf[r.at:r.end]
		i := 0
		for i < len(part) && !special[part[i]] {
			i++
		}
		if m == whole {
			r.keep(m, string(part[:i]))
		}
		if r.at += i; r.at == r.end && r.peek() != 0 {
			continue
		}
		switch r.peek() {
		case '"':
			r.next()
			r.keep(m, `"`)
			return
		case '\\':
			r.escape(m)
		default:
			r.unexpected()
		}
	}
}

// escape reads an escape.
func (r *Reader) escape(m mode) {
	text := []byte{'"', r.next(), r.next()}
	for text[2] == 'u' && len(text) < len(`"\u0000`) {
		text = append(text, r.next())
	}
	if !json.Valid(append(text, '"')) {
		r.fail("got the escape %q, want JSON", text[1:])
	}
	if m == whole {
		r.keep(m, string(text[1:]))
	}
}

// words are the values without quotes that are no JSON.
var words = []string{"NaN", "Infinity", "-Infinity"}

// scalar reads a value without quotes.
func (r *Reader) scalar(m mode) {
	r.word = r.word[:0]
	for bare[r.peek()] {
		if r.word = append(r.word, r.next()); len(r.word) > longest {
			r.fail("got a number of more than %d characters, want less", longest)
		}
	}
	switch {
	case len(r.word) == 0:
		r.unexpected()
	case slices.Contains(words, string(r.word)):
		r.keep(m, `"\u0000`+string(r.word)+`"`)
	case !json.Valid(r.word):
		r.fail("got %q, want JSON", r.word[:min(len(r.word), 40)])
	default:
		r.keep(m, string(r.word))
	}
}

// literal reads a text that has to be there.
func (r *Reader) literal(text string) {
	for _, c := range []byte(text) {
		if r.peek() != c {
			r.unexpected()
		}
		r.next()
	}
}

// unexpected fails at the next character.
func (r *Reader) unexpected() {
	if c := r.peek(); r.at < r.end {
		r.fail("got the character %q, want JSON", rune(c))
	}
	r.fail("got a value that does not end, want JSON")
}

func isBlank(c byte) bool { return strings.IndexByte(" \n\r\t", c) >= 0 }

// space skips white space, and returns the character behind it, 0 at the end.
func (r *Reader) space() byte {
	for isBlank(r.peek()) {
		r.next()
	}
	return r.peek()
}

// next takes a character, 0 at the end.
func (r *Reader) next() byte {
	c := r.peek()
	if r.at < r.end {
		r.at++
	}
	if c == '\n' {
		r.line++
	}
	return c
}

// peek returns the next character, 0 at the end. A zero in the input is no character of JSON either.
func (r *Reader) peek() byte {
	if r.at == r.end {
		r.fill()
	}
	if r.at == r.end {
		return 0
	}
	return r.buf[r.at]
}

func (r *Reader) fill() {
	r.at, r.end = 0, 0
	for tries := 0; r.end == 0 && r.stop == nil; tries++ {
		if r.end, r.stop = r.In.Read(r.buf); tries > 100 {
			r.stop = io.ErrNoProgress
		}
	}
	if r.end == 0 && r.stop != io.EOF {
		panic(failure{r.stop})
	}
}
