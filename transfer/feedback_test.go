package transfer

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// restrictedNames are the methods that count what could have been asked.
var restrictedNames = []string{
	"gate", "gate-renggli19", "ladder", "ladder-blum15", "sparse-validate", "sealed", "transcripts", "rounding-widths",
}

// randomShown is a goal for the method with all that belongs to its feedback, drawn at random.
func randomShown(r *rand.Rand, m Method) Goal {
	g := Goal{
		Queries: 1 + int64(math.Exp(8*r.Float64())), Tau: 0.02 + 0.3*r.Float64(),
		Beta: theory.LogProb(-0.1 - 8*r.Float64()), Query: []Query{Bounded, Binary, Difference, Sensitive}[r.IntN(4)],
	}
	for !m.Serves(g.Feedback) {
		g.Feedback++
	}
	g.OneSided = r.IntN(3) == 0
	switch m.Name {
	case "gate", "gate-renggli19":
		if r.IntN(2) == 0 {
			g.Passes = 1 + r.Int64N(g.Queries)
		}
		if r.IntN(3) == 0 && g.Query != Sensitive {
			g.Bar = Some(r.Float64() * (1 - g.Tau))
		}
	case "ladder":
		g.Floor = 0.4 * float64(r.IntN(2)) * r.Float64()
	case "sparse-validate":
		g.Budget = 1 + r.Int64N(min(g.Queries, 20))
		switch r.IntN(3) {
		case 0:
			g.Hold = g.Tau * (0.1 + 0.8*r.Float64())
		case 1:
			g.GuessError = Some(0.9 * g.Tau * r.Float64())
		}
	case "transcripts":
		g.Transcripts = float64(g.Queries) * math.Exp(10*r.Float64())
	}
	if g.Query == Difference && r.IntN(2) == 0 {
		g.Disagreement = 0.01 + 0.99*r.Float64()
	}
	own := rand.New(rand.NewPCG(uint64(g.Queries), math.Float64bits(g.Tau)))
	if touching := touch(own, g); own.IntN(2) == 0 && touching.Validate() == nil {
		return touching
	}
	return g
}

// touch moves the quantities of a goal to the ends of their domains, to where two of them touch, or next to it.
func touch(r *rand.Rand, g Goal) Goal {
	d := g.MayDiffer()
	switch r.IntN(6) {
	case 0:
		g.Queries = 1
	case 1:
		g.Beta = theory.LogProb(min(-1e-3, lawtest.Near(r, -math.Log(float64(g.Queries))))) // 1/N
	case 2:
		if g.Query == Difference {
			g.Tau = lawtest.Near(r, d)
		}
	}
	g.Passes, g.Budget = min(g.Passes, g.Queries), min(g.Budget, g.Queries)
	switch {
	case g.Feedback == Best && g.Query != Difference && r.IntN(3) == 0:
		g.Floor = max(0, lawtest.Near(r, 1-2*g.Tau))
	case g.Feedback == Gate && g.Query != Sensitive:
		lowest := 0.0
		if g.Query == Difference {
			lowest = -d
		}
		g.Bar = Some([...]float64{
			lowest, math.Nextafter(lowest, 1), lawtest.Near(r, 1-2*g.Tau), math.Nextafter(1-g.Tau, -1),
		}[r.IntN(4)])
	}
	if g.Passes > 0 && r.IntN(3) == 0 {
		g.Passes = g.Queries
	}
	if g.Feedback == Flags {
		g.Budget = [...]int64{1, g.Budget, min(g.Queries, 20)}[r.IntN(3)]
	}
	switch {
	case g.Hold > 0 && r.IntN(2) == 0:
		g.Hold = [...]float64{1e-9 * g.Tau, math.Nextafter(g.Tau, 0)}[r.IntN(2)]
	case g.GuessError.Given && r.IntN(2) == 0:
		g.GuessError = Some([...]float64{0, math.Nextafter(g.Tau, 0)}[r.IntN(2)])
	}
	return g
}

// What is solved for one unknown is what is solved for the others: n rows serve and hold, fewer do not where the
// method is exact, no better tau or beta is missed by much, and at least as many queries are certified.
func TestRestrictedUnknownsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for _, name := range restrictedNames {
		m, _ := Lookup(name)
		answered := 0
		for range 40 {
			g := randomShown(r, m)
			if g.Query == Binary && name != "gate" && name != "sealed" && r.IntN(4) > 0 {
				g.Query = Bounded // the others take long
			}
			a, err := m.Solve(g)
			if err != nil {
				t.Fatalf("%s %+v: %v", name, g, err)
			}
			if a.Status != OK {
				continue
			}
			answered++
			g.Samples = a.Samples
			if holds, err := m.Certifies(g); err != nil || !holds {
				t.Errorf("%s %+v is not certified: %v", name, g, err)
			}
			if a.Reason == noneCanPass { // at any tau and beta
				continue
			}
			if !(a.TauAchieved <= g.Tau && a.TauAchieved > 0) {
				t.Errorf("%s %+v: the tau achieved is %v", name, g, a.TauAchieved)
			}
			fewer := g
			if fewer.Samples--; m.IsExact() && fewer.Samples > 0 {
				if holds, _ := m.Certifies(fewer); holds {
					t.Errorf("%s %+v: one row fewer serves", name, g)
				}
			}
			for _, unknown := range []Unknown{Queries, Tau, Beta} {
				b, err := m.Solve(unsaid(g, unknown))
				if beyond := g.Query == Difference && unknown == Tau && b.Tau >= 2*g.MayDiffer(); beyond && b.Status == Vacuous {
					continue // a formula stands for a tau that is given, and a solved one is of no use
				}
				if err != nil || b.Status != OK {
					t.Errorf("%s %+v without %s: %s (%s), %v", name, g, unknown, b.Status, b.Reason, err)
					continue
				}
				if b.Queries < g.Queries || b.Tau > g.Tau*(1+2e-6) || b.Beta.Ln() > g.Beta.Ln()*(1-2e-6) {
					t.Errorf("%s %+v without %s: %+v", name, g, unknown, b.Goal)
				}
			}
		}
		if answered < 10 {
			t.Errorf("%s: %d of 40 goals were answered", name, answered)
		}
	}
}

// An easier goal never needs more rows.
func TestRestrictedMethodsAreMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	for _, name := range restrictedNames {
		m, _ := Lookup(name)
		for range 25 {
			g := randomShown(r, m)
			if g.Query == Binary {
				g.Query = Bounded
			}
			a, err := m.Solve(g)
			if err != nil || a.Status != OK {
				continue
			}
			slack := 1.
			if !m.IsExact() {
				slack = 1.001
			}
			for change, easier := range map[string]func(g *Goal){
				"beta": func(g *Goal) { g.Beta *= 0.9 },
				"tau": func(g *Goal) {
					g.Tau *= 1.001
					g.Hold *= 1.001
					g.GuessError.Value *= 1.001
				},
				"queries":      func(g *Goal) { g.Queries = max(g.Passes, g.Budget, g.Queries-1) },
				"passes":       func(g *Goal) { g.Passes = max(1, g.AllPasses()-1); g.Passes *= int64(b2i(g.Feedback == Gate)) },
				"budget":       func(g *Goal) { g.Budget = max(g.Budget-1, int64(b2i(g.Budget > 0))) },
				"disagreement": func(g *Goal) { g.Disagreement *= 0.9 },
				"one side":     func(g *Goal) { g.OneSided = true },
			} {
				other := g
				easier(&other)
				if other.Validate() != nil {
					continue
				}
				b, err := m.Solve(other)
				if err != nil || b.Status == Vacuous || b.Status == OK && float64(b.Samples) <= float64(a.Samples)*slack {
					continue
				}
				t.Errorf("%s %+v needs %d rows; an easier %s, %d (%s %s)",
					name, g, a.Samples, change, b.Samples, b.Status, b.Reason)
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The derived counts never ask for more than the published ones, a known bar never for more than an unknown one,
// and exact tails never for more than a relative entropy.
func TestRestrictedSharperNeverNeedsMore(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 56))
	rows := func(name string, g Goal) int64 {
		m, _ := Lookup(name)
		a, err := m.Solve(g)
		if err != nil {
			t.Fatalf("%s %+v: %v", name, g, err)
		}
		switch a.Status {
		case OK:
			return a.Samples
		case Vacuous: // where no rows do as well
			return 0
		}
		return math.MaxInt64
	}
	gate, _ := Lookup("gate")
	for range 150 {
		g := randomShown(r, gate)
		if g.Query == Sensitive {
			g.Query = Bounded
		}
		unbarred := g
		unbarred.Bar = Option{}
		if a, b := rows("gate", g), rows("gate", unbarred); a > b && b > 0 {
			t.Errorf("%+v: %d rows, and %d without the bar", g, a, b)
		}
		if a, b := rows("gate", unbarred), rows("gate-renggli19", unbarred); a > b {
			t.Errorf("%+v: gate needs %d rows, gate-renggli19 %d", unbarred, a, b)
		}
		one := g
		one.Queries, one.Passes, one.Bar = 1, 0, Option{}
		final := one
		final.Feedback, final.OneSided = Final, true
		if a, b := rows("gate", one), rows("sealed", final); a != b {
			t.Errorf("%+v: one test needs %d rows, one finalist with one side %d", one, a, b)
		}
	}
	for range 30 {
		g := Goal{Queries: 1 + r.Int64N(1e6), Tau: 0.06 + 0.2*r.Float64(), Beta: theory.LogProb(-0.5 - 8*r.Float64())}
		g.Feedback = Best
		if a, b := rows("ladder", g), rows("ladder-blum15", g); a > b {
			t.Errorf("%+v: ladder needs %d rows, ladder-blum15 %d", g, a, b)
		}
		g.Queries = 1 + g.Queries%50
		g.Feedback = Answers
		if a, b := rows("rounding-widths", g), rows("rounding", g); a > b {
			t.Errorf("%+v: rounding-widths needs %d rows, rounding %d", g, a, b)
		}
	}
}

// At one look a ladder is the better of a board and of the score itself, and a transcript of each query is the
// sealed plan.
func TestRestrictedAtTheEnds(t *testing.T) {
	g := Goal{Queries: 1, Tau: 0.1, Beta: -3}
	solve := func(name string, g Goal) Answer {
		m, _ := Lookup(name)
		a, err := m.Solve(g)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	reference := solve("hoeffding-kl", g).Samples
	g.Feedback = Best
	if a := solve("ladder", g); a.Samples != reference || a.Mechanism.Board != nil {
		t.Errorf("a ladder at one look: %+v", a)
	}
	g.Floor = 0.79
	if a := solve("ladder", g); a.Samples >= reference || a.Mechanism.Board == nil {
		t.Errorf("a ladder above a baseline at one look: %+v", a)
	}
	g.Floor = 0.8
	if a := solve("ladder", g); a.Status != Vacuous {
		t.Errorf("a ladder whose floor is 1 - 2 tau: %+v", a)
	}
	g = Goal{Queries: 70, Tau: 0.1, Beta: -3}
	g.Feedback = Final
	finalists := solve("sealed", g).Samples
	g.Feedback, g.Transcripts = Answers, 70
	if a := solve("transcripts", g); a.Samples != finalists {
		t.Errorf("%d finalists need %d rows, as many transcripts %d", g.Queries, finalists, a.Samples)
	}
	g.Transcripts = 69
	if a := solve("transcripts", g); a.Status != NotApplicable {
		t.Errorf("fewer transcripts than queries: %+v", a)
	}
}

// A look at full precision multiplies every count by n+1, of 0/1 queries; of others nothing is left.
func TestPastLooks(t *testing.T) {
	for _, name := range []string{"transcripts", "gaussian", "splitting", "rounding-widths"} {
		m, _ := Lookup(name)
		g := Goal{Queries: 5, Tau: 0.1, Beta: -3, Query: Binary}
		g.Transcripts, g.PastLooks = 1000, 2
		a, err := m.Solve(g)
		if err != nil || a.Status != OK {
			t.Fatalf("%s: %+v, %v", name, a, err)
		}
		plain := g
		plain.PastLooks = 0
		plain.Beta -= theory.LogProb(2 * math.Log(float64(a.Samples+1)))
		b, err := m.Solve(plain)
		if err != nil || b.Status != OK || b.Samples > a.Samples || b.Samples < a.Samples-a.Samples/50 {
			t.Errorf("%s: %d rows after two looks, %d at the share of beta", name, a.Samples, b.Samples)
		}
		g.Query = Bounded
		if a, err := m.Solve(g); err != nil || a.Status != Infeasible || !strings.Contains(a.Reason, "nothing is left") {
			t.Errorf("%s after looks at other values: %+v, %v", name, a, err)
		}
	}
}

// Differences are answered in their own units: a method for [0,1] by half of it.
func TestDifferencesAreHalved(t *testing.T) {
	for _, name := range []string{
		"hoeffding", "splitting", "gaussian-schedule", "gaussian", "gaussian-jung20", "laplace", "thresholdout",
		"thresholdout-dwork15",
	} {
		m, _ := Lookup(name)
		g := Goal{Queries: 20, Tau: 0.1, Beta: -3, Budget: 2}
		plain, err := m.Solve(g)
		if err != nil {
			t.Fatal(err)
		}
		g.Query, g.Tau = Difference, 0.2
		a, err := m.Solve(g)
		if err != nil || a.Status != OK || a.Samples != plain.Samples || math.Abs(a.TauAchieved-2*plain.TauAchieved) > 1e-12 {
			t.Errorf("%s: %+v, %v; want twice %+v", name, a, err, plain)
		}
		if a.Mechanism.Scale != 2*plain.Mechanism.Scale || a.Mechanism.Threshold != 2*plain.Mechanism.Threshold {
			t.Errorf("%s runs %+v, want twice %+v", name, a.Mechanism, plain.Mechanism)
		}
		var noise []theory.NoiseBlock
		for block := range plain.Noise() {
			noise = append(noise, block)
		}
		for block := range a.Noise() {
			if len(noise) == 0 || block.Scale != 2*noise[0].Scale || block.Queries != noise[0].Queries {
				t.Fatalf("%s: noise %+v, want twice %+v", name, block, noise)
			}
			noise = noise[1:]
		}
	}
}

// Fields out of their domain, or of another kind of feedback or query, are refused by name.
func TestShownAtTheEndsOfItsDomain(t *testing.T) {
	for _, c := range []struct {
		field  string // "" if the goal is well
		change func(g *Goal)
	}{
		{"", func(g *Goal) {}},
		{"feedback", func(g *Goal) { g.Feedback = Final + 1 }},
		{"feedback", func(g *Goal) { g.Feedback = -1 }},
		{"", func(g *Goal) { g.Feedback, g.Passes = Gate, 1 }},
		{"passes", func(g *Goal) { g.Passes = 1 }},
		{"passes", func(g *Goal) { g.Feedback, g.Passes = Gate, -1 }},
		{"", func(g *Goal) { g.Feedback, g.Bar = Gate, Some(0) }},
		{"", func(g *Goal) { g.Feedback, g.Bar = Gate, Some(math.Nextafter(0.9, 0)) }},
		{"threshold", func(g *Goal) { g.Feedback, g.Bar = Gate, Some(0.9) }},
		{"threshold", func(g *Goal) { g.Feedback, g.Bar = Gate, Some(-0.1) }},
		{"threshold", func(g *Goal) { g.Feedback, g.Bar = Gate, Some(math.NaN()) }},
		{"threshold", func(g *Goal) { g.Bar = Some(0.5) }},
		{"threshold", func(g *Goal) { g.Feedback, g.Query, g.Bar = Gate, Sensitive, Some(0.5) }},
		{"", func(g *Goal) { g.Feedback, g.Query, g.Bar = Gate, Difference, Some(-1) }},
		{"", func(g *Goal) { g.Feedback, g.Floor = Best, 0.999 }},
		{"floor", func(g *Goal) { g.Feedback, g.Floor = Best, 1 }},
		{"floor", func(g *Goal) { g.Feedback, g.Floor = Best, math.NaN() }},
		{"floor", func(g *Goal) { g.Floor = 0.5 }},
		{"", func(g *Goal) { g.Feedback, g.Hold = Flags, 0.05 }},
		{"hold", func(g *Goal) { g.Feedback, g.Hold = Flags, 0.1 }},
		{"hold", func(g *Goal) { g.Feedback, g.Hold = Flags, -0.1 }},
		{"", func(g *Goal) { g.Feedback, g.GuessError = Flags, Some(0) }},
		{"guess-error", func(g *Goal) { g.Feedback, g.GuessError = Flags, Some(0.1) }},
		{"guess-error", func(g *Goal) { g.Feedback, g.GuessError = Flags, Some(math.NaN()) }},
		{"guess-error", func(g *Goal) { g.Feedback, g.Hold, g.GuessError = Flags, 0.05, Some(0.01) }},
		{"", func(g *Goal) { g.Transcripts = 1 }},
		{"transcripts", func(g *Goal) { g.Transcripts = 0.5 }},
		{"transcripts", func(g *Goal) { g.Transcripts = math.Inf(1) }},
		{"ln-transcripts", func(g *Goal) { g.LnTranscripts = -1 }},
		{"ln-transcripts", func(g *Goal) { g.Transcripts, g.LnTranscripts = 5, 2 }},
		{"past-looks", func(g *Goal) { g.PastLooks = -1 }},
		{"past-looks", func(g *Goal) { g.Feedback, g.PastLooks = Gate, 1 }},
		{"budget", func(g *Goal) { g.Feedback, g.Budget = Gate, 1 }},
		{"", func(g *Goal) { g.Feedback, g.Budget = Flags, 1 }},
		{"", func(g *Goal) { g.Query, g.Disagreement = Difference, 1 }},
		{"disagreement", func(g *Goal) { g.Query, g.Disagreement = Difference, 1.01 }},
		{"disagreement", func(g *Goal) { g.Query, g.Disagreement = Difference, -0.1 }},
		{"disagreement", func(g *Goal) { g.Disagreement = 0.5 }},
		{"", func(g *Goal) { g.Query, g.AtLeast = Binary, 0.51 }},
		{"at-least", func(g *Goal) { g.Query, g.AtLeast = Binary, 0.5 }},
		{"at-least", func(g *Goal) { g.Query, g.AtLeast = Binary, 1 }},
		{"at-least", func(g *Goal) { g.Query, g.AtLeast = Binary, math.NaN() }},
		{"at-least", func(g *Goal) { g.AtLeast = 0.9 }},
		{"at-least", func(g *Goal) { g.Query, g.Disagreement, g.AtLeast = Difference, 0.1, 0.9 }},
		{"", func(g *Goal) { g.Variance = 0.25 }},
		{"variance", func(g *Goal) { g.Variance = 0.26 }},
		{"variance", func(g *Goal) { g.Variance = -0.1 }},
		{"variance", func(g *Goal) { g.Variance = math.NaN() }},
		{"variance", func(g *Goal) { g.Query, g.Variance = Sensitive, 0.1 }},
		{"variance", func(g *Goal) { g.Query, g.Disagreement, g.Variance = Difference, 0.1, 0.1 }},
		{"variance", func(g *Goal) { g.Query, g.AtLeast, g.Variance = Binary, 0.9, 0.1 }},
		{"", func(g *Goal) { g.Query, g.AtLeast, g.Checked = Binary, 0.9, true }},
		{"", func(g *Goal) { g.Query, g.Disagreement, g.Checked = Difference, 0.1, true }},
		{"enforce", func(g *Goal) { g.Checked = true }},
		{"enforce", func(g *Goal) { g.Variance, g.Checked = 0.1, true }},
		{"enforce", func(g *Goal) { g.Query, g.Checked = Difference, true }},
		{"", func(g *Goal) { g.Query, g.Tau = Difference, math.Nextafter(2, 0) }},
		{"tau", func(g *Goal) { g.Query, g.Tau = Difference, 2 }},
	} {
		g := Goal{Queries: 10, Tau: 0.1, Beta: -3}
		c.change(&g)
		err := g.Validate()
		if c.field == "" && err != nil || c.field != "" && (err == nil || !strings.HasPrefix(err.Error(), c.field+":")) {
			t.Errorf("%+v: %v, want an error about %q", g, err, c.field)
		}
	}
	for f := Answers; f <= Final; f++ {
		if back, err := ParseFeedback(f.String()); err != nil || back != f {
			t.Errorf("%s reads as %v, %v", f, back, err)
		}
	}
	if _, err := ParseFeedback("none"); err == nil || Feedback(9).String() != "unknown" {
		t.Error("none is a kind of feedback")
	}
	over := Goal{Queries: 10, Shown: Shown{Passes: 11}}
	if over.Overspent() == nil || (Goal{Queries: 10, Budget: 11, Shown: Shown{Feedback: Flags}}).Overspent() == nil {
		t.Error("more passes or flags than queries are not overspent")
	}
}

// A method for answers serves whatever is shown less, but not the finalists; the others their own kind.
func TestMethodsServeTheirFeedback(t *testing.T) {
	for name, want := range map[string]string{
		"hoeffding": "answers gate best flags final", "gaussian-schedule": "answers gate best flags", "dp": "answers",
		"thresholdout": "answers flags", "gate": "gate", "gate-renggli19": "gate", "ladder": "best", "ladder-blum15": "best",
		"sparse-validate": "flags", "sealed": "final", "transcripts": "answers", "rounding-widths": "answers gate best flags",
	} {
		m, _ := Lookup(name)
		var served []string
		for f := Answers; f <= Final; f++ {
			if m.Serves(f) {
				served = append(served, f.String())
				continue
			}
			g := Goal{Queries: 10, Tau: 0.1, Beta: -3, Shown: Shown{Feedback: f}}
			if a, err := m.Solve(g); err != nil || a.Status != NotApplicable ||
				a.Reason != "needs the feedback "+strings.ReplaceAll(want, " ", " or ") {
				t.Errorf("%s for %s: %+v, %v", name, f, a, err)
			}
		}
		if got := strings.Join(served, " "); got != want {
			t.Errorf("%s serves %s, want %s", name, got, want)
		}
	}
	for _, m := range MethodsFor(Final) {
		if m.Name != "sealed" && !m.IsReference() {
			t.Errorf("%s scores finalists", m.Name)
		}
	}
}

// The ends of tau: an error that is almost as large as it can be, and the least tau at few rows.
func TestRestrictedAtTheEndsOfTau(t *testing.T) {
	sealed, _ := Lookup("sealed")
	g := Goal{Queries: 7790, Tau: math.Nextafter(1, 0), Beta: lp("1.2287404530193314e-09")}
	g.Feedback, g.OneSided = Final, true
	if a, err := sealed.Solve(g); err != nil || a.Samples != 1 {
		t.Errorf("%+v: %d rows, %v, want 1", g, a.Samples, err)
	}
	widths, _ := Lookup("rounding-widths")
	g = Goal{Samples: 678, Queries: 30, Beta: lp("8.758025414595215e-182")}
	a, err := widths.Solve(g)
	if err != nil || a.Status != OK {
		t.Fatal(a, err)
	}
	if a.Goal.Tau *= 1 - 1e-6; widthsRule.Holds(a.Goal) {
		t.Errorf("the least tau is above %v, which is certified", a.Goal.Tau)
	}
}

// Where n is so large that one row moves tau by less than a rounding, tau is found all the same.
func TestLeastTauOfManyRows(t *testing.T) {
	for _, name := range []string{"rounding-widths", "gate", "ladder", "sealed"} {
		m, _ := Lookup(name)
		goal := Goal{Queries: 1e15, Tau: 0.49, Beta: lp("1e-8")}
		if m.Feedbacks != nil {
			goal.Feedback = m.Feedbacks[0]
		}
		a, err := m.Solve(goal)
		if err != nil || a.Status != OK || !(a.TauAchieved > 0 && a.TauAchieved <= goal.Tau) {
			t.Errorf("%s: %d rows reach %v (%s %s), %v", name, a.Samples, a.TauAchieved, a.Status, a.Reason, err)
		}
	}
}

// The threshold that is printed keeps the guess error of the tau that was asked for, at the accuracy achieved.
func TestGuessErrorIsThatOfTheGoal(t *testing.T) {
	m, _ := Lookup("sparse-validate")
	for _, g := range []Goal{
		{Queries: 3, Tau: 0.8, Budget: 1}, {Queries: 50, Tau: 0.7, Budget: 1}, {Queries: 1000, Tau: 0.1, Budget: 10},
		{Queries: 1e15, Tau: 0.01, Budget: 3},
	} {
		g.Beta, g.Feedback = theory.LogProb(math.Log(0.05)), Flags
		a, err := m.Solve(g)
		if err != nil || a.Status != OK {
			t.Fatal(a, err)
		}
		v := tree.Validator{Values: tail.Interval{}, Queries: g.Queries, Flags: g.Budget, Tau: a.TauAchieved,
			Threshold: a.Mechanism.Threshold, Guesses: true, Tolerance: g.Tau / 2, LnBeta: g.Beta.Ln()}
		if ln, _ := v.Bound(a.Samples); !(ln <= g.Beta.Ln()) {
			t.Errorf("%+v: ln of the failure probability is %v at the accuracy achieved, want at most %v", g, ln, g.Beta.Ln())
		}
	}
}

// Budgets are counted as far as that ends soon.
func TestMostFlags(t *testing.T) {
	m, _ := Lookup("sparse-validate")
	for _, c := range []struct {
		budget, queries int64
		applies         bool
	}{
		{10_000, 10_000, true}, {10_001, 10_001, false}, {20_000, 79_999, false}, {20_000, 80_000, true},
		{100_000, 400_000, true}, {100_001, 1e9, false},
	} {
		g := Goal{Samples: 1e6, Queries: c.queries, Tau: 0.1, Budget: c.budget, Shown: Shown{Feedback: Flags}}
		if err := m.applies(m.ruleFor(g), g); (err == nil) != c.applies {
			t.Errorf("%d flags of %d queries: %v", c.budget, c.queries, err)
		}
	}
}

// What certifies a plan to a threshold certifies an easier one: fewer queries, a larger tau or beta, more rows.
func TestHeldPlansAreMonotone(t *testing.T) {
	m, _ := Lookup("sparse-validate")
	r := rand.New(rand.NewPCG(3905, 9))
	goals := []Goal{{
		Samples: 757_471, Queries: 1488, Tau: 0.03127924, Beta: theory.LogProb(math.Log(0.4966)), Query: Difference,
		Budget: 11, Shown: Shown{Feedback: Flags, Hold: 0.02179305},
	}}
	for len(goals) < 150 {
		g := Goal{Queries: 2 + int64(math.Exp(10*r.Float64())), Tau: 0.02 + 0.3*r.Float64(),
			Beta: theory.LogProb(-0.1 - 8*r.Float64()), Query: []Query{Bounded, Binary, Difference}[r.IntN(3)]}
		g.Feedback, g.Budget, g.Hold = Flags, 1+r.Int64N(min(g.Queries, 20)), g.Tau*(0.3+0.65*r.Float64())
		a, err := m.Solve(g)
		if err != nil || a.Status != OK {
			t.Fatalf("%+v: %s, %v", g, a.Reason, err)
		}
		g.Samples = max(1, int64(float64(a.Samples)*(0.85+0.3*r.Float64())))
		goals = append(goals, g)
	}
	held := 0
	for _, g := range goals {
		if ok, err := m.Certifies(g); err != nil || !ok {
			continue
		}
		held++
		open := g
		open.Queries = 0
		if a, err := m.Solve(open); err != nil || a.Queries < g.Queries {
			t.Errorf("%+v is certified, and the most queries are %d (%v)", g, a.Queries, err)
		}
		for range 4 {
			easier := g
			easier.Queries = max(g.Budget, int64(float64(g.Queries)*r.Float64()))
			easier.Samples += r.Int64N(g.Samples)
			easier.Tau *= 1 + 0.2*r.Float64()
			easier.Beta *= theory.LogProb(1 - 0.3*r.Float64())
			if ok, err := m.Certifies(easier); err != nil || !ok {
				t.Errorf("%+v is certified, and %+v is not (%v)", g, easier, err)
			}
		}
	}
	if held < 40 {
		t.Errorf("%d plans are certified", held)
	}
}
