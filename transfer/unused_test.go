package transfer

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// flagsOf sets each field of a goal that may be without effect, for goals that it may stand beside, and takes it away
// again.
var flagsOf = []struct {
	name   string // of a flag that a row says is not used; "" for those that no row speaks of
	field  string
	set    func(g *Goal, r *rand.Rand)
	unset  func(g *Goal)
	stands func(g Goal) bool
}{
	{"budget", "Budget", func(g *Goal, r *rand.Rand) { g.Budget = 1 + r.Int64N(g.Queries) }, func(g *Goal) { g.Budget = 0 },
		func(g Goal) bool { return g.Feedback == Answers }},
	{"epsilon", "Epsilon", func(g *Goal, r *rand.Rand) { g.Epsilon = g.Tau * g.Tau * (0.1 + 0.1*r.Float64()) },
		func(g *Goal) { g.Epsilon = 0 }, func(Goal) bool { return true }},
	{"disagreement", "Disagreement", func(g *Goal, r *rand.Rand) { g.Disagreement = 0.05 + 0.5*r.Float64() },
		func(g *Goal) { g.Disagreement, g.Checked = 0, g.Checked && g.SecondMoment > 0 },
		func(g Goal) bool { return g.Query == Difference }},
	{"at-least", "AtLeast", func(g *Goal, r *rand.Rand) { g.AtLeast = 0.99 - 0.39*math.Pow(r.Float64(), 3) },
		func(g *Goal) { g.AtLeast, g.Checked = 0, false }, func(g Goal) bool { return g.Query == Binary && g.Variance == 0 }},
	{"variance", "Variance", func(g *Goal, r *rand.Rand) { g.Variance = 0.25 * math.Pow(r.Float64(), 3) }, func(g *Goal) { g.Variance = 0 },
		func(g Goal) bool { return (g.Query == Binary || g.Query == Bounded) && g.AtLeast == 0 }},
	{"second-moment", "SecondMoment", func(g *Goal, r *rand.Rand) { g.SecondMoment = 0.02 + 0.5*r.Float64() },
		func(g *Goal) { g.SecondMoment, g.Checked = 0, g.Checked && g.Disagreement > 0 },
		func(g Goal) bool { return g.Query == Difference }},
	{"passes", "Passes", func(g *Goal, r *rand.Rand) { g.Passes = 1 + r.Int64N(g.Queries) }, func(g *Goal) { g.Passes = 0 },
		func(g Goal) bool { return g.Feedback == Gate }},
	{"threshold", "Bar", func(g *Goal, r *rand.Rand) { g.Bar = Some((1 - g.Tau) * r.Float64()) }, func(g *Goal) { g.Bar = Option{} },
		func(g Goal) bool { return g.Feedback == Gate && g.Query != Sensitive && g.Query != Minimization }},
	{"floor", "Floor", func(g *Goal, r *rand.Rand) { g.Floor = (1 - 3*g.Tau) * r.Float64() }, func(g *Goal) { g.Floor = 0 },
		func(g Goal) bool { return g.Feedback == Best }},
	{"guess-error", "GuessError", func(g *Goal, r *rand.Rand) { g.GuessError = Some(g.Tau * 0.8 * r.Float64()) },
		func(g *Goal) { g.GuessError = Option{} }, func(g Goal) bool { return g.Feedback == Flags && g.Hold == 0 }},
	{"hold", "Hold", func(g *Goal, r *rand.Rand) { g.Hold = g.Tau * (0.3 + 0.6*r.Float64()) }, func(g *Goal) { g.Hold = 0 },
		func(g Goal) bool { return g.Feedback == Flags && !g.GuessError.Given }},
	{"transcripts", "Transcripts", func(g *Goal, r *rand.Rand) { g.Transcripts = float64(g.Queries + r.Int64N(1e6)) },
		func(g *Goal) { g.Transcripts = 0 }, func(g Goal) bool { return g.Feedback == Answers && g.LnTranscripts == 0 }},
	{"ln-transcripts", "LnTranscripts", func(g *Goal, r *rand.Rand) { g.LnTranscripts = 4 + 9*r.Float64() },
		func(g *Goal) { g.LnTranscripts = 0 }, func(g Goal) bool { return g.Feedback == Answers && g.Transcripts == 0 }},
	{"past-looks", "PastLooks", func(g *Goal, r *rand.Rand) { g.PastLooks = 1 + r.Int64N(3) }, func(g *Goal) { g.PastLooks = 0 },
		func(g Goal) bool { return g.Feedback == Answers && g.Query == Binary }},
	{"", "Sensitivity", func(g *Goal, _ *rand.Rand) { g.Sensitivity = 1 }, func(g *Goal) { g.Sensitivity = 0 },
		func(g Goal) bool { return g.Query != Sensitive && g.Query != Minimization }},
	{"", "OneSided", func(g *Goal, _ *rand.Rand) { g.OneSided = true }, func(g *Goal) { g.OneSided = false },
		func(Goal) bool { return true }},
	{"", "Open", func(g *Goal, _ *rand.Rand) { g.Open = true }, func(g *Goal) { g.Open = false },
		func(g Goal) bool { return g.Feedback != Final }},
	{"", "Checked", func(g *Goal, _ *rand.Rand) { g.Checked = true }, func(g *Goal) { g.Checked = false },
		func(g Goal) bool { return g.Disagreement > 0 || g.AtLeast > 0 || g.SecondMoment > 0 }},
	{"", "Decided", func(g *Goal, r *rand.Rand) { g.Decided = Decided(1 + r.IntN(2)) }, func(g *Goal) { g.Decided = Undecided },
		func(g Goal) bool { return g.Checked && g.Disagreement > 0 }},
}

// Every field of a goal is set by a flag here, or decides what every row is about.
func TestFlagsCoverTheGoal(t *testing.T) {
	about := []string{"Samples", "Queries", "Tau", "Beta", "Query", "Range", "Ratio", "Arrival", "Sample", "Feedback", "Shown", "Known"}
	for _, of := range []reflect.Type{reflect.TypeFor[Goal](), reflect.TypeFor[Shown](), reflect.TypeFor[Known]()} {
		for i := range of.NumField() {
			name := of.Field(i).Name
			flags := 0
			for _, f := range flagsOf {
				if f.field == name {
					flags++
				}
			}
			if slices.Contains(about, name) {
				flags++
			}
			if flags != 1 {
				t.Errorf("%d flags set %s, want one", flags, name)
			}
		}
	}
}

// withFlag is a random goal for a method and the same one without a flag, of which neither has more than the method's
// feedback takes; ok is false where the flag cannot stand.
func withFlag(r *rand.Rand, m Method, flag int) (g, without Goal, ok bool) {
	g = Goal{Queries: 2 + r.Int64N(20), Tau: 0.05 + 0.2*r.Float64(), Beta: theory.LogProb(-0.5 - 4*r.Float64()),
		Query: Query(r.IntN(int(Difference) + 1))}
	for g.Feedback = Feedback(r.IntN(int(Final) + 1)); !m.Serves(g.Feedback); {
		g.Feedback = Feedback(r.IntN(int(Final) + 1))
	}
	g.OneSided, g.Open = r.IntN(3) == 0, m.IsOpen()
	if g.Feedback == Flags || m.NeedsBudget() {
		g.Budget = 1 + r.Int64N(g.Queries)
	}
	if m.NeedsTranscripts() {
		g.LnTranscripts = 6
	}
	if m.IsRedrawn() {
		g.Sample = tail.Subset{Items: 100_000}
	}
	f := flagsOf[flag]
	for i, other := range flagsOf {
		f.unset(&g)
		if other.stands(g) && other.field != "Open" && (i == flag || r.IntN(6) == 0) {
			other.set(&g, r)
		}
	}
	if !f.stands(g) {
		return g, g, false
	}
	f.set(&g, r)
	without = g
	f.unset(&without)
	return g, without, without != g && g.Validate() == nil && without.Validate() == nil
}

// A flag that a method does not use changes nothing: the answer is the same to the last digit, and so are its proof and
// its sources. The row says which flags it does not use, and no others.
func TestAnUnusedFlagChangesNothing(t *testing.T) {
	walked, each := 0, lawtest.Draws(t, 4) // of each method and flag
	for _, m := range Methods() {
		r := named("unused by " + m.Name)
		for i, flag := range flagsOf {
			for tries, met := 0, 0; tries < 60 && met < each; tries++ {
				g, without, ok := withFlag(r, m, i)
				if !ok {
					continue
				}
				with, err := m.Solve(g)
				plain, err2 := m.Solve(without)
				if err != nil || err2 != nil {
					t.Fatalf("%s %+v: %v, %v", m.Name, g, err, err2)
				}
				run := with.Mechanism
				if flag.field == "Checked" { // what is not kept any more is assumed
					run = plain.Mechanism
				}
				unused := m.Used(with) == m.Used(Answer{Goal: solved(without, with), Mechanism: run})
				if with.Status != OK {
					continue
				}
				met++
				clauses := strings.Split(with.Reason, "; ")
				last := strings.FieldsFunc(clauses[len(clauses)-1], func(r rune) bool { return r == ' ' || r == ',' })
				says := slices.Contains(last, "used") && slices.Contains(last, flag.name)
				if listed := slices.Contains(m.Unused(with), flag.name); flag.name != "" && (listed != says || listed != unused) {
					t.Errorf("%s %+v: unused %v, listed %v, and the row says %q", m.Name, g, unused, listed, with.Reason)
				}
				if !unused {
					continue
				}
				walked++
				proof, sources := m.Proven(with)
				proof2, sources2 := m.Proven(plain)
				if proof != proof2 || !slices.Equal(sources, sources2) {
					t.Errorf("%s %+v: %s uses no %s, and without it the proof is %s", m.Name, g, proof, flag.field, proof2)
				}
				with.Goal, with.Reason, plain.Goal, plain.Reason = solved(without, with), "", solved(without, plain), ""
				blocks := func(a *Answer) (all []theory.NoiseBlock) {
					all = slices.Collect(a.Noise())
					a.Mechanism.Schedule = nil
					return all
				}
				if !slices.Equal(blocks(&with), blocks(&plain)) || !reflect.DeepEqual(with, plain) {
					t.Errorf("%s uses no %s, and without it the answer is another:\n%+v\n%+v", m.Name, flag.field, with, plain)
				}
			}
		}
	}
	if walked < 250*each {
		t.Errorf("only %d rows were walked", walked)
	}
}

// solved is the goal with the four quantities of an answer.
func solved(g goal.Goal, a Answer) Goal {
	g.Samples, g.Queries, g.Tau, g.Beta = a.Samples, a.Queries, a.Tau, a.Beta
	return g
}

// A flag that no row of a method says is not used makes a difference to some goal.
func TestAUsedFlagMakesADifference(t *testing.T) {
	moved, told := map[string]bool{}, map[string]bool{}
	for _, m := range Methods() {
		r := named("used by " + m.Name)
		for i, flag := range flagsOf {
			key := m.Name + " " + flag.name
			for tries := 0; flag.name != "" && tries < 150 && !(moved[key] || told[key]); tries++ {
				g, without, ok := withFlag(r, m, i)
				if !ok {
					continue
				}
				with, err := m.Solve(g)
				plain, err2 := m.Solve(without)
				if err != nil || err2 != nil {
					t.Fatalf("%s %+v: %v, %v", m.Name, g, err, err2)
				}
				if with.Status != OK {
					continue
				}
				same := plain.Status == OK && with.Samples == plain.Samples && near(with.TauAchieved, plain.TauAchieved) &&
					near(with.Mechanism.Scale, plain.Mechanism.Scale) && near(with.Mechanism.Threshold, plain.Mechanism.Threshold) &&
					with.Mechanism.PassAt == plain.Mechanism.PassAt && len(with.Mechanism.Board) == len(plain.Mechanism.Board)
				moved[key] = moved[key] || !same
				told[key] = told[key] || slices.Contains(m.Unused(with), flag.name)
			}
		}
	}
	for key := range told {
		if !moved[key] && !told[key] {
			t.Errorf("%s: the number never changes, and the row does not say that the flag is not used", key)
		}
	}
	if len(told) < 250 {
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
