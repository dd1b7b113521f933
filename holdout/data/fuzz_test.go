package data

import (
	"bufio"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
)

// pairsOf is a table of lines with an id and a value on each, separated by a blank.
func pairsOf(text string) Table {
	return func(visit func(id, value string) error) error {
		lines := bufio.NewScanner(strings.NewReader(text))
		for lines.Scan() {
			id, value, _ := strings.Cut(lines.Text(), " ")
			if err := visit(id, value); err != nil {
				return err
			}
		}
		return lines.Err()
	}
}

// fits says by a map and by fractions whether a table has every id of the labels once, each with any text or with a
// decimal number in [0, 1].
func fits(l *Labels, table Table, number bool) (texts map[string]string, want map[string]float64, ok bool) {
	texts, want, ok = make(map[string]string), make(map[string]float64), true
	err := table(func(id, value string) error {
		x, known := 0., true
		if number {
			r, parsed := new(big.Rat).SetString(value)
			if known = parsed && !strings.ContainsAny(value, "/_xXpPbBoO"); known {
				x, _ = r.Float64()
			}
			known = known && x >= 0 && x <= 1 && (x != 0 || r.Sign() == 0)
		}
		_, again := want[id]
		texts[id], want[id] = value, x
		ok = ok && known && !again
		return nil
	})
	for _, id := range l.IDs {
		_, there := want[id]
		ok = ok && there
	}
	return texts, want, ok && err == nil && len(want) == len(l.IDs)
}

// FuzzPredictions compares what a table of predictions is read as with a map of its rows. What is refused is an
// [InputError] of one line, and the same rows in another order have the same fingerprint.
func FuzzPredictions(f *testing.F) {
	labels, err := NewLabels(Columns([]string{"1", "2", "a"}, []string{"yes", "no", "yes"}))
	if err != nil {
		f.Fatal(err)
	}
	plain, err := NewLabels(Columns([]string{"x", "y"}, []string{"0", "1"}))
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{
		"x 0\ny 1\n", "y 1e0\nx 0.5", "x 1\nx 1\ny 0", "x NaN\ny 1", "x 0x1p-1\ny 1", "y -0\nx +.5", "1 yes\n2 no\na yes\n",
		"x 1.0000000000000001\ny 1", "x 1e-400\ny 1.", "", "x\ny", "x \xff\ny 1", "x Inf\ny _1", "z 1\nx 1\ny 1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "eE") && len(text) > 60 {
			return // fractions of huge exponents take long
		}
		table := pairsOf(text)
		for _, name := range []string{metric.Accuracy, form.ColumnPrefix + "x"} {
			for _, l := range []*Labels{labels, plain} {
				in := Reader{Rows: l.Roster, Match: form.Exact}
				got, err := in.Read(name, false, table)
				texts, want, ok := fits(l, table, name != metric.Accuracy)
				input := (*form.InputError)(nil)
				if ok != (err == nil) || err != nil && (!errors.As(err, &input) || strings.Contains(err.Error(), "\n")) {
					t.Fatalf("%s: got %v, want %v", name, err, ok)
				}
				if err != nil {
					continue
				}
				var ids, values []string
				_ = table(func(id, value string) error {
					ids, values = append([]string{id}, ids...), append([]string{value}, values...)
					return nil
				})
				again, err := in.Read(name, false, Columns(ids, values))
				if err != nil || again.Fingerprint() != got.Fingerprint() {
					t.Errorf("%s: another order is another look: %v", name, err)
				}
				for i, id := range l.IDs {
					if name == metric.Accuracy {
						if text := got.texts[int(got.Of[i])]; text != texts[id] {
							t.Errorf("id %q: got %q, want %q", id, text, texts[id])
						}
					} else if x := want[id]; math.Abs(got.Of[i]-x) > 0 {
						t.Errorf("%s: id %q: got %v, want %v", name, id, got.Of[i], x)
					}
				}
			}
		}
	})
}
