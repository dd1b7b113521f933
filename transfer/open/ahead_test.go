package open

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
)

// oneByOne takes gates one after the other as a ledger does: each leaves a share to a refusal, and the rest to its pass
// and its fail. The logarithms are added up with twice the digits, as the sum of a million is wanted to 1e-12.
func oneByOne(g Gates, looks, passes int64) float64 {
	var ln num.DD
	for k := range looks {
		most := g.Most
		if g.Refusals.A > 0 {
			share := min(g.Refusals.Share(g.Asked, g.Refused, most), 1-math.Exp(1-most))
			_, rest := Node{}.Apart(share)
			ln, most = ln.AddFloat(rest), most+rest
			g.Asked++
		}
		passed := 0
		if k < passes {
			passed = 1
		}
		look := Look{[]Cut{{0.5, Usual().Share(g.Looks, g.Passes, most)}}}
		ln = ln.AddFloat(look.LnShare(passed))
		g.Looks, g.Passes = g.Looks+1, g.Passes+int64(passed)
	}
	return ln.Float()
}

// What gates to come leave is the product over all of them, one by one, to a million looks: below every floor and
// beyond, with passes and refusals, whatever was asked before.
func TestGatesAheadOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 42))
	some := func(most float64) int64 { return int64(math.Exp(r.Float64()*math.Log(most))) - 1 }
	check := func(g Gates, looks, passes int64) {
		t.Helper()
		want := oneByOne(g, looks, passes)
		now, passed := g.Ahead(passes, 1)
		_, failed := now.Ahead(looks-passes, 0)
		got := float64(passed + failed)
		if gap := got - want; !(gap <= 1e-12*math.Abs(want) && gap >= -4e-13-1e-12*math.Abs(want)) {
			t.Errorf("%+v: %d looks of which %d pass leave %v, want %v", g, looks, passes, got, want)
		}
	}
	for passes, most := range map[int64]float64{0: 8, 30: 36, 1_000_000: 1} {
		check(Gates{Most: most}, 1_000_000, passes)
	}
	for _, looks := range []int64{1487, 1488, 1489, 1490, 1_000_000} {
		check(Gates{Most: 8, Refusals: Refusals()}, looks, 0)
		check(Gates{Most: 8, Refusals: Refusals(), Asked: 40, Refused: 30}, looks, 3)
	}
	for range 200 {
		g := Gates{Most: 1 + 8*r.Float64(), Looks: some(1e5)}
		g.Passes = min(g.Looks, some(1e5))
		if r.IntN(4) > 0 {
			g.Most++ // of which a refusal leaves a nat
			g.Refusals = Refusals()
			g.Refused = some(1e4)
			g.Asked = g.Looks + g.Refused + some(1e4)
		}
		looks := 1 + some(3e4)
		check(g, looks, min(looks, some(1e4)))
	}
}

// A forecast evaluates the shares at a few looks: a loop over so many would not end.
func TestGatesAheadTakeNoLoop(t *testing.T) {
	const looks = 1_000_000_000_000_000
	for pass := range int64(2) {
		g, left := Gates{Most: 8, Refusals: Refusals()}.Ahead(looks, pass)
		if g.Looks != looks || g.Passes != pass*looks || !(left < 0 && float64(left) > -8*looks) {
			t.Errorf("all %d: %+v leave %v of the budget", pass, g, left)
		}
	}
}
