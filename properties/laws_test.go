package properties

import (
	"fmt"
	"math"
	"math/rand"
	"sync"
	"testing"

	"github.com/leanovate/gopter"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// cases is how many goals a law meets: fewer where a solve takes milliseconds. A slow law meets a share of them.
func cases(name string) int {
	switch name {
	case "gaussian-open":
		return 30
	case "gaussian-schedule", "thresholdout", "laplace", "rounding-widths":
		return 40
	case "binomial", "splitting-exact", "gaussian", "gaussian-cvar", "gaussian-jung20", "gaussian-marchant25",
		"gaussian-rogers20",
		"gaussian-bassily16", "laplace-jung20":
		return 150
	}
	return 400
}

// goals generates the same goals for every law, so that a method solves one that several laws
// look at once.
func goals() gopter.Gen {
	r := rand.New(rand.NewSource(20151))
	return lawtest.Gen(func(*gopter.GenParameters) transfer.Goal { return anyGoal(r) })
}

// anyGoal returns a goal in the domain with n unknown, down to tau = 1e-6, beta =
// 1e-300 and m = 1e15, and as often one of ordinary size. The ends are drawn, and beta = 1/m.
func anyGoal(r *rand.Rand) transfer.Goal {
	pick := func(lo, hi float64) float64 { return lawtest.Between(r, lo, hi) }
	g := transfer.Goal{
		Queries: int64(pick(1, 1e15)), Tau: pick(1e-6, math.Nextafter(1, 0)), Beta: theory.LogProb(-pick(1e-3, 690)),
	}
	if r.Intn(2) == 0 {
		g = transfer.Goal{Queries: int64(pick(1, 1e5)), Tau: pick(0.01, 0.5), Beta: theory.LogProb(-pick(0.1, 20))}
	}
	if g.Queries > 1 && r.Intn(16) == 0 {
		g.Beta = theory.LogProb(-math.Log(float64(g.Queries)))
	}
	g.Query = transfer.Query(r.Intn(2))
	g.Budget = min(int64(pick(1, 1e4)), g.Queries)
	return g
}

// goalOf is the goal as a method answers it: of an open plan the flagged queries are passes, raises or corrections.
func goalOf(m transfer.Method, g transfer.Goal) transfer.Goal {
	if !m.IsOpen() {
		return g
	}
	g.Open, g.Feedback = true, m.Feedbacks[0]
	switch g.Feedback {
	case transfer.Gate, transfer.Best:
		g.Passes, g.Budget = g.Budget, 0
	case transfer.Answers:
		g.Budget = 0
	}
	return g
}

// eachMethod runs a law for every registered method.
func eachMethod(t *testing.T, law func(t *testing.T, m transfer.Method)) {
	for _, m := range transfer.Methods() {
		t.Run(m.Name, func(t *testing.T) { law(t, m) })
	}
}

// solve solves a goal in the domain, once for all tests.
func solve(m transfer.Method, g transfer.Goal) transfer.Answer {
	answer, _ := solved.LoadOrStore(problem{m.Name, g}, sync.OnceValue(func() transfer.Answer {
		a, err := m.Solve(g)
		if err != nil {
			panic(fmt.Sprintf("%s %+v: %v", m.Name, g, err))
		}
		return a
	}))
	return answer.(func() transfer.Answer)()
}

type problem struct {
	method string
	goal   transfer.Goal
}

var solved sync.Map // from problem to func() transfer.Answer

// An easier goal never needs more samples.
func TestEasierGoalNeverNeedsMore(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m transfer.Method) {
		lawtest.Check(t, 20151, lawtest.Draws(t, cases(m.Name)), func(g transfer.Goal, factor float64) (bool, error) {
			g = goalOf(m, g)
			hard := solve(m, g)
			if hard.Status != transfer.OK {
				return true, nil
			}
			for _, easier := range []transfer.Goal{
				with(g, func(e *transfer.Goal) { e.Tau = math.Min(e.Tau*factor, 0.9999) }),
				with(g, func(e *transfer.Goal) { e.Beta = theory.LogProb(e.Beta.Ln() / factor) }),
				with(g, func(e *transfer.Goal) { e.Queries = max(int64(float64(e.Queries)/factor), max(e.Budget, 1)) }),
				with(g, func(e *transfer.Goal) { e.Budget = max(int64(float64(e.Budget)/factor), 1) }),
			} {
				if easier.Tau < g.Tau || !m.NeedsBudget() && easier.Budget != g.Budget {
					continue
				}
				if m.IsOpen() && (easier.Queries < g.Queries || easier.Budget < g.Budget) { // another rate is not expected
					continue
				}
				easy := solve(m, easier)
				if m.IsOpen() && easy.Status == transfer.Vacuous { // an interval of nearly one says nothing
					continue
				}
				if easy.Status != transfer.OK || easy.Samples > hard.Samples {
					return false, fmt.Errorf("%+v needs %d, the easier %+v needs %d (%s)", g, hard.Samples, easier, easy.Samples,
						easy.Status)
				}
			}
			return true, nil
		}, goals(), lawtest.LogUniform(1.001, 100))
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
		lawtest.Check(t, 20151, lawtest.Draws(t, cases(m.Name)), func(g transfer.Goal) (bool, error) {
			g = goalOf(m, g)
			a := solve(m, g)
			if a.Status != transfer.OK {
				return true, nil
			}
			plan := a.Goal
			if got := solve(m, plan); got.Status != transfer.OK {
				return false, fmt.Errorf("%+v: its own answer is %s: %s", plan, got.Status, got.Reason)
			}
			if fewer := missed(m, plan); plan.Samples > fewer {
				less := with(plan, func(g *transfer.Goal) { g.Samples -= fewer })
				if got := solve(m, less); got.Status == transfer.OK {
					return false, fmt.Errorf("%+v is certified, %d below the answer", less, fewer)
				}
			}
			if noise := a.Noise(); a.Mechanism.Noise != "" {
				covered, last := int64(0), math.Inf(1)
				for block := range noise {
					// The last answer of all may have no noise.
					silent := covered+block.Queries == plan.Queries && block.Queries == 1
					falls := block.Scale >= 0 && (block.Scale <= last || m.IsOpen())
					if !(block.Scale > 0 || silent) || !falls {
						return false, fmt.Errorf("%+v: noise %v after %v", plan, block.Scale, last)
					}
					covered, last = covered+block.Queries, block.Scale
				}
				if covered != plan.Queries || last != a.Mechanism.Scale {
					return false, fmt.Errorf("%+v: noise for %d queries, the last %v; the row says %v", plan, covered, last,
						a.Mechanism.Scale)
				}
			}
			if !(a.TauAchieved > 0 && a.TauAchieved <= g.Tau) {
				return false, fmt.Errorf("%+v: tau achieved %v", plan, a.TauAchieved)
			}
			tau := solve(m, with(plan, func(g *transfer.Goal) { g.Tau = 0 }))
			// Beyond 1e12 rows, one row changes tau by less than the rounding of ln beta does. Falling noise has its
			// least tau to a hundredth of a row or 1e-8, and n may certify as little below the tau asked for.
			rounding := 0.0
			if m.Scheduled {
				rounding = min(1e-8, 0.01/float64(plan.Samples))
			}
			if plan.Samples > 1e12 {
				rounding = max(rounding, 1e-14)
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
		}, goals())
	})
}

// missed is how many samples fewer are not certified: one, but where a search of Gaussian noise says that it may miss
// more. For few queries it looks at every sample.
func missed(m transfer.Method, g transfer.Goal) int64 {
	switch {
	case g.Queries <= 8:
		return 1
	case m.Name == "gaussian-schedule":
		return 1 + g.Samples/10_000
	case m.Name == "gaussian":
		return 1 + g.Samples/500
	}
	return 1
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
			count := lawtest.Draws(t, min(cases(pair[0]), cases(pair[1])))
			lawtest.Check(t, 20151, count, func(g transfer.Goal) (bool, error) {
				a, b := solve(sharp, g), solve(loose, g)
				if b.Status == transfer.OK && a.Status != transfer.NotApplicable &&
					(a.Status != transfer.OK || a.Samples > b.Samples) {
					return false, fmt.Errorf("%+v: %s needs %d (%s), %s needs %d", g, pair[0], a.Samples, a.Status, pair[1], b.Samples)
				}
				return true, nil
			}, goals())
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
			func() { g.AtLeast = float() },
			func() { g.Variance = float() / 4 },
			func() { g.Checked = true },
			func() { g.Open = true },
			func() { g.Arrival = &transfer.Arrival{Rows: count(), Queries: count()} },
			func() {
				g.Arrival = new(transfer.Arrival)
				for range r.Intn(5) {
					g.Arrival.Stages = append(g.Arrival.Stages, transfer.Stage{More: count() - 1, Until: count()})
				}
			},
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
		lawtest.Check(t, 20151, 5*cases(m.Name), func(g transfer.Goal) (bool, error) {
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
			if a.Status == transfer.OK &&
				(a.Samples < 1 || a.Queries < 1 || a.Samples > transfer.MaxCount || !(a.Tau > 0) || !a.Beta.IsInterior()) {
				return false, fmt.Errorf("%+v: %+v", g, a)
			}
			return true, nil
		}, gopter.Gen(wild))
	})
}
