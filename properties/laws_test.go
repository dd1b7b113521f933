package properties

import (
	"fmt"
	"math"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// cases is how many goals a law meets: fewer where a solve takes milliseconds.
func cases(name string) int {
	switch name {
	case "gaussian-schedule", "thresholdout", "laplace", "rounding-widths":
		return 40
	case "binomial", "splitting-exact", "gaussian", "gaussian-cvar", "gaussian-jung20", "gaussian-rogers20", "gaussian-bassily16", "laplace-jung20":
		return 150
	}
	return 400
}

// check runs a law on random inputs with a fixed seed.
func check(t *testing.T, count int, law any, gens ...gopter.Gen) {
	t.Helper()
	params := gopter.DefaultTestParametersWithSeed(20151)
	params.MinSuccessfulTests = count
	params.MaxDiscardRatio = 1000
	properties := gopter.NewProperties(params)
	properties.Property(t.Name(), prop.ForAll(law, gens...))
	properties.TestingRun(t)
}

// logUniform generates floats whose logarithm is uniform on [lo, hi]; they
// shrink to nothing, because every value is as simple as another.
func logUniform(lo, hi float64) gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		x := math.Exp(math.Log(lo) + p.Rng.Float64()*math.Log(hi/lo))
		return gopter.NewGenResult(x, gopter.NoShrinker)
	}
}

// anyGoal generates goals in the domain with n unknown, down to tau = 1e-6, beta =
// 1e-300 and m = 1e15, and as often of ordinary size.
func anyGoal(p *gopter.GenParameters) *gopter.GenResult {
	r := p.Rng
	pick := func(lo, hi float64) float64 { return math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo)) }
	g := transfer.Goal{Queries: int64(pick(1, 1e15)), Tau: pick(1e-6, 0.999), Beta: theory.LogProb(-pick(1e-3, 690))}
	if r.Intn(2) == 0 {
		g = transfer.Goal{Queries: int64(pick(1, 1e5)), Tau: pick(0.01, 0.5), Beta: theory.LogProb(-pick(0.1, 20))}
	}
	g.Query = transfer.Query(r.Intn(2))
	g.Budget = min(int64(pick(1, 1e4)), g.Queries)
	return gopter.NewGenResult(g, gopter.NoShrinker)
}

// eachMethod runs a law for every registered method.
func eachMethod(t *testing.T, law func(t *testing.T, m transfer.Method)) {
	for _, m := range transfer.Methods() {
		t.Run(m.Name, func(t *testing.T) { law(t, m) })
	}
}

func solve(m transfer.Method, g transfer.Goal) transfer.Answer {
	a, err := m.Solve(g)
	if err != nil {
		panic(fmt.Sprintf("%s %+v: %v", m.Name, g, err))
	}
	return a
}

// An easier goal never needs more samples.
func TestEasierGoalNeverNeedsMore(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m transfer.Method) {
		check(t, cases(m.Name), func(g transfer.Goal, factor float64) (bool, error) {
			hard := solve(m, g)
			for _, easier := range []transfer.Goal{
				with(g, func(e *transfer.Goal) { e.Tau = math.Min(e.Tau*factor, 0.9999) }),
				with(g, func(e *transfer.Goal) { e.Beta = theory.LogProb(e.Beta.Ln() / factor) }),
				with(g, func(e *transfer.Goal) { e.Queries = max(int64(float64(e.Queries)/factor), max(e.Budget, 1)) }),
				with(g, func(e *transfer.Goal) { e.Budget = max(int64(float64(e.Budget)/factor), 1) }),
			} {
				if easier.Tau < g.Tau {
					continue
				}
				easy := solve(m, easier)
				if hard.Status == transfer.OK && (easy.Status != transfer.OK || easy.Samples > hard.Samples) {
					return false, fmt.Errorf("%+v needs %d, the easier %+v needs %d (%s)", g, hard.Samples, easier, easy.Samples, easy.Status)
				}
			}
			return true, nil
		}, anyGoal, logUniform(1.001, 100))
	})
}

func with(g transfer.Goal, change func(*transfer.Goal)) transfer.Goal {
	change(&g)
	return g
}

// The answer for n is certified, n-1 is not, and what n certifies for each of the
// other unknowns is at least as good as what was asked for.
func TestSolutionsAgree(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m transfer.Method) {
		check(t, cases(m.Name), func(g transfer.Goal) (bool, error) {
			a := solve(m, g)
			if a.Status != transfer.OK {
				return true, nil
			}
			plan := a.Goal
			if got := solve(m, plan); got.Status != transfer.OK {
				return false, fmt.Errorf("%+v: its own answer is %s: %s", plan, got.Status, got.Reason)
			}
			if plan.Samples > 1 {
				less := with(plan, func(g *transfer.Goal) { g.Samples-- })
				if got := solve(m, less); got.Status == transfer.OK {
					return false, fmt.Errorf("%+v is certified, one sample below the answer", less)
				}
			}
			if noise := a.Noise(); a.Mechanism.Noise != "" {
				covered, last := int64(0), math.Inf(1)
				for block := range noise {
					// The last answer of all may have no noise.
					silent := covered+block.Queries == plan.Queries && block.Queries == 1
					if !(block.SD > 0 || silent) || !(block.SD >= 0 && block.SD <= last) {
						return false, fmt.Errorf("%+v: noise %v after %v", plan, block.SD, last)
					}
					covered, last = covered+block.Queries, block.SD
				}
				if covered != plan.Queries || last != a.Mechanism.Scale {
					return false, fmt.Errorf("%+v: noise for %d queries, the last %v; the row says %v", plan, covered, last, a.Mechanism.Scale)
				}
			}
			if !(a.TauAchieved > 0 && a.TauAchieved <= g.Tau) {
				return false, fmt.Errorf("%+v: tau achieved %v", plan, a.TauAchieved)
			}
			tau := solve(m, with(plan, func(g *transfer.Goal) { g.Tau = 0 }))
			// Beyond 1e12 rows, one row changes tau by less than the rounding of ln beta does.
			rounding := 0.0
			if plan.Samples > 1e12 {
				rounding = 1e-14
			}
			if tau.Status != transfer.OK || tau.Tau > g.Tau*(1+rounding) {
				return false, fmt.Errorf("%+v: solved for tau: %v (%s)", plan, tau.Tau, tau.Status)
			}
			beta := solve(m, with(plan, func(g *transfer.Goal) { g.Beta = 0 }))
			// An optimum over free parameters is found with a slack of up to 1e-9.
			if beta.Status != transfer.OK || beta.Beta > g.Beta+1e-9*theory.LogProb(math.Abs(g.Beta.Ln())) {
				return false, fmt.Errorf("%+v: solved for beta: %v (%s)", plan, beta.Beta, beta.Status)
			}
			queries := solve(m, with(plan, func(g *transfer.Goal) { g.Queries = 0 }))
			if queries.Status != transfer.OK || queries.Queries < g.Queries {
				return false, fmt.Errorf("%+v: solved for queries: %v (%s)", plan, queries.Queries, queries.Status)
			}
			return true, nil
		}, gopter.Gen(anyGoal))
	})
}

// What is sharper never needs more than what it sharpens.
func TestSharperNeverNeedsMore(t *testing.T) {
	for _, pair := range [][2]string{
		{"hoeffding-kl", "hoeffding"},
		{"binomial", "hoeffding-kl"},
		{"splitting-exact", "splitting"},
		{"hoeffding", "splitting"},
		{"hoeffding", "rounding"},
		{"thresholdout-dwork15", "thresholdout-dwork15-n0"},
		{"thresholdout-dwork15", "thresholdout-dwork15-n1"},
		{"dp-maxinfo", "dp-dwork15"},
		{"dp", "dp-dwork15"},
		{"gaussian-schedule", "gaussian"},
		{"gaussian", "gaussian-cvar"},
		{"gaussian-cvar", "gaussian-jung20"},
		{"gaussian", "gaussian-rogers20"},
		{"gaussian-cvar", "gaussian-bassily16"},
		{"laplace", "laplace-jung20"},
		{"thresholdout", "thresholdout-dwork15"},
	} {
		sharp, _ := transfer.Lookup(pair[0])
		loose, _ := transfer.Lookup(pair[1])
		t.Run(pair[0]+" "+pair[1], func(t *testing.T) {
			check(t, min(cases(pair[0]), cases(pair[1])), func(g transfer.Goal) (bool, error) {
				a, b := solve(sharp, g), solve(loose, g)
				if b.Status == transfer.OK && a.Status != transfer.NotApplicable && (a.Status != transfer.OK || a.Samples > b.Samples) {
					return false, fmt.Errorf("%+v: %s needs %d (%s), %s needs %d", g, pair[0], a.Samples, a.Status, pair[1], b.Samples)
				}
				return true, nil
			}, gopter.Gen(anyGoal))
		})
	}
}

// No float64 and no int64 makes a method panic or put out a NaN, an infinity or a
// value outside its domain.
func TestNoInputBreaksASolver(t *testing.T) {
	wild := func(p *gopter.GenParameters) *gopter.GenResult {
		r := p.Rng
		float := func() float64 {
			switch r.Intn(6) {
			case 0:
				return math.Float64frombits(r.Uint64())
			case 1:
				return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1, 5e-324, math.MaxFloat64, math.Nextafter(1, 0)}[r.Intn(7)]
			case 2:
				return 0
			}
			return math.Exp(-20 * r.Float64())
		}
		count := func() int64 {
			switch r.Intn(6) {
			case 0:
				return int64(r.Uint64())
			case 1:
				return []int64{-1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64}[r.Intn(5)]
			case 2:
				return 0
			}
			return int64(math.Exp(36 * r.Float64()))
		}
		g := transfer.Goal{
			Samples: count(), Queries: count(), Tau: float(), Beta: theory.LogProb(-1 / float()), Budget: count(),
			Query: transfer.Query(r.Intn(6)), Epsilon: float(),
		}
		if r.Intn(2) == 0 {
			g.Budget, g.Epsilon = max(g.Budget, 0), 0
		}
		if g.Query == transfer.Sensitive || g.Query == transfer.Minimization {
			g.Sensitivity = float()
		}
		if r.Intn(2) == 0 {
			g.Feedback = transfer.Feedback(r.Intn(6))
		}
		for _, field := range []func(){
			func() { g.OneSided = true },
			func() { g.Passes = min(count(), g.Queries) },
			func() { g.Bar = transfer.Some(float()) },
			func() { g.Floor = float() },
			func() { g.Hold = float() },
			func() { g.GuessError = transfer.Some(float()) },
			func() { g.Transcripts = 1 / float() },
			func() { g.LnTranscripts = float() },
			func() { g.PastLooks = count() },
			func() { g.Disagreement = float() },
		} {
			if r.Intn(8) == 0 {
				field()
			}
		}
		if g.Feedback != transfer.Answers && g.Feedback != transfer.Flags {
			g.Budget = 0
		}
		switch r.Intn(5) {
		case 0:
			g.Samples = 0
		case 1:
			g.Queries = 0
		case 2:
			g.Tau = 0
		case 3:
			g.Beta = 0
		}
		return gopter.NewGenResult(g, gopter.NoShrinker)
	}
	eachMethod(t, func(t *testing.T, m transfer.Method) {
		check(t, 5*cases(m.Name), func(g transfer.Goal) (bool, error) {
			a, err := m.Solve(g)
			if err != nil {
				return true, nil
			}
			for _, x := range []float64{a.Tau, a.TauAchieved, a.Mechanism.Scale, a.Mechanism.Threshold, a.Mechanism.Epsilon} {
				if !(x >= 0 && x <= math.MaxFloat64) {
					return false, fmt.Errorf("%+v: %+v", g, a)
				}
			}
			if !(a.Beta <= 0 && a.Mechanism.LnDelta <= 0) || math.IsInf(a.Beta.Ln(), 0) {
				return false, fmt.Errorf("%+v: %+v", g, a)
			}
			if a.Status != transfer.OK && a.Reason == "" {
				return false, fmt.Errorf("%+v: status %s, reason %q", g, a.Status, a.Reason)
			}
			if a.Status == transfer.OK && (a.Samples < 1 || a.Queries < 1 || a.Samples > transfer.MaxCount || !(a.Tau > 0) || !a.Beta.Interior()) {
				return false, fmt.Errorf("%+v: %+v", g, a)
			}
			return true, nil
		}, gopter.Gen(wild))
	})
}
