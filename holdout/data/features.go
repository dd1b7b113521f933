package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/delimited"
)

// Features are public columns of the rows, from a table with the column id.
type Features struct {
	Path string
	Text []byte
}

// mostFeatures is how many bytes a file of features may have.
const mostFeatures = 1 << 31

// NewFeatures reads a file of features, which is found again by its path.
func NewFeatures(in io.Reader, path string) (*Features, error) {
	text, err := io.ReadAll(io.LimitReader(in, mostFeatures+1))
	if err == nil && len(text) > mostFeatures {
		err = inputf("features: got more than %d bytes", mostFeatures)
	}
	return &Features{path, text}, err
}

// Fingerprint returns the SHA-256 of the file.
func (f *Features) Fingerprint() string {
	sum := sha256.Sum256(f.Text)
	return hex.EncodeToString(sum[:])
}

// Columns returns the names of the columns; of JSON lines, the names in the first.
func (f *Features) Columns() (names []string, err error) {
	text := bytes.TrimPrefix(f.Text, []byte("\ufeff"))
	if bytes.HasPrefix(text, []byte("{")) {
		var first map[string]json.RawMessage
		err = json.NewDecoder(bytes.NewReader(text)).Decode(&first)
		for name, cell := range first {
			if _, ok := scalar(cell); ok {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	} else {
		names, err = delimited.NewSplitter(bytes.NewReader(text), 0).Header()
	}
	if err == io.EOF {
		err = inputf("features: got nothing, want a header line")
	} else if err != nil {
		err = inputf("features: %v", err)
	}
	return names, err
}

// Column returns the values of a column by their ids, which must all be there once.
func (f *Features) Column(name string, ids []string) (map[string]string, error) {
	values := make(map[string]string, len(ids))
	var doubled, missing idSample
	err := File{In: bytes.NewReader(f.Text), Column: name}.Rows(func(id, value string) error {
		if _, again := values[id]; again {
			doubled.add(id)
		}
		values[strings.Clone(id)] = strings.Clone(value)
		return nil
	})
	if err != nil {
		return nil, inputf("features: %v", err)
	}
	for _, id := range ids {
		if _, ok := values[id]; !ok {
			missing.add(id)
		}
	}
	switch {
	case doubled.count > 0:
		return nil, inputf("features: got %s, want every id once", doubled.text("doubled"))
	case missing.count > 0:
		return nil, inputf("features: got %s, want every id of the labels", missing.text("missing"))
	}
	return values, nil
}
