package evallog

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/dpcalc/dpcalc/internal/delimited"
)

// longest is the most bytes of a record.
const longest = 64 << 20

// methodZstd is the number that archives have for Zstandard.
const methodZstd = 93

// reader reads a log from its beginning, without gzip.
func (l Log) reader() (io.Reader, error) {
	in := io.NewSectionReader(l.At, 0, l.Size)
	if !l.begins("\x1f\x8b") {
		return in, nil
	}
	inflated, err := gzip.NewReader(in)
	if err != nil {
		return nil, delimited.Errorf(0, "got a file of gzip that cannot be read: %v", err)
	}
	return inflated, nil
}

func (l Log) begins(mark string) bool {
	start := make([]byte, len(mark))
	n, _ := l.At.ReadAt(start, 0)
	return string(start[:n]) == mark
}

// inspectSamples are the samples of a log of Inspect: an archive with a file for each, or one object that has them all.
func inspectSamples(log Log, visit visitor) error {
	if !log.begins("PK\x03\x04") {
		return elements(log, visit, "samples")
	}
	archive, err := zip.NewReader(log.At, log.Size)
	if err != nil {
		return delimited.Errorf(0, "got an archive that cannot be read: %v", err)
	}
	archive.RegisterDecompressor(methodZstd, func(in io.Reader) io.ReadCloser {
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return io.NopCloser(failing{err})
		}
		return d.IOReadCloser()
	})
	samples := slices.DeleteFunc(slices.Clone(archive.File), func(f *zip.File) bool {
		return path.Dir(f.Name) != "samples" || path.Ext(f.Name) != ".json"
	})
	if len(samples) == 0 {
		return delimited.Errorf(0, "got an archive without samples, want Inspect's .eval")
	}
	for _, f := range samples {
		if err := sample(f, visit); err != nil {
			return delimited.Errorf(0, "%s: %v", shown(f.Name), err)
		}
	}
	return nil
}

// failing is a stream that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// sample is the one record of a file in an archive.
func sample(f *zip.File, visit visitor) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	record, err := newObjects(in).next()
	if err == io.EOF {
		return errors.New("got nothing, want an object")
	} else if err != nil {
		return err
	}
	return visit(0, record)
}

// lines are records that are JSON lines.
func lines(log Log, visit visitor) error {
	in, err := log.reader()
	if err != nil {
		return err
	}
	s := bufio.NewScanner(in)
	s.Buffer(nil, longest)
	place := 0
	for s.Scan() {
		if place++; len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		record, err := newObjects(bytes.NewReader(s.Bytes())).next()
		if err != nil {
			return delimited.Errorf(place, "got no JSON object, want one: %v", err)
		}
		if err := visit(place, record); err != nil {
			return err
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return delimited.Errorf(place+1, "got more than %d bytes, want a shorter line", longest)
	}
	return s.Err()
}

// objects decodes JSON of bounded objects.
type objects struct {
	*json.Decoder
	in *bounded
}

func newObjects(in io.Reader) objects {
	b := &bounded{in: in, left: longest}
	d := json.NewDecoder(b)
	d.UseNumber()
	return objects{d, b}
}

// next is the next object.
func (o objects) next() (record map[string]any, err error) {
	o.in.left = longest
	if err := o.Decode(&record); err != nil {
		return nil, err
	}
	if record == nil {
		return nil, errors.New("got null, want an object")
	}
	return record, nil
}

// bounded is a stream of which so many bytes more may be read.
type bounded struct {
	in   io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("got a record of more than 64 MiB, want less")
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// elements are the elements of the list that keys of one object after the other lead to. The last keys may be missing.
func elements(log Log, visit visitor, keys ...string) error {
	in, err := log.reader()
	if err != nil {
		return err
	}
	o := newObjects(in)
	malformed := func(err error) error {
		return delimited.Errorf(0, "got no JSON object with %s, want one: %v", strings.Join(keys, "."), err)
	}
	if start, err := o.Token(); err != nil || start != json.Delim('{') {
		return malformed(cmp.Or(err, errors.New("it does not begin with a brace")))
	}
	for depth := 0; ; {
		o.in.left = longest
		key, err := o.Token()
		if err != nil {
			return malformed(err)
		}
		if key != any(keys[depth]) {
			if key == any(json.Delim('}')) {
				return malformed(errors.New("there is none"))
			}
			var other json.RawMessage
			if err := o.Decode(&other); err != nil {
				return malformed(err)
			}
			continue
		}
		start, err := o.Token()
		switch {
		case err != nil:
			return malformed(err)
		case start == json.Delim('['):
			for i := 1; o.More(); i++ {
				record, err := o.next()
				if err != nil {
					return delimited.Errorf(0, "record %d: %v", i, err)
				}
				if err := visit(0, record); err != nil {
					return err
				}
			}
			if _, err := o.Token(); err != nil {
				return delimited.Errorf(0, "got a list of records that does not end: %v", err)
			}
			return nil
		case start == json.Delim('{') && depth+1 < len(keys):
			depth++
		default:
			return malformed(errors.New("it is no list"))
		}
	}
}

// cells are the rows of a table with a header.
func cells(log Log, visit visitor) error {
	in, err := log.reader()
	if err != nil {
		return err
	}
	s := delimited.NewSplitter(in, 0)
	s.Longest = longest
	columns, err := s.Header()
	if err == io.EOF {
		return delimited.Errorf(0, "got nothing, want a header line")
	} else if err != nil {
		return err
	}
	for {
		texts, empty, err := s.Record()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case empty:
			continue
		}
		record := make(map[string]any, len(columns))
		for i, name := range columns {
			record[name] = texts[i]
		}
		if err := visit(s.Line, record); err != nil {
			return err
		}
	}
}
