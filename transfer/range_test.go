package transfer

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// Points of a range cost what shares cost: every method asks for the same rows, and its tau, noise, widths and boards
// are the shares' times the width, and scores begin at the range's start.
func TestRangesCostWhatSharesCost(t *testing.T) {
	const from, width = -2., 8. // powers of two, so that nothing is rounded
	for _, m := range Methods() {
		for _, g := range []Goal{
			{Samples: 900, Queries: 12, Beta: lp("0.05")},
			{Queries: 12, Tau: 0.125, Beta: lp("0.05")},
			{Samples: 900, Queries: 12, Beta: lp("0.05"), Shown: Shown{Feedback: Gate, Passes: 2, Bar: Some(0.5)}},
			{Samples: 900, Queries: 12, Beta: lp("0.05"), Shown: Shown{Feedback: Best, Floor: 0.5}},
			{Samples: 900, Queries: 12, Tau: 0.25, Beta: lp("0.05"), Budget: 2, Shown: Shown{Feedback: Flags, Hold: 0.0625}},
			{Samples: 900, Queries: 12, Beta: lp("0.05"), Query: Difference, Shown: Shown{Feedback: Gate},
				Known: Known{SecondMoment: 0.125}},
			{Samples: 900, Queries: 12, Beta: lp("0.05"), Shown: Shown{Feedback: Final}, Known: Known{Variance: 0.0625}},
		} {
			g.Open = m.IsOpen() && g.Feedback != Final
			if m.IsOpen() && !g.Open || g.Open && g.Feedback == Flags {
				continue
			}
			want, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			wide := g
			wide.Range = Range{From: from, To: from + width}
			wide.Tau, wide.Hold = g.Tau*width, g.Hold*width
			wide.Variance, wide.SecondMoment = g.Variance*width*width, g.SecondMoment*width*width
			if g.Bar.Given {
				wide.Bar = Some(from + width*g.Bar.Value)
			}
			if g.Floor > 0 {
				wide.Floor = from + width*g.Floor
			}
			got, err := m.Solve(wide)
			if err != nil {
				t.Fatal(err)
			}
			alike := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
			run, plain := got.Mechanism, want.Mechanism
			same := got.Status == want.Status && got.Samples == want.Samples && got.Beta == want.Beta &&
				alike(got.TauAchieved, width*want.TauAchieved) && alike(run.Scale, width*plain.Scale) &&
				alike(run.Threshold, width*plain.Threshold) && len(run.Board) == len(plain.Board)
			if same && plain.PassAt.Given {
				same = alike(run.PassAt.Value, wide.Score(plain.PassAt.Value))
			}
			for i := range plain.Board {
				same = same && alike(run.Board[i].Value, from+width*plain.Board[i].Value)
			}
			var scaled []theory.NoiseBlock
			for b := range got.Noise() {
				scaled = append(scaled, b)
			}
			i := 0
			for b := range want.Noise() {
				same, i = same && alike(scaled[i].Scale, width*b.Scale), i+1
			}
			if !same {
				t.Errorf("%s %+v: %+v, for shares %+v", m.Name, wide, got, want)
			}
			if want.Status != OK {
				continue
			}
			want.Tau *= 1 + 1e-9
			got.Tau = width * want.Tau
			is, _ := m.Certifies(want.Goal)
			if ok, _ := m.Certifies(got.Goal); ok != is {
				t.Errorf("%s %+v: certified %v, for shares %v", m.Name, got.Goal, ok, is)
			}
		}
	}
	for _, r := range []Range{{From: 5, To: 0}, {From: 1, To: 1}, {From: math.NaN(), To: 1},
		{From: 0, To: math.Inf(1)}, {From: -math.MaxFloat64, To: math.MaxFloat64},
		{From: 0, To: 1e-300}, {From: 1e16, To: 1e16 + 2}} {
		g := Goal{Queries: 1, Tau: 0.1, Beta: lp("0.05"), Range: r}
		if err := g.Validate(); err == nil {
			t.Errorf("the range %v is none", r)
		}
	}
	for _, q := range []Query{Binary, Sensitive, Minimization} {
		if err := (Goal{Queries: 1, Tau: 0.1, Beta: lp("0.05"), Query: q, Range: Range{From: 0, To: 5}}).Validate(); err == nil {
			t.Errorf("%s queries with a range", q)
		}
	}
}

// A tau that was solved for in the units of a range is certified there: its share is no less than the one that was
// found.
func TestATauInUnitsIsCertified(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		from := r.NormFloat64()
		g := Goal{Samples: 1000, Queries: 3, Beta: lp("0.05"), Range: Range{From: from, To: from + r.ExpFloat64()}}
		for _, name := range []string{"hoeffding-kl", "dp"} {
			m, ok := Lookup(name)
			if !ok {
				t.Fatal(name)
			}
			a, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := m.Certifies(a.Goal); !ok || err != nil {
				t.Fatalf("%s: %+v is not certified: %v", name, a.Goal, err)
			}
		}
	}
}

// What is wrong with a number in the units of the values is told of shares, and says so.
func TestRangesSayWhatIsCounted(t *testing.T) {
	for want, change := range map[string]func(*Goal){
		"threshold: got 0.8, want a number in [0, 0.7)":    func(g *Goal) { g.Bar = Some(4) },
		"variance: got 0.8, want a number in (0, 0.25]":    func(g *Goal) { g.Feedback, g.Variance = Answers, 20 },
		"floor: got 1.2, want a number in [0, 1)":          func(g *Goal) { g.Feedback, g.Floor = Best, 6 },
		"guess-error: got 0.32, want a number in [0, 0.3)": func(g *Goal) { g.Feedback, g.Budget, g.GuessError = Flags, 2, Some(1.6) },
		"second-moment: got 1.2, want a number in (0, 1]":  func(g *Goal) { g.Query, g.SecondMoment = Difference, 30 },
		"hold: got 0.32, want a number in (0, 0.3)":        func(g *Goal) { g.Feedback, g.Budget, g.Hold = Flags, 2, 1.6 },
	} {
		g := Goal{Queries: 10, Tau: 1.5, Beta: -3, Range: Range{From: 0, To: 5}}
		g.Feedback = Gate
		change(&g)
		err := g.Validate()
		const counted = ", both with the values counted from 0 to 1"
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), counted) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	negative := Goal{Queries: -1, Tau: 1.5, Beta: -3, Range: Range{From: 0, To: 5}}
	if err := negative.Validate(); err == nil || strings.Contains(err.Error(), "counted") {
		t.Errorf("got %v", err)
	}
}
