package data

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// pairs reads a whole table.
func pairs(text string, form Form) (got [][2]string, err error) {
	err = File{In: strings.NewReader(text), Form: form, Column: "prediction"}.Rows(func(id, value string) error {
		got = append(got, [2]string{id, value})
		return nil
	})
	return got, err
}

// The forms of tables: what separates the cells, byte order marks, line ends, quotes and JSON values.
func TestRows(t *testing.T) {
	want := [][2]string{{"1", "yes"}, {"2,5", "no"}}
	for text, form := range map[string]Form{
		"id,prediction\n1,yes\n\"2,5\",no\n":                                                               AnyForm,
		"\ufeffprediction;x;id\r\nyes;;1\r\n\r\nno;\"a\nb\";2,5":                                           AnyForm,
		"id\tprediction\n1\tyes\n2,5\tno\n":                                                                AnyForm,
		"a,b\tprediction\tid\nx\tyes\t1\nx\tno\t2,5\n":                                                     Tabs,
		"\ufeffsep=;\r\nid;prediction\r\n1;yes\r\n2,5;no\r\n":                                              AnyForm,
		"{\"id\":1,\"prediction\":\"yes\"}\n{\"id\":\"2,5\",\"prediction\":\"no\"}":                        AnyForm,
		"\n {\"prediction\":\"yes\",\"id\":1,\"x\":[2]}\n\n{\"id\":\"2\\u002c5\",\"prediction\":\"no\"}\n": JSONLines,
	} {
		if got, err := pairs(text, form); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                                 "got nothing, want a header line with id and prediction",
		"id,value\n":                       "got the columns id, value, want id and prediction",
		"id,prediction\n1\n":               "line 2: got 1 cells, want 2",
		"id,prediction\n1,\"x\n":           "got a quote that is left open",
		"i\x00d\x00,\x00":                  "got UTF-16, want UTF-8",
		"{\"id\":{},\"prediction\":\"x\"}": "line 1: got an object without a text or a number",

		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x03\x00": "got a file that is no text, want UTF-8",
		"PK\x03\x04\x14\x00\x08\x00\x08\x00\x00\x00!\x00":  "got a file that is no text, want UTF-8",

		"{\"id\":\"0\",\"id\":\"1\",\"prediction\":\"x\"}":            "line 1: got two values of id, want one",
		"{\"id\":1,\"x\":2,\"x\":3,\"i\\u0064\":2}":                   "line 1: got two values of id, want one",
		"{\"prediction\":\"0\",\"id\":\"1\",\"prediction\":null}":     "line 1: got two values of prediction, want one",
		"{\"id\":\"1\",\"prediction\":\"a\xff\"}":                     "line 1: got bytes that are no UTF-8",
		"{\"id\":\"1\",\"prediction\":\"\\ud800\"}":                   "line 1: got an object without a text",
		"{\"id\":\"\\uD83D\\ude00\\udc00!\",\"prediction\":\"a\"}":    "line 1: got an object without a text",
		"{\"id\":\"\\ud83d\\u0041\",\"prediction\":\"a\"}":            "line 1: got an object without a text",
		"{\"id\":\"1\",\"prediction\":\"a\"} {\"id\":\"2\"}":          "line 1: got no JSON object",
		"{\"id\":\"" + strings.Repeat("x", 1<<24) + "\"}":             "line 1: got more than 16777216 bytes",
		"id,prediction" + strings.Repeat(",", 200_000-2) + ",":        "line 1: got more than 200000 cells, want fewer",
		"id,prediction\n1,a" + strings.Repeat(",", 16_700_000) + "\n": "line 2: got more than 200000 cells, want fewer",
	} {
		if _, err := pairs(text, AnyForm); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"id,prediction\n1," + strings.Repeat("x", 100) + "\n",
		"{\"id\":\"1\",\"prediction\":\"" + strings.Repeat("x", 100) + "\"}"} {
		if err := (File{In: strings.NewReader(text), Column: "prediction", Longest: 90}).Rows(func(_, _ string) error {
			return nil
		}); err == nil || !strings.Contains(err.Error(), "got more than 90 bytes") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	whole, err := pairs("{\"id\":\"\\ud83d\\ude00\\\\ud800\",\"prediction\":\"\ufffd\\ufffd\"}", AnyForm)
	if err != nil || whole[0] != [2]string{"\U0001f600\\ud800", "\ufffd\ufffd"} {
		t.Errorf("%q, %v", whole, err)
	}
	stop := errors.New("enough")
	err = File{In: strings.NewReader("id,prediction\n1,a\n2,b\n"), Column: "prediction"}.Rows(func(id, _ string) error {
		if id != "1" {
			t.Error("a row after the error")
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

// Numbers have decimal commas between semicolons, and nowhere else. Other values and ids stay as they are.
func TestDecimalCommas(t *testing.T) {
	const cells = "id;prediction\n1,5;0,5\n2;1.234,5\n3;-2,5e-1\n4;a,b,c\n"
	for _, numbers := range []bool{true, false} {
		for _, separator := range []string{";", "\t"} {
			want := [][2]string{{"1,5", "0,5"}, {"2", "1.234,5"}, {"3", "-2,5e-1"}, {"4", "a,b,c"}}
			if numbers && separator == ";" {
				want[0][1], want[2][1] = "0.5", "-2.5e-1"
			}
			var got [][2]string
			in := strings.NewReader(strings.ReplaceAll(cells, ";", separator))
			err := File{In: in, Column: "prediction", Numbers: numbers}.Rows(func(id, value string) error {
				got = append(got, [2]string{id, value})
				return nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, %q: got %q, %v, want %q", numbers, separator, got, err, want)
			}
		}
	}
}

// FuzzRows compares the readers with the library's readers wherever these take a text: a table that is read has the
// rows that it has for them. Labels that are read keep their number of rows.
func FuzzRows(f *testing.F) {
	for _, text := range []string{"id,prediction\n1,a\n", "prediction;id\n\"a;b\";1\n", "id\tprediction\n1\t\n",
		"\ufeffid,prediction\r\n1,\"a\"\"b\"\r\n", "{\"id\":1,\"prediction\":\"a\"}\n{\"id\":\"2\",\"prediction\":1e3}",
		"{\"id\":\"a\" , \"prediction\":\"\\u0061\"}", "{\"id\":1,\"prediction\":2}\n\f", "id,prediction\n\"1\n", "\x00", "{",
		"id,id,prediction\n1,1,a\n", "sep=;\nid;prediction\n1;a\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range []Form{AnyForm, Tabs, JSONLines} {
			got, err := pairs(text, form)
			if err != nil {
				if err.Error() == "" {
					t.Error("an error without a text")
				}
				continue
			}
			plain := strings.TrimPrefix(text, "\ufeff")
			if form == JSONLines || strings.HasPrefix(plain, "{") {
				sameAsJSON(t, plain, got)
			} else {
				sameAsCSV(t, plain, got)
			}
			labels, err := NewLabels(func(visit func(id, label string) error) error {
				return File{In: strings.NewReader(text), Form: form, Column: "prediction"}.Rows(visit)
			})
			if err == nil && labels.Samples() != int64(len(got)) {
				t.Errorf("%d labels of %d rows", labels.Samples(), len(got))
			}
		}
	})
}

// sameAsJSON reads the lines by the library alone. It takes keys of other cases too, which a table may not have.
func sameAsJSON(t *testing.T, text string, got [][2]string) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for i := 0; ; i++ {
		var object map[string]any
		err := d.Decode(&object)
		if err == io.EOF {
			if i != len(got) {
				t.Errorf("got %d rows of %d", len(got), i)
			}
			return
		}
		if err != nil || i >= len(got) {
			t.Fatalf("got %v of what the library refuses: %v", got, err)
		}
		for k, key := range []string{"id", "prediction"} {
			value := object[key]
			if b, ok := value.(bool); ok {
				value = json.Number(map[bool]string{true: "true", false: "false"}[b])
			}
			if n, ok := value.(json.Number); ok {
				value = string(n)
			}
			if value != got[i][k] {
				t.Errorf("row %d: got %q, want %v", i, got[i], object)
			}
		}
	}
}

// sameAsCSV compares with encoding/csv, where that takes the text. It rewrites the line ends in cells, and skips none
// of ours but empty lines.
func sameAsCSV(t *testing.T, text string, got [][2]string) {
	if strings.Contains(text, "\r") || strings.Contains(strings.ToLower(text), "sep=") || !utf8.ValidString(text) {
		return
	}
	for _, separator := range ",;\t" {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma = separator
		all, err := r.ReadAll()
		if err != nil || len(all) == 0 {
			continue
		}
		id, prediction := slices.Index(all[0], "id"), slices.Index(all[0], "prediction")
		if id < 0 || prediction < 0 {
			continue
		}
		if len(all)-1 != len(got) {
			t.Fatalf("got %d rows of %d", len(got), len(all)-1)
		}
		for i, cells := range all[1:] {
			if got[i] != [2]string{cells[id], cells[prediction]} {
				t.Errorf("row %d: got %q, want %q", i, got[i], cells)
			}
		}
	}
}

// Objects of plain texts are read as the library reads them.
func TestPlainObjects(t *testing.T) {
	f := File{Column: "prediction"}
	for text, want := range map[string]bool{
		`{"id":"1","prediction":"a"}`: true, `{ "x" : "y" , "prediction":"a", "id" :"1"}`: true,
		`{"id":"0","id":"1","prediction":"a"}`: false, `{"prediction":"a","id":"1","prediction":"b"}`: false,
		`{"id":1,"prediction":"a"}`: false, `{"id":"1"}`: false, `{"id":"1","prediction":"a"`: false,
		`{"id":"1","prediction":"a"}}`: false,
		`{"id":"1" "prediction":"a"}`:  false, `{"id":"\u0031","prediction":"a"}`: false, `"id":"1","prediction":"a"}`: false,
		`{"id":"1","prediction":"a",}`: false, "{\"id\":\"1\",\"prediction\":\"\x01\"}": false,
		`{"id":"1","prediction":"é"}`: false, ``: false,
		`{"id":"1","prediction":"a" "}`: false, `{id:"1","prediction":"a"}`: false,
	} {
		id, value, ok := f.plain([]byte(text))
		if ok != want || ok && (id != "1" || value != "a") {
			t.Errorf("%s: got %s, %s, %v", text, id, value, ok)
		}
		if ok && !json.Valid([]byte(text)) {
			t.Errorf("%s is no JSON", text)
		}
	}
}

// A row of nothing but separators takes memory by its bytes, and not by its cells.
func TestManyCellsTakeLittle(t *testing.T) {
	text := "id,prediction\n" + strings.Repeat(",", 1<<24-1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := pairs(text, AnyForm); err == nil {
		t.Error("a row of 16.7 million cells is read")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 200<<20 {
		t.Errorf("it took %d MB", took>>20)
	}
}
