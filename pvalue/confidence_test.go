package pvalue

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// decimalLevel reads a level's text as an exact number.
func decimalLevel(t *testing.T, text string) *big.Float {
	t.Helper()
	rest, complement := strings.CutPrefix(text, "1-")
	x, _, err := big.ParseFloat(rest, 10, 400, big.ToNearestEven)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if complement {
		return x
	}
	return x.Sub(big.NewFloat(1).SetPrec(400), x) // its complement
}

// The text of a level is a decimal whose complement is at most e^Miss, and near it; so is the float64; and what is
// read has no smaller complement.
func TestConfidenceText(t *testing.T) {
	r := rand.New(rand.NewPCG(201, 202))
	for range 2000 {
		miss := level(r)
		if miss < -700 {
			miss = theory.LogProb(-pick(r, 1e-3, 700))
		}
		c := Confidence{miss}
		exact, _ := new(big.Float).SetPrec(400).SetString(number(miss.Ln()).Exp().Text('e'))
		for _, digits := range []int{3, 6, 16} {
			got := decimalLevel(t, c.Text(digits))
			share, _ := new(big.Float).Quo(got, exact).Float64()
			if got.Cmp(exact) > 0 || share < 1-2*math.Pow(10, float64(1-digits)) {
				t.Errorf("ln miss %g, %d digits: %s", miss.Ln(), digits, c.Text(digits))
			}
		}
		if x, ok := c.Float(); ok {
			rest := new(big.Float).SetPrec(400).Sub(big.NewFloat(1), big.NewFloat(x))
			if rest.Cmp(exact) > 0 {
				t.Errorf("ln miss %g: the float64 %g is too small", miss.Ln(), x)
			}
		} else if miss > -36 {
			t.Errorf("ln miss %g: no float64", miss.Ln())
		}
		if strings.HasPrefix(c.String(), "0.") || strings.HasPrefix(c.String(), "1-") {
			back, err := ParseConfidence(c.String())
			if err != nil || math.Abs(back.Miss.Ln()-miss.Ln()) > 1e-14*(1+math.Abs(miss.Ln()))/min(1, -miss.Ln()) {
				t.Errorf("%s reads as %v, %v, want ln %g", c, back.Miss.Ln(), err, miss.Ln())
			}
		}
	}
	for text, want := range map[string]string{"0.95": "0.05", "98.7%": "0.013", "0.999999999999999999999": "1e-21",
		"1-1e-400": "1e-400", ".5": "0.5", "5e-1": "0.5", "95E-2": "0.05", "1e-3": "0.999", "9.5e1%": "0.05"} {
		c, err := ParseConfidence(text)
		if err != nil || !(c.Miss >= prob(t, want) && c.Miss.Ln() < prob(t, want).Ln()*(1-1e-15)) {
			t.Errorf("%s: %v, %v, want %s", text, c.Miss, err, want)
		}
	}
	for _, text := range []string{"", "0", "1", "1.0", "-0.5", "1.5", "NaN", "abc", "100%", "0%", "1-0", "1-1", "5e0",
		"1e-401", "5e", "5e-1e1", "0e-3", "1/2", "0x1p-1", "1_0e-2"} {
		if c, err := ParseConfidence(text); !errors.As(err, new(*theory.DomainError)) {
			t.Errorf("%q reads as %v", text, c.Miss)
		}
	}
	if got := (Confidence{prob(t, "0.0129766")}).Text(6); got != "0.9870234" && got != "0.98702341" {
		t.Errorf("%s", got)
	}
}

// A level next to zero is read and written by its own digits: no float64 of its complement has them.
func TestConfidenceNextToZero(t *testing.T) {
	for _, text := range []string{"1e-10", "2.5E-10", "0.000000000012345678", "1e-20", "1e-300", "3e-308"} {
		level, _, err := big.ParseFloat(text, 10, 400, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ParseConfidence(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		exact, _ := level.Float64()
		if x, ok := c.Float(); !ok || !(x >= exact*(1-1e-15) && x <= exact*(1+1e-14)) {
			t.Errorf("%s is %v as a float64", text, x)
		}
		if got := -math.Expm1(c.Miss.Ln()); !(got <= exact && got >= exact*(1-1e-15)) {
			t.Errorf("%s: misses with 1-%v", text, got)
		}
		for _, digits := range []int{3, 6, 16} {
			shown, err := strconv.ParseFloat(c.Text(digits), 64)
			if err != nil || !(shown >= exact*(1-1e-15) && shown <= exact*(1+2*math.Pow(10, float64(1-digits)))) {
				t.Errorf("%s in %d digits is %s", text, digits, c.Text(digits))
			}
		}
	}
}

// The level is one minus the threshold, but for a gate, and back from the level comes alpha.
func TestConfidenceIsOneMinusThreshold(t *testing.T) {
	for _, plan := range everyKind() {
		for _, test := range tested(t, plan, "0.05") {
			level, err := test.Confidence()
			if test.Status != theory.OK {
				if !errors.As(err, new(*theory.NoAnswerError)) {
					t.Errorf("%v, %s: %v, %v", plan.Steps, test.Correction.Name, level, err)
				}
				continue
			}
			_, gate := plan.Steps[len(plan.Steps)-1].(maxinfo.Gates)
			if err != nil || (level.Miss == test.Threshold) == gate || level.Miss > test.Threshold {
				t.Errorf("%v, %s: %v, %v, threshold %v", plan.Steps, test.Correction.Name, level, err, test.Threshold)
			}
			back, err := test.Correction.Alpha(level)
			if err != nil || slack(back) > test.Alpha || back.Ln() < test.Alpha.Ln()*(1+1e-6) {
				t.Errorf("%v, %s: back to %v, %v", plan.Steps, test.Correction.Name, back, err)
			}
		}
	}
	if _, err := (Correction{}).Alpha(Confidence{}); !errors.As(err, new(*theory.DomainError)) {
		t.Errorf("level zero: %v", err)
	}
}

// The example of docs/theorems/pvalue.md: two looks, the first null hypothesis false. Every interval misses
// with probability g, and one of those shown with 3g, so that alpha/N = alpha/2 is not enough and alpha/N' =
// alpha/3 is.
func TestIntervalsBehindAGate(t *testing.T) {
	gate := tested(t, maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.Gates{Looks: 2, Passes: 2}}}, "0.05")[0]
	level, err := gate.Confidence()
	if err != nil {
		t.Fatal(err)
	}
	shown := func(g float64) (misses float64) { // the share of U in [0,1) at which an interval on the path misses
		const cells = 3_000_000
		for i := range cells {
			u := (float64(i) + 0.5) / cells
			missed := u <= g
			if u <= 2*g { // rejected
				missed = missed || u > g && u <= 2*g
			} else {
				missed = missed || u > 2*g && u <= 3*g
			}
			if missed {
				misses += 1. / cells
			}
		}
		return misses
	}
	if p := shown(gate.Threshold.Value()); !(p > 0.05*1.49) {
		t.Errorf("at the threshold of a test %g miss", p)
	}
	if p := shown(level.Miss.Value()); !(p <= 0.05*(1+1e-6) && p > 0.0499) {
		t.Errorf("at the level of an interval %g miss", p)
	}
}

// An e-value rejects from one over the threshold on, at every float64 around it.
func TestEValues(t *testing.T) {
	gate := tested(t, maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.Gates{Looks: 20, Passes: 3}}}, "0.05")[0]
	const nodes = 1 + 19 + 171 + 969
	const e = nodes / 0.05
	for _, x := range []float64{e * (1 - 1e-12), e * (1 + 1e-12)} {
		p, err := ParseEValue(big.NewFloat(x).Text('e', 17))
		if err != nil {
			t.Fatal(err)
		}
		if rejects := must(gate.Adjusted(p)) <= gate.Alpha; rejects != (x >= e) {
			t.Errorf("e = %.17g: rejects is %v, threshold %.17g", x, rejects, e)
		}
	}
	for text, want := range map[string]float64{"0": 0, "0.5": 0, "1": 0, "20": -math.Log(20), "1e400": -400 * math.Ln10,
		"inf": math.Inf(-1)} {
		if p, err := ParseEValue(text); err != nil || !(p.Ln() >= want && p.Ln() <= want+1e-15*math.Abs(want)) &&
			p.Ln() != want {
			t.Errorf("%s: %v, %v", text, p.Ln(), err)
		}
	}
	for _, text := range []string{"", "-1", "-0.5", "nan", "e", "1,5", "0x10"} {
		if p, err := ParseEValue(text); !errors.As(err, new(*theory.DomainError)) {
			t.Errorf("%q reads as %v", text, p)
		}
	}
}

// A level whose complement lies beyond the digits of its logarithm is written by a power of ten alone. The power is
// compared with digits of 1/ln 10 that are known beforehand.
func TestConfidenceFarBelowEveryFloat(t *testing.T) {
	const inverse = "0.43429448190325182765112891891660508229439700580366656611445378316586464920887"
	for _, ln := range []float64{-4.1e16, -1e20, -0x1p70, -1e100, -3e307} {
		digits, ok := strings.CutPrefix(Confidence{theory.LogProb(ln)}.Text(6), "1-1e-")
		got, read := new(big.Int).SetString(digits, 10)
		if !ok || !read {
			t.Fatalf("ln miss %g: %s", ln, Confidence{theory.LogProb(ln)})
		}
		places, _ := new(big.Float).SetPrec(400).SetString(inverse)
		places.Mul(places, new(big.Float).SetPrec(400).SetFloat64(-ln))
		above := new(big.Float).SetPrec(400).Sub(new(big.Float).SetInt(got), places)
		share, _ := new(big.Float).Quo(above, places).Float64()
		if above.Sign() < 0 || share > 1e-16 {
			t.Errorf("ln miss %g: the power is %s, %g of it above", ln, digits, share)
		}
	}
}
