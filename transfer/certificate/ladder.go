package certificate

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// ladder is the sum over the steps of a board of losses, or the tails of one finalist.
func ladder(p *plan) (text string, err error) {
	if len(p.run.Board) == 0 {
		return "look", p.finalists()
	}
	*p = *p.finer(1e12)
	return "ladder", p.steps()
}

// step has a boundary, the value from there on, and the probabilities of its two errors.
type step struct {
	edge, shown int64
	high, low   float64
}

// steps finds the steps of the mechanism. A later step may err no more often than an earlier one.
func (p *plan) steps() error {
	last, edges, past := len(p.run.Board)-1, p.scale, int64(0)
	if p.Query.IsZeroOne() {
		edges, past = p.Samples, 1
	}
	loss := func(score float64) int64 { return int64(math.Round((1 - score) * float64(p.scale))) }
	steps := make([]step, last+2)
	for i, s := range p.run.Board {
		steps[i] = step{edge: loss(s.Boundary), shown: loss(s.Value)}
		if p.Query.IsZeroOne() {
			steps[i].edge = p.Samples - s.Count
		}
	}
	top := p.scale - p.bar
	steps[0].shown, steps[last].shown = top-p.tau, min(steps[last].shown, p.tau)
	for i := last; i > 0; i-- {
		s := &steps[i]
		high, ok := p.reached(steps[i-1].shown-p.tau, s.edge+past, edges)
		low, fits := p.reached(p.scale-s.shown-p.tau, edges-s.edge, edges)
		if !ok || !fits {
			return errTails
		}
		s.high, s.low = max(high, steps[i+1].high), max(low, steps[i+1].low)
	}
	steps = steps[1 : last+1]
	if err := p.raise(steps); err != nil {
		return err
	}
	var risks []float64
	for _, s := range steps {
		risks = append(risks, s.high, s.low)
	}
	parts, over := overOne(risks...)
	var list []string
	for i, s := range steps {
		list = append(list, fmt.Sprintf("Step %d %d %v %v", s.edge, s.shown, parts[2*i], parts[2*i+1]))
	}
	p.level = fraction{big.NewInt(1), over}
	p.values["edges"], p.values["w"], p.values["top"], p.values["list"] = edges, over, top, lines(list)
	return nil
}

// reached bounds the probability that losses of a mean come to an edge, of 0/1 losses if Hoeffding's theorem covers it.
func (p *plan) reached(mean, edge, edges int64) (probability float64, ok bool) {
	b := bound{N: p.Samples, P: mean, Over: p.scale, K: edge}
	if mean <= 0 {
		return 0, edge > 0
	}
	ln, odds, ok := b.ln(), 0., b.isFar()
	if !p.Query.IsZeroOne() {
		q, x := b.law().P, float64(edge)/float64(edges)
		ln = tail.Exponential{Sides: 1, Rate: num.FromFloat(tail.KnownEntropy(x, q))}.Ln(p.Samples)
		odds, ok = num.Log(x/q*((1-q)/(1-x))), q < x
	}
	return roundedUp(num.Exp(ln)*(1+3e-10*(1+odds)), 12), ok // Coq loses e^(odds/2^32)
}

// raise raises a beta that was solved for by what the errors of the steps are rounded up by.
func (p *plan) raise(steps []step) (err error) {
	m, sum := float64(p.Queries), 0.
	entered, states := 1., m-1
	for i, s := range steps {
		l, visits := float64(i), states
		if i == 0 {
			visits++
		}
		sum += entered*s.high + visits*s.low
		entered, states = entered*(m+l-1)/(l+1), states*(m+l)/(l+2)
	}
	ln := num.Log(sum) + 1e-12
	if ln <= p.beta.ln() {
		return nil
	}
	if solved := math.Abs(p.beta.ln()-p.Beta.Ln()) > 1e-12; !solved || ln > p.Beta.Ln()+1e-7 {
		return errNarrow
	}
	p.beta, err = betaOf(theory.LogProb(ln), 9)
	return err
}
