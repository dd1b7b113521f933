package delimited

import (
	"encoding/csv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// records reads all records with the splitter.
func records(text string, separator byte) (all [][]string, err error) {
	s := NewSplitter(strings.NewReader(text), separator)
	for {
		cells, _, err := s.Record()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		s.Width = len(cells)
		all = append(all, slices.Clone(cells))
	}
}

// referee reads them with encoding/csv, which skips empty lines everywhere and drops
// carriage returns.
func referee(text string, separator byte) ([][]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = rune(separator)
	return r.ReadAll()
}

func agree(t *testing.T, text string) {
	t.Helper()
	got, err := records(text, ',')
	want, wantErr := referee(text, ',')
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q: %v, encoding/csv: %v", text, err, wantErr)
	}
	if len(want) > 0 && len(want[0]) == 1 { // an empty line is a record
		got = slices.DeleteFunc(got, func(r []string) bool { return r[0] == "" })
		want = slices.DeleteFunc(want, func(r []string) bool { return r[0] == "" })
	}
	if err == nil && !slices.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%q: %q, encoding/csv: %q", text, got, want)
	}
}

// Every text of up to seven characters that matter.
func TestRecordsEnumerated(t *testing.T) {
	const alphabet = "a,\"\n"
	for length := range 8 {
		total := 1
		for range length {
			total *= len(alphabet)
		}
		text := make([]byte, length)
		for code := range total {
			for i := range text {
				text[i] = alphabet[code%len(alphabet)]
				code /= len(alphabet)
			}
			agree(t, string(text))
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add("p,q\n\"a\"\"b\",\"c\nd\"\n")
	f.Add("p\n\n0.1\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.Contains(text, "\r") && !strings.Contains(text, "\ufeff") && len(text) < MostBytes {
			agree(t, text)
		}
	})
}

// What a writer of CSV puts out comes back as it was, carriage returns too.
func TestRecordsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	pieces := []string{"a", "é", ",", "\"", "\n", "\r\n", " ", "=", ";", "\t", "0.05",
		"long" + strings.Repeat("x", 70_000)}
	for range 200 {
		var want [][]string
		width := 1 + r.IntN(4)
		var b strings.Builder
		for range 1 + r.IntN(20) {
			row := make([]string, width)
			for j := range row {
				for range r.IntN(4) {
					row[j] += pieces[r.IntN(len(pieces)-1)]
				}
				if r.IntN(200) == 0 {
					row[j] += pieces[len(pieces)-1]
				}
				if j > 0 {
					b.WriteByte(',')
				}
				b.WriteString(`"` + strings.ReplaceAll(row[j], `"`, `""`) + `"`)
			}
			b.WriteString([]string{"\n", "\r\n"}[r.IntN(2)])
			want = append(want, row)
		}
		got, err := records(b.String(), ',')
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%v\ngot  %q\nwant %q", err, got, want)
		}
	}
}

// A byte order mark, empty lines and the line by which spreadsheets name the separator stand above a header.
func TestHeader(t *testing.T) {
	for text, want := range map[string]struct {
		separator byte
		columns   []string
		next      []string // cells of the next record
		line      int
	}{
		"id,p\na,1\n":                             {',', []string{"id", "p"}, []string{"a", "1"}, 2},
		"\ufeff\r\nid;p\r\na;0,1\r\n":             {';', []string{"id", "p"}, []string{"a", "0,1"}, 3},
		"sep=;\nid;p\na;0,1\n":                    {';', []string{"id", "p"}, []string{"a", "0,1"}, 3},
		"\ufeffsep=;\r\nid,a;p\r\n\r\nb;1\r\n":    {';', []string{"id,a", "p"}, []string{"b", "1"}, 4},
		"\"sep=,\"\nid;a,p\nb,1\n":                {',', []string{"id;a", "p"}, []string{"b", "1"}, 3},
		"SEP=\t\nid,a\tp\nb\t1\n":                 {'\t', []string{"id,a", "p"}, []string{"b", "1"}, 3},
		"sep=;\np\n0,1\n":                         {';', []string{"p"}, []string{"0,1"}, 3},
		"sep=;,p\na,1\n":                          {',', []string{"sep=;", "p"}, []string{"a", "1"}, 2}, // a name
		"sep\tid\nx\ty\n":                         {'\t', []string{"sep", "id"}, []string{"x", "y"}, 2},
		"sep=\nx\n":                               {',', []string{"sep="}, []string{"x"}, 2},
		"id,\"two\nlines\"\na,1\n":                {',', []string{"id", "two\nlines"}, []string{"a", "1"}, 3},
		"\n\nid,\"\"\"q\"\"\"\n\na,\"1,\"\nb,2\n": {',', []string{"id", `"q"`}, []string{"a", "1,"}, 5},
	} {
		s := NewSplitter(strings.NewReader(text), 0)
		columns, err := s.Header()
		if err != nil || s.Separator != want.separator || !slices.Equal(columns, want.columns) {
			t.Errorf("%q: got %q between %q, %v", text, columns, s.Separator, err)
			continue
		}
		cells, _, err := s.Record()
		if err != nil || !slices.Equal(cells, want.next) || s.Line != want.line {
			t.Errorf("%q: got %q in line %d, %v", text, cells, s.Line, err)
		}
	}
	for text, want := range map[string]string{
		"": "EOF", "\ufeff\n\n": "EOF", "sep=;\n": "EOF", "id,\"p\n": "line 1: got a quote that is left open",
		"sep=|\nid|p\n": `line 1: got the separator "|", want a comma, a semicolon or a tab`,
	} {
		if _, err := NewSplitter(strings.NewReader(text), 0).Header(); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// A table without a header is read again from its first record, at its line.
func TestAgain(t *testing.T) {
	for text, want := range map[string]int{"0,1\n": 1, "\ufeff0,1\n": 1, "\ufeffsep=;\n0,1\n2\n": 2} {
		s := NewSplitter(strings.NewReader(text), ';')
		if strings.Contains(text, "sep") {
			s.Separator = 0
		}
		if _, err := s.Header(); err != nil {
			t.Fatal(err)
		}
		again := s.Again(strings.NewReader(text))
		cells, _, err := again.Record()
		if err != nil || !slices.Equal(cells, []string{"0,1"}) || again.Line != want || again.Offset != s.Offset {
			t.Errorf("%q: got %q in line %d at %d, %v", text, cells, again.Line, again.Offset, err)
		}
	}
}

// A decimal comma is one between semicolons alone, and no separator of thousands beside a point.
func TestPoint(t *testing.T) {
	for _, c := range []struct{ cell, want string }{
		{"0,5", "0.5"}, {"-1,5e-3", "-1.5e-3"}, {"<0,001", "<0.001"}, {"1,234", "1.234"}, {"1.234,5", "1.234,5"}, {"1,2,3", "1,2,3"},
		{"1.5", "1.5"}, {"", ""}, {"NA", "NA"},
	} {
		if got := Point(c.cell, ';'); got != c.want {
			t.Errorf("%q: got %q, want %q", c.cell, got, c.want)
		}
		for _, separator := range []byte{',', '\t', 0} {
			if got := Point(c.cell, separator); got != c.cell {
				t.Errorf("%q between %q: got %q", c.cell, separator, got)
			}
		}
	}
}
