package pvalue

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// everyKind is a plan for every kind of step, alone, and before and after others.
func everyKind() (plans []maxinfo.Plan) {
	later := [][]maxinfo.Step{
		nil, {maxinfo.OneOfNats(2)}, {maxinfo.MaxInformation{Nats: 0.5, Slack: -9, Always: true}},
	}
	for _, k := range maxinfo.Kinds() {
		for _, more := range later {
			for _, steps := range [][]maxinfo.Step{slices.Concat([]maxinfo.Step{k.Example}, more),
				slices.Concat(more, []maxinfo.Step{k.Example})} {
				plans = append(plans, maxinfo.Plan{Samples: 1000, Data: maxinfo.ProductData, Steps: steps})
			}
		}
	}
	return append(plans, maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MutualInformation{}}})
}

// around are the float64 from some before x to some after it, x in the middle.
func around(x float64) []float64 {
	all := []float64{x}
	lo, hi := x, x
	for range 12 {
		lo, hi = math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))
		all = append(all, lo, hi)
	}
	return append(all, x*0.999, x*1.001, x/2, x*2)
}

// equivalent holds a test's threshold and adjusted values against each other at the float64 around
// the threshold, of logarithms and of numbers, and says how many it has seen.
func equivalent(test Test) (seen int, err error) {
	for _, ln := range around(test.Threshold.Ln()) {
		p := theory.LogProb(ln)
		if !p.IsValid() {
			continue
		}
		seen++
		if a := must(test.Adjusted(p)); (p <= test.Threshold) != (a <= test.Alpha) || !(a >= p || p > test.Threshold) {
			return seen, fmt.Errorf("%s at ln alpha %.17g: ln p %.17g, threshold %.17g, adjusted %.17g",
				test.Correction.Name, test.Alpha.Ln(), ln, test.Threshold.Ln(), a.Ln())
		}
	}
	cut := test.ThresholdFloat()
	whole, ok := new(big.Float).SetString(test.Alpha.String())
	if rest, complement := strings.CutPrefix(test.Alpha.String(), "1-"); complement {
		if whole, ok = new(big.Float).SetString(rest); ok {
			whole.Sub(big.NewFloat(1), whole)
		}
	}
	if !ok {
		return seen, fmt.Errorf("alpha %v is no number", test.Alpha)
	}
	alpha, _ := whole.Float64()
	if alpha == 1 {
		return seen, nil
	}
	for _, x := range around(cut) {
		if !(x >= 0 && x < 1) {
			continue
		}
		seen++
		p, err := theory.ParseLogProb(strconv.FormatFloat(x, 'g', -1, 64))
		if err != nil {
			return seen, err
		}
		a := must(test.Adjusted(p))
		shown := test.AdjustedFloat(a)
		if (x <= cut) != (shown <= alpha) || (x <= cut) != (p <= test.Threshold) {
			return seen, fmt.Errorf("%s at alpha %g: p %g, threshold %g, adjusted %g, in logarithms %.17g, %.17g",
				test.Correction.Name, alpha, x, cut, shown, p.Ln(), test.Threshold.Ln())
		}
		if shown < a.Value() && shown != alpha {
			return seen, fmt.Errorf("%s: e^%.17g is shown as %g", test.Correction.Name, a.Ln(), shown)
		}
	}
	return seen, nil
}

// A p-value is at most the threshold if and only if its adjusted value is at most alpha, at every
// float64 around the threshold: for every kind of step and levels from 1e-300 to nearly one.
func TestThresholdAndAdjustedAreEquivalent(t *testing.T) {
	seen := 0
	for _, text := range []string{
		"1e-4343", "5e-324", "1e-319", "1e-312", "1e-300", "1e-30", "1e-8", "1e-5", "0.001", "0.005", "0.01", "0.025",
		"0.05", "0.1", "0.2", "0.3",
		"0.36787944117144233", "0.36787944117144236", "0.5", "0.7", "0.9", "0.99", "0.999999",
	} {
		for _, plan := range everyKind() {
			tests, err := Tests(plan, prob(t, text))
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range tests {
				if test.Status != theory.OK {
					continue
				}
				n, err := equivalent(test)
				if seen += n; err != nil {
					t.Error(err)
				}
			}
		}
	}
	if seen < 30_000 {
		t.Errorf("%d points", seen)
	}
}

// The same for random plans and levels.
func TestThresholdAndAdjustedAreEquivalentAtRandom(t *testing.T) {
	lawtest.Check(t, 20152, 300, func(s source, alpha theory.LogProb) (bool, error) {
		for _, c := range usable(s.plan) {
			test, err := c.At(alpha)
			if err != nil || test.Status != theory.OK {
				return err == nil && test.Status == theory.Vacuous, err
			}
			if _, err := equivalent(test); err != nil {
				return false, err
			}
		}
		return true, nil
	}, drawn(anySource), drawn(level))
}

// The threshold as a float64 is on the safe side, at most e^gamma for the gamma of the correction,
// and at most 1e-14 below it where the float64 is a normal number.
func TestThresholdFloatIsSafe(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	plans, seen := everyKind(), 0
	for range 2000 {
		alpha := theory.LogProb(-pick(r, 1e-9, 1e3))
		for _, c := range usable(plans[r.IntN(len(plans))]) {
			test, err := c.At(alpha)
			if err != nil {
				t.Fatal(err)
			}
			cut, gamma := test.ThresholdFloat(), must(c.Threshold(alpha))
			if cut < 1e-300 {
				continue
			}
			seen++
			short := num.FromFloat(gamma.Ln()).Sub(num.FromFloat(cut).Ln()).Float()
			if !(short >= 0 && short <= 1e-14*(1-gamma.Ln())) {
				t.Errorf("%s at ln alpha %g: ln gamma %.17g, threshold %g, %g short", c.Name, alpha.Ln(), gamma.Ln(), cut, short)
			}
		}
	}
	if seen < 1500 {
		t.Errorf("%d thresholds", seen)
	}
}

// A correction that does not apply, a plan without a number, and a threshold of zero are three
// different things.
func TestStatusOfATest(t *testing.T) {
	alpha := prob(t, "0.05")
	for _, c := range []struct {
		name   string
		plan   maxinfo.Plan
		status theory.Status
	}{
		{"renyi", maxinfo.Plan{Samples: 10, Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: 1}}}, theory.NotApplicable},
		{"", maxinfo.Plan{Samples: 1 << 53, Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: 1e300}}}, theory.Infeasible},
		{"max-info", maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.MaxInformation{Nats: 1, Slack: alpha}}}, theory.Vacuous},
		{"bonferroni", maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.OneOfNats(1)}}, theory.OK},
	} {
		tests, err := Tests(c.plan, alpha)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(tests, func(test Test) bool { return test.Correction.Name == c.name })
		if i < 0 {
			t.Errorf("%q is not among %v", c.name, tests)
			continue
		}
		test := tests[i]
		ok := c.status == theory.OK
		if test.Status != c.status || (test.Reason == "") != ok || (test.Threshold > theory.Zero) != ok {
			t.Errorf("%s: %s, %q, threshold %v, want %s", c.name, test.Status, test.Reason, test.Threshold, c.status)
		}
		if _, err := test.Adjusted(-5); (err == nil) != c.status.Applies() {
			t.Errorf("%s, %s: adjusted: %v", c.name, test.Status, err)
		}
		if best := Best(tests); best >= 0 && tests[best].Status != theory.OK {
			t.Errorf("%s: the best is %s", c.name, tests[best].Status)
		}
	}
	if _, err := (Test{}).Adjusted(-5); err == nil {
		t.Error("a test that is none adjusts")
	}
	if _, err := Tests(maxinfo.Plan{Steps: []maxinfo.Step{maxinfo.OneOfNats(1)}}, 0); err == nil {
		t.Error("a test at level one")
	}
}

// A test that leaves nothing rejects no p above zero, even where the adjusted value of the
// correction, which a search may have found a little lower, would.
func TestVacuousTestRejectsNothing(t *testing.T) {
	test := Test{Correction: Correction{rule: rule{worst: func(float64) float64 { return -9 }}}}
	test.Alpha, test.Threshold, test.Status = -3, theory.Zero, theory.Vacuous
	if a := must(test.Adjusted(-20)); !(a > test.Alpha) {
		t.Errorf("adjusted %v, alpha %v", a, test.Alpha)
	}
}

// The best test is the first of those with the greatest threshold.
func TestBestTest(t *testing.T) {
	ok := func(threshold theory.LogProb) Test { return Test{Threshold: threshold, Status: theory.OK} }
	left := Test{Threshold: -1, Status: theory.NotApplicable}
	for _, c := range []struct {
		tests []Test
		want  int
	}{
		{nil, -1}, {[]Test{left}, -1}, {[]Test{left, ok(-9)}, 1},
		{[]Test{ok(-9), ok(-8), ok(-8), left}, 1}, {[]Test{ok(-7), ok(-8)}, 0},
	} {
		if got := Best(c.tests); got != c.want {
			t.Errorf("%v: %d, want %d", c.tests, got, c.want)
		}
	}
}

// A test that was fixed in advance rejects up to its level, and its p-values stand.
func TestFixed(t *testing.T) {
	for _, alpha := range []string{"0.05", "1e-9", "1e-4000", "0.999"} {
		level := prob(t, alpha)
		test, err := Fixed(level)
		if err != nil || test.Threshold != level || test.Status != theory.OK {
			t.Fatalf("%s: %v, %v", alpha, test, err)
		}
		for _, p := range []theory.LogProb{theory.Zero, level * 2, level, level / 2, 0} {
			if got, err := test.Adjusted(p); err != nil || got != p {
				t.Errorf("alpha %s, p %v: %v, %v", alpha, p, got, err)
			}
		}
	}
	for _, alpha := range []theory.LogProb{0, theory.Zero, 1} {
		if _, err := Fixed(alpha); err == nil {
			t.Errorf("alpha %v: no error", alpha)
		}
	}
}

func BenchmarkThresholdFloat(b *testing.B) {
	for _, alpha := range []theory.LogProb{-3, -690} {
		test := Test{Threshold: alpha, Alpha: alpha, Status: theory.OK}
		b.Run(alpha.String(), func(b *testing.B) {
			for b.Loop() {
				test.ThresholdFloat()
			}
		})
	}
}

func BenchmarkAt(b *testing.B) {
	for _, plan := range everyKind()[:3] {
		for _, c := range usable(plan) {
			b.Run(c.Name, func(b *testing.B) {
				for b.Loop() {
					if _, err := c.At(prob(b, "0.05")); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
