package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// usual is the experiment of the paper, with a budget that does not run out.
func usual() Holdout {
	return Holdout{Samples: 10_000, Attributes: 10_000, Signal: []int64{0, 20}, Arms: Arms(), Repetitions: 100,
		Budget: 2500, Seed: 2015}
}

// little is an experiment whose budget runs out in some repetitions and not in others.
func little() Holdout {
	return Holdout{Samples: 50, Attributes: 200, Signal: []int64{0, 8}, Arms: Arms(), Repetitions: 10, Budget: 40, Seed: 1}
}

func run(t testing.TB, e Holdout, workers int) []HoldoutRow {
	t.Helper()
	rows, err := e.Run(t.Context(), workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// published are the rows of the usual experiment, run once for all tests.
func published(t testing.TB) []HoldoutRow {
	t.Helper()
	rows, err := usualRows()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

var usualRows = sync.OnceValues(func() ([]HoldoutRow, error) { return usual().Run(context.Background(), 0, nil) })

func find(t *testing.T, rows []HoldoutRow, signal int64, arm Arm, k int) HoldoutRow {
	t.Helper()
	i := slices.IndexFunc(rows, func(r HoldoutRow) bool { return r.Signal == signal && r.Arm == arm && r.K == k })
	if i < 0 {
		t.Fatalf("no row for %d, %s, %d", signal, arm, k)
	}
	return rows[i]
}

// The means come from an independent run of 100 repetitions, written to the digits
// given: within three standard errors and the rounding. The standard deviations are
// given as about .004, and .01 for what Thresholdout shows; a standard deviation from
// 100 repetitions has a relative standard error of 0.071, so 0.21 is allowed beside
// the rounding. With another seed some of the means can fall outside: there are 26.
func TestKnownValues(t *testing.T) {
	rows := published(t)
	type known struct {
		signal              int64
		arm                 Arm
		k                   int
		train, shown, fresh float64
		rounding            float64 // of shown
		sd                  float64 // of shown
	}
	for _, w := range []known{
		{0, Standard, 500, 0.633, 0.633, 0.501, 0.0005, 0.004},
		{0, Paper, 500, 0.693, 0.51, 0.500, 0.005, 0.01},
		{20, Standard, 500, 0.649, 0.648, 0.522, 0.0005, 0.004},
		{20, Paper, 500, 0.707, 0.535, 0.521, 0.0005, 0.01},
		{20, Standard, 20, 0.605, 0.605, 0.605, 0.0005, 0.005},
		{20, Paper, 20, 0.605, 0.605, 0.605, 0.0005, 0.005},
	} {
		got := find(t, rows, w.signal, w.arm, w.k)
		name := fmt.Sprintf("signal %d, %s, k = %d", w.signal, w.arm, w.k)
		near := func(what string, m Moments, want, rounding float64) {
			if math.Abs(m.Mean-want) > 3*m.SD/10+rounding || m.Count != 100 {
				t.Errorf("%s: %s %.4f (sd %.4f, %d), want %.3f", name, what, m.Mean, m.SD, m.Count, want)
			}
		}
		near("train", got.Train, w.train, 0.0005)
		near("shown", got.Shown, w.shown, w.rounding)
		near("fresh", got.Fresh, w.fresh, 0.0005)
		for what, m := range map[string]Moments{"train": got.Train, "fresh": got.Fresh} {
			if m.SD < 0.0035*0.79 || m.SD > 0.0055*1.21 {
				t.Errorf("%s: sd of %s %.4f", name, what, m.SD)
			}
		}
		if m := got.Shown; math.Abs(m.SD-w.sd) > 0.21*w.sd+0.0005 {
			t.Errorf("%s: sd of shown %.4f, want %.3f", name, m.SD, w.sd)
		}
		if w.arm == Standard && got.Shown != got.Holdout {
			t.Errorf("%s: shown %v and holdout %v differ", name, got.Shown, got.Holdout)
		}
	}
	for _, r := range rows {
		if r.K == 0 {
			half := Moments{Count: 100, Mean: 0.5}
			if r.Train != half || r.Shown != half || r.Holdout != half || r.Fresh != half {
				t.Errorf("signal %d, %s: k = 0 is %+v", r.Signal, r.Arm, r)
			}
		}
		spends := r.Arm == Thresholdout
		if spends != (r.Spent.Mean > 1800 && r.Spent.Mean < 1900) || spends != (r.Spent.SD > 0) {
			t.Errorf("%s: spent %.1f (sd %.1f)", r.Arm, r.Spent.Mean, r.Spent.SD)
		}
	}
	// Given a signal, the true holdout of Thresholdout is as good as fresh data only
	// up to what its answers reveal; without one, fresh data are a coin's.
	for _, arm := range Arms() {
		if m := find(t, rows, 0, arm, 500).Fresh; math.Abs(m.Mean-0.5) > 3*m.SD/10 {
			t.Errorf("%s: fresh %.4f without a signal", arm, m.Mean)
		}
	}
}

// Without a signal the mean number selected is known: 2d P[Z > 1]^2 for the standard
// holdout, and 2d E[1{Z > 1} P[answer > 1 | Z]], by the rectangle rule, for the paper's.
func TestSelected(t *testing.T) {
	const d, steps = 10_000, 500 // the rectangle rule is off by less than 1e-4
	above := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	paper := 0.0
	for i := range steps {
		x := 1 + (float64(i)+0.5)*8/steps
		for j := range steps {
			y := -9 + (float64(j)+0.5)*18/steps
			flagged := above(4 - math.Abs(x-y))
			paper += density(x) * density(y) * (1 - flagged + flagged*above(1-y)) * 8 / steps * 18 / steps
		}
	}
	rows := published(t)
	for arm, want := range map[Arm]float64{Standard: 2 * d * above(1) * above(1), Paper: 2 * d * paper} {
		// The number is binomial; six standard errors are exceeded with probability 2e-9.
		sd := math.Sqrt(want * (1 - want/d))
		got := find(t, rows, 0, arm, 0).Selected
		if math.Abs(got.Mean-want) > 6*sd/10 || math.Abs(got.SD/sd-1) > 6*0.071 {
			t.Errorf("%s: %.1f selected (sd %.1f), want %.1f (%.1f)", arm, got.Mean, got.SD, want, sd)
		}
	}
}

// Both ways to run the experiment have the same law: 5,000 repetitions of each, and
// for every setting, arm and size the empirical laws of the accuracies, what is shown
// (a refusal counts as -1), the budget spent, the number selected and the change of
// each accuracy from the size before, as they are and as distances from a centre, which
// tells variances apart. The centre is the mean of 500 other repetitions. Two laws of
// 5,000 points each differ by more than x with probability at most 2 exp(-5000 x^2) (Wei
// and Dudley), so with this limit the test of all columns fails with probability at
// most 1e-10.
func TestDirectAgrees(t *testing.T) {
	const repetitions, others = 5000, 500
	columns := [2][][]float64{}
	for way := range columns {
		e := little()
		e.Direct = way == 1
		tr := newTrial(context.Background(), e)
		for s, signal := range e.Signal {
			for r := range others + repetitions {
				points := tr.run(signal, r)
				for i, p := range points {
					shown := -1.0
					if p.answered {
						shown = p.shown
					}
					values := append(p.correct[:], shown, float64(p.selected), float64(p.spent))
					for set := range p.correct {
						before := 0.5
						if i%len(sizes) > 0 {
							before = points[i-1].correct[set]
						}
						values = append(values, p.correct[set]-before)
					}
					for c, v := range values {
						at := (s*len(points)+i)*len(values) + c
						if at == len(columns[way]) {
							columns[way] = append(columns[way], nil)
						}
						columns[way][at] = append(columns[way][at], v)
					}
				}
			}
		}
	}
	count := len(columns[0])
	if want := 2 * 3 * len(sizes) * 9; count != want || len(columns[1]) != want {
		t.Fatalf("%d and %d columns, want %d", count, len(columns[1]), want)
	}
	limit := math.Sqrt(math.Log(2*float64(2*count)/1e-10) / repetitions)
	worst := 0.0
	for i := range count {
		a, b := columns[0][i][others:], columns[1][i][others:]
		centre := 0.0
		for _, x := range columns[0][i][:others] {
			centre += x / others
		}
		d := kolmogorov(a, b)
		for j := range a {
			a[j], b[j] = math.Abs(a[j]-centre), math.Abs(b[j]-centre)
		}
		d = max(d, kolmogorov(a, b))
		worst = max(worst, d)
		if d > limit {
			row, column := i/9, i%9
			e := little()
			t.Errorf("signal %d, %s, k = %d, column %d: the laws differ by %.4f",
				e.Signal[row/(3*len(sizes))], e.Arms[row/len(sizes)%3], sizes[row%len(sizes)], column, d)
		}
	}
	t.Logf("2 x %d columns, greatest difference %.4f, limit %.4f", count, worst, limit)
}

// kolmogorov is the greatest difference of two empirical distribution functions of as
// many points.
func kolmogorov(a, b []float64) float64 {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	greatest := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x := min(a[i], b[j])
		for i < len(a) && a[i] == x {
			i++
		}
		for j < len(b) && b[j] == x {
			j++
		}
		greatest = max(greatest, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return greatest
}

// The standard holdout's choice is the rule, read again: both correlations beyond
// 1/sqrt(n) on the same side, by rank, and no more than the largest size needs.
func TestChoice(t *testing.T) {
	tr := newTrial(t.Context(), usual())
	cut := false
	for repetition := range 5 {
		tr.run(20, repetition)
		var want []int32
		for j, own := range tr.correlation[train] {
			if other := tr.correlation[holdout][j]; min(own, other) > 0.01 || max(own, other) < -0.01 {
				want = append(want, int32(j))
			}
		}
		slices.SortFunc(want, func(a, b int32) int {
			return int(math.Copysign(1, math.Abs(tr.correlation[train][b])-math.Abs(tr.correlation[train][a])))
		})
		c := tr.classifiers[slices.Index(tr.Arms, Standard)]
		if c.selected != len(want) || !slices.Equal(c.attributes, want[:min(500, len(want))]) {
			t.Errorf("repetition %d: %d selected, want %d", repetition, c.selected, len(want))
		}
		cut = cut || len(want) > 500
	}
	if !cut {
		t.Error("never more than 500 selected")
	}
}

// The direct way is what it claims to be: with all rows in memory, correlations and
// accuracies come out the same.
func TestDirectRows(t *testing.T) {
	e := little()
	e.Direct = true
	tr := newTrial(context.Background(), e)
	n, d := int(e.Samples), int(e.Attributes)
	tr.run(8, 3)
	for set := range 3 {
		ys := make([]float64, n)
		tr.labels(ys, set)
		xs := make([][]float64, d)
		for j := range xs {
			xs[j] = make([]float64, n)
			tr.column(xs[j], ys, set, j)
			if set == fresh {
				continue
			}
			mean := 0.0
			for i, y := range ys {
				mean += xs[j][i] * y / float64(n)
			}
			if math.Abs(mean-tr.correlation[set][j]) > 1e-14 {
				t.Fatalf("set %d, attribute %d: correlation %v, want %v", set, j, tr.correlation[set][j], mean)
			}
		}
		for _, c := range tr.classifiers {
			for at, k := range sizes {
				right, chosen := 0, c.attributes[:min(k, len(c.attributes))]
				for i, y := range ys {
					score := 0.0
					for _, j := range chosen {
						score += math.Copysign(xs[j][i], xs[j][i]*tr.correlation[train][j])
					}
					if score*y > 0 {
						right++
					}
				}
				want := float64(right) / float64(n)
				if len(chosen) == 0 {
					want = 0.5
				}
				if c.correct[set][at] != want {
					t.Errorf("set %d, k = %d: accuracy %v, want %v", set, k, c.correct[set][at], want)
				}
			}
		}
	}
}

// Rows depend on nothing but the experiment: not on the number of workers, not on the
// other settings and arms.
func TestDeterministic(t *testing.T) {
	for _, direct := range []bool{false, true} {
		e := little()
		e.Direct, e.Repetitions = direct, 40
		want := run(t, e, 1)
		for _, workers := range []int{0, 2, 3, 7, 100} {
			if !reflect.DeepEqual(run(t, e, workers), want) {
				t.Errorf("direct %v, %d workers: other rows", direct, workers)
			}
		}
		for _, arm := range Arms() {
			alone := e
			alone.Signal, alone.Arms = []int64{8}, []Arm{arm}
			for _, r := range run(t, alone, 0) {
				if full := find(t, want, 8, arm, r.K); !reflect.DeepEqual(r, full) {
					t.Errorf("direct %v, %s, k = %d: alone %+v, among others %+v", direct, arm, r.K, r, full)
				}
			}
		}
		e.Seed++
		if reflect.DeepEqual(run(t, e, 1), want) {
			t.Error("the seed does not matter")
		}
	}
}

// An interrupt ends the run, in the middle of a repetition too.
func TestInterrupt(t *testing.T) {
	for _, direct := range []bool{false, true} {
		e := usual()
		e.Samples, e.Attributes, e.Direct, e.Repetitions = 1000, 1000, direct, 1000
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := e.Run(ctx, 2, func(int) { cancel() })
		if rows != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("direct %v: %d rows, error %v", direct, len(rows), err)
		}
		cancel()
	}
	e := usual()
	e.Direct, e.Samples, e.Attributes = true, 1_000_000, 1_000_000 // two hours
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if rows, err := e.Run(ctx, 1, nil); rows != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
}

// done is told of every repetition once.
func TestProgress(t *testing.T) {
	var told []int
	if _, err := little().Run(t.Context(), 3, func(n int) { told = append(told, n) }); err != nil {
		t.Fatal(err)
	}
	for i, n := range told {
		if n != i+1 {
			t.Fatalf("told %v", told)
		}
	}
	if len(told) != 20 {
		t.Errorf("told of %d repetitions of 20", len(told))
	}
}

// The arm with a budget spends it on what is flagged, and then answers nothing. How it
// flags and answers is tested in TestNoise, its redraws in package mechanism.
func TestThresholdoutBudget(t *testing.T) {
	m := newAnswerer(Thresholdout, 100_000_000, 1e-4, 2, rand.New(rand.NewPCG(1, 2)))
	for i, s := range []struct {
		train, holdout float64
		answered       bool
		spent          int
	}{{0.7, 0.2, true, 1}, {0.1, 0.9, true, 2}, {0.5, 0.5, false, 2}, {0.7, 0.2, false, 2}} { // thousands of sigma apart
		got, ok := m.ask(s.train, s.holdout)
		near := math.Abs(got-s.holdout) < 0.01 && got != s.holdout
		if ok != s.answered || ok && !near || m.spent() != s.spent {
			t.Errorf("step %d: %v, %v, spent %d, want %+v", i, got, ok, m.spent(), s)
		}
	}
}

// The noise has the laws it should have: of answers, at 1e5 draws each against the
// Dvoretzky-Kiefer-Wolfowitz limit, which both exceed with probability below 1e-9,
// and of the comparisons, by how often a query is flagged that lies x beyond the
// threshold: P[Lap(2s) + Lap(4s) < x], for the paper's P[N(0,s^2) < x].
func TestNoise(t *testing.T) {
	const draws, s = 100_000, 0.01
	random := rand.New(rand.NewPCG(3, 4))
	laplaceBelow := func(x float64) float64 {
		if x < 0 {
			return math.Exp(x) / 2
		}
		return 1 - math.Exp(-x)/2
	}
	// Lap(a) + Lap(b), a > b: the weights of partial fractions.
	sumBelow := func(x float64) float64 {
		const a, b = 4 * s, 2 * s
		return (a*a*laplaceBelow(x/a) - b*b*laplaceBelow(x/b)) / (a*a - b*b)
	}
	normalBelow := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	limit := math.Sqrt(math.Log(2*2/1e-9) / (2 * draws))
	check := func(name string, draw func() float64, below func(float64) float64) {
		xs := make([]float64, draws)
		for i := range xs {
			xs[i] = draw()
		}
		slices.Sort(xs)
		for i, x := range xs {
			if p := below(x); math.Abs(p-float64(i)/draws) > limit || math.Abs(p-float64(i+1)/draws) > limit {
				t.Errorf("%s: %v is the %d-th of %d, at probability %.4f", name, x, i, draws, p)
				return
			}
		}
	}
	check("thresholdout's answer", func() float64 {
		for {
			m := newAnswerer(Thresholdout, 10_000, s, 1, random)
			if got, _ := m.ask(0, 1); m.spent() == 1 {
				return got - 1
			}
		}
	}, func(x float64) float64 { return laplaceBelow(x / s) })
	check("the paper's answer", func() float64 {
		for {
			if got, _ := newAnswerer(Paper, 10_000, s, 1, random).ask(0, 1); got != 0 {
				return got - 1
			}
		}
	}, func(x float64) float64 { return normalBelow(x / s) })
	// A query that lies x beyond the threshold, x uniform on ten bins, is flagged with
	// probability below(x). Seven standard deviations are exceeded with probability 3e-12,
	// in a bin and, the last of the numbers, in all.
	flags := func(name string, arm Arm, below func(float64) float64) {
		var seen, expected, variance [11]float64
		for range draws {
			at := random.Float64()
			x := 0.14*at - 4*s
			flagged := 0.0
			if got, _ := newAnswerer(arm, 10_000, s, 1, random).ask(0, 4*s+x); got != 0 {
				flagged = 1
			}
			for _, bin := range []int{int(10 * at), 10} {
				p := below(x)
				expected[bin] += p
				variance[bin] += p * (1 - p)
				seen[bin] += flagged
			}
		}
		for bin := range seen {
			if off := math.Abs(seen[bin] - expected[bin]); off > 7*math.Sqrt(variance[bin])+10 {
				t.Errorf("%s: %.0f flags in bin %d, want %.1f", name, seen[bin], bin, expected[bin])
			}
		}
	}
	flags("thresholdout", Thresholdout, sumBelow)
	flags("paper", Paper, func(x float64) float64 { return normalBelow(x / s) })
	s1 := newStream([3]uint64{5, 6, 7})
	buffer := make([]float64, 1)
	check("normals", func() float64 { s1.normals(buffer); return buffer[0] }, normalBelow)
}

// The layers end at x = 0 with the height 1, and the tails have their share: beyond
// 3.66, where the lowest layer has its own code, and beyond 4.5. With 2e7 draws the
// counts are within seven standard deviations except with probability 1e-11.
func TestZiggurat(t *testing.T) {
	z := &ziggurat
	if top := z.crest[layers-1] + z.edge[1]*z.crest[1]/z.edge[layers-1]; z.edge[layers] != 0 || z.crest[layers] != 1 {
		t.Errorf("the layers end at %v, %v (%v)", z.edge[layers], z.crest[layers], top)
	}
	area := z.edge[0] * z.crest[1]
	for i := 1; i < layers; i++ {
		if a := z.edge[i] * (z.crest[i+1] - z.crest[i]); math.Abs(a/area-1) > 1e-11 {
			t.Errorf("layer %d has area %v, want %v", i, a, area)
		}
	}
	const draws = 20_000_000
	s := newStream([3]uint64{8, 9, 10})
	xs := make([]float64, 1000)
	limits := []float64{0.25, 1, 2, 3, 3.6, 3.7, 4, 4.5}
	counts := make([][2]float64, len(limits))
	sum, squares := 0.0, 0.0
	for range draws / len(xs) {
		s.normals(xs)
		for _, x := range xs {
			sum += x
			squares += x * x
			side := 0
			if x < 0 {
				x, side = -x, 1
			}
			for i := 0; i < len(limits) && x > limits[i]; i++ {
				counts[i][side]++
			}
		}
	}
	for i, limit := range limits {
		want := draws * math.Erfc(limit/math.Sqrt2) / 2
		for side, got := range counts[i] {
			if math.Abs(got-want) > 7*math.Sqrt(want) {
				t.Errorf("side %d: %.0f draws beyond %v, want %.0f", side, got, limit, want)
			}
		}
	}
	if math.Abs(sum) > 7*math.Sqrt(draws) || math.Abs(squares-draws) > 7*math.Sqrt(2*draws) {
		t.Errorf("mean %v, mean square %v", sum/draws, squares/draws)
	}
}

// The keys of one experiment have different streams.
func TestStreams(t *testing.T) {
	seen := make(map[[2]uint64]bool)
	count := 0
	for _, seed := range []uint64{0, 1, 1 << 63} {
		for _, signal := range []int64{0, 1, 1e7} {
			for _, repetition := range []int{0, 1, 999_999} {
				tr := &trial{Holdout: Holdout{Seed: seed}, signal: signal, repetition: repetition}
				for purpose := forCorrelations; purpose <= forArm; purpose++ {
					for set := range 3 {
						for _, attribute := range []int{0, 1, 9_999_999} {
							s := tr.stream(purpose, set, attribute)
							seen[[2]uint64{s.Uint64(), s.Uint64()}] = true
							count++
						}
					}
				}
			}
		}
	}
	if len(seen) != count {
		t.Errorf("%d different streams of %d", len(seen), count)
	}
}

// With little budget most attributes go unanswered and are not selected, and no
// accuracy is shown; a rich arm's rows do not change.
func TestSpentBudget(t *testing.T) {
	e := usual()
	e.Repetitions, e.Budget = 20, 100
	rows := run(t, e, 0)
	for _, k := range []int{0, 10, 500} {
		r := find(t, rows, 0, Thresholdout, k)
		if r.Spent != (Moments{Count: 20, Mean: 100}) {
			t.Errorf("k = %d: spent %+v", k, r.Spent)
		}
		if k > 0 && r.Shown != (Moments{}) {
			t.Errorf("k = %d: shown %+v", k, r.Shown)
		}
		// Some 540 attributes are asked in a run, and a quarter of them is selected.
		if r.Selected.Mean < 80 || r.Selected.Mean > 250 || r.Train.Count != 20 {
			t.Errorf("k = %d: %+v", k, r)
		}
	}
	// Of the informative attributes about a twentieth is found, however large they are.
	if m := find(t, rows, 20, Thresholdout, 20).Fresh.Mean; m > 0.55 {
		t.Errorf("with a budget of 100: fresh %v", m)
	}
}

func TestValidate(t *testing.T) {
	if err := usual().Validate(); err != nil {
		t.Fatal(err)
	}
	for param, change := range map[string][]func(*Holdout){
		"samples":    {func(e *Holdout) { e.Samples = 0 }, func(e *Holdout) { e.Samples = 10_000_001 }},
		"attributes": {func(e *Holdout) { e.Attributes = -1 }, func(e *Holdout) { e.Attributes = 1 << 40 }},
		"signal": {func(e *Holdout) { e.Signal = nil }, func(e *Holdout) { e.Signal = []int64{0, 10_001} },
			func(e *Holdout) { e.Signal = []int64{-1} }},
		"arms":   {func(e *Holdout) { e.Arms = nil }, func(e *Holdout) { e.Arms = []Arm{"Standard"} }},
		"reps":   {func(e *Holdout) { e.Repetitions = 0 }, func(e *Holdout) { e.Repetitions = 1_000_001 }},
		"budget": {func(e *Holdout) { e.Budget = 0 }, func(e *Holdout) { e.Budget = 1<<53 + 1 }},
	} {
		for i, f := range change {
			e := usual()
			f(&e)
			rows, err := e.Run(t.Context(), 1, nil)
			var domain *theory.DomainError
			if !errors.As(err, &domain) || domain.Param != param || rows != nil {
				t.Errorf("%s %d: %v", param, i, err)
			}
		}
	}
}

// The smallest experiments have rows too: one row, one attribute, nothing selected.
func TestSmallest(t *testing.T) {
	for _, direct := range []bool{false, true} {
		e := Holdout{Samples: 1, Attributes: 1, Signal: []int64{0, 1}, Arms: Arms(), Repetitions: 1, Budget: 1,
			Direct: direct}
		rows := run(t, e, 0)
		if len(rows) != 2*3*len(sizes) {
			t.Fatalf("%d rows", len(rows))
		}
		chosen := 0
		for _, r := range rows {
			empty := r.K == 0 || r.Selected.Mean == 0
			chosen += int(r.Selected.Mean)
			for _, m := range []Moments{r.Train, r.Holdout, r.Fresh} {
				if m.Count != 1 || m.SD != 0 || empty != (m.Mean == 0.5) || !empty && m.Mean != 0 && m.Mean != 1 {
					t.Errorf("direct %v: %+v", direct, r)
				}
			}
		}
		if chosen == 0 || chosen == len(rows) {
			t.Errorf("direct %v: the attribute is selected in %d rows of %d", direct, chosen, len(rows))
		}
	}
}

func TestMoments(t *testing.T) {
	var m Moments
	for i, x := range []float64{1, 2, 4} {
		m.add(x)
		want := []Moments{{Count: 1, Mean: 1}, {Count: 2, Mean: 1.5, SD: math.Sqrt(0.5)},
			{Count: 3, Mean: 7. / 3, SD: math.Sqrt(7. / 3)}}[i]
		if m.Count != want.Count || math.Abs(m.Mean-want.Mean) > 1e-15 || math.Abs(m.SD-want.SD) > 1e-15 {
			t.Errorf("%d numbers: %+v, want %+v", i+1, m, want)
		}
	}
}

// The sums in four parts are sums.
func TestSums(t *testing.T) {
	xs, ys, sum, product := []float64{}, []float64{}, 0.0, 0.0
	for i := range 20 {
		if total(xs) != sum || dot(xs, ys) != product {
			t.Errorf("of %d: %v and %v, want %v and %v", i, total(xs), dot(xs, ys), sum, product)
		}
		xs, ys = append(xs, float64(i+1)), append(ys, float64(100-i*i))
		sum, product = sum+xs[i], product+xs[i]*ys[i]
	}
}

// BenchmarkHoldout is 100 repetitions of everything.
//
//	go test ./properties/experiment -run '^$' -bench Holdout
func BenchmarkHoldout(b *testing.B) {
	for b.Loop() {
		run(b, usual(), 0)
	}
}

// BenchmarkHoldoutDirect is one repetition of everything from the rows.
func BenchmarkHoldoutDirect(b *testing.B) {
	e := usual()
	e.Direct, e.Repetitions = true, 1
	for b.Loop() {
		run(b, e, 0)
	}
}
