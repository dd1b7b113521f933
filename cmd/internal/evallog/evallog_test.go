package evallog

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/dpcalc/dpcalc/internal/delimited"
)

func logOf(text []byte) Log { return Log{At: bytes.NewReader(text), Size: int64(len(text))} }

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// zipped is a log of Inspect as an archive, by a method of compression.
func zipped(t *testing.T, text []byte, method uint16) []byte {
	t.Helper()
	var log map[string]json.RawMessage
	var samples []json.RawMessage
	if err := errors.Join(json.Unmarshal(text, &log), json.Unmarshal(log["samples"], &samples)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(methodZstd, func(out io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(out) })
	add := func(name string, content []byte) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("_journal/start.json", log["eval"])
	for i, sample := range samples {
		add(fmt.Sprintf("samples/%d_epoch_1.json", i), sample)
	}
	add("header.json", []byte(`{"version": 2}`))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compressed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// collected are items and values in one list.
func collected(list *[]string) func(id, value string) error {
	return func(id, value string) error { *list = append(*list, id+" "+value); return nil }
}

// The values are those of the fixtures, which were written by hand, averaged by hand.
func TestValues(t *testing.T) {
	inspect, samples, results := fixture(t, "inspect.json"), fixture(t, "samples_sums.jsonl"), fixture(t, "results.json")
	for _, c := range []struct {
		what    string
		log     []byte
		reading Reading
		metric  string
		want    []string
	}{
		{"marks of two epochs", inspect, Reading{Tool: "inspect"}, "match", []string{"fr 0.5", "de 1", "3 0.25"}},
		{"numbers of two epochs", inspect, Reading{Tool: "inspect"}, "judge", []string{"fr 0.625", "de 0.95", "3 0.125"}},
		{"a part of a value", inspect, Reading{Tool: "inspect", Value: "scores.graded.value.tone"}, "any",
			[]string{"fr 0.5", "de 1", "3 0"}},
		{"one epoch", inspect, Reading{Tool: "inspect", Only: []string{"epoch=2"}}, "match", []string{"fr 0", "de 1", "3 0.5"}},
		{"an archive", zipped(t, inspect, zip.Deflate), Reading{Tool: "inspect"}, "match", []string{"fr 0.5", "de 1", "3 0.25"}},
		{"an archive of Zstandard", zipped(t, inspect, methodZstd), Reading{Tool: "inspect"}, "match",
			[]string{"fr 0.5", "de 1", "3 0.25"}},
		{"one filter", samples, Reading{Tool: "lm-eval", Only: []string{"filter=strict-match"}}, "exact_match",
			[]string{"0 1.0", "1 0.0"}},
		{"another filter, with gzip", compressed(t, samples), Reading{Tool: "lm-eval", Only: []string{"filter=flexible-extract"}},
			"exact_match", []string{"0 1.0", "1 1.0"}},
		{"success", results, Reading{Tool: "promptfoo"}, "success", []string{"0 1", "1 0", "2 1"}},
		{"repeats by a variable", results, Reading{Tool: "promptfoo", ID: "vars.n"}, "score", []string{"7 1", "8 0.75"}},
		{"a key with a dot", results, Reading{Tool: "promptfoo"}, "tone.warm", []string{"0 0.5", "1 1", "2 0"}},
		{"a table", fixture(t, "table.csv"), Reading{Tool: "csv", ID: "doc_id"}, "exact_match", []string{"q1 0.5", "q2 0", "q3 1"}},
		{"a table with gzip", compressed(t, fixture(t, "table.csv")), Reading{Tool: "csv", ID: "doc_id", Value: "exact_match"}, "",
			[]string{"q1 0.5", "q2 0", "q3 1"}},
	} {
		var got []string
		if err := c.reading.Values(logOf(c.log), c.metric, collected(&got)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, %v, want %q", c.what, got, err, c.want)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name    string
		reading Reading
		want    []string
	}{
		{"inspect.json", Reading{Tool: "inspect"}, []string{"fr Paris", `de ["Berlin","berlin"]`, "3 none"}},
		{"samples_sums.jsonl", Reading{Tool: "lm-eval", Only: []string{"filter=strict-match"}}, []string{"0 2", "1 4"}},
		{"results.json", Reading{Tool: "promptfoo", ID: "vars.n"}, []string{`7 [{"type":"equals","value":"2"}]`,
			`8 [{"type":"equals","value":"4"}]`}},
		{"table.csv", Reading{Tool: "csv", ID: "doc_id", Value: "target"}, []string{"q1 yes", "q2 no", "q3 no"}},
	} {
		var got []string
		err := c.reading.Labels(logOf(fixture(t, c.name)), collected(&got))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// Each error is one line that says what was got and what is wanted.
func TestErrors(t *testing.T) {
	inspect := string(fixture(t, "inspect.json"))
	for _, c := range []struct {
		what, log string
		reading   Reading
		metric    string
		want      string
	}{
		{"two filters", string(fixture(t, "samples_sums.jsonl")), Reading{Tool: "lm-eval"}, "exact_match",
			"got records of several filter: flexible-extract, strict-match, want one of them, as by --only filter=flexible-extract"},
		{"no such score", inspect, Reading{Tool: "inspect"}, "f1", "got no scores.f1.value, want one; there are epoch, id"},
		{"no such id", inspect, Reading{Tool: "inspect", ID: "name"}, "match", "got no name, want one"},
		{"a value that is no number", inspect, Reading{Tool: "inspect", Value: "input"}, "", "want a number, true or false"},
		{"an object as a value", inspect, Reading{Tool: "inspect"}, "graded", "want a number, true or false"},
		{"NaN", "id,v\na,NaN\n", Reading{Tool: "csv", Value: "v"}, "", "got NaN as v"},
		{"an infinity", "id,v\na,1e999\n", Reading{Tool: "csv", Value: "v"}, "", "got 1e999 as v"},
		{"null", `{"doc_id": 1, "acc": null}`, Reading{Tool: "lm-eval"}, "acc", "got null as acc"},
		{"an empty id", "id,v\n,1\n", Reading{Tool: "csv", Value: "v"}, "", "want the name of an item"},
		{"no condition is met", inspect, Reading{Tool: "inspect", Only: []string{"epoch=3"}}, "match", "got no record that counts"},
		{"the end of a list is missing", inspect[:len(inspect)/2], Reading{Tool: "inspect"}, "match", "record 3: "},
		{"no samples", `{"version": 2}`, Reading{Tool: "inspect"}, "match", "got no JSON object with samples, want one: there is none"},
		{"no list", `{"samples": 2}`, Reading{Tool: "inspect"}, "match", "it is no list"},
		{"no object", `[1]`, Reading{Tool: "promptfoo"}, "score", "it does not begin with a brace"},
		{"a table", "id,v\na,1\n", Reading{Tool: "promptfoo"}, "score", "got no JSON object with results.results, want one: "},
		{"a list of numbers", `{"samples": [2]}`, Reading{Tool: "inspect"}, "match", "record 1: "},
		{"an archive that is cut", "PK\x03\x04abc", Reading{Tool: "inspect"}, "match", "got an archive that cannot be read"},
		{"a line that is no object", "{}\n17\n", Reading{Tool: "lm-eval", ID: "x"}, "", "got no x"},
		{"gzip that is cut", string(compressed(t, []byte(inspect))[:200]), Reading{Tool: "inspect"}, "match", "unexpected EOF"},
		{"nothing", "", Reading{Tool: "csv"}, "v", "got nothing, want a header line"},
	} {
		err := c.reading.Values(logOf([]byte(c.log)), c.metric, func(string, string) error { return nil })
		var form *delimited.Error
		if err == nil || !errors.As(err, &form) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want a line with %q", c.what, err, c.want)
		}
	}
	err := Reading{Tool: "csv", ID: "doc_id", Value: "exact_match"}.Labels(logOf(fixture(t, "table.csv")),
		func(string, string) error { return nil })
	if err == nil || !strings.Contains(err.Error(), `item "q1": got two values of exact_match, want one`) {
		t.Errorf("labels that do not agree: got %v", err)
	}
	for _, c := range []struct {
		reading Reading
		want    string
	}{{Reading{Tool: "inspekt"}, `from: got "inspekt", want inspect, lm-eval, promptfoo, csv`},
		{Reading{Tool: "csv", Only: []string{"x"}}, `only: got "x", want PATH=VALUE`}, {Reading{Tool: "csv", Only: []string{"x="}}, ""}} {
		if got := c.reading.Validate(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.reading, got, c.want)
		}
	}
}

// No log makes a reading panic, and no item is visited twice.
func FuzzValues(f *testing.F) {
	for _, name := range []string{"inspect.json", "samples_sums.jsonl", "results.json", "table.csv"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, tool := range Names() {
			seen := make(map[string]bool)
			_ = Reading{Tool: tool}.Values(logOf(text), "score", func(id, value string) error {
				if seen[id] || value == "NaN" {
					t.Errorf("%s: item %q with %s", tool, id, value)
				}
				seen[id] = true
				return nil
			})
		}
	})
}
