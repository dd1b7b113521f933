package open

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
)

var exact = decimals.Digits(40)

// sumOver returns the sum of e^ln over the e^ln of its parent, in 40 digits.
func sumOver(parent float64, children []float64) float64 {
	sum := exact.Int(0)
	for _, ln := range children {
		sum = sum.Plus(exact.Float(ln).Minus(exact.Float(parent)).Exp())
	}
	if exact.Int(1).Less(sum) {
		return math.Inf(1)
	}
	return sum.Float()
}

func anyTails(r *rand.Rand) Tails {
	return []Tails{Unit{Rows: 700}, ZeroOne{300}, Around{Differences{900, 0.3}},
		Around{KnownVariance{800, 0.1, 0}}}[r.IntN(4)]
}

// randomLook is a look of any kind with any bet.
func randomLook(r *rand.Rand, at Node, tails Tails, share float64) (Look, error) {
	steps := Steps{Within: 0.01 + 0.1*r.Float64(), Step: 0.03 + 0.1*r.Float64(), Most: 8}
	near := r.Float64()
	switch r.IntN(4) {
	case 0:
		return Gate(at, tails, near, share)
	case 1:
		return Board(tails, near/2, share, steps)
	case 2:
		return Guess(tails, near, share, steps)
	}
	return Score(tails, near, steps)
}

// In any order of any number of looks of any kinds, with bets that change, the budgets of the responses to a look add
// up to at most the budget of the look: in 40 digits. Little is lost.
func TestChildrenNeverExceedTheirParent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 42))
	for range 30 {
		at, spent := Node{LnBeta: math.Log(0.05)}, 0.
		counts := [2]int64{}
		for range 40 {
			bet := Usual()
			if r.IntN(3) == 0 {
				bet = Expect(math.Pow(10, -3*r.Float64()))
			}
			look, err := randomLook(r, at, anyTails(r), bet.Share(counts[0], counts[1], 8))
			if err != nil {
				continue // no mean can pass any more
			}
			var children []float64
			for c := range look.Cells() {
				if price := -look.LnShare(c); !(price <= 8+1e-12) {
					t.Fatalf("the cell %d of %v costs %v nats", c, look, price)
				}
				children = append(children, float64(at.After(look.LnShare(c)).Left))
			}
			if sum := sumOver(float64(at.Left), children); !(sum <= 1 && sum > 1-1e-12) {
				t.Fatalf("the budgets after %v add up to %v of the one before", look, sum)
			}
			c := r.IntN(look.Cells())
			counts[0]++
			counts[1] += int64(min(c, 1))
			spent -= look.LnShare(c)
			at = at.After(look.LnShare(c))
		}
		if gap := spent + float64(at.Left); math.Abs(gap) > 1e-9 {
			t.Errorf("the prices add up to %v, %v is spent", spent, -at.Left)
		}
	}
}

// A ledger of 10,000 looks: its budget is the product of fractions, not above it, and within 1e-7 of its logarithm. So
// is the closed form of plans.
func TestBudgetOfManyLooks(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 42))
	var left Budget
	passes, product := int64(0), exact.Int(1)
	for j := range int64(10_000) {
		share := Usual().Share(j, passes, math.Inf(1))
		k := exact.Int(1).Plus(exact.Int(2 * passes)).Over(exact.Int(5 + 2*j))
		look := Look{[]Cut{{0.5, share}}}
		if r.IntN(50) == 0 {
			left, passes = left.Child(look.LnShare(1)), passes+1
		} else {
			left, k = left.Child(look.LnShare(0)), exact.Int(1).Minus(k)
		}
		product = product.Times(k)
		if j%500 == 499 || j < 40 {
			want := product.Ln()
			for name, got := range map[string]Budget{"carried": left, "planned": Usual().Left(j+1, passes)} {
				// A share is rounded to the nearest number, and another bet is as good.
				gap := exact.Float(float64(got)).Minus(want).Float()
				if !(gap <= 1e-12 && gap > -1e-9-1e-14*float64(j)) {
					t.Errorf("%s after %d looks and %d passes: %v, off by %v", name, j+1, passes, got, gap)
				}
			}
		}
	}
}

// The closed form is the product for other bets too, and far out.
func TestPlannedBudgets(t *testing.T) {
	for _, bet := range []Bet{Usual(), {0.5, 0.5}, {1, 19}, Expect(0.02), Expect(0.9), Expect(1e-6)} {
		for _, c := range [][2]int64{{0, 0}, {1, 0}, {1, 1}, {24, 24}, {25, 0}, {25, 25}, {60, 11}, {400, 40}} {
			want := exact.Int(1)
			for j := range c[0] {
				j, k := float64(j), float64(min(j, c[1]))
				above := exact.Float(bet.A).Plus(exact.Float(k))
				if j >= float64(c[1]) {
					above = exact.Float(bet.B).Plus(exact.Float(j - k))
				}
				want = want.Times(above).Over(exact.Float(bet.A).Plus(exact.Float(bet.B)).Plus(exact.Float(j)))
			}
			got := float64(bet.Left(c[0], c[1]))
			if gap := exact.Float(got).Minus(want.Ln()).Float(); !(gap <= 0 && gap > -3e-13-1e-15*math.Abs(got)) {
				t.Errorf("%v after %v: %v, off by %v", bet, c, got, gap)
			}
		}
	}
}

// Codes that change. A closed form W = B(a+k, b+j-k)/B(a,b) is one code as long as (a,b) is; with another (a,b) from
// one look on its children add up to twice their parent. The product that is carried divides what is left, whatever
// the bet.
func TestChangedBets(t *testing.T) {
	closed := func(b Bet, looks, passes int64) float64 { return math.Exp(float64(b.Left(looks, passes))) }
	before, after := Usual(), Expect(0.4)
	parent := closed(before, 1, 1)
	if sum := closed(after, 2, 2) + closed(after, 2, 1); !(sum > 1.98*parent) {
		t.Errorf("the closed form's children add up to %v of their parent", sum/parent)
	}
	left := Budget(0).Child(Look{[]Cut{{0.5, before.Share(0, 0, 8)}}}.LnShare(1))
	next := Look{[]Cut{{0.5, after.Share(1, 1, 8)}}}
	children := []float64{float64(left.Child(next.LnShare(0))), float64(left.Child(next.LnShare(1)))}
	if sum := sumOver(float64(left), children); !(sum <= 1) {
		t.Errorf("the children that are carried add up to %v of their parent", sum)
	}
}

// No response costs more than most nats, however rare it was.
func TestMostNats(t *testing.T) {
	for _, most := range []float64{1, 3, 8, 30} {
		for _, bet := range []Bet{Usual(), Expect(1e-12), Expect(1 - 1e-12)} {
			for _, c := range [][2]int64{{0, 0}, {1e6, 0}, {1e6, 1e6}, {7, 3}} {
				look := Look{[]Cut{{0.5, bet.Share(c[0], c[1], most)}}}
				for cell := range 2 {
					if price := -look.LnShare(cell); !(price <= most) {
						t.Errorf("%v after %v: %v nats, at most %v", bet, c, price, most)
					}
				}
			}
		}
	}
	for _, most := range []float64{8, 20, 30, 33, 35, 36} { // e^-36 is hardly more than what rounding leaves of 1
		for _, rate := range []float64{3e-16, 1e-12, 1e-6, 0.5, 1 - 1e-9, 1 - 1e-15, 1 - 4e-16} {
			share := Expect(rate).Share(0, 0, most)
			s := Steps{Within: 0.01, Step: 0.01, Most: most}
			guess, err := Guess(Unit{Rows: 1000}, 0.5, share, s)
			board, err2 := Board(Unit{Rows: 1000}, 0.5, share, s)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			for _, look := range []Look{guess, board, {[]Cut{{0.5, share}}}} {
				for cell := range look.Cells() {
					if price := -look.LnShare(cell); !(price <= most) {
						t.Errorf("rate %v, cell %d of %d: %v nats, at most %v", rate, cell, look.Cells(), price, most)
					}
				}
			}
		}
	}
	s := Steps{Within: 0.001, Step: 0.001, Most: 8}
	if _, err := Score(Unit{Rows: 5000}, 0.5, s); err != nil {
		t.Error(err)
	}
	s.Step = 0.0001
	if _, err := Score(Unit{Rows: 5000}, 0.5, s); err == nil {
		t.Error("10,000 cells fit into 8 nats each")
	}
	s.Step = 1e-9
	if _, err := Board(Unit{Rows: 5000}, 0.5, 0.2, s); err == nil {
		t.Error("a board of half a billion cells")
	}
}

// A code that leaves nothing, or puts nothing on a side, is refused, and so is one that puts more than all.
func TestSharesBeyondTheirEnds(t *testing.T) {
	at := Node{LnBeta: math.Log(0.05)}
	steps := Steps{Within: 0.1, Step: 0.1, Most: 40}
	for _, share := range []float64{0, 1, -0.1, 1.1, math.NaN(), math.Inf(1)} {
		for name, look := range map[string]func() (Look, error){
			"gate":      func() (Look, error) { return Gate(at, Unit{Rows: 5000}, 0.3, share) },
			"board":     func() (Look, error) { return Board(Unit{Rows: 5000}, 0.3, share, steps) },
			"guess":     func() (Look, error) { return Guess(Unit{Rows: 5000}, 0.3, share, steps) },
			"rejection": func() (Look, error) { return Rejection(at, share) },
		} {
			if l, err := look(); err == nil {
				t.Errorf("a %s with the share %v: %v", name, share, l)
			}
		}
	}
}

// The bet on a rate has this rate as its first share.
func TestExpectedRates(t *testing.T) {
	for _, rate := range []float64{1e-3, 0.02, 0.5, 0.97} {
		if got := Expect(rate).Share(0, 0, 40); math.Abs(got-rate) > 1e-15 {
			t.Errorf("a bet on %v: %v", rate, got)
		}
	}
	if q, want := Usual().Share(10, 2, 8), 2.5/12.5; q != want {
		t.Errorf("after 2 of 10: %v, want %v", q, want)
	}
}

// Masses that are read off add up exactly, as fractions.
func TestSharesAddUpToOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 42))
	for range 300 {
		look, err := randomLook(r, Node{LnBeta: -3}, anyTails(r), 0.01+0.98*r.Float64())
		if err != nil {
			continue // no mean can pass
		}
		if err := look.Validate(); err != nil {
			t.Fatal(err)
		}
		sum := new(big.Rat)
		last := big.NewRat(1, 1)
		for i, c := range append(look.Cuts, Cut{}) {
			above := new(big.Rat).SetFloat64(c.Above)
			share := new(big.Rat).Sub(last, above)
			want, _ := new(big.Float).SetPrec(200).SetRat(share).Float64()
			if got := look.LnShare(i); !(got <= math.Log(want)+1e-16 && got > math.Log(want)*(1+1e-15)-1e-15) {
				t.Errorf("cell %d of %v: share e^%v, want %v", i, look, got, want)
			}
			sum.Add(sum, share)
			last = above
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("the shares of %v add up to %v", look, sum)
		}
	}
}
