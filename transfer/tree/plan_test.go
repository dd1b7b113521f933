package tree

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Every ladder keeps its promise by Theorem 4, evaluated as it is stated, and its steps are steps.
func TestLaddersCertify(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	built := 0
	for range 300 {
		d := Ladder{
			Queries: 2 + int64(math.Exp(r.Float64()*20)), Tau: math.Exp(-0.8 - 3*r.Float64()), Top: 0.3 + 0.7*r.Float64(),
			ZeroOne: r.IntN(2) == 0,
		}
		n := int64(math.Exp(3 + 9*r.Float64()))
		cells, lnFailure := d.Cells(n)
		if cells == nil || len(cells) == 1 {
			continue
		}
		built++
		first, last := cells[0], cells[len(cells)-1]
		if first.Boundary != d.Top || first.Value != d.Top-d.Tau || last.Value > d.Tau {
			t.Fatalf("%+v, n = %d: from %+v to %+v", d, n, first, last)
		}
		for l := range len(cells) - 1 {
			here, next := cells[l], cells[l+1]
			falls := next.Boundary < here.Boundary && next.Value < here.Value
			if !falls || next.Boundary <= here.Value-d.Tau || next.Boundary >= next.Value+d.Tau {
				t.Fatalf("%+v, n = %d: from %+v to %+v", d, n, here, next)
			}
			if d.ZeroOne && next.Boundary != float64(next.Count)/float64(n) {
				t.Fatalf("%+v, n = %d: the boundary %v of %d", d, n, next.Boundary, next.Count)
			}
		}
		if ln := d.LnFailure(n, cells); ln != lnFailure {
			t.Errorf("%+v, n = %d: ln of the bound is %v and %v", d, n, ln, lnFailure)
		}
		if sum := lnSumOfErrors(d, n, cells); math.Abs(sum-lnFailure) > 1e-9*(1+math.Abs(sum)) {
			t.Errorf("%+v, n = %d: ln of the bound is %v, and of the sum %v", d, n, lnFailure, sum)
		}
	}
	if built < 100 {
		t.Errorf("only %d of 300 ladders were built", built)
	}
}

// lnSumOfErrors is ln of the sum of Theorem 4, with the gamma function for its counts.
func lnSumOfErrors(d Ladder, n int64, cells []Cell) float64 {
	choose := func(a, b int64) float64 {
		x, _ := math.Lgamma(float64(a + 1))
		y, _ := math.Lgamma(float64(b + 1))
		z, _ := math.Lgamma(float64(a - b + 1))
		return x - y - z
	}
	if d.Queries > 1e6 { // where the gamma function loses the digits
		choose = func(a, b int64) (sum float64) {
			for i := range b {
				sum += math.Log(float64(a-i) / float64(i+1))
			}
			return sum
		}
	}
	exponential := func(q, p float64) float64 {
		return -float64(n) * (q*math.Log(q/p) + (1-q)*math.Log((1-q)/(1-p)))
	}
	sum, high, low := math.Inf(-1), math.Inf(-1), math.Inf(-1)
	for l := int64(len(cells)) - 2; l >= 0; l-- {
		p, q, u := cells[l].Value-d.Tau, cells[l+1].Value+d.Tau, cells[l+1].Boundary
		entered, states := 0., math.Log(float64(max(d.Queries, 3)))
		if l > 0 {
			entered, states = choose(d.Queries+l-2, l), choose(max(d.Queries, 3)+l-1, l+1)
		}
		if d.ZeroOne {
			high = max(high, num.Binomial{N: n, P: p}.LnAtLeast(cells[l+1].Count+1))
			low = max(low, num.Binomial{N: n, P: q}.LnAtMost(cells[l+1].Count))
		} else {
			high, low = max(high, exponential(u, p)), max(low, exponential(u, q))
		}
		sum = num.LogAddExp(sum, num.LogAddExp(entered+high, states+low))
	}
	return sum
}

// The bound of a bounded ladder falls with more rows, fewer submissions, a greater tau and a lower top, and with 0/1
// losses; what is found is within a thousandth of beta.
func TestLaddersAreMonotone(t *testing.T) {
	d := Ladder{Queries: 500, Tau: 0.1, Top: 1}
	bound := func(d Ladder, n int64) float64 { _, ln := d.Cells(n); return ln }
	last := bound(d, 2600)
	for n := int64(2601); n < 3000; n++ {
		if ln := bound(d, n); ln > last+1e-3 {
			t.Errorf("ln of the bound is %v at %d rows, and %v at one fewer", ln, n, last)
		} else {
			last = ln
		}
	}
	for _, easier := range []Ladder{
		{Queries: 499, Tau: 0.1, Top: 1}, {Queries: 500, Tau: 0.1001, Top: 1}, {Queries: 500, Tau: 0.1, Top: 0.99},
		{Queries: 500, Tau: 0.1, Top: 1, ZeroOne: true},
	} {
		if ln := bound(easier, 2800); ln >= bound(d, 2800) {
			t.Errorf("%+v: ln of the bound is %v, and it is %v where that is harder", easier, ln, bound(d, 2800))
		}
	}
}

// The rough bound differs from the bound of the cells by the rounding of cells and losses to whole numbers alone.
func TestRoughLadders(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 48))
	search := new(LadderSearch)
	compared := 0
	for range 150 {
		d := Ladder{
			Queries: 2 + int64(math.Exp(r.Float64()*14)), Tau: math.Exp(-1.5 - 3.5*r.Float64()), Top: 0.5 + 0.5*r.Float64(),
			ZeroOne: r.IntN(2) == 0,
		}
		n := int64(0.5 * math.Log(float64(d.Queries)+20) / (d.Tau * d.Tau * d.Tau) * (0.3 + r.Float64()))
		rough := search.Rough(d, n)
		cells, ln := search.Cells(d, n)
		if alone, other := d.Cells(n); !slices.Equal(alone, cells) || other != ln {
			t.Fatalf("%+v, n = %d: a search builds another ladder", d, n)
		}
		if (cells == nil) != math.IsInf(rough, 1) {
			t.Fatalf("%+v, n = %d: %d cells, and roughly %v", d, n, len(cells), rough)
		}
		if cells == nil {
			continue
		}
		compared++
		if off := math.Abs(ln - rough); off > 0.1+3/float64(len(cells)) {
			t.Errorf("%+v, n = %d, %d cells: ln of the bound is %v, and roughly %v", d, n, len(cells), ln, rough)
		}
	}
	if compared < 60 {
		t.Errorf("%d compared", compared)
	}
}

// The steps of a ladder are roots of the relative entropy: it is at least what is asked there, and less a little
// nearer, but for roots that are all but 1. None is NaN.
func TestRootsOfTheEntropy(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 50))
	kl := func(q, p float64) float64 { return num.KLShift{P: p, Shift: q - p}.Nats() }
	within := func(from, root, e float64, kl func(x float64) float64) bool {
		if 1-root < 1e-6 {
			return root > 1-1e-6
		}
		near := root - 1e-6*min(root-from, 1-root)
		return kl(root) >= e*(1-1e-12) && kl(near) < e
	}
	for range 20_000 {
		p, e := math.Exp(-12*r.Float64()), math.Exp(3-15*r.Float64())
		if r.IntN(2) == 0 {
			p = 1 - p/2
		}
		if u := num.KLAbove(p, e); !within(p, u, e, func(u float64) float64 { return kl(u, p) }) {
			t.Fatalf("kl(u||%v) = %v at u = %v, want %v", p, kl(u, p), u, e)
		}
		if q := num.KLExpectation(p, e); !within(p, q, e, func(q float64) float64 { return kl(p, q) }) {
			t.Fatalf("kl(%v||q) = %v at q = %v, want %v", p, kl(p, q), q, e)
		}
	}
}

// graded is values whose one-sided tails are given by the deviation alone, for tests of counts.
type graded struct{ ln func(s float64) float64 }

func (graded) Rate(float64) num.DD { return num.DD{} }

func (g graded) LnSide(_ int64, s float64) float64 { return g.ln(s) }

// The bound of Theorem 1 at given cells is never below the greatest sum of risks over a tree, found from what the
// children of a node are; it is close for some.
func TestValidatorCountsByRecursion(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	closest := 0.0
	for range 4000 {
		m, b := 1+r.Int64N(9), int64(1)
		b += r.Int64N(min(m, 5))
		cells := make([]int64, b-1)
		for i := range cells {
			cells[i] = 1 + r.Int64N(2)
			if i > 0 {
				cells[i] += cells[i-1] - 1
			}
		}
		wrong, risks := math.Exp(-4*r.Float64()), make([]float64, b)
		for i := range risks {
			risks[i] = math.Exp(-8 * r.Float64() * r.Float64())
		}
		certain := graded{func(float64) float64 { return 0 }}
		tree := newFlagTree(Validator{Values: certain, Queries: m, Flags: b, Tau: 1, Threshold: 0.5}, 1)
		for i, c := range cells {
			tree.lnLast = math.Log(risks[i] / 2)
			tree.descend(c)
		}
		tree.charge(math.Log(risks[b-1] / 2))
		bound := math.Exp(tree.total) + math.Exp(tree.lnSum(1))*wrong
		worst := riskiest(0, m, cells, risks, wrong)
		if worst > bound*(1+1e-9) {
			t.Errorf("m = %d, c = %v: the bound is %v and a tree has %v", m, cells, bound, worst)
		}
		closest = math.Max(closest, worst/bound)
	}
	if closest < 0.98 {
		t.Errorf("the closest tree has %v of the bound", closest)
	}
	t.Logf("the closest tree has %.4f of the bound", closest)
}

// riskiest is the greatest sum of risks in a subtree at a level with j queries left. A right guess leads on by
// "accept" and c cells, a wrong one by c+1 cells.
func riskiest(level, j int64, cells []int64, risks []float64, wrong float64) float64 {
	if j == 0 {
		return 0
	}
	if level == int64(len(cells)) {
		return risks[level] + math.Max(riskiest(level, j-1, cells, risks, wrong), wrong)
	}
	c := float64(cells[level])
	stay, down := riskiest(level, j-1, cells, risks, wrong), riskiest(level+1, j-1, cells, risks, wrong)
	return risks[level] + math.Max(stay+c*down, wrong+(c+1)*down)
}

// A validator's widths never grow, the last flag has none, and its bound for these widths falls in n.
func TestValidatorWidths(t *testing.T) {
	v := Validator{Values: tail.Interval{}, Queries: 1000, Flags: 30, Tau: 0.1, Threshold: 0.025, LnBeta: math.Log(0.05)}
	ln, widths := v.Bound(14_076)
	if ln > v.LnBeta {
		t.Errorf("ln of the bound is %v at 14076 rows", ln)
	}
	for i, w := range widths {
		last := i == len(widths)-1
		if last != (w.Width == 0) || last && w.Flags != v.Flags-1 {
			t.Errorf("widths %v", widths)
		}
		if i > 0 && !(w.Flags > widths[i-1].Flags && w.Width < widths[i-1].Width) {
			t.Errorf("widths %v", widths)
		}
	}
	if less, _ := v.Bound(13_900); less <= v.LnBeta {
		t.Errorf("13900 rows serve")
	}
}

// The best widths are no worse than any others, and the bound is V_1 as it is stated.
func TestWidthsByRecursion(t *testing.T) {
	for _, n := range []int64{150, 300, 500, 700} {
		for m := int64(1); m <= 4; m++ {
			w := Widths{Values: tail.Interval{}, Queries: m, Tau: 0.1}
			ln, blocks := w.Bound(n)
			tail := func(s float64) float64 { return math.Exp(w.Values.LnSide(n, s)) }
			back := func(v, c float64) float64 {
				half := w.Tau / c
				return math.Max(c*v+tail(w.Tau-half)+tail(w.Tau), (c-1)*v+2*tail(w.Tau-half))
			}
			last := 2 * tail(w.Tau)
			own, left := last, m
			for i := len(blocks) - 1; i >= 0; i-- {
				for range blocks[i].Queries {
					if left--; blocks[i].Width > 0 {
						own = back(own, math.Round(2*w.Tau/blocks[i].Width))
					}
				}
			}
			best := math.Inf(1)
			var search func(v float64, left int64)
			search = func(v float64, left int64) {
				if left == 0 {
					best = math.Min(best, v)
					return
				}
				for c := 2.0; c < 26; c++ {
					search(back(v, c), left-1)
				}
			}
			search(last, m-1)
			if left != 0 || math.Abs(math.Log(own)-ln) > 1e-10 || ln > math.Log(best)+1e-10 {
				t.Errorf("n = %d, m = %d: ln V is %v, of the widths %v it is %v, the best %v",
					n, m, ln, blocks, math.Log(own), math.Log(best))
			}
		}
	}
}

// The bound takes long runs of equal widths in one step.
func TestWidthsOfManyQueries(t *testing.T) {
	w := Widths{Values: tail.Interval{}, Queries: 1e15, Tau: 0.1}
	_, blocks := w.Bound(1 << 52)
	sum := int64(0)
	for i, b := range blocks {
		sum += b.Queries
		if i > 0 && b.Width >= blocks[i-1].Width {
			t.Fatalf("the widths grow from %+v to %+v", blocks[i-1], b)
		}
	}
	if sum != w.Queries {
		t.Errorf("the widths are for %d queries", sum)
	}
}

// tailsFrom is P[Bin(n,p) >= k] for every k from 0 to n+1, to 200 bits.
func tailsFrom(n int64, p *big.Rat) []*big.Float {
	wide := func() *big.Float { return new(big.Float).SetPrec(200) }
	x, y := wide().SetRat(p), wide().SetRat(new(big.Rat).Sub(big.NewRat(1, 1), p))
	term := wide().SetInt64(1)
	power := []*big.Float{term} // of y
	for range n {
		power = append(power, wide().Mul(power[len(power)-1], y))
	}
	tails, high := make([]*big.Float, n+2), wide().SetInt64(1)
	terms := make([]*big.Float, n+1)
	for k := range n + 1 {
		ways := wide().SetInt(new(big.Int).Binomial(n, k))
		terms[k] = ways.Mul(ways, high).Mul(ways, power[n-k])
		high = wide().Mul(high, x)
	}
	tails[n+1] = wide()
	for k := n; k >= 0; k-- {
		tails[k] = wide().Add(tails[k+1], terms[k])
	}
	return tails
}

// The printed count serves at the printed n and at the next ones, and at one row fewer no count does.
func TestCountGateAgainstWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		bar, margin int64 // in hundredths
		oneSided    bool
		risk        float64
	}{
		{50, 5, false, 0.01}, {50, 10, true, 0.002}, {90, 3, false, 0.05}, {0, 10, false, 0.01},
		{95, 4, false, 0.05}, {80, 5, false, 0.02},
	} {
		bar := tail.Bar{Height: float64(c.bar) / 100, Margin: float64(c.margin) / 100, OneSided: c.oneSided}
		gate := CountGate{bar, math.Log(c.risk)}
		risk := big.NewFloat(c.risk)
		serves := func(n int64) bool {
			low, k := tailsFrom(n, big.NewRat(c.bar, 100)), int64(0)
			for low[k].Cmp(risk) > 0 {
				k++
			}
			if got, _ := gate.Count(n, 3); got != k {
				t.Errorf("%+v, n = %d: the count is %d, want %d", gate, n, got, k)
			}
			if c.oneSided || c.bar+2*c.margin >= 100 {
				return 100*k < n*(c.bar+c.margin)+100
			}
			short := new(big.Float).Sub(big.NewFloat(1), tailsFrom(n, big.NewRat(c.bar+2*c.margin, 100))[k])
			return short.Cmp(risk) <= 0
		}
		n := gate.Samples(1 << 53)
		if n == 0 || n > 1 && serves(n-1) {
			t.Errorf("%+v: %d rows, and one fewer serves", gate, n)
		}
		for more := n; more < n+12; more++ {
			if !serves(more) || !gate.Holds(more) {
				t.Errorf("%+v: %d rows serve, and %d do not", gate, n, more)
			}
		}
		if n > 1 && gate.Holds(n-1) {
			t.Errorf("%+v: %d rows hold", gate, n-1)
		}
	}
}

// A number of rows holds if it and every greater one, asked one by one, has a count that serves. At bars next to 0 one
// count serves up to more rows than can be asked.
func TestCountGatesHoldOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(3905, 11))
	holding := 0
	for range 1500 {
		bar := tail.Bar{Height: math.Exp(-9 * r.Float64()), Margin: 0.02 + 0.3*r.Float64(), OneSided: r.IntN(2) == 0}
		c := CountGate{bar, -0.1 - 8*r.Float64()}
		n := 1 + r.Int64N(int64(2-2*c.LnRisk/(c.Margin*c.Margin)))
		want := true
		for later := n; want && !c.Certified(later); later++ {
			_, want = c.Count(later, 1)
		}
		if got := c.Holds(n); got != want {
			t.Errorf("%+v, %d rows: %v, want %v", c, n, got, want)
		}
		if want && !c.Certified(n) {
			holding++
		}
	}
	if holding < 50 {
		t.Errorf("%d gates hold and are not certified", holding)
	}
	for _, height := range []float64{0x1p-1074, 1e-305, 1e-290, 1e-100} {
		if c := (CountGate{tail.Bar{Height: height, Margin: 1.2e-6, OneSided: true}, -36}); !c.Holds(5000) {
			t.Errorf("%+v: 5000 rows do not hold", c)
		}
	}
}

// The numbers of nodes of trees with as many flags as queries are the numbers computed in whole numbers of any size.
func TestNodesOfLargeTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	certain := graded{func(float64) float64 { return 0 }}
	for _, m := range []int64{3, 40, 1100, 1500} {
		for _, b := range []int64{m / 3, m - 1, m} {
			tree := newFlagTree(Validator{Values: certain, Queries: m, Flags: b, Tau: 1, Threshold: 0.5}, 1)
			var cells []int64 // c_0 to c_(B-2), not falling
			for c := int64(1); int64(len(cells)) < b-1; c += r.Int64N(2) * r.Int64N(2) * r.Int64N(2) {
				tree.descend(c)
				cells = append(cells, c)
			}
			for _, less := range []int64{0, 1} {
				sum, product := new(big.Int), big.NewInt(1)
				for z := range b {
					if z > 0 {
						product.Mul(product, big.NewInt(cells[b-1-z]))
					}
					sum.Add(sum, new(big.Int).Mul(product, new(big.Int).Binomial(m, z+1-less)))
				}
				mantissa := new(big.Float)
				exponent := new(big.Float).SetInt(sum).MantExp(mantissa)
				want := num.FromBig(mantissa).Ln().Add(num.Ln2.MulFloat(float64(exponent))).Hi
				if got := tree.lnSum(less); !(math.Abs(got-want) <= 1e-12*(1+want)) {
					t.Errorf("m = %d, B = %d, less %d: got %v, want %v", m, b, less, got, want)
				}
			}
		}
	}
}
