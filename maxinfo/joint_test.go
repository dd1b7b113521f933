package maxinfo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dpcalc/dpcalc/theory"
)

// The oracle takes sums in rational arithmetic and logarithms with 50 digits.

func lnRat(x *big.Rat) dec {
	return digits.Parse(x.Num().String()).Ln().Minus(digits.Parse(x.Denom().String()).Ln())
}

// exactTable is a table in rational numbers, divided by its sum.
type exactTable struct{ p, q []*big.Rat }

func newExact(cells []Cell) exactTable {
	sum := new(big.Rat)
	px, py := map[string]*big.Rat{}, map[string]*big.Rat{}
	given := map[[2]string]*big.Rat{}
	for _, c := range cells {
		p := new(big.Rat).SetFloat64(c.P)
		sum.Add(sum, p)
		for _, m := range []struct {
			law   map[string]*big.Rat
			label string
		}{{px, c.X}, {py, c.Y}} {
			if m.law[m.label] == nil {
				m.law[m.label] = new(big.Rat)
			}
			m.law[m.label].Add(m.law[m.label], p)
		}
		given[[2]string{c.X, c.Y}] = p
	}
	var e exactTable
	for x, a := range px {
		for y, b := range py {
			p := given[[2]string{x, y}]
			if p == nil {
				p = new(big.Rat)
			}
			q := new(big.Rat).Mul(new(big.Rat).Quo(a, sum), new(big.Rat).Quo(b, sum))
			if q.Sign() > 0 {
				e.p, e.q = append(e.p, new(big.Rat).Quo(p, sum)), append(e.q, q)
			}
		}
	}
	return e
}

// each calls f with P and Q of every event that is not empty.
func (e exactTable) each(f func(p, q *big.Rat)) {
	for event := 1; event < 1<<len(e.p); event++ {
		p, q := new(big.Rat), new(big.Rat)
		for i := range e.p {
			if event>>i&1 == 1 {
				p.Add(p, e.p[i])
				q.Add(q, e.q[i])
			}
		}
		f(p, q)
	}
}

// maxInformation tries every event.
func (e exactTable) maxInformation(t testing.TB, slack *big.Rat) float64 {
	t.Helper()
	var best *big.Rat
	e.each(func(p, q *big.Rat) {
		if p.Cmp(slack) > 0 {
			if k := new(big.Rat).Quo(new(big.Rat).Sub(p, slack), q); best == nil || k.Cmp(best) > 0 {
				best = k
			}
		}
	})
	return lnRat(best).Float()
}

// divergence is D_a for a whole order, and the mutual information for a = 1.
func (e exactTable) divergence(t testing.TB, a int) float64 {
	t.Helper()
	if a == 1 {
		sum := exactly(0)
		for i, p := range e.p {
			if p.Sign() > 0 {
				weight := digits.Parse(p.Num().String()).Over(digits.Parse(p.Denom().String()))
				sum = sum.Plus(weight.Times(lnRat(new(big.Rat).Quo(p, e.q[i]))))
			}
		}
		return sum.Float()
	}
	sum := new(big.Rat)
	for i, p := range e.p {
		term := new(big.Rat).Set(e.q[i])
		for range a {
			term.Mul(term, p)
			term.Quo(term, e.q[i])
		}
		sum.Add(sum, term)
	}
	return lnRat(sum).Float() / float64(a-1)
}

// near fails unless want <= got <= want + slack, slack relative above one.
func near(t *testing.T, name string, got, want, slack float64) {
	t.Helper()
	if !(got >= want-math.Abs(want)*0x1p-52 && got <= want+slack*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.17g, want %.17g (%.3g above)", name, got, want, got-want)
	}
}

func randomCells(r *rand.Rand) []Cell {
	var cells []Cell
	nx, ny, sum := 1+r.IntN(3), 1+r.IntN(3), 0.0
	spread := []float64{0.01, 1, 10, 100}[r.IntN(4)]
	for x := range nx {
		for y := range ny {
			if r.IntN(4) == 0 {
				continue
			}
			p := math.Exp(spread * r.NormFloat64())
			if r.IntN(8) == 0 {
				p = 0
			}
			cells = append(cells, Cell{"x" + strconv.Itoa(x), "y" + strconv.Itoa(y), p})
			sum += p
		}
	}
	if sum == 0 {
		return []Cell{{"x", "y", 1}}
	}
	for i := range cells {
		if cells[i].P /= sum; cells[i].P < 1e-300 {
			cells[i].P = 0
		}
	}
	return cells
}

func mustJoint(t testing.TB, cells []Cell) *Joint {
	t.Helper()
	j, err := NewJoint(cells)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Every event of small tables, in rational arithmetic.
func TestJointAgainstAllEvents(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 60 {
		cells := randomCells(r)
		j, e := mustJoint(t, cells), newExact(cells)
		for _, b := range []float64{0, 1e-200, 1e-9, 0.01, r.Float64(), 0.75, 1 - 0x1p-20} {
			slack := theory.LogProb(math.Log(b))
			exact := new(big.Rat).SetFloat64(b)
			if b > 0 { // the probability that the logarithm stands for
				if _, ok := exact.SetString(exactly(slack.Ln()).Exp().Text('e')); !ok {
					t.Fatal(slack)
				}
			}
			got, err := j.MaxInformation(slack)
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("I_inf^%g", b), float64(got), e.maxInformation(t, exact), 2e-12)
		}
		near(t, "mutual information", float64(j.MutualInformation()), e.divergence(t, 1), 1e-12)
		for _, a := range []int{2, 3, 20} {
			got, err := j.Renyi(float64(a))
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("D_%d", a), float64(got), e.divergence(t, a), 1e-12)
		}
		checkEvents(t, j, e)
		if t.Failed() {
			t.Fatal(cells)
		}
	}
}

// checkEvents compares the vertices with all events: each is one of them, up to
// rounding, they do not fall, and no event lies above the line through two of them.
func checkEvents(t *testing.T, j *Joint, e exactTable) {
	t.Helper()
	p, q := []float64{0}, []float64{0}
	for event := range j.Events() {
		p, q = append(p, event.Joint.Value()), append(q, event.Product.Value())
	}
	if last := len(p) - 1; math.Abs(p[last]-1) > 1e-12 {
		t.Errorf("the last event has probability %v", p[last])
	}
	for i := 1; i < len(p); i++ {
		if !(p[i] >= p[i-1] && q[i] >= q[i-1]) {
			t.Errorf("event %d: (%v, %v) after (%v, %v)", i, p[i], q[i], p[i-1], q[i-1])
		}
	}
	found := make([]bool, len(p))
	e.each(func(pe, qe *big.Rat) {
		a, _ := pe.Float64()
		b, _ := qe.Float64()
		for i := range p {
			found[i] = found[i] || math.Abs(a-p[i]) <= 1e-12*p[i] && math.Abs(b-q[i]) <= 1e-12*q[i]
		}
		k, _ := slices.BinarySearch(q, b)
		if k == 0 || k == len(q) {
			return // beyond the last one P is at most one
		}
		line := p[k-1] + (p[k]-p[k-1])*((b-q[k-1])/(q[k]-q[k-1]))
		if !(a <= line*(1+1e-11)) {
			t.Errorf("an event has (%v, %v), above %v", a, b, line)
		}
	})
	for i, ok := range found[1:] {
		if !ok && q[i+1] > 1e-290 {
			t.Errorf("(%v, %v) is no event", p[i+1], q[i+1])
		}
	}
}

// Independent variables have no information, and ln(1-b) at the slack b.
func TestJointOfIndependentVariables(t *testing.T) {
	for _, laws := range [][2][]float64{{{0.5, 0.5}, {0.25, 0.75}}, {{0.2, 0.3, 0.5}, {0.1, 0.9}}, {{1}, {1}},
		{{1, 0}, {0.5, 0.5}}} {
		var cells []Cell
		for x, p := range laws[0] {
			for y, q := range laws[1] {
				cells = append(cells, Cell{strconv.Itoa(x), strconv.Itoa(y), p * q})
			}
		}
		j := mustJoint(t, cells)
		near(t, "mutual information", float64(j.MutualInformation()), 0, 1e-15)
		for _, b := range []float64{0, 0.1, 0.5, 0.99} {
			got, err := j.MaxInformation(theory.LogProb(math.Log(b)))
			if want := math.Log1p(-b); err != nil || math.Abs(float64(got)-want) > 1e-13 {
				t.Errorf("slack %g: %g, %v, want %g", b, got, err, want)
			}
		}
		if d, err := j.Renyi(3); err != nil || math.Abs(float64(d)) > 1e-15 {
			t.Errorf("D_3 = %g, %v", d, err)
		}
	}
}

// The tables of the extremes: Y = X uniform on 2^k values has k bits of everything,
// and probabilities down to 1e-300 keep their ratios.
func TestJointKnown(t *testing.T) {
	var cells []Cell
	for i := range 1 << 10 {
		cells = append(cells, Cell{strconv.Itoa(i), strconv.Itoa(i), 0x1p-10})
	}
	j := mustJoint(t, cells)
	near(t, "mutual information", float64(j.MutualInformation()), 10*math.Ln2, 1e-12)
	for _, b := range []float64{0, 0.5} {
		got, _ := j.MaxInformation(theory.LogProb(math.Log(b)))
		near(t, "I_inf^b", float64(got), 10*math.Ln2+math.Log1p(-b), 1e-12)
	}
	rare := mustJoint(t, []Cell{{"a", "a", 1}, {"b", "b", 1e-300}})
	got, _ := rare.MaxInformation(theory.Zero)
	near(t, "I_inf", float64(got), 300*math.Ln10, 1e-12)
	got, _ = rare.MaxInformation(theory.LogProb(-300*math.Ln10 - math.Ln2)) // half of it is left
	near(t, "I_inf^b", float64(got), 300*math.Ln10-math.Ln2, 1e-12)
	near(t, "mutual information", float64(rare.MutualInformation()), (300*math.Ln10+1)*1e-300, 1.1e-24)
	for _, a := range []float64{1 + 1e-9, 2, 1e6} {
		d, err := rare.Renyi(a)
		if err != nil || !(d >= 0 && d <= 691) {
			t.Errorf("D_%g = %g, %v", a, d, err)
		}
	}
	// A sum that is not quite one is divided out.
	loose := mustJoint(t, []Cell{{"a", "a", 0.5}, {"b", "b", 0.5 + 9e-10}})
	near(t, "mutual information", float64(loose.MutualInformation()), math.Ln2, 1e-12)
}

// The order of the cells and the names of the values do not matter, and exchanging x
// and y changes nothing.
func TestJointIsSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	for range 50 {
		cells := randomCells(r)
		other := slices.Clone(cells)
		r.Shuffle(len(other), func(i, k int) { other[i], other[k] = other[k], other[i] })
		for i, c := range other {
			other[i] = Cell{c.Y, c.X, c.P}
		}
		a, b := mustJoint(t, cells), mustJoint(t, other)
		slack := theory.LogProb(-8 * r.Float64())
		ka, _ := a.MaxInformation(slack)
		kb, _ := b.MaxInformation(slack)
		if math.Abs(float64(ka-kb)) > 1e-12*math.Max(1, math.Abs(float64(ka))) ||
			math.Abs(float64(a.MutualInformation()-b.MutualInformation())) > 1e-12 {
			t.Fatalf("%v: %v and %v", cells, ka, kb)
		}
	}
}

func TestJointErrors(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		cells []Cell
		want  string
	}{
		{nil, "joint table: got no cells, want one or more"},
		{[]Cell{{"a", "a", 1.5}}, "cell 1, p: got 1.5, want 0 or a number in [1e-300, 1]"},
		{[]Cell{{"a", "a", 1}, {"a", "b", -0.25}}, "cell 2, p: got -0.25, want 0 or a number in [1e-300, 1]"},
		{[]Cell{{"a", "a", nan}}, "cell 1, p: got NaN, want 0 or a number in [1e-300, 1]"},
		{[]Cell{{"a", "a", 1e-301}}, "cell 1, p: got 1e-301, want 0 or a number in [1e-300, 1]"},
		{[]Cell{{"a", "a", 0}}, "sum of p: got 0, want 1 within 1e-9, which leaves room for probabilities rounded to ten digits and none for missing cells"},
		{[]Cell{{"a", "a", 0.5}, {"b", "a", 0.25}}, "sum of p: got 0.75, want 1 within 1e-9, which leaves room for probabilities rounded to ten digits and none for missing cells"},
		{[]Cell{{"b", "c", 0.25}, {"a", "a", 0.25}, {"b", "a", 0.25}, {"b", "b", 0.25}, {"a", "a", 0}, {"b", "c", 0}},
			`cell 5: got x = "a" and y = "a" as in cell 2, want each pair of x and y once`},
	} {
		_, err := NewJoint(c.cells)
		if e := new(theory.DomainError); !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%v:\n got %v\nwant %s", c.cells, err, c.want)
		}
	}
	j := mustJoint(t, []Cell{{"a", "a", 1}})
	for _, slack := range []theory.LogProb{0, -1e-10, 1, theory.LogProb(nan)} {
		if k, err := j.MaxInformation(slack); err == nil || k != 0 {
			t.Errorf("slack %v: %v", slack, k)
		}
	}
	for _, a := range []float64{1, 0, -1, nan, math.Inf(1)} {
		if d, err := j.Renyi(a); err == nil || d != 0 {
			t.Errorf("order %v: %v", a, d)
		}
	}
}

func TestReadJoint(t *testing.T) {
	const want = math.Ln2
	for name, text := range map[string]string{
		"plain":         "x,y,p\na,a,0.5\nb,b,0.5\n",
		"order, case":   "P,note,Y,X\n5e-1,,a,u\n.5,?,b,v",
		"tabs":          "x\ty\tp\na,1\ta\t0.5\nb,1\tb\t0.5\n",
		"quotes":        "\"x\",y,p\n\"a \"\"1\"\",\n2\",a,0.5\n\"a \"\"1\"\",\n3\",b,0.5\n",
		"CRLF, mark":    "\ufeff\"x\",y,p\r\na,a,0.5\r\n\r\nb,b, 0.5\r\n",
		"of Excel":      "\ufeffsep=;\r\nx;y;p\r\na;a;0,5\r\nb;b;0,5\r\n",
		"zeros":         "x,y,p\na,a,0.5\na,b,0\nb,a,0e5\nb,b,0.5\n",
		"absent labels": "x,y,p\n,,0.5\nc,c,0\nb,b,0.5\n",
	} {
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			j, err := ReadJoint(wrap(strings.NewReader(text)))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			near(t, name, float64(j.MutualInformation()), want, 1e-12)
		}
	}
}

func TestReadJointErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "joint table: got nothing, want a header with the columns x, y and p"},
		{"x,y,p\n", "joint table: got no cells, want one or more"},
		{"x,y\na,b\n", `header: got "x,y", want the columns x, y and p, each once`},
		{"x,y,p,X\n", `header: got "x,y,p,X", want the columns x, y and p, each once`},
		{"x,y,p\na,a,0x1p-1\n", `line 2, p: got "0x1p-1", want 0 or a number in [1e-300, 1]`},
		{"x,y,p\na,a,half\n", `line 2, p: got "half", want 0 or a number in [1e-300, 1]`},
		{"x,y,p\na,a,\n", `line 2, p: got "", want 0 or a number in [1e-300, 1]`},
		{"x,y,p\na,a,1e-400\n", `line 2, p: got "1e-400", want 0 or a number in [1e-300, 1]`},
		{"x,y,p\na,a,0.5\n\n\"b\n\",b,-1\n", "line 4, p: got -1, want 0 or a number in [1e-300, 1]"},
		{"x,y,p\na,a,0.5\na,0.5\n", "line 3: got 2 cells, want 3 as in the header"},
		{"x,y,p\na,a\"b,0.5\n", "line 2: got a quote inside an unquoted cell, want it doubled in a quoted one"},
		{"x,y,p\na,a,0.5\nb,b,0.25\na,a,0.25\n",
			`line 4: got x = "a" and y = "a" as in line 2, want each pair of x and y once`},
		{"x,y,p\na,a,0.5\n", "sum of p: got 0.5, want 1 within 1e-9, which leaves room for probabilities rounded to ten digits and none for missing cells"},
	} {
		_, err := ReadJoint(strings.NewReader(c.text))
		if e := new(theory.DomainError); !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	slow := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("x,y,p\na,a,1\n")))
	if _, err := ReadJoint(slow); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("the reader's error becomes %v", err)
	}
}

// cellsOf yields the lines of a table of about n cells: noisy counts of a binomial
// sample, which do not factor.
func writeTable(w io.Writer, n int) {
	side := int(math.Sqrt(float64(n)))
	sum := 0.0
	weight := func(x, y int) float64 {
		d := float64(x-y) / float64(side)
		return 1 / (1 + 50*d*d)
	}
	for x := range side {
		for y := range side {
			sum += weight(x, y)
		}
	}
	fmt.Fprintln(w, "x,y,p")
	buffer := []byte{}
	for x := range side {
		for y := range side {
			buffer = strconv.AppendInt(buffer[:0], int64(x), 10)
			buffer = append(buffer, ",y"...)
			buffer = strconv.AppendInt(buffer, int64(y), 10)
			buffer = append(buffer, ',')
			buffer = strconv.AppendFloat(buffer, weight(x, y)/sum, 'g', 12, 64)
			w.Write(append(buffer, '\n'))
		}
	}
}

// The table that is too large by one cell is refused there.
func TestJointTooLarge(t *testing.T) {
	table := newTable(0, func(i int) string { return fmt.Sprintf("line %d", i+2) })
	table.cells = make([]entry, maxCells-1)
	for i, want := range []string{"<nil>", "line 10000002: got one more cell, want at most 10000000 cells"} {
		if got := fmt.Sprint(table.add(Cell{"x", "y", 0})); got != want {
			t.Errorf("cell %d: got %s, want %s", maxCells+i, got, want)
		}
	}
}

// Whatever the text, there is a law with numbers or an error of one line.
func FuzzReadJoint(f *testing.F) {
	for _, text := range []string{
		"x,y,p\na,a,0.5\nb,b,0.5\n", "p\ty\tX\n1\t\"a\nb\"\t2\n", "\ufeffx,y,p\n,,1\n", "x,y,p\na,b,1e-300\nb,b,1\n",
		"x,y,p\n\"a", "", "sep=;\nx;y;p\na;a;1,0\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		j, err := ReadJoint(strings.NewReader(text))
		if err != nil {
			if e := new(theory.DomainError); !errors.As(err, &e) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
			return
		}
		numbers := []theory.Nats{j.MutualInformation()}
		for _, slack := range []theory.LogProb{theory.Zero, -1, -700, -1e-9} {
			k, err := j.MaxInformation(slack)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, k)
		}
		for _, a := range []float64{1 + 1e-12, 2, 1e6} {
			d, err := j.Renyi(a)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, d)
		}
		for i, x := range numbers {
			if !(math.Abs(float64(x)) < 1e4) {
				t.Errorf("number %d is %v", i, x)
			}
		}
	})
}

func BenchmarkReadJoint(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		var text bytes.Buffer
		writeTable(&text, n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := ReadJoint(bytes.NewReader(text.Bytes())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkJoint(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000, 10_000_000} {
		var text bytes.Buffer
		writeTable(&text, n)
		j, err := ReadJoint(&text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("max-information/"+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := j.MaxInformation(-3); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("mutual-information/"+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				j.MutualInformation()
			}
		})
	}
}
