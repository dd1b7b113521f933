package holdout_test

import (
	"bufio"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// evaluated is a line of looks.jsonl, read and evaluated by this file alone.
type evaluated struct {
	Show, Metric, Verdict                      string
	Bar, Guess, Near, Within, Step, Expect     *float64
	Response, From, Below, Price, Lower, Upper *float64
	Rows                                       int64
}

// mass is a cut, of means or of counts, and the share of the cells above it.
type mass struct{ at, above float64 }

// side is the bounds of one metric: kl and the convex tail for values in [0,1], and kl and counts for 0/1 values.
type side struct {
	rows    int64
	counted bool
}

// lnAtLeast is ln P[Bin(n,p) >= k] of a sum in 128 bits, where k is at least the mean, and 0 elsewhere.
func lnAtLeast(n, k int64, p float64) float64 {
	if float64(k) <= float64(n)*p {
		return 0
	}
	real := func(x float64) *big.Float { return new(big.Float).SetPrec(128).SetFloat64(x) }
	up, down := real(p), new(big.Float).Sub(real(1), real(p))
	term := new(big.Float).SetPrec(128).SetInt(new(big.Int).Binomial(n, k))
	for _, f := range []struct {
		base *big.Float
		of   int64
	}{{up, k}, {down, n - k}} {
		square := new(big.Float).Copy(f.base)
		for e := f.of; e > 0; e >>= 1 {
			if e&1 == 1 {
				term.Mul(term, square)
			}
			square.Mul(square, square)
		}
	}
	odds, sum := new(big.Float).Quo(up, down), real(0)
	for i := k; i <= n && (i == k || term.MantExp(nil) > sum.MantExp(nil)-100); i++ {
		sum.Add(sum, term)
		term.Mul(term, odds).Mul(term, real(float64(n-i))).Quo(term, real(float64(i+1)))
	}
	mantissa := new(big.Float)
	power := sum.MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(power)*math.Ln2
}

func kl(x, p float64) float64 {
	term := func(a, b float64) float64 {
		if a == 0 {
			return 0
		}
		return a * math.Log(a/b)
	}
	return term(x, p) + term(1-x, 1-p)
}

// lnHinge is ln of the least E(B-t)_+/(nx-t) over whole t below nx, B of the law Bin(n,p), and 0 for x at most p.
func lnHinge(n int64, p, x float64) float64 {
	y := float64(n) * x
	k := int64(math.Ceil(y))
	if x <= p || k > n {
		return 0
	}
	lg := func(m int64) float64 { v, _ := math.Lgamma(float64(m + 1)); return v }
	first := lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
	odds, terms := p/(1-p), []float64{1}
	for j := k; j < n && terms[j-k] > 1e-18; j++ {
		terms = append(terms, terms[j-k]*odds*float64(n-j)/float64(j+1))
	}
	tail, excess, term := 0., 0., 1. // P[B>t] and E(B-t)_+, over P[B=k]
	for i := len(terms) - 1; i > 0; i-- {
		tail += terms[i]
		excess += tail
	}
	least := math.Inf(1)
	for t := k - 1; t >= 0 && float64(t) > float64(n)*p; t-- {
		tail += term
		excess += tail
		least = min(least, excess/(y-float64(t)))
		term *= float64(t+1) / float64(n-t) / odds
	}
	return min(0, first+math.Log(least))
}

// slack is the error of this file's tails, in nats, and hingeSlack is the error of a convex one.
const slack, hingeSlack = 1e-11, 1e-10

// below reports whether a mean of at least the cut's says at the level that the truth is no less than p.
func (s side) below(cut, p, lnLevel float64) bool {
	if p <= 0 {
		return true
	}
	n := float64(s.rows)
	if p <= cut && n*kl(cut, p) >= -lnLevel-slack {
		return true
	}
	if !s.counted {
		return p < cut && lnHinge(s.rows, p, cut) <= lnLevel+hingeSlack
	}
	k := int64(math.Round(cut * n))
	return p <= float64(k-1)/n && lnAtLeast(s.rows, k, p) <= lnLevel+slack
}

// above reports whether a mean below the cut says at the level that the truth is no more than p.
func (s side) above(cut, p, lnLevel float64) bool {
	if p >= 1 {
		return true
	}
	n, greatest := float64(s.rows), cut
	k := int64(math.Round(cut * n))
	if s.counted {
		greatest = float64(k-1) / n
	}
	if p >= greatest && n*kl(greatest, p) >= -lnLevel-slack {
		return true
	}
	if !s.counted {
		return p > cut && lnHinge(s.rows, 1-p, 1-cut) <= lnLevel+hingeSlack
	}
	return p >= cut && lnAtLeast(s.rows, s.rows-k+1, 1-p) <= lnLevel+slack
}

// edge is the least mean from x on.
func (s side) edge(x float64) float64 {
	if s.counted {
		return math.Ceil(float64(s.rows)*x) / float64(s.rows)
	}
	return x
}

// code is the cells of a look after so many of its kind, from section "A code" of docs/theorems/open.md. A gate's cut
// is the one of the log, which is checked apart.
func (s side) code(l evaluated, looks, rare, last float64, known bool) (cuts []mass) {
	const most = 8
	a, b := 0.5, 2.
	if l.Expect != nil {
		b = 0.5 / *l.Expect - 0.5
	}
	share := max((a+rare)/(a+b+looks), math.Exp(-most))
	of := func(x *float64, otherwise float64) float64 {
		if x == nil {
			return otherwise
		}
		return *x
	}
	step := of(l.Step, 0.01)
	around := func(guess, within, share float64) {
		for i := 1; s.edge(guess-within-float64(i-1)*step) > 0; i++ {
			cuts = append(cuts, mass{at: s.edge(guess - within - float64(i-1)*step), above: 1 - share/2/float64(i)})
		}
		slices.Reverse(cuts)
		for i := 1; s.edge(guess+within+float64(i-1)*step) <= 1; i++ {
			cuts = append(cuts, mass{at: s.edge(guess + within + float64(i-1)*step), above: share / 2 / float64(i)})
		}
	}
	switch l.Show {
	case "pass":
		at := l.From
		if at == nil {
			at = l.Below
		}
		return []mass{{at: *at, above: share}}
	case "guess":
		around(*l.Guess, of(l.Within, 0.01), share)
	case "score":
		if !known {
			last = 0.5
		}
		around(of(l.Near, last), step/2, 0.75)
	case "best":
		if !known {
			around(0.5, step/2, 0.75)
			break
		}
		for i := 1; s.edge(last+0.01+float64(i-1)*step) <= 1; i++ {
			cuts = append(cuts, mass{at: s.edge(last + 0.01 + float64(i-1)*step), above: share / float64(i)})
		}
	}
	least, cells := math.Exp(-most), float64(len(cuts)+1)
	poor := 1 - cuts[0].above
	for i := range cuts {
		above := 0.
		if i+1 < len(cuts) {
			above = cuts[i+1].above
		}
		poor = min(poor, cuts[i].above-above)
	}
	if poor < least {
		for i := range cuts {
			cuts[i].above = (cells-float64(i)-1)*least + (1-cells*least)*cuts[i].above
		}
	}
	return cuts
}

// After 200 looks of all kinds, of 0/1 values and of others, every cut, price and interval of the log is the value of
// the cell theorem at W = e^-spent: valid, and not valid a billionth further in. Nothing is shared with the ledger but
// its log. The looks are drawn with a fixed seed.
func TestMixedLooksAreEvaluated(t *testing.T) {
	const rows, beta = 3000, 0.05
	r := rand.New(rand.NewPCG(43, 1))
	ids, classes := make([]string, rows), make([]string, rows)
	for i := range ids {
		ids[i], classes[i] = fmt.Sprint("r", i), fmt.Sprint(i%3)
	}
	labels, err := holdout.NewLabels(holdout.Columns(ids, classes))
	if err != nil {
		t.Fatal(err)
	}
	lnBeta, err := theory.ParseLogProb("0.05")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "ledger")
	ledger, err := holdout.Create(dir, labels, holdout.Terms{
		Goal:      transfer.Goal{Beta: lnBeta},
		Asks:      holdout.Asks{Metrics: []string{"accuracy", "column:f"}},
		Unlimited: holdout.Unlimited{Open: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, 0, 200)
	for range 200 {
		s, score := drawnLook(r, ids, classes)
		if _, err := ledger.Score(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		scores = append(scores, score)
	}
	file, err := os.Open(filepath.Join(dir, "looks.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	looks, rare, last := map[string]float64{}, map[string]float64{}, map[string]float64{}
	spent, seen := 0., map[string]int{}
	for number := 0; lines.Scan(); number++ {
		var l evaluated
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		s := side{rows: l.Rows, counted: l.Metric == "accuracy"}
		scope := l.Show + l.Metric
		before, known := last[scope]
		cuts := s.code(l, looks[l.Show], rare[l.Show], before, known)
		s.check(t, fmt.Sprintf("look %d, %s %s", number+1, l.Show, l.Metric), l, cuts, scores[number],
			math.Log(beta)-spent)
		spent += *l.Price
		looks[l.Show]++
		if slices.Contains([]string{"pass", "raise", "moved"}, l.Verdict) {
			rare[l.Show]++
		}
		if l.Response != nil {
			last[scope] = *l.Response
		}
		seen[l.Show+" "+l.Verdict]++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	status, err := holdout.ReadStatus(dir)
	if err != nil || math.Abs(status.Spent-spent) > 1e-9 || status.Looks != 200 {
		t.Errorf("got %v nats spent in %d looks, want %v, the sum of the prices, in 200 (%v)", status.Spent, status.Looks,
			spent, err)
	}
	for _, kind := range []string{"pass pass", "pass fail", "best raise", "best keep", "score ", "guess holds", "guess moved"} {
		if seen[kind] == 0 {
			t.Errorf("no look came out as %q: %v", kind, seen)
		}
	}
	if _, err := holdout.Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// drawnLook is a look of some kind at a model of some quality, and its score. No boundary of its cells is a tie.
func drawnLook(r *rand.Rand, ids, classes []string) (s holdout.Submission, score float64) {
	values, right := make([]string, len(ids)), 0.3+0.6*r.Float64()
	s.Metric, s.Name = []string{"accuracy", "column:f"}[r.IntN(2)], crand.Text()
	for i := range values {
		hit := r.Float64() < right
		switch {
		case s.Metric != "accuracy":
			x := math.Round(1e6*math.Pow(r.Float64(), 1/right-1)) / 1e6
			values[i], score = fmt.Sprint(x), score+x
		case hit:
			values[i], score = classes[i], score+1
		default:
			values[i] = "wrong"
		}
	}
	score /= float64(len(ids))
	number := func(x float64) *float64 { return &x }
	odd := func(lo, hi float64) *float64 { return number(lo + (hi-lo)*r.Float64()) }
	s.Values = holdout.Columns(ids, values)
	switch s.Show = []string{"pass", "pass", "pass", "best", "best", "best", "score", "guess"}[r.IntN(8)]; s.Show {
	case "pass":
		s.Bar = odd(0.3, 0.6)
	case "score":
		s.Step, s.Near = odd(0.012, 0.05), number(min(1, score+0.05*r.Float64()))
	case "guess":
		s.Guess, s.Within, s.Step = number(min(1, max(0, score+0.04*(r.Float64()-0.5)))), odd(0.011, 0.03), odd(0.012, 0.05)
	case "best":
		s.Step = odd(0.012, 0.05)
	}
	if s.Show != "score" && r.IntN(4) == 0 {
		s.Expect = odd(0.05, 0.5)
	}
	return s, score
}

// check compares a line with its cells at a level of ln(beta W).
func (s side) check(t *testing.T, name string, l evaluated, cuts []mass, score, lnLevel float64) {
	t.Helper()
	cell, share := 0, 1.
	for i, c := range cuts {
		if score >= c.at {
			cell = i + 1
		}
	}
	near := func(x *float64, want float64) bool { return x != nil && math.Abs(*x-want) <= 1e-9 }
	if cell > 0 {
		share = cuts[cell-1].above
		if !near(l.From, cuts[cell-1].at) {
			t.Errorf("%s: got a cell from %v, want %v", name, l.From, cuts[cell-1].at)
		}
	}
	if cell < len(cuts) {
		share -= cuts[cell].above
		if !near(l.Below, cuts[cell].at) {
			t.Errorf("%s: got a cell below %v, want %v", name, l.Below, cuts[cell].at)
		}
	}
	if price := -math.Log(share); !(*l.Price >= price-1e-12 && *l.Price <= price+1e-9) {
		t.Errorf("%s: got the price %v, want %v", name, *l.Price, price)
	}
	lower := func(p float64) bool {
		return slices.ContainsFunc(cuts[:cell], func(c mass) bool { return s.below(c.at, p, lnLevel+math.Log(c.above)) })
	}
	upper := func(p float64) bool {
		return slices.ContainsFunc(cuts[cell:], func(c mass) bool { return s.above(c.at, p, lnLevel+math.Log(1-c.above)) })
	}
	switch {
	case *l.Lower > 0 && !lower(*l.Lower), cell > 0 && lower(*l.Lower+1e-9):
		t.Errorf("%s: got the lower end %v, which is not what its cell says", name, *l.Lower)
	case *l.Upper < 1 && !upper(*l.Upper), cell < len(cuts) && upper(*l.Upper-1e-9):
		t.Errorf("%s: got the upper end %v, which is not what its cell says", name, *l.Upper)
	}
	if l.Show != "pass" {
		return
	}
	smallest := cuts[0].at - 1e-9
	if s.counted {
		smallest = cuts[0].at - 1/float64(s.rows)
	}
	level := lnLevel + math.Log(cuts[0].above)
	if !s.below(cuts[0].at, *l.Bar, level) || s.below(smallest, *l.Bar, level) {
		t.Errorf("%s: got a pass from %v, which is not the least score that may pass", name, cuts[0].at)
	}
}
