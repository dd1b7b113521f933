package open

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
)

// The interval of a cell, from the theorem's words: every cut below with the sum of the masses of the cells above it,
// and every cut above with the sum of those below.
func TestIntervalsOfCells(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 42))
	for range 400 {
		at := Node{math.Log(0.05), Budget(-10 * r.Float64())}
		tails := []Tails{Unit{Rows: 700}, Convex{Rows: 700}, Around{Differences{900, 0.3}},
			Around{KnownVariance{800, 0.1, 0}}}[r.IntN(4)]
		look, err := randomLook(r, at, tails, 0.05+0.9*r.Float64())
		if err == nil {
			lowest, highest := tails.Range()
			mass := func(from, to int) float64 { // of cells
				sum := 0.
				for c := from; c <= to; c++ {
					sum += math.Exp(look.LnShare(c))
				}
				return at.LnBeta + float64(at.Left) + math.Log(sum)
			}
			for cell := range look.Cells() {
				wantLower, wantUpper := lowest, highest
				for c := 1; c <= cell; c++ {
					wantLower = math.Max(wantLower, tails.Lower(look.Cuts[c-1].At, mass(c, look.Cells()-1)))
				}
				for c := cell; c < look.Cells()-1; c++ {
					wantUpper = math.Min(wantUpper, tails.Upper(look.Cuts[c].At, mass(0, c)))
				}
				lower, upper := look.Interval(at, tails, cell)
				if math.Abs(lower-wantLower) > 1e-12 || math.Abs(upper-wantUpper) > 1e-12 || lower > upper {
					t.Fatalf("cell %d of %v with %v: [%v, %v], want [%v, %v]", cell, look, tails, lower, upper, wantLower, wantUpper)
				}
			}
		}
	}
}

// A mean on a cut lies above it.
func TestResponses(t *testing.T) {
	look := Look{[]Cut{{0.2, 0.9}, {0.5, 0.4}, {0.7, 0.1}}}
	for mean, cell := range map[float64]int{0: 0, 0.1999: 0, 0.2: 1, 0.4999: 1, 0.5: 2, 0.7: 3, 1: 3} {
		if got := look.Response(mean); got != cell {
			t.Errorf("%v is in the cell %d, want %d", mean, got, cell)
		}
	}
	for _, bad := range []Look{
		{[]Cut{{0.2, 0.5}, {0.2, 0.4}}}, {[]Cut{{0.2, 0.5}, {0.3, 0.5}}}, {[]Cut{{0.2, 1}}}, {[]Cut{{0.2, 0}}},
		{[]Cut{{math.NaN(), 0.5}}},
	} {
		if bad.Validate() == nil {
			t.Errorf("%v is taken for a table of cells", bad)
		}
	}
}

// The tables: a raise by i steps has q(1/i - 1/(i+1)), the last one q/i, and a half of that on both sides of a guess.
func TestTablesOfCells(t *testing.T) {
	same := func(name string, look Look, cuts, shares []float64) {
		t.Helper()
		if look.Cells() != len(shares) || len(cuts) != len(look.Cuts) {
			t.Fatalf("%s: %v", name, look)
		}
		for c, want := range shares {
			if got := math.Exp(look.LnShare(c)); math.Abs(got-want) > 1e-14 {
				t.Errorf("%s: the cell %d has %v, want %v", name, c, got, want)
			}
			if c > 0 && math.Abs(look.Cuts[c-1].At-cuts[c-1]) > 1e-14 {
				t.Errorf("%s: the cell %d begins at %v, want %v", name, c, look.Cuts[c-1].At, cuts[c-1])
			}
		}
	}
	s := Steps{Within: 0.1, Step: 0.125, Most: 20}
	look := func(l Look, err error) Look {
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	same("board", look(Board(Unit{Rows: 100}, 0.6, 0.3, s)), []float64{0.7, 0.825, 0.95}, []float64{0.7, 0.15, 0.05, 0.1})
	same("guess", look(Guess(Unit{Rows: 100}, 0.75, 0.3, s)), []float64{0.025, 0.15, 0.275, 0.4, 0.525, 0.65, 0.85, 0.975},
		[]float64{0.025, 0.005, 0.15 / 20, 0.0125, 0.025, 0.075, 0.7, 0.075, 0.075})
	same("score", look(Score(Unit{Rows: 100}, 0.5, Steps{Step: 0.5, Most: 20})), []float64{0.25, 0.75},
		[]float64{0.375, 0.25, 0.375})
	same("board of counts", look(Board(ZeroOne{10}, 0.55, 0.3, Steps{Within: 0.04, Step: 0.04, Most: 20})),
		[]float64{0.6, 0.7, 0.8, 0.9, 1}, []float64{0.7, 0.15, 0.05, 0.025, 0.015, 0.06})
	same("one side", look(Guess(ZeroOne{10}, 0, 0.3, Steps{Within: 0.5, Step: 0.5, Most: 20})),
		[]float64{0.5, 1}, []float64{0.85, 0.075, 0.075})
}

// A rejection is a gate of evidence: it says that the null hypothesis is false if the p-value is at most the level.
func TestRejections(t *testing.T) {
	at := Node{math.Log(0.05), -2}
	look, err := Rejection(at, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	level := 0.05 * math.Exp(-2) * 0.2
	for p, cell := range map[float64]int{level * (1 + 1e-12): 0, level * (1 - 1e-12): 1} {
		if got := look.Response(-num.Log(p)); got != cell {
			t.Errorf("a p-value of %v of the level is in the cell %d, want %d", p/level, got, cell)
		}
	}
	if lower, upper := look.Interval(at, Evidence{}, 1); lower != 1 || upper != 1 {
		t.Errorf("a rejection says [%v, %v]", lower, upper)
	}
	if lower, upper := look.Interval(at, Evidence{}, 0); lower != 0 || upper != 1 {
		t.Errorf("no rejection says [%v, %v]", lower, upper)
	}
	if _, err := Rejection(Node{LnBeta: math.Log(0.9)}, 0.8); err == nil {
		t.Error("a test at a level above one half")
	}
	for level, takes := range map[float64]bool{-math.Ln2: false, math.Nextafter(-math.Ln2, -1): true} {
		if _, ok := (Evidence{}).Pass(1, level); ok != takes {
			t.Errorf("a test at the level e^%v: %v, want %v", level, ok, takes)
		}
	}
}

// The clamped cut. With 20 labels, the bar .9 and the level .01 all 20 right would be too likely: .1216. So no mean can
// pass; a cut that were moved to one would be passed twelve times as often as it may.
func TestNoMeanCanPass(t *testing.T) {
	at := Node{LnBeta: math.Log(0.05)}
	const share = 0.2
	for _, tails := range []Tails{ZeroOne{20}, Unit{Rows: 20}} {
		if look, err := Gate(at, tails, 0.9, share); err == nil {
			t.Errorf("%v: %v", tails, look)
		}
		clamped := Look{[]Cut{{1, share}}}
		if lower, _ := clamped.Interval(at, tails, 1); lower >= 0.9 {
			t.Errorf("%v: all of 20 right says that the truth is above %v", tails, lower)
		}
	}
	if p := math.Pow(0.9, 20); !(p > 0.1215 && p < 0.1217) {
		t.Error(p)
	}
	if look, err := Gate(at, ZeroOne{44}, 0.9, share); err != nil || look.Cuts[0].At != 1 {
		t.Errorf("44 labels: %v, %v", look, err) // .9^44 = .0097
	}
	if look, err := Gate(at, ZeroOne{43}, 0.9, share); err == nil {
		t.Errorf("43 labels: %v", look)
	}
}

// unclamped are the binomial's roots, wherever they are.
type unclamped struct{ ZeroOne }

func (v unclamped) Lower(x, lnLevel float64) float64 { return v.root(lnLevel, v.tail(v.count(x), 1)) }

func (v unclamped) Upper(x, lnLevel float64) float64 { return v.root(lnLevel, v.tail(v.count(x), -1)) }

func (v unclamped) root(lnLevel float64, tail binomialTail) float64 {
	lo, hi := 0., 1.
	atHalf, _ := tail(0.5)
	before, _ := tail(0.499)
	for range 50 {
		p := (lo + hi) / 2
		if ln, _ := tail(p); (ln < lnLevel) == (atHalf > before) {
			lo = p
		} else {
			hi = p
		}
	}
	return lo
}

// Lower ends above their cuts. With two labels and beta .8 P[Bin(2,p) >= 1] = .768 has a root above 1/2 and
// P[Bin(2,p) <= 1] = .768 one below: at a truth of 1/2 every cell is wrong. With ends on the sides of the counts that
// they are about none is.
func TestEndsThatCross(t *testing.T) {
	at, look := Node{LnBeta: math.Log(0.8)}, Look{[]Cut{{0.5, 0.96}, {1, 0.04}}}
	wrong := func(tails Tails) (cells int) {
		for c := range 3 {
			if lower, upper := look.Interval(at, tails, c); lower > 0.5 || upper < 0.5 {
				cells++
			}
		}
		return cells
	}
	if c := wrong(unclamped{ZeroOne{2}}); c != 3 {
		t.Errorf("%d cells are wrong with the binomial's roots", c)
	}
	if c := wrong(ZeroOne{2}); c != 0 {
		t.Errorf("%d cells are wrong", c)
	}
	for _, beta := range []float64{0.8, 0.5, 0.99} {
		for n := int64(1); n <= 6; n++ {
			for k := int64(1); k <= n; k++ {
				for _, share := range []float64{0.01, 0.1, 0.5, 0.9, 0.99} {
					at, look := Node{LnBeta: math.Log(beta)}, Look{[]Cut{{float64(k) / float64(n), share}}}
					_, upper := look.Interval(at, ZeroOne{n}, 0)
					if lower, _ := look.Interval(at, ZeroOne{n}, 1); lower > upper {
						t.Errorf("beta %v, %d of %d, share %v: a pass is from %v on, a failure up to %v", beta, k, n, share, lower, upper)
					}
				}
			}
		}
	}
}

// A cell that contains no count. With two labels, beta .8 and cuts at .3 and .4, which are the same count, the cell
// between would say both more than .2354 and less than .1515, and every cell would be wrong at .2. So cuts are
// edges, and no two of them are the same.
func TestNoCellIsWithoutACount(t *testing.T) {
	at, tails := Node{LnBeta: math.Log(0.8)}, ZeroOne{2}
	level := math.Log(0.8 * 0.9)
	if lower, upper := tails.Lower(tails.Edge(0.3), level), tails.Upper(tails.Edge(0.4), level); !(lower > upper) {
		t.Errorf("a cell without a count says [%v, %v]", lower, upper)
	}
	if (Look{[]Cut{{tails.Edge(0.3), 0.9}, {tails.Edge(0.4), 0.1}}}).Validate() == nil {
		t.Error("two cuts at one count are taken for a table of cells")
	}
	for _, steps := range []Steps{{0.01, 0.01, 20}, {0.1, 0.03, 20}, {0.3, 0.2, 20}} {
		for _, near := range []float64{0, 0.3, 0.5, 0.61, 1} {
			board, boardErr := Board(tails, near/2, 0.2, steps)
			guess, guessErr := Guess(tails, near, 0.2, steps)
			if boardErr != nil || guessErr != nil {
				t.Fatal(boardErr, guessErr)
			}
			for _, look := range []Look{board, guess} {
				if err := look.Validate(); err != nil {
					t.Errorf("%v near %v: %v", steps, near, err)
				}
				for c := range look.Cells() {
					if lower, upper := look.Interval(at, tails, c); lower > upper {
						t.Errorf("the cell %d of %v says [%v, %v]", c, look, lower, upper)
					}
				}
			}
		}
	}
}

// clusterTail is P[sum of weights of the clusters that are 1 >= x] for clusters that are 1 with these probabilities.
func clusterTail(weights, p []float64, x float64) (tail, truth float64) {
	for i := range weights {
		truth += weights[i] * p[i]
	}
	for set := range 1 << len(weights) {
		mean, mass := 0., 1.
		for i, w := range weights {
			if set>>i&1 == 1 {
				mean, mass = mean+w, mass*p[i]
			} else {
				mass *= 1 - p[i]
			}
		}
		if mean >= x-1e-12 {
			tail += mass
		}
	}
	return tail, truth
}

// Clusters of unequal weights w: the tail by the relative entropy holds with 1/max w rows. The binomial one with as
// many rows does not.
func TestClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 42))
	worst, binomial := 0., 0.
	for range 60_000 {
		k := 2 + r.IntN(6)
		weights, p, sum := make([]float64, k), make([]float64, k), 0.
		for i := range weights {
			weights[i], p[i] = []float64{1, 1, 0.5, r.Float64()}[r.IntN(4)], r.Float64()
			if i > 0 && r.IntN(2) == 0 {
				p[i] = p[i-1]
			}
			sum += weights[i]
		}
		for i := range weights {
			weights[i] /= sum
		}
		rows := 1 / slices.Max(weights)
		x := 0.
		for _, w := range weights {
			x += w * float64(r.IntN(2))
		}
		tail, truth := clusterTail(weights, p, x)
		if x <= truth+1e-9 || tail >= 1 {
			continue
		}
		x = math.Min(x, 1)
		level := math.Log(tail * (1 - 1e-9))
		if lower := (Unit{Rows: rows}).Lower(x, level); lower > truth+1e-9 {
			t.Fatalf("weights %v, clusters %v: the lower end at %v is %v, at the level of the truth %v", weights, p, x, lower, truth)
		}
		worst = math.Max(worst, tail/math.Exp(-rows*entropyOf(x, truth)))
		if n := int64(rows + 1e-9); math.Abs(rows-float64(n)) < 1e-9 && x*float64(n) >= truth*float64(n)+1 {
			k := int64(math.Ceil(x*float64(n) - 1e-9))
			binomial = math.Max(binomial, tail/math.Exp(num.Binomial{N: n, P: truth}.LnAtLeast(k)))
		}
	}
	if !(worst <= 1+1e-9 && worst > 0.8) {
		t.Errorf("clusters come to %v of the tail by the relative entropy", worst)
	}
	if !(binomial > 1.5) {
		t.Errorf("clusters come to %v of the binomial tail only", binomial)
	}
}

// What a board, a guess and a gate say is no wider than what their plan says.
func TestPlansCoverTheirLooks(t *testing.T) {
	const step = 0.01
	steps := Steps{Within: step, Step: step, Most: 30}
	for _, tails := range []Planned{Unit{Rows: 8000}, ZeroOne{8000}, Around{Differences{8000, 0.3}},
		Around{KnownVariance{8000, 0.06, 0}}} {
		for _, c := range [][2]int64{{1, 1}, {12, 3}, {200, 9}} {
			p := Plan{tails, math.Log(0.05), Usual(), c[0], c[1]}
			board, guess := p.Board(step), p.Guess(step)
			mostBoard, mostGuess := 0., 0.
			for near := 0.02; near < 0.97; near += 0.0313 {
				at, share := p.node(math.Ln2)
				look, err := Board(tails, near, share, steps)
				if err != nil {
					t.Fatal(err)
				}
				lower, upper := look.Interval(at, tails, 1)
				_, kept := look.Interval(at, tails, 0)
				incumbent := tails.Lower(tails.Edge(near), at.level(0))
				widest := math.Max(upper-lower, kept-incumbent)
				mostBoard = math.Max(mostBoard, widest)
				if !(widest <= 2*board) {
					t.Errorf("%v, look %v: a board at %v says an interval of %v, planned %v", tails, c, near, widest, 2*board)
				}
				at, share = p.node(2 * math.Ln2)
				if look, err = Guess(tails, near, share, Steps{step / 2, step, 30}); err != nil {
					t.Fatal(err)
				}
				holds := look.Response(near)
				for cell := max(0, holds-1); cell <= min(holds+1, look.Cells()-1); cell++ {
					if cell == 0 || cell == look.Cells()-1 {
						continue // the outermost cells have no width
					}
					lower, upper := look.Interval(at, tails, cell)
					mostGuess = math.Max(mostGuess, upper-lower)
					if !(upper-lower <= 2*guess) {
						t.Errorf("%v, look %v: a guess of %v says an interval of %v, planned %v", tails, c, near, upper-lower, 2*guess)
					}
				}
			}
			if _, byCounts := tails.(ZeroOne); !byCounts && min(mostBoard/board, mostGuess/guess) < 2*(1-2e-4) {
				t.Errorf("%v, look %v: intervals of %v and %v, planned %v and %v", tails, c, mostBoard, mostGuess, 2*board, 2*guess)
			}
		}
	}
}
