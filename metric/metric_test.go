package metric

import (
	"fmt"
	"math"
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
			if even := m.Ratio.At(bar, bar, 1); math.Abs(even-m.Ratio.Even(bar)) > 1e-15 {
				t.Errorf("%s at its bar %v: %v, want %v", m.Name, bar, even, m.Ratio.Even(bar))
			}
		}
	}
	if _, ok := Of("column:"); ok {
		t.Error("a column without a name")
	}
}

// forecasts are numbers in [0,1] down to the least ones.
func forecasts() (list []float64) {
	for e := -1074; e <= 0; e++ {
		for _, x := range []float64{1, 1.1, 1.9999} {
			list = append(list, math.Ldexp(x, e)/2)
		}
	}
	return append(list, 0, 0.3, 1e-160, 9.99e-101, math.Nextafter(1, 0), 1)
}

// No operation on a label has an operand or a result, before it is rounded to 0, below the least normal number, for
// which a processor takes longer: they are counted for every forecast and truth, and none is left. The value of a row
// is as it was.
func TestNoLossIsDenormal(t *testing.T) {
	slow := func(x float64) bool { return x != 0 && math.Abs(x) < 0x1p-1022 }
	counts := make(map[string]int)
	for _, x := range forecasts() {
		for _, y := range []float64{0, 1, 0.3, 1e-160, 5e-324} {
			g := gap(x, y)
			if slow(g) || g != 0 && math.Abs(g) < 0x1p-511 {
				counts["gap"]++
			}
			if got := squared(x, y, 0); 1-got != 1-(x-y)*(x-y) {
				t.Errorf("the value of a row with the forecast %v and the truth %v is %v", x, y, 1-got)
			}
			for _, m := range All() {
				if m.Loss != nil && (y == 0 || y == 1) && slow(m.Loss(x, y, 5)) {
					counts[m.Name]++
				}
			}
		}
		if g := gap(x, 0); x < 1e-100 && g != 0 {
			t.Errorf("%v is read as %v, want 0", x, g)
		}
	}
	if len(counts) > 0 {
		t.Errorf("got %v slow operations, want none", counts)
	}
}
