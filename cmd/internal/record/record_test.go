package record

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest/awkward"
	"github.com/dpcalc/dpcalc/theory"
)

// The shortest decimal reads as the same float64, and is a JSON number.
func TestAppendNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 0.1: "0.1", 1e-6: "0.000001", 1e-7: "1e-7", 1e-300: "1e-300", 5e-324: "5e-324",
		1e20: "100000000000000000000", 1e21: "1e+21", -2.5: "-2.5", -1e-9: "-1e-9",
	} {
		if got := string(AppendNumber(nil, x)); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		x := math.Float64frombits(r.Uint64())
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		text := AppendNumber(nil, x)
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
		if got := Decimal(p); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if !json.Valid([]byte(Decimal(p))) {
			t.Errorf("%s: %s is no JSON number", text, Decimal(p))
		}
	}
}

// A complement is written with all its digits, and as 1 where those are too many.
func TestDecimalOfComplement(t *testing.T) {
	for text, want := range map[string]string{
		"1-1e-20": "0.99999999999999999999", "1-2.5e-30": "0.9999999999999999999999999999975",
		"1-3e-1000": "0." + strings.Repeat("9", 999) + "7", "1-1e-1001": "1", "1-3.3e-25063": "1", "1-1e-4e16": "1",
	} {
		if got := PlainText(Complement(text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// People see six digits of a probability, rounded up or, of a lower end, down; next to one they see its complement.
func TestHumanChance(t *testing.T) {
	for text, want := range map[string]string{
		"1e-4343": "1e-4343 1e-4343", "3.8303412345678e-172": "3.83035e-172 3.83034e-172",
		"0.32734312345": "0.327344 0.327343", "1-1.23456789e-20": "1-1.23456e-20 1-1.23457e-20",
		"9.9999999e-10": "1e-9 9.99999e-10", "0.05": "0.05 0.05", "1": "1 1", "0": "0 0",
	} {
		p, _ := theory.ParseLogProb(text)
		if got := People(Chance(p)) + " " + People(Chance(p).AtLeast()); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// What is written as CSV, TSV and JSON reads as what it was.
func TestMachineFormatsReadBack(t *testing.T) {
	for _, text := range awkward.Texts {
		cells := []Cell{{Form: WordsForm, S: text}, Count(3), {}, Truth(true), List([]string{text, "b"})}
		for comma, format := range map[rune]Format{',': CSV, '\t': TSV} {
			name := format.Name
			e := format.Encode(Result{Columns: []string{"a", "b", "c", "d", "e"}})
			r := csv.NewReader(strings.NewReader(string(e.Row(e.Head(nil), true, cells))))
			r.Comma = comma
			records, err := r.ReadAll()
			text := strings.ReplaceAll(text, "\r\n", "\n")
			want := []string{text, "3", "", "true", text + "; b"}
			if err != nil || len(records) != 2 || !slices.Equal(records[1], want) {
				t.Errorf("%s: %q reads as %q (%v)", name, want, records, err)
			}
		}
		e := JSONLines.Encode(Result{Columns: []string{"a", "b", "c", "d", "e"}})
		var got map[string]any
		line := e.Row(nil, true, cells)
		if err := json.Unmarshal(line, &got); err != nil || got["a"] != text || got["b"] != 3. || got["c"] != nil ||
			got["d"] != true || got["e"].([]any)[0] != text {
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
		if got := Inert(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	row := CSV.Encode(Result{}).Row(nil, true, []Cell{{Form: ForeignForm, S: "=A1"}, {Form: WordsForm, S: "=A1"}})
	if string(row) != "'=A1,=A1\n" {
		t.Errorf("row %q", row)
	}
}

// The envelope is one JSON document, whatever the number of rows.
func TestJSONEnvelope(t *testing.T) {
	for rows := range 3 {
		e := JSON.Encode(Result{Schema: "test/1", Inputs: []Input{{"x", Exactly(0.5)}, {"p", Chance(-1e4)}, {"none", Cell{}}},
			Columns: []string{"n"}})
		b := e.Head(nil)
		for i := range rows {
			b = e.Row(b, i == 0, []Cell{Count(int64(i + 1))})
		}
		var got struct {
			Schema, Version string
			Inputs          map[string]json.RawMessage
			Rows            []struct{ N int }
		}
		if err := json.Unmarshal(e.Foot(b), &got); err != nil {
			t.Fatal(err)
		}
		if got.Schema != "dpcalc/test/1" || got.Version == "" || len(got.Rows) != rows ||
			string(got.Inputs["none"]) != "null" || !strings.HasSuffix(string(got.Inputs["p"]), "e-4343") {
			t.Errorf("%d rows: %+v", rows, got)
		}
	}
}

// Numbers are plain decimals, with a point or a comma; all else that a spreadsheet might
// run gets an apostrophe.
func TestNumerals(t *testing.T) {
	for _, text := range []string{
		"-0,5", "+0,5", "-0.5", "-5", "+5", "-1e-5", "+1,5E+3", "-,5", "-.5", "-5.", "-5,", "-007",
	} {
		if got := Inert(text); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for _, text := range []string{
		"-inf", "+Inf", "-infinity", "+0x1p-2", "-0x10", "-1_0", "-nan", "-1.5.2", "-1,000,000",
		"-1.000,5", "-1e", "-e5", "-1e5.5", "--5", "-", "+", "-5%",
		"-5 ", "- 5", "-1-1", "-1+cmd", "-٣", "-.", "-,", "=5", "@5", "\t5", "-1e5\n",
	} {
		if got := Inert(text); got != "'"+text {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for want, format := range map[string]Format{
		"\"-0,5\",-0.5,\"0,5\",'-inf,0x1.8p3,1.5.2\n": CSV,
		"-0,5;-0,5;0,5;'-inf;0x1.8p3;1.5.2\n":         ExcelEU,
		"-0,5\t-0.5\t0,5\t'-inf\t0x1.8p3\t1.5.2\n":    TSV,
	} {
		var row []Cell
		for _, text := range []string{"-0,5", "-0.5", "0,5", "-inf", "0x1.8p3", "1.5.2"} {
			row = append(row, Foreign(text))
		}
		if got := string(format.Encode(Result{}).Row(nil, true, row)); got != want {
			t.Errorf("%s: got %q, want %q", format.Name+format.Dialect, got, want)
		}
	}
}

// Excel in much of Europe reads semicolons and decimal commas.
func TestExcelEU(t *testing.T) {
	e := ExcelEU.Encode(Result{Columns: []string{"a", "b"}})
	row := func(cells ...Cell) string { return string(e.Row(nil, true, cells)) }
	for _, c := range []struct{ got, want string }{
		{string(e.Head(nil)), "\ufeffa;b\n"},
		{row(Number(-1.5), Chance(-1e4), Count(12)), "-1,5;1,1354838653148e-4343;12\n"},
		{row(Cell{Form: ForeignForm, S: "0.05"}, Cell{Form: ForeignForm, S: "-1.5"}, Cell{Form: ForeignForm, S: "=1+1"},
			Cell{Form: ForeignForm, S: "1.2.3"}), "0,05;-1,5;'=1+1;1.2.3\n"},
		{row(List([]string{"x", "y"}), Words("0.5 of it"), Cell{Form: ForeignForm, S: "a;b"}),
			"\"x; y\";0.5 of it;\"a;b\"\n"},
	} {
		if c.got != c.want && !strings.Contains(c.want, "e-4343") {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
		if strings.Contains(c.want, "e-4343") &&
			(!strings.HasPrefix(c.got, "-1,5;") || !strings.HasSuffix(c.got, "e-4343;12\n") || strings.Contains(c.got, ".")) {
			t.Errorf("got %q", c.got)
		}
	}
}

// A column is as wide as what its cells show: six digits of a number, and all digits of a probability that no cell
// holds as a number.
func TestColumnWidths(t *testing.T) {
	for _, c := range []struct {
		cell Cell
		want float64
	}{{Chance(-1.5), 11}, {Exactly(1. / 3), 11}, {Count(1e9), 16}, {Words(strings.Repeat("x", 99)), 43},
		{Chance(-1e3 / 3 * 7), float64(len(Decimal(-1e3/3*7)) + 3)}} {
		if got := ColumnWidths([]string{"p"}, [][]Cell{{c.cell}})[0]; got != c.want {
			t.Errorf("%s: %v, want %v", PlainText(c.cell), got, c.want)
		}
	}
}
