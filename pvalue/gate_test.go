package pvalue

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// worstGate is the largest sum over the nodes with a true null hypothesis of a tree of looks, each node true
// or false: at a true one a rejection is what goes wrong, at a false one nothing does.
func worstGate(looks, passes int64, memory map[[2]int64]float64) float64 {
	if looks == 0 || passes == 0 {
		return 0
	}
	at := [2]int64{looks, passes}
	if x, ok := memory[at]; ok {
		return x
	}
	not := worstGate(looks-1, passes, memory)
	memory[at] = max(1+not, not+worstGate(looks-1, passes-1, memory))
	return memory[at]
}

// The counts of a gate against recursions over its tree: true null hypotheses, transcripts, and looks.
func TestNodesOfTheWorstGate(t *testing.T) {
	memory := map[[2]int64]float64{}
	var transcripts, looks func(m, b int64) float64
	transcripts = func(m, b int64) float64 {
		if m == 0 || b == 0 {
			return 1
		}
		return transcripts(m-1, b) + transcripts(m-1, b-1)
	}
	looks = func(m, b int64) float64 {
		if m == 0 || b == 0 {
			return 0
		}
		return 1 + looks(m-1, b) + looks(m-1, b-1)
	}
	for m := int64(1); m <= 14; m++ {
		for b := int64(1); b <= m; b++ {
			g := maxinfo.Gates{Looks: m, Passes: b}
			for what, pair := range map[string][2]float64{
				"tests":       {float64(g.Tests()), worstGate(m, b, memory)},
				"transcripts": {float64(g.Transcripts()), transcripts(m, b)},
				"intervals":   {float64(g.Intervals()), looks(m, b)},
			} {
				if ln := math.Log(pair[1]); !(pair[0] >= ln*(1-1e-15) && pair[0] <= ln*(1+1e-12)+1e-15) {
					t.Errorf("%v: ln of the %s is %.17g, want %.17g", g, what, pair[0], ln)
				}
			}
		}
	}
	far := maxinfo.Gates{Looks: 1000, Passes: 10}
	if more := float64(far.Intervals() - far.Transcripts()); math.Abs(more) > 1e-9 {
		t.Errorf("the count of intervals is e^%g of that of transcripts", more)
	}
}

// The count is attained. U is uniform and cut into cells of width g. With no limit the first m-1 null
// hypotheses may be false: their verdicts tell 2^(m-1) cells apart, each of which has a test of its own at the last
// look that rejects there, under a true null hypothesis and with a p-value. With one pass every look has a true one.
func TestGateCountIsAttained(t *testing.T) {
	const g = 1. / 64
	for m := 1; m <= 6; m++ {
		tests := 1 << (m - 1) // one at each sequence of m-1 verdicts, the bits of the cell
		probability := 0.0
		for cell := range 64 {
			u := (float64(cell) + 0.5) * g
			verdicts := cell // of the false null hypotheses, if the cell is among the first 2^(m-1)
			p := u - float64(verdicts)*g
			if p < 0 {
				p++
			}
			if cell < tests && p <= g {
				probability += g
			}
		}
		n := math.Exp(float64(maxinfo.Gates{Looks: int64(m), Passes: int64(m)}.Tests()))
		if math.Abs(probability-n*g) > 1e-12 {
			t.Errorf("%d looks: false rejections with probability %g, the bound is %g", m, probability, n*g)
		}
		first := math.Exp(float64(maxinfo.Gates{Looks: int64(m), Passes: 1}.Tests()))
		if math.Abs(first-float64(m)) > 1e-12 { // m disjoint cells, all hypotheses true
			t.Errorf("%d looks, one pass: %g", m, first)
		}
	}
}

// A gate before another step is an answer out of its transcripts. U is uniform; the gate shows whether U <= 1/2,
// and the test has the p-value U if it is, else 1-U: with probability 2g that is at most g. One look is one node, and
// two transcripts.
func TestGateBeforeAnotherStep(t *testing.T) {
	one := maxinfo.Gates{Looks: 1, Passes: 1}
	plan := maxinfo.Plan{Steps: []maxinfo.Step{one, maxinfo.OneOf(1)}}
	test := tested(t, plan, "0.05")[0]
	selected := func(g float64) float64 { return 2 * g }
	if p := selected(test.Threshold.Value()); !(p <= 0.05 && p > 0.0499999) {
		t.Errorf("rejects with probability %g", p)
	}
	if p := selected(0.05 / math.Exp(float64(one.Intervals()))); !(p > 0.0999) {
		t.Errorf("the count of nodes would do: %g", p)
	}
	// After other steps the last gate has its own count: any false rejection on its path is one event.
	last := maxinfo.Plan{Samples: 10_000, Data: maxinfo.ProductData, Steps: []maxinfo.Step{
		maxinfo.PureDP{Epsilon: 0.005}, maxinfo.Gates{Looks: 20, Passes: 3},
	}}
	alone := tested(t, steps10k(maxinfo.PureDP{Epsilon: 0.005}), "0.05")
	want := named(t, alone, "renyi").Threshold.Value() / (1 + 19 + 171 + 969)
	if got := named(t, tested(t, last, "0.05"), "renyi").Threshold.Value(); math.Abs(got-want) > 1e-12*want {
		t.Errorf("private steps and then a gate: %g, want %g", got, want)
	}
}

// The largest sum of the levels over the true null hypotheses of any tree is at most alpha, and close to it.
func TestSeriesKeepsItsLevel(t *testing.T) {
	var worst func(r Run) float64
	worst = func(r Run) float64 {
		level, ok := r.Level()
		if !ok {
			return 0
		}
		not := worst(r.After(false))
		return max(level.Value()+not, not+worst(r.After(true)))
	}
	for _, spending := range Spendings() {
		for _, passes := range []int64{1, 2, 11} {
			s := Series{Alpha: prob(t, "0.05"), Tests: 11, Passes: passes, Spending: spending}
			run, err := s.Start()
			if err != nil {
				t.Fatal(err)
			}
			if sum := worst(run); !(sum <= 0.05 && sum > 0.045) {
				t.Errorf("%s, %d passes: false rejections up to %g", spending, passes, sum)
			}
			var fixed func(j, left int64) float64
			fixed = func(j, left int64) float64 {
				if j > s.Tests || left == 0 {
					return 0
				}
				level, err := s.Fixed(j)
				if err != nil {
					t.Fatal(err)
				}
				not := fixed(j+1, left)
				return max(level.Value()+not, not+fixed(j+1, left-1))
			}
			if sum := fixed(1, passes); !(sum <= 0.05 && sum > 0.004) {
				t.Errorf("%s, %d passes: levels written down add up to %g", spending, passes, sum)
			}
		}
	}
}

// What the sequences give without a rejection, with one, and in advance; equal shares are Bonferroni's.
func TestSpendingSequences(t *testing.T) {
	alpha := prob(t, "0.05")
	for _, c := range []struct {
		spending          Spending
		third, once, ever float64 // the third test's level: nothing rejected, the first rejected, in advance
	}{
		{EqualShares, 0.05 / 10, 0.05 / 10 / 9, 0.05 / 10 / 4},
		{InverseSquares, 0.05 * 6 / math.Pi / math.Pi / 9, 0.05 * 36 / math.Pow(math.Pi, 4) / 4,
			0.05 * 6 / math.Pi / math.Pi / 9 / 4},
		{Halving, 0.05 / 8, 0.05 / 8, 0.05 / 8},
	} {
		s := Series{Alpha: alpha, Tests: 10, Passes: 10, Spending: c.spending}
		run, err := s.Start()
		if err != nil {
			t.Fatal(err)
		}
		third, _ := run.After(false).After(false).Level()
		once, _ := run.After(true).After(false).Level()
		ever, err := s.Fixed(3)
		bonferroni, wrong := s.Bonferroni()
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		for what, pair := range map[string][2]float64{
			"nothing rejected": {third.Value(), c.third}, "the first rejected": {once.Value(), c.once},
			"in advance": {ever.Value(), c.ever}, "bonferroni": {bonferroni.Value(), 0.005},
		} {
			if !(pair[0] <= pair[1] && pair[0] > pair[1]*(1-1e-12)) {
				t.Errorf("%s, %s: %.15g, want %.15g", c.spending, what, pair[0], pair[1])
			}
		}
	}
	run, _ := Series{Alpha: alpha, Tests: 2, Passes: 2, Spending: EqualShares}.Start()
	for _, over := range []Run{{}, run.After(false).After(true), run.After(false).After(false).After(true)} {
		if level, ok := over.Level(); ok || level != theory.Zero {
			t.Errorf("a series that is over has the level %v", level)
		}
	}
	for _, bad := range []Series{
		{}, {Alpha: alpha, Tests: 0, Passes: 1, Spending: Halving}, {Alpha: alpha, Tests: 2, Passes: 3, Spending: Halving},
		{Alpha: alpha, Tests: 2, Passes: 1, Spending: "none"}, {Alpha: 0, Tests: 2, Passes: 1, Spending: Halving},
	} {
		if _, err := bad.Start(); err == nil {
			t.Errorf("%+v starts", bad)
		}
		if _, err := bad.Fixed(1); err == nil {
			t.Errorf("%+v has levels", bad)
		}
	}
}

// Several tests that are not rejected are the same as each in turn.
func TestSeriesUnrejected(t *testing.T) {
	s := Series{Alpha: prob(t, "0.05"), Tests: 9, Passes: 3, Spending: InverseSquares}
	start, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	for before := range 3 {
		run := start
		for j := range 4 {
			run = run.After(j%2 == before%2)
		}
		turn := run
		for tests := range int64(10) {
			if together := run.Unrejected(tests); together != turn {
				t.Errorf("%+v: after %d tests %+v, want %+v", run, tests, together, turn)
			}
			turn = turn.After(false)
		}
	}
}
