package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dpcalc/dpcalc/internal/delimited"
)

// read returns the JSON of every record.
func read(r *Reader) (got []string, err error) {
	err = r.Records(func(_ int, record map[string]any) error {
		got = append(got, encoded(record))
		return nil
	})
	return got, err
}

func encoded(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Paths are kept whole, and of the rest the keys to a depth of three and the numbers.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		text  string
		paths []string
		want  string
	}{
		{`{"a": 1, "b": {"c": "x\u0041\ud83d\ude00", "d": "y"}}`, []string{"b.c"}, `{"a":1,"b":{"c":"xA😀","d":""}}`},
		{`{"a.b": [1, "x"], "a": {"b": {"c": [2]}}, "c": [3]}`, []string{"a.b"}, `{"a":{"b":{"c":[2]}},"a.b":[1,"x"],"c":[]}`},
		{`{"a": {"b": {"c": {"d": {"e": "x"}}}}}`, []string{"a.b.c.d.e"}, `{"a":{"b":{"c":{"d":{"e":"x"}}}}}`},
		{`{"a": {"b": {"c": {"d": {"e": "x"}}}}}`, nil, `{"a":{"b":{"c":{}}}}`},
		{`{"a": -Infinity, "b": NaN, "c": null, "d": true}`, []string{"a", "d"},
			`{"a":"\u0000-Infinity","b":"\u0000NaN","c":null,"d":true}`},
		{`{"\u0061": "x", "a\"": "y"}`, []string{"a"}, `{"a":"x","a\"":""}`},
		{`{"a": "x", "` + strings.Repeat("k", 50_000) + `": {"a": "y"}}`, []string{"a"}, `{"a":"x"}`},
		{`{"a": [{}, [], {"x": [1, {"y": ""}]}], "b": [{"a": 1}]}`, []string{"a"}, `{"a":[{},[],{"x":[1,{"y":""}]}],"b":[]}`},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
			r := &Reader{In: in}
			r.Lines, r.Paths = true, c.paths
			if got, err := read(r); err != nil || !slices.Equal(got, []string{c.want}) {
				t.Errorf("%.100s: got %s, %v, want %s", c.text, got, err, c.want)
			}
		}
	}
}

// What follows a record is looked at, on its line, behind a list and behind an object with one.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		text, lists string
		lines       bool
		loose       bool
		rows        int
		wrong       string
	}{
		{text: "{\"a\": 1}\n \n{\"a\": 2}\r\n", lines: true, rows: 2},
		{text: "\ufeff{\"a\": 1}", lines: true, rows: 1},
		{text: "\ufeff[{\"a\": 1}, {\n\"a\": 2}]\n", lines: true, rows: 2},
		{text: "[]", lines: true},
		{text: "", lines: true},
		{text: `{"x": {"y": [{"a": 1}, {"a": 2}]}, "z": 0}`, lists: "x.y", rows: 2},
		{text: `{"w": [{"x": [1]}], "x": [{"a": {"x": [2]}}], "z": 0}`, lists: "y x", rows: 1},
		{text: `{"a": 1}`, rows: 1},
		{text: `[{"a": 1}]`, wrong: "got no JSON object"},
		{text: "{\"a\": 1}{\"a\": 2}", lines: true, wrong: "line 1: got more after a value"},
		{text: "{\"a\": 1}\n{\"a\": 2} 3\n", lines: true, wrong: "line 2: got more after a value"},
		{text: "{\"a\": 1}{\"a\": 2}\n{\"a\": 3}x\n", lines: true, loose: true, rows: 2},
		{text: "[{\"a\": 1}]\n{\"a\": 2}", lines: true, wrong: "line 2: got more after a value"},
		{text: "[{\"a\": 1}]\n{\"a\": 2}", lines: true, loose: true, rows: 1},
		{text: `{"x": [{"a": 1}]} {"x": []}`, lists: "x", wrong: "got more after a value"},
		{text: `{"x": [{"a": 1}], "x": []}`, lists: "x", wrong: "got two lists of objects, want one"},
		{text: "{\"a\": 1}\n{\"a\": 2}\n", wrong: "line 2: got more after a value"},
		{text: `{"y": 1}`, lists: "x", wrong: "got no JSON object with x, want one: there is none"},
		{text: `{"x": 1}`, lists: "x", wrong: "got no JSON object with x, want one: there is none"},
		{text: ``, lists: "x", wrong: "got nothing, want an object"},
		{text: `[1]`, lists: "x", wrong: "got no JSON object, want one"},
		{text: `{"x": [2]}`, lists: "x", wrong: "element 1: got no object"},
		{text: "{\"a\": 1}\n17\n", lines: true, wrong: "line 2: got no JSON object"},
		{text: "{\"a\": 1}\n\x00", lines: true, wrong: "line 2: got no JSON object"},
		{text: "\xef{}", lines: true, wrong: "got the character"},
		{text: `{"a": [1,]}`, lines: true, wrong: "got the character ']'"},
		{text: `{,}`, lines: true, wrong: "got the character ','"},
		{text: `{"a": 01}`, lines: true, wrong: `got "01", want JSON`},
		{text: `{"a": 1`, lines: true, wrong: "got a value that does not end"},
		{text: `{"a": nan}`, lines: true, wrong: `got "nan", want JSON`},
		{text: `{"a": "\x"}`, lines: true, wrong: `got the escape`},
		{text: "{\"a\": \"x\ny\"}", lines: true, wrong: `got the character '\n'`},
		{text: strings.Repeat(`{"a":`, 1001), lines: true, wrong: "nested more than 1000 deep"},
		{text: `{"a": ` + strings.Repeat("[", 1<<20), lines: true, wrong: "nested more than 1000 deep"},
		{text: `{"a": ` + strings.Repeat("1", 1<<20), lines: true, wrong: "got a number of more than 4096 characters"},
		{text: `{"a": "` + strings.Repeat("x", 9<<20) + `"}`, lines: true, wrong: "more than 8 MB are read"},
		{text: `{"a": [` + strings.Repeat("[],", 9<<20) + `1]}`, lines: true, wrong: "more than 8 MB are read"},
		{text: `{"b": "` + strings.Repeat("x", 9<<20) + `"}`, lines: true, rows: 1},
		{text: `{` + strings.Repeat(`"b": {}, `, 1<<20) + `"a": 1}`, lines: true, rows: 1},
	} {
		r := &Reader{In: strings.NewReader(c.text)}
		r.Lines, r.Loose, r.Paths = c.lines, c.loose, []string{"a"}
		if c.lists != "" {
			r.Lists = strings.Fields(c.lists)
		}
		got, err := read(r)
		name := c.text[:min(len(c.text), 60)]
		form := (*delimited.Error)(nil)
		switch {
		case c.wrong == "" && (err != nil || len(got) != c.rows):
			t.Errorf("%q: got %q, %v, want %d records", name, got, err, c.rows)
		case c.wrong != "" && (!errors.As(err, &form) || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%q: got %q, %v, want %s", name, got, err, c.wrong)
		}
	}
	broken := errors.New("broken")
	r := &Reader{In: io.MultiReader(strings.NewReader(`{"a": "x`), iotest.ErrReader(broken))}
	r.Lines = true
	if _, err := read(r); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the input", err)
	}
	r = &Reader{In: strings.NewReader("{}\n{}\n")}
	r.Lines = true
	if err := r.Records(func(int, map[string]any) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the visit", err)
	}
}

// repeated is a text again and again.
type repeated struct {
	text []byte
	left int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n = copy(p[:min(len(p), r.left)], r.text[len(r.text)-(r.left-1)%len(r.text)-1:])
	r.left -= n
	return n, nil
}

// A record of 200 MB takes no more memory than what is kept of it.
func TestMemoryIsBounded(t *testing.T) {
	part := []byte(`{"role": "user", "x": [1.5, -2e9, true, {"y": "` + strings.Repeat("lorem ipsum ", 300) + `"}]},`)
	const parts = 1 << 16
	in := io.MultiReader(strings.NewReader(`{"a": [`), &repeated{part, parts * len(part)}, strings.NewReader(`0], "b": 1}`))
	r := &Reader{In: in}
	r.Lines, r.Paths = true, []string{"b"}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := read(r)
	runtime.ReadMemStats(&after)
	if want := []string{`{"a":[],"b":1}`}; err != nil || !slices.Equal(got, want) {
		t.Fatal(got, err)
	}
	if took := int64(after.HeapSys) - int64(before.HeapSys); took > 32<<20 {
		t.Errorf("got %d MB of memory, want less than 32", took>>20)
	}
}

// FuzzRecords compares with package json what a record is, and what is kept of it.
func FuzzRecords(f *testing.F) {
	for _, text := range []string{`{"a": 1, "b": {"a": "x"}}`, `{"a": [1, {"b": null}], "b.a": true}`, `{"a": "\ud800\u0041\/"}`, `{}`,
		"{\"a\": 1}\n{\"a\": 2}", `[{"a": -0.5e+3}]`, `{"a": "` + "\xff" + `"}`, `{"a": NaN}`, "\ufeff{}", `{"a":1,"a":2}`, `{"":{"":1}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := &Reader{In: bytes.NewReader(text)}
		r.Lines, r.Paths = true, []string{"a", "b.a"}
		got, err := read(r)
		if slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) }) {
			return
		}
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
		want, ok := oracle(text)
		if bounded := err != nil && strings.Contains(err.Error(), " more than "); bounded {
			return
		}
		if ok != (err == nil) || ok && !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, %v; package json has %q, %v", text, got, err, want, ok)
		}
	})
}

// oracle reads records by package json alone: objects of a list, or objects with line ends between them.
func oracle(text []byte) (list []string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var records []any
	for end := int64(0); ; {
		var value any
		err := d.Decode(&value)
		if err == io.EOF {
			break
		}
		start := text[end:]
		if err != nil || len(records) > 0 && !bytes.Contains(start[:len(start)-len(bytes.TrimLeft(start, " \t\r\n"))], []byte("\n")) {
			return nil, false
		}
		end = d.InputOffset()
		if all, listed := value.([]any); listed {
			if records != nil || len(bytes.Trim(text[end:], " \t\r\n")) > 0 {
				return nil, false
			}
			records = all
			break
		}
		records = append(records, value)
	}
	for _, record := range records {
		object, isObject := record.(map[string]any)
		if !isObject {
			return nil, false
		}
		list = append(list, encoded(pruned(object, 1, map[string]bool{"a": true, "b.a": true}, "")))
	}
	return list, true
}

// pruned is the outline of an object, with all of some paths.
func pruned(object map[string]any, level int, whole map[string]bool, at string) map[string]any {
	kept := make(map[string]any)
	for key, value := range object {
		path := at + key
		begins := func(p string) bool { return strings.HasPrefix(p, path+".") }
		leads := slices.ContainsFunc(slices.Collect(maps.Keys(whole)), begins)
		inner, isObject := value.(map[string]any)
		switch {
		case whole[path]:
			kept[key] = value
		case level > levels && !leads:
		case isObject:
			below := whole
			if !leads {
				below = nil
			}
			kept[key] = pruned(inner, level+1, below, path+".")
		case reflect.TypeOf(value) == reflect.TypeFor[string]():
			kept[key] = ""
		case reflect.TypeOf(value) == reflect.TypeFor[[]any]():
			kept[key] = []any{}
		default:
			kept[key] = value
		}
	}
	return kept
}
