package transfer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// flagsOf sets each flag that may be without effect, for goals that it may stand beside, and takes it away again.
var flagsOf = []struct {
	name   string
	set    func(g *Goal, r *rand.Rand)
	unset  func(g *Goal)
	stands func(g Goal) bool
}{
	{"budget", func(g *Goal, r *rand.Rand) { g.Budget = 1 + r.Int64N(g.Queries) }, func(g *Goal) { g.Budget = 0 },
		func(g Goal) bool { return g.Feedback == Answers }},
	{"epsilon", func(g *Goal, r *rand.Rand) { g.Epsilon = g.Tau * g.Tau * (0.1 + 0.1*r.Float64()) },
		func(g *Goal) { g.Epsilon = 0 }, func(Goal) bool { return true }},
	{"disagreement", func(g *Goal, r *rand.Rand) { g.Disagreement = 0.05 + 0.5*r.Float64() },
		func(g *Goal) { g.Disagreement, g.Checked = 0, false }, func(g Goal) bool { return g.Query == Difference }},
	{"at-least", func(g *Goal, r *rand.Rand) { g.AtLeast = 0.99 - 0.39*math.Pow(r.Float64(), 3) },
		func(g *Goal) { g.AtLeast, g.Checked = 0, false }, func(g Goal) bool { return g.Query == Binary && g.Variance == 0 }},
	{"variance", func(g *Goal, r *rand.Rand) { g.Variance = 0.25 * math.Pow(r.Float64(), 3) }, func(g *Goal) { g.Variance = 0 },
		func(g Goal) bool { return (g.Query == Binary || g.Query == Bounded) && g.AtLeast == 0 }},
	{"passes", func(g *Goal, r *rand.Rand) { g.Passes = 1 + r.Int64N(g.Queries) }, func(g *Goal) { g.Passes = 0 },
		func(g Goal) bool { return g.Feedback == Gate }},
	{"threshold", func(g *Goal, r *rand.Rand) { g.Bar = Some((1 - g.Tau) * r.Float64()) }, func(g *Goal) { g.Bar = Option{} },
		func(g Goal) bool { return g.Feedback == Gate && g.Query != Sensitive && g.Query != Minimization }},
	{"floor", func(g *Goal, r *rand.Rand) { g.Floor = (1 - 3*g.Tau) * r.Float64() }, func(g *Goal) { g.Floor = 0 },
		func(g Goal) bool { return g.Feedback == Best }},
	{"guess-error", func(g *Goal, r *rand.Rand) { g.GuessError = Some(g.Tau * 0.8 * r.Float64()) },
		func(g *Goal) { g.GuessError = Option{} }, func(g Goal) bool { return g.Feedback == Flags && g.Hold == 0 }},
	{"hold", func(g *Goal, r *rand.Rand) { g.Hold = g.Tau * (0.3 + 0.6*r.Float64()) }, func(g *Goal) { g.Hold = 0 },
		func(g Goal) bool { return g.Feedback == Flags && !g.GuessError.Given }},
	{"past-looks", func(g *Goal, r *rand.Rand) { g.PastLooks = 1 + r.Int64N(3) }, func(g *Goal) { g.PastLooks = 0 },
		func(g Goal) bool { return g.Feedback == Answers && g.Query == Binary }},
}

// A flag changes the number or the row says that it is not used. The row that says so is the row of the goal without
// the flag, and a method that never says so has a goal that the flag makes a difference to.
func TestAFlagCountsOrTheRowSaysThatItDoesNot(t *testing.T) {
	r := rand.New(rand.NewPCG(3904, 1))
	moved, told := map[string]bool{}, map[string]bool{}
	for range 700 {
		g := Goal{Queries: 2 + r.Int64N(20), Tau: 0.05 + 0.2*r.Float64(), Beta: theory.LogProb(-0.5 - 4*r.Float64()),
			Query: Query(r.IntN(int(Difference) + 1))}
		g.Feedback, g.OneSided = Feedback(r.IntN(int(Final)+1)), r.IntN(3) == 0
		if g.Feedback == Flags {
			g.Budget = 1 + r.Int64N(g.Queries)
		}
		flag := flagsOf[r.IntN(len(flagsOf))]
		for _, f := range flagsOf {
			if f.stands(g) && (f.name == flag.name || r.IntN(6) == 0) {
				f.set(&g, r)
			}
		}
		g.Checked = (g.Disagreement > 0 || g.AtLeast > 0) && r.IntN(4) == 0
		if g.Validate() != nil || !flag.stands(g) {
			continue
		}
		without := g
		if flag.unset(&without); without == g {
			continue
		}
		for _, m := range MethodsFor(g.Feedback) {
			with, err := m.Solve(g)
			plain, err2 := m.Solve(without)
			if err != nil || err2 != nil {
				t.Fatalf("%s %+v: %v, %v", m.Name, g, err, err2)
			}
			if with.Status != OK {
				continue
			}
			key := fmt.Sprint(m.Name, " ", g.Feedback, " ", flag.name)
			same := plain.Status == OK && with.Samples == plain.Samples && near(with.TauAchieved, plain.TauAchieved) &&
				near(with.Mechanism.Scale, plain.Mechanism.Scale) && near(with.Mechanism.Threshold, plain.Mechanism.Threshold) &&
				with.Mechanism.PassAt == plain.Mechanism.PassAt && len(with.Mechanism.Board) == len(plain.Mechanism.Board)
			unused := slices.Contains(m.Unused(with), flag.name)
			says := strings.Contains(with.Reason, "not used") && strings.Contains(with.Reason, flag.name)
			if unused != says {
				t.Errorf("%s %+v: unused %v, and the row says %q", m.Name, g, unused, with.Reason)
			}
			if says && !same {
				t.Errorf("%s %+v: %q, but the row is another without it:\n%+v\n%+v", m.Name, g, with.Reason, with, plain)
			}
			moved[key] = moved[key] || !same
			told[key] = told[key] || says
		}
	}
	for key := range told {
		if !moved[key] && !told[key] {
			t.Errorf("%s: the number never changes, and the row does not say that the flag is not used", key)
		}
	}
	if len(told) < 150 {
		t.Errorf("only %d methods with a flag were met", len(told))
	}
}

// near reports whether two numbers are one to the digits that a search tells apart.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-7*math.Abs(x) }

// What a check keeps on the sample is not known of the population: a bound that needs it known does without.
func TestACheckedDisagreementIsNotAssumed(t *testing.T) {
	for _, name := range []string{"hoeffding-kl", "splitting-exact", "gate", "gate-renggli19"} {
		m, _ := Lookup(name)
		g := Goal{Queries: 10, Tau: 0.1, Beta: -3, Query: Difference, Shown: Shown{Feedback: Gate}}
		free, err := m.Solve(g)
		if err != nil {
			t.Fatal(err)
		}
		g.Disagreement, g.Checked = 0.1, true
		checked, err := m.Solve(g)
		if err != nil || checked.Samples != free.Samples || !strings.HasSuffix(checked.Reason, "disagreement is not used") {
			t.Errorf("%s: %d rows for a disagreement that is only checked, %d without one: %q", name, checked.Samples, free.Samples, checked.Reason)
		}
	}
}
