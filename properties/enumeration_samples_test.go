package properties

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/transfer/open"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// drawn is few clusters or a small benchmark: all samples with their masses, and all functions that can be asked.
type drawn struct {
	name    string
	mass    []int64
	queries []drawnQuery
	rows    int64
	sample  tail.Sample
	wrong   tail.Sample // a mistake
}

// drawnQuery is a function: its truth and its mean on every sample.
type drawnQuery struct {
	truth *big.Rat
	means []float64
}

// mistaken is what a sample is worth by a mistake.
type mistaken tail.Worth

func (m mistaken) Worth(int64) tail.Worth { return tail.Worth(m) }

func worthRows(rows float64) mistaken { return mistaken{rows, rows} }

// drawnClusters returns independent clusters of two states, the second with the probability ones[i]/16. Functions have
// the values of a list in either state of a cluster, which is the mean over its rows: 1/2 is the mean of one row that
// is 0 and one that is 1. The weights of the mean are proportional to the sizes, which add up to a power of two.
func drawnClusters(ones, sizes []int64, values ...float64) drawn {
	d := drawn{mass: newCoins(ones...).mass, rows: int64(len(ones))}
	sum, largest, squares := int64(0), int64(0), int64(0)
	for _, size := range sizes {
		sum, largest, squares = sum+size, max(largest, size), squares+size*size
	}
	d.sample = tail.NewClusters(d.rows, big.NewRat(sum, 1), big.NewRat(largest, 1), big.NewRat(squares, 1))
	states := make([][2]float64, len(ones))
	var fill func(c int)
	fill = func(c int) {
		if c < len(ones) {
			for _, low := range values {
				for _, high := range values {
					states[c] = [2]float64{low, high}
					fill(c + 1)
				}
			}
			return
		}
		q := drawnQuery{new(big.Rat), make([]float64, len(d.mass))}
		for i, p := range ones {
			weight := float64(sizes[i]) / float64(sum)
			for state, chance := range [2]int64{16 - p, p} {
				value := new(big.Rat).SetFloat64(weight * states[i][state])
				q.truth.Add(q.truth, value.Mul(value, big.NewRat(chance, 16)))
			}
			for s := range q.means {
				q.means[s] += weight * states[i][s>>i&1]
			}
		}
		d.queries = append(d.queries, q)
	}
	fill(0)
	return d
}

// drawnSubset returns all subsets of n of the items, and all functions of an item with the values 0 and 1.
func drawnSubset(items, n int) drawn {
	d := drawn{rows: int64(n), sample: tail.Subset{Items: int64(items)}}
	var subsets []uint
	for s := range uint(1) << items {
		if bits.OnesCount(s) == n {
			subsets, d.mass = append(subsets, s), append(d.mass, 1)
		}
	}
	for f := range uint(1) << items {
		q := drawnQuery{truth: big.NewRat(int64(bits.OnesCount(f)), int64(items))}
		for _, s := range subsets {
			q.means = append(q.means, float64(bits.OnesCount(s&f))/float64(n))
		}
		d.queries = append(d.queries, q)
	}
	return d
}

// compositions are all ways in which so many rows have the three values of a feature, and how often each comes in 16^n.
func compositions(n int, law [3]int64) (counts [][3]int64, mass []int64) {
	ways := int64(1) // of a, b and c rows, n!/(a! b! c!)
	for a := range int64(n) + 1 {
		of := ways
		for b := range int64(n) - a + 1 {
			c := int64(n) - a - b
			power := 1.
			for k, count := range [3]int64{a, b, c} {
				power *= math.Pow(float64(law[k]), float64(count))
			}
			counts, mass = append(counts, [3]int64{a, b, c}), append(mass, of*int64(power))
			of = of * c / (b + 1)
		}
		ways = ways * (int64(n) - a) / (a + 1)
	}
	return counts, mass
}

// drawnClasses are rows of two classes, whose feature has three values with chances of so many sixteenths. A function
// is the share of pairs of a positive and a negative row that an order of the values puts in order, with ties.
func drawnClasses(positives, negatives int, plus, minus [3]int64) drawn {
	n := int64(positives * negatives)
	d := drawn{name: "classes", rows: int64(positives + negatives)}
	d.sample = tail.Classes{Positives: int64(positives), Negatives: int64(negatives)}
	d.wrong = worthRows(float64(d.rows))
	ups, upMass := compositions(positives, plus)
	downs, downMass := compositions(negatives, minus)
	for i := range ups {
		for _, mass := range downMass {
			d.mass = append(d.mass, upMass[i]*mass)
		}
	}
	seen := map[[9]int64]bool{}
	for f := range 27 {
		score := [3]int{f % 3, f / 3 % 3, f / 9}
		var halves [9]int64 // that a pair of two values is worth
		for i, x := range score {
			for j, y := range score {
				halves[3*i+j] = 1 + int64(cmp.Compare(x, y))
			}
		}
		if seen[halves] {
			continue
		}
		seen[halves] = true
		share := func(up, down [3]int64) (sum int64) {
			for i := range 9 {
				sum += halves[i] * up[i/3] * down[i%3]
			}
			return sum
		}
		q := drawnQuery{truth: big.NewRat(share(plus, minus), 2*16*16)}
		for _, up := range ups {
			for _, down := range downs {
				q.means = append(q.means, float64(share(up, down))/float64(2*n))
			}
		}
		d.queries = append(d.queries, q)
	}
	return d
}

// fewDrawn are clusters that count alike, clusters of unequal weight, subsets of a benchmark and rows of two classes.
// Each has a mistake: two rows of a cluster as two clusters, weights that are forgotten, the factor of the benchmark
// squared, all rows in place of the smaller class's rows.
func fewDrawn() []drawn {
	macro := drawnClusters([]int64{8, 8, 8}, []int64{1, 1, 1}, 0, 0.5, 1)
	macro.name, macro.wrong = "macro-average", worthRows(6)
	list := []drawn{macro}
	for _, c := range [][2][]int64{{{8, 8, 8}, {6, 1, 1}}, {{8, 4, 4, 12}, {4, 2, 1, 1}}, {{9, 8, 7, 8}, {13, 1, 1, 1}}} {
		d := drawnClusters(c[0], c[1], 0, 1)
		d.name, d.wrong = "weighted clusters", worthRows(float64(d.rows))
		list = append(list, d)
	}
	for _, c := range [][2]int{{6, 4}, {7, 4}, {6, 2}} {
		d := drawnSubset(c[0], c[1])
		d.name = "subset"
		n, worth := float64(d.rows), d.sample.Worth(d.rows)
		d.wrong = mistaken{n, worth.Gaussian * worth.Gaussian / n}
		list = append(list, d)
	}
	return append(list, drawnClasses(1, 4, [3]int64{8, 0, 8}, [3]int64{0, 16, 0}),
		drawnClasses(2, 2, [3]int64{4, 4, 8}, [3]int64{8, 4, 4}), drawnClasses(4, 1, [3]int64{2, 6, 8}, [3]int64{5, 6, 5}))
}

// gateExcess returns the greatest ratio of what the worst of all analysts of a gate comes to and the bound of a sample.
func (d drawn) gateExcess(t *testing.T, sample tail.Sample) float64 {
	t.Helper()
	whole, s := 0., small{}
	for _, mass := range d.mass {
		whole += float64(mass)
	}
	for _, mass := range d.mass {
		s.mass = append(s.mass, float64(mass)/whole)
	}
	var queries []onLetters
	for _, q := range d.queries {
		truth, _ := q.truth.Float64()
		queries = append(queries, onLetters{truth, q.means})
	}
	most := 0.
	for _, tau := range []float64{0.33, 0.37, 0.5} {
		for _, g := range []tree.Gate{{Queries: 1, Passes: 1}, {Queries: 2, Passes: 1}, {Queries: 2, Passes: 2}} {
			values := tail.Drawn{Values: tail.Interval{}, Sample: sample, Spread: 1}
			bound := math.Exp(g.LnNodes().Hi + values.LnSide(d.rows, tau))
			exact := s.worst(int(g.Queries), state{}, gateMoves(t, queries, tau, g.Passes, true))
			most = math.Max(most, exact/bound)
		}
	}
	return most
}

// openExcess returns the same ratio for gates and scores of an open ledger.
func (d drawn) openExcess(sample tail.Sample, r *rand.Rand) float64 {
	_, counts := sample.(tail.Subset)
	tails := open.Of(sample, d.rows, func(entropic float64, alike bool) open.Planned {
		if counts {
			return open.ZeroOne{Rows: d.rows}
		}
		return open.InUnit(entropic, alike)
	})
	var moves []openMove
	for range 16 {
		q := d.queries[r.IntN(len(d.queries))]
		truth, _ := q.truth.Float64()
		bar := math.Nextafter(truth, 0)
		share := []float64{nearlyAll, nearlyNothing, 0.5, 0.2}[r.IntN(4)]
		move := openMove{asked: asked{tails, q.means, q.truth}}
		if r.IntN(6) == 0 {
			steps := open.Steps{Within: 0.1, Step: 0.1, Most: 40}
			move.look = func(_ open.Node, tails open.Tails) (open.Look, error) { return open.Score(tails, truth, steps) }
		} else {
			move.bar = new(big.Rat).SetFloat64(bar)
			move.look = func(at open.Node, tails open.Tails) (open.Look, error) { return open.Gate(at, tails, bar, share) }
		}
		moves = append(moves, move)
	}
	return newOpenGame(coins{ones: make([]int64, d.rows), mass: d.mass}, moves).excess(r, 3, 2)
}

// No analyst on few clusters, on a small benchmark or on few rows of two classes breaks the promise of a gate or of an
// open ledger more often than the bound says, whatever is asked when. The same search refutes the mistake of each kind
// of sample.
func TestSamplesNeverFailMore(t *testing.T) {
	refuted := map[string]float64{}
	for i, d := range fewDrawn() {
		e, wrong := d.gateExcess(t, d.sample), d.gateExcess(t, d.wrong)
		r := rand.New(rand.NewPCG(uint64(i), 48))
		o, wrongOpen := 0., 0.
		for range 5 {
			o = math.Max(o, d.openExcess(d.sample, r))
			wrongOpen = math.Max(wrongOpen, d.openExcess(d.wrong, r))
		}
		t.Logf("%s of %d: a gate fails with %.3f of its bound, by the mistake %.3f; an open ledger %.3f, %.3f", d.name, d.rows, e, wrong, o, wrongOpen)
		if !(e > 0 && e <= 1+1e-9) || !(o > 0 && o <= 1+1e-12) {
			t.Errorf("%s of %d: a gate fails with %v of its bound, an open ledger with %v", d.name, d.rows, e, o)
		}
		refuted[d.name+", gate"] = math.Max(refuted[d.name+", gate"], wrong)
		refuted[d.name+", open"] = math.Max(refuted[d.name+", open"], wrongOpen)
	}
	for name, most := range refuted {
		if !(most > 1+1e-9) {
			t.Errorf("%s: the mistake comes to %v of its bound, and is not found", name, most)
		}
	}
}
