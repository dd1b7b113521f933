package evallog

import (
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/internal/jsontext"
	"github.com/dpcalc/dpcalc/internal/text"
)

const (
	longest    = 64 << 20 // bytes of a row of a table
	mostWindow = 32 << 20 // bytes that a decoder of Zstandard holds
	freely     = 64 << 20 // bytes that any file may be unpacked to
	mostRatio  = 250      // and how many times its own bytes a file may be unpacked to
)

// errEnough ends the reading of a log.
var errEnough = errors.New("enough")

// Log is a log: a file with a size, as archives begin at their end.
type Log struct {
	At   io.ReaderAt
	Size int64

	separator *byte // where the line of a table's cells is noted; nil if nobody asks
}

func (l Log) begins(mark string) bool {
	start := make([]byte, len(mark))
	n, _ := l.At.ReadAt(start, 0)
	return string(start[:n]) == mark
}

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
	return unpacked{inflated, l.room()}, nil
}

// room is how many bytes a log may be unpacked to.
func (l Log) room() *int64 {
	room := max(freely, mostRatio*l.Size)
	return &room
}

// unpacked is a stream that somebody packed, of which so many bytes more may come.
type unpacked struct {
	io.Reader
	left *int64
}

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if *u.left -= int64(n); *u.left < 0 {
		return 0, delimited.Errorf(0, "got a file that unpacks to more than %d MB and %d times its size, want less, or the file unpacked",
			freely>>20, mostRatio)
	}
	if err != nil && err != io.EOF {
		err = delimited.Errorf(0, "got a file that cannot be unpacked: %v", err)
	}
	return n, err
}

// visitor takes a record and the line on which it begins, or 0.
type visitor func(place int, record map[string]any) error

// records calls visit with all records of a tool's log. Loosely it is read as by an earlier version, which did not look
// at what follows a value, and read all files of one name.
func (l Log) records(t Tool, paths []string, loose bool, visit visitor) error {
	r := &jsontext.Reader{Paths: paths, Lines: t.lines, Loose: loose}
	if t.list != "" {
		r.Lists = []string{t.list}
	}
	var err error
	switch {
	case t.Name == "csv":
		err = cells(l, visit)
	case t.Name == "inspect" && l.begins("PK\x03\x04"):
		err = l.archived(r, visit)
	default:
		err = l.json(r, visit)
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// json reads the log as JSON.
func (l Log) json(r *jsontext.Reader, visit visitor) (err error) {
	if r.In, err = l.reader(); err != nil {
		return err
	}
	return r.Records(visit)
}

// archived reads the samples of an archive of Inspect, which has a file for each. Of files with one name the last one
// counts, in the place of the first.
func (l Log) archived(r *jsontext.Reader, visit visitor) error {
	archive, err := zip.NewReader(l.At, l.Size)
	if err != nil {
		return delimited.Errorf(0, "got an archive that cannot be read: %v", err)
	}
	unpack := zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostWindow))
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, unpack)
	at := make(map[string]int)
	var samples []*zip.File
	for _, f := range archive.File {
		name, inside := strings.CutPrefix(f.Name, "samples/")
		last, again := at[f.Name]
		deeper := r.Loose && strings.Contains(name, "/")
		switch {
		case !inside || deeper || !strings.HasSuffix(name, ".json"):
		case again && !r.Loose:
			samples[last] = f
		default:
			at[f.Name], samples = len(samples), append(samples, f)
		}
	}
	if len(samples) == 0 {
		return delimited.Errorf(0, "got an archive without samples, want Inspect's .eval")
	}
	room := l.room()
	for _, f := range samples {
		one := &jsontext.Reader{Paths: r.Paths, Loose: r.Loose}
		err := sample(f, one, room, visit)
		if form := (*delimited.Error)(nil); errors.As(err, &form) {
			return delimited.Errorf(0, "%s: %v", text.Shown(f.Name), err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// sample reads the one record of a file in an archive.
func sample(f *zip.File, r *jsontext.Reader, room *int64, visit visitor) error {
	in, err := f.Open()
	if err != nil {
		return delimited.Errorf(0, "%v", err)
	}
	defer in.Close()
	r.In = unpacked{in, room}
	return r.Records(func(_ int, record map[string]any) error { return visit(0, record) })
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
	if log.separator != nil {
		*log.separator = s.Separator
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
