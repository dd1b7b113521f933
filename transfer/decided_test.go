package transfer

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// decidedGate is a gate of differences of a checked disagreement.
func decidedGate(queries, passes int64, tau, beta, d float64, decided Decided) Goal {
	g := Goal{Queries: queries, Tau: tau, Query: Difference}
	if beta > 0 {
		g.Beta = theory.LogProb(math.Log(beta))
	}
	g.Shown, g.Known = Shown{Feedback: Gate, Passes: passes}, Known{Disagreement: d, Checked: true, Decided: decided}
	return g
}

func solvedGate(t *testing.T, g Goal) Answer {
	t.Helper()
	a, err := gate.Solve(g)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The rows of gates of differences, d = .1 and tau .02: where rows are random, where predictions decide them, and of
// two declared classes.
func TestRowsOfDecidedGates(t *testing.T) {
	for _, c := range []struct{ queries, passes, random, two, any int64 }{
		{100, 1, 3830, 2800, 3160}, {100, 5, 10648, 9280, 9660}, {20, 1, 3019, 2070, 2410},
	} {
		random := decidedGate(c.queries, c.passes, 0.02, 0.05, 0.1, Undecided)
		if random.Checked = false; solvedGate(t, random).Samples != c.random {
			t.Errorf("%+v: got %d rows that are random", c, solvedGate(t, random).Samples)
		}
		two := solvedGate(t, decidedGate(c.queries, c.passes, 0.02, 0.05, 0.1, TwoClasses))
		if two.Samples != c.two || two.Status != OK {
			t.Errorf("%+v: got %d rows of two classes", c, two.Samples)
		}
		some := solvedGate(t, decidedGate(c.queries, c.passes, 0.02, 0.05, 0.1, AnyClasses)).Samples
		if some < c.any || some >= c.random || some%10 != 0 {
			t.Errorf("%+v: got %d rows of any classes", c, some)
		}
		barred := decidedGate(c.queries, c.passes, 0.02, 0.05, 0.1, AnyClasses)
		if barred.Bar = Some(0); solvedGate(t, barred).Samples <= c.two || solvedGate(t, barred).Samples > some {
			t.Errorf("%+v: got %d rows of any classes at the bar 0", c, solvedGate(t, barred).Samples)
		}
		// Sums of all kinds of decided rows, at the bars where they are worst: one below each count.
		n, most := float64(two.Samples), int64(0)
		level, worst := math.Log(0.05)-gateNodes(two.Goal), math.Inf(-1)
		for most = two.Samples / 10; most > two.Samples/10-40; most-- {
			for k := int64(math.Ceil(n * 0.01)); k <= most; k++ {
				p := (float64(k) - n*0.01) / float64(most) // W >= Dp + n tau/2
				worst = math.Max(worst, num.Binomial{N: most, P: p}.LnAtLeast(k))
			}
		}
		if !(worst <= level+1e-9 && worst > level-0.1) {
			t.Errorf("%+v: a look errs with e^%v, want at most e^%v, and no less than nine tenths of it", c, worst, level)
		}
	}
}

// Rows that are decided, with unequal laws on a grid: no mean is tau or more above its truth, or above a known bar that
// the truth is not, with more than the beta of one look, however many of the rows that may be decided are. At a known
// bar no mean is less than tau above it with more where the truth is 2 tau above it.
func TestLooksAtDecidedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	reached, barred := map[Decided]float64{}, map[Decided]float64{}
	for range 400 {
		most := int64(2 + r.IntN(6))
		n := most + r.Int64N(10)
		tau := (2 + float64(r.IntN(int(2*most-2)))) / float64(n)
		kind := Decided(1 + r.IntN(2))
		g := decidedGate(1, 1, tau, 0, math.Nextafter(float64(most)/float64(n), 0), kind)
		if g.Samples = n; most == n {
			g.Disagreement = 1
		}
		if bar := (2-tau)*r.Float64() - 1; r.IntN(3) == 0 {
			g.Bar = Some(bar)
		} else if bar := float64(r.IntN(9)-4) / 2 / float64(n); r.IntN(2) == 0 && bar < 1-tau {
			g.Bar = Some(bar)
		}
		beta := solvedGate(t, g).Beta
		for range 20 {
			law, truth := map[int]*big.Rat{0: big.NewRat(1, 1)}, new(big.Rat)
			var up, down int64
			for i := range 1 + r.IntN(int(most)) {
				if i == 0 || r.IntN(3) == 0 {
					up = r.Int64N(17)
					if down = 16 - up; kind == AnyClasses {
						down = r.Int64N(down + 1)
					}
				}
				next := map[int]*big.Rat{}
				for sum, m := range law {
					for x, share := range map[int]int64{1: up, -1: down, 0: 16 - up - down} {
						if next[sum+x] == nil {
							next[sum+x] = new(big.Rat)
						}
						next[sum+x].Add(next[sum+x], new(big.Rat).Mul(m, big.NewRat(share, 16)))
					}
				}
				law, truth = next, truth.Add(truth, big.NewRat(up-down, 16))
			}
			cut, _ := truth.Float64()
			failed := false
			if g.Bar.Given {
				bar := float64(n) * g.Bar.Value
				if failed = cut > bar; failed && cut < bar+2*float64(n)*tau { // nothing is said of it
					continue
				}
				cut = bar
			}
			p := new(big.Rat)
			for sum, m := range law {
				if above := float64(sum) >= cut+float64(n)*tau-1e-9; above != failed {
					p.Add(p, m)
				}
			}
			chance, _ := p.Float64()
			if math.Log(chance) > beta.Ln()+1e-12 && beta != 0 {
				t.Fatalf("%d of %d rows, tau %v, bar %v, %s: a look errs with %v, and its beta is %v", most, n, tau, g.Bar, kind, chance,
					beta.Value())
			}
			if beta != 0 {
				reached[kind] = max(reached[kind], chance/beta.Value())
			}
			if beta != 0 && g.Bar.Given {
				barred[kind] = max(barred[kind], chance/beta.Value())
			}
		}
	}
	if !(reached[TwoClasses] > 0.9 && reached[AnyClasses] > 0.5 && barred[TwoClasses] > 0.9) {
		t.Errorf("the betas were reached to %v, at known bars to %v", reached, barred)
	}
}

// At a known bar fewer rows may be worse than all that may be decided: at the bar 0, a lead of 5 of 10 decided rows has
// the probability .0547, and one of 9 has .0898.
func TestKnownBarOfTwoClasses(t *testing.T) {
	g := decidedGate(1, 1, 0.05, 0, 0.1, TwoClasses)
	g.Samples, g.Bar, g.OneSided = 100, Some(0), true
	lead := func(rows int64) float64 { return math.Exp(num.Binomial{N: rows, P: 0.5}.LnAtLeast((rows + 6) / 2)) }
	if all, fewer := lead(10), lead(9); !(math.Abs(all-0.0547) < 5e-5 && math.Abs(fewer-0.0898) < 5e-5) {
		t.Errorf("leads of 5: %v and %v", all, fewer)
	} else if beta := solvedGate(t, g).Beta; beta != 0 && beta.Value() < fewer {
		t.Errorf("the beta %v is below %v", beta.Value(), fewer)
	}
	some := decidedGate(1, 1, 0.02, 0, 0.1, AnyClasses)
	some.Samples, some.Bar, some.OneSided = 1000, Some(0.04), true
	x, p := 0.8, 0.7 // (1 + .06/.1)/2 and (1 + .04/.1)/2
	entropy := x*math.Log(x/p) + (1-x)*math.Log((1-x)/(1-p))
	if beta := solvedGate(t, some).Beta; !(beta.Ln() <= -100*entropy*(1-1e-9)) {
		t.Errorf("100 decided rows at the bar .04: e^%v, want at most e^%v", beta.Ln(), -100*entropy)
	}
	some.Samples, some.Beta = 9, theory.LogProb(-1) // of which none may be decided
	if a := solvedGate(t, some); a.Status == OK {
		t.Errorf("no decided row: got %+v", a)
	}
	for bar, want := range map[float64]int64{0: 2751, 0.04: 2201, -0.04: 2751} { // 2,800 rows at any bar
		g := decidedGate(100, 1, 0.02, 0.05, 0.1, TwoClasses)
		g.Bar = Some(bar)
		a := solvedGate(t, g)
		ln := func(rows int64) (worst float64) { // by sums of coins, for one number of rows
			worst = math.Inf(-1)
			for most := rows / 10; most >= rows/10-1; most-- {
				n, d := float64(rows), float64(most)
				k, more := math.Ceil((d+n*(bar+0.02))/2-1e-9), math.Ceil((d+n*(bar+0.02))/2+1e-9) // a tie is both
				worst = math.Max(worst, num.Binomial{N: most, P: (1 + n*bar/d) / 2}.LnAtLeast(int64(k)))
				worst = math.Max(worst, num.Binomial{N: most, P: (1 + n*(bar+0.04)/d) / 2}.LnAtMost(int64(more)-1))
			}
			return worst
		}
		level := a.Beta.Ln() - gateNodes(a.Goal)
		if a.Samples != want || ln(want-1) <= level || ln(want) > level {
			t.Errorf("at the bar %v: got %d rows, want %d, whose looks err with e^%v, and with one less e^%v, of e^%v", bar, a.Samples,
				want, ln(want), ln(want-1), level)
		}
		for n := a.Samples; n < 2*a.Samples; n++ {
			if ln(n) > level+1e-9 {
				t.Errorf("at the bar %v: %d rows serve, and %d rows err with e^%v", bar, a.Samples, n, ln(n))
			}
		}
		g.Samples = a.Samples
		for _, forget := range []func(g *Goal){
			func(g *Goal) { g.Tau = 0 }, func(g *Goal) { g.Beta = 0 }, func(g *Goal) { g.Queries = 0 },
		} {
			g := g
			forget(&g)
			b := solvedGate(t, g)
			if ok, _ := gate.Certifies(b.Goal); !ok || b.Tau > 0.02 || b.Beta > a.Beta || b.Queries < 100 {
				t.Errorf("at the bar %v: got %+v", bar, b)
			}
		}
	}
	five := decidedGate(100, 5, 0.02, 0.05, 0.1, TwoClasses)
	bare := solvedGate(t, five).Samples
	five.Bar = Some(0)
	if at := solvedGate(t, five).Samples; at > bare {
		t.Errorf("a known bar asks for %d rows, and any bar for %d", at, bare)
	}
}

// What counts rows says so, and what does not keeps to rows that are random: other feedback, samples, rows that arrive
// and other methods.
func TestWhereRowsAreDecided(t *testing.T) {
	g := decidedGate(100, 1, 0.02, 0.05, 0.1, TwoClasses)
	proof, sources := gate.Proven(solvedGate(t, g))
	_, assumes := gate.Rests(solvedGate(t, g))
	if proof != Coq || !slices.Contains(sources, decidedRowsProof[0]) || len(assumes) != 2 {
		t.Errorf("got %s, %v, %v", proof, sources, assumes)
	}
	for name, change := range map[string]func(g *Goal){
		"unchecked": func(g *Goal) { g.Checked = false },
		"bounded":   func(g *Goal) { g.Query, g.Disagreement, g.Checked = Bounded, 0, false },
		"open":      func(g *Goal) { g.Open = true },
		"answers":   func(g *Goal) { g.Feedback, g.Passes = Answers, 0 },
		"benchmark": func(g *Goal) { g.Sample = tail.Subset{Items: 1 << 20} },
		"moment":    func(g *Goal) { g.SecondMoment = 0.1 },
	} {
		with := g
		change(&with)
		without := with
		without.Decided = Undecided
		m := gate
		if with.Feedback == Answers {
			m, _ = Lookup("gaussian")
		}
		a, err := m.Solve(with)
		b, err2 := m.Solve(without)
		if err != nil || err2 != nil || a.Samples != b.Samples || a.Reason != b.Reason || with.Decides() {
			t.Errorf("%s: got %d rows, want %d (%v, %v)", name, a.Samples, b.Samples, err, err2)
		}
	}
	for _, d := range []Decided{Undecided, AnyClasses, TwoClasses} {
		if again, err := ParseDecided(d.String()); err != nil || again != d {
			t.Errorf("%q is read as %v, %v", d, again, err)
		}
	}
	if _, err := ParseDecided("three"); err == nil {
		t.Error("three is read")
	}
}

// Known bars from beyond one end of what a truth can be to beyond the other one, and accuracies up to twice the
// disagreement, have an answer to every unknown: the answer of any bar at most. At and beyond an end it is that one, as
// no truth is there.
func TestBarsAtTheEndsOfADisagreement(t *testing.T) {
	const d = 0.125
	for _, decided := range []Decided{AnyClasses, TwoClasses} {
		for _, tau := range []float64{1e-3, d / 2, math.Nextafter(d, 0), d, 1.5 * d, 2 * d} {
			whatever := decidedGate(9, 2, tau, 0.05, d, decided)
			rows := solvedGate(t, whatever)
			for _, bar := range []float64{-0.8, math.Nextafter(-d, -1), -d, math.Nextafter(-d, 0), -d / 2, 0, d / 2, d - 1e-9,
				math.Nextafter(d, 0), d, math.Nextafter(d, 1), 0.5} {
				g := whatever
				g.Bar = Some(bar)
				a := solvedGate(t, g)
				if beyond := math.Abs(bar) >= d; a.Samples > rows.Samples || beyond && a.Samples != rows.Samples {
					t.Errorf("%v, tau %v, bar %v: got %d rows, %d at any bar", decided, tau, bar, a.Samples, rows.Samples)
				}
				for _, change := range []func(*Goal){func(g *Goal) { g.Tau = 0 }, func(g *Goal) { g.Beta = 0 },
					func(g *Goal) { g.Queries = 0 }, func(*Goal) {}} {
					g := g
					g.Samples = max(rows.Samples, 2)
					if change(&g); g.Validate() != nil {
						continue
					}
					if a := solvedGate(t, g); a.Status != OK && a.Status != Vacuous {
						t.Errorf("%v, %+v: got %v: %s", decided, g, a.Status, a.Reason)
					}
				}
			}
		}
	}
}
