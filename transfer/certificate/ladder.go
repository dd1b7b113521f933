package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// lossScale is what values of a board are over at least.
const lossScale = 1e12

// ladder is the sum over the steps of a board of losses.
func ladder(p *plan) error {
	if len(p.run.Board) == 0 {
		return p.oneLook()
	}
	ints, scale, err := overOne(p.Tau, p.Floor)
	if err != nil {
		return err
	}
	for ; scale < lossScale; scale *= 10 {
		ints[0], ints[1] = 10*ints[0], 10*ints[1]
	}
	b := &board{plan: p, edges: scale, top: scale - ints[1]}
	p.tau, p.scale = ints[0], scale
	theorem, given, names, bits, width := "ladder_plan", "", "", int64(96), int64(0)
	if p.Query == transfer.Binary {
		b.edges, theorem, names = p.Samples, "ladder_count_plan", " H Hz"
		given = "\n  Hoeffding1956 -> (forall v, zero_one X (analyst v)) ->"
	}
	if err := b.read(); err != nil {
		return err
	}
	list, err := b.write()
	if err != nil {
		return err
	}
	if p.Query == transfer.Binary {
		bits, width = p.precision()
	}
	p.fill("ladder", "f", b.edges, "w", p.level.over, "steps", list, "bits", bits, "width", width, "given", given, "names", names,
		"theorem", theorem, "top", b.top)
	return nil
}

// oneLook is the tails of one finalist.
func (p *plan) oneLook() error {
	factor, list, err := p.finalists()
	if err != nil {
		return err
	}
	theorem, given, names := "ladder_one_plan", "", ""
	if p.Query == transfer.Binary {
		theorem, given, names = "ladder_one_count_plan", "\n  Hoeffding1956 -> zero_one X model ->", " H Hz"
	}
	p.fill("look", "theorem", theorem, "numbers", fmt.Sprint(factor, " ", list), "given", given, "names", names)
	p.fewerFinalists()
	return nil
}

// board is the steps of losses that a plan shows.
type board struct {
	*plan
	edges, top int64 // what boundaries are over, and the loss of the start over the plan's scale
	steps      []step
}

// step has a boundary, the value from there on, and the probabilities of its two errors.
type step struct {
	edge, shown int64
	high, low   *big.Rat
}

// read takes the steps from the mechanism. A later step may err no more often than an earlier one.
func (b *board) read() error {
	last, past := len(b.run.Board)-1, int64(0)
	b.steps = make([]step, last+1)
	for i, s := range b.run.Board {
		b.steps[i].shown = int64(math.Round((1 - s.Value) * float64(b.scale)))
		b.steps[i].edge = int64(math.Round((1 - s.Boundary) * float64(b.scale)))
		if b.Query == transfer.Binary {
			b.steps[i].edge, past = b.Samples-s.Count, 1
		}
	}
	b.steps[0].shown, b.steps[last].shown = b.top-b.tau, min(b.steps[last].shown, b.tau)
	after := step{high: new(big.Rat), low: new(big.Rat)}
	for i := last; i > 0; i-- {
		s := &b.steps[i]
		high, ok := b.reached(b.steps[i-1].shown-b.tau, s.edge+past)
		low, fits := b.reached(b.scale-s.shown-b.tau, b.edges-s.edge)
		if !ok || !fits {
			return errors.New("the plan has so few rows that it does not rest on binomial tails alone")
		}
		s.high, s.low = later(high, after.high), later(low, after.low)
		after = *s
	}
	return nil
}

// reached bounds the probability that losses of a mean come to an edge, of 0/1 losses if Hoeffding's theorem covers it.
func (b *board) reached(mean, edge int64) (probability *big.Rat, ok bool) {
	p, x := float64(mean)/float64(b.scale), float64(edge)/float64(b.edges)
	if mean <= 0 {
		return new(big.Rat), edge > 0
	}
	ln, odds := 0., 0.
	if b.Query == transfer.Binary {
		if float64(edge-1) < float64(b.Samples)*p*(1+1e-12) {
			return nil, false
		}
		ln = num.Binomial{N: b.Samples, P: p}.LnAtLeast(edge)
	} else {
		ln = tail.Exponential{Sides: 1, Rate: num.FromFloat(tail.KnownEntropy(x, p))}.Ln(b.Samples)
		odds = num.Log(x / p * ((1 - p) / (1 - x)))
	}
	up := roundedUp(num.Exp(ln) * (1 + 3e-10*(1+odds))) // Coq loses e^(odds/2^32)
	probability, _ = new(big.Rat).SetString(strconv.FormatFloat(up, 'e', -1, 64))
	return probability, p < x
}

// write writes the steps, and makes the level a unit of their probabilities. It raises a beta that was solved for by
// what these are rounded up by.
func (b *board) write() (string, error) {
	digits, sum, m := 0, new(big.Rat), b.Queries
	entered, states := big.NewRat(1, 1), big.NewRat(m-1, 1)
	for i, s := range b.steps[1:] {
		for _, x := range []*big.Rat{s.high, s.low} {
			places, _ := x.FloatPrec()
			digits = max(digits, places)
		}
		l, visits := int64(i), new(big.Rat).Set(states)
		if l == 0 {
			visits.Add(visits, big.NewRat(1, 1))
		}
		sum.Add(sum, new(big.Rat).Mul(entered, s.high)).Add(sum, visits.Mul(visits, s.low))
		entered.Mul(entered, big.NewRat(m+l-1, l+1))
		states.Mul(states, big.NewRat(m+l, l+2))
	}
	if total, _ := sum.Float64(); sum.Cmp(new(big.Rat).SetFrac(b.beta.num, b.beta.over)) > 0 {
		ln := num.Log(total) + 1e-12
		if solved := math.Abs(b.beta.ln()-b.Beta.Ln()) > 1e-12; !solved || ln > b.Beta.Ln()+1e-7 {
			return "", errNarrow
		}
		var err error
		if b.beta, err = betaOf(theory.LogProb(ln)); err != nil {
			return "", err
		}
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	over := func(x *big.Rat) *big.Int { return new(big.Rat).Mul(x, new(big.Rat).SetInt(unit)).Num() }
	var list []string
	for _, s := range b.steps[1:] {
		list = append(list, fmt.Sprintf("Step %d %d %v %v", s.edge, s.shown, over(s.high), over(s.low)))
	}
	b.level = fraction{big.NewInt(1), unit}
	return strings.Join(list, ";\n  "), nil
}

// later returns the greater one of two probabilities.
func later(p, after *big.Rat) *big.Rat {
	if p.Cmp(after) < 0 {
		return after
	}
	return p
}
