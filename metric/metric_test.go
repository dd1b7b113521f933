package metric

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
)

// The page has the list as the program has it.
func TestThePageHasTheList(t *testing.T) {
	page, err := os.ReadFile("../docs/use/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range All() {
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", m.Name, m.Summary, m.Promise); !strings.Contains(string(page), row) {
			t.Errorf("docs/use/metrics.md has no row\n%s", row)
		}
	}
}

// Values are in [0,1] at all ends, losses are clipped, and a ratio is at its bar where its value is even.
func TestValuesOfMetrics(t *testing.T) {
	for _, m := range All() {
		if found, ok := Of(strings.Replace(m.Name, "NAME", "x", 1)); !ok || found.Name != m.Name {
			t.Errorf("%s is not found", m.Name)
		}
		if m.Loss != nil {
			for _, x := range []float64{0, 1e-300, 0.3, 1} {
				for _, y := range []float64{0, 0.5, 1} {
					if loss := m.Loss(x, y, 5); !(loss >= 0 && loss <= 1) {
						t.Errorf("%s of %v at %v: %v", m.Name, x, y, loss)
					}
				}
			}
		}
		if m.Ratio == nil {
			continue
		}
		for _, bar := range []float64{0, 0.3, 0.9, 1} {
			for _, row := range [][2]float64{{1, 1}, {1, 0}, {0, 1}, {0, 0}} {
				n, d := m.Ratio.Row(row[0] == 1, row[1])
				if v := m.Ratio.At(bar, n, d); !(v >= 0 && v <= 1+1e-15) || n > d ||
					d > max(m.Ratio.Both, m.Ratio.FalsePositive, m.Ratio.FalseNegative) {
					t.Errorf("%s of %v at %v: N %v, D %v, value %v", m.Name, row, bar, n, d, v)
				}
			}
			least, greatest := 1e9, -1e9
			for _, row := range [][2]float64{{1, 1}, {1, 0}, {0, 1}, {0, 0}} {
				n, d := m.Ratio.Row(row[0] == 1, row[1])
				least, greatest = min(least, n-bar*d), max(greatest, n-bar*d)
			}
			from, to := m.Ratio.Ends(new(big.Rat).SetFloat64(bar))
			if a, _ := from.Float64(); a != least {
				t.Errorf("%s at the bar %v: least value %v, want %v", m.Name, bar, a, least)
			}
			if b, _ := to.Float64(); math.Abs(b-greatest) > 1e-15 {
				t.Errorf("%s at the bar %v: greatest value %v, want %v", m.Name, bar, b, greatest)
			}
			if even := m.Ratio.At(bar, bar, 1); math.Abs(even-m.Ratio.Even(bar)) > 1e-15 {
				t.Errorf("%s at its bar %v: %v, want %v", m.Name, bar, even, m.Ratio.Even(bar))
			}
		}
	}
	if _, ok := Of("column:"); ok {
		t.Error("a column without a name")
	}
}
