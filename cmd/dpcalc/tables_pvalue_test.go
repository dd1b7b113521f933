package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// The thresholds of docs/use/p-values.md, for 10,000 independent records and alpha = 0.05, with six
// digits, rounded down.
func TestThresholdTables(t *testing.T) {
	percent := []float64{0.001, 0.003, 0.01, 0.03, 0.1}
	var pure []sourceOf
	for _, x := range percent {
		label := []string{shortDecimal(100 * x), shortDecimal(x)} // 100 is sqrt n
		pure = append(pure, sourceOf{label, maxinfo.PureDP{Epsilon: x}})
	}
	checkTables(t, "../../docs/use/p-values.md", []pageTable{
		thresholds{"pvalue-pure", []string{"eps sqrt n", "epsilon"},
			[]string{"renyi", "kl", "max-info-dwork15", "max-info-any"}, pure},
	})
}

func shortDecimal(x float64) string { return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'f', -1, 64) }

// thresholds is a table with a row for each source of pure privacy, a column for each method, and the threshold that no
// rule for pure privacy can pass.
type thresholds struct {
	title   string
	heads   []string
	methods []string
	sources []sourceOf
}

type sourceOf struct {
	labels []string
	step   maxinfo.Step
}

func (c thresholds) name() string { return c.title }

func (c thresholds) markdown(t *testing.T) string {
	var b strings.Builder
	line := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head := slices.Clone(c.heads)
	for _, m := range c.methods {
		head = append(head, "`"+m+"`")
	}
	head = append(head, "limit")
	line(head...)
	b.WriteString("|" + strings.Repeat(" ---: |", len(head)) + "\n")
	const alpha = 0.05
	for _, s := range c.sources {
		all, err := pvalue.Corrections(maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData,
			Steps: []maxinfo.Step{s.step}})
		if err != nil {
			t.Fatal(err)
		}
		cells := slices.Clone(s.labels)
		for _, name := range c.methods {
			for _, correction := range all {
				if correction.Name == name {
					gamma, err := correction.Threshold(theory.LogProb(math.Log(alpha)))
					if err != nil {
						t.Fatal(err)
					}
					cells = append(cells, cutDigits(gamma.Ln(), math.Floor, 1e-10))
				}
			}
		}
		// The limit is Phi(Phi^-1(alpha) - eps sqrt n/2), rounded up.
		x := 100 * s.step.(maxinfo.PureDP).Epsilon
		z := math.Sqrt2 * math.Erfinv(1-2*alpha)
		cells = append(cells, cutDigits(math.Log(math.Erfc((z+x/2)/math.Sqrt2)/2), math.Ceil, -1e-10))
		if len(cells) != len(head) {
			t.Fatalf("%s: %d cells for %d columns", c.title, len(cells), len(head))
		}
		line(cells...)
	}
	return b.String()
}

// cutDigits rounds e^ln to six digits; what lies within the relative slack of one more
// unit is one.
func cutDigits(ln float64, round func(float64) float64, slack float64) string {
	if math.IsInf(ln, -1) {
		return "0"
	}
	exponent := math.Floor(ln / math.Ln10)
	mantissa := math.Pow(10, ln/math.Ln10-exponent) * 1e5
	mantissa = round(mantissa * (1 + slack))
	if mantissa >= 1e6 {
		mantissa, exponent = mantissa/10, exponent+1
	}
	digits := strings.TrimRight(strconv.Itoa(int(mantissa)), "0")
	switch {
	case exponent < 0 && exponent >= -4:
		return "0." + strings.Repeat("0", int(-exponent)-1) + digits
	case len(digits) > 1:
		digits = digits[:1] + "." + digits[1:]
	}
	return digits + "e" + strconv.Itoa(int(exponent))
}
