package certificate_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/certificate"
	"github.com/dpcalc/dpcalc/transfer/open"
)

func beta(t *testing.T, text string) theory.LogProb {
	p, err := theory.ParseLogProb(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// solved answers a goal by a method.
func solved(t *testing.T, method string, g transfer.Goal) (transfer.Method, transfer.Answer) {
	m, ok := transfer.Lookup(method)
	if !ok {
		t.Fatalf("no method %s", method)
	}
	a, err := m.Solve(g)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return m, a
}

func opened(g transfer.Goal, pass int64, bar transfer.Option) transfer.Goal {
	g = gated(g, pass, bar)
	g.Open = true
	return g
}

func ranked(g transfer.Goal, raises int64) transfer.Goal {
	g.Feedback, g.Passes, g.Open = transfer.Best, raises, true
	return g
}

func final(g transfer.Goal) transfer.Goal { g.Feedback = transfer.Final; return g }

func gated(g transfer.Goal, passes int64, bar transfer.Option) transfer.Goal {
	g.Feedback, g.Passes, g.Bar = transfer.Gate, passes, bar
	return g
}

// TestCellsByEnumeration evaluates the cells of a small plan with fractions: they cover all means, and at both ends of
// each the convex tail is within the level.
func TestCellsByEnumeration(t *testing.T) {
	m, a := solved(t, "sealed", final(transfer.Goal{Queries: 2, Tau: 0.25, Beta: beta(t, "0.1")}))
	text, err := certificate.Of(m, a)
	if err != nil {
		t.Fatal(err)
	}
	n := a.Samples
	level := big.NewRat(1, 10*2*2)
	scale, _ := new(big.Rat).SetString(regexp.MustCompile(`each over (\d+)`).FindStringSubmatch(text)[1])
	from := new(big.Rat)
	for _, found := range regexp.MustCompile(`\((\d+), (\d+)\)`).FindAllStringSubmatch(text, -1) {
		end, _ := new(big.Rat).SetString(found[1])
		end.Quo(end, scale)
		hinge, _ := new(big.Rat).SetString(found[2])
		for _, p := range []*big.Rat{from, end} {
			if got := convexTail(n, p, big.NewRat(1, 4), hinge.Num().Int64()); got.Cmp(level) > 0 {
				t.Errorf("at the mean %v the t %v gives %v, want at most %v", p.FloatString(6), hinge.Num(), got.FloatString(9), level)
			}
		}
		from = end
	}
	if from.Cmp(big.NewRat(3, 4)) != 0 {
		t.Errorf("the cells end at %v, want 3/4", from)
	}
}

// convexTail is E(B-t)_+/(n(p+s)-t), B of the law Bin(n,p).
func convexTail(n int64, p, s *big.Rat, t int64) *big.Rat {
	sum, q := new(big.Rat), new(big.Rat).Sub(big.NewRat(1, 1), p)
	for k := t + 1; k <= n; k++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
		for i := range n {
			if i < k {
				term.Mul(term, p)
			} else {
				term.Mul(term, q)
			}
		}
		sum.Add(sum, term.Mul(term, big.NewRat(k-t, 1)))
	}
	x := new(big.Rat).Add(p, s)
	x.Mul(x, big.NewRat(n, 1)).Sub(x, big.NewRat(t, 1))
	return sum.Quo(sum, x)
}

// TestStepsByEnumeration evaluates the steps of a small board with fractions: the tails are within what the file says,
// and the sum of Theorem 4 is within beta and near it.
func TestStepsByEnumeration(t *testing.T) {
	g := transfer.Goal{Queries: 6, Tau: 0.15, Beta: beta(t, "0.1"), Query: transfer.Binary}
	g.Feedback, g.Floor = transfer.Best, 0.25
	m, a := solved(t, "ladder", g)
	text, err := certificate.Of(m, a)
	if err != nil {
		t.Fatal(err)
	}
	n := a.Samples
	found := regexp.MustCompile(`value shown over (\d+), and over (\d+)`).FindStringSubmatch(text)
	tau, sum := big.NewRat(15, 100), new(big.Rat)
	before, one := big.NewRat(60, 100), big.NewRat(1, 1)
	var last *big.Rat
	for l, step := range regexp.MustCompile(`Step (\d+) (\d+) (\d+) (\d+)`).FindAllStringSubmatch(text, -1) {
		ratio := func(num, over string) *big.Rat { r, _ := new(big.Rat).SetString(num + "/" + over); return r }
		edge, shown := ratio(step[1], "1").Num().Int64(), ratio(step[2], found[1])
		high, low := ratio(step[3], found[2]), ratio(step[4], found[2])
		if missed := atLeast(n, edge+1, new(big.Rat).Sub(before, tau)); missed.Cmp(high) > 0 {
			t.Errorf("step %d is missed with %v, and the file has %v", l, missed.FloatString(12), high.FloatString(12))
		}
		if taken := atLeast(n, n-edge, new(big.Rat).Sub(one, new(big.Rat).Add(shown, tau))); taken.Cmp(low) > 0 {
			t.Errorf("step %d is taken with %v, and the file has %v", l, taken.FloatString(12), low.FloatString(12))
		}
		i := int64(l)
		states := new(big.Int).Binomial(6+i-1, i+1)
		if l == 0 {
			states.SetInt64(6)
		}
		sum.Add(sum, high.Mul(high, new(big.Rat).SetInt(new(big.Int).Binomial(6+i-2, i))))
		sum.Add(sum, low.Mul(low, new(big.Rat).SetInt(states)))
		before, last = shown, shown
	}
	if last == nil || last.Cmp(tau) > 0 {
		t.Errorf("the last value is %v, want at most tau", last)
	}
	if sum.Cmp(big.NewRat(1, 10)) > 0 || sum.Cmp(big.NewRat(9, 100)) < 0 {
		t.Errorf("the sum is %v, want just below 0.1", sum.FloatString(6))
	}
}

// atLeast is the probability that at least k of n independent 0/1 values of mean p are 1.
func atLeast(n, k int64, p *big.Rat) *big.Rat {
	sum, ones, all := new(big.Int), p.Num(), p.Denom()
	zeros := new(big.Int).Sub(all, ones)
	power := func(x *big.Int, i int64) *big.Int { return new(big.Int).Exp(x, big.NewInt(i), nil) }
	for ; k <= n; k++ {
		term := new(big.Int).Binomial(n, k)
		sum.Add(sum, term.Mul(term, power(ones, k)).Mul(term, power(zeros, n-k)))
	}
	return new(big.Rat).SetFrac(sum, power(all, n))
}

func TestOneRowFewerIsInTheFile(t *testing.T) {
	base := transfer.Goal{Queries: 30, Tau: 0.05, Beta: beta(t, "0.05")}
	binary := base
	binary.Query = transfer.Binary
	difference := base
	difference.Query, difference.Tau = transfer.Difference, 0.1
	leads := difference
	leads.Disagreement, leads.Checked, leads.Decided = 0.2, true, transfer.TwoClasses
	ahead := gated(leads, 3, transfer.Some(0))
	ahead.OneSided = true
	for _, c := range []struct {
		method, want string
		goal         transfer.Goal
	}{
		{"gate", "5/409000 < convex_tail (Z.to_nat 1966)", gated(difference, 3, transfer.Option{})},
		{"gate", "5/409000 < convex_tail (Z.to_nat 1957) (9 / 20) (10 / 20) t", gated(difference, 3, transfer.Some(-0.1))},
		{"gate", "5/409000 < convex_tail (Z.to_nat 1178) (80 / 100) (85 / 100) t", gated(base, 3, transfer.Some(0.8))},
		{"gate", "5/409000 < convex_tail (Z.to_nat 1966)", gated(base, 3, transfer.Option{})},
		{"gate", "5/409000 < binomial (Z.to_nat 896) (80 / 100) j", gated(binary, 3, transfer.Some(0.8))},
		{"gate", "5/409000 < binomial (Z.to_nat 1799)", gated(binary, 3, transfer.Option{})},
		{"gate", "(gate_lead_plan Ds 375 75 rows fine 30 3 5 100 10 1 groups analyst H)", gated(leads, 3, transfer.Option{})},
		{"gate", "5/409000 < binomial (Z.to_nat 66) (7266 / 13200) (Z.to_nat 53)", gated(leads, 3, transfer.Some(0.02))},
		{"gate", "(gate_bar_lead_plan_one_side Ds ", ahead},
		{"open-gate", " < convex_tail (Z.to_nat 1113) (800000000000 / 1000000000000) y t", opened(base, 3, transfer.Some(0.8))},
		{"open-gate", " < binomial (Z.to_nat 1028) (80 / 100) j", opened(binary, 3, transfer.Some(0.8))},
		{"open-gate", "~ wide 2539 ", opened(base, 3, transfer.Option{})},
		{"open-board", "~ wide 3469 ", ranked(base, 3)},
		{"open-board", "~ wide 3469 ", ranked(binary, 3)},
		{"sealed", "5/6000 < convex_tail (Z.to_nat 1167)", final(base)},
		{"sealed", "5/3000 < binomial (Z.to_nat 1000) (50000 / 100000)", final(binary)},
	} {
		m, a := solved(t, c.method, c.goal)
		if text, err := certificate.Of(m, a); err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s %+v: %v, want %q in\n%s", c.method, c.goal, err, c.want, text)
		}
	}
}

// TestOpenLevelsByWalking takes the looks of an open gate in a random order, each with its share of what is left.
func TestOpenLevelsByWalking(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		looks := 2 + draw.Int64N(30)
		passes := 1 + draw.Int64N(looks)
		m, a := solved(t, "open-gate", opened(transfer.Goal{Queries: looks, Tau: 0.1, Beta: beta(t, "0.03")}, passes, transfer.Option{}))
		text, err := certificate.Of(m, a)
		if err != nil {
			t.Fatal(err)
		}
		left, passed := big.NewRat(3, 100), int64(0)
		for look, place := range append(draw.Perm(int(looks)-1), 0) {
			share := big.NewRat(1+2*passed, 5+2*int64(look))
			if look == int(looks)-1 || place < int(passes)-1 {
				passed++
			} else {
				share.Sub(big.NewRat(1, 1), share)
			}
			left.Mul(left, share)
		}
		if !strings.Contains(text, "("+left.String()+") (bar v) (x v)") {
			t.Errorf("look %d, pass %d: no level %v in\n%s", looks, passes, left, text)
		}
	}
}

// TestBoardLevelsByWalking takes the looks of an open board in a random order. Each leaves its share, and a raise by
// one step the half of it.
func TestBoardLevelsByWalking(t *testing.T) {
	draw, half, one := rand.New(rand.NewPCG(5, 6)), big.NewRat(1, 2), big.NewRat(1, 1)
	times := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	for range 20 {
		looks := 2 + draw.Int64N(30)
		raises := 1 + draw.Int64N(looks)
		g := transfer.Goal{Queries: looks, Tau: 0.1, Beta: beta(t, "0.03")}
		m, a := solved(t, "open-board", ranked(g, raises))
		text, err := certificate.Of(m, a)
		if err != nil {
			t.Fatal(err)
		}
		left, raised := big.NewRat(3, 100), int64(0)
		share := func(look int) *big.Rat { return big.NewRat(1+2*raised, 5+2*int64(look)) }
		for look, place := range draw.Perm(int(looks) - 1) {
			if place < int(raises)-1 {
				left = times(left, times(share(look), half))
				raised++
			} else {
				left = times(left, new(big.Rat).Sub(one, share(look)))
			}
		}
		q := share(int(looks) - 1)
		levels := regexp.MustCompile(`~ wide \d+ \((\d+/\d+)\) \((\d+/\d+)\) `).FindStringSubmatch(text)
		within := func(low, above *big.Rat) bool {
			for i, want := range []*big.Rat{low, new(big.Rat).Sub(one, above)} {
				if got, ok := new(big.Rat).SetString(levels[i+1]); !ok || got.Cmp(times(left, want)) != 0 {
					return false
				}
			}
			return true
		}
		if !within(one, q) && !within(q, times(q, half)) {
			t.Errorf("look %d, raise %d: no levels of what is left, %v, in\n%s", looks, raises, left, text)
		}
	}
}

// TestCutsOfABoardAreTheLedgers compares the cuts of BoardPlans.v, k + max(i, ceil(i s n/d)) of n rows, with the cuts
// of an open ledger of 0/1 values.
func TestCutsOfABoardAreTheLedgers(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n, d := 1+2*draw.Int64N(300), int64(64) // odd: no cut but the last is a whole number of steps
		s, k := 1+draw.Int64N(8), draw.Int64N(n+1)
		step := float64(s) / float64(d)
		steps := open.Steps{Within: step, Step: step, Most: 40}
		l, err := open.Board(open.ZeroOne{Rows: n}, float64(k)/float64(n), 0.5, steps)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []int64
		for _, c := range l.Cuts {
			got = append(got, int64(math.Round(c.At*float64(n))))
		}
		for i := int64(1); i <= n-k && i*s*n <= (n-k)*d; i++ {
			want = append(want, k+max(i, (i*s*n+d-1)/d))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d rows, step %d/%d, shown %d: cuts %v, want %v", n, s, d, k, got, want)
		}
	}
}

// TestThresholdsAreAboveThePrintedOnes compares the fraction of a file with the threshold that dpcalc prints, and with
// the number of tests of a gate counted by Pascal's rule.
func TestThresholdsAreAboveThePrintedOnes(t *testing.T) {
	most := func(text string) *big.Rat {
		found, _ := new(big.Rat).SetString(regexp.MustCompile(`p t w <= (\d+/\d+)\)`).FindStringSubmatch(text)[1])
		return found
	}
	var count func(m, b int64) int64 // of nodes with a true null hypothesis
	count = func(m, b int64) int64 {
		if m == 1 || b == 0 {
			return 1
		}
		return count(m-1, b) + count(m-1, b-1)
	}
	for m := int64(1); m <= 12; m++ {
		for b := int64(1); b <= m; b++ {
			text, err := certificate.Gates(m, b, beta(t, "0.05"))
			if want := big.NewRat(1, 20*count(m, b)); err != nil || most(text).Cmp(want) != 0 {
				t.Errorf("%d looks, %d passes: %v, %s, want %v", m, b, err, text, want)
			}
		}
		text, err := certificate.Selected(m, beta(t, "0.03"))
		printed := new(big.Rat).SetFloat64(tested(t, maxinfo.OneOf(m), "0.03"))
		if want := big.NewRat(3, 100*m); err != nil || most(text).Cmp(want) != 0 || printed.Cmp(want) > 0 {
			t.Errorf("one of %d: %v, %s, want %v, and %v is printed", m, err, text, want, printed)
		}
	}
	if text, err := certificate.Selected(3, beta(t, "0.01234567891")); err == nil {
		t.Errorf("an alpha of ten digits: %s, want an error", text)
	}
}

// tested is the threshold that dpcalc prints for a step.
func tested(t *testing.T, s maxinfo.Step, alpha string) float64 {
	tests, err := pvalue.Tests(maxinfo.Plan{Steps: []maxinfo.Step{s}}, beta(t, alpha))
	if err != nil {
		t.Fatal(err)
	}
	return tests[pvalue.Best(tests)].ThresholdFloat()
}

// TestFileHasTheNoiseOfItsPlan reads the noise of each answer to its last digit, and which sides count.
func TestFileHasTheNoiseOfItsPlan(t *testing.T) {
	for _, oneSided := range []bool{false, true} {
		g := transfer.Goal{Queries: 4, Tau: 0.1, Beta: beta(t, "0.05")}
		g.OneSided = oneSided
		m, a := solved(t, "gaussian-schedule", g)
		text, err := certificate.Of(m, a)
		if err != nil {
			t.Fatal(err)
		}
		over, ok := new(big.Rat).SetString(regexp.MustCompile(`noises (\d+) answers`).FindStringSubmatch(text)[1])
		written := regexp.MustCompile(`Answer (\d+) (\d+)`).FindAllStringSubmatch(text, -1)
		sides := fmt.Sprintf("true %v (Z.to_nat 4) <= 5/100", !oneSided)
		if !ok || len(written) != 4 || !strings.Contains(text, sides) {
			t.Fatalf("want four answers and %s in\n%s", sides, text)
		}
		for block := range a.Noise() {
			for i, want := range []float64{block.Scale, block.Cut} {
				whole, _ := new(big.Rat).SetString(written[0][i+1])
				if got, _ := whole.Quo(whole, over).Float64(); got != want {
					t.Errorf("the file has %v, the plan %v", got, want)
				}
			}
			written = written[1:]
		}
	}
}

func TestRowsWithoutACertificate(t *testing.T) {
	base := transfer.Goal{Queries: 30, Tau: 0.05, Beta: beta(t, "0.05")}
	many, tiny := base, base
	many.Query, many.Tau, tiny.Beta = transfer.Binary, 0.01, beta(t, "1e-200")
	signed := base
	signed.Query = transfer.Difference
	agreeing := gated(signed, 3, transfer.Option{})
	agreeing.Disagreement = 0.2
	late := base
	late.Queries = 101
	varied := gated(base, 3, transfer.Some(0.8))
	varied.Variance = 0.01
	for _, c := range []struct {
		method, want string
		goal         transfer.Goal
	}{
		{"gaussian", "no file proves a plan of gaussian, as its one noise is certified for all answers together", base},
		{"gaussian-schedule", "a file proves plans of at most 10 noisy answers", base},
		{"gate", "a file proves plans for 0/1 queries at any mean of at most 10000 rows", gated(many, 3, transfer.Option{})},
		{"gate", "a file proves plans of a beta of at least 1e-100", gated(tiny, 3, transfer.Option{})},
		{"gate", "a file proves plans for independent rows of equal weight", varied},
		{"gate", "it evaluates no infimum of exponentials", agreeing},
		{"open-gate", "a file proves open plans of look 100 at most", opened(late, 3, transfer.Option{})},
		{"open-gate", "and gates of differences, not open-gate for difference", opened(signed, 3, transfer.Option{})},
		{"open-board", "a file proves open plans of look 100 at most", ranked(late, 3)},
		{"sealed", "and gates of differences, not sealed for difference", final(signed)},
	} {
		m, a := solved(t, c.method, c.goal)
		if text, err := certificate.Of(m, a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v and %q, want an error with %q", c.method, err, text, c.want)
		}
	}
}

// Counts over a scale of many decimals are beyond 64 bits: a plan of two classes is refused for this reason.
func TestManyDecimals(t *testing.T) {
	for bar, want := range map[float64]string{0.02: "", 0.0212345678: "", 0.0212345678901234: "fewer decimals"} {
		g := transfer.Goal{Queries: 20, Tau: 0.0512345678901234, Beta: beta(t, "0.05"), Query: transfer.Difference}
		g = gated(g, 2, transfer.Some(bar))
		g.Disagreement, g.Checked, g.Decided = 0.5, true, transfer.TwoClasses
		m, a := solved(t, "gate", g)
		switch _, err := certificate.Of(m, a); {
		case want == "" && err != nil:
			t.Errorf("bar %v: %v", bar, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("bar %v: got %v, want %s", bar, err, want)
		}
	}
}
