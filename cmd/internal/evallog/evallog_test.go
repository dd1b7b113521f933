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
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

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
	w.RegisterCompressor(zstd.ZipMethodWinZip, func(out io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(out) })
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

// now is the version of the readings of a new ledger.
const now = 1

// listed are items with their texts, in one list.
func listed(items Items) (list []string) {
	for i, id := range items.IDs {
		list = append(list, id+" "+items.Texts[i])
	}
	return list
}

// The values stand in the fixtures, which were written by hand, and were averaged by hand.
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
		{"another id", inspect, Reading{Tool: "inspect", ID: "input"}, "match",
			[]string{"Capital of France? 0.5", "Capital of Germany? 1", "Capital of Atlantis? 0.25"}},
		{"an archive", zipped(t, inspect, zip.Deflate), Reading{Tool: "inspect"}, "match", []string{"fr 0.5", "de 1", "3 0.25"}},
		{"an archive of Zstandard", zipped(t, inspect, zstd.ZipMethodWinZip), Reading{Tool: "inspect"}, "match",
			[]string{"fr 0.5", "de 1", "3 0.25"}},
		{"one filter", samples, Reading{Tool: "lm-eval", Only: []string{"filter=strict-match"}}, "exact_match",
			[]string{"0 1.0", "1 0.0"}},
		{"another filter, with gzip", compressed(t, samples), Reading{Tool: "lm-eval", Only: []string{"filter=flexible-extract"}},
			"exact_match", []string{"0 1.0", "1 1.0"}},
		{"success", results, Reading{Tool: "promptfoo"}, "success",
			[]string{`{"n":7,"question":"1+1?"} 1`, `{"n":8,"question":"2+2?"} 0.5`}},
		{"a variable", results, Reading{Tool: "promptfoo", ID: "vars.n"}, "score", []string{"7 1", "8 0.75"}},
		{"an assertion that failed", []byte(`[{"vars": {"a": 1}, "score": 0.25, "error": "no", "response": {"output": "x"}}]`), Reading{Tool: "promptfoo"},
			"score", []string{`{"a":1} 0.25`}},
		{"a key with a dot", results, Reading{Tool: "promptfoo"}, "tone.warm",
			[]string{`{"n":7,"question":"1+1?"} 0.5`, `{"n":8,"question":"2+2?"} 0.5`}},
		{"a table", fixture(t, "table.csv"), Reading{Tool: "csv", ID: "doc_id"}, "exact_match", []string{"q1 0.5", "q2 0", "q3 1"}},
		{"a table with decimal commas", []byte("\ufeffsep=;\nid;v\n1,5;0,25\n2;1\n"), Reading{Tool: "csv"}, "v", []string{"1,5 0.25", "2 1"}},
		{"a table with gzip", compressed(t, fixture(t, "table.csv")), Reading{Tool: "csv", ID: "doc_id", Value: "exact_match"}, "",
			[]string{"q1 0.5", "q2 0", "q3 1"}},
	} {
		c.reading.Version = now
		items, err := c.reading.Values(logOf(c.log), c.metric, nil)
		if got := listed(items); err != nil || !reflect.DeepEqual(got, c.want) {
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
		c.reading.Version = now
		for _, needed := range []bool{true, false} {
			if !needed { // the same rows, whatever their labels are
				for i, line := range c.want {
					id, _, _ := strings.Cut(line, " ")
					c.want[i] = id + " "
				}
			}
			items, err := c.reading.Labels(logOf(fixture(t, c.name)), needed)
			if got := listed(items); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
			}
		}
	}
}

// A ledger of an earlier version reads its logs as it did when it was made: the tests of promptfoo by their numbers, a
// record of a log that names no filter, the first of two values on a line, and all files of one name.
func TestEarlierReadings(t *testing.T) {
	results := fixture(t, "results.json")
	twice := []byte(strings.Replace(string(results), `"question": "2+2?", "n": 8`, `"question": "2+2!", "n": 8`, 2))
	for _, c := range []struct {
		log     []byte
		reading Reading
		metric  string
		want    []string
	}{
		{twice, Reading{Tool: "promptfoo"}, "score", []string{"0 1", "1 0.5", "2 1"}},
		{fixture(t, "field/lmeval_no_filter_key.jsonl"), Reading{Tool: "lm-eval"}, "exact_match", []string{"0 0.5", "1 0.5"}},
		{fixture(t, "field/lmeval_two_on_a_line.jsonl"), Reading{Tool: "lm-eval"}, "acc", []string{"0 1.0", "2 0.0"}},
		{fixture(t, "field/inspect_dup_entry.eval"), Reading{Tool: "inspect"}, "match", []string{"1 0.5", "2 0.5"}},
	} {
		items, err := c.reading.Values(logOf(c.log), c.metric, nil)
		if got := listed(items); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, %v, want %q", c.reading.Tool, got, err, c.want)
		}
	}
	for _, name := range []string{"results.json", "field/promptfoo_repeat.json"} {
		_, err := Reading{Tool: "promptfoo"}.Labels(logOf(fixture(t, name)), true)
		if want := "have the same vars: an earlier version took repeats of one item for rows, and its promise is void"; err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// isLine reports whether an error of the form is one line with a text in it.
func isLine(err error, want string) bool {
	form := (*delimited.Error)(nil)
	return errors.As(err, &form) && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "\n")
}

// Each file of the field has its values, or one line that says what is wrong.
func TestField(t *testing.T) {
	zero := 0.
	for _, c := range []struct {
		name    string
		reading Reading
		metric  string
		low     *float64
		want    []string
		wrong   string
	}{
		{"inspect_dup_entry.eval", Reading{Tool: "inspect"}, "match", nil, []string{"1 1", "2 1"}, ""},
		{"inspect_empty_target.json", Reading{Tool: "inspect"}, "judge", nil, []string{"1 1", "2 0"}, ""},
		{"inspect_errored_sample.json", Reading{Tool: "inspect"}, "match", nil, nil, "item 2: got no scores.match.value, want a number"},
		{"inspect_errored_sample.json", Reading{Tool: "inspect"}, "match", &zero, []string{"1 1", "2 0"}, ""},
		{"inspect_invalidated.json", Reading{Tool: "inspect"}, "match", nil, nil, "item 1: got no value (invalidation), want a number"},
		{"inspect_invalidated.json", Reading{Tool: "inspect"}, "match", &zero, []string{"1 0", "2 0"}, ""},
		{"inspect_nan_metadata.json", Reading{Tool: "inspect"}, "match", nil, []string{"1 1", "2 0"}, ""},
		{"inspect_nan_metadata.json", Reading{Tool: "inspect", Value: "metadata.difficulty"}, "", nil, nil, "item 1: unscored (NaN)"},
		{"inspect_unscored.json", Reading{Tool: "inspect"}, "judge", nil, nil, "item 1: unscored (NaN), want a number"},
		{"inspect_unscored.json", Reading{Tool: "inspect"}, "judge", &zero, []string{"1 0", "2 0"}, ""},
		{"inspect_unscored.json", Reading{Tool: "inspect"}, "jugde", &zero, nil, "got no record with a value as scores.jugde.value"},
		{"inspect_yes_no.json", Reading{Tool: "inspect"}, "check", nil, []string{"1 1", "2 0"}, ""},
		{"lmeval_empty_target.jsonl", Reading{Tool: "lm-eval"}, "acc", nil, []string{"0 1.0", "1 0.0"}, ""},
		{"lmeval_json_array.jsonl", Reading{Tool: "lm-eval"}, "acc", nil, []string{"0 1.0", "1 0.0"}, ""},
		{"lmeval_no_filter_key.jsonl", Reading{Tool: "lm-eval"}, "exact_match", nil, nil,
			"line 3: item 0: got two records of one doc_id, want one: this version names no filter: split the file"},
		{"lmeval_no_filter_key.jsonl", Reading{Tool: "lm-eval", ID: "prompt_hash"}, "exact_match", nil, nil, "names no filter: split the file"},
		{"lmeval_two_on_a_line.jsonl", Reading{Tool: "lm-eval"}, "acc", nil, nil, "line 1: got more after a value"},
		{"promptfoo_repeat.json", Reading{Tool: "promptfoo"}, "score", nil,
			[]string{`{"q":"2+2"} 0.5`, `{"q":"3+3"} 0.5`, `{"q":"5+5"} 0.5`}, ""},
		{"promptfoo_repeat.json", Reading{Tool: "promptfoo", ID: "testIdx"}, "score", nil, nil,
			"items 0 and 1 have the same vars, and would be two rows of one item: want --id vars"},
		{"promptfoo_sample_b.json", Reading{Tool: "promptfoo"}, "score", nil, []string{`{"q":"north"} 1`, `{"q":"south"} 1`}, ""},
		{"promptfoo_v2_two_prompts.json", Reading{Tool: "promptfoo"}, "score", nil, nil,
			"got records of several prompt.label: A, B, want one of them, as by --only prompt.label=A"},
		{"promptfoo_v2_two_prompts.json", Reading{Tool: "promptfoo", Only: []string{"prompt.label=B"}}, "success", nil,
			[]string{`{"q":"2+2"} 0`, `{"q":"3+3"} 0`}, ""},
		{"promptfoo_output.jsonl", Reading{Tool: "promptfoo"}, "score", nil, []string{`{"q":"0"} 1`, `{"q":"1"} 1`}, ""},
		{"openai_evals.jsonl", Reading{Tool: "lm-eval"}, "acc", nil, nil, "line 1: got no doc_id, want one; there are"},
	} {
		c.reading.Version = now
		items, err := c.reading.Values(logOf(fixture(t, "field/"+c.name)), c.metric, c.low)
		if c.wrong == "" && (err != nil || !reflect.DeepEqual(listed(items), c.want)) {
			t.Errorf("%s: got %q, %v, want %q", c.name, listed(items), err, c.want)
		} else if c.wrong != "" && !isLine(err, c.wrong) {
			t.Errorf("%s: got %v, want a line with %s", c.name, err, c.wrong)
		}
	}
}

// The tool of a log is told by the log itself, and so are its metrics.
func TestRecognised(t *testing.T) {
	table := "{\"id\": \"1\", \"label\": \"a\", \"doc_id\": 1}\n"
	for _, c := range []struct {
		name, want, metrics string
	}{
		{"inspect.json", "inspect", "judge match"}, {"samples_sums.jsonl", "lm-eval", "exact_match"}, {"results.json", "promptfoo", "score"},
		{"table.csv", "", ""}, {"field/inspect_dup_entry.eval", "inspect", "match"}, {"field/inspect_unscored.json", "inspect", "judge"},
		{"field/inspect_errored_sample.json", "inspect", "match"}, {"field/lmeval_json_array.jsonl", "lm-eval", "acc"},
		{"field/lmeval_two_on_a_line.jsonl", "lm-eval", "acc"}, {"field/promptfoo_repeat.json", "promptfoo", "score"},
		{"field/promptfoo_v2_two_prompts.json", "promptfoo", "score"}, {"field/promptfoo_output.jsonl", "promptfoo", "score"},
		{"field/openai_evals.jsonl", "", ""},
	} {
		for _, log := range []Log{logOf(fixture(t, c.name)), logOf(compressed(t, fixture(t, c.name)))} {
			if log.begins("\x1f\x8b") && strings.HasSuffix(c.name, ".eval") {
				continue
			}
			got := Recognised(log, "label")
			if got != c.want {
				t.Errorf("%s: got %q, want %q", c.name, got, c.want)
			} else if got != "" {
				if names := (Reading{Tool: got, Version: now}).Metrics(log); strings.Join(names, " ") != c.metrics {
					t.Errorf("%s: got the metrics %q, want %s", c.name, names, c.metrics)
				}
			}
		}
	}
	for text, want := range map[string]string{"": "", table: "", "{\"doc_id\": 1, \"id\": 2}": "lm-eval", "{]": "", "[id],label\n": "",
		`{"version": 2, "status": "error", "eval": {}}`: "inspect", `{"results": {"results": []}}`: "promptfoo"} {
		if got := Recognised(logOf([]byte(text)), "label"); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Two records that ask the same are never two rows in silence: of a tool that repeats they are averaged, elsewhere they
// are refused, however the items are named. What differs from run to run is no part of what they ask.
func TestSameContent(t *testing.T) {
	one := func(format string, args ...any) string { return fmt.Sprintf(format, args...) }
	inspect := func(samples ...string) string { return `{"samples": [` + strings.Join(samples, ",") + `]}` }
	sample := func(id, input, more string) string {
		return one(`{"id": %s, "epoch": 1, "input": %s%s, "scores": {"m": {"value": "C"}}}`, id, input, more)
	}
	for _, c := range []struct {
		what, tool, log string
		rows            int
	}{
		{"two inputs", "inspect", inspect(sample("1", `"a"`, ""), sample("2", `"b"`, "")), 2},
		{"one input", "inspect", inspect(sample("1", `"a"`, ""), sample("2", `"a"`, `, "target": "z"`)), 0},
		{"one input with other choices", "inspect",
			inspect(sample("1", `"a"`, `, "choices": ["x", "y"]`), sample("2", `"a"`, `, "choices": ["x", "z"]`)), 2},
		{"one input with shuffled choices", "inspect",
			inspect(sample("1", `"a"`, `, "choices": ["x", "y"]`), sample("2", `"a"`, `, "choices": ["y", "x"]`)), 0},
		{"one list of messages with other ids", "inspect", inspect(sample("1", `[{"id": "p", "role": "user", "content": "a"}]`, ""),
			sample("2", `[{"role": "user", "content": "\u0061", "id": "q"}]`, "")), 0},
		{"two lists of messages", "inspect", inspect(sample("1", `[{"id": "p", "role": "user", "content": "a"}]`, ""),
			sample("2", `[{"id": "p", "role": "user", "content": "b"}]`, "")), 2},
		{"one hash", "lm-eval", "{\"doc_id\": 0, \"doc_hash\": \"a\", \"m\": 1}\n{\"doc_id\": 1, \"doc_hash\": \"a\", \"m\": 0}", 0},
		{"two hashes", "lm-eval", "{\"doc_id\": 0, \"doc_hash\": \"a\", \"m\": 1}\n{\"doc_id\": 1, \"doc_hash\": \"b\", \"m\": 0}", 2},
		{"one test with other assertions", "promptfoo", `[{"vars": {"a": 1, "b": 2}, "testCase": {"assert": [1]}, "namedScores": {"m": 1}},
			{"vars": {"b": 2, "a": 1}, "testCase": {"assert": [2]}, "namedScores": {"m": 1}}]`, 1},
		{"one test in a conversation", "promptfoo", `[{"vars": {"a": 1, "_conversation": []}, "namedScores": {"m": 1}},
			{"vars": {"a": 1, "_conversation": ["b"]}, "namedScores": {"m": 1}}]`, 1},
		{"long variables", "promptfoo", one(`[{"vars": {"a": "%s", "b": 1}, "namedScores": {"m": 1}}, {"vars": {"b": 1, "a": "%[1]s"}, "namedScores": {"m": 1}},
			{"vars": {"a": "%[1]s", "b": 2}, "namedScores": {"m": 1}}]`, strings.Repeat("x", 100_000)), 2},
	} {
		for _, id := range []string{"", "doc_hash", "input", "vars"} {
			tool := Reading{Tool: c.tool, Version: now}.tool()
			if id != "" && tool.content[0] != id {
				continue
			}
			want := c.rows
			if want == 0 && id != "" {
				want = 1
			}
			items, err := Reading{Tool: c.tool, ID: id, Version: now}.Values(logOf([]byte(c.log)), "m", nil)
			switch {
			case id == "input" && strings.Contains(c.what, "choices"): // the user's word: one row of all of an input
			case want == 0 && (err == nil || !strings.Contains(err.Error(), "have the same "+tool.content[0])):
				t.Errorf("%s by %q: got %q, %v, want that they have the same %s", c.what, id, listed(items), err, tool.content[0])
			case want > 0 && (err != nil || len(items.IDs) != want):
				t.Errorf("%s by %q: got %.100q, %v, want %d rows", c.what, id, listed(items), err, want)
			}
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
		{"a filter and none", "{\"doc_id\": 1, \"filter\": \"z\", \"m\": 1}\n{\"doc_id\": 2, \"m\": 1}", Reading{Tool: "lm-eval"}, "m",
			"got records of several filter: no value, z, want one of them, as by --only filter=z"},
		{"two prompts", `[{"promptIdx": 0, "vars": {"a": 1}, "score": 1}, {"promptIdx": 1, "vars": {"a": 1}, "score": 1}]`,
			Reading{Tool: "promptfoo"}, "score", "got records of several promptIdx: 0, 1"},
		{"two runs", `[{"promptIdx": 0, "testIdx": 0, "vars": {"a": 1}, "score": 1}, {"promptIdx": 0, "testIdx": 0, "vars": {"a": 1}, "score": 1}]`,
			Reading{Tool: "promptfoo"}, "score", "got two records of one testIdx and promptIdx, want one"},
		{"a sample twice", `{"samples": [{"id": 1, "epoch": 1, "scores": {"m": {"value": 1}}}, {"id": 1, "epoch": 1, "scores": {"m": {"value": 0}}}]}`,
			Reading{Tool: "inspect"}, "m", "item 1: got two records of one id and epoch, want one"},
		{"no such score", inspect, Reading{Tool: "inspect"}, "f1", "got no scores.f1.value, want a number, or --missing low at init; there are epoch, id"},
		{"no such id", inspect, Reading{Tool: "inspect", ID: "name"}, "match", "got no name, want one"},
		{"a value that is no number", inspect, Reading{Tool: "inspect", Value: "input"}, "", "want a number, true or false"},
		{"an object as a value", inspect, Reading{Tool: "inspect"}, "graded", "want a number, true or false"},
		{"an infinity as a value", `{"doc_id": 1, "acc": -Infinity}`, Reading{Tool: "lm-eval"}, "acc", "got -Infinity as acc, want a number"},
		{"a provider's error", `[{"vars": {"a": 1}, "score": 0, "failureReason": 2}]`, Reading{Tool: "promptfoo"}, "score",
			"got no value (failureReason=2), want a number"},
		{"an earlier provider's error", `[{"vars": {"a": 1}, "score": 0, "response": {"error": "x"}}]`, Reading{Tool: "promptfoo"}, "score",
			"got no value (response.error), want a number"},
		{"a provider's error without a response", `[{"vars": {"a": 1}, "score": 0, "error": "x"}]`, Reading{Tool: "promptfoo"}, "score",
			"got no value (error), want a number"},
		{"NaN in a table", "id,v\na,NaN\n", Reading{Tool: "csv", Value: "v"}, "", `got "NaN" as v, want a number`},
		{"an empty cell", "id,v\na,\n", Reading{Tool: "csv", Value: "v"}, "", `got "" as v, want a number`},
		{"an infinity in a table", "id,v\na,1e999\n", Reading{Tool: "csv", Value: "v"}, "", "got 1e999 as v"},
		{"null", `{"doc_id": 1, "acc": null}`, Reading{Tool: "lm-eval"}, "acc", "got null as acc, want a number"},
		{"an empty id", "id,v\n,1\n", Reading{Tool: "csv", Value: "v"}, "", "want the name of an item"},
		{"half of a pair as an id", `{"doc_id": "\ud800", "acc": 1}`, Reading{Tool: "lm-eval"}, "acc", "want a text in UTF-8"},
		{"no condition is met", inspect, Reading{Tool: "inspect", Only: []string{"epoch=3"}}, "match", "got no record that counts"},
		{"the end of a list is missing", inspect[:len(inspect)/2], Reading{Tool: "inspect"}, "match", "line 13: got a value that does not end"},
		{"more behind a list", inspect + "{}", Reading{Tool: "inspect"}, "match", "got more after a value"},
		{"two lists", `{"samples": [{"id": 1, "scores": {"m": {"value": 1}}}], "samples": []}`, Reading{Tool: "inspect"}, "m", "got two lists of objects"},
		{"no samples", `{"version": 2}`, Reading{Tool: "inspect"}, "match", "got no JSON object with samples, want one: there is none"},
		{"no list", `{"samples": 2}`, Reading{Tool: "inspect"}, "match", "got no JSON object with samples, want one: there is none"},
		{"a table", "id,v\na,1\n", Reading{Tool: "promptfoo"}, "score", "line 1: got no JSON object, want one"},
		{"no object", `[1]`, Reading{Tool: "promptfoo"}, "score", "element 1: got no object"},
		{"a list of numbers", `{"samples": [2]}`, Reading{Tool: "inspect"}, "match", "element 1: "},
		{"an archive that is cut", "PK\x03\x04abc", Reading{Tool: "inspect"}, "match", "got an archive that cannot be read"},
		{"a line that is no object", "{\"doc_id\": 1, \"acc\": 1}\n17\n", Reading{Tool: "lm-eval"}, "acc", "line 2: got no JSON object"},
		{"gzip that is cut", string(compressed(t, []byte(inspect))[:200]), Reading{Tool: "inspect"}, "match", "unexpected EOF"},
		{"nothing", "", Reading{Tool: "csv"}, "v", "got nothing, want a header line"},
	} {
		c.reading.Version = now
		_, err := c.reading.Values(logOf([]byte(c.log)), c.metric, nil)
		if !isLine(err, c.want) {
			t.Errorf("%s: got %v, want a line with %q", c.what, err, c.want)
		}
	}
	_, err := Reading{Tool: "csv", ID: "doc_id", Value: "exact_match", Version: now}.Labels(logOf(fixture(t, "table.csv")), true)
	if err == nil || !strings.Contains(err.Error(), `item q1: got two values of exact_match, want one`) {
		t.Errorf("labels that do not agree: got %v", err)
	}
	empty := `[{"vars": {"a": 1}, "testCase": {"assert": ""}}, {"vars": {"a": 1}, "testCase": {"assert": "x"}}]`
	if _, err := (Reading{Tool: "promptfoo", Version: now}).Labels(logOf([]byte(empty)), true); !isLine(err, "got two values of testCase.assert") {
		t.Errorf("an empty label and another one: got %v", err)
	}
	for _, c := range []struct {
		reading Reading
		want    string
	}{{Reading{Tool: "inspekt"}, "from: got inspekt, want inspect, lm-eval, promptfoo, csv"},
		{Reading{Tool: "csv", Only: []string{"x"}}, "only: got x, want PATH=VALUE"}, {Reading{Tool: "csv", Only: []string{"x="}}, ""}} {
		if got := c.reading.Validate(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.reading, got, c.want)
		}
	}
}

// A sample whose id has a slash is a file in a folder of its own.
func TestSampleWithSlash(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, id := range []string{"a/b", "c"} {
		f, err := w.Create("samples/" + id + "_epoch_1.json")
		if err == nil {
			_, err = fmt.Fprintf(f, `{"id": %q, "epoch": 1, "scores": {"m": {"value": 1}}}`, id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	items, err := Reading{Tool: "inspect", Version: now}.Values(logOf(b.Bytes()), "m", nil)
	if want := []string{"a/b 1", "c 1"}; err != nil || !reflect.DeepEqual(listed(items), want) {
		t.Errorf("got %q, %v, want %q", listed(items), err, want)
	}
}

// memory is how much more memory the program holds at the most while something runs, and the error of it.
func memory(t *testing.T, run func() error) (int64, error) {
	t.Helper()
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	done := make(chan error)
	go func() { done <- run() }()
	most := uint64(0)
	for {
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc)
		select {
		case err := <-done:
			return int64(most) - int64(before.HeapAlloc), err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// zeros is a start and many of the same bytes, packed by gzip or as a file of an archive.
func zeros(t *testing.T, name, start, text string, times int) []byte {
	t.Helper()
	var b bytes.Buffer
	if name == "" {
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, start)
		for range times {
			_, _ = io.WriteString(w, text)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	if err == nil {
		_, err = io.WriteString(f, start)
	}
	for range times {
		if err == nil {
			_, err = io.WriteString(f, text)
		}
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is packed small and unpacks to much is refused by one line, in little memory: a sample of lists within a list
// took 4.5 GB, and a file of line ends 43 seconds.
func TestBombs(t *testing.T) {
	for _, c := range []struct {
		what string
		log  []byte
		tool string
		want string
	}{
		{"lists", zeros(t, "samples/1_epoch_1.json", `{"x": [`, strings.Repeat("[],", 1<<14), 1600), "inspect", "unpacks to more than 64 MB"},
		{"line ends", zeros(t, "", "", strings.Repeat("\n", 1<<20), 100), "lm-eval", "unpacks to more than 64 MB and 250 times its size"},
		{"lists as labels", zeros(t, "", `{"doc_id": [`, strings.Repeat("[],", 1<<20), 3), "lm-eval", "more than 8 MB are read"},
		{"depth", zeros(t, "", "", "[", 1<<20), "inspect", "got no JSON object"},
		{"depth in a record", zeros(t, "", "", `{"a":`, 1<<16), "promptfoo", "nested more than 1000 deep"},
	} {
		took, err := memory(t, func() error {
			_, err := Reading{Tool: c.tool, Version: now}.Values(logOf(c.log), "m", nil)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", c.what, err, c.want)
		}
		if took > 100<<20 {
			t.Errorf("%s of %d kB: got %d MB, want at most 100", c.what, len(c.log)>>10, took>>20)
		}
	}
}

// endless is a log that is made as it is read: records of a size, which differ in an id.
type endless struct {
	record string // with a place for nine digits
	hole   int
}

func (e endless) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		i, k := at/int64(len(e.record)), int(at%int64(len(e.record)))
		text := e.record[:e.hole] + fmt.Sprintf("%09d", i) + e.record[e.hole+9:]
		m := copy(p[n:], text[k:])
		n, at = n+m, at+int64(m)
	}
	return n, nil
}

// A log of 256 MB is read in less than 50 MB, and one of a gigabyte in less than 200: 100 bytes an item are kept.
func TestMemoryOfLongLogs(t *testing.T) {
	const mark = "123456789"
	record := `{"doc_id": "` + mark + `", "doc": {"q": "` + strings.Repeat("lorem ipsum ", 400) + `"}, "arguments": [[` +
		strings.Repeat(`{"a": [1, 2.5, null]}, `, 20) + `0]], "filter": "none", "acc": 1.0}` + "\n"
	const size = 1 << 28
	log := Log{At: endless{record, strings.Index(record, mark)}, Size: size / int64(len(record)) * int64(len(record))}
	took, err := memory(t, func() error {
		items, err := Reading{Tool: "lm-eval", Version: now}.Values(log, "acc", nil)
		if want := int(log.Size) / len(record); err == nil && len(items.IDs) != want {
			err = fmt.Errorf("got %d items, want %d", len(items.IDs), want)
		}
		return err
	})
	if err != nil || took > 50<<20 {
		t.Errorf("got %d MB, %v, want at most 50", took>>20, err)
	}
}

// No log makes a reading panic, no item is read twice, and every value is a number. The number of rows does not depend
// on labels.
func FuzzValues(f *testing.F) {
	for _, name := range []string{"inspect.json", "samples_sums.jsonl", "results.json", "table.csv", "field/inspect_dup_entry.eval",
		"field/lmeval_json_array.jsonl", "field/promptfoo_output.jsonl", "field/inspect_unscored.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	zero := 0.
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = Recognised(logOf(text), "label")
		for _, tool := range Names() {
			for _, version := range []int{0, now} {
				r := Reading{Tool: tool, Version: version}
				_ = r.Metrics(logOf(text))
				for _, low := range []*float64{nil, &zero} {
					items, err := r.Values(logOf(text), "score", low)
					seen := make(map[string]bool)
					for i, id := range items.IDs {
						if _, wrong := strconv.ParseFloat(items.Texts[i], 64); err == nil && wrong != nil || seen[id] {
							t.Errorf("%s: item %q with %s", tool, id, items.Texts[i])
						}
						seen[id] = true
					}
				}
				with, err := r.Labels(logOf(text), true)
				without, other := r.Labels(logOf(text), false)
				if err == nil && (other != nil || len(with.IDs) != len(without.IDs)) {
					t.Errorf("%s: got %d rows with labels and %d without, %v", tool, len(with.IDs), len(without.IDs), other)
				}
			}
		}
	})
}
