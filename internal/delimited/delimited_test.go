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
