package transfer

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// openMethods are the open rows.
func openMethods() []Method {
	return slices.DeleteFunc(Methods(), func(m Method) bool { return !m.IsOpen() })
}

// randomOpen is a goal for an open row.
func randomOpen(r *rand.Rand, m Method) Goal {
	g := Goal{Queries: 1 + int64(math.Exp(8*r.Float64())), Tau: 0.01 + 0.3*r.Float64(),
		Beta: theory.LogProb(-0.1 - 20*r.Float64()), Query: []Query{Bounded, Binary, Difference}[r.IntN(3)],
		Shown: Shown{Feedback: m.Feedbacks[0], Open: true}}
	if r.IntN(2) == 0 && g.Feedback != Answers {
		g.Passes = 1 + r.Int64N(min(g.Queries, 12))
	}
	if g.Query == Difference && r.IntN(2) == 0 {
		g.Disagreement = 0.05 + 0.9*r.Float64()
	}
	if m.Name == "open-gate" && r.IntN(3) == 0 {
		g.Bar = Some((1 - g.Tau) * r.Float64())
	}
	return g
}

// smooth reports whether one more row never hurts: counts that pass a known bar are whole.
func smooth(g Goal) bool { return !(g.Query == Binary && g.Bar.Given) }

// What an open row says of one unknown agrees with what it says of the others, and an easier goal needs no more rows.
func TestOpenRowsAgree(t *testing.T) {
	for _, m := range openMethods() {
		r := named("open rows of " + m.Name)
		answered, all := 0, 150
		if m.Scheduled {
			all = 15
		}
		for range all {
			g := randomOpen(r, m)
			a, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != OK {
				continue
			}
			answered++
			holds := func(g Goal) bool {
				ok, err := m.Certifies(g)
				return ok && err == nil
			}
			if !holds(a.Goal) || !(a.TauAchieved <= g.Tau) {
				t.Errorf("%+v: its own plan is not certified, tau %v", a.Goal, a.TauAchieved)
			}
			if less := a.Goal; less.Samples > 1 {
				if less.Samples--; holds(less) {
					t.Errorf("%s %+v: certified, one row below the answer", m.Name, less)
				}
			}
			for _, change := range []func(*Goal){
				func(g *Goal) { g.Tau = 0 }, func(g *Goal) { g.Queries = 0 }, func(g *Goal) { g.Beta = 0 },
			} {
				asked := a.Goal
				change(&asked)
				b, err := m.Solve(asked)
				better := b.Tau <= a.Tau && b.Queries >= a.Queries && b.Beta <= a.Beta*(1-1e-9)
				empty := g.Disagreement > 0 && b.Tau >= 2*g.Disagreement // such a tau says nothing where it is solved for
				told := b.Status == OK || empty && b.Status == Vacuous
				if err != nil || !told || !better || !holds(b.Goal) {
					t.Errorf("%s %+v:\n%+v, %v", m.Name, asked, b, err)
				}
			}
			if !smooth(g) {
				continue
			}
			for _, ease := range []func(*Goal){
				func(g *Goal) { g.Tau *= 1.3 }, func(g *Goal) { g.Beta /= 1.3 },
				func(g *Goal) { g.Queries = max(g.Queries/2, g.Rare()) },
				func(g *Goal) { g.Queries, g.Passes, g.Budget = max(g.Queries, 30), 1, 0 },
			} {
				easier := g
				if ease(&easier); easier.Queries > g.Queries || easier.Validate() != nil {
					continue
				}
				if b, err := m.Solve(easier); err != nil || b.Status == OK && b.Samples > a.Samples {
					t.Errorf("%s %+v: %d rows, and %d for the easier %+v, %v", m.Name, g, a.Samples, b.Samples, easier, err)
				}
			}
		}
		if answered < 2*all/3 {
			t.Errorf("%s: %d goals answered", m.Name, answered)
		}
	}
}

// An open goal has an open star, and a goal with a number of queries never has one: the rows of both are the same.
func TestOpenStar(t *testing.T) {
	methods := Methods()
	for _, m := range openMethods() {
		g := Goal{Queries: 30, Tau: 0.1, Beta: -3, Shown: Shown{Feedback: m.Feedbacks[0], Open: true, Passes: 1}}
		switch g.Feedback {
		case Flags:
			g.Budget, g.Passes = 1, 0
		case Answers:
			g.Passes = 0
		}
		rows, best, err := Solve(nil, methods, g)
		if err != nil || best < 0 || !rows[best].Method.IsOpen() {
			t.Fatalf("%s: the star is at %d, %v", m.Name, best, err)
		}
		fixed := g
		if fixed.Open = false; fixed.Feedback != Gate {
			fixed.Passes = 0
		}
		others, best, err := Solve(nil, methods, fixed)
		if err != nil || best < 0 || others[best].Method.IsOpen() {
			t.Fatalf("%s: the star of a fixed plan is at %d, %v", m.Name, best, err)
		}
		for i := range rows {
			switch a, b := rows[i], others[i]; {
			case a.Method.IsOpen() && a.Method.Feedbacks[0] == g.Feedback:
				if b.Status != NotApplicable || b.Reason != "needs an open plan" {
					t.Errorf("%s of a fixed plan: %s, %s", b.Method.Name, b.Status, b.Reason)
				}
			case a.Status != b.Status || a.Samples != b.Samples:
				t.Errorf("%s: %s, %d rows beside an open plan, and %s, %d", a.Method.Name, a.Status, a.Samples, b.Status, b.Samples)
			}
		}
	}
	for _, m := range MethodsFor(Gate) {
		if m.IsOpen() {
			t.Errorf("%s is a method for a number of queries", m.Name)
		}
	}
}

// What is wrong with an open goal is an error in words.
func TestWrongOpenGoals(t *testing.T) {
	for _, c := range []struct {
		goal Goal
		want string
	}{
		{Goal{Shown: Shown{Open: true, Feedback: Final}}, "open: got true, want false"},
		{Goal{Shown: Shown{Open: true, Passes: 2}}, "passes: got 2, want none, or the feedback gate"},
		{Goal{Shown: Shown{Feedback: Best, Passes: 2}}, "passes: got 2, want none, or the feedback gate"},
		{Goal{Shown: Shown{Open: true, Feedback: Gate, Passes: -2}}, "passes: got -2, want a whole number"},
		{Goal{Budget: 3, Shown: Shown{Open: true, Feedback: Flags, Passes: 2}}, "passes: got 2, want none beside a budget"},
	} {
		c.goal.Queries, c.goal.Tau, c.goal.Beta = 10, 0.1, -3
		var wrong *theory.DomainError
		err := c.goal.Validate()
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.goal, err, c.want)
		}
	}
	over := Goal{Samples: 5000, Queries: 10, Beta: -3, Shown: Shown{Open: true, Feedback: Best, Passes: 11}}
	if a, err := openBoard.Solve(over); over.Overspent() == nil || err != nil || a.Status != NotApplicable {
		t.Errorf("%+v, %v", a, err)
	}
}

// At 20 rows, the bar .9 and this level no mean can pass. It is said, and the cut is not moved to one.
func TestOpenGateThatCannotPass(t *testing.T) {
	g := Goal{Samples: 20, Queries: 1, Beta: lp("0.05"), Query: Binary, Shown: Shown{Open: true, Feedback: Gate, Bar: Some(0.9)}}
	a, err := openGate.Solve(g)
	if err != nil || a.Status != Vacuous || a.Mechanism.PassAt.Given {
		t.Errorf("%+v, %v", a, err)
	}
}

// left is ln of W and of the share q at a query of an open plan: the product of the bets, failures first.
func left(a Answer) (ln, share dec) {
	passes := max(a.Passes, 1)
	if a.Feedback == Flags {
		passes = max(a.Budget, a.Passes, 1)
	}
	ln = whole(0)
	bet := func(rare, looks int64) dec { return whole(2*rare + 1).Over(whole(2*looks + 5)) }
	for i := range a.Queries - passes {
		ln = ln.Plus(whole(1).Minus(bet(0, i)).Ln())
	}
	for i := range passes - 1 {
		ln = ln.Plus(bet(i, a.Queries-passes+i).Ln())
	}
	return ln, bet(passes-1, a.Queries-1)
}

// within reports whether, wherever the mean is, the ends of an interval are no farther apart than width: a lower end at
// x and an upper one at x + gap, at two levels given by their logarithms. It looks at many x and at their neighbours
// where the interval is the widest.
func within(a Answer, width float64, lnLow, lnHigh dec, gap float64) bool {
	n, d := a.Samples, knownDisagreement(a)
	both := func(side func(s float64) dec) bool { // margins that are the same at every mean
		margin := func(ln dec) float64 {
			lo, hi := 0.0, 2.0
			for range 60 {
				if s := (lo + hi) / 2; ln.AtLeast(side(s)) {
					hi = s
				} else {
					lo = s
				}
			}
			return hi
		}
		return margin(lnLow)+margin(lnHigh)+gap <= width*(1+1e-9)
	}
	if v, ok := bennett(a); ok && both(func(s float64) dec { return pageLnBennett(n, number(s), v) }) {
		return true
	}
	if a.Query == Difference {
		unit := a // (1+f)/2
		unit.Query, unit.SecondMoment, unit.Disagreement = Bounded, 0, 0
		random := both(func(s float64) dec { return pageLnDifference(n, number(s), d) })
		return random || within(unit, width/2, lnLow, lnHigh, gap/2)
	}
	end := func(x float64, ln dec, far float64) float64 { // in floats, to see where to look
		nats := -ln.Float() / float64(n)
		near := x
		for range 60 {
			if p := (near + far) / 2; looseKL(x, p) < nats {
				near = p
			} else {
				far = p
			}
		}
		return far
	}
	ends := func(x float64) (lower, upper float64) {
		return end(x, lnLow, 0), end(min(x+gap, 1), lnHigh, 1)
	}
	lo, hi := 0.0, 1-gap
	for range 60 { // the distance is concave in x
		x, y := lo+(hi-lo)*0.4, lo+(hi-lo)*0.6
		c, u := ends(x)
		d, v := ends(y)
		if u-c < v-d {
			lo = x
		} else {
			hi = y
		}
	}
	for _, x := range []float64{lo, lo * 0.9, lo + (1-gap-lo)*0.1, (1 - gap) * 0.02, (1 - gap) * 0.98} {
		c, _ := ends(x)
		c *= 1 - 1e-12
		u := number(c).Plus(number(width))
		y := number(x).Plus(number(gap))
		if !u.Less(whole(1)) || !y.Less(whole(1)) {
			continue
		}
		low := pageLnMeanAtMost(n, number(c), number(x).Minus(number(c)))
		high := pageLnMeanAtMost(n, whole(1).Minus(u), u.Minus(y))
		if !lnLow.AtLeast(low) || !lnHigh.AtLeast(high) {
			return false
		}
	}
	return true
}

// bennett is the variance or mean square that is known.
func bennett(a Answer) (v dec, ok bool) {
	switch {
	case a.Query == Binary && a.Bar.Given:
		return v, false
	case a.AtLeast > 0 && !a.Checked:
		return number(a.AtLeast).Times(whole(1).Minus(number(a.AtLeast))), true
	}
	known := max(a.Variance, a.SecondMoment)
	return number(known), known > 0
}

func looseKL(x, p float64) float64 {
	sum := 0.0
	if x > 0 {
		sum += x * math.Log(x/p)
	}
	if x < 1 {
		sum += (1 - x) * math.Log((1-x)/(1-p))
	}
	return sum
}

// part is ln of a level, of so much of what is left.
func part(a Answer, ln, share dec) dec { return number(a.Beta.Ln()).Plus(ln).Plus(share.Ln()) }

func openGateHolds(a Answer) bool {
	ln, q := left(a)
	pass, fail := part(a, ln, q), part(a, ln, whole(1).Minus(q))
	if !a.Bar.Given {
		return within(a, 2*a.Tau, pass, fail, 0)
	}
	n, c := a.Samples, number(a.Bar.Value)
	top, cut := c.Plus(number(2*a.Tau)), number(a.Mechanism.PassAt.Value)
	if v, ok := bennett(a); ok {
		lowest := map[Query]float64{Difference: -1}[a.Query] // a mean above it has an expectation above it
		free := a.Bar.Value == lowest && a.Mechanism.PassAt.Value > lowest
		passes := free || pass.AtLeast(pageLnBennett(n, cut.Minus(c), v))
		if passes && fail.AtLeast(pageLnBennett(n, top.Minus(cut), v)) {
			return true
		}
	}
	if ranges(a) && convexGateHolds(a, pass, fail) {
		return true
	}
	switch a.Query {
	case Difference:
		d := knownDisagreement(a)
		lowest := a.Bar.Value == -1 && a.Mechanism.PassAt.Value > -1 // a mean above it has an expectation above it
		return (lowest || pass.AtLeast(pageLnDifference(n, cut.Minus(c), d))) &&
			fail.AtLeast(pageLnDifference(n, top.Minus(cut), d))
	case Binary:
		k := a.Mechanism.PassCount
		either := func(ln dec, rows, count int64, binomial, mean dec) bool { // the binomial where unequal rows keep it
			apart := whole(n).Times(mean).Plus(whole(1))
			exact := number(float64(count)).AtLeast(apart) && ln.AtLeast(binomial)
			return exact || ln.AtLeast(pageLnMeanAtMost(n, mean, whole(count).Over(whole(n)).Minus(mean)))
		}
		return either(pass, n, k, pageLnCountAtLeast(n, k, c), c) &&
			either(fail, n, n-k+1, pageLnCountAtMost(n, k-1, top), whole(1).Minus(top))
	}
	return pass.AtLeast(pageLnMeanAtMost(n, c, cut.Minus(c))) &&
		fail.AtLeast(pageLnMeanAtMost(n, whole(1).Minus(top), top.Minus(cut)))
}

// convexGateHolds is the gate at a known bar with the lesser of two tails of values in [0,1] on either side.
func convexGateHolds(a Answer, pass, fail dec) bool {
	unit := func(x dec) dec { return x.Plus(number(unitOf(a))).Minus(one).Over(number(unitOf(a))) }
	side := func(ln, p, x dec) bool {
		convex := pageLnConvex(min(a.Samples, pageConvexRows), p, x)
		return ln.AtLeast(convex) || ln.AtLeast(pageLnMeanAtMost(a.Samples, p, x.Minus(p)))
	}
	bar, cut := unit(number(a.Bar.Value)), unit(number(a.Mechanism.PassAt.Value))
	top := unit(number(a.Bar.Value).Plus(number(2 * a.Tau)))
	free := bar.Sign() == 0 && cut.Sign() > 0 // a mean above 0 has an expectation above it
	return (free || side(pass, bar, cut)) && side(fail, one.Minus(top), one.Minus(cut))
}

func openBoardHolds(a Answer) bool {
	ln, q := left(a)
	ln = ln.Minus(whole(max(a.Passes, 1) - 1).Times(whole(2).Ln()))
	one, half := whole(1), q.Over(whole(2))
	step := a.Mechanism.Step
	return within(a, 2*a.Tau, part(a, ln, one), part(a, ln, one.Minus(q)), step) &&
		within(a, 2*a.Tau, part(a, ln, q), part(a, ln, one.Minus(half)), step)
}

func openGuessHolds(a Answer) bool {
	ln, q := left(a)
	ln = ln.Minus(whole(max(a.Budget, a.Passes, 1) - 1).Times(whole(4).Ln()))
	one, half := whole(1), q.Over(whole(2))
	step := a.Mechanism.Step
	stays := part(a, ln, one.Minus(half))
	return within(a, 2*a.Tau, stays, stays, step) &&
		within(a, 2*a.Tau, part(a, ln, half), part(a, ln, one.Minus(half.Over(whole(2)))), step)
}

// A grid of 100,000 rows: below 3 s.
func BenchmarkOpenGateGrid(b *testing.B) {
	for b.Loop() {
		for i := range int64(100_000) {
			g := Goal{Samples: 1000 + i, Queries: 1 + i%1000, Beta: lp("0.05"), Shown: Shown{Feedback: Gate, Open: true}}
			if a, err := openGate.Solve(g); err != nil || a.Status != OK {
				b.Fatal(a, err)
			}
		}
	}
}

// Every step that is planned is of a look that there is.
func TestPlannedSteps(t *testing.T) {
	for _, beta := range []float64{-0.5, -700} {
		for _, n := range []int64{10, 1e4, 1e9, 1 << 53} {
			for _, m := range []Method{openBoard, openGuess} {
				g := Goal{Samples: n, Queries: 50, Beta: theory.LogProb(beta), Shown: Shown{Feedback: m.Feedbacks[0], Open: true}}
				a, err := m.Solve(g)
				if err != nil || a.Status != OK && n > 1e4 {
					t.Fatal(a, err)
				}
				if a.Status != OK {
					continue
				}
				step := a.Mechanism.Step
				fine := step <= 0.01 && (step <= a.Tau*1.01 || step == 0x1p-14)
				steps := open.Steps{Within: step, Step: step, Most: 100}
				if _, err := open.Guess(open.Unit{Rows: float64(n)}, 0.5, 0.1, steps); err != nil || !fine {
					t.Errorf("%s, %d rows, tau %v: the step %v, %v", m.Name, n, a.Tau, step, err)
				}
			}
		}
	}
}

// Where a second moment is kept on the sample each look of an open plan leaves a share to a refusal: the margin of the
// look M is the first look's at what is left, the product of (19/2 + j)/(10 + j), and the bound is the least of the
// two.
func TestOpenPlansWithRefusals(t *testing.T) {
	for _, m := range []int64{1, 20, 3000} {
		for _, v := range []float64{0.01, 0.13, 0.9} {
			g := Goal{Samples: 4000, Queries: m, Beta: lp("0.05"), Query: Difference,
				Shown: Shown{Feedback: Gate, Open: true}, Known: Known{SecondMoment: v, Checked: true}}
			method, _ := Lookup("open-gate")
			a, err := method.Solve(g)
			if err != nil || a.Status != OK {
				t.Fatal(a.Reason, err)
			}
			a.Goal.Tau = a.TauAchieved
			ln, q := left(a)
			rest := number(1)
			for j := range m {
				rest = rest.Times(number(9.5 + float64(j)).Over(number(10 + float64(j))))
			}
			width := whole(0)
			for _, share := range []dec{q, whole(1).Minus(q)} {
				level := part(a, ln, share).Plus(rest.Ln())
				lo, hi := 0., 2.
				for range 60 {
					s := lo + (hi-lo)/2
					kept := pageLnKept(g.Samples, number(s), number(v))
					if other := pageLnDifference(g.Samples, number(s), 1); other.Less(kept) {
						kept = other
					}
					if level.AtLeast(kept) {
						hi = s
					} else {
						lo = s
					}
				}
				width = width.Plus(number(hi))
			}
			if got, want := 2*a.TauAchieved, width.Float(); !(got >= want*(1-1e-12) && got <= want*(1+1e-6)) {
				t.Errorf("look %d, kept at %v: twice tau is %v, want %v", m, v, got, want)
			}
		}
	}
}

// A ledger whose responses may cost the most nats of a row has the shares of the row, in its worst order, at every look
// up to the row's: no floor changes a cell. With a tenth of a nat less one does.
func TestMostNatsOfOpenRows(t *testing.T) {
	for _, m := range []int64{1, 2, 30, 1488, 1489, 5000, 1_000_000} {
		for feedback, step := range map[Feedback]float64{Gate: 0, Best: 0.01, Flags: 1. / 64} {
			g := Goal{Queries: m, Shown: Shown{Feedback: feedback}}
			need := Answer{Goal: g, Mechanism: Mechanism{Step: step}}.MostNats()
			cells := func(most float64) (list []open.Cut) {
				share := open.Usual().Share(m-1, 0, most)
				s := open.Steps{Within: step, Step: step, Most: most}
				look := open.Look{Cuts: []open.Cut{{At: 0.5, Above: share}}}
				var err error
				switch feedback {
				case Best:
					look, err = open.Board(open.Unit{Rows: 1e6}, 0, share, s)
				case Flags:
					look, err = open.Guess(open.Unit{Rows: 1e6}, 0, share, s)
				}
				if err != nil {
					t.Fatal(err)
				}
				return look.Cuts
			}
			free := cells(36)
			if feedback == Gate {
				free[0].Above = open.Usual().Rate(m-1, 0)
			}
			if !slices.Equal(cells(need+1e-9), free) {
				t.Errorf("%v, look %d: a floor is met at %v nats", feedback, m, need)
			}
			if least := need - 0.1; least >= 1 && slices.Equal(cells(least), free) {
				t.Errorf("%v, look %d: no floor is met at %v nats", feedback, m, least)
			}
		}
	}
	up := Answer{Goal: Goal{Queries: 1488, Shown: Shown{Feedback: Gate}}}
	if now := up.MostNats(); !(now <= UsualMost) {
		t.Errorf("look 1488 takes %v nats, want at most %v", now, UsualMost)
	}
	if up.Queries++; !(up.MostNats() > UsualMost) {
		t.Errorf("look 1489 takes %v nats, want more than %v", up.MostNats(), UsualMost)
	}
}
