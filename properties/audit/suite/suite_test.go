package suite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/properties/audit"
	"github.com/dpcalc/dpcalc/theory"
)

var (
	seeds = flag.Int("seeds", 3, "how many seeds TestSeeds runs the statistical layer with")
	runs  = flag.Int("runs", 3, "how often TestPower runs each statistical check that must refute a mutant")
)

// brief is the suite with an eighth of its samples.
func brief() Settings {
	s := Defaults()
	s.Samples /= 8
	return s
}

func runAll(t testing.TB, mechanisms []Mechanism, s Settings, keep func(Check) bool) ([]Row, *audit.Ledger) {
	t.Helper()
	checks := slices.DeleteFunc(checksAt(t, mechanisms, s.Epsilon), func(c Check) bool { return keep != nil && !keep(c) })
	rows, ledger, err := Run(context.Background(), checks, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rows, ledger
}

func statistical(c Check) bool { return c.Layer == Statistical }

// unharmed is what every row of a correct mechanism must be.
func unharmed(r Row) error {
	switch {
	case r.Verdict != audit.Holds:
		return fmt.Errorf("the verdict is %s", r.Verdict)
	case r.Layer == Exact &&
		(r.Samples != 0 || r.FalseAlarm != 0 || r.Unbounded || r.Measured > r.Bound+1e-9*math.Abs(r.Bound)):
		return errors.New("an exact row that cannot be")
	case r.Layer == Statistical && !(r.FalseAlarm.IsInterior() && r.Samples > 0 && r.Detectable > 0):
		return errors.New("a statistical row that does not say what it is worth")
	case r.Mechanism == "" || r.Claim == "" || r.Check == "" || r.Event == "" && r.Check != checkPrivacy:
		return errors.New("something is not said")
	}
	return nil
}

// Every correct mechanism passes every check, at several epsilons; where the claim is
// attained, it is attained. Each has its sampler tied to its law, its accuracy or its
// privacy checked, and the false alarms of all add up to no more than was declared.
func TestSuite(t *testing.T) {
	for _, epsilon := range []float64{0.05, 0.3, 1, 3, 8} {
		s := brief()
		s.Epsilon = epsilon
		exact := func(c Check) bool { return c.Layer == Exact }
		rows, _ := runAll(t, Mechanisms(), s, exact)
		checks := slices.DeleteFunc(checksAt(t, Mechanisms(), epsilon), statistical)
		for i, r := range rows {
			if err := unharmed(r); err != nil {
				t.Errorf("epsilon %g: %v: %+v", epsilon, err, r)
			}
			if checks[i].Tight && !(r.Measured >= r.Bound*(1-1e-9)) {
				t.Errorf("epsilon %g: the bound is not attained: %+v", epsilon, r)
			}
		}
	}
	rows, ledger := briefly(t)
	for _, r := range rows {
		if err := unharmed(r); err != nil {
			t.Errorf("%v: %+v", err, r)
		}
	}
	t.Logf("the ledger of a false alarm of %v:\n%v", brief().FalseAlarm, ledger)
	total, samplers := 0.0, 0
	for _, e := range ledger.Entries() {
		total += e.Alpha.Value()
		if strings.HasSuffix(e.Name, checkSampler) {
			samplers++
		}
	}
	if declared := brief().FalseAlarm.Value(); total > declared || declared > 1e-9*(1+1e-12) ||
		samplers != len(Mechanisms()) {
		t.Errorf("a false alarm of %g in all, %d of %d samplers", total, samplers, len(Mechanisms()))
	}
}

var once struct {
	sync.Once
	rows   []Row
	ledger *audit.Ledger
}

// briefly runs the statistical layer once for all tests.
func briefly(t *testing.T) ([]Row, *audit.Ledger) {
	once.Do(func() { once.rows, once.ledger = runAll(t, Mechanisms(), brief(), statistical) })
	return once.rows, once.ledger
}

// Each mutant is refuted by the checks that it names, and each check by a mutant.
func TestMutantsAreKilled(t *testing.T) {
	// The samplers differ enough for an eighth of the samples.
	var rows []Row
	for _, sampler := range []bool{true, false} {
		s := Defaults()
		if sampler {
			s = brief()
		}
		some, _ := runAll(t, Mutants(), s, func(c Check) bool {
			m := Mutants()[slices.IndexFunc(Mutants(), func(m Mechanism) bool { return m.Name == c.Mechanism })]
			return slices.Contains(m.Killers, c.Name) && (c.Name == checkSampler) == sampler
		})
		rows = append(rows, some...)
	}
	killed := map[string]bool{}
	for _, m := range Mutants() {
		if len(m.Killers) == 0 {
			t.Errorf("%s: nothing must refute it", m.Name)
		}
		for _, killer := range m.Killers {
			i := slices.IndexFunc(rows, func(r Row) bool { return r.Mechanism == m.Name && r.Check == killer })
			switch {
			case i < 0:
				t.Errorf("%s: no check %s", m.Name, killer)
			case rows[i].Verdict != audit.Violated:
				t.Errorf("%s survives %s: %+v", m.Name, killer, rows[i])
			}
			killed[killer] = true
		}
	}
	for _, c := range allChecks(t, Mechanisms()) {
		if !killed[c.Name] {
			t.Errorf("no mutant for the check %s", c.Name)
		}
	}
}

// withNoise is a mechanism with the claims it has, and a multiple of its noise. Its samplers
// are said to draw from the honest laws.
func withNoise(t *testing.T, m Mechanism, stretch float64) []Check {
	t.Helper()
	s := usual(1)
	honest := m.build(s)
	s.stretch = stretch
	sub := m.build(s)
	sub.poses = honest.laws
	return sub.checks()
}

// Not only does each check refute a mutant: each check of each mechanism refutes that
// mechanism with a part of its noise or with a multiple. Splitting has no noise, and
// splitting-shared is its mutant for both of its checks.
func TestEveryCheckHasPower(t *testing.T) {
	for _, m := range Mechanisms() {
		if m.Name == "splitting" {
			continue
		}
		refuted := map[string]bool{}
		for _, stretch := range []float64{0.25, 4, 16, 1.0 / 16} {
			if m.Name == "rounding" && stretch < 0.25 {
				continue // too many transcripts
			}
			for _, c := range withNoise(t, m, stretch) {
				if _, is := refuted[c.Name]; is && refuted[c.Name] {
					continue
				}
				rows, _, err := Run(context.Background(), []Check{c}, brief(), nil)
				if err != nil {
					t.Fatal(err)
				}
				refuted[c.Name] = rows[0].Verdict == audit.Violated
			}
		}
		for name, ok := range refuted {
			if !ok {
				t.Errorf("%s: %s refutes neither a part nor a multiple of the noise", m.Name, name)
			}
		}
	}
}

// What is found in a violated row is above what the claim allows, also where the audit stops as soon as it can.
func TestViolationsAreAboveTheBound(t *testing.T) {
	weaker := slices.DeleteFunc(Mutants(), func(m Mechanism) bool { return m.Name != "laplace-0.9" })
	bets := func(c Check) bool { return c.Name == checkPrivacy }
	for seed := range uint64(6) {
		s := Defaults()
		s.Seed = seed
		rows, _ := runAll(t, weaker, s, bets)
		if len(rows) != 1 || rows[0].Verdict != audit.Violated || !(rows[0].Measured > rows[0].Bound) {
			t.Errorf("seed %d: %+v", seed, rows)
		}
	}
}

// The comparator has the laws of the mechanisms in package mechanism, with which it shares no
// code, on every data set.
func TestComparatorIsTheMechanism(t *testing.T) {
	compare := func(name string, honest *laws, c func(data []int) *comparator) {
		for i, f := range honest.all() {
			got := c(honest.data(i)).finite()
			if len(got.Law) != len(f.Law) {
				t.Fatalf("%s: %d outcomes, want %d", name, len(got.Law), len(f.Law))
			}
			for y, p := range got.Law {
				if math.Abs((p - f.Law[y]).Ln()) > 1e-9 {
					t.Errorf("%s, data %v: outcome %d has probability %v, want %v", name, honest.data(i), y, p, f.Law[y])
				}
			}
		}
	}
	for _, epsilon := range []float64{0.3, 1, 4} {
		s := usual(epsilon)
		compare("thresholdout", s.thresholdout().laws, s.holdout)
		s.resolution = 1
		for _, kind := range []redraw{afterAbove, never} {
			count := float64(s.cutoff)
			compare("sparse vector", s.sparse(kind == afterAbove).laws, func(data []int) *comparator {
				c := &comparator{
					threshold: int64(s.threshold), thresholdScale: 2 / epsilon, queryScale: 4 * count / epsilon,
					cutoff: int(s.cutoff), queries: s.queries, redraw: kind,
					ask: func(answers, aboves int) question { return question{compared: s.asks(data, answers, aboves)} },
				}
				if kind == afterAbove {
					c.thresholdScale *= count
				}
				return c
			})
		}
	}
}

// Algorithm 4 of [lyu17] is private at (1+6c)/4 epsilon and no less in the limit, and 3, 5
// and 6 at no epsilon: longer rows lose more and more.
func TestSparseVectorsOfLyu(t *testing.T) {
	measured := func(name string, first int) float64 {
		s := usual(1)
		own := map[string]comparator{
			"svt3": {thresholdScale: 2, queryScale: 2, cutoff: 1, tells: &tells{low: -3, high: 3, same: true}},
			"svt4": {thresholdScale: 4, queryScale: 4.0 / 3, cutoff: 4},
			"svt6": {thresholdScale: 2, queryScale: 2, cutoff: 2 * first},
		}[name]
		sub := s.brokenSparse(first, own)
		row, err := sub.checks()[0].exact()
		if err != nil || row.Unbounded {
			t.Fatal(row, err)
		}
		return row.Measured
	}
	for first := 1; first < 6; first++ {
		for _, name := range []string{"svt3", "svt6"} {
			if a, b := measured(name, first), measured(name, first+1); !(b > a+0.3) {
				t.Errorf("%s: epsilon %g with %d queries and %g with one more", name, a, first, b)
			}
		}
		if got := measured("svt4", first); !(got <= 25.0/4+1e-9) || first == 5 && !(got > 5) {
			t.Errorf("svt4 with c = 4: epsilon %g with %d queries, want at most 25/4, and near it", got, first)
		}
	}
}

// The same settings give the same rows with any number of workers, and another seed others.
func TestRowsDoNotDependOnWorkers(t *testing.T) {
	s := Defaults()
	s.Samples = 5000
	var want []Row
	for _, workers := range []int{1, 2, 5} {
		s.Workers = workers
		rows, _ := runAll(t, Mechanisms(), s, statistical)
		if want == nil {
			want = rows
		} else if !reflect.DeepEqual(rows, want) {
			t.Errorf("other rows with %d workers", workers)
		}
	}
	s.Seed++
	if rows, _ := runAll(t, Mechanisms(), s, statistical); reflect.DeepEqual(rows, want) {
		t.Error("the seed does not matter")
	}
}

// All checks there are, of mechanisms and mutants, fit on one ledger; a second run of one of
// them does not.
func TestLedgerHoldsAllChecks(t *testing.T) {
	s := Defaults()
	s.Samples = 100
	all := slices.DeleteFunc(allChecks(t, append(Mechanisms(), Mutants()...)),
		func(c Check) bool { return !statistical(c) })
	if len(all) > shares {
		t.Fatalf("%d statistical checks, and shares for %d", len(all), shares)
	}
	done := 0
	rows, ledger, err := Run(context.Background(), all, s, func(n int) { done = n })
	if err != nil || done != len(all) || len(ledger.Entries()) != len(all) {
		t.Fatalf("%d of %d done, %v", done, len(all), err)
	}
	if !slices.ContainsFunc(rows, func(r Row) bool { return r.Verdict == audit.Undecided }) {
		t.Error("100 samples decide everything")
	}
	var domain *theory.DomainError
	if _, err := all[0].Run(s, ledger); !errors.As(err, &domain) {
		t.Errorf("one name drew twice: %v", err)
	}
	if _, _, err := Run(context.Background(), []Check{all[0], all[0]}, s, nil); !errors.As(err, &domain) {
		t.Errorf("one check twice: %v", err)
	}
	many := slices.Repeat(all[:1], shares+1)
	for i := range many {
		many[i].Mechanism = fmt.Sprint(i)
	}
	if _, _, err := Run(context.Background(), many[:shares], s, nil); err != nil {
		t.Errorf("%d shares: %v", shares, err)
	}
	if _, _, err := Run(context.Background(), many, s, nil); !errors.As(err, &domain) {
		t.Errorf("more than all shares: %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := Run(stopped, all, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestSettings(t *testing.T) {
	nan := math.NaN()
	for i, spoil := range []func(*Settings){
		func(s *Settings) { s.Epsilon = 0 }, func(s *Settings) { s.Epsilon = nan }, func(s *Settings) { s.Epsilon = 8.1 },
		func(s *Settings) { s.Samples = 1 }, func(s *Settings) { s.Samples = 1<<31 + 1 },
		func(s *Settings) { s.FalseAlarm = 0 }, func(s *Settings) { s.FalseAlarm = theory.Zero },
		func(s *Settings) { s.FalseAlarm = theory.LogProb(nan) },
	} {
		s := Defaults()
		spoil(&s)
		var domain *theory.DomainError
		if _, _, err := Run(context.Background(), nil, s, nil); !errors.As(err, &domain) {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

// The statistical layer raises no alarm with consecutive seeds: a few here, and once a
// thousand, with the command in docs/check/audit.md. The samples of a seed are a sixty-fourth of the
// default.
func TestSeeds(t *testing.T) {
	s := Defaults()
	s.Samples /= 64
	checks := slices.DeleteFunc(allChecks(t, Mechanisms()), func(c Check) bool { return !statistical(c) })
	alarms, start := 0, time.Now()
	for i := range *seeds {
		s.Seed = uint64(i)
		rows, _, err := Run(context.Background(), checks, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Verdict == audit.Violated {
				alarms++
				t.Errorf("seed %d: %+v", i, r)
			}
		}
		if (i+1)%100 == 0 {
			t.Logf("%d seeds, %d false alarms, %v", i+1, alarms, time.Since(start).Round(time.Second))
		}
	}
	t.Logf("seeds 0 to %d: %d false alarms in %d checks of %d samples each", *seeds-1, alarms, len(checks), s.Samples)
}

// A statistical check that must refute a mutant does so with probability above 0.999 at the
// default number of samples. Where the mutant's law is known that is computed for the check
// "sampler"; the others are run with many seeds, the sampler of a sixteenth of the samples.
func TestPower(t *testing.T) {
	for _, m := range Mutants() {
		sub := m.subject(usual(1))
		for _, c := range allChecks(t, []Mechanism{m}) {
			if !statistical(c) || !slices.Contains(m.Killers, c.Name) {
				continue
			}
			s, missed, most := Defaults(), 0, int64(0)
			if c.Name == checkSampler && sub.poses != nil {
				lnMissed := missesSampler(t, sub.poses, sub.laws, s)
				t.Logf("%s, %s: missed with probability at most e^%.0f", m.Name, c.Name, lnMissed)
				if !(lnMissed < math.Log(1e-3)) {
					t.Errorf("%s, %s: missed with probability e^%g", m.Name, c.Name, lnMissed)
				}
				continue
			}
			if c.Name == checkSampler {
				s.Samples /= 16
			}
			for i := range *runs {
				s.Seed = uint64(i)
				rows, _, err := Run(context.Background(), []Check{c}, s, nil)
				if err != nil {
					t.Fatal(err)
				}
				if rows[0].Verdict != audit.Violated {
					missed++
				}
				most = max(most, rows[0].Samples)
			}
			t.Logf("%s, %s: missed %d of %d; at most %d of %d samples", m.Name, c.Name, missed, *runs, most, s.Samples)
			if missed > 0 {
				t.Errorf("%s, %s: missed %d of %d", m.Name, c.Name, missed, *runs)
			}
		}
	}
}

// missesSampler bounds, on the logarithmic scale, the probability that the check "sampler"
// overlooks the difference of two laws. It is taken of one test alone, the best one of a single outcome.
func missesSampler(t *testing.T, law, actual *laws, s Settings) float64 {
	t.Helper()
	said, all := law.jointly(law), actual.all()
	outcomes := len(said.law) / len(all)
	level := s.FalseAlarm.Ln() - math.Log(shares) - math.Log(2*float64(len(said.law)+1)) - 1e-5
	least := 0.0
	for cell, p := range said.law {
		coin := num.Binomial{N: s.Samples, P: p.Value()}
		real := num.Binomial{N: s.Samples, P: all[cell/outcomes].Law[cell%outcomes].Value() / float64(len(all))}
		if real.P > coin.P {
			critical := num.Ints{Lo: 0, Hi: coin.N,
				Guess: int64(coin.P * float64(coin.N))}.Least(func(k int64) bool { return coin.LnAtLeast(k) <= level })
			least = min(least, real.LnAtMost(critical-1))
		} else if coin.LnAtMost(0) <= level {
			critical := num.Ints{Lo: 0, Hi: coin.N,
				Guess: int64(coin.P * float64(coin.N))}.Greatest(func(k int64) bool { return coin.LnAtMost(k) <= level })
			least = min(least, real.LnAtLeast(critical+1))
		}
	}
	return least
}
