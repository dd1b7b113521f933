package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// The shortest decimal reads as the same float64, and is a JSON number.
func TestAppendNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 0.1: "0.1", 1e-6: "0.000001", 1e-7: "1e-7", 1e-300: "1e-300", 5e-324: "5e-324", 1e20: "100000000000000000000", 1e21: "1e+21", -2.5: "-2.5", -1e-9: "-1e-9",
	} {
		if got := string(appendNumber(nil, x)); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		x := math.Float64frombits(r.Uint64())
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		text := appendNumber(nil, x)
		var back float64
		if err := json.Unmarshal(text, &back); err != nil || back != x {
			t.Fatalf("%v: %s reads as %v (%v)", x, text, back, err)
		}
	}
}

// A probability is a decimal number of any size: never a logarithm, never the
// complement form that only dpcalc reads.
func TestDecimalOf(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "1": "1", "0.05": "0.05", "1e-4343": "1e-4343", "2.5e-10": "2.5e-10",
		"1-1e-20": "0.99999999999999999999", "1-2.5e-30": "0.9999999999999999999999999999975", "1-1e-300": "1",
	} {
		p, err := theory.ParseLogProb(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := decimalOf(p); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if !json.Valid([]byte(decimalOf(p))) {
			t.Errorf("%s: %s is no JSON number", text, decimalOf(p))
		}
	}
}

// People see six digits, rounded up, and an exponent only where it saves reading.
func TestHuman(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 100: "100", 0.1: "0.1", 0.05: "0.05", 0.0119071116417363: "0.0119072", 123456.789: "123457", 12.5: "12.5",
		9007199254740992: "9.0072e15", 123456789012: "123457000000", 0.0001234: "0.0001234", 0.00001234567891: "1.23457e-5", 0.09999999: "0.1",
		0.1181561: "0.118157", 9.999999: "10", 1.0000000000000002: "1", 0.6000000000000001: "0.6", -479.31716376863856: "-479.317", -8.733014: "-8.73301", -1.0000001: "-1", -1.0000009: "-1",
		5e-324: "4.94066e-324",
	} {
		if got := human(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 10000 {
		x := (r.Float64() - 0.3) * math.Pow(10, 40*r.Float64()-20)
		y, err := strconv.ParseFloat(human(x), 64)
		if err != nil || y < x-2e-12*math.Abs(x) || y > x+1.01e-5*math.Abs(x) {
			t.Fatalf("%v prints as %s (%v)", x, human(x), err)
		}
	}
	for text, want := range map[string]string{
		"1e-4343": "1e-4343", "3.8303412345678e-172": "3.83035e-172", "0.32734312345": "0.327344", "1-1.23456789e-20": "1-1.23456e-20", "9.9999999e-10": "1e-9", "0.05": "0.05", "1": "1", "0": "0",
	} {
		p, _ := theory.ParseLogProb(text)
		if got := humanChance(p); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

var awkward = []string{"", "plain", "a,b", `say "x"`, "two\nlines", "tab\there", "=1+1", "+x", "-x", "@x", "-1.5", "+2e3", "\rx", "é", "\\", "a;b", "\x00", "<&>"}

// What is written as CSV, TSV and JSON reads as what it was.
func TestMachineFormatsReadBack(t *testing.T) {
	for _, text := range awkward {
		cells := []cell{{form: words, s: text}, countCell(3), {}, truthCell(true), listCell([]string{text, "b"})}
		for comma, format := range map[rune]Format{',': CSV, '\t': TSV} {
			name := format.Name
			e := format.Encode(result{columns: []string{"a", "b", "c", "d", "e"}})
			r := csv.NewReader(strings.NewReader(string(e.row(e.head(nil), true, cells, new(chances)))))
			r.Comma = comma
			records, err := r.ReadAll()
			text := strings.ReplaceAll(text, "\r\n", "\n")
			want := []string{text, "3", "", "true", text + "; b"}
			if err != nil || len(records) != 2 || !slices.Equal(records[1], want) {
				t.Errorf("%s: %q reads as %q (%v)", name, want, records, err)
			}
		}
		e := JSONLines.Encode(result{columns: []string{"a", "b", "c", "d", "e"}})
		var got map[string]any
		line := e.row(nil, true, cells, new(chances))
		if err := json.Unmarshal(line, &got); err != nil || got["a"] != text || got["b"] != 3. || got["c"] != nil || got["d"] != true || got["e"].([]any)[0] != text {
			t.Errorf("jsonl: %q reads as %v (%v)", line, got, err)
		}
	}
}

// Text from the user's own file cannot become a formula; numbers are left alone.
func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+x": "'+x", "-x": "'-x", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "\nx": "'\nx",
		"-1.5": "-1.5", "+2": "+2", "-1e-5": "-1e-5", "x=1": "x=1", "": "", "0.05": "0.05",
	} {
		if got := inert(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	row := CSV.Encode(result{}).row(nil, true, []cell{{form: foreign, s: "=A1"}, {form: words, s: "=A1"}}, new(chances))
	if string(row) != "'=A1,=A1\n" {
		t.Errorf("row %q", row)
	}
}

// The envelope is one JSON document, whatever the number of rows.
func TestJSONEnvelope(t *testing.T) {
	for rows := range 3 {
		e := JSON.Encode(result{command: "test", inputs: []input{{"x", exactly(0.5)}, {"p", chanceCell(-1e4)}, {"none", cell{}}}, columns: []string{"n"}})
		b := e.head(nil)
		for i := range rows {
			b = e.row(b, i == 0, []cell{countCell(int64(i + 1))}, new(chances))
		}
		var got struct {
			Schema, Version string
			Inputs          map[string]json.RawMessage
			Rows            []struct{ N int }
		}
		if err := json.Unmarshal(e.foot(b), &got); err != nil {
			t.Fatal(err)
		}
		if got.Schema != "dpcalc/test/1" || got.Version == "" || len(got.Rows) != rows || string(got.Inputs["none"]) != "null" || !strings.HasSuffix(string(got.Inputs["p"]), "e-4343") {
			t.Errorf("%d rows: %+v", rows, got)
		}
	}
}

// A pipe, an underscore or a percent sign in a cell does not break the markup.
func TestMarkupIsEscaped(t *testing.T) {
	s := sheet{columns: []string{"a_b", "n"}, rows: [][]cell{{wordsCell("kl(p||q) 5% x_1"), countCell(1)}}}
	for want, format := range map[string]Format{
		`| kl(p\|\|q) 5% x\_1 | 1 |`: PrintedMarkdown,
		`kl(p||q) 5\% x\_1 & 1 \\`:   PrintedLaTeX,
	} {
		var b strings.Builder
		if err := format.Print(&b, s); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %s (%v), want %s", format.Name, b.String(), err, want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	names := []string{"samplesize", "transfer", "compose"}
	for got, want := range map[string]string{"samplesise": "samplesize", "sample": "samplesize", "tranfser": "transfer", "composer": "compose"} {
		if hint := didYouMean(got, names); !strings.Contains(hint, want) {
			t.Errorf("%s: hint %q, want %s", got, hint, want)
		}
	}
	if hint := didYouMean("xyzzyplugh"+strconv.Itoa(7), names); hint != "" {
		t.Errorf("hint %q for nonsense", hint)
	}
}
