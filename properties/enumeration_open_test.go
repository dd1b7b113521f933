package properties

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// coins are few rows: row i is 1 with probability ones[i]/16. A sample is a set of rows, as bits.
type coins struct {
	ones []int64
	mass []int64 // of each sample, in units of 16^-rows
}

func newCoins(ones ...int64) coins {
	c := coins{ones: ones, mass: []int64{1}}
	for _, p := range ones {
		var next []int64
		for _, m := range c.mass { // row i is bit i
			next = append(next, m*(16-p))
		}
		for _, m := range c.mass {
			next = append(next, m*p)
		}
		c.mass = next
	}
	return c
}

// asked is a query on some of the rows: row i has the value 1 where it is off, or on, the bits of flipped, as a share
// of scale; other values are 0.
type asked struct {
	tails open.Tails
	means []float64 // for each sample
	truth *big.Rat
}

// ask returns the mean over those rows of the rows that are 1, or 0 where flipped. Halves says that a row counts a half
// of that and a quarter.
func (c coins) ask(rows, flipped uint, halves bool) asked {
	var q asked
	n, scale := int64(0), int64(1)
	if halves {
		scale = 2
	}
	sum := new(big.Rat)
	for i, p := range c.ones {
		if rows>>i&1 == 1 {
			n++
			if flipped>>i&1 == 1 {
				p = 16 - p
			}
			sum.Add(sum, big.NewRat(p, 16))
		}
	}
	q.truth = sum.Quo(sum, new(big.Rat).SetInt64(n*scale))
	for s := range uint(len(c.mass)) {
		ones := int64(0)
		for i := range c.ones {
			ones += int64(rows >> i & 1 & (s>>i ^ flipped>>i) & 1)
		}
		q.means = append(q.means, float64(ones)/float64(n*scale))
	}
	if q.tails = (open.ZeroOne{Rows: n}); halves {
		q.tails = open.Convex{Rows: n}
	}
	return q
}

// openMove is what an analyst can do at a node: a query, and the cells it is shown in. Above says that the last cell
// says that the truth is above the bar.
type openMove struct {
	asked
	look func(at open.Node, tails open.Tails) (open.Look, error)
	bar  *big.Rat

	above  []bool  // whether a sample's mean square is above what was declared: then nothing is shown but that
	refuse float64 // the share of that response, 0 for none
}

// openGame is a ledger with one thing that may be changed at a time.
type openGame struct {
	coins
	moves    []openMove
	interval func(l open.Look, at open.Node, tails open.Tails, cell int) (lower, upper float64)
	child    func(at open.Node, lnShare float64) open.Node
	wrong    func(open.Tails) open.Tails
	looks    map[openAt]openLook
	worst    map[openNode]int64
}

type openAt struct {
	at   open.Node
	move int
}

type openLook struct {
	kinds []uint64 // of each cell
	bad   []bool
	next  []open.Node
}

type openNode struct {
	kinds uint64
	at    open.Node
	left  int
}

func newOpenGame(c coins, moves []openMove) *openGame {
	return &openGame{
		coins: c, moves: moves, interval: open.Look.Interval, child: open.Node.After,
		wrong: func(t open.Tails) open.Tails { return t },
	}
}

// failure returns the greatest probability that a response breaks its promise, in units of 16^-rows, if so many looks
// are taken by an analyst who knows the rows' laws.
func (g *openGame) failure(lnBeta float64, looks int) int64 {
	g.looks, g.worst = map[openAt]openLook{}, map[openNode]int64{}
	all := uint64(math.MaxUint64) >> (64 - len(g.mass))
	return g.failing(openNode{all, open.Node{LnBeta: lnBeta}, looks})
}

func (g *openGame) failing(n openNode) int64 {
	if n.left == 0 || n.kinds == 0 {
		return 0
	}
	if known, ok := g.worst[n]; ok {
		return known
	}
	most := int64(0)
	for m := range g.moves {
		l := g.shown(n.at, m)
		sum := int64(0)
		for c, kinds := range l.kinds {
			switch kinds &= n.kinds; {
			case kinds == 0:
			case l.bad[c]:
				for s, mass := range g.mass {
					sum += mass * int64(kinds>>s&1)
				}
			default:
				sum += g.failing(openNode{kinds, l.next[c], n.left - 1})
			}
		}
		most = max(most, sum)
	}
	g.worst[n] = most
	return most
}

func (g *openGame) shown(at open.Node, move int) openLook {
	key := openAt{at, move}
	if l, ok := g.looks[key]; ok {
		return l
	}
	var shown openLook
	m := g.moves[move]
	tails := g.wrong(m.tails)
	refused := uint64(0)
	if m.refuse > 0 {
		for s, above := range m.above {
			if above {
				refused |= 1 << s
			}
		}
		shown = openLook{kinds: []uint64{refused}, bad: []bool{false}, next: []open.Node{g.child(at, math.Log(m.refuse))}}
		at, _ = at.Apart(m.refuse)
	}
	first := len(shown.kinds)
	if l, err := m.look(at, tails); err == nil {
		shown.kinds = append(shown.kinds, make([]uint64, l.Cells())...)
		for s, mean := range m.means {
			shown.kinds[first+l.Response(mean)] |= 1 << s &^ refused
		}
		for c := range l.Cells() {
			lower, upper := g.interval(l, at, tails, c)
			bad := m.truth.Cmp(new(big.Rat).SetFloat64(lower)) < 0 || m.truth.Cmp(new(big.Rat).SetFloat64(upper)) > 0
			if m.bar != nil && c == l.Cells()-1 {
				bad = bad || m.truth.Cmp(m.bar) <= 0
			}
			shown.bad = append(shown.bad, bad)
			shown.next = append(shown.next, g.child(at, l.LnShare(c)))
		}
	}
	g.looks[key] = shown
	return shown
}

// squares are looks at differences of a column, refused where their mean square on the sample is above what was
// declared: row i has one of two values in [-1,1].
func (c coins) squares(r *rand.Rand, count int) []openMove {
	var moves []openMove
	for range count {
		q := asked{truth: new(big.Rat)}
		n, most := int64(len(c.ones)), []float64{0.05, 0.15, 0.3, 0.6}[r.IntN(4)]
		values := make([][2]float64, n)
		for i, p := range c.ones {
			values[i] = [2]float64{float64(r.IntN(5)-2) / 8, []float64{1, -1, 0.5, 0}[r.IntN(4)]}
			for on, chance := range [2]int64{16 - p, p} {
				value := new(big.Rat).SetFloat64(values[i][on])
				q.truth.Add(q.truth, value.Mul(value, big.NewRat(chance, 16*n)))
			}
		}
		move := openMove{refuse: []float64{nearlyNothing, 0.05, 0.5, nearlyAll}[r.IntN(4)]}
		for s := range c.mass {
			sum, squares := 0., 0.
			for i := range values {
				x := values[i][s>>i&1]
				sum, squares = sum+x, squares+x*x
			}
			q.means, move.above = append(q.means, sum/float64(n)), append(move.above, squares > most*float64(n))
		}
		q.tails = open.Rounded{Tails: open.Around{Margin: open.Kept{Rows: float64(n), Most: most}}, By: 1e-15}
		truth, _ := q.truth.Float64()
		share := []float64{nearlyAll, nearlyNothing, 0.5, 0.2}[r.IntN(4)]
		move.asked = q
		if r.IntN(3) == 0 {
			steps := open.Steps{Within: 0.1, Step: 0.1, Most: 40}
			move.look = func(_ open.Node, tails open.Tails) (open.Look, error) { return open.Score(tails, truth, steps) }
		} else {
			bar := math.Nextafter(truth, -2)
			move.bar = new(big.Rat).SetFloat64(bar)
			move.look = func(at open.Node, tails open.Tails) (open.Look, error) { return open.Gate(at, tails, bar, share) }
		}
		moves = append(moves, move)
	}
	return moves
}

// Shares that are nearly all of a budget, or nearly nothing.
const nearlyAll, nearlyNothing = 1 - 0x1p-30, 0x1p-30

// moves returns gates at the truth and around it, boards, guesses, scores, tests and tables of cells of all codes, on
// the first rows and on all of them.
func (c coins) moves(r *rand.Rand, count int) []openMove {
	all := uint(1)<<len(c.ones) - 1
	some := uint(1)<<(len(c.ones)-1) - 1
	shares := []float64{nearlyAll, nearlyNothing, 0.5, 0.2}
	var moves []openMove
	for len(moves) < count {
		rows := all
		if r.IntN(3) == 0 {
			rows = some
		}
		q := c.ask(rows, r.UintN(all+1)&rows, r.IntN(4) == 0)
		share := shares[r.IntN(len(shares))]
		truth, _ := q.truth.Float64()
		move := openMove{asked: q}
		near := truth + float64(r.IntN(5)-2)/8
		steps := open.Steps{Within: []float64{0.1, 0.25}[r.IntN(2)], Step: []float64{0.1, 0.25}[r.IntN(2)], Most: 40}
		switch r.IntN(8) {
		case 0, 1, 2:
			bar := math.Nextafter(truth, 0)
			if r.IntN(2) == 0 {
				bar = near
			}
			move.bar = new(big.Rat).SetFloat64(bar)
			move.look = func(at open.Node, tails open.Tails) (open.Look, error) { return open.Gate(at, tails, bar, share) }
		case 3:
			move.look = func(_ open.Node, tails open.Tails) (open.Look, error) { return open.Board(tails, near, share, steps) }
		case 4:
			move.look = func(_ open.Node, tails open.Tails) (open.Look, error) { return open.Guess(tails, near, share, steps) }
		case 5:
			move.look = func(_ open.Node, tails open.Tails) (open.Look, error) { return open.Score(tails, near, steps) }
		case 6:
			move = c.test(q, truth, share)
		case 7:
			low, high := tailsEdges(q.tails, truth, r)
			if low >= high {
				continue
			}
			masses := [][2]float64{{nearlyAll, nearlyNothing}, {0.75, 0.25}, {nearlyAll, 0.5}, {0.5, nearlyNothing}}[r.IntN(4)]
			move.look = func(open.Node, open.Tails) (open.Look, error) {
				l := open.Look{Cuts: []open.Cut{{At: low, Above: masses[0]}, {At: high, Above: masses[1]}}}
				return l, l.Validate()
			}
		}
		moves = append(moves, move)
	}
	return moves
}

// tailsEdges returns two edges.
func tailsEdges(tails open.Tails, near float64, r *rand.Rand) (low, high float64) {
	low, high = tails.Edge(max(0.01, near*r.Float64())), tails.Edge(min(1, near+(1-near)*r.Float64()))
	return low, min(high, 1)
}

// test is the exact one-sided binomial test of "the truth is at most its value", which is true. For unequal rows it is
// one for counts k >= np+1.
func (c coins) test(q asked, truth, share float64) openMove {
	rows, ok := q.tails.(open.ZeroOne)
	evidence := make([]float64, len(q.means))
	for s, mean := range q.means {
		k := int64(math.Round(mean * float64(rows.Rows)))
		if ok && float64(k) >= float64(rows.Rows)*truth+1-1e-12 {
			evidence[s] = -num.Binomial{N: rows.Rows, P: math.Nextafter(truth, 1)}.LnAtLeast(k)
		}
	}
	return openMove{
		asked: asked{open.Evidence{}, evidence, new(big.Rat)},
		look:  func(at open.Node, _ open.Tails) (open.Look, error) { return open.Rejection(at, share) },
	}
}

// lnBeta returns a level that a binomial tail of the rows nearly meets, so that a code that is a thousandth too
// generous allows one count more; that tail itself; or an ordinary one.
func (c coins) lnBeta(r *rand.Rand) float64 {
	rows := int64(len(c.ones))
	tail := num.Binomial{N: rows, P: []float64{0.25, 0.5, 0.75, 0.8125}[r.IntN(4)]}.LnAtLeast(rows - r.Int64N(2))
	return []float64{math.Log(0.05), math.Log(0.3), math.Log(0.8), tail - 4e-4, tail - 4e-4, tail + 1e-9}[r.IntN(6)]
}

// excess returns the greatest failure/beta at some levels.
func (g *openGame) excess(r *rand.Rand, levels, looks int) float64 {
	most := 0.
	whole := int64(0)
	for _, mass := range g.mass {
		whole += mass
	}
	for range levels {
		lnBeta := g.lnBeta(r)
		most = math.Max(most, float64(g.failure(lnBeta, looks))/float64(whole)/math.Exp(lnBeta))
	}
	return most
}

var fewRows = []coins{
	newCoins(8, 8, 8, 8), newCoins(12, 12, 12), newCoins(4, 13, 9, 15), newCoins(1, 15, 8, 8, 8), newCoins(16, 0, 7, 9),
	newCoins(13, 13, 13, 13, 13),
}

// Whatever an analyst who knows the rows' laws asks, in whichever kinds and with whichever codes, on rows that come
// later too, a promise is broken with probability beta at most. That is exact: by backward induction over all analysts
// with these moves.
func TestOpenPlansNeverFailMore(t *testing.T) {
	most := 0.
	for i, c := range fewRows {
		r := rand.New(rand.NewPCG(uint64(i), 42))
		for range lawtest.Draws(t, 4) {
			e := newOpenGame(c, c.moves(r, 8)).excess(r, 4, 3)
			most = math.Max(most, e)
			if !(e <= 1+1e-12) {
				t.Errorf("rows %v: fails with %v of beta", c.ones, e)
			}
		}
		for range lawtest.Draws(t, 20) {
			e := newOpenGame(c, c.moves(r, 20)).excess(r, 4, 2)
			most = math.Max(most, e)
			if !(e <= 1+1e-12) {
				t.Errorf("rows %v: fails with %v of beta", c.ones, e)
			}
		}
	}
	if most < 0.95 {
		t.Errorf("the worst analyst comes to %v of beta: these moves test little", most)
	}
	t.Logf("at most %v of beta", most)
}

// Nor is it where a look may be refused for its mean square on the sample, mixed with others.
func TestRefusalsNeverFailMore(t *testing.T) {
	most := 0.
	for i, c := range fewRows[1:4] {
		r := rand.New(rand.NewPCG(uint64(i), 44))
		for range 6 {
			moves := append(c.moves(r, 3), c.squares(r, 8)...)
			e := newOpenGame(c, moves).excess(r, 4, 2)
			most = math.Max(most, e)
			if !(e <= 1+1e-12) {
				t.Errorf("rows %v: fails with %v of beta", c.ones, e)
			}
		}
	}
	if most < 0.4 {
		t.Errorf("the worst analyst comes to %v of beta: these moves test little", most)
	}
	t.Logf("at most %v of beta", most)
}

// forgetful is a tail that was changed.
type forgetful struct {
	open.Tails
	lower, upper func(t open.Tails, x, lnLevel float64) float64
}

func (f forgetful) Lower(x, lnLevel float64) float64 { return f.lower(f.Tails, x, lnLevel) }
func (f forgetful) Upper(x, lnLevel float64) float64 { return f.upper(f.Tails, x, lnLevel) }

// The same search finds each of these mistakes.
func TestBrokenOpenPlansAreFound(t *testing.T) {
	replaced := func(lower, upper func(t open.Tails, x, lnLevel float64) float64) func(g *openGame) {
		if lower == nil {
			lower = open.Tails.Lower
		}
		if upper == nil {
			upper = open.Tails.Upper
		}
		return func(g *openGame) {
			g.wrong = func(t open.Tails) open.Tails {
				if _, ok := t.(open.Evidence); ok {
					return t
				}
				return forgetful{t, lower, upper}
			}
		}
	}
	for name, spoil := range map[string]func(g *openGame){
		"children that sum to 1.001": func(g *openGame) {
			g.child = func(at open.Node, lnShare float64) open.Node { return at.After(lnShare + math.Log(1.001)) }
		},
		"a budget that is never spent": func(g *openGame) {
			g.child = func(at open.Node, _ float64) open.Node { return at }
		},
		"the mass above a cell with that of the cell below": func(g *openGame) {
			g.interval = func(l open.Look, at open.Node, tails open.Tails, cell int) (lower, upper float64) {
				lower, upper = l.Interval(at, tails, cell)
				if cell > 1 {
					lower = math.Max(lower, tails.Lower(l.Cuts[cell-1].At, at.LnBeta+float64(at.Left)+math.Log(l.Cuts[cell-2].Above)))
				}
				return lower, upper
			}
		},
		"the mass below a cell with that of the cell above": func(g *openGame) {
			g.interval = func(l open.Look, at open.Node, tails open.Tails, cell int) (lower, upper float64) {
				lower, upper = l.Interval(at, tails, cell)
				if cell+1 < len(l.Cuts) {
					down := math.Log1p(-l.Cuts[cell+1].Above)
					upper = math.Min(upper, tails.Upper(l.Cuts[cell].At, at.LnBeta+float64(at.Left)+down))
				}
				return lower, upper
			}
		},
		"an end from the far side of the cell": func(g *openGame) {
			g.interval = func(l open.Look, at open.Node, tails open.Tails, cell int) (lower, upper float64) {
				lower, upper = l.Interval(at, tails, cell)
				if 0 < cell && cell < len(l.Cuts) {
					lower = math.Max(lower, tails.Lower(l.Cuts[cell].At, at.LnBeta+float64(at.Left)+math.Log(l.Cuts[cell-1].Above)))
				}
				return lower, upper
			}
		},
		"a count more": replaced(func(t open.Tails, x, lnLevel float64) float64 {
			if rows, ok := t.(open.ZeroOne); ok {
				return t.Lower(rows.Edge(x+1e-9), lnLevel)
			}
			return t.Lower(x, lnLevel)
		}, nil),
		"a tail of the other side": replaced(func(t open.Tails, x, lnLevel float64) float64 {
			lowest, highest := t.Range()
			return math.Max(lowest, math.Min(x, highest-t.Upper(math.Nextafter(highest-x, 2), lnLevel)+0.1))
		}, nil),
		"an upper end for what is at most x": replaced(nil, func(t open.Tails, x, lnLevel float64) float64 {
			if rows, ok := t.(open.ZeroOne); ok && x > 0 {
				return t.Upper(float64(int64(x*float64(rows.Rows)+0.5)-1)/float64(rows.Rows), lnLevel)
			}
			return t.Upper(x, lnLevel)
		}),
	} {
		found := false
		r := rand.New(rand.NewPCG(11, 42))
		for i := 0; i < 400 && !found; i++ {
			c := fewRows[i%len(fewRows)]
			g := newOpenGame(c, c.moves(r, 16))
			spoil(g)
			found = g.excess(r, 4, 2) > 1+1e-9
		}
		if !found {
			t.Errorf("%s: nothing goes wrong", name)
		}
	}
}

// The batch counter-example: ten rows, and ten more that may be kept or not. Labels are fair coins and the bar is one
// half. Whether the batch comes may depend on the calendar; if it depends on its labels the bound is void.
func TestBatchKeptForItsLabels(t *testing.T) {
	level := num.Binomial{N: 10, P: 0.5}.LnAtLeast(9) + 1e-9
	passes := func(rows int64) float64 {
		x, ok := open.ZeroOne{Rows: rows}.Pass(0.5, level)
		if !ok {
			t.Fatal("no count passes")
		}
		return x
	}
	ways := func(k int64) float64 {
		w, _ := new(big.Float).SetInt(new(big.Int).Binomial(10, k)).Float64()
		return w / 1024
	}
	wrong := func(kept func(first, batch int64) bool) float64 {
		sum := 0.
		for first := range int64(11) {
			for batch := range int64(11) {
				mean, rows := float64(first)/10, int64(10)
				if kept(first, batch) {
					mean, rows = float64(first+batch)/20, 20
				}
				if mean >= passes(rows) {
					sum += ways(first) * ways(batch)
				}
			}
		}
		return sum
	}
	bound := math.Exp(level)
	for name, kept := range map[string]bool{"never": false, "always": true} {
		if p := wrong(func(int64, int64) bool { return kept }); !(p <= bound) {
			t.Errorf("a batch that is %s kept: passes with %v, the bound is %v", name, p, bound)
		}
	}
	if p := wrong(func(_, batch int64) bool { return batch >= 9 }); !(p > 0.0126 && p < 0.0127 && bound < 0.0108) {
		t.Errorf("a batch kept because it looks good passes with %v, the bound is %v", p, bound)
	}
}
