package maxinfo

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Joint is a finite joint law P of two variables, say sample and transcript, next to
// the product Q of its marginal laws. What its methods return is the value for the
// table divided by its sum, rounded up by less than 2e-12, absolutely or relatively.
type Joint struct {
	atoms []atom  // the cells that are possible under P, by falling ratio
	whole num.DD  // the sum of their p, one up to rounding
	void  float64 // the probability under Q of all cells that are impossible under P
}

// atom is a possible cell: ln P/Q and P.
type atom struct{ ratio, p float64 }

// scaled returns Q in units of e^(-top). The product does not overflow if the result
// does not.
func (a atom) scaled(top float64) float64 {
	root := num.Exp((top - a.ratio) / 2)
	return a.p * root * root
}

// Cell is a cell of a joint table: the probability P that the variables have the
// values X and Y, 0 or from 1e-300 to 1.
type Cell struct {
	X, Y string
	P    float64
}

// NewJoint returns the law given by the cells of a table; those left out are
// impossible. It returns a DomainError for more than 10,000,000 cells, a P outside
// its domain, a pair that is given twice, and a sum that is further than 1e-9 from
// one. It takes time n log n.
func NewJoint(cells []Cell) (*Joint, error) {
	t := newTable(len(cells), func(i int) string { return fmt.Sprintf("cell %d", i+1) })
	for _, c := range cells {
		if err := t.add(c); err != nil {
			return nil, err
		}
	}
	return t.joint()
}

// MaxInformation returns the approximate max-information I_inf^b, for the slack b = 0
// the max-information,
//
//	ln max_E (P[E]-b)/Q[E]  over the events E with P[E] > b.
//
// It is 0 at b = 0 if the variables are independent, and negative if they nearly are
// and b is large. It returns a DomainError unless 0 <= b <= 1 - 1e-9.
//
// Some event of the cells of largest P/Q attains it: the largest P[E] - K Q[E] is the difference on {P > K Q}, to which
// cells with P = K Q add nothing. It falls as K grows, and at the maximum K it is b.
func (j *Joint) MaxInformation(slack theory.LogProb) (theory.Nats, error) {
	if err := theory.Domain(slack <= -1e-9, "slack", slack, "a probability in [0, 1-1e-9]"); err != nil {
		return 0, err
	}
	b := num.FromFloat(slack.Value()) // next to nothing below e^-690
	if slack > -690 {
		b = num.FromFloat(slack.Ln()).Exp()
	}
	top := j.atoms[0].ratio
	var p, q num.DD
	best := 0.0
	for _, a := range j.atoms {
		part := a.scaled(top)
		if a.p < best*part { // only lowers the quotient
			break
		}
		p, q = p.AddFloat(a.p), q.AddFloat(part)
		best = max(best, p.Div(j.whole).Sub(b).Hi/q.Hi)
	}
	ln := num.Log(best)
	rounding := (math.Abs(top) + math.Abs(ln)) * 0x1p-50
	if top != 0 || ln != 0 { // or P and Q are the same
		rounding += 0x1p-50
	}
	return theory.Nats(top + ln + rounding), nil
}

// MutualInformation returns sum P ln(P/Q).
func (j *Joint) MutualInformation() theory.Nats {
	sum := num.FromFloat(j.void)
	for _, a := range j.atoms { // sum P ln(P/Q) - P + Q, whose terms are not negative
		sum = sum.AddFloat(a.p * (a.ratio + math.Expm1(-a.ratio)))
	}
	return theory.Nats(sum.Hi * (1 + 0x1p-44))
}

// Renyi returns the Renyi divergence D_a of P from Q, (1/(a-1)) ln sum P^a Q^(1-a). It
// returns a DomainError unless 1 < a <= 1e6.
func (j *Joint) Renyi(a float64) (theory.Nats, error) {
	if err := theory.Domain(a > 1 && a <= 1e6, "order", a, "a number in (1, 1e6]"); err != nil {
		return 0, err
	}
	x, top := a-1, j.atoms[0].ratio
	var sum num.DD
	if x*top > 600 {
		for _, c := range j.atoms {
			sum = sum.AddFloat(c.p * num.Exp(x*(c.ratio-top)))
		}
		return theory.Nats((top + num.Log(sum.Hi)/x) * (1 + 0x1p-44)), nil
	}
	sum = num.FromFloat(x * j.void)
	for _, c := range j.atoms { // sum P^a Q^(1-a) - a P + (a-1) Q, whose terms are not negative
		sum = sum.AddFloat(c.p * (math.Expm1(x*c.ratio) + x*math.Expm1(-c.ratio)))
	}
	return theory.Nats(math.Log1p(sum.Hi) / x * (1 + 0x1p-44)), nil
}

// Event is the probability of an event under P and under Q.
type Event struct{ Joint, Product theory.LogProb }

// Events yields the worst events, {P >= K Q} for every K, K falling: no event that is
// as improbable under Q is likelier under P, not even a randomised one. Between two of
// them the probability of the worst randomised event is an interpolation between the two. It bounds the probability of
// plain events, of which the worst is the solution of a knapsack problem.
func (j *Joint) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		top := j.atoms[0].ratio
		var p, q num.DD
		for i, a := range j.atoms {
			p, q = p.AddFloat(a.p), q.AddFloat(a.scaled(top))
			if i+1 < len(j.atoms) && j.atoms[i+1].ratio == a.ratio {
				continue
			}
			event := Event{
				Joint:   theory.LogProb(min(0, num.Log(p.Div(j.whole).Hi))),
				Product: theory.LogProb(min(0, num.Log(q.Hi)-top)),
			}
			if !yield(event) {
				return
			}
		}
	}
}

const (
	maxCells = 10_000_000
	pDomain  = "0 or a number in [1e-300, 1]"
	// The probabilities of a table that was written with ten digits pass, and one
	// that lacks a cell of probability 1e-9 does not.
	sumTolerance = 1e-9
)

// table collects the cells of a law.
type table struct {
	where func(i int) string // names cell i in errors
	x, y  map[string]int32
	cells []entry
	sum   num.DD
}

type entry struct {
	x, y int32
	p    float64
}

func newTable(size int, where func(i int) string) *table {
	return &table{where: where, x: map[string]int32{}, y: map[string]int32{}, cells: make([]entry, 0, min(size, maxCells))}
}

func (t *table) add(c Cell) error {
	i := len(t.cells)
	if i == maxCells {
		return &theory.DomainError{Param: t.where(i), Value: "one more cell", Want: "at most 10000000 cells"}
	}
	if !(c.P == 0 || c.P >= 1e-300 && c.P <= 1) {
		return theory.Domain(false, t.where(i)+", p", c.P, pDomain)
	}
	t.sum = t.sum.AddFloat(c.P)
	t.cells = append(t.cells, entry{number(t.x, c.X), number(t.y, c.Y), c.P})
	return nil
}

// number returns the number of a label, the next one if it is new.
func number(numbers map[string]int32, label string) int32 {
	n, ok := numbers[label]
	if !ok {
		n = int32(len(numbers))
		numbers[strings.Clone(label)] = n
	}
	return n
}

// joint returns the law of a complete table, which it uses up.
func (t *table) joint() (*Joint, error) {
	if err := t.distinct(); err != nil {
		return nil, err
	}
	if err := theory.Domain(len(t.cells) > 0, "joint table", "no cells", "one or more"); err != nil {
		return nil, err
	}
	if gap := math.Abs(t.sum.AddFloat(-1).Hi); !(gap <= sumTolerance) {
		want := "1 within 1e-9, which leaves room for probabilities rounded to ten digits and none for missing cells"
		return nil, theory.Domain(false, "sum of p", t.sum.Hi, want)
	}
	px, py := make([]num.DD, len(t.x)), make([]num.DD, len(t.y))
	t.x, t.y = nil, nil
	possible := 0
	for _, c := range t.cells {
		px[c.x], py[c.y] = px[c.x].AddFloat(c.p), py[c.y].AddFloat(c.p)
		if c.p > 0 {
			possible++
		}
	}
	j := &Joint{atoms: make([]atom, 0, possible)}
	present := num.DD{}
	for i, p := range py {
		py[i] = p.Div(t.sum)
	}
	for _, c := range t.cells {
		if c.p == 0 {
			continue
		}
		given, alone := num.FromFloat(c.p).Div(px[c.x]), py[c.y] // of y
		ratio := num.Log(given.Hi) - num.Log(alone.Hi)
		if math.Abs(ratio) < 0.5 {
			ratio = math.Log1p(given.Sub(alone).Div(alone).Hi)
		}
		p := num.FromFloat(c.p).Div(t.sum).Hi
		j.atoms = append(j.atoms, atom{ratio, p})
		j.whole = j.whole.AddFloat(p)
		present = present.Add(px[c.x].Mul(alone))
	}
	if possible < support(px)*support(py) {
		j.void = max(0, num.FromFloat(1).Sub(present.Div(t.sum)).Hi) + 1e-24 // for the rounding of the sum
	}
	t.cells = nil
	slices.SortFunc(j.atoms, func(a, b atom) int { return cmp.Compare(b.ratio, a.ratio) })
	return j, nil
}

// support returns the number of values of positive probability.
func support(law []num.DD) (n int) {
	for _, p := range law {
		if p.Hi > 0 {
			n++
		}
	}
	return n
}

// distinct returns a DomainError for the first cell whose pair of values an earlier cell has.
func (t *table) distinct() error {
	// The cells in the order of x, cells of one x in the order given.
	next := make([]int32, len(t.x)+1)
	for _, c := range t.cells {
		next[c.x+1]++
	}
	for x := range len(t.x) {
		next[x+1] += next[x]
	}
	order := make([]int32, len(t.cells))
	for i, c := range t.cells {
		order[next[c.x]] = int32(i)
		next[c.x]++
	}
	last := make([]int32, len(t.y)) // 1 + the last cell with this y
	again, before := len(t.cells), 0
	for _, i := range order {
		c := t.cells[i]
		if k := int(last[c.y]) - 1; k >= 0 && t.cells[k].x == c.x && int(i) < again {
			again, before = int(i), k
		}
		last[c.y] = i + 1
	}
	if again == len(t.cells) {
		return nil
	}
	label := func(numbers map[string]int32, n int32) string {
		for text, m := range numbers {
			if m == n {
				return strconv.Quote(text)
			}
		}
		panic("maxinfo: a number without a label")
	}
	c := t.cells[again]
	pair := fmt.Sprintf("x = %s and y = %s as in %s", label(t.x, c.x), label(t.y, c.y), t.where(before))
	return theory.Domain(false, t.where(again), pair, "each pair of x and y once")
}
