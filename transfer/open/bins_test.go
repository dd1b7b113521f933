package open

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

// ranged are so many rows in intervals of their own, in units of 1/16, with chances on a grid of eighths at the ends,
// some of them alike and some with a value between, and 16 times the sum of their expectations.
func ranged(r *rand.Rand, count int) (v Binned, rows []map[int]*big.Rat, truth *big.Rat) {
	truth = new(big.Rat)
	for i := range count {
		if i > 0 && r.IntN(2) == 0 {
			v[len(v)-1].Rows++
			rows = append(rows, rows[i-1])
		} else {
			low := r.IntN(33) - 16
			high := low + r.IntN(17-low)
			up := []int64{0, 8, r.Int64N(9), r.Int64N(9)}[r.IntN(4)]
			between := r.Int64N(9-up) * int64(r.IntN(2))
			row := map[int]*big.Rat{low: new(big.Rat), (low + high) / 2: new(big.Rat), high: new(big.Rat)}
			for x, p := range map[int]int64{low: 8 - up - between, high: up} {
				row[x].Add(row[x], big.NewRat(p, 8))
			}
			if low == high {
				row[low].Add(row[low], big.NewRat(8-between-row[low].Num().Int64()*8/row[low].Denom().Int64(), 8))
			}
			row[(low+high)/2].Add(row[(low+high)/2], big.NewRat(between, 8))
			v, rows = append(v, Bin{1, float64(low) / 16, float64(high) / 16}), append(rows, row)
		}
		for x, p := range rows[i] {
			truth.Add(truth, new(big.Rat).Mul(p, big.NewRat(int64(x), 1)))
		}
	}
	return v, rows, truth
}

// Rows in intervals of their own whose laws differ, by fractions: at a truth that an end excludes no sum is reached, or
// missed, with more than the level, and somewhere with all of it.
func TestTailsOfBins(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	closest := 0.
	for range 40 {
		v, rows, truth := ranged(r, 1+r.IntN(5))
		law := sums(rows)
		var cuts []int
		for s := range law {
			cuts = append(cuts, s)
		}
		wrong, reached := exceeds(v, law, 16*int64(len(rows)), cuts, truth)
		if closest = max(closest, reached); wrong {
			t.Errorf("%v with the laws %v, whose sum is %v: an end is wrong", v, rows, truth)
		}
	}
	if !(closest > 1-1e-6 && closest <= 1+1e-9) {
		t.Errorf("the level is reached to %v of it", closest)
	}
}

// The bound at the l and mu that are found, in decimals: never more than what is computed, and little less.
func TestBoundOfBins(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 2))
	f := exact.Float
	for range 60 {
		var v Binned
		for range 1 + r.IntN(4) {
			low := 2*r.Float64() - 1
			v = append(v, Bin{1 + r.Int64N(100), low, low + (1-low)*r.Float64()})
		}
		rows, low, high, _ := v.sums()
		s := sum{v.kinds(), (high - low) * r.Float64()}
		l := math.Pow(10, 2-6*r.Float64())
		got, _ := s.tilt(l)
		var odds []float64
		for _, k := range s.kinds {
			odds = append(odds, math.Expm1(l*k.top.x))
		}
		mu, zero, one := f(1/s.scale(odds)), f(0), exact.Int(1)
		want := mu.Times(f(s.room))
		for _, k := range s.kinds {
			d := f(k.top.x)
			over := f(l).Times(d).Exp().Minus(one)
			most := zero // at q = 0
			if end := f(l).Times(d).Minus(mu.Times(d)); most.Less(end) {
				most = end
			}
			if q := one.Over(mu.Times(d)).Minus(one.Over(over)); zero.Less(q) && q.Less(one) {
				if inside := one.Plus(q.Times(over)).Ln().Minus(mu.Times(d).Times(q)); most.Less(inside) {
					most = inside
				}
			}
			want = want.Plus(most.Times(f(k.rows)))
		}
		terms := (l+1/s.scale(odds))*rows*2 + rows
		if over := f(got).Minus(want).Float(); !(over >= 0 && over <= 1e-13*terms) {
			t.Errorf("%v, l %v: got %v, which is %v above the bound", v, l, got, over)
		}
	}
}

// The bound is Chernoff's for the worst laws, which is the least relative entropy of laws with the sum to those with
// the truth: it is looked for over both, without l and mu.
func TestBoundOfBinsIsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 3))
	entropy := func(x, p float64) float64 { // of two coins
		sum := 0.
		if x > 0 {
			sum += x * math.Log(x/p)
		}
		if x < 1 {
			sum += (1 - x) * math.Log((1-x)/(1-p))
		}
		return sum
	}
	for range 25 {
		m, n := float64(50+r.IntN(500)), float64(50+r.IntN(500))
		a, b := 0.05+0.9*r.Float64(), 0.05+0.9*r.Float64()
		v := Binned{{int64(m), 0.02, 0.02 + a}, {int64(n), -a, b - a}}
		room := (m*a + n*b) * (0.1 + 0.6*r.Float64())
		sum := room * (1 + 0.2*r.Float64())
		within := func(total float64) (lo, hi float64) { // what the first kind may be of a total
			return max(0, (total-n*b)/(m*a)), min(1, total/(m*a))
		}
		from, to := within(room)
		first, last := within(sum)
		other := func(q, total float64) float64 { return min(max(0, (total-m*a*q)/(n*b)), 1) }
		want := -golden(from, to, func(q float64) float64 {
			return golden(first, last, func(x float64) float64 {
				return m*entropy(x, q) + n*entropy(other(x, sum), other(q, room))
			})
		})
		rows, low, high, _ := v.sums()
		for _, end := range []float64{ // at the level of the bound, from both sides
			v.Lower((low+sum)/rows, want) - (low+room)/rows, (high-room)/rows - v.Upper((high-sum)/rows, want),
		} {
			if !(math.Abs(end) <= 1e-7) {
				t.Errorf("%v, sums %v and %v: an end is %v off", v, room, sum, end)
			}
		}
	}
}

// Ends are on their sides and mirror each other, no farther than the ends of values in [0,1], and a gate passes at the
// least mean at which it may.
func TestEndsOfBins(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 4))
	for range 600 {
		var v, mirror Binned
		for range 1 + r.IntN(5) {
			low := r.Float64() * float64(r.IntN(2))
			high := low + (1-low)*r.Float64()*float64(r.IntN(8))/7
			rows := int64(math.Pow(10, 6*r.Float64()))
			v, mirror = append(v, Bin{rows, low, high}), append(mirror, Bin{rows, -high, -low})
		}
		rows, _, _, _ := v.sums()
		lowest, highest := v.Range()
		x, level := lowest+(highest-lowest)*r.Float64(), -math.Pow(10, 2-4*r.Float64())
		if r.IntN(8) == 0 {
			x = []float64{0, 1, lowest, highest, lowest + 1e-12, highest - 1e-12}[r.IntN(6)]
		}
		lower, upper := v.Lower(x, level), v.Upper(x, level)
		if !(lower >= lowest && lower <= max(x, lowest) && upper >= min(x, highest) && upper <= highest) {
			t.Fatalf("%v at %v, level e^%v: [%v, %v]", v, x, level, lower, upper)
		}
		if other := -mirror.Upper(-x, level); math.Abs(other-lower) > 1e-9 {
			t.Fatalf("%v at %v, level e^%v: lower end %v, of the mirror %v", v, x, level, lower, other)
		}
		within := x > lowest+1e-9 && x < highest-1e-9
		if unit := (Unit{Rows: rows}); within && (lower < unit.Lower(x, level)-1e-9 || upper > unit.Upper(x, level)+1e-9) {
			t.Fatalf("%v at %v, level e^%v: [%v, %v], of values in [0,1] [%v, %v]", v, x, level, lower, upper,
				unit.Lower(x, level), unit.Upper(x, level))
		}
		cut, ok := v.Pass(x, level)
		if ok && !(cut > lowest && cut <= highest && v.Lower(cut, level) >= x) {
			t.Fatalf("%v, level e^%v: passes the bar %v at %v", v, level, x, cut)
		}
		if at := min(cut-1e-6, highest); ok && at > lowest && v.Lower(at, level) >= x && x > lowest {
			t.Fatalf("%v, level e^%v: passes the bar %v at %v, and could at %v", v, level, x, cut, at)
		}
		if !ok && x < highest-1e-6 && v.Lower(highest-1e-6, level) >= x {
			t.Fatalf("%v, level e^%v: cannot pass the bar %v", v, level, x)
		}
	}
}

// Margins of gates of a log-loss that is clipped at 5 and of a Brier score, of probabilities that are spread evenly and
// right: values in [0,1], in the own intervals of 64 bins, and of 500 bins. A verdict is quick.
func TestGatesOfBins(t *testing.T) {
	for _, c := range []struct {
		rows int
		span float64
		loss func(p float64) float64
		want string
	}{
		{1000, 5, func(p float64) float64 { return min(5, -math.Log(p)) / 5 }, "mean 0.500: 0.1376 0.0655 0.0636"},
		{5000, 1, func(p float64) float64 { return (1 - p) * (1 - p) }, "mean 0.167: 0.0158 0.0097 0.0096"},
	} {
		level, mean := math.Log(0.01), 0.
		for i := range c.rows {
			x := (float64(i) + 0.5) / float64(c.rows)
			mean += (x*c.loss(x) + (1-x)*c.loss(1-x)) / float64(c.rows)
		}
		margins := []any{c.span * mean}
		for _, bins := range []int{0, 64, 500} {
			tails := Tails(Unit{Rows: float64(c.rows)})
			if bins > 0 {
				v := make(Binned, bins)
				for i := range c.rows {
					x := (float64(i) + 0.5) / float64(c.rows)
					b := int((max(x, 1-x) - 0.5) * 2 * float64(bins))
					most := (1 + float64(b+1)/float64(bins)) / 2
					v[b] = Bin{v[b].Rows + 1, 1 - c.loss(1-most), 1 - c.loss(most)}
				}
				tails = v
			}
			x, ok := tails.Pass(1-mean, level)
			if margins = append(margins, c.span*(x+mean-1)); !ok {
				t.Errorf("%d rows, %d bins: no mean can pass", c.rows, bins)
			}
		}
		if got := fmt.Sprintf("mean %.3f: %.4f %.4f %.4f", margins...); got != c.want {
			t.Errorf("%d rows: got %s, want %s", c.rows, got, c.want)
		}
	}
	var v Binned
	for b := range 64 {
		v = append(v, Bin{10_000 / 64, 0.5 - float64(b)/128, 0.5 + float64(b)/128})
	}
	least := time.Hour
	for range 5 {
		start := time.Now()
		gate, err := Gate(Node{LnBeta: math.Log(0.05)}, v, 0.5, 0.02)
		if err != nil {
			t.Fatal(err)
		}
		gate.Interval(Node{LnBeta: math.Log(0.05)}, v, 0)
		gate.Interval(Node{LnBeta: math.Log(0.05)}, v, 1)
		least = min(least, time.Since(start))
	}
	if least > 30*time.Millisecond {
		t.Errorf("a verdict took %v", least)
	}
}

// Margins of gates of a difference of two losses, of forecasts whose log odds are 0.4 apart, in both directions: by the
// greatest squares and by own intervals. The bound of own intervals over all l and mu, computed anew, gives nearly the
// latter, and coins at the ends of the intervals do not exceed the level there.
func TestMarginsOfDifferencesOfLosses(t *testing.T) {
	for _, c := range []struct {
		rows int
		span float64
		loss func(p float64) float64 // of the label's probability, as a share of the span
		want string
	}{
		{1000, 5, func(p float64) float64 { return min(5, -math.Log(p)) / 5 }, "0.0363 0.0192"},
		{5000, 1, func(p float64) float64 { return (1 - p) * (1 - p) }, "0.0044 0.0031"},
	} {
		const kinds = 100 // of rows that are alike
		level, each := math.Log(0.01), float64(c.rows)/kinds
		var low, length []float64
		most, square := 0., 0.
		for i := range kinds {
			p := (float64(i/2) + 0.5) * 2 / kinds
			odds := p / (1 - p) * math.Exp(0.4*float64(1-2*(i%2)))
			other := odds / (1 + odds)
			yes, no := c.loss(p)-c.loss(other), c.loss(1-p)-c.loss(1-other)
			low, length = append(low, min(yes, no)), append(length, math.Abs(yes-no))
			most += max(yes*yes, no*no) / kinds
			square += (yes - no) * (yes - no) / 4 / kinds
		}
		old := KnownVariance{float64(c.rows), most, -1}.margin(level)
		margin := Ranged{float64(c.rows), square}.margin(level)
		if got := fmt.Sprintf("%.4f %.4f", c.span*old, c.span*margin); got != c.want {
			t.Errorf("%d rows: got %s, want %s", c.rows, got, c.want)
		}
		// The least over l and mu of ln of the bound at the mean x, at truths of at most 0.
		bound := func(x float64) float64 {
			return golden(math.Log(0.01), math.Log(100), func(lnL float64) float64 {
				l := math.Exp(lnL) / math.Sqrt(square)
				return golden(0, 2*l, func(mu float64) float64 {
					sum := -l * x * float64(c.rows)
					for i, d := range length {
						over := math.Expm1(l * d)
						q := min(max(0, 1/(mu*d)-1/over), 1)
						sum += each * (math.Log1p(q*over) - mu*d*q + (l-mu)*low[i])
					}
					return sum
				})
			})
		}
		if at, before := bound(margin), bound(0.99*margin); !(at <= level && before > level) {
			t.Errorf("%d rows: ln of the bound is %v at the margin and %v below it, the level %v", c.rows, at, before, level)
		}
		// Coins at the ends of intervals whose lengths are on a grid.
		const steps = 4000
		step := margin * float64(c.rows) * 4 / steps
		law := map[bool][]float64{true: make([]float64, 2*steps+1), false: make([]float64, 2*steps+1)}
		law[true][steps], square = 1, 0
		for i := range c.rows {
			from, to := law[i%2 == 0], law[i%2 == 1]
			clear(to)
			half := int(math.Round(length[i%kinds] / 2 / step))
			square += math.Pow(float64(half)*step, 2) / float64(c.rows)
			for k, p := range from {
				if p > 0 {
					to[min(k+half, 2*steps)] += p / 2
					to[max(k-half, 0)] += p / 2
				}
			}
		}
		from := int(math.Ceil(Ranged{float64(c.rows), square}.margin(level) * float64(c.rows) / step))
		tail := 0.
		for _, p := range law[c.rows%2 == 0][steps+from:] {
			tail += p
		}
		if !(tail > 1e-4 && tail <= 0.01) {
			t.Errorf("%d rows: coins are so far off with probability %v", c.rows, tail)
		}
	}
}
