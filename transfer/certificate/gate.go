package certificate

import (
	"errors"
	"math/big"
)

// nodes returns how many queries a gate can be asked: C(m-1,0) + ... + C(m-1,min(B,m-1)).
func nodes(queries, passes int64) (*big.Int, error) {
	passes = min(passes, queries-1)
	if passes > 10_000 {
		return nil, errors.New("a file proves gates of at most 10000 passes")
	}
	sum, term := big.NewInt(1), big.NewInt(1)
	for i := range passes {
		term.Mul(term, big.NewInt(queries-1-i)).Quo(term, big.NewInt(i+1))
		sum.Add(sum, term)
	}
	return sum, nil
}

// gate is the tails of a query, at the bar or at any.
func gate(p *plan) (text string, err error) {
	nodes, err := nodes(p.Queries, p.AllPasses())
	if err != nil {
		return "", err
	}
	p.values["nodes"] = nodes
	p.level = p.beta.shared(nodes)
	p.fail = p.level
	if p.Decides() {
		return p.leads()
	}
	return "gate", p.tails()
}

// tails finds what bounds the tails of one query.
func (p *plan) tails() error {
	switch {
	case p.Bar.Given:
		return p.atBar()
	case p.Open:
		return p.interval()
	case p.Query.IsZeroOne():
		return p.groups()
	}
	return p.cells()
}
