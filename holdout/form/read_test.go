package form

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/journal"
)

// A line is read as package json reads it: with any of its members, whose values are drawn, and as the ledgers of
// earlier versions have it.
func TestLinesAreReadAsJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 43))
	var written [][]byte
	for range 2000 {
		var l Line
		drawLine(r, reflect.ValueOf(&l).Elem())
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		written = append(written, text)
	}
	logs, err := filepath.Glob("../testdata/ledgers/*/ledger/looks.jsonl")
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			ends := journal.LineEnds
			if end := bytes.LastIndex(line, []byte(ends.Before)); end >= 0 && bytes.HasSuffix(line, []byte(ends.After)) {
				written = append(written, append(bytes.Clone(line[:end]), '}'))
			}
		}
	}
	in := NewLineReader()
	for _, text := range written {
		var want Line
		if err := decode(text, &want); err != nil {
			t.Fatal(err)
		}
		if !in.quick(string(text[:len(text)-1])) || !reflect.DeepEqual(in.line, want) {
			t.Fatalf("%s: got %+v, want %+v", text, in.line, want)
		}
	}
}

// A line of which anything was edited is left to package json, or read as package json reads it: with each member of
// another value, once more, in another place or cut short, and with bytes that have no place there.
func TestEditedLinesAreReadAsJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 43))
	bits := strings.Fields(`,"event":"look" ,"Event":"look" ,"newer":1 1e999 1e-999 -0 01 1. .5 +1 0x1p3 1_0 1e5 Infinity NaN null true ` +
		`99999999999999999999 \ud800 \u0041 \ " { } [ ] , : - . e ,"labels":null ,"dropped":[] ,"features":{"path":"x","path":"y"}`)
	bits = append(bits, " ", "\t", "\r", "\n", "\x00", "\xff", "\xed\xa0\x80", "\ufeff")
	in, read, refused := NewLineReader(), 0, 0
	for range 20_000 {
		var l Line
		drawLine(r, reflect.ValueOf(&l).Elem())
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		edited, bit := string(text), bits[r.IntN(len(bits))]
		i := r.IntN(len(edited))
		if place := strings.IndexAny(edited[i:], `,:"{}[]`); r.IntN(2) == 0 {
			i += max(place, 0)
		}
		j := i
		if r.IntN(2) == 0 {
			j += max(strings.IndexAny(edited[i:], `,}`), 0)
		}
		edited = edited[:i] + bit + edited[j:]
		up, ok := strings.CutSuffix(edited, "}")
		if !ok || !in.quick(up) {
			continue
		}
		var want Line
		err = decode([]byte(edited), &want)
		if read++; err != nil {
			refused++
		}
		if err != nil || !reflect.DeepEqual(in.line, want) {
			t.Fatalf("%s: got %+v, want %+v, %v", edited, in.line, want, err)
		}
	}
	if read < 500 || refused > 0 {
		t.Errorf("%d edited lines are read, of which %d are none", read, refused)
	}
}

// drawLine gives some members of a line a value.
func drawLine(r *rand.Rand, of reflect.Value) {
	texts := []string{"", "look", "a \"b\\ <é\u2028> ", strings.Repeat("x", 100), "}", `,"chain":"`, "\x7f\t\n"}
	for i := range of.NumField() {
		x := []float64{0, 0.8132, -1.5e-7, 1e300, math.SmallestNonzeroFloat64, r.NormFloat64()}[r.IntN(6)]
		name, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
		switch f := of.Field(i); {
		case name == "-":
		case f.Kind() == reflect.Struct:
			drawLine(r, f)
		case r.IntN(3) == 0:
		case f.Kind() == reflect.String:
			f.SetString(texts[r.IntN(len(texts))])
		case f.Kind() == reflect.Int64:
			f.SetInt(r.Int64() - r.Int64())
		case f.Kind() == reflect.Float64:
			f.SetFloat(x)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.Type() == reflect.TypeFor[*float64]():
			f.Set(reflect.ValueOf(&x))
		case f.Type() == reflect.TypeFor[*LabelsFile]():
			f.Set(reflect.ValueOf(&LabelsFile{Path: texts[r.IntN(len(texts))], Fingerprint: "c]"}))
		case f.Type() == reflect.TypeFor[[]string]():
			f.Set(reflect.ValueOf(texts[:r.IntN(len(texts))]))
		case f.Type() == reflect.TypeFor[[]int64]():
			f.Set(reflect.ValueOf([]int64{0, r.Int64(), -1}[:r.IntN(4)]))
		case f.Type() == reflect.TypeFor[[]Shown]() && r.IntN(4) > 0: // of which each has such a list itself
		case f.Kind() == reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1+r.IntN(3), 3))
			for k := range f.Len() {
				drawLine(r, f.Index(k))
			}
		case f.Kind() == reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			drawLine(r, f.Elem())
		default:
			panic("no value for " + name)
		}
	}
}

// What this program does not write, package json reads or refuses.
func TestOtherLinesAreLeftToJSON(t *testing.T) {
	for _, text := range []string{``, `{`, `{"event":"look","look":1,"time":"x"`, `{"look":1,"event":"look","time":"x"}`, `{"event":"look" }`,
		`{"event":"look","look":01}`, `{"event":"look","look":+1}`, `{"event":"look","look":1.5}`, `{"event":"look","response":.5}`,
		`{"event":"look","response":1e999}`, `{"event":"look","newer":1}`, `{"event":"look","labels":{"newer":1}}`,
		`{"event":"changed","replace":truetrue}`, `{"event":"look"}}`, `{"event":"look","event":"look"}`, `{,"event":"look"}`, `{"event":5}`, `{"event":"a\x"}`} {
		in := NewLineReader()
		if end := strings.TrimSuffix(text, "}"); end != text && in.quick(end) {
			t.Errorf("%s: got %+v", text, in.line)
		}
	}
}

// Nothing follows a value that is read as a whole.
func TestOneValue(t *testing.T) {
	for text, one := range map[string]bool{`{}`: true, "{}\n ": true, `{}{}`: false, `{}}`: false, `{},"event":"look"}`: false} {
		if err := decode([]byte(text), &Line{}); (err == nil) != one {
			t.Errorf("%q: %v", text, err)
		}
	}
}
